/* operator_event.h - what a model may look at of the event of an operator, and how
 * its evaluation may end.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_OPERATOR_EVENT_H
#define TL_OPERATOR_EVENT_H

#include "base/pattern.h"
#include "base/value.h"

/* The lists are as in the trace, NULL when the event has no such argument. Texts and
 * values must stay until the results of an evaluation are no longer used. */
struct tl_perf_event {
	const char *name; size_t name_len;
	const struct tl_value *dims, *types, *strides, *concrete, *out_types;
	const char *const *kernels; size_t n_kernels; /* names, in the order in which the kernels start */
	const char *annotation;       /* the annotation of the step that the event is in, or NULL */
	/* Any other argument by key; NULL when the event has none. May be NULL. */
	const struct tl_value *(*arg)(void *ctx, const char *key);
	void *ctx;
};

enum tl_perf_outcome {
	TL_PERF_OK,
	TL_PERF_FAILED,  /* an argument is missing or wrong: no metrics */
	TL_PERF_DROPPED, /* the model does not apply: no row */
};

/* What models keep of one event for another. Free with tl_memory_free. */
struct tl_perf_memory *tl_memory_new(void);
void tl_memory_free(struct tl_perf_memory *);
/* The regular expression, compiled once; NULL if it is wrong: then why tells the mistake. */
const struct tl_pattern *tl_memory_pattern(struct tl_perf_memory *, const struct tl_value *text, char why[200]);

#endif
