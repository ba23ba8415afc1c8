/* fn_models.c - functions that belong to one kind of model: convolution shapes,
 * broadcasting, groups of products, routing operands, GEMM kernel names.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/fn.h"

#include "perf/lang/annot.h"

#include <math.h>
#include <string.h>

/* ---- convolution ------------------------------------------------------------- */

struct conv { double x, k, s, p, d, op; };

/* One spatial output size. */
static bool conv_size(struct tl_eval *e, const struct conv *c, bool transposed, struct tl_value *out)
{
	double o;

	if (transposed)
		o = (c->x - 1) * c->s - 2 * c->p + c->d * (c->k - 1) + c->op + 1;
	else if (c->s == 0)
		return tl_eval_fail(e, "division by zero");
	else
		o = trunc((c->x + 2 * c->p - c->d * (c->k - 1) - 1) / c->s + 1);
	if (!(fabs(o) < 1e18))
		return tl_eval_fail(e, "convolution of unreasonable size");
	return give(out, tl_v_int((__int128)o));
}

static bool number_at(const struct tl_value *list, uint32_t i, double *out)
{
	return tl_v_is_seq(list) && i < list->len && tl_v_number(&list->items[i], out);
}

FN(fn_convout)
{
	const struct tl_value *x = &a[0], *w = &a[1];
	bool transposed = tl_v_truth(&a[5]);
	(void)n;
	if (!tl_v_is_seq(x) || !tl_v_is_seq(w) || x->len < 2 || w->len < 2)
		return tl_eval_fail(e, "convout takes the shapes of input and filter");
	if (!tl_v_seq(e, TL_V_TUPLE, x->len, out))
		return false;
	out->items[0] = x->items[0];
	out->items[1] = w->items[transposed ? 1 : 0];
	for (uint32_t i = 0; i + 2 < x->len; i++) {
		struct conv c;
		if (!number_at(x, i + 2, &c.x) || !number_at(w, i + 2, &c.k) || !number_at(&a[2], i, &c.s) ||
		    !number_at(&a[3], i, &c.p) || !number_at(&a[4], i, &c.d) || !number_at(&a[6], i, &c.op))
			return tl_eval_fail(e, "convolution arguments of unequal rank");
		if (!conv_size(e, &c, transposed, &out->items[i + 2]))
			return false;
	}
	return true;
}

/* remember(tag, key, value): keeps value, gives it back */
static bool memory_key(struct tl_eval *e, const struct tl_value *a, struct tl_buf *key)
{
	if (!e->memory)
		return tl_eval_fail(e, "nothing is remembered here");
	if (!tl_v_fits(e, &a[0]) || !tl_v_fits(e, &a[1]))
		return false;
	tl_value_repr(key, &a[0], false);
	tl_buf_addc(key, '\n');
	tl_value_repr(key, &a[1], false);
	return true;
}

static struct tl_value keep(struct tl_arena *arena, const struct tl_value *v)
{
	struct tl_value copy = *v;

	if (v->type == TL_V_TEXT) {
		copy.text = tl_arena_dup(arena, v->text ? v->text : "", v->len);
	} else if (v->type == TL_V_REAL && v->big) {
		copy.big = tl_arena_dup(arena, v->big, strlen(v->big));
	} else if (tl_v_is_seq(v) || v->type == TL_V_DICT) {
		copy.items = tl_arena_alloc(arena, ((size_t)v->len + 1) * sizeof *copy.items);
		for (uint32_t i = 0; i < v->len; i++)
			copy.items[i] = keep(arena, &v->items[i]);
	}
	return copy;
}

FN(fn_remember)
{
	struct tl_buf key = { 0 };
	struct tl_perf_memory *m = e->memory;
	(void)n;
	if (!tl_v_fits(e, &a[2]) || !memory_key(e, a, &key))
		return false;
	uint32_t id = tl_intern(&m->keys, key.data, key.len);
	tl_buf_release(&key);
	TL_GROW(m->values, m->cap_values, (size_t)id + 1);
	while (m->n_values <= id)
		m->values[m->n_values++] = tl_v_null();
	if (!tl_v_equal(&m->values[id], &a[2]))
		m->values[id] = keep(&m->arena, &a[2]);
	return give(out, a[2]);
}

FN(fn_recall)
{
	struct tl_buf key = { 0 };
	struct tl_perf_memory *m = e->memory;
	(void)n;
	if (!memory_key(e, a, &key))
		return false;
	uint32_t id = tl_strtab_find(&m->keys, key.data, key.len);
	tl_buf_release(&key);
	if (!id || id >= m->n_values)
		return tl_eval_fail(e, "its forward event was not seen before");
	return give(out, m->values[id]);
}

