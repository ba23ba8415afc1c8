/* phase_sheets.c - the sheets of inference phases.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/phase_sheets.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/devices.h"
#include "analysis/spans.h"
#include "phase/phases.h"
#include "table/sheet.h"

#include <stdlib.h>
#include <string.h>

static struct tl_cell text(struct tl_trace *t, const char *s)
{
	return tl_cell_text(*s ? tl_intern_str(&t->strings, s) : 0);
}

/* ---- phase votes ----------------------------------------------------------------- */

/* ---- columns --------------------------------------------------------------------------- */

enum { PHASE_VOTES_NAME, COUNT, TIME, ASKED, PHASE_VOTES_PHASE, WEIGHT, BECAUSE, PHASE_VOTES_N_COLUMNS };
static const char *const phase_votes_row_columns[] = {
	"name", "launch_count", "device_time_ms", "asked", "phase", "weight", "because", NULL
};
/* ---- launches that agree ----------------------------------------------------------------- */

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

struct builder {
	struct tl_phases *p;
	struct tl_strtab keys; /* opinions; id - 1 is the index in groups */
	struct group *groups; size_t n, cap;
	struct tl_table *rows;
	struct tl_buf buf;
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

static void add_launch(struct builder *b, size_t launcher, struct tl_spans *spans)
{
	struct tl_phases *p = b->p;
	const struct tl_phase_launch *l = &p->launches[launcher];
	uint32_t step = tl_phase_step_at(&p->steps, p->trace, p->launchers.items[launcher].event), id;
	struct opinion o;
	bool ints;

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
	id = tl_intern(&b->keys, (const char *)&o, sizeof o);
	if (id > b->n) {
		TL_GROW(b->groups, b->cap, b->n + 1);
		b->groups[b->n++] = (struct group){ .opinion = o, .step = step };
	}
	struct group *g = &b->groups[id - 1];
	g->launches++;
	g->ticks = tl_ticks_add(g->ticks, tl_busy_ticks(p->trace, l->events, l->n, spans, &ints));
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Adds a row of a group; the text for the column because is in b->buf, which is cleared. */
static void phase_votes_add_row(struct builder *b, const struct group *g, const char *asked, enum tl_phase phase,
                    struct tl_cell weight)
{
	struct tl_cell c[PHASE_VOTES_N_COLUMNS] = { 0 };

	c[PHASE_VOTES_NAME] = tl_name_cell(b->p->trace, g->opinion.name);
	c[COUNT] = tl_cell_int(g->launches);
	c[TIME] = tl_cell_ms(g->ticks);
	c[ASKED] = text(b->p->trace, asked);
	c[PHASE_VOTES_PHASE] = text(b->p->trace, tl_phase_name(phase));
	c[WEIGHT] = weight;
	c[BECAUSE] = text(b->p->trace, tl_buf_text(&b->buf));
	tl_table_add_row(b->rows, c);
	tl_buf_clear(&b->buf);
}

static void step_row(struct builder *b, const struct group *g)
{
	const struct tl_phase_steps *steps = &b->p->steps;
	const struct tl_trace *t = b->p->trace;
	const struct tl_phase_step *s = g->step == TL_NONE ? NULL : &steps->items[g->step];
	bool before = steps->source == TL_STEPS_SAMPLED;

	if (!s)
		tl_buf_adds(&b->buf, "outside of all steps");
	else
		tl_buf_addf(&b->buf, "%s; %s %.200s", s->evidence ? tl_step_evidence_name(s->evidence) : "nothing tells it",
		            g->launches > 1 ? before ? "first before" : "first in" : before ? "before" : "in",
		            s->event == TL_NONE ? "the whole trace" : tl_str(&t->strings, t->events[s->event].name));
	phase_votes_add_row(b, g, tl_phase_method_name(TL_BY_STEPS), s ? s->phase : TL_PHASE_UNKNOWN,
	        tl_cell_real(s ? s->confidence : 0));
}

static void say_why(struct builder *b, const struct group *g, unsigned signal)
{
	const struct opinion *o = &g->opinion;
	bool prefill = o->text.words & TL_WORD_SAYS_PREFILL, decode = o->text.words & TL_WORD_SAYS_DECODE;

	if (signal == TL_SIGNAL_GEMM && o->m >= 0)
		tl_buf_addf(&b->buf, "M is %lld, the threshold %lld", (long long)o->m, (long long)b->p->options.threshold);
	if (signal != TL_SIGNAL_NAMES)
		return;
	if (o->text.n_lengths)
		tl_buf_addf(&b->buf, "sequence lengths in names: %llu, %.6g on average", (unsigned long long)o->text.n_lengths,
		            (double)o->text.sum_lengths / (double)o->text.n_lengths);
	if (prefill || decode)
		tl_buf_addf(&b->buf, "%swords for %s", b->buf.len ? "; " : "",
		            prefill && decode ? "both phases" : prefill ? "prefill" : "decode");
}

static void union_rows(struct builder *b, const struct group *g)
{
	const struct tl_phase_votes *v = &g->opinion.votes;

	for (unsigned i = 0; i < TL_PHASE_SIGNALS; i++) {
		bool votes = v->signals[i] != TL_PHASE_MIXED;

		say_why(b, g, i);
		phase_votes_add_row(b, g, tl_phase_signal_name(i), v->signals[i],
		        votes ? tl_cell_int(tl_phase_signal_votes(i)) : tl_cell_null());
	}
	if (v->phase == TL_PHASE_MIXED && g->opinion.methods[TL_BY_UNION] != TL_PHASE_MIXED)
		tl_buf_addf(&b->buf, "how many launches have the name: %u",
		            tl_phase_name_count(b->p->methods, g->opinion.name));
	else
		tl_buf_addf(&b->buf, "votes for prefill: %u, for decode: %u", v->prefill, v->decode);
	phase_votes_add_row(b, g, tl_phase_method_name(TL_BY_UNION), g->opinion.methods[TL_BY_UNION], tl_cell_real(v->confidence));
}

static void group_rows(struct builder *b, const struct group *g)
{
	step_row(b, g);
	union_rows(b, g);
	for (unsigned i = TL_BY_UNION + 1; i < TL_PHASE_METHODS; i++)
		phase_votes_add_row(b, g, tl_phase_method_name(i), g->opinion.methods[i], tl_cell_null());
}

/* The sheet; the caller frees it. about: only launches whose name, or the name of one of their
 * device events, has this text in it; NULL: all. */
static struct tl_table *phase_votes_table(struct tl_phases *p, const char *about)
{
	struct builder b = { .p = p, .rows = tl_table_new(&p->trace->strings, p->trace->ticks_per_us, phase_votes_row_columns) };
	struct tl_spans spans = { 0 };

	for (size_t i = 0; i < p->launchers.n; i++)
		if (is_about(p->trace, &p->launches[i], about))
			add_launch(&b, i, &spans);
	for (size_t i = 0; i < b.n; i++)
		group_rows(&b, &b.groups[i]);
	tl_strtab_release(&b.keys);
	tl_spans_release(&spans);
	tl_buf_release(&b.buf);
	free(b.groups);
	return b.rows;
}

/* ---- phase sheets ---------------------------------------------------------------- */

struct tl_phase_sheets {
	struct tl_phases *phases;
	struct tl_name_rules *kernel_categories;
	struct tl_kernels *kernels;
	const char *about;
	bool no_votes;
	struct tl_table *rows; /* one a launch */
};

/* ---- definitions ---------------------------------------------------------------------- */

#define DIRECT "total_direct_kernel_time"

/* Columns of the rows. Each signal of the method union has one, from FIRST_SIGNAL on. */
enum { NAME, DIRECT_TIME, PHASE, IS_PREFILL, IS_DECODE, CONFIDENCE, UID, TS, START, M, NUM_KERNELS, PREFILL_VOTES,
	DECODE_VOTES, FIRST_SIGNAL, N_COLUMNS = FIRST_SIGNAL + TL_PHASE_SIGNALS };
static const char *const row_columns[] = {
	"name", DIRECT, "phase", "is prefill", "is decode", "confidence", "uid", "ts", "start_us", "M", "num_kernels",
	"prefill_votes", "decode_votes", "gemm_dimension", "explicit_names", "paged_attention", "framework_api",
	"batch_pattern", NULL
};

static tl_column_fn categories;

static const struct tl_column ops_columns[] = {
	{ "Kernel categories", .kind = TL_CALL, .fn = categories },
	{ "name", .kind = TL_KEY },
	{ DIRECT "_sum", .kind = TL_SUM, .in = DIRECT },
	{ "Count", .kind = TL_COUNT },
	{ DIRECT "_ms", .kind = TL_MS, .in = DIRECT "_sum" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = DIRECT "_ms" },
	{ "Cumulative Percentage (%)", .kind = TL_CUMULATIVE, .in = "Percentage (%)" },
	{ .name = NULL }
};
static const struct tl_sheet_def ops_of_phase = {
	.name = "ops_summary_prefill, ops_summary_decode", .rows = row_columns, .columns = ops_columns,
	.keys_ascending = true, .order = { { DIRECT "_sum", true } },
};

static const struct tl_column summary_columns[] = {
	{ "phase", .kind = TL_KEY },
	{ "launch_count", .kind = TL_COUNT },
	{ "kernel_count", .kind = TL_SUM, .in = "num_kernels" },
	{ "confidence_mean", .kind = TL_MEAN, .in = "confidence" },
	{ DIRECT "_sum", .kind = TL_SUM, .in = DIRECT, .hidden = true },
	{ DIRECT "_ms", .kind = TL_MS, .in = DIRECT "_sum" },
	{ "Percentage (%)", .kind = TL_PERCENT, .in = DIRECT "_ms" },
	{ .name = NULL }
};
static const struct tl_sheet_def summary = {
	.name = "phase_summary", .rows = row_columns, .columns = summary_columns,
	.keys_ascending = true, .order = { { DIRECT "_sum", true } },
};

static const struct tl_column launcher_columns[] = {
	{ "uid", .kind = TL_FIRST },
	{ "name", .kind = TL_FIRST },
	{ "phase", .kind = TL_FIRST },
	{ "confidence", .kind = TL_FIRST },
	{ "M", .kind = TL_FIRST },
	{ "gemm_dimension", .kind = TL_FIRST },
	{ "explicit_names", .kind = TL_FIRST },
	{ "paged_attention", .kind = TL_FIRST },
	{ "framework_api", .kind = TL_FIRST },
	{ "batch_pattern", .kind = TL_FIRST },
	{ "prefill_votes", .kind = TL_FIRST },
	{ "decode_votes", .kind = TL_FIRST },
	{ "num_kernels", .kind = TL_FIRST },
	{ "ts", .kind = TL_TICKS },
	{ "direct", .kind = TL_TICKS, .in = DIRECT },
	{ "start_us", .kind = TL_FIRST },
	{ .name = NULL }
};
static const struct tl_sheet_def launchers = {
	.name = "launcher_phases", .rows = row_columns, .columns = launcher_columns, .ungrouped = true,
};

/* ---- rows: one a launch ------------------------------------------------------------------ */

struct row_maker {
	struct tl_phase_sheets *sheets;
	struct tl_spans spans;
	struct tl_cell phases[TL_PHASES];
};

static void add_row(struct row_maker *r, size_t launcher)
{
	struct tl_phases *p = r->sheets->phases;
	struct tl_trace *t = p->trace;
	const struct tl_phase_launch *l = &p->launches[launcher];
	struct tl_phase_label label = p->labels[launcher];
	const struct tl_ev *e = &t->events[p->launchers.items[launcher].event];
	struct tl_cell c[N_COLUMNS] = { 0 };
	bool ints;
	int64_t ticks = tl_busy_ticks(t, l->events, l->n, &r->spans, &ints);

	c[NAME] = tl_name_cell(t, e->name);
	c[DIRECT_TIME] = tl_cell_time(ticks, ints);
	c[PHASE] = r->phases[label.phase];
	c[IS_PREFILL] = tl_cell_bool(label.phase == TL_PHASE_PREFILL);
	c[IS_DECODE] = tl_cell_bool(label.phase == TL_PHASE_DECODE);
	c[CONFIDENCE] = tl_cell_real(label.confidence);
	c[UID] = tl_cell_int(e->uid);
	c[TS] = tl_cell_time(e->ts, false);
	c[START] = tl_start_cell(t, e->ts);
	c[M] = l->m < 0 ? tl_cell_null() : tl_cell_int(l->m);
	c[NUM_KERNELS] = tl_cell_int(l->n);
	c[PREFILL_VOTES] = tl_cell_int(l->votes.prefill);
	c[DECODE_VOTES] = tl_cell_int(l->votes.decode);
	for (size_t i = 0; i < TL_PHASE_SIGNALS; i++)
		if (l->votes.signals[i] != TL_PHASE_MIXED)
			c[FIRST_SIGNAL + i] = r->phases[l->votes.signals[i]];
	tl_table_add_row(r->sheets->rows, c);
}

struct tl_phase_sheets *tl_phase_sheets_new(struct tl_phases *phases, struct tl_name_rules *kernel_categories,
                                            struct tl_kernels *kernels, const char *about)
{
	struct tl_phase_sheets *s = tl_calloc(1, sizeof *s);
	struct tl_trace *t = phases->trace;
	struct row_maker r = { .sheets = s };

	s->phases = phases;
	s->kernel_categories = kernel_categories;
	s->kernels = kernels;
	s->about = about;
	s->rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns);
	tl_table_reserve(s->rows, s->phases->launchers.n);
	for (unsigned i = 0; i < TL_PHASES; i++)
		r.phases[i] = tl_cell_str(&t->strings, tl_phase_name(i));
	for (size_t i = 0; i < s->phases->launchers.n; i++)
		add_row(&r, i);
	tl_spans_release(&r.spans);
	return s;
}

bool tl_phase_sheets_no_votes(const struct tl_phase_sheets *s)
{
	return s->no_votes;
}

void tl_phase_sheets_free(struct tl_phase_sheets *s)
{
	if (!s)
		return;
	tl_table_free(s->rows);
	free(s);
}

/* ---- cells of groups ------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The distinct categories of the first launch of the group, ascending: so TraceLens does it. */
static void categories(void *ctx, const size_t *rows, size_t n, struct tl_cell *cells)
{
	struct tl_phase_sheets *s = ctx;
	struct tl_trace *t = s->phases->trace;
	const struct tl_phase_launch *l = &s->phases->launches[rows[0]];
	const char **found = tl_alloc((l->n + 1) * sizeof *found);
	struct tl_buf text = { 0 };

	(void)n;
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t name = t->events[l->events[i]].name;
		found[i] = tl_name_rules_find(s->kernel_categories, tl_str(&t->strings, name), tl_str_len(&t->strings, name));
	}
	qsort(found, l->n, sizeof *found, by_text);
	for (uint32_t i = 0; i < l->n; i++)
		if (!i || strcmp(found[i], found[i - 1]) != 0)
			tl_buf_addf(&text, "%s%s", text.len ? ", " : "", found[i]);
	cells[0] = tl_cell_text(tl_intern(&t->strings, tl_buf_text(&text), text.len));
	tl_buf_release(&text);
	free(found);
}

