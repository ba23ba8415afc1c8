/* reader.h - what a reader of a trace format provides, and what it may use.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_READER_H
#define TL_READER_H

#include "base/document.h"
#include "readers/readers.h"

/* Whether an input is of a reader's format, by its first bytes. For no input may two
 * readers answer YES, or two DEFAULT. */
enum tl_match {
	TL_MATCH_NO,
	TL_MATCH_MORE,    /* more bytes are needed; 4096 of them must be enough */
	TL_MATCH_DEFAULT, /* yes, unless another reader answers YES */
	TL_MATCH_YES,
	TL_MATCHES
};

struct tl_reader {
	const char *name; /* of the format, for messages */
	/* Gets the first len bytes of the input; after TL_MATCH_MORE, more of them. */
	enum tl_match (*match)(const unsigned char *first, size_t len);
	/* Reads the whole input, from its first byte, into the sink, as sink.h says: begin()
	 * with the source's name and clock, then definitions, events and members. tl_read then
	 * tells what was noted and calls end(); it also drops the events of the options'
	 * drop_kinds, so a reader looks at drop_kinds only to save itself work. Uids are the
	 * places of events in the trace, dropped ones included; n_events counts them, n_bytes
	 * the bytes read. With the option `lenient` a reader goes on after damage and notes
	 * what it left out; without it damage is TL_ERR_DATA with the offset. */
	enum tl_status (*read)(struct tl_input *, const struct tl_read_options *, struct tl_sink *,
	                       struct tl_read_report *, struct tl_error *);
};

/* All readers, then NULL. The Makefile makes this list of the files of lib/readers. */
extern const struct tl_reader *const tl_readers[];

/* Counts the event `uid` under a reason, a constant text; twice in a row for one event
 * counts once. offset is the place in the decompressed text; -1: it has none. */
void tl_read_note(struct tl_read_report *, const char *reason, uint64_t uid, int64_t offset);
/* Counts so many events that begin with `uid`. */
void tl_read_note_many(struct tl_read_report *, const char *reason, uint64_t count, uint64_t uid);
/* The same under a reason that quotes a text of the trace, UTF-8, which may be cut; of many different ones the first 8
 * are quoted. `before` is short. */
void tl_read_quote(struct tl_read_report *, const char *before, const char *text, uint64_t uid);
/* The same of what is no fault of the trace. */
void tl_read_remark(struct tl_read_report *, const char *before, const char *text, uint64_t uid);
/* ---- for readers of JSON */

/* Does JSON begin with these words, up to NULL, and blanks before any of them? A byte order mark may
 * stand before. *at: the place behind them, after TL_MATCH_YES. */
enum tl_match tl_match_json(const unsigned char *first, size_t len, const char *const *words, size_t *at);
/* Takes the value of the member at hand, in `text`, and gives it to the sink as one about the trace; one
 * of more than 16 MB is left out, and noted. False: the document's status tells why. */
bool tl_read_json_member(struct tl_json_doc *, struct tl_buf *text, struct tl_sink *, struct tl_read_report *, uint64_t uid);
/* After a failure at the event `uid`: if the trace just ends too early, or its text is damaged behind an event, and the options
 * tolerate that, notes it and makes the document's status good again; the rest of the text is passed over. */
bool tl_read_tolerates_end(struct tl_json_doc *, const struct tl_read_options *, struct tl_read_report *, uint64_t uid);
/* Ends the reading of a JSON document: fills the report and *err, and releases the document.
 * Returns the document's status, which the reader's read() returns. */
enum tl_status tl_read_end_json(struct tl_json_doc *, const struct tl_read_options *, struct tl_read_report *, struct tl_error *err);
#endif
