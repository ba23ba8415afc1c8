/* tl-ranks.c - the collectives of all ranks of a job: each rank's part is made by a program of
 * its own, then the parts are merged.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/merge_sort.h"
#include "base/text.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/sheet_form.h"
#include "cli/parts.h"
#include "cli/programs.h"
#include "cli/rank_collectives.h"
#include "cli/rank_traces.h"
#include "job/comm_edges.h"
#include "job/replay.h"
#include "job/rank_part.h"
#include "job/ranks.h"
#include "job/side_by_side.h"
#include "work/doubtful.h"
#include "model/trace.h"
#include "report/advice.h"
#include "sheet/ranks.h"
#include "sheets/job_findings.h"
#include "steps/step_find.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_NAME "nccl_analysis_report.xlsx"
/* Ends of one collective differ by some microseconds where clocks agree. */
#define CLOCKS_AGREE_US 50

static struct tl_rank_traces_options where = { .world_size = -1, .rank_regex = TL_RANK_REGEX };
static struct tl_outputs outputs;
static struct tl_sheet_files made;
static const char *input; /* what --trace_dir, --trace_pattern or --trace_glob names */
static struct tl_opt_list metric_names, what_ifs;
static int64_t gpus_per_node, workers;
static bool detailed, multiprocessing, heatmap, job_path, lenient, reference_clocks;
static const char *rank_sheets;
static struct tl_common common;
/* What the user gave: traces, and parts, which are not made. */
static struct {
	struct tl_part *items; size_t n;
	char *folder;   /* of the parts that are made; NULL: all are there */
	bool left_out;  /* of a trace no part was made */
	int64_t world;  /* how many ranks the job has, as most traces say; 0: none says */
} files;
static const char *format, *intra_gbps, *inter_gbps;