/* ---- steps: those of a serving engine, and what they did on the device --------------------- */

enum { STEP_NUMBER, STEP_NAME, STEP_PHASE, STEP_CONFIDENCE, STEP_EVIDENCE, STEP_START, STEP_DURATION, STEP_PREFILL_REQUESTS, STEP_DECODE_REQUESTS, STEP_PREFILL_TOKENS,
	STEP_DECODE_TOKENS, STEP_PREFILL_SHARE, STEP_LAUNCHES, STEP_KERNELS, STEP_DEVICE_START, STEP_DEVICE_SPAN, STEP_BUSY, STEP_IDLE, STEP_TOP_CATEGORY, STEP_TOP_SHARE, STEP_TS,
	N_STEP_COLUMNS };
static const char *const step_row_columns[] = {
	"step", "name", "phase", "confidence", "evidence", "start_us", "duration_us", "prefill_requests", "decode_requests",
	"prefill_tokens", "decode_tokens", "prefill_share (%)", "launch_count", "kernel_count", "device_start_us",
	"device_span_us", "gpu_busy_us", "gpu_idle_us", "top_category", "top_category (%)", "ts", NULL
};

static const struct tl_column step_columns[] = {
	{ "all else", .kind = TL_REST },
	{ "ts", .kind = TL_TICKS },
	{ .name = NULL }
};
static const struct tl_sheet_def steps_def = {
	.name = "steps", .rows = step_row_columns, .columns = step_columns, .ungrouped = true,
};

