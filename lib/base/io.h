/* io.h - how library functions read and write bytes: by functions of the caller.
 * A program's functions read and write files, a test's read memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_IO_H
#define TL_IO_H

#include "base/error.h"

#include <stddef.h>

/* read returns how many bytes it has put into buf, at most cap; 0 at the end; -1
 * with *err filled. */
struct tl_input {
	const char *name; /* for messages: file name or <stdin> */
	int64_t (*read)(struct tl_input *, void *buf, size_t cap, struct tl_error *);
	const char *path; /* of the plain file that is read from its start, for formats that
	                     are not read from front to back; NULL: none, or not known */
};

/* write writes all bytes or fails. */
struct tl_output {
	const char *name;
	enum tl_status (*write)(struct tl_output *, const void *buf, size_t len, struct tl_error *);
};

#endif
