/* test_merge_sort.c - the stable sort against a plain one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/merge_sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 500 };
struct item { unsigned key, place; };

static int by_key(const void *a, const void *b, void *calls)
{
	unsigned x = ((const struct item *)a)->key, y = ((const struct item *)b)->key;
	++*(unsigned *)calls;
	return x < y ? -1 : x > y;
}

/* Insertion: what is equal stays in order. */
static void sort_plainly(struct item *items, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned k = i; k && items[k].key < items[k - 1].key; k--) {
			struct item other = items[k];
			items[k] = items[k - 1];
			items[k - 1] = other;
		}
}

TL_ORDER(by_place_of_key, struct item, TL_ASC(x->key / 10) TL_DESC(x->place))
TL_ORDER_IN(by_number_of, unsigned, struct item, TL_BY((int)(ctx[*a].key / 10) - (int)(ctx[*b].key / 10)) TL_DESC(ctx[*x].place))

/* An order of fields sorts as its fields say: items themselves, and their numbers. */
static unsigned wrong_orders(void)
{
	struct item items[MOST], sorted[MOST];
	unsigned numbers[MOST], wrong = 0;

	for (unsigned i = 0; i < MOST; i++) {
		items[i] = sorted[i] = (struct item){ (unsigned)rand() % 100, (unsigned)rand() % 50 };
		numbers[i] = i;
	}
	tl_merge_sort(sorted, MOST, sizeof *sorted, by_place_of_key, NULL);
	tl_merge_sort(numbers, MOST, sizeof *numbers, by_number_of, items);
	for (unsigned i = 1; i < MOST; i++) {
		struct item before = sorted[i - 1], x = sorted[i];
		wrong += before.key / 10 > x.key / 10 || (before.key / 10 == x.key / 10 && before.place < x.place);
		wrong += before.place != items[numbers[i - 1]].place;
	}
	return wrong;
}

int main(void)
{
	struct item items[MOST], plain[MOST];
	unsigned calls = 0, wrong = 0;
	srand(1);
	for (unsigned n = 0; n < MOST; n++) {
		unsigned keys = 1 + (unsigned)rand() % (2 * n + 1), runs = 1 + (unsigned)rand() % 4;
		for (unsigned i = 0; i < n; i++)
			items[i] = plain[i] = (struct item){ n % 3 ? (unsigned)rand() % keys : i * runs % (n + 1), i };
		tl_merge_sort(items, n, sizeof *items, by_key, &calls);
		sort_plainly(plain, n);
		wrong += n && memcmp(items, plain, n * sizeof *items) != 0;
	}
	printf("%s stable, as a plain sort\n", wrong ? "FAIL" : "ok");
	calls = 0;
	tl_merge_sort(items, MOST - 1, sizeof *items, by_key, &calls);
	printf("%s what is sorted is looked at once\n", calls < MOST ? "ok" : "FAIL");
	unsigned orders = wrong_orders();
	printf("%s an order of fields\n", orders ? "FAIL" : "ok");
	return wrong || orders || calls >= MOST;
}
