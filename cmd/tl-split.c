/* tl-split.c - the steps of a trace as traces of their own: single ones, steady windows, runs
 * of one phase.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "cli/step_files.h"
#include "cli/step_pairs.h"
#include "steps/step_match.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- split plan ------------------------------------------------------------------ */

struct tl_split_choice {
	struct { int64_t from, to; bool given; } range; /* steps from … to - 1 */
	bool single, windows, phases; /* each step, the windows of the steady state, or its runs of one phase; none
	                                 of these: the range as one part */
	int64_t num_steps;            /* most steps of a window */
	/* of the load, see tl-split(1) */
	int64_t concurrency;          /* 0: not given */
	double output_length, output_ratio; /* NAN: not given */
	bool verbose;
};

struct planner {
	struct tl_split_parts *out;
	const struct tl_split_choice *choice;
	const struct tl_steps *steps;
	struct tl_windows stretches; /* of steady state */
};

/* Adds a part of the steps from … to - 1. label: taken over. */
static struct tl_split_part *add_part(struct planner *p, size_t from, size_t to, char *label)
{
	struct tl_split_parts *out = p->out;

	TL_GROW(out->items, out->cap, out->n + 1);
	struct tl_split_part *part = &out->items[out->n++];
	*part = (struct tl_split_part){ .label = label };
	tl_split_part_add(part, p->steps->items + from, to - from);
	return part;
}

static void plan_single_steps(struct planner *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		add_part(p, i, i + 1, NULL)->number = i;
}

static void plan_range(struct planner *p, size_t from, size_t to)
{
	struct tl_buf label = { 0 };

	tl_buf_addf(&label, "iterations_%zu-%zu", from, to - 1);
	add_part(p, from, to, label.data);
}

/* ---- windows -------------------------------------------------------------------------- */

/* The ratio of steps that prefill in the mixed window, and *n, its most steps. */
static double wanted_ratio(const struct planner *p, int64_t *n)
{
	const struct tl_split_choice *c = p->choice;
	int64_t most = tl_most_requests(p->steps->items, p->steps->n);

	*n = c->num_steps;
	if (c->concurrency && c->concurrency != most)
		tl_warn("at most %" PRId64 " requests are served at a time; --CONC expects %" PRId64, most, c->concurrency);
	if (!c->concurrency || isnan(c->output_length) || isnan(c->output_ratio))
		return tl_prefill_ratio(p->steps->items, &p->stretches);
	double ratio = (double)c->concurrency * 2 / (c->output_length * (1 + c->output_ratio)), least = ceil(1 / ratio);
	if ((double)*n < least) {
		tl_note("a window needs %.0f steps to have one that prefills; --num-steps is %" PRId64, least, *n);
		*n = least < INT32_MAX ? (int64_t)least : INT32_MAX;
	}
	return ratio;
}

static void plan_windows(struct planner *p)
{
	static const struct { enum tl_window_kind kind; const char *label, *lacks; } windows[] = {
		{ TL_WINDOW_MIXED, "mixed_steady_state", "steps" },
		{ TL_WINDOW_DECODE, "decode_only_steady_state", "steps that only decode" },
		{ TL_WINDOW_PREFILL_DECODE, "prefilldecode_steady_state", "steps that prefill" },
	};
	int64_t mixed_steps;
	double ratio = wanted_ratio(p, &mixed_steps);

	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		int64_t n = windows[i].kind == TL_WINDOW_MIXED ? mixed_steps : p->choice->num_steps;
		struct tl_window w;
		if (tl_steady_window(p->steps->items, &p->stretches, windows[i].kind, n, ratio, &w))
			add_part(p, w.from, w.to, tl_strdup(windows[i].label));
		else
			tl_note("no %s part: the steady state has no %s", windows[i].label, windows[i].lacks);
	}
}

/* ---- runs of a phase --------------------------------------------------------------------- */

/* number: of the run among those of its phase */
static void name_run(struct tl_split_part *run, size_t number)
{
	struct tl_window_sums s = tl_window_sums(run->steps, run->n_steps);
	struct tl_buf label = { 0 };

	run->folder = tl_step_prefills(run->steps) ? "prefilldecodemix" : "decode_only";
	tl_buf_addf(&label, "%s_chunk%zu_steps%zu_bs%" PRId64 "_conc%" PRId64, run->folder, number, run->n_steps,
	            s.batch_size, s.requests);
	run->label = label.data;
}

