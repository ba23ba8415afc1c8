/* measure.h - what the operators of a trace achieved: models evaluated for its
 * events, once for each distinct set of arguments and kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEASURE_H
#define TL_MEASURE_H

#include "analysis/args.h"
#include "perf/models/arch.h"
#include "perf/models/perf.h"
#include "roofline/annotations.h"
#include "roofline/device_work.h"

/* The least time on an architecture, µs: by its peak and by its bandwidth. */
struct tl_roof { double compute, memory, least; const char *bound; };
/* False where a number is missing or 0: then there is no roofline. spec: as
 * "matrix_bf16"; arch may be NULL. */
bool tl_roof_of(const struct tl_arch *, const char *spec, double gflops, bool has_bytes, double bytes,
                struct tl_roof *out);

/* A model's answer for one set of arguments. */
struct tl_evaluation {
	enum tl_perf_outcome outcome;
	const char *reason;         /* why not OK */
	bool has_bytes, has_roof;
	double gflops, bytes;
	struct tl_roof roof;
	uint32_t spec;              /* string id; of "" when unknown */
	struct tl_measured_param { const char *name; struct tl_cell value; } *params; size_t n_params;
	struct tl_cell params_text; /* all of them as a Python dictionary; null without any */
};

/* Operators whose models failed. */
struct tl_failure { uint32_t name; /* string id */ uint32_t count; const char *reason; /* of the first */ };

enum { TL_MEASURE_ARGS = 5 }; /* Input Dims, Input type, Input Strides, Concrete Inputs, Output type */
struct tl_measure {
	struct tl_trace *trace;
	const struct tl_registry *registry;
	const struct tl_arch *arch;      /* NULL: no rooflines */
	uint32_t *named; size_t n_named; /* events with the name of an operator, in file order */
	struct tl_failure *failures; size_t n_failures, cap_failures;
	struct tl_device_work device_work;
	struct tl_arena arena;           /* what is kept until the end */
	/* private */
	struct tl_perf_memory *memory;
	struct tl_arg args[TL_MEASURE_ARGS];
	const struct tl_perf_op **ops;   /* by name id … */
	uint8_t *op_known; uint32_t n_names; /* … where this is 1 */
	struct tl_strtab signatures;     /* of names and arguments as they stand in the trace */
	uint32_t *signature_of;          /* by event; 0: not looked at yet */
	struct tl_map modelled;          /* signature -> has its operator a model for it? */
	struct tl_strtab evaluated;      /* signature, direction, kernel names */
	struct tl_evaluation **evaluations; size_t cap_evaluations; /* by id of these */
	struct tl_map decoded;           /* JSON text id -> 1 + index in values */
	struct tl_value *values; size_t n_values, cap_values;
	struct tl_annotations annotations;
	struct tl_map failed_events, failure_at;
	struct tl_buf key;
};

/* arch: may be NULL. */
void tl_measure_init(struct tl_measure *, struct tl_trace *, const struct tl_registry *, const struct tl_arch *);
void tl_measure_release(struct tl_measure *);

/* The operator a name stands for, or NULL; looked up once. */
const struct tl_perf_op *tl_measure_find_op(struct tl_measure *, uint32_t name);
static inline const struct tl_perf_op *tl_measure_op(struct tl_measure *m, uint32_t event)
{
	uint32_t name = m->trace->events[event].name;
	return name < m->n_names && m->op_known[name] ? m->ops[name] : tl_measure_find_op(m, name);
}
/* Finds the events with the name of an operator: m->named. */
void tl_measure_find_named(struct tl_measure *);
/* Has the event a model? */
bool tl_measure_modelled(struct tl_measure *, uint32_t event);
/* Does the work below this backward event count as its forward event's backward
 * pass? That one's model must tell of it, and one operator alone must do it. */
bool tl_measure_stands_for(struct tl_measure *, uint32_t wrapper);

/* The model's answer. work is that of tl_work_below or, backward, tl_work_backward. */
const struct tl_evaluation *tl_measure_evaluate(struct tl_measure *, const struct tl_perf_op *, uint32_t event,
                                                const struct tl_work *, bool backward);
/* Counts an event whose model failed; an event counts once. */
void tl_measure_note_failure(struct tl_measure *, uint32_t event, const struct tl_evaluation *);
/* Fills what a model may look at. Valid until the next call. */
void tl_measure_event(struct tl_measure *, const struct tl_perf_op *, uint32_t event, const struct tl_work *,
                      struct tl_perf_event *);

#endif
