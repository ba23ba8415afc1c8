/* ranks.c - merges the parts of all ranks: nccl_long, nccl_summary_long, and what the other sheets are made of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/group_names.h"
#include "job/meeting_sheet.h"

#include "base/merge_sort.h"
#include "sheet/ranks.h"
#include "table/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- nccl_long -------------------------------------------------------------------------------- */

static void add_long(struct tl_rank_sheet *s, const struct tl_rank_event *e, struct tl_strtab *strings)
{
	const struct tl_ranks *r = s->ranks;
	const struct tl_cell *c = e->cells;

	tl_rank_sheet_row(s, strings, N_EACH, (const struct tl_cell[N_EACH]){
		[EACH_COLLECTIVE_ID] = tl_collective_id(r, e, strings),
		[EACH_INDEX_IN_GROUP] = tl_cell_int(e->index),
		[EACH_RANK] = tl_cell_int(e->rank),
		[EACH_PROCESS_GROUP_NAME] = c[COLL_PROCESS_GROUP_NAME],
		[EACH_PROCESS_GROUP_RANKS] = c[COLL_PROCESS_GROUP_RANKS],
		[EACH_COLLECTIVE_NAME] = c[COLL_COLLECTIVE_NAME],
		[EACH_GROUP_SIZE] = c[COLL_GROUP_SIZE],
		[EACH_DTYPE] = c[COLL_DTYPE],
		[EACH_IN_MSG_NELEMS] = c[COLL_IN_MSG_NELEMS],
		[EACH_IN_MSG_SIZE_MB] = c[COLL_IN_MSG_SIZE_MB],
		[EACH_OUT_MSG_NELEMS] = c[COLL_OUT_MSG_NELEMS],
		[EACH_OUT_MSG_SIZE_MB] = c[COLL_OUT_MSG_SIZE_MB],
		[EACH_IN_SPLIT_SIZE] = c[COLL_IN_SPLIT_SIZE],
		[EACH_OUT_SPLIT_SIZE] = c[COLL_OUT_SPLIT_SIZE],
		[EACH_STREAM] = c[COLL_STREAM],
		[EACH_TS] = tl_cell_time(e->ts, r->facts.whole_ts),
		[EACH_DUR] = tl_cell_time(e->dur, r->facts.whole_dur),
	});
}

/* ---- nccl_summary_long ---------------------------------------------------------------------------- */

/* coll_analysis of one rank, of rows that tell all keys: a part does not say which of the others are complete. Its rows are sorted
 * with those of the others by dur_sum. */
static enum tl_status summarise(struct tl_ranks *r, const struct tl_rank_part *p, struct tl_error *err)
{
	struct tl_sheet_def def = tl_coll_analysis_sheet;

	def.drop_null_keys = true;
	struct tl_table *t = tl_sheet_make(&def, &(struct tl_sheet_input){ .rows = p->rows });
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

static enum tl_status write_summary(struct tl_ranks *r, struct tl_error *err)
{
	struct tl_rank_sheet s;
	struct tl_sorted next;
	struct tl_strtab strings = { 0 };
	enum tl_status st;

	const char *const none[] = { NULL };
	tl_rank_sheet_open(&s, r, &(struct tl_sheet_def){ .name = "nccl_summary_long", .rows = none }, err);
	for (const struct tl_column *c = tl_coll_analysis_sheet.columns; c->name; c++)
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

bool tl_rank_metric_named(const char *name, struct tl_rank_metric *m)
{
	static const struct tl_rank_metric known[] = {
		{ "mean", TL_MEAN }, { "median", TL_MEDIAN }, { "std", TL_STD }, { "var", TL_VAR }, { "min", TL_MIN }, { "max", TL_MAX },
		{ "sum", TL_SUM }, { "count", TL_COUNT }, { "first", TL_FIRST },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name)) {
			*m = known[i];
			return true;
		}
	return false;
}

/* ---- reading parts ------------------------------------------------------------------------ */

typedef enum tl_status part_fn(struct tl_ranks *, size_t i, struct tl_rank_part *, void *ctx, struct tl_error *);

/* tables: also those about works and parallels, which are read once. */
static enum tl_status each_part(struct tl_ranks *r, part_fn *fn, void *ctx, bool tables, size_t *failed, struct tl_error *err)
{
	const struct tl_ranks_job *job = r->job;
	enum tl_status st = TL_OK;

