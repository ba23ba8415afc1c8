/* fn_models.c - functions for one kind of model each: values that one event keeps for
 * another, pairs of grouped products, layouts in GEMM kernel names, the operators that the name of a kernel by
 * torch.compile lists.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "lang/functions.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ----------------------------------------------------------------------- */

struct tl_perf_memory {
	struct tl_arena arena;
	struct tl_strtab keys;
	struct TL_KEYED(struct tl_value) values;
	struct TL_KEYED(struct tl_pattern *) patterns; /* of the texts that are none: NULL */
};

struct tl_perf_memory *tl_memory_new(void)
{
	return tl_calloc(1, sizeof(struct tl_perf_memory));
}

void tl_memory_free(struct tl_perf_memory *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->patterns.n; i++)
		if (m->patterns.items[i])
			tl_pattern_release(m->patterns.items[i]);
	TL_KEYED_RELEASE(&m->patterns);
	TL_KEYED_RELEASE(&m->values);
	tl_arena_release(&m->arena);
	tl_strtab_release(&m->keys);
	free(m);
}

const struct tl_pattern *tl_memory_pattern(struct tl_perf_memory *m, const struct tl_value *text, char why[200])
{
	uint32_t id = tl_intern(&m->keys, text->text, text->len);

	struct tl_pattern **known = TL_ITEM(&m->patterns, id, NULL);
	if (!*known) {
		struct tl_pattern *p = tl_arena_alloc(&m->arena, sizeof *p);
		if (tl_pattern_compile(p, tl_str(&m->keys, id), 0, NULL, why))
			*known = p;
	}
	return *known;
}

static bool memory_key(struct tl_eval *e, const struct tl_value *a, struct tl_buf *key)
{
	if (!e->memory)
		return tl_eval_fail(e, "nothing is remembered here");
	if (!tl_eval_fits(e, &a[0]) || !tl_eval_fits(e, &a[1]))
		return false;
	tl_value_repr(key, &a[0], false);
	tl_buf_addc(key, '\n');
	tl_value_repr(key, &a[1], false);
	return true;
}

static struct tl_value copy_of(struct tl_arena *arena, const struct tl_value *v)
{
	struct tl_value copy = *v;

	if (v->type == TL_V_TEXT) {
		copy.text = tl_arena_dup(arena, v->text ? v->text : "", v->len);
	} else if (v->type == TL_V_REAL && v->big) {
		copy.big = tl_arena_dup(arena, v->big, strlen(v->big));
	} else if (tl_v_is_seq(v) || v->type == TL_V_DICT) {
		copy.items = tl_arena_alloc(arena, ((size_t)v->len + 1) * sizeof *copy.items);
		for (uint32_t i = 0; i < v->len; i++)
			copy.items[i] = copy_of(arena, &v->items[i]);
	}
	return copy;
}

TL_FN(fn_remember)
{
	struct tl_perf_memory *m = e->memory;
	struct tl_buf key = { 0 };

	if (!tl_eval_fits(e, &a[2]) || !memory_key(e, a, &key))
		return false;
	struct tl_value *kept = TL_ITEM(&m->values, tl_intern_buf(&m->keys, &key), NULL);
	if (!tl_v_equal(kept, &a[2]))
		*kept = copy_of(&m->arena, &a[2]);
	return tl_give(out, a[2]);
}

TL_FN(fn_recall)
{
	struct tl_perf_memory *m = e->memory;
	struct tl_buf key = { 0 };

	if (!memory_key(e, a, &key))
		return false;
	uint32_t id = tl_strtab_find(&m->keys, key.data, key.len);
	tl_buf_release(&key);
	const struct tl_value *kept = id ? TL_ITEM_FIND(&m->values, id) : NULL;
	return kept ? tl_give(out, *kept) : tl_eval_fail(e, "its forward event was not seen before");
}

/* ---- grouped products ---------------------------------------------------------------- */

