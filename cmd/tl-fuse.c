/* tl-fuse.c - traces of several ranks as one, for a timeline viewer.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "cli/filter.h"
#include "cli/programs.h"
#include "cli/rank_traces.h"
#include "edit/fuse.h"
#include "table/table_reader.h"
#include "writers/chrome.h"
#include "writers/gzip.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *rank_regex = TL_RANK_REGEX;
static const char *name_regex;
static struct tl_pattern name_pattern;
static struct tl_opt_list categories;
static bool collectives, stream, lenient, align;
static struct tl_fuse_options fuse;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "rank_regex", "REGEX", "finds the rank in the name of a file, else in its path", TL_OPT_TEXT, &rank_regex, 0, 0, NULL },
	{ 0, "categories", "CAT[,CAT]...", "only events of these categories", TL_OPT_CALL, &categories, 0, 0, tl_add_names },
	{ 0, "name", "REGEX", "only events whose name has a match of this", TL_OPT_TEXT, &name_regex, 0, 0, NULL },
	{ 0, "collectives", NULL, "only kernels of communication", TL_OPT_FLAG, &collectives, 0, 0, NULL },
	TL_COMMUNICATION_OPTION,
	{ 0, "include_pyfunc", NULL, "also Python frames", TL_OPT_FLAG, &fuse.python_function, 0, 0, NULL },
	{ 0, "all", NULL, "all events", TL_OPT_FLAG, &fuse.all, 0, 0, NULL },
	{ 0, "align", NULL, "times by one clock, as the ends of collectives tell", TL_OPT_FLAG, &align, 0, 0, NULL },
	{ 0, "reference", NULL, "ids, times and threads as in TraceLens", TL_OPT_FLAG, &fuse.reference, 0, 0, NULL },
	{ 0, "stream", NULL, "write an event stream instead of JSON", TL_OPT_FLAG, &stream, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events and at a truncated end", TL_OPT_FLAG, &lenient, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "align", NULL, "reference" },
	{ "all", NULL, "categories name collectives include_pyfunc" },
	{ "include_pyfunc", NULL, "categories name collectives" },
	{ "communication", "collectives", NULL },
	{ "no-provenance", "stream", NULL },
	{ .option = NULL },
};

static const struct tl_program program = {
	.name = "tl-fuse",
	.synopsis = "[OPTION]... [[RANK=]FILE]...",
	.purpose = "traces of several ranks as one, for a timeline viewer",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.",
	.options = options, .needs = needs,
	.common = TL_COMMON_OUTPUT | TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

/* ---- ranks --------------------------------------------------------------------------- */

struct input {
	const char *name;    /* for messages */
	const char *path;    /* of what is read: the file, or a copy of the pipe */
	const char *scratch; /* the copy; NULL: none */
	int64_t said;        /* RANK=FILE; -1: nobody did */
	int64_t named, rank; /* see tl_ranks_settle */
	int64_t told;        /* by the trace; -1: it tells none */
};
static struct input *inputs;
static size_t n_inputs;

/* Ends the program if what was copied so far is not the start of a trace: the rest may have no end. */
static void check_format(const char *copy, const char *name)
{
	struct tl_input *in = tl_open_own_file(copy);
	struct tl_opened *opened;
	struct tl_error err;

	in->name = name;
	if (tl_open_trace(&opened, in, &err))
		tl_die_error(name, &err);
	tl_opened_free(opened);
	tl_close_input(in);
}

/* A copy of what cannot be read twice. */
static const char *copy_of(struct tl_input *in)
{
	const char *name;
	int fd = tl_open_scratch("tl-fuse", &name);
	FILE *file = fdopen(fd, "w");
	static char block[65536];
	struct tl_error err;
	int64_t n;

	size_t copied = 0;
	while ((n = in->read(in, block, sizeof block, &err)) > 0) {
		if (fwrite(block, 1, (size_t)n, file) != (size_t)n || fflush(file))
			break;
		if (copied < sizeof block && copied + (size_t)n >= sizeof block)
			check_format(name, in->name);
		copied += (size_t)n;
	}
	if (n < 0)
		tl_die_error(in->name, &err);
	if (fclose(file) || n > 0)
		tl_die("%s: cannot write a copy of it to %s: %s", in->name, name, strerror(errno));
	return name;
}

/* RANK=FILE, or FILE, whose name may tell the rank. */
static struct input parse_input(const struct tl_rank_regex *regex, const char *operand)
{
	const char *equals = strchr(operand, '=');
	int64_t rank = equals ? tl_rank_of_text(operand, equals) : -1;
	struct input input = { .path = rank >= 0 ? equals + 1 : operand };
	struct tl_input *in = tl_open_input(input.path);

	input.name = in->name;
	if (!in->path)
		input.path = input.scratch = copy_of(in);
	input.said = rank;
	input.named = rank >= 0 || input.scratch ? rank : tl_rank_of_path(regex, input.path);
	tl_close_input(in);
	return input;
}

