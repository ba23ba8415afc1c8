/* collectives.c - collective communication of one or more ranks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/collectives.h"

#include "analysis/args.h"
#include "sheets/tick_columns.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const column_names[TL_COLL_COLUMNS] = {
	"rank", "Process Group Name", "Process Group Ranks", "Collective name", "Group size", "dtype",
	"In msg nelems", "Out msg nelems", "In split size", "Out split size", "stream",
	"In msg size (MB)", "Out msg size (MB)", "dur", "ts ticks", "dur ticks", "uid",
};
enum { FIRST_ARG = TL_COLL_GROUP, PAST_ARG = TL_COLL_STREAM + 1, N_ARGS = PAST_ARG - FIRST_ARG };

struct tl_table *tl_coll_table(struct tl_strtab *strings)
{
	struct tl_table *t = tl_table_new(strings);

	for (size_t i = 0; i < TL_COLL_COLUMNS; i++)
		tl_table_add_column(t, column_names[i]);
	return t;
}

static int bytes_of_dtype(const char *s)
{
	static const struct { const char *name; int bytes; } types[] = {
		{ "Float", 4 }, { "Int", 4 }, { "Long", 8 }, { "BFloat16", 2 }, { "Bool", 1 },
		{ "Byte", 1 }, { "Double", 8 }, { "Half", 2 }, { "Short", 2 },
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, s))
			return types[i].bytes;
	return 0;
}

static struct tl_cell megabytes(struct tl_cell count, int bytes)
{
	if (count.type == TL_CELL_INT)
		return tl_cell_real((double)((__int128)count.i * bytes) / 1048576);
	if (count.type == TL_CELL_REAL)
		return tl_cell_real(count.d * bytes / 1048576);
	return tl_cell_null();
}

static void sizes(const struct tl_table *table, struct tl_cell *c)
{
	int bytes = c[TL_COLL_DTYPE].type == TL_CELL_TEXT ? bytes_of_dtype(tl_str(table->strings, c[TL_COLL_DTYPE].text)) : 0;

	if (!bytes || c[TL_COLL_IN].type == TL_CELL_NULL)
		return;
	c[TL_COLL_IN_MB] = megabytes(c[TL_COLL_IN], bytes);
	c[TL_COLL_OUT_MB] = megabytes(c[TL_COLL_OUT], bytes);
}

struct reader {
	struct tl_table *table;
	struct tl_trace *trace;
	struct tl_arg args[N_ARGS], correlation, external_id;
	struct tl_arg_cells cells;
};

/* A cell whose text is in the trace's string table, for the table's. */
static struct tl_cell adopt(const struct reader *r, struct tl_cell c)
{
	const struct tl_strtab *from = &r->trace->strings;

	if (c.type != TL_CELL_TEXT || r->table->strings == from)
		return c;
	return tl_cell_text(tl_intern(r->table->strings, tl_str(from, c.text), tl_str_len(from, c.text)));
}

static void add_event(struct reader *r, uint32_t event, int64_t rank)
{
	const struct tl_trace *t = r->trace;
	const struct tl_ev *e = &t->events[event];
	struct tl_cell *c;

	if (tl_arg_cell(&r->cells, &r->correlation, event).type == TL_CELL_NULL &&
	    tl_arg_cell(&r->cells, &r->external_id, event).type == TL_CELL_NULL)
		return;
	c = tl_table_add_row(r->table);
	c[TL_COLL_RANK] = tl_cell_int(rank);
	for (size_t i = 0; i < N_ARGS; i++)
		c[FIRST_ARG + i] = adopt(r, tl_arg_cell(&r->cells, &r->args[i], event));
	if (c[TL_COLL_NAME].type == TL_CELL_NULL && strcasestr(tl_str(&t->strings, e->name), "cross_device_reduce"))
		c[TL_COLL_NAME] = tl_cell_text(tl_intern_str(r->table->strings, "allreduce"));
	sizes(r->table, c);
	if ((e->flags & TL_EV_INT_DUR) && e->dur % t->ticks_per_us == 0)
		c[TL_COLL_DUR] = tl_cell_int(e->dur / t->ticks_per_us);
	else
		c[TL_COLL_DUR] = tl_cell_real(tl_trace_us(t, e->dur));
	c[TL_COLL_TS_TICKS] = tl_cell_int(e->ts);
	c[TL_COLL_DUR_TICKS] = tl_cell_int(e->dur);
	c[TL_COLL_UID] = tl_cell_int(e->uid);
}

void tl_coll_add(struct tl_table *table, struct tl_trace *t, int64_t rank)
{
	struct reader r = { .table = table, .trace = t, .cells = { .trace = t } };
	struct tl_work_by_name work = { 0 };

	for (size_t i = 0; i < N_ARGS; i++)
		tl_arg_init(&r.args[i], t, column_names[FIRST_ARG + i]);
	tl_arg_init(&r.correlation, t, "correlation");
	tl_arg_init(&r.external_id, t, "External id");
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_KERNEL && tl_gpu_usable(&t->events[i]) && tl_gpu_is_comm(&work, t, i))
			add_event(&r, i, rank);
	for (size_t i = 0; i < N_ARGS; i++)
		tl_arg_release(&r.args[i]);
	tl_arg_release(&r.correlation);
	tl_arg_release(&r.external_id);
	tl_arg_cells_release(&r.cells);
	tl_work_by_name_release(&work);
}

