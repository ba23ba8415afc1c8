/* tl-multi.c - one workbook for all ranks of each experiment: finds the traces below a folder, lets programs make a
 * part of each, and makes the sheets of the parts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/sheet_form.h"
#include "cli/parts.h"
#include "cli/programs.h"
#include "cli/rank_collectives.h"
#include "cli/rank_traces.h"
#include "job/multi_merge.h"
#include "job/op_groups.h"
#include "job/op_rows.h"
#include "job/rank_part.h"
#include "job/trace_groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- multi replay ---------------------------------------------------------------- */

struct tl_multi_replay {
	bool on, only;          /* only: no other sheets are wanted */
	bool reference;         /* as TraceLens takes operators */
	const char *folder;     /* of its files; NULL: that of the traces */
};
#define TL_REPLAY_OPTIONS(r) \
	{ 'r', "replay", NULL, "run products of matrices, convolutions and attention again, see tl-replay(1)", TL_OPT_FLAG, &(r)->on, 0, 0, NULL }, \
	{ 0, "replay-only", NULL, "only that: a workbook of its sheets", TL_OPT_FLAG, &(r)->only, 0, 0, NULL }, \
	{ 0, "replay-reference", NULL, "with these, the operators that TraceLens takes, see tl-replay(1)", TL_OPT_FLAG, &(r)->reference, 0, 0, NULL }, \
	{ 0, "replay_dir", "DIR", "folder of its files, instead of that of the traces", TL_OPT_TEXT, &(r)->folder, 0, 0, NULL }

/* Are AMD's tools in PATH? If not, says which is missing, as TraceLens does. */
static bool replay_tools_there(void)
{
	static const struct { const char *program, *name; } needed[] = {
		{ "amd-smi", "ROCm platform" }, { "hipblaslt-bench", "hipblaslt-bench" }, { "MIOpenDriver", "MIOpenDriver" },
	};

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!tl_has_program(needed[i].program)) {
			printf("Dependency not found: %s\nNode replay dependencies not met, terminating...\n", needed[i].name);
			return false;
		}
	return true;
}

static const char *const replayed[] = { "gemm", "conv", "attn" };

static size_t n_replayed(const struct tl_multi_replay *r)
{
	return r->reference ? 2 : 3;
}

/* Does the sheet have operators that are run again? */
static bool replays_sheet(const struct tl_multi_replay *r, const char *sheet)
{
	for (size_t i = 0; r->on && i < n_replayed(r); i++)
		if (!strcmp(sheet, replayed[i]))
			return true;
	return false;
}

/* Removes the sheet from a folder of an earlier run, so that it is not taken for one of this run. */
static void replay_drop_sheet(const char *folder, const char *sheet)
{
	char *path = tl_sheet_path(folder, sheet);

	if (unlink(path) && errno != ENOENT)
		tl_die("%s: cannot remove: %s", path, strerror(errno));
	free(path);
}

/* Runs tl-replay on these sheets of a folder, which gets their <sheet>_node_replay.tsv; then removes them if no other sheets are
 * wanted. files: the folder of what was run. */
static void replay_sheets(const struct tl_multi_replay *r, const char *folder, const char *files, const struct tl_common *common)
{
	const char *argv[] = { "tl-replay", "--run", "--sheets", folder, "-d", files, "--output_tsvs_dir", folder, NULL, NULL, NULL };
	size_t n = 8;

	if (r->reference)
		argv[n++] = "--reference";
	if (common->verbose)
		argv[n++] = "-v";
	tl_run_program(argv);
	for (size_t i = 0; i < n_replayed(r) && r->only; i++)
		replay_drop_sheet(folder, replayed[i]);
}

#define LEFT "left"
#define KERNELS "kernels"
static const char *const left_columns[] = { "failed_events", "without_kernels", "no_device_events", "fell_back", NULL };


/* ---- reading a part ------------------------------------------------------------------------------ */

/* What could not be counted. */
struct left_out { int64_t failed_events, without_kernels, no_device_events, fell_back; };

struct reading {
	const char *path;
	const struct tl_op_groups *groups;
	struct tl_part_file *file;
	struct tl_strtab strings;
	struct tl_multi_merge *merge;
	struct left_out *left;
	uint32_t seen; /* bit i: the table tl_multi_table_names[i] */
};

