/* rewrite.h - tree edits by rules: renamed operators, pseudo operators, moved
 * nodes. The rules are text (tl-rewrite(1) describes it); the built-in ones make
 * the pseudo operators of TraceLens.
 *
 * Memory of a rewriter: that of the trace in memory (trace.h), unless the rules
 * only rename.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REWRITE_H
#define TL_REWRITE_H

#include "model/sink.h"

/* Rules in order. Free with tl_rules_free. */
struct tl_rules;
struct tl_rules *tl_rules_new(void);
/* Appends the rules of a text; `name` is for messages. TL_ERR_DATA says line,
 * column and what was expected; the rules read before the mistake stay. */
enum tl_status tl_rules_add(struct tl_rules *, const char *name, const char *text, size_t len,
                            struct tl_error *);
/* Appends the built-in rules. */
enum tl_status tl_rules_add_pseudo_ops(struct tl_rules *, struct tl_error *);
/* Gives a value to the arguments that ask for `name` by @set or @set-int. TL_ERR_USAGE
 * if no rule read so far asks for it, or one that does expects another value. */
enum tl_status tl_rules_set(struct tl_rules *, const char *name, const char *value, struct tl_error *);
void tl_rules_free(struct tl_rules *);

struct tl_rewrite_note { const char *rule; const char *text; uint64_t uid, count; };
struct tl_rewrite_report {
	uint64_t n_renamed, n_new, n_moved;
	/* What a rule could not do, by reason: how often, and the first event. */
	struct tl_rewrite_note *notes; size_t n_notes, cap_notes;
};

/* A sink that passes a linked trace on to `next`, with names changed, and before
 * its end adds the rules' new events and links. The rules must outlive it. A
 * trace that is not linked is TL_ERR_DATA unless all rules only rename. Free
 * with tl_rewriter_free. */
struct tl_sink *tl_rewriter_new(struct tl_sink *next, const struct tl_rules *);
const struct tl_rewrite_report *tl_rewriter_report(const struct tl_sink *); /* after end() */
void tl_rewriter_free(struct tl_sink *);

#endif
