/* trace_contents.c - what a trace has, where a sheet has no row.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "cli/filter.h"

void tl_add_contents(struct tl_buf *b, const struct tl_trace *t)
{
	static const struct { const char *what, *program; uint32_t kinds; } known[] = {
		{ "operators of the host", "tl-ops", 1u << TL_KIND_CPU_OP },
		{ "kernels", "tl-kcat", 1u << TL_KIND_KERNEL },
		{ "copies and fills of memory", "tl-api", 1u << TL_KIND_MEMCPY | 1u << TL_KIND_MEMSET },
		{ "calls of the runtime", "tl-api", 1u << TL_KIND_RUNTIME | 1u << TL_KIND_DRIVER },
		{ "Python frames", "tl-host", 1u << TL_KIND_PYTHON },
	};
	size_t start = b->len;
	uint32_t of_kind[TL_KIND_COUNT] = { 0 };

	for (uint32_t i = 0; i < t->n_events; i++)
		of_kind[t->events[i].kind]++;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		unsigned n = 0;
		for (unsigned kind = 0; kind < TL_KIND_COUNT; kind++)
			n += known[i].kinds >> kind & 1 ? of_kind[kind] : 0;
		if (n)
			tl_buf_addf(b, "%s%s (%u: %s)", b->len > start ? ", " : "; the trace has ", known[i].what, n, known[i].program);
	}
	if (t->source && tl_starts_with(t->source, "memory "))
		tl_buf_addf(b, "; it is a %s, which tl-memory shows", t->source);
	else if (b->len == start)
		tl_buf_addf(b, "; no event of the trace, of %llu, is of operators, calls or devices: tl-overview says what it is",
		            (unsigned long long)t->n_source_events);
}
