/* ops.c - the operator sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/ops.h"
#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/kernel_details.h"
#include "analysis/overlap.h"
#include "base/text.h"
#include "json/value.h"
#include "model/trace.h"
#include "roofline/call_stacks.h"
#include "roofline/device_work.h"
#include "roofline/measure.h"
#include "sheets/ops_by_step.h"
#include "sheets/sequences.h"
#include "table/sheet.h"

#include <stdlib.h>
#include <string.h>

/* ---- ops by module --------------------------------------------------------------- */

/* Deeper modules count with the one at this depth: paths stay short. */
enum { MAX_DEPTH = 100 };

/* ---- definition ------------------------------------------------------------------- */

/* Columns of the rows, one a module. */
enum { OPS_BY_MODULE_MODULE, CALLS, EVENTS, OPS_BY_MODULE_DIRECT, OPS_BY_MODULE_SUBTREE, BACKWARD, OPS_BY_MODULE_N_COLUMNS };
static const char *const ops_by_module_row_columns[] = {
	"module", "Count", "device_event_count", "direct_device_time_ms", "subtree_device_time_ms",
	"backward_device_time_ms", NULL
};
static const struct tl_column columns[] = {
	{ "module", .kind = TL_FIRST },
	{ "Count", .kind = TL_FIRST },
	{ "subtree_device_time_ms", .kind = TL_FIRST },
	{ "Subtree Percentage (%)", .kind = TL_PERCENT, .in = "subtree_device_time_ms", .total = 1 },
	{ "backward_device_time_ms", .kind = TL_FIRST },
	{ "device_event_count", .kind = TL_FIRST },
	{ "direct_device_time_ms", .kind = TL_FIRST },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = "direct_device_time_ms", .total = 1 },
	{ .name = NULL }
};
static const struct tl_sheet_def ops_by_module_sheet = {
	.name = "ops_by_module", .rows = ops_by_module_row_columns, .columns = columns, .ungrouped = true,
	.order = { { "subtree_device_time_ms", true }, { "module", false } },
};

/* ---- modules ----------------------------------------------------------------------- */

enum { NO_MODULE, NOT_LAUNCHED, FIRST_MODULE }; /* numbers of modules; the first two stand for what has none */

/* A module by its path: its name, and the module that it is in. */
struct module {
	uint32_t in;          /* always a lower number; NO_MODULE: none */
	uint32_t name, path;  /* string ids */
	uint32_t depth;
	uint64_t calls, events;
	int64_t direct, subtree, backward; /* ticks; backward is a part of subtree */
};

/* By event: the innermost of the modules of the event and those above it, TL_NONE until it is
 * known. `joins`: a backward operator outside of all modules is taken to be where its forward
 * operator is, and `backward` tells of what is at such an operator or below it. */
struct places { bool joins; uint32_t *module; bool *backward; uint32_t *stack; size_t cap; };

struct finder {
	struct tl_trace *t;
	struct module *modules; uint32_t n; size_t cap;
	struct tl_map of_name;  /* number of a module << 32 | name -> number of the module in it */
	struct tl_map names;    /* name of a frame -> name of the module; 0: the frame is of none */
	struct places plain, joined;
};

static uint32_t add_module(struct finder *f, uint32_t in, uint32_t name)
{
	const struct module *outer = in ? &f->modules[in] : NULL;
	struct tl_strtab *strings = &f->t->strings;
	struct module m = { .in = in, .name = name, .path = name, .depth = outer ? outer->depth + 1 : 1 };

	if (outer) {
		struct tl_buf path = { 0 };
		tl_buf_addf(&path, "%s/%s", tl_str(strings, outer->path), tl_str(strings, name));
		m.path = tl_intern(strings, path.data, path.len);
		tl_buf_release(&path);
	}
	TL_GROW(f->modules, f->cap, (size_t)f->n + 1);
	f->modules[f->n] = m;
	return f->n++;
}

/* The name of the module of a frame; 0 if the event is no such frame. */
static uint32_t module_name(struct finder *f, uint32_t event)
{
	const struct tl_ev *e = &f->t->events[event];
	const char *name = tl_str(&f->t->strings, e->name);
	bool is_new;

	if (e->kind != TL_KIND_PYTHON)
		return 0;
	uint32_t *known = tl_map_put(&f->names, e->name, &is_new);
	if (is_new)
		*known = tl_is_module_frame(name) ? tl_intern_str(&f->t->strings, name + strlen(TL_MODULE_FRAME)) : 0;
	return *known;
}

