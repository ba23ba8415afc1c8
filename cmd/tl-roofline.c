/* tl-roofline.c - what each operator achieved: unified_perf_summary and a sheet
 * for each family of operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"
#include "work/devices.h"
#include "work/trace_facts.h"
#include "cli/filter.h"
#include "compare/diff_tables.h"
#include "edit/rewrite.h"
#include "perf/measure.h"
#include "sheets/roofline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tl_roofline_options roofline = { .top = -1 };
static const struct tl_arch *gpu;
static const struct tl_load_options *loaded; /* how the trace was loaded */

static const struct tl_opt options[] = {
	TL_ARCH_OPTIONS,
	TL_OPS_OPTION,
	{ 0, "topk_roofline_ops", "N", "only the N largest rows of each sheet",
	  TL_OPT_INT, &roofline.top, 0, INT64_MAX, NULL },
	{ 0, "group_by_num_kernels", NULL, "let the number of kernels tell rows apart",
	  TL_OPT_FLAG, &roofline.group_by_num_kernels, 0, 0, NULL },
	{ 0, "include_overlap_info", NULL, "add the sheets *_kl_overlap: what ran at the same time",
	  TL_OPT_FLAG, &roofline.include_overlap, 0, 0, NULL },
	TL_SELECT_OPTIONS(&roofline.select),
	TL_COMMUNICATION_OPTION,
	{ 0, "include_call_stack", NULL, "add entry_point and call_stack_full to unified_perf_summary",
	  TL_OPT_FLAG, &roofline.call_stack, 0, 0, NULL },
	TL_INFERENCE_OPTION(&roofline.inference),
	TL_EDIT_OPTIONS,
	TL_CAPTURE_OPTION,
	TL_COMPARISON_OPTIONS,
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "topk_roofline_ops", "unified_perf_summary unified_perf_summary_kl_overlap headroom mfu kernel_chains hot_kernels FAMILY FAMILY_kl_overlap", NULL },
	{ "include_overlap_info", "unified_perf_summary_kl_overlap FAMILY_kl_overlap", NULL },
	{ "include_call_stack", "unified_perf_summary", NULL },
	{ .option = NULL },
};

/* ---- sheets ------------------------------------------------------------------------ */

/* The i-th name that the entry s stands for: FAMILY in its name becomes the name of each
 * family, NAME or NAME_fwd and NAME_bwd. NULL past the last. */
static const char *pattern(const struct tl_sheet *s, size_t i)
{
	static struct tl_buf b;
	const struct tl_registry *r = tl_op_tables();
	bool one;

	for (size_t f = 0; f < tl_families(r); f++) {
		const char *name = tl_family_at(r, f, roofline.inference, &one);
		size_t n = one ? 1 : 2;
		if (i >= n) {
			i -= n;
			continue;
		}
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%s%s%s", name, one ? "" : i ? "_bwd" : "_fwd", s->name + strlen("FAMILY"));
		return b.data;
	}
	return NULL;
}

/* ---- GPUs ----------------------------------------------------------------- */

/* Names the built-in GPU that fits, if none or another one is used, unless the trace has no
 * operators, which rooflines need, or different devices, of which the right one is not
 * known. False: another GPU than that of the trace is used. */
static bool compare_gpu(struct tl_trace *t)
{
	struct tl_trace_facts facts;
	struct tl_buf fits = { 0 };
	bool same = true;

	if (tl_trace_gpu_only(t))
		return true;
	tl_trace_facts_read(&facts, t);
	const struct tl_gpu_facts *of = tl_working_gpu_kind(&facts, t);
	if (of && tl_arch_for_device(of->name, of->units, &fits)) {
		same = !gpu || tl_arch_same_gpu(gpu, fits.data);
		if (!gpu && *tl_advice("arch", "may"))
			tl_note("the trace is of \"%s\"; --arch %s adds its roofline", of->name, fits.data);
		else if (!same)
			tl_note("the trace is of \"%s\", not of %s; --arch auto takes %s", of->name, gpu->name, fits.data);
	}
	tl_buf_release(&fits);
	tl_trace_facts_release(&facts);
	return same;
}

static int either_column(const struct tl_table *t, const char *name, const char *first)
{
	int at = tl_table_column(t, name);

	return at >= 0 ? at : tl_table_column(t, first);
}

/* models.tsv takes bytes for FP8, which they are in products of matrices. Other operators of bytes, as copies, do not
 * compute in FP8. */
static bool is_of_bytes(const char *spec, const char *types)
{
	return !strncmp(spec, "vector_", 7) && strstr(types, "unsigned char") && !strcasestr(types, "float8");
}

/* Compute specs and operators that have no roofline only because the GPU has no peak for them. */
struct no_peak { struct tl_map specs, ops; struct tl_buf names; };