static void fail(const struct reading *r, const char *table, const struct tl_error *err)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s: %s", r->path, table);
	tl_die_error(b.data, err);
}

static struct tl_table *read_table(struct reading *r, const char *name, const struct tl_tsv_columns *columns)
{
	struct tl_table *t;
	struct tl_error err;

	if (tl_tsv_read_table(tl_part_file_table(r->file), &r->strings, columns, &t, &err))
		fail(r, name, &err);
	return t;
}

static enum tl_cell_type left_type(const char *column)
{
	(void)column;
	return TL_CELL_INT;
}

static void read_left(struct reading *r)
{
	struct tl_table *t = read_table(r, LEFT, &(struct tl_tsv_columns){ left_columns, NULL, left_type });
	int64_t *to[] = { &r->left->failed_events, &r->left->without_kernels, &r->left->no_device_events, &r->left->fell_back };

	for (size_t i = 0; t->n_rows == 1 && i < t->n_columns && left_columns[i]; i++)
		*to[i] += tl_table_cell(t, 0, i).i;
	tl_table_free(t);
}

static void copy_table(struct reading *r, const char *to)
{
	struct tl_input *in = tl_part_file_table(r->file);
	struct tl_output *out = tl_open_output(to, false);
	static char buf[65536];
	struct tl_error err;
	int64_t n;

	while ((n = in->read(in, buf, sizeof buf, &err)) > 0)
		if (out->write(out, buf, (size_t)n, &err))
			tl_die_error(to, &err);
	if (n < 0)
		fail(r, KERNELS, &err);
	tl_close_output(out);
}

/* A table of operators or one of tl_multi_table_names. */
static void merge_table(struct reading *r, const char *name)
{
	struct tl_table *t = NULL;

	for (size_t i = 0; i < TL_PART_TABLES && !t; i++)
		if (!strcmp(name, tl_multi_table_names[i])) {
			t = read_table(r, name, &tl_multi_part_columns[i]);
			tl_multi_merge_table(r->merge, i, t);
			r->seen |= 1u << i;
		}
	for (size_t i = 0; i < r->groups->n_groups[TL_GROUP_SHEET] && !t; i++)
		if (!strcmp(name, r->groups->groups[TL_GROUP_SHEET][i])) {
			t = read_table(r, name, &tl_op_rows_columns);
			tl_multi_merge_ops(r->merge, i, t);
		}
	tl_table_free(t);
}

/* Adds a part to a merge, and what it could not count. kernels: the file that its table of every kernel becomes; NULL: none. */
static void read_part(const char *path, const struct tl_op_groups *groups, int64_t rank, struct tl_multi_merge *m,
                      struct left_out *left, const char *kernels)
{
	struct tl_input *in = tl_open_input(path);
	struct reading r = { .path = path, .groups = groups, .file = tl_part_file_open(in), .merge = m, .left = left };
	struct tl_error err;
	const char *name;
	enum tl_status st;

	tl_multi_merge_next(m, rank);
	while (!(st = tl_part_file_next(r.file, &name, &err)) && name)
		if (!strcmp(name, LEFT))
			read_left(&r);
		else if (strcmp(name, KERNELS))
			merge_table(&r, name);
		else if (kernels)
			copy_table(&r, kernels);
	if (st)
		tl_die_error(path, &err);
	for (size_t i = 0; i < TL_PART_TABLES; i++)
		if (!(r.seen & 1u << i))
			tl_die("%s: the part lacks the table %s", path, tl_multi_table_names[i]);
	tl_part_file_free(r.file);
	tl_close_input(in);
	tl_strtab_release(&r.strings);
}

/* Warns of what could not be counted, or notes it. */
static void say_left(const struct left_out *left)
{
	if (left->no_device_events)
		tl_warn("%" PRId64 " of the traces have no device events", left->no_device_events);
	if (left->fell_back)
		tl_warn("%" PRId64 " of the traces have no device event that a call launched: gpu_timelines counts all of theirs",
		        left->fell_back);
	if (left->without_kernels)
		tl_note("%" PRId64 " GEMMs launched no kernel: the sheet gemm lacks them", left->without_kernels);
	if (left->failed_events)
		tl_note("the models of %" PRId64 " operators could not be evaluated: the sheets of groups lack them", left->failed_events);
}

