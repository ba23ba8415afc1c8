/* rank_part.c - the table of a part about the collectives of a rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_part.h"

#include "work/trace_facts.h"
#include "base/merge_sort.h"
#include "table/table_reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ------------------------------------------------------------------------- */

void tl_rank_part_look(struct tl_part_end *end, const struct tl_trace *t, struct tl_arena *texts)
{
	struct tl_trace_facts facts;
	struct tl_arena arena = { 0 };
	struct tl_value v;
	const char *host;
	size_t len;

	tl_trace_facts_read(&facts, t);
	end->rank = facts.rank;
	end->world = facts.world_size > 0 ? facts.world_size : 0;
	end->gpus = tl_trace_member(t, "deviceProperties", &arena, &v) && v.type == TL_V_LIST ? v.len : 0;
	if (facts.host)
		end->host = tl_arena_dup(texts, facts.host, strlen(facts.host));
	else if (tl_host_in_name(end->trace, facts.rank, &host, &len))
		end->host = tl_arena_dup(texts, host, len);
	tl_trace_facts_release(&facts);
	tl_arena_release(&arena);
}

struct tl_part_table tl_rank_part_table(struct tl_collectives *c, struct tl_part_end *end)
{
	end->simple = tl_collectives_simple(c);
	return (struct tl_part_table){ TL_RANK_PART, tl_collectives_table(c) };
}

/* ---- reading ------------------------------------------------------------------------ */

static enum tl_cell_type type_of(const char *column)
{
	static const char *const texts[] = { "collective", "process_group", "process_group_ranks", "dtype", "in_split", "out_split",
		"kernel" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(column, texts[i]))
			return TL_CELL_TEXT;
	return TL_CELL_NULL;
}
static const struct tl_tsv_columns any_columns = { NULL, NULL, type_of };

/* The unit of time stands in the names of the columns of times: ts_ns. */
static bool is_shown(struct tl_rank_part *p, const struct tl_column *c, const char *name)
{
	size_t len = strlen(c->name);

	if (c->kind != TL_TICKS)
		return !strcmp(name, c->name);
	if (strncmp(name, c->name, len))
		return false;
	p->ticks_per_us = !strcmp(name + len, "_ps") ? 1000000 : 1000;
	return p->ticks_per_us == 1000000 || !strcmp(name + len, "_ns");
}

/* Makes raw rows of the sheet's: the columns get the names and the order of the raw ones. */
static enum tl_status make_raw(struct tl_rank_part *p, struct tl_table *sheet, struct tl_error *err)
{
	const struct tl_column *c = tl_collectives_sheet.columns;
	size_t n = 0;

	while (c[n].name && n < sheet->n_columns && is_shown(p, &c[n], sheet->columns[n].name))
		n++;
	if (c[n].name || n != sheet->n_columns)
		return tl_fail(err, TL_ERR_DATA, "the table " TL_RANK_PART " of the part has not the columns of that sheet");
	p->rows = tl_table_new(&p->strings, p->ticks_per_us, tl_coll_rows);
	for (size_t i = 0; i < n; i++) {
		size_t raw = 0;
		while (strcmp(tl_coll_rows[raw], tl_column_source(&c[i])))
			raw++;
		struct tl_table_column *from = &sheet->columns[i], *to = &p->rows->columns[raw];
		to->tags = from->tags;
		to->low = from->low;
		to->values = from->values;
		from->tags = NULL;
		from->low = NULL;
		from->values = NULL;
	}
	p->rows->n_rows = sheet->n_rows;
	p->rows->cap_rows = sheet->cap_rows;
	return TL_OK;
}

/* So that differences of times are no larger than an int64_t holds. */
static bool in_range(int64_t start, int64_t ticks)
{
	const int64_t most = INT64_C(1) << 62;

	return start > -most && start < most && ticks >= 0 && ticks < most && start + ticks < most;
}

