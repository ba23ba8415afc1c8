/* replay_item.c - an operator of a group, in all forms in which it can be run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/replay_item.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- benchmarks of convolutions, as MIOpenDriver takes them ----------------------------- */

/* the arguments of aten::convolution; aten::convolution_backward has the gradient before them and, behind them, which gradients are
 * asked for */
enum { INPUT, WEIGHT, STRIDE = 3, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS, GRADIENTS };

struct conv {
	size_t first;               /* number of its argument INPUT */
	int passes;                 /* as MIOpenDriver counts them: 1 forward, 2 gradient of the input, 4 of the weights */
	struct tl_shape input, weight;
	size_t spatial;             /* dimensions: 2 or 3; one becomes two */
	int64_t stride[3], padding[3], dilation[3], groups, outputs;
	bool transposed;
};

/* One number stands for all dimensions; nothing recorded: the default. False: no such list, or a negative number. */
static bool read_sizes(const struct tl_recorded_op *op, size_t i, size_t n, int64_t usual, int64_t *sizes)
{
	const char *text = tl_recorded_value(op, i);
	struct tl_value list;

	for (size_t k = 0; k < n; k++)
		sizes[k] = usual;
	if (!*text)
		return true;
	if (!tl_python_list(op->arena, text, TL_V_INT, &list) || (list.len != n && list.len != 1))
		return false;
	for (size_t k = 0; k < n; k++) {
		const struct tl_value *size = &list.items[list.len == 1 ? 0 : k];
		if (size->i < 0 || size->i > INT64_MAX)
			return false;
		sizes[k] = (int64_t)size->i;
	}
	return true;
}

static bool read_groups(const struct tl_recorded_op *op, size_t at, int64_t *groups)
{
	const char *text = tl_recorded_value(op, at);
	tl_int128 n = 1;

	if (*text && !tl_parse_pyint(text, strlen(text), &n))
		return false;
	*groups = n > 0 && n <= INT32_MAX ? (int64_t)n : 0;
	return *groups > 0;
}

/* One dimension becomes two, of which the first has the size 1, as in PyTorch. */
static void widen_shape(struct tl_shape *s)
{
	s->dims[3] = s->dims[2];
	s->strides[3] = s->strides[2];
	s->dims[2] = 1;
	s->n = 4;
}

static void widen(struct conv *c)
{
	widen_shape(&c->input);
	widen_shape(&c->weight);
	c->stride[1] = c->stride[0];
	c->padding[1] = c->padding[0];
	c->dilation[1] = c->dilation[0];
	c->stride[0] = c->dilation[0] = 1;
	c->padding[0] = 0;
	c->spatial = 2;
}

/* False: it is no such operator, or its backward pass is to make neither gradient. */
static bool read_passes(struct conv *c, const struct tl_recorded_op *op)
{
	struct tl_value gradients;

	c->passes = !strcmp(op->name, "aten::convolution");
	if (c->passes || strcmp(op->name, "aten::convolution_backward"))
		return c->passes;
	c->first = 1;
	if (!tl_python_list(op->arena, tl_recorded_value(op, c->first + GRADIENTS), TL_V_BOOL, &gradients) || gradients.len < 2)
		return false;
	c->passes = 2 * gradients.items[0].b + 4 * gradients.items[1].b;
	return c->passes;
}

static bool read_conv(struct conv *c, const struct tl_recorded_op *op)
{
	if (!read_passes(c, op) || !tl_recorded_shape(op, c->first + INPUT, &c->input) || !tl_recorded_shape(op, c->first + WEIGHT, &c->weight))
		return false;
	if (c->input.n < 3 || c->input.n > 5 || c->weight.n != c->input.n)
		return false;
	c->spatial = c->input.n - 2;
	c->transposed = !strcasecmp(tl_recorded_value(op, c->first + TRANSPOSED), "true");
	if (!read_groups(op, c->first + GROUPS, &c->groups) || __builtin_mul_overflow(c->weight.dims[1], c->groups, &c->outputs))
		return false;
	if (!c->transposed)
		c->outputs = c->weight.dims[0];
	if (!read_sizes(op, c->first + STRIDE, c->spatial, 1, c->stride) || !read_sizes(op, c->first + PADDING, c->spatial, 0, c->padding) ||
	    !read_sizes(op, c->first + DILATION, c->spatial, 1, c->dilation))
		return false;
	if (c->spatial == 1)
		widen(c);
	return true;
}