static void open_inputs(char **operands, size_t n)
{
	struct tl_rank_regex *regex = tl_rank_regex_new("--rank_regex", rank_regex);

	inputs = tl_calloc(n + 1, sizeof *inputs);
	for (n_inputs = 0; n_inputs < n; n_inputs++)
		inputs[n_inputs] = parse_input(regex, operands[n_inputs]);
	if (!n)
		inputs[n_inputs++] = parse_input(regex, "-");
	tl_rank_regex_free(regex);
	tl_check_output(common.output);
}

static int by_rank(const void *a, const void *b)
{
	const struct input *x = *(const struct input *const *)a, *y = *(const struct input *const *)b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Returns the highest. */
static int64_t check_ranks(void)
{
	const struct input **sorted = tl_alloc(n_inputs * sizeof *sorted);

	for (size_t i = 0; i < n_inputs; i++) {
		sorted[i] = &inputs[i];
		if (inputs[i].rank < 0)
			tl_die("%s: neither the trace nor its name tells the rank, others do: say RANK=%s", inputs[i].name, inputs[i].name);
	}
	qsort(sorted, n_inputs, sizeof *sorted, by_rank);
	for (size_t i = 1; i < n_inputs; i++)
		if (sorted[i]->rank == sorted[i - 1]->rank)
			tl_die("%s: its rank is %" PRId64 ", as is that of %s: say RANK=FILE", sorted[i]->name, sorted[i]->rank,
			       sorted[i - 1]->name);
	int64_t highest = sorted[n_inputs - 1]->rank;
	free(sorted);
	return highest;
}

/* ---- clocks ----------------------------------------------------------------------------- */

static enum tl_cell_type clock_column(const char *name)
{
	return !strcmp(name, "clock_offset_us") ? TL_CELL_TIME : !strcmp(name, "rank") || !strcmp(name, "clock_reference") ? TL_CELL_INT : TL_CELL_TEXT;
}

/* ranks_communication, which tl-ranks makes; there the traces have names that tell their ranks. */
static struct tl_table *ranks_communication(struct tl_strtab *strings)
{
	const char *folder = tl_make_scratch_folder(program.name), **argv = tl_calloc(n_inputs + 8, sizeof *argv);
	char *ranks = tl_strdupf("%s/ranks", folder), *path = tl_strdupf("%s/ranks_communication.tsv", ranks), **links = tl_calloc(n_inputs + 1, sizeof *links);
	struct tl_table *t = NULL;
	struct tl_buf out = { 0 };
	struct tl_error err;
	size_t n = 0;

	argv[n++] = "tl-ranks";
	argv[n++] = "-q";
	if (lenient)
		argv[n++] = "--lenient";
	argv[n++] = "-d";
	argv[n++] = ranks;
	argv[n++] = "--";
	for (size_t i = 0; i < n_inputs; i++) {
		char *target = realpath(inputs[i].path, NULL);
		links[i] = tl_strdupf("%s/rank%" PRId64, folder, inputs[i].rank);
		if (!target || symlink(target, links[i]))
			tl_die("%s: %s", links[i], strerror(errno));
		free(target);
		argv[n++] = links[i];
	}
	if (tl_program_output((struct tl_process){ .argv = argv }, NULL, &out, NULL))
		tl_die("--align: tl-ranks cannot tell how far the clocks are apart");
	struct tl_input *in = tl_open_input(path);
	if (tl_tsv_read_table(in, strings, &(struct tl_tsv_columns){ NULL, NULL, clock_column }, &t, &err))
		tl_die_error(in->name, &err);
	tl_close_input(in);
	tl_buf_release(&out);
	tl_remove_scratch(folder);
	for (size_t i = 0; i < n_inputs; i++)
		free(links[i]);
	free(links);
	free(argv);
	free(ranks);
	free(path);
	return t;
}

/* The input that is of that rank for tl-ranks, which takes what a trace tells. */
static size_t input_of(int64_t rank)
{
	size_t i = 0;

	while (i < n_inputs && (inputs[i].told >= 0 ? inputs[i].told : inputs[i].rank) != rank)
		i++;
	return i;
}

static void set_clocks(struct tl_fusion *f)
{
	struct tl_strtab strings = { 0 };
	struct tl_table *t = ranks_communication(&strings);
	int rank = tl_table_column(t, "rank"), offset = tl_table_column(t, "clock_offset_us"), reference = tl_table_column(t, "clock_reference");
	size_t known = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		struct tl_cell by = tl_table_cell(t, i, (size_t)offset), from = tl_table_cell(t, i, (size_t)reference);
		size_t trace = input_of(tl_table_cell(t, i, (size_t)rank).i), other = input_of(from.i);
		if (tl_cell_is_null(by) || tl_cell_is_null(from) || trace == n_inputs || other == n_inputs)
			continue;
		tl_fusion_set_clock(f, trace, other, by.i);
		known++;
		if (by.i)
			tl_note("%s: its clock is %.3f us %s that of rank %" PRId64, inputs[trace].name, fabs((double)by.i / TL_TSV_TICKS),
			        by.i > 0 ? "ahead of" : "behind", from.i);
	}
	if (known < n_inputs)
		tl_warn("%zu of %zu traces have no collective that tells their clock: their times stay as they are", n_inputs - known, n_inputs);
	tl_table_free(t);
	tl_strtab_release(&strings);
}

