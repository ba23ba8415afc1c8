/* ops.c - the sheets of launchers: a row for each, for those of a name, of a category, with the same arguments.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/ops.h"

#include "work/args.h"
#include "work/overlap.h"
#include "perf/call_stacks.h"
#include "perf/device_work.h"
#include "perf/measure.h"
#include "perf/signatures.h"

#include <stdlib.h>
#include <string.h>

/* ---- a row for each launcher -------------------------------------------------------- */

struct builder {
	struct tl_ops *ops;
	struct tl_signatures *signatures;
	struct tl_categories categories;
	struct tl_overlaps overlaps;
	struct tl_device_work work;
	struct tl_modules modules;
};

static void time_cells(struct builder *b, const struct tl_launcher *l, struct tl_cell *c)
{
	struct tl_work work;

	tl_work_of(&b->work, b->ops->launchers->direct + l->first, l->n, &work);
	c[LAUNCHER_DIRECT] = c[LAUNCHER_SUBTREE] = tl_cell_time(work.ticks, work.ints);
	if (tl_trace_work_count(b->ops->trace, l->event) == l->n) /* what a launcher launched lies below it */
		return;
	tl_work_below(&b->work, l->event, &work);
	c[LAUNCHER_SUBTREE] = tl_cell_time(work.ticks, work.ints);
}

static void add_row(struct builder *b, const struct tl_launcher *l)
{
	struct tl_ops *ops = b->ops;
	struct tl_trace *t = ops->trace;
	const struct tl_ev *e = &t->events[l->event], *first = &t->events[ops->launchers->items[0].event];
	const struct tl_trace_track *track = &t->tracks[e->track];
	struct tl_cell c[N_LAUNCHER] = {
		[LAUNCHER_NAME] = tl_name_cell(t, e->name),
		[LAUNCHER_CATEGORY] = tl_cell_text(tl_event_category(&b->categories, l->event, e->name)),
		[LAUNCHER_PROCESS_NAME] = tl_cell_text(track->process_name),
		[LAUNCHER_PROCESS_LABEL] = tl_cell_text(track->process_label),
		[LAUNCHER_THREAD_NAME] = tl_cell_text(track->thread_name), [LAUNCHER_UID] = tl_cell_int(e->uid),
		[LAUNCHER_TS] = tl_cell_time(e->ts, false), [LAUNCHER_START_US] = tl_start_cell(t, e->ts),
		[LAUNCHER_NUM_KERNELS] = tl_cell_int(l->n),
		[LAUNCHER_IS_RECOMPUTE] = tl_cell_bool((e->flags & TL_EV_RECOMPUTE) != 0),
		[LAUNCHER_SINCE_FIRST] = tl_cell_time(tl_ticks_sub(e->ts, first->ts), (e->flags & TL_EV_INT_TS) != 0),
	};

	memcpy(&c[LAUNCHER_INPUT_DIMS], tl_signature_cells(b->signatures, l->event, false), TL_SIGNATURE_CELLS * sizeof *c);
	time_cells(b, l, c);
	if (ops->options.by_parent_module) {
		c[LAUNCHER_MODULE] = tl_cell_text(tl_module_of(&b->modules, l->event));
		c[LAUNCHER_STACK] = tl_cell_text(tl_module_stack(&b->modules, l->event));
	}
	tl_details_add_row(&ops->kernels);
	tl_details_add_events(&ops->kernels, ops->launchers->by_ts + l->first, l->n);
	if (ops->options.include_overlap) {
		tl_details_add_row(&ops->overlapping);
		tl_overlaps_of(&b->overlaps, ops->launchers->direct + l->first, l->n, &ops->overlapping,
		               &c[LAUNCHER_OVERLAPPING], &c[LAUNCHER_OVERLAP_PCT]);
	}
	tl_table_add_row(ops->rows, c);
}

static enum tl_status add_rows(struct builder *b, struct tl_error *err)
{
	struct tl_ops *ops = b->ops;
	const struct tl_launchers *l = ops->launchers;

