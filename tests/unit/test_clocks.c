/* test_clocks.c - how far the clocks of ranks are apart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/clocks.h"

#include <stdio.h>

static int failures;

static void check(bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
	failures += !ok;
}

enum { RANKS = 7 };

static bool is(const struct tl_clock *c, size_t reference, int64_t offset)
{
	return c->reference == reference && c->offset == offset;
}

int main(void)
{
	struct tl_clock clocks[RANKS];
	struct tl_clocks *c = tl_clocks_new(RANKS);

	/* 0 - 2, 2 - 1: rank 1 meets rank 0 only in a single collective, which is wrong about it;
	 * 3 - 4 and 5 - 4, and these two meet no other; 6 is alone */
	tl_clocks_add(c, 0, 2, 1000, 3, 7);
	tl_clocks_add(c, 1, 2, 300, 3, 21);
	tl_clocks_add(c, 0, 1, -123456, 0, 1);
	tl_clocks_add(c, 4, 5, -50, 3, 7);
	tl_clocks_add(c, 3, 4, 20, 3, 14);
	tl_clocks_find(c, clocks);
	check(is(&clocks[0], 0, 0), "the first rank is compared with itself");
	check(is(&clocks[2], 0, 1000), "a rank that meets the first one");
	check(is(&clocks[1], 0, 700), "a rank that meets it through another, by the pairs with the most collectives");
	check(is(&clocks[3], 3, 0) && is(&clocks[4], 3, 20) && is(&clocks[5], 3, -30), "ranks that meet no others have a reference of their own");
	check(is(&clocks[6], 6, 0) && !clocks[6].collectives, "a rank that meets nobody");
	check(clocks[2].collectives == 21 && clocks[2].spread == 3, "how sure it is: of the pair with the most collectives");
	tl_clocks_free(c);
	tl_clocks_free(NULL);
	return failures > 0;
}