	for (size_t i = 0; i < job->n && !st; i++) {
		struct tl_input *in = job->open(job->ctx, i);
		struct tl_rank_part p;
		st = tl_rank_part_read(&p, in, tables ? r->works : NULL, tables ? r->parallels : NULL, i, err);
		if (st)
			*failed = i;
		job->close(job->ctx, in);
		if (st)
			return st;
		st = fn(r, i, &p, ctx, err);
		tl_rank_part_release(&p);
	}
	return st;
}

static uint32_t kind_of(const struct tl_rank_part *p, size_t row)
{
	static const uint8_t columns[] = { COLL_COLLECTIVE_NAME, COLL_DTYPE, COLL_IN_MSG_NELEMS, COLL_OUT_MSG_NELEMS };
	struct tl_buf b = { 0 };

	for (size_t k = 0; k < sizeof columns; k++)
		tl_cell_pack(&b, tl_table_cell(p->rows, row, columns[k]), &p->strings);
	uint32_t kind = (uint32_t)tl_hash(b.data, b.len);
	tl_buf_release(&b);
	return kind;
}

/* Is it a transfer between two ranks, which has its own sheets? Where all of a trace is of one group without a name, it counts as TraceLens
 * has it. */
static bool is_transfer(const struct tl_ranks *r, const struct tl_rank_part *p, size_t row)
{
	struct tl_cell name = tl_table_cell(p->rows, row, COLL_COLLECTIVE_NAME);

	return r->job->waits && !p->end.simple && name.type == TL_CELL_TEXT &&
		tl_is_transfer(tl_name_rules_find(r->types, tl_str(&p->strings, name.text), tl_str_len(&p->strings, name.text)));
}

/* Collectives get numbers among themselves, so that transfers, which only some ranks of the group have, do not part them. */
static void number_collectives(const struct tl_ranks *r, struct tl_rank_part *p)
{
	uint32_t group = TL_NONE;
	int64_t next[2] = { 0, 0 };

	for (size_t i = 0; i < p->rows->n_rows; i++) {
		uint32_t g = tl_table_cell(p->rows, p->order[i], COLL_PROCESS_GROUP_NAME).text;
		if (g != group)
			next[0] = next[1] = 0;
		group = g;
		p->index[p->order[i]] = next[is_transfer(r, p, p->order[i])]++;
	}
}

/* A send or receive, and the pair of ranks in its group. */
struct transfer { uint32_t group; int64_t peer; bool receives; size_t row; };

TL_ORDER_IN(by_pair, struct transfer, struct tl_table, TL_ASC(x->group) TL_ASC(x->peer) TL_ASC(x->receives) TL_ASC(tl_table_cell(ctx, x->row, COLL_TS).i))

/* Gives the transfers of each pair of ranks to what finds out about clocks. */
static void add_transfers_to_align(struct tl_ranks *r, size_t i, const struct tl_rank_part *p)
{
	struct transfer *t = tl_alloc((p->rows->n_rows + 1) * sizeof *t);
	struct tl_align_event *events = tl_alloc((p->rows->n_rows + 1) * sizeof *events);
	size_t n = 0, all = 0;

	for (size_t row = 0; row < p->rows->n_rows; row++) {
		struct tl_cell peer = tl_table_cell(p->rows, row, COLL_PEER);
		uint32_t name = tl_table_cell(p->rows, row, COLL_COLLECTIVE_NAME).text;
		if (!is_transfer(r, p, row) || peer.type != TL_CELL_INT)
			continue;
		const char *type = tl_name_rules_find(r->types, tl_str(&p->strings, name), tl_str_len(&p->strings, name));
		if (strcmp(type, "transfer"))
			t[n++] = (struct transfer){ tl_table_cell(p->rows, row, COLL_PROCESS_GROUP_NAME).text, peer.i, !strcmp(type, "recv"), row };
	}
	tl_merge_sort(t, n, sizeof *t, by_pair, p->rows);
	for (size_t from = 0, to; from < n; from = to) {
		struct tl_buf pair = { 0 };
		int64_t rank = r->job->ranks[i];
		for (all = 0, to = from; to < n && t[to].group == t[from].group && t[to].peer == t[from].peer && t[to].receives == t[from].receives; to++)
			events[all++] = (struct tl_align_event){ .sequence = -1, .together = true, .kind = 0,
				.end = tl_table_cell(p->rows, t[to].row, COLL_TS).i + tl_table_cell(p->rows, t[to].row, COLL_DUR).i };
		tl_buf_addf(&pair, "%s\t%" PRId64 "\t%" PRId64, tl_str(&p->strings, t[from].group), t[from].receives ? t[from].peer : rank,
			t[from].receives ? rank : t[from].peer);
		tl_align_add_transfers(r->align, pair.data, pair.len, i, events, all);
		tl_buf_release(&pair);
	}
	free(events);
	free(t);
}

/* Gives the collectives of each group to what finds out which of them are those of other ranks. */
static void add_to_align(struct tl_ranks *r, size_t i, const struct tl_rank_part *p)
{
	struct tl_align_event *events = tl_alloc((p->rows->n_rows + 1) * sizeof *events);

	for (size_t from = 0, to; from < p->rows->n_rows; from = to) {
		size_t n = 0;
		uint32_t group = tl_table_cell(p->rows, p->order[from], COLL_PROCESS_GROUP_NAME).text;
		for (to = from; to < p->rows->n_rows && tl_table_cell(p->rows, p->order[to], COLL_PROCESS_GROUP_NAME).text == group; to++)
			if (!is_transfer(r, p, p->order[to])) {
				size_t row = p->order[to];
				struct tl_cell name = tl_table_cell(p->rows, row, COLL_COLLECTIVE_NAME), sequence = tl_table_cell(p->rows, row, COLL_SEQ);
				enum tl_meeting_type type = name.type == TL_CELL_TEXT ? tl_type_of_collective(r, &p->strings, name.text) : TL_MEETING_OTHER;
				events[n++] = (struct tl_align_event){ .kind = kind_of(p, row),
					.end = tl_table_cell(p->rows, row, COLL_TS).i + tl_table_cell(p->rows, row, COLL_DUR).i,
					.sequence = sequence.type == TL_CELL_INT ? sequence.i : -1,
					.together = (type != TL_MEETING_OTHER && type != TL_ALLTOALLV) || p->end.simple };
			}
		if (n)
			tl_align_add(r->align, tl_str(&p->strings, group), tl_str_len(&p->strings, group), i, events, n);
	}
	free(events);
}

/* What must be known of all parts before a row can be written. */
static enum tl_status survey(struct tl_ranks *r, size_t i, struct tl_rank_part *p, void *ctx, struct tl_error *err)
{
	static const uint8_t numbers[] = { COLL_GROUP_SIZE, COLL_IN_MSG_NELEMS, COLL_OUT_MSG_NELEMS, COLL_STREAM };
	struct tl_rank_totals *total = &r->totals[i];

