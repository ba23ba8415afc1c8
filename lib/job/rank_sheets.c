/* rank_sheets.c - sheets that are written row by row, nodes, collectives.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_sheets.h"
#include "job/group_names.h"
#include "table/tsv.h"

#include "work/spans.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS_AT_A_TIME = 32768 };

/* ---- rows ------------------------------------------------------------------------------ */

static void add_nodes(const struct tl_ranks *r, struct tl_table *t);

/* Writes the rows that are there, and begins new ones with the same columns. */
static void flush(struct tl_rank_sheet *s)
{
	struct tl_table *rows = s->rows;
	size_t n = rows->n_columns;

	add_nodes(s->ranks, rows);
	if (!s->status)
		s->status = tl_tsv_write_more(rows, !s->begun, s->out, s->err);
	s->begun = true;
	s->rows = tl_table_new(&s->strings, rows->ticks_per_us, NULL);
	for (size_t i = 0; i < n; i++)
		tl_table_add_column(s->rows, rows->columns[i].name);
	tl_table_free(rows);
	tl_strtab_clear(&s->strings);
}

void tl_rank_sheet_open(struct tl_rank_sheet *s, const struct tl_ranks *r, const struct tl_sheet_def *def, struct tl_error *err)
{
	*s = (struct tl_rank_sheet){ .ranks = r, .out = r->job->create(r->job->ctx, def->name), .err = err };
	s->rows = tl_table_new(&s->strings, r->facts.ticks_per_us, NULL);
	for (const char *const *name = def->rows; *name && !tl_starts_with(*name, "rank_N_"); name++)
		tl_table_add_column(s->rows, *name);
}

void tl_rank_sheet_put(struct tl_rank_sheet *s, struct tl_cell c)
{
	TL_PUSH(s->cells, s->n, s->cap, c);
}

void tl_rank_sheet_end_row(struct tl_rank_sheet *s, const struct tl_strtab *strings)
{
	for (size_t i = 0; i < s->n; i++)
		s->cells[i] = tl_cell_copy(s->cells[i], strings, &s->strings);
	tl_table_add_row(s->rows, s->cells);
	s->n = 0;
	if (s->rows->n_rows * s->rows->n_columns >= CELLS_AT_A_TIME)
		flush(s);
}

void tl_rank_sheet_row(struct tl_rank_sheet *s, const struct tl_strtab *strings, size_t n, const struct tl_cell *cells)
{
	for (size_t i = 0; i < n; i++)
		tl_rank_sheet_put(s, cells[i]);
	tl_rank_sheet_end_row(s, strings);
}

enum tl_status tl_rank_sheet_close(struct tl_rank_sheet *s)
{
	if (s->rows->n_rows || !s->begun)
		flush(s);
	s->ranks->job->finish(s->ranks->job->ctx, s->out);
	tl_table_free(s->rows);
	tl_strtab_release(&s->strings);
	free(s->cells);
	return s->status;
}

enum tl_status tl_rank_sheet_of_table(const struct tl_ranks *r, const char *name, struct tl_table *t, struct tl_error *err)
{
	add_nodes(r, t);
	struct tl_output *out = r->job->create(r->job->ctx, name);
	enum tl_status st = tl_tsv_write(t, out, err);
	r->job->finish(r->job->ctx, out);
	tl_table_free(t);
	return st;
}

enum tl_status tl_rank_sheet_sorted(const struct tl_ranks *r, const struct tl_sheet_def *def, const struct tl_table *rows, struct tl_error *err)
{
	struct tl_table *t = tl_sheet_make(def, &(struct tl_sheet_input){ .rows = rows });

	if (r->job->see)
		r->job->see(r->job->ctx, def->name, t);
	return tl_rank_sheet_of_table(r, def->name, t, err);
}

/* ---- nodes ------------------------------------------------------------------------------ */

const char *tl_node_span(const struct tl_ranks *r, const struct tl_strtab *strings, struct tl_cell ranks)
{
	const char *s = ranks.type == TL_CELL_TEXT ? tl_str(strings, ranks.text) : "";
	int64_t node = -1, rank;

	while (tl_next_rank(&s, &rank)) {
		int64_t n = rank / r->job->gpus_per_node;
		if (node >= 0 && n != node)
			return "inter_node";
		node = n;
	}
	return node < 0 ? "unknown" : "intra_node";
}

