/* phase.c - the sheets of inference phases.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/phase.h"

#include "work/args.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "work/spans.h"

#include <stdlib.h>
#include <string.h>

struct tl_phase_facts {
	struct tl_phases *phases;
	struct tl_name_rules *kernel_categories;
	struct tl_kernels *kernels;
	const char *about;
	bool no_votes;
	struct tl_table *rows; /* one a launch */
};

/* A text; null for an empty one. */
static struct tl_cell text(struct tl_trace *t, const char *s)
{
	return tl_cell_str(&t->strings, *s ? s : NULL);
}

/* ---- a row for each launch ------------------------------------------------------------- */

static void add_launch(struct tl_phase_facts *f, size_t launcher, struct tl_spans *spans)
{
	struct tl_phases *p = f->phases;
	struct tl_trace *t = p->trace;
	const struct tl_phase_launch *l = &p->launches[launcher];
	struct tl_phase_label label = p->labels[launcher];
	const struct tl_ev *e = &t->events[p->launchers.items[launcher].event];
	bool ints;
	int64_t ticks = tl_busy_ticks(t, l->events, l->n, spans, &ints);
	struct tl_cell c[N_LAUNCH] = {
		[LAUNCH_NAME] = tl_name_cell(t, e->name), [LAUNCH_DIRECT] = tl_cell_time(ticks, ints),
		[LAUNCH_PHASE] = text(t, tl_phase_name(label.phase)),
		[LAUNCH_IS_PREFILL] = tl_cell_bool(label.phase == TL_PHASE_PREFILL),
		[LAUNCH_IS_DECODE] = tl_cell_bool(label.phase == TL_PHASE_DECODE),
		[LAUNCH_CONFIDENCE] = tl_cell_real(label.confidence), [LAUNCH_UID] = tl_cell_int(e->uid),
		[LAUNCH_TS] = tl_cell_time(e->ts, false), [LAUNCH_START_US] = tl_start_cell(t, e->ts),
		[LAUNCH_M] = l->m < 0 ? tl_cell_null() : tl_cell_int(l->m), [LAUNCH_NUM_KERNELS] = tl_cell_int(l->n),
		[LAUNCH_PREFILL_VOTES] = tl_cell_int(l->votes.prefill), [LAUNCH_DECODE_VOTES] = tl_cell_int(l->votes.decode),
	};

	for (size_t i = 0; i < TL_PHASE_SIGNALS; i++) /* in the order of the columns */
		if (l->votes.signals[i] != TL_PHASE_MIXED)
			c[LAUNCH_GEMM_DIMENSION + i] = text(t, tl_phase_name(l->votes.signals[i]));
	tl_table_add_row(f->rows, c);
}

struct tl_phase_facts *tl_phase_facts_new(struct tl_phases *phases, struct tl_name_rules *kernel_categories,
                                          struct tl_kernels *kernels, const char *about)
{
	struct tl_phase_facts *f = tl_calloc(1, sizeof *f);
	struct tl_trace *t = phases->trace;
	struct tl_spans spans = { 0 };

	*f = (struct tl_phase_facts){ .phases = phases, .kernels = kernels, .kernel_categories = kernel_categories,
	                              .about = about, .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_phase_launch_rows) };
	tl_table_reserve(f->rows, phases->launchers.n);
	for (size_t i = 0; i < phases->launchers.n; i++)
		add_launch(f, i, &spans);
	tl_spans_release(&spans);
	return f;
}

bool tl_phase_facts_no_votes(const struct tl_phase_facts *f)
{
	return f->no_votes;
}

void tl_phase_facts_free(struct tl_phase_facts *f)
{
	if (!f)
		return;
	tl_table_free(f->rows);
	free(f);
}

void tl_phase_each_launch(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_phase_facts *f = ctx;

	in->rows = f->rows;
}

