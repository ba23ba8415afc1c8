/* rocprof_chrome.c - reads the JSON of rocprof, the profiler before rocprofv3: Chrome's form, in
 * which all values are texts and the arguments give the times in nanoseconds.
 *
 *   { "traceEvents":[{}
 *   ,{"args":{"name":"GPU0"},"ph":"M","pid":6,"name":"process_name"}
 *   ,{"ph":"X","name":"k","pid":"6","tid":"0","ts":"10","dur":"2","args":{"BeginNs":"10123","EndNs":"12456","gpu-id":"0"}}
 *
 * A pid is a row of the viewer, such as that of all copies; the arguments tell the process. Only arrows, which stand
 * behind the events, tell what a call started on a device: so events wait in a temporary file until these are known.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/merge_sort.h"
#include "base/search.h"
#include "base/text.h"
#include "base/decimal.h"
#include "base/scan.h"
#include "readers/event_maker.h"
#include "readers/spool.h"

/* ---- arrows lead from a call to what it started on a device. They name neither: each end is a row of the viewer
 * (pid, tid) and a time in µs there ---- */

/* Zero bytes are a start. Times are in ns as the viewer shows them; row: a hash of pid and tid. */
struct arrows {
	struct call { uint64_t row, uid; int64_t start, end; } *calls;
	struct work { uint64_t row, uid; int64_t start; size_t taken; } *work;
	struct arrow { uint64_t row_from, row_to, uid; int64_t from, to; } *arrows;
	size_t n_calls, cap_calls, n_work, cap_work, n_arrows, cap_arrows;
	struct tl_map calls_of; /* uid of work -> uid of its call + 1 */
};

enum { NS = 1000, NEAR = 8 }; /* NEAR: calls before a time that are looked at */

static void add_call(struct arrows *a, uint64_t row, int64_t start, int64_t dur, uint64_t uid)
{
	TL_PUSH(a->calls, a->n_calls, a->cap_calls, (struct call){ row, uid, start / NS, start / NS + dur / NS });
}

static void add_arrow(struct arrows *a, const struct arrow *arrow)
{
	struct arrow in_us = { arrow->row_from, arrow->row_to, arrow->uid, arrow->from / NS, arrow->to / NS };

	TL_PUSH(a->arrows, a->n_arrows, a->cap_arrows, in_us);
}

static int by_place(uint64_t row, int64_t start, uint64_t other_row, int64_t other_start)
{
	if (row != other_row)
		return row < other_row ? -1 : 1;
	return start < other_start ? -1 : start > other_start;
}

TL_ORDER(by_call, struct call, TL_ASC(x->row) TL_ASC(x->start))
TL_ORDER(by_work, struct work, TL_ASC(x->row) TL_ASC(x->start))

/* An arrow begins in the middle of its call, as whole µs say it, or earlier in it if the work began before that. */
static const struct call *find_call(const struct arrows *a, const struct arrow *arrow)
{
	const struct call *found = NULL;
	size_t at;

	TL_SEARCH(at, a->n_calls, mid, by_place(a->calls[mid].row, a->calls[mid].start, arrow->row_from, arrow->from) <= 0);
	for (size_t i = 0; i < NEAR && i < at && a->calls[at - 1 - i].row == arrow->row_from; i++) {
		const struct call *c = &a->calls[at - 1 - i];
		if (c->start + (c->end - c->start) / 2 == arrow->from)
			return c;
		if (!found && arrow->from <= c->end)
			found = c;
	}
	return found;
}

/* An arrow ends where its work begins; of work that begins in one µs each gets one arrow, which the first counts. */
static const struct work *take_work(struct arrows *a, const struct arrow *arrow)
{
	size_t first, at;

	TL_SEARCH(first, a->n_work, mid, by_place(a->work[mid].row, a->work[mid].start, arrow->row_to, arrow->to) < 0);
	at = first < a->n_work ? first + a->work[first].taken : first;
	if (at >= a->n_work || by_place(a->work[at].row, a->work[at].start, arrow->row_to, arrow->to))
		return NULL;
	a->work[first].taken++;
	return &a->work[at];
}

