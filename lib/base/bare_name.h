/* bare_name.h - what of the name of a function tells it from others.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BARE_NAME_H
#define TL_BARE_NAME_H

#include "base/base.h"

/* Adds the name of a function of C++ without "void", namespaces and the function's own arguments, of a mangled one
 * too; any other text as it is. */
void tl_add_bare_name(struct tl_buf *, const char *s, size_t len);

#endif
