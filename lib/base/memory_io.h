/* memory_io.h - memory as input and output.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEMORY_IO_H
#define TL_MEMORY_IO_H

#include "base/io.h"
#include "base/memory.h"

/* Bytes as an input; they must stay as long as it. */
struct tl_memory_input {
	struct tl_input in;
	const char *s; size_t len; /* what is left */
	size_t step;               /* a read gives at most so many bytes; 0: as many as are asked for */
};
struct tl_memory_input tl_memory_input(const char *name, const void *bytes, size_t len);

/* Appends all that is written. The caller releases the text. */
struct tl_memory_output { struct tl_output out; struct tl_buf text; };
struct tl_memory_output tl_memory_output(const char *name);

/* Drops all that is written. */
struct tl_output *tl_null_output(void);

#endif
