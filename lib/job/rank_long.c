/* rank_long.c - each collective of each rank: nccl_long, nccl_summary_long.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_sheets.h"

/* ---- nccl_long -------------------------------------------------------------------------------- */

static const uint8_t long_columns[] = { TL_COLL_GROUP, TL_COLL_RANKS, TL_COLL_NAME, TL_COLL_GROUP_SIZE, TL_COLL_DTYPE,
	TL_COLL_IN, TL_COLL_IN_MB, TL_COLL_OUT, TL_COLL_OUT_MB, TL_COLL_IN_SPLIT, TL_COLL_OUT_SPLIT, TL_COLL_STREAM };

void tl_long_open(struct tl_rank_sheet *s, const struct tl_ranks *r, struct tl_error *err)
{
	static const char *const names[] = { "collective_id", "index_in_group", "rank", NULL };

	tl_rank_sheet_open(s, r, "nccl_long", names, err);
	for (size_t k = 0; k < sizeof long_columns; k++)
		tl_table_add_column(s->rows, tl_coll_analysis.rows[long_columns[k]]);
	tl_table_add_column(s->rows, "ts");
	tl_table_add_column(s->rows, "dur");
}

void tl_long_add(struct tl_rank_sheet *s, const struct tl_rank_event *e, struct tl_strtab *strings)
{
	const struct tl_ranks *r = s->ranks;

	tl_rank_sheet_put(s, tl_collective_id(r, e, strings));
	tl_rank_sheet_put(s, tl_cell_int(e->index));
	tl_rank_sheet_put(s, tl_cell_int(e->rank));
	for (size_t k = 0; k < sizeof long_columns; k++)
		tl_rank_sheet_put(s, e->cells[long_columns[k]]);
	tl_rank_sheet_put(s, tl_cell_time(e->ts, r->whole_ts));
	tl_rank_sheet_put(s, tl_cell_time(e->dur, r->whole_dur));
	tl_rank_sheet_end_row(s, strings);
}

/* ---- nccl_summary_long ---------------------------------------------------------------------------- */

/* coll_analysis of one rank; its rows are sorted with those of the others by dur_sum. */
enum tl_status tl_long_summarise(struct tl_ranks *r, const struct tl_rank_part *p, struct tl_error *err)
{
	struct tl_table *t = tl_sheet_make(&tl_coll_analysis, &(struct tl_sheet_input){ .rows = p->rows });
	size_t dur_sum = (size_t)tl_table_column(t, "dur_sum");
	struct tl_buf key = { 0 }, data = { 0 };
	enum tl_status st = TL_OK;

	for (size_t row = 0; row < t->n_rows && !st; row++) {
		tl_buf_clear(&key);
		tl_buf_clear(&data);
		tl_key_add_int(&key, -tl_table_cell(t, row, dur_sum).i);
		for (size_t k = 0; k < t->n_columns; k++)
			tl_cell_pack(&data, tl_table_cell(t, row, k), t->strings);
		st = tl_sorter_add(r->summary, key.data, key.len, data.data, data.len, err);
	}
	tl_buf_release(&key);
	tl_buf_release(&data);
	tl_table_free(t);
	return st;
}

enum tl_status tl_long_write_summary(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_rank_sheet s;
	struct tl_sorted next;
	struct tl_strtab strings = { 0 };
	enum tl_status st;

	tl_rank_sheet_open(&s, r, "nccl_summary_long", NULL, err);
	for (const struct tl_column *c = tl_coll_analysis.columns; c->name; c++)
		tl_table_add_column(s.rows, c->name);
	while (!(st = tl_sorter_next(r->summary, &next, err)) && next.data) {
		struct tl_cell c;
		for (const char *p = next.data, *end = p + next.len; p < end; ) {
			p = tl_cell_unpack(&c, &strings, p);
			tl_rank_sheet_put(&s, c);
		}
		tl_rank_sheet_end_row(&s, &strings);
		tl_strtab_clear(&strings);
	}
	tl_strtab_release(&strings);
	enum tl_status closed = tl_rank_sheet_close(&s);
	return st ? st : closed;
}
