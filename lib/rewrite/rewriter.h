/* rewriter.h - rules in memory, shared by the files of this folder only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REWRITE_PRIVATE_H
#define TL_REWRITE_PRIVATE_H

#include <regex.h>

#include "rewrite/rewrite.h"
#include "model/trace_sink.h"
#include "model/trace_work.h"
#include "json/value.h"

/* ---- rules ---- */

struct pattern {
	regex_t regex;
	const char *exact; /* when not NULL: the whole text, and regex is unused */
	bool negated;
	uint32_t number;   /* of all patterns of the rules, to remember verdicts by */
};
struct patterns { struct pattern **items; size_t n, cap; };

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

/* ---- the rewriter ---- */

struct rewriter {
	struct tl_sink base;
	struct tl_sink *next;
	const struct tl_rules *rules;
	struct tl_rewrite_report report;
	uint64_t n_events; /* numbers taken: the next new event gets this one */

	/* the trace, as the rules look at it, and the sink that fills it; NULL when
	 * they only rename */
	struct tl_trace *trace;
	struct tl_sink *inner;
	uint32_t *nodes; size_t n_nodes, cap_nodes; /* uids in stack order */
	uint32_t n_old; /* events before the first edit */

	struct tl_tables tables;       /* of the next sink and of our trace */
	struct tl_translation ids;     /* the source's -> those */
	struct tl_by_id names, layouts; /* the same, renamed */
	int64_t *values; size_t cap_values; /* of the event at hand */

	enum tl_status failed; /* why an edit failed: what a sink said */

	uint8_t **verdicts; /* [pattern number][string id of trace]: 0 unknown, 1 no, 2 yes */
	size_t *n_verdicts;
};

/* match.c */
bool tl_rewrite_matches(const struct pattern *p, const char *s, size_t len); /* negation counts */
bool tl_rewrite_name_is(struct rewriter *w, const struct pattern *p, uint32_t string);
bool tl_rewrite_any(struct rewriter *w, const struct patterns *p, uint32_t string);
bool tl_rewrite_all(struct rewriter *w, const struct patterns *p, uint32_t string);
bool tl_rewrite_gates_hold(struct rewriter *w, const struct rule *r);
/* The events a rule is about, in its order; malloc'ed indexes. */
uint32_t *tl_rewrite_select(struct rewriter *w, const struct rule *r, size_t *n);
uint32_t tl_rewrite_above(struct rewriter *w, const struct pattern *p, uint32_t event);
uint32_t tl_rewrite_below(struct rewriter *w, const struct pattern *p, uint32_t event);
/* Replaces the first match in s; false when there is none. */
bool tl_rewrite_replace(const struct pattern *p, const char *to, const char *s, size_t len, struct tl_buf *out);

/* args.c: an event in the making */
struct made_field { const char *key; uint8_t type; int64_t number; const char *text; size_t len; };
enum { MAX_MADE = 64, MAX_EXTRAS = MAX_MADE - 7 }; /* 7: those of every new event */
struct made {
	struct tl_buf name;
	uint32_t like;         /* event whose process and thread it has */
	bool timed;            /* … and start and duration */
	struct made_field fields[MAX_MADE]; size_t n_fields;
	struct tl_arena arena; /* texts of the fields */
};
struct made_context {      /* what extra arguments are computed from */
	uint32_t op, donor, kernel; /* events or TL_NONE */
	uint32_t index, call;
	const char *pick;
};
void tl_made_release(struct made *m);
void tl_made_set(struct made *m, const char *key, uint8_t type, int64_t number, const char *text, size_t len);
/* The argument lists and the sequence number of an event. first, then second
 * (TL_NONE: none) give the lists; default_number stands for a missing number. */
void tl_made_add_lists(struct rewriter *w, struct made *m, uint32_t first, uint32_t second);
void tl_made_add_sequence(struct rewriter *w, struct made *m, uint32_t from, uint64_t default_number);
void tl_made_add_extras(struct rewriter *w, struct made *m, const struct extras *x, const struct made_context *c);

/* rewriter.c: an event or link to our trace and on to the next sink. The event's
 * ids are of w->tables, and are void when this returns. */
enum tl_status tl_rewrite_push_event(struct rewriter *w, const struct tl_event *e, struct tl_error *err);
enum tl_status tl_rewrite_push_link(struct rewriter *w, const struct tl_link *l, struct tl_error *err);

/* edit.c */
enum tl_status tl_rewrite_apply(struct rewriter *w, struct tl_error *err);
void tl_rewrite_add_note(struct rewriter *w, const char *rule, const char *text, uint64_t uid);

#endif
