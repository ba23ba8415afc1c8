/* fn_triton.c - kernels that torch.compile generates: the operators their names
 * list, and the tensors of the launch.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/fn.h"
#include "base/text.h"

#include <string.h>

#define MAX_WORDS 512

/* triton_KIND_fused_BODY_DIGITS: the place of BODY. */
static bool body_of(const char *name, size_t len, const char **body, size_t *n)
{
	static const char *const kinds[] = { "triton_poi_fused_", "triton_red_fused_", "triton_per_fused_" };
	size_t end = len, skip = strlen(kinds[0]);
	bool known = false;

	for (size_t i = 0; i < 3; i++)
		known |= len > skip && !memcmp(name, kinds[i], skip);
	while (end > 0 && tl_is_digit(name[end - 1]))
		end--;
	if (!known || end == len || end < skip + 2 || name[end - 1] != '_')
		return false;
	*body = name + skip;
	*n = end - 1 - skip;
	return true;
}

struct cut { const char *body; uint32_t start[MAX_WORDS + 1]; uint32_t n; bool ok[MAX_WORDS + 1]; };

static size_t piece_len(const struct cut *c, uint32_t from, uint32_t to)
{
	return c->start[to] - 1 - c->start[from]; /* words are one '_' apart */
}

static bool known(struct tl_eval *e, const struct cut *c, uint32_t from, uint32_t to)
{
	return tl_registry_aten(e->registry, c->body + c->start[from], piece_len(c, from, to));
}

/* Which prefixes (counted in words) can be cut into operators at all. */
static bool cuttable(struct tl_eval *e, struct cut *c)
{
	c->ok[0] = true;
	for (uint32_t to = 1; to <= c->n; to++) {
		c->ok[to] = false;
		for (uint32_t from = 0; from < to && !c->ok[to]; from++)
			c->ok[to] = c->ok[from] && piece_len(c, from, to) < 100 && known(e, c, from, to);
	}
	return c->ok[c->n];
}

/* From the end backwards, the longest operator that leaves a cuttable rest. */
static bool cut_words(struct tl_eval *e, struct cut *c, struct tl_value *out)
{
	uint32_t from_of[MAX_WORDS + 1], count = 0;

	for (uint32_t to = c->n; to > 0;) {
		uint32_t from = 0;
		while (!(c->ok[from] && known(e, c, from, to)))
			from++;
		from_of[count++] = from;
		to = from;
	}
	if (!tl_v_seq(e, TL_V_TUPLE, count, out))
		return false;
	uint32_t to = c->n;
	for (uint32_t i = 0; i < count; i++) {
		size_t len = piece_len(c, from_of[i], to);
		char *s = tl_arena_alloc(e->arena, len + 6);
		memcpy(s, "aten.", 5);
		memcpy(s + 5, c->body + c->start[from_of[i]], len);
		out->items[count - 1 - i] = tl_v_text(s, len + 5);
		to = from_of[i];
	}
	return true;
}

FN(fn_triton_ops)
{
	struct cut c = { .n = 0 };
	size_t len;
	(void)a, (void)n;
	if (!tl_v_seq(e, TL_V_TUPLE, 0, out) || !body_of(e->event->name, e->event->name_len, &c.body, &len) || !len)
		return true;
	c.start[0] = 0;
	for (size_t i = 0; i <= len; i++)
		if (i == len || c.body[i] == '_') {
			if (c.n == MAX_WORDS)
				return true;
			c.start[++c.n] = (uint32_t)i + 1;
		}
	return cuttable(e, &c) ? cut_words(e, &c, out) : true;
}

/* [(elements, bytes of one, type), …] of the tensors; types of unknown size have 0 */
FN(fn_triton_tensors)
{
	const struct tl_value *d = e->event->dims, *t = e->event->types, *size;
	uint32_t count = 0;
	(void)a, (void)n;
	if (!d || !t || !tl_v_is_seq(d) || !tl_v_is_seq(t))
		return tl_eval_fail(e, "no Input Dims or Input type");
	uint32_t max = d->len < t->len ? d->len : t->len;
	if (!tl_v_seq(e, TL_V_LIST, max, out))
		return false;
	for (uint32_t i = 0; i < max; i++) {
		if (tl_v_is(&t->items[i], "Scalar") || !tl_v_truth(&d->items[i]))
			continue;
		struct tl_value *o = &out->items[count++];
		if (!tl_v_seq(e, TL_V_TUPLE, 3, o) || !tl_fn_product(e, &d->items[i], &o->items[0]))
			return false;
		size = t->items[i].type == TL_V_TEXT ? tl_registry_lookup(e->registry, "triton-bytes", t->items[i].text, t->items[i].len) : NULL;
		o->items[1] = size ? *size : tl_v_int(0);
		o->items[2] = t->items[i];
	}
	out->len = count;
	return true;
}