/* ---- device events by step ---------------------------------------------------------------- */

struct work { struct tl_split_events of; uint32_t *launches; }; /* by step; launches: how many */

static uint32_t step_of(const struct tl_phases *p, uint32_t gpu)
{
	const struct tl_ev *e = &p->trace->events[gpu];

	return tl_gpu_usable(e) ? tl_phase_step_at(&p->steps, p->trace, e->parent) : TL_NONE;
}

static void count_launches(struct work *w, const struct tl_phases *p)
{
	const struct tl_trace *t = p->trace;
	struct tl_map seen = { 0 };

	for (size_t i = 0; i < p->steps.n; i++)
		for (size_t k = w->of.start[i]; k < w->of.start[i + 1]; k++) {
			bool is_new;
			tl_map_put(&seen, t->events[w->of.items[k]].parent, &is_new);
			w->launches[i] += is_new;
		}
	tl_map_release(&seen);
}

static struct work split_work(const struct tl_phases *p)
{
	uint32_t n_events = p->trace->n_events, *of = tl_alloc(((size_t)n_events + 1) * sizeof *of);

	for (uint32_t i = 0; i < n_events; i++)
		of[i] = step_of(p, i);
	struct work w = { tl_split_events(of, p->steps.n, NULL, n_events), tl_calloc(p->steps.n + 1, sizeof *w.launches) };
	free(of);
	count_launches(&w, p);
	return w;
}

