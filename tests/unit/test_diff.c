/* test_diff.c - edit scripts of lists, held against the plain table of distances.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "compare/edit_script.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plain form ---------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void plain(const uint32_t *a, size_t m, const uint32_t *b, size_t n, struct tl_edits *out)
{
	uint32_t *d = tl_alloc((m + 1) * (n + 1) * sizeof *d);
	size_t w = n + 1;

	for (size_t i = 0; i <= m; i++)
		for (size_t j = 0; j <= n; j++)
			d[i * w + j] = !i ? (uint32_t)j : !j ? (uint32_t)i :
				least(least(d[(i - 1) * w + j], d[i * w + j - 1]) + 1, d[(i - 1) * w + j - 1] + (a[i - 1] != b[j - 1]));
	for (size_t i = m, j = n; i || j;) {
		if (i && j && a[i - 1] == b[j - 1])
			tl_edits_add(out, (uint32_t)--i, (uint32_t)--j);
		else if (i && (!j || d[i * w + j] == d[(i - 1) * w + j] + 1))
			tl_edits_add(out, (uint32_t)--i, TL_NO_ITEM);
		else
			tl_edits_add(out, TL_NO_ITEM, (uint32_t)--j);
	}
	for (size_t i = 0; i < out->n / 2; i++) {
		struct tl_edit e = out->items[i];
		out->items[i] = out->items[out->n - 1 - i];
		out->items[out->n - 1 - i] = e;
	}
	free(d);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static uint64_t seed = 7;

static uint32_t any(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % below;
}

/* A list; likely: of so many items, one differs from `like`, or is missing, or is new. */
static size_t make(uint32_t *out, const uint32_t *like, size_t n, uint32_t names, uint32_t likely)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t what = like ? any(likely) : 1;
		if (what == 0 && any(3) == 0)
			continue;
		out[len++] = like && what ? like[i] : any(names);
		if (what == 0 && any(2))
			out[len++] = any(names);
	}
	return len;
}

static bool same(size_t longest, uint32_t names, uint32_t likely)
{
	uint32_t *a = tl_alloc((longest + 1) * sizeof *a), *b = tl_alloc((2 * longest + 2) * sizeof *b);
	size_t m = make(a, NULL, any((uint32_t)longest + 1), names, 0);
	size_t n = likely ? make(b, a, m, names, likely) : make(b, NULL, any((uint32_t)longest + 1), names, 0);
	struct tl_edits want = { 0 }, got = { 0 };

	plain(a, m, b, n, &want);
	bool whole = tl_edit_script(a, m, b, n, &got);
	bool ok = whole && want.n == got.n && (!want.n || !memcmp(want.items, got.items, want.n * sizeof *want.items));
	free(want.items);
	free(got.items);
	free(a);
	free(b);
	return ok;
}

static bool all_same(int times, size_t longest, uint32_t names, uint32_t likely)
{
	for (int i = 0; i < times; i++)
		if (!same(longest, names, likely))
			return false;
	return true;
}

/* Lists without a common name at their ends, and longer than a piece. */
static bool long_lists(void)
{
	enum { N = TL_EDIT_PIECE + 1000 };
	uint32_t *a = tl_alloc(N * sizeof *a), *b = tl_alloc(N * sizeof *b);
	struct tl_edits got = { 0 };
	size_t matches = 0, last_a = 0, last_b = 0;
	bool ok = true;

	for (uint32_t i = 0; i < N; i++) {
		a[i] = i + 1;
		b[i] = i % 1000 ? i + 1 : N + i + 1;
	}
	a[0] = a[N - 1] = 3 * N;
	ok = !tl_edit_script(a, N, b, N, &got);
	for (size_t i = 0; i < got.n; i++) {
		const struct tl_edit *e = &got.items[i];
		if (e->a != TL_NO_ITEM)
			ok = ok && e->a == last_a++;
		if (e->b != TL_NO_ITEM)
			ok = ok && e->b == last_b++;
		if (e->a != TL_NO_ITEM && e->b != TL_NO_ITEM) {
			ok = ok && a[e->a] == b[e->b];
			matches++;
		}
	}
	ok = ok && last_a == N && last_b == N && matches > N - 200;
	free(a);
	free(b);
	free(got.items);
	return ok;
}

int main(void)
{
	check("short lists of few names", all_same(3000, 8, 3, 0));
	check("lists of any length", all_same(200, 150, 5, 0));
	check("lists that differ here and there", all_same(200, 300, 12, 20));
	check("lists of names that occur once or twice", all_same(100, 200, 150, 6));
	check("longer lists", all_same(5, 1500, 4, 30));
	check("lists that are cut keep all items in order", long_lists());
	return failures != 0;
}
