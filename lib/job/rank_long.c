/* rank_long.c - each collective of each rank: nccl_long, nccl_summary_long.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_sheets.h"
#include "table/tsv.h"

/* ---- nccl_long -------------------------------------------------------------------------------- */

static const uint8_t long_columns[] = { TL_COLL_GROUP, TL_COLL_RANKS, TL_COLL_NAME, TL_COLL_GROUP_SIZE, TL_COLL_DTYPE,
	TL_COLL_IN, TL_COLL_IN_MB, TL_COLL_OUT, TL_COLL_OUT_MB, TL_COLL_IN_SPLIT, TL_COLL_OUT_SPLIT, TL_COLL_STREAM };

void tl_long_open(struct tl_rank_sheet *s, const struct tl_ranks *r, struct tl_error *err)
{
	static const char *const names[] = { "collective_id", "index_in_group", "rank", NULL };

	tl_rank_sheet_open(s, r, "nccl_long", names, err);
	for (size_t k = 0; k < sizeof long_columns; k++)
		tl_rank_sheet_text(s, tl_coll_analysis.rows[long_columns[k]]);
	tl_rank_sheet_text(s, "ts");
	tl_rank_sheet_text(s, "dur");
	if (r->job->gpus_per_node) {
		tl_rank_sheet_text(s, "node_id");
		tl_rank_sheet_text(s, "node_span");
	}
	tl_rank_sheet_end_row(s);
}

void tl_long_add(struct tl_rank_sheet *s, const struct tl_rank_event *e, const struct tl_strtab *strings)
{
	const struct tl_ranks *r = s->ranks;

	tl_rank_sheet_collective_id(s, e, strings);
	tl_rank_sheet_int(s, e->index);
	tl_rank_sheet_int(s, e->rank);
	for (size_t k = 0; k < sizeof long_columns; k++)
		tl_rank_sheet_cell(s, e->cells[long_columns[k]], strings);
	tl_rank_sheet_time(s, e->ts, r->whole_ts);
	tl_rank_sheet_time(s, e->dur, r->whole_dur);
	if (r->job->gpus_per_node) {
		tl_rank_sheet_int(s, e->rank / r->job->gpus_per_node);
		tl_rank_sheet_text(s, tl_node_span(r, strings, e->cells[TL_COLL_RANKS]));
	}
	tl_rank_sheet_end_row(s);
}

/* ---- nccl_summary_long ---------------------------------------------------------------------------- */

/* coll_analysis of one rank; its rows are sorted with those of the others by dur_sum. */
enum tl_status tl_long_summarise(struct tl_ranks *r, const struct tl_rank_part *p, struct tl_error *err)
{
	struct tl_table *t = tl_sheet_make(&tl_coll_analysis, &(struct tl_sheet_input){ .rows = p->rows });
	size_t dur_sum = (size_t)tl_table_column(t, "dur_sum");
	struct tl_buf key = { 0 }, line = { 0 };
	enum tl_status st = TL_OK;

	tl_add_nodes(r, t);
	for (size_t row = 0; row < t->n_rows && !st; row++) {
		tl_buf_clear(&key);
		tl_buf_clear(&line);
		tl_key_add_int(&key, -tl_table_cell(t, row, dur_sum).i);
		for (size_t k = 0; k < t->n_columns; k++) {
			if (k)
				tl_buf_addc(&line, '\t');
			tl_tsv_add_cell(&line, tl_table_cell(t, row, k), t->strings, t->ticks_per_us);
		}
		tl_buf_addc(&line, '\n');
		st = tl_sorter_add(r->summary, key.data, key.len, line.data, line.len, err);
	}
	tl_buf_release(&key);
	tl_buf_release(&line);
	tl_table_free(t);
	return st;
}

enum tl_status tl_long_write_summary(struct tl_ranks *r, struct tl_error *err)
{
	static const char *const none[] = { NULL };
	struct tl_rank_sheet s;
	struct tl_sorted next;

	tl_rank_sheet_open(&s, r, "nccl_summary_long", none, err);
	for (const struct tl_column *c = tl_coll_analysis.columns; c->name; c++)
		tl_rank_sheet_text(&s, c->name);
	enum tl_status st = tl_sorter_next(r->summary, &next, err);
	if (!st && next.data && r->job->gpus_per_node) {
		tl_rank_sheet_text(&s, "node_id");
		tl_rank_sheet_text(&s, "node_span");
	}
	tl_rank_sheet_end_row(&s);
	while (!st && next.data) {
		tl_buf_add(&s.buf, next.data, next.len - 1);
		tl_rank_sheet_end_row(&s);
		st = tl_sorter_next(r->summary, &next, err);
	}
	enum tl_status closed = tl_rank_sheet_close(&s);
	return st ? st : closed;
}
