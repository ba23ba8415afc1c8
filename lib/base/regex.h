/* regex.h - finds regular expressions that would take the C library too long.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REGEX_H
#define TL_REGEX_H

/* Users write extended regular expressions in their tables; some would take the C
 * library any amount of time or memory. Returns what makes this one such, for
 * example "a back-reference", and *where is the place in it; NULL if nothing does. */
const char *tl_regex_refused(const char *regex, const char **where);

#endif
