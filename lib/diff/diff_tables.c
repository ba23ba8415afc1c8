/* diff_tables.c - the device work that differs as tables.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "diff/diff_tables.h"

#include "analysis/args.h"
#include "analysis/nearest.h"
#include "analysis/spans.h"
#include "base/text.h"

#include <stdlib.h>

/* ---- definitions ------------------------------------------------------------------------------ */

enum { NAME, OP, OP_UID, SOURCE, DIMS, STRIDES, TYPES, CONCRETE, TIME, BUSY, ANCESTOR, ANCESTOR_ID, GPU_UID, STACK,
	PARENT, IN_FIRST, TIME_1, TIME_2, N_COLUMNS };
/* Of device events. "in first" is true for those of the first trace; the last two are the time, in the column of its trace. */
static const char *const row_columns[] = { "name", "cpu_op_name", "cpu_op_uid", "source", "Input Dims", "Input Strides",
	"Input type", "Concrete Inputs", "kernel_time", "busy_time", "lowest_common_ancestor_name",
	"lowest_common_ancestor_id", "gpu_op_uid", "nn_module_stack", "nn_module_parent", "in first", "time1", "time2", NULL };

enum { WHEN_DIFFERENT = 1 }; /* the traces are not identical */

#define FIRST(column) { column, .kind = TL_FIRST }
static const struct tl_column stats_columns[] = {
	FIRST("name"), FIRST("cpu_op_name"), FIRST("cpu_op_uid"), { "source", .kind = TL_FIRST, .when = WHEN_DIFFERENT },
	FIRST("Input Dims"), FIRST("Input Strides"), FIRST("Input type"), FIRST("Concrete Inputs"), FIRST("kernel_time"),
	FIRST("busy_time"), FIRST("lowest_common_ancestor_name"), FIRST("lowest_common_ancestor_id"), FIRST("gpu_op_uid"),
	FIRST("nn_module_stack"), FIRST("nn_module_parent"),
	{ .name = NULL }
};
const struct tl_sheet_def tl_diff_stats_sheet = {
	.name = "diff_stats", .rows = row_columns, .columns = stats_columns, .ungrouped = true,
};

#define KEY(column) { column, .kind = TL_KEY }
static const struct tl_column summary_columns[] = {
	KEY("name"), { "operation_count", .kind = TL_COUNT }, KEY("cpu_op_name"), KEY("cpu_op_uid"),
	{ "source", .kind = TL_KEY, .when = WHEN_DIFFERENT },
	KEY("Input Dims"), KEY("Input Strides"), KEY("Input type"), KEY("Concrete Inputs"), KEY("busy_time"),
	KEY("lowest_common_ancestor_name"), KEY("nn_module_stack"), KEY("nn_module_parent"),
	{ "kernel_time_mean", .kind = TL_MEAN, .in = "kernel_time" },
	{ "kernel_time_sum", .kind = TL_SUM, .in = "kernel_time" },
	{ .name = NULL }
};
const struct tl_sheet_def tl_diff_summary_sheet = {
	.name = "diff_stats_unique_args_summary", .rows = row_columns, .columns = summary_columns,
	.order = { { "kernel_time_sum", true }, { "name", false }, { "operation_count", false } },
	.keys_ascending = true, .ties_as_texts = true,
};

static void difference(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	const struct tl_table *t = ctx;
	int64_t ticks = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t more = tl_table_cell(t, rows[i], TIME).i;
		ticks = tl_table_cell(t, rows[i], IN_FIRST).i ? tl_ticks_sub(ticks, more) : tl_ticks_add(ticks, more);
	}
	cells[0] = tl_cell_ms(ticks);
	cells[1] = tl_cell_ms(ticks < 0 ? tl_ticks_sub(0, ticks) : ticks);
}

static const struct tl_column operator_columns[] = {
	KEY("cpu_op_name"),
	{ "trace1_count", .kind = TL_COUNT, .in = "time1" }, { "trace2_count", .kind = TL_COUNT, .in = "time2" },
	{ "time1", .kind = TL_SUM, .zero = true, .hidden = true }, { "time2", .kind = TL_SUM, .zero = true, .hidden = true },
	{ "trace1_ms", .kind = TL_MS, .in = "time1" }, { "trace2_ms", .kind = TL_MS, .in = "time2" },
	{ "difference_ms", .kind = TL_CALL, .fn = difference },
	{ "change", .kind = TL_CALL, .fn = difference, .cell = 1, .hidden = true },
	{ .name = NULL }
};
const struct tl_sheet_def tl_diff_operators_sheet = {
	.name = "diff_summary", .rows = row_columns, .columns = operator_columns,
	.order = { { "change", true } }, .keys_ascending = true, /* what was saved is as much a change as what was lost */
};