/* Are the channels the last dimension in memory? Both orders hold if there is one channel or one place. */
static bool channels_last(const struct tl_shape *s)
{
	int64_t stride = s->dims[1];

	if (s->strides[1] != 1 || s->dims[1] < 2)
		return false;
	for (size_t k = s->n - 1; k > 1; k--) {
		if (s->dims[k] > 1 && s->strides[k] != stride)
			return false;
		if (__builtin_mul_overflow(stride, s->dims[k], &stride))
			return false;
	}
	return stride > s->dims[1];
}

static void add_sizes(struct tl_buf *b, const struct conv *c)
{
	const int64_t *in = c->input.dims, *w = c->weight.dims;

	tl_buf_addf(b, " -n %" PRId64 " -c %" PRId64, in[0], in[1]);
	if (c->spatial == 3)
		tl_buf_addf(b, " --in_d %" PRId64, in[2]);
	tl_buf_addf(b, " -H %" PRId64 " -W %" PRId64 " -k %" PRId64, in[c->spatial], in[c->spatial + 1], c->outputs);
	if (c->spatial == 3)
		tl_buf_addf(b, " --fil_d %" PRId64, w[2]);
	tl_buf_addf(b, " -y %" PRId64 " -x %" PRId64, w[c->spatial], w[c->spatial + 1]);
}

/* A size of each dimension: the option of the depth, those of height and width. */
static void add_each(struct tl_buf *b, const struct conv *c, const char *depth, const char *height, const char *width, const int64_t *sizes)
{
	size_t n = c->spatial;

	if (n == 3)
		tl_buf_addf(b, " %s %" PRId64, depth, sizes[0]);
	tl_buf_addf(b, " %s %" PRId64 " %s %" PRId64, height, sizes[n - 2], width, sizes[n - 1]);
}

/* Appends the line of aten::convolution or its backward pass, without its end. TL_ERR_DATA: it is another operator, its
 * arguments are not those of a convolution in one to three dimensions, or the tool lacks the type. */
static enum tl_status miopen_line(struct tl_buf *b, const struct tl_recorded_op *op, const struct tl_replay_tables *t, struct tl_error *err)
{
	struct conv c = { 0 };

	if (!read_conv(&c, op))
		return tl_fail(err, TL_ERR_DATA, "%s is no convolution in one to three dimensions", op->name);
	const struct tl_bench_type *type = tl_bench_type_of(t, tl_recorded_type(op, c.first + INPUT));
	if (!type || !type->miopen)
		return tl_fail(err, TL_ERR_DATA, "MIOpenDriver has no elements of type %.60s", tl_recorded_type(op, c.first + INPUT));
	tl_buf_addf(b, "MIOpenDriver %s", type->miopen);
	add_sizes(b, &c);
	add_each(b, &c, "--pad_d", "-p", "-q", c.padding);
	add_each(b, &c, "--conv_stride_d", "-u", "-v", c.stride);
	add_each(b, &c, "--dilation_d", "-l", "-j", c.dilation);
	if (c.spatial == 3)
		tl_buf_adds(b, " --spatial_dim 3");
	if (channels_last(&c.input)) {
		const char *layout = c.spatial == 3 ? "NDHWC" : "NHWC";
		tl_buf_addf(b, " --in_layout %s --fil_layout %s --out_layout %s", layout, layout, layout);
	}
	tl_buf_addf(b, " -m %s -g %" PRId64 " -F %d -t 1", c.transposed ? "trans" : "conv", c.groups, c.passes);
	return TL_OK;
}

/* ---- benchmarks of the product of two matrices ------------------------------------------ */

struct tl_gemm_matrix { bool transposed; int64_t ld, stride; };
struct tl_gemm_bench {
	int64_t m, n, k, batches;
	int64_t rotate;                 /* see struct tl_replay_tables */
	struct tl_gemm_matrix a, b, d;  /* as the library sees them; stride: from one of the batch to the next, 0 without batches */
	bool bias, adds;                /* a vector is added, another matrix is */
	int scale_a, scale_b;           /* 0: none, 1: one number, 2: one a row or column */
	const struct tl_bench_type *type, *type_b, *out;
};
/* What the libraries do for each product: warm up and measure so often. */
enum { ITERATIONS = 100 };

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

/* How a matrix is scaled, see struct tl_gemm_bench; -1: in another way. */
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

