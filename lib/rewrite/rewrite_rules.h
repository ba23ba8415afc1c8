/* rewrite_rules.h - tables of rules, read. tl-rewrite(1) says what they mean.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REWRITE_RULES_H
#define TL_REWRITE_RULES_H

#include "rewrite/pattern.h"
#include "rewrite/rewrite.h"

enum action { RENAME, CATEGORY, ISOLATE, WRAP, INSERT, MOVE, STOP, N_ACTIONS };

enum value_kind { /* of an extra argument */
	VALUE_LITERAL, VALUE_INDEX, VALUE_FIRST, VALUE_KERNEL, VALUE_DIM, VALUE_BELOW,
	VALUE_CALL, VALUE_SET, VALUE_SET_INT, VALUE_PICK, VALUE_CAPTURE,
};
struct extra {
	const char *key;
	uint8_t kind;
	const char *text, *text2; /* VALUE_SET: the name, and what it was set to or NULL */
	struct pattern *pattern;
	long number[3]; /* VALUE_SET_INT: what it was set to, and the least it may be */
};
enum { MAX_MADE = 64, MAX_EXTRAS = MAX_MADE - 7 }; /* arguments of a new event; 7 it has in any case */
struct extras { struct extra *items; size_t n, cap; };

struct alternative { const char *label; struct pattern *pattern; };

/* What to isolate below an operator. A rule may have several such steps. */
struct step {
	struct patterns kernels;
	long count;            /* exactly so many, 0: any number */
	const char *name, *name_rest;
	struct extras extras;
};

struct rule {
	const char *name;
	enum action action;
	uint32_t line;
	/* gates: all must hold */
	struct patterns if_op, unless_op, if_kernel;
	/* which events */
	struct patterns ops;   /* any of them */
	bool frames;           /* of Python frames */
	bool by_thread;        /* take them by process, thread, start */
	bool skip_with_ops;    /* not those with an operator below */
	/* what to do */
	struct step *steps; size_t n_steps, cap_steps;
	struct pattern *donor_below, *donor_above, *under;
	struct alternative *picks; size_t n_picks, cap_picks;
	struct pattern *what;  /* RENAME, CATEGORY */
	const char *to;
};

struct tl_rules {
	struct tl_arena arena;
	struct rule **items; size_t n, cap;
	struct pattern **all; size_t n_patterns, cap_patterns;
	bool edits; /* not only renames */
};

#endif