static uint32_t module_in(struct finder *f, uint32_t in, uint32_t name)
{
	bool is_new;

	if (!name || f->modules[in].depth >= MAX_DEPTH)
		return in;
	uint32_t *number = tl_map_put(&f->of_name, (uint64_t)in << 32 | name, &is_new);
	if (is_new) {
		uint32_t added = add_module(f, in, name);
		*number = added;
	}
	return *number;
}

/* Finds the places of an event and of those above it. */
static void resolve(struct finder *f, struct places *p, uint32_t event)
{
	size_t n = 0;
	uint32_t e = event;

	for (; e != TL_NONE && p->module[e] == TL_NONE; e = f->t->events[e].parent) {
		TL_GROW(p->stack, p->cap, n + 1);
		p->stack[n++] = e;
	}
	uint32_t module = e == TL_NONE ? NO_MODULE : p->module[e];
	bool backward = e != TL_NONE && p->backward[e];
	while (n) {
		e = p->stack[--n];
		uint32_t forward = f->t->fwd_of[e];
		if (p->joins && module == NO_MODULE && forward != TL_NONE) {
			resolve(f, &f->plain, forward);
			module = f->plain.module[forward];
			backward = true;
		}
		p->module[e] = module = module_in(f, module, module_name(f, e));
		p->backward[e] = backward;
	}
}

static void add_work(struct finder *f, uint32_t gpu)
{
	const struct tl_ev *e = &f->t->events[gpu];
	uint32_t module = NOT_LAUNCHED;
	bool backward = false;

	if (e->parent != TL_NONE) {
		resolve(f, &f->joined, e->parent);
		module = f->joined.module[e->parent];
		backward = f->joined.backward[e->parent];
	}
	struct module *m = &f->modules[module];
	m->events++;
	m->direct = tl_ticks_add(m->direct, e->dur);
	m->subtree = tl_ticks_add(m->subtree, e->dur);
	m->backward = tl_ticks_add(m->backward, backward ? e->dur : 0);
}

static struct places new_places(const struct tl_trace *t, bool joins)
{
	size_t n = (size_t)t->n_events + 1;
	struct places p = { .joins = joins, .module = tl_alloc(n * sizeof *p.module), .backward = tl_calloc(n, 1) };

	memset(p.module, 0xff, n * sizeof *p.module); /* TL_NONE */
	return p;
}

static void start(struct finder *f, struct tl_trace *t)
{
	*f = (struct finder){ .t = t, .plain = new_places(t, false), .joined = new_places(t, true) };
	add_module(f, NO_MODULE, tl_intern_str(&t->strings, "(no module)"));
	add_module(f, NO_MODULE, tl_intern_str(&t->strings, "(not launched)"));
	f->modules[NO_MODULE].depth = 0;
}

static void count(struct finder *f)
{
	for (uint32_t i = 0; i < f->t->n_events; i++) {
		if (tl_gpu_usable(&f->t->events[i])) {
			add_work(f, i);
		} else if (f->t->events[i].flags & TL_EV_IN_TREE && module_name(f, i)) {
			resolve(f, &f->joined, i);
			f->modules[f->joined.module[i]].calls++;
		}
	}
	for (uint32_t i = f->n; i-- > FIRST_MODULE;) { /* what is in a module has a higher number */
		struct module *m = &f->modules[i], *outer = &f->modules[m->in];
		if (m->in == NO_MODULE)
			continue;
		outer->subtree = tl_ticks_add(outer->subtree, m->subtree);
		outer->backward = tl_ticks_add(outer->backward, m->backward);
	}
}

static void release_places(struct places *p)
{
	free(p->module);
	free(p->backward);
	free(p->stack);
}

static void release(struct finder *f)
{
	free(f->modules);
	release_places(&f->plain);
	release_places(&f->joined);
	tl_map_release(&f->of_name);
	tl_map_release(&f->names);
}

/* ---- the sheet ------------------------------------------------------------------------ */