/* TL_ERR_DATA: the operator is not known as a product, or its arguments are none of matrices. */
static enum tl_status gemm_bench_of(struct tl_gemm_bench *g, const struct tl_recorded_op *op, const struct tl_replay_tables *t, struct tl_error *err)
{
	const struct tl_bench_gemm *known = tl_bench_gemm_of(t, op->name);
	struct tl_shape left, right;

	if (!known)
		return tl_fail(err, TL_ERR_DATA, "%s is not known as a product of matrices", op->name);
	if (!tl_recorded_shape(op, (size_t)known->left, &left) || !tl_recorded_shape(op, (size_t)known->right, &right) ||
	    !fill(g, &left, &right))
		return tl_fail(err, TL_ERR_DATA, "the arguments of %s are no matrices that can be multiplied", op->name);
	g->rotate = t->rotate;
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

/* Append one line each, without its end. TL_ERR_DATA: the tool lacks what the product needs. */
static enum tl_status hipblaslt_line(struct tl_buf *b, const struct tl_gemm_bench *g, struct tl_error *err)
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
	tl_buf_addf(b, " --algo_method heuristic --requested_solution 1 --activation_type none --rotating %" PRId64 " --cold_iters %d --iters %d"
	            " --flush --initialization trig_float --use_gpu_timer --print_kernel_info", g->rotate, ITERATIONS, ITERATIONS);
	return TL_OK;
}

static enum tl_status hipblaslt_yaml(struct tl_buf *b, const struct tl_gemm_bench *g, struct tl_error *err)
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
	tl_buf_addf(b, ", rotating: %" PRId64 ", cold_iters: %d, iters: %d, initialization: trig_float, "
		"flush: true, use_gpu_timer: true, print_kernel_info: true}", g->rotate, ITERATIONS, ITERATIONS);
	return TL_OK;
}

static enum tl_status cublas_line(struct tl_buf *b, const struct tl_gemm_bench *g, struct tl_error *err)
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

/* Takes over the text. */
static void set(struct tl_replay_item *item, enum tl_replay_form form, struct tl_buf *text, enum tl_status status, const struct tl_error *err)
{
	if (!status)
		item->forms[form].text = text->data;
	else
		item->forms[form].why = tl_strdup(err->text);
	if (status)
		tl_buf_release(text);
}

static void make_gemm(struct tl_replay_item *item, const struct tl_recorded_op *op, const struct tl_replay_tables *t)
{
	static const struct { enum tl_replay_form form; enum tl_status (*write)(struct tl_buf *, const struct tl_gemm_bench *, struct tl_error *); } forms[] = {
		{ TL_FORM_HIPBLASLT, hipblaslt_line }, { TL_FORM_YAML, hipblaslt_yaml }, { TL_FORM_CUBLAS, cublas_line },
	};
	struct tl_gemm_bench bench;
	struct tl_error err;
	enum tl_status known = gemm_bench_of(&bench, op, t, &err);

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct tl_buf text = { 0 };
		enum tl_status status = known ? known : forms[i].write(&text, &bench, &err);
		set(item, forms[i].form, &text, status, &err);
	}
}

void tl_replay_item_make(struct tl_replay_item *item, const struct tl_replay_row *r, enum tl_replay_kind kind, const struct tl_replay_tables *t)
{
	struct tl_arena arena = { 0 };
	struct tl_recorded_op op;
	struct tl_buf record = { 0 }, line = { 0 };
	struct tl_error err;

	*item = (struct tl_replay_item){ .row = *r };
	if (tl_recorded_op_read(&op, &arena, r->name, r->dims, r->types, r->strides, r->values, &err)) {
		for (int i = 0; i < TL_FORMS; i++)
			if (i == TL_FORM_RECORD || kind == (i == TL_FORM_MIOPEN ? TL_REPLAY_CONV : TL_REPLAY_GEMM))
				item->forms[i].why = tl_strdup(err.text);
	} else {
		enum tl_status status = tl_replay_ir_write(&record, &op, t, r->count > 0 ? (size_t)r->count : 0, &err);
		set(item, TL_FORM_RECORD, &record, status, &err);
		if (kind == TL_REPLAY_CONV) {
			status = miopen_line(&line, &op, t, &err);
			set(item, TL_FORM_MIOPEN, &line, status, &err);
		} else if (kind == TL_REPLAY_GEMM) {
			make_gemm(item, &op, t);
		}
	}
	tl_arena_release(&arena);
}

void tl_replay_item_release(struct tl_replay_item *item)
{
	for (int i = 0; i < TL_FORMS; i++) {
		free(item->forms[i].text);
		free(item->forms[i].why);
	}
}

