/* tl-split.c - the steps of a trace as traces of their own: single ones, steady windows, runs
 * of one phase.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/split_plan.h"
#include "cli/step_pairs.h"

#include "base/text.h"
#include "steps/step_match.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	tl_plan_split(&parts, &s, &choice);
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
