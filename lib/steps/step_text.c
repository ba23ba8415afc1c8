/* step_text.c - what a serving engine's annotation says about the step it encloses.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_text.h"

#include "base/text.h"

#include <stddef.h>

#define NUMBER_MAX 1000000000000000

const char *tl_step_kind_name(unsigned kind)
{
	static const char *const names[TL_STEP_KINDS] = {
		"", "vllm_detailed", "vllm_native", "sglang_detailed", "sglang_native",
		"atom_detailed", "atom_native", "diffusion_native", "vllm_squares",
	};
	return kind < TL_STEP_KINDS ? names[kind] : "";
}

/* The number at s; *end is where it ends: s, if no digit stands there. */
static int64_t number(const char *s, const char **end)
{
	int64_t n = 0;

	for (; tl_is_digit(*s); s++)
		n = n < NUMBER_MAX / 10 ? n * 10 + (*s - '0') : NUMBER_MAX;
	*end = s;
	return n;
}

/* ---- formats whose numbers stand at fixed places ------------------------------- */

#define OF(field) offsetof(struct tl_step_text, field)
#define SUMS(side) OF(side.sq), OF(side.sk), OF(side.sqsq), OF(side.sqsk)
#define IGNORED 0 /* where `kind` is, which is no number */
#define MAX_PLACES 11

static const struct shape {
	enum tl_step_kind kind;
	const char *text; /* # is a number */
	size_t place[MAX_PLACES]; /* of each number in struct tl_step_text */
} shapes[] = {
	{ TL_STEP_VLLM_DETAILED,
	  "execute_#_context_#(sq#sk#sqsq#sqsk#)_generation_#(sq#sk#sqsq#sqsk#)",
	  { IGNORED, OF(context.requests), SUMS(context), OF(generation.requests), SUMS(generation) } },
	{ TL_STEP_VLLM_NATIVE, "execute_context_#(#)_generation_#(#)",
	  { OF(context.requests), OF(context.sq), OF(generation.requests), OF(generation.sq) } },
	{ TL_STEP_DIFFUSION, "execute_diffusion_#_#x#", { OF(batch_size), IGNORED, IGNORED } },
	{ TL_STEP_VLLM_SQUARES, "execute_context_#(#_#)_generation_#(#)",
	  { OF(context.requests), OF(context.sq), OF(context.sqsq), OF(generation.requests), OF(generation.sq) } },
	{ TL_STEP_VLLM_SQUARES, "execute_context_#(#)_generation_#(#_#)",
	  { OF(context.requests), OF(context.sq), OF(generation.requests), OF(generation.sq), OF(generation.sqsq) } },
	{ TL_STEP_VLLM_SQUARES, "execute_context_#(#_#)_generation_#(#_#)",
	  { OF(context.requests), OF(context.sq), OF(context.sqsq),
	    OF(generation.requests), OF(generation.sq), OF(generation.sqsq) } },
};

/* Does the text start with the shape? n receives its numbers. */
static bool has_shape(const char *s, const char *shape, int64_t *n)
{
	for (; *shape; shape++) {
		const char *end = s + 1;
		if (*shape == '#') {
			*n++ = number(s, &end);
			if (end == s)
				return false;
		} else if (*s != *shape) {
			return false;
		}
		s = end;
	}
	return true;
}

static void read_shape(const char *text, struct tl_step_text *step)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *shape = &shapes[i];
		int64_t n[MAX_PLACES];
		if (!has_shape(text, shape->text, n))
			continue;
		for (int k = 0; k < MAX_PLACES; k++)
			if (shape->place[k] != IGNORED)
				*(int64_t *)(void *)((char *)step + shape->place[k]) = n[k];
		step->kind = shape->kind;
		step->usable = shape->kind == TL_STEP_VLLM_DETAILED;
		step->tier = step->usable ? 1 : 2;
		step->context.tokens = step->context.sq;
		step->generation.tokens = step->generation.sq;
		if (shape->kind != TL_STEP_DIFFUSION)
			step->batch_size = step->context.sq + step->generation.sq;
		return;
	}
}

/* ---- formats of keys and values ------------------------------------------------ */

/* A word, = and a value; all point into the text. */
struct pair { const char *key, *value, *end; size_t key_len; };

/* The end of a value of SGLang: digits; start if it has none. */
static const char *digits_end(const char *s, const char *end)
{
	while (s < end && tl_is_digit(*s))
		s++;
	return s;
}

