/* stream.h - the binary event stream (tl-stream(5)) and its text form.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_STREAM_H
#define TL_STREAM_H

#include "base/io.h"
#include "model/sink.h"

#define TL_STREAM_MAGIC "\x8fTLS\r\n\x1a\n" /* 8 bytes */
#define TL_STREAM_MAJOR 2
#define TL_STREAM_MINOR 0
/* No string of a stream is longer; a writer refuses the event that uses it. */
#define TL_STREAM_MAX_STRING (256u << 20)

/* A sink that writes the stream to `out`. The same events, members and links
 * make the same bytes, whatever the source's ids. Its memory does not grow with
 * the trace. tool_line, when not NULL, is appended to the header's provenance,
 * with its number and that of the line before. Free with tl_writer_free, which
 * does not finish the stream. */
struct tl_sink *tl_writer_new(struct tl_output *out, const char *tool_line);
void tl_writer_free(struct tl_sink *);

/* Reads a whole stream from `in` and pushes it into sink. `got` holds
 * bytes that were taken from `in` to find out its format. Checks magic, version,
 * frame lengths, ids, counts and checksum; a stream without its end record, or
 * with anything after it, is TL_ERR_DATA. */
enum tl_status tl_stream_read(struct tl_input *in, const void *got, size_t got_len,
                              struct tl_sink *sink, struct tl_error *err);

/* A sink that writes the text form, one record a line; and its reader, which
 * accepts exactly that form. Stream -> text -> stream gives the same bytes. */
struct tl_sink *tl_text_writer_new(struct tl_output *out);
void tl_text_writer_free(struct tl_sink *);
enum tl_status tl_text_read(struct tl_input *in, const void *got, size_t got_len,
                            struct tl_sink *sink, struct tl_error *err);

/* Parts of the text form, appended: its first lines, version and header; and what
 * stands before the value of a field, a tab and "key:type". */
void tl_text_header(struct tl_buf *b, const struct tl_header *);
void tl_text_field_name(struct tl_buf *b, const struct tl_tables *, const struct tl_field *);

#endif