/* ---- shapes --------------------------------------------------------------------- */

/* Broadcast of two shapes, aligned at the right. */
FN(fn_bcast)
{
	const struct tl_value one = tl_v_int(1);
	double x, y;
	(void)n;
	if (!tl_v_is_seq(&a[0]) || !tl_v_is_seq(&a[1]))
		return tl_eval_fail(e, "bcast takes two shapes");
	uint32_t len = a[0].len > a[1].len ? a[0].len : a[1].len;
	if (!tl_v_seq(e, TL_V_TUPLE, len, out))
		return false;
	for (uint32_t i = 0; i < len; i++) {
		const struct tl_value *p = i < a[0].len ? &a[0].items[a[0].len - 1 - i] : &one;
		const struct tl_value *q = i < a[1].len ? &a[1].items[a[1].len - 1 - i] : &one;
		if (!tl_v_number(p, &x) || !tl_v_number(q, &y) || (x != y && x != 1 && y != 1))
			return tl_eval_fail(e, "shapes that cannot be broadcast");
		out->items[len - 1 - i] = tl_v_compare(p, q) == 1 ? *p : *q;
	}
	return true;
}

/* Pair i of the padding widens dim rank-1-i. */
FN(fn_padshape)
{
	(void)n;
	if (!tl_v_is_seq(&a[0]) || !tl_v_is_seq(&a[1]))
		return tl_eval_fail(e, "padshape takes a shape and a list");
	if (!tl_v_seq(e, TL_V_TUPLE, a[0].len, out))
		return false;
	for (uint32_t i = 0; i < a[0].len; i++)
		out->items[i] = a[0].items[i];
	for (uint32_t i = 0; i + 1 < a[1].len; i += 2) {
		if (i / 2 >= a[0].len)
			return tl_eval_fail(e, "more padding than dims");
		struct tl_value *d = &out->items[a[0].len - 1 - i / 2];
		if (!tl_v_arith(e, TL_N_ADD, d, &a[1].items[i], d) || !tl_v_arith(e, TL_N_ADD, d, &a[1].items[i + 1], d))
			return false;
	}
	return true;
}

/* ---- reductions ------------------------------------------------------------------- */

static bool all_ints(const struct tl_value *v)
{
	if (!tl_v_is_seq(v))
		return false;
	for (uint32_t i = 0; i < v->len; i++)
		if (v->items[i].type != TL_V_INT)
			return false;
	return true;
}

/* Is dim d (of rank) among the reduced ones? */
static bool reduced(const struct tl_value *dims, uint32_t d, uint32_t rank)
{
	uint32_t n = dims->type == TL_V_INT ? 1 : dims->len;

	for (uint32_t i = 0; i < n; i++) {
		__int128 x = dims->type == TL_V_INT ? dims->i : dims->items[i].i;
		if (x == d || x + (__int128)rank == d)
			return true;
	}
	return false;
}

/* Elements that remain: 1, unless the profiler wrote the dims as numbers. */
FN(fn_reduce_out)
{
	const struct tl_value *c = e->event->concrete, *dims = NULL, *shape = e->event->dims;
	(void)a, (void)n;
	*out = tl_v_int(1);
	for (uint32_t i = 1; c && tl_v_is_seq(c) && i < c->len; i++)
		if (c->items[i].type == TL_V_INT || (tl_v_is_seq(&c->items[i]) && all_ints(&c->items[i])))
			dims = &c->items[i];
	if (!dims || (tl_v_is_seq(dims) && !dims->len) || !shape || !tl_v_is_seq(shape) || !shape->len || !tl_v_is_seq(&shape->items[0]))
		return true;
	shape = &shape->items[0];
	for (uint32_t i = 0; i < shape->len; i++)
		if (!reduced(dims, i, shape->len) && !tl_v_arith(e, TL_N_MUL, out, &shape->items[i], out))
			return false;
	return true;
}

/* ---- groups of products -------------------------------------------------------------- */

static bool positive(const struct tl_value *v)
{
	return v->type == TL_V_INT && v->i > 0;
}

static bool is_pair(const struct tl_value *v)
{
	return tl_v_is_seq(v) && v->len == 2 && positive(&v->items[0]) && positive(&v->items[1]);
}

/* All pairs of positive integers in a nested list, up to max; their number. */
static uint32_t collect_pairs(const struct tl_value *v, const struct tl_value **pairs, uint32_t n, uint32_t max)
{
	if (is_pair(v)) {
		if (n < max)
			pairs[n] = v;
		return n + 1;
	}
	for (uint32_t i = 0; tl_v_is_seq(v) && i < v->len; i++)
		n = collect_pairs(&v->items[i], pairs, n, max);
	return n;
}

