/* heatmap.c - nccl_all2allv_heatmap: how much each rank sends to each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/rank_sheets.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Reads the next number of a list "[1, 2]" or "(1, 2)"; false at its end. *good becomes false if
 * this is no list of numbers: PyTorch cuts long lists, "[1, 2, ...]". */
static bool next_number(const char **s, int64_t *n, bool *good)
{
	char *end;

	while (**s == ' ' || **s == ',')
		++*s;
	if (**s == ']' || **s == ')')
		return false;
	*n = strtoll(*s, &end, 10);
	*good = end > *s;
	*s = end;
	return *good;
}

/* How many numbers the list has; -1: it is none. */
static int64_t count_numbers(const char *s)
{
	int64_t count = 0, n;
	bool good = *s == '[' || *s == '(';

	if (!good)
		return -1;
	for (s++; next_number(&s, &n, &good); count++)
		;
	return good ? count : -1;
}

static void open_sheet(struct tl_heatmap *h, const struct tl_ranks *r, struct tl_error *err)
{
	static const char *const names[] = { "src_rank", "dst_rank", "total_sent_MB", "avg_sent_MB", "count", NULL };

	tl_rank_sheet_open(&h->sheet, r, "nccl_all2allv_heatmap", names, err);
	h->open = true;
}

/* Adds what an event sends to the pairs; false: it does not say that. *n: how many pairs there are. */
static bool add_event(struct tl_heatmap *h, struct tl_ranks *r, const struct tl_rank_part *p, size_t row, bool sized, size_t *n)
{
	struct tl_cell split = tl_table_cell(p->rows, row, TL_COLL_IN_SPLIT), size = tl_table_cell(p->rows, row, TL_COLL_GROUP_SIZE);
	struct tl_cell dtype = tl_table_cell(p->rows, row, TL_COLL_DTYPE);
	const char *s = split.type == TL_CELL_TEXT ? tl_str(&p->strings, split.text) : "";
	int64_t count = count_numbers(s), nelems;
	int bytes = dtype.type != TL_CELL_TEXT ? 0 :
		atoi(tl_name_rules_find(r->dtype_bytes, tl_str(&p->strings, dtype.text), tl_str_len(&p->strings, dtype.text)));
	bool good = true;

	if (count < 0 || !bytes || (sized && tl_cell_number(size, 1) != (double)count))
		return false;
	if ((size_t)count > h->cap) {
		h->pairs = tl_realloc(h->pairs, (size_t)count * sizeof *h->pairs);
		h->cap = (size_t)count;
	}
	for (; *n < (size_t)count; ++*n)
		h->pairs[*n] = (struct tl_pair){ 0, 0 };
	s++;
	for (size_t to = 0; next_number(&s, &nelems, &good); to++) {
		h->pairs[to].bytes += nelems * bytes;
		h->pairs[to].count++;
	}
	return true;
}

void tl_heatmap_add(struct tl_heatmap *h, struct tl_ranks *r, const struct tl_rank_part *p, int64_t rank, struct tl_error *err)
{
	uint32_t all2allv = tl_strtab_find(&p->strings, "all_to_allv", strlen("all_to_allv"));
	size_t n = 0;

	for (size_t row = 0; row < p->rows->n_rows; row++) {
		struct tl_cell name = tl_table_cell(p->rows, row, TL_COLL_NAME);
		if (all2allv && name.type == TL_CELL_TEXT && name.text == all2allv && !add_event(h, r, p, row, r->some_group_size, &n))
			r->report->unusable_splits++;
	}
	if (n && !h->open)
		open_sheet(h, r, err);
	for (size_t to = 0; to < n; to++) {
		double mib = (double)h->pairs[to].bytes / 1048576;
		tl_rank_sheet_put(&h->sheet, tl_cell_int(rank));
		tl_rank_sheet_put(&h->sheet, tl_cell_int((int64_t)to));
		tl_rank_sheet_put(&h->sheet, tl_cell_real(mib));
		tl_rank_sheet_put(&h->sheet, tl_cell_real(mib / (double)h->pairs[to].count));
		tl_rank_sheet_put(&h->sheet, tl_cell_int((int64_t)h->pairs[to].count));
		tl_rank_sheet_end_row(&h->sheet, NULL);
	}
}

enum tl_status tl_heatmap_close(struct tl_heatmap *h)
{
	free(h->pairs);
	return h->open ? tl_rank_sheet_close(&h->sheet) : TL_OK;
}
