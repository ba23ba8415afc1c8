/* phase_steps.c - the steps of a trace, and the phase of each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/phase_steps.h"

#include "work/args.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "work/name_rules.h"

#include <stdlib.h>
#include <string.h>

const char *tl_step_evidence_name(unsigned evidence)
{
	static const char *const names[TL_EVIDENCES] = { "", "annotation", "idle", "capture", "diffusion",
		"attention arguments", "tokens and requests", "attention kernels" };

	return evidence < TL_EVIDENCES ? names[evidence] : "";
}

/* ---- which step runs on a thread when ----------------------------------------------------- */

static uint64_t thread_key(const struct tl_ev *e)
{
	return (uint64_t)e->track << 1;
}

static uint64_t process_key(const struct tl_trace *t, const struct tl_ev *e)
{
	return (uint64_t)t->tracks[e->track].pid << 1 | 1;
}

uint32_t tl_phase_step_at(const struct tl_phase_steps *s, const struct tl_trace *t, uint32_t event)
{
	if (event == TL_NONE)
		return TL_NONE;
	if (s->source == TL_STEPS_WHOLE)
		return 0;
	const struct tl_ev *e = &t->events[event];
	if (!(e->flags & TL_EV_HAS_TS))
		return TL_NONE;
	bool of_thread = TL_ITEM_FIND(&s->running, thread_key(e));
	return tl_innermosts_at(&s->running, of_thread ? thread_key(e) : process_key(t, e), e->ts);
}

/* ---- annotations -------------------------------------------------------------------------- */

static void read_annotation(struct tl_phase_step *step, const char *name, const struct tl_step_text *text)
{
	int64_t size;
	const char *mode;

	if (tl_capture_text_read(name, &size, &mode))
		step->evidence = TL_EVIDENCE_CAPTURE;
	if (text->kind == TL_STEP_DIFFUSION)
		step->evidence = TL_EVIDENCE_DIFFUSION;
	if (text->kind == TL_STEP_NONE || text->kind == TL_STEP_DIFFUSION)
		return;
	step->phase = tl_step_phase(text);
	step->evidence = step->phase == TL_PHASE_UNKNOWN ? TL_EVIDENCE_IDLE : TL_EVIDENCE_ANNOTATION;
	step->confidence = step->phase != TL_PHASE_UNKNOWN;
	if (text->kind == TL_STEP_SGLANG_NATIVE && !strncmp(name, "step[MIXED", 10)) {
		step->phase = TL_PHASE_MIXED; /* the text does not say how many requests are of which phase */
		return;
	}
	step->prefill_requests = text->context.requests;
	step->decode_requests = text->generation.requests;
	step->prefill_tokens = text->context.tokens;
	step->decode_tokens = text->generation.tokens;
}

/* Finds the steps, and reads the annotations. */
static void read_steps(struct tl_phase_steps *s, const struct tl_trace *t)
{
	struct tl_steps found;

	tl_steps_with_phases(&found, t);
	*s = (struct tl_phase_steps){ .items = tl_alloc((found.n + 1) * sizeof *s->items), .n = found.n, .source = found.source };
	for (size_t i = 0; i < s->n; i++) {
		const struct tl_step *step = &found.items[i];
		s->items[i] = (struct tl_phase_step){ .event = step->event, .start = step->from, .end = step->to,
			.prefill_requests = -1, .decode_requests = -1, .prefill_tokens = -1, .decode_tokens = -1 };
		if (step->event != TL_NONE)
			read_annotation(&s->items[i], tl_str(&t->strings, t->events[step->event].name), &step->text);
	}
	for (uint32_t i = 0; i < found.n && found.source != TL_STEPS_WHOLE; i++) {
		const struct tl_step *step = &found.items[i];
		const struct tl_ev *e = &t->events[step->event];
		tl_innermosts_add(&s->running, thread_key(e), step->from, step->to, i);
		tl_innermosts_add(&s->running, process_key(t, e), step->from, step->to, i);
	}
	tl_innermosts_build(&s->running);
	tl_steps_release(&found);
}

