/* perf.h - performance models: operators, models, and what an event did.
 *
 * A registry is read from text tables (tl-models(5)): the built-in ones first,
 * then the user's, which add to them or replace by name. It answers which
 * category an operator has and which model it follows, and evaluates models.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_H
#define TL_PERF_H

#include "base/base.h"
#include "json/value.h"

/* Used by one thread at a time: an operator's model is compiled when it is first
 * asked for. */
struct tl_registry;

/* A registry with the built-in tables. TL_ERR_DATA names table, line and
 * column of a mistake. *out is NULL unless TL_OK; free with tl_registry_free. */
enum tl_status tl_registry_new(struct tl_registry **out, struct tl_error *);
void tl_registry_free(struct tl_registry *);
/* Adds a user's table; `name` is used in messages and copied. An operator or
 * model defined again takes the new definition and keeps its place. After
 * TL_ERR_DATA the registry may hold a part of the table: it is only to be freed. */
enum tl_status tl_registry_add(struct tl_registry *, const char *name,
                               const char *text, size_t len, struct tl_error *);

/* The text of the i-th table, the built-in ones first, then as added; NULL past
 * the end. In this order they make the same registry again. */
const char *tl_registry_table(const struct tl_registry *, size_t i, size_t *len);

/* Category of an operator name (never NULL, lives as long as the registry):
 * that of a category line, of the op or else the prefix line that finds it (or
 * of its model), of a category-prefix line, then by the name of the first
 * kernel of its launcher (NULL: none), else "other". */
const char *tl_op_category(const struct tl_registry *, const char *name, const char *kernel0);
/* The same where the kernel does not matter; NULL where it does. */
const char *tl_op_category_by_name(const struct tl_registry *, const char *name);

/* ---- models ---------------------------------------------------------------- */

/* What a model may look at. Lists are as in the trace; NULL when the event
 * lacks the key. */
struct tl_perf_event {
	const char *name; size_t name_len;
	const struct tl_value *dims, *types, *strides, *concrete, *out_types;
	const char *const *kernels; size_t n_kernels; /* names, by start */
	const char *annotation;       /* text of the enclosing step, or NULL; one place has one text
	                                 as long as a memory is used */
	/* Any other argument by key; NULL when there is none. May be NULL. */
	const struct tl_value *(*arg)(void *ctx, const char *key);
	void *ctx;
};

enum tl_perf_outcome {
	TL_PERF_OK,
	TL_PERF_FAILED,  /* arguments broken or missing: no metrics */
	TL_PERF_DROPPED, /* the model does not apply: no row */
};
struct tl_perf_param { const char *name; struct tl_value value; };
struct tl_perf_result {
	enum tl_perf_outcome outcome;
	const char *reason;           /* why not OK */
	double flops;
	bool has_bytes; double bytes;
	struct tl_value flops_value, bytes_value; /* with their number kinds */
	const char *spec;             /* "matrix_bf16"; "" when unknown */
	struct tl_perf_param *params; size_t n_params; /* in order; lives in the arena */
};

/* What an operator is. All texts live as long as the registry. */
struct tl_perf_op {
	const char *name;
	const struct tl_model *model;
	const char *model_name;
	const char *category;         /* as tl_op_category says */
	const char *family;           /* sheet family; NULL: no sheet */
	const char *backward;         /* category of a linked backward pass; NULL: none */
	bool prefix;                  /* name is the beginning of the names it stands for */
	bool moved;                   /* its own row goes to the _bwd sheet */
	bool linked_none;             /* no row for a linked backward pass … */
	bool linked_hidden;           /* … or one that is computed and not shown */
	bool annotated;               /* its model may look at the annotation of its step */
	bool conditional;             /* it has a model for some arguments only */
	bool remembers;               /* its model keeps things for others */
	bool looks_beyond;            /* result depends on more than lists and kernels */
};
/* The operator that models this name, or NULL: exact names, then prefixes. */
const struct tl_perf_op *tl_op_find(const struct tl_registry *, const char *name);
/* Has it a model for an event with these arguments? */
bool tl_op_models(const struct tl_registry *, const struct tl_perf_op *, const struct tl_perf_event *);
/* In table order; NULL after the last. */
const struct tl_perf_op *tl_op_at(const struct tl_registry *, size_t i);

/* Sheet families in order. one: a single sheet NAME, else NAME_fwd, NAME_bwd. */
size_t tl_families(const struct tl_registry *);
const char *tl_family_at(const struct tl_registry *, size_t i, bool *one);

/* What models remember from one event to another; free with tl_memory_free. */
struct tl_perf_memory *tl_memory_new(void);
void tl_memory_free(struct tl_perf_memory *);

/* Evaluates; values are made in the arena. backward: the backward formulas.
 * Without memory (NULL) a model that asks for what another one kept fails. */
void tl_perf_evaluate(const struct tl_registry *, const struct tl_perf_op *, const struct tl_perf_event *,
                      struct tl_perf_memory *, bool backward, struct tl_arena *, struct tl_perf_result *);

/* Text that shows an evaluation: model, arguments as bound, formulas with
 * numbers put in and below each the definitions it called, results. The rest is
 * as for tl_perf_evaluate. */
void tl_perf_explain(const struct tl_registry *, const struct tl_perf_op *, const struct tl_perf_event *,
                     struct tl_perf_memory *, bool backward, struct tl_arena *, struct tl_perf_result *,
                     struct tl_buf *);
/* One line a model: name, category, family, source note. */
size_t tl_models(const struct tl_registry *);
void tl_model_describe(const struct tl_registry *, size_t i, struct tl_buf *);
/* Arguments and meaning of the functions of the language; NULL past the end. */
const char *tl_function_help(size_t i);

#endif
