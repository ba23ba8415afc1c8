/* hlo_gemm.c - what a matrix product of a library does, by the shapes and the configuration
 * of its operation (GemmBackendConfig in xla/service/gpu/backend_configs.proto of OpenXLA).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "hlo/hlo_text.h"
#include "hlo/hlo_work.h"

#include "base/text.h"

#include <stdlib.h>

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
