/* selection.c - which events of a trace are in a slice.
 *
 * Device events come first: those that the options choose. A host event with device work
 * below it is kept if some of that work is; one without any, if it lies in the time, rank and
 * thread of the slice, and nothing above it is left out. So no operator of a slice has lost
 * all of its device work: sheets would count it with a time of 0.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/selection.h"

#include "work/args.h"
#include "work/calls.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/launchers.h"
#include "work/spans.h"
#include "base/pattern.h"
#include "base/text.h"
#include "model/trace.h"
#include "edit/slice.h"
#include "steps/step_find.h"

#include <stdlib.h>
#include <string.h>

/* ---- when the annotations that a slice is about were open ------------------------------------------------ */

/* Merged spans of each process, by pid, a string id. Zero bytes are none. */
struct tl_process_spans TL_KEYED(struct tl_spans);

struct tl_step_times {
	struct tl_process_spans host, device; /* annotations of the host, and those of devices */
};

/* For messages: the distinct texts that were added, in the order of the first ones; of more
 * than 20 those and how many more. Zero bytes are none. */
struct tl_listing { struct tl_strtab seen; struct tl_buf text; };

/* ---- spans by process --------------------------------------------------------------- */

static void process_spans_add(struct tl_process_spans *p, uint32_t pid, int64_t start, int64_t end)
{
	tl_spans_add(TL_ITEM(p, pid, NULL), start, end);
}

static void process_spans_merge(struct tl_process_spans *p)
{
	for (size_t i = 0; i < p->n; i++)
		tl_spans_merge(&p->items[i]);
}

/* Does a span from start to end overlap one of the spans of a process? An empty one does if
 * it starts in one of them. */
static bool process_spans_overlap(const struct tl_process_spans *p, uint32_t pid, int64_t start, int64_t end)
{
	const struct tl_spans *s = TL_ITEM_FIND(p, pid);
	size_t i = s ? tl_spans_from(s, start) : 0;

	return s && i < s->n && (s->items[i].start < end || s->items[i].start == start);
}

static void process_spans_release(struct tl_process_spans *p)
{
	for (size_t i = 0; i < p->n; i++)
		tl_spans_release(&p->items[i]);
	TL_KEYED_RELEASE(p);
	*p = (struct tl_process_spans){ 0 };
}

/* ---- lists for messages --------------------------------------------------------------- */

enum { MAX_LISTED = 20 };

static void listing_add(struct tl_listing *l, const char *s, size_t len)
{
	uint32_t before = l->seen.count;

	tl_intern(&l->seen, s, len);
	if (l->seen.count > before && before < MAX_LISTED)
		tl_buf_addf(&l->text, "%s%.*s", before ? ", " : "", len < 40 ? (int)len : 40, s);
}

/* "none" if nothing was added */
static const char *listing_text(struct tl_listing *l)
{
	if (l->seen.count > MAX_LISTED)
		tl_buf_addf(&l->text, " and %u more", (unsigned)l->seen.count - MAX_LISTED);
	return l->seen.count ? tl_buf_text(&l->text) : "none";
}

static void listing_release(struct tl_listing *l)
{
	tl_strtab_release(&l->seen);
	tl_buf_release(&l->text);
}

/* ---- annotations ---------------------------------------------------------------------- */

struct finder {
	const struct tl_trace *t;
	const struct tl_slice_options *o;
	const struct tl_pattern *regex;
	struct tl_map matches;  /* name -> does it match? */
	struct tl_steps found;  /* matching annotations, or steps */
	struct tl_listing names;
};

static bool in_steps(const struct tl_slice_options *o, int64_t n)
{
	return o->first_step < 0 || (n >= o->first_step && n <= o->last_step);
}

static bool name_matches(struct finder *f, uint32_t id)
{
	const char *name = tl_str(&f->t->strings, id);
	size_t len = tl_str_len(&f->t->strings, id);
	bool is_new;
	uint32_t *known = tl_map_put(&f->matches, id, &is_new);

	if (!is_new)
		return *known;
	listing_add(&f->names, name, len);
	*known = tl_pattern_matches(f->regex, name, len);
	return *known;
}