/* ---- modules -------------------------------------------------------------------------------- */

#define LISTS_MAX (UINT64_C(1) << 28) /* bytes of all lists of modules */

/* Modules around the operators of a side. */
struct modules {
	const struct tl_trace *trace;
	struct tl_strtab *strings;   /* of the tables */
	struct tl_nearest nearest;
	struct tl_map lists;         /* a module's event + 1, 0 for none -> text of it and all above it */
	uint64_t *bytes;             /* of all sides */
};

static bool is_module(const struct tl_trace *t, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];

	return e->kind == TL_KIND_PYTHON && tl_starts_with(tl_str(&t->strings, e->name), "nn.Module:");
}

static enum tl_nearest_answer ask_module(const struct tl_trace *t, uint32_t event, uintptr_t unused)
{
	(void)unused;
	return is_module(t, event) ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}

static uint32_t module_above(struct modules *m, uint32_t event)
{
	uint32_t parent = m->trace->events[event].parent;

	return parent == TL_NONE ? TL_NONE : tl_nearest(&m->nearest, parent);
}

/* The module's name without "_12" at its end. */
static uint32_t module_name(struct modules *m, uint32_t module)
{
	uint32_t name = m->trace->events[module].name;
	const char *s = tl_str(&m->trace->strings, name);
	size_t len = tl_str_len(&m->trace->strings, name), end = len;

	while (end && tl_is_digit(s[end - 1]))
		end--;
	if (end == len || !end || s[end - 1] != '_')
		end = len + 1;
	return tl_intern(m->strings, s, end - 1);
}