/* What is launched in a step tells its phase, where no annotation does. */

/* The most tokens that a request computes in a step while it decodes: one, and those that are
 * guessed ahead (speculative decoding). */
enum { SPECULATED = 8 };
/* A phase with a smaller share of the step's time does not make the step Mixed. */
#define MINOR 0.05

/* Device time by phase, in ticks; [TL_PHASE_UNKNOWN]: of what has none. */
struct times { int64_t of[TL_PHASES]; };

struct tally {
	struct times attention, kernels;
	int64_t requests, tokens;             /* of attention that counts them, the largest; 0: none */
	/* of the widest matrix product with TL_VOCABULARY columns or more: it gives the logits, a row
	 * for each request */
	int64_t logit_columns, logit_rows;
	int64_t product_ticks, product_rows;  /* of the longest of the other matrix products: a row for each token */
};

struct weigher {
	struct tl_phase_steps *steps;
	struct tl_trace *t;
	struct tl_name_answers *arguments, kernels; /* kernels: by the caller's rules */
	struct tally *tallies; /* by step */
	struct tl_arg dims, concrete;
};

/* ---- arguments ---------------------------------------------------------------------------- */

/* Size i of argument a; -1: it has none. */
static int64_t size_of(const struct tl_value *dims, uint32_t a, uint32_t i)
{
	const struct tl_value *v = a < dims->len ? &dims->items[a] : NULL;

	if (!v || v->type != TL_V_LIST || i >= v->len || v->items[i].type != TL_V_INT)
		return -1;
	return v->items[i].i >= 0 && v->items[i].i <= INT32_MAX ? (int64_t)v->items[i].i : -1;
}

/* A number in the answer "causal-S-A" or "product-A-B": back is 3 for the first, 1 for the second. */
static uint32_t number_in(const char *how, size_t back)
{
	return (uint32_t)(how[strlen(how) - back] - '0');
}

/* ---- attention ----------------------------------------------------------------------------- */

/* One query for each request is decode, some are decode that guesses ahead. */
static enum tl_phase by_queries(int64_t tokens, int64_t requests)
{
	if (tokens < 1 || requests < 1)
		return TL_PHASE_UNKNOWN;
	return tokens / requests > SPECULATED ? TL_PHASE_PREFILL : TL_PHASE_DECODE;
}

/* "tokens" of phase-arguments.tsv: cumulative lengths are the first argument with one size. */
static enum tl_phase by_cumulative(const struct tl_value *dims, struct tally *tally)
{
	int64_t tokens = size_of(dims, 0, 0), requests = -1;

	for (uint32_t a = 1; a < dims->len && requests < 0; a++)
		if (dims->items[a].type == TL_V_LIST && dims->items[a].len == 1)
			requests = size_of(dims, a, 0) - 1;
	if (by_queries(tokens, requests) != TL_PHASE_UNKNOWN && tokens > tally->tokens) {
		tally->tokens = tokens;
		tally->requests = requests;
	}
	return by_queries(tokens, requests);
}

/* "causal-S-A" of that file: many queries are prefill only if attention is causal, as in language models. */
static enum tl_phase by_causal(struct weigher *w, uint32_t event, const struct tl_value *dims, const char *how)
{
	uint32_t size = number_in(how, 3), at = number_in(how, 1);
	int64_t queries = size_of(dims, 0, size);
	struct tl_value concrete;

	if (queries == 1)
		return size_of(dims, 1, size) > 1 ? TL_PHASE_DECODE : TL_PHASE_UNKNOWN;
	if (queries < 1 || !tl_arg_list(&w->concrete, w->t, event, &concrete) || at >= concrete.len)
		return TL_PHASE_UNKNOWN;
	const struct tl_value *v = &concrete.items[at];
	return v->type == TL_V_TEXT && v->len == 4 && !memcmp(v->text, "True", 4) ? TL_PHASE_PREFILL : TL_PHASE_UNKNOWN;
}

