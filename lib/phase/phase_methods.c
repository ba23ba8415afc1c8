/* phase_methods.c - the methods of TraceLens that tell the phase of a launch.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "phase/phase_methods.h"

#include "analysis/args.h"

#include <stdlib.h>
#include <string.h>

const char *tl_phase_name(unsigned phase)
{
	static const char *const names[TL_PHASES] = { "Unknown", "Prefill", "Decode", "Mixed" };

	return phase < TL_PHASES ? names[phase] : names[0];
}

const char *tl_phase_method_name(unsigned method)
{
	static const char *const names[] = { "union", "gemm_params", "kernel_names", "attention_patterns", "framework_apis",
		"operation_frequency", "hybrid", "steps" };

	return method <= TL_BY_STEPS ? names[method] : NULL;
}

const char *tl_phase_signal_name(unsigned signal)
{
	static const char *const names[TL_PHASE_SIGNALS] = { "gemm_dimension", "explicit_names", "paged_attention",
		"framework_api", "batch_pattern" };

	return signal < TL_PHASE_SIGNALS ? names[signal] : NULL;
}

unsigned tl_phase_signal_votes(unsigned signal)
{
	static const unsigned votes[TL_PHASE_SIGNALS] = { 3, 4, 2, 2, 1 };

	return signal < TL_PHASE_SIGNALS ? votes[signal] : 0;
}

/* Tables that answer for the name of an operator or call. */
enum { FRAMEWORKS, BATCHES, ATTENTION, APIS, TABLES };
static const enum tl_built_in_rules table_of[TABLES] = {
	TL_PHASE_FRAMEWORKS, TL_PHASE_BATCHES, TL_PHASE_ATTENTION, TL_PHASE_APIS
};

/* Counts of names at some ranks: the p-quantiles that the methods need. */
struct quantiles { double q15, q30, q50, q70; };

struct tl_phase_methods {
	const struct tl_trace *trace;
	int64_t threshold;
	struct tl_phase_words *words;
	/* known: by string id, 1 + phase */
	struct answers { struct tl_name_rules *rules; uint8_t *known; size_t cap; } tables[TABLES];
	struct tl_map counts;        /* string id -> launches with this name */
	struct quantiles quantiles;
	struct tl_arg dims;
	struct tl_map sizes;         /* string id of the text of "Input Dims" -> 1 + index in known_sizes */
	int64_t *known_sizes; size_t n_sizes, cap_sizes;
	struct tl_arena arena;       /* of one list of sizes */
};

struct tl_phase_methods *tl_phase_methods_new(const struct tl_trace *t, int64_t threshold)
{
	struct tl_phase_methods *m = tl_calloc(1, sizeof *m);

	m->trace = t;
	m->threshold = threshold;
	m->words = tl_phase_words_new(&t->strings);
	for (size_t i = 0; i < TABLES; i++)
		m->tables[i].rules = tl_name_rules_new(table_of[i]);
	tl_arg_init(&m->dims, t, TL_KEY_INPUT_DIMS);
	return m;
}

void tl_phase_methods_free(struct tl_phase_methods *m)
{
	if (!m)
		return;
	tl_phase_words_free(m->words);
	for (size_t i = 0; i < TABLES; i++) {
		tl_name_rules_free(m->tables[i].rules);
		free(m->tables[i].known);
	}
	tl_map_release(&m->counts);
	tl_arg_release(&m->dims);
	tl_map_release(&m->sizes);
	free(m->known_sizes);
	tl_arena_release(&m->arena);
	free(m);
}

/* ---- sizes of arguments -------------------------------------------------------------- */

static bool is_list(const struct tl_value *v)
{
	return v->type == TL_V_LIST && v->len > 0;
}

static int64_t first_size(struct tl_phase_methods *m, uint32_t json)
{
	const struct tl_strtab *strings = &m->trace->strings;
	struct tl_value v;

	tl_arena_clear(&m->arena);
	if (tl_value_parse(&m->arena, tl_str(strings, json), tl_str_len(strings, json), &v, NULL) ||
	    !is_list(&v) || v.len < 2 || !is_list(&v.items[0]))
		return -1;
	const struct tl_value *size = &v.items[0].items[0];
	if (size->type == TL_V_INT && size->i > 0)
		return size->i < INT64_MAX ? (int64_t)size->i : INT64_MAX;
	if (size->type == TL_V_REAL && size->d > 0)
		return size->d < 0x1p63 ? (int64_t)size->d : INT64_MAX;
	return -1;
}

int64_t tl_phase_m(struct tl_phase_methods *m, uint32_t event)
{
	int64_t json = 0;

	if (tl_arg_get(&m->dims, m->trace, event, &json) != TL_FIELD_JSON)
		return -1;
	uint32_t *number = tl_map_put(&m->sizes, (uint64_t)json, NULL);
	if (!*number) {
		TL_GROW(m->known_sizes, m->cap_sizes, m->n_sizes + 1);
		m->known_sizes[m->n_sizes++] = first_size(m, (uint32_t)json);
		*number = (uint32_t)m->n_sizes;
	}
	return m->known_sizes[*number - 1];
}