static void find_no_peak(const struct tl_table *t, struct no_peak *n)
{
	int name = tl_table_column(t, "name"), spec = either_column(t, "Compute Spec", "Compute Spec_first");
	int gflops = either_column(t, "GFLOPS", "GFLOPS_first");
	int moved = either_column(t, "Data Moved (MB)", "Data Moved (MB)_first");
	int types = either_column(t, "Input type", "Input type_first");
	bool is_new;

	if (name < 0 || spec < 0 || gflops < 0 || moved < 0)
		return;
	for (size_t i = 0; i < t->n_rows; i++) {
		struct tl_cell s = tl_table_cell(t, i, (size_t)spec), flops = tl_table_cell(t, i, (size_t)gflops);
		const char *text = tl_table_text(t, i, spec, "");
		if (!strcmp(text, TL_HOST_COPY) && gpu->host > 0)
			continue;
		if (!*text || flops.type != TL_CELL_REAL || !(flops.d > 0) ||
		    tl_table_cell(t, i, (size_t)moved).type == TL_CELL_NULL ||
		    tl_arch_peak(gpu, text) > 0 || is_of_bytes(text, tl_table_text(t, i, types, "")))
			continue;
		tl_map_put(&n->ops, tl_table_cell(t, i, (size_t)name).text, NULL);
		tl_map_put(&n->specs, s.text, &is_new);
		if (is_new)
			tl_buf_addf(&n->names, "%s%s", n->specs.count > 1 ? ", " : "", text);
	}
}

static void warn_no_peak(const struct tl_roofline *r)
{
	struct no_peak n = { 0 };
	const char *name;

	if (!(gpu->bandwidth > 0)) {
		tl_warn("%s has no memory bandwidth: no roofline", gpu->name);
		return;
	}
	for (size_t i = 0; (name = tl_roofline_sheet_name(r, i)); i++)
		if (tl_wants_sheet(name))
			find_no_peak(tl_roofline_sheet(r, i), &n);
	if (n.ops.count)
		tl_warn("%s has no peak for %s: %zu operator%s rows are without roofline", gpu->name, n.names.data,
		        n.ops.count, n.ops.count == 1 ? "'s" : "s'");
	tl_map_release(&n.specs);
	tl_map_release(&n.ops);
	tl_buf_release(&n.names);
}

/* Rows of mfu that have operations and no peak. */
static void warn_no_mfu(const struct tl_roofline *r)
{
	const char *name;
	size_t n = 0;

	for (size_t i = 0; (name = tl_roofline_sheet_name(r, i)); i++) {
		const struct tl_table *t = tl_roofline_sheet(r, i);
		int flops = tl_table_column(t, "model_gflops"), peak = tl_table_column(t, "peak_tflops");
		for (size_t row = 0; !strcmp(name, "mfu") && row < t->n_rows; row++)
			n += !tl_cell_is_null(tl_table_cell(t, row, (size_t)flops)) && tl_cell_is_null(tl_table_cell(t, row, (size_t)peak));
	}
	if (n && !roofline.rated)
		tl_warn("the GPU is not known: mfu tells operations, but no peak and no MFU%s", tl_advice("arch", "; --arch NAME gives them"));
	else if (n)
		tl_warn("%s has no peak for some precision: %zu row%s of mfu without MFU", roofline.rated->name, n, n == 1 ? "" : "s");
}

enum { MAX_DIMS = 80 }; /* bytes of them in a message */

/* same_gpu: is the architecture that of the trace's GPU, as far as is known? */
static void warn_excess(struct tl_roofline *r, bool same_gpu)
{
	struct tl_roofline_excess e;
	struct tl_buf others = { 0 };

	if (!tl_roofline_find_excess(r, &e))
		return;
	if (e.events > 1)
		tl_buf_addf(&others, "; events above 100 %%: %u, of operators: %u", e.events, e.operators);
	tl_warn("%s, uid %u%s%.*s%s: %.1f %% of the roofline, likely because %s%s", e.name, e.uid, *e.dims ? ", " : "",
	        MAX_DIMS, e.dims, strlen(e.dims) > MAX_DIMS ? "…" : "", e.percent,
	        same_gpu ? e.reason : "the architecture is not that of the trace's GPU", others.len ? others.data : "");
	tl_buf_release(&others);
}

/* ---- the filter ------------------------------------------------------------------------- */

/* Has any event the argument? */
static bool has_arg(const struct tl_trace *t, const char *name)
{
	struct tl_arg arg = tl_arg_of(t, name);

	for (uint32_t i = 0; i < t->n_events; i++)
		if (arg.place[t->events[i].layout] >= 0)
			return true;
	return false;
}

