/* samples.h - what the counters of a trace say, as series of samples: 16 bytes a sample instead of an event.
 *
 * A counter is an event of kind counter, phase C. Its name is the counter's; its arguments (model/fields.h) are `value`, an
 * integer or a JSON number, `unit`, `device`, `track` (a queue, core or instance), and `of`, what time the value is about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SAMPLES_H
#define TL_SAMPLES_H

#include "model/event.h"

/* What a value is about. The names are those of the argument `of`; without it the value is held. */
enum tl_sample_of {
	TL_SAMPLE_HELD,   /* "held": the time from the sample to the next; of an event with a duration, to its end */
	TL_SAMPLE_BEFORE, /* "before": the time since the sample before; the value is its mean */
	TL_SAMPLE_KERNEL, /* "kernel": one kernel, that of the argument `dispatch_id` in the counter's process, else of `correlation` */
	TL_SAMPLE_CHANGE, /* "change": the value is by how much a sum, from 0 on, is more than before */
};
const char *tl_sample_of_name(enum tl_sample_of);

/* A value from a time on, until the next point. */
struct tl_point { int64_t at; double value; };

/* How samples name the kernel that they are of. */
enum tl_sample_id { TL_SAMPLE_NO_ID, TL_SAMPLE_DISPATCH, TL_SAMPLE_CORRELATION, TL_SAMPLE_CORRELATION_TEXT };

/* Samples that agree in all but time and value, in file order. */
struct tl_sample_series {
	uint32_t name, unit, part, rank; /* string ids, 0: none; part and rank as JSON or text */
	uint32_t track;                  /* index in tl_trace.tracks */
	bool has_device;
	int64_t device;
	uint32_t of, id;                 /* enum tl_sample_of; of a kernel's: enum tl_sample_id */
	struct tl_point *items;          /* of a kernel's: `at` is the id; not a number: no value from then on */
	size_t n, cap;
};
/* Zero bytes are none. */
struct tl_samples {
	struct tl_sample_series *items; size_t n, cap;
	struct tl_strtab keys;           /* what samples of a series agree in; the id is 1 + the index */
	uint64_t n_no_number, n_no_time; /* left out: without a finite number; without a time or, of a kernel, an id */
};
/* The event, of kind counter, with ids of `strings`; its layout is l. */
void tl_samples_add(struct tl_samples *, struct tl_strtab *strings, const struct tl_layout *l, const struct tl_event *);
void tl_samples_release(struct tl_samples *);

#endif
