/* signatures.h - events of one name and the same arguments, which have one number: what follows from these is found once.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SIGNATURES_H
#define TL_SIGNATURES_H

#include "work/args.h"

enum { TL_SIGNATURE_ARGS = 5, /* Input Dims, Input type, Input Strides, Concrete Inputs, Output type */
       TL_SIGNATURE_CELLS = 4 /* those that sheets show: the first four */ };

/* Kept with the trace; to be asked through the functions. */
struct tl_signatures {
	struct tl_trace *trace;
	struct tl_arg args[TL_SIGNATURE_ARGS];
	struct tl_strtab ids;
	uint32_t *of_event; /* 0: not known yet */
	/* by form (lists as tuples, as lists) and signature: its cells. known: are they there? */
	struct tl_signature_cells { bool known; struct tl_cell cells[TL_SIGNATURE_CELLS]; } *cells[2]; size_t cap_cells[2];
};
struct tl_signatures *tl_signatures_of(struct tl_trace *);

uint32_t tl_signature_find(struct tl_signatures *, uint32_t event);
/* The number of an event's signature; they count from 1. */
static inline uint32_t tl_signature(struct tl_signatures *s, uint32_t event)
{
	return s->of_event[event] ? s->of_event[event] : tl_signature_find(s, event);
}

/* The arguments of an event as cells (tl_arg_cell, or tl_arg_list_cell), until the next call. */
const struct tl_cell *tl_signature_cells(struct tl_signatures *, uint32_t event, bool as_lists);

#endif
