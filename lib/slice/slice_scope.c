/* slice_scope.c - what the options of a slice name, found in the trace: time, rank, device, stream, thread.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "slice/slice_scope.h"

#include "analysis/device_events.h"
#include "base/text.h"
#include "slice/step_times.h"

#include <stdlib.h>
#include <string.h>

/* ---- what an event says of itself -------------------------------------------------------- */

static bool cell_is(const struct tl_trace *t, struct tl_cell c, const char *text)
{
	char number[TL_DOUBLE_TEXT];

	if (c.type == TL_CELL_TEXT)
		return !strcmp(tl_str(&t->strings, c.text), text);
	return c.type != TL_CELL_NULL && tl_text_is(number, tl_cell_format(number, c, 1), text);
}

/* What does not say its rank counts as the one that is asked for. */
static bool rank_fits(const struct tl_slice_scope *s, struct tl_cell rank)
{
	return s->o->rank < 0 || rank.type == TL_CELL_NULL || (rank.type == TL_CELL_INT && rank.i == s->o->rank);
}

static struct tl_cell number_of_device(const struct tl_device *d)
{
	return d->device.type == TL_CELL_NULL ? d->process : d->device;
}

static bool device_fits(const struct tl_slice_scope *s, const struct tl_device *d)
{
	struct tl_cell number = number_of_device(d);

	return (s->o->device < 0 || (number.type == TL_CELL_INT && number.i == s->o->device)) && rank_fits(s, d->rank);
}

bool tl_slice_scope_has_thread(const struct tl_slice_scope *s, const struct tl_ev *e)
{
	return !s->on_thread || s->on_thread[e->track];
}

bool tl_slice_scope_has_time(const struct tl_slice_scope *s, const struct tl_ev *e)
{
	int64_t end = tl_ev_end(e);

	return e->ts < s->to && (end > s->from || e->ts >= s->from);
}

bool tl_slice_scope_has_rank(struct tl_slice_scope *s, uint32_t event)
{
	return s->o->rank < 0 || rank_fits(s, tl_rank_of(&s->ranks, event));
}

bool tl_slice_scope_has_device_event(struct tl_slice_scope *s, uint32_t event)
{
	if (s->devices.of && !device_fits(s, &s->devices.items[s->devices.of[event]]))
		return false;
	return !s->o->stream || cell_is(s->t, tl_whole_cell(tl_arg_cell(&s->ranks.cells, &s->stream, event)), s->o->stream);
}

/* ---- what the trace does not have ------------------------------------------------------------ */

static void list_cell(const struct tl_trace *t, struct tl_listing *l, struct tl_cell c)
{
	char number[TL_DOUBLE_TEXT];

	if (c.type == TL_CELL_TEXT)
		tl_listing_add(l, tl_str(&t->strings, c.text), tl_str_len(&t->strings, c.text));
	else if (c.type != TL_CELL_NULL)
		tl_listing_add(l, number, tl_cell_format(number, c, 1));
}

static enum tl_status refuse(struct tl_listing *has, bool found, struct tl_error *err, const char *what,
                               const char *asked)
{
	enum tl_status status = TL_OK;

	if (!found)
		status = tl_fail(err, TL_ERR_DATA, "the trace has no %s %.100s; it has: %s", what, asked, tl_listing_text(has));
	tl_listing_release(has);
	return status;
}

static enum tl_status check_device(struct tl_slice_scope *s, struct tl_error *err)
{
	struct tl_listing has = { 0 };
	char asked[24] = "";
	bool found = s->o->device < 0;

	for (size_t i = 0; i < s->devices.n; i++) {
		struct tl_cell number = number_of_device(&s->devices.items[i]);
		found |= number.type == TL_CELL_INT && number.i == s->o->device;
		list_cell(s->t, &has, number);
	}
	tl_format_int(asked, s->o->device);
	return refuse(&has, found, err, "device", asked);
}

static enum tl_status check_rank(struct tl_slice_scope *s, struct tl_error *err)
{
	struct tl_listing has = { 0 };
	char asked[24] = "";
	bool found = s->o->rank < 0, any = false;

	for (uint32_t i = 0; i < s->t->n_events && !found; i++) {
		unsigned kind = s->t->events[i].kind;
		if (!tl_kind_is_gpu(kind) && !tl_kind_is_launch(kind) && kind != TL_KIND_CPU_OP)
			continue;
		struct tl_cell rank = tl_rank_of(&s->ranks, i);
		found = rank_fits(s, rank);
		list_cell(s->t, &has, rank);
		any = true;
	}
	tl_format_int(asked, s->o->rank);
	return refuse(&has, found || !any, err, "rank", asked);
}

