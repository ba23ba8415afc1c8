/* gemm_bench.c - benchmarks of the product of two matrices.
 *
 * Options of hipblaslt-bench: its log of what an application calls (HIPBLASLT_LOG_MASK=32), and --help. Those of
 * cublasMatmulBench: what the test programs that NVIDIA derived of it list as its help, and published runs of it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/gemm_bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the libraries do for each product: warm up and measure so often, over memory beyond the caches. */
enum { ITERATIONS = 100, ROTATING_MB = 512 };

/* ---- the product ---------------------------------------------------------------------------- */

/* A row-major matrix as the library reads it. PyTorch copies what is neither in order of rows nor of columns first. */
static struct tl_gemm_matrix matrix_of(const struct tl_shape *s)
{
	size_t row = s->n - 2, column = s->n - 1;
	int64_t rows = s->dims[row], columns = s->dims[column];
	struct tl_gemm_matrix m = { .stride = s->n == 3 ? s->strides[0] : 0 };

	if (s->strides[column] == 1 && s->strides[row] >= columns) {
		m.ld = s->strides[row];
	} else if (s->strides[row] == 1 && s->strides[column] >= rows) {
		m.transposed = true;
		m.ld = s->strides[column];
	} else {
		m.ld = columns;
		if (s->n == 3 && __builtin_mul_overflow(rows, columns, &m.stride))
			m.stride = 0;
	}
	return m;
}

/* torch's numbers of types of elements, as an argument out_dtype has them */
static const char *const result_types[] = { [5] = "c10::Half", [6] = "float", [7] = "double", [15] = "c10::BFloat16",
	[23] = "c10::Float8_e5m2", [24] = "c10::Float8_e4m3fn", [25] = "c10::Float8_e5m2fnuz", [26] = "c10::Float8_e4m3fnuz" };

static const struct tl_bench_type *result_type(const struct tl_gemm_bench *g, const struct tl_recorded_op *op,
                                               const struct tl_bench_gemm *known, const struct tl_replay_tables *t)
{
	const char *number = known->out_dtype < 0 ? "" : tl_recorded_value(op, (size_t)known->out_dtype);
	unsigned long i = strtoul(number, NULL, 10);

	if (*number && i < sizeof result_types / sizeof *result_types && result_types[i])
		return tl_bench_type_of(t, result_types[i]);
	return g->type_b;
}

/* How a matrix is scaled, see gemm_bench.h; -1: in another way. */
static int scale_of(const struct tl_recorded_op *op, size_t i)
{
	struct tl_shape s;
	int many = 0;

	if (strcmp(tl_recorded_type(op, i), "float") || !tl_recorded_shape(op, i, &s))
		return -1;
	for (size_t k = 0; k < s.n; k++)
		many += s.dims[k] > 1;
	return many > 1 ? -1 : many + 1;
}

static void find_added(struct tl_gemm_bench *g, const struct tl_recorded_op *op, const struct tl_bench_gemm *known)
{
	const char *beta = known->beta < 0 ? "" : tl_recorded_value(op, (size_t)known->beta);
	struct tl_shape s;
	char *end;

	if (*beta && tl_parse_double(beta, &end) == 0.0 && !*end)
		return; /* times 0: PyTorch does not even read it */
	if (known->added < 0 || !*tl_recorded_type(op, (size_t)known->added) || !tl_recorded_shape(op, (size_t)known->added, &s))
		return;
	g->bias = s.n == 1 && s.dims[0] == g->m;
	g->adds = !g->bias;
}

static bool fill(struct tl_gemm_bench *g, const struct tl_shape *left, const struct tl_shape *right)
{
	size_t n = left->n;

	if ((n != 2 && n != 3) || right->n != n || left->dims[n - 1] != right->dims[n - 2] || (n == 3 && left->dims[0] != right->dims[0]))
		return false;
	*g = (struct tl_gemm_bench){ .m = right->dims[n - 1], .n = left->dims[n - 2], .k = left->dims[n - 1],
		.batches = n == 3 ? left->dims[0] : 1, .a = matrix_of(right), .b = matrix_of(left) };
	g->d = (struct tl_gemm_matrix){ .ld = g->m };
	if (__builtin_mul_overflow(g->m, g->n, &g->d.stride))
		return false;
	if (g->batches == 1)
		g->a.stride = g->b.stride = g->d.stride = 0;
	return g->m > 0 && g->n > 0 && g->k > 0 && g->batches > 0;
}

