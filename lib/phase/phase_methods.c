/* phase_methods.c - the methods of TraceLens that tell the phase of a launch.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "phase/phase_methods.h"

#include "analysis/args.h"
#include "kernels/name_rules.h"

#include <stdlib.h>
#include <string.h>

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
	struct tl_phase_words *words;
	struct tl_name_answers tables[TABLES];
	struct tl_map counts;        /* string id -> launches with this name */
	struct quantiles quantiles;
	struct tl_arg dims;
	struct tl_map sizes;         /* string id of the text of "Input Dims" -> 1 + index in known_sizes */
	int64_t *known_sizes; size_t n_sizes, cap_sizes;
	struct tl_arena arena;       /* of one list of sizes */
};

struct tl_phase_methods *tl_phase_methods_new(const struct tl_trace *t)
{
	struct tl_phase_methods *m = tl_calloc(1, sizeof *m);

	m->trace = t;
	m->words = tl_phase_words_new(&t->strings);
	for (size_t i = 0; i < TABLES; i++)
		tl_name_answers_init(&m->tables[i], table_of[i], &t->strings);
	tl_arg_init(&m->dims, t, TL_KEY_INPUT_DIMS);
	return m;
}

void tl_phase_methods_free(struct tl_phase_methods *m)
{
	if (!m)
		return;
	tl_phase_words_free(m->words);
	for (size_t i = 0; i < TABLES; i++)
		tl_name_answers_release(&m->tables[i]);
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

void tl_phase_count_names(struct tl_phase_methods *m, const struct tl_phase_launch *launches, size_t n)
{
	uint32_t *counts;
	size_t n_counts = 0;

	for (size_t i = 0; i < n; i++)
		++*tl_map_put(&m->counts, launches[i].op, NULL);
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

static enum tl_phase by_table(struct tl_phase_methods *m, unsigned table, uint32_t name)
{
	const char *answer = tl_name_answer(&m->tables[table], name);

	return *answer == 'P' ? TL_PHASE_PREFILL : *answer == 'D' ? TL_PHASE_DECODE : TL_PHASE_MIXED;
}

static enum tl_phase by_size(int64_t size, int64_t threshold)
{
	if (size < 0)
		return TL_PHASE_MIXED;
	return size > threshold ? TL_PHASE_PREFILL : TL_PHASE_DECODE;
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

static void read_names(struct tl_phase_methods *m, struct tl_phase_launch *l)
{
	memset(&l->text, 0, sizeof l->text);
	tl_phase_text_add(m->words, &l->text, l->op);
	for (uint32_t i = 0; i < l->n; i++)
		tl_phase_text_add(m->words, &l->text, m->trace->events[l->events[i]].name);
}

static void count_votes(struct tl_phase_votes *v)
{
	for (unsigned i = 0; i < TL_PHASE_SIGNALS; i++) {
		v->prefill += v->signals[i] == TL_PHASE_PREFILL ? tl_phase_signal_votes(i) : 0;
		v->decode += v->signals[i] == TL_PHASE_DECODE ? tl_phase_signal_votes(i) : 0;
	}
	unsigned all = v->prefill + v->decode, most = v->prefill > v->decode ? v->prefill : v->decode;
	v->phase = TL_PHASE_MIXED;
	if (all < 2 || v->prefill == v->decode)
		return;
	v->phase = v->prefill > v->decode ? TL_PHASE_PREFILL : TL_PHASE_DECODE;
	v->confidence = (double)most / all;
}

void tl_phase_read(struct tl_phase_methods *m, struct tl_phase_launch *l, int64_t threshold)
{
	struct tl_phase_votes *v = &l->votes;

	read_names(m, l);
	memset(v, 0, sizeof *v);
	v->signals[TL_SIGNAL_GEMM] = by_size(l->m, threshold);
	v->signals[TL_SIGNAL_NAMES] = by_explicit_names(&l->text);
	v->signals[TL_SIGNAL_ATTENTION] = l->text.words & TL_WORD_ATTENTION_DECODE ? TL_PHASE_DECODE :
		l->text.words & TL_WORD_ATTENTION_PREFILL ? TL_PHASE_PREFILL : TL_PHASE_MIXED;
	v->signals[TL_SIGNAL_FRAMEWORK] = by_table(m, FRAMEWORKS, l->op);
	v->signals[TL_SIGNAL_BATCH] = by_table(m, BATCHES, l->op);
	count_votes(v);
}

/* ---- methods ---------------------------------------------------------------------------- */

static struct tl_phase_label by_union(const struct tl_phase_methods *m, const struct tl_phase_launch *l)
{
	struct tl_phase_label label = { l->votes.phase, l->votes.confidence };

	if (label.phase == TL_PHASE_MIXED)
		label.phase = by_rank(m, l->op, m->quantiles.q70, m->quantiles.q30);
	if (label.phase != l->votes.phase)
		label.confidence = 0.2;
	return label;
}

static enum tl_phase by_gemm_params(const struct tl_phase_launch *l)
{
	bool prefill = l->text.words & TL_WORD_PREFILL, decode = l->text.words & (TL_WORD_DECODE | TL_WORD_CONTINUOUS);

	if (prefill && decode)
		return TL_PHASE_MIXED;
	return prefill ? TL_PHASE_PREFILL : decode ? TL_PHASE_DECODE : l->votes.signals[TL_SIGNAL_GEMM];
}

static enum tl_phase by_kernel_names(const struct tl_phase_launch *l)
{
	enum tl_phase phase = by_lengths(&l->text);

	if (phase != TL_PHASE_MIXED)
		return phase;
	return l->text.words & TL_WORD_NAME_PREFILL ? TL_PHASE_PREFILL :
		l->text.words & TL_WORD_NAME_DECODE ? TL_PHASE_DECODE : TL_PHASE_MIXED;
}

static enum tl_phase by_frequency(const struct tl_phase_methods *m, uint32_t name)
{
	enum tl_phase phase = by_rank(m, name, m->quantiles.q50, m->quantiles.q15);

	return phase == TL_PHASE_PREFILL ? phase : TL_PHASE_DECODE;
}

/* The first of these that is not Mixed. */
static enum tl_phase by_hybrid(struct tl_phase_methods *m, const struct tl_phase_launch *l)
{
	enum tl_phase phase = by_kernel_names(l);

	if (phase == TL_PHASE_MIXED)
		phase = by_table(m, APIS, l->op);
	if (phase == TL_PHASE_MIXED)
		phase = by_table(m, ATTENTION, l->op);
	return phase == TL_PHASE_MIXED ? by_frequency(m, l->op) : phase;
}

struct tl_phase_label tl_phase_by_method(struct tl_phase_methods *m, enum tl_phase_method method,
                                         const struct tl_phase_launch *l)
{
	enum tl_phase phase = TL_PHASE_MIXED;

	switch (method) {
	case TL_BY_UNION: return by_union(m, l);
	case TL_BY_GEMM_PARAMS: phase = by_gemm_params(l); break;
	case TL_BY_KERNEL_NAMES: phase = by_kernel_names(l); break;
	case TL_BY_ATTENTION: phase = by_table(m, ATTENTION, l->op); break;
	case TL_BY_FRAMEWORKS: phase = by_table(m, APIS, l->op); break;
	case TL_BY_FREQUENCY: phase = by_frequency(m, l->op); break;
	default: phase = by_hybrid(m, l);
	}
	return (struct tl_phase_label){ phase, 0 };
}
