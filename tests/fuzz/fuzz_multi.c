/* fuzz_multi.c - the tables of a hostile part of tl-multi, added to a merge, and its sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "job/multi_merge.h"
#include "job/part_file.h"

static struct tl_strtab strings;

static struct tl_table *read_table(struct tl_part_file *f, const struct tl_tsv_columns *columns)
{
	struct tl_table *t = NULL;

	return tl_tsv_read_table(tl_part_file_table(f), &strings, columns, &t, NULL) ? NULL : t;
}

/* Marks the table as seen. */
static void merge_table(struct tl_multi_merge *m, const struct tl_op_groups *g, struct tl_part_file *f, const char *name, bool *seen)
{
	struct tl_table *t = NULL;

	for (size_t i = 0; i < TL_PART_TABLES && !t; i++)
		if (!strcmp(name, tl_multi_table_names[i]) && (t = read_table(f, &tl_multi_part_columns[i]))) {
			tl_multi_merge_table(m, i, t);
			seen[i] = true;
		}
	for (size_t i = 0; i < g->n_groups[TL_GROUP_SHEET] && !t; i++)
		if (!strcmp(name, g->groups[TL_GROUP_SHEET][i]) && (t = read_table(f, &tl_op_rows_columns)))
			tl_multi_merge_ops(m, i, t);
	tl_table_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tl_op_groups groups;
	static bool read;

	if (!read)
		tl_op_groups_read(&groups);
	read = true;
	struct tl_multi_merge *m = tl_multi_merge_new(&groups);
	bool seen[TL_PART_TABLES] = { false }, whole = true;
	for (int64_t rank = 0; rank < 2; rank++) {
		struct tl_memory_input in = tl_memory_input("fuzz", data, size);
		struct tl_part_file *f = tl_part_file_open(&in.in);
		const char *name;
		tl_multi_merge_next(m, rank);
		while (!tl_part_file_next(f, &name, NULL) && name)
			merge_table(m, &groups, f, name, seen);
		tl_part_file_free(f);
	}
	for (size_t i = 0; i < TL_PART_TABLES; i++)
		whole = whole && seen[i];
	const char *name = "";
	for (size_t i = 0; whole && name; i++) {
		struct tl_table *sheet = tl_multi_merge_sheet(m, i, &name);
		if (sheet && tl_tsv_write(sheet, tl_null_output(), NULL))
			abort();
		tl_table_free(sheet);
	}
	tl_multi_merge_free(m);
	tl_strtab_release(&strings);
	return 0;
}
