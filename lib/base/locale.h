/* locale.h - shared by the files of this folder only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_BASE_PRIVATE_H
#define TL_BASE_PRIVATE_H

#include <locale.h>

/* The "C" locale: numbers are read and written in it, whatever locale the
 * program has set for itself. 0 in the case, not known to occur, that the
 * system has no memory for it: the program's locale is used then. */
locale_t tl_c_locale(void);

#endif