/* Runs of steps that all prefill, or all only decode. Idle steps are left out; neither they nor
 * what lies between two stretches ends a run. */
static void plan_phases(struct planner *p)
{
	struct tl_split_part *run = NULL;
	size_t first = p->out->n, number[2] = { 0, 0 };

	for (size_t w = 0; w < p->stretches.n; w++)
		for (size_t i = p->stretches.items[w].from; i < p->stretches.items[w].to; i++) {
			const struct tl_step *s = &p->steps->items[i];
			if (!tl_step_requests(s))
				continue;
			if (run && tl_step_prefills(s) == tl_step_prefills(run->steps))
				tl_split_part_add(run, s, 1);
			else
				run = add_part(p, i, i + 1, NULL);
		}
	for (run = p->out->items + first; run < p->out->items + p->out->n; run++)
		name_run(run, number[tl_step_prefills(run->steps)]++);
}

/* ---- all -------------------------------------------------------------------------------- */

static void find_stretches(struct planner *p, size_t from, size_t to)
{
	const struct tl_split_choice *c = p->choice;

	if (c->range.given) {
		tl_windows_add(&p->stretches, from, to);
		return;
	}
	tl_steady_stretches(&p->stretches, p->steps->items, p->steps->n, c->num_steps);
	for (size_t i = 0; i < p->stretches.n && c->verbose; i++)
		tl_tell("steady state: steps %zu to %zu", p->stretches.items[i].from, p->stretches.items[i].to - 1);
}

/* Adds the parts, with number, folder, label and steps. Notes tell which windows the trace has not. An error
 * ends the program. */
static void plan_split(struct tl_split_parts *out, const struct tl_step_trace *s, const struct tl_split_choice *c)
{
	struct planner p = { .out = out, .choice = c, .steps = &s->steps };
	size_t n = s->steps.n, from = 0, to = n;

	if (c->range.given) {
		from = (size_t)c->range.from;
		to = (size_t)c->range.to < n ? (size_t)c->range.to : n;
	}
	if (from >= to)
		tl_die("%s: no step %zu: the trace has %zu, from 0 on", s->name, from, n);
	if (c->single)
		plan_single_steps(&p, from, to);
	if (c->phases || c->windows)
		find_stretches(&p, from, to);
	if (c->phases)
		plan_phases(&p);
	else if (c->windows)
		plan_windows(&p);
	else if (!c->single)
		plan_range(&p, from, to);
	tl_windows_release(&p.stretches);
}

/* ---- tl-split -------------------------------------------------------------------- */

static struct tl_outputs outputs;
static const char *folder; /* that of -d */
static struct tl_split_choice choice = { .num_steps = 32, .output_length = NAN, .output_ratio = NAN };
static bool all_threads, streams, lenient;
static bool match, no_extract;
static struct tl_opt_list match_phases;
static struct tl_common common;

static bool parse_number(const char **s, int64_t *n)
{
	const char *start = *s;

	for (*n = 0; tl_is_digit(**s) && *n <= INT32_MAX; ++*s)
		*n = *n * 10 + (**s - '0');
	return *s > start && *n <= INT32_MAX;
}

static const char *set_range(void *dest, const char *arg)
{
	const char *s = arg;

	(void)dest;
	choice.range.given = strcmp(arg, "all") != 0;
	if (!choice.range.given)
		return NULL;
	bool good = parse_number(&s, &choice.range.from);
	choice.range.to = choice.range.from + 1;
	if (good && *s == ':')
		good = parse_number((s++, &s), &choice.range.to);
	return good && !*s && choice.range.to > choice.range.from ? NULL : "expected all, a step's number N, or A:B for A up to B - 1";
}

static const char *set_real(void *dest, const char *arg)
{
	char *end;

	*(double *)dest = tl_parse_double(arg, &end);
	return end > arg && !*end && isfinite(*(double *)dest) ? NULL : "expected a number";
}

