/* stream.h - the binary event stream (tl-stream(5)) and its text form.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STREAM_H
#define TL_STREAM_H

#include "base/io.h"
#include "model/sink.h"

#define TL_STREAM_MAGIC "\x8fTLS\r\n\x1a\n" /* 8 bytes */
#define TL_STREAM_MAJOR 1
#define TL_STREAM_MINOR 0
/* No string of a stream is longer; a writer refuses the event that uses it. */
#define TL_STREAM_MAX_STRING (256u << 20)

/* A sink that writes the stream to `out`. Same calls, same bytes. Its tables
 * (strings, tracks, layouts) are bounded: when they grow past a fixed size the
 * stream says so and starts them anew (generation changes), so memory does not
 * grow with the trace. tool_line, when not NULL, is appended to the header's
 * provenance, with its number and that of the line before. Free with
 * tl_writer_free (does not finish the stream). */
struct tl_sink *tl_writer_new(struct tl_output *out, const char *tool_line);
void tl_writer_free(struct tl_sink *);

/* Reads a whole stream from `in` and pushes it into sink. `got`/`got_len` are
 * bytes already taken from `in` to find out its kind. Checks magic, version,
 * frame lengths, ids, counts and checksum; a stream without its end record, or
 * with anything after it, is TL_ERR_DATA. */
enum tl_status tl_stream_read(struct tl_input *in, const void *got, size_t got_len,
                              struct tl_sink *sink, struct tl_error *err);

/* The same without the events of some kinds: the sink never hears of them, nor
 * of layouts that only they use. The sink's begin() may still set what is
 * dropped. */
struct tl_stream_filter {
	uint32_t drop_kinds; /* bit (1u << kind) */
	bool refuse_linked;  /* dropping from a linked stream is an error: its links
	                        name the events */
	uint64_t n_events;   /* out: highest uid + 1, dropped events included */
};
enum tl_status tl_stream_read_without(struct tl_input *in, const void *got, size_t got_len,
                                      struct tl_stream_filter *filter, struct tl_sink *sink, struct tl_error *err);

/* A sink that writes the text form, one record a line; and its reader, which
 * accepts exactly that form. Stream -> text -> stream gives the same bytes. */
struct tl_sink *tl_text_writer_new(struct tl_output *out);
void tl_text_writer_free(struct tl_sink *);
enum tl_status tl_text_read(struct tl_input *in, const void *got, size_t got_len,
                            struct tl_sink *sink, struct tl_error *err);
enum tl_status tl_text_read_without(struct tl_input *in, const void *got, size_t got_len, uint32_t drop_kinds,
                                    struct tl_sink *sink, struct tl_error *err);

/* The text form's escapes: appends s with tab, newline, carriage return and
 * backslash as \t \n \r \\, other control bytes as \xHH, and a backslash before
 * the bytes in `extra`. */
void tl_text_escape(struct tl_buf *b, const char *s, size_t len, const char *extra);
/* Appends the lines of the header in the text form. */
void tl_text_header(struct tl_buf *b, const struct tl_header *);

/* A sink that drops everything: for checking a stream. */
struct tl_sink *tl_null_sink(void);

#endif
