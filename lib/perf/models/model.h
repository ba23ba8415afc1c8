/* model.h - how operators and models are held. Private to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_MODEL_H
#define TL_PERF_MODEL_H

#include "perf/lang/expr.h"

struct tl_source { const char *file, *text; size_t len; };
/* A piece of a table: bytes pos up to end of source `in`. */
struct tl_span_of { uint32_t in; size_t pos, end; };

enum tl_item_kind { TL_ITEM_SLOT, TL_ITEM_LET, TL_ITEM_DEF, TL_ITEM_NEED, TL_ITEM_DROP, TL_ITEM_ONLY };
struct tl_item {
	uint8_t kind;
	bool has_expr;              /* a slot may have none */
	uint32_t name;              /* string id; 0 for need, drop, only */
	uint32_t var;               /* SLOT, LET */
	struct tl_span_of at;       /* of "name = expression" */
	struct tl_node *node;
};
enum { TL_OUT_FLOPS, TL_OUT_BYTES, TL_OUT_FLOPS_BWD, TL_OUT_BYTES_BWD, TL_OUT_SPEC, TL_OUTPUTS };
struct tl_output_of { struct tl_span_of at; struct tl_node *node; bool given; };
struct tl_param_of { uint32_t name; struct tl_span_of at; struct tl_node *node, *condition; };

struct tl_model {
	uint32_t name, like;            /* like: index + 1 of the model it was made from */
	uint32_t category, family, backward; /* string ids, 0: not said */
	struct tl_span_of head, body;
	struct tl_span_of named;        /* the word that names its sheets: family or category */
	/* filled by tl_model_compile */
	bool compiled, failed;
	struct tl_item *items; size_t n_items, cap_items;
	struct tl_output_of out[TL_OUTPUTS];
	uint32_t spec_kind;             /* string id: matrix, vector */
	struct tl_param_of *params; size_t n_params, cap_params;
	struct tl_scope scope;
};

struct tl_op {
	struct tl_perf_op pub;
	uint32_t name, model_name, category, family_name, position;
	struct tl_span_of at, bindings; /* at: of the name */
	bool is_prefix;
	/* filled by tl_op_compile */
	bool compiled, failed;
	struct tl_model *model;
	struct tl_node **bound;         /* by item; NULL: the model's own */
	bool *used[2];                  /* by variable: forward, backward */
};

struct tl_kernel_rule { uint32_t prefix, part, category; };
struct tl_prefix_rule { uint32_t prefix, value; }; /* category id, or op index */
struct tl_family_of { uint32_t name; bool one; struct tl_span_of at; };

struct tl_registry {
	struct tl_strtab strings;
	struct tl_arena arena;
	struct tl_source *sources; size_t n_sources, cap_sources;
	struct tl_model **models; size_t n_models, cap_models;
	struct tl_map model_by_name;    /* -> index + 1 */
	struct tl_op **ops; size_t n_ops, cap_ops;
	struct tl_map op_by_name;
	struct tl_map category_by_name; /* -> string id */
	struct tl_prefix_rule *prefix_ops; size_t n_prefix_ops, cap_prefix_ops;
	struct tl_prefix_rule *prefix_categories; size_t n_prefix_categories, cap_prefix_categories;
	struct tl_kernel_rule *kernels; size_t n_kernels, cap_kernels;
	struct tl_family_of *families; size_t n_families, cap_families;
	struct tl_map one_sheet;        /* family id -> 1 */
	struct tl_map maps;             /* map name id << 32 | key id -> index + 1 */
	struct tl_value *map_values; size_t n_map_values, cap_map_values;
};

static inline struct tl_cursor tl_cursor_of(const struct tl_registry *r, struct tl_span_of at, struct tl_error *err)
{
	const struct tl_source *s = &r->sources[at.in];
	return (struct tl_cursor){ s->file, s->text, s->len, at.pos, err };
}

/* pub is the first member */
static inline struct tl_op *tl_op_of(const struct tl_perf_op *pub)
{
	return (struct tl_op *)(uintptr_t)pub;
}

/* What item i of its model is for a compiled operator: the expression that the op
 * line has set, else the model's own; NULL for a slot without. */
static inline const struct tl_node *tl_op_node(const struct tl_op *op, size_t i)
{
	return op->bound[i] ? op->bound[i] : op->model->items[i].node;
}

/* The same, NULL too where there is nothing to evaluate: definitions, and
 * variables that nothing uses. */
static inline const struct tl_node *tl_op_step(const struct tl_op *op, size_t i, const bool *used)
{
	const struct tl_item *it = &op->model->items[i];

	return it->kind == TL_ITEM_DEF || (it->kind <= TL_ITEM_LET && !used[it->var]) ? NULL : tl_op_node(op, i);
}

/* Gives an item's variable, if it has one, its value. */
static inline void tl_eval_set(struct tl_eval *e, const struct tl_item *it, const struct tl_value *v)
{
	if (it->kind <= TL_ITEM_LET) {
		e->vars[it->var] = *v;
		e->set[it->var] = true;
	}
}

/* Ready to evaluate a compiled operator's expressions for an event; no variable
 * is set. */
void tl_eval_start(struct tl_eval *, const struct tl_registry *, const struct tl_op *, const struct tl_perf_event *,
                   struct tl_perf_memory *, struct tl_arena *);
/* Fails for a condition of the model that does not hold. */
bool tl_eval_fail_need(struct tl_eval *, const struct tl_node *condition);
enum tl_status tl_model_compile(struct tl_registry *, struct tl_model *, struct tl_error *);
/* Puts the place of a model before a message about a line that is not its own
 * and that was right without it. */
enum tl_status tl_model_blame(const struct tl_registry *, const struct tl_model *, const char *what, struct tl_error *);
enum tl_status tl_op_compile(struct tl_registry *, struct tl_op *, struct tl_error *);

#endif