	(void)ctx;
	if (i && p->ticks_per_us != r->facts.ticks_per_us)
		return tl_fail(err, TL_ERR_DATA, "the part of rank %" PRId64 " counts time in other units than that of rank %" PRId64,
		               r->job->ranks[i], r->job->ranks[0]);
	r->facts.ticks_per_us = p->ticks_per_us;
	r->facts.simple = r->facts.simple && p->end.simple;
	r->report->events += p->rows->n_rows;
	total->rank = r->job->ranks[i];
	total->host = p->end.host[0] ? tl_intern_str(&r->group_strings, p->end.host) : 0;
	if (r->names)
		tl_group_names_set(r->names, p);
	if (r->align) {
		add_to_align(r, i, p);
		add_transfers_to_align(r, i, p);
	}
	tl_loss_see(r, i, p);
	for (size_t row = 0; row < p->rows->n_rows; row++) {
		struct tl_cell ts = tl_table_cell(p->rows, row, COLL_TS), dur = tl_table_cell(p->rows, row, COLL_DUR);
		r->facts.whole_ts = r->facts.whole_ts && ts.whole;
		r->facts.whole_dur = r->facts.whole_dur && dur.whole;
		total->dur = tl_ticks_add(total->dur, dur.i);
		total->begin = !total->events || ts.i < total->begin ? ts.i : total->begin;
		total->end = !total->events || ts.i + dur.i > total->end ? ts.i + dur.i : total->end;
		total->events++;
		r->facts.some_group_size |= tl_table_cell(p->rows, row, COLL_GROUP_SIZE).type != TL_CELL_NULL;
		for (size_t k = 0; k < sizeof numbers; k++)
			if (tl_table_cell(p->rows, row, numbers[k]).type != TL_CELL_INT)
				r->facts.reals[numbers[k]] = true;
	}
	return TL_OK;
}

/* The numbers of collectives and their times, as far as they are not those of the trace. */
static void align(const struct tl_ranks *r, size_t i, struct tl_rank_part *p)
{
	number_collectives(r, p);
	for (size_t row = 0; row < p->rows->n_rows; row++) {
		uint32_t group = tl_table_cell(p->rows, row, COLL_PROCESS_GROUP_NAME).text;
		struct tl_cell sequence = tl_table_cell(p->rows, row, COLL_SEQ), ts = tl_table_cell(p->rows, row, COLL_TS);
		if (!is_transfer(r, p, row))
			p->index[row] = tl_align_number(r->align, tl_str(&p->strings, group), tl_str_len(&p->strings, group), i, p->index[row], sequence.i);
		tl_table_set(p->rows, row, COLL_TS, tl_cell_time(tl_by_one_clock(r, i, ts.i), ts.whole));
	}
}

/* Gives the rows of a part their rank, the names of their groups and the types of their numbers. */
static void dress(const struct tl_ranks *r, size_t i, struct tl_rank_part *p)
{
	uint32_t unknown = tl_intern_str(&p->strings, "Unknown_Group");

	for (size_t row = 0; row < p->rows->n_rows; row++) {
		tl_table_set(p->rows, row, COLL_RANK, tl_cell_int(r->job->ranks[i]));
		tl_table_set(p->rows, row, COLL_DUR, tl_cell_time(tl_table_cell(p->rows, row, COLL_DUR).i, r->facts.whole_dur));
		if (p->end.simple && !r->facts.simple)
			tl_table_set(p->rows, row, COLL_PROCESS_GROUP_NAME, tl_cell_text(unknown));
		for (size_t k = 0; k < TL_MEETING_CELLS; k++) {
			struct tl_cell c = tl_table_cell(p->rows, row, k);
			if (r->facts.reals[k] && c.type == TL_CELL_INT)
				tl_table_set(p->rows, row, k, tl_cell_real((double)c.i));
		}
	}
}

static struct tl_rank_event event_of(const struct tl_rank_part *p, size_t row, int64_t rank, const struct tl_seat_work *work)
{
	struct tl_rank_event e = { .rank = rank, .position = (int64_t)row, .index = p->index[row],
		.ts = tl_table_cell(p->rows, row, COLL_TS).i, .dur = tl_table_cell(p->rows, row, COLL_DUR).i,
		.exposed = tl_table_cell(p->rows, row, COLL_EXPOSED).i, .work = *work };