/* ---- how often names occur -------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Between two counts as numpy does it, so that the last digit is the same. */
static double quantile(const uint32_t *sorted, size_t n, double p)
{
	double v = (double)(n - 1) * p;
	size_t i = (size_t)v;
	double t = v - (double)i, low = sorted[i], high = sorted[i + 1 < n ? i + 1 : i];

	return t < 0.5 ? low + (high - low) * t : high - (high - low) * (1 - t);
}

void tl_phase_count_names(struct tl_phase_methods *m, const uint32_t *names, size_t n)
{
	uint32_t *counts;
	size_t n_counts = 0;

	for (size_t i = 0; i < n; i++)
		++*tl_map_put(&m->counts, names[i], NULL);
	if (!n)
		return;
	counts = tl_alloc(m->counts.count * sizeof *counts);
	for (size_t i = 0; i <= m->counts.mask; i++)
		if (m->counts.slots[i].used)
			counts[n_counts++] = m->counts.slots[i].value;
	qsort(counts, n_counts, sizeof *counts, by_count);
	m->quantiles = (struct quantiles){ quantile(counts, n_counts, 0.15), quantile(counts, n_counts, 0.3),
	                                   quantile(counts, n_counts, 0.5), quantile(counts, n_counts, 0.7) };
	free(counts);
}

uint32_t tl_phase_name_count(const struct tl_phase_methods *m, uint32_t name)
{
	const uint32_t *count = tl_map_get(&m->counts, name);

	return count ? *count : 0;
}

/* Decode above one quantile, Prefill below another, else Mixed. */
static enum tl_phase by_rank(const struct tl_phase_methods *m, uint32_t name, double high, double low)
{
	const uint32_t *count = tl_map_get(&m->counts, name);

	if (!count)
		return TL_PHASE_MIXED;
	return *count > high ? TL_PHASE_DECODE : *count < low ? TL_PHASE_PREFILL : TL_PHASE_MIXED;
}

/* ---- signals ---------------------------------------------------------------------------- */

static enum tl_phase ask_table(struct tl_name_rules *rules, const char *name, size_t len)
{
	const char *answer = tl_name_rules_find(rules, name, len);

	return *answer == 'P' ? TL_PHASE_PREFILL : *answer == 'D' ? TL_PHASE_DECODE : TL_PHASE_MIXED;
}

static enum tl_phase by_table(struct tl_phase_methods *m, unsigned table, uint32_t name)
{
	const struct tl_strtab *strings = &m->trace->strings;
	struct answers *a = &m->tables[table];
	size_t before = a->cap;

	TL_GROW(a->known, a->cap, (size_t)name + 1);
	if (a->cap > before)
		memset(a->known + before, 0, a->cap - before);
	if (!a->known[name])
		a->known[name] = (uint8_t)(1 + ask_table(a->rules, tl_str(strings, name), tl_str_len(strings, name)));
	return (enum tl_phase)(a->known[name] - 1);
}

static enum tl_phase by_size(const struct tl_phase_methods *m, int64_t size)
{
	if (size < 0)
		return TL_PHASE_MIXED;
	return size > m->threshold ? TL_PHASE_PREFILL : TL_PHASE_DECODE;
}

/* The average length: 1 is Decode, more than 10 Prefill. */
static enum tl_phase by_lengths(const struct tl_phase_text *t)
{
	if (t->n_lengths && t->sum_lengths == t->n_lengths)
		return TL_PHASE_DECODE;
	return t->sum_lengths > 10 * t->n_lengths ? TL_PHASE_PREFILL : TL_PHASE_MIXED;
}

static enum tl_phase by_explicit_names(const struct tl_phase_text *t)
{
	enum tl_phase phase = by_lengths(t);
	bool prefill = t->words & TL_WORD_SAYS_PREFILL, decode = t->words & TL_WORD_SAYS_DECODE;

	if (phase != TL_PHASE_MIXED || prefill == decode)
		return phase;
	return prefill ? TL_PHASE_PREFILL : TL_PHASE_DECODE;
}

void tl_phase_read_names(struct tl_phase_methods *m, const struct tl_phase_launch *l, struct tl_phase_text *text)
{
	memset(text, 0, sizeof *text);
	tl_phase_text_add(m->words, text, l->op);
	for (uint32_t i = 0; i < l->n; i++)
		tl_phase_text_add(m->words, text, m->trace->events[l->events[i]].name);
}

static struct tl_phase_text text_of(struct tl_phase_methods *m, const struct tl_phase_launch *l)
{
	struct tl_phase_text text;

	tl_phase_read_names(m, l, &text);
	return text;
}

