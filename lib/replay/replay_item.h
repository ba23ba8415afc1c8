/* replay_item.h - an operator of a group, in all forms in which it can be run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_ITEM_H
#define TL_REPLAY_ITEM_H

#include "replay/recorded_op.h"
#include "table/table.h"

/* ---- which operators of a group are run again, and how long they take ------------------- */

/* An operator with its arguments; the texts belong to the table of which it is a row. */
struct tl_replay_row {
	const char *name, *dims, *types, *strides, *values; /* as recorded_op.h; NULL: not recorded */
	double us;                  /* mean time in the trace */
	double share;               /* of the group's time that this row and those before have; NaN: unknown */
	int64_t count, uid;         /* its events; the first one */
	double bench_us, replay_us; /* of the benchmark and of torch; NaN: none */
};
/* The rows of a sheet of operators (gemm, conv), to be freed. TL_ERR_DATA: a column is missing. */
enum tl_status tl_replay_rows_read(const struct tl_table *sheet, struct tl_replay_row **rows, size_t *n, struct tl_error *);
/* How many of a group's rows make up the share of its time: up to the row with which it is reached. reference: as in TraceLens
 * without that row, but all if it is the first. */
size_t tl_replay_rows_taken(const struct tl_replay_row *, size_t n, double share, bool reference);
/* The type of a column of such a sheet that is read from a file. */
enum tl_cell_type tl_replay_column_type(const char *column);

/* The sheet <group>_node_replay; strings: of its table. */
struct tl_table *tl_replay_sheet(const char *group, const struct tl_replay_row *, size_t n, struct tl_strtab *strings);

/* Forms for the programs of enum tl_bench come first. */
enum tl_replay_form { TL_FORM_HIPBLASLT, TL_FORM_MIOPEN, TL_FORM_CUBLAS, TL_FORM_YAML /* of hipblaslt-bench */, TL_FORM_RECORD, TL_FORMS };
struct tl_replay_item {
	struct tl_replay_row row;
	/* text: a line without its end; NULL: there is none, and why says the reason, or is NULL too if the form
	 * is not for such operators */
	struct { char *text, *why; } forms[TL_FORMS];
};
/* Which tools run an operator again: those for products of matrices, those for convolutions; PyTorch runs all. */
enum tl_replay_kind { TL_REPLAY_GEMM, TL_REPLAY_CONV, TL_REPLAY_ATTENTION };
void tl_replay_item_make(struct tl_replay_item *, const struct tl_replay_row *, enum tl_replay_kind, const struct tl_replay_tables *);
void tl_replay_item_release(struct tl_replay_item *);

#endif
