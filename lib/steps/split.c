/* split.c - parts of a trace for tl-split.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/split.h"

#include "base/json_writer.h"
#include "base/value.h"
#include "table/tsv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LABEL 150 /* file systems allow names of 255 bytes */

void tl_split_part_add(struct tl_split_part *p, const struct tl_step *steps, size_t n)
{
	TL_GROW(p->steps, p->cap_steps, p->n_steps + n);
	memcpy(p->steps + p->n_steps, steps, n * sizeof *steps);
	p->n_steps += n;
}

void tl_split_parts_release(struct tl_split_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		free(parts->items[i].steps);
		free(parts->items[i].label);
		free(parts->items[i].path);
	}
	free(parts->items);
}

/* ---- names of files -------------------------------------------------------------- */

char *tl_split_base(const char *path)
{
	static const char *const endings[] = { ".pt.trace", ".json.gz", ".json", ".tls", ".zip" };
	const char *slash = strrchr(path, '/');
	char *base = tl_strdup(slash ? slash + 1 : path);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t len = strlen(endings[i]);
		for (char *s = base; (s = strstr(s, endings[i]));)
			memmove(s, s + len, strlen(s + len) + 1);
	}
	return base;
}

void tl_split_add_sums(struct tl_buf *b, const struct tl_window_sums *s)
{
	tl_buf_addf(b, "prefill_%zu_prefilldecode_%zu_decode_%zu_bs%" PRId64 "_conc%" PRId64, s->phases[TL_PHASE_PREFILL],
	            s->phases[TL_PHASE_MIXED], s->phases[TL_PHASE_DECODE], s->batch_size, s->requests);
}

void tl_split_add_label(struct tl_buf *b, const char *annotation)
{
	size_t end = b->len + LONGEST_LABEL;

	for (const char *s = annotation; *s && b->len < end; s++) {
		if (*s == '/' || *s == '(' || (unsigned char)*s <= ' ' || *s == 0x7f)
			tl_buf_addc(b, '_');
		else if (*s != ')' && *s != ':')
			tl_buf_addc(b, *s);
	}
}

/* ---- execution_details ------------------------------------------------------------ */

static void add_part_json(struct tl_json *w, const struct tl_split_part *p)
{
	struct tl_window_sums sums = tl_window_sums(p->steps, p->n_steps);

	tl_json_open(w, NULL, '{');
	tl_json_put_int(w, "idx", (int64_t)p->number);
	tl_json_put_string(w, "output_path", p->path);
	tl_json_put_int(w, "event_count", (int64_t)p->n_events);
	tl_json_put_int(w, "num_gpu_events", (int64_t)p->n_device);
	tl_json_put_real(w, "gpu_duration", p->device_time);
	tl_json_put_real(w, "gpu_busy_duration", p->device_busy);
	tl_json_open(w, "steps", '[');
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct tl_step *s = &p->steps[i];
		tl_json_open(w, NULL, '{');
		tl_json_put_int(w, "batch_size", s->text.batch_size);
		tl_json_put_int(w, "num_requests", tl_step_requests(s));
		tl_json_put_int(w, "context_requests", s->text.context.requests);
		tl_json_put_int(w, "context_sum", s->text.context.tokens);
		tl_json_put_int(w, "generation_requests", s->text.generation.requests);
		tl_json_put_int(w, "generation_sum", s->text.generation.tokens);
		tl_json_close(w, '}');
	}
	tl_json_close(w, ']');
	tl_json_open(w, "phase", '{');
	tl_json_put_int(w, "num_prefill", (int64_t)sums.phases[TL_PHASE_PREFILL]);
	tl_json_put_int(w, "num_prefilldecode", (int64_t)sums.phases[TL_PHASE_MIXED]);
	tl_json_put_int(w, "num_decode", (int64_t)sums.phases[TL_PHASE_DECODE]);
	tl_json_put_int(w, "avg_bs", sums.batch_size);
	tl_json_put_int(w, "avg_conc", sums.requests);
	tl_json_close(w, '}');
	tl_json_close(w, '}');
}

void tl_split_add_json(struct tl_buf *b, const struct tl_split_parts *parts)
{
	struct tl_json w = { .to = b };

	tl_json_open(&w, NULL, '[');
	for (size_t i = 0; i < parts->n; i++)
		add_part_json(&w, &parts->items[i]);
	tl_json_close(&w, ']');
	tl_buf_addc(b, '\n');
}