static void add_nodes(const struct tl_ranks *r, struct tl_table *t)
{
	int rank = tl_table_column(t, "rank"), ranks = tl_table_column(t, "Process Group Ranks");

	if (!r->job->gpus_per_node || !t->n_rows)
		return;
	size_t id = rank < 0 ? 0 : tl_table_add_column(t, "node_id");
	size_t span = ranks < 0 ? 0 : tl_table_add_column(t, "node_span");
	struct tl_cell last = tl_cell_null(), name = last;
	for (size_t i = 0; i < t->n_rows; i++) {
		if (rank >= 0)
			tl_table_set(t, i, id, tl_cell_int(tl_table_cell(t, i, (size_t)rank).i / r->job->gpus_per_node));
		if (ranks < 0)
			continue;
		struct tl_cell list = tl_table_cell(t, i, (size_t)ranks);
		if (!i || list.text != last.text)
			name = tl_cell_str(t->strings, tl_node_span(r, t->strings, list));
		tl_table_set(t, i, span, name);
		last = list;
	}
}

/* ---- clocks ------------------------------------------------------------------------------ */

int64_t tl_by_one_clock(const struct tl_ranks *r, size_t part, int64_t ts)
{
	const int64_t most = INT64_C(1) << 61; /* no real clock shows it: so differences have room */
	int64_t t = tl_ticks_sub(ts, r->facts.aligned[part].clock.offset);

	return t > most ? most : t < -most ? -most : t;
}

/* ---- collectives -------------------------------------------------------------------------- */

enum tl_meeting_type tl_type_of_collective(const struct tl_ranks *r, const struct tl_strtab *strings, uint32_t name)
{
	static const char *const names[] = { "", "allreduce", "reducescatter", "allgather", "alltoall", "alltoallv" };
	const char *type = tl_name_rules_find(r->types, tl_str(strings, name), tl_str_len(strings, name));

	for (unsigned i = TL_ALLREDUCE; i <= TL_ALLTOALLV; i++)
		if (!strcmp(type, names[i]))
			return i;
	return TL_MEETING_OTHER;
}

enum tl_meeting_type tl_meeting_type(const struct tl_ranks *r, const struct tl_meeting *m)
{
	struct tl_cell name = m->events[0].cells[COLL_COLLECTIVE_NAME];

	return name.type == TL_CELL_TEXT ? tl_type_of_collective(r, &m->strings, name.text) : TL_MEETING_OTHER;
}

/* The bytes that a rank has to send, in terms of the message, for n ranks. */
static double bus_factor(enum tl_meeting_type type, double n)
{
	return (type == TL_ALLREDUCE ? 2 : 1) * (n - 1) / n;
}

struct tl_bandwidth tl_meeting_bandwidth(const struct tl_ranks *r, const struct tl_meeting *m, int64_t ticks)
{
	const struct tl_cell *c = m->events[0].cells;
	enum tl_meeting_type type = tl_meeting_type(r, m);
	struct tl_bandwidth b = { tl_cell_null(), tl_cell_null(), tl_cell_null() };

	if (type == TL_MEETING_OTHER || type == TL_ALLTOALLV || tl_cell_is_null(c[COLL_IN_MSG_SIZE_MB]) ||
	    tl_cell_is_null(c[COLL_OUT_MSG_SIZE_MB]))
		return b;
	b.full = c[type == TL_ALLGATHER ? COLL_OUT_MSG_SIZE_MB : COLL_IN_MSG_SIZE_MB];
	if (ticks <= 0)
		return b;
	b.algo = tl_cell_real(tl_cell_number(b.full, 1) / 1024 / (tl_divide(ticks, r->facts.ticks_per_us) / 1e6));
	if (!tl_cell_is_null(c[COLL_GROUP_SIZE]))
		b.bus = tl_cell_real(b.algo.d * bus_factor(type, tl_cell_number(c[COLL_GROUP_SIZE], 1)));
	return b;
}

void tl_add_collective_id(struct tl_buf *b, const struct tl_ranks *r, const struct tl_rank_event *e,
                          const struct tl_strtab *strings)
{
	char text[24];

	if (!r->facts.simple) {
		tl_buf_add(b, tl_str(strings, e->cells[COLL_PROCESS_GROUP_NAME].text), tl_str_len(strings, e->cells[COLL_PROCESS_GROUP_NAME].text));
		tl_buf_addc(b, '_');
	}
	tl_buf_add(b, text, tl_format_int(text, e->index));
}

struct tl_cell tl_collective_id(const struct tl_ranks *r, const struct tl_rank_event *e, struct tl_strtab *strings)
{
	struct tl_buf id = { 0 };

	tl_add_collective_id(&id, r, e, strings);
	struct tl_cell c = tl_cell_text(tl_intern(strings, id.data, id.len));
	tl_buf_release(&id);
	return c;
}
