/* step_match.c - steps of two traces that do alike work.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/step_match.h"

#include <stdlib.h>
#include <string.h>

static const char *const phase_names[TL_PHASES] = {
	[TL_PHASE_UNKNOWN] = "idle", [TL_PHASE_PREFILL] = "prefill_only",
	[TL_PHASE_DECODE] = "decode_only", [TL_PHASE_MIXED] = "prefilldecode",
};

const char *tl_step_phase_name(enum tl_phase phase)
{
	return phase_names[phase];
}

enum tl_phase tl_step_phase_by_name(const char *name)
{
	enum tl_phase phase = TL_PHASE_UNKNOWN;

	for (unsigned i = TL_PHASE_UNKNOWN + 1; i < TL_PHASES; i++)
		if (!strcmp(phase_names[i], name))
			phase = (enum tl_phase)i;
	return phase;
}

/* ---- blocks ---------------------------------------------------------------------- */

static enum tl_phase phase_of(const struct tl_step *s)
{
	return s->text.kind == TL_STEP_NONE ? TL_PHASE_UNKNOWN : tl_step_phase(&s->text);
}

static bool all_usable(const struct tl_step *steps, struct tl_window w)
{
	for (size_t i = w.from; i < w.to; i++)
		if (!steps[i].text.usable)
			return false;
	return true;
}

/* Adds a block, cut into pieces if it is too long. */
static void add_block(struct tl_step_blocks *b, const struct tl_step *steps, struct tl_window w, int64_t num_steps)
{
	size_t n = w.to - w.from, length = num_steps > 0 && (size_t)num_steps < n ? (size_t)num_steps : n;
	enum tl_phase phase = phase_of(&steps[w.from]);

	if (phase == TL_PHASE_UNKNOWN || (phase == TL_PHASE_DECODE && n < 2))
		return;
	for (size_t from = w.from; from + length <= w.to; from += length) {
		struct tl_window piece = { from, from + length };
		TL_PUSH(b->items, b->n, b->cap, (struct tl_step_block){ piece, phase, n, all_usable(steps, piece) });
	}
}

void tl_step_blocks_find(struct tl_step_blocks *b, const struct tl_step *steps, size_t n, int64_t num_steps)
{
	*b = (struct tl_step_blocks){ 0 };
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && phase_of(&steps[to]) == phase_of(&steps[from]);)
			to++;
		add_block(b, steps, (struct tl_window){ from, to }, num_steps);
	}
}

void tl_step_blocks_release(struct tl_step_blocks *b)
{
	free(b->items);
	*b = (struct tl_step_blocks){ 0 };
}

/* ---- the best pair ---------------------------------------------------------------- */

static int64_t distance_of(int64_t a, int64_t b)
{
	return a < b ? b - a : a - b;
}

/* Adds the differences of two steps; returns how many there are. */
static size_t add_differences(enum tl_phase phase, const struct tl_step_text *a, const struct tl_step_text *b,
                              double *sums)
{
	if (phase == TL_PHASE_DECODE) {
		sums[0] += (double)distance_of(a->generation.sq, b->generation.sq);
		sums[1] += (double)distance_of(a->generation.sk, b->generation.sk);
		return 2;
	}
	sums[0] += (double)distance_of(a->context.requests, b->context.requests);
	sums[1] += (double)distance_of(a->generation.requests, b->generation.requests);
	sums[2] += (double)distance_of(a->context.sq, b->context.sq);
	sums[3] += (double)distance_of(a->generation.sq, b->generation.sq);
	return 4;
}

struct pair { struct tl_match match; size_t original, n; };

static struct pair pair_of(const struct tl_match_side sides[2], size_t i, size_t j)
{
	const struct tl_step_block *a = &sides[0].blocks->items[i], *b = &sides[1].blocks->items[j];
	struct pair p = {
		.match = { .phase = a->phase, .block = { i, j } },
		.original = a->original < b->original ? a->original : b->original,
		.n = a->window.to - a->window.from,
	};

	for (size_t k = 0; k < p.n; k++)
		p.match.n_distance = add_differences(a->phase, &sides[0].steps[a->window.from + k].text,
		                                     &sides[1].steps[b->window.from + k].text, p.match.distance);
	for (size_t k = 0; k < p.match.n_distance; k++)
		p.match.distance[k] /= (double)p.n;
	return p;
}

static bool is_better(const struct pair *a, const struct pair *b)
{
	for (size_t k = 0; k < a->match.n_distance; k++)
		if (a->match.distance[k] != b->match.distance[k])
			return a->match.distance[k] < b->match.distance[k];
	return a->original != b->original ? a->original > b->original : a->n > b->n;
}

bool tl_step_match(const struct tl_match_side sides[2], enum tl_phase phase, struct tl_match *out)
{
	struct pair best = { .n = 0 };
	size_t n_usable = 0, n_paired = 0;

	for (size_t i = 0; i < sides[0].blocks->n; i++) {
		const struct tl_step_block *a = &sides[0].blocks->items[i];
		bool paired = false;
		if (a->phase != phase || !a->usable)
			continue;
		n_usable++;
		for (size_t j = 0; j < sides[1].blocks->n; j++) {
			const struct tl_step_block *b = &sides[1].blocks->items[j];
			if (b->phase != phase || !b->usable || b->window.to - b->window.from != a->window.to - a->window.from)
				continue;
			struct pair p = pair_of(sides, i, j);
			if (!best.n || is_better(&p, &best))
				best = p;
			paired = true;
		}
		n_paired += paired;
	}
	*out = best.match;
	out->phase = phase;
	out->n_usable = n_usable;
	out->n_paired = n_paired;
	return best.n > 0;
}
