/* expr.h - the expression language of the model tables: parsing and values.
 * Private to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_EXPR_H
#define TL_PERF_EXPR_H

#include "perf/lang/cursor.h"
#include "perf/models/perf.h"

/* ---- names ------------------------------------------------------------------ */

/* Has this name a meaning of its own in expressions or in param lines? */
bool tl_expr_reserved(const char *name, size_t len);

/* What a name in an expression can mean. Variables are numbered; a definition
 * is a function of the model with an expression of its own. */
struct tl_expr_def {
	uint32_t name;          /* string id */
	uint32_t n_params;
	uint32_t params[8];     /* variables */
	struct tl_node *body;
	uint8_t traits;         /* tl_expr_traits of the body */
	bool walked;            /* see tl_expr_uses */
};
#define TL_HIDDEN 0x80000000u
struct tl_scope {
	struct tl_strtab *strings;
	struct tl_arena *arena; /* of nodes and constants */
	uint32_t *vars; size_t n_vars, cap_vars; /* names, string ids; with TL_HIDDEN not found */
	struct tl_expr_def *defs; size_t n_defs, cap_defs;
};
int tl_scope_var(const struct tl_scope *, uint32_t name);  /* or -1 */
uint32_t tl_scope_add(struct tl_scope *, uint32_t name);   /* its number; made when new */
uint32_t tl_scope_hidden(struct tl_scope *, uint32_t name); /* a new one that is not found by name */
int tl_scope_def(const struct tl_scope *, uint32_t name);  /* or -1 */
void tl_scope_release(struct tl_scope *);

/* ---- expressions --------------------------------------------------------------- */

enum tl_node_kind {
	TL_N_CONST, TL_N_VAR, TL_N_CALL, TL_N_DEF, TL_N_TUPLE, TL_N_LIST,
	TL_N_NOT, TL_N_NEG, TL_N_AND, TL_N_OR, TL_N_SEL, TL_N_KNOWN, TL_N_EACH,
	TL_N_ADD, TL_N_SUB, TL_N_MUL, TL_N_DIV, TL_N_FLOORDIV, TL_N_MOD,
	TL_N_EQ, TL_N_NE, TL_N_LT, TL_N_LE, TL_N_GT, TL_N_GE,
};
struct tl_node {
	uint8_t kind;
	uint16_t height;                  /* levels of it and of the definitions it calls */
	uint32_t n;                       /* arguments */
	union {
		const struct tl_value *value; /* CONST */
		uint32_t var;                 /* VAR; EACH: what an item is called */
		uint32_t def;                 /* DEF */
		const struct tl_function *fn; /* CALL */
	};
	struct tl_node *arg[];
};

/* Parses one expression at the cursor. Unknown names, functions, wrong numbers
 * of arguments and more than TL_MAX_HEIGHT levels are errors: what walks a tree
 * may call itself. */
#define TL_MAX_HEIGHT 1000
enum tl_status tl_expr_parse(struct tl_cursor *, struct tl_scope *, struct tl_node **out);
/* Writes an expression back; with values, variables that are set appear as
 * their values. */
void tl_expr_show(struct tl_buf *, const struct tl_node *, const struct tl_scope *,
                  const struct tl_value *vars, const bool *set);
/* Marks the variables an expression uses, those of the definitions it calls
 * too, unless these are marked as walked (which this does). */
void tl_expr_uses(const struct tl_node *, struct tl_scope *, bool *used);
/* Traits of the functions that it and the definitions it calls call: TL_FN_*. */
uint8_t tl_expr_traits(const struct tl_node *, const struct tl_scope *);

/* ---- evaluation ------------------------------------------------------------------- */

struct tl_eval {
	const struct tl_registry *registry;
	const struct tl_perf_event *event;
	struct tl_perf_memory *memory;
	struct tl_arena *arena;           /* of values made */
	const struct tl_scope *scope;
	struct tl_value *vars;
	bool *set;
	uint32_t steps;                   /* hostile tables must end */
	struct tl_call_log *calls;        /* calls of definitions are noted; NULL: not wanted */
	enum tl_perf_outcome outcome;     /* when a call returned false */
	char reason[200];
};
/* False: failed or dropped; outcome and reason say so. */
bool tl_expr_eval(struct tl_eval *, const struct tl_node *, struct tl_value *out);
/* Sets outcome and reason, returns false. */
bool tl_eval_fail(struct tl_eval *, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool tl_eval_drop(struct tl_eval *, const char *reason);

/* ---- values ------------------------------------------------------------------------ */

struct tl_value tl_v_null(void);
struct tl_value tl_v_bool(bool b);
struct tl_value tl_v_int(__int128 i);
struct tl_value tl_v_real(double d);
struct tl_value tl_v_text(const char *s, size_t len);
bool tl_v_truth(const struct tl_value *);
bool tl_v_equal(const struct tl_value *, const struct tl_value *);
/* Of two numbers: -1, 0, 1; 2 when either is NaN. */
int tl_v_compare(const struct tl_value *, const struct tl_value *);
bool tl_v_is_seq(const struct tl_value *);  /* list or tuple */
bool tl_v_is(const struct tl_value *, const char *text);
/* A number (bool, int or real) as a double; false for anything else. */
bool tl_v_number(const struct tl_value *, double *out);
/* A tuple or list of n items to fill; false (failed) when n is unreasonable. */
bool tl_v_seq(struct tl_eval *, enum tl_value_type, size_t n, struct tl_value *out);
/* Spends steps on work that is not that of nodes; false (failed) when there are
 * none left. tl_v_fits: the same for all items of a value, of the lists in it
 * too and as often as they occur; false also when these are too many. */
bool tl_eval_spend(struct tl_eval *, size_t n);
bool tl_v_fits(struct tl_eval *, const struct tl_value *);
bool tl_v_arith(struct tl_eval *, enum tl_node_kind, const struct tl_value *a,
                const struct tl_value *b, struct tl_value *out);

#endif
