/* eval.h - evaluating expressions for an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_EVAL_H
#define TL_PERF_EVAL_H

#include "base/map.h"
#include "base/strings.h"
#include "base/value.h"
#include "lang/expr.h"
#include "lang/operator_event.h"

/* ---- the maps of tables ----------------------------------------------------------------- */

/* All maps, each known by its name. Begins as zero bytes with strings set. */
struct tl_lookup {
	struct tl_strtab *strings;      /* of names and keys */
	struct TL_KEYED(struct tl_value) values; /* by map and key; by map and 0: some line gives a key of the map */
};
/* Sets the value of a key, by the ids of the names. The bytes of a text are not copied. */
void tl_lookup_set(struct tl_lookup *, uint32_t map, uint32_t key, struct tl_value);
/* The value of a key, or NULL. */
const struct tl_value *tl_lookup_get(const struct tl_lookup *, const char *map, size_t map_len, const char *key,
                                     size_t key_len);
/* Does some line give a key of the map? */
bool tl_lookup_has(const struct tl_lookup *, const char *map, size_t map_len);
void tl_lookup_release(struct tl_lookup *);

/* One evaluation of a model. The caller sets the first five. */
struct tl_eval {
	const struct tl_scope *scope;
	const struct tl_perf_event *event;
	const struct tl_lookup *maps;
	struct tl_perf_memory *memory;    /* NULL: remember() and recall() fail */
	struct tl_arena *arena;           /* of values made */
	struct tl_value *vars; bool *set; /* by variable */
	uint32_t steps;                   /* taken so far; their number is limited */
	bool null_is_false;                /* a comparison with null is false, instead of an end */
	struct tl_buf *calls;             /* NULL, or where calls of definitions are written */
	enum tl_perf_outcome outcome;     /* set, with the reason, when a function below returned false */
	char reason[200];
};
/* Makes room for the variables; none is set yet. */
void tl_eval_start(struct tl_eval *);
void tl_eval_set(struct tl_eval *, uint32_t var, const struct tl_value *);
/* Sets *out to the value of a tree. False: the evaluation ends; outcome and reason say why. */
bool tl_expr_eval(struct tl_eval *, const struct tl_node *, struct tl_value *out);

/* ---- for functions: each returns false when the evaluation ends ------------------- */

bool tl_eval_fail(struct tl_eval *, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool tl_eval_drop(struct tl_eval *, const char *reason);
bool tl_eval_arith(struct tl_eval *, enum tl_arithmetic, const struct tl_value *a, const struct tl_value *b,
                   struct tl_value *out);
/* Counts n steps, for work that grows with the length of a list or text. A text costs a
 * step for each TL_BYTES_A_STEP bytes. */
enum { TL_BYTES_A_STEP = 16 };
bool tl_eval_spend(struct tl_eval *, size_t n);
/* Makes a list or tuple of n nulls. */
bool tl_eval_seq(struct tl_eval *, enum tl_value_type, size_t n, struct tl_value *out);
/* Counts a step for each item of a value, with the items of the lists in it, and fails
 * when they are too many. To be called for every list that was made of lists: a list
 * that holds another one several times is far larger than the memory that it takes. */
bool tl_eval_fits(struct tl_eval *, const struct tl_value *);
/* Fails unless the value is a list or tuple. */
bool tl_eval_need_seq(struct tl_eval *, const struct tl_value *);
/* Sets *out to an integer of at most a million either way; fails for any other value. */
bool tl_eval_small_int(struct tl_eval *, const struct tl_value *, int *out);

#endif
