/* pytorch.c - reads a Chrome-trace JSON file as PyTorch's profiler writes it:
 * the document around the events, the window over the text, what is counted.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/pytorch.h"

#include <stdlib.h>
#include <string.h>

#define META_MAX ((size_t)16 * 1024 * 1024)

/* ---- counting ------------------------------------------------------------------ */

static const char *const note_text[NOTE_COUNT] = {
	[NOTE_CONTROL] = "raw control characters inside a string",
	[NOTE_UTF8] = "bytes that are not UTF-8, replaced by U+FFFD",
	[NOTE_SURROGATE] = "escaped surrogates without their pair, replaced by U+FFFD",
	[NOTE_NO_PHASE] = "dropped: no phase letter (ph)",
	[NOTE_NEGATIVE] = "dropped: negative dur",
	[NOTE_BAD_TIME] = "dropped: ts or dur is no usable number",
	[NOTE_NOT_OBJECT] = "dropped: not an object",
	[NOTE_DAMAGED] = "dropped: damaged",
	[NOTE_TRUNCATED] = "the trace is cut short here",
	[NOTE_INPUT] = "the compressed data is damaged or cut short here",
	[NOTE_LOST] = "no event found after the damage, the rest of the trace is lost",
	[NOTE_GARBAGE] = "text after the end of the trace, ignored",
	[NOTE_SECOND_LIST] = "another traceEvents, ignored",
	[NOTE_LONG_MEMBER] = "top-level member of more than 16 MB, left out",
};

void tl_reader_note(struct reader *r, enum note reason, const char *at)
{
	struct tl_read_report *rep = r->report;
	int i = r->note_index[reason] - 1;

	if (r->noted[reason] == r->uid + 1)
		return;
	r->noted[reason] = r->uid + 1;
	if (i < 0) {
		if (rep->n_drops == sizeof rep->drops / sizeof *rep->drops)
			return;
		i = (int)rep->n_drops++;
		r->note_index[reason] = i + 1;
		rep->drops[i].what = note_text[reason];
		rep->drops[i].first_offset = offset_of(r, at);
		rep->drops[i].first_uid = r->uid;
	}
	rep->drops[i].count++;
}

void tl_reader_note_problems(struct reader *r, unsigned problems, const char *at)
{
	if (problems & TL_JSON_CONTROL)
		tl_reader_note(r, NOTE_CONTROL, at);
	if (problems & TL_JSON_UTF8)
		tl_reader_note(r, NOTE_UTF8, at);
	if (problems & TL_JSON_SURROGATE)
		tl_reader_note(r, NOTE_SURROGATE, at);
}

/* ---- the window ------------------------------------------------------------------- */

static void window_init(struct window *w, struct tl_input *in)
{
	memset(w, 0, sizeof *w);
	w->in = in;
	w->cap = WINDOW_SIZE;
	w->buf = tl_calloc(1, w->cap + TL_JSON_PAD);
	w->end = w->buf;
}

static void window_grow(struct window *w)
{
	size_t len = (size_t)(w->end - w->buf);
	char *buf = tl_calloc(1, 2 * w->cap + TL_JSON_PAD);

	memcpy(buf, w->buf, len);
	free(w->buf);
	w->buf = buf;
	w->end = buf + len;
	w->cap *= 2;
}

/* What the input says is wrong: an error, or with lenient the end, if what came
 * before it is good. */
static enum tl_status input_failed(struct reader *r, struct tl_error *e)
{
	if (!r->options->lenient || e->status != TL_ERR_DATA) {
		if (r->err)
			*r->err = *e;
		return e->status;
	}
	tl_reader_note(r, NOTE_INPUT, r->w.end);
	r->w.eof = true;
	return TL_OK;
}

/* Gets more text: what is before *p goes, *p moves. A text that is still not
 * whole comes back with at least twice as much, so that a long one is not read
 * again for each piece. At the end of the input eof is set. */
static enum tl_status more(struct reader *r, const char **p)
{
	struct window *w = &r->w;
	size_t keep = (size_t)(w->end - *p), want = 2 * keep;

