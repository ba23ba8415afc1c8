/* functions.h - the functions of the language: how one is declared and found.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_FUNCTIONS_H
#define TL_PERF_FUNCTIONS_H

#include "lang/eval.h"

#define TL_FN_MAX_ARGS 16
enum {
	TL_FN_BEYOND = 1, /* the result depends on more than the lists, the name and the kernels of the event */
	TL_FN_MEMORY = 2, /* keeps a value for other events, or looks at a kept one */
	TL_FN_PATTERN = 4, /* the second argument is a regular expression */
	TL_FN_MAP = 8,    /* the first argument is the name of a map */
};
struct tl_function {
	const char *name;
	uint8_t min_args, max_args;
	uint8_t traits; /* TL_FN_* */
	bool (*call)(struct tl_eval *, const struct tl_value *a, uint32_t n, struct tl_value *out);
	const char *help; /* arguments and meaning */
};
/* NULL when there is no such function. */
const struct tl_function *tl_function_find(const char *name, size_t len, bool in_rule);
/* What to write in place of a function that tables could use before; NULL for any other name. */
const char *tl_function_instead(const char *name, size_t len);
/* Help of the i-th function, or of a form such as sel(); NULL past the last. */
const char *tl_function_help(size_t i);

/* The functions, each table in the file of its name; a name NULL ends a table. */
extern const struct tl_function tl_fn_args[], tl_fn_values[], tl_fn_texts[], tl_fn_models[];
/* Those that only rules have (findings/rules.h), whose names models may give to something else. */
extern const struct tl_function tl_fn_rules[];

/* ---- for those files ------------------------------------------------------------- */

#define TL_FN_UNUSED __attribute__((unused))
/* Begins the definition of a function of the language: its n arguments are a, its result
 * *out. False: the evaluation ends. */
#define TL_FN(name) static bool name(TL_FN_UNUSED struct tl_eval *e, TL_FN_UNUSED const struct tl_value *a, \
                                     TL_FN_UNUSED uint32_t n, TL_FN_UNUSED struct tl_value *out)

/* Makes v the result. */
static inline bool tl_give(struct tl_value *out, struct tl_value v)
{
	*out = v;
	return true;
}

/* Makes the text of a buffer the result; the buffer is released. */
static inline bool tl_give_buf(struct tl_eval *e, struct tl_value *out, struct tl_buf *b)
{
	size_t len = b->len;

	return tl_give(out, tl_v_text(tl_arena_keep(e->arena, b), len));
}

/* Sets *out to the text in lower case; fails for any other value. */
bool tl_fn_lower(struct tl_eval *, const struct tl_value *text, struct tl_value *out);

#endif
