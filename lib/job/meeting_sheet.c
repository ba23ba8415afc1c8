/* meeting_sheet.c - a sheet with a row for each collective.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting_sheet.h"

#include <stdlib.h>

/* ---- taking meetings ------------------------------------------------------------------------ */

enum tl_status tl_meeting_sheet_add(const struct tl_meeting_sheet_def *def, struct tl_ranks *r, const struct tl_meeting *m,
                                    struct tl_error *err)
{
	struct tl_rank_meetings *to = &r->meetings[def->kind];
	struct tl_buf key = { 0 }, data = { 0 };

	to->n++;
	tl_rank_columns_note(r, def->kind, m);
	if (def->add_key)
		def->add_key(&key, m);
	tl_key_add_int(&key, m->events[0].rank);
	tl_key_add_int(&key, m->events[0].position);
	tl_meeting_pack(&data, m, def->cells_of_all);
	enum tl_status st = tl_sorter_add(to->sorter, key.data, key.len, data.data, data.len, err);
	tl_buf_release(&key);
	tl_buf_release(&data);
	return st;
}

/* ---- rows ------------------------------------------------------------------------------------- */

struct writing {
	struct tl_meeting_sheet sheet;
	const struct tl_meeting_sheet_def *def;
	const struct tl_rank_event **present; /* by part: its event of this row, or NULL */
};

static void name_columns(void *ctx, struct tl_rank_sheet *s, size_t part, bool second)
{
	const struct writing *w = ctx;

	tl_rank_columns_name(s, part, w->def->of_rank[second]);
}

static void open_rows(struct writing *w, struct tl_error *err)
{
	static const char *const id[] = { "collective_id", NULL };
	struct tl_rank_sheet *out = &w->sheet.out;
	struct tl_ranks *r = w->sheet.ranks;

	tl_rank_sheet_open(out, r, w->def->name, id, err);
	for (size_t k = 0; k < w->def->n_metadata; k++)
		tl_table_add_column(out->rows, tl_coll_analysis.rows[w->def->metadata[k]]);
	for (const char *const *name = w->def->columns; *name; name++)
		tl_table_add_column(out->rows, *name);
	w->sheet.columns = tl_rank_columns_make(r, w->def->kind);
	tl_rank_columns_each(&w->sheet.columns, out, name_columns, w);
}

static void put_columns(void *ctx, struct tl_rank_sheet *s, size_t part, bool second)
{
	struct writing *w = ctx;
	const struct tl_ranks *r = s->ranks;
	enum tl_rank_kind kind = w->def->kind;

	if (w->present[part])
		w->def->put_of_rank(&w->sheet, w->present[part], second, r->totals[part].seen[kind].joined == r->meetings[kind].n);
	else
		for (const char *const *name = w->def->of_rank[second]; *name; name++)
			tl_rank_sheet_put(s, tl_cell_null());
}

static void write_row(struct writing *w)
{
	const struct tl_meeting *m = &w->sheet.meeting;
	struct tl_rank_sheet *out = &w->sheet.out;
	const struct tl_ranks *r = w->sheet.ranks;
	const struct tl_rank_event *first = &m->events[0];

	tl_rank_sheet_put(out, tl_collective_id(r, first, &w->sheet.meeting.strings));
	for (size_t k = 0; k < w->def->n_metadata; k++)
		tl_rank_sheet_put(out, first->cells[w->def->metadata[k]]);
	w->def->put(&w->sheet);
	for (size_t i = 0; i < m->n; i++)
		w->present[tl_rank_number(r, m->events[i].rank)] = &m->events[i];
	tl_rank_columns_each(&w->sheet.columns, out, put_columns, w);
	for (size_t i = 0; i < m->n; i++)
		w->present[tl_rank_number(r, m->events[i].rank)] = NULL;
	tl_rank_sheet_end_row(out, &m->strings);
}

static enum tl_status write_rows(struct writing *w, struct tl_error *err)
{
	struct tl_meeting_sheet *s = &w->sheet;
	struct tl_sorted next;
	enum tl_status st;

	open_rows(w, err);
	while (!(st = tl_sorter_next(s->ranks->meetings[w->def->kind].sorter, &next, err)) && next.data) {
		tl_meeting_unpack(&s->meeting, next.data, next.len);
		s->times = tl_meeting_times(&s->meeting);
		write_row(w);
	}
	enum tl_status closed = tl_rank_sheet_close(&s->out);
	return st ? st : closed;
}

struct tl_cell tl_meeting_sheet_raw(struct tl_meeting_sheet *s, struct tl_cell c)
{
	return tl_cell_copy(c, &s->meeting.strings, &s->strings);
}

enum tl_status tl_meeting_sheet_write(const struct tl_meeting_sheet_def *def, struct tl_ranks *r, struct tl_error *err)
{
	struct writing w = { .sheet = { .ranks = r }, .def = def };

	if (def->optional && !r->meetings[def->kind].n)
		return TL_OK;
	w.present = tl_calloc(r->job->n + 1, sizeof *w.present);
	w.sheet.raw = tl_table_new(&w.sheet.strings, r->ticks_per_us, def->raw);
	enum tl_status st = write_rows(&w, err);
	if (!st)
		st = def->sum_up(&w.sheet, err);
	tl_table_free(w.sheet.raw);
	tl_strtab_release(&w.sheet.strings);
	tl_meeting_release(&w.sheet.meeting);
	free(w.sheet.columns.parts);
	free(w.present);
	return st;
}
