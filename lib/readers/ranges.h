/* ranges.h - what the text of a range says: whether it is an operator, a module, a step, and of what.
 *
 * Ranges are those of NVTX, rocTX and UserMarker; their writers put names and numbers of a call into one text. The grammar of
 * PyTorch's emit_nvtx (profiler/util.cpp, getNvtxStr) is in ranges.c, texts of others are rows of range-classes.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANGES_H
#define TL_RANGES_H

#include "base/base.h"
#include "model/event.h"

enum tl_range_class { TL_RANGE_ANNOTATION, TL_RANGE_OPERATOR, TL_RANGE_MODULE, TL_RANGE_STEP, TL_RANGE_MARK, TL_RANGE_BACKWARD };
const char *tl_range_class_name(enum tl_range_class);

enum { TL_RANGE_FIELDS = 24 };
struct tl_range_field {
	const char *key; size_t key_len;
	enum tl_field_type type;
	int64_t number;               /* of TL_FIELD_INT */
	const char *text; size_t len; /* of the others; JSON has no blanks */
};
/* What a text says. Its texts are valid until the next one is read. */
struct tl_range {
	enum tl_range_class class;
	const char *name; size_t len;
	struct tl_range_field fields[TL_RANGE_FIELDS];
	size_t n;
	bool cut;      /* the text was cut: what is left of its last field is left out */
	bool left_out; /* there are more fields than these */
};

struct tl_ranges; /* the rules, and which of them names that were read */
struct tl_ranges *tl_ranges_new(void);
void tl_ranges_free(struct tl_ranges *); /* NULL is allowed */
/* domain: NULL or "" is the default one. */
void tl_range_read(struct tl_ranges *, const char *text, size_t len, const char *domain, size_t domain_len, struct tl_range *);
/* The first mistake in a text in the form of a table. */
enum tl_status tl_range_classes_check(const char *file, const char *text, size_t len, struct tl_error *);
enum tl_status tl_range_lists_check(const char *file, const char *text, size_t len, struct tl_error *);

#endif