static const char *category_of(struct tl_name_rules *categories, const struct tl_trace *t, uint32_t name)
{
	return tl_name_rules_find(categories, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The distinct categories of the first launch of the group, ascending: so TraceLens does it. */
void tl_phase_categories(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_phase_facts *f = ctx;
	struct tl_trace *t = f->phases->trace;
	const struct tl_phase_launch *l = &f->phases->launches[rows[0]];
	const char **found = tl_alloc((l->n + 1) * sizeof *found);
	struct tl_buf all = { 0 };

	(void)n;
	for (uint32_t i = 0; i < l->n; i++)
		found[i] = category_of(f->kernel_categories, t, t->events[l->events[i]].name);
	qsort(found, l->n, sizeof *found, by_text);
	for (uint32_t i = 0; i < l->n; i++)
		if (!i || strcmp(found[i], found[i - 1]) != 0)
			tl_buf_addf(&all, "%s%s", all.len ? ", " : "", found[i]);
	cells[0] = tl_cell_text(tl_intern(&t->strings, tl_buf_text(&all), all.len));
	tl_buf_release(&all);
	free(found);
}

void tl_phase_each_kernel(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_phase_facts *f = ctx;

	if (!f->kernels)
		return;
	tl_kcat_all(f->kernels, in);
	in->conditions = in->conditions & TL_KCAT_IF_OPERATORS ? TL_PHASE_IF_OPERATORS : 0;
}

/* ---- steps: those of a serving engine, and what they did on the device --------------------- */

struct stepping {
	struct tl_phases *phases;
	struct tl_name_rules *categories;
	struct tl_split_events work; /* device events by step */
	struct tl_map launches;      /* calls that launched those of the steps so far */
	struct tl_spans spans;
};

/* The category with the longest device time; of equal ones the first. */
static void top_category(struct stepping *s, const uint32_t *gpus, size_t n, struct tl_cell *c)
{
	struct tl_trace *t = s->phases->trace;
	struct TL_KEYED(struct { uint32_t category; int64_t ticks; }) found = { 0 };
	int64_t all = 0;
	size_t top = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[gpus[i]];
		uint32_t id = tl_intern_str(&t->strings, category_of(s->categories, t, e->name));
		size_t at = (size_t)(TL_ITEM(&found, id, NULL) - found.items);
		found.items[at].category = id;
		found.items[at].ticks = tl_ticks_add(found.items[at].ticks, e->dur);
		all = tl_ticks_add(all, e->dur);
	}
	for (size_t i = 0; i < found.n; i++)
		if (found.items[i].ticks > found.items[top].ticks)
			top = i;
	if (all > 0) {
		c[PHASE_STEP_TOP_CATEGORY] = tl_cell_text(found.items[top].category);
		c[PHASE_STEP_TOP_SHARE] = tl_cell_real(tl_trace_us(t, found.items[top].ticks) / tl_trace_us(t, all) * 100);
	}
	TL_KEYED_RELEASE(&found);
}

static void device_cells(struct stepping *s, size_t step, struct tl_cell *c)
{
	struct tl_trace *t = s->phases->trace;
	const uint32_t *gpus = s->work.items + s->work.start[step];
	size_t n = s->work.start[step + 1] - s->work.start[step];
	int64_t first = INT64_MAX, last = INT64_MIN, launches = 0;
	bool ints;

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[gpus[i]];
		first = e->ts < first ? e->ts : first;
		last = tl_ev_end(e) > last ? tl_ev_end(e) : last;
		launches += tl_map_add(&s->launches, e->parent);
	}
	c[PHASE_STEP_LAUNCH_COUNT] = tl_cell_int(launches);
	c[PHASE_STEP_KERNEL_COUNT] = tl_cell_int((int64_t)n);
	if (!n)
		return;
	int64_t busy = tl_busy_ticks(t, gpus, (uint32_t)n, &s->spans, &ints), span = tl_ticks_sub(last, first);
	c[PHASE_STEP_DEVICE_START_US] = tl_start_cell(t, first);
	c[PHASE_STEP_DEVICE_SPAN_US] = tl_cell_time(span, false);
	c[PHASE_STEP_GPU_BUSY_US] = tl_cell_time(busy, false);
	c[PHASE_STEP_GPU_IDLE_US] = tl_cell_time(tl_ticks_sub(span, busy), false);
	top_category(s, gpus, n, c);
}

static struct tl_cell known(int64_t count)
{
	return count < 0 ? tl_cell_null() : tl_cell_int(count);
}

static struct tl_cell step_name(struct tl_phases *p, const struct tl_phase_step *s)
{
	struct tl_trace *t = p->trace;
	struct tl_buf b = { 0 };

	if (s->event == TL_NONE)
		return text(t, "(whole trace)");
	if (p->steps.source != TL_STEPS_SAMPLED)
		return tl_name_cell(t, t->events[s->event].name);
	tl_buf_addf(&b, "(up to %s)", tl_str(&t->strings, t->events[s->event].name));
	struct tl_cell c = text(t, b.data);
	tl_buf_release(&b);
	return c;
}

