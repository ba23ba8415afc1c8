/* test_map.c - maps that number keys, sets, and lists with an item a key.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/map.h"
#include "check.h"

#include <stdlib.h>

enum { MANY = 5000, KINDS = 700 };
struct sum { uint64_t key; unsigned times; };
struct sums TL_KEYED(struct sum);

static void test_numbers(void)
{
	struct tl_map m = { 0 }, set = { 0 };
	bool is_new, right = true;
	uint32_t next = 0;

	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t key = i * i % KINDS << 33;
		bool before = tl_map_get(&m, key);
		uint32_t number = tl_map_number(&m, key, &is_new);
		right &= is_new == !before && tl_map_add(&set, key) == !before && number == *tl_map_get(&m, key) &&
		         (is_new ? number == next : number < next);
		next += is_new;
	}
	check("keys are numbered in the order of first use", right && next == m.count);
	check("a set tells what is new", right && next == set.count);
	tl_map_release(&m);
	tl_map_release(&set);
	check("two ids are one key", tl_key_of_two(1, 2) != tl_key_of_two(2, 1) && tl_key_of_two(0, UINT32_MAX) == UINT32_MAX);
}

static void test_list(void)
{
	struct sums all = { 0 };
	unsigned expected[KINDS] = { 0 }, wrong = 0, times = 0;
	bool is_new;

	check("an empty list has no item", !TL_ITEM_FIND(&all, 7));
	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t key = i * i % KINDS;
		struct sum *s = TL_ITEM(&all, key, &is_new);
		wrong += is_new != !expected[key] || (is_new && (s->key || s->times || s != &all.items[all.n - 1]));
		s->key = key;
		s->times++;
		expected[key]++;
	}
	check("a new item is zero bytes, at the end of the list", !wrong);
	for (size_t i = 0; i < all.n; i++) {
		wrong += all.items[i].times != expected[all.items[i].key] || TL_ITEM_FIND(&all, all.items[i].key) != &all.items[i];
		times += all.items[i].times;
	}
	check("each key has one item", !wrong && times == MANY);
	check("a key that was not used has none", !TL_ITEM_FIND(&all, KINDS + 1));
	TL_KEYED_RELEASE(&all);
}

int main(void)
{
	test_numbers();
	test_list();
	return failures > 0;
}
