/* read.c - tl_read: finds the format of a trace by its first bytes, and does what is the
 * same for all formats: kinds to be dropped, notes, the end.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/scan.h"
#include "model/part.h"
#include "readers/gunzip.h"
#include "readers/reader.h"
#include "stream/stream.h"

#define PEEK 4096
#define SHOWN 8     /* bytes of an unknown format in the message */
#define MAX_WRAPS 3 /* gzip inside gzip */
#define MEMBER_MAX ((size_t)16 << 20)

/* ---- our own stream ------------------------------------------------------------ */

static enum tl_match match_stream(const unsigned char *first, size_t len)
{
	/* its reader finds out whether the stream is whole and of this version */
	return len && first[0] == (unsigned char)TL_STREAM_MAGIC[0] ? TL_MATCH_YES : TL_MATCH_NO;
}

static enum tl_status read_stream(struct tl_input *in, const struct tl_read_options *o, struct tl_sink *sink,
                                  struct tl_read_report *report, struct tl_error *err)
{
	struct tl_part part;

	(void)report;
	if (!o->drop_kinds || o->drop_raw_only)
		return tl_stream_read(in, NULL, 0, sink, err);
	tl_part_init(&part, sink);
	part.drop_kinds = o->drop_kinds;
	part.refuse_linked = part.tell_count = true;
	return tl_stream_read(in, NULL, 0, &part.sink, err);
}

const struct tl_reader tl_reader_stream = { "an event stream", match_stream, read_stream };

/* ---- bytes looked at, then the rest ---------------------------------------------- */

struct peeked {
	struct tl_input base;
	struct tl_input *in;
	size_t len, used;
	unsigned char first[PEEK];
};

static int64_t peeked_read(struct tl_input *base, void *buf, size_t cap, struct tl_error *err)
{
	struct peeked *p = (struct peeked *)base;
	size_t n = p->len - p->used;

	if (!n)
		return p->in->read(p->in, buf, cap, err);
	n = n < cap ? n : cap;
	memcpy(buf, p->first + p->used, n);
	p->used += n;
	return (int64_t)n;
}

static bool is_gzip(const struct peeked *p)
{
	return p->len >= 2 && p->first[0] == 0x1f && p->first[1] == 0x8b;
}

/* Finds the reader; NULL for gzip. When no more bytes can be had, a reader that wants
 * more of them gets the trace if no other matches, because it can say what is wrong. */
static enum tl_match find_reader(const struct peeked *p, bool no_more, const struct tl_reader **reader)
{
	const struct tl_reader *found[TL_MATCHES] = { NULL }; /* by answer: the last that gave it */

	*reader = NULL;
	if (is_gzip(p))
		return TL_MATCH_YES;
	for (const struct tl_reader *const *r = tl_readers; *r; r++)
		found[(*r)->match(p->first, p->len)] = *r;
	bool unclear = found[TL_MATCH_MORE] || (!found[TL_MATCH_DEFAULT] && p->len < SHOWN);
	if (!found[TL_MATCH_YES] && unclear && !no_more)
		return TL_MATCH_MORE;
	for (int m = TL_MATCHES - 1; m > TL_MATCH_NO && !*reader; m--)
		*reader = found[m];
	return *reader ? TL_MATCH_YES : TL_MATCH_NO;
}

static enum tl_status peek(struct peeked *p, const struct tl_reader **reader, struct tl_error *err)
{
	int64_t n;

	do {
		n = p->in->read(p->in, p->first + p->len, PEEK - p->len, err);
		if (n < 0)
			return err ? err->status : TL_ERR_IO;
		p->len += (size_t)n;
	} while (find_reader(p, n == 0 || p->len == PEEK, reader) == TL_MATCH_MORE);
	return TL_OK;
}

#define NSYS "nsys export --type sqlite FILE makes a database of a report of Nsight Systems"
/* Files that profilers keep for themselves, by the ends of their names or their first bytes, and what makes
 * a trace that can be read. Nsight Systems' ancestor gave its name to reports of 2022. */
static const struct { const char *ending, *start, *hint; } closed_formats[] = {
	{ ".nsys-rep", "NVIDIA Tegra Profiler Report", NSYS }, { ".qdrep", NULL, NSYS },
	{ ".rocprof", NULL, "rocprofv3 --output-format json (or rocpd, pftrace) -- COMMAND writes a trace that can be read" },
};