	w->base += *p - w->buf;
	memmove(w->buf, *p, keep);
	w->end = w->buf + keep;
	while (!w->eof && (w->end == w->buf + keep || (size_t)(w->end - w->buf) < want)) {
		struct tl_error e = { 0 };
		int64_t n;

		if (w->end == w->buf + w->cap) {
			if (w->cap >= WINDOW_MAX)
				return tl_fail_at(r->err, TL_ERR_DATA, w->base, "an event or member of more than %zu MB", WINDOW_MAX >> 20);
			window_grow(w);
		}
		n = w->in->read(w->in, w->end, (size_t)(w->buf + w->cap - w->end), &e);
		if (n < 0) {
			enum tl_status st = input_failed(r, &e);

			if (st)
				return st;
		} else {
			w->end += n;
			w->eof = n == 0;
		}
	}
	memset(w->end, 0, 64);
	r->scan.end = w->end;
	*p = w->buf;
	return TL_OK;
}

/* Skips blanks; the byte there, or -1 at the end of the input. */
static enum tl_status next_byte(struct reader *r, const char **p, int *c)
{
	for (;;) {
		enum tl_status st;

		*p = r->ops->blanks(*p);
		*c = *p < r->w.end ? (unsigned char)**p : -1;
		if (*c >= 0 || r->w.eof)
			return TL_OK;
		st = more(r, p);
		if (st)
			return st;
	}
}

/* ---- failures ------------------------------------------------------------------------ */

static const char *shown(int c, char *buf)
{
	static const char digit[] = "0123456789abcdef";

	if (c < 0)
		return "the end of the input";
	if (c >= 0x20 && c < 0x7f) {
		buf[0] = buf[2] = '\'';
		buf[1] = (char)c;
		buf[3] = 0;
	} else {
		memcpy(buf, "byte 0x", 7);
		buf[7] = digit[c >> 4];
		buf[8] = digit[c & 15];
		buf[9] = 0;
	}
	return buf;
}

static enum tl_status fail_here(struct reader *r, const char *p, const char *expected)
{
	int c = p < r->w.end ? (unsigned char)*p : -1;
	char buf[16];

	if (c < 0)
		return tl_fail_at(r->err, TL_ERR_DATA, offset_of(r, p), "the trace is cut short: expected %s", expected);
	return tl_fail_at(r->err, TL_ERR_DATA, offset_of(r, p), "expected %s, found %s", expected, shown(c, buf));
}

/* Why the checker failed, as an error. */
static enum tl_status fail_scan(struct reader *r)
{
	const struct tl_json_scan *s = &r->scan;
	char buf[16];

	if (!s->what)
		return tl_fail_at(r->err, TL_ERR_DATA, offset_of(r, s->at), "the trace is cut short");
	return tl_fail_at(r->err, TL_ERR_DATA, offset_of(r, s->at), "%s, found %s", s->what,
	                  shown((unsigned char)*s->at, buf));
}

static enum tl_status fail_event(struct reader *r)
{
	const struct tl_json_scan *s = &r->scan;
	enum tl_status st;
	char buf[16];

	if (!s->what)
		st = tl_fail_at(r->err, TL_ERR_DATA, offset_of(r, s->at), "event %llu: the trace is cut short",
		                (unsigned long long)r->uid);
	else
		st = tl_fail_at(r->err, TL_ERR_DATA, offset_of(r, s->at), "event %llu: %s, found %s",
		                (unsigned long long)r->uid, s->what, shown((unsigned char)*s->at, buf));
	if (r->err)
		r->err->record = (int64_t)r->uid;
	return st;
}

/* ---- damage ---------------------------------------------------------------------------- */

/* Whether an event seems to start at p, an opening brace: its first member is
 * one that events have. */
static bool looks_like_event(const struct reader *r, const char *p)
{
	static const char *const names[] = {
		"ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "args", "s", "bp",
	};
	const char *q = r->ops->blanks(p + 1);

	if (*q++ != '"')
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);

		if (!strncmp(q, names[i], n) && q[n] == '"')
			return *r->ops->blanks(q + n + 1) == ':';
	}
	return false;
}

/* Where the next event after a damaged one starts: after "}", ",". NULL if
 * there is none in the window. */
