/* multi_parts.c - the parts of tl-multi in files.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/multi_parts.h"

#include "cli/parts.h"
#include "cli/rank_traces.h"
#include "job/op_rows.h"
#include "job/rank_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEFT "left"
#define KERNELS "kernels"
static const char *const left_columns[] = { "failed_events", "without_kernels", "no_device_events", "fell_back", NULL };

/* ---- making a part ----------------------------------------------------------------------------- */

static struct tl_table *left_table(const struct tl_multi_part *p, struct tl_strtab *strings)
{
	struct tl_table *t = tl_table_new(strings, 1, left_columns);

	tl_table_add_row(t, (struct tl_cell[]){ tl_cell_int((int64_t)p->left.failed), tl_cell_int((int64_t)p->left.without_kernels),
		tl_cell_int(p->no_device_events), tl_cell_int(p->fell_back) });
	return t;
}

static void write_part(const char *output, struct tl_multi_part *p, const struct tl_op_groups *groups, struct tl_trace *t,
                       struct tl_part_end *end)
{
	struct tl_collectives *c = tl_collectives_new(t, end->rank < 0 ? 0 : end->rank);
	struct tl_part_table tables[TL_PART_TABLES + TL_OP_GROUPS + 3], collectives = tl_rank_part_table(c, end);
	struct tl_strtab strings = { 0 };
	struct tl_table *left = left_table(p, &strings);
	struct tl_error err;
	size_t n = 0;

	for (size_t i = 0; i < TL_PART_TABLES; i++)
		tables[n++] = (struct tl_part_table){ tl_multi_table_names[i], p->tables[i] };
	for (size_t i = 0; i < p->n_ops; i++)
		tables[n++] = (struct tl_part_table){ groups->groups[TL_GROUP_SHEET][i], tl_sheet_sum_rows(&p->ops[i]) };
	tables[n++] = (struct tl_part_table){ KERNELS, p->kernels };
	tables[n++] = (struct tl_part_table){ LEFT, left };
	tables[n++] = collectives;
	struct tl_output *out = tl_open_output(output, false);
	if (tl_part_file_write(out, tables, n, end, &err))
		tl_die_error(out->name, &err);
	tl_close_output(out);
	tl_table_free(collectives.table);
	tl_table_free(left);
	tl_strtab_release(&strings);
	tl_collectives_free(c);
}

void tl_multi_part_write(struct tl_load_options *load, const struct tl_op_groups *groups, bool kernels, const char *output)
{
	struct tl_part_end end = tl_part_end_of("tl-multi", load->path);
	struct tl_multi_part part;
	struct tl_error err;

	load->drop_kinds = TL_UNUSED_BY_SHEETS & ~(1u << TL_KIND_ANNOTATION);
	struct tl_trace *t = tl_load_trace(load);
	tl_mark_communication(t);
	if (tl_multi_part_make(&part, t, tl_op_tables(), groups, kernels, &err))
		tl_die_error(end.trace, &err);
	tl_rank_part_look(&end, t);
	end.rank = tl_rank_chosen(NULL, end.rank, end.named, end.world);
	write_part(output, &part, groups, t, &end);
	tl_multi_part_release(&part);
	tl_trace_free(t);
}

/* ---- reading a part ------------------------------------------------------------------------------ */

struct reading {
	const char *path;
	const struct tl_op_groups *groups;
	struct tl_part_file *file;
	struct tl_strtab strings;
	struct tl_multi_merge *merge;
	struct tl_multi_left *left;
	uint32_t seen; /* bit i: the table tl_multi_table_names[i] */
};

static void fail(const struct reading *r, const char *table, const struct tl_error *err)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s: %s", r->path, table);
	tl_die_error(b.data, err);
}

static struct tl_table *read_table(struct reading *r, const char *name, const struct tl_tsv_columns *columns)
{
	struct tl_table *t;
	struct tl_error err;

	if (tl_tsv_read_table(tl_part_file_table(r->file), &r->strings, columns, &t, &err))
		fail(r, name, &err);
	return t;
}

static enum tl_cell_type left_type(const char *column)
{
	(void)column;
	return TL_CELL_INT;
}

static void read_left(struct reading *r)
{
	struct tl_table *t = read_table(r, LEFT, &(struct tl_tsv_columns){ left_columns, NULL, left_type });
	int64_t *to[] = { &r->left->failed_events, &r->left->without_kernels, &r->left->no_device_events, &r->left->fell_back };

	for (size_t i = 0; t->n_rows == 1 && i < t->n_columns && left_columns[i]; i++)
		*to[i] += tl_table_cell(t, 0, i).i;
	tl_table_free(t);
}

static void copy_table(struct reading *r, const char *to)
{
	struct tl_input *in = tl_part_file_table(r->file);
	struct tl_output *out = tl_open_output(to, false);
	static char buf[65536];
	struct tl_error err;
	int64_t n;

	while ((n = in->read(in, buf, sizeof buf, &err)) > 0)
		if (out->write(out, buf, (size_t)n, &err))
			tl_die_error(to, &err);
	if (n < 0)
		fail(r, KERNELS, &err);
	tl_close_output(out);
}

/* A table of operators or one of tl_multi_table_names. */
static void merge_table(struct reading *r, const char *name)
{
	struct tl_table *t = NULL;

	for (size_t i = 0; i < TL_PART_TABLES && !t; i++)
		if (!strcmp(name, tl_multi_table_names[i])) {
			t = read_table(r, name, &tl_multi_part_columns[i]);
			tl_multi_merge_table(r->merge, i, t);
			r->seen |= 1u << i;
		}
	for (size_t i = 0; i < r->groups->n_groups[TL_GROUP_SHEET] && !t; i++)
		if (!strcmp(name, r->groups->groups[TL_GROUP_SHEET][i])) {
			t = read_table(r, name, &tl_op_rows_columns);
			tl_multi_merge_ops(r->merge, i, t);
		}
	tl_table_free(t);
}

void tl_multi_part_read(const char *path, const struct tl_op_groups *groups, int64_t rank, struct tl_multi_merge *m,
                        struct tl_multi_left *left, const char *kernels)
{
	struct tl_input *in = tl_open_input(path);
	struct reading r = { .path = path, .groups = groups, .file = tl_part_file_open(in), .merge = m, .left = left };
	struct tl_error err;
	const char *name;
	enum tl_status st;

	tl_multi_merge_next(m, rank);
	while (!(st = tl_part_file_next(r.file, &name, &err)) && name)
		if (!strcmp(name, LEFT))
			read_left(&r);
		else if (strcmp(name, KERNELS))
			merge_table(&r, name);
		else if (kernels)
			copy_table(&r, kernels);
	if (st)
		tl_die_error(path, &err);
	for (size_t i = 0; i < TL_PART_TABLES; i++)
		if (!(r.seen & 1u << i))
			tl_die("%s: the part lacks the table %s", path, tl_multi_table_names[i]);
	tl_part_file_free(r.file);
	tl_close_input(in);
	tl_strtab_release(&r.strings);
}

void tl_multi_say_left(const struct tl_multi_left *left)
{
	if (left->no_device_events)
		tl_warn("%" PRId64 " of the traces have no device events", left->no_device_events);
	if (left->fell_back)
		tl_warn("%" PRId64 " of the traces have no device event that a call launched: gpu_timelines counts all of theirs",
		        left->fell_back);
	if (left->without_kernels)
		tl_note("%" PRId64 " GEMMs launched no kernel: the sheet gemm lacks them", left->without_kernels);
	if (left->failed_events)
		tl_note("the models of %" PRId64 " operators could not be evaluated: the sheets of groups lack them", left->failed_events);
}
