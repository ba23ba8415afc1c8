/* op_kernels.h - what the kernels of an operator's events did, place by place: the first kernels
 * of all events, the second ones, and so on. Statistics stand as text in a cell, so that those
 * of several traces can be added up later.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OP_KERNELS_H
#define TL_OP_KERNELS_H

#include "base/base.h"

/* Number, mean and sum of squared deviations from the mean of some values. */
struct tl_moments { double n, mean, m2; };
void tl_moments_add(struct tl_moments *, double x);
/* Adds the values of another one. */
void tl_moments_merge(struct tl_moments *, const struct tl_moments *);
/* The standard deviation; of the sample: the divisor is n - 1, else n. NaN for too few values. */
double tl_moments_deviation(const struct tl_moments *, bool of_sample);

struct tl_op_kernel {
	char *name, *stream;      /* stream: as Python writes it */
	struct tl_moments us;     /* durations */
	double sum;               /* of the durations, µs */
};
/* Events with the same number of kernels. */
struct tl_op_kernel_list { struct tl_op_kernel *items; size_t n; };
/* Zero bytes are none. */
struct tl_op_kernels { struct tl_op_kernel_list *lists; size_t n, cap; struct tl_arena arena; };
void tl_op_kernels_release(struct tl_op_kernels *);

/* Appends a kernel to the text about one event. */
void tl_op_kernels_write_one(struct tl_buf *, const char *name, const char *stream, double us);
/* The text about all. */
void tl_op_kernels_write(const struct tl_op_kernels *, struct tl_buf *);
/* Adds what such a text says. False: it is malformed, and nothing was added. */
bool tl_op_kernels_add(struct tl_op_kernels *, const char *text);
/* Appends a Python list of a dictionary for each place: name and stream of the first events that
 * had kernels; the statistics are of all events with as many. */
void tl_op_kernels_summary(const struct tl_op_kernels *, struct tl_buf *);

#endif
