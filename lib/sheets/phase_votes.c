/* phase_votes.c - the sheet phase_votes: what each method and signal says about launches.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/phase_votes.h"

#include "analysis/args.h"
#include "analysis/device_events.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns --------------------------------------------------------------------------- */

enum { NAME, COUNT, TIME, ASKED, PHASE, WEIGHT, BECAUSE, N_COLUMNS };
static const char *const row_columns[] = {
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
	uint32_t step = tl_step_at(&p->steps.index, p->trace, p->launchers.items[launcher].event), id;
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

static struct tl_cell text(struct builder *b, const char *s)
{
	return tl_cell_text(*s ? tl_intern_str(&b->p->trace->strings, s) : 0);
}

/* Adds a row of a group; the text for the column because is in b->buf, which is cleared. */
static void add_row(struct builder *b, const struct group *g, const char *asked, enum tl_phase phase,
                    struct tl_cell weight)
{
	struct tl_cell c[N_COLUMNS] = { 0 };

	c[NAME] = tl_name_cell(b->p->trace, g->opinion.name);
	c[COUNT] = tl_cell_int(g->launches);
	c[TIME] = tl_cell_ms(g->ticks);
	c[ASKED] = text(b, asked);
	c[PHASE] = text(b, tl_phase_name(phase));
	c[WEIGHT] = weight;
	c[BECAUSE] = text(b, tl_buf_text(&b->buf));
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
	add_row(b, g, tl_phase_method_name(TL_BY_STEPS), s ? s->phase : TL_PHASE_UNKNOWN,
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
		add_row(b, g, tl_phase_signal_name(i), v->signals[i],
		        votes ? tl_cell_int(tl_phase_signal_votes(i)) : tl_cell_null());
	}
	if (v->phase == TL_PHASE_MIXED && g->opinion.methods[TL_BY_UNION] != TL_PHASE_MIXED)
		tl_buf_addf(&b->buf, "how many launches have the name: %u",
		            tl_phase_name_count(b->p->methods, g->opinion.name));
	else
		tl_buf_addf(&b->buf, "votes for prefill: %u, for decode: %u", v->prefill, v->decode);
	add_row(b, g, tl_phase_method_name(TL_BY_UNION), g->opinion.methods[TL_BY_UNION], tl_cell_real(v->confidence));
}

static void group_rows(struct builder *b, const struct group *g)
{
	step_row(b, g);
	union_rows(b, g);
	for (unsigned i = TL_BY_UNION + 1; i < TL_PHASE_METHODS; i++)
		add_row(b, g, tl_phase_method_name(i), g->opinion.methods[i], tl_cell_null());
}

struct tl_table *tl_phase_votes_table(struct tl_phases *p, const char *about)
{
	struct builder b = { .p = p, .rows = tl_table_new(&p->trace->strings, p->trace->ticks_per_us, row_columns) };
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
