/* tl-split.c - the steps of a trace as traces of their own: single ones, steady windows, runs
 * of one phase.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/step_pairs.h"

#include "base/text.h"
#include "steps/step_match.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;
static struct { int64_t from, to; bool given; } range; /* steps from … to - 1 */
static bool single, steady, phases, all_threads, streams, lenient;
static bool match, no_extract;
static struct tl_opt_list match_phases;
static int64_t num_steps = 32, concurrency;
static double output_length = NAN, output_ratio = NAN;
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
	range.given = strcmp(arg, "all") != 0;
	if (!range.given)
		return NULL;
	bool good = parse_number(&s, &range.from);
	range.to = range.from + 1;
	if (good && *s == ':')
		good = parse_number((s++, &s), &range.to);
	return good && !*s && range.to > range.from ? NULL : "expected all, a step's number N, or A:B for A up to B - 1";
}

static const char *set_real(void *dest, const char *arg)
{
	char *end;

	*(double *)dest = tl_parse_double(arg, &end);
	return end > arg && !*end && isfinite(*(double *)dest) ? NULL : "expected a number";
}

static const struct tl_opt options[] = {
	{ 'o', "output-dir", "DIR", "write the parts to this folder; without it, the only part to standard output as a stream", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ 'i', "iterations", "RANGE", "only these steps: all, N, or A:B for A up to B - 1 (all)", TL_OPT_CALL, NULL, 0, 0, set_range },
	{ 0, "store-single-iteration", NULL, "each step as a trace", TL_OPT_FLAG, &single, 0, 0, NULL },
	{ 0, "find-steady-state", NULL, "three windows of steady state: mixed, decode only, prefill-decode", TL_OPT_FLAG, &steady, 0, 0, NULL },
	{ 0, "divide-phases", NULL, "the runs of steady steps that prefill, and of those that only decode", TL_OPT_FLAG, &phases, 0, 0, NULL },
	{ 0, "num-steps", "N", "most steps of a window (32) or, with --match, of a part (16; 0: any)", TL_OPT_INT, &num_steps, INT32_MIN, INT32_MAX, NULL },
	{ 0, "CONC", "N", "requests that were served at a time", TL_OPT_INT, &concurrency, 1, INT32_MAX, NULL },
	{ 0, "OSL", "N", "most tokens that a request generates", TL_OPT_CALL, &output_length, 0, 0, set_real },
	{ 0, "R", "RATIO", "the fewest tokens that a request generates, as a part of --OSL: 0 to 1", TL_OPT_CALL, &output_ratio, 0, 0, set_real },
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
	.synopsis = "[OPTION]... [FILE] | --match -o DIR [OPTION]... FILE FILE2",
	.purpose = "the steps of a trace as traces of their own",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

/* ---- the parts --------------------------------------------------------------------- */

/* A part that is to be written. */
struct plan {
	struct tl_split_part part;
	const char *folder;  /* below the output folder; NULL: none */
	char *label;         /* what the name begins with; NULL: a single step */
};
static struct plan *plans;
static size_t n_plans, cap_plans;

/* label: taken over. */
static struct plan *add_plan(const struct tl_steps *steps, size_t from, size_t to, char *label)
{
	struct tl_split_part part = { .number = label ? 0 : from, .n_steps = to - from };

	part.steps = tl_alloc(part.n_steps * sizeof *part.steps);
	memcpy(part.steps, steps->items + from, part.n_steps * sizeof *part.steps);
	TL_GROW(plans, cap_plans, n_plans + 1);
	plans[n_plans] = (struct plan){ .part = part, .label = label };
	return &plans[n_plans++];
}

static double wanted_ratio(const struct tl_steps *steps, const struct tl_windows *stretches, int64_t *n)
{
	double ratio = tl_prefill_ratio(steps->items, stretches);

	if (concurrency && concurrency != tl_most_requests(steps->items, steps->n))
		tl_warn("at most %" PRId64 " requests are served at a time; --CONC expects %" PRId64,
		        tl_most_requests(steps->items, steps->n), concurrency);
	if (concurrency && !isnan(output_length) && !isnan(output_ratio)) {
		ratio = (double)concurrency * 2 / (output_length * (1 + output_ratio));
		double least = ceil(1 / ratio);
		if ((double)*n < least) {
			tl_note("a window needs %.0f steps to have one that prefills; --num-steps is %" PRId64, least, *n);
			*n = least < INT32_MAX ? (int64_t)least : INT32_MAX;
		}
	}
	return ratio;
}

static void plan_windows(const struct tl_steps *steps, const struct tl_windows *stretches)
{
	static const struct { enum tl_window_kind kind; const char *label, *lacks; } windows[] = {
		{ TL_WINDOW_MIXED, "mixed_steady_state", "steps" },
		{ TL_WINDOW_DECODE, "decode_only_steady_state", "steps that only decode" },
		{ TL_WINDOW_PREFILL_DECODE, "prefilldecode_steady_state", "steps that prefill" },
	};
	int64_t mixed_steps = num_steps;
	double ratio = wanted_ratio(steps, stretches, &mixed_steps);

	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		int64_t n = windows[i].kind == TL_WINDOW_MIXED ? mixed_steps : num_steps;
		struct tl_window w;
		if (tl_steady_window(steps->items, stretches, windows[i].kind, n, ratio, &w))
			add_plan(steps, w.from, w.to, tl_strdup(windows[i].label));
		else
			tl_note("no %s part: the steady state has no %s", windows[i].label, windows[i].lacks);
	}
}

