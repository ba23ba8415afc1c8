/* diff_tables.c - the device work that differs as tables.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "compare/diff_tables.h"

#include "work/args.h"
#include "work/calls.h"
#include "work/spans.h"
#include "base/text.h"
#include "sheet/diff.h"

#include <stdlib.h>

/* What the second trace takes more, and how much it differs either way: what was saved is as much a change as what was lost. */
void tl_diff_difference(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	const struct tl_table *t = ctx;
	int64_t ticks = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t more = tl_table_cell(t, rows[i], DIFF_KERNEL_TIME).i;
		ticks = tl_table_cell(t, rows[i], DIFF_IN_FIRST).i ? tl_ticks_sub(ticks, more) : tl_ticks_add(ticks, more);
	}
	cells[0] = tl_cell_ms(ticks);
	cells[1] = tl_cell_ms(ticks < 0 ? tl_ticks_sub(0, ticks) : ticks);
}

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
	struct tl_arg args[DIFF_CONCRETE_INPUTS - DIFF_INPUT_DIMS + 1]; /* of the columns from DIFF_INPUT_DIMS on, which have their names */
	struct modules modules;
};

static void source_init(struct source *s, const struct tl_diff *d, int side, uint64_t *bytes)
{
	struct tl_trace *t = d->traces[side];

	*s = (struct source){ .trace = t };
	for (int c = DIFF_INPUT_DIMS; c <= DIFF_CONCRETE_INPUTS; c++)
		s->args[c - DIFF_INPUT_DIMS] = tl_arg_of(t, tl_diff_rows[c]);
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
	struct tl_cell cells[N_DIFF] = {
		[DIFF_NAME] = tl_cell_text(tl_diff_name(d, (int)r->side, r->event)),
		[DIFF_CPU_OP_NAME] = tl_cell_text(tl_diff_name(d, (int)r->side, r->op)),
		[DIFF_CPU_OP_UID] = tl_cell_int(s->trace->events[r->op].uid),
		[DIFF_SOURCE] = tl_cell_str(t->strings, sources[r->side]),
		[DIFF_KERNEL_TIME] = tl_cell_time(e->dur, !(e->flags & TL_EV_HAS_DUR) || e->flags & TL_EV_INT_DUR),
		[DIFF_BUSY_TIME] = tl_cell_time(r->busy, r->whole),
		[DIFF_LOWEST_COMMON_ANCESTOR_NAME] = tl_cell_text(r->ancestor_name),
		[DIFF_LOWEST_COMMON_ANCESTOR_ID] = r->ancestor == TL_NONE ? tl_cell_null() : tl_cell_int(r->ancestor),
		[DIFF_GPU_OP_UID] = tl_cell_int(e->uid),
		[DIFF_IN_FIRST] = tl_cell_bool(!r->side),
	};
	uint32_t root = tl_intern_str(t->strings, "root");
	cells[r->side ? DIFF_TIME2 : DIFF_TIME1] = cells[DIFF_KERNEL_TIME];
	for (int c = DIFF_INPUT_DIMS; c <= DIFF_CONCRETE_INPUTS; c++)
		cells[c] = tl_cell_copy(tl_arg_cell(s->trace, &s->args[c - DIFF_INPUT_DIMS], r->op), &s->trace->strings, t->strings);
	cells[DIFF_NN_MODULE_STACK] = tl_cell_text(module == TL_NONE ? root : module_list(&s->modules, module));
	cells[DIFF_NN_MODULE_PARENT] = tl_cell_text(module == TL_NONE ? root : module_name(&s->modules, module));
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
	tl_table_unify_column(rows, DIFF_LOWEST_COMMON_ANCESTOR_ID);
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
		if (c == DIFF_SOURCE || c >= DIFF_IN_FIRST)
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
	struct tl_table *rows = tl_table_new(&d->traces[0]->strings, d->traces[0]->ticks_per_us, tl_diff_rows);
	enum tl_status s = make_rows(rows, d, err);

	*out = (struct tl_diff_tables){ 0 };
	if (s == TL_OK) {
		out->identical = same_halves(rows, d);
		struct tl_sheet_input in = { .rows = rows, .conditions = out->identical ? 0 : TL_DIFF_IF_DIFFERENT,
			.where = out->identical ? "in first" : NULL };
		out->stats = tl_sheet_make(&tl_diff_stats_sheet, &in);
		out->summary = tl_sheet_make(&tl_diff_stats_unique_args_summary_sheet, &in);
		in = (struct tl_sheet_input){ .rows = rows, .ctx = rows };
		out->operators = tl_sheet_make(&tl_diff_summary_sheet, &in);
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
