/* nearest.c - the nearest event of a kind at or above another one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/nearest.h"

#include <stdlib.h>

/* known: an event or TL_NONE, plus 2; 0: not known yet */
uint32_t tl_nearest(struct tl_nearest *n, uint32_t event)
{
	const struct tl_ev *events = n->trace->events;
	uint32_t at = event, found = TL_NONE;

	if (!n->known)
		n->known = tl_calloc((size_t)n->trace->n_events + 1, sizeof *n->known);
	for (; at != TL_NONE; at = events[at].parent) {
		enum tl_nearest_answer answer;
		if (n->known[at]) {
			found = n->known[at] - 2;
			break;
		}
		answer = n->ask(n->trace, at, n->ctx);
		if (answer == TL_NEAREST_THIS)
			found = at;
		if (answer != TL_NEAREST_ABOVE) {
			n->known[at] = found + 2;
			break;
		}
	}
	for (uint32_t e = event; e != at; e = events[e].parent)
		n->known[e] = found + 2;
	return found;
}

void tl_nearest_release(struct tl_nearest *n)
{
	free(n->known);
	n->known = NULL;
}

enum tl_nearest_answer tl_nearest_operator(const struct tl_trace *t, uint32_t event, uintptr_t unused)
{
	(void)unused;
	return t->events[event].kind == TL_KIND_CPU_OP ? TL_NEAREST_THIS : TL_NEAREST_ABOVE;
}