static void host_cells(struct stepping *stepping, size_t number, struct tl_cell *c)
{
	struct tl_trace *t = stepping->phases->trace;
	const struct tl_phase_step *s = &stepping->phases->steps.items[number];
	int64_t tokens = s->prefill_tokens + s->decode_tokens;

	c[PHASE_STEP_STEP] = tl_cell_int((int64_t)number);
	c[PHASE_STEP_NAME] = step_name(stepping->phases, s);
	c[PHASE_STEP_PHASE] = text(t, tl_phase_name(s->phase));
	c[PHASE_STEP_CONFIDENCE] = tl_cell_real(s->confidence);
	c[PHASE_STEP_EVIDENCE] = text(t, tl_step_evidence_name(s->evidence));
	c[PHASE_STEP_START_US] = tl_start_cell(t, s->start);
	c[PHASE_STEP_DURATION_US] = tl_cell_time(tl_ticks_sub(s->end, s->start), false);
	c[PHASE_STEP_PREFILL_REQUESTS] = known(s->prefill_requests);
	c[PHASE_STEP_DECODE_REQUESTS] = known(s->decode_requests);
	c[PHASE_STEP_PREFILL_TOKENS] = known(s->prefill_tokens);
	c[PHASE_STEP_DECODE_TOKENS] = known(s->decode_tokens);
	if (s->prefill_tokens >= 0 && s->decode_tokens >= 0 && tokens > 0)
		c[PHASE_STEP_PREFILL_SHARE] = tl_cell_real((double)s->prefill_tokens / (double)tokens * 100);
	c[PHASE_STEP_TS] = tl_cell_time(s->start, false);
}

void tl_phase_each_step(void *ctx, struct tl_sheet_input *in)
{
	struct tl_phase_facts *f = ctx;
	struct tl_phases *p = f->phases;
	struct tl_trace *t = p->trace;
	uint32_t *of = tl_alloc(((size_t)t->n_events + 1) * sizeof *of);

	for (uint32_t i = 0; i < t->n_events; i++)
		of[i] = tl_gpu_usable(&t->events[i]) ? tl_phase_step_at(&p->steps, t, t->events[i].parent) : TL_NONE;
	struct stepping s = { .phases = p, .categories = f->kernel_categories,
	                      .work = tl_split_events(of, p->steps.n, NULL, t->n_events) };
	free(of);
	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_phase_step_rows);
	for (size_t i = 0; i < p->steps.n; i++) {
		struct tl_cell c[N_PHASE_STEP] = { 0 };

		host_cells(&s, i, c);
		device_cells(&s, i, c);
		tl_table_add_row(in->own_rows, c);
	}
	tl_map_release(&s.launches);
	tl_spans_release(&s.spans);
	tl_split_events_release(&s.work);
}

/* ---- phase_votes: launches that agree -------------------------------------------------------- */

/* What methods and signals say about a launch. Launches with equal opinions are one group. Opinions
 * are compared byte by byte, padding too: clear one before it is filled. */
struct opinion {
	int64_t m;
	struct tl_phase_text text;
	uint32_t name, step_phase, step_evidence;
	enum tl_phase methods[TL_PHASE_METHODS];
	struct tl_phase_votes votes;
};
struct group { struct opinion opinion; uint32_t launches, step; int64_t ticks; };

struct voting {
	struct tl_phases *p;
	struct tl_strtab opinions;
	struct TL_KEYED(struct group) groups; /* by the id of the opinion */
	struct tl_spans spans;
	struct tl_table *rows;
	struct tl_buf because;
};

static bool has_text(const struct tl_strtab *strings, uint32_t name, const char *about)
{
	return memmem(tl_str(strings, name), tl_str_len(strings, name), about, strlen(about));
}

static bool is_about(const struct tl_trace *t, const struct tl_phase_launch *l, const char *about)
{
	bool found = !about || has_text(&t->strings, l->op, about);

	for (uint32_t i = 0; i < l->n && !found; i++)
		found = has_text(&t->strings, t->events[l->events[i]].name, about);
	return found;
}

static void add_to_group(struct voting *v, size_t launcher)
{
	struct tl_phases *p = v->p;
	const struct tl_phase_launch *l = &p->launches[launcher];
	uint32_t step = tl_phase_step_at(&p->steps, p->trace, p->launchers.items[launcher].event);
	struct opinion o;
	bool ints, is_new;

	memset(&o, 0, sizeof o);
	o.name = l->op;
	o.m = l->m;
	memcpy(&o.text, &l->text, sizeof o.text);
	memcpy(&o.votes, &l->votes, sizeof o.votes);
	for (unsigned i = 0; i < TL_PHASE_METHODS; i++)
		o.methods[i] = tl_phase_by_method(p->methods, i, l).phase;
	if (step != TL_NONE) {
		o.step_phase = p->steps.items[step].phase;
		o.step_evidence = p->steps.items[step].evidence;
	}
	struct group *g = TL_ITEM(&v->groups, tl_intern(&v->opinions, (const char *)&o, sizeof o), &is_new);
	if (is_new)
		*g = (struct group){ .opinion = o, .step = step };
	g->launches++;
	g->ticks = tl_ticks_add(g->ticks, tl_busy_ticks(p->trace, l->events, l->n, &v->spans, &ints));
}