/* ---- multi sheets ---------------------------------------------------------------- */

struct tl_multi_sheets {
	const struct tl_op_groups *groups;
	bool kernels;                  /* with the sheets kernels_N */
	const struct tl_multi_replay *replay;
	const char *work;              /* a folder for files that are no sheets */
	const struct tl_common *common;
};

/* Of a clock that only tells how long something took. */
static double multi_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* kernels_N; of a further trace with the same rank kernels_N_2 and so on. The caller frees it. */
static char *add_kernels(struct tl_sheet_files *s, int64_t rank, int which)
{
	struct tl_buf name = { 0 };

	tl_buf_addf(&name, "kernels_%" PRId64, rank);
	if (which > 1)
		tl_buf_addf(&name, "_%d", which);
	char *path = tl_sheet_files_add(s, name.data);
	tl_buf_release(&name);
	return path;
}

static void say_what_is_missing(const char *sheet, const struct tl_op_groups *groups)
{
	for (size_t i = 0; i < groups->n_groups[TL_GROUP_SHEET]; i++)
		if (!strcmp(sheet, groups->groups[TL_GROUP_SHEET][i]))
			printf("No events to summarize performance metrics from group %s\n", sheet);
	if (!strcmp(sheet, "unlinked_short_kernels_summary"))
		puts("No unlinked kernel events found.");
	if (!strcmp(sheet, "short_cpu_op_counts"))
		puts("No short CPU ops found.");
}

/* Adds the sheet with the times, which tl-replay is to make, behind that of the operators; with --replay-only in its place. */
static void add_replayed(struct tl_sheet_files *s, const char *sheet, bool only)
{
	struct tl_buf name = { 0 };

	if (only)
		free(s->words[--s->n]);
	tl_buf_addf(&name, "%s_node_replay", sheet);
	free(tl_sheet_files_add(s, name.data));
	tl_buf_release(&name);
}

static void run_again(const struct tl_sheet_files *s, const struct tl_trace_group *g, const struct tl_multi_sheets *how)
{
	const char *folder = how->replay->folder;
	char *files = folder ? tl_trace_group_folder(g, folder) : tl_strdup(g->folder);

	tl_rename_outputs(); /* tl-replay reads the sheets */
	if (s->n)
		replay_sheets(how->replay, s->folder, files, how->common);
	else
		tl_warn("%s: no products of matrices, no convolutions and no attention with recorded shapes", g->folder);
	free(files);
}

static void write_sheets(struct tl_sheet_files *s, struct tl_multi_merge *m, const struct tl_multi_sheets *how)
{
	const char *name, *others;

	for (size_t i = 0;; i++) {
		struct tl_table *t = tl_multi_merge_sheet(m, i, &name);
		if (!name)
			break;
		bool again = replays_sheet(how->replay, name);
		if (t && (again || !how->replay->only))
			tl_sheet_files_write(s, name, t);
		else if (!t)
			say_what_is_missing(name, how->groups);
		if (t && again)
			add_replayed(s, name, how->replay->only);
		else if (again)
			replay_drop_sheet(s->folder, name);
		tl_table_free(t);
	}
	size_t n = tl_multi_merge_other_launchers(m, &others);
	if (n && !how->replay->only)
		tl_note("grouped_breakdown: launchers in no group count as Other; they are %zu: %s%s", n, others, n > 10 ? ", ..." : "");
}

static void add_collectives(struct tl_sheet_files *s, const struct tl_trace_group *g, const char *work)
{
	double began = multi_seconds();

	printf("Starting NcclAnalyser with world_size %zu\n", g->n);
	tl_multi_collectives(g, work, s->folder);
	for (size_t i = 0; tl_multi_collective_sheets[i]; i++) {
		char *path = tl_sheet_files_add(s, tl_multi_collective_sheets[i]);
		if (access(path, F_OK))
			free(s->words[--s->n]);
		free(path);
	}
	for (size_t i = 0; i < g->n; i++)
		if (g->files[i].rank != (int64_t)i) {
			tl_note("in the sheets about collectives, rank %zu is %s", i, g->files[i].name);
			break;
		}
	printf("Elapsed time: %.2f seconds.\n", multi_seconds() - began);
}

