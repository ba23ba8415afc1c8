/* phase_methods.c - the methods of TraceLens that tell the phase of a launch.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/phase_methods.h"

#include "work/args.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "work/name_rules.h"

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

/* ---- words in names ----------------------------------------------------------------------- */

/* What the words and numbers in names say about the phase.
 *
 * TraceLens looks for words in the text "OP KERNEL KERNEL …" of a launch. That text may be
 * very long (a graph has thousands of kernels), so each distinct name is looked at once, and
 * what the names of a launch say is put together. The answers are the same. */

/* In the order of enum tl_phase_word. */
static const char *const word_names[] = {
	"prefill", "decode", "continuous", "says-prefill", "says-decode", "name-prefill", "name-decode",
	"attention", "attention-decode", "attention-prefill", NULL
};

/* Of one name. leading: the number at its start, 0 if it starts with none. */
struct name { struct tl_phase_text text; uint64_t leading; bool is_known; };

struct phase_words {
	const struct tl_strtab *strings;
	struct tl_name_rules *rules;
	struct name *names; size_t cap; /* by string id */
};

#define LIMIT ((uint64_t)1 << 63)

static uint64_t limited_sum(uint64_t a, uint64_t b)
{
	return a > LIMIT - b ? LIMIT : a + b;
}

/* The number at *s, which moves behind its digits. */
static uint64_t read_number(const char **s, const char *end)
{
	uint64_t n = 0;

	for (; *s < end && tl_is_digit(**s); ++*s)
		n = n > LIMIT / 10 - 1 ? LIMIT : n * 10 + (uint64_t)(**s - '0');
	return n;
}

static bool starts_with(const char *s, const char *end, const char *word)
{
	for (; *word; s++, word++)
		if (s == end || (*s | 0x20) != *word)
			return false;
	return true;
}

/* The digits behind "sl", "seqlen" or "seq" at s; NULL: no such word and digits stand there. */
static const char *digits_of_length(const char *s, const char *end)
{
	if (starts_with(s, end, "sl"))
		return end - s > 2 && tl_is_digit(s[2]) ? s + 2 : NULL;
	if (starts_with(s, end, "seqlen")) {
		s += 6;
		if (s < end && (*s == '_' || *s == ' ' || (*s >= '\t' && *s <= '\r')))
			s++;
		return s < end && tl_is_digit(*s) ? s : NULL;
	}
	return starts_with(s, end, "seq") && end - s > 3 && tl_is_digit(s[3]) ? s + 3 : NULL;
}

static void add_length(struct tl_phase_text *t, uint64_t length)
{
	if (!length)
		return;
	t->n_lengths++;
	t->sum_lengths = limited_sum(t->sum_lengths, length);
}

static void read_name(struct phase_words *w, uint32_t id, struct name *out)
{
	const char *s = tl_str(w->strings, id), *end = s + tl_str_len(w->strings, id), *start = s;

	*out = (struct name){ .is_known = true };
	out->text.words = (unsigned)tl_name_rules_all(w->rules, s, (size_t)(end - s), word_names);
	out->text.is_open = end - s >= 6 && starts_with(end - 6, end, "seqlen");
	out->leading = read_number(&start, end);
	while (s < end) {
		const char *digits = *s == 's' || *s == 'S' ? digits_of_length(s, end) : NULL;

		if (digits)
			add_length(&out->text, read_number(&digits, end));
		s = digits ? digits : s + 1;
	}
}

/* Adds " NAME" to a text. Zero bytes are no text yet; then no blank is added. */
static void add_to_text(struct phase_words *w, struct tl_phase_text *t, uint32_t name)
{
	size_t before = w->cap;
	TL_GROW(w->names, w->cap, (size_t)name + 1);
	if (w->cap > before)
		memset(w->names + before, 0, (w->cap - before) * sizeof *w->names);
	if (!w->names[name].is_known)
		read_name(w, name, &w->names[name]);
	const struct name *n = &w->names[name];

	if (t->is_open)
		add_length(t, n->leading);
	/* the word for attention in an earlier name, that for the phase in this one */
	if (t->words & TL_WORD_ATTENTION && n->text.words & TL_WORD_DECODE)
		t->words |= TL_WORD_ATTENTION_DECODE;
	if (t->words & TL_WORD_ATTENTION && n->text.words & TL_WORD_PREFILL)
		t->words |= TL_WORD_ATTENTION_PREFILL;
	t->words |= n->text.words;
	t->n_lengths += n->text.n_lengths;
	t->sum_lengths = limited_sum(t->sum_lengths, n->text.sum_lengths);
	t->is_open = n->text.is_open;
}

