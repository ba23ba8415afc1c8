/* fuzz_link.c - the linker, tree edits and the trace in memory, from hostile
 * events and links in text form.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "model/trace.h"
#include "edit/rewrite_rules.h"

/* The trace must be a forest, downward and upward, and every list end. */
static void look_at(struct tl_trace *t)
{
	size_t seen = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t n, steps = 0;
		int64_t v;
		for (uint32_t p = i; p != TL_NONE; p = t->events[p].parent)
			if (steps++ > t->n_events)
				__builtin_trap();
		for (uint32_t c = t->events[i].first_child; c != TL_NONE; c = t->events[c].next_sibling)
			if (seen++ > t->n_events)
				__builtin_trap();
		const uint32_t *work = tl_trace_work(t, i, &n);
		for (uint32_t k = 0; k < n; k++)
			if (!tl_kind_is_gpu(t->events[work[k]].kind))
				__builtin_trap();
		if (n != tl_trace_work_count(t, i))
			__builtin_trap();
		(void)tl_trace_launched(t, i, &n);
		(void)tl_trace_field(t, i, 1, false, &v);
		(void)tl_trace_us(t, t->events[i].ts);
	}
}

/* how: 1 link, 2 rewrite, 4 with frames */
static void run(const uint8_t *data, size_t size, unsigned how, const struct tl_rules *rules)
{
	struct tl_memory_input in = tl_memory_input("input", data, size);
	struct tl_error err;
	struct tl_trace *t;
	struct tl_sink *last = tl_trace_sink_new(&t, NULL), *first = last;
	struct tl_link_options o = { .python = how & 4, .recompute = how & 4 };
	struct tl_sink *rewriter = how & 2 ? first = tl_rewriter_new(first, rules) : NULL;
	struct tl_sink *linker = how & 1 ? first = tl_linker_new(first, &o) : NULL;
	if (tl_text_read(&in.in, NULL, 0, first, &err) == TL_OK)
		look_at(t);
	tl_linker_free(linker);
	tl_rewriter_free(rewriter);
	tl_trace_sink_free(last);
	tl_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tl_rules *rules;
	if (!rules) {
		rules = tl_rules_new();
		if (tl_rules_add_pseudo_ops(rules, NULL) != TL_OK)
			__builtin_trap();
	}
	run(data, size, 0, rules);
	run(data, size, 2, rules);
	run(data, size, 1, rules);
	run(data, size, 7, rules);
	return 0;
}