/* ---- which operators of a group are run again, and how long they take ------------------- */

enum column { NAME, DIMS, TYPES, STRIDES, VALUES, TIME, SHARE, COUNT, UID, COLUMNS };
static const char *const columns[COLUMNS] = {
	"name", "Input Dims_first", "Input type_first", "Input Strides_first", "Concrete Inputs_first",
	"Kernel Time (µs)_mean", "kernel_time_sum_cum_pct", "name_count", "UID_first",
};

enum tl_cell_type tl_replay_column_type(const char *column)
{
	size_t i = 0;

	while (i < COLUMNS && strcmp(column, columns[i]))
		i++;
	return i == TIME || i == SHARE ? TL_CELL_REAL : i == COUNT || i == UID ? TL_CELL_INT : TL_CELL_TEXT;
}

static double number_of(const struct tl_table *t, size_t row, int column)
{
	return tl_cell_number(tl_table_cell(t, row, (size_t)column), t->ticks_per_us);
}

static struct tl_replay_row row_of(const struct tl_table *t, size_t i, const int *at)
{
	double count = number_of(t, i, at[COUNT]), uid = number_of(t, i, at[UID]);

	return (struct tl_replay_row){
		.name = tl_table_text(t, i, at[NAME], ""), .dims = tl_table_text(t, i, at[DIMS], NULL), .types = tl_table_text(t, i, at[TYPES], NULL),
		.strides = tl_table_text(t, i, at[STRIDES], NULL), .values = tl_table_text(t, i, at[VALUES], NULL),
		.us = number_of(t, i, at[TIME]), .share = number_of(t, i, at[SHARE]),
		.count = isnan(count) ? 0 : (int64_t)count, .uid = isnan(uid) ? -1 : (int64_t)uid,
		.bench_us = (double)NAN, .replay_us = (double)NAN,
	};
}

enum tl_status tl_replay_rows_read(const struct tl_table *sheet, struct tl_replay_row **rows, size_t *n, struct tl_error *err)
{
	int at[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		if ((at[i] = tl_table_column(sheet, columns[i])) < 0)
			return tl_fail(err, TL_ERR_DATA, "expected a sheet of operators: it lacks the column %s", columns[i]);
	*n = sheet->n_rows;
	*rows = tl_alloc((*n + 1) * sizeof **rows);
	for (size_t i = 0; i < *n; i++)
		(*rows)[i] = row_of(sheet, i, at);
	return TL_OK;
}

size_t tl_replay_rows_taken(const struct tl_replay_row *rows, size_t n, double share, bool reference)
{
	size_t taken = 0;

	while (taken < n && rows[taken].share < share)
		taken++;
	if (!reference && taken < n)
		taken++;
	return taken ? taken : n;
}

/* ---- results -------------------------------------------------------------------------------- */

static struct tl_cell real_or_none(double x)
{
	return isnan(x) ? tl_cell_null() : tl_cell_real(x);
}

/* How much of the trace's time a difference is; none of no time. */
static double percent(double difference, double of)
{
	return of > 0 ? difference / of * 100 : (double)NAN;
}

struct tl_table *tl_replay_sheet(const char *group, const struct tl_replay_row *rows, size_t n, struct tl_strtab *strings)
{
	static const char *const titles[] = { "% no.", "Avg. %-bench time (us)", "Avg. replay time (us)", "Avg. profile time (us)",
		"Diff profile vs. replay (us)", "Diff profile vs. %-bench (us)", "Diff profile vs. replay (pct)",
		"Diff profile vs. %-bench (pct)" };
	struct tl_table *t = tl_table_new(strings, 1, NULL);

	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
		struct tl_buf title = { 0 };
		for (const char *c = titles[i]; *c; c++)
			if (*c == '%')
				tl_buf_adds(&title, group);
			else
				tl_buf_addc(&title, *c);
		tl_table_add_column(t, title.data);
		tl_buf_release(&title);
	}
	for (size_t i = 0; i < n; i++) {
		const struct tl_replay_row *r = &rows[i];
		double replay = r->replay_us - r->us, bench = r->bench_us - r->us;
		tl_table_add_row(t, (struct tl_cell[]){ tl_cell_int((int64_t)i), real_or_none(r->bench_us), real_or_none(r->replay_us),
			real_or_none(r->us), real_or_none(replay), real_or_none(bench), real_or_none(percent(replay, r->us)),
			real_or_none(percent(bench, r->us)) });
	}
	return t;
}