static void release_work(struct work *w)
{
	tl_split_events_release(&w->of);
	free(w->launches);
}

/* ---- rows ----------------------------------------------------------------------------------- */

struct step_maker {
	struct tl_phases *phases;
	struct tl_name_rules *categories;
	struct work work;
	struct tl_spans spans;
};

/* The category with the longest device time; of equal ones the first. */
static void top_category(struct step_maker *r, const uint32_t *gpus, size_t n, struct tl_cell *c)
{
	struct tl_trace *t = r->phases->trace;
	struct { uint32_t category; int64_t ticks; } *found = NULL, *top = NULL;
	struct tl_map number = { 0 };
	size_t n_found = 0, cap = 0;
	int64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[gpus[i]];
		const char *name = tl_str(&t->strings, e->name);
		uint32_t id = tl_intern_str(&t->strings,
		                            tl_name_rules_find(r->categories, name, tl_str_len(&t->strings, e->name)));
		bool is_new;
		uint32_t *at = tl_map_put(&number, id, &is_new);

		if (is_new) {
			*at = (uint32_t)n_found;
			TL_GROW(found, cap, n_found + 1);
			found[n_found].category = id;
			found[n_found++].ticks = 0;
		}
		found[*at].ticks = tl_ticks_add(found[*at].ticks, e->dur);
		all = tl_ticks_add(all, e->dur);
	}
	for (size_t i = 0; i < n_found; i++)
		if (!top || found[i].ticks > top->ticks)
			top = &found[i];
	if (top && all > 0) {
		c[STEP_TOP_CATEGORY] = tl_cell_text(top->category);
		c[STEP_TOP_SHARE] = tl_cell_real(tl_trace_us(t, top->ticks) / tl_trace_us(t, all) * 100);
	}
	tl_map_release(&number);
	free(found);
}

