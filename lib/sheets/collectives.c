/* collectives.c - collective communication of a rank.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/collectives.h"

#include "work/args.h"
#include "work/devices.h"
#include "work/kept.h"
#include "work/trace_facts.h"
#include "work/name_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of an event that its row has; what a row may lack. */
enum { FIRST_ARG = COLL_PROCESS_GROUP_NAME, N_ARGS = COLL_STREAM + 1 - FIRST_ARG, NO_ID = N_ARGS, N_REASONS };

struct tl_collectives {
	struct tl_trace *trace;
	struct tl_table *rows; /* one an event, in file order */
	uint32_t *events;      /* of the rows */
	size_t cap_events;
	struct tl_coll_left_out left_out;
	uint32_t missing[N_REASONS]; /* how many lack an argument, or both ids */
	bool simple;                 /* see tl_collectives_simple */
	bool no_rank;                /* a row has the rank 0 because nothing says another */
};

/* ---- rows ----------------------------------------------------------------------- */

struct reader {
	struct tl_collectives *to;
	struct tl_arg args[N_ARGS], sequence, correlation, external_id, rank, group_rank, from, to_rank;
	int64_t trace_rank; /* -1: unknown */
	struct tl_name_answers *collectives, *nccl, *dtype_bytes, *types;
	bool names_tell; /* of traces of other profilers: what a collective is */
	bool other_writer; /* which does not tell all launches */
};

static struct tl_cell megabytes(struct tl_cell count, int bytes)
{
	if (count.type == TL_CELL_INT)
		return tl_cell_real((double)((__int128)count.i * bytes) / 1048576);
	if (count.type == TL_CELL_REAL)
		return tl_cell_real(count.d * bytes / 1048576);
	return tl_cell_null();
}

/* In the joined trace of several ranks each event states its own. NCCL tells which rank of its group a call is of. */
static struct tl_cell rank_of(struct reader *r, uint32_t event)
{
	struct tl_cell rank = tl_arg_cell(r->to->trace, &r->rank, event);

	if (rank.type != TL_CELL_INT && r->trace_rank < 0)
		rank = tl_arg_cell(r->to->trace, &r->group_rank, event);
	if (rank.type == TL_CELL_INT)
		return rank;
	r->to->no_rank |= r->trace_rank < 0;
	return tl_cell_int(r->trace_rank < 0 ? 0 : r->trace_rank);
}

/* The other rank of a send or receive: as the trace says or, in a group of two, the one that is not this rank. */
static struct tl_cell peer_of(struct reader *r, uint32_t event, const struct tl_cell *c)
{
	struct tl_trace *t = r->to->trace;
	struct tl_cell from = tl_arg_cell(t, &r->from, event), to = tl_arg_cell(t, &r->to_rank, event), peer = from.type == TL_CELL_INT ? from : to;
	const char *type = c[COLL_COLLECTIVE_NAME].type == TL_CELL_TEXT ? tl_name_answer(r->types, c[COLL_COLLECTIVE_NAME].text) : "";
	int64_t one, other;
	char end;

	if (peer.type == TL_CELL_INT || (strcmp(type, "send") && strcmp(type, "recv")))
		return peer.type == TL_CELL_INT ? peer : tl_cell_null();
	if (c[COLL_PROCESS_GROUP_RANKS].type != TL_CELL_TEXT ||
	    sscanf(tl_str(&t->strings, c[COLL_PROCESS_GROUP_RANKS].text), "[%" SCNd64 " ,%" SCNd64 " %c", &one, &other, &end) != 3 || end != ']')
		return tl_cell_null();
	return one == c[COLL_RANK].i ? tl_cell_int(other) : other == c[COLL_RANK].i ? tl_cell_int(one) : tl_cell_null();
}

static void leave_out(struct tl_collectives *c, int64_t ticks)
{
	c->left_out.kernels++;
	c->left_out.ticks = tl_ticks_add(c->left_out.ticks, ticks);
}

