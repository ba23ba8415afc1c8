/* step_pairs.c - tl-split --match: alike steps of two traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/step_pairs.h"
#include "json/json_writer.h"
#include "model/trace.h"
#include "steps/step_match.h"
#include "table/tsv.h"

#include <stdlib.h>
#include <string.h>

/* ---- match report ---------------------------------------------------------------- */

/* One of the two traces, for the report. */
struct tl_match_trace {
	struct tl_match_side side;
	const struct tl_trace *trace;
	const char *base; /* see tl_split_base */
};

/* A match, and the file of each side. */
struct tl_match_files { struct tl_match match; const char *paths[2]; };

/* A number rounded to some decimals, as the nearest double. */
static double rounded(double x, int decimals)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%.*f", decimals, x);
	x = tl_parse_double(b.data, NULL);
	tl_buf_release(&b);
	return x;
}

/* ---- means over the steps of a block ------------------------------------------------ */

static int64_t c_requests(const struct tl_step_text *s) { return s->context.requests; }
static int64_t g_requests(const struct tl_step_text *s) { return s->generation.requests; }
static int64_t c_sq(const struct tl_step_text *s) { return s->context.sq; }
static int64_t c_sk(const struct tl_step_text *s) { return s->context.sk; }
static int64_t g_sq(const struct tl_step_text *s) { return s->generation.sq; }
static int64_t g_sk(const struct tl_step_text *s) { return s->generation.sk; }

static const struct {
	const char *json, *csv, *step; /* the names: of the means, and of the number of a step */
	int64_t (*of)(const struct tl_step_text *);
} numbers[] = {
	{ "avg_context_requests", "avg_c_req", "num_context", c_requests },
	{ "avg_generation_requests", "avg_g_req", "num_generation", g_requests },
	{ "avg_c_sq", "avg_c_sq", "c_sq", c_sq }, { "avg_c_sk", "avg_c_sk", "c_sk", c_sk },
	{ "avg_g_sq", "avg_g_sq", "g_sq", g_sq }, { "avg_g_sk", "avg_g_sk", "g_sk", g_sk },
};
#define N_NUMBERS (sizeof numbers / sizeof *numbers)

static double mean(const struct tl_step *steps, struct tl_window w, size_t number)
{
	double sum = 0;

	for (size_t i = w.from; i < w.to; i++)
		sum += (double)numbers[number].of(&steps[i].text);
	return rounded(sum / (double)(w.to - w.from), 3);
}

static const struct tl_step_block *block_of(const struct tl_match_trace *t, const struct tl_match *m, int side)
{
	return &t->side.blocks->items[m->block[side]];
}

static size_t length_of(const struct tl_step_block *b)
{
	return b->window.to - b->window.from;
}

/* ---- JSON ------------------------------------------------------------------------- */

static void add_step(struct tl_json *w, const struct tl_match_trace *t, size_t number)
{
	const struct tl_step *s = &t->side.steps[number];

	tl_json_open(w, NULL, '{');
	tl_json_put_int(w, "step", (int64_t)number);
	tl_json_put_string(w, "name", tl_str(&t->trace->strings, t->trace->events[s->event].name));
	for (size_t i = 0; i < N_NUMBERS; i++)
		tl_json_put_int(w, numbers[i].step, numbers[i].of(&s->text));
	tl_json_close(w, '}');
}

static void add_side(struct tl_json *w, const struct tl_match_trace *t, const struct tl_match_files *m, int side)
{
	const struct tl_step_block *block = block_of(t, &m->match, side);

	tl_json_open(w, side ? "TraceB" : "TraceA", '{');
	tl_json_put_int(w, "block_index", (int64_t)m->match.block[side]);
	tl_json_put_string(w, "trace", t->base);
	tl_json_put_string(w, "output_path", m->paths[side]);
	for (size_t i = 0; i < N_NUMBERS; i++)
		tl_json_put_real(w, numbers[i].json, mean(t->side.steps, block->window, i));
	tl_json_put_int(w, "start", (int64_t)block->window.from);
	tl_json_put_int(w, "end", (int64_t)block->window.to);
	tl_json_put_int(w, "num_steps", (int64_t)length_of(block));
	tl_json_put_int(w, "original_num_steps", (int64_t)block->original);
	tl_json_put(w, "truncated", block->original != length_of(block) ? "true" : "false");
	tl_json_open(w, "steps", '[');
	for (size_t i = block->window.from; i < block->window.to; i++)
		add_step(w, t, i);
	tl_json_close(w, ']');
	tl_json_close(w, '}');
}

