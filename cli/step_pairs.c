/* step_pairs.c - tl-split --match: alike steps of two traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/step_pairs.h"

#include "steps/match_report.h"

#include <stdlib.h>

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

	tl_match_add_json(&json, p->sides, p->found, p->n_found);
	tl_match_add_sheet(&sheet, p->sides, p->found, p->n_found);
	tl_match_add_notes(&notes, p->lacking, p->n_lacking);
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