enum tl_status tl_gemm_bench_of(struct tl_gemm_bench *g, const struct tl_recorded_op *op, const struct tl_replay_tables *t, struct tl_error *err)
{
	const struct tl_bench_gemm *known = tl_bench_gemm_of(t, op->name);
	struct tl_shape left, right;

	if (!known)
		return tl_fail(err, TL_ERR_DATA, "%s is not known as a product of matrices", op->name);
	if (!tl_recorded_shape(op, (size_t)known->left, &left) || !tl_recorded_shape(op, (size_t)known->right, &right) ||
	    !fill(g, &left, &right))
		return tl_fail(err, TL_ERR_DATA, "the arguments of %s are no matrices that can be multiplied", op->name);
	g->type_b = tl_bench_type_of(t, tl_recorded_type(op, (size_t)known->left));
	g->type = tl_bench_type_of(t, tl_recorded_type(op, (size_t)known->right));
	if (!g->type || !g->type_b)
		return tl_fail(err, TL_ERR_DATA, "%s: unknown type of elements %.60s", op->name, tl_recorded_type(op, (size_t)known->right));
	g->out = result_type(g, op, known, t);
	find_added(g, op, known);
	if (known->scales >= 0) {
		g->scale_b = scale_of(op, (size_t)known->scales);
		g->scale_a = scale_of(op, (size_t)known->scales + 1);
	}
	if (g->scale_a < 0 || g->scale_b < 0)
		return tl_fail(err, TL_ERR_DATA, "the scales of %s are neither one number nor one a row or column", op->name);
	return TL_OK;
}

/* ---- command lines --------------------------------------------------------------------------- */

static char letter(const struct tl_gemm_matrix *m)
{
	return m->transposed ? 'T' : 'N';
}

static const char *compute_type(const struct tl_gemm_bench *g)
{
	return !strcmp(g->type->torch, "float64") ? "f64_r" : !strcmp(g->type->torch, "int8") ? "i32_r" : "f32_r";
}

static enum tl_status check_types(const struct tl_gemm_bench *g, struct tl_error *err)
{
	const struct tl_bench_type *types[] = { g->type, g->type_b, g->out };

	for (size_t i = 0; i < 3; i++)
		if (!types[i] || !types[i]->hipblaslt)
			return tl_fail(err, TL_ERR_DATA, "hipblaslt-bench has no elements of type %s", types[i] ? types[i]->torch : "unknown");
	return TL_OK;
}

enum tl_status tl_hipblaslt_line(struct tl_buf *b, const struct tl_gemm_bench *g, struct tl_error *err)
{
	if (check_types(g, err))
		return TL_ERR_DATA;
	tl_buf_addf(b, "hipblaslt-bench --api_method c -m %" PRId64 " -n %" PRId64 " -k %" PRId64, g->m, g->n, g->k);
	tl_buf_addf(b, " --lda %" PRId64 " --ldb %" PRId64 " --ldc %" PRId64 " --ldd %" PRId64, g->a.ld, g->b.ld, g->d.ld, g->d.ld);
	tl_buf_addf(b, " --stride_a %" PRId64 " --stride_b %" PRId64 " --stride_c %" PRId64 " --stride_d %" PRId64, g->a.stride,
	            g->b.stride, g->d.stride, g->d.stride);
	tl_buf_addf(b, " --alpha 1.000000 --beta %d.000000 --transA %c --transB %c --batch_count %" PRId64, g->adds, letter(&g->a),
	            letter(&g->b), g->batches);
	if (g->scale_a || g->scale_b)
		tl_buf_addf(b, " --scaleA %d --scaleB %d", g->scale_a, g->scale_b);
	if (g->bias)
		tl_buf_adds(b, " --bias_vector --bias_source d");
	tl_buf_addf(b, " --a_type %s --b_type %s --c_type %s --d_type %s --scale_type %s --bias_type %s --compute_type %s", g->type->hipblaslt,
	            g->type_b->hipblaslt, g->out->hipblaslt, g->out->hipblaslt, compute_type(g), g->out->hipblaslt, compute_type(g));
	tl_buf_addf(b, " --algo_method heuristic --requested_solution 1 --activation_type none --rotating %d --cold_iters %d --iters %d"
	            " --flush --initialization trig_float --use_gpu_timer --print_kernel_info", ROTATING_MB, ITERATIONS, ITERATIONS);
	return TL_OK;
}