static const char *next_event(const struct reader *r, const char *p)
{
	for (; p < r->w.end; p++) {
		const char *q;

		p = memchr(p, '}', (size_t)(r->w.end - p));
		if (!p)
			return NULL;
		q = r->ops->blanks(p + 1);
		if (*q != ',')
			continue;
		q = r->ops->blanks(q + 1);
		if (*q == '{' && looks_like_event(r, q))
			return q;
	}
	return NULL;
}

/* Lenient: goes on after the damage at r->scan.at in the event at *p. *p is at
 * the next event (then *again is set), or at the end of the input when there is
 * none. */
static enum tl_status recover(struct reader *r, const char **p, bool *again)
{
	const char *at = r->scan.at;
	size_t overlap = 256;

	tl_reader_note(r, NOTE_DAMAGED, *p);
	for (;;) {
		const char *q = next_event(r, at);
		enum tl_status st;

		if (q) {
			*p = q;
			*again = true;
			return TL_OK;
		}
		if (r->w.eof)
			break;
		/* the end of one event may be split from the start of the next */
		*p = (size_t)(r->w.end - at) > overlap ? r->w.end - overlap : at;
		st = more(r, p);
		if (st)
			return st;
		at = *p;
	}
	tl_reader_note(r, NOTE_LOST, at);
	*p = r->w.end;
	return TL_OK;
}

/* ---- the list of events ----------------------------------------------------------------- */

static void forget_ids(struct reader *r)
{
	tl_rawcache_clear(&r->cache);
	tl_shapes_clear(r);
	memset(r->tracks, 0, sizeof r->tracks);
}

/* An element that is no object. */
static enum tl_status not_object(struct reader *r, const char **p, bool *again)
{
	for (;;) {
		const char *q = tl_json_value(&r->scan, *p, NULL);
		enum tl_status st;

		if (q) {
			if (!r->options->lenient) {
				r->scan.at = *p;
				r->scan.what = "expected an object";
				return fail_event(r);
			}
			tl_reader_note(r, NOTE_NOT_OBJECT, *p);
			*p = q;
			return TL_OK;
		}
		if (r->scan.what || r->w.eof) {
			if (!r->options->lenient)
				return fail_event(r);
			return recover(r, p, again);
		}
		st = more(r, p);
		if (st)
			return st;
	}
}

/* The input ends too early, which is said once. */
static void note_end(struct reader *r, const char *p)
{
	if (!r->note_index[NOTE_TRUNCATED] && !r->note_index[NOTE_LOST] && !r->note_index[NOTE_INPUT])
		tl_reader_note(r, NOTE_TRUNCATED, p);
}

/* One element at *p; *p moves behind it (or, after damage, to the next). *again:
 * *p is at another element already. */
static enum tl_status element(struct reader *r, const char **p, bool *again)
{
	enum tl_status st;

	if (**p != '{')
		return not_object(r, p, again);
	for (;;) {
		enum parse res = tl_event_parse(r, p);

		if (res == PARSE_OK)
			return TL_OK;
		if (res == PARSE_STATUS)
			return r->status;
		if (res == PARSE_BAD || r->w.eof) {
			if (!r->options->lenient)
				return fail_event(r);
			if (res == PARSE_MORE) {
				note_end(r, *p);
				*p = r->w.end;
				return TL_OK;
			}
			return recover(r, p, again);
		}
		st = more(r, p);
		if (st)
			return st;
	}
}

static enum tl_status cut_short(struct reader *r, const char *p, const char *expected)
{
	if (!r->options->lenient)
		return fail_here(r, p, expected);
	note_end(r, p);
	return TL_OK;
}

/* *p after the opening bracket; moves behind the closing one. */
static enum tl_status event_list(struct reader *r, const char **p)
{
	enum tl_status st;
	bool again = false;
	int c;

