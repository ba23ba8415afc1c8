/* rocprof_arrows.c - which call and which work an arrow of rocprof's JSON relates.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/rocprof_arrows.h"

#include <stdlib.h>

#include "base/merge_sort.h"
#include "base/search.h"

enum { NS = 1000, NEAR = 8 }; /* NEAR: calls before a time that are looked at */

void tl_rocprof_add_call(struct tl_rocprof_arrows *a, uint64_t row, int64_t start, int64_t dur, uint64_t uid)
{
	TL_GROW(a->calls, a->cap_calls, a->n_calls + 1);
	a->calls[a->n_calls++] = (struct tl_rocprof_call){ row, uid, start / NS, start / NS + dur / NS };
}

void tl_rocprof_add_work(struct tl_rocprof_arrows *a, uint64_t row, int64_t start, uint64_t uid)
{
	TL_GROW(a->work, a->cap_work, a->n_work + 1);
	a->work[a->n_work++] = (struct tl_rocprof_work){ row, uid, start / NS, 0 };
}

void tl_rocprof_add_arrow(struct tl_rocprof_arrows *a, const struct tl_rocprof_arrow *arrow)
{
	TL_GROW(a->arrows, a->cap_arrows, a->n_arrows + 1);
	a->arrows[a->n_arrows] = *arrow;
	a->arrows[a->n_arrows].from /= NS;
	a->arrows[a->n_arrows++].to /= NS;
}

static int by_place(uint64_t row, int64_t start, uint64_t other_row, int64_t other_start)
{
	if (row != other_row)
		return row < other_row ? -1 : 1;
	return start < other_start ? -1 : start > other_start;
}

static int by_call(const void *x, const void *y, void *unused)
{
	const struct tl_rocprof_call *a = x, *b = y;

	(void)unused;
	return by_place(a->row, a->start, b->row, b->start);
}

static int by_work(const void *x, const void *y, void *unused)
{
	const struct tl_rocprof_work *a = x, *b = y;

	(void)unused;
	return by_place(a->row, a->start, b->row, b->start);
}

/* An arrow begins in the middle of its call, as whole µs say it, or earlier in it if the work began before that. */
static const struct tl_rocprof_call *find_call(const struct tl_rocprof_arrows *a, const struct tl_rocprof_arrow *arrow)
{
	const struct tl_rocprof_call *found = NULL;
	size_t at;

	TL_SEARCH(at, a->n_calls, mid, by_place(a->calls[mid].row, a->calls[mid].start, arrow->row_from, arrow->from) <= 0);
	for (size_t i = 0; i < NEAR && i < at && a->calls[at - 1 - i].row == arrow->row_from; i++) {
		const struct tl_rocprof_call *c = &a->calls[at - 1 - i];
		if (c->start + (c->end - c->start) / 2 == arrow->from)
			return c;
		if (!found && arrow->from <= c->end)
			found = c;
	}
	return found;
}

/* An arrow ends where its work begins; of work that begins in one µs each gets one arrow, which the first counts. */
static const struct tl_rocprof_work *take_work(struct tl_rocprof_arrows *a, const struct tl_rocprof_arrow *arrow)
{
	size_t first, at;

	TL_SEARCH(first, a->n_work, mid, by_place(a->work[mid].row, a->work[mid].start, arrow->row_to, arrow->to) < 0);
	at = first < a->n_work ? first + a->work[first].taken : first;
	if (at >= a->n_work || by_place(a->work[at].row, a->work[at].start, arrow->row_to, arrow->to))
		return NULL;
	a->work[first].taken++;
	return &a->work[at];
}

void tl_rocprof_resolve(struct tl_rocprof_arrows *a, void (*unresolved)(void *ctx, uint64_t uid), void *ctx)
{
	tl_merge_sort(a->calls, a->n_calls, sizeof *a->calls, by_call, NULL);
	tl_merge_sort(a->work, a->n_work, sizeof *a->work, by_work, NULL);
	for (size_t i = 0; i < a->n_arrows; i++) {
		const struct tl_rocprof_call *call = find_call(a, &a->arrows[i]);
		const struct tl_rocprof_work *work = call ? take_work(a, &a->arrows[i]) : NULL;
		if (work)
			*tl_map_put(&a->calls_of, work->uid, NULL) = (uint32_t)call->uid + 1;
		else
			unresolved(ctx, a->arrows[i].uid);
	}
}

void tl_rocprof_arrows_release(struct tl_rocprof_arrows *a)
{
	free(a->calls);
	free(a->work);
	free(a->arrows);
	tl_map_release(&a->calls_of);
}