static void add_event(struct reader *r, uint32_t event)
{
	struct tl_trace *t = r->to->trace;
	const struct tl_ev *e = &t->events[event];
	const char *collective;
	struct tl_cell c[N_COLL] = { 0 };

	if (!r->other_writer && tl_arg_cell(t, &r->correlation, event).type == TL_CELL_NULL &&
	    tl_arg_cell(t, &r->external_id, event).type == TL_CELL_NULL) {
		leave_out(r->to, e->dur);
		r->to->missing[NO_ID]++;
		return;
	}
	c[COLL_RANK] = rank_of(r, event);
	for (size_t i = 0; i < N_ARGS; i++)
		c[FIRST_ARG + i] = tl_arg_cell(t, &r->args[i], event);
	collective = tl_name_answer(r->collectives, e->name);
	if (r->names_tell && !*collective)
		collective = tl_name_answer(r->nccl, e->name);
	if (c[COLL_COLLECTIVE_NAME].type == TL_CELL_NULL && *collective)
		c[COLL_COLLECTIVE_NAME] = tl_cell_str(&t->strings, collective);
	int bytes = c[COLL_DTYPE].type == TL_CELL_TEXT ? atoi(tl_name_answer(r->dtype_bytes, c[COLL_DTYPE].text)) : 0;
	if (bytes && c[COLL_IN_MSG_NELEMS].type != TL_CELL_NULL) {
		c[COLL_IN_MSG_SIZE_MB] = megabytes(c[COLL_IN_MSG_NELEMS], bytes);
		c[COLL_OUT_MSG_SIZE_MB] = megabytes(c[COLL_OUT_MSG_NELEMS], bytes);
	}
	c[COLL_DUR] = tl_duration_cell(e);
	c[COLL_TS] = tl_cell_time(e->ts, false);
	c[COLL_START_US] = tl_start_cell(t, e->ts);
	c[COLL_UID] = tl_cell_int(e->uid);
	c[COLL_KERNEL] = tl_name_cell(t, e->name);
	c[COLL_SEQ] = tl_arg_cell(t, &r->sequence, event);
	c[COLL_PEER] = peer_of(r, event, c);
	TL_GROW(r->to->events, r->to->cap_events, r->to->rows->n_rows + 1);
	r->to->events[r->to->rows->n_rows] = event;
	tl_table_add_row(r->to->rows, c);
}

static bool is_of_other_profiler(const struct tl_trace *t)
{
	return t->source && strcmp(t->source, "pytorch");
}

static void add_events(struct tl_collectives *to, int64_t rank)
{
	struct tl_trace *t = to->trace;
	struct reader r = { .to = to, .trace_rank = rank, .names_tell = is_of_other_profiler(t), .other_writer = tl_trace_of_other_writer(t) };

	r.collectives = tl_kept_answers(t, TL_KERNEL_COLLECTIVES);
	r.nccl = tl_kept_answers(t, TL_NCCL_KERNELS);
	r.dtype_bytes = tl_kept_answers(t, TL_DTYPE_BYTES);
	r.types = tl_kept_answers(t, TL_COLLECTIVE_TYPES);
	for (size_t i = 0; i < N_ARGS; i++)
		r.args[i] = tl_arg_of(t, tl_coll_rows[FIRST_ARG + i]);
	r.sequence = tl_arg_of(t, TL_KEY_SEQ);
	r.from = tl_arg_of(t, TL_KEY_SRC_RANK);
	r.to_rank = tl_arg_of(t, TL_KEY_DST_RANK);
	r.correlation = tl_arg_of(t, TL_KEY_CORRELATION);
	r.external_id = tl_arg_of(t, TL_KEY_EXTERNAL_ID);
	r.rank = tl_arg_of(t, TL_KEY_RANK);
	r.group_rank = tl_arg_of(t, TL_KEY_GROUP_RANK);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_KERNEL && tl_gpu_usable(&t->events[i]) && tl_gpu_is_comm(&t->events[i])) {
			to->left_out.all++;
			add_event(&r, i);
		}
}

/* Does no event name its group, and do all run on one stream? Then the group is called
 * "all", else "Unknown_Group", as in TraceLens. */
static bool is_simple(const struct tl_table *t, uint32_t unknown)
{
	struct tl_cell stream = tl_cell_null();

	for (size_t i = 0; i < t->n_rows; i++) {
		struct tl_cell group = tl_table_cell(t, i, COLL_PROCESS_GROUP_NAME), s = tl_table_cell(t, i, COLL_STREAM);

		if (group.type != TL_CELL_NULL && !(group.type == TL_CELL_TEXT && group.text == unknown))
			return false;
		if (stream.type != TL_CELL_NULL && s.type != TL_CELL_NULL && tl_cell_compare(t->strings, stream, s))
			return false;
		if (s.type != TL_CELL_NULL)
			stream = s;
	}
	return true;
}

static uint32_t stream_name(struct tl_table *t, int64_t stream)
{
	char name[32];

	return tl_intern(t->strings, name, (size_t)snprintf(name, sizeof name, "stream %" PRId64, stream));
}

/* by_stream: a communicator of NCCL has a stream of its own, as a rule. */
static bool name_groups(struct tl_table *t, bool by_stream)
{
	uint32_t unknown = tl_intern_str(t->strings, "Unknown_Group");
	bool all = is_simple(t, unknown);
	uint32_t name = all ? tl_intern_str(t->strings, "all") : unknown;

	for (size_t i = 0; i < t->n_rows; i++) {
		if (!all && tl_table_cell(t, i, COLL_PROCESS_GROUP_NAME).type != TL_CELL_NULL)
			continue;
		struct tl_cell stream = tl_table_cell(t, i, COLL_STREAM);
		tl_table_set(t, i, COLL_PROCESS_GROUP_NAME, tl_cell_text(by_stream && !all && stream.type == TL_CELL_INT ? stream_name(t, stream.i) : name));
	}
	return all;
}

/* Counts the rows without one of the columns that coll_analysis groups by. Other profilers than PyTorch's do not tell
 * all of them: there the size of the message is enough. */