/* Finds what the arrows relate; calls unresolved() for each that does not lead from a call to work. */
static void resolve(struct arrows *a, void (*unresolved)(void *ctx, uint64_t uid), void *ctx)
{
	tl_merge_sort(a->calls, a->n_calls, sizeof *a->calls, by_call, NULL);
	tl_merge_sort(a->work, a->n_work, sizeof *a->work, by_work, NULL);
	for (size_t i = 0; i < a->n_arrows; i++) {
		const struct call *call = find_call(a, &a->arrows[i]);
		const struct work *work = call ? take_work(a, &a->arrows[i]) : NULL;
		if (work)
			*tl_map_put(&a->calls_of, work->uid, NULL) = (uint32_t)call->uid + 1;
		else
			unresolved(ctx, a->arrows[i].uid);
	}
}

/* The uid of the call that started the work, + 1; 0: none is known. */
static uint64_t call_of(const struct arrows *a, uint64_t uid)
{
	const uint32_t *call = tl_map_get(&a->calls_of, uid);

	return call ? *call : 0;
}

/* ---- the reader ---- */

enum { MAX_FIELDS = 64 };

struct reader {
	struct tl_json_doc doc;
	const struct tl_read_options *options;
	struct tl_read_report *report;
	struct tl_maker make;      /* its text: the value at hand */
	uint64_t uid;
	/* the event at hand; times in ns, -1: not given */
	char ph;
	struct tl_buf name, pid, tid; /* pid, tid: JSON */
	struct tl_buf process, id; /* of the arguments; of an arrow */
	int64_t ts, dur, begin, end;
	bool on_device;
	/* events that wait, and the arrow that has no end yet: row_to is a hash of its id */
	struct tl_spool waiting;
	struct tl_buf packed;
	struct arrows arrows;
	struct arrow arrow;
	bool pending;              /* is there such an arrow? */
};

/* ---- values -------------------------------------------------------------------------- */

/* Takes the value at hand: a string's text, or the JSON text of any other value. */
static void take_text(struct reader *r, struct tl_buf *out)
{
	(tl_json_doc_peek(&r->doc) == '"' ? tl_json_doc_string : tl_json_doc_value)(&r->doc, out);
}

/* A whole number, maybe in quotes. */
static bool whole(const struct tl_buf *text, int64_t *out)
{
	const char *p = tl_buf_text(text);

	return text->len && (tl_is_digit(*p) || (*p == '-' && tl_is_digit(p[1]))) && tl_json_int64(p, p + text->len, out);
}

/* Digits, maybe with a point between them: times are text in quotes, in which anything may stand. */
static bool is_decimal(const char *p, const char *end)
{
	bool point = false;

	for (const char *at = p; at < end; at++)
		if (!tl_is_digit(*at)) {
			if (*at != '.' || point || at == p)
				return false;
			point = true;
		}
	return p < end;
}

/* Takes a time in µs or, with a scale of 0, in ns; -1 if it is none. */
static void take_time(struct reader *r, int scale, int64_t *out)
{
	take_text(r, &r->make.text);
	const char *p = tl_buf_text(&r->make.text);
	if (!is_decimal(p, p + r->make.text.len) || !tl_json_fixed(p, p + r->make.text.len, scale, out))
		*out = -1;
}

/* A pid or tid: a number stays one, in quotes or not. */
static void take_track(struct reader *r, struct tl_buf *out)
{
	int64_t number;

	take_text(r, &r->make.text);
	tl_buf_clear(out);
	if (whole(&r->make.text, &number))
		tl_buf_addf(out, "%lld", (long long)number);
}

/* ---- arguments -------------------------------------------------------------------------- */

/* The names of arguments that are well-known fields. */
static const struct { const char *argument, *key; } keys[] = {
	{ "gpu-id", TL_KEY_DEVICE }, { "dev-id", TL_KEY_DEVICE }, { "queue-id", TL_KEY_QUEUE }, { "stream-id", TL_KEY_STREAM },
	{ "tid", TL_KEY_THREAD },
};

