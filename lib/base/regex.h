/* regex.h - regular expressions of users that the C library could choke on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REGEX_H
#define TL_REGEX_H

/* What an extended regular expression has that could take any time or memory,
 * such as "a back-reference"; *where is the place. NULL if it has no such thing. */
const char *tl_regex_refused(const char *regex, const char **where);

#endif