static void device_cells(struct step_maker *r, size_t step, struct tl_cell *c)
{
	struct tl_trace *t = r->phases->trace;
	const uint32_t *gpus = r->work.of.items + r->work.of.start[step];
	size_t n = r->work.of.start[step + 1] - r->work.of.start[step];
	int64_t first = INT64_MAX, last = INT64_MIN;
	bool ints;

	c[STEP_LAUNCHES] = tl_cell_int(r->work.launches[step]);
	c[STEP_KERNELS] = tl_cell_int((int64_t)n);
	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[gpus[i]];
		first = e->ts < first ? e->ts : first;
		last = tl_ev_end(e) > last ? tl_ev_end(e) : last;
	}
	int64_t busy = tl_busy_ticks(t, gpus, (uint32_t)n, &r->spans, &ints), span = tl_ticks_sub(last, first);
	c[STEP_DEVICE_START] = tl_start_cell(t, first);
	c[STEP_DEVICE_SPAN] = tl_cell_time(span, false);
	c[STEP_BUSY] = tl_cell_time(busy, false);
	c[STEP_IDLE] = tl_cell_time(tl_ticks_sub(span, busy), false);
	top_category(r, gpus, n, c);
}

static struct tl_cell known(int64_t count)
{
	return count < 0 ? tl_cell_null() : tl_cell_int(count);
}

static struct tl_cell name_cell(struct tl_phases *p, const struct tl_phase_step *s)
{
	struct tl_trace *t = p->trace;
	uint32_t name = s->event == TL_NONE ? 0 : t->events[s->event].name;
	struct tl_buf b = { 0 };

	if (s->event == TL_NONE)
		return text(t, "(whole trace)");
	if (p->steps.source != TL_STEPS_SAMPLED)
		return tl_name_cell(t, name);
	tl_buf_addf(&b, "(up to %s)", tl_str(&t->strings, name));
	struct tl_cell c = text(t, b.data);
	tl_buf_release(&b);
	return c;
}

