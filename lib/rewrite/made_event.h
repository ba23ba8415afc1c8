/* made_event.h - the arguments of a new event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MADE_EVENT_H
#define TL_MADE_EVENT_H

#include "rewrite/editor.h"

struct made_field { const char *key; uint8_t type; int64_t number; const char *text; size_t len; };
struct made {
	struct tl_buf name;
	uint32_t like;         /* event whose process and thread it has */
	bool timed;            /* it has the start and duration of `like` too */
	struct made_field fields[MAX_MADE]; size_t n_fields;
	struct tl_arena arena; /* texts of the fields */
};
struct made_context {      /* what extra arguments are computed from */
	uint32_t op, donor, kernel; /* events or TL_NONE */
	uint32_t index, call;
	const char *pick;
};
void tl_made_release(struct made *);
/* Adds an argument, in place of the one that has this key: an integer, or a text. */
void tl_made_set(struct made *, const char *key, uint8_t type, int64_t number, const char *text, size_t len);
/* Adds the four lists of arguments: each from `first`, or from `second` if `first` has
 * none (TL_NONE: no such event), or null. */
void tl_made_add_lists(struct tl_editor *, struct made *, uint32_t first, uint32_t second);
/* Adds the sequence number of `from`, or default_number if it has none. */
void tl_made_add_sequence(struct tl_editor *, struct made *, uint32_t from, uint64_t default_number);
void tl_made_add_extras(struct tl_editor *, struct made *, const struct extra *, const struct made_context *);

#endif
