/* phase_methods.h - the methods of TraceLens that tell the phase of a launch: its branch
 * feature/inference-kernel-categorization, commit 4e36444d.
 *
 * They look at one launch at a time: at its name, the names of its device events and the
 * first size of the first argument, and at how often the name occurs. Mixed also means that
 * nothing tells the phase. Their weaknesses are those of TraceLens: phase_steps.h has a
 * method that looks at whole steps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PHASE_METHODS_H
#define TL_PHASE_METHODS_H

#include "work/name_rules.h"
#include "model/trace.h"
#include "steps/step_text.h"

enum tl_phase_method {
	TL_BY_UNION,          /* five signals vote; if they do not decide, how often the name occurs */
	TL_BY_GEMM_PARAMS,    /* words, else the first size of the first argument */
	TL_BY_KERNEL_NAMES,   /* sequence lengths in names, else words */
	TL_BY_ATTENTION,      /* words in names of attention operators */
	TL_BY_FRAMEWORKS,     /* words in names of operators of serving frameworks */
	TL_BY_FREQUENCY,      /* how often the name occurs; never Mixed */
	TL_BY_HYBRID,         /* the first answer of kernel_names, framework_apis, attention_patterns, frequency */
	TL_PHASE_METHODS,     /* how many these are */
	TL_BY_STEPS = TL_PHASE_METHODS, /* the other method: see phase_steps.h */
};
const char *tl_phase_method_name(unsigned method); /* "union", "gemm_params", … "steps"; NULL if none */

enum { TL_SIGNAL_GEMM, TL_SIGNAL_NAMES, TL_SIGNAL_ATTENTION, TL_SIGNAL_FRAMEWORK, TL_SIGNAL_BATCH, TL_PHASE_SIGNALS };
const char *tl_phase_signal_name(unsigned signal);
unsigned tl_phase_signal_votes(unsigned signal); /* how many it has: 3, 4, 2, 2, 1 */

/* What the signals of the method union say about a launch. */
struct tl_phase_votes {
	enum tl_phase signals[TL_PHASE_SIGNALS]; /* Mixed: the signal does not vote */
	unsigned prefill, decode; /* votes */
	enum tl_phase phase;      /* by the votes: Mixed for less than two, or equal ones */
	double confidence;        /* the winner's share of the votes; 0: nobody won */
};

/* The answers of work/phase-words.tsv. */
enum tl_phase_word {
	TL_WORD_PREFILL = 1, TL_WORD_DECODE = 2, TL_WORD_CONTINUOUS = 4,
	TL_WORD_SAYS_PREFILL = 8, TL_WORD_SAYS_DECODE = 16,
	TL_WORD_NAME_PREFILL = 32, TL_WORD_NAME_DECODE = 64,
	TL_WORD_ATTENTION = 128, TL_WORD_ATTENTION_DECODE = 256, TL_WORD_ATTENTION_PREFILL = 512,
};

/* What a text says: its words, and the numbers in it that look like sequence lengths: sl64, seq64,
 * seqlen64, seqlen_64. Zeros do not count. */
struct tl_phase_text {
	unsigned words;
	uint64_t n_lengths, sum_lengths; /* the sum is limited to 2^63 */
	bool is_open;                    /* the text ends in "seqlen": a number at the start of the next name counts */
};


/* A launch. The names are string ids of the trace. */
struct tl_phase_launch {
	uint32_t op;                   /* the operator or runtime call; 0: none */
	const uint32_t *events; uint32_t n; /* its device events, whose names are read */
	int64_t m;                     /* see tl_phase_m */
	/* set by tl_phase_read */
	struct tl_phase_text text;     /* what the names say */
	struct tl_phase_votes votes;
};

struct tl_phase_label {
	enum tl_phase phase;
	double confidence; /* 0 to 1; 0 also if the method does not tell it */
};

struct tl_phase_methods;
/* The trace must outlive the result. */
struct tl_phase_methods *tl_phase_methods_new(const struct tl_trace *);
void tl_phase_methods_free(struct tl_phase_methods *); /* NULL is allowed */

/* The first size of the first argument of an event, if the event has the argument "Input
 * Dims" with two entries or more, and the size is a number above 0; else -1. Fractions are
 * cut off. The methods call it M, whatever the operator. */
int64_t tl_phase_m(struct tl_phase_methods *, uint32_t event);

/* Says how often names occur: these are all launches. Without this call no name is
 * frequent or rare. */
void tl_phase_count_names(struct tl_phase_methods *, const struct tl_phase_launch *, size_t n);

/* How many launches have a name; 0 without that call. */
uint32_t tl_phase_name_count(const struct tl_phase_methods *, uint32_t name);

/* Reads the names of a launch, and lets the signals vote. threshold: an M above it is of Prefill. */
void tl_phase_read(struct tl_phase_methods *, struct tl_phase_launch *, int64_t threshold);
/* The phase of a launch that was read: Prefill, Decode or Mixed. Only the method union has a confidence;
 * 0.2 where the number of launches with the same name decides. */
struct tl_phase_label tl_phase_by_method(struct tl_phase_methods *, enum tl_phase_method, const struct tl_phase_launch *);

#endif
