/* rule_reader.h - a table of rules while it is read.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RULE_READER_H
#define TL_RULE_READER_H

#include "rewrite/rewrite_rules.h"

enum { MAX_COLUMNS = 6 };

struct rule_reader {
	struct tl_rules *rules;
	struct tl_error *err;
	const char *file;
	struct rule_line { uint32_t number; const char *text; } line;
	char *columns[MAX_COLUMNS]; /* of the line, from the first key on */
	size_t n_columns;
	struct rule *rule;          /* the last one, NULL before the first */
	uint32_t given;             /* bits of the keys that the rule, or its step, has */
	struct rule_line to_line;   /* the rule's line `to` */
};

/* Fails with "FILE:LINE:COLUMN: …"; `at` points into the text of the line. */
enum tl_status tl_rule_fail(const struct rule_reader *, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts a new pattern of a text in the line before *list. */
enum tl_status tl_rule_pattern(struct rule_reader *, const char *text, unsigned how, struct tl_pattern **list);

/* Reads the value of an argument: JSON, or a function with its operands, which are
 * cut apart in place. */
enum tl_status tl_rule_value(struct rule_reader *, char *text, struct extra *);

#endif
