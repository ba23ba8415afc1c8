/* hlo_work.c - the performance model of an operation of XLA, and the arrays that it is about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/hlo_work.h"

#include <stdlib.h>

#include "base/text.h"

/* Models whose operands are not all inputs: if the first `inputs` operands are of this rank, they are
 * the inputs, and the next operand is Concrete Inputs. */
static const struct { const char *model; uint32_t inputs, rank; } first_operands[] = {
	{ "jax_te_fused_attn", 3, 4 }, { "jax_te_fused_attn_bwd", 3, 4 },
};

const char *tl_hlo_model(struct tl_name_rules *rules, const char *category, const struct tl_hlo_op *op)
{
	struct tl_buf b = { 0 };

	if (!op || !op->custom_call_target)
		return NULL;
	tl_buf_addf(&b, "%s %s", category, op->custom_call_target);
	const char *model = tl_name_rules_find(rules, b.data, b.len);
	tl_buf_release(&b);
	return *model ? model : NULL;
}

/* ---- arrays ------------------------------------------------------------------------------ */

/* An array as TraceLens reads it: letters, digits, [ sizes ] { layout }. */
struct array { const char *type; size_t type_len; const char *sizes; };

/* The end of the digits and commas at s; NULL: none stand there. */
static const char *end_of_numbers(const char *s)
{
	size_t n = strspn(s, "0123456789,");

	return n ? s + n : NULL;
}

/* The array whose [ is at `open` in the text. */
static bool array_at(const char *text, const char *open, struct array *a)
{
	const char *type = open, *digits, *end = end_of_numbers(open + 1);

	while (type > text && tl_is_digit(type[-1]))
		type--;
	digits = type;
	while (type > text && tl_is_letter(type[-1]) && type[-1] != '_')
		type--;
	*a = (struct array){ type, (size_t)(open - type), open + 1 };
	if (digits == open || type == digits || !end || end[0] != ']' || end[1] != '{')
		return false;
	end = end_of_numbers(end + 2);
	return end && *end == '}';
}

static bool first_array(const char *text, struct array *a)
{
	for (const char *open = strchr(text, '['); open; open = strchr(open + 1, '['))
		if (array_at(text, open, a))
			return true;
	return false;
}

static struct tl_value tuple(struct tl_arena *arena, size_t cap)
{
	struct tl_value v = { .type = TL_V_TUPLE };

	v.items = tl_arena_alloc(arena, (cap + 1) * sizeof *v.items);
	return v;
}

static struct tl_value sizes_of(const struct array *a, struct tl_arena *arena)
{
	size_t n = strcspn(a->sizes, "]");
	struct tl_value v = tuple(arena, n);

	for (const char *p = a->sizes; p < a->sizes + n; p++)
		if (*p != ',') {
			char *end;
			struct tl_value *item = &v.items[v.len++];
			*item = (struct tl_value){ .type = TL_V_INT };
			item->i = strtoll(p, &end, 10);
			p = end - 1;
		}
	return v;
}

struct tl_value tl_hlo_output_dims(const struct tl_hlo_op *op, struct tl_arena *arena)
{
	struct tl_value v = tuple(arena, 1);
	struct array a;

	if (first_array(op->output, &a))
		v.items[v.len++] = sizes_of(&a, arena);
	return v;
}

static bool are_of_rank(const struct tl_value *dims, uint32_t n, uint32_t rank)
{
	uint32_t i = 0;

	while (i < n && dims->items[i].len == rank)
		i++;
	return i == n;
}

struct tl_hlo_inputs tl_hlo_inputs(const struct tl_hlo_op *op, const char *model, struct tl_arena *arena)
{
	size_t n = op ? op->n_operands : 0;
	struct tl_hlo_inputs in = { tuple(arena, n), tuple(arena, n), tuple(arena, 1) };
	struct array a;

	for (size_t i = 0; i < n; i++) {
		if (!first_array(op->operands[i], &a))
			continue;
		in.dims.items[in.dims.len++] = sizes_of(&a, arena);
		struct tl_value *type = &in.types.items[in.types.len++];
		*type = (struct tl_value){ .type = TL_V_TEXT, .len = (uint32_t)a.type_len };
		type->text = tl_arena_dup(arena, a.type, a.type_len);
	}
	for (size_t i = 0; model && i < sizeof first_operands / sizeof *first_operands; i++) {
		uint32_t inputs = first_operands[i].inputs, rank = first_operands[i].rank;
		if (strcmp(model, first_operands[i].model) != 0 || in.dims.len <= inputs || !are_of_rank(&in.dims, inputs, rank))
			continue;
		in.concrete.items[in.concrete.len++] = in.dims.items[inputs];
		in.dims.len = in.types.len = inputs;
	}
	return in;
}

/* ---- what a matrix product of a library does, by the shapes and the configuration ------- */

enum { MAX_RANK = 3, MAX_ARRAYS = 4 };

struct matrix { int64_t dims[MAX_RANK]; size_t rank; bool columns_first; };

/* ---- shapes ------------------------------------------------------------------------------ */

