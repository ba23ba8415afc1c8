/* annot.c - step annotations of serving engines. The forms:
 *   execute_N_context_A(sqNskNsqsqNsqskN)_generation_B(sqNskNsqsqNsqskN)
 *   step[MODE key=N …] with MODE EXTEND, DECODE or MIXED and some …sqsq=N
 *   prefill[key=value …] and decode[key=value …] with sqsq=N and sqsk=N
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/annot.h"
#include "base/text.h"

#include <string.h>

static bool take(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n))
		return false;
	*s += n;
	return true;
}

#define MOST (INT64_MAX / 16) /* room for sums */

/* Digits; too many of them are the largest number. */
static bool digits(const char **s, int64_t *out)
{
	int64_t v = 0;

	if (!tl_is_digit(**s))
		return false;
	for (; tl_is_digit(**s); ++*s)
		v = v < MOST / 10 ? 10 * v + (**s - '0') : MOST;
	*out = v;
	return true;
}

static bool group(const char **s, int64_t *sum)
{
	int64_t count;

	return digits(s, &count) && take(s, "(sq") && digits(s, &sum[0]) && take(s, "sk") && digits(s, &sum[1]) &&
	       take(s, "sqsq") && digits(s, &sum[2]) && take(s, "sqsk") && digits(s, &sum[3]) && take(s, ")");
}

static bool vllm(const char *s, struct tl_annot *out)
{
	int64_t step;

	return take(&s, "execute_") && digits(&s, &step) && take(&s, "_context_") && group(&s, out->sum) &&
	       take(&s, "_generation_") && group(&s, out->sum + 4);
}

/* Sums from "word=digits" pairs between s and end; prefix 2 bytes "c_", "g_". */
static void sglang_pairs(const char *s, const char *end, struct tl_annot *out)
{
	static const char *const keys[TL_ANNOT_SUMS] = {
		"c_sq", "c_sk", "c_sqsq", "c_sqsk", "g_sq", "g_sk", "g_sqsq", "g_sqsk",
	};
	while (s < end) {
		const char *from = s;
		int64_t v;
		while (s < end && tl_in_name(*s))
			s++;
		size_t n = (size_t)(s - from);
		if (!n || s == end || *s != '=') {
			s += s < end && s == from;
			if (s < end && !tl_in_name(*s))
				s++;
			continue;
		}
		s++;
		if (!digits(&s, &v))
			continue;
		for (size_t i = 0; i < TL_ANNOT_SUMS; i++)
			if (tl_text_is(from, n, keys[i]))
				out->sum[i] = v;
	}
}

/* Some "sqsq=" with a digit after it before the first closing bracket. */
static bool has_squares(const char *s, const char *end)
{
	for (; (s = strstr(s, "sqsq=")) && s < end; s++)
		if (tl_is_digit(s[5]))
			return true;
	return false;
}

static bool sglang(const char *s, struct tl_annot *out)
{
	const char *first, *last, *mode;

	if (!take(&s, "step["))
		return false;
	mode = s;
	if ((!take(&s, "EXTEND") && !take(&s, "DECODE") && !take(&s, "MIXED")) || tl_in_name(*s))
		return false;
	first = strchr(mode, ']');
	last = strrchr(mode, ']');
	if (!first || !has_squares(s, first))
		return false;
	sglang_pairs(s, last, out);
	return true;
}

static bool atom(const char *s, struct tl_annot *out)
{
	bool prefill = take(&s, "prefill["), squares = false, products = false;
	const char *end, *close = s; /* the next closing bracket before the end; NULL: there is none */
	int64_t *sum = prefill ? out->sum : out->sum + 4;

	if (!prefill && !take(&s, "decode["))
		return false;
	end = strrchr(s, ']');
	if (!end || !has_squares(s, end) || memchr(s, '\n', (size_t)(end - s)))
		return false;
	while (s < end) {
		const char *from = s;
		int64_t v = 0;
		while (s < end && tl_in_name(*s))
			s++;
		size_t n = (size_t)(s - from);
		if (!n || s == end || *s != '=') {
			s += s < end;
			continue;
		}
		const char *value = ++s;
		if (*s == '[' && close && close < s)
			close = memchr(s, ']', (size_t)(end - s));
		if (*s == '[' && close) {
			s = close + 1;
		} else {
			while (s < end && *s != ' ' && *s != '\t')
				s++;
			const char *stop = value;
			if (!digits(&stop, &v) || stop != s)
				v = 0;
		}
		squares |= tl_text_is(from, n, "sqsq");
		products |= tl_text_is(from, n, "sqsk");
		if (tl_text_is(from, n, "tok"))
			sum[0] = v;
		else if (tl_text_is(from, n, "sk"))
			sum[1] = v;
		else if (tl_text_is(from, n, "sqsq"))
			sum[2] = v;
		else if (tl_text_is(from, n, "sqsk"))
			sum[3] = v;
	}
	return squares && products;
}

bool tl_annot_parse(const char *text, struct tl_annot *out)
{
	memset(out, 0, sizeof *out);
	if (vllm(text, out))
		return true;
	memset(out, 0, sizeof *out);
	if (sglang(text, out))
		return true;
	memset(out, 0, sizeof *out);
	return atom(text, out);
}
