/* step_annotation.c - step annotations of serving engines, in three forms:
 *   vLLM     execute_N_context_A(sqNskNsqsqNsqskN)_generation_B(sqNskNsqsqNsqskN)
 *   SGLang   step[MODE key=N …] with MODE EXTEND, DECODE or MIXED and some …sqsq=N
 *   ATOM     prefill[key=value …] or decode[key=value …] with sqsq=N and sqsk=N
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/step_annotation.h"
#include "base/text.h"

#include <string.h>

#define MOST (INT64_MAX / 16) /* larger numbers count as this one, so that sums of all eight fit */

static bool take(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n))
		return false;
	*s += n;
	return true;
}

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

/* ---- vLLM ---------------------------------------------------------------------- */

static bool vllm_group(const char **s, int64_t *sum)
{
	int64_t count;

	return digits(s, &count) && take(s, "(sq") && digits(s, &sum[0]) && take(s, "sk") && digits(s, &sum[1]) &&
	       take(s, "sqsq") && digits(s, &sum[2]) && take(s, "sqsk") && digits(s, &sum[3]) && take(s, ")");
}

static bool vllm(const char *s, struct tl_step_sums *out)
{
	int64_t step;

	return take(&s, "execute_") && digits(&s, &step) && take(&s, "_context_") && vllm_group(&s, out->of) &&
	       take(&s, "_generation_") && vllm_group(&s, out->of + 4);
}

/* ---- pairs of key and value ------------------------------------------------------ */

/* Finds the next "key=" from *s on, before end, and moves past it. */
static bool next_key(const char **s, const char *end, const char **key, size_t *len)
{
	while (*s < end) {
		*key = *s;
		while (*s < end && tl_in_name(**s))
			++*s;
		*len = (size_t)(*s - *key);
		if (*s < end && *(*s)++ == '=' && *len)
			return true;
	}
	return false;
}

/* Does "sqsq=" and a digit stand between s and end? */
static bool has_squares(const char *s, const char *end)
{
	for (; (s = strstr(s, "sqsq=")) && s < end; s++)
		if (tl_is_digit(s[5]))
			return true;
	return false;
}

static bool sglang(const char *s, struct tl_step_sums *out)
{
	static const char *const keys[TL_STEP_SUMS] = {
		"c_sq", "c_sk", "c_sqsq", "c_sqsk", "g_sq", "g_sk", "g_sqsq", "g_sqsk",
	};
	const char *key, *first = strchr(s, ']'), *last = strrchr(s, ']');
	size_t len;
	int64_t v;

	if (!take(&s, "step[") || (!take(&s, "EXTEND") && !take(&s, "DECODE") && !take(&s, "MIXED")) || tl_in_name(*s) ||
	    !first || !has_squares(s, first))
		return false;
	while (next_key(&s, last, &key, &len)) {
		bool number = digits(&s, &v);
		for (size_t i = 0; i < TL_STEP_SUMS; i++)
			if (number && tl_text_is(key, len, keys[i]))
				out->of[i] = v;
	}
	return true;
}

/* Moves past a value. A value ends at a blank; one that begins with "[" ends at the next
 * "]" (`last` is the last "]" before end). Only whole numbers count; any other value is 0. */
static int64_t atom_value(const char **s, const char *end, const char *last)
{
	const char *stop = *s, *bracket = **s == '[' && last && *s < last ? memchr(*s, ']', (size_t)(end - *s)) : NULL;
	int64_t v = 0;

	bool number = digits(&stop, &v);
	while (!bracket && *s < end && **s != ' ' && **s != '\t')
		++*s;
	number &= stop == *s;
	if (bracket)
		*s = bracket + 1;
	return number ? v : 0;
}

static bool atom(const char *s, struct tl_step_sums *out)
{
	static const char *const keys[] = { "tok", "sk", "sqsq", "sqsk" };
	bool prefill = take(&s, "prefill["), found[4] = { false };
	const char *key, *last, *end = strrchr(s, ']');
	size_t len;

	if ((!prefill && !take(&s, "decode[")) || !end || !has_squares(s, end) || memchr(s, '\n', (size_t)(end - s)))
		return false;
	last = memrchr(s, ']', (size_t)(end - s));
	while (next_key(&s, end, &key, &len)) {
		int64_t v = atom_value(&s, end, last);
		for (size_t i = 0; i < 4; i++)
			if (tl_text_is(key, len, keys[i])) {
				found[i] = true;
				out->of[prefill ? i : i + 4] = v;
			}
	}
	return found[2] && found[3];
}

bool tl_step_annotation_parse(const char *text, struct tl_step_sums *out)
{
	static bool (*const forms[])(const char *, struct tl_step_sums *) = { vllm, sglang, atom };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		memset(out, 0, sizeof *out);
		if (forms[i](text, out))
			return true;
	}
	return false;
}
