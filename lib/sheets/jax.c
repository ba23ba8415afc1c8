/* jax.c - the device events of a JAX trace: their numbers, calls and categories; the entries
 * of all sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/device_events.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "sheets/jax_events.h"

#define HOST_PID 701 /* as the reader numbers the host */

/* ---- tracks --------------------------------------------------------------------------- */

/* The number in 7, "7 (line 2)"; -1: none. */
static int64_t number_in(const char *json)
{
	const char *p = json + (*json == '"');

	return tl_is_digit(*p) ? strtoll(p, NULL, 10) : -1;
}

/* Work of a GPU is on its streams only. */
static void read_tracks(struct tl_jax *j)
{
	const struct tl_trace *t = j->trace;
	struct tl_map gpus = { 0 }; /* pids */

	j->tracks = tl_calloc(t->n_tracks + 1, sizeof *j->tracks);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (tl_kind_is_gpu(t->events[i].kind))
			tl_map_put(&gpus, t->tracks[t->events[i].track].pid, NULL);
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		struct tl_jax_track *track = &j->tracks[i];
		track->pid = number_in(tl_str(&t->strings, t->tracks[i].pid));
		track->tid = number_in(tl_str(&t->strings, t->tracks[i].tid));
		track->gpu = tl_map_get(&gpus, t->tracks[i].pid) != NULL;
	}
	tl_map_release(&gpus);
}

uint32_t tl_jax_text(const struct tl_jax *j, enum tl_jax_arg arg, uint32_t event)
{
	int64_t value;

	return tl_arg_get(&j->args[arg], j->trace, event, &value) == TL_FIELD_STRING ? (uint32_t)value : 0;
}

/* ---- the order of the trace viewer -------------------------------------------------------- */

static int by_place(const void *pa, const void *pb, void *ctx)
{
	const struct tl_jax *j = ctx;
	uint32_t x = *(const uint32_t *)pa, y = *(const uint32_t *)pb;
	const struct tl_ev *a = &j->trace->events[x], *b = &j->trace->events[y];
	const struct tl_jax_track *ta = tl_jax_track(j, x), *tb = tl_jax_track(j, y);

	if (ta->pid != tb->pid)
		return ta->pid < tb->pid ? -1 : 1;
	if (ta->tid != tb->tid)
		return ta->tid < tb->tid ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return (a->dur < b->dur) - (a->dur > b->dur);
}

/* The events of GPUs that the viewer shows, in its order. The caller frees the list. */
static uint32_t *gpu_events(const struct tl_jax *j, size_t *n)
{
	const struct tl_trace *t = j->trace;
	uint32_t *list = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		if (!tl_jax_track(j, i)->gpu || e->kind == TL_KIND_META || !(e->flags & TL_EV_HAS_TS) ||
		    !strcmp(tl_str(&t->strings, t->tracks[e->track].thread_name), "Async XLA Ops"))
			continue;
		TL_GROW(list, cap, *n + 1);
		list[(*n)++] = i;
	}
	tl_merge_sort(list, *n, sizeof *list, by_place, (void *)(uintptr_t)j);
	return list;
}

static enum tl_gpu_work work_of(struct tl_jax *j, const struct tl_ev *e)
{
	if (*tl_name_answer(&j->copies, e->name))
		return TL_GPU_MEMCPY;
	return e->work == TL_GPU_COMM ? TL_GPU_COMM : TL_GPU_COMPUTE;
}

static void add_event(struct tl_jax *j, uint32_t event, uint64_t uid)
{
	TL_GROW(j->events, j->cap, j->n + 1);
	j->events[j->n++] = (struct tl_jax_event){
		.event = event, .uid = uid, .call = TL_NONE, .work = work_of(j, &j->trace->events[event]),
	};
}

/* Numbers the events of a GPU from uid on, together with those that the viewer adds between them.
 * Returns the number behind the last one. is_last: no GPU follows, so what the viewer adds behind
 * the GPU's own events changes no number. */
static uint64_t number_events(struct tl_jax *j, const uint32_t *events, size_t n, uint64_t uid, bool is_last)
{
	uint32_t derived[TL_JAX_LINES] = { 0 };
	size_t line = 0;

	if (!is_last || tl_jax_track(j, events[n - 1])->tid >= TL_JAX_FIRST_LINE_TID)
		tl_jax_count_derived(j, events, n, derived);
	for (size_t i = 0; i < n; i++) {
		const struct tl_jax_track *track = tl_jax_track(j, events[i]);
		for (; line < TL_JAX_LINES && track->tid > TL_JAX_FIRST_LINE_TID + (int64_t)line; line++)
			uid += derived[line];
		if (tl_gpu_usable(&j->trace->events[events[i]]))
			add_event(j, events[i], uid);
		uid++;
	}
	for (; line < TL_JAX_LINES; line++)
		uid += derived[line];
	return uid;
}

