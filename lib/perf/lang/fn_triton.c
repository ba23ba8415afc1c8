/* fn_triton.c - the operators that the name of a kernel by torch.compile lists.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "perf/lang/functions.h"

#include <string.h>

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

const struct tl_function tl_fn_triton[] = {
	{ "triton_ops", 0, 0, 0, fn_triton_ops,
	  "triton_ops(): the operators that the name of a compiled kernel lists, as (\"add\", \"mul\")" },
	{ .name = NULL },
};
