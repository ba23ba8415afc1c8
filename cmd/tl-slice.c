/* tl-slice.c - a part of a trace: by time, step, annotation, device, rank, thread or stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "cli/filter.h"
#include "base/decimal.h"

#include <string.h>

static const char *from, *to, *steps;
static struct tl_slice_options slice = TL_SLICE_WHOLE;
static struct tl_link_options link_options = { .keep = true };
static bool lenient;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "from", "TIME", "begin at this time after the trace's start: 1.2s, 300ms, 40us, 5ns", TL_OPT_TEXT, &from, 0, 0, NULL },
	{ 0, "to", "TIME", "end at this time after the start or, with + before it, after --from", TL_OPT_TEXT, &to, 0, 0, NULL },
	{ 0, "step", "N[..M]", "only the step N, of ProfilerStep#N, up to M; with --annotation the N-th match on a thread", TL_OPT_TEXT, &steps, 0, 0, NULL },
	{ 0, "annotation", "REGEX", "only device work launched during annotations whose name matches", TL_OPT_TEXT, &slice.annotation, 0, 0, NULL },
	TL_STEP_MARKER_OPTION,
	TL_PART_OPTIONS(&slice),
	{ 0, "thread", "ID", "only what this thread of the host launched: its number or name", TL_OPT_TEXT, &slice.thread, 0, 0, NULL },
	{ 0, "stream", "ID", "only this stream of the device", TL_OPT_TEXT, &slice.stream, 0, 0, NULL },
	{ 0, "python", NULL, "link a raw trace with Python frames in the call tree", TL_OPT_FLAG, &link_options.python, 0, 0, NULL },
	TL_LENIENT_OPTION(&lenient),
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-slice",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "a part of a trace, as a linked event stream",
	.detail = "FILE is an event stream, linked or not, or a raw trace; without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

/* A number with a unit of time in picoseconds. */
static int64_t parse_time(const char *option, const char *text)
{
	static const struct { const char *name; int scale; } units[] = {
		{ "s", 12 }, { "ms", 9 }, { "us", 6 }, { "µs", 6 }, { "ns", 3 },
	};
	const char *end = text;
	int64_t time;

	while (tl_is_digit(*end))
		end++;
	if (end > text && *end == '.' && tl_is_digit(end[1]))
		for (end++; tl_is_digit(*end);)
			end++;
	for (size_t i = 0; end > text && i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].name) && tl_json_fixed(text, end, units[i].scale, &time))
			return time;
	tl_usage("--%s: '%s' is not a time such as 1.2s, 300ms, 40us or 5ns", option, text);
}

static bool parse_number(const char **s, int64_t *n)
{
	const char *start = *s;

	while (tl_is_digit(**s))
		++*s;
	return *s > start && tl_json_int64(start, *s, n);
}

int main(int argc, char **argv)
{
	const char *path = tl_cli_start_one(&program, argc, argv);

	if (from || to) {
		bool relative = to && *to == '+';

		if (relative && !from)
			tl_usage("--to: '%s' counts from --from, which is not given", to);
		if (from)
			slice.from = parse_time("from", from);
		if (to)
			slice.to = parse_time("to", to + relative) + (relative ? slice.from : 0);
		if (slice.to <= slice.from)
			tl_usage("--to: '%s' is not after --from", to);
	}
	if (steps) {
		const char *s = steps;
		bool good = parse_number(&s, &slice.first_step);

		slice.last_step = slice.first_step;
		if (good && s[0] == '.' && s[1] == '.') {
			s += 2;
			good = parse_number(&s, &slice.last_step);
		}
		if (!good || *s || slice.last_step < slice.first_step)
			tl_usage("--step: '%s' is not a number N or numbers N..M", steps);
		if (slice.annotation && !slice.first_step)
			tl_usage("--step: with --annotation the first one is 1");
	}
	if (tl_slice_is_whole(&slice))
		tl_usage("nothing to do: say which part (--from, --to, --step, --annotation, --device, --rank, --thread, --stream)");
	slice.step_marker = &tl_step_marker;
	tl_slicer_free(tl_slicer(tl_null_sink(), &slice)); /* a wrong expression ends the program before a file is opened */
	struct tl_pass pass;
	tl_pass_open(&pass, path, &common);
	struct tl_sink *slicer = tl_slicer(pass.writer, &slice);
	tl_pass_link(&pass, &(struct tl_read_options){ .lenient = lenient }, &link_options, slicer, true, common.verbose);
	tl_show_slice(tl_slicer_report(slicer), common.verbose);
	tl_slicer_free(slicer);
	tl_pass_close(&pass);
	return 0;
}