static void ops_by_module_add_row(const struct module *m, bool is_module, struct tl_table *rows)
{
	struct tl_cell c[OPS_BY_MODULE_N_COLUMNS] = { 0 };

	c[OPS_BY_MODULE_MODULE] = tl_cell_text(m->path);
	c[CALLS] = is_module ? tl_cell_int((int64_t)m->calls) : tl_cell_null();
	c[EVENTS] = tl_cell_int((int64_t)m->events);
	c[OPS_BY_MODULE_DIRECT] = tl_cell_ms(m->direct);
	c[OPS_BY_MODULE_SUBTREE] = tl_cell_ms(m->subtree);
	c[BACKWARD] = tl_cell_ms(m->backward);
	tl_table_add_row(rows, c);
}

/* A row for each module that the Python frames of the call tree tell, by its path; every
 * device event is in the direct time of one row. *missing: is there no module? Takes time and
 * memory in proportion to the trace. */
static struct tl_table *ops_by_module(struct tl_trace *t, double *total_ms, bool *missing)
{
	struct finder f;
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, ops_by_module_row_columns);
	int64_t total = 0;

	start(&f, t);
	count(&f);
	*missing = f.n <= FIRST_MODULE;
	for (uint32_t i = 0; i < f.n; i++) {
		total = tl_ticks_add(total, f.modules[i].direct);
		if (i >= FIRST_MODULE || f.modules[i].events)
			ops_by_module_add_row(&f.modules[i], i >= FIRST_MODULE, rows);
	}
	release(&f);
	*total_ms = tl_trace_us(t, total) / 1000;
	return rows;
}

/* ---- ops ------------------------------------------------------------------------- */

struct tl_ops {
	struct tl_trace *trace;
	struct tl_ops_options options;
	struct tl_ops_missing missing;
	const struct tl_launchers *launchers; /* NULL: the trace has no operators */
	struct tl_table *rows;    /* one a launcher */
	struct tl_details kernels, overlapping;
};

/* ---- definitions ------------------------------------------------------------- */

#define DIRECT "total_direct_kernel_time"
#define SUBTREE "total_subtree_kernel_time"

/* Columns of the rows. */
enum { NAME, CATEGORY, PROCESS_NAME, PROCESS_LABEL, THREAD_NAME, DIMS, TYPES, STRIDES, CONCRETE, UID, TS, DIRECT_TIME,
	SUBTREE_TIME, NUM_KERNELS, RECOMPUTED, SINCE_FIRST, OVERLAP_NAMES, OVERLAP_SHARE, START, MODULE, MODULE_STACK, N_COLUMNS };
static const char *const row_columns[] = {
	"name", "op category", "process_name", "process_label", "thread_name", "Input Dims", "Input type", "Input Strides",
	"Concrete Inputs", "UID", "ts", DIRECT, SUBTREE, "num_kernels", "is_recompute", "since first",
	"overlapping_kernel_names", "overlap_pct", "start_us", "parent_module", "call_stack", NULL
};

enum { RECOMPUTE = 1, BY_NUM_KERNELS = 2, FIRST_OCCURRENCE = 4, OVERLAP = 8, BY_MODULE = 16, INFERENCE = 32, NO_INFERENCE = 64 };

static tl_column_fn categories, kernel_texts, overlap_texts, kernel_list;

static const struct tl_column by_category_columns[] = {
	{ "op category", .kind = TL_KEY },
	{ "parent_module", .kind = TL_KEY, .when = BY_MODULE },
	{ "is_recompute", .kind = TL_KEY, .when = RECOMPUTE },
	{ "Count", .kind = TL_COUNT },
	{ "call_stack_first", .kind = TL_FIRST, .in = "call_stack", .when = BY_MODULE },
	{ DIRECT "_sum", .kind = TL_SUM, .in = DIRECT, .hidden = true },
	{ DIRECT "_ms", .kind = TL_MS, .in = DIRECT "_sum" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = DIRECT "_ms" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ .name = NULL }
};
static const struct tl_sheet_def by_category = {
	.name = "ops_summary_by_category", .rows = row_columns, .columns = by_category_columns,
	.keys_ascending = true, .order = { { DIRECT "_sum", true } },
};

