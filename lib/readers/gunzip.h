/* gunzip.h - gzip as an input.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GUNZIP_H
#define TL_GUNZIP_H

#include "base/io.h"

/* An input that gives the decompressed bytes of `in`, a gzip file of any number of
 * members. Checksum and length of each member are compared with its data; bytes after
 * a member that begin no other member are an error. tl_gunzip_free does not free `in`. */
struct tl_input *tl_gunzip_new(struct tl_input *in);
void tl_gunzip_free(struct tl_input *);

#endif