/* Operators that have a model, and no metrics; in one line if the trace has no shapes at all. */
static void warn_failures(const struct tl_roofline *r, const struct tl_trace *t)
{
	const char *name, *reason;
	uint32_t count, events = 0;
	size_t n = 0;

	if (tl_roofline_failure(r, 0, &name, &count, &reason) && !has_arg(t, "Input Dims") && !has_arg(t, "Input type")) {
		while (tl_roofline_failure(r, n, &name, &count, &reason)) {
			events += count;
			n++;
		}
		tl_warn("the trace %s: no TFLOP/s for %zu operator%s (%u event%s)",
		        tl_device_activity(t) ? "was recorded without record_shapes=True" : "has no arguments of operators", n,
		        n == 1 ? "" : "s", events, events == 1 ? "" : "s");
		return;
	}
	for (size_t i = 0; tl_roofline_failure(r, i, &name, &count, &reason); i++)
		tl_warn("%s: no metrics for %u event%s: %s", name, count, count == 1 ? "" : "s", reason);
}

/* With --comparison_json_path: the other trace, and what differs. */
struct comparison { struct tl_trace *trace; struct tl_diff *diff; struct tl_diff_tables tables; struct tl_ancestors ancestors; };

static void compare(struct comparison *c, struct tl_trace *trace, const char *input)
{
	if (!tl_comparison_trace || !(tl_wants_sheet("unified_perf_summary") || tl_wants_sheet("diff_stats")))
		return;
	struct tl_load_options as_this = *loaded;
	as_this.python = trace->python; /* captures may have brought Python frames */
	c->trace = tl_load_comparison(&as_this);
	struct tl_trace *traces[2] = { trace, c->trace };
	const char *names[2] = { input, tl_comparison_trace };
	tl_compare_traces(&c->diff, &c->tables, traces, names);
	tl_ancestors_find(&c->ancestors, c->diff);
	roofline.ancestors = &c->ancestors;
}

static void run_roofline(struct tl_trace *trace, const char *input)
{
	struct comparison comparison = { 0 };
	struct tl_roofline *r;
	struct tl_error err;

	roofline.arch = gpu = tl_chosen_arch(trace, input);
	bool same_gpu = compare_gpu(trace);
	roofline.rated = tl_rating_arch(trace, input);
	roofline.hot = tl_wants_sheet("hot_kernels");
	roofline.headroom = roofline.hot || tl_wants_sheet("headroom");
	roofline.mfu = tl_wants_sheet("mfu");
	roofline.chains = tl_wants_sheet("kernel_chains");
	roofline.only = tl_only_sheet();
	roofline.host_copies = tl_more_ops;
	roofline.more = roofline.headroom || roofline.mfu ? tl_more_op_tables() : NULL;
	roofline.even_empty = !tl_into_folder();
	roofline.include_overlap = tl_wants_ending("_kl_overlap");
	compare(&comparison, trace, input);
	if (tl_roofline_new(&r, trace, tl_op_tables(), &roofline, &err) != TL_OK)
		tl_die_error(input, &err);
	warn_failures(r, trace);
	if (gpu) {
		warn_no_peak(r);
		warn_excess(r, same_gpu);
	}
	if (roofline.mfu)
		warn_no_mfu(r);
	const char *name;
	for (size_t i = 0; (name = tl_roofline_sheet_name(r, i)); i++) {
		if (!tl_wants_sheet(name))
			continue;
		if (!tl_roofline_sheet(r, i)->n_rows && !tl_into_folder() && tl_only_sheet())
			tl_warn("no row for the sheet %s", name);
		tl_write_sheet(tl_roofline_sheet(r, i), name);
	}
	if (comparison.diff && tl_wants_sheet("diff_stats") && (comparison.tables.stats->n_rows || !tl_into_folder()))
		tl_write_sheet(comparison.tables.stats, "diff_stats");
	tl_ancestors_release(&comparison.ancestors);
	tl_diff_tables_release(&comparison.tables);
	tl_diff_free(comparison.diff);
	tl_trace_free(comparison.trace);
	tl_roofline_free(r);
}

static void prepare(struct tl_load_options *load)
{
	tl_prepare_arch();
	tl_prepare_comparison();
	loaded = load;
	tl_op_tables(); /* a mistake in a table shows before the trace is read */
	load->python |= roofline.call_stack || tl_comparison_capture_folder; /* captures have frames: both trees do, or nothing pairs */
}

const struct tl_filter tl_filter_roofline = {
	.purpose = "what each operator achieved, against the roofline", .sheets = &tl_roofline_sheets,
	.options = options, .needs = needs, .report = "pytorch", .pattern = pattern, .prepare = prepare, .run = run_roofline, .weight = 6,
};
