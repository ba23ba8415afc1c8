/* kernel_kinds.c - the sheet kernel_kinds: device time by what kernels do, as their names say.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/kernel_kinds.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/kept_answers.h"
#include "analysis/row_events.h"
#include "base/merge_sort.h"

#include <stdlib.h>
#include <string.h>

enum { ANSWERS = 5, TIME = ANSWERS, COUNT, NAME, UID, N_COLUMNS };
static const char *const row_columns[] = { "kind", "precision", "tensor_cores", "library", "internal", "time", "count", "name", "uid", NULL };
static const struct tl_column columns[] = {
	{ "kind", .kind = TL_KEY }, { "precision", .kind = TL_KEY }, { "tensor_cores", .kind = TL_KEY }, { "library", .kind = TL_KEY },
	{ "internal", .kind = TL_KEY },
	{ "count", .kind = TL_SUM },
	{ "total", .kind = TL_SUM, .in = "time", .hidden = true },
	{ "ms", .kind = TL_MS, .in = "total" },
	{ "Percent of kernels time (%)", .kind = TL_PERCENT, .in = "total" },
	{ "top_name", .kind = TL_FIRST, .in = "name" }, /* the longest: rows come in this order */
	{ "ex_UID", .kind = TL_FIRST, .in = "uid" },
	{ .name = NULL }
};
const struct tl_sheet_def tl_kernel_kinds_sheet = {
	.name = "kernel_kinds", .rows = row_columns, .columns = columns, .order = { { "total", true } },
};

/* The kernels of a name. */
struct name { uint32_t name, count, uid; int64_t ticks; };

static int by_ticks(const void *pa, const void *pb, void *ctx)
{
	const struct name *a = pa, *b = pb;

	(void)ctx;
	return a->ticks < b->ticks ? 1 : a->ticks > b->ticks ? -1 : 0;
}

static bool is_kernel(const struct tl_ev *e)
{
	return e->kind == TL_KIND_KERNEL && tl_gpu_usable(e);
}

/* A row for each name that kernels have. */
static void add_names(struct tl_trace *t, const struct name *names, size_t n, struct tl_table *out)
{
	static const enum tl_built_in_rules questions[ANSWERS] = {
		TL_KERNEL_KINDS, TL_KERNEL_PRECISION, TL_KERNEL_TENSOR_CORES, TL_KERNEL_LIBRARY, TL_KERNEL_INTERNAL
	};

	for (size_t i = 0; i < n; i++) {
		struct tl_cell c[N_COLUMNS] = { [TIME] = tl_cell_time(names[i].ticks, false), [COUNT] = tl_cell_int(names[i].count),
		                                [NAME] = tl_name_cell(t, names[i].name), [UID] = tl_cell_int(names[i].uid) };
		for (size_t k = 0; k < ANSWERS; k++) {
			const char *answer = tl_name_answer(tl_kept_answers(t, questions[k]), names[i].name);
			c[k] = *answer || k ? tl_cell_str(&t->strings, *answer ? answer : NULL) : tl_cell_str(&t->strings, "unknown");
		}
		tl_table_add_row(out, c);
	}
}

/* Tells tl_row_events which row each kernel is in. */
static void tell_events(struct tl_trace *t, const struct name *names, const struct tl_table *rows)
{
	static const size_t keys[ANSWERS] = { 0, 1, 2, 3, 4 };
	uint32_t *of_event = tl_row_events(t, tl_kernel_kinds_sheet.name), *of_name = tl_calloc((size_t)t->strings.count + 1, sizeof *of_name);
	uint32_t *groups = tl_calloc(rows->n_rows + 1, sizeof *groups), *uids = tl_calloc(rows->n_rows + 1, sizeof *uids);

	tl_table_group(rows, keys, ANSWERS, NULL, rows->n_rows, groups);
	for (size_t i = 0; i < rows->n_rows; i++) {
		uids[groups[i]] = uids[groups[i]] ? uids[groups[i]] : names[i].uid + 1;
		of_name[names[i].name] = uids[groups[i]];
	}
	for (uint32_t i = 0; i < t->n_events; i++)
		of_event[i] = is_kernel(&t->events[i]) ? of_name[t->events[i].name] : 0;
	free(of_name);
	free(groups);
	free(uids);
}

struct tl_table *tl_kernel_kinds_rows(struct tl_trace *t)
{
	struct tl_table *rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);
	struct name *names = tl_calloc((size_t)t->strings.count + 1, sizeof *names);
	size_t n = 0; /* names that kernels have */

	for (uint32_t i = 0; i < t->n_events; i++) {
		struct name *name = &names[t->events[i].name];
		if (!is_kernel(&t->events[i]))
			continue;
		*name = (struct name){ t->events[i].name, name->count + 1, name->count ? name->uid : t->events[i].uid, tl_ticks_add(name->ticks, t->events[i].dur) };
	}
	for (size_t i = 0; i <= t->strings.count; i++)
		if (names[i].count)
			names[n++] = names[i];
	tl_merge_sort(names, n, sizeof *names, by_ticks, NULL);
	add_names(t, names, n, rows);
	tell_events(t, names, rows);
	free(names);
	return rows;
}
