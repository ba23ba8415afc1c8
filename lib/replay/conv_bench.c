/* conv_bench.c - benchmarks of convolutions, as MIOpenDriver takes them.
 *
 * Options: what MIOpen logs of an application's calls (MIOPEN_ENABLE_LOGGING_CMD=1).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/conv_bench.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* the arguments of aten::convolution */
enum { INPUT, WEIGHT, STRIDE = 3, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS };

struct conv {
	struct tl_shape input, weight;
	size_t spatial;             /* dimensions: 2 or 3; one becomes two */
	int64_t stride[3], padding[3], dilation[3], groups, outputs;
	bool transposed;
};

/* One number stands for all dimensions; nothing recorded: the default. False: no such list, or a negative number. */
static bool read_sizes(const struct tl_recorded_op *op, size_t i, size_t n, int64_t usual, int64_t *sizes)
{
	const char *text = tl_recorded_value(op, i);
	size_t found = 0;

	for (size_t k = 0; k < n; k++)
		sizes[k] = usual;
	if (!*text)
		return true;
	if (!tl_number_list(text, sizes, n, &found) || (found != n && found != 1))
		return false;
	for (size_t k = 1; k < n && found == 1; k++)
		sizes[k] = sizes[0];
	for (size_t k = 0; k < n; k++)
		if (sizes[k] < 0)
			return false;
	return true;
}

static bool read_groups(const struct tl_recorded_op *op, int64_t *groups)
{
	const char *text = tl_recorded_value(op, GROUPS);
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

static bool read_conv(struct conv *c, const struct tl_recorded_op *op)
{
	if (strcmp(op->name, "aten::convolution") || !tl_recorded_shape(op, INPUT, &c->input) || !tl_recorded_shape(op, WEIGHT, &c->weight))
		return false;
	if (c->input.n < 3 || c->input.n > 5 || c->weight.n != c->input.n)
		return false;
	c->spatial = c->input.n - 2;
	c->transposed = !strcasecmp(tl_recorded_value(op, TRANSPOSED), "true");
	if (!read_groups(op, &c->groups) || __builtin_mul_overflow(c->weight.dims[1], c->groups, &c->outputs))
		return false;
	if (!c->transposed)
		c->outputs = c->weight.dims[0];
	if (!read_sizes(op, STRIDE, c->spatial, 1, c->stride) || !read_sizes(op, PADDING, c->spatial, 0, c->padding) ||
	    !read_sizes(op, DILATION, c->spatial, 1, c->dilation))
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

enum tl_status tl_miopen_line(struct tl_buf *b, const struct tl_recorded_op *op, const struct tl_replay_tables *t, struct tl_error *err)
{
	struct conv c = { 0 };

	if (!read_conv(&c, op))
		return tl_fail(err, TL_ERR_DATA, "%s is no convolution in one to three dimensions", op->name);
	const struct tl_bench_type *type = tl_bench_type_of(t, tl_recorded_type(op, INPUT));
	if (!type || !type->miopen)
		return tl_fail(err, TL_ERR_DATA, "MIOpenDriver has no elements of type %.60s", tl_recorded_type(op, INPUT));
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
	tl_buf_addf(b, " -m %s -g %" PRId64 " -F 1 -t 1", c.transposed ? "trans" : "conv", c.groups);
	return TL_OK;
}
