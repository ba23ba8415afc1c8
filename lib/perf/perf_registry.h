/* perf_registry.h - how operators and models are held.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_REGISTRY_H
#define TL_PERF_REGISTRY_H

#include "lang/eval.h"
#include "perf/perf.h"

/* A table, and a piece of one: bytes pos up to end. */
struct tl_source { const char *file, *text; size_t len; };
struct tl_place { uint32_t source; size_t pos, end; };

/* What a line of a model is, in the order of tl_line_words. Code compares these numbers. */
enum tl_line_kind {
	TL_LINE_CATEGORY, TL_LINE_FAMILY, TL_LINE_BACKWARD,
	/* evaluated from the top of the model */
	TL_LINE_SLOT, TL_LINE_LET, TL_LINE_DEF, TL_LINE_NEED, TL_LINE_DROP, TL_LINE_ONLY,
	/* results, evaluated after all of those */
	TL_LINE_FLOPS, TL_LINE_BYTES, TL_LINE_FLOPS_BWD, TL_LINE_BYTES_BWD, TL_LINE_SPEC, TL_LINE_PARAM,
	TL_LINE_KINDS,
};
extern const char *const tl_line_words[]; /* "category", …; NULL ends the list */
extern const char *const tl_setting_words[]; /* what an op line can set that is no slot: "category", … */
size_t tl_setting_find(const char *name, size_t len); /* its index; that of NULL if it is none of them */

/* A slot, let, def, need, drop or only, or a result. Several may be in one line. */
struct tl_item {
	uint8_t kind;               /* enum tl_line_kind */
	uint32_t name;              /* string id; of a spec "matrix" or "vector"; 0: the line has no name */
	bool required;              /* a slot without an expression: op lines must set it */
	struct tl_place at;         /* of the expression; of a def from its "(" on */
	/* made by compiling */
	struct tl_node *node, *condition; /* condition: of a param */
	uint32_t number;            /* of the variable or definition */
	size_t n_names;             /* its expression can use the first n_names names of the scope */
};
struct tl_model {
	uint32_t name, category, family, backward; /* string ids; 0: not given */
	struct tl_place head, body;
	struct tl_place named;      /* the word that names its sheets: the family or else the category */
	struct tl_item *items; size_t n_items, cap_items; /* results last */
	struct tl_scope scope;
	bool compiled;
};

/* An op or prefix line. */
struct tl_op {
	bool compiled;
	struct tl_perf_op op;
	uint32_t name, model_name, family;
	struct tl_place at, settings; /* of the model's name; of what follows it */
};

struct tl_kernel_rule { uint32_t prefix, part, category; };
struct tl_prefix_rule { uint32_t prefix, category; };
/* One or two sheets; or one, but two in the report of an inference trace. */
enum family_sheets { FAMILY_TWO, FAMILY_ONE, FAMILY_ONE_IN_TRAINING };
struct tl_family { uint32_t name, sheets; struct tl_place at; };

struct tl_registry {
	struct tl_strtab strings;
	struct tl_arena arena;
	struct tl_source *sources; size_t n_sources, cap_sources;
	struct tl_model **models; size_t n_models, cap_models;
	struct tl_map model_by_name;    /* -> index + 1 */
	struct tl_op **ops; size_t n_ops, cap_ops;
	struct tl_op **by_prefix; size_t n_by_prefix, cap_by_prefix; /* those that are prefix lines */
	struct tl_map op_by_name, prefix_by_name; /* -> index + 1 */
	struct tl_map category_by_name; /* -> string id; 0: none */
	struct tl_prefix_rule *prefixes; size_t n_prefixes, cap_prefixes;
	struct tl_kernel_rule *kernels; size_t n_kernels, cap_kernels;
	struct TL_KEYED(struct tl_family) families;
	struct tl_map family_sheets;    /* family id -> enum family_sheets */
	struct tl_lookup maps;
};

static inline struct tl_cursor tl_cursor_at(const struct tl_registry *r, struct tl_place at, struct tl_error *err)
{
	const struct tl_source *s = &r->sources[at.source];

	return (struct tl_cursor){ s->file, s->text, at.end, at.pos, err };
}

/* A place in the source that is being read, which is the last one. */
static inline struct tl_place tl_place_here(const struct tl_registry *r, size_t pos, size_t end)
{
	return (struct tl_place){ (uint32_t)r->n_sources - 1, pos, end };
}

static inline bool tl_is_within(struct tl_place inner, struct tl_place outer)
{
	return inner.source == outer.source && inner.pos >= outer.pos && inner.pos <= outer.end;
}

/* read_table.c: reads the lines of the last source; of expressions, notes the places. */
enum tl_status tl_table_read(struct tl_registry *, struct tl_error *);
/* The category at the cursor. */
enum tl_status tl_category_read(struct tl_registry *, struct tl_cursor *, uint32_t *id);

/* ---- evaluating ------------------------------------- */

/* What a model is evaluated for: the forward formulas, the backward formulas, or only
 * whether it holds for the arguments. */
enum tl_purpose { TL_FORWARD, TL_BACKWARD, TL_APPLIES, TL_PURPOSES };
/* The first item of a kind, or NULL. */
const struct tl_item *tl_model_item(const struct tl_model *, enum tl_line_kind);
/* The expression of item i for an operator: that of the op line, else the model's. */
const struct tl_node *tl_op_node(const struct tl_perf_op *, size_t i);

#endif
