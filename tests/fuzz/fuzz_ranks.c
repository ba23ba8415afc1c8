/* fuzz_ranks.c - hostile parts of ranks, one behind the other: what is a part is merged with the others into all
 * sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "job/ranks.h"

enum { MOST = 8 };
struct part { const char *s; size_t len; struct tl_memory_input in; };

static struct tl_input *open_part(void *ctx, size_t i)
{
	struct part *p = (struct part *)ctx + i;

	p->in = tl_memory_input("fuzz", p->s, p->len);
	return &p->in.in;
}

static void close_part(void *ctx, struct tl_input *in)
{
	(void)ctx, (void)in;
}

static struct tl_output *create(void *ctx, const char *sheet)
{
	(void)ctx, (void)sheet;
	return tl_null_output();
}

static void finish(void *ctx, struct tl_output *out)
{
	(void)ctx, (void)out;
}

static size_t take_parts(struct part *parts, const char *s, size_t len)
{
	const char *end = s + len;
	size_t n = 0;

	while (s < end && n < MOST) {
		const char *next = memmem(s + 1, (size_t)(end - s - 1), TL_PART_START, strlen(TL_PART_START));
		struct tl_rank_part part;
		parts[n] = (struct part){ .s = s, .len = (size_t)((next ? next : end) - s) };
		if (tl_rank_part_read(&part, open_part(parts, n), NULL, NULL, 0, NULL) == TL_OK) {
			tl_rank_part_release(&part);
			n++;
		}
		s = next ? next : end;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t ranks[MOST] = { 0, 1, 2, 3, 5, 8, 13, 21 };
	static const char *const names[] = { "mean", "median", "std", "var", "min", "max", "sum", "count", "first" };
	enum { N = sizeof names / sizeof *names };
	struct tl_rank_metric metrics[N];
	struct part parts[MOST];
	size_t n = take_parts(parts, (const char *)data, size), failed;
	struct tl_ranks_report report;
	static struct tl_name_rules *categories;

	categories = categories ? categories : tl_name_rules_new(TL_KERNEL_WORK);
	for (size_t i = 0; i < N; i++)
		tl_rank_metric_named(names[i], &metrics[i]);
	for (int strict = 0; n && strict < 2; strict++) {
		const struct tl_ranks_job job = { .ranks = ranks, .n = n, .metrics = metrics, .n_metrics = N, .gpus_per_node = 2,
			.categories = categories, .heatmap = true, .waits = true, .lenient = !strict, .open = open_part, .close = close_part, .create = create,
			.finish = finish, .ctx = parts };
		tl_ranks_merge(&job, &report, &failed, NULL);
	}
	return 0;
}