/* ---- tables, counts, sizes ---------------------------------------------------------------- */

/* Tables that answer for the name of an operator or call. */
enum { FRAMEWORKS, BATCHES, ATTENTION, APIS, TABLES };
static const enum tl_built_in_rules table_of[TABLES] = {
	TL_PHASE_FRAMEWORKS, TL_PHASE_BATCHES, TL_PHASE_ATTENTION, TL_PHASE_APIS
};

/* Counts of names at some ranks: the p-quantiles that the methods need. */
struct quantiles { double q15, q30, q50, q70; };

struct tl_phase_methods {
	const struct tl_trace *trace;
	struct phase_words words;
	struct tl_name_answers tables[TABLES];
	struct tl_map counts;        /* string id -> launches with this name */
	struct quantiles quantiles;
	struct tl_arg dims;
	struct TL_KEYED(int64_t) sizes; /* by the string id of the text of "Input Dims" */
	struct tl_arena arena;       /* of one list of sizes */
};

struct tl_phase_methods *tl_phase_methods_new(const struct tl_trace *t)
{
	struct tl_phase_methods *m = tl_calloc(1, sizeof *m);

	m->trace = t;
	m->words = (struct phase_words){ &t->strings, tl_name_rules_new(TL_PHASE_WORDS), NULL, 0 };
	for (size_t i = 0; i < TABLES; i++)
		tl_name_answers_init(&m->tables[i], table_of[i], &t->strings);
	m->dims = tl_arg_of(t, TL_KEY_INPUT_DIMS);
	return m;
}

void tl_phase_methods_free(struct tl_phase_methods *m)
{
	if (!m)
		return;
	tl_name_rules_free(m->words.rules);
	free(m->words.names);
	for (size_t i = 0; i < TABLES; i++)
		tl_name_answers_release(&m->tables[i]);
	tl_map_release(&m->counts);
	TL_KEYED_RELEASE(&m->sizes);
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
	bool is_new;

	if (tl_arg_get(&m->dims, m->trace, event, &json) != TL_FIELD_JSON)
		return -1;
	int64_t *size = TL_ITEM(&m->sizes, (uint64_t)json, &is_new);
	if (is_new)
		*size = first_size(m, (uint32_t)json);
	return *size;
}

/* ---- how often names occur -------------------------------------------------------------- */

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
	tl_sort_numbers(counts, n_counts);
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

void tl_phase_read(struct tl_phase_methods *m, struct tl_phase_launch *l, int64_t threshold)
{
	struct tl_phase_votes *v = &l->votes;

	memset(&l->text, 0, sizeof l->text);
	add_to_text(&m->words, &l->text, l->op);
	for (uint32_t i = 0; i < l->n; i++)
		add_to_text(&m->words, &l->text, m->trace->events[l->events[i]].name);
	memset(v, 0, sizeof *v);
	v->signals[TL_SIGNAL_GEMM] = by_size(l->m, threshold);
	v->signals[TL_SIGNAL_NAMES] = by_explicit_names(&l->text);
	v->signals[TL_SIGNAL_ATTENTION] = l->text.words & TL_WORD_ATTENTION_DECODE ? TL_PHASE_DECODE :
		l->text.words & TL_WORD_ATTENTION_PREFILL ? TL_PHASE_PREFILL : TL_PHASE_MIXED;
	v->signals[TL_SIGNAL_FRAMEWORK] = by_table(m, FRAMEWORKS, l->op);
	v->signals[TL_SIGNAL_BATCH] = by_table(m, BATCHES, l->op);
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