static enum tl_status check_stream(struct tl_slice_scope *s, struct tl_error *err)
{
	struct tl_listing has = { 0 };
	bool found = !s->o->stream;

	for (uint32_t i = 0; i < s->t->n_events && !found; i++) {
		if (!tl_kind_is_gpu(s->t->events[i].kind))
			continue;
		struct tl_cell stream = tl_whole_cell(tl_arg_cell(&s->ranks.cells, &s->stream, i));
		found = cell_is(s->t, stream, s->o->stream);
		list_cell(s->t, &has, stream);
	}
	return refuse(&has, found, err, "stream", s->o->stream);
}

/* Finds the tracks of the thread: their tid as text, or their name. */
static enum tl_status find_thread(struct tl_slice_scope *s, struct tl_error *err)
{
	struct tl_listing has = { 0 };
	bool found = !s->o->thread;

	if (s->o->thread)
		s->on_thread = tl_calloc((size_t)s->t->n_tracks + 1, sizeof *s->on_thread);
	for (uint32_t i = 0; i < s->t->n_events && s->on_thread; i++) {
		uint32_t track = s->t->events[i].track;
		const struct tl_trace_track *k = &s->t->tracks[track];

		if (!tl_kind_is_launch(s->t->events[i].kind) && s->t->events[i].kind != TL_KIND_CPU_OP)
			continue;
		list_cell(s->t, &has, tl_json_cell(&s->ranks.cells, k->tid));
		s->on_thread[track] = cell_is(s->t, tl_json_cell(&s->ranks.cells, k->tid), s->o->thread) ||
		                      !strcmp(tl_str(&s->t->strings, k->thread_name), s->o->thread);
		found |= s->on_thread[track];
	}
	return refuse(&has, found, err, "host thread", s->o->thread);
}

/* Does the slice begin within the trace? */
static enum tl_status check_time(struct tl_slice_scope *s, struct tl_error *err)
{
	int64_t end = INT64_MIN, start = s->t->first_ts;

	for (uint32_t i = 0; i < s->t->n_events; i++) {
		const struct tl_ev *e = &s->t->events[i];
		if (e->flags & TL_EV_HAS_TS && tl_ev_end(e) > end)
			end = tl_ev_end(e);
	}
	if (s->from < end || s->from == INT64_MIN || end == INT64_MIN)
		return TL_OK;
	return tl_fail(err, TL_ERR_DATA, "the slice begins behind the end of the trace, %.6g ms after the trace's start",
	               tl_trace_us(s->t, tl_ticks_sub(end, start)) / 1e3);
}

/* ---- interface ---------------------------------------------------------------------------- */

static int64_t border(const struct tl_trace *t, int64_t picoseconds)
{
	__int128 ticks = (__int128)picoseconds * t->ticks_per_us;
	int64_t start = t->first_ts == INT64_MAX ? 0 : t->first_ts;

	if (picoseconds == INT64_MIN || picoseconds == INT64_MAX)
		return picoseconds;
	ticks /= 1000000;
	return ticks > INT64_MAX ? INT64_MAX : tl_ticks_add(start, (int64_t)ticks);
}

enum tl_status tl_slice_scope_find(struct tl_slice_scope *s, struct tl_trace *t, const struct tl_slice_options *o, struct tl_error *err)
{
	static enum tl_status (*const checks[])(struct tl_slice_scope *, struct tl_error *) = {
		check_time, check_rank, check_device, check_stream, find_thread,
	};
	enum tl_status status = TL_OK;

	*s = (struct tl_slice_scope){ .t = t, .o = o, .from = border(t, o->from), .to = border(t, o->to) };
	tl_ranks_init(&s->ranks, t);
	tl_arg_init(&s->stream, t, TL_KEY_STREAM);
	if (o->device >= 0 || o->rank >= 0)
		tl_devices_find(&s->devices, t);
	for (size_t i = 0; i < sizeof checks / sizeof *checks && status == TL_OK; i++)
		status = checks[i](s, err);
	return status;
}

void tl_slice_scope_release(struct tl_slice_scope *s)
{
	tl_ranks_release(&s->ranks);
	tl_arg_release(&s->stream);
	tl_devices_release(&s->devices);
	free(s->on_thread);
}
