/* rules.h - the table of rules that findings come from; tl-findings(5) describes it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FINDING_RULES_H
#define TL_FINDING_RULES_H

#include "lang/eval.h"

/* A text with expressions in it: "the GPU waits {ms(sum(idle_ms))}". */
struct tl_phrase {
	struct tl_phrase_piece { const char *text; size_t len; struct tl_node *node; } *pieces; /* node NULL: the text */
	size_t n, cap;
};
/* Texts of which those count whose condition is true: do "text" when EXPR. when NULL: it always is. */
enum { TL_RULE_MOST_CHOICES = 6 };
struct tl_rule_texts { struct tl_text_when { struct tl_phrase text; struct tl_node *when; } items[TL_RULE_MOST_CHOICES]; size_t n; };

/* The expressions of a rule, in the order of the words that begin their lines. Where, by and stake are of one row,
 * whose columns are names; the others of all rows that belong together, where a column is the list of its cells. */
enum tl_rule_part { TL_RULE_WHERE, TL_RULE_BY, TL_RULE_NEED, TL_RULE_STAKE, TL_RULE_PARTS };
extern const char *const tl_rule_parts[]; /* "where", …; NULL ends */
enum tl_rule_phrase { TL_RULE_TITLE, TL_RULE_NEXT, TL_RULE_PHRASES };
/* The first two of do are the advice; the first of unasked says why the rule is not asked. */
enum tl_rule_choice { TL_RULE_DO, TL_RULE_UNASKED, TL_RULE_CHOICES };
enum tl_rule_text { TL_RULE_SHEET, TL_RULE_CONFIDENCE, TL_RULE_EFFORT, TL_RULE_SOURCE, TL_RULE_EFFECT, TL_RULE_TEXTS };

/* What repairing a finding changes; tl-findings(5) describes the words. */
enum tl_rule_effect { TL_EFFECT_NONE, TL_EFFECT_LESS, TL_EFFECT_GONE, TL_EFFECT_HOST, TL_EFFECT_LAUNCHES, TL_EFFECT_LIMIT };
extern const char *const tl_rule_effects[]; /* NULL ends */

enum { TL_RULE_TIERS = 5 };
struct tl_rule {
	const char *id;
	int tier;                                  /* 0: of the recording itself, which has no time at stake */
	struct tl_node *parts[TL_RULE_PARTS];      /* NULL: the rule has no such line */
	struct tl_phrase phrases[TL_RULE_PHRASES];
	struct tl_rule_texts choices[TL_RULE_CHOICES];
	const char *texts[TL_RULE_TEXTS];          /* NULL: the rule has no such line */
	enum tl_rule_effect effect;                /* what the text says */
	struct tl_scope scope;                     /* its variables are columns, parameters and facts */
	bool off;
	struct tl_cursor at;                       /* where it begins, for messages */
};

/* Zero bytes are an empty table. */
struct tl_rule_table {
	struct tl_arena arena;
	struct tl_strtab strings;
	struct tl_rule **rules; size_t n, cap;
	/* text, pos: the table that gave it, and where */
	struct tl_rule_param { const char *name; struct tl_value value; const char *text; size_t pos; } *params; size_t n_params, cap_params;
	struct tl_lookup maps;
};
/* Adds the rules of a text; one of an id that is there is replaced in its place. TL_ERR_DATA: *err names the place of the
 * mistake, and the table can only be released. The text must outlive the table. */
enum tl_status tl_rule_table_read(struct tl_rule_table *, const char *file, const char *text, size_t len, struct tl_error *);
void tl_rule_table_release(struct tl_rule_table *);
/* The rule of that id, or NULL. */
struct tl_rule *tl_rule_find(const struct tl_rule_table *, const char *id, size_t len);
/* Adds the built-in rules; a mistake in them is one in the program. */
enum tl_status tl_rule_table_builtin(struct tl_rule_table *, struct tl_error *);
/* The same of those about a job. */
enum tl_status tl_rule_table_job(struct tl_rule_table *, struct tl_error *);

#endif