/* Writes the sheets and adds them to the files; prints what TraceLens prints meanwhile. */
static void multi_sheets_make(struct tl_sheet_files *s, const struct tl_trace_group *g, const struct tl_multi_sheets *how)
{
	struct tl_multi_merge *m = tl_multi_merge_new(how->groups);
	struct left_out left = { 0 };
	double began = multi_seconds();
	int which = 1;

	for (size_t i = 0; i < g->n; i++) {
		which = i && g->files[i].rank == g->files[i - 1].rank ? which + 1 : 1;
		char *into = how->kernels ? add_kernels(s, g->files[i].rank, which) : NULL;
		read_part(g->files[i].part, how->groups, g->files[i].rank, m, &left, into);
		free(into);
	}
	say_left(&left);
	write_sheets(s, m, how);
	tl_multi_merge_free(m);
	if (how->replay->on)
		run_again(s, g, how);
	printf("Elapsed time for processing dataframes: %.2f seconds.\n", multi_seconds() - began);
	if (g->n > 1 && !how->replay->only)
		add_collectives(s, g, how->work);
}

/* ---- tl-multi -------------------------------------------------------------------- */

#define RULE "===================="
enum { MAX_JOBS = 8 };

static const char *base, *pattern = "rank_", *extension = "json";
static struct tl_outputs outputs;
static struct tl_opt_list filters;
static const char *usual_filter = "rank_0";
static bool dry_run, kernels, lenient;
static struct tl_multi_replay replay;
static int64_t jobs;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 'b', "base", "DIR", "the folder of the traces; what is below it is searched, too", TL_OPT_TEXT, &base, 0, 0, NULL },
	{ 'p', "pattern", "REGEX", "what stands before the rank in the name of a trace (rank_)", TL_OPT_ANY, &pattern, 0, 0, NULL },
	{ 'e', "extension", "EXT", "traces are files named *.EXT: json (the default) or gz", TL_OPT_TEXT, &extension, 0, 0, NULL },
	{ 'f', "filter", "TEXT...", "only traces in whose path each TEXT occurs (rank_0)", TL_OPT_ANY_LIST, &filters, 0, 0, NULL },
	{ 'd', "dry-run", NULL, "say which traces would be read into which workbook", TL_OPT_FLAG, &dry_run, 0, 0, NULL },
	{ 'a', "kernels", NULL, "add the sheets kernels_N: each kernel of the rank N", TL_OPT_FLAG, &kernels, 0, 0, NULL },
	TL_REPLAY_OPTIONS(&replay),
	TL_OUTPUT_OPTIONS(&outputs, 0, 'o'),
	TL_QUOTES_OPTION,
	{ 0, "output", "FILE", NULL, TL_OPT_TEXT, &outputs.to[TL_AS_BOOK], 0, 0, NULL }, /* TraceLens's name */
	{ 0, "output_tsvs_dir", "DIR", NULL, TL_OPT_TEXT, &outputs.to[TL_AS_TSV], 0, 0, NULL },
	{ 'j', "jobs", "N", "read so many traces at a time (one for each processor, 8 at most)", TL_OPT_INT, &jobs, 1, 4096, NULL },
	TL_PARTS_OPTIONS,
	TL_RUNNER_OPTIONS,
	TL_LENIENT_OPTION(&lenient),
	TL_COMMUNICATION_OPTION,
	TL_OPS_OPTION,
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	TL_PART_NEEDS,
	{ "part", NULL, "base filter extension dry-run replay replay-only html output_csvs_dir spreadsheet-safe dir output_tsvs_dir jobs" },
	{ "replay-reference", "replay replay-only", NULL },
	{ "replay_dir", "replay replay-only", NULL },
	{ .option = NULL },
};

static struct tl_program program = {
	.name = "tl-multi", .synopsis = "-b DIR [OPTION]... | --part [-o PART] [OPTION]... [FILE]",
	.purpose = "one workbook for all ranks of each experiment",
	.options = options, .common = TL_COMMON_VERBOSE, .c = &common, .lists_take_words = true, .seen = tl_parts_seen, .needs = needs,
};

/* ---- making a part ----------------------------------------------------------------------------- */