	for (size_t k = 0; k < TL_MEETING_CELLS; k++)
		e.cells[k] = tl_table_cell(p->rows, row, k);
	return e;
}

/* ---- which collectives are one, by which clock ----------------------------------------------------- */

static void align_ranks(struct tl_ranks *r)
{
	struct tl_ranks_report *report = r->report;
	const int64_t *ranks = r->job->ranks;

	tl_align_find(r->align, r->job->reference_clocks, r->facts.ticks_per_us, r->facts.aligned);
	for (size_t i = 0; i < r->job->n; i++) {
		const struct tl_aligned *a = &r->facts.aligned[i];
		double us = tl_divide(a->clock.offset, r->facts.ticks_per_us);
		if (!r->job->reference_clocks && a->clock.offset % r->facts.ticks_per_us)
			r->facts.whole_ts = false;
		if (a->lost && !report->lost++)
			report->first_lost = (uint64_t)ranks[i];
		if (a->shift && !report->shifted++) {
			report->shifted_rank = ranks[i];
			report->shift = a->shift;
			report->shifted_all = a->shifted == a->groups;
		}
		if (fabs(us) <= fabs(report->clock_us))
			continue;
		report->clock_us = us;
		report->clock_rank = ranks[i];
		report->clock_reference = ranks[a->clock.reference];
	}
}

/* ---- when each rank has it ------------------------------------------------------------------------ */

static void note_elsewhere(struct tl_ranks *r)
{
	int64_t *begins = tl_alloc((r->job->n + 1) * sizeof *begins), *ends = tl_alloc((r->job->n + 1) * sizeof *ends);
	size_t n = 0;

	for (size_t i = 0; i < r->job->n; i++)
		if (r->totals[i].events) {
			begins[n] = r->totals[i].begin;
			ends[n++] = r->totals[i].end;
		}
	int64_t begin = tl_median_int(begins, n, false), end = tl_median_int(ends, n, false); /* of most ranks */
	free(begins);
	free(ends);
	for (size_t i = 0; i < r->job->n; i++) {
		const struct tl_rank_totals *t = &r->totals[i];
		if (r->facts.aligned[i].sure)
			continue; /* that is its clock */
		int64_t gap = t->begin > end ? t->begin - end : t->end < begin ? t->end - begin : 0;
		double us = tl_divide(gap, r->facts.ticks_per_us);
		if (!t->events || !gap)
			continue;
		r->report->elsewhere++;
		if (fabs(us) <= fabs(r->report->elsewhere_us))
			continue;
		r->report->elsewhere_us = us;
		r->report->elsewhere_rank = t->rank;
	}
}

/* ---- what each rank has ---------------------------------------------------------------------------- */

struct spreading { struct tl_rank_sheet rows; struct tl_heatmap heatmap; };

/* Sends the rows of a part to where they are wanted. */
static enum tl_status spread(struct tl_ranks *r, size_t i, struct tl_rank_part *p, void *ctx, struct tl_error *err)
{
	struct spreading *s = ctx;
	struct tl_buf key = { 0 }, data = { 0 };
	struct tl_seat_work *works = tl_calloc(p->rows->n_rows + 1, sizeof *works);
	enum tl_status st = tl_loss_take(r, i, p, works, err);

