/* measure.h - what the operators of a trace achieved: models evaluated for its
 * events, once for each distinct set of arguments. Private to lib/roofline.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEASURE_H
#define TL_MEASURE_H

#include "perf/models/perf.h"
#include "perf/models/arch.h"
#include "analysis/args.h"
#include "analysis/launchers.h"
#include "model/trace.h"

/* A model's answer for one set of arguments. */
struct tl_evaluation {
	enum tl_perf_outcome outcome;
	const char *reason;
	bool applies;            /* the operator has a model for these arguments */
	bool has_bytes;
	double gflops, bytes;
	uint32_t spec;           /* string id; of "" when unknown */
	const struct tl_perf_param *params;
	size_t n_params;
	uint32_t params_text;    /* string id of the dictionary's text; 0 = not made yet */
	uint32_t index;          /* in order of first use */
};

/* The least time on an architecture, µs: by its peak and by its bandwidth. */
struct tl_roof { double compute, memory, least; const char *bound; };
/* False where a number is missing or 0: then there is no roofline. spec: as
 * "matrix_bf16"; arch may be NULL. */
bool tl_roof_of(const struct tl_arch *, const char *spec, double gflops, bool has_bytes, double bytes, struct tl_roof *out);

/* Device events that belong together, by start, and the time they are busy. */
struct tl_work {
	const uint32_t *events; uint32_t n;
	bool ints;      /* all stamps were written without fractions */
	int64_t ticks;
	double rounded; /* tl_rounded_time */
};

/* What is known about an event once it has been asked for. */
struct tl_fact {
	uint32_t sig;
	bool has_work;                 /* work is known */
	struct tl_work work;
	const struct tl_evaluation *x; /* forward; NULL: not asked for, or not to be kept */
};

/* A name and the lists of arguments as they stand in the trace: events of one
 * signature have the same texts in them. */
#define TL_SIG_ARGS 5
struct tl_sig { uint64_t head; int64_t value[TL_SIG_ARGS]; };

enum {
	TL_MARK_FAILED = 1,      /* its model's failure is counted */
	TL_MARK_MODELLED = 2, TL_MARK_NOT_MODELLED = 4, /* neither: not known */
	/* of the sheet unified_perf_summary */
	TL_MARK_MODELLED_BELOW = 8, /* an operator below has a model and work */
	TL_MARK_VISITED = 16,
	TL_MARK_COVERED = 32,    /* device event of some row */
};

struct tl_measure {
	struct tl_trace *trace;
	const struct tl_registry *registry;
	struct tl_perf_memory *memory;
	struct tl_arg args[TL_SIG_ARGS]; /* Input Dims, Input type, Input Strides, Concrete Inputs, Output type */
	struct tl_arena arena;           /* all that is kept */
	const struct tl_perf_op **ops;   /* by name id */
	uint8_t *op_known; uint32_t n_names;
	uint32_t *named; size_t n_named; /* events with the name of an operator, in file order */
	uint32_t *fact_of;               /* by event: 1 + index, 0: none yet */
	uint8_t *marks;                  /* by event: TL_MARK_* */
	struct tl_fact *facts; size_t n_facts, cap_facts;
	/* by layout: where the arguments are, and the fields from the first of them to the last */
	struct tl_sig_layout { uint64_t types; int32_t place[TL_SIG_ARGS]; uint32_t first, n; } *sig_layouts;
	int64_t *taken;                  /* values of such fields, of one event */
	struct tl_sig *sigs; size_t n_sigs, cap_sigs;
	struct tl_sig_known {
		uint8_t modelled;        /* 0 not known, 1 no, 2 yes */
		uint32_t kernels;        /* of the last forward evaluation; 0 with x NULL */
		const struct tl_evaluation *x;
	} *sig_known;                    /* by signature */
	uint32_t *sig_slots, sig_mask;   /* hash table: 1 + index in sigs */
	struct tl_strtab lists;          /* of kernel names */
	struct tl_map evaluated;         /* signature, direction, kernel names -> 1 + index in evaluations */
	struct tl_evaluation **evaluations; size_t n_evaluations, cap_evaluations;
	uint32_t n_made;
	struct tl_map decoded;           /* JSON text id -> 1 + index in values */
	struct tl_value *values; size_t n_values, cap_values;
	uint32_t *bwd_start, *bwd_items; /* backward events of a forward event; NULL: there are none */
	struct tl_span_events { int64_t ts, end, latest; uint32_t event; } *steps; size_t n_steps; /* annotations by start */
	bool steps_made;
	uint32_t *failed; size_t n_failed, cap_failed; /* names of operators whose models failed, with counts */
	const char **failed_why;
	uint32_t *failed_count;
	struct tl_map failed_at;
	uint64_t effort, max_effort;     /* events looked at; traces that nest operators without end must end */
	bool exhausted;
	struct tl_spans spans;
	struct tl_buf key;
	uint32_t *stack; size_t cap_stack;
};

