/* op_row_columns.h - the columns of the rows of op_rows.h. Only for the files that make them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OP_ROW_COLUMNS_H
#define TL_OP_ROW_COLUMNS_H

/* Further columns are those of parameters, "param: M" and so on. Three columns each have the
 * number, the mean and the sum of squared deviations of a rate or of the time in µs. */
enum tl_op_row_column {
	TL_O_NAME, TL_O_GFLOPS, TL_O_MOVED, TL_O_INTENSITY, TL_O_TBS, TL_O_TFLOPS = TL_O_TBS + 3,
	TL_O_COMPUTE_TFLOPS = TL_O_TFLOPS + 3, TL_O_TIMES = TL_O_COMPUTE_TFLOPS + 3, TL_O_TIME = TL_O_TIMES + 3,
	TL_O_COMPUTE_TIME, TL_O_KERNELS, TL_O_ARGS, TL_O_COUNT = TL_O_ARGS + 4, TL_O_UID, TL_O_COLUMNS
};
extern const char *const tl_op_row_columns[TL_O_COLUMNS + 1];
#define TL_OP_PARAM "param: "

#endif
