/* meeting_sheet.c - a sheet with a row for each collective.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting_sheet.h"

#include "base/merge_sort.h"
#include "base/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns of ranks ------------------------------------------------------------------------ */

size_t tl_rank_number(const struct tl_ranks *r, int64_t rank)
{
	size_t past;

	TL_SEARCH(past, r->job->n, mid, r->job->ranks[mid] <= rank);
	return past ? past - 1 : 0;
}

/* Notes which ranks are in a meeting. */
static void note_columns(struct tl_ranks *r, enum tl_rank_kind kind, const struct tl_meeting *m)
{
	const struct tl_rank_event *first = &m->events[0];

	for (size_t i = 0; i < m->n; i++) {
		struct tl_rank_seen *s = &r->totals[tl_rank_number(r, m->events[i].rank)].seen[kind];
		if (!s->joined++ || first->rank < s->rank || (first->rank == s->rank && first->position < s->position)) {
			s->rank = first->rank;
			s->position = first->position;
		}
	}
}

TL_ORDER_IN(by_first_row, size_t, struct tl_rank_columns, TL_ASC(ctx->ranks->totals[*x].seen[ctx->kind].rank)
	TL_ASC(ctx->ranks->totals[*x].seen[ctx->kind].position) TL_ASC(*x))

static struct tl_rank_columns order_columns(struct tl_ranks *r, enum tl_rank_kind kind)
{
	struct tl_rank_columns c = { r, kind, tl_alloc((r->job->n + 1) * sizeof *c.parts), 0 };

	for (size_t i = 0; i < r->job->n; i++)
		if (r->totals[i].seen[kind].joined)
			c.parts[c.n++] = i;
	tl_merge_sort(c.parts, c.n, sizeof *c.parts, by_first_row, &c);
	for (size_t i = 0; i < c.n; i++)
		r->totals[c.parts[i]].seen[kind].column = i;
	return c;
}

typedef void columns_fn(void *ctx, struct tl_rank_sheet *, size_t part, bool second);
static void each_set(const struct tl_rank_columns *c, struct tl_rank_sheet *s, columns_fn *fn, void *ctx)
{
	for (size_t from = 0, to; from < c->n; from = to) {
		const struct tl_rank_seen *first = &c->ranks->totals[c->parts[from]].seen[c->kind];
		for (to = from; to < c->n; to++) {
			const struct tl_rank_seen *seen = &c->ranks->totals[c->parts[to]].seen[c->kind];
			if (seen->rank != first->rank || seen->position != first->position)
				break;
			fn(ctx, s, c->parts[to], false);
		}
		for (size_t i = from; i < to; i++)
			fn(ctx, s, c->parts[i], true);
	}
}

/* ---- taking meetings ------------------------------------------------------------------------ */

enum tl_status tl_meeting_sheet_add(const struct tl_meeting_sheet_def *def, struct tl_ranks *r, const struct tl_meeting *m,
                                    struct tl_error *err)
{
	struct tl_rank_meetings *to = &r->meetings[def->kind];
	struct tl_buf key = { 0 }, data = { 0 };

	to->n++;
	note_columns(r, def->kind, m);
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
	struct tl_cell *cells;                /* before those of ranks */
	const struct tl_rank_event **present; /* by part: its event of this row, or NULL */
};

static void name_columns(void *ctx, struct tl_rank_sheet *s, size_t part, bool second)
{
	const struct writing *w = ctx;
	struct tl_buf b = { 0 };

	for (size_t k = w->def->of_rank[second]; k < w->def->of_rank[second + 1]; k++) {
		tl_buf_clear(&b);
		tl_buf_addf(&b, "rank_%" PRId64 "%s", s->ranks->job->ranks[part], w->def->sheet->rows[k] + strlen("rank_N"));
		tl_table_add_column(s->rows, b.data);
	}
	tl_buf_release(&b);
}

static void open_rows(struct writing *w, struct tl_error *err)
{
	struct tl_rank_sheet *out = &w->sheet.out;
	struct tl_ranks *r = w->sheet.ranks;

	tl_rank_sheet_open(out, r, w->def->sheet, err);
	w->sheet.columns = order_columns(r, w->def->kind);
	each_set(&w->sheet.columns, out, name_columns, w);
}

static void put_columns(void *ctx, struct tl_rank_sheet *s, size_t part, bool second)
{
	struct writing *w = ctx;
	const struct tl_ranks *r = s->ranks;
	enum tl_rank_kind kind = w->def->kind;

	if (w->present[part])
		w->def->put_of_rank(&w->sheet, w->present[part], second, r->totals[part].seen[kind].joined == r->meetings[kind].n);
	else
		for (size_t k = w->def->of_rank[second]; k < w->def->of_rank[second + 1]; k++)
			tl_rank_sheet_put(s, tl_cell_null());
}

static void write_row(struct writing *w)
{
	const struct tl_meeting *m = &w->sheet.meeting;
	struct tl_rank_sheet *out = &w->sheet.out;
	const struct tl_ranks *r = w->sheet.ranks;

	memset(w->cells, 0, w->def->of_rank[0] * sizeof *w->cells);
	w->def->put(&w->sheet, w->cells);
	for (size_t k = 0; k < w->def->of_rank[0]; k++)
		tl_rank_sheet_put(out, w->cells[k]);
	for (size_t i = 0; i < m->n; i++)
		w->present[tl_rank_number(r, m->events[i].rank)] = &m->events[i];
	each_set(&w->sheet.columns, out, put_columns, w);
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
	w.cells = tl_alloc(def->of_rank[0] * sizeof *w.cells);
	w.present = tl_calloc(r->job->n + 1, sizeof *w.present);
	w.sheet.raw = tl_table_new(&w.sheet.strings, r->facts.ticks_per_us, def->raw);
	enum tl_status st = write_rows(&w, err);
	if (!st)
		st = def->sum_up(&w.sheet, err);
	tl_table_free(w.sheet.raw);
	tl_strtab_release(&w.sheet.strings);
	tl_meeting_release(&w.sheet.meeting);
	free(w.sheet.columns.parts);
	free(w.present);
	free(w.cells);
	return st;
}

/* ---- the sheet that sums it up ------------------------------------------------------------------- */

struct tl_table *tl_meeting_sheet_sum(const struct tl_meeting_sheet *s, const struct tl_sheet_def *usual, unsigned conditions)
{
	const struct tl_ranks_job *job = s->ranks->job;
	struct tl_column *columns = NULL;
	struct tl_sheet_def def = *usual;
	struct tl_arena names = { 0 };
	size_t n = 0, cap = 0;

	for (const struct tl_column *c = usual->columns; ; c++) {
		bool four = c->name && c[1].name && c[0].kind == TL_MEAN && c[1].kind == TL_MEDIAN;
		TL_GROW(columns, cap, n + job->n_metrics + 1);
		for (size_t i = 0; four && i < job->n_metrics; i++) {
			char *name = tl_strdupf("%s_%s", c->in, job->metrics[i].name);
			columns[n] = *c;
			columns[n].name = tl_arena_dup(&names, name, strlen(name));
			columns[n++].kind = job->metrics[i].kind;
			free(name);
		}
		if (!four)
			columns[n++] = *c;
		if (!c->name)
			break;
		c += four ? 3 : 0;
	}
	def.columns = columns;
	struct tl_table *t = tl_sheet_make(&def, &(struct tl_sheet_input){ .rows = s->raw, .conditions = conditions });
	free(columns);
	tl_arena_release(&names);
	return t;
}