	if (r->names)
		tl_group_names_set(r->names, p);
	if (!r->job->reference_clocks)
		align(r, i, p);
	dress(r, i, p);
	for (size_t row = 0; row < p->rows->n_rows && !st; row++) {
		struct tl_rank_event e = event_of(p, row, r->job->ranks[i], &works[row]);
		uint32_t group = e.cells[COLL_PROCESS_GROUP_NAME].text;
		add_long(&s->rows, &e, &p->strings);
		if (is_transfer(r, p, row)) {
			st = tl_transfer_add(r, p, row, r->job->ranks[i], &works[row], err);
			continue;
		}
		tl_buf_clear(&key);
		tl_buf_clear(&data);
		tl_key_add_text(&key, tl_str(&p->strings, group), tl_str_len(&p->strings, group));
		tl_key_add_int(&key, e.index);
		tl_rank_event_pack(&data, &e, &p->strings, true);
		st = tl_sorter_add(r->events, key.data, key.len, data.data, data.len, err);
	}
	free(works);
	tl_buf_release(&key);
	tl_buf_release(&data);
	if (!st && r->job->heatmap)
		tl_heatmap_add(&s->heatmap, r, p, r->job->ranks[i], err);
	return st ? st : summarise(r, p, err);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static enum tl_status write_long(struct tl_ranks *r, size_t *failed, struct tl_error *err)
{
	struct spreading s = { .heatmap = { .open = false } };

	tl_rank_sheet_open(&s.rows, r, &tl_ranks_nccl_long_sheet, err);
	enum tl_status st = each_part(r, spread, &s, false, failed, err);
	enum tl_status closed = tl_rank_sheet_close(&s.rows), mapped = tl_heatmap_close(&s.heatmap);
	return st ? st : closed ? closed : mapped;
}

static void find_stages(struct tl_ranks *r)
{
	int64_t n, *stages = tl_find_stages(r, &n);

	tl_loss_stages(r, stages);
	free(stages);
}

static void release(struct tl_ranks *r)
{
	tl_sorter_free(r->events);
	tl_sorter_free(r->transfers);
	tl_sorter_free(r->summary);
	tl_sorter_free(r->meetings[TL_RANKS_SYNC].sorter);
	tl_sorter_free(r->meetings[TL_RANKS_ALL2ALLV].sorter);
	tl_name_rules_free(r->types);
	tl_name_rules_free(r->dtype_bytes);
	tl_align_free(r->align);
	tl_works_free(r->works);
	tl_group_names_free(r->names);
	tl_parallels_free(r->parallels);
	tl_replay_free(r->replay);
	tl_links_free(r->links);
	tl_strtab_release(&r->group_strings);
	free(r->groups);
	free(r->facts.aligned);
	free(r->totals);
}

enum tl_status tl_ranks_merge(const struct tl_ranks_job *job, struct tl_ranks_report *report, size_t *failed, struct tl_error *err)
{
	struct tl_ranks r = { .job = job, .report = report, .totals = tl_calloc(job->n + 1, sizeof *r.totals),
		.facts = { .ticks_per_us = 1000, .simple = true, .whole_ts = true, .whole_dur = true, .aligned = tl_calloc(job->n + 1, sizeof *r.facts.aligned) },
		.types = tl_name_rules_new(TL_COLLECTIVE_TYPES),
		.dtype_bytes = tl_name_rules_new(TL_DTYPE_BYTES), .events = tl_sorter_new(), .summary = tl_sorter_new(), .transfers = tl_sorter_new(),
		.meetings = { { .sorter = tl_sorter_new() }, { .sorter = tl_sorter_new() } } };