static bool is_pair(const struct tl_value *v)
{
	return tl_v_is_seq(v) && v->len == 2 && v->items[0].type == TL_V_INT && v->items[0].i > 0 &&
	       v->items[1].type == TL_V_INT && v->items[1].i > 0;
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

static bool product(struct tl_eval *e, const struct tl_value *lhs, const struct tl_value *rhs, struct tl_value *out)
{
	if (!tl_eval_seq(e, TL_V_TUPLE, 2, out) || !tl_eval_seq(e, TL_V_TUPLE, 2, &out->items[0]) ||
	    !tl_eval_seq(e, TL_V_TUPLE, 2, &out->items[1]))
		return false;
	out->items[0].items[0] = lhs->items[0];
	out->items[0].items[1] = out->items[1].items[0] = lhs->items[1];
	out->items[1].items[1] = rhs->items[1];
	return true;
}

/* [((m, k), (k, n)), …] of the matrices in D[0] and D[1]; null when they do not fit. Two
 * single matrices make a pair whether they fit or not: some operators store the first
 * one transposed. */
TL_FN(fn_grouped_pairs)
{
	const struct tl_value *d = e->event->dims, **lhs, **rhs;

	*out = tl_v_null();
	if (!d || !tl_v_is_seq(d) || d->len < 2)
		return true;
	bool single = is_pair(&d->items[0]) && is_pair(&d->items[1]);
	uint32_t count = collect_pairs(&d->items[0], NULL, 0, 0);
	if (!count || count != collect_pairs(&d->items[1], NULL, 0, 0))
		return true;
	lhs = tl_arena_alloc(e->arena, count * sizeof *lhs);
	rhs = tl_arena_alloc(e->arena, count * sizeof *rhs);
	collect_pairs(&d->items[0], lhs, 0, count);
	collect_pairs(&d->items[1], rhs, 0, count);
	for (uint32_t i = 0; i < count && !single; i++)
		if (lhs[i]->items[1].i != rhs[i]->items[0].i)
			return true;
	if (!tl_eval_seq(e, TL_V_LIST, count, out))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!product(e, lhs[i], rhs[i], &out->items[i]))
			return false;
	return true;
}

/* ---- GEMM kernel names ------------------------------------------------------------------ */

static bool three_letters(const char *s)
{
	for (int i = 0; i < 3; i++)
		if (s[i] < 'a' || s[i] > 'z')
			return false;
	return true;
}

/* Does the name hold a layout as Tensile writes it, such as Cijk_Ailk_Bljk? A name of
 * several lines does not count. */
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

static struct tl_value tensile_side(const char *name, const char *plain, const char *transposed)
{
	if (strstr(name, plain))
		return tl_v_bool(false);
	return strstr(name, transposed) ? tl_v_bool(true) : tl_v_null();
}

/* (is A transposed, is B transposed) by the first kernel whose name tells, or null:
 * Tensile's index letters, or the last word of a name that begins with nvjet, such as TNT. */
TL_FN(fn_transpose)
{
	for (size_t i = 0; i < e->event->n_kernels; i++) {
		const char *name = e->event->kernels[i], *last = strrchr(name, '_');
		bool tensile = is_tensile(name);
		if (!tensile && strncmp(name, "nvjet", 5))
			continue;
		last = last ? last + 1 : name;
		if (!tensile && (!last[0] || !last[1]))
			return tl_eval_fail(e, "kernel name \"%.80s\" does not tell the layout", name);
		if (!tl_eval_seq(e, TL_V_TUPLE, 2, out))
			return false;
		out->items[0] = tensile ? tensile_side(name, "_Ailk_", "_Alik_") : tl_v_bool(last[0] == 'T');
		out->items[1] = tensile ? tensile_side(name, "_Bljk_", "_Bjlk_") : tl_v_bool(last[1] == 'T');
		return true;
	}
	return tl_give(out, tl_v_null());
}

/* ---- operators in the names of kernels by torch.compile ------------------------------ */

extern const char tl_data_aten_ops[]; /* a name a line, sorted by bytes */
extern const size_t tl_data_aten_ops_len;

