/* memory_kinds.c - between which kinds of memory a copy goes, or which one is set.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/memory_kinds.h"

#include "base/text.h"

#include <string.h>

struct tl_cell tl_memory_kinds(struct tl_trace *t, const struct tl_arg *memory, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];
	struct tl_cell told = tl_arg_cell(t, memory, event);
	const char *name = tl_str(&t->strings, e->name), *open = strrchr(name, '('), *close = strrchr(name, ')');

	if (told.type == TL_CELL_TEXT)
		return told;
	if (tl_starts_with(name, "CUDA memcpy Unified ")) /* so Nsight Systems calls a page that moves */
		return tl_cell_text(tl_intern_str(&t->strings, "managed"));
	if (e->kind == TL_KIND_KERNEL || !open || !close || close < open)
		return tl_cell_null();
	return tl_cell_text(tl_intern(&t->strings, open + 1, (size_t)(close - open) - 1));
}