/* ---- matrix products ------------------------------------------------------------------------- */

/* "product-A-B" of that file. */
static void weigh_product(const struct tl_value *dims, const char *how, int64_t ticks, struct tally *tally)
{
	int64_t rows = size_of(dims, number_in(how, 3), 0), columns = size_of(dims, number_in(how, 1), 1);

	if (rows < 1 || columns < 1)
		return;
	if (columns >= TL_VOCABULARY && columns > tally->logit_columns) {
		tally->logit_columns = columns;
		tally->logit_rows = rows;
	} else if (columns < TL_VOCABULARY && ticks > tally->product_ticks) {
		tally->product_ticks = ticks;
		tally->product_rows = rows;
	}
}

/* ---- launches and kernels ------------------------------------------------------------------- */

static int64_t ticks_of(const struct weigher *w, const uint32_t *gpus, uint32_t n)
{
	int64_t ticks = 0;

	for (uint32_t i = 0; i < n; i++)
		ticks = tl_ticks_add(ticks, w->t->events[gpus[i]].dur);
	return ticks;
}

static void weigh_launch(struct weigher *w, struct tally *tally, uint32_t event, int64_t ticks)
{
	const char *how = tl_name_answer(w->arguments, w->t->events[event].name);
	struct tl_value dims;

	if (!*how || !tl_arg_list(&w->dims, w->t, event, &dims))
		return;
	if (*how == 'p') {
		weigh_product(&dims, how, ticks, tally);
		return;
	}
	enum tl_phase phase = *how == 't' ? by_cumulative(&dims, tally) : by_causal(w, event, &dims, how);
	tally->attention.of[phase] = tl_ticks_add(tally->attention.of[phase], ticks);
}

static void weigh_kernel(struct weigher *w, uint32_t gpu)
{
	const struct tl_ev *e = &w->t->events[gpu];
	uint32_t step = tl_phase_step_at(w->steps, w->t, e->parent);

	if (step == TL_NONE || w->steps->items[step].evidence != TL_EVIDENCE_NONE)
		return;
	const char *answer = tl_name_answer(&w->kernels, e->name);
	enum tl_phase phase = *answer == 'P' ? TL_PHASE_PREFILL : *answer == 'D' ? TL_PHASE_DECODE : TL_PHASE_UNKNOWN;
	struct times *times = &w->tallies[step].kernels;
	times->of[phase] = tl_ticks_add(times->of[phase], e->dur);
}

/* ---- which phase that is -------------------------------------------------------------------------- */

/* The phase that takes nearly all of the time, Mixed if both take some; Unknown for none. */
static enum tl_phase by_time(const struct times *times, double *share)
{
	double prefill = (double)times->of[TL_PHASE_PREFILL], decode = (double)times->of[TL_PHASE_DECODE];
	double sum = prefill + decode;

	*share = 0;
	if (sum <= 0)
		return TL_PHASE_UNKNOWN;
	*share = (prefill > decode ? prefill : decode) / sum;
	if (*share < 1 - MINOR) {
		*share = 1;
		return TL_PHASE_MIXED;
	}
	return prefill > decode ? TL_PHASE_PREFILL : TL_PHASE_DECODE;
}

struct opinion { enum tl_phase phase; double confidence; enum tl_step_evidence evidence; };

/* Attention of which most is unknown, as in models for images, tells nothing. */
static struct opinion of_arguments(const struct tally *tally)
{
	const int64_t *of = tally->attention.of;
	struct opinion o = { .evidence = TL_EVIDENCE_ARGUMENTS };
	double share;

	if (tl_ticks_add(of[TL_PHASE_PREFILL], of[TL_PHASE_DECODE]) > of[TL_PHASE_UNKNOWN])
		o.phase = by_time(&tally->attention, &share);
	o.confidence = o.phase != TL_PHASE_UNKNOWN ? 0.9 * share : 0;
	return o;
}

