/* short_name.h - long names in little room: what says least of a name goes first.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHORT_NAME_H
#define TL_SHORT_NAME_H

#include "base/memory.h"

/* Adds the name of a function of C++ without "void", namespaces and the function's own arguments, of a mangled one
 * too; any other text as it is. */
void tl_add_bare_name(struct tl_buf *, const char *s, size_t len);

/* Adds a text (well-formed UTF-8) in at most `width` columns of a terminal, 1 at least. Of a function of C++ all that goes first
 * which a bare name does not have, then the middle of the arguments of its template. Any other text is cut in its middle. */
void tl_add_short_name(struct tl_buf *, const char *s, size_t len, size_t width);

/* The same, in 8 columns at least, of a text that would look like others which begin with the same `prefix` bytes: what follows them
 * is shown, behind the beginning of the name. */
void tl_add_difference(struct tl_buf *, const char *s, size_t len, size_t prefix, size_t width);

#endif
