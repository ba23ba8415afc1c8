/* expr.h - expressions: from text to a tree, and back to text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_EXPR_H
#define TL_PERF_EXPR_H

#include "base/base.h"
#include "lang/cursor.h"
#include "lang/values.h"

/* ---- names ------------------------------------------------------------------ */

#define TL_MAX_PARAMS 8

/* A definition: a function whose body is an expression. */
struct tl_def {
	uint32_t name;                  /* string id */
	uint32_t n_params, params[TL_MAX_PARAMS]; /* variables */
	struct tl_node *body;
};
/* What the names in an expression mean, in the order of their definition: of two
 * equal names the later one counts. Begins as zero bytes with strings and arena set.
 * Free with tl_scope_release. */
struct tl_scope {
	struct tl_strtab *strings;
	struct tl_arena *arena;         /* of nodes and constants */
	struct tl_meaning { uint32_t name, index; bool is_def; } *names; size_t n_names, cap_names;
	size_t hidden_from, hidden_to;  /* an expression cannot use names[hidden_from] up to before hidden_to */
	uint32_t *vars; size_t n_vars, cap_vars; /* the name of each variable */
	struct tl_def *defs; size_t n_defs, cap_defs;
	uint8_t traits;                 /* TL_FN_* of all functions called so far */
	const struct tl_lookup *maps;   /* those that an expression may name; NULL: any */
	bool open;                      /* of a rule: an unknown name is a new variable, and there are the functions of rules */
};
uint32_t tl_scope_add_var(struct tl_scope *, uint32_t name);    /* returns its number */
uint32_t tl_scope_add_def(struct tl_scope *, struct tl_def);    /* returns its number */
void tl_scope_release(struct tl_scope *);
/* Is this a word of the language, which cannot be the name of something else? */
bool tl_expr_reserved(const char *name, size_t len);

/* ---- trees -------------------------------------------------------------------- */

enum tl_node_kind {
	TL_N_CONST, TL_N_VAR, TL_N_CALL, TL_N_DEF, TL_N_TUPLE, TL_N_LIST,
	TL_N_SEL, TL_N_KNOWN, TL_N_EACH,
	TL_N_OR, TL_N_AND, TL_N_NOT, TL_N_NEG,
	TL_N_EQ, TL_N_NE, TL_N_LT, TL_N_LE, TL_N_GT, TL_N_GE,
	TL_N_ARITHMETIC, /* + enum tl_arithmetic */
};
struct tl_node {
	uint8_t kind;
	uint32_t height;                  /* levels of this tree, with those of the definitions that it calls */
	uint32_t n;                       /* arguments */
	union {
		const struct tl_value *value; /* CONST */
		uint32_t var;                 /* VAR; EACH: what an item is called */
		uint32_t def;                 /* DEF */
		const struct tl_function *fn; /* CALL */
	};
	struct tl_node *arg[];
};

/* Parses the expression at the cursor and moves the cursor behind it. Returns NULL, and
 * sets the cursor's error, when the expression has a mistake, such as an unknown name or
 * a wrong number of arguments. The limit of the height lets functions that walk a tree
 * call themselves. */
#define TL_MAX_HEIGHT 1000
struct tl_node *tl_expr_parse(struct tl_cursor *, struct tl_scope *);
/* Marks the variables and definitions that a tree uses, but not those that the bodies
 * of these definitions use. */
void tl_expr_uses(const struct tl_node *, bool *vars, bool *defs);
/* Writes a tree as text. Where set[i], variable i is written as its value vars[i], else
 * by its name; set may be NULL. */
void tl_expr_show(struct tl_buf *, const struct tl_node *, const struct tl_scope *, const struct tl_value *vars,
                  const bool *set);
/* Writes "NAME = TREE", then "= TREE with values" and "= RESULT" in lines of their own,
 * each only if it differs from the line before. result NULL: no such line. */
void tl_expr_show_steps(struct tl_buf *, int indent, const char *name, const struct tl_node *, const struct tl_scope *,
                        const struct tl_value *vars, const bool *set, const struct tl_value *result);

/* ---- operators ------------------------------------------------------------------ */

/* The higher the level, the closer an operator binds. */
enum {
	TL_LEVEL_OR = 1, TL_LEVEL_AND, TL_LEVEL_NOT, TL_LEVEL_COMPARISON, TL_LEVEL_SUM, TL_LEVEL_PRODUCT, TL_LEVEL_SIGN,
};
struct tl_operator { const char *text; uint8_t level, kind; bool prefix; };
extern const struct tl_operator tl_operators[]; /* text NULL ends the table */

#endif