	b->signatures = tl_signatures_of(ops->trace);
	tl_device_work_init(&b->work, ops->trace);
	tl_modules_init(&b->modules, ops->trace);
	b->work.max_effort += 1 << 26; /* some seconds: only times are kept of the work */
	tl_table_reserve(ops->rows, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		add_row(b, &l->items[i]);
	tl_categories_release(&b->categories);
	enum tl_status rc = tl_device_work_check(&b->work, err);
	tl_device_work_release(&b->work);
	if (!rc && b->modules.exhausted)
		rc = tl_fail(err, TL_ERR_DATA, "the modules are nested too deeply: more than %u MB of text; "
		             "leave out --group_by_parent_module", (unsigned)(TL_MODULES_MAX >> 20));
	tl_modules_release(&b->modules);
	if (!rc && ops->options.include_overlap)
		rc = tl_overlaps_check(&b->overlaps, err);
	if (ops->options.include_overlap)
		tl_overlaps_release(&b->overlaps);
	return rc;
}

enum tl_status tl_ops_new(struct tl_ops **out, struct tl_trace *t, const struct tl_ops_options *o,
                          const struct tl_registry *registry, struct tl_error *err)
{
	struct tl_ops *ops = tl_calloc(1, sizeof *ops);
	struct builder b = { .ops = ops, .categories = { t, registry, { 0 } } };
	enum tl_status rc = TL_OK;

	ops->trace = t;
	ops->options = *o;
	ops->rows = tl_table_new(&t->strings, t->ticks_per_us, tl_ops_launcher_rows);
	tl_details_init(&ops->kernels, t);
	tl_details_init(&ops->overlapping, t);
	ops->overlapping.with_overlap = true;
	if (!tl_trace_gpu_only(t)) {
		ops->launchers = tl_launchers_of(t);
		if (o->include_overlap)
			rc = tl_overlaps_build(&b.overlaps, t, &o->select, err);
		if (!rc)
			rc = add_rows(&b, err);
	}
	if (rc)
		tl_ops_free(ops);
	else
		*out = ops;
	return rc;
}

void tl_ops_free(struct tl_ops *ops)
{
	if (!ops)
		return;
	tl_table_free(ops->rows);
	tl_details_release(&ops->kernels);
	tl_details_release(&ops->overlapping);
	free(ops);
}

void tl_ops_launchers(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_ops *ops = ctx;
	const struct tl_ops_options *o = &ops->options;

	in->rows = ops->rows;
	in->conditions = (o->select.detect_recompute ? TL_OPS_IF_RECOMPUTE : 0u) |
	                 (o->group_by_num_kernels ? TL_OPS_IF_NUM_KERNELS : 0u) |
	                 (o->first_occurrence ? TL_OPS_IF_FIRST_OCCURRENCE : 0u) |
	                 (o->by_parent_module ? TL_OPS_IF_MODULES : 0u) |
	                 (o->inference ? TL_OPS_IF_INFERENCE : TL_OPS_IF_NOT_INFERENCE);
}

void tl_ops_top_launchers(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_ops *ops = ctx;

	tl_ops_launchers(ctx, in);
	in->top = &ops->options.top;
}

void tl_ops_overlapped_launchers(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_ops *ops = ctx;

	if (!ops->options.include_overlap)
		return;
	tl_ops_top_launchers(ctx, in);
	in->conditions |= TL_OPS_IF_OVERLAP;
}

/* ---- cells of groups ------------------------------------------------------------ */

void tl_ops_categories(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_ops *ops = ctx;

	cells[0] = tl_distinct_texts(ops->rows, LAUNCHER_CATEGORY, rows, n);
}

void tl_ops_kernels(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_ops *ops = ctx;

	tl_details_summarise(&ops->kernels, rows, n, cells);
}

void tl_ops_overlapping(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_ops *ops = ctx;

	tl_details_summarise(&ops->overlapping, rows, n, cells);
}

/* "[{'name': …, 'dur': …, 'stream': …}]" of one launcher. */
void tl_ops_kernel_list(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_ops *ops = ctx;
	struct tl_strtab *strings = &ops->trace->strings;
	struct tl_buf b = { 0 };
	uint32_t length;
	const struct tl_detail *items = tl_details_of(&ops->kernels, rows[0], &length);

	(void)n;
	tl_buf_addc(&b, '[');
	for (uint32_t i = 0; i < length; i++) {
		tl_buf_adds(&b, i ? ", {'name': " : "{'name': ");
		tl_cell_repr(&b, strings, tl_cell_text(items[i].name));
		tl_buf_adds(&b, ", 'dur': ");
		tl_cell_repr(&b, strings, items[i].int_dur ? tl_cell_int((int64_t)items[i].dur) : tl_cell_real(items[i].dur));
		tl_buf_adds(&b, ", 'stream': ");
		tl_cell_repr(&b, strings, tl_detail_stream(&ops->kernels, &items[i]));
		tl_buf_addc(&b, '}');
	}
	tl_buf_addc(&b, ']');
	cells[0] = tl_cell_text(tl_intern(strings, b.data, b.len));
	tl_buf_release(&b);
}