/* The end of a value of ATOM: a list, such as [4, 5] or [4, 5]...+3, or anything up to a blank. */
static const char *value_end(const char *s, const char *end)
{
	const char *close = s < end && *s == '[' ? memchr(s, ']', (size_t)(end - s)) : NULL;

	if (close)
		return close + 1;
	while (s < end && !tl_is_blank(*s))
		s++;
	return s;
}

/* The next pair of a text between *s and end; *s moves behind the pair. */
static bool next_pair(const char **s, const char *end, const char *(*find_end)(const char *, const char *), struct pair *p)
{
	while (*s < end) {
		p->key = *s;
		while (*s < end && tl_in_name(**s))
			++*s;
		p->key_len = (size_t)(*s - p->key);
		if (*s == end || **s != '=' || !p->key_len) {
			*s += *s < end;
			continue;
		}
		p->value = ++*s;
		p->end = find_end(p->value, end);
		*s = p->end;
		if (p->end > p->value)
			return true;
	}
	return false;
}

static bool is_key(const struct pair *p, const char *key)
{
	return tl_text_is(p->key, p->key_len, key);
}

/* The end of the line: no text of these formats goes beyond it. */
static const char *line_end(const char *s)
{
	return s + strcspn(s, "\n");
}

static const char *last_bracket(const char *s, const char *end)
{
	while (end > s && end[-1] != ']')
		end--;
	return end > s ? end - 1 : NULL;
}

/* Does a text have "sqsq=" and a digit between s and end? */
static bool has_squares(const char *s, const char *end)
{
	static const char key[] = "sqsq=";
	const size_t len = sizeof key - 1;

	for (; end - s > (ptrdiff_t)len; s++)
		if (!memcmp(s, key, len) && tl_is_digit(s[len]))
			return true;
	return false;
}

enum sglang_mode { SGLANG_EXTEND, SGLANG_DECODE, SGLANG_MIXED, SGLANG_MODES };

static void read_sglang_pairs(const char *s, const char *end, enum sglang_mode mode, struct tl_step_text *step)
{
	static const struct { const char *key; size_t place; } sums[] = {
		{ "c_sq", OF(context.sq) }, { "c_sk", OF(context.sk) },
		{ "c_sqsq", OF(context.sqsq) }, { "c_sqsk", OF(context.sqsk) },
		{ "g_sq", OF(generation.sq) }, { "g_sk", OF(generation.sk) },
		{ "g_sqsq", OF(generation.sqsq) }, { "g_sqsk", OF(generation.sqsk) },
	};
	int64_t bs = 0, toks = 0, c = 0, g = 0;
	struct pair p;

	while (next_pair(&s, end, digits_end, &p)) {
		const char *stop;
		int64_t n = number(p.value, &stop);
		for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
			if (is_key(&p, sums[i].key))
				*(int64_t *)(void *)((char *)step + sums[i].place) = n;
		if (is_key(&p, "bs"))
			bs = n;
		else if (is_key(&p, "toks"))
			toks = n;
		else if (is_key(&p, "c"))
			c = n;
		else if (is_key(&p, "g"))
			g = n;
	}
	step->context.requests = mode == SGLANG_MIXED ? c : mode == SGLANG_EXTEND ? bs : 0;
	step->generation.requests = mode == SGLANG_MIXED ? g : mode == SGLANG_DECODE ? bs : 0;
	step->context.tokens = mode == SGLANG_DECODE ? 0 : step->context.sq;
	step->generation.tokens = mode == SGLANG_EXTEND ? 0 : step->generation.sq;
	step->batch_size = step->context.sq + step->generation.sq;
	if (!step->batch_size)
		step->batch_size = toks ? toks : bs;
}

/* The end of `word` at s behind one or more blanks; NULL if something else stands at s. */
static const char *after_word(const char *s, const char *word)
{
	const char *start = s;

	while (tl_is_blank(*s))
		s++;
	return s > start && tl_starts_with(s, word) ? s + strlen(word) : NULL;
}

/* What follows the mode in step[MODE bs=N] and step[MODE bs=N toks=N]. */
static bool read_sglang_native(const char *s, enum sglang_mode mode, struct tl_step_text *step)
{
	const char *value = after_word(s, "bs="), *end, *toks;
	int64_t bs, n = 0;

	if (!value || (bs = number(value, &end), end == value))
		return false;
	toks = after_word(end, "toks=");
	if (toks && (n = number(toks, &end), end == toks))
		return false;
	if (*end != ']')
		return false;
	struct tl_step_side *side = mode == SGLANG_DECODE ? &step->generation : &step->context;
	side->requests = bs;
	side->tokens = side->sq = mode == SGLANG_DECODE ? bs : n;
	step->batch_size = side->sq ? side->sq : bs;
	return true;
}