static void add_match(struct tl_json *w, const struct tl_match_trace traces[2], const struct tl_match_files *m, size_t id)
{
	tl_json_open(w, NULL, '{');
	tl_json_put_int(w, "match_id", (int64_t)id);
	tl_json_put_string(w, "phase", tl_step_phase_name(m->match.phase));
	tl_json_put_int(w, "num_steps", (int64_t)length_of(block_of(&traces[0], &m->match, 0)));
	tl_json_open(w, "distance", '[');
	w->in_line = true;
	for (size_t i = 0; i < m->match.n_distance; i++)
		tl_json_put_real(w, NULL, rounded(m->match.distance[i], 6));
	tl_json_close(w, ']');
	w->in_line = false;
	add_side(w, &traces[0], m, 0);
	add_side(w, &traces[1], m, 1);
	tl_json_close(w, '}');
}

/* The matches as JSON, with their steps, and as a sheet. */
static void match_add_json(struct tl_buf *b, const struct tl_match_trace traces[2], const struct tl_match_files *m, size_t n)
{
	struct tl_json w = { .to = b };

	tl_json_open(&w, NULL, '[');
	for (size_t i = 0; i < n; i++)
		add_match(&w, traces, &m[i], i);
	tl_json_close(&w, ']');
	tl_buf_addc(b, '\n');
}

/* The phases for which no pair was found, as JSON. */
static void match_add_notes(struct tl_buf *b, const struct tl_match *without, size_t n)
{
	struct tl_buf reason = { 0 };
	struct tl_json w = { .to = b };

	tl_json_open(&w, NULL, '[');
	for (size_t i = 0; i < n; i++) {
		tl_buf_clear(&reason);
		tl_buf_addf(&reason, "no eligible (A, B) pair found (A blocks of phase: %zu, with same-size B candidate: %zu)",
		            without[i].n_usable, without[i].n_paired);
		tl_json_open(&w, NULL, '{');
		tl_json_put_string(&w, "phase", tl_step_phase_name(without[i].phase));
		tl_json_put_string(&w, "reason", reason.data);
		tl_json_close(&w, '}');
	}
	tl_json_close(&w, ']');
	tl_buf_addc(b, '\n');
	tl_buf_release(&reason);
}

/* ---- sheet -------------------------------------------------------------------------- */

static void add_header(struct tl_buf *b)
{
	tl_buf_adds(b, "match_id\tphase\tnum_steps\tdistance");
	for (char side = 'A'; side <= 'B'; side++) {
		static const char *const columns[] = { "trace", "block_index", "start", "end", "original_num_steps", "truncated" };
		for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
			tl_buf_addf(b, "\tTrace%c_%s", side, columns[i]);
		for (size_t i = 0; i < N_NUMBERS; i++)
			tl_buf_addf(b, "\tTrace%c_%s", side, numbers[i].csv);
		tl_buf_addf(b, "\tTrace%c_output_path", side);
	}
	tl_buf_addc(b, '\n');
}

static void add_columns(struct tl_buf *b, const struct tl_match_trace *t, const struct tl_match_files *m, int side)
{
	const struct tl_step_block *block = block_of(t, &m->match, side);

	tl_buf_addc(b, '\t');
	tl_tsv_add_text(b, t->base, strlen(t->base));
	tl_buf_addf(b, "\t%zu\t%zu\t%zu\t%zu\t%s", m->match.block[side], block->window.from, block->window.to, block->original,
	            block->original != length_of(block) ? "True" : "False");
	for (size_t i = 0; i < N_NUMBERS; i++) {
		tl_buf_addc(b, '\t');
		tl_json_double(b, mean(t->side.steps, block->window, i));
	}
	tl_buf_addc(b, '\t');
	tl_tsv_add_text(b, m->paths[side], strlen(m->paths[side]));
}

static void match_add_sheet(struct tl_buf *b, const struct tl_match_trace traces[2], const struct tl_match_files *m, size_t n)
{
	add_header(b);
	for (size_t i = 0; i < n; i++) {
		tl_buf_addf(b, "%zu\t%s\t%zu\t", i, tl_step_phase_name(m[i].match.phase),
		            length_of(block_of(&traces[0], &m[i].match, 0)));
		for (size_t k = 0; k < m[i].match.n_distance; k++) {
			tl_buf_adds(b, k ? "|" : "");
			tl_json_double(b, rounded(m[i].match.distance[k], 6));
		}
		add_columns(b, &traces[0], &m[i], 0);
		add_columns(b, &traces[1], &m[i], 1);
		tl_buf_addc(b, '\n');
	}
}