struct groups { const struct tl_value **lhs, **rhs; uint32_t n; };

/* Pairs of D[0] and D[1], equally many; false when there are none. */
static bool zip(struct tl_eval *e, struct groups *g)
{
	const struct tl_value *d = e->event->dims;

	if (!d || !tl_v_is_seq(d) || d->len < 2)
		return false;
	g->n = collect_pairs(&d->items[0], NULL, 0, 0);
	if (!g->n || g->n != collect_pairs(&d->items[1], NULL, 0, 0))
		return false;
	g->lhs = tl_arena_alloc(e->arena, g->n * sizeof *g->lhs);
	g->rhs = tl_arena_alloc(e->arena, g->n * sizeof *g->rhs);
	collect_pairs(&d->items[0], g->lhs, 0, g->n);
	collect_pairs(&d->items[1], g->rhs, 0, g->n);
	return true;
}

static bool compact_dims(const struct tl_value *d, struct tl_value *m)
{
	const struct tl_value *x, *w;

	if (!d || !tl_v_is_seq(d) || d->len < 2)
		return false;
	x = &d->items[0];
	w = &d->items[1];
	if (!tl_v_is_seq(x) || x->len < 2 || !tl_v_is_seq(w) || w->len != 3 || !positive(&x->items[0]) || !positive(&x->items[1]) ||
	    !positive(&w->items[0]) || !positive(&w->items[1]) || !positive(&w->items[2]))
		return false;
	if (w->items[1].i == x->items[1].i)
		m[2] = w->items[2];
	else if (w->items[2].i == x->items[1].i)
		m[2] = w->items[1];
	else
		return false;
	m[0] = x->items[0];
	m[1] = x->items[1];
	m[3] = w->items[0];
	return true;
}

static bool zipped_dims(struct tl_eval *e, struct tl_value *m)
{
	struct groups g;
	__int128 rows = 0;

	if (!zip(e, &g))
		return false;
	__int128 k = g.lhs[0]->items[1].i, cols = g.rhs[0]->items[1].i;
	for (uint32_t i = 0; i < g.n; i++) {
		if (g.lhs[i]->items[1].i != k || g.rhs[i]->items[0].i != k || g.rhs[i]->items[1].i != cols ||
		    __builtin_add_overflow(rows, g.lhs[i]->items[0].i, &rows))
			return false;
	}
	m[0] = tl_v_int(rows);
	m[1] = tl_v_int(k);
	m[2] = tl_v_int(cols);
	m[3] = tl_v_int(g.n);
	return true;
}

/* (M, K, N, G), or null */
FN(fn_grouped_dims)
{
	struct tl_value m[4];
	(void)a, (void)n;
	if (!compact_dims(e->event->dims, m) && !zipped_dims(e, m))
		return give(out, tl_v_null());
	if (!tl_v_seq(e, TL_V_TUPLE, 4, out))
		return false;
	memcpy(out->items, m, sizeof m);
	return true;
}

static bool product(struct tl_eval *e, const struct tl_value *m, const struct tl_value *k, const struct tl_value *cols,
                    struct tl_value *out)
{
	if (!tl_v_seq(e, TL_V_TUPLE, 2, out) || !tl_v_seq(e, TL_V_TUPLE, 2, &out->items[0]) ||
	    !tl_v_seq(e, TL_V_TUPLE, 2, &out->items[1]))
		return false;
	out->items[0].items[0] = *m;
	out->items[0].items[1] = out->items[1].items[0] = *k;
	out->items[1].items[1] = *cols;
	return true;
}

/* [((m, k), (k, n)), …], or null */
FN(fn_grouped_pairs)
{
	const struct tl_value *d = e->event->dims;
	struct groups g;
	(void)a, (void)n;
	if (d && tl_v_is_seq(d) && d->len >= 2 && is_pair(&d->items[0]) && is_pair(&d->items[1])) {
		if (!tl_v_seq(e, TL_V_LIST, 1, out))
			return false;
		return product(e, &d->items[0].items[0], &d->items[0].items[1], &d->items[1].items[1], out->items);
	}
	if (!zip(e, &g))
		return give(out, tl_v_null());
	for (uint32_t i = 0; i < g.n; i++)
		if (g.lhs[i]->items[1].i != g.rhs[i]->items[0].i)
			return give(out, tl_v_null());
	if (!tl_v_seq(e, TL_V_LIST, g.n, out))
		return false;
	for (uint32_t i = 0; i < g.n; i++)
		if (!product(e, &g.lhs[i]->items[0], &g.lhs[i]->items[1], &g.rhs[i]->items[1], &out->items[i]))
			return false;
	return true;
}