/* The annotations that match, numbered among those of a thread, from 1. */
static void find_matching(struct finder *f)
{
	int64_t *n_before = tl_calloc((size_t)f->t->n_tracks + 1, sizeof *n_before);

	for (uint32_t i = 0; i < f->t->n_events; i++) {
		const struct tl_ev *e = &f->t->events[i];
		bool is_annotation = e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_GPU_ANNOTATION;
		if (is_annotation && e->flags & TL_EV_HAS_TS && name_matches(f, e->name))
			TL_PUSH(f->found.items, f->found.n, f->found.cap,
				(struct tl_step){ .event = i, .marker = i, .from = e->ts, .to = tl_ev_end(e) });
	}
	tl_steps_settle(&f->found, f->t, true);
	for (size_t i = 0; i < f->found.n; i++)
		f->found.items[i].number = ++n_before[f->t->events[f->found.items[i].event].track];
	free(n_before);
}

static void choose_by_number(struct finder *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->found.n; i++) {
		uint32_t name = tl_step_name(f->t, &f->found.items[i]);
		if (!f->regex)
			listing_add(&f->names, tl_str(&f->t->strings, name), tl_str_len(&f->t->strings, name));
		if (in_steps(f->o, f->found.items[i].number))
			f->found.items[kept++] = f->found.items[i];
	}
	f->found.n = kept;
}

static enum tl_status none_found(struct finder *f, size_t n_matching, struct tl_error *err)
{
	if (f->regex && n_matching)
		return tl_fail(err, TL_ERR_DATA, "no thread has %lld annotations that match '%.100s'",
		               (long long)f->o->first_step, f->o->annotation);
	if (f->regex)
		return tl_fail(err, TL_ERR_DATA, "no annotation matches '%.100s'; the trace has: %s", f->o->annotation,
		               listing_text(&f->names));
	if (n_matching && f->found.source != TL_STEPS_PROFILER)
		return tl_fail(err, TL_ERR_DATA, "no step with such a number; the %zu steps are: %s", n_matching, listing_text(&f->names));
	return tl_fail(err, TL_ERR_DATA, "no annotation ProfilerStep#N with such a number; the trace has: %s",
	               listing_text(&f->names));
}

/* Finds the annotations that the options name; regex: of options->annotation, if that is
 * given. TL_ERR_DATA if the trace has none of them; the message says which it has. */
static enum tl_status step_times_find(struct tl_step_times *times, const struct tl_trace *t, const struct tl_slice_options *o,
                                  const struct tl_pattern *regex, struct tl_error *err)
{
	struct finder f = { .t = t, .o = o, .regex = regex };
	enum tl_status status = TL_OK;
	size_t n_matching;

	*times = (struct tl_step_times){ 0 };
	if (regex)
		find_matching(&f);
	else
		tl_steps_with_devices(&f.found, t);
	n_matching = f.found.n;
	choose_by_number(&f);
	for (size_t i = 0; i < f.found.n; i++) {
		const struct tl_step *s = &f.found.items[i];
		const struct tl_ev *e = &t->events[s->event];
		struct tl_process_spans *to = e->kind == TL_KIND_GPU_ANNOTATION ? &times->device : &times->host;
		process_spans_add(to, t->tracks[e->track].pid, s->from, s->to);
	}
	process_spans_merge(&times->host);
	process_spans_merge(&times->device);
	if (!f.found.n)
		status = none_found(&f, n_matching, err);
	tl_map_release(&f.matches);
	listing_release(&f.names);
	tl_steps_release(&f.found);
	return status;
}

/* ---- slice scope ----------------------------------------------------------------- */

struct tl_slice_scope {
	struct tl_trace *t;
	const struct tl_slice_options *o;
	int64_t from, to;            /* ticks */
	const struct tl_devices *devices; /* if device or rank is given */
	struct tl_ranks ranks;
	struct tl_arg stream;
	bool *on_thread;             /* [track]; NULL: any thread */
};

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

/* Is an event on the thread, in the time, of the rank? */
static bool slice_scope_has_thread(const struct tl_slice_scope *s, const struct tl_ev *e)
{
	return !s->on_thread || s->on_thread[e->track];
}

static bool slice_scope_has_time(const struct tl_slice_scope *s, const struct tl_ev *e)
{
	int64_t end = tl_ev_end(e);

	return e->ts < s->to && (end > s->from || e->ts >= s->from);
}