static void plan_run(const struct tl_steps *steps, const size_t *run, size_t n, size_t *chunk)
{
	bool prefills = tl_step_prefills(&steps->items[run[0]]);
	const char *phase = prefills ? "prefilldecodemix" : "decode_only";
	struct plan *p = add_plan(steps, run[0], run[0] + 1, NULL);
	struct tl_split_part *part = &p->part;
	struct tl_buf label = { 0 };

	part->number = 0;
	part->n_steps = n;
	part->steps = tl_realloc(part->steps, n * sizeof *part->steps);
	for (size_t i = 0; i < n; i++)
		part->steps[i] = steps->items[run[i]];
	struct tl_window_sums s = tl_window_sums(part->steps, n);
	tl_buf_addf(&label, "%s_chunk%zu_steps%zu_bs%" PRId64 "_conc%" PRId64, phase, chunk[prefills]++, n, s.batch_size,
	            s.requests);
	p->label = label.data;
	p->folder = phase;
}

/* Runs of steps that all prefill, or all only decode. Idle steps are left out; neither they nor
 * what lies between two stretches ends a run. */
static void plan_phases(const struct tl_steps *steps, const struct tl_windows *stretches)
{
	size_t *run = tl_alloc((steps->n + 1) * sizeof *run), n = 0, chunk[2] = { 0, 0 };

	for (size_t w = 0; w < stretches->n; w++)
		for (size_t i = stretches->items[w].from; i < stretches->items[w].to; i++) {
			const struct tl_step *s = &steps->items[i];
			if (!tl_step_requests(s))
				continue;
			if (n && tl_step_prefills(s) != tl_step_prefills(&steps->items[run[0]])) {
				plan_run(steps, run, n, chunk);
				n = 0;
			}
			run[n++] = i;
		}
	if (n)
		plan_run(steps, run, n, chunk);
	free(run);
}

static void plan_all(const struct tl_step_trace *s)
{
	const struct tl_steps *steps = &s->steps;
	size_t from = range.given ? (size_t)range.from : 0;
	size_t to = range.given && (size_t)range.to < steps->n ? (size_t)range.to : steps->n;
	struct tl_windows stretches = { 0 };

	if (from >= to)
		tl_die("%s: no step %zu: the trace has %zu, from 0 on", s->name, from, steps->n);
	for (size_t i = from; single && i < to; i++)
		add_plan(steps, i, i + 1, NULL);
	if (range.given)
		tl_windows_add(&stretches, from, to);
	else
		tl_steady_stretches(&stretches, steps->items, steps->n, num_steps);
	for (size_t i = 0; i < stretches.n && common.verbose && !range.given && (steady || phases); i++)
		tl_tell("steady state: steps %zu to %zu", stretches.items[i].from, stretches.items[i].to - 1);
	if (phases) {
		plan_phases(steps, &stretches);
	} else if (steady) {
		plan_windows(steps, &stretches);
	} else if (!single) {
		struct tl_buf label = { 0 };
		tl_buf_addf(&label, "iterations_%zu-%zu", from, to - 1);
		add_plan(steps, from, to, label.data);
	}
	tl_windows_release(&stretches);
}

/* ---- files ------------------------------------------------------------------------- */

static char *path_of(const struct tl_step_trace *s, const struct plan *p)
{
	const char *ending = streams ? ".tls" : ".json.gz";
	struct tl_buf name = { 0 };

	if (p->folder)
		tl_buf_addf(&name, "%s/", p->folder);
	if (p->label) {
		struct tl_window_sums sums = tl_window_sums(p->part.steps, p->part.n_steps);
		tl_buf_addf(&name, "%s_", p->label);
		tl_split_add_sums(&name, &sums);
		tl_buf_addf(&name, "_%s%s", s->base, ending);
	} else {
		tl_buf_addf(&name, "%s_annotation_iteration_%zu", s->base, p->part.number);
		if (s->steps.source != TL_STEPS_REPEATED) {
			tl_buf_addc(&name, '_');
			tl_split_add_label(&name, tl_str(&s->trace->strings, s->trace->events[p->part.steps[0].event].name));
		}
		tl_buf_adds(&name, ending);
	}
	char *path = tl_join_path(folder, name.data);
	tl_buf_release(&name);
	return path;
}