static void count_missing(struct tl_collectives *c, bool size_is_enough)
{
	for (size_t i = 0; i < c->rows->n_rows; i++) {
		bool complete = true;

		for (size_t k = 0; k < N_ARGS; k++) {
			bool needed = !size_is_enough || FIRST_ARG + k == COLL_IN_MSG_NELEMS;
			if (needed && tl_table_cell(c->rows, i, FIRST_ARG + k).type == TL_CELL_NULL) {
				c->missing[k]++;
				complete = false;
			}
		}
		tl_table_set(c->rows, i, COLL_COMPLETE, tl_cell_bool(complete));
		if (!complete)
			leave_out(c, tl_table_cell(c->rows, i, COLL_DUR).i);
	}
}

/* -1: it does not say. */
static int64_t rank_of_trace(const struct tl_trace *t)
{
	struct tl_trace_facts f;

	tl_trace_facts_read(&f, t);
	tl_trace_facts_release(&f);
	return f.rank;
}

struct tl_collectives *tl_collectives_new(struct tl_trace *t, int64_t rank)
{
	static const uint8_t numbers[] = { COLL_GROUP_SIZE, COLL_IN_MSG_NELEMS, COLL_OUT_MSG_NELEMS, COLL_STREAM };
	struct tl_collectives *c = tl_calloc(1, sizeof *c);

	tl_mark_work_once(t);
	c->trace = t;
	c->rows = tl_table_new(&t->strings, t->ticks_per_us, tl_coll_rows);
	add_events(c, rank >= 0 ? rank : rank_of_trace(t));
	c->simple = name_groups(c->rows, is_of_other_profiler(t));
	count_missing(c, is_of_other_profiler(t));
	for (size_t i = 0; i < sizeof numbers; i++)
		tl_table_unify_column(c->rows, numbers[i]);
	return c;
}

void tl_collectives_free(struct tl_collectives *c)
{
	if (!c)
		return;
	tl_table_free(c->rows);
	free(c->events);
	free(c);
}

const struct tl_table *tl_collectives_rows(const struct tl_collectives *c)
{
	return c->rows;
}

bool tl_collectives_simple(const struct tl_collectives *c)
{
	return c->simple;
}

bool tl_collectives_no_rank(const struct tl_collectives *c)
{
	return c->no_rank;
}

struct tl_coll_left_out tl_collectives_left_out(const struct tl_collectives *c)
{
	return c->left_out;
}

bool tl_collectives_reason(const struct tl_collectives *c, size_t i, const char **key, uint32_t *n)
{
	if (i >= N_REASONS)
		return false;
	*key = i == NO_ID ? "correlation or " TL_KEY_EXTERNAL_ID : tl_coll_rows[FIRST_ARG + i];
	*n = c->missing[i];
	return true;
}

/* ---- exposed time ------------------------------------------------------------------ */

/* When the devices compute, by the number of the device. */
static struct tl_spans *find_computation(const struct tl_trace *t, const struct tl_devices *devices)
{
	struct tl_spans *s = tl_calloc(devices->n + 1, sizeof *s);

	for (uint32_t i = 0; i < t->n_events; i++)
		if (devices->of[i] != TL_NONE && tl_gpu_work(&t->events[i]) == TL_GPU_COMPUTE)
			tl_spans_add(&s[devices->of[i]], t->events[i].ts, tl_ev_end(&t->events[i]));
	for (size_t i = 0; i < devices->n; i++)
		tl_spans_merge(&s[i]);
	return s;
}

static int64_t exposed_ticks(const struct tl_spans *computation, const struct tl_ev *e)
{
	int64_t end = tl_ev_end(e), exposed = e->dur;

	if (end <= e->ts)
		return 0;
	for (size_t i = tl_spans_from(computation, e->ts); i < computation->n && computation->items[i].start < end; i++) {
		const struct tl_span *s = &computation->items[i];
		exposed -= (s->end < end ? s->end : end) - (s->start > e->ts ? s->start : e->ts);
	}
	return exposed;
}

static void add_exposed(struct tl_collectives *c)
{
	const struct tl_devices *devices = tl_devices_of(c->trace);
	struct tl_spans *computation = find_computation(c->trace, devices);

	for (size_t row = 0; row < c->rows->n_rows; row++) {
		uint32_t event = c->events[row];
		int64_t ticks = exposed_ticks(&computation[devices->of[event]], &c->trace->events[event]);
		tl_table_set(c->rows, row, COLL_EXPOSED, tl_cell_time(ticks, false));
	}
	for (size_t i = 0; i < devices->n; i++)
		tl_spans_release(&computation[i]);
	free(computation);
}

/* ---- sheets ---------------------------------------------------------------------- */

struct tl_table *tl_collectives_table(struct tl_collectives *c)
{
	add_exposed(c);
	return tl_sheet_make(&tl_collectives_sheet, &(struct tl_sheet_input){ .rows = c->rows });
}

void tl_coll_kernels(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_collectives *c = ctx;

	in->rows = c->rows;
}

void tl_coll_kernels_with_exposed(void *ctx, struct tl_sheet_input *in)
{
	add_exposed(ctx);
	tl_coll_kernels(ctx, in);
}