static bool slice_scope_has_rank(struct tl_slice_scope *s, uint32_t event)
{
	return s->o->rank < 0 || rank_fits(s, tl_rank_of(s->t, &s->ranks, event));
}

/* Is a device event on the device, rank and stream that are given? */
static bool slice_scope_has_device_event(struct tl_slice_scope *s, uint32_t event)
{
	if (s->devices && !device_fits(s, &s->devices->items[s->devices->of[event]]))
		return false;
	return !s->o->stream || cell_is(s->t, tl_whole_cell(tl_arg_cell(s->t, &s->stream, event)), s->o->stream);
}

/* ---- what the trace does not have ------------------------------------------------------------ */

static void list_cell(const struct tl_trace *t, struct tl_listing *l, struct tl_cell c)
{
	char number[TL_DOUBLE_TEXT];

	if (c.type == TL_CELL_TEXT)
		listing_add(l, tl_str(&t->strings, c.text), tl_str_len(&t->strings, c.text));
	else if (c.type != TL_CELL_NULL)
		listing_add(l, number, tl_cell_format(number, c, 1));
}

static enum tl_status refuse(struct tl_listing *has, bool found, struct tl_error *err, const char *what,
                               const char *asked)
{
	enum tl_status status = TL_OK;

	if (!found)
		status = tl_fail(err, TL_ERR_DATA, "the trace has no %s %.100s; it has: %s", what, asked, listing_text(has));
	listing_release(has);
	return status;
}

static enum tl_status check_device(struct tl_slice_scope *s, struct tl_error *err)
{
	struct tl_listing has = { 0 };
	char asked[24] = "";
	bool found = s->o->device < 0;