static void write_part(struct tl_multi_part *p, const struct tl_op_groups *groups, struct tl_trace *t, struct tl_part_end *end)
{
	struct tl_collectives *c = tl_collectives_new(t, end->rank < 0 ? 0 : end->rank);
	struct tl_part_table tables[TL_PART_TABLES + TL_OP_GROUPS + 3], collectives = tl_rank_part_table(c, end);
	struct tl_strtab strings = { 0 };
	struct tl_table *left = tl_table_new(&strings, 1, left_columns);
	struct tl_error err;
	size_t n = 0;

	tl_table_add_row(left, (struct tl_cell[]){ tl_cell_int((int64_t)p->left.failed), tl_cell_int((int64_t)p->left.without_kernels),
		tl_cell_int(p->no_device_events), tl_cell_int(p->fell_back) });
	for (size_t i = 0; i < TL_PART_TABLES; i++)
		tables[n++] = (struct tl_part_table){ tl_multi_table_names[i], p->tables[i] };
	for (size_t i = 0; i < p->n_ops; i++)
		tables[n++] = (struct tl_part_table){ groups->groups[TL_GROUP_SHEET][i], tl_sheet_sum_rows(&p->ops[i]) };
	tables[n++] = (struct tl_part_table){ KERNELS, p->kernels };
	tables[n++] = (struct tl_part_table){ LEFT, left };
	tables[n++] = collectives;
	struct tl_output *out = tl_open_output(outputs.to[TL_AS_BOOK], false);
	if (tl_part_file_write(out, tables, n, end, &err))
		tl_die_error(out->name, &err);
	tl_close_output(out);
	tl_table_free(collectives.table);
	tl_table_free(left);
	tl_strtab_release(&strings);
	tl_collectives_free(c);
}

/* Makes the part of the trace. */
static void make_part(const char *trace)
{
	struct tl_load_options load = { .path = trace, .lenient = lenient, .verbose = common.verbose,
		.drop_kinds = TL_UNUSED_BY_SHEETS & ~(1u << TL_KIND_ANNOTATION) };
	struct tl_op_groups groups;
	struct tl_multi_part part;
	struct tl_error err;

	tl_op_groups_read(&groups);
	struct tl_arena texts = { 0 };
	struct tl_part_end end = tl_part_end_of(program.name, trace);
	struct tl_trace *t = tl_load_trace(&load);
	tl_mark_communication(t);
	if (tl_multi_part_make(&part, t, tl_op_tables(), &groups, kernels, &err))
		tl_die_error(end.trace, &err);
	tl_rank_part_look(&end, t, &texts);
	end.rank = tl_rank_chosen(NULL, end.rank, end.named, end.world);
	write_part(&part, &groups, t, &end);
	tl_multi_part_release(&part);
	tl_arena_release(&texts);
	tl_trace_free(t);
	tl_op_groups_release(&groups);
	tl_finish_stdout();
}

/* ---- names ------------------------------------------------------------------------------- */

static char *workbook_of(const struct tl_trace_group *g)
{
	const char *name = strrchr(g->folder, '/') + 1;
	struct tl_buf b = { 0 };

	if (outputs.to[TL_AS_BOOK])
		return tl_strdup(outputs.to[TL_AS_BOOK]);
	tl_buf_adds(&b, name);
	for (size_t i = 0; i < filters.n; i++)
		tl_buf_addf(&b, "_%s", filters.items[i]);
	tl_buf_addf(&b, "_%s_report.xlsx", replay.only ? "node_replay" : "performance");
	char *path = tl_join_path(g->folder, b.data);
	tl_buf_release(&b);
	return path;
}

/* Sheets that go to a folder need no workbook. */
static bool has_workbook(void)
{
	return outputs.to[TL_AS_BOOK] || !tl_outputs_any(&outputs);
}

static void show_group(const struct tl_trace_group *g, const char *path)
{
	const char *slash = strrchr(path, '/');

	printf(RULE " Creating %s report " RULE "\nParent directory: %s\nExcel file: %s\nFilters: ", replay.only ? "node replay" : "performance",
	       g->folder, slash ? slash + 1 : path);
	for (size_t i = 0; i < filters.n; i++)
		printf("%s%s", i ? ", " : "", filters.items[i]);
	if (!replay.only)
		printf("\nRank pattern: %s", pattern);
	puts("\nTraces:");
	for (size_t i = 0; i < g->n; i++)
		puts(g->files[i].name);
}