	*report = (struct tl_ranks_report){ 0 };
	r.align = job->waits || !job->reference_clocks ? tl_align_new(job->n) : NULL;
	r.names = job->reference_clocks ? NULL : tl_group_names_new();
	r.works = tl_works_new(job->n, job->categories);
	r.parallels = tl_parallels_new(job->n);
	r.replay = job->waits ? tl_replay_new(job->n) : NULL;
	r.links = tl_links_new();
	*failed = SIZE_MAX;
	enum tl_status st = each_part(&r, survey, NULL, true, failed, err);
	if (!st && !report->events)
		st = tl_fail(err, TL_ERR_DATA, "no rank has a collective");
	if (!st && r.names)
		report->renamed = tl_group_names_changed(r.names);
	if (!st && r.align)
		align_ranks(&r);
	if (!st)
		note_elsewhere(&r);
	if (!st && r.replay)
		find_stages(&r);
	if (!st)
		st = write_long(&r, failed, err);
	if (!st)
		st = write_summary(&r, err);
	if (!st)
		st = tl_meetings_take(&r, err);
	if (!st)
		st = tl_meeting_sheet_write(&tl_sync_sheet, &r, err);
	if (!st)
		st = tl_meeting_sheet_write(&tl_all2allv_sheet, &r, err);
	if (!st && job->waits)
		st = tl_transfers_write(&r, err);
	if (!st && job->waits)
		st = tl_loss_write(&r, err);
	if (!st && job->waits)
		st = tl_stages_write(&r, err);
	if (!st && job->waits)
		st = tl_experts_write(&r, err);
	release(&r);
	return st;
}
