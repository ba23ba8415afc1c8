/* perf.h - performance models: which model an operator follows, and what the model
 * says of an event.
 *
 * A registry is made from text tables (tl-models(5)): the built-in ones and those of
 * the user, whose lines add to them or replace lines of the same name. A registry does
 * not change afterwards, so that threads can share it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_H
#define TL_PERF_H

#include "base/base.h"
#include "lang/operator_event.h"

/* ---- registries ------------------------------------------------------------- */

struct tl_registry;
struct tl_table_text { const char *name, *text; size_t len; }; /* name: for messages */

/* Makes a registry of the built-in tables and n tables of the user, and copies their texts. more: adds
 * more-ops.tsv, operators without a model in TraceLens. TL_ERR_DATA: *out is NULL, and *err names table,
 * line and column of a mistake. Free with tl_registry_free. */
enum tl_status tl_registry_new(struct tl_registry **out, bool more, const struct tl_table_text *user, size_t n, struct tl_error *);
void tl_registry_free(struct tl_registry *);

/* Returns the category of an operator, from its name and that of its first kernel (NULL:
 * none). The first of these lines that fits decides: a category line; the op line, else
 * the prefix line (or its model); a category-prefix line; a kernel line. "other" if none fits. The text stays as long as the registry. */
const char *tl_op_category(const struct tl_registry *, const char *name, const char *kernel0);
/* The same by the operator's name alone; NULL when the kernel has to decide. */
const char *tl_op_category_by_name(const struct tl_registry *, const char *name);

/* An op or prefix line. All texts stay as long as the registry. */
struct tl_perf_op {
	const char *name;
	const char *model_name;
	const char *category;         /* of this line or its model; tl_op_category prefers a category line */
	const char *family;           /* sheet family; NULL: no sheet */
	uint32_t family_number;       /* its number, see tl_family_at */
	const char *backward;         /* category of a linked backward pass; NULL: none */
	bool prefix;                  /* a prefix line: name is the beginning of operators' names */
	bool moved;                   /* its own row goes to the _bwd sheet */
	bool linked_none;             /* a linked backward pass has no row */
	bool linked_hidden;           /* a linked backward pass has a row that is computed and not shown */
	bool annotated;               /* its model may look at the annotation of its step */
	bool annotated_inference;     /* the same, but only for the report of an inference trace */
	bool conditional;             /* the model holds for some arguments only: see tl_op_models */
	bool remembers;               /* its model keeps values for others */
	bool looks_beyond;            /* the result depends on more than the event's lists, name and kernels */
	/* for evaluating */
	struct tl_model *model;
	struct tl_node **bound;       /* by item of the model: the op line's expression, or NULL */
	const bool *needed[3];        /* by enum tl_purpose and item: is the item evaluated? */
};
/* The line for an operator: its op line, else the longest prefix line that fits, else NULL. */
const struct tl_perf_op *tl_op_find(const struct tl_registry *, const char *name);
/* The i-th line; NULL past the last. */
const struct tl_perf_op *tl_op_at(const struct tl_registry *, size_t i);

/* Sheet families in the order of their first operators. *one: the family has the sheet
 * NAME instead of NAME_fwd and NAME_bwd. inference: for the report of an inference trace. */
size_t tl_families(const struct tl_registry *);
const char *tl_family_at(const struct tl_registry *, size_t i, bool inference, bool *one);
/* Fails with TL_ERR_DATA if a family has the name of this other sheet, because both would
 * be the same file. *err names the line of the table. */
enum tl_status tl_family_reserve(const struct tl_registry *, const char *sheet, struct tl_error *);

/* The text of the i-th table, the built-in ones first; NULL past the last. These
 * texts, joined in order to one table, make the same registry again. */
const char *tl_registry_table(const struct tl_registry *, size_t i, size_t *len);
/* The number of models, and a line about the i-th: its name, category, family and source. */
size_t tl_models(const struct tl_registry *);
void tl_model_describe(const struct tl_registry *, size_t i, struct tl_buf *);

/* ---- evaluating --------------------------------------------------------------- */

struct tl_perf_param { const char *name; struct tl_value value; };
struct tl_perf_result {
	enum tl_perf_outcome outcome;
	const char *reason;           /* why not TL_PERF_OK */
	double flops;
	bool has_bytes; double bytes;
	struct tl_value flops_value, bytes_value; /* the same as the formulas gave them: integers or reals */
	const char *spec;             /* as "matrix_bf16"; "" when unknown */
	struct tl_perf_param *params; size_t n_params; /* in order */
};

/* Does the operator's model hold for an event with these arguments? */
bool tl_op_models(const struct tl_registry *, const struct tl_perf_op *, const struct tl_perf_event *);
/* Evaluates the forward or the backward formulas. Values of the result stay as long as
 * the arena. memory may be NULL; models that use remember() or recall() then fail. */
void tl_perf_evaluate(const struct tl_registry *, const struct tl_perf_op *, const struct tl_perf_event *,
                      struct tl_perf_memory *, bool backward, struct tl_arena *, struct tl_perf_result *);
/* The same; adds an account to the buffer: arguments, values of the model's lines,
 * formulas with numbers put in, results. */
void tl_perf_explain(const struct tl_registry *, const struct tl_perf_op *, const struct tl_perf_event *,
                     struct tl_perf_memory *, bool backward, struct tl_arena *, struct tl_perf_result *,
                     struct tl_buf *);

#endif
