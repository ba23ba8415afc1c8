/* part_end.h - the last line of a part: whose part it is, and that it is whole.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PART_END_H
#define TL_PART_END_H

#include "table/tsv.h"

/* What the line says behind the word "end", in this order. */
struct tl_part_end {
	int64_t rank;   /* -1: neither the trace nor the user has said it */
	int64_t rows;   /* of its collectives */
	bool simple;    /* see tl_collectives_simple */
	int64_t gpus;   /* of the node, as the trace says; 0: it does not */
	int64_t size, changed; /* of the trace: bytes; ns since 1970; 0: not known */
	int64_t world;  /* how many ranks the job has, as the trace says; 0: it does not */
	const char *trace;     /* its path */
	const char *program;   /* what made the part, with its version: "tl-ranks 1.0" */
	const char *options;   /* that decide what is in the part, for comparison only */
};

/* Appends the line, with n_columns fields: those of the table above it. */
void tl_part_end_add(struct tl_buf *, const struct tl_part_end *, size_t n_columns);
/* Is this line the last one of a part? */
bool tl_part_end_is(const struct tl_field_text *, size_t n);
/* Reads such a line; texts are put into the table of texts. TL_ERR_DATA: it is malformed. */
enum tl_status tl_part_end_read(struct tl_part_end *, struct tl_strtab *, const struct tl_field_text *, struct tl_error *);

#endif
