/* host_names.h - what the names of host events mean, by the table host-names.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HOST_NAMES_H
#define TL_HOST_NAMES_H

#include "base/base.h"

enum { /* bits */
	TL_NAME_LAUNCH = 1, TL_NAME_GRAPH = 2, TL_NAME_BACKWARD = 4, TL_NAME_RECOMPUTE = 8,
};

/* The table, read. Zero bytes are a table without lines. */
struct tl_host_names {
	struct tl_host_name {
		unsigned bit;
		uint8_t how;
		const char *texts[2]; /* in the arena; the second may be NULL */
	} *lines;
	size_t n, cap;
	struct tl_arena arena;
};
void tl_host_names_read(struct tl_host_names *);
void tl_host_names_release(struct tl_host_names *);

/* All that a name means: an OR of bits. */
unsigned tl_host_name_bits(const struct tl_host_names *, const char *name, size_t len);

#endif
