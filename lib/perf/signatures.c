/* signatures.c - events of one name and the same arguments.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/signatures.h"

#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

static const char *const arg_names[TL_SIGNATURE_ARGS] = {
	TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS, TL_KEY_OUTPUT_TYPE
};

static void release(void *kept)
{
	struct tl_signatures *s = kept;

	tl_strtab_release(&s->ids);
	free(s->of_event);
	free(s->cells[0]);
	free(s->cells[1]);
}

struct tl_signatures *tl_signatures_of(struct tl_trace *t)
{
	struct tl_signatures *s = tl_trace_keep(t, sizeof *s, release);

	if (s->trace)
		return s;
	s->trace = t;
	for (size_t i = 0; i < TL_SIGNATURE_ARGS; i++)
		s->args[i] = tl_arg_of(t, arg_names[i]);
	s->of_event = tl_calloc((size_t)t->n_events + 1, sizeof *s->of_event);
	return s;
}

uint32_t tl_signature_find(struct tl_signatures *s, uint32_t event)
{
	struct { int64_t name, type[TL_SIGNATURE_ARGS], value[TL_SIGNATURE_ARGS]; } key;

	memset(&key, 0, sizeof key);
	key.name = s->trace->events[event].name;
	for (size_t i = 0; i < TL_SIGNATURE_ARGS; i++)
		key.type[i] = tl_arg_get(&s->args[i], s->trace, event, &key.value[i]);
	return s->of_event[event] = tl_intern(&s->ids, (const char *)&key, sizeof key);
}

const struct tl_cell *tl_signature_cells(struct tl_signatures *s, uint32_t event, bool as_lists)
{
	uint32_t id = tl_signature(s, event);

	for (size_t n = s->cap_cells[as_lists]; id >= n; n = s->cap_cells[as_lists]) { /* new ones are not known */
		TL_GROW(s->cells[as_lists], s->cap_cells[as_lists], (size_t)id + 1);
		memset(s->cells[as_lists] + n, 0, (s->cap_cells[as_lists] - n) * sizeof **s->cells);
	}
	struct tl_signature_cells *of = &s->cells[as_lists][id];
	for (size_t i = 0; i < TL_SIGNATURE_CELLS && !of->known; i++)
		of->cells[i] = as_lists ? tl_arg_list_cell(s->trace, &s->args[i], event) : tl_arg_cell(s->trace, &s->args[i], event);
	of->known = true;
	return of->cells;
}