void tl_split_add_sheet(struct tl_buf *b, const struct tl_split_parts *parts)
{
	tl_buf_adds(b, "idx\toutput_path\tevent_count\tnum_gpu_events\tgpu_duration\tgpu_busy_duration\tphase_num_prefill\t"
	               "phase_num_prefilldecode\tphase_num_decode\tphase_avg_bs\tphase_avg_conc\tnum_steps\n");
	TL_EACH(const struct tl_split_part, p, *parts) {
		struct tl_window_sums s = tl_window_sums(p->steps, p->n_steps);
		tl_buf_addf(b, "%zu\t", p->number);
		tl_tsv_add_text(b, p->path, strlen(p->path));
		tl_buf_addf(b, "\t%zu\t%zu\t%.2f\t%.2f\t%zu\t%zu\t%zu\t%" PRId64 "\t%" PRId64 "\t%zu\n", p->n_events, p->n_device,
		            p->device_time, p->device_busy, s.phases[TL_PHASE_PREFILL], s.phases[TL_PHASE_MIXED],
		            s.phases[TL_PHASE_DECODE], s.batch_size, s.requests, p->n_steps);
	}
}

/* ---- batch sizes ------------------------------------------------------------------ */

/* The first dimension of the first argument; 0 if it has none. */
static int64_t batch_of(struct tl_step_batches *b, uint32_t event)
{
	struct tl_value dims;
	int64_t batch = 0;

	if (tl_arg_list(&b->dims, b->trace, event, &dims) && dims.len && dims.items[0].type == TL_V_LIST &&
	    dims.items[0].len) {
		const struct tl_value *first = &dims.items[0].items[0];
		if (first->type == TL_V_INT && first->i > 0 && first->i <= INT32_MAX)
			batch = (int64_t)first->i;
	}
	return batch;
}

int64_t tl_step_batches_add(struct tl_step_batches *b, const uint32_t *events, size_t n)
{
	int64_t only = 0;
	bool several = false;

	if (!b->names.rules) {
		tl_name_answers_init(&b->names, TL_STEP_BATCHES, &b->trace->strings);
		b->dims = tl_arg_of(b->trace, TL_KEY_INPUT_DIMS);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t batch = *tl_name_answer(&b->names, b->trace->events[events[i]].name) ? batch_of(b, events[i]) : 0;
		if (!batch)
			continue;
		tl_map_put(&b->sizes, (uint64_t)batch, NULL);
		several = several || (only && only != batch);
		only = batch;
	}
	return several ? 0 : only;
}

void tl_step_batches_clear(struct tl_step_batches *b)
{
	tl_map_release(&b->sizes);
	b->sizes = (struct tl_map){ 0 };
}

void tl_step_batches_release(struct tl_step_batches *b)
{
	tl_name_answers_release(&b->names);
	tl_map_release(&b->sizes);
	*b = (struct tl_step_batches){ 0 };
}

/* ---- which steps of a serving engine represent all of them ----------------------------------------------- */

void tl_windows_add(struct tl_windows *w, size_t from, size_t to)
{
	TL_PUSH(w->items, w->n, w->cap, (struct tl_window){ from, to });
}

void tl_windows_release(struct tl_windows *w)
{
	free(w->items);
	*w = (struct tl_windows){ 0 };
}

/* ---- steady stretches ------------------------------------------------------------ */

#define NEAR_STEPS 6 /* so many near steps begin a stretch */

int64_t tl_most_requests(const struct tl_step *steps, size_t n)
{
	int64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (tl_step_requests(&steps[i]) > most)
			most = tl_step_requests(&steps[i]);
	return most;
}

void tl_steady_stretches(struct tl_windows *out, const struct tl_step *steps, size_t n, int64_t num_steps)
{
	int64_t most = tl_most_requests(steps, n), near_steps = 0;
	double less = fmax(1, ((int64_t)n >= num_steps ? 0.1 : 0.2) * (double)most);
	bool inside = false;
	size_t start = 0;

	*out = (struct tl_windows){ 0 };
	for (size_t i = 0; i < n; i++) {
		bool near = (double)(most - tl_step_requests(&steps[i])) <= less;
		near_steps += near && !inside;
		near_steps -= !near && inside;
		if (near_steps >= NEAR_STEPS && !inside) {
			inside = true;
			start = i + 1 - (size_t)near_steps;
		} else if (near_steps <= 0 && inside) {
			inside = false;
			near_steps = 0;
			tl_windows_add(out, start, i);
		}
	}
	if (inside)
		tl_windows_add(out, start, n - 1);
	if (!out->n) {
		/* What is taken if no stretch is steady: without the first and the last steps. */
		int64_t count = (int64_t)n, wanted = num_steps - count > 8 ? num_steps - count : 8;
		int64_t left_out = (count < wanted ? count : wanted) / 2;
		int64_t end = count - left_out > left_out + 1 ? count - left_out : left_out + 1;
		struct tl_window w = (struct tl_window){ (size_t)left_out, (size_t)(end < count ? end : count) };
		tl_windows_add(out, w.from, w.to);
	}
}