static void take_field(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	struct tl_maker *m = &r->make;
	const char *key = d->name.s;
	size_t len = d->name.len;
	int64_t number;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (tl_json_doc_name_is(d, keys[i].argument)) {
			key = keys[i].key;
			len = strlen(key);
			r->on_device |= !strcmp(key, TL_KEY_DEVICE);
		}
	if (m->layout.n_fields == MAX_FIELDS) {
		tl_json_doc_value(d, NULL);
		return;
	}
	struct tl_field *f = &m->fields[m->layout.n_fields];
	*f = (struct tl_field){ .key = tl_add_string(&m->tables, key, len), .type = TL_FIELD_INT };
	int c = tl_json_doc_peek(d);
	bool process = tl_json_doc_name_is(d, "pid");
	take_text(r, &m->text);
	if (process && whole(&m->text, &number))
		tl_buf_addf(&r->process, "%lld", (long long)number);
	if (!whole(&m->text, &number)) {
		f->type = c == '"' ? TL_FIELD_STRING : TL_FIELD_JSON;
		number = tl_add_string(&m->tables, tl_buf_text(&m->text), m->text.len);
	}
	m->values[m->layout.n_fields++] = number;
}

static void take_args(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "BeginNs"))
			take_time(r, 0, &r->begin);
		else if (tl_json_doc_name_is(d, "EndNs"))
			take_time(r, 0, &r->end);
		else
			take_field(r);
}

/* ---- events -------------------------------------------------------------------------------- */

static void take_member(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	if (tl_json_doc_name_is(d, "ph")) {
		take_text(r, &r->make.text);
		r->ph = r->make.text.len == 1 ? *r->make.text.data : 0;
	} else if (tl_json_doc_name_is(d, "name"))
		take_text(r, &r->name);
	else if (tl_json_doc_name_is(d, "pid"))
		take_track(r, &r->pid);
	else if (tl_json_doc_name_is(d, "tid"))
		take_track(r, &r->tid);
	else if (tl_json_doc_name_is(d, "ts"))
		take_time(r, 3, &r->ts);
	else if (tl_json_doc_name_is(d, "dur"))
		take_time(r, 3, &r->dur);
	else if (tl_json_doc_name_is(d, "id"))
		take_text(r, &r->id);
	else if (tl_json_doc_name_is(d, "args") && tl_json_doc_peek(d) == '{')
		take_args(r);
	else
		tl_json_doc_value(d, NULL);
}

static uint8_t kind_of(const struct reader *r)
{
	const char *name = tl_buf_text(&r->name);

	if (r->ph == 'M')
		return TL_KIND_META;
	if (!r->on_device)
		return tl_starts_with(name, "hip") ? TL_KIND_RUNTIME : tl_starts_with(name, "hsa_") ? TL_KIND_DRIVER : TL_KIND_OTHER;
	if (tl_starts_with(name, "Copy") || tl_starts_with(name, "hcMemcpy"))
		return TL_KIND_MEMCPY;
	return tl_starts_with(name, "FillBuffer") ? TL_KIND_MEMSET : TL_KIND_KERNEL;
}

/* Start and duration: of the arguments, which are exact, else those of the event. */
static void set_time(struct reader *r, int64_t offset)
{
	int64_t start = r->begin >= 0 ? r->begin : r->ts, dur = -1;

	if (r->begin >= 0 && r->end >= r->begin)
		dur = r->end - r->begin;
	else if (r->begin < 0 && r->ts >= 0 && r->dur <= TL_JSON_FIXED_MAX - r->ts)
		dur = r->dur;
	if (start >= 0 && dur >= 0) {
		tl_make_span(&r->make, start, dur);
		return;
	}
	if (start >= 0)
		tl_make_start(&r->make, start);
	if (r->ph == 'X')
		tl_read_note(r->report, "without a duration: start or end is missing, or in the wrong order", r->uid, offset);
}

/* ---- events that wait for the arrows ------------------------------------------------------------ */

struct packed_event { uint64_t uid; int64_t ts, dur; uint32_t name, pid, tid, n_fields; uint8_t kind, ph, flags; };
struct packed_field { int64_t value; uint32_t key, text; uint8_t type; };

static void pack_text(struct reader *r, uint32_t id)
{
	tl_buf_add(&r->packed, tl_str(&r->make.tables.strings, id), tl_str_len(&r->make.tables.strings, id));
}