	for (size_t i = 0; s->devices && i < s->devices->n; i++) {
		struct tl_cell number = number_of_device(&s->devices->items[i]);
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
		struct tl_cell rank = tl_rank_of(s->t, &s->ranks, i);
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
		struct tl_cell stream = tl_whole_cell(tl_arg_cell(s->t, &s->stream, i));
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
		list_cell(s->t, &has, tl_json_cell(s->t, k->tid));
		s->on_thread[track] = cell_is(s->t, tl_json_cell(s->t, k->tid), s->o->thread) ||
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

/* ---- the whole scope ------------------------------------------------------------------------ */

static int64_t border(const struct tl_trace *t, int64_t picoseconds)
{
	__int128 ticks = (__int128)picoseconds * t->ticks_per_us;
	int64_t start = t->first_ts == INT64_MAX ? 0 : t->first_ts;

	if (picoseconds == INT64_MIN || picoseconds == INT64_MAX)
		return picoseconds;
	ticks /= 1000000;
	return ticks > INT64_MAX ? INT64_MAX : tl_ticks_add(start, (int64_t)ticks);
}

/* TL_ERR_DATA: the trace has nothing of the sort that an option names. To be released in any case. */
static enum tl_status find_scope(struct tl_slice_scope *s, struct tl_trace *t, const struct tl_slice_options *o, struct tl_error *err)
{
	static enum tl_status (*const checks[])(struct tl_slice_scope *, struct tl_error *) = {
		check_time, check_rank, check_device, check_stream, find_thread,
	};
	enum tl_status status = TL_OK;

	*s = (struct tl_slice_scope){ .t = t, .o = o, .from = border(t, o->from), .to = border(t, o->to) };
	s->ranks = tl_ranks_of(t);
	s->stream = tl_arg_of(t, TL_KEY_STREAM);
	if (o->device >= 0 || o->rank >= 0)
		s->devices = tl_devices_of(t);
	for (size_t i = 0; i < sizeof checks / sizeof *checks && status == TL_OK; i++)
		status = checks[i](s, err);
	return status;
}

static void slice_scope_release(struct tl_slice_scope *s)
{
	free(s->on_thread);
}

/* ---- selection ------------------------------------------------------------------- */

enum { /* bits of an event */
	LAUNCHED = 1,      /* device event: some call launched it … */
	LAUNCH_FITS = 2,   /* … and one of those calls is on the thread and in the steps */
	HAS_WORK = 4,      /* host event: device work lies below it … */
	HAS_KEPT = 8,      /* … and some of that is kept */
	HAS_KEPT_OWN = 16, /* launching operator: some of the work that it launched itself is kept … */
	HAS_LOST_OWN = 32, /* … and some is lost or cut */
	DECIDED = 64,
};

struct selector {
	struct tl_selection *to;
	struct tl_trace *t;
	const struct tl_slice_options *o;
	struct tl_slice_scope scope;
	const struct tl_link *links; size_t n_links;
	struct tl_launch *launches; size_t n_launches;
	uint8_t *bits;
	bool by_step;
	struct tl_step_times steps;
	struct tl_map processes;     /* pids that launched work of the device and stream that are given */
	uint32_t *stack; size_t n_stack, cap_stack; /* of events */
	struct tl_process_spans work; /* of kept device events, and of the calls that launched them */
};

/* ---- what events are about ------------------------------------------------------------------ */

/* Is an event of the host in the time, rank and thread of the slice, and in a process that
 * uses its device and stream? One without a start is in a slice that has no bounds in time. */
static bool in_scope(struct selector *s, uint32_t event)
{
	const struct tl_ev *e = &s->t->events[event];
	bool timed = e->flags & TL_EV_HAS_TS;

	if (!slice_scope_has_thread(&s->scope, e) || !slice_scope_has_rank(&s->scope, event))
		return false;
	if ((s->o->device >= 0 || s->o->stream) && !tl_map_get(&s->processes, s->t->tracks[e->track].pid))
		return false;
	if (!timed)
		return !s->by_step && s->to->from == INT64_MIN && s->to->to == INT64_MAX;
	return slice_scope_has_time(&s->scope, e) &&
	       (!s->by_step || process_spans_overlap(&s->steps.host, s->t->tracks[e->track].pid, e->ts, tl_ev_end(e)));
}

/* ---- device events -------------------------------------------------------------------- */

static void look_at_launches(struct selector *s)
{
	for (size_t i = 0; i < s->n_launches; i++) {
		uint32_t gpu = s->launches[i].gpu;
		const struct tl_ev *call = &s->t->events[s->launches[i].runtime];
		uint32_t pid = s->t->tracks[call->track].pid;

		s->bits[gpu] |= LAUNCHED;
		if (slice_scope_has_thread(&s->scope, call) &&
		    (!s->by_step || process_spans_overlap(&s->steps.host, pid, call->ts, call->ts)))
			s->bits[gpu] |= LAUNCH_FITS;
		if (tl_gpu_usable(&s->t->events[gpu]) && slice_scope_has_device_event(&s->scope, gpu))
			tl_map_put(&s->processes, pid, NULL);
	}
}

/* Device work that nothing launched belongs to the annotation of its device that it starts in. */
static bool fits_by_launch(const struct selector *s, uint32_t event)
{
	const struct tl_ev *e = &s->t->events[event];

	if (s->bits[event] & LAUNCHED)
		return s->bits[event] & LAUNCH_FITS;
	return !s->scope.on_thread &&
	       (!s->by_step || process_spans_overlap(&s->steps.device, s->t->tracks[e->track].pid, e->ts, e->ts));
}

static bool keeps_device_event(struct selector *s, uint32_t event)
{
	const struct tl_ev *e = &s->t->events[event];

	return tl_gpu_usable(e) && slice_scope_has_time(&s->scope, e) && fits_by_launch(s, event) &&
	       slice_scope_has_device_event(&s->scope, event);
}

bool tl_selection_cut(const struct tl_selection *s, int64_t *ts, int64_t *dur)
{
	int64_t end = tl_ticks_add(*ts, *dur);

	if (*ts >= s->from && end <= s->to)
		return false;
	*ts = *ts < s->from ? s->from : *ts;
	*dur = tl_ticks_sub(end < s->to ? end : s->to, *ts);
	return true;
}

static bool is_cut(const struct selector *s, const struct tl_ev *e)
{
	int64_t ts = e->ts, dur = e->dur;

	return tl_selection_cut(s->to, &ts, &dur);
}

static void choose_device_events(struct selector *s)
{
	struct tl_slice_report *r = &s->to->report;

	for (uint32_t i = 0; i < s->t->n_events; i++) {
		const struct tl_ev *e = &s->t->events[i];

		if (!tl_kind_is_gpu(e->kind))
			continue;
		r->device_events++;
		if (!keeps_device_event(s, i))
			continue;
		s->to->kept[i] = true;
		r->kept_device_events++;
		r->cut += is_cut(s, e);
		process_spans_add(&s->work, s->t->tracks[e->track].pid, e->ts, tl_ev_end(e));
	}
}

/* ---- host events ------------------------------------------------------------------------ */

static void push(struct selector *s, uint32_t event)
{
	TL_PUSH(s->stack, s->n_stack, s->cap_stack, event);
}

/* Marks an event and all that it lies below, by parents and by the lists of children. */
static void mark_up(struct selector *s, uint32_t event, uint8_t bit)
{
	push(s, event);
	while (s->n_stack) {
		uint32_t e = s->stack[--s->n_stack];

		for (; e != TL_NONE && !(s->bits[e] & bit); e = s->t->events[e].parent) {
			uint32_t owner = tl_trace_owner(s->t, e);

			s->bits[e] |= bit;
			if (owner != TL_NONE && owner != s->t->events[e].parent)
				push(s, owner);
		}
	}
}

static void mark_work(struct selector *s, uint32_t host, uint32_t device)
{
	mark_up(s, host, HAS_WORK);
	if (s->to->kept[device])
		mark_up(s, host, HAS_KEPT);
}

static void mark_launches(struct selector *s)
{
	struct tl_nearest operators = { s->t, tl_nearest_operator, 0, NULL };

	for (size_t i = 0; i < s->n_launches; i++) {
		struct tl_launch l = s->launches[i];
		const struct tl_ev *call = &s->t->events[l.runtime];
		uint32_t op = tl_nearest(&operators, call->parent);

		mark_work(s, l.runtime, l.gpu);
		if (s->to->kept[l.gpu])
			process_spans_add(&s->work, s->t->tracks[call->track].pid, call->ts, tl_ev_end(call));
		op = op == TL_NONE ? l.runtime : op;
		if (s->to->kept[l.gpu])
			s->bits[op] |= HAS_KEPT_OWN;
		if (!s->to->kept[l.gpu] || is_cut(s, &s->t->events[l.gpu]))
			s->bits[op] |= HAS_LOST_OWN;
	}
	tl_nearest_release(&operators);
	for (size_t i = 0; i < s->n_links; i++) {
		uint32_t host = tl_trace_by_uid(s->t, s->links[i].a), device = tl_trace_by_uid(s->t, s->links[i].b);
		if (s->links[i].type == TL_LINK_WORK && host != TL_NONE && device != TL_NONE)
			mark_work(s, host, device);
	}
	process_spans_merge(&s->work);
}

/* parent: the event above, which is decided, or TL_NONE. */
static bool keeps_node(struct selector *s, uint32_t event, uint32_t parent)
{
	if (s->bits[event] & HAS_WORK)
		return s->bits[event] & HAS_KEPT;
	return (parent == TL_NONE || s->to->kept[parent]) && in_scope(s, event);
}

static bool is_node(const struct selector *s, uint32_t event)
{
	const struct tl_ev *e = &s->t->events[event];

	return !tl_kind_is_gpu(e->kind) && (e->flags & TL_EV_IN_TREE || e->parent != TL_NONE || s->bits[event] & HAS_WORK);
}

static void choose_nodes(struct selector *s)
{
	struct tl_slice_report *r = &s->to->report;

	for (uint32_t i = 0; i < s->t->n_events; i++) {
		if (is_node(s, i)) {
			/* Decides about an event of the tree and all above it, from the top down. */
			for (uint32_t e = i; e != TL_NONE && !(s->bits[e] & DECIDED); e = s->t->events[e].parent)
				push(s, e);
			while (s->n_stack) {
				uint32_t e = s->stack[--s->n_stack];

				s->to->kept[e] = keeps_node(s, e, s->t->events[e].parent);
				s->bits[e] |= DECIDED;
			}
		}
		r->partial += (s->bits[i] & HAS_KEPT_OWN) && (s->bits[i] & HAS_LOST_OWN);
	}
	for (size_t i = 0; i < s->t->n_bwds; i++)
		r->lone_backward += (s->bits[s->t->bwds[i].bwd] & HAS_KEPT) && !s->to->kept[s->t->bwds[i].fwd];
}

/* ---- all other events --------------------------------------------------------------------- */

/* Adds the ids of kept device events. */
static void collect_ids(struct selector *s, const char *name, struct tl_strtab *ids)
{
	struct tl_arg arg = tl_arg_of(s->t, name);

	for (uint32_t i = 0; i < s->t->n_events; i++)
		if (s->to->kept[i] && tl_kind_is_gpu(s->t->events[i].kind))
			tl_cell_id(ids, tl_arg_cell(s->t, &arg, i), true);
}

/* Annotations stay while something of the slice was launched or ran; that of a step that only touches it does not, though writers
 * round starts and durations apart. */
static bool keeps_annotation(struct selector *s, uint32_t event)
{
	const struct tl_ev *e = &s->t->events[event];
	int64_t slack = e->dur / 2 < s->t->ticks_per_us ? e->dur / 2 : s->t->ticks_per_us;
	int64_t from = tl_ticks_add(e->ts, slack), to = tl_ticks_sub(tl_ev_end(e), slack);
	uint32_t pid = s->t->tracks[e->track].pid;

	if (!(e->flags & TL_EV_HAS_TS))
		return e->kind == TL_KIND_ANNOTATION && in_scope(s, event);
	return process_spans_overlap(&s->work, pid, from, to) ||
	       (e->kind == TL_KIND_ANNOTATION && in_scope(s, event) && (!s->by_step || process_spans_overlap(&s->steps.host, pid, from, to)));
}

static void choose_others(struct selector *s)
{
	for (uint32_t i = 0; i < s->t->n_events; i++) {
		const struct tl_ev *e = &s->t->events[i];

		if (e->kind == TL_KIND_META || s->t->layouts[e->layout].ph == 'M')
			s->to->kept[i] = true;
		else if (e->kind == TL_KIND_ANNOTATION || e->kind == TL_KIND_GPU_ANNOTATION)
			s->to->kept[i] = keeps_annotation(s, i);
		else if (!tl_kind_is_gpu(e->kind) && e->kind != TL_KIND_LAUNCH_FLOW && !is_node(s, i))
			s->to->kept[i] = in_scope(s, i);
	}
	/* Arrows of launches stay if a device event with their id stays. */
	struct tl_arg id = tl_arg_of_event(s->t, TL_KEY_FLOW_ID);
	struct tl_strtab ids = { 0 };
	collect_ids(s, TL_KEY_CORRELATION, &ids);
	collect_ids(s, TL_KEY_EXTERNAL_ID, &ids);
	for (uint32_t i = 0; i < s->t->n_events; i++)
		if (s->t->events[i].kind == TL_KIND_LAUNCH_FLOW)
			s->to->kept[i] = tl_cell_id(&ids, tl_arg_cell(s->t, &id, i), false);
	tl_strtab_release(&ids);
}

/* ---- interface ---------------------------------------------------------------------------- */

enum tl_status tl_selection_make(struct tl_selection *to, struct tl_trace *t, const struct tl_link *links, size_t n_links,
                                const struct tl_slice_options *o, const struct tl_pattern *regex, struct tl_error *err)
{
	struct selector s = { .to = to, .t = t, .o = o, .links = links, .n_links = n_links };
	enum tl_status status;

	*to = (struct tl_selection){ 0 };
	status = find_scope(&s.scope, t, o, err);
	to->from = s.scope.from;
	to->to = s.scope.to;
	if (o->step_marker)
		tl_steps_mark_by(t, o->step_marker);
	s.by_step = o->annotation || o->first_step >= 0;
	if (status == TL_OK && s.by_step)
		status = step_times_find(&s.steps, t, o, regex, err);
	if (status == TL_OK) {
		s.launches = tl_launches_with_lone(t, &s.n_launches);
		s.bits = tl_calloc((size_t)t->n_events + 1, sizeof *s.bits);
		to->kept = tl_calloc((size_t)t->n_events + 1, sizeof *to->kept);
		look_at_launches(&s);
		choose_device_events(&s);
		mark_launches(&s);
		choose_nodes(&s);
		choose_others(&s);
	}
	slice_scope_release(&s.scope);
	process_spans_release(&s.steps.host);
	process_spans_release(&s.steps.device);
	process_spans_release(&s.work);
	tl_map_release(&s.processes);
	free(s.launches);
	free(s.stack);
	free(s.bits);
	return status;
}

void tl_selection_release(struct tl_selection *s)
{
	free(s->kept);
	*s = (struct tl_selection){ 0 };
}