/* ---- windows --------------------------------------------------------------------- */

static size_t count_prefill(const struct tl_step *steps, struct tl_window w)
{
	size_t n = 0;

	for (size_t i = w.from; i < w.to; i++)
		n += tl_step_prefills(&steps[i]);
	return n;
}

double tl_prefill_ratio(const struct tl_step *steps, const struct tl_windows *stretches)
{
	size_t n = 0, prefill = 0;

	for (size_t i = 0; i < stretches->n; i++) {
		n += stretches->items[i].to - stretches->items[i].from;
		prefill += count_prefill(steps, stretches->items[i]);
	}
	return n ? (double)prefill / (double)n : 0;
}

static struct tl_window longest(const struct tl_windows *w)
{
	struct tl_window best = w->items[0];

	for (size_t i = 1; i < w->n; i++)
		if (w->items[i].to - w->items[i].from > best.to - best.from)
			best = w->items[i];
	return best;
}

struct candidate { struct tl_window window; bool prefills; double off, requests; };

static struct candidate candidate_of(const struct tl_step *steps, struct tl_window w, double ratio)
{
	size_t prefill = count_prefill(steps, w);
	double n = (double)(w.to - w.from), requests = 0;

	for (size_t i = w.from; i < w.to; i++)
		requests += (double)tl_step_requests(&steps[i]);
	return (struct candidate){ w, prefill > 0, fabs((double)prefill / n - ratio), requests / n };
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->prefills != b->prefills)
		return a->prefills;
	return a->off != b->off ? a->off < b->off : a->requests > b->requests;
}

static struct tl_window mixed_window(const struct tl_step *steps, struct tl_window in, int64_t num_steps,
                                     double ratio)
{
	size_t n = in.to - in.from < (size_t)num_steps ? in.to - in.from : (size_t)num_steps;
	struct candidate best = candidate_of(steps, (struct tl_window){ in.from, in.from + n }, ratio);
	/* The distance between the starts of two windows that are compared: about ten start within num_steps. */
	int64_t parts = num_steps / 2 < 10 ? num_steps / 2 : 10;
	size_t stride = (size_t)(parts > 1 ? num_steps / parts : num_steps);

	for (size_t i = in.from + stride; i + n <= in.to; i += stride) {
		struct candidate c = candidate_of(steps, (struct tl_window){ i, i + n }, ratio);
		if (is_better(&c, &best))
			best = c;
	}
	return best.window;
}

bool tl_steady_window(const struct tl_step *steps, const struct tl_windows *stretches, enum tl_window_kind kind,
                      int64_t num_steps, double ratio, struct tl_window *out)
{
	struct tl_window in = longest(stretches), best = { 0, 0 };

	if (kind == TL_WINDOW_MIXED) {
		*out = mixed_window(steps, in, num_steps, ratio);
		return out->to > out->from;
	}
	for (size_t i = in.from, from = i; i < in.to; i++) {
		bool fits = kind == TL_WINDOW_DECODE ? tl_step_phase(&steps[i].text) == TL_PHASE_DECODE : tl_step_prefills(&steps[i]);
		if (!fits)
			from = i + 1;
		else if (i + 1 - from > best.to - best.from)
			best = (struct tl_window){ from, i + 1 };
	}
	if (best.to - best.from > (size_t)num_steps)
		best.to = best.from + (size_t)num_steps;
	*out = best;
	return best.to > best.from;
}

struct tl_window_sums tl_window_sums(const struct tl_step *steps, size_t n)
{
	struct tl_window_sums s = { .batch_size = 0 };
	tl_int128 batch = 0, requests = 0;

	for (size_t i = 0; i < n; i++) {
		s.phases[tl_step_phase(&steps[i].text)]++;
		batch += steps[i].text.batch_size;
		requests += tl_step_requests(&steps[i]);
	}
	if (n) {
		s.batch_size = (int64_t)(batch / (tl_int128)n);
		s.requests = (int64_t)(requests / (tl_int128)n);
	}
	return s;
}

/* ---- steps of two traces that do alike work -------------------------------------------------------------- */

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

static bool is_better_pair(const struct pair *a, const struct pair *b)
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
			if (!best.n || is_better_pair(&p, &best))
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
