/* measure.h - what the operators of a trace achieved: models evaluated for its
 * events, once for each distinct set of arguments and kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEASURE_H
#define TL_MEASURE_H

#include "work/launchers.h"
#include "work/name_rules.h"
#include "perf/arch.h"
#include "perf/perf.h"
#include "perf/device_work.h"
#include "perf/signatures.h"

/* The least time that work takes on an architecture, µs: by the peak, by the bandwidth,
 * and the longer of both. bound: COMPUTE_BOUND or MEMORY_BOUND; of copies between host and device LINK_BOUND. */
struct tl_roof { double compute, memory, least; const char *bound; };
/* The compute spec of such copies, where they are held against the link: struct tl_measure. */
#define TL_HOST_COPY "host_copy"
/* False if there is no roofline because a number is missing or 0. spec: a compute
 * spec such as "matrix_bf16"; arch may be NULL. */
bool tl_roof_of(const struct tl_arch *, const char *spec, double gflops, bool has_bytes, double bytes,
                struct tl_roof *out);

/* What work of that many 10^9 operations and, if has_bytes, bytes achieves in a time in µs;
 * cells are null where that is not known. */
struct tl_rates { struct tl_cell moved /* MB */, intensity /* operations/byte */, tbs, tflops /* 10^12/s */; };
struct tl_rates tl_rates_of(double gflops, bool has_bytes, double bytes, double us);

/* A model's answer for one set of arguments. */
struct tl_evaluation {
	enum tl_perf_outcome outcome;
	const char *reason;         /* why the outcome is not TL_PERF_OK */
	bool has_bytes, has_roof;
	bool typed_by_kernels;      /* the trace has no types of the operator's tensors: the names of its kernels told one */
	double gflops, bytes;
	struct tl_roof roof;
	uint32_t spec;              /* string id of the compute spec; that of "" when unknown */
	struct tl_measured_param { const char *name; struct tl_cell value; } *params; size_t n_params;
	struct tl_cell params_text; /* the parameters as a Python dictionary; null without any */
};

/* An operator whose model failed. */
struct tl_failure { uint32_t name; /* string id */ uint32_t count; const char *reason; /* of the first */ };

/* Annotations by start; `latest` is the latest end of one and those before it. Zero
 * bytes are a start. */
struct tl_annotations {
	struct tl_annotation { int64_t ts, end, latest; uint32_t event; } *items; size_t n;
	bool made;
};

struct tl_measure {
	struct tl_trace *trace;
	const struct tl_registry *registry;
	const struct tl_arch *arch;      /* NULL: no rooflines */
	bool inference;                  /* for the report of an inference trace: set it after tl_measure_init */
	bool host_copies;                /* hold copies between host and device against the link between them, not
	                                    against the device's memory: set it after tl_measure_init */
	uint32_t *named; size_t n_named; /* events whose names the operator tables have, in file order */
	struct TL_KEYED(struct tl_failure) failures; /* by operator */
	struct tl_device_work device_work;
	struct tl_arena arena;           /* what is kept until the end */
	struct tl_signatures *signatures; /* those of the trace */
	/* private */
	struct tl_arena scratch;         /* of one evaluation */
	struct tl_perf_memory *memory;
	struct tl_name_rules *precisions; /* of kernels */
	struct tl_name_answers *directions; /* of copies */
	struct tl_arg copied;
	const struct tl_perf_op **ops;   /* by string id of the name, */
	uint8_t *op_known; uint32_t n_names; /* if this is 1 */
	struct tl_map modelled;          /* signature -> has its operator a model for it? */
	struct tl_strtab evaluated;      /* signature, direction and names of kernels */
	struct tl_evaluation **evaluations; size_t cap_evaluations; /* by id in `evaluated` */
	struct tl_annotations annotations;
	struct tl_map failed_events;
	struct tl_buf key;
};

/* arch: may be NULL. */
void tl_measure_init(struct tl_measure *, struct tl_trace *, const struct tl_registry *, const struct tl_arch *);
void tl_measure_release(struct tl_measure *);

/* The operator that the tables have for a name (a string id), or NULL. */
const struct tl_perf_op *tl_measure_find_op(struct tl_measure *, uint32_t name);
static inline const struct tl_perf_op *tl_measure_op(struct tl_measure *m, uint32_t event)
{
	uint32_t name = m->trace->events[event].name;
	return name < m->n_names && m->op_known[name] ? m->ops[name] : tl_measure_find_op(m, name);
}
/* Fills m->named. */
void tl_measure_find_named(struct tl_measure *);
/* Has the event a model? */
bool tl_measure_modelled(struct tl_measure *, uint32_t event);
/* Does the work below a backward event count as the backward pass of its forward event?
 * The forward event's model must have one, and a single operator must do the work. */
bool tl_measure_stands_for(struct tl_measure *, uint32_t wrapper);

/* Evaluates an operator's model for an event. work: from tl_work_below or, for the
 * backward pass, from tl_work_backward. */
const struct tl_evaluation *tl_measure_evaluate(struct tl_measure *, const struct tl_perf_op *, uint32_t event,
                                                const struct tl_work *, bool backward);
/* Counts an event whose model failed; further calls for the event do nothing. */
void tl_measure_note_failure(struct tl_measure *, uint32_t event, const struct tl_evaluation *);
/* Fills what a model may look at. Valid until the arena or the measure is released. */
void tl_measure_event(struct tl_measure *, const struct tl_perf_op *, uint32_t event, const struct tl_work *,
                      struct tl_arena *, struct tl_perf_event *);

/* ---- the precision in which kernels compute, where their names tell it ------------------ */

/* The precision of the matrix operations of an operator's kernels by
 * kernel-kinds.tsv: "tf32". "" if no name tells one, or names tell different ones. */
const char *tl_precision_of(struct tl_name_rules *, const char *const *kernels, size_t n);

/* The compute spec against whose peak an operator is held: "matrix_tf32" in place of
 * "matrix_fp32" if its kernels compute in TF32; else `spec`, the one that follows from the
 * types of its tensors. `spec` stays, too, if the architecture (NULL: none) has a peak for
 * it and none for matrix_tf32. */
const char *tl_precision_spec(struct tl_name_rules *, const struct tl_arch *, const char *spec,
                              const char *const *kernels, size_t n);

/* ---- the categories of the operators of a trace ----------------------------------------- */

/* Zero bytes with the first two members are a start. */
struct tl_categories {
	struct tl_trace *trace;
	const struct tl_registry *registry;
	struct tl_map known; /* names of operator and first kernel -> string id of the category */
};
/* The string id of the category that tl_op_category gives to an event, under its own
 * name or another (a string id). Its first kernel is that which starts first of those
 * charged to it. */
uint32_t tl_event_category(struct tl_categories *, uint32_t event, uint32_t name);
void tl_categories_release(struct tl_categories *);

#endif