/* ---- step pairs ------------------------------------------------------------------ */

struct pairs {
	const struct tl_pair_options *o;
	struct tl_step_trace traces[2];
	struct tl_step_blocks blocks[2];
	struct tl_match_trace sides[2];
	struct tl_match_files *found; size_t n_found;
	struct tl_match *lacking; size_t n_lacking;
};

static void load(struct pairs *p, const char *const paths[2])
{
	for (int i = 0; i < 2; i++) {
		struct tl_step_trace *t = &p->traces[i];
		tl_step_trace_load(t, paths[i], p->o->lenient, p->o->all_threads);
		if (t->steps.source != TL_STEPS_ENGINE)
			tl_warn("%s: no annotation of vLLM, SGLang or ATOM: nothing of the trace matches", t->name);
		tl_step_blocks_find(&p->blocks[i], t->steps.items, t->steps.n, p->o->num_steps);
		p->sides[i] = (struct tl_match_trace){ { t->steps.items, &p->blocks[i] }, t->trace, t->base };
	}
}

static void match(struct pairs *p)
{
	const struct tl_match_side sides[2] = { p->sides[0].side, p->sides[1].side };

	p->found = tl_calloc(p->o->n_phases + 1, sizeof *p->found);
	p->lacking = tl_calloc(p->o->n_phases + 1, sizeof *p->lacking);
	for (size_t i = 0; i < p->o->n_phases; i++) {
		struct tl_match m;
		if (tl_step_match(sides, tl_step_phase_by_name(p->o->phases[i]), &m)) {
			p->found[p->n_found++].match = m;
			continue;
		}
		p->lacking[p->n_lacking++] = m;
		tl_note("no %s steps match: %zu blocks of the first trace tell their sums, %zu of these have one as long in the "
		        "second", p->o->phases[i], m.n_usable, m.n_paired);
	}
}

/* Chooses the events of one side of a match, writes them unless only the report is wanted, and
 * returns the path. */
static char *write_side(struct pairs *p, const struct tl_match *m, int side)
{
	struct tl_step_trace *t = &p->traces[side];
	struct tl_window w = p->blocks[side].items[m->block[side]].window;
	const char *phase = tl_step_phase_name(m->phase);
	struct tl_split_part part = { .folder = phase };
	struct tl_buf label = { 0 };

	tl_buf_addf(&label, "%s_best_A%zu_B%zu_%c", phase, m->block[0], m->block[1], 'A' + side);
	part.label = label.data;
	tl_split_part_add(&part, t->steps.items + w.from, w.to - w.from);
	tl_step_part_choose(t, &part, true);
	tl_step_part_name(t, &part, p->o->folder, p->o->stream);
	if (!p->o->no_extract)
		tl_step_part_write(t, &part, p->o->stream, p->o->provenance);
	tl_buf_release(&label);
	free(part.steps);
	return part.path;
}

static void write_reports(const struct pairs *p)
{
	struct tl_buf json = { 0 }, sheet = { 0 }, notes = { 0 };

	match_add_json(&json, p->sides, p->found, p->n_found);
	match_add_sheet(&sheet, p->sides, p->found, p->n_found);
	match_add_notes(&notes, p->lacking, p->n_lacking);
	tl_write_report(p->o->folder, "match_report.json", &json);
	if (p->n_found)
		tl_write_step_sheet(p->o->outputs, "match_report", &sheet, p->o->common);
	tl_buf_release(&sheet);
	tl_write_report(p->o->folder, "match_notes.json", &notes);
}

void tl_write_step_pairs(const struct tl_pair_options *o, const char *const paths[2])
{
	struct pairs p = { .o = o };

	load(&p, paths);
	match(&p);
	tl_make_folder(o->folder);
	for (size_t i = 0; i < p.n_found; i++)
		for (int side = 0; side < 2; side++)
			p.found[i].paths[side] = write_side(&p, &p.found[i].match, side);
	tl_rename_outputs();
	write_reports(&p);
	for (size_t i = 0; i < p.n_found; i++)
		for (int side = 0; side < 2; side++)
			free((char *)(uintptr_t)p.found[i].paths[side]);
	for (int side = 0; side < 2; side++) {
		tl_step_blocks_release(&p.blocks[side]);
		tl_step_trace_release(&p.traces[side]);
	}
	free(p.found);
	free(p.lacking);
}
