/* locale.h - the locale in which this folder reads and writes numbers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LOCALE_H
#define TL_LOCALE_H

#include <locale.h>

/* The "C" locale, whatever locale the program has set for itself; 0 if the
 * system has no memory for it, then the program's locale is used. */
locale_t tl_c_locale(void);

#endif
