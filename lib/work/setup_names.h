/* setup_names.h - what names of a trace tell about its program: the rows of setup-names.tsv, whose head says what they are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SETUP_NAMES_H
#define TL_SETUP_NAMES_H

#include "base/pattern.h"

/* What a name is of. */
enum tl_setup_name { TL_SETUP_OP, TL_SETUP_CALL, TL_SETUP_KERNEL, TL_SETUP_FRAME, TL_SETUP_RANGE, TL_SETUP_COPY, TL_SETUP_GROUP,
	TL_SETUP_GPU, TL_SETUP_PROFILER, TL_SETUP_KINDS };

struct tl_setup_row {
	const char *fact, *value;
	bool more;                 /* rows behind it may hold besides: the fact has all their values */
	unsigned kinds;            /* bits by enum tl_setup_name */
	struct tl_pattern pattern;
	size_t next_fact;          /* the first row of the fact behind this one's */
};
struct tl_setup_names {
	struct tl_setup_row *rows; size_t n, cap;   /* in the order of the table, the rows of a fact one after another */
	struct tl_arena arena;
};
/* Reads the rows of a table; zero bytes are a start. TL_ERR_DATA: *err names file, line and column. */
enum tl_status tl_setup_names_read(struct tl_setup_names *, const char *file, const char *text, size_t len, struct tl_error *err);
void tl_setup_names_init(struct tl_setup_names *); /* those of the built-in table */
void tl_setup_names_release(struct tl_setup_names *);
/* Does the name, which is of this kind, hold for the row? */
bool tl_setup_row_holds(const struct tl_setup_row *, enum tl_setup_name, const char *name, size_t len);

#endif