static const struct tl_opt options[] = {
	{ 0, "trace_dir", "DIR", "the traces are DIR/rank0_trace.json, DIR/rank1_trace.json, ...", TL_OPT_TEXT, &input, 0, 0, NULL },
	{ 0, "trace_pattern", "PATH", "the traces are PATH with the rank in place of its only *", TL_OPT_TEXT, &input, 0, 0, NULL },
	{ 0, "trace_glob", "GLOB", "the traces match GLOB, in which ** stands for any folders", TL_OPT_TEXT, &input, 0, 0, NULL },
	{ 0, "world_size", "N", "how many ranks there are", TL_OPT_INT, &where.world_size, 1, 1 << 24, NULL },
	{ 0, "rank_regex", "REGEX", "finds the rank in the name of a file, else in its path", TL_OPT_TEXT, &where.rank_regex, 0, 0, NULL },
	TL_OUTPUT_OPTIONS(&outputs, 'd', 0),
	TL_QUOTES_OPTION,
	{ 0, "agg_metrics", "METRIC", "a statistic of the summaries; may be repeated (mean median min max)", TL_OPT_LIST, &metric_names, 0, 0, NULL },
	{ 0, "gpus_per_node", "N", "add columns about nodes of N ranks (as many as the first trace has GPUs)", TL_OPT_INT, &gpus_per_node, 1, INT32_MAX, NULL },
	{ 0, "intra-node-gbps", "GBPS", "what links within a node can carry, 10^9 bytes/s (as the GPU is known for)", TL_OPT_TEXT, &intra_gbps, 0, 0, NULL },
	{ 0, "inter-node-gbps", "GBPS", "the same between nodes: 50 for InfiniBand NDR, 400 Gbit/s", TL_OPT_TEXT, &inter_gbps, 0, 0, NULL },
	{ 0, "what-if", "WHAT", "how long the job would take, as ranks_what_if: 'rank 9 = median'; may be repeated", TL_OPT_LIST, &what_ifs, 0, 0, NULL },
	{ 0, "job-path", NULL, "add ranks_path and ranks_path_shares: the chain of work and communication that bounds the job", TL_OPT_FLAG, &job_path, 0, 0, NULL },
	{ 0, "all2allv_heatmap", NULL, "add nccl_all2allv_heatmap: what each rank sends to each", TL_OPT_FLAG, &heatmap, 0, 0, NULL },
	{ 0, "format", "FORM", "print ranks_overview as text (on a terminal), json or markdown, not the paths of files", TL_OPT_TEXT, &format, 0, 0, NULL },
	TL_PARTS_OPTIONS,
	TL_RUNNER_OPTIONS,
	{ 0, "max_workers", "N", "read so many traces side by side (as many as there are processors)", TL_OPT_INT, &workers, 1, 1024, NULL },
	{ 0, "use_multiprocessing", NULL, "has no effect: traces are read side by side anyway", TL_OPT_FLAG, &multiprocessing, 0, 0, NULL },
	{ 0, "detailed_analysis", NULL, "has no effect: details are always written", TL_OPT_FLAG, &detailed, 0, 0, NULL },
	{ 0, "rank_sheets", "DIR", "make the sheets of each rank in DIR, and ranks_...: ranks side by side", TL_OPT_TEXT, &rank_sheets, 0, 0, NULL },
	TL_COMMUNICATION_OPTION,
	TL_STEP_MARKER_OPTION,
	{ 0, "reference-clocks", NULL,
	  "sheets of TraceLens have the clocks of the traces, and pair collectives by their numbers",
	  TL_OPT_FLAG, &reference_clocks, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on without damaged events, without ranks and collectives that cannot be used", TL_OPT_FLAG, &lenient, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "world_size", "trace_dir trace_pattern trace_glob", NULL },
	{ "trace_dir", NULL, "rank_regex" },
	{ "trace_pattern", NULL, "rank_regex" },
	{ "output", "part", NULL },
	TL_PART_NEEDS,
	{ "part", NULL, "trace_dir trace_pattern trace_glob output_xlsx_path html output_csvs_dir spreadsheet-safe dir agg_metrics gpus_per_node "
	  "intra-node-gbps inter-node-gbps all2allv_heatmap what-if job-path format max_workers reference-clocks" },
	{ .option = NULL },
};

static struct tl_program program = {
	.name = "tl-ranks",
	.synopsis = "[OPTION]... FILE... | --part [-o PART] [FILE]",
	.purpose = "collective communication of all ranks of a job",
	.options = options,
	.common = TL_COMMON_OUTPUT,
	.c = &common,
	.operand = &input,
	.needs = needs,
	.seen = tl_parts_seen,
};

/* ---- the files of ranks: traces and parts --------------------------------------------------------------------------------- */

static bool is_part(const char *path)
{
	char start[sizeof TL_PART_START - 1];
	struct stat st;

	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		tl_die("%s: expected a file, which a program of its own can read", path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, start, sizeof start);

	if (fd >= 0)
		close(fd);
	return n > 0 && tl_text_is(start, (size_t)n, TL_PART_START);
}

/* Takes the traces, and opens the folder of parts if one is to be made; output: see tl_parts_open. */
static void take_files(const struct tl_rank_traces *traces, const char *output)
{
	bool any = tl_runner_submits(); /* the merge is a job then */

	files.n = traces->n;
	files.items = tl_calloc(files.n + 1, sizeof *files.items);
	for (size_t i = 0; i < files.n; i++) {
		const struct tl_rank_trace *t = &traces->items[i];
		files.items[i] = (struct tl_part){ .trace = tl_strdup(t->path), .named = t->rank, .rank = -1, .made = !is_part(t->path) };
		any = any || files.items[i].made;
	}
	if (any)
		files.folder = tl_parts_open(output);
	for (size_t i = 0; i < files.n; i++) {
		struct tl_part *p = &files.items[i];
		p->path = p->made ? tl_part_path(files.folder, p->trace) : tl_strdup(p->trace);
	}
}

static void release_part(struct tl_part *p)
{
	free(p->trace);
	free(p->path);
}

/* Removes parts that are not to be kept. */
static void release_files(void)
{
	for (size_t i = 0; i < files.n; i++)
		release_part(&files.items[i]);
	free(files.items);
	if (files.folder)
		tl_parts_close(files.folder, !files.left_out);
}

/* Makes the part of each trace. A failure ends the program in the end; with --lenient, such a rank is left out. */
static void make_rank_parts(void)
{
	tl_parts_make(program.name, files.items, files.n, workers, &common);
	for (size_t i = 0; i < files.n; i++) {
		const struct tl_part *p = &files.items[i];
		if (!p->made || p->whole)
			continue;
		files.left_out = true;
		if (lenient)
			tl_warn("%s: no part of this rank could be made: it is left out", p->trace);
		else
			tl_say_error("%s: no part of this rank could be made", p->trace);
	}
	if (files.left_out && !lenient)
		tl_die("no report without these ranks: the other parts are kept in %s, and the same command goes on from there, "
		       "with --lenient without these ranks", files.folder);
}

/* Reads a part that was given for what its last line says; false: it cannot be used. */
static bool look_at_part(struct tl_part *f)
{
	struct tl_input *in = tl_open_input(f->path);
	struct tl_rank_part p;
	struct tl_error err;
	enum tl_status st = tl_rank_part_read(&p, in, NULL, NULL, 0, &err);

	tl_close_input(in);
	if (st) {
		if (!lenient)
			tl_die_error(f->trace, &err);
		tl_warn("%s: %s: this rank is left out", f->trace, err.text);
		return false;
	}
	f->named = p.end.named >= 0 ? p.end.named : f->named;
	f->rank = p.end.rank >= 0 ? p.end.rank : tl_rank_chosen(f->trace, -1, f->named, p.end.world);
	f->sheets_rank = tl_part_sheets_rank(&p.end);
	f->gpus = p.end.gpus;
	f->world = p.end.world;
	tl_rank_part_release(&p);
	return true;
}

TL_ORDER(by_rank, struct tl_part, TL_ASC(x->rank))

/* Keeps the files that keep() wants, in their order; last: the one kept before, or NULL. */
static void keep_files(bool (*keep)(struct tl_part *, const struct tl_part *last))
{
	size_t kept = 0;

	for (size_t i = 0; i < files.n; i++) {
		struct tl_part *f = &files.items[i];
		if (keep(f, kept ? &files.items[kept - 1] : NULL))
			files.items[kept++] = *f;
		else
			release_part(f);
	}
	files.n = kept;
}

/* What cannot be used ends the program, or is left out with a warning with --lenient. */
static bool can_be_used(struct tl_part *f, const struct tl_part *last)
{
	(void)last;
	return f->made ? f->whole : look_at_part(f);
}

static bool is_new(struct tl_part *f, const struct tl_part *last)
{
	if (!last || f->rank != last->rank)
		return true;
	if (rank_sheets && last->made && f->made) { /* in one folder: to be made again */
		unlink(last->path);
		unlink(f->path);
	}
	if (!lenient || rank_sheets)
		tl_die("%s and %s both are of rank %" PRId64, last->trace, f->trace, f->rank);
	tl_warn("%s: left out: it is of rank %" PRId64 ", as %s is", f->trace, f->rank, last->trace);
	return false;
}

TL_ORDER(by_world, struct tl_part, TL_ASC(x->world))

static bool is_of_job(struct tl_part *f, const struct tl_part *last)
{
	(void)last;
	if (!f->world || f->world == files.world)
		return true;
	if (!lenient)
		tl_die("%s is of another job: it says that there are %" PRId64 " ranks, others say %" PRId64
		       " (--lenient goes on without)", f->trace, f->world, files.world);
	tl_warn("%s: left out: it says that there are %" PRId64 " ranks, most others say %" PRId64, f->trace, f->world, files.world);
	return false;
}

/* Reads what the parts say of themselves, leaves out those that cannot be used, and sorts them by rank. */
static void arrange_files(void)
{
	keep_files(can_be_used);
	if (!files.n)
		tl_die("no rank can be used");
	tl_parts_settle_ranks(files.items, files.n);
	for (size_t i = 0; i < files.n; i++)
		if (files.items[i].rank < 0)
			tl_die("%s: neither the trace nor its name tells a rank of its own: see --rank_regex", files.items[i].trace);
	size_t most = 0, alike = 0;
	tl_merge_sort(files.items, files.n, sizeof *files.items, by_world, NULL);
	for (size_t i = 0; i < files.n; i++) {
		alike = i && files.items[i].world == files.items[i - 1].world ? alike + 1 : 1;
		if (!files.items[i].world || alike <= most)
			continue;
		most = alike;
		files.world = files.items[i].world;
	}
	keep_files(is_of_job);
	tl_merge_sort(files.items, files.n, sizeof *files.items, by_rank, NULL);
	keep_files(is_new);
}

/* ---- the sheets of each ----------------------------------------------------------------------- */

/* The caller frees it. */
static char *folder_of(int64_t rank)
{
	char name[32] = "rank";

	tl_format_int(name + 4, rank);
	return tl_join_path(rank_sheets, name);
}

/* In the program that makes a part: makes those sheets of the trace in a folder of the rank. */
static void make_rank_sheets(int64_t rank, const char *trace)
{
	const char **argv = tl_calloc(16 + 2 * tl_communication_named.n, sizeof *argv);
	char *path = folder_of(rank);
	struct tl_buf names = { 0 };
	size_t n = 0;

	if (rank < 0)
		tl_die("%s: neither the trace nor its name tells the rank, which --rank_sheets needs: see --rank_regex", trace);
	tl_buf_adds(&names, "trace_health"); /* which also a trace without device events has */
	for (size_t i = 0; i < TL_SIDES; i++)
		tl_buf_addf(&names, ",%s", tl_side_sheets[i].sheet);
	argv[n++] = "tl-sheets";
	if (lenient)
		argv[n++] = "--lenient";
	if (tl_step_marker.text) {
		argv[n++] = "--step-marker";
		argv[n++] = tl_step_marker.text;
	}
	for (size_t i = 0; i < tl_communication_named.n; i++) {
		argv[n++] = "--communication";
		argv[n++] = tl_communication_named.items[i];
	}
	argv[n++] = "--sheets";
	argv[n++] = names.data;
	argv[n++] = "-d";
	argv[n++] = path;
	argv[n++] = "--";
	argv[n++] = trace;
	tl_run_program(argv);
	tl_buf_release(&names);
	free(path);
	free(argv);
}

/* ---- the part of a rank ------------------------------------------------------------------- */

/* Nothing but device events, names of steps and the clock of the GPU is read: neither launches nor the call tree matter. */
static struct tl_trace *load(const char *path)
{
	uint32_t others = ~(1u << TL_KIND_KERNEL | 1u << TL_KIND_MEMSET | 1u << TL_KIND_MEMCPY | 1u << TL_KIND_ANNOTATION | 1u << TL_KIND_COUNTER);
	struct tl_read_options ro = { .drop_kinds = others, .drop_raw_only = true, .lenient = lenient };
	struct tl_trace *trace = NULL;
	struct tl_sink *sink = tl_trace_sink_new(&trace, &(struct tl_trace_options){ .drop_kinds = others, .samples = true });
	struct tl_pass pass = { .in = tl_open_input(path) };

	tl_pass_read(&pass, &ro, sink);
	tl_close_input(pass.in);
	tl_trace_sink_free(sink);
	tl_steps_mark_by(trace, &tl_step_marker);
	const struct tl_doubtful *doubtful = tl_leave_out_doubtful(trace);
	if (doubtful->all)
		tl_warn("%s: %u device events with times that cannot be are left out", path ? path : "-", (unsigned)doubtful->all);
	tl_mark_work(trace, tl_communication_rules(), NULL, NULL); /* without a note for each rank */
	return trace;
}

static void make_part(const char *path)
{
	struct tl_arena texts = { 0 };
	struct tl_part_end end = tl_part_end_of(program.name, path);
	struct tl_trace *t = load(path);
	struct tl_error err;

	tl_rank_part_look(&end, t, &texts);
	if (path && !tl_option_given("rank")) {
		struct tl_rank_regex *r = tl_rank_regex_new("--rank_regex", where.rank_regex);
		end.named = tl_rank_of_path(r, path);
		tl_rank_regex_free(r);
	}
	end.rank = tl_rank_chosen(NULL, end.rank, end.named, end.world);
	if (rank_sheets)
		make_rank_sheets(tl_part_sheets_rank(&end), path);
	struct tl_collectives *c = tl_collectives_new(t, end.rank);
	struct tl_strtab strings = { 0 };
	struct tl_part_table tables[] = { tl_rank_part_table(c, &end), { TL_RANK_WORK, tl_rank_work_table(t, &strings) },
		{ TL_RANK_PARALLEL, tl_rank_parallel_table(t, c, &strings) }, { TL_COMM_EDGES, tl_comm_edges_table(t, c, &strings) } };
	struct tl_output *out = tl_open_output(common.output, false);
	if (tl_part_file_write(out, tables, sizeof tables / sizeof *tables, &end, &err) != TL_OK)
		tl_die_error(out->name, &err);
	tl_close_output(out);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		tl_table_free(tables[i].table);
	tl_strtab_release(&strings);
	tl_collectives_free(c);
	tl_arena_release(&texts);
	tl_trace_free(t);
}

/* ---- sheets --------------------------------------------------------------------------------- */

static struct tl_input *open_part(void *ctx, size_t i)
{
	(void)ctx;
	return tl_open_input(files.items[i].path);
}

static void close_part(void *ctx, struct tl_input *in)
{
	(void)ctx;
	tl_close_input(in);
}

static struct tl_output *create_sheet(void *ctx, const char *name)
{
	(void)ctx;
	free(tl_sheet_files_add(&made, name));
	return tl_open_output(strchr(made.words[made.n - 1], '=') + 1, false); /* a path that stays */
}

/* The sheets get the order of the list. */
static void arrange_sheets(void)
{
	size_t n = 0;

	for (const struct tl_sheet *s = tl_ranks_sheets.sheets; s->name; s++)
		for (size_t k = n, len = strlen(s->name); k < made.n; k++) {
			char *word = made.words[k];
			if (strncmp(word, s->name, len) || word[len] != '=')
				continue;
			made.words[k] = made.words[n];
			made.words[n++] = word;
		}
}

static void finish_sheet(void *ctx, struct tl_output *out)
{
	(void)ctx;
	tl_close_output_for_later(out);
}

/* ---- ranks side by side ------------------------------------------------------------------------ */

static void read_sheets(struct tl_side_by_side *s, const struct tl_part *f)
{
	char *path = folder_of(f->sheets_rank);
	struct tl_error err;

	for (size_t i = 0; i < TL_SIDES; i++) {
		char *file = tl_sheet_path(path, tl_side_sheets[i].sheet);
		if (!access(file, F_OK)) {
			struct tl_input *in = tl_open_input(file);
			if (tl_side_add(s, f->rank, i, in, &err) != TL_OK)
				tl_die_error(file, &err);
			tl_close_input(in);
		} else if (!i) {
			tl_warn("%s: rank %" PRId64 " has no sheet %s here: it is not in ranks_...", path, f->rank, tl_side_sheets[i].sheet);
		}
		free(file);
	}
	free(path);
}

/* Makes the sheets of side_by_side.h from those of each rank. */
static void compare_ranks(void)
{
	struct tl_side_by_side *s = tl_side_new(tl_communication_rules());
	struct tl_error err;

	for (size_t i = 0; i < files.n; i++)
		read_sheets(s, &files.items[i]);
	if (tl_side_write(s, create_sheet, finish_sheet, NULL, &err) != TL_OK)
		tl_die("%s", err.text);
	tl_side_free(s);
}

/* ---- what is said about them ------------------------------------------------------------------ */

static void list_missing_ranks(void)
{
	int64_t missing = 0, next = 0, all = files.items[files.n - 1].rank + 1;
	struct tl_buf b = { 0 };

	all = files.world > all ? files.world : all;
	for (size_t i = 0; i <= files.n && !input; i++) {
		int64_t given = i < files.n ? files.items[i].rank : all;
		for (; next < given && missing < 20; next++, missing++)
			tl_buf_addf(&b, "%s%" PRId64, b.len ? ", " : "", next);
		missing += given > next ? given - next : 0;
		next = given + 1;
	}
	if (missing)
		tl_warn("no trace of %" PRId64 " of %" PRId64 " ranks: %s%s", missing, all, b.data, missing > 20 ? ", ..." : "");
	tl_buf_release(&b);
}

/* ---- ranks_overview ------------------------------------------------------------------------------ */

/* Copies of the sheets that it is made of. */
static struct { struct tl_strtab strings; struct tl_table *sheets[TL_JOB_SHEETS], *overview; struct tl_buf job; double window_ms; } verdict;

static void see_sheet(void *ctx, const char *sheet, const struct tl_table *t)
{
	(void)ctx;
	for (size_t i = 0; i < TL_JOB_SHEETS; i++)
		if (!strcmp(sheet, tl_job_sheets[i])) {
			verdict.sheets[i] = tl_table_new(&verdict.strings, t->ticks_per_us, NULL);
			tl_table_append(verdict.sheets[i], t);
		}
}

static void make_overview(const struct tl_ranks_report *r)
{
	struct tl_job_facts f = { .ranks = (int64_t)files.n, .world = files.world, .groups = r->groups, .steps = r->steps };
	size_t more;
	struct tl_error err;

	f.remarks = tl_said(&f.n_remarks, &more);
	if (tl_job_findings(&verdict.overview, &verdict.strings, verdict.sheets, &f, &verdict.job, &err) != TL_OK)
		tl_die("a mistake in the program: %s", err.text);
	verdict.window_ms = tl_cell_number(tl_table_cell(verdict.sheets[TL_JOB_JUDGED], 0, REPLAYED_RECORDED_MS), 1000);
	tl_sheet_files_write(&made, "ranks_overview", verdict.overview);
}

/* Prints the verdict if that is wanted; false: it is not. */
static bool print_overview(void)
{
	const char *form = format ? format : !outputs.to[TL_AS_TSV] && isatty(STDOUT_FILENO) ? "text" : NULL;
	struct tl_advice a = { .findings = verdict.overview, .trace = verdict.job.data, .job = true, .window_ms = verdict.window_ms };
	struct tl_buf b = { 0 };

	if (!form)
		return false;
	(!strcmp(form, "json") ? tl_advice_as_json : !strcmp(form, "markdown") ? tl_advice_as_markdown : tl_advice_as_text)(&a, &b);
	fwrite(b.data, 1, b.len, stdout);
	tl_buf_release(&b);
	return true;
}

static void release_overview(void)
{
	for (size_t i = 0; i < TL_JOB_SHEETS; i++)
		tl_table_free(verdict.sheets[i]);
	tl_table_free(verdict.overview);
	tl_strtab_release(&verdict.strings);
	tl_buf_release(&verdict.job);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

/* 0: not given. */
static double gbps_of(const char *option, const char *text)
{
	char *end = NULL;
	double d = text ? tl_parse_double(text, &end) : 0;

	if (text && (*end || !(d > 0 && d < 1e9)))
		tl_usage("--%s: expected a number above 0, not '%s'", option, text);
	return d;
}

static struct tl_rank_metric *read_metrics(size_t *n)
{
	static const char *const usual[] = { "mean", "median", "min", "max" };
	const char *const *names = metric_names.n ? metric_names.items : usual;

	*n = metric_names.n ? metric_names.n : 4;
	struct tl_rank_metric *m = tl_alloc(*n * sizeof *m);
	for (size_t i = 0; i < *n; i++)
		if (!tl_rank_metric_named(names[i], &m[i]))
			tl_die("--agg_metrics: '%s' is none of mean, median, std, var, min, max, sum, count, first", names[i]);
	return m;
}

static void merge(void)
{
	int64_t *ranks = tl_alloc(files.n * sizeof *ranks);
	struct tl_ranks_report report;
	struct tl_error err;
	size_t n_metrics, failed;
	struct tl_rank_metric *metrics = read_metrics(&n_metrics);

	for (size_t i = 0; i < files.n; i++) {
		ranks[i] = files.items[i].rank;
		tl_will_read(files.items[i].path);
	}
	const struct tl_ranks_job job = { .ranks = ranks, .n = files.n, .metrics = metrics, .n_metrics = n_metrics,
		.gpus_per_node = gpus_per_node, .intra_gbps = gbps_of("intra-node-gbps", intra_gbps), .inter_gbps = gbps_of("inter-node-gbps", inter_gbps),
		.categories = tl_kernel_category_rules(), .heatmap = heatmap, .waits = true, .what_ifs = what_ifs.items, .n_what_ifs = what_ifs.n, .path = job_path,
		.reference_clocks = reference_clocks, .lenient = lenient, .open = open_part, .close = close_part, .see = see_sheet,
		.create = create_sheet, .finish = finish_sheet };
	if (tl_ranks_merge(&job, &report, &failed, &err) != TL_OK) {
		if (failed < files.n)
			tl_die_error(files.items[failed].trace, &err);
		tl_die("%s", err.text);
	}
	tl_say_of_collectives(&report);
	if (fabs(report.clock_us) > CLOCKS_AGREE_US)
		tl_note("by the ends of collectives, the clock of rank %" PRId64 " is %.3f us %s that of rank %" PRId64 ": %s", report.clock_rank,
		        fabs(report.clock_us), report.clock_us > 0 ? "ahead of" : "behind", report.clock_reference,
		        reference_clocks ? "sheets of TraceLens do not allow for that" : "all times are by one clock");
	if (rank_sheets)
		compare_ranks();
	make_overview(&report);
	tl_sheet_files_finish(&made);
	free(ranks);
	free(metrics);
}

static void check_options(int n)
{
	static const char *const forms[] = { "text", "json", "markdown", NULL };
	bool dir = tl_option_given("trace_dir") > 0, pattern = tl_option_given("trace_pattern") > 0;
	bool glob = tl_option_given("trace_glob") > 0;
	int inputs = dir + pattern + glob;

	if (format && !tl_is_one_of(forms, format))
		tl_usage("--format: expected text, json or markdown, not '%s'", format);
	where.dir = dir ? input : NULL;
	where.pattern = pattern ? input : NULL;
	where.glob = glob ? input : NULL;
	if (inputs > 1)
		tl_usage("--trace_dir, --trace_pattern and --trace_glob exclude each other");
	if (inputs && n)
		tl_usage("files were named twice: by an option and as operands");
	if (!inputs && !n)
		tl_usage("no traces: name files, or give --trace_dir, --trace_pattern or --trace_glob");
}

static void find_files(char **operands, int n)
{
	struct tl_rank_traces traces;

	where.operands = operands;
	where.n_operands = n;
	where.lenient = lenient;
	tl_find_rank_traces(&traces, &where);
	if (!tl_outputs_any(&outputs)) {
		char *common_folder = tl_folder_of_traces(&traces, &where);
		outputs.to[TL_AS_BOOK] = tl_join_path(common_folder, DEFAULT_NAME);
		tl_note("no output is named: the workbook becomes %s", outputs.to[TL_AS_BOOK]);
		free(common_folder);
	}
	take_files(&traces, tl_outputs_first(&outputs));
	tl_rank_traces_release(&traces);
	/* nothing is written if a sheet would replace a file that is read */
	for (size_t i = 0; i < files.n; i++)
		tl_will_read(files.items[i].trace);
	tl_outputs_check(&outputs);
}

int main(int argc, char **argv)
{
	size_t n_metrics;
	int n;
	tl_speak_as(program.name);
	program.detail = tl_sheets_detail("FILE is the trace of a rank, or a part that --part made of one.\n\nSheets:", &tl_ranks_sheets);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	tl_keep_command(argc, argv);
	tl_prepare_communication();
	if (tl_part_only) {
		if (n > 1)
			tl_usage("--part: one file expected, %d given", n);
		if (rank_sheets && (!n || !strcmp(operands[0], "-")))
			tl_usage("--rank_sheets with --part needs a file: standard input cannot be read twice");
		make_part(n ? operands[0] : NULL);
		return 0;
	}
	check_options(n);
	if (what_ifs.n >= TL_WHAT_IFS)
		tl_usage("--what-if: at most %d questions", TL_WHAT_IFS - 1);
	gbps_of("intra-node-gbps", intra_gbps);
	gbps_of("inter-node-gbps", inter_gbps);
	tl_check_runner();
	free(read_metrics(&n_metrics));
	find_files(operands, n);
	make_rank_parts();
	arrange_files();
	list_missing_ranks();
	if (!gpus_per_node && files.items[0].gpus) {
		gpus_per_node = files.items[0].gpus;
		tl_note("nodes of %" PRId64 " GPUs, as the trace of rank %" PRId64 " has (--gpus_per_node N for others)", gpus_per_node,
		        files.items[0].rank);
	}
	const char *folder = outputs.to[TL_AS_TSV];
	made.of = files.items[0].trace;
	made.folder = folder ? folder : tl_make_scratch_folder(program.name);
	tl_make_folder(made.folder);
	merge();
	arrange_sheets();
	tl_sheet_files_convert(&made, &outputs);
	if (!print_overview())
		tl_sheet_files_list(&made, &outputs);
	release_overview();
	tl_finish_stdout();
	if (!folder)
		tl_remove_scratch(made.folder);
	tl_sheet_files_release(&made);
	release_files();
	return 0;
}
