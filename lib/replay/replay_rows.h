/* replay_rows.h - which operators of a group are run again, and the sheet that holds the times against the trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_REPLAY_ROWS_H
#define TL_REPLAY_ROWS_H

#include "replay/recorded_op.h"
#include "table/table.h"

/* An operator with its arguments; the texts belong to the table of which it is a row. */
struct tl_replay_row {
	const char *name, *dims, *types, *strides, *values; /* as recorded_op.h; NULL: not recorded */
	double us;                  /* mean time in the trace */
	double share;               /* of the group's time that this row and those before have; NaN: unknown */
	int64_t count, uid;         /* its events; the first one */
	double bench_us, replay_us; /* of the benchmark and of torch; NaN: none */
};
/* The rows of a sheet of operators (gemm, conv) that make up the given share of the group's time: those before the row with
 * which it is reached or, as in TraceLens, all if there is none before; crossing: and that row. To be freed.
 * TL_ERR_DATA: a column is missing. */
enum tl_status tl_replay_rows_select(const struct tl_table *sheet, double share, bool crossing, struct tl_replay_row **rows, size_t *n,
                                     struct tl_error *);
/* The type of a column of such a sheet that is read from a file. */
enum tl_cell_type tl_replay_column_type(const char *column);

/* The sheet <group>_node_replay; strings: of its table. */
struct tl_table *tl_replay_sheet(const char *group, const struct tl_replay_row *, size_t n, struct tl_strtab *strings);

#endif