/* ---- routing ----------------------------------------------------------------------------- */

/* [(shape, type), …] of the operands that have dims */
FN(fn_operands)
{
	const struct tl_value *d = e->event->dims, *t = e->event->types;
	uint32_t count = 0;
	(void)a, (void)n;
	uint32_t max = d && tl_v_is_seq(d) ? d->len : 0;
	if (!tl_v_seq(e, TL_V_LIST, max, out))
		return false;
	for (uint32_t i = 0; i < max; i++) {
		if (!all_ints(&d->items[i]) || !d->items[i].len)
			continue;
		struct tl_value *o = &out->items[count++];
		if (!tl_v_seq(e, TL_V_TUPLE, 2, o))
			return false;
		o->items[0] = d->items[i];
		o->items[0].type = TL_V_TUPLE;
		o->items[1] = t && tl_v_is_seq(t) && i < t->len ? t->items[i] : tl_v_null();
	}
	out->len = count;
	return true;
}

static bool elements(struct tl_eval *e, const struct tl_value *operand, struct tl_value *out)
{
	if (!tl_v_is_seq(operand) || operand->len != 2)
		return tl_eval_fail(e, "operands() is needed");
	return tl_fn_product(e, operand->items, out);
}

/* The first operand with the most elements; *at = -1 when there is none. */
static bool largest(struct tl_eval *e, const struct tl_value *ops, int *at, struct tl_value *most)
{
	struct tl_value p;

	*at = -1;
	*most = tl_v_int(0);
	if (!tl_v_is_seq(ops))
		return tl_eval_fail(e, "operands() is needed");
	for (uint32_t i = 0; i < ops->len; i++) {
		if (!elements(e, &ops->items[i], &p))
			return false;
		if (*at < 0 || tl_v_compare(&p, most) == 1) {
			*at = (int)i;
			*most = p;
		}
	}
	return true;
}

FN(fn_maxelems)
{
	int at;
	(void)n;
	return largest(e, &a[0], &at, out);
}

FN(fn_precmax)
{
	struct tl_value most;
	int at;
	(void)n;
	if (!largest(e, &a[0], &at, &most))
		return false;
	return at < 0 ? give(out, tl_v_null()) : tl_type_precision(e, &a[0].items[at].items[1], out);
}

FN(fn_sumbytes)
{
	struct tl_value p, b, sum = tl_v_int(0);
	(void)n;
	if (!tl_v_is_seq(&a[0]))
		return tl_eval_fail(e, "operands() is needed");
	for (uint32_t i = 0; i < a[0].len; i++) {
		if (!elements(e, &a[0].items[i], &p) || !tl_type_bytes(e, &a[0].items[i].items[1], &b))
			return false;
		if (b.type != TL_V_NULL && (!tl_v_arith(e, TL_N_MUL, &p, &b, &p) || !tl_v_arith(e, TL_N_ADD, &sum, &p, &sum)))
			return false;
	}
	return give(out, tl_v_truth(&sum) ? sum : tl_v_null());
}

FN(fn_need_broadcast)
{
	return fn_bcast(e, a, n, out);
}

/* ---- annotations --------------------------------------------------------------------------- */

static bool sums(struct tl_eval *e, const struct tl_annot *an, struct tl_value *out)
{
	if (!tl_v_seq(e, TL_V_TUPLE, TL_ANNOT_SUMS, out))
		return false;
	for (size_t i = 0; i < TL_ANNOT_SUMS; i++)
		out->items[i] = tl_v_int(an->sum[i]);
	return true;
}

/* Many events have the annotation of their step: the last one is remembered. */
static bool read_annotation(struct tl_eval *e, struct tl_annot *an)
{
	const char *text = e->event->annotation;
	struct tl_perf_memory *m = e->memory;

	if (!text || !m)
		return text && tl_annot_parse(text, an);
	if (m->annotation != text) {
		m->annotation = text;
		m->has_sums = tl_annot_parse(text, &m->sums);
	}
	*an = m->sums;
	return m->has_sums;
}

FN(fn_annot)
{
	struct tl_annot an;
	(void)a, (void)n;
	if (!read_annotation(e, &an))
		return tl_eval_fail(e, "no annotation with sums of query and key tokens");
	return sums(e, &an, out);
}

