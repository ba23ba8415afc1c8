/* row_events.c - which device events the rows of a sheet are about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/row_events.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct lists { struct list { char *sheet; uint32_t *of_event; } *items; size_t n, cap; };

static void release(void *p)
{
	struct lists *l = p;

	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].sheet);
		free(l->items[i].of_event);
	}
	free(l->items);
}

uint32_t *tl_row_events(const struct tl_trace *t, const char *sheet)
{
	struct lists *l = tl_trace_keep(t, sizeof *l, release);

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i].sheet, sheet))
			return l->items[i].of_event;
	TL_GROW(l->items, l->cap, l->n + 1);
	l->items[l->n] = (struct list){ tl_strdup(sheet), tl_calloc((size_t)t->n_events + 1, sizeof(uint32_t)) };
	return l->items[l->n++].of_event;
}