static void write_part(struct tl_step_trace *s, struct plan *p, const char *line)
{
	tl_step_part_choose(s, &p->part, p->label != NULL);
	if (folder) {
		p->part.path = path_of(s, p);
		if (common.verbose)
			tl_tell("%s: %zu steps, %zu events, %zu of devices", p->part.path, p->part.n_steps, p->part.n_events,
			        p->part.n_device);
	}
	tl_step_part_write(s, &p->part, streams || !folder, line);
}

static void write_details(void)
{
	struct tl_split_part *parts = tl_alloc(n_plans * sizeof *parts);
	char *json_path = tl_join_path(folder, "execution_details.json");
	char *csv_path = tl_join_path(folder, "execution_details.csv");
	struct tl_buf json = { 0 }, csv = { 0 };

	for (size_t i = 0; i < n_plans; i++)
		parts[i] = plans[i].part;
	tl_split_add_json(&json, parts, n_plans);
	tl_split_add_csv(&csv, parts, n_plans);
	tl_write_text(json_path, &json);
	tl_write_text(csv_path, &csv);
	tl_buf_release(&json);
	tl_buf_release(&csv);
	free(json_path);
	free(csv_path);
	free(parts);
}

static void make_folders(void)
{
	tl_make_folder(folder);
	for (size_t i = 0; i < n_plans; i++) {
		char *path = plans[i].folder ? tl_join_path(folder, plans[i].folder) : NULL;
		if (path)
			tl_make_folder(path);
		free(path);
	}
}

static void split(const char *path, const char *line)
{
	struct tl_step_trace s;

	tl_step_trace_load(&s, path, lenient);
	if (!s.steps.n)
		tl_die("%s: the trace has no steps: no annotation of vLLM, SGLang, ATOM or a diffusion engine, no ProfilerStep, "
		       "and no calls that repeat", s.name);
	s.all_threads = s.all_threads || all_threads;
	plan_all(&s);
	if (!folder && n_plans != 1)
		tl_die("%s: %zu parts: say with -o in which folder", s.name, n_plans);
	if (folder)
		make_folders();
	for (size_t i = 0; i < n_plans; i++)
		write_part(&s, &plans[i], line);
	tl_rename_outputs();
	if (folder && n_plans)
		write_details();
	for (size_t i = 0; i < n_plans; i++) {
		free(plans[i].part.steps);
		free(plans[i].part.path);
		free(plans[i].label);
	}
	free(plans);
	tl_step_trace_release(&s);
}

/* ---- pairs of two traces ------------------------------------------------------------ */

static void find_pairs(char **operands, int n, const char *line)
{
	static const char *const usual[] = { "decode_only", "prefilldecode" };
	struct tl_pair_options o = {
		.folder = folder, .phases = usual, .n_phases = 2, .num_steps = tl_option_given("num-steps") > 0 ? num_steps : 16,
		.no_extract = no_extract, .all_threads = all_threads, .stream = streams, .lenient = lenient, .provenance = line,
	};

	if (n != 2)
		tl_usage("--match: two files expected, %d given", n);
	if (!folder)
		tl_usage("--match: say with -o in which folder");
	if (single || steady || phases || range.given)
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

static void check_options(int n)
{
	if (no_extract || match_phases.n)
		tl_usage("--phases and --no-extract need --match");
	if (num_steps < 1)
		tl_usage("--num-steps: a window has one step at least");
	if (n > 1)
		tl_usage("one file expected, %d given", n);
	if (!single && !steady && !phases && !range.given)
		tl_usage("nothing to do: say which parts (--store-single-iteration, --find-steady-state, --divide-phases, "
		         "--match, or -i A:B)");
	if (output_length <= 0)
		tl_usage("--OSL: expected a number above 0");
	if (output_ratio < 0 || output_ratio > 1) {
		tl_warn("--R is not from 0 to 1: the nearer end is taken");
		output_ratio = output_ratio < 0 ? 0 : 1;
	}
}

int main(int argc, char **argv)
{
	int n;
	char *line = tl_provenance_line(&program, argc, argv);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	const char *provenance = common.no_provenance ? NULL : line;

	if (match) {
		find_pairs(operands, n, provenance);
	} else {
		check_options(n);
		split(n ? operands[0] : NULL, provenance);
	}
	free(line);
	return 0;
}
