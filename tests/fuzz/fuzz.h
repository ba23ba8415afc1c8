/* fuzz.h - what fuzz targets share: traces and streams of bytes in memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/memory_io.h"
#include "work/link.h"
#include "model/trace.h"
#include "tl.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The target. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads a trace, at most `step` bytes at a time, and writes its stream, which the caller releases. */
static inline enum tl_status fuzz_stream(const void *data, size_t size, size_t step, const struct tl_read_options *o,
                                         struct tl_buf *stream)
{
	struct tl_memory_input in = tl_memory_input("fuzz", data, size);
	struct tl_memory_output out = tl_memory_output("fuzz");
	struct tl_sink *s = tl_writer_new(&out.out, NULL);
	struct tl_read_report report;
	struct tl_error err;

	in.step = step;
	enum tl_status st = tl_read(&in.in, o, s, &report, &err);
	tl_writer_free(s);
	*stream = out.text;
	return st;
}

/* Are these not two failures, or twice the same stream? */
static inline bool fuzz_differ(enum tl_status a, const struct tl_buf *of_a, enum tl_status b, const struct tl_buf *of_b)
{
	return a != b || (!a && (of_a->len != of_b->len || memcmp(of_a->data, of_b->data, of_a->len) != 0));
}

/* A trace of any format, linked here, or of the text of a stream, which brings links of its own.
 * NULL: the bytes are none. */
static inline struct tl_trace *fuzz_trace(const void *data, size_t size, const struct tl_link_options *o)
{
	bool is_text = size > 3 && !memcmp(data, "tls", 3);
	struct tl_memory_input in = tl_memory_input("fuzz", data, size);
	struct tl_trace *trace = NULL;
	struct tl_sink *memory = tl_trace_sink_new(&trace, NULL), *linker = tl_linker_new(memory, o);
	struct tl_read_report report = { 0 };
	enum tl_status st = is_text ? tl_text_read(&in.in, NULL, 0, memory, NULL)
	                            : tl_read(&in.in, &(struct tl_read_options){ .lenient = true }, linker, &report, NULL);

	tl_linker_free(linker);
	tl_trace_sink_free(memory);
	if (st == TL_OK)
		return trace;
	tl_trace_free(trace);
	return NULL;
}

#endif