static void add_gpus(struct tl_jax *j)
{
	size_t n, end;
	uint32_t *events = gpu_events(j, &n);
	uint64_t uid = 0;

	for (size_t i = 0; i < n; i = end) {
		int64_t pid = tl_jax_track(j, events[i])->pid;
		for (end = i + 1; end < n && tl_jax_track(j, events[end])->pid == pid; end++)
			;
		TL_GROW(j->pids, j->cap_pids, j->n_pids + 1);
		j->pids[j->n_pids++] = pid;
		uid = number_events(j, events + i, end - i, uid, end == n);
	}
	free(events);
}

/* ---- calls and categories ------------------------------------------------------------------ */

/* Of several calls with one correlation the last in the viewer's order counts. */
static void link_calls(struct tl_jax *j)
{
	struct tl_trace *t = j->trace;
	struct tl_map call_of = { 0 };
	struct tl_arg correlation;
	int64_t id;
	bool is_new;

	tl_arg_init(&correlation, t, TL_KEY_CORRELATION);
	for (uint32_t i = 0; i < t->n_events; i++) {
		if (tl_jax_track(j, i)->pid != HOST_PID || !(t->events[i].flags & TL_EV_HAS_TS) ||
		    tl_arg_get(&correlation, t, i, &id) != TL_FIELD_INT)
			continue;
		uint32_t *call = tl_map_put(&call_of, (uint64_t)id, &is_new);
		if (is_new || by_place(&i, call, j) >= 0)
			*call = i;
	}
	for (size_t i = 0; i < j->n; i++) {
		if (tl_arg_get(&correlation, t, j->events[i].event, &id) != TL_FIELD_INT)
			continue;
		const uint32_t *call = tl_map_get(&call_of, (uint64_t)id);
		if (call)
			j->events[i].call = *call;
	}
	tl_map_release(&call_of);
	tl_arg_release(&correlation);
}

const char *tl_jax_category(struct tl_jax *j, uint32_t text)
{
	return text ? tl_name_answer(&j->categories, text) : "";
}

/* The category that the operation's name says, else the one that the kernel's name says; a kernel
 * whose own name says attention is attention. */
static void find_category(struct tl_jax *j, struct tl_jax_event *e)
{
	const char *of_name = tl_jax_category(j, j->trace->events[e->event].name), *of_op = "";

	if (!tl_starts_with(of_name, "FA "))
		of_op = tl_jax_category(j, tl_jax_text(j, TL_JAX_HLO_OP, e->event));
	e->category = *of_op ? of_op : *of_name ? of_name : TL_JAX_OTHER_KERNELS;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static const char *const arg_names[TL_JAX_ARGS] = {
	"hlo_op", "hlo_module", "program_id", "tf_op", "kernel_details", "cuda_graph_exec_id",
};

struct tl_jax *tl_jax_new(struct tl_trace *t, const struct tl_jax_options *o)
{
	struct tl_jax *j = tl_calloc(1, sizeof *j);

	*j = (struct tl_jax){
		.trace = t, .options = *o, .cells = { .trace = t },
		.type_bits = tl_name_rules_new(TL_XLA_TYPE_BITS), .models = tl_name_rules_new(TL_JAX_MODELS),
		.precisions = tl_name_rules_new(TL_KERNEL_PRECISION),
	};
	tl_name_answers_init(&j->categories, TL_JAX_CATEGORIES, &t->strings);
	tl_name_answers_init(&j->copies, TL_JAX_COPIES, &t->strings);
	for (size_t i = 0; i < TL_JAX_ARGS; i++)
		tl_arg_init(&j->args[i], t, arg_names[i]);
	tl_mark_work_once(t);
	read_tracks(j);
	j->programs = tl_hlo_new(t, o->roots);
	add_gpus(j);
	link_calls(j);
	for (size_t i = 0; i < j->n; i++) {
		struct tl_jax_event *e = &j->events[i];
		find_category(j, e);
		if (e->call != TL_NONE)
			e->op = tl_hlo_of_event(j->programs, e->event);
		tl_jax_find_model(j, e);
	}
	return j;
}

void tl_jax_free(struct tl_jax *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < TL_JAX_ARGS; i++)
		tl_arg_release(&j->args[i]);
	tl_arg_cells_release(&j->cells);
	tl_hlo_free(j->programs);
	tl_name_answers_release(&j->categories);
	tl_name_answers_release(&j->copies);
	tl_name_rules_free(j->type_bits);
	tl_name_rules_free(j->models);
	tl_name_rules_free(j->precisions);
	tl_strtab_release(&j->modelled);
	tl_arena_release(&j->kept);
	free(j->answers);
	free(j->tracks);
	free(j->events);
	free(j->pids);
	free(j);
}

