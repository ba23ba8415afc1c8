/* gunzip.h - gzip as an input.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GUNZIP_H
#define TL_GUNZIP_H

#include "base/io.h"

/* The decompressed bytes of a gzip file of any number of members, which `in` gives
 * from its first byte. Checksum and length of each member are compared with its data;
 * anything else after a member is an error. Freeing it leaves `in` alone. */
struct tl_input *tl_gunzip_new(struct tl_input *in);
void tl_gunzip_free(struct tl_input *);

#endif
