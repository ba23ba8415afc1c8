/* tl-overview.c - what a trace is, what was left out, and the numbers people look for
 * first: the sheet overview.
 *
 * Among other filters, it runs last and takes the numbers from their sheets. It makes the
 * sheets that nobody made itself.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/jax.h"
#include "sheets/ops.h"
#include "sheets/overview.h"
#include "sheets/populations.h"
#include "sheets/rocprof.h"
#include "sheets/roofline.h"
#include "sheets/timeline.h"

#include <stdlib.h>
#include <string.h>

static struct tl_overview overview;
static struct tl_gpu_select select_events;
static const struct tl_arch *gpu;
static const struct tl_load_options *loaded;

static const struct tl_opt options[] = {
	TL_SELECT_OPTIONS(&select_events),
	TL_COMMUNICATION_OPTION,
	TL_ARCH_OPTIONS,
	TL_OPS_OPTION,
	{ .long_name = NULL },
};

static bool in_report; /* with other sheets */

static void see_sheet(const struct tl_table *t, const char *name)
{
	in_report = true;
	tl_headline_take(&overview.headline, name, t);
}

static void prepare(struct tl_load_options *load)
{
	loaded = load;
	load->notes = true;
	tl_prepare_arch();
	tl_op_tables(); /* a mistake in a table shows before the trace is read */
}

/* ---- sheets that nobody made --------------------------------------------------------- */

/* Would a sheet of the family that was not made give a number? */
static bool lacks(const struct tl_sheet_family *f)
{
	for (const struct tl_sheet *s = f->sheets; s->name; s++)
		if (!tl_wants_sheet(s->name) && tl_headline_lacks(&overview.headline, s->name))
			return true;
	return false;
}

static void take_sheets(const struct tl_sheet_family *f, void *made)
{
	for (const struct tl_sheet *s = f->sheets; s->name; s++) {
		if (!tl_headline_takes(s->name))
			continue;
		struct tl_table *t = tl_sheet_of(s, made);
		if (t)
			tl_headline_take(&overview.headline, s->name, t);
		tl_table_free(t);
	}
}

static void make_timeline(struct tl_trace *trace)
{
	const struct tl_timeline_options o = { .select = select_events, .micro_idle_us = -1 };
	struct tl_timeline *made;
	struct tl_error err;
	bool fell_back;

	if (!lacks(&tl_timeline_sheets) || tl_timeline_new(&made, trace, &o, &fell_back, &err) != TL_OK)
		return;
	if (!tl_wants_sheet("gpu_timeline") && !strcmp(tl_report_of(trace->source), "pytorch")) /* else it was warned, or the sheet is another one */
		tl_warn_of_timeline(made, fell_back);
	take_sheets(&tl_timeline_sheets, made);
	tl_timeline_free(made);
}

static void make_ops(struct tl_trace *trace, const char *input)
{
	const struct tl_ops_options o = { .select = select_events, .top = -1 };
	struct tl_ops *made;
	struct tl_error err;

	if (!lacks(&tl_ops_sheets) || tl_trace_gpu_only(trace))
		return;
	if (tl_ops_new(&made, trace, &o, tl_op_tables(), &err) != TL_OK)
		tl_die_error(input, &err);
	take_sheets(&tl_ops_sheets, made);
	tl_ops_free(made);
}

static void make_roofline(struct tl_trace *trace, const char *input)
{
	const char *name = "unified_perf_summary";
	const struct tl_roofline_options o = { .select = select_events, .top = -1, .arch = gpu, .only = name };
	struct tl_roofline *made;
	struct tl_error err;

	if (!gpu || !tl_headline_lacks(&overview.headline, name) || tl_trace_gpu_only(trace))
		return;
	if (tl_roofline_new(&made, trace, tl_op_tables(), &o, &err) != TL_OK)
		tl_die_error(input, &err);
	if (tl_roofline_sheet_name(made, 0))
		tl_headline_take(&overview.headline, name, tl_roofline_sheet(made, 0));
	tl_roofline_free(made);
}

/* Reports other than PyTorch's do not give all numbers: what their sheets do not give is not
 * taken from the sheets of another one. */
static void make_missing(struct tl_trace *trace, const char *input)
{
	const char *report = tl_report_of(trace->source);

	overview.registry = tl_op_tables();
	if (!strcmp(report, "pytorch")) {
		gpu = tl_chosen_arch(trace, input);
		make_timeline(trace);
		make_ops(trace, input);
		make_roofline(trace, input);
		/* next to a roofline the largest kernel stands only if another filter made its sheet */
		if (tl_headline_lacks(&overview.headline, "kernel_summary") &&
		    tl_headline_lacks(&overview.headline, "unified_perf_summary"))
			tl_headline_take_kernels(&overview.headline, trace);
		return;
	}
	bool alone = true;
	for (size_t i = 0; i < TL_HEADLINE_NUMBERS; i++)
		alone &= !overview.headline.numbers[i].item;
	if (tl_arch_choice.n && (alone || strcmp(report, "jax") != 0))
		tl_warn("the trace has no operators to compare with a roofline: the architecture has no effect");
	if (alone)
		make_timeline(trace);
	if (alone && !strcmp(report, "rocprof")) {
		const struct tl_rocprof_options o = { .bins = 1, .top = 0 };
		struct tl_rocprof *made = tl_rocprof_new(trace, &o, tl_rocprof_category_rules(false));
		take_sheets(&tl_rocprof_sheets, made);
		tl_rocprof_free(made);
	} else if (alone && !strcmp(report, "jax")) {
		struct tl_jax *made = tl_jax_new(trace, &(struct tl_jax_options){ .registry = tl_op_tables() });
		take_sheets(&tl_jax_sheets, made);
		tl_jax_free(made);
	}
}

/* ---- the filter ------------------------------------------------------------------------ */

static void run_overview(struct tl_trace *trace, const char *input)
{
	make_missing(trace, input);
	const char *report = tl_report_of(trace->source);
	overview.populations = tl_populations(trace, &select_events, !strcmp(report, "pytorch") ? TL_POPULATIONS_PYTORCH :
		!strcmp(report, "rocprof") ? TL_POPULATIONS_ROCPROF : TL_POPULATIONS_OTHER);
	tl_headline_take_busy(&overview.headline, trace);
	tl_headline_take(&overview.headline, "populations", overview.populations);
	tl_note_unrecorded(overview.populations);
	/* a report does not name sheets that it does not have */
	for (size_t i = 0; i < TL_HEADLINE_NUMBERS; i++) {
		struct tl_headline_number *n = &overview.headline.numbers[i];
		if (in_report && n->item && !tl_wants_sheet(n->sheet))
			n->sheet = "";
	}
	overview.trace = trace;
	overview.input = input;
	overview.n_bytes = loaded->n_bytes;
	overview.n_text_bytes = loaded->n_text_bytes;
	overview.gzip = loaded->gzip;
	overview.version = tl_version();
	overview.arch = gpu;
	overview.rated = tl_rating_arch(trace, input);
	overview.options = tl_options_given();
	overview.remarks = tl_said(&overview.n_remarks, &overview.n_more_remarks);
	tl_write_sheets(&tl_overview_sheets, &overview, trace);
	tl_table_free(overview.populations);
	tl_headline_release(&overview.headline);
}

const struct tl_filter tl_filter_overview = {
	.purpose = "what a trace is, and the first numbers of it", .sheets = &tl_overview_sheets,
	.options = options, .prepare = prepare, .run = run_overview, .runs_last = 1, .see = see_sheet,
};