/* ---- the two passes --------------------------------------------------------------------- */

static void read_trace(const struct input *input, struct tl_sink *sink, bool warn)
{
	struct tl_read_options ro = { .lenient = lenient, .keep_counters = true };
	struct tl_input *in = tl_open_input(input->path);
	struct tl_read_report report = { 0 };
	struct tl_error err;

	in->name = input->name;
	if (tl_read(in, &ro, sink, &report, &err))
		tl_die_of_trace(in->name, &err, &report);
	if (warn)
		tl_warn_drops(in->name, &report);
	tl_close_input(in);
}

static int64_t survey(struct tl_fusion *f)
{
	struct tl_rank_claim *claims = tl_calloc(n_inputs + 1, sizeof *claims);

	for (size_t i = 0; i < n_inputs; i++) {
		struct input *input = &inputs[i];
		read_trace(input, tl_fusion_survey(f), false);
		int64_t world, told = tl_fusion_found_rank(f, &world);
		if (input->said >= 0 && told >= 0 && told != input->said)
			tl_warn("%s: the trace says that it is of rank %" PRId64 "; %" PRId64 " is taken", input->name, told, input->said);
		input->told = told;
		input->rank = input->said >= 0 ? input->said : tl_rank_chosen(input->name, told, input->named, world);
		claims[i] = (struct tl_rank_claim){ input->name, input->named, &input->rank };
	}
	tl_ranks_settle(claims, n_inputs);
	free(claims);
	return check_ranks();
}

static void write_fused(struct tl_fusion *f, int64_t highest_rank)
{
	bool gzip = !stream && common.output && tl_ends_with(common.output, ".gz");
	struct tl_output *file = tl_open_output(common.output, stream || gzip);
	struct tl_output *out = gzip ? tl_gzip_new(file) : file;
	struct tl_sink *writer = stream ? tl_writer_new(out, tl_provenance_line()) : tl_chrome_writer_new(out);
	struct tl_error err;

	if (tl_fusion_begin(f, highest_rank, writer, &err))
		tl_die_error(file->name, &err);
	struct tl_fuse_report r = tl_fusion_report(f);
	if (common.verbose)
		tl_tell("from rank to rank %" PRId64 " is added to pids, %" PRId64 " to other ids", r.pid_step, r.id_step);
	if (r.wide_pids)
		tl_warn("pids exceed 32 bits: viewers may take processes for others");
	if (r.wide_ids)
		tl_warn("ids exceed 2^53: viewers may draw arrows to wrong events");
	for (size_t i = 0; i < n_inputs; i++) {
		struct tl_fuse_report before = tl_fusion_report(f);
		read_trace(&inputs[i], tl_fusion_trace(f, inputs[i].rank), true);
		struct tl_fuse_report now = tl_fusion_report(f);
		if (common.verbose)
			tl_tell("%s: rank %" PRId64 ", %" PRIu64 " events, %" PRIu64 " left out", inputs[i].name, inputs[i].rank,
			        now.n_events - before.n_events, now.n_dropped - before.n_dropped);
	}
	if (tl_fusion_end(f, &err) || (gzip && tl_gzip_end(out, &err)))
		tl_die_error(file->name, &err);
	(stream ? tl_writer_free : tl_chrome_writer_free)(writer);
	tl_close_output(file);
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	char why[200];
	if (name_regex && !tl_pattern_compile(&name_pattern, name_regex, 0, NULL, why))
		tl_usage("--name: '%s': %s", name_regex, why);
	tl_prepare_communication();
	fuse.categories = categories.items;
	fuse.n_categories = categories.n;
	fuse.name = name_regex ? &name_pattern : NULL;
	fuse.collectives = collectives ? tl_communication_rules() : NULL;
	open_inputs(operands, (size_t)n);
	struct tl_fusion *f = tl_fusion_new(&fuse);
	int64_t highest_rank = survey(f);
	if (align)
		set_clocks(f);
	write_fused(f, highest_rank);
	tl_fusion_free(f);
	if (name_regex)
		tl_pattern_release(&name_pattern);
	for (size_t i = 0; i < n_inputs; i++)
		if (inputs[i].scratch)
			tl_remove_scratch(inputs[i].scratch);
	free(inputs);
	return 0;
}