	st = next_byte(r, p, &c);
	if (st || c == ']') {
		*p += c == ']';
		return st;
	}
	for (;; r->uid++) {
		if (tl_source_reset(&r->tables, r->sink))
			forget_ids(r);
		else if (r->shape_bytes > SHAPES_MAX_BYTES)
			tl_shapes_clear(r);
		if ((st = next_byte(r, p, &c)))
			return st;
		if (c < 0)
			return cut_short(r, *p, "an event");
		again = false;
		if ((st = element(r, p, &again)))
			return st;
		r->report->n_events++;
		if (again)
			continue;
		if (**p != ',' && (st = next_byte(r, p, &c)))
			return st;
		if (**p == ',') {
			++*p;
			continue;
		}
		if (*p >= r->w.end)
			return cut_short(r, *p, "',' or ']'");
		if (**p == ']') {
			++*p;
			return TL_OK;
		}
		if (!r->options->lenient)
			return fail_here(r, *p, "',' or ']' after an event");
		r->scan.at = *p;
		if ((st = recover(r, p, &again)))
			return st;
	}
}

/* ---- the document ------------------------------------------------------------------------- */

struct document {
	bool list_seen;
	struct tl_buf members; /* names seen, for the message */
};

/* A value at *p as text without blanks in r->text. */
static enum tl_status whole_value(struct reader *r, const char **p)
{
	for (;;) {
		enum tl_status st;
		const char *q;

		tl_buf_clear(&r->text);
		r->scan.problems = 0;
		q = tl_json_value(&r->scan, *p, &r->text);
		if (q) {
			tl_reader_note_problems(r, r->scan.problems, *p);
			*p = q;
			return TL_OK;
		}
		if (r->scan.what || r->w.eof)
			return fail_scan(r);
		st = more(r, p);
		if (st)
			return st;
	}
}

/* A member's name in r->key, *p after its colon. */
static enum tl_status member_name(struct reader *r, const char **p)
{
	enum tl_status st;
	int c;

	if ((st = next_byte(r, p, &c)))
		return st;
	if (c != '"')
		return fail_here(r, *p, "a member name in quotes");
	for (;;) {
		const char *q;

		tl_buf_clear(&r->key);
		r->scan.problems = 0;
		q = tl_json_string(&r->scan, *p, &r->key);
		if (q) {
			tl_reader_note_problems(r, r->scan.problems, *p);
			*p = q;
			break;
		}
		if (r->scan.what || r->w.eof)
			return fail_scan(r);
		if ((st = more(r, p)))
			return st;
	}
	if ((st = next_byte(r, p, &c)))
		return st;
	if (c != ':')
		return fail_here(r, *p, "':'");
	++*p;
	return TL_OK;
}

static enum tl_status trace_events(struct reader *r, struct document *d, const char **p)
{
	enum tl_status st;
	int c;

	if (d->list_seen) {
		if (!r->options->lenient)
			return tl_fail_at(r->err, TL_ERR_DATA, offset_of(r, *p), "a second traceEvents");
		tl_reader_note(r, NOTE_SECOND_LIST, *p);
		return whole_value(r, p);
	}
	if ((st = next_byte(r, p, &c)))
		return st;
	if (c != '[')
		return fail_here(r, *p, "a list of events as traceEvents");
	++*p;
	d->list_seen = true;
	return event_list(r, p);
}

static enum tl_status top_member(struct reader *r, struct document *d, const char **p)
{
	char *key;
	size_t len = r->key.len;
	enum tl_status st;

	if (len == 11 && !memcmp(r->key.data, "traceEvents", 11))
		return trace_events(r, d, p);
	if (d->members.len < 200)
		tl_buf_addf(&d->members, "%s%.*s", d->members.len ? ", " : "", len > 40 ? 40 : (int)len, len ? r->key.data : "");
	if ((st = whole_value(r, p)))
		return st;
	if (r->text.len > META_MAX) {
		tl_reader_note(r, NOTE_LONG_MEMBER, *p);
		return TL_OK;
	}
	key = tl_strndup(len ? r->key.data : "", len);
	st = r->sink->ops->meta(r->sink, key, len, r->text.data, r->text.len, r->err);
	free(key);
	return st;
}

/* *p after the opening brace. */
static enum tl_status top_object(struct reader *r, struct document *d, const char **p)
{
	enum tl_status st;
	int c;