/* The names of a module and all above it, the outermost first. */
static uint32_t module_list(struct modules *m, uint32_t module)
{
	struct tl_list path = { 0 };
	const uint32_t *known = NULL;
	struct tl_buf b = { 0 };

	for (uint32_t at = module; at != TL_NONE && !(known = tl_map_get(&m->lists, at)); at = module_above(m, at))
		tl_list_add(&path, at);
	if (known)
		tl_buf_add(&b, tl_str(m->strings, *known), tl_str_len(m->strings, *known));
	uint32_t list = known ? *known : 0;
	while (path.n && *m->bytes < LISTS_MAX) {
		uint32_t name = module_name(m, path.items[--path.n]);
		if (b.len)
			tl_buf_addc(&b, ';');
		tl_buf_add(&b, tl_str(m->strings, name), tl_str_len(m->strings, name));
		list = tl_intern(m->strings, b.data, b.len);
		*tl_map_put(&m->lists, path.items[path.n], NULL) = list;
		*m->bytes += b.len;
	}
	free(path.items);
	tl_buf_release(&b);
	return list;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* What cells of a side are made with. */
struct source {
	struct tl_trace *trace;
	struct tl_arg args[CONCRETE - DIMS + 1]; /* of the columns from DIMS on, which have their names */
	struct modules modules;
};

static void source_init(struct source *s, const struct tl_diff *d, int side, uint64_t *bytes)
{
	struct tl_trace *t = d->traces[side];

	*s = (struct source){ .trace = t };
	for (int c = DIMS; c <= CONCRETE; c++)
		s->args[c - DIMS] = tl_arg_of(t, row_columns[c]);
	s->modules = (struct modules){ .trace = t, .strings = &d->traces[0]->strings, .nearest = { t, ask_module, 0, NULL },
		.bytes = bytes };
}

static void source_release(struct source *s)
{
	tl_nearest_release(&s->modules.nearest);
	tl_map_release(&s->modules.lists);
}

static void add_device_event(struct tl_table *t, const struct tl_diff *d, const struct tl_diff_row *r, struct source *s)
{
	static const char *const sources[] = { "trace1", "trace2" };
	const struct tl_ev *e = &s->trace->events[r->event];
	uint32_t module = module_above(&s->modules, r->op);
	struct tl_cell cells[N_COLUMNS] = {
		[NAME] = tl_cell_text(tl_diff_name(d, (int)r->side, r->event)),
		[OP] = tl_cell_text(tl_diff_name(d, (int)r->side, r->op)),
		[OP_UID] = tl_cell_int(s->trace->events[r->op].uid),
		[SOURCE] = tl_cell_str(t->strings, sources[r->side]),
		[TIME] = tl_cell_time(e->dur, !(e->flags & TL_EV_HAS_DUR) || e->flags & TL_EV_INT_DUR),
		[BUSY] = tl_cell_time(r->busy, r->whole),
		[ANCESTOR] = tl_cell_text(r->ancestor_name),
		[ANCESTOR_ID] = r->ancestor == TL_NONE ? tl_cell_null() : tl_cell_int(r->ancestor),
		[GPU_UID] = tl_cell_int(e->uid),
		[IN_FIRST] = tl_cell_bool(!r->side),
	};
	uint32_t root = tl_intern_str(t->strings, "root");
	cells[r->side ? TIME_2 : TIME_1] = cells[TIME];
	for (int c = DIMS; c <= CONCRETE; c++)
		cells[c] = tl_cell_copy(tl_arg_cell(s->trace, &s->args[c - DIMS], r->op), &s->trace->strings, t->strings);
	cells[STACK] = tl_cell_text(module == TL_NONE ? root : module_list(&s->modules, module));
	cells[PARENT] = tl_cell_text(module == TL_NONE ? root : module_name(&s->modules, module));
	tl_table_add_row(t, cells);
}

static enum tl_status make_rows(struct tl_table *rows, const struct tl_diff *d, struct tl_error *err)
{
	struct source sources[2];
	uint64_t bytes = 0;

	tl_table_reserve(rows, d->n_rows);
	for (int s = 0; s < 2; s++)
		source_init(&sources[s], d, s, &bytes);
	for (size_t i = 0; i < d->n_rows; i++)
		add_device_event(rows, d, &d->rows[i], &sources[d->rows[i].side]);
	tl_table_unify_column(rows, ANCESTOR_ID);
	for (int s = 0; s < 2; s++)
		source_release(&sources[s]);
	if (bytes >= LISTS_MAX)
		return tl_fail(err, TL_ERR_DATA, "modules are nested too deeply: more than %u MB of their names",
		               (unsigned)(LISTS_MAX >> 20));
	return TL_OK;
}

/* ---- the same rows? ----------------------------------------------------------------------------- */

static bool same_rows(const struct tl_table *t, size_t a, size_t b)
{
	unsigned char ka[TL_CELL_KEY], kb[TL_CELL_KEY];

	for (size_t c = 0; c < t->n_columns; c++) {
		if (c == SOURCE || c >= IN_FIRST)
			continue;
		tl_cell_key(tl_table_cell(t, a, c), ka);
		tl_cell_key(tl_table_cell(t, b, c), kb);
		if (memcmp(ka, kb, sizeof ka))
			return false;
	}
	return true;
}

static bool same_halves(const struct tl_table *t, const struct tl_diff *d)
{
	size_t a = 0, b = 0;

	for (;; a++, b++) {
		while (a < d->n_rows && d->rows[a].side)
			a++;
		while (b < d->n_rows && !d->rows[b].side)
			b++;
		if (a == d->n_rows || b == d->n_rows)
			return a == b;
		if (!same_rows(t, a, b))
			return false;
	}
}

/* ---- both tables --------------------------------------------------------------------------------- */

enum tl_status tl_diff_tables_make(struct tl_diff_tables *out, const struct tl_diff *d, struct tl_error *err)
{
	struct tl_table *rows = tl_table_new(&d->traces[0]->strings, d->traces[0]->ticks_per_us, row_columns);
	enum tl_status s = make_rows(rows, d, err);

	*out = (struct tl_diff_tables){ 0 };
	if (s == TL_OK) {
		out->identical = same_halves(rows, d);
		struct tl_sheet_input in = { .rows = rows, .conditions = out->identical ? 0 : WHEN_DIFFERENT,
			.where = out->identical ? "in first" : NULL };
		out->stats = tl_sheet_make(&tl_diff_stats_sheet, &in);
		out->summary = tl_sheet_make(&tl_diff_summary_sheet, &in);
		in = (struct tl_sheet_input){ .rows = rows, .ctx = rows };
		out->operators = tl_sheet_make(&tl_diff_operators_sheet, &in);
	}
	tl_table_free(rows);
	return s;
}

void tl_diff_tables_release(struct tl_diff_tables *t)
{
	tl_table_free(t->stats);
	tl_table_free(t->summary);
	tl_table_free(t->operators);
	*t = (struct tl_diff_tables){ 0 };
}
