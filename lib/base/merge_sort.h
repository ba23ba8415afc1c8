/* merge_sort.h - a stable sort, fast for items that are nearly sorted, and orders to sort by.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MERGE_SORT_H
#define TL_MERGE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n items of `size` bytes; equal items keep their order. compare is called as
 * by qsort_r. Unless the items are sorted already, memory for n / 2 more is needed. */
void tl_merge_sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *ctx);
/* Sorts n numbers, the lowest first. */
void tl_sort_numbers(uint32_t *numbers, size_t n);
void tl_sort_times(int64_t *times, size_t n);

/* A compare function of items of a type, told by what decides, in this order:
 *   TL_ORDER(by_start, struct step, TL_ASC(x->start) TL_DESC(x->end))
 *   TL_ORDER_IN(by_name, uint32_t, struct tl_trace, TL_ASC(ctx->events[*x].ts))
 * x is an item, ctx what tl_merge_sort was given, a constant of the type that TL_ORDER_IN names. */
#define TL_ORDER(name, type, ...) TL_ORDER_IN(name, type, void, __VA_ARGS__)
#define TL_ORDER_IN(name, type, context, ...) \
	static int name(const void *a_, const void *b_, void *ctx_) \
	{ \
		const type *const a = a_, *const b = b_, *x = a; \
		const context *const ctx = ctx_; \
		(void)b, (void)x, (void)ctx; \
		__VA_ARGS__ \
		return 0; \
	}
/* By a number: the lowest, or the highest, first. */
#define TL_ASC(number) TL_FIRST_IF_(<, number)
#define TL_DESC(number) TL_FIRST_IF_(>, number)
#define TL_FIRST_IF_(comes_before, number) \
	{ \
		x = a; \
		const __auto_type of_a_ = +(number); \
		x = b; \
		const __auto_type of_b_ = +(number); \
		if (of_a_ comes_before of_b_) \
			return -1; \
		if (of_b_ comes_before of_a_) \
			return 1; \
	}
/* By a comparison of items a and b: below 0 where a comes first. */
#define TL_BY(comparison) \
	{ \
		int order_ = (comparison); \
		if (order_) \
			return order_; \
	}

#endif