static const struct tl_column summary_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "parent_module", .kind = TL_KEY, .when = BY_MODULE },
	{ "is_recompute", .kind = TL_KEY, .when = RECOMPUTE },
	{ DIRECT "_sum", .kind = TL_SUM, .in = DIRECT },
	{ SUBTREE "_sum", .kind = TL_SUM, .in = SUBTREE },
	{ SUBTREE "_count", .kind = TL_COUNT, .when = INFERENCE },
	{ DIRECT "_ms", .kind = TL_MS, .in = DIRECT "_sum" },
	{ SUBTREE "_ms", .kind = TL_MS, .in = SUBTREE "_sum", .when = NO_INFERENCE },
	{ "Count", .kind = TL_COUNT },
	{ "Categories", .kind = TL_CALL, .fn = categories },
	{ "call_stack_first", .kind = TL_FIRST, .in = "call_stack", .when = BY_MODULE },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = DIRECT "_ms" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ .name = NULL }
};
static const struct tl_sheet_def summary = {
	.name = "ops_summary", .rows = row_columns, .columns = summary_columns,
	.keys_ascending = true, .order = { { DIRECT "_sum", true } },
};

#define OF_BOTH(kind, suffix) \
	TL_STATISTIC(DIRECT, kind, suffix, 0, false), TL_STATISTIC(SUBTREE, kind, suffix, 0, false)
static const struct tl_column unique_args_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "overlapping_kernel_names", .kind = TL_KEY, .when = OVERLAP },
	{ "op category", .kind = TL_KEY },
	{ "parent_module", .kind = TL_KEY, .when = BY_MODULE },
	{ "process_name", .kind = TL_KEY },
	{ "process_label", .kind = TL_KEY },
	{ "thread_name", .kind = TL_KEY },
	{ "Input Dims", .kind = TL_KEY },
	{ "Input type", .kind = TL_KEY },
	{ "Input Strides", .kind = TL_KEY },
	{ "Concrete Inputs", .kind = TL_KEY },
	{ "num_kernels", .kind = TL_KEY, .when = BY_NUM_KERNELS },
	{ "is_recompute", .kind = TL_KEY, .when = RECOMPUTE },
	{ "operation_count", .kind = TL_COUNT },
	{ "first_occurrence_time", .kind = TL_MIN, .in = "since first", .when = FIRST_OCCURRENCE },
	OF_BOTH(TL_MEAN, "_mean"), OF_BOTH(TL_MEDIAN, "_median"), OF_BOTH(TL_STD, "_std"),
	OF_BOTH(TL_MIN, "_min"), OF_BOTH(TL_MAX, "_max"), OF_BOTH(TL_SUM, "_sum"),
	{ "ex_UID", .kind = TL_FIRST, .in = "UID" },
	{ "call_stack", .kind = TL_FIRST, .when = BY_MODULE },
	{ "kernel_details_summary", .kind = TL_CALL, .fn = kernel_texts },
	{ "trunc_kernel_details", .kind = TL_CALL, .fn = kernel_texts, .cell = 1 },
	{ "overlapping_kernels_details_summary", .kind = TL_CALL, .fn = overlap_texts, .when = OVERLAP },
	{ "trunc_overlapping_kernels_details", .kind = TL_CALL, .fn = overlap_texts, .cell = 1, .when = OVERLAP },
	TL_STATISTICS("overlap_pct", OVERLAP, false),
	{ "Percentage (%)", .kind = TL_PERCENT, .in = DIRECT "_sum" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ .name = NULL }
};
static const struct tl_sheet_def unique_args = {
	.name = "ops_unique_args", .rows = row_columns, .columns = unique_args_columns,
	.order = { { DIRECT "_sum", true }, { "ex_UID", false } },
};

static const struct tl_column launcher_columns[] = {
	{ "uid", .kind = TL_FIRST, .in = "UID" },
	{ "name", .kind = TL_FIRST },
	{ "category", .kind = TL_FIRST, .in = "op category" },
	{ "ts", .kind = TL_TICKS },
	{ "direct", .kind = TL_TICKS, .in = DIRECT },
	{ "subtree", .kind = TL_TICKS, .in = SUBTREE },
	{ "num_kernels", .kind = TL_FIRST },
	{ "is_recompute", .kind = TL_FIRST },
	{ "process_name", .kind = TL_FIRST },
	{ "process_label", .kind = TL_FIRST },
	{ "thread_name", .kind = TL_FIRST },
	{ "input_dims", .kind = TL_FIRST, .in = "Input Dims" },
	{ "input_type", .kind = TL_FIRST, .in = "Input type" },
	{ "input_strides", .kind = TL_FIRST, .in = "Input Strides" },
	{ "concrete_inputs", .kind = TL_FIRST, .in = "Concrete Inputs" },
	{ "kernel_details", .kind = TL_CALL, .fn = kernel_list },
	{ "start_us", .kind = TL_FIRST },
	{ .name = NULL }
};
static const struct tl_sheet_def launchers = {
	.name = "launchers", .rows = row_columns, .columns = launcher_columns, .ungrouped = true,
};