/* ---- a group --------------------------------------------------------------------------------- */

/* The parts that the traces are to have. */
static void plan_parts(struct tl_part *parts, const struct tl_trace_group *g, const char *folder)
{
	for (size_t i = 0; i < g->n; i++) {
		char *below = *g->below ? tl_join_path(g->below, g->files[i].name) : tl_strdup(g->files[i].name);
		parts[i] = (struct tl_part){ .trace = tl_join_path(g->folder, g->files[i].name), .path = tl_part_path(folder, below),
			.named = g->files[i].rank, .rank = -1, .made = true };
		free(below);
	}
}

/* Those that are whole come first; returns how many. */
static size_t whole_first(struct tl_trace_group *g, struct tl_part *parts)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct tl_group_file file = g->files[i];
		struct tl_part part = parts[i];
		if (!part.whole)
			continue;
		g->files[i] = g->files[n];
		parts[i] = parts[n];
		g->files[n] = file;
		parts[n++] = part;
	}
	return n;
}

/* Makes the parts of the traces. Leaves out those of which none was made, and those without a rank if others have one; gives
 * the others their ranks. Returns how many were left out. */
static size_t make_parts(struct tl_trace_group *g, const char *folder)
{
	struct tl_part *parts = tl_calloc(g->n, sizeof *parts);
	size_t n = 0, all = g->n;

	plan_parts(parts, g, folder);
	tl_parts_make(program.name, parts, all, jobs, &common);
	for (size_t i = 0; i < all; i++)
		g->files[i].part = parts[i].path;
	size_t whole = whole_first(g, parts);
	tl_parts_settle_ranks(parts, whole);
	for (size_t i = 0; i < all; i++) {
		if (i < whole && parts[i].rank < 0)
			tl_say_error("%s: neither the trace nor its name tells the rank, others do", parts[i].trace);
		if (i < whole && parts[i].rank >= 0) {
			struct tl_group_file usable = g->files[i];
			usable.rank = parts[i].rank;
			g->files[i] = g->files[n];
			g->files[n++] = usable;
		} else {
			tl_say_error("%s: the report does not count this trace", parts[i].trace);
		}
		free(parts[i].trace);
	}
	for (size_t i = n; i < all; i++) {
		free(g->files[i].name);
		free(g->files[i].part);
	}
	free(parts);
	g->n = n;
	tl_trace_group_sort(g);
	return all - n;
}

/* What is written of a group: in folders of all groups a folder for each, and the workbook at path. The caller releases it. */
static struct tl_outputs outputs_of(const struct tl_trace_group *g, const char *path)
{
	struct tl_outputs to = { .spreadsheet_safe = outputs.spreadsheet_safe };

	for (size_t i = 0; i < TL_OUTPUT_FORMS; i++)
		if (outputs.to[i])
			to.to[i] = tl_output_forms[i].suffix ? tl_trace_group_folder(g, outputs.to[i]) : tl_strdup(outputs.to[i]);
	if (has_workbook() && !to.to[TL_AS_BOOK])
		to.to[TL_AS_BOOK] = tl_strdup(path);
	return to;
}

static void release_outputs(struct tl_outputs *to)
{
	for (size_t i = 0; i < TL_OUTPUT_FORMS; i++)
		free((char *)(uintptr_t)to->to[i]);
}

/* Merges the parts into the sheets, those into the workbook at path and CSV. work: a folder for the sheets. */
static void write_report(const struct tl_trace_group *g, const struct tl_op_groups *groups, const char *path, const char *work)
{
	struct tl_outputs to = outputs_of(g, path);
	char *into = to.to[TL_AS_TSV] ? tl_strdup(to.to[TL_AS_TSV]) : tl_join_path(work, ".sheets");
	char *collectives = tl_join_path(work, ".collectives");
	struct tl_sheet_files s = { .folder = into, .of = g->folder };

	tl_make_folder(into);
	multi_sheets_make(&s, g, &(struct tl_multi_sheets){ groups, kernels, &replay, collectives, &common });
	tl_sheet_files_finish(&s);
	tl_sheet_files_convert(&s, &to);
	if (!to.to[TL_AS_TSV])
		tl_remove_folder(into);
	if (g->n > 1 && !replay.only)
		tl_remove_folder(collectives);
	tl_sheet_files_release(&s);
	free(collectives);
	release_outputs(&to);
	free(into);
}