/* Adds a row of a group; the text for the column because is in v->because, which is cleared. */
static void add_vote(struct voting *v, const struct group *g, const char *asked, enum tl_phase phase,
                     struct tl_cell weight)
{
	struct tl_trace *t = v->p->trace;
	struct tl_cell c[N_VOTE] = {
		[VOTE_NAME] = tl_name_cell(t, g->opinion.name), [VOTE_LAUNCH_COUNT] = tl_cell_int(g->launches),
		[VOTE_DEVICE_TIME_MS] = tl_cell_ms(g->ticks), [VOTE_ASKED] = text(t, asked),
		[VOTE_PHASE] = text(t, tl_phase_name(phase)), [VOTE_WEIGHT] = weight,
		[VOTE_BECAUSE] = text(t, tl_buf_text(&v->because)),
	};

	tl_table_add_row(v->rows, c);
	tl_buf_clear(&v->because);
}

static void add_step_vote(struct voting *v, const struct group *g)
{
	const struct tl_phase_steps *steps = &v->p->steps;
	const struct tl_trace *t = v->p->trace;
	const struct tl_phase_step *s = g->step == TL_NONE ? NULL : &steps->items[g->step];
	bool before = steps->source == TL_STEPS_SAMPLED;

	if (!s)
		tl_buf_adds(&v->because, "outside of all steps");
	else
		tl_buf_addf(&v->because, "%s; %s %.200s", s->evidence ? tl_step_evidence_name(s->evidence) : "nothing tells it",
		            g->launches > 1 ? before ? "first before" : "first in" : before ? "before" : "in",
		            s->event == TL_NONE ? "the whole trace" : tl_str(&t->strings, t->events[s->event].name));
	add_vote(v, g, tl_phase_method_name(TL_BY_STEPS), s ? s->phase : TL_PHASE_UNKNOWN,
	         tl_cell_real(s ? s->confidence : 0));
}

static void say_why(struct voting *v, const struct group *g, unsigned signal)
{
	const struct opinion *o = &g->opinion;
	bool prefill = o->text.words & TL_WORD_SAYS_PREFILL, decode = o->text.words & TL_WORD_SAYS_DECODE;

	if (signal == TL_SIGNAL_GEMM && o->m >= 0)
		tl_buf_addf(&v->because, "M is %lld, the threshold %lld", (long long)o->m, (long long)v->p->options.threshold);
	if (signal != TL_SIGNAL_NAMES)
		return;
	if (o->text.n_lengths)
		tl_buf_addf(&v->because, "sequence lengths in names: %llu, %.6g on average",
		            (unsigned long long)o->text.n_lengths, (double)o->text.sum_lengths / (double)o->text.n_lengths);
	if (prefill || decode)
		tl_buf_addf(&v->because, "%swords for %s", v->because.len ? "; " : "",
		            prefill && decode ? "both phases" : prefill ? "prefill" : "decode");
}

static void add_union_votes(struct voting *v, const struct group *g)
{
	const struct tl_phase_votes *votes = &g->opinion.votes;

	for (unsigned i = 0; i < TL_PHASE_SIGNALS; i++) {
		bool has_vote = votes->signals[i] != TL_PHASE_MIXED;

		say_why(v, g, i);
		add_vote(v, g, tl_phase_signal_name(i), votes->signals[i],
		         has_vote ? tl_cell_int(tl_phase_signal_votes(i)) : tl_cell_null());
	}
	if (votes->phase == TL_PHASE_MIXED && g->opinion.methods[TL_BY_UNION] != TL_PHASE_MIXED)
		tl_buf_addf(&v->because, "how many launches have the name: %u",
		            tl_phase_name_count(v->p->methods, g->opinion.name));
	else
		tl_buf_addf(&v->because, "votes for prefill: %u, for decode: %u", votes->prefill, votes->decode);
	add_vote(v, g, tl_phase_method_name(TL_BY_UNION), g->opinion.methods[TL_BY_UNION], tl_cell_real(votes->confidence));
}

void tl_phase_each_vote(void *ctx, struct tl_sheet_input *in)
{
	struct tl_phase_facts *f = ctx;
	struct tl_phases *p = f->phases;
	struct voting v = { .p = p, .rows = tl_table_new(&p->trace->strings, p->trace->ticks_per_us, tl_phase_vote_rows) };

	for (size_t i = 0; i < p->launchers.n; i++)
		if (is_about(p->trace, &p->launches[i], f->about))
			add_to_group(&v, i);
	TL_EACH(const struct group, g, v.groups) {
		add_step_vote(&v, g);
		add_union_votes(&v, g);
		for (unsigned i = TL_BY_UNION + 1; i < TL_PHASE_METHODS; i++)
			add_vote(&v, g, tl_phase_method_name(i), g->opinion.methods[i], tl_cell_null());
	}
	in->own_rows = v.rows;
	f->no_votes = !v.groups.n;
	tl_strtab_release(&v.opinions);
	tl_spans_release(&v.spans);
	tl_buf_release(&v.because);
	TL_KEYED_RELEASE(&v.groups);
}