/* As many rows of logits as tokens tell nothing: each token has logits in some programs. */
static struct opinion of_tokens(const struct tally *tally)
{
	struct opinion o = { .evidence = TL_EVIDENCE_TOKENS };

	if (tally->product_rows > tally->logit_rows)
		o.phase = by_queries(tally->product_rows, tally->logit_rows);
	o.confidence = o.phase != TL_PHASE_UNKNOWN ? 0.8 : 0;
	return o;
}

static struct opinion of_kernels(const struct tally *tally)
{
	struct opinion o = { .evidence = TL_EVIDENCE_KERNELS };
	double share;

	o.phase = by_time(&tally->kernels, &share);
	o.confidence = 0.7 * share;
	return o;
}

static void set_tokens(struct tl_phase_step *step, int64_t requests, int64_t tokens)
{
	bool prefills = step->phase == TL_PHASE_PREFILL;

	if (step->phase == TL_PHASE_MIXED || requests < 1)
		return;
	*(prefills ? &step->prefill_requests : &step->decode_requests) = requests;
	*(prefills ? &step->prefill_tokens : &step->decode_tokens) = tokens;
}

/* The surest opinion counts; its confidence is halved if another one contradicts. */
static void decide(struct tl_phase_step *step, const struct tally *tally)
{
	const struct opinion opinions[] = { of_arguments(tally), of_tokens(tally), of_kernels(tally) };
	const struct opinion *best = NULL;
	bool contradicted = false;

	for (size_t i = 0; i < 3; i++) {
		if (opinions[i].phase == TL_PHASE_UNKNOWN)
			continue;
		if (!best)
			best = &opinions[i];
		contradicted |= opinions[i].phase != best->phase;
	}
	if (!best)
		return;
	step->phase = best->phase;
	step->evidence = best->evidence;
	step->confidence = contradicted ? best->confidence / 2 : best->confidence;
	if (step->evidence == TL_EVIDENCE_TOKENS)
		set_tokens(step, tally->logit_rows, tally->product_rows);
	else
		set_tokens(step, tally->requests, tally->tokens);
}

/* Weighs what was launched in the steps whose annotation does not tell the phase. */
static void weigh_steps(struct tl_phase_steps *s, struct tl_trace *t, const struct tl_phase_launchers *l,
                        struct tl_name_rules *kernels)
{
	struct weigher w = { .steps = s, .t = t, .kernels = { .strings = &t->strings, .rules = kernels }, .tallies = tl_calloc(s->n + 1, sizeof *w.tallies) };

	w.arguments = tl_kept_answers(t, TL_PHASE_ARGUMENTS);
	w.dims = tl_arg_of(t, TL_KEY_INPUT_DIMS);
	w.concrete = tl_arg_of(t, TL_KEY_CONCRETE_INPUTS);
	for (size_t i = 0; i < l->n; i++) {
		const struct tl_phase_launcher *launcher = &l->items[i];
		uint32_t step = tl_phase_step_at(s, t, launcher->event);
		if (step != TL_NONE && s->items[step].evidence == TL_EVIDENCE_NONE)
			weigh_launch(&w, &w.tallies[step], launcher->event, ticks_of(&w, l->gpus + launcher->first, launcher->n));
	}
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_KERNEL && tl_gpu_usable(&t->events[i]))
			weigh_kernel(&w, i);
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].evidence == TL_EVIDENCE_NONE)
			decide(&s->items[i], &w.tallies[i]);
	free(w.kernels.known);
	free(w.tallies);
}

/* ---- the whole ---------------------------------------------------------------------------- */

void tl_phase_steps_find(struct tl_phase_steps *s, struct tl_trace *t, const struct tl_phase_launchers *l,
                         struct tl_name_rules *kernels)
{
	read_steps(s, t);
	weigh_steps(s, t, l, kernels);
}

void tl_phase_steps_release(struct tl_phase_steps *s)
{
	tl_innermosts_release(&s->running);
	free(s->items);
	*s = (struct tl_phase_steps){ 0 };
}