static const struct tl_opt options[] = {
	{ 'd', "dir", "DIR", "write the parts, and a sheet about them, to this folder; without it, the only part to standard output as a stream", TL_OPT_TEXT, &outputs.to[TL_AS_TSV], 0, 0, NULL },
	{ 'o', "output-dir", "DIR", NULL, TL_OPT_TEXT, &outputs.to[TL_AS_TSV], 0, 0, NULL }, /* TraceLens's name */
	{ 0, "output_csvs_dir", "DIR", "write the sheet as CSV to DIR instead", TL_OPT_TEXT, &outputs.to[TL_AS_CSV], 0, 0, NULL },
	{ 0, "output_xlsx_path", "FILE", "write the sheet as a workbook, too", TL_OPT_TEXT, &outputs.to[TL_AS_BOOK], 0, 0, NULL },
	{ 0, "html", "FILE", "write the sheet as a page (HTML), too", TL_OPT_TEXT, &outputs.to[TL_AS_PAGE], 0, 0, NULL },
	{ 'i', "iterations", "RANGE", "only these steps: all, N, or A:B for A up to B - 1 (all)", TL_OPT_CALL, NULL, 0, 0, set_range },
	{ 0, "store-single-iteration", NULL, "each step as a trace", TL_OPT_FLAG, &choice.single, 0, 0, NULL },
	{ 0, "find-steady-state", NULL, "three windows of steady state: mixed, decode only, prefill-decode", TL_OPT_FLAG, &choice.windows, 0, 0, NULL },
	{ 0, "divide-phases", NULL, "the runs of steady steps that prefill, and of those that only decode", TL_OPT_FLAG, &choice.phases, 0, 0, NULL },
	{ 0, "num-steps", "N", "most steps of a window (32) or, with --match, of a part (16; 0: any)", TL_OPT_INT, &choice.num_steps, INT32_MIN, INT32_MAX, NULL },
	{ 0, "CONC", "N", "requests that were served at a time", TL_OPT_INT, &choice.concurrency, 1, INT32_MAX, NULL },
	{ 0, "OSL", "N", "most tokens that a request generates", TL_OPT_CALL, &choice.output_length, 0, 0, set_real },
	{ 0, "R", "RATIO", "the fewest tokens that a request generates, as a part of --OSL: 0 to 1", TL_OPT_CALL, &choice.output_ratio, 0, 0, set_real },
	{ 0, "match", NULL, "the parts of two traces, FILE and FILE2, that are most alike", TL_OPT_FLAG, &match, 0, 0, NULL },
	{ 0, "phases", "PHASE[,PHASE]...", "with --match, of these phases: decode_only, prefilldecode, prefill_only (the first two)", TL_OPT_CALL, &match_phases, 0, 0, tl_add_names },
	{ 0, "no-extract", NULL, "with --match, only tell which they are", TL_OPT_FLAG, &no_extract, 0, 0, NULL },
	{ 0, "all-threads", NULL, "also what other threads of the process do during a step", TL_OPT_FLAG, &all_threads, 0, 0, NULL },
	{ 0, "stream", NULL, "write event streams (.tls) instead of JSON (.json.gz)", TL_OPT_FLAG, &streams, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events and at a truncated end", TL_OPT_FLAG, &lenient, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-split",
	.synopsis = "[OPTION]... [FILE] | --match -d DIR [OPTION]... FILE FILE2",
	.purpose = "the steps of a trace as traces of their own",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

/* ---- the parts --------------------------------------------------------------------- */

static void write_part(struct tl_step_trace *s, struct tl_split_part *p, const char *line)
{
	tl_step_part_choose(s, p, p->label != NULL);
	if (folder) {
		tl_step_part_name(s, p, folder, streams);
		if (common.verbose)
			tl_tell("%s: %zu steps, %zu events, %zu of devices", p->path, p->n_steps, p->n_events, p->n_device);
	}
	tl_step_part_write(s, p, streams || !folder, line);
}

static void write_details(const struct tl_split_parts *parts)
{
	struct tl_buf json = { 0 }, sheet = { 0 };

	tl_split_add_json(&json, parts);
	tl_split_add_sheet(&sheet, parts);
	tl_write_report(folder, "execution_details.json", &json);
	tl_write_step_sheet(&outputs, "execution_details", &sheet, &common);
}

static void split(const char *path, const char *line)
{
	struct tl_split_parts parts = { 0 };
	struct tl_step_trace s;

	tl_step_trace_load(&s, path, lenient, all_threads);
	if (!s.steps.n)
		tl_die("%s: the trace has no steps: no annotation of vLLM, SGLang, ATOM or a diffusion engine, no ProfilerStep, "
		       "and no calls that repeat", s.name);
	choice.verbose = common.verbose;
	plan_split(&parts, &s, &choice);
	if (!folder && parts.n != 1)
		tl_die("%s: %zu parts: say with -d in which folder", s.name, parts.n);
	if (folder)
		tl_make_folder(folder);
	for (size_t i = 0; i < parts.n; i++)
		write_part(&s, &parts.items[i], line);
	tl_rename_outputs();
	if (folder && parts.n)
		write_details(&parts);
	tl_split_parts_release(&parts);
	tl_step_trace_release(&s);
}

/* ---- pairs of two traces ------------------------------------------------------------ */

static void find_pairs(char **operands, int n, const char *line)
{
	static const char *const usual[] = { "decode_only", "prefilldecode" };
	struct tl_pair_options o = {
		.folder = folder, .outputs = &outputs, .common = &common, .phases = usual, .n_phases = 2, .num_steps = tl_option_given("num-steps") > 0 ? choice.num_steps : 16,
		.no_extract = no_extract, .all_threads = all_threads, .stream = streams, .lenient = lenient, .provenance = line,
	};

	if (n != 2)
		tl_usage("--match: two files expected, %d given", n);
	if (!folder)
		tl_usage("--match: say with -d in which folder");
	if (choice.single || choice.windows || choice.phases || choice.range.given)
		tl_usage("--match takes no other option that asks for parts");
	for (size_t i = 0; i < match_phases.n; i++)
		if (tl_step_phase_by_name(match_phases.items[i]) == TL_PHASE_UNKNOWN)
			tl_usage("--phases: '%s' is none of decode_only, prefilldecode, prefill_only", match_phases.items[i]);
	if (match_phases.n) {
		o.phases = match_phases.items;
		o.n_phases = match_phases.n;
	}
	const char *const paths[2] = { operands[0], operands[1] };
	tl_write_step_pairs(&o, paths);
}

static void check_load(void)
{
	int given = (choice.concurrency != 0) + !isnan(choice.output_length) + !isnan(choice.output_ratio);

	if (choice.output_length <= 0)
		tl_usage("--OSL: expected a number above 0");
	if (choice.output_ratio < 0 || choice.output_ratio > 1) {
		tl_warn("--R is not from 0 to 1: the nearer end is taken");
		choice.output_ratio = choice.output_ratio < 0 ? 0 : 1;
	}
	if (given && (match || !choice.windows || choice.phases))
		tl_warn("--CONC, --OSL and --R are of no use here: they are about the windows of --find-steady-state");
	else if (given < 3 && given > (choice.concurrency != 0))
		tl_warn("--OSL and --R are of no use without each other and --CONC");
}

static void check_options(int n)
{
	if (no_extract || match_phases.n)
		tl_usage("--phases and --no-extract need --match");
	if (choice.num_steps < 1)
		tl_usage("--num-steps: a window has one step at least");
	if (n > 1)
		tl_usage("one file expected, %d given", n);
	if (!choice.single && !choice.windows && !choice.phases && !choice.range.given)
		tl_usage("nothing to do: say which parts (--store-single-iteration, --find-steady-state, --divide-phases, "
		         "--match, or -i A:B)");
}

int main(int argc, char **argv)
{
	int n;
	char *line = tl_provenance_line(&program, argc, argv);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	const char *provenance = common.no_provenance ? NULL : line;

	folder = outputs.to[TL_AS_TSV];
	if (!folder && tl_outputs_any(&outputs))
		tl_usage("a sheet is made with -d only");
	tl_outputs_check(&outputs);
	check_load();
	if (match) {
		find_pairs(operands, n, provenance);
	} else {
		check_options(n);
		split(n ? operands[0] : NULL, provenance);
	}
	free(line);
	return 0;
}