FN(fn_annot_drop)
{
	struct tl_annot an;
	(void)a, (void)n;
	if (!read_annotation(e, &an))
		return tl_eval_drop(e, "no annotation with sums of query and key tokens");
	return sums(e, &an, out);
}

/* ---- GEMM kernel names ------------------------------------------------------------------------ */

static bool three_letters(const char *s)
{
	for (int i = 0; i < 3; i++)
		if (s[i] < 'a' || s[i] > 'z')
			return false;
	return true;
}

/* Tensile: …Cijk_Ailk_Bljk… in one line */
static bool is_tensile(const char *s)
{
	if (strchr(s, '\n'))
		return false;
	for (; (s = strchr(s, 'C')); s++)
		if (strnlen(s, 14) >= 14 && three_letters(s + 1) && s[4] == '_' && s[5] == 'A' && three_letters(s + 6) &&
		    s[9] == '_' && s[10] == 'B' && three_letters(s + 11))
			return true;
	return false;
}

static struct tl_value side(const char *name, const char *plain, const char *transposed)
{
	if (strstr(name, plain))
		return tl_v_bool(false);
	return strstr(name, transposed) ? tl_v_bool(true) : tl_v_null();
}

/* (is A transposed, is B transposed) by the first kernel name that tells, or null */
FN(fn_transpose)
{
	(void)a, (void)n;
	for (size_t i = 0; i < e->event->n_kernels; i++) {
		const char *name = e->event->kernels[i];
		bool tensile = is_tensile(name);
		if (!tensile && strncmp(name, "nvjet", 5))
			continue;
		if (!tl_v_seq(e, TL_V_TUPLE, 2, out))
			return false;
		if (tensile) {
			out->items[0] = side(name, "_Ailk_", "_Alik_");
			out->items[1] = side(name, "_Bljk_", "_Bjlk_");
			return true;
		}
		const char *piece = strrchr(name, '_');
		piece = piece ? piece + 1 : name;
		if (!piece[0] || !piece[1])
			return tl_eval_fail(e, "kernel name \"%.80s\" does not tell the layout", name);
		out->items[0] = tl_v_bool(piece[0] == 'T');
		out->items[1] = tl_v_bool(piece[1] == 'T');
		return true;
	}
	return give(out, tl_v_null());
}

const struct tl_function tl_fn_models[] = {
	{ "convout", 7, 7, 0, fn_convout, "convout(x, w, stride, padding, dilation, transposed, output_padding): shape of the result" },
	{ "remember", 3, 3, TL_FN_BEYOND | TL_FN_MEMORY, fn_remember, "remember(tag, key, v): v, kept for recall" },
	{ "recall", 2, 2, TL_FN_BEYOND | TL_FN_MEMORY, fn_recall, "recall(tag, key): what was remembered last, else failed" },
	{ "bcast", 2, 2, 0, fn_bcast, "bcast(x, y): broadcast of two shapes" },
	{ "need_broadcast", 2, 2, 0, fn_need_broadcast, "need_broadcast(x, y): failed unless the shapes can be broadcast" },
	{ "padshape", 2, 2, 0, fn_padshape, "padshape(x, p): shape x widened by padding p, last dim first" },
	{ "reduce_out", 0, 0, 0, fn_reduce_out, "reduce_out(): elements of D[0] left when dims given as numbers in C, from C[1] on, are reduced; else 1: profilers write them as text" },
	{ "grouped_dims", 0, 0, 0, fn_grouped_dims, "grouped_dims(): (M, K, N, G) of a grouped product, or null" },
	{ "grouped_pairs", 0, 0, 0, fn_grouped_pairs, "grouped_pairs(): [((m, k), (k, n)), …], or null" },
	{ "operands", 0, 0, 0, fn_operands, "operands(): [(shape, type), …] of the operands with dims" },
	{ "maxelems", 1, 1, 0, fn_maxelems, "maxelems(operands): elements of the largest" },
	{ "precmax", 1, 1, 0, fn_precmax, "precmax(operands): precision of the largest" },
	{ "sumbytes", 1, 1, 0, fn_sumbytes, "sumbytes(operands): bytes of all of known type, null when 0" },
	{ "annot", 0, 0, TL_FN_BEYOND, fn_annot, "annot(): (c_sq, c_sk, c_sqsq, c_sqsk, g_sq, g_sk, g_sqsq, g_sqsk) of the step, else failed" },
	{ "annot_drop", 0, 0, TL_FN_BEYOND, fn_annot_drop, "annot_drop(): the same, else dropped" },
	{ "transpose", 0, 0, 0, fn_transpose, "transpose(): (A, B transposed) by the kernels' names, or null" },
	{ .name = NULL },
};