/* The hint for such a file; NULL: it is none. */
static const char *hint_of(const struct peeked *p)
{
	size_t len = strlen(p->in->name);

	for (size_t i = 0; i < sizeof closed_formats / sizeof *closed_formats; i++) {
		const char *ending = closed_formats[i].ending, *start = closed_formats[i].start;
		if ((len > strlen(ending) && !strcmp(p->in->name + len - strlen(ending), ending)) ||
		    (start && p->len >= strlen(start) && !memcmp(p->first, start, strlen(start))))
			return closed_formats[i].hint;
	}
	return NULL;
}

static enum tl_status unknown(const struct peeked *p, struct tl_error *err)
{
	char hex[3 * SHOWN + 1] = "";
	const char *hint = hint_of(p);

	if (!p->len)
		return tl_fail_at(err, TL_ERR_DATA, 0, "empty input: expected a trace");
	if (p->len >= 4 && !memcmp(p->first, "tls\t", 4))
		return tl_fail_at(err, TL_ERR_DATA, 0, "this is the text of an event stream; tl-view -b turns it into one");
	if (hint)
		return tl_fail_at(err, TL_ERR_DATA, 0, "not a trace that can be read; %s", hint);
	for (size_t i = 0; i < p->len && i < SHOWN; i++)
		snprintf(hex + 3 * i, 4, " %02x", p->first[i]);
	return tl_fail_at(err, TL_ERR_DATA, 0,
	                  "not a trace: starts with bytes%s, expected JSON, a SQLite database, Perfetto's packets, XPlane, gzip or an event stream", hex);
}

/* ---- what was left out or repaired ------------------------------------------------- */

void tl_read_note(struct tl_read_report *r, const char *reason, uint64_t uid, int64_t offset)
{
	size_t i = 0;

	while (i < r->n_drops && strcmp(r->drops[i].what, reason))
		i++;
	if (i == sizeof r->drops / sizeof *r->drops)
		return;
	if (i == r->n_drops) {
		r->n_drops++;
		r->drops[i].what = reason;
		r->drops[i].first_offset = offset;
		r->drops[i].first_uid = uid;
	} else if (r->drops[i].last_uid == uid) {
		return;
	}
	r->drops[i].last_uid = uid;
	r->drops[i].count++;
}

/* ---- what readers of JSON share ------------------------------------------------------ */

enum tl_match tl_match_json(const unsigned char *first, size_t len, const char *const *words, size_t *at)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t i = 0;

	if (!memcmp(first, mark, len < 3 ? len : 3))
		i = 3;
	for (; *words; words++) {
		while (i < len && tl_json_is_blank((char)first[i]))
			i++;
		for (const char *p = *words; *p; p++, i++)
			if (i >= len)
				return TL_MATCH_MORE;
			else if (first[i] != (unsigned char)*p)
				return TL_MATCH_NO;
	}
	*at = i;
	return TL_MATCH_YES;
}

bool tl_read_json_member(struct tl_json_doc *d, struct tl_buf *text, struct tl_sink *sink, struct tl_read_report *r, uint64_t uid)
{
	int64_t start = tl_json_doc_offset(d);

	if (!tl_json_doc_value(d, text))
		return false;
	if (text->len > MEMBER_MAX)
		tl_read_note(r, "top-level member of more than 16 MB, left out", uid, start);
	else
		d->status = sink->ops->meta(sink, tl_buf_text(&d->name), d->name.len, text->data, text->len, &d->error);
	return !d->status;
}

bool tl_read_tolerates_end(struct tl_json_doc *d, const struct tl_read_options *o, struct tl_read_report *r, uint64_t uid)
{
	r->lenient_helps |= uid && (d->cut_short || d->bad_input);
	if (!d->cut_short || !o->lenient)
		return false;
	tl_read_note(r, d->bad_input ? "the compressed data is damaged or cut short here" : "the trace is cut short here",
	             uid, d->error.offset);
	d->status = TL_OK;
	return true;
}

enum tl_status tl_read_end_json(struct tl_json_doc *d, const struct tl_read_options *o, struct tl_read_report *r, struct tl_error *err)
{
	enum tl_status st = d->status;

	if (st && err)
		*err = d->error;
	r->n_bytes = (uint64_t)tl_json_doc_offset(d);
	r->lenient_helps &= st && !o->lenient;
	tl_json_doc_release(d);
	return st;
}

/* Gives the sink what was noted, as a member about the trace. */
static enum tl_status push_notes(const struct tl_read_report *r, struct tl_sink *sink, struct tl_error *err)
{
	static const char key[] = "tl-parse warnings";
	struct tl_buf text = { 0 };
	enum tl_status st;