/* What names the folder of parts. path: of the workbook. The caller frees it. */
static char *output_of(const struct tl_trace_group *g, const char *path)
{
	struct tl_outputs to = outputs_of(g, path);
	char *output = tl_strdup(tl_outputs_first(&to));

	release_outputs(&to);
	return output;
}

/* path: of the workbook. Returns how many traces were left out. */
static size_t make_report(struct tl_trace_group *g, const char *path, const struct tl_op_groups *groups)
{
	char *output = output_of(g, path), *work = tl_parts_open(output);
	double began = multi_seconds();
	size_t all = g->n;

	puts("Parallel processing traces");
	size_t left_out = make_parts(g, work);
	printf("Elapsed time for processing traces: %.2f seconds.\nProcessing dataframes\n", multi_seconds() - began);
	if (!g->n)
		tl_die("%s: no trace could be used, of %zu", g->folder, all);
	write_report(g, groups, path, work);
	tl_parts_close(work, !left_out);
	free(output);
	return left_out;
}

/* Traces without a rank in their names come last. */
static void warn_of_names(const struct tl_trace_group *g)
{
	size_t n = 0;

	while (n < g->n && g->files[g->n - 1 - n].rank < 0)
		n++;
	if (n)
		tl_warn("%s: the names of %zu of %zu traces do not tell a rank, as %s: the traces may, else their order counts", g->folder, n, g->n,
		        g->files[g->n - n].name);
}

/* Does an earlier run's folder of parts lack the part of a trace, which may have been repaired since? */
static bool is_unfinished(const struct tl_trace_group *g, const char *path)
{
	struct tl_part *parts = tl_calloc(g->n, sizeof *parts);
	char *folder = tl_parts_folder_of(path);
	bool unfinished;

	plan_parts(parts, g, folder);
	unfinished = !access(folder, F_OK) && !tl_parts_are_whole(program.name, parts, g->n);
	for (size_t i = 0; i < g->n; i++) {
		free(parts[i].trace);
		free(parts[i].path);
	}
	free(folder);
	free(parts);
	return unfinished;
}

/* Says that the report of a group is to be made; false: its workbook is there, and whole. */
static bool announce(const struct tl_trace_group *g, const char *path)
{
	show_group(g, path);
	if (dry_run || !has_workbook() || access(path, F_OK) || is_unfinished(g, path))
		return true;
	printf("Excel file already exists: (%s)\nTerminating...\n", path);
	return false;
}

/* Submits the parts of all groups as Slurm jobs, of which the last one makes the reports. */
static void submit(struct tl_trace_groups *found)
{
	struct tl_part *parts = NULL;
	char *folder = NULL;
	size_t n = 0, cap = 0;

	if (found->n > 1 && !tl_parts_folder)
		tl_usage("--runner slurm: the traces are in several folders: say with --parts where all parts go");
	for (size_t i = 0; i < found->n; i++) {
		struct tl_trace_group *g = &found->items[i];
		char *path = workbook_of(g), *output = output_of(g, path);
		if (!announce(g, path))
			break;
		folder = folder ? folder : tl_parts_open(output);
		TL_GROW(parts, cap, n + g->n);
		plan_parts(parts + n, g, folder);
		n += g->n;
		free(output);
		free(path);
	}
	if (n)
		tl_parts_make(program.name, parts, n, jobs, &common);
}

/* Makes the report of a group. False: no further one is to be made. */
static bool report(struct tl_trace_group *g, const struct tl_op_groups *groups, size_t *left_out)
{
	char *path = workbook_of(g);
	bool go_on = announce(g, path);

	if (dry_run) {
		puts(RULE " End of dry run " RULE);
		warn_of_names(g);
	} else if (go_on) {
		*left_out += make_report(g, path, groups);
	}
	free(path);
	return go_on;
}

/* ---- main ---------------------------------------------------------------------------------------- */