	if ((st = next_byte(r, p, &c)))
		return st;
	if (c == '}') {
		++*p;
		return TL_OK;
	}
	for (;;) {
		if ((st = member_name(r, p)) || (st = top_member(r, d, p)) || (st = next_byte(r, p, &c)))
			return st;
		if (c == '}') {
			++*p;
			return TL_OK;
		}
		if (c < 0)
			return cut_short(r, *p, "',' or '}'");
		if (c != ',')
			return fail_here(r, *p, "',' or '}'");
		++*p;
	}
}

static enum tl_status trailer(struct reader *r, const char **p)
{
	enum tl_status st;
	int c;

	if ((st = next_byte(r, p, &c)) || c < 0)
		return st;
	if (!r->options->lenient)
		return fail_here(r, *p, "nothing after the end of the trace");
	tl_reader_note(r, NOTE_GARBAGE, *p);
	while (!st && !r->w.eof) {
		*p = r->w.end;
		st = more(r, p);
	}
	return st;
}

static enum tl_status no_list(struct reader *r, struct document *d)
{
	return tl_fail(r->err, TL_ERR_DATA, "no traceEvents in the trace; %s%s",
	               d->members.len ? "its members are: " : "it has no members",
	               d->members.len ? d->members.data : "");
}

static enum tl_status document(struct reader *r, struct document *d)
{
	const char *p = r->w.buf;
	enum tl_status st = more(r, &p);
	int c;

	if (st)
		return st;
	while (!r->w.eof && *p == '\xef' && r->w.end - p < 3)
		if ((st = more(r, &p)))
			return st;
	if (!memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	if ((st = next_byte(r, &p, &c)))
		return st;
	if (c != '{' && c != '[')
		return fail_here(r, p, "'{' or '['");
	p++;
	d->list_seen = c == '[';
	st = c == '[' ? event_list(r, &p) : top_object(r, d, &p);
	if (!st)
		st = trailer(r, &p);
	if (!st && !d->list_seen)
		st = no_list(r, d);
	r->report->n_bytes = (uint64_t)offset_of(r, p);
	return st;
}

/* What was passed over goes into the stream too, as a fact about the trace. */
static enum tl_status record_notes(struct reader *r)
{
	const struct tl_read_report *rep = r->report;
	static const char key[] = "tl-parse warnings";

	if (r->passed_on < rep->n_events) {
		char n[24];
		enum tl_status st = r->sink->ops->meta(r->sink, TL_META_EVENTS, sizeof TL_META_EVENTS - 1, n,
		                                       tl_format_int(n, (int64_t)rep->n_events), r->err);
		if (st)
			return st;
	}
	if (!rep->n_drops)
		return TL_OK;
	tl_buf_clear(&r->text);
	for (size_t i = 0; i < rep->n_drops; i++)
		tl_buf_addf(&r->text, "%s\"%s\":{\"events\":%llu,\"first_uid\":%llu,\"first_byte\":%lld}", i ? "," : "{",
		            rep->drops[i].what, (unsigned long long)rep->drops[i].count,
		            (unsigned long long)rep->drops[i].first_uid, (long long)rep->drops[i].first_offset);
	tl_buf_addc(&r->text, '}');
	return r->sink->ops->meta(r->sink, key, sizeof key - 1, r->text.data, r->text.len, r->err);
}

enum tl_status tl_pytorch_read(struct tl_input *in, const struct tl_read_options *options,
                               struct tl_sink *sink, struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "pytorch", .ticks_per_us = 1000 };
	struct reader *r = tl_calloc(1, sizeof *r);
	struct document d = { 0 };
	enum tl_status st;

	r->ops = tl_json_ops();
	r->options = options;
	r->sink = sink;
	r->report = report;
	r->err = err;
	window_init(&r->w, in);
	r->scan.end = r->w.end;
	tl_rawcache_init(&r->cache);
	st = sink->ops->begin(sink, &header, &r->tables, err);
	if (!st)
		st = document(r, &d);
	if (!st)
		st = record_notes(r);
	if (!st)
		st = r->sink->ops->end(r->sink, err);
	tl_buf_release(&d.members);
	tl_buf_release(&r->text);
	tl_buf_release(&r->key);
	tl_arena_release(&r->shape_arena);
	tl_rawcache_release(&r->cache);
	tl_tables_release(&r->tables);
	free(r->w.buf);
	free(r);
	return st;
}