/* The event at hand as bytes: numbers, then fields, then texts. pid: of its track. */
static void pack(struct reader *r, const struct tl_buf *pid)
{
	const struct tl_maker *m = &r->make;
	const struct tl_strtab *s = &m->tables.strings;
	struct packed_event head = { .uid = r->uid, .ts = m->event.ts, .dur = m->event.dur, .name = (uint32_t)r->name.len,
		.pid = (uint32_t)pid->len, .tid = (uint32_t)r->tid.len, .n_fields = m->layout.n_fields, .kind = m->layout.kind,
		.ph = (uint8_t)m->layout.ph, .flags = m->layout.flags };

	tl_buf_clear(&r->packed);
	tl_buf_add(&r->packed, &head, sizeof head);
	for (uint32_t i = 0; i < m->layout.n_fields; i++) {
		bool text = m->fields[i].type != TL_FIELD_INT;
		struct packed_field f = { text ? 0 : m->values[i], (uint32_t)tl_str_len(s, m->fields[i].key),
			text ? (uint32_t)tl_str_len(s, (uint32_t)m->values[i]) : 0, m->fields[i].type };
		tl_buf_add(&r->packed, &f, sizeof f);
	}
	tl_buf_add(&r->packed, tl_buf_text(&r->name), r->name.len);
	tl_buf_add(&r->packed, tl_buf_text(pid), pid->len);
	tl_buf_add(&r->packed, tl_buf_text(&r->tid), r->tid.len);
	for (uint32_t i = 0; i < m->layout.n_fields; i++) {
		pack_text(r, m->fields[i].key);
		if (m->fields[i].type != TL_FIELD_INT)
			pack_text(r, (uint32_t)m->values[i]);
	}
}

static uint32_t unpack_text(struct reader *r, const char **at, size_t len)
{
	const char *text = *at;

	*at += len;
	return len ? tl_add_string(&r->make.tables, text, len) : 0;
}

/* Makes the event again and pushes it, with the number of its call. */
static bool push_waiting(void *ctx, const void *record)
{
	struct reader *r = ctx;
	struct tl_maker *m = &r->make;
	struct packed_event head;
	struct packed_field f;

	memcpy(&head, record, sizeof head);
	const char *field = (const char *)record + sizeof head, *texts = field + head.n_fields * sizeof f;
	tl_make_event(m, head.uid, head.kind, (char)head.ph);
	m->layout.flags = head.flags;
	m->event.ts = head.ts;
	m->event.dur = head.dur;
	tl_make_name(m, texts, head.name);
	texts += head.name;
	uint32_t pid = unpack_text(r, &texts, head.pid), tid = unpack_text(r, &texts, head.tid);
	m->event.track = tl_add_track(&m->tables, pid, tid);
	for (uint32_t i = 0; i < head.n_fields; i++) {
		memcpy(&f, field + i * sizeof f, sizeof f);
		uint32_t key = tl_add_string(&m->tables, texts, f.key);
		texts += f.key;
		m->fields[i] = (struct tl_field){ .key = key, .type = f.type };
		m->values[i] = f.type == TL_FIELD_INT ? f.value : tl_add_string(&m->tables, texts, f.text);
		texts += f.text;
	}
	m->layout.n_fields = head.n_fields;
	uint64_t call = tl_kind_is_launch(head.kind) ? head.uid + 1 : call_of(&r->arrows, head.uid);
	if (r->arrows.n_arrows)
		tl_make_correlation(m, 1, (int64_t)call);
	r->doc.status = tl_push_made(m, &r->doc.error);
	return !r->doc.status;
}

static void note_arrow(void *ctx, uint64_t uid)
{
	tl_read_note(((struct reader *)ctx)->report, "dropped: an arrow that does not lead from a call to what it started", uid, -1);
}

/* Counts the arrow that has got no end. */
static void give_up_arrow(struct reader *r)
{
	if (r->pending)
		note_arrow(r, r->arrow.uid);
	r->pending = false;
}

static uint64_t row_of(const struct reader *r)
{
	return tl_hash(tl_buf_text(&r->pid), r->pid.len) * 31 + tl_hash(tl_buf_text(&r->tid), r->tid.len);
}

static void keep_event(struct reader *r, int64_t offset)
{
	struct tl_maker *m = &r->make;
	static const struct tl_buf unknown;
	bool timed = r->ts >= 0 && r->dur >= 0;

	m->layout.kind = kind_of(r);
	m->layout.ph = r->ph;
	set_time(r, offset);
	if (tl_kind_is_launch(m->layout.kind) && timed)
		add_call(&r->arrows, row_of(r), r->ts, r->dur, r->uid);
	else if (tl_kind_is_gpu(m->layout.kind) && timed)
		TL_PUSH(r->arrows.work, r->arrows.n_work, r->arrows.cap_work, (struct work){ row_of(r), r->uid, r->ts / NS, 0 });
	/* the row of a device is no process */
	pack(r, r->process.len ? &r->process : tl_kind_is_gpu(m->layout.kind) ? &unknown : &r->pid);
	r->doc.status = tl_spool_add(&r->waiting, r->packed.data, r->packed.len, &r->doc.error);
	tl_maker_rest(m);
}

