/* regex.h - finds regular expressions that would take the C library too long.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REGEX_H
#define TL_REGEX_H

#include <stddef.h>

/* What the regular expressions of a table may weigh in all. One weighs 1000, for each is
 * tried on each name; its bytes with what it repeats written out; and the square of its
 * repetitions: so grows the memory that the C library takes for it. */
#define TL_REGEX_TABLE_MAX (1 << 20)

/* Users write extended regular expressions in their tables; some would take the C
 * library any amount of time or memory. Returns what makes this one such, for
 * example "a back-reference", and *where is the place in it; NULL if nothing does.
 * *weight: of the table's earlier expressions; that of this one is added. */
const char *tl_regex_refused(const char *regex, size_t *weight, const char **where);

#endif
