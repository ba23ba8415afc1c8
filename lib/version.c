/* version.c - the library's version.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "tl.h"

const char *tl_version(void)
{
	return TL_VERSION;
}
