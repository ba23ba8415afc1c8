/* locale.h - the locale in which numbers are read and written; number.c has it. Not one of the headers
 * of the library: their readers need no locale_t.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LOCALE_H
#define TL_LOCALE_H

#include <locale.h>

/* The "C" locale, whatever locale the program has set for itself; (locale_t)0 if
 * memory for it ran out, which makes uselocale keep the program's locale. */
locale_t tl_c_locale(void);

#endif
