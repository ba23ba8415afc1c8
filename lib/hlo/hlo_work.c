/* hlo_work.c - the performance model of an operation of XLA, and the arrays that it is about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "hlo/hlo_work.h"

#include "base/text.h"

#include <stdlib.h>

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