static enum tl_status check_times(struct tl_rank_part *p, struct tl_error *err)
{
	for (size_t row = 0; row < p->rows->n_rows; row++) {
		struct tl_cell ts = tl_table_cell(p->rows, row, COLL_TS), dur = tl_table_cell(p->rows, row, COLL_DUR);
		struct tl_cell exposed = tl_table_cell(p->rows, row, COLL_EXPOSED);
		if (ts.type != TL_CELL_INT || dur.type != TL_CELL_INT || exposed.type != TL_CELL_INT)
			return tl_fail(err, TL_ERR_DATA, "a row of the part has no times");
		if (!in_range(ts.i, dur.i) || !in_range(ts.i, exposed.i))
			return tl_fail(err, TL_ERR_DATA, "a row of the part has times beyond 2^62");
		tl_table_set(p->rows, row, COLL_TS, tl_cell_time(ts.i, ts.i % p->ticks_per_us == 0));
		tl_table_set(p->rows, row, COLL_DUR, tl_cell_time(dur.i, dur.i % p->ticks_per_us == 0));
	}
	return TL_OK;
}

/* ---- numbers in groups ------------------------------------------------------------------ */

TL_ORDER_IN(by_group_and_start, size_t, struct tl_table, TL_ASC(tl_table_cell(ctx, *x, COLL_PROCESS_GROUP_NAME).text)
	TL_ASC(tl_table_cell(ctx, *x, COLL_TS).i))

static enum tl_status read_rows(struct tl_rank_part *p, struct tl_error *err)
{
	struct tl_table *sheet;
	enum tl_status st = tl_tsv_read_table(tl_part_file_table(p->file), &p->strings, &any_columns, &sheet, err);

	if (st)
		return st;
	st = p->rows ? tl_fail(err, TL_ERR_DATA, "the part has two tables " TL_RANK_PART) : make_raw(p, sheet, err);
	tl_table_free(sheet);
	return st ? st : check_times(p, err);
}

enum tl_status tl_rank_part_read(struct tl_rank_part *p, struct tl_input *in, struct tl_works *works, struct tl_parallels *parallels, size_t number,
                               struct tl_error *err)
{
	const char *name;
	enum tl_status st;

	*p = (struct tl_rank_part){ .file = tl_part_file_open(in) };
	while (!(st = tl_part_file_next(p->file, &name, err)) && name)
		if ((!strcmp(name, TL_RANK_PART) && (st = read_rows(p, err))) ||
		    (works && !strcmp(name, TL_RANK_WORK) && (st = tl_works_read(works, number, tl_part_file_table(p->file), err))) ||
		    (!works && p->rows && !strcmp(name, TL_COMM_EDGES) && (st = tl_comm_edges_read(&p->edges, p->rows->n_rows, tl_part_file_table(p->file), err))) ||
		    (parallels && !strcmp(name, TL_RANK_PARALLEL) && (st = tl_parallels_read(parallels, number, tl_part_file_table(p->file), err))))
			break;
	if (!st && !p->rows)
		st = tl_fail(err, TL_ERR_DATA, "the part lacks the table " TL_RANK_PART);
	if (st) {
		tl_rank_part_release(p);
		return st;
	}
	p->end = *tl_part_file_end(p->file);
	size_t n = p->rows->n_rows;
	uint32_t group = 0;
	int64_t next = 0;
	p->order = tl_alloc((n + 1) * sizeof *p->order);
	p->index = tl_alloc((n + 1) * sizeof *p->index);
	for (size_t i = 0; i < n; i++)
		p->order[i] = i;
	tl_merge_sort(p->order, n, sizeof *p->order, by_group_and_start, p->rows);
	for (size_t i = 0; i < n; i++) {
		uint32_t g = tl_table_cell(p->rows, p->order[i], COLL_PROCESS_GROUP_NAME).text;
		next = g == group ? next + 1 : 0;
		group = g;
		p->index[p->order[i]] = next;
	}
	return TL_OK;
}

void tl_rank_part_release(struct tl_rank_part *p)
{
	tl_table_free(p->rows);
	tl_part_file_free(p->file);
	tl_rank_edges_release(&p->edges);
	free(p->index);
	free(p->order);
	tl_strtab_release(&p->strings);
	*p = (struct tl_rank_part){ 0 };
}
