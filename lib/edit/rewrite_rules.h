/* rewrite_rules.h - tables of rules, read. tl-rewrite(1) says what they mean.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REWRITE_RULES_H
#define TL_REWRITE_RULES_H

#include "base/pattern.h"
#include "edit/rewrite.h"

enum action { RENAME, CATEGORY, ISOLATE, WRAP, INSERT, MOVE, STOP, N_ACTIONS };

/* An argument that a rule gives to a new operator: its key, and how its value is made. */
enum value_kind {
	VALUE_LITERAL, VALUE_INDEX, VALUE_FIRST, VALUE_KERNEL, VALUE_DIM, VALUE_BELOW,
	VALUE_CALL, VALUE_SET, VALUE_SET_INT, VALUE_PICK, VALUE_CAPTURE,
};
struct extra {
	struct extra *next;
	const char *key;
	uint8_t kind;
	const char *text[2];     /* VALUE_SET: the name, and what it was set to or NULL */
	struct tl_pattern *pattern;
	long number[3];          /* VALUE_SET_INT: what it was set to, and the least it may be */
};
enum { MAX_MADE = 64, MAX_EXTRAS = MAX_MADE - 7 }; /* arguments of a new operator; it always has 7 */

struct alternative { const char *label; struct tl_pattern *pattern; };

/* What to isolate below an operator. A rule may have several such steps. */
struct step {
	struct tl_pattern *kernels;      /* a kernel must match all of them */
	long count;                   /* exactly so many kernels; 0: any number */
	const char *name, *name_rest; /* of the new operators: the first, the others */
	struct extra *extras;
};

struct rule {
	const char *name;
	enum action action;
	uint32_t line;
	/* gates: all must hold */
	struct tl_pattern *if_op, *unless_op, *if_kernel;
	/* which events */
	struct tl_pattern *ops;   /* an event must match one of them */
	bool frames;           /* of Python frames */
	bool by_thread;        /* take them by process, thread, start */
	bool skip_with_ops;    /* not those with an operator below */
	/* what to do */
	struct step *steps; size_t n_steps, cap_steps;
	struct tl_pattern *donor_below, *donor_above, *under;
	struct alternative *picks; size_t n_picks, cap_picks;
	struct tl_pattern *what;  /* RENAME, CATEGORY */
	const char *to;
};

struct tl_rules {
	struct tl_arena arena;      /* texts, patterns, extras */
	struct rule *items; size_t n, cap;
	struct tl_pattern *patterns;   /* the last one read; the others follow by `older` */
	uint32_t n_patterns;
	size_t regex_weight; /* of all patterns: see tl_pattern_compile */
	bool edits; /* not only renames */
};

#endif
