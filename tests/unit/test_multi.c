/* test_multi.c - sums of parts: statistics of kernels, tables of many traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "multi/op_groups.h"
#include "multi/op_kernels.h"
#include "multi/part_table.h"
#include "table/sheet.h"
#include "vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b);
}

static void moments(void)
{
	struct tl_moments all = { 0 }, parts[2] = { { 0 } }, none = { 0 };

	for (int i = 0; i < 1000; i++) {
		double x = 1e6 + i % 7 * 0.25;
		tl_moments_add(&all, x);
		tl_moments_add(&parts[i >= 300], x);
	}
	tl_moments_merge(&parts[0], &parts[1]);
	tl_moments_merge(&parts[0], &none);
	check("moments of two parts are those of all", parts[0].n == 1000 && close_to(parts[0].mean, all.mean) &&
	      fabs(tl_moments_deviation(&parts[0], true) - tl_moments_deviation(&all, true)) < 1e-9);
	check("one value has no deviation as a sample", isnan(tl_moments_deviation(&(struct tl_moments){ 1, 5, 0 }, true)) &&
	      tl_moments_deviation(&(struct tl_moments){ 1, 5, 0 }, false) == 0);
	all = (struct tl_moments){ 1, INFINITY, 0 };
	tl_moments_add(&all, 3);
	check("a mean with an infinite value is infinite", isinf(all.mean));
}

/* The text about an event with these kernels, which take 10, 20 … µs times scale. */
static char *event_text(const char *const *names, double scale)
{
	struct tl_buf b = { 0 };

	for (size_t i = 0; names[i]; i++)
		tl_op_kernels_write_one(&b, names[i], "7", 10 * scale * (double)(i + 1));
	tl_buf_addc(&b, '\x1d');
	return b.data;
}

static void kernels(void)
{
	static const char *const two[] = { "a", "b\x1f'", NULL }, *const one[] = { "c", NULL }, *const none[] = { NULL };
	char *texts[] = { event_text(none, 1), event_text(two, 1), event_text(one, 5), event_text(two, 3) };
	struct tl_op_kernels k = { 0 }, again = { 0 };
	struct tl_buf written = { 0 }, summary = { 0 };
	bool good = true;

	for (size_t i = 0; i < 4; i++)
		good &= tl_op_kernels_add(&k, texts[i]);
	tl_op_kernels_write(&k, &written);
	good &= tl_op_kernels_add(&again, written.data);
	tl_op_kernels_summary(&again, &summary);
	check("kernels are counted place by place, those of the first list",
	      good && !strcmp(summary.data, "[{'name': 'a', 'stream': 7, 'count': 2, 'total_duration_us': 40.0, 'mean_duration_us': "
	                                    "20.0, 'std_dev_duration_us': 10.0}, {'name': \"b?'\", 'stream': 7, 'count': 2, 'total_duration_us': 80.0, "
	                                    "'mean_duration_us': 40.0, 'std_dev_duration_us': 20.0}]"));
	check("malformed texts are refused", !tl_op_kernels_add(&k, "a\x1f" "b\x1e\x1d") && !tl_op_kernels_add(&k, "abc") &&
	      !tl_op_kernels_add(&k, "x\x1d"));
	for (size_t i = 0; i < 4; i++)
		free(texts[i]);
	tl_buf_release(&written);
	tl_buf_release(&summary);
	tl_op_kernels_release(&k);
	tl_op_kernels_release(&again);
}

static struct tl_table *add_up(const struct tl_table *t)
{
	static const char *const rows[] = { "name", "count", NULL };
	static const struct tl_column columns[] = { { "name", .kind = TL_KEY }, { "count", .kind = TL_SUM }, { .name = NULL } };
	static const struct tl_sheet_def def = { .name = "sum", .rows = rows, .columns = columns };

	return tl_sheet_make(&def, &(struct tl_sheet_input){ .rows = t });
}

static void sums(void)
{
	struct tl_part_sum sum = { 0 };
	size_t most = 0;

	for (int part = 0; part < 3000; part++) {
		struct tl_strtab strings = { 0 };
		struct tl_table *t = tl_table_new(&strings, 1, (const char *const[]){ "name", "count", NULL });
		for (int i = 0; i < 10; i++) {
			char name[] = { (char)('a' + i), 0 };
			tl_table_add_row(t, (struct tl_cell[]){ tl_cell_text(tl_intern_str(&strings, name)), tl_cell_int(i) });
		}
		tl_part_sum_add(&sum, t, add_up);
		most = sum.table->n_rows > most ? sum.table->n_rows : most;
		tl_table_free(t);
		tl_strtab_release(&strings);
	}
	struct tl_table *all = add_up(sum.table);
	check("a sum of many tables stays small", most < 5000 && all->n_rows == 10 && tl_table_cell(all, 9, 1).i == 27000);
	tl_table_free(all);
	tl_part_sum_release(&sum);
}

/* The groups that have a bit, each with its place among all, a blank between them; "-": none. */
static void list_groups(struct tl_buf *b, const struct tl_op_groups *g, enum tl_op_group_use use, const char *op)
{
	uint32_t bits = tl_op_groups_of(g, use, op);

	for (size_t i = 0; i < g->n_groups[use]; i++)
		if (bits >> i & 1)
			tl_buf_addf(b, "%s%zu:%s%s", b->len ? " " : "", i + 1, g->groups[use][i],
			            use == TL_GROUP_SHEET && g->launching >> i & 1 ? ":launching" : "");
	if (!b->len)
		tl_buf_adds(b, "-");
}

/* cells: row, operator, its groups among the sheets, those of the breakdown */
static bool groups_so(void *arg, char **cells)
{
	bool so = true;

	for (int use = 0; use < 2; use++) {
		struct tl_buf got = { 0 };
		list_groups(&got, arg, (enum tl_op_group_use)use, cells[1]);
		if (strcmp(got.data, cells[2 + use])) {
			printf("row %s: %s: got %s, expected %s\n", cells[0], cells[1], got.data, cells[2 + use]);
			so = false;
		}
		tl_buf_release(&got);
	}
	return so;
}

static void groups(void)
{
	struct tl_op_groups g;

	tl_op_groups_read(&g);
	check_vectors("op-groups", 4, groups_so, &g);
	tl_op_groups_release(&g);
}

int main(void)
{
	moments();
	kernels();
	sums();
	groups();
	return failures != 0;
}