static bool same(struct tl_cell a, struct tl_cell b)
{
	if (a.type != b.type)
		return false;
	return a.type == TL_CELL_TEXT ? a.text == b.text : a.type == TL_CELL_REAL ? a.d == b.d : a.i == b.i;
}

/* No group has a name, and no rank uses a second stream. Rows of a rank stand
 * together. */
static bool is_simplified(const struct tl_table *t, uint32_t unknown)
{
	struct tl_cell stream = tl_cell_null();

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct tl_cell *c = tl_table_cell(t, i, 0);

		if (c[TL_COLL_GROUP].type != TL_CELL_NULL &&
		    !(c[TL_COLL_GROUP].type == TL_CELL_TEXT && c[TL_COLL_GROUP].text == unknown))
			return false;
		if (i && c[TL_COLL_RANK].i != tl_table_cell(t, i - 1, TL_COLL_RANK)->i)
			stream = tl_cell_null();
		if (c[TL_COLL_STREAM].type == TL_CELL_NULL)
			continue;
		if (stream.type != TL_CELL_NULL && !same(stream, c[TL_COLL_STREAM]))
			return false;
		stream = c[TL_COLL_STREAM];
	}
	return t->n_rows > 0;
}

void tl_coll_finish(struct tl_table *t, bool *simplified)
{
	static const uint8_t typed[] = { TL_COLL_GROUP_SIZE, TL_COLL_IN, TL_COLL_OUT, TL_COLL_STREAM, TL_COLL_DUR };
	uint32_t unknown = tl_intern_str(t->strings, "Unknown_Group");
	bool all = is_simplified(t, unknown);
	uint32_t name = all ? tl_intern_str(t->strings, "all") : unknown;

	for (size_t i = 0; i < t->n_rows; i++) {
		struct tl_cell *c = tl_table_cell(t, i, TL_COLL_GROUP);

		if (all || c->type == TL_CELL_NULL)
			*c = tl_cell_text(name);
	}
	for (size_t i = 0; i < sizeof typed; i++)
		tl_table_unify_column(t, typed[i]);
	if (simplified)
		*simplified = all;
}

static const struct tl_sheet_def analysis = {
	.name = "coll_analysis",
	.keys = { { "rank", NULL }, { "Process Group Name", NULL }, { "Process Group Ranks", NULL },
		{ "Collective name", NULL }, { "Group size", NULL }, { "dtype", NULL }, { "In msg nelems", NULL },
		{ "Out msg nelems", NULL }, { "In split size", NULL }, { "Out split size", NULL }, { "stream", NULL } },
	.keys_ascending = true,
	.drop_null_keys = true,
	.aggs = {
		{ TL_AGG_FIRST, "In msg size (MB)", "In msg size (MB)_first", NULL },
		{ TL_AGG_FIRST, "Out msg size (MB)", "Out msg size (MB)_first", NULL },
		{ TL_AGG_SUM, "dur", "dur_sum", NULL }, { TL_AGG_MEAN, "dur", "dur_mean", NULL },
		{ TL_AGG_STD, "dur", "dur_std", NULL }, { TL_AGG_MIN, "dur", "dur_min", NULL },
		{ TL_AGG_MAX, "dur", "dur_max", NULL }, { TL_AGG_COUNT, NULL, "operation_count", NULL },
	},
	.order = { { "dur_sum", true } },
	.columns = { "rank", "Process Group Name", "Process Group Ranks", "Collective name", "Group size", "dtype",
		"In msg nelems", "Out msg nelems", "In split size", "Out split size", "stream", "In msg size (MB)_first",
		"Out msg size (MB)_first", "dur_sum", "dur_mean", "dur_std", "dur_min", "dur_max", "operation_count" },
};

struct tl_table *tl_coll_analysis(const struct tl_table *rows)
{
	return tl_sheet_make(&analysis, rows, NULL);
}

struct tl_table *tl_coll_records(const struct tl_table *rows, const struct tl_trace *t)
{
	static const struct { enum tl_coll_column from; const char *name; bool ticks; } columns[] = {
		{ TL_COLL_RANK, "rank", false }, { TL_COLL_UID, "uid", false },
		{ TL_COLL_TS_TICKS, "ts", true }, { TL_COLL_DUR_TICKS, "dur", true },
		{ TL_COLL_NAME, "collective", false }, { TL_COLL_GROUP, "process_group", false },
		{ TL_COLL_RANKS, "process_group_ranks", false }, { TL_COLL_GROUP_SIZE, "group_size", false },
		{ TL_COLL_DTYPE, "dtype", false }, { TL_COLL_IN, "in_nelems", false }, { TL_COLL_OUT, "out_nelems", false },
		{ TL_COLL_IN_MB, "in_mib", false }, { TL_COLL_OUT_MB, "out_mib", false },
		{ TL_COLL_IN_SPLIT, "in_split", false }, { TL_COLL_OUT_SPLIT, "out_split", false },
		{ TL_COLL_STREAM, "stream", false },
	};
	enum { N = sizeof columns / sizeof *columns };
	struct tl_table *out = tl_table_new(rows->strings);
	char name[64];

	for (size_t i = 0; i < N; i++)
		tl_table_add_column(out, columns[i].ticks ? tl_tick_column(name, sizeof name, columns[i].name, t)
		                                          : columns[i].name);
	for (size_t r = 0; r < rows->n_rows; r++) {
		struct tl_cell *c = tl_table_add_row(out);

		for (size_t i = 0; i < N; i++)
			c[i] = *tl_table_cell(rows, r, columns[i].from);
	}
	return out;
}
