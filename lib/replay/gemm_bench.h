/* gemm_bench.h - benchmarks of the product of two matrices, as hipblaslt-bench and cublasMatmulBench take them.
 *
 * Torch's matrices are row-major, those of the libraries column-major: its product A B, M rows and N columns, is
 * their product b a with m = N and n = M, where a is torch's B and b is torch's A.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GEMM_BENCH_H
#define TL_GEMM_BENCH_H

#include "replay/recorded_op.h"
#include "replay/replay_tables.h"

struct tl_gemm_matrix { bool transposed; int64_t ld, stride; };
struct tl_gemm_bench {
	int64_t m, n, k, batches;
	struct tl_gemm_matrix a, b, d;  /* as the library sees them; stride: from one of the batch to the next, 0 without batches */
	bool bias, adds;                /* a vector is added, another matrix is */
	int scale_a, scale_b;           /* 0: none, 1: one number, 2: one a row or column */
	const struct tl_bench_type *type, *type_b, *out;
};
/* TL_ERR_DATA: the operator is not known as a product, or its arguments are none of matrices. */
enum tl_status tl_gemm_bench_of(struct tl_gemm_bench *, const struct tl_recorded_op *, const struct tl_replay_tables *, struct tl_error *);

/* Append one line each, without its end. TL_ERR_DATA: the tool lacks what the product needs. */
enum tl_status tl_hipblaslt_line(struct tl_buf *, const struct tl_gemm_bench *, struct tl_error *);
enum tl_status tl_hipblaslt_yaml(struct tl_buf *, const struct tl_gemm_bench *, struct tl_error *);
enum tl_status tl_cublas_line(struct tl_buf *, const struct tl_gemm_bench *, struct tl_error *);

#endif