/* An arrow's two ends stand one behind the other. */
static void take_arrow(struct reader *r)
{
	uint64_t id = tl_hash(tl_buf_text(&r->id), r->id.len);

	if (r->ph == 's') {
		give_up_arrow(r);
		r->pending = true;
		r->arrow = (struct arrow){ .row_from = row_of(r), .row_to = id, .uid = r->uid, .from = r->ts };
	} else if (r->pending && r->arrow.row_to == id) {
		r->arrow.row_to = row_of(r);
		r->arrow.to = r->ts;
		add_arrow(&r->arrows, &r->arrow);
		r->pending = false;
	} else {
		note_arrow(r, r->uid);
	}
}

static void read_event(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	int64_t offset = tl_json_doc_offset(d);
	bool any = false;

	r->ph = 0;
	r->ts = r->dur = r->begin = r->end = -1;
	r->on_device = false;
	tl_make_event(&r->make, r->uid, TL_KIND_OTHER, 0);
	tl_buf_clear(&r->name);
	tl_buf_clear(&r->pid);
	tl_buf_clear(&r->tid);
	tl_buf_clear(&r->process);
	tl_buf_clear(&r->id);
	tl_json_doc_enter(d, '{');
	for (; tl_json_doc_member(d); any = true)
		take_member(r);
	if (d->status)
		return;
	if (r->ph == 'X' || r->ph == 'M')
		keep_event(r, offset);
	else if (r->ph == 's' || r->ph == 't')
		take_arrow(r);
	else if (any)
		tl_read_note(r->report, "dropped: neither a span nor a name nor an arrow", r->uid, offset);
}

/* ---- the document ------------------------------------------------------------------------------ */

static void event_list(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '[');
	while (tl_json_doc_element(d)) {
		read_event(r);
		r->report->n_events = ++r->uid;
	}
}

static void document(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "traceEvents"))
			event_list(r);
		else
			tl_read_json_member(d, &r->make.text, r->make.sink, r->report, r->uid);
	tl_json_doc_end(d);
	if (d->status)
		tl_read_tolerates_end(d, r->options, r->report, r->uid);
	if (!d->status) {
		struct tl_error err;
		give_up_arrow(r);
		resolve(&r->arrows, note_arrow, r);
		enum tl_status st = tl_spool_take(&r->waiting, push_waiting, r, &err);
		if (st && !r->doc.status) {
			r->doc.status = st;
			r->doc.error = err;
		}
		r->report->n_events = r->uid;
	}
}

/* rocprof begins the list with an empty object, so that it can write a comma before each event;
 * the first event names a process, arguments first. */
static enum tl_match match_rocprof(const unsigned char *first, size_t len)
{
	static const char *const words[] = {
		"{", "\"traceEvents\"", ":", "[", "{", "}", ",", "{", "\"args\"", ":", "{", "\"name\"", NULL,
	};
	size_t at;

	return tl_match_json(first, len, words, &at);
}

static enum tl_status read_rocprof(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                   struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "rocprof", .ticks_per_us = 1000 };
	struct reader *r = tl_calloc(1, sizeof *r);

	r->options = options;
	r->report = report;
	tl_json_doc_init(&r->doc, in);
	r->doc.lenient = options->lenient;
	r->doc.status = tl_maker_begin(&r->make, sink, report, &header, &r->doc.error);
	if (!r->doc.status)
		document(r);
	enum tl_status st = tl_read_end_json(&r->doc, options, report, err);
	tl_maker_release(&r->make);
	tl_buf_release(&r->name);
	tl_buf_release(&r->pid);
	tl_buf_release(&r->tid);
	tl_buf_release(&r->process);
	tl_buf_release(&r->id);
	tl_buf_release(&r->packed);
	tl_spool_release(&r->waiting);
	free(r->arrows.calls);
	free(r->arrows.work);
	free(r->arrows.arrows);
	tl_map_release(&r->arrows.calls_of);
	free(r);
	return st;
}

const struct tl_reader tl_reader_rocprof = { "rocprof's JSON", match_rocprof, read_rocprof };