enum tl_status tl_hipblaslt_yaml(struct tl_buf *b, const struct tl_gemm_bench *g, struct tl_error *err)
{
	if (check_types(g, err))
		return TL_ERR_DATA;
	tl_buf_addf(b, "- {function: matmul, transA: %c, transB: %c, M: %" PRId64 ", N: %" PRId64 ", K: %" PRId64, letter(&g->a), letter(&g->b),
	            g->m, g->n, g->k);
	tl_buf_addf(b, ", lda: %" PRId64 ", ldb: %" PRId64 ", ldc: %" PRId64 ", ldd: %" PRId64, g->a.ld, g->b.ld, g->d.ld, g->d.ld);
	tl_buf_addf(b, ", stride_a: %" PRId64 ", stride_b: %" PRId64 ", stride_c: %" PRId64 ", stride_d: %" PRId64 ", batch_count: %" PRId64,
	            g->a.stride, g->b.stride, g->d.stride, g->d.stride, g->batches);
	tl_buf_addf(b, ", alpha: 1, beta: %d", g->adds);
	if (g->scale_a || g->scale_b)
		tl_buf_addf(b, ", scaleA: %d, scaleB: %d", g->scale_a, g->scale_b);
	if (g->bias)
		tl_buf_addf(b, ", bias_vector: 1, bias_source: d, bias_type: %s", g->out->hipblaslt);
	tl_buf_addf(b, ", a_type: %s, b_type: %s, c_type: %s, d_type: %s, scale_type: %s, compute_type: c_%s", g->type->hipblaslt,
	            g->type_b->hipblaslt, g->out->hipblaslt, g->out->hipblaslt, compute_type(g), compute_type(g));
	tl_buf_addf(b, ", rotating: %d, cold_iters: %d, iters: %d, initialization: trig_float, flush: true, use_gpu_timer: true, print_kernel_info: true}", ROTATING_MB, ITERATIONS, ITERATIONS);
	return TL_OK;
}

enum tl_status tl_cublas_line(struct tl_buf *b, const struct tl_gemm_bench *g, struct tl_error *err)
{
	if (!g->type->cublas || g->type != g->type_b)
		return tl_fail(err, TL_ERR_DATA, "cublasMatmulBench has no product of %s with %s", g->type_b->torch, g->type->torch);
	if (g->out != g->type)
		return tl_fail(err, TL_ERR_DATA, "cublasMatmulBench has no product of %s whose result has another type", g->type->torch);
	if (g->batches > 1)
		return tl_fail(err, TL_ERR_DATA, "cublasMatmulBench has no option for %" PRId64 " products at a time", g->batches);
	tl_buf_addf(b, "cublasMatmulBench -P=%s -m=%" PRId64 " -n=%" PRId64 " -k=%" PRId64 " -ta=%d -tb=%d", g->type->cublas, g->m, g->n, g->k,
	            g->a.transposed, g->b.transposed);
	tl_buf_addf(b, " -lda=%" PRId64 " -ldb=%" PRId64 " -ldc=%" PRId64 " -A=1 -B=%d -T=%d", g->a.ld, g->b.ld, g->d.ld, g->adds, ITERATIONS);
	return TL_OK;
}