struct tl_jax_doubts tl_jax_doubts(const struct tl_jax *j)
{
	struct tl_jax_doubts d = j->doubts;

	for (size_t i = 0; i < j->n; i++)
		d.kernels += tl_jax_is_kernel(&j->events[i]);
	d.programs = tl_hlo_doubts(j->programs);
	return d;
}

const char *tl_jax_program(struct tl_jax *j, size_t i)
{
	return tl_hlo_program_name(j->programs, i);
}

/* ---- sheets ---------------------------------------------------------------------------------- */

/* The numbers of kernels count annotations on the device, too. */
#define NEEDS TL_NEEDS_ANNOTATIONS
#define OP_SHEET(category, of) \
	{ "op_" category, "what operations of XLA achieved: " of, NULL, TL_SHEET_NEEDS_ROWS, NEEDS, &tl_jax_op_sheet, tl_jax_make_ops }
#define ANALYSIS "trace_analysis_results_" /* as TraceLens names the files of that report */
static const struct tl_sheet sheets[] = {
	{ "gpu_timeline", "time of each GPU: computation, communication, copies, idle", NULL, 0, 0, NULL, tl_jax_make_timeline },
	{ "gpu_events_averages", "the same, means over the GPUs", NULL, 0, 0, NULL, tl_jax_make_averages },
	{ "kernel_launchers", "every kernel, with its operation of XLA", NULL, 0, NEEDS, &tl_jax_launchers, tl_jax_make_kernels },
	{ "kernel_launchers_summary", "device time by kernel", NULL, TL_SHEET_USUAL, 0, &tl_jax_summary, tl_jax_make_kernels },
	{ "kernel_launchers_summary_by_category", "device time by category of kernels", NULL, 0, 0, &tl_jax_by_category,
	  tl_jax_make_kernels },
	{ "kernel_launchers_unique_args", "device time by kernel and inputs", NULL, 0, NEEDS, &tl_jax_unique_args, tl_jax_make_kernels },
	{ "df_xla_perf", "every kernel that XLA made, with the bytes of its inputs", NULL, 0, NEEDS, &tl_jax_launchers,
	  tl_jax_make_xla },
	{ "xla_summary", "device time of kernels that XLA made, by name without digits", NULL, 0, 0, &tl_jax_xla_summary,
	  tl_jax_make_xla },
	OP_SHEET("gemm", "matrix products"),
	OP_SHEET("fa_bwd", "attention, backward"),
	OP_SHEET("fa_fwd", "attention, forward"),
	OP_SHEET("fa_v3", "attention of AITER"),
	OP_SHEET("conv", "convolutions"),
	OP_SHEET("te", "other kernels of Transformer Engine"),
	{ ANALYSIS "gpu_events_averages", "means of times over the GPUs, two decimals", "analysis", 0, 0, NULL,
	  tl_jax_make_analysis_times },
	{ ANALYSIS "gpu_events_categorized_mean", "computation by category of kernels", "analysis", 0, 0, &tl_jax_categorized,
	  tl_jax_make_categorized },
	{ ANALYSIS "xla_grouped", "computation without a category, by name without digits", "analysis", 0, 0, &tl_jax_xla_grouped,
	  tl_jax_make_xla_grouped },
	{ ANALYSIS "gemms", "matrix products of the program of a training step", "analysis", 0, 0, NULL, tl_jax_make_gemms },
	{ ANALYSIS "gemms_detailed", "the kernels of these on the first GPU", "analysis", 0, 0, NULL, tl_jax_make_gemms_detailed },
	{ .name = NULL },
};
const struct tl_sheet_family tl_jax_sheets = { "tl-jax", sheets };