static void step_cells(struct step_maker *r, size_t number, struct tl_cell *c)
{
	struct tl_trace *t = r->phases->trace;
	const struct tl_phase_step *s = &r->phases->steps.items[number];

	c[STEP_NUMBER] = tl_cell_int((int64_t)number);
	c[STEP_NAME] = name_cell(r->phases, s);
	c[STEP_PHASE] = text(t, tl_phase_name(s->phase));
	c[STEP_CONFIDENCE] = tl_cell_real(s->confidence);
	c[STEP_EVIDENCE] = text(t, tl_step_evidence_name(s->evidence));
	c[STEP_START] = tl_start_cell(t, s->start);
	c[STEP_DURATION] = tl_cell_time(tl_ticks_sub(s->end, s->start), false);
	c[STEP_PREFILL_REQUESTS] = known(s->prefill_requests);
	c[STEP_DECODE_REQUESTS] = known(s->decode_requests);
	c[STEP_PREFILL_TOKENS] = known(s->prefill_tokens);
	c[STEP_DECODE_TOKENS] = known(s->decode_tokens);
	int64_t tokens = s->prefill_tokens + s->decode_tokens;
	if (s->prefill_tokens >= 0 && s->decode_tokens >= 0 && tokens > 0)
		c[STEP_PREFILL_SHARE] = tl_cell_real((double)s->prefill_tokens / (double)tokens * 100);
	c[STEP_TS] = tl_cell_time(s->start, false);
}

static void step_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_phase_sheets *s = ctx;
	struct tl_phases *p = s->phases;
	struct step_maker r = { .phases = p, .categories = s->kernel_categories, .work = split_work(p) };
	struct tl_table *rows = in->own_rows = tl_table_new(&p->trace->strings, p->trace->ticks_per_us, step_row_columns);

	for (size_t i = 0; i < p->steps.n; i++) {
		struct tl_cell c[N_STEP_COLUMNS] = { 0 };

		step_cells(&r, i, c);
		device_cells(&r, i, c);
		tl_table_add_row(rows, c);
	}
	tl_spans_release(&r.spans);
	release_work(&r.work);
}

/* ---- sheets ------------------------------------------------------------------------------ */

static void launch_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_phase_sheets *s = ctx;

	in->rows = s->rows;
}

static void kernel_rows(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_phase_sheets *s = ctx;

	if (s->kernels)
		tl_kernels_of_phase(s->kernels, in);
}

static void vote_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_phase_sheets *s = ctx;

	in->own_rows = phase_votes_table(s->phases, s->about);
	s->no_votes = !in->own_rows->n_rows;
}

#define OPTION "inference_phase_analysis"

static const struct tl_sheet sheets[] = {
	{ "ops_summary_prefill", "device time by operator, of launches that prefill", OPTION,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY, TL_NEEDS_ANNOTATIONS, &ops_of_phase, launch_rows, "is prefill" },
	{ "ops_summary_decode", "device time by operator, of launches that decode", OPTION,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY, TL_NEEDS_ANNOTATIONS, &ops_of_phase, launch_rows, "is decode" },
	{ "kernel_summary_prefill", "device time by kernel, of kernels that prefill", OPTION,
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS, &tl_kernels_of_phase_sheet, kernel_rows, "is prefill" },
	{ "kernel_summary_decode", "device time by kernel, of kernels that decode", OPTION,
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS, &tl_kernels_of_phase_sheet, kernel_rows, "is decode" },
	{ "phase_summary", "device time by phase", OPTION,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_USUAL | TL_SHEET_LINKED_ONLY, TL_NEEDS_ANNOTATIONS, &summary, launch_rows, NULL },
	{ "steps", "every step of the engine: phase, requests, tokens, device time", OPTION,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_LINKED_ONLY, TL_NEEDS_ANNOTATIONS, &steps_def, step_rows, NULL },
	{ "launcher_phases", "every launch with its phase, and what voted", NULL,
	  TL_SHEET_EXTRA | TL_SHEET_LINKED_ONLY, TL_NEEDS_ANNOTATIONS, &launchers, launch_rows, NULL },
	{ "phase_votes", "what each method and signal says about launches", NULL,
	  TL_SHEET_EXTRA | TL_SHEET_LINKED_ONLY, TL_NEEDS_ANNOTATIONS, NULL, vote_rows, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_phases_sheets = { "tl-phase", sheets };