/* ---- rows: one a launcher -------------------------------------------------------- */

static const char *const arg_names[] = {
	TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS
};
enum { N_ARGS = 4 };

struct builder {
	struct tl_ops *ops;
	struct tl_arg args[N_ARGS];
	struct tl_categories categories;
	struct tl_overlaps overlaps;
	struct tl_device_work work;
	struct tl_modules modules;
};

static void time_cells(struct builder *b, const struct tl_launcher *l, struct tl_cell *c)
{
	const struct tl_launchers *all = b->ops->launchers;
	struct tl_work work;

	tl_work_of(&b->work, all->direct + l->first, l->n, &work);
	c[DIRECT_TIME] = c[SUBTREE_TIME] = tl_cell_time(work.ticks, work.ints);
	if (tl_trace_work_count(b->ops->trace, l->event) == l->n) /* what a launcher launched lies below it */
		return;
	tl_work_below(&b->work, l->event, &work);
	c[SUBTREE_TIME] = tl_cell_time(work.ticks, work.ints);
}

static void add_row(struct builder *b, const struct tl_launcher *l)
{
	struct tl_ops *ops = b->ops;
	struct tl_trace *t = ops->trace;
	const struct tl_ev *e = &t->events[l->event], *first = &t->events[ops->launchers->items[0].event];
	const struct tl_trace_track *track = &t->tracks[e->track];
	struct tl_cell c[N_COLUMNS] = { 0 };

	c[NAME] = tl_name_cell(t, e->name);
	c[CATEGORY] = tl_cell_text(tl_event_category(&b->categories, l->event, e->name));
	c[PROCESS_NAME] = tl_cell_text(track->process_name);
	c[PROCESS_LABEL] = tl_cell_text(track->process_label);
	c[THREAD_NAME] = tl_cell_text(track->thread_name);
	for (size_t i = 0; i < N_ARGS; i++)
		c[DIMS + i] = tl_arg_cell(t, &b->args[i], l->event);
	c[UID] = tl_cell_int(e->uid);
	c[TS] = tl_cell_time(e->ts, false);
	c[START] = tl_start_cell(t, e->ts);
	if (ops->options.by_parent_module) {
		c[MODULE] = tl_cell_text(tl_module_of(&b->modules, l->event));
		c[MODULE_STACK] = tl_cell_text(tl_module_stack(&b->modules, l->event));
	}
	time_cells(b, l, c);
	c[NUM_KERNELS] = tl_cell_int(l->n);
	c[RECOMPUTED] = tl_cell_bool((e->flags & TL_EV_RECOMPUTE) != 0);
	c[SINCE_FIRST] = tl_cell_time(tl_ticks_sub(e->ts, first->ts), (e->flags & TL_EV_INT_TS) != 0);
	tl_details_add_row(&ops->kernels);
	tl_details_add_events(&ops->kernels, ops->launchers->by_ts + l->first, l->n);
	if (ops->options.include_overlap) {
		tl_details_add_row(&ops->overlapping);
		tl_overlaps_of(&b->overlaps, ops->launchers->direct + l->first, l->n, &ops->overlapping,
		               &c[OVERLAP_NAMES], &c[OVERLAP_SHARE]);
	}
	tl_table_add_row(ops->rows, c);
}

static enum tl_status add_rows(struct builder *b, struct tl_error *err)
{
	struct tl_ops *ops = b->ops;
	const struct tl_launchers *l = ops->launchers;

	for (size_t i = 0; i < N_ARGS; i++)
		b->args[i] = tl_arg_of(ops->trace, arg_names[i]);
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
	ops->rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);
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

/* ---- cells of groups ------------------------------------------------------------ */