static void vote(struct tl_phase_methods *m, const struct tl_phase_launch *l, const struct tl_phase_text *text,
                 struct tl_phase_votes *v)
{
	memset(v, 0, sizeof *v);
	v->phase = TL_PHASE_MIXED;
	v->signals[TL_SIGNAL_GEMM] = by_size(m, l->m);
	v->signals[TL_SIGNAL_NAMES] = by_explicit_names(text);
	v->signals[TL_SIGNAL_ATTENTION] = text->words & TL_WORD_ATTENTION_DECODE ? TL_PHASE_DECODE :
		text->words & TL_WORD_ATTENTION_PREFILL ? TL_PHASE_PREFILL : TL_PHASE_MIXED;
	v->signals[TL_SIGNAL_FRAMEWORK] = by_table(m, FRAMEWORKS, l->op);
	v->signals[TL_SIGNAL_BATCH] = by_table(m, BATCHES, l->op);
	for (size_t i = 0; i < TL_PHASE_SIGNALS; i++) {
		v->prefill += v->signals[i] == TL_PHASE_PREFILL ? tl_phase_signal_votes((unsigned)i) : 0;
		v->decode += v->signals[i] == TL_PHASE_DECODE ? tl_phase_signal_votes((unsigned)i) : 0;
	}
	unsigned all = v->prefill + v->decode, most = v->prefill > v->decode ? v->prefill : v->decode;
	if (all < 2 || v->prefill == v->decode)
		return;
	v->phase = v->prefill > v->decode ? TL_PHASE_PREFILL : TL_PHASE_DECODE;
	v->confidence = (double)most / all;
}

void tl_phase_vote(struct tl_phase_methods *m, const struct tl_phase_launch *l, struct tl_phase_votes *v)
{
	struct tl_phase_text text = text_of(m, l);

	vote(m, l, &text, v);
}

/* ---- methods ---------------------------------------------------------------------------- */

static enum tl_phase by_union(struct tl_phase_methods *m, const struct tl_phase_launch *l)
{
	struct tl_phase_votes v;

	tl_phase_vote(m, l, &v);
	return v.phase != TL_PHASE_MIXED ? v.phase : by_rank(m, l->op, m->quantiles.q70, m->quantiles.q30);
}

static enum tl_phase by_gemm_params(struct tl_phase_methods *m, const struct tl_phase_launch *l)
{
	struct tl_phase_text text = text_of(m, l);
	bool prefill = text.words & TL_WORD_PREFILL, decode = text.words & (TL_WORD_DECODE | TL_WORD_CONTINUOUS);

	if (prefill && decode)
		return TL_PHASE_MIXED;
	return prefill ? TL_PHASE_PREFILL : decode ? TL_PHASE_DECODE : by_size(m, l->m);
}

static enum tl_phase by_kernel_names(struct tl_phase_methods *m, const struct tl_phase_launch *l)
{
	struct tl_phase_text text = text_of(m, l);
	enum tl_phase phase = by_lengths(&text);

	if (phase != TL_PHASE_MIXED)
		return phase;
	return text.words & TL_WORD_NAME_PREFILL ? TL_PHASE_PREFILL :
		text.words & TL_WORD_NAME_DECODE ? TL_PHASE_DECODE : TL_PHASE_MIXED;
}

static enum tl_phase by_frequency(const struct tl_phase_methods *m, uint32_t name)
{
	enum tl_phase phase = by_rank(m, name, m->quantiles.q50, m->quantiles.q15);

	return phase == TL_PHASE_PREFILL ? phase : TL_PHASE_DECODE;
}

static enum tl_phase by_hybrid(struct tl_phase_methods *m, const struct tl_phase_launch *l)
{
	static const enum tl_phase_method order[] = {
		TL_BY_KERNEL_NAMES, TL_BY_FRAMEWORKS, TL_BY_ATTENTION, TL_BY_FREQUENCY
	};
	enum tl_phase phase = TL_PHASE_MIXED;

	for (size_t i = 0; i < sizeof order / sizeof *order && phase == TL_PHASE_MIXED; i++)
		phase = tl_phase_by_method(m, order[i], l);
	return phase;
}

enum tl_phase tl_phase_by_method(struct tl_phase_methods *m, enum tl_phase_method method,
                                 const struct tl_phase_launch *l)
{
	switch (method) {
	case TL_BY_UNION: return by_union(m, l);
	case TL_BY_GEMM_PARAMS: return by_gemm_params(m, l);
	case TL_BY_KERNEL_NAMES: return by_kernel_names(m, l);
	case TL_BY_ATTENTION: return by_table(m, ATTENTION, l->op);
	case TL_BY_FRAMEWORKS: return by_table(m, APIS, l->op);
	case TL_BY_FREQUENCY: return by_frequency(m, l->op);
	default: return by_hybrid(m, l);
	}
}
