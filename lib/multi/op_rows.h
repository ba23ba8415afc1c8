/* op_rows.h - what operators achieved: rows that stand for any number of events and can be
 * added up, and the sheet made of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OP_ROWS_H
#define TL_OP_ROWS_H

#include "multi/op_groups.h"
#include "multi/part_table.h"
#include "perf/models/perf.h"
#include "model/trace.h"
#include "table/sheet.h"

/* Events that are in no row: the model failed; they launched no kernel, where a group needs one. */
struct tl_op_rows_left { size_t failed, without_kernels; };
/* Fills tables[i] with the rows of the i-th group of sheets; NULL: the trace has no event of it.
 * Only events with Input Dims count. TL_ERR_DATA: operators are nested too deeply. */
enum tl_status tl_op_rows_make(struct tl_trace *, const struct tl_registry *, const struct tl_op_groups *,
                               struct tl_table **tables, struct tl_op_rows_left *, struct tl_error *);
/* Adds up the rows that agree in name and parameters; the result is a table of the same kind. */
struct tl_table *tl_op_rows_add_up(const struct tl_table *);
/* The sheet of a group. */
struct tl_table *tl_op_rows_sheet(const struct tl_table *);
/* The columns of rows, for tl_part_table_read. */
extern const struct tl_part_columns tl_op_rows_columns;

#endif