static void check_options(int n)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (n > tl_part_only)
		tl_usage(tl_part_only ? "one operand expected, %d given" : "no operand expected, %d given: -b names the folder of the traces", n);
	if (!base && !tl_part_only)
		tl_usage("say with -b in which folder the traces are");
	if (strcmp(extension, "json") != 0 && strcmp(extension, "gz") != 0)
		tl_die("Invalid extension %s, json and gz are supported", extension); /* TraceLens prints this, and ends with 0 */
	if (replay.only && kernels)
		tl_usage("--replay-only does not go with -a");
	replay.on |= replay.only;
	if (!filters.n) {
		filters.items = &usual_filter;
		filters.n = 1;
	}
	tl_check_runner();
	tl_outputs_check(&outputs);
	if (!jobs && tl_runner_is("local"))
		jobs = processors < 1 ? 1 : processors > MAX_JOBS ? MAX_JOBS : processors;
	tl_prepare_communication();
}

static int64_t rank_of(const void *regex, const char *name)
{
	return tl_rank_in(regex, name);
}

static void find(struct tl_trace_groups *groups)
{
	struct tl_buf before_rank = { 0 };

	tl_buf_addf(&before_rank, "%s(?P<rank>\\d+)", pattern);
	struct tl_rank_regex *regex = tl_rank_regex_new("--pattern", before_rank.data);
	struct tl_group_options o = { .base = base, .extension = extension, .filters = filters.items, .n_filters = filters.n,
		.rank_of = rank_of, .ctx = regex };
	tl_trace_groups_find(groups, &o);
	if (!groups->n && tl_option_given("filter") <= 0) { /* as the files of torch.profiler */
		tl_trace_groups_release(groups);
		o.n_filters = filters.n = 0;
		tl_trace_groups_find(groups, &o);
		if (groups->n)
			tl_note("no name has %s in it: all traces are taken (-f for others)", usual_filter);
	}
	tl_rank_regex_free(regex);
	tl_buf_release(&before_rank);
	for (size_t i = 0; i < groups->unread.n; i++)
		tl_warn("%s", groups->unread.items[i]);
}

/* Says that there is nothing to do, as TraceLens does, and whether there would be with the other extension. */
static void say_none(void)
{
	struct tl_trace_groups others = { 0 };

	printf(RULE " No %s files found, check filters and filepaths " RULE "\n", extension);
	extension = strcmp(extension, "gz") ? "gz" : "json";
	find(&others);
	if (others.n)
		tl_say_error("%s: files *.%s are there: -e %s takes them", base, extension, extension);
	tl_trace_groups_release(&others);
}

/* False: not all could be made. */
static bool make_reports(void)
{
	struct tl_trace_groups found = { 0 };
	struct tl_op_groups groups;
	size_t left_out = 0;
	bool one = outputs.to[TL_AS_BOOK] || outputs.to[TL_AS_PAGE]; /* file is for all groups */

	if (access(base, R_OK | X_OK))
		tl_die("%s: cannot open: %s", base, strerror(errno));
	find(&found);
	bool any = found.n && (!one || found.n == 1);
	if (!found.n)
		say_none();
	else if (!any)
		puts("Multiple parent directories with traces found, give a more specific base path for the report with custom Excel path.");
	tl_op_groups_read(&groups);
	if (tl_runner_submits() && !dry_run && any)
		submit(&found);
	else
		for (size_t i = 0; i < found.n && any; i++)
			if (!report(&found.items[i], &groups, &left_out))
				break;
	tl_op_groups_release(&groups);
	tl_trace_groups_release(&found);
	tl_finish_stdout();
	return any && !left_out;
}

int main(int argc, char **argv)
{
	int n;
	tl_speak_as(program.name);
	program.detail = tl_sheets_detail("Sheets, beside those of groups of operators and of kernels:", &tl_multi_sheets);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	tl_keep_command(argc, argv);
	check_options(n);
	/* where the tools have to be is where parts are merged */
	if (replay.on && !replay.only && !tl_runner_submits() && !tl_part_only && !replay_tools_there())
		return 1;
	if (!tl_part_only)
		return make_reports() ? 0 : 1;
	make_part(n ? operands[0] : NULL);
	return 0;
}
