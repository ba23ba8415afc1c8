/* fuzz_capture.c - captures merged into replays, from hostile events in text form, and the
 * index of a folder of captures. One text is both the replay and its capture.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/merger.h"
#include "fuzz.h"
#include "model/trace.h"

struct bytes { const uint8_t *data; size_t size; };

static enum tl_status read_text(const struct bytes *b, struct tl_sink *to, struct tl_error *err)
{
	struct tl_memory_input in = tl_memory_input("input", b->data, b->size);
	struct tl_sink *linker = tl_linker_new(to, &(struct tl_link_options){ .python = true });
	enum tl_status s = tl_text_read(&in.in, NULL, 0, linker, err);

	tl_linker_free(linker);
	return s;
}

static enum tl_status load(void *ctx, const char *file, struct tl_trace **out, struct tl_error *err)
{
	struct tl_sink *sink = tl_trace_sink_new(out, &(struct tl_trace_options){ .drop_kinds = ~TL_CAPTURE_KINDS });
	enum tl_status s = read_text(ctx, sink, err);

	(void)file;
	tl_trace_sink_free(sink);
	if (s)
		tl_trace_free(*out);
	return s;
}

/* The trace must be a forest, and each launch be one of a host event. */
static void look_at(struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t n, steps = 0;
		for (uint32_t p = i; p != TL_NONE; p = t->events[p].parent)
			if (steps++ > t->n_events)
				__builtin_trap();
		(void)tl_trace_work(t, i, &n);
		if (n != tl_trace_work_count(t, i))
			__builtin_trap();
	}
}

static void merge(struct bytes *b)
{
	struct tl_capture of[2] = {
		{ "f", "FULL", true, INT64_MAX },
		{ "p", "PIECEWISE", true, INT64_MAX },
	};
	struct tl_capture_index index = { .items = of, .n = 2, .cap = 2 };
	struct tl_merge_options o = { &index, load, b };
	struct tl_error err;
	struct tl_trace *t;
	struct tl_sink *sink = tl_trace_sink_new(&t, NULL), *merger = tl_merger_new(sink, &o);

	if (read_text(b, merger, &err) == TL_OK)
		look_at(t);
	tl_merger_free(merger);
	tl_trace_sink_free(sink);
	tl_trace_free(t);
}

static void scan(const struct bytes *b)
{
	struct tl_capture_index index = { 0 };
	struct tl_error err;
	struct tl_buf text = { 0 };
	struct tl_sink *s = tl_capture_scan_new();

	(void)read_text(b, s, &err);
	tl_capture_scan_free(s);
	if (tl_capture_index_read(&index, "index", (const char *)b->data, b->size, &err) == TL_OK) {
		tl_capture_index_write(&index, &text);
		struct tl_capture_index again = { 0 };
		if (tl_capture_index_read(&again, "index", text.data, text.len, &err) || again.n != index.n)
			__builtin_trap();
		tl_capture_index_release(&again);
	}
	tl_buf_release(&text);
	tl_capture_index_release(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size };

	merge(&b);
	scan(&b);
	return 0;
}