static void categories(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	const struct tl_ops *ops = ctx;

	cells[0] = tl_distinct_texts(ops->rows, CATEGORY, rows, n);
}

static void kernel_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_ops *ops = ctx;

	tl_details_summarise(&ops->kernels, rows, n, cells);
}

static void overlap_texts(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_ops *ops = ctx;

	tl_details_summarise(&ops->overlapping, rows, n, cells);
}

/* "[{'name': …, 'dur': …, 'stream': …}]" of one launcher. */
static void kernel_list(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
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
		tl_cell_repr(&b, strings, items[i].stream);
		tl_buf_addc(&b, '}');
	}
	tl_buf_addc(&b, ']');
	cells[0] = tl_cell_text(tl_intern(strings, b.data, b.len));
	tl_buf_release(&b);
}

/* ---- sheets ------------------------------------------------------------------------ */

static void all_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_ops *ops = ctx;
	const struct tl_ops_options *o = &ops->options;

	in->rows = ops->rows;
	in->conditions = (o->select.detect_recompute ? RECOMPUTE : 0u) | (o->group_by_num_kernels ? BY_NUM_KERNELS : 0u) |
	                 (o->first_occurrence ? FIRST_OCCURRENCE : 0u) | (o->by_parent_module ? BY_MODULE : 0u) |
	                 (o->inference ? INFERENCE : NO_INFERENCE);
}

static void top_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_ops *ops = ctx;

	all_rows(ctx, in);
	in->top = &ops->options.top;
}

static void overlap_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_ops *ops = ctx;

	if (!ops->options.include_overlap)
		return;
	top_rows(ctx, in);
	in->conditions |= OVERLAP;
}

static void rows_by_step(void *ctx, struct tl_sheet_input *in)
{
	struct tl_ops *ops = ctx;

	in->own_rows = tl_ops_by_step(ops->trace, ops->options.step_annotation, &ops->missing.steps);
}

static void rows_of_sequences(void *ctx, struct tl_sheet_input *in)
{
	in->ctx = in->own_rows = tl_kernel_sequences(((struct tl_ops *)ctx)->trace);
}

static void rows_of_operators(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_ops *ops = ctx;

	in->own_rows = tl_operator_sequences(ops->trace, ops->options.sequences_of);
}

static void rows_by_module(void *ctx, struct tl_sheet_input *in)
{
	struct tl_ops *ops = ctx;

	in->own_rows = ops_by_module(ops->trace, in->totals, &ops->missing.modules);
}

struct tl_ops_missing tl_ops_missing(const struct tl_ops *ops)
{
	return ops->missing;
}

static const struct tl_sheet sheets[] = {
	{ "ops_summary_by_category", "device time by category of operators", NULL,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY, TL_NEEDS_OPERATORS, &by_category, all_rows, NULL },
	{ "ops_summary", "device time by operator", NULL,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_USUAL | TL_SHEET_LINKED_ONLY, TL_NEEDS_OPERATORS, &summary, all_rows, NULL },
	{ "ops_unique_args", "device time by operator and arguments", NULL,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY, TL_NEEDS_OPERATORS, &unique_args, top_rows, NULL },
	{ "ops_unique_args_kl_overlap", "the same, and what ran at the same time", "include_overlap_info",
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY, TL_NEEDS_OPERATORS, &unique_args, overlap_rows, NULL },
	{ "ops_by_step", "device time by step and operator", "ops_by_step",
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS, &tl_ops_by_step_sheet, rows_by_step, NULL },
	{ "ops_by_module", "device time by nn.Module", "ops_by_module",
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_PYTHON, &ops_by_module_sheet, rows_by_module, NULL },
	{ "kernel_sequences", "launches that repeat, which a graph could replay", NULL, TL_SHEET_NEEDS_ROWS, 0, &tl_kernel_sequences_sheet, rows_of_sequences, NULL },
	{ "operator_sequences", "what each operator launches, in order", NULL, TL_SHEET_EXTRA, TL_NEEDS_OPERATORS, &tl_operator_sequences_sheet,
	  rows_of_operators, NULL },
	{ "launchers", "every operator or call that launched device work", NULL,
	  TL_SHEET_EXTRA | TL_SHEET_LINKED_ONLY, TL_NEEDS_OPERATORS, &launchers, all_rows, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_ops_sheets = { "tl-ops", sheets };
