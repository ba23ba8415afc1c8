/* reader.c - what readers of trace formats share: notes, documents of JSON; and the reader of event streams.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/reader.h"

#include <string.h>

#include "json/scan.h"
#include "model/part.h"
#include "stream/stream.h"

#define MEMBER_MAX ((size_t)16 << 20)

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