void tl_measure_init(struct tl_measure *, struct tl_trace *, const struct tl_registry *);
void tl_measure_release(struct tl_measure *);

/* Counts n more events looked at. False: enough; results are incomplete from
 * here on, which `exhausted` tells in the end. */
bool tl_measure_spend(struct tl_measure *, uint64_t n);

/* The operator an event's name stands for, or NULL. */
const struct tl_perf_op *tl_measure_find_op(struct tl_measure *, uint32_t name);
static inline const struct tl_perf_op *tl_measure_op(struct tl_measure *m, uint32_t event)
{
	uint32_t name = m->trace->events[event].name;
	return name < m->n_names && m->op_known[name] ? m->ops[name] : tl_measure_find_op(m, name);
}
/* Finds the events with the name of an operator: m->named. */
void tl_measure_find_named(struct tl_measure *);
/* The facts of an event, with its signature at least. Valid until those of
 * another event are asked for. */
struct tl_fact *tl_measure_make_fact(struct tl_measure *, uint32_t event);
static inline struct tl_fact *tl_measure_fact(struct tl_measure *m, uint32_t event)
{
	return m->fact_of[event] ? &m->facts[m->fact_of[event] - 1] : tl_measure_make_fact(m, event);
}
/* Number of the event's signature. */
static inline uint32_t tl_measure_sig(struct tl_measure *m, uint32_t event)
{
	return tl_measure_fact(m, event)->sig;
}
/* Has the event a model? */
bool tl_measure_look_modelled(struct tl_measure *, uint32_t event);
static inline bool tl_measure_modelled(struct tl_measure *m, uint32_t event)
{
	const struct tl_perf_op *op = tl_measure_op(m, event);
	return op && (!op->conditional || tl_measure_look_modelled(m, event));
}

/* What these device events, given by start, make of a work. */
void tl_measure_time(struct tl_measure *, const uint32_t *by_start, uint32_t n, struct tl_work *out);
/* The same for device events below an event. */
void tl_measure_work(struct tl_measure *, uint32_t event, struct tl_work *out);
void tl_measure_work_of(struct tl_measure *, uint32_t event, const uint32_t *below, uint32_t n, struct tl_work *out); /* where they are known */
/* The same of the backward events of an event and of all below it. */
void tl_measure_backward_work(struct tl_measure *, uint32_t event, struct tl_work *out);
bool tl_measure_has_backward(const struct tl_measure *, uint32_t event); /* of its own */
/* The nearest event around that is the backward event of some forward one;
 * TL_NONE when there is none within five levels. */
uint32_t tl_measure_wrapper(const struct tl_measure *, uint32_t event);
/* Does the work below this backward event count as its forward event's backward
 * pass? That one's model must tell of it, and one operator alone must do it. */
bool tl_measure_stands_for(struct tl_measure *, uint32_t wrapper);

/* The model's answer; op is not NULL. Never NULL. work is that of
 * tl_measure_work or, backward, tl_measure_backward_work. */
const struct tl_evaluation *tl_measure_evaluate(struct tl_measure *, const struct tl_perf_op *, uint32_t event,
                                                const struct tl_work *, bool backward);
/* Notes that an event's model failed (once an event). */
void tl_measure_note_failure(struct tl_measure *, uint32_t event, const struct tl_evaluation *);
/* A value of a trace, decoded once; it stays where it is only until the next call. */
struct tl_value tl_measure_decode(struct tl_measure *, int type, int64_t value);
/* Text of the parameters as a dictionary; null when there are none. */
struct tl_cell tl_measure_params(struct tl_measure *, const struct tl_evaluation *);
/* Fills what a model may look at. Valid until the next call. */
void tl_measure_event(struct tl_measure *, const struct tl_perf_op *, uint32_t event, const struct tl_work *, struct tl_perf_event *);

#endif