#define MAX_WORDS 512
#define MAX_OP 100 /* bytes of an operator's name */

/* The body of a name, and where its words begin; a '_' stands between two words. */
struct words { const char *body; uint32_t n, start[MAX_WORDS + 1]; };

static const char *piece(const struct words *w, uint32_t from, uint32_t to, size_t *len)
{
	*len = w->start[to] - 1 - w->start[from];
	return w->body + w->start[from];
}

/* Is the piece of words from…to an operator of the aten namespace? */
static bool is_op(const struct words *w, uint32_t from, uint32_t to)
{
	size_t len, low = 0, high = tl_data_aten_ops_len;
	const char *s = piece(w, from, to, &len), *text = tl_data_aten_ops;

	while (low < high && len < MAX_OP) {
		size_t line = low + (high - low) / 2;
		while (line > low && text[line - 1] != '\n')
			line--;
		const char *nl = memchr(text + line, '\n', high - line);
		size_t n = nl ? (size_t)(nl - text) - line : high - line;
		int order = memcmp(s, text + line, len < n ? len : n);
		if (!order && len == n)
			return true;
		if (order < 0 || (!order && len < n))
			high = line;
		else
			low = line + n + 1;
	}
	return false;
}

/* Finds the words of BODY in a name triton_KIND_fused_BODY_DIGITS; false for any other name. */
static bool read_name(const char *name, size_t len, struct words *w)
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
	w->body = name + skip;
	end -= skip + 1;
	for (size_t i = 0; i <= end; i++)
		if (i == end || w->body[i] == '_') {
			if (w->n == MAX_WORDS)
				return false;
			w->start[++w->n] = (uint32_t)i + 1;
		}
	return true;
}

/* Operators hold '_' themselves, so a body may be divided in several ways. The last
 * operator is the longest one that leaves words that can be divided too, and so on
 * backwards. A body that cannot be divided lists none. */
TL_FN(fn_triton_ops)
{
	struct words w = { .n = 0 };
	bool ok[MAX_WORDS + 1] = { true }; /* can the first i words be divided? */
	uint32_t from_of[MAX_WORDS + 1], count = 0;

	bool named = read_name(e->event->name, e->event->name_len, &w);
	for (uint32_t to = 1; named && to <= w.n; to++)
		for (uint32_t from = 0; from < to && !ok[to]; from++)
			if (ok[from] && is_op(&w, from, to)) {
				ok[to] = true;
				from_of[to] = from;
			}
	if (!named || !ok[w.n])
		return tl_eval_seq(e, TL_V_TUPLE, 0, out);
	for (uint32_t to = w.n; to > 0; to = from_of[to])
		count++;
	if (!tl_eval_seq(e, TL_V_TUPLE, count, out))
		return false;
	for (uint32_t to = w.n; to > 0; to = from_of[to]) {
		size_t len;
		const char *s = piece(&w, from_of[to], to, &len);
		out->items[--count] = tl_v_text(s, len);
	}
	return true;
}

const struct tl_function tl_fn_models[] = {
	{ "remember", 3, 3, TL_FN_BEYOND | TL_FN_MEMORY, fn_remember, "remember(tag, key, v): v, kept for recall" },
	{ "recall", 2, 2, TL_FN_BEYOND | TL_FN_MEMORY, fn_recall, "recall(tag, key): what was remembered last" },
	{ "grouped_pairs", 0, 0, 0, fn_grouped_pairs,
	  "grouped_pairs(): [((m, k), (k, n)), ...] of the matrices in D[0] and D[1], or null" },
	{ "transpose", 0, 0, 0, fn_transpose,
	  "transpose(): (is A transposed, is B transposed) by the names of the kernels, or null" },
	{ "triton_ops", 0, 0, 0, fn_triton_ops,
	  "triton_ops(): the operators that the name of a compiled kernel lists, as (\"add\", \"mul\")" },
	{ .name = NULL },
};