	if (!r->n_drops)
		return TL_OK;
	for (size_t i = 0; i < r->n_drops; i++) {
		tl_buf_addf(&text, "%c\"%s\":{\"events\":%llu,\"first_uid\":%llu", i ? ',' : '{', r->drops[i].what,
		            (unsigned long long)r->drops[i].count, (unsigned long long)r->drops[i].first_uid);
		if (r->drops[i].first_offset >= 0)
			tl_buf_addf(&text, ",\"first_byte\":%lld", (long long)r->drops[i].first_offset);
		tl_buf_addc(&text, '}');
	}
	tl_buf_addc(&text, '}');
	st = sink->ops->meta(sink, key, sizeof key - 1, text.data, text.len, err);
	tl_buf_release(&text);
	return st;
}

/* ---- the whole ------------------------------------------------------------------------ */

struct tl_opened {
	struct peeked peeked;
	const struct tl_reader *reader;
	struct tl_opened *packed; /* the gzip file that this trace is in, or NULL */
	struct tl_input *plain;   /* of what was packed */
};

void tl_opened_free(struct tl_opened *o)
{
	if (!o)
		return;
	if (o->plain)
		tl_gunzip_free(o->plain);
	tl_opened_free(o->packed);
	free(o);
}

static struct tl_opened *look_at(struct tl_input *in)
{
	struct tl_opened *o = tl_calloc(1, sizeof *o);

	o->peeked = (struct peeked){ .base = { in->name, peeked_read, in->path }, .in = in };
	return o;
}

static enum tl_status open_trace(struct tl_opened **out, struct tl_input *in, struct tl_error *err)
{
	struct tl_opened *o = *out = look_at(in);
	enum tl_status st = peek(&o->peeked, &o->reader, err);

	for (int wraps = 0; !st && is_gzip(&o->peeked); wraps++) {
		if (wraps == MAX_WRAPS)
			return tl_fail(err, TL_ERR_DATA, "gzip inside gzip, more than %d times", MAX_WRAPS);
		struct tl_input *plain = tl_gunzip_new(&o->peeked.base);
		*out = look_at(plain);
		(*out)->packed = o;
		(*out)->plain = plain;
		o = *out;
		st = peek(&o->peeked, &o->reader, err);
	}
	return st || (o->reader && o->peeked.len) ? st : unknown(&o->peeked, err);
}

enum tl_status tl_open_trace(struct tl_opened **out, struct tl_input *in, struct tl_error *err)
{
	enum tl_status st = open_trace(out, in, err);

	if (st) {
		tl_opened_free(*out);
		*out = NULL;
	}
	return st;
}

const char *tl_opened_format(const struct tl_opened *o)
{
	return o->reader->name;
}

/* Between the reader and the sink: leaves out kinds of events, and ends the trace. */
static enum tl_status read_profile(struct tl_opened *o, const struct tl_read_options *options, struct tl_sink *sink,
                                   struct tl_read_report *report, struct tl_error *err)
{
	struct tl_part part;
	enum tl_status st;

	tl_part_init(&part, sink);
	part.drop_kinds = options->drop_kinds;
	st = o->reader->read(&o->peeked.base, options, &part.sink, report, err);
	if (!st && part.n_known < report->n_events)
		st = tl_push_event_count(sink, report->n_events, err);
	if (!st)
		st = push_notes(report, sink, err);
	return st ? st : sink->ops->end(sink, err);
}

enum tl_status tl_read_opened(struct tl_opened *o, const struct tl_read_options *options, struct tl_sink *sink,
                              struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_read_options defaults = { 0 };
	struct tl_read_report unused;

	if (!report)
		report = &unused;
	if (!options)
		options = &defaults;
	memset(report, 0, sizeof *report);
	if (o->reader == &tl_reader_stream)
		return o->reader->read(&o->peeked.base, options, sink, report, err);
	return read_profile(o, options, sink, report, err);
}

enum tl_status tl_read(struct tl_input *in, const struct tl_read_options *options,
                       struct tl_sink *sink, struct tl_read_report *report, struct tl_error *err)
{
	struct tl_opened *o;
	enum tl_status st = tl_open_trace(&o, in, err);

	if (report) /* filled if the format is unknown, too */
		memset(report, 0, sizeof *report);
	if (!st)
		st = tl_read_opened(o, options, sink, report, err);
	tl_opened_free(o);
	return st;
}
