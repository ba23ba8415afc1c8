/* test_ranges.c - what texts of ranges say, by the examples of range-classes.tsv and range-lists.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/ranges.h"
#include "vectors.h"
#include "work/name_rules.h"
#include "work/range_names.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The arguments, KEY=VALUE, in the order of their texts, with ";" between; "-": none. */
static void show_fields(const struct tl_range *r, struct tl_buf *out)
{
	char *fields[TL_RANGE_FIELDS];

	tl_buf_clear(out);
	for (size_t i = 0; i < r->n; i++) {
		const struct tl_range_field *f = &r->fields[i];
		fields[i] = f->type == TL_FIELD_INT ? tl_strdupf("%.*s=%lld", (int)f->key_len, f->key, (long long)f->number)
		                                    : tl_strdupf("%.*s=%.*s", (int)f->key_len, f->key, (int)f->len, f->text);
	}
	qsort(fields, r->n, sizeof *fields, by_text);
	for (size_t i = 0; i < r->n; i++) {
		tl_buf_addf(out, "%s%s", i ? ";" : "", fields[i]);
		free(fields[i]);
	}
	if (!r->n)
		tl_buf_addc(out, '-');
}

/* Cells: the row, domain, text, class, name, fields. */
static bool holds(void *ranges, char **cells)
{
	const char *domain = strcmp(cells[1], "-") != 0 ? cells[1] : "", *class;
	struct tl_buf fields = { 0 };
	struct tl_range r;

	for (int again = 0; again < 2; again++) { /* the rule of a name is known the second time */
		tl_range_read(ranges, cells[2], strlen(cells[2]), domain, strlen(domain), &r);
		class = tl_range_class_name(r.class);
		show_fields(&r, &fields);
		if (strcmp(class, cells[3]) != 0 || strlen(cells[4]) != r.len || memcmp(cells[4], r.name, r.len) != 0 || strcmp(fields.data, cells[5]) != 0) {
			printf("# %s: %s, %.*s, %s\n", cells[2], class, (int)r.len, r.name, fields.data);
			tl_buf_release(&fields);
			return false;
		}
	}
	tl_buf_release(&fields);
	return true;
}

/* Cells: the row, an operator, its sizes. */
static bool list_holds(void *ranges, char **cells)
{
	char *text = tl_strdupf("%s, sizes = [[2], [3], [], [4]]", cells[1]);
	struct tl_range r;

	tl_range_read(ranges, text, strlen(text), NULL, 0, &r);
	bool ok = r.n == 1 && strlen(cells[2]) == r.fields[0].len && !memcmp(r.fields[0].text, cells[2], r.fields[0].len);
	if (!ok)
		printf("# %s: %.*s\n", cells[1], r.n ? (int)r.fields[0].len : 0, r.n ? r.fields[0].text : "");
	free(text);
	return ok;
}

static void test_limits(struct tl_ranges *ranges)
{
	struct tl_buf text = { 0 };
	struct tl_range r;

	tl_range_read(ranges, "aten::mm, op_id = 3, sizes = [[2, 3", 35, NULL, 0, &r);
	check("a text that was cut is told", r.cut && r.n == 1);
	tl_range_read(ranges, "aten::mm, op_id = 3", 19, NULL, 0, &r);
	check("one that is whole is not", !r.cut && r.n == 1);
	tl_buf_adds(&text, "Pass#");
	for (int i = 0; i <= TL_RANGE_FIELDS; i++)
		tl_buf_addf(&text, "k%d=%d,", i, i);
	tl_buf_adds(&text, "#");
	tl_range_read(ranges, text.data, text.len, "TSL", 3, &r);
	check("more arguments than are read are told", r.n == TL_RANGE_FIELDS && r.left_out);
	tl_buf_release(&text);
}

/* Cells: the row, letters, whether a number behind them stays. */
static bool is_kept(void *rules, char **cells)
{
	return !strcmp(tl_name_rules_find(rules, cells[1], strlen(cells[1])), strcmp(cells[2], "-") != 0 ? cells[2] : "");
}

/* Names with what becomes of them; NULL ends. */
static bool folds(const char *const (*names)[2])
{
	struct tl_folds *f = tl_folds_new();
	struct tl_buf folded = { 0 };
	bool ok = true;

	for (size_t i = 0; names[i][0]; i++)
		for (int again = 0; again < 2; again++)
			tl_folds_add(f, names[i][0], strlen(names[i][0]));
	for (size_t i = 0; names[i][0]; i++) {
		tl_folds_name(f, names[i][0], strlen(names[i][0]), &folded);
		if (strcmp(folded.data, names[i][1]) != 0) {
			printf("# %s: %s\n", names[i][0], folded.data);
			ok = false;
		}
	}
	tl_buf_release(&folded);
	tl_folds_free(f);
	return ok;
}

static void test_folding(void)
{
	static const char *const together[][2] = {
		{ "layer0", "layerN" }, { "layer1", "layerN" }, { "layer2", "layerN" }, { "gemm_fp8", "gemm_fp8" }, { "gemm_fp16", "gemm_fp16" },
		{ "gemm_fp32", "gemm_fp32" }, { "conv1d", "conv1d" }, { "conv2d", "conv2d" }, { "conv3d", "conv3d" }, { "stage1", "stage1" },
		{ "stage2", "stage2" }, { "step 1", "step N" }, { "step 2", "step N" }, { "MmBackward0", "MmBackward0" },
		{ "rank 0 layer 12", "rank N layer N" }, { "block1 of 5", "block1 of N" }, { "block2 of 6", "block2 of N" },
		{ "block2 of 7", "block2 of N" }, { "Gemm_FP8", "Gemm_FP8" }, { "Gemm_FP16", "Gemm_FP16" }, { "Gemm_FP32", "Gemm_FP32" }, { NULL, NULL } };
	static const char *const alone[][2] = {
		{ "", "" }, { "7", "N" }, { "gemm 128x256 tile 7", "gemm 128x256 tile N" }, { "req 0x7f3a10 done", "req N done" },
		{ "microbatch 3/8", "microbatch N/N" }, { "a_12_b", "a_N_b" }, { "2.5 ms", "N ms" }, { "2. ms", "N. ms" }, { "1.2.3", "N.N" },
		{ "0x", "0x" }, { "0xg 0x1g", "0xg 0x1g" }, { "layers.0.mlp", "layers.N.mlp" }, { "2.5ms", "2.5ms" }, { "iteration3", "iteration3" },
		{ "a very long word of lettersoverthirty7", "a very long word of lettersoverthirty7" }, { NULL, NULL } };

	check("names that differ in numbers are folded", folds(together));
	check("numbers in a name alone", folds(alone));
}

int main(void)
{
	struct tl_name_rules *kept = tl_name_rules_new(TL_KEPT_NUMBERS);
	struct tl_ranges *ranges = tl_ranges_new();

	check_vectors("range-classes", 6, holds, ranges);
	check_vectors("range-lists", 3, list_holds, ranges);
	test_limits(ranges);
	check_vectors("kept-numbers", 3, is_kept, kept);
	tl_name_rules_free(kept);
	test_folding();
	tl_ranges_free(ranges);
	return failures != 0;
}
