/* fuzz_stream.c - the binary stream, from hostile bytes. Where frames can be
 * followed to an end record its checksum is put right, so that what the fuzzer
 * changes is not found by the checksum alone.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/trace.h"
#include "round.h"
#include "model/wire.h"

static void mend_checksum(uint8_t *p, size_t size)
{
	size_t at = MAGIC_LEN + 4;

	while (size - at >= FRAME_HEAD) {
		uint32_t len = load_le32(p + at + 4);

		if (len > size - at - FRAME_HEAD)
			return;
		if (p[at] == 'E' && len >= 4) {
			size_t end = at + FRAME_HEAD + len - 4;
			store_le32(p + end, tl_crc32(0, p, end));
			return;
		}
		at += FRAME_HEAD + len;
	}
}

/* Into a trace, of which all is looked at. */
static void look_at_all(const uint8_t *data, size_t size)
{
	struct tl_trace *t = NULL;
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL);
	struct tl_memory_input in = tl_memory_input("fuzz", data, size);
	uint32_t n;

	if (tl_stream_read(&in.in, NULL, 0, sink, NULL) == TL_OK)
		for (uint32_t e = 0; e < t->n_events; e++) {
			for (uint32_t i = 0; i < t->layouts[t->events[e].layout].n_fields; i++) {
				int64_t v = tl_trace_value(t, &t->events[e], i);
				(void)tl_str(&t->strings, (uint32_t)v);
			}
			tl_trace_work(t, e, &n);
		}
	tl_trace_sink_free(sink);
	tl_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = calloc(size + 1, 1);
	struct tl_buf text;

	if (size)
		memcpy(copy, data, size);
	convert(tl_stream_read, copy, size, true, &text); /* as it is */
	tl_buf_release(&text);
	if (size >= MAGIC_LEN + 4 + FRAME_HEAD) {
		mend_checksum(copy, size);
		round_trip(tl_stream_read, copy, size);
		look_at_all(copy, size);
	}
	free(copy);
	return 0;
}