static void read_sglang(const char *text, struct tl_step_text *step)
{
	static const char *const modes[SGLANG_MODES] = { "EXTEND", "DECODE", "MIXED" };
	const char *s = text + strlen("step[");
	unsigned mode = 0;

	while (mode < SGLANG_MODES && !tl_starts_with(s, modes[mode]))
		mode++;
	if (mode == SGLANG_MODES || tl_in_name(s[strlen(modes[mode])]))
		return;
	s += strlen(modes[mode]);
	const char *close = strchr(s, ']');
	if (close && has_squares(s, close)) {
		step->kind = TL_STEP_SGLANG_DETAILED;
		step->usable = true;
		step->tier = 1;
		read_sglang_pairs(s, strrchr(s, ']'), (enum sglang_mode)mode, step);
	} else if (last_bracket(s, line_end(s))) {
		step->tier = 2;
		if (read_sglang_native(s, (enum sglang_mode)mode, step))
			step->kind = TL_STEP_SGLANG_NATIVE;
	}
}

/* The number that the whole value is, else 0. */
static int64_t whole_number(const struct pair *p)
{
	const char *stop;
	int64_t n = number(p->value, &stop);

	return stop == p->end ? n : 0;
}

/* The first number in the value, 0 if it has none: 117/128 are 117 requests in a graph for 128. */
static int64_t first_number(const struct pair *p)
{
	const char *s = p->value, *stop;

	while (s < p->end && !tl_is_digit(*s))
		s++;
	return s < p->end ? number(s, &stop) : 0;
}

/* s: behind the bracket. The tokens are those of all requests. */
static void read_atom(const char *s, struct tl_step_side *side, struct tl_step_text *step)
{
	const char *end = last_bracket(s, line_end(s));
	bool squares = false, products = false;
	struct pair p;

	if (!end)
		return;
	step->tier = has_squares(s, end) ? 1 : 2;
	step->kind = step->tier == 1 ? TL_STEP_ATOM_DETAILED : TL_STEP_ATOM_NATIVE;
	while (next_pair(&s, end, value_end, &p)) {
		if (is_key(&p, "bs"))
			side->requests = first_number(&p);
		else if (is_key(&p, "tok"))
			side->sq = whole_number(&p);
		else if (is_key(&p, "sk"))
			side->sk = whole_number(&p);
		else if (is_key(&p, "sqsq"))
			side->sqsq = whole_number(&p), squares = true;
		else if (is_key(&p, "sqsk"))
			side->sqsk = whole_number(&p), products = true;
	}
	side->tokens = step->batch_size = side->sq;
	step->usable = squares && products;
}

void tl_step_text_read(const char *text, struct tl_step_text *step)
{
	*step = (struct tl_step_text){ .batch_size = 1 };
	if (tl_starts_with(text, "step["))
		read_sglang(text, step);
	else if (tl_starts_with(text, "prefill["))
		read_atom(text + strlen("prefill["), &step->context, step);
	else if (tl_starts_with(text, "decode["))
		read_atom(text + strlen("decode["), &step->generation, step);
	else if (tl_starts_with(text, "execute_"))
		read_shape(text, step);
}

const char *tl_phase_name(enum tl_phase phase)
{
	static const char *const names[TL_PHASES] = { "Unknown", "Prefill", "Decode", "Mixed" };

	return names[phase];
}

enum tl_phase tl_step_phase(const struct tl_step_text *step)
{
	if (step->context.requests > 0)
		return step->generation.requests > 0 ? TL_PHASE_MIXED : TL_PHASE_PREFILL;
	return step->generation.requests > 0 ? TL_PHASE_DECODE : TL_PHASE_UNKNOWN;
}

bool tl_capture_text_read(const char *text, int64_t *batch_size, const char **mode)
{
	static const char prefix[] = "capture_";
	const char *s = text + sizeof prefix - 1, *end;

	if (!tl_starts_with(text, prefix))
		return false;
	*batch_size = number(s, &end);
	*mode = end + 1;
	return end > s && *end == '_';
}