/* Sum of elements * bytes, and the first tensor's bytes for `extra` elements. */
FN(fn_triton_bytes)
{
	struct tl_value sum = tl_v_int(0), p;
	(void)n;
	for (uint32_t i = 0; i < a[0].len; i++)
		if (!tl_v_arith(e, TL_N_MUL, &a[0].items[i].items[0], &a[0].items[i].items[1], &p) ||
		    !tl_v_arith(e, TL_N_ADD, &sum, &p, &sum))
			return false;
	if (a[0].len && (!tl_v_arith(e, TL_N_MUL, &a[0].items[0].items[1], &a[1], &p) || !tl_v_arith(e, TL_N_ADD, &sum, &p, &sum)))
		return false;
	return give(out, sum);
}

/* What follows "::" in the first type of known size, in lower case. */
FN(fn_triton_type)
{
	(void)n;
	for (uint32_t i = 0; i < a[0].len; i++) {
		const struct tl_value *t = &a[0].items[i].items[2];
		if (!tl_v_truth(&a[0].items[i].items[1]) || t->type != TL_V_TEXT)
			continue;
		struct tl_value name = *t;
		for (uint32_t k = t->len; k >= 2; k--)
			if (t->text[k - 1] == ':' && t->text[k - 2] == ':') {
				name = tl_v_text(t->text + k, t->len - k);
				break;
			}
		return tl_fn_lower(e, &name, out);
	}
	return give(out, tl_v_null());
}

/* Operations for one element: the sum over the operators' costs. */
FN(fn_triton_cost)
{
	struct tl_value sum = tl_v_int(0);
	(void)n;
	for (uint32_t i = 0; tl_v_is_seq(&a[0]) && i < a[0].len; i++) {
		const struct tl_value *t = &a[0].items[i], *cost = NULL;
		if (t->type == TL_V_TEXT && t->len > 5)
			cost = tl_registry_lookup(e->registry, "triton-cost", t->text + 5, t->len - 5);
		if (cost && !tl_v_arith(e, TL_N_ADD, &sum, cost, &sum))
			return false;
	}
	return give(out, sum);
}

/* The three above take only what triton_tensors() makes. */
static bool is_tensors(const struct tl_value *v)
{
	if (!tl_v_is_seq(v))
		return false;
	for (uint32_t i = 0; i < v->len; i++)
		if (v->items[i].type != TL_V_TUPLE || v->items[i].len != 3)
			return false;
	return true;
}

FN(fn_checked_bytes)
{
	return is_tensors(&a[0]) ? fn_triton_bytes(e, a, n, out) : tl_eval_fail(e, "triton_tensors() is needed");
}

FN(fn_checked_type)
{
	return is_tensors(&a[0]) ? fn_triton_type(e, a, n, out) : tl_eval_fail(e, "triton_tensors() is needed");
}

const struct tl_function tl_fn_triton[] = {
	{ "triton_ops", 0, 0, 0, fn_triton_ops, "triton_ops(): operators that a compiled kernel's name lists" },
	{ "triton_tensors", 0, 0, 0, fn_triton_tensors, "triton_tensors(): [(elements, bytes, type), …] of a launch" },
	{ "triton_bytes", 2, 2, 0, fn_checked_bytes, "triton_bytes(tensors, x): their bytes and x elements of the first" },
	{ "triton_type", 1, 1, 0, fn_checked_type, "triton_type(tensors): name of the first type of known size" },
	{ "triton_cost", 1, 1, 0, fn_triton_cost, "triton_cost(ops): operations for an element, by the map triton-cost" },
	{ .name = NULL },
};
