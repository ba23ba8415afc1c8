/* kept.c - what several sheets need, kept with the trace: answers about names, and events of rows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/kept.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct kept { struct tl_name_answers of[TL_N_RULE_TABLES]; };

static void release_answers(void *p)
{
	struct kept *k = p;

	for (size_t i = 0; i < TL_N_RULE_TABLES; i++)
		tl_name_answers_release(&k->of[i]);
}

struct tl_name_answers *tl_kept_answers(const struct tl_trace *t, enum tl_built_in_rules table)
{
	struct tl_name_answers *a = &((struct kept *)tl_trace_keep(t, sizeof(struct kept), release_answers))->of[table];

	if (!a->rules)
		tl_name_answers_init(a, table, &t->strings);
	return a;
}

/* ---- which device events the rows of a sheet are about --------------------------------------------------- */

struct lists { struct list { char *sheet; uint32_t *of_event; } *items; size_t n, cap, size; };

static void release_events(void *p)
{
	struct lists *l = p;

	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].sheet);
		tl_shared_free(l->items[i].of_event, l->size);
	}
	free(l->items);
}

uint32_t *tl_row_events(const struct tl_trace *t, const char *sheet)
{
	struct lists *l = tl_trace_keep(t, sizeof *l, release_events);

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i].sheet, sheet))
			return l->items[i].of_event;
	l->size = ((size_t)t->n_gpus + 1) * sizeof(uint32_t);
	TL_PUSH(l->items, l->n, l->cap, (struct list){ tl_strdup(sheet), tl_shared_calloc(l->size) });
	return l->items[l->n - 1].of_event;
}