/* A shape such as bf16[8,16]{1,0}; `columns_first`: its layout has 0,1. False: not this form. */
static bool read_matrix(const char *s, struct matrix *m)
{
	const char *p = strchr(s, '[');
	char *end;

	*m = (struct matrix){ .rank = 0 };
	if (!p)
		return false;
	do {
		if (m->rank == MAX_RANK || !tl_is_digit(p[1]))
			return false;
		m->dims[m->rank++] = strtoll(p + 1, &end, 10);
	} while (*(p = end) == ',');
	if (*p != ']')
		return false;
	if (p[1] == '{') {
		const char *layout = p + 2, *found = strstr(layout, "0,1");
		m->columns_first = found && found < layout + strspn(layout, "012,");
	}
	return true;
}

/* Takes the first of the sizes that is `size` away. */
static bool take_size(struct matrix *m, int64_t size)
{
	for (size_t i = 0; i < m->rank; i++)
		if (m->dims[i] == size) {
			memmove(m->dims + i, m->dims + i + 1, (m->rank - i - 1) * sizeof *m->dims);
			m->rank--;
			return true;
		}
	return false;
}

/* The first array of floating point numbers in a shape, of a tuple or not; NULL: none. */
static const char *result_of(const char *output)
{
	for (const char *open = strchr(output, '['); open; open = strchr(open + 1, '[')) {
		const char *start = open;
		while (start > output && tl_in_name(start[-1]))
			start--;
		if (open[1] != ']' && tl_hlo_float_type(start))
			return start;
	}
	return NULL;
}

/* The shapes of operands that are arrays, not single elements; at most MAX_ARRAYS + 1. */
static size_t arrays_of(const struct tl_hlo_op *op, const char *arrays[MAX_ARRAYS + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < op->n_operands && n <= MAX_ARRAYS; i++) {
		const char *open = strchr(op->operands[i], '[');
		if (open && open[1] != ']' && strchr(open, ']'))
			arrays[n++] = op->operands[i];
	}
	return n;
}

/* ---- the configuration ---------------------------------------------------------------------- */

struct config { int64_t lhs, rhs; bool beta, bias; }; /* lhs, rhs: the dimension that is summed over */

/* The only dimension that is summed over; false: none, or several. */
static bool contracting(const struct tl_value *numbers, const char *key, int64_t *dim)
{
	const struct tl_value *list = numbers ? tl_value_member(numbers, key) : NULL;

	if (!list || list->type != TL_V_LIST || list->len != 1 || list->items[0].type != TL_V_TEXT ||
	    !tl_is_digit(*list->items[0].text))
		return false;
	*dim = strtoll(list->items[0].text, NULL, 10);
	return true;
}

static bool read_config(const struct tl_hlo_op *op, struct config *c, const char **reason)
{
	struct tl_arena a = { 0 };
	struct tl_value v;
	const char *json = op->backend_config ? strchr(op->backend_config, '=') + 1 : "";
	bool good = !tl_value_parse(&a, json, strlen(json), &v, NULL);
	const struct tl_value *gemm = good ? tl_value_member(&v, "gemm_backend_config") : NULL;

	*c = (struct config){ 0 };
	*reason = "its configuration is missing or not understood";
	if (gemm) {
		const struct tl_value *numbers = tl_value_member(gemm, "dot_dimension_numbers");
		const struct tl_value *beta = tl_value_member(gemm, "beta"), *epilogue = tl_value_member(gemm, "epilogue");
		c->beta = beta && (beta->type == TL_V_REAL ? beta->d != 0 : beta->type == TL_V_INT && beta->i != 0);
		c->bias = epilogue && epilogue->type == TL_V_TEXT && !strcmp(epilogue->text, "BIAS");
		*reason = "it does not sum over one dimension";
		good = contracting(numbers, "lhs_contracting_dimensions", &c->lhs) &&
		       contracting(numbers, "rhs_contracting_dimensions", &c->rhs);
	}
	tl_arena_release(&a);
	return gemm && good;
}

/* ---- the product ------------------------------------------------------------------------------- */

static bool measure(struct matrix *a, struct matrix *b, const struct matrix *c, const struct config *o, struct tl_hlo_gemm *g)
{
	if (o->lhs >= (int64_t)a->rank || o->rhs >= (int64_t)b->rank || a->dims[o->lhs] != b->dims[o->rhs])
		return false;
	g->k = a->dims[o->lhs];
	take_size(a, g->k);
	take_size(b, g->k);
	g->batch = c->rank > 2 ? c->dims[0] : 1;
	if (c->rank > 2 && (!take_size(a, g->batch) || !take_size(b, g->batch)))
		return false;
	const struct matrix *m = c->columns_first ? a : b, *n = c->columns_first ? b : a;
	g->m = m->rank ? m->dims[0] : 1;
	g->n = n->rank ? n->dims[0] : 1;
	return true;
}

bool tl_hlo_gemm(const struct tl_hlo_op *op, struct tl_hlo_gemm *g, const char **reason)
{
	const char *arrays[MAX_ARRAYS + 1] = { NULL }, *result = result_of(op->output);
	struct matrix a, b, c;
	struct config config;

	*g = (struct tl_hlo_gemm){ .type = op->type };
	if (!read_config(op, &config, reason))
		return false;
	*reason = "its operands have different types";
	if (!op->type)
		return false;
	*reason = "its shapes are not those of a matrix product";
	size_t n = arrays_of(op, arrays);
	if (!result || n < 2 || n > MAX_ARRAYS || (n == MAX_ARRAYS && !config.bias) || !read_matrix(result, &c) ||
	    !read_matrix(arrays[0], &a) || !read_matrix(arrays[1], &b))
		return false;
	g->beta = config.beta;
	return measure(&a, &b, &c, &config, g);
}
