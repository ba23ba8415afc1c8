/* tl-replay.c - operators of a trace as benchmarks that run without the model: command lines of libraries' tools,
 * programs that need PyTorch only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/programs.h"
#include "job/op_rows.h"
#include "job/replay_rows.h"
#include "replay/bench_logs.h"
#include "replay/recorded_op.h"
#include "replay/replay_item.h"
#include "table/table_reader.h"
#include "work/args.h"
#include "work/spans.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How much of a group's time its operators have to make, as in TraceLens. */
#define SHARE 0.99

static const char *sheets, *folder = "node_replay", *results, *device = "cuda";
static struct tl_opt_list ops, uids, schema_files;
static bool run, reference, records, lenient;
static int64_t rotate = TL_ROTATE_MB;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 'd', "output-dir", "DIR", "write the files to this folder (node_replay)", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ 0, "sheets", "DIR", "read no trace but gemm.tsv, conv.tsv and attn.tsv, as tl-multi makes them", TL_OPT_TEXT, &sheets, 0, 0, NULL },
	{ 0, "reference", NULL, "as TraceLens: no backward passes, no attention, not the operator with which 99 % are reached", TL_OPT_FLAG, &reference, 0, 0, NULL },
	{ 0, "run", NULL, "run them with the tools that are there; write sheets of the times", TL_OPT_FLAG, &run, 0, 0, NULL },
	{ 0, "device", "NAME", "with --run, the device of PyTorch: cuda (also for ROCm; the default), cuda:N or cpu", TL_OPT_TEXT, &device, 0, 0, NULL },
	{ 0, "rotate", "MB", "measure with so many MB of tensors in turn, so that caches hold none (512); 0: the same ones", TL_OPT_INT, &rotate, 0, 1 << 20, NULL },
	{ 0, "output_tsvs_dir", "DIR", "write the sheets to this folder instead", TL_OPT_TEXT, &results, 0, 0, NULL },
	{ 0, "op", "NAME[,NAME]...", "a script for each call of these operators that differs, to -o or standard output", TL_OPT_CALL, &ops, 0, 0, tl_add_names },
	{ 0, "uid", "N[,N]...", "the same for the events with these UIDs", TL_OPT_CALL, &uids, 0, 0, tl_add_names },
	{ 0, "ir", NULL, "with these two, portable records (JSON lines) instead of a script", TL_OPT_FLAG, &records, 0, 0, NULL },
	{ 0, "schemas", "FILE", "declarations of more operators; may be repeated", TL_OPT_LIST, &schema_files, 0, 0, NULL },
	TL_LENIENT_OPTION(&lenient),
	TL_OPS_OPTION,
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "output_tsvs_dir", "run", NULL },
	{ "device", "run", NULL },
	{ .option = NULL },
};

static const struct tl_program program = {
	.name = "tl-replay",
	.synopsis = "[OPTION]... [FILE]... | --op NAME [OPTION]... [FILE]",
	.purpose = "operators of a trace as benchmarks that run without the model",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read. Several are the ranks of a job.",
	.options = options, .needs = needs,
	.common = TL_COMMON_OUTPUT | TL_COMMON_VERBOSE,
	.c = &common,
};

static struct tl_replay_tables tables;

static void read_tables(void)
{
	struct tl_error err;
	size_t len;

	tl_replay_tables_read(&tables);
	tables.rotate = rotate;
	for (size_t i = 0; i < schema_files.n; i++) {
		char *text = tl_read_file(schema_files.items[i], 16 << 20, &len);
		if (tl_replay_schemas_add(&tables, schema_files.items[i], text, len, &err))
			tl_die("%s", err.text);
		free(text);
	}
}

static struct tl_trace *load(const char *path)
{
	struct tl_load_options o = { .path = path, .lenient = lenient, .notes = true, .verbose = common.verbose };

	return tl_load_trace(&o);
}

/* ---- files of operators that are to be run again -------------------------------------------------- */

struct group {
	const char *name;           /* that of op-groups.tsv: the sheet that they are from */
	const char *what;           /* in messages */
	enum tl_replay_kind kind;
	struct tl_replay_item *items; size_t n;
};
struct set {
	struct group *groups; size_t n;
	const char *folder, *device; /* of the files; of PyTorch: cuda, cuda:N or cpu */
	const struct tl_replay_tables *tables;
};

/* FOLDER/GROUP-I.py, the script of an operator; the caller frees it. */
static char *script_path(const struct set *s, const struct group *g, size_t i)
{
	return tl_strdupf("%s/%s-%zu.py", s->folder, g->name, i);
}

static void write_script(const struct set *s, const struct group *g, size_t i)
{
	const struct tl_replay_item *item = &g->items[i];
	struct tl_buf script = { 0 };
	char *path = script_path(s, g, i), mean[TL_DOUBLE_TEXT];

	tl_format_double(mean, item->row.us);
	char *title = tl_strdupf("%s: %s µs on average in the trace, %" PRId64 " times", item->row.name, mean, item->row.count);
	tl_torch_script_write(&script, title, item->forms[TL_FORM_RECORD].text, s->tables);
	tl_write_text(path, &script);
	free(path);
	tl_buf_release(&script);
	free(title);
}

/* ---- files of lines ----------------------------------------------------------------------------- */

static const struct { enum tl_replay_form form; const char *file, *first; } line_files[] = {
	{ TL_FORM_HIPBLASLT, "hipblaslt-bench.sh", "#!/bin/sh\n" },
	{ TL_FORM_YAML, "hipblaslt-bench.yaml", "# hipblaslt-bench --yaml FILE\n" },
	{ TL_FORM_CUBLAS, "cublasMatmulBench.sh", "#!/bin/sh\n" },
	{ TL_FORM_MIOPEN, "MIOpenDriver.sh", "#!/bin/sh\n" },
	{ TL_FORM_RECORD, "ops.jsonl", "" },
};

static void add_lines(struct tl_buf *b, enum tl_replay_form form, const struct group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const char *text = g->items[i].forms[form].text, *why = g->items[i].forms[form].why;
		if (text)
			tl_buf_addf(b, "%s\n", text);
		else if (why && form != TL_FORM_RECORD)
			tl_buf_addf(b, "# %s %zu: %s\n", g->name, i, why);
	}
}

/* A file without a line is not written. */
static void write_lines(const struct set *s)
{
	for (size_t k = 0; k < sizeof line_files / sizeof *line_files; k++) {
		struct tl_buf b = { 0 };
		tl_buf_adds(&b, line_files[k].first);
		size_t empty = b.len;
		for (size_t i = 0; i < s->n; i++)
			add_lines(&b, line_files[k].form, &s->groups[i]);
		if (b.len > empty) {
			char *path = tl_join_path(s->folder, line_files[k].file);
			tl_write_text(path, &b);
			free(path);
		}
		tl_buf_release(&b);
	}
}

/* ---- the list ----------------------------------------------------------------------------------- */

static void add_group(struct tl_table *t, const struct set *s, const struct group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct tl_replay_item *item = &g->items[i];
		const struct tl_replay_row *r = &item->row;
		const char *line = item->forms[g->kind == TL_REPLAY_CONV ? TL_FORM_MIOPEN : TL_FORM_HIPBLASLT].text;
		char *script = item->forms[TL_FORM_RECORD].text ? script_path(s, g, i) : NULL;
		tl_table_add_row(t, (struct tl_cell[]){ tl_cell_str(t->strings, g->name), tl_cell_int((int64_t)i), tl_cell_str(t->strings, r->name),
			r->uid < 0 ? tl_cell_null() : tl_cell_int(r->uid), tl_cell_int(r->count), tl_cell_real(r->us), tl_cell_real(r->share),
			tl_cell_str(t->strings, r->dims), tl_cell_str(t->strings, r->strides), tl_cell_str(t->strings, r->types), tl_cell_str(t->strings, r->values),
			tl_cell_str(t->strings, script ? strrchr(script, '/') + 1 : NULL), tl_cell_str(t->strings, line) });
		free(script);
	}
}

/* ---- all ------------------------------------------------------------------------------------------ */

/* Writes the files of the groups to the folder: replay.tsv, which lists them; ops.jsonl; a script for each operator; files of
 * command lines. Warns of operators that cannot be run again. */
static void write_files(const struct set *s)
{
	tl_make_folder(s->folder);
	for (size_t k = 0; k < s->n; k++)
		for (size_t i = 0; i < s->groups[k].n; i++)
			if (s->groups[k].items[i].forms[TL_FORM_RECORD].text)
				write_script(s, &s->groups[k], i);
			else
				tl_warn("%s %zu: %s, so there is no script of it", s->groups[k].name, i, s->groups[k].items[i].forms[TL_FORM_RECORD].why);
	write_lines(s);
	static const char *const columns[] = { "group", "no.", "name", "UID_first", "name_count", "Kernel Time (µs)_mean",
		"kernel_time_sum_cum_pct", "Input Dims", "Input Strides", "Input type", "Concrete Inputs", "script", "command", NULL };
	struct tl_strtab strings = { 0 };
	struct tl_table *t = tl_table_new(&strings, 1, columns);
	char *path = tl_sheet_path(s->folder, "replay");
	for (size_t i = 0; i < s->n; i++)
		add_group(t, s, &s->groups[i]);
	tl_write_table(path, t);
	free(path);
	tl_table_free(t);
	tl_strtab_release(&strings);
}

/* ---- tools that run them ---------------------------------------------------------------------------
 * For each operator: PyTorch makes the call once while the library logs it; the log, edited, is what the benchmark is
 * run with; then PyTorch measures the call. */

enum { MAX_WORDS = 256, MAX_LOG = 64 << 20 };

struct tools {
	const struct set *set;
	const struct group *group;
	bool torch;           /* python3 with PyTorch is there */
	enum tl_bench bench;  /* the tool that is run; TL_BENCHES: none is there */
};

static bool has_torch(void)
{
	static const char *const argv[] = { "python3", "-c", "import torch", NULL };
	struct tl_buf out = { 0 };
	bool python = tl_has_program("python3");
	bool torch = python && !tl_program_output((struct tl_process){ .argv = argv, .errors = -1 }, NULL, &out, NULL);

	tl_buf_release(&out);
	if (!torch)
		tl_note("the scripts were not run: %s", python ? "python3 has no PyTorch (import torch)" : "python3 is not in PATH");
	return torch;
}

static enum tl_bench find_bench(const struct group *g)
{
	bool convolution = g->kind == TL_REPLAY_CONV;
	enum tl_bench first = convolution ? TL_BENCH_MIOPEN : TL_BENCH_HIPBLASLT;

	if (g->kind == TL_REPLAY_ATTENTION)
		return TL_BENCHES;
	if (tl_has_program(tl_bench_program(first)))
		return first;
	if (!convolution && tl_has_program(tl_bench_program(TL_BENCH_CUBLAS)))
		return TL_BENCH_CUBLAS;
	tl_note("%s: no benchmark was run: %s%s%s is not in PATH", g->what, tl_bench_program(first), convolution ? "" : " or ",
	        convolution ? "" : tl_bench_program(TL_BENCH_CUBLAS));
	return TL_BENCHES;
}

/* ---- logs -------------------------------------------------------------------------------------- */

/* What a file of the folder holds; it may be written afterwards, which tl_read_file() is against. False: there is no
 * such file, or nothing in it. */
static bool read_log(const char *path, struct tl_buf *log)
{
	char buf[65536];
	size_t n;
	FILE *f = fopen(path, "re");

	while (f && log->len < MAX_LOG && (n = fread(buf, 1, sizeof buf, f)) > 0)
		tl_buf_add(log, buf, n);
	if (f)
		fclose(f);
	return log->len > 0;
}

/* Runs the script. Returns whether it succeeded. */
static bool run_script(const struct tools *r, size_t i, bool once, const char *const *environment, int errors, struct tl_buf *out)
{
	char *script = script_path(r->set, r->group, i);
	const char *const argv[] = { "python3", script, "--device", r->set->device, once ? "--once" : NULL, NULL };
	int status = tl_program_output((struct tl_process){ .argv = argv, .environment = environment, .errors = errors }, NULL, out, NULL);

	if (status)
		tl_warn("%s %zu: %s failed with status %d", r->group->name, i, strrchr(script, '/') + 1, status);
	free(script);
	return !status;
}

/* Makes the call once; what the library logs of it, edited, becomes the file. */
static void log_call(const struct tools *r, size_t i, const char *path)
{
	const char *const gemm[] = { "HIPBLASLT_LOG_MASK", "32", "HIPBLASLT_LOG_FILE", path, NULL };
	const char *const conv[] = { "MIOPEN_ENABLE_LOGGING_CMD", "1", "MIOPEN_LOG_FILE", path, NULL };
	bool convolution = r->group->kind == TL_REPLAY_CONV;
	struct tl_buf out = { 0 }, log = { 0 }, commands = { 0 };

	int errors = convolution ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : 0;
	if (errors < 0)
		tl_die("%s: cannot write: %s", path, strerror(errno));
	run_script(r, i, true, convolution ? conv : gemm, errors, &out);
	if (errors)
		close(errors);
	if (read_log(path, &log)) {
		tl_bench_edit_log(convolution ? TL_BENCH_MIOPEN : TL_BENCH_HIPBLASLT, log.data, log.len, r->set->tables->rotate, &commands);
		tl_write_text(path, &commands);
	}
	tl_buf_release(&log);
	tl_buf_release(&commands);
	tl_buf_release(&out);
}

/* ---- benchmarks ---------------------------------------------------------------------------------- */

/* Runs one command line, whose words are separated by blanks. Appends what it prints. */
static bool run_line(const struct tools *r, size_t i, char *line, struct tl_buf *all)
{
	const char *argv[MAX_WORDS + 1];
	struct tl_buf out = { 0 };
	size_t n = 0;

	for (char *word; n < MAX_WORDS && (word = tl_next_word(&line, " \t\r"));)
		argv[n++] = word;
	argv[n] = NULL;
	if (!n)
		return true;
	if (strcmp(argv[0], tl_bench_program(r->bench))) {
		tl_warn("%s %zu: the log has a line that is no command of %s", r->group->name, i, tl_bench_program(r->bench));
		return false;
	}
	int status = tl_program_output((struct tl_process){ .argv = argv, .errors = -1 }, NULL, &out, NULL);
	if (status)
		tl_warn("%s %zu: %s failed with status %d", r->group->name, i, argv[0], status);
	tl_buf_adds(all, tl_buf_text(&out));
	tl_buf_release(&out);
	return !status;
}

/* Runs each line of the commands; the last result counts, of a backward pass all together. NaN: one failed, or printed no time. */
static double run_bench(const struct tools *r, size_t i, char *commands)
{
	struct tl_buf all = { 0 };
	double us = (double)NAN;
	bool good = true, passes = strstr(r->group->items[i].row.name, "backward") != NULL;

	for (char *line; good && (line = tl_next_word(&commands, "\n"));)
		good = run_line(r, i, line, &all);
	if (good && !tl_bench_time(r->bench, tl_buf_text(&all), passes, &us))
		tl_warn("%s %zu: %s printed no time", r->group->name, i, tl_bench_program(r->bench));
	tl_buf_release(&all);
	return us;
}

/* The commands that the library logged; without a log the one that was made of the arguments, which becomes the file
 * instead. NULL: there is none. */
static char *commands_of(const struct tools *r, size_t i, const char *path)
{
	const char *made = r->group->items[i].forms[r->bench == TL_BENCHES ? TL_BENCH_HIPBLASLT : r->bench].text;
	struct tl_buf line = { 0 };

	if (r->bench != TL_BENCH_CUBLAS && read_log(path, &line))
		return line.data;
	if (!made)
		return NULL;
	tl_buf_addf(&line, "%s\n", made);
	if (r->bench != TL_BENCH_CUBLAS)
		tl_write_text(path, &line);
	return line.data;
}

/* ---- an operator ---------------------------------------------------------------------------------- */

static double time_of_torch(const struct tools *r, size_t i)
{
	struct tl_buf out = { 0 };
	double us = (double)NAN;

	if (run_script(r, i, false, NULL, 0, &out) && !tl_last_number(tl_buf_text(&out), "us", &us))
		tl_warn("%s %zu: the script printed no time", r->group->name, i);
	tl_buf_release(&out);
	return us;
}

static void run_item(const struct tools *r, size_t i)
{
	struct tl_replay_item *item = &r->group->items[i];
	bool torch = r->torch && item->forms[TL_FORM_RECORD].text;
	const char *tool = r->group->kind == TL_REPLAY_CONV ? "miopen-driver" : "hipblaslt-bench";
	char *path = tl_strdupf("%s/%s-%zu.log", r->set->folder, tool, i);

	if (unlink(path) && errno != ENOENT)
		tl_die("%s: cannot remove: %s", path, strerror(errno));
	if (torch && r->group->kind != TL_REPLAY_ATTENTION)
		log_call(r, i, path);
	char *commands = r->bench == TL_BENCHES ? NULL : commands_of(r, i, path);
	if (commands)
		item->row.bench_us = run_bench(r, i, commands);
	else if (r->bench != TL_BENCHES)
		tl_warn("%s %zu: no command of %s: %s", r->group->name, i, tl_bench_program(r->bench), item->forms[r->bench].why);
	if (torch)
		item->row.replay_us = time_of_torch(r, i);
	free(commands);
	free(path);
}

/* Runs the operators of the groups with the tools that are there and fills in their times; the files must be there. What the
 * libraries log when PyTorch makes a call becomes a file of the folder, which the benchmark of the call is run with.
 * Warns of what fails, notes what is missing. */
static void run_operators(const struct set *s)
{
	bool torch = has_torch();

	for (size_t k = 0; k < s->n; k++) {
		struct tools r = { s, &s->groups[k], torch, s->groups[k].n ? find_bench(&s->groups[k]) : TL_BENCHES };
		for (size_t i = 0; i < s->groups[k].n && (torch || r.bench != TL_BENCHES); i++)
			run_item(&r, i);
	}
}

/* ---- groups ---------------------------------------------------------------------------------------- */

enum { GROUPS = 3 };
static struct group groups[GROUPS] = { { .name = "gemm", .what = "products of matrices", .kind = TL_REPLAY_GEMM },
	{ .name = "conv", .what = "convolutions", .kind = TL_REPLAY_CONV },
	{ .name = "attn", .what = "calls of attention", .kind = TL_REPLAY_ATTENTION } };

/* ---- the operators of groups ---------------------------------------------------------------------- */

static struct tl_sheet_sum sums[TL_OP_GROUPS]; /* with --reference: by group of op_groups */
static struct tl_sheet_sum times;              /* else: see replay_rows.h … */
static struct tl_table *times_sheet;           /* … and sorted */

/* Adds the operators of a trace to those of the traces before. */
static void add_trace(const char *path, const struct tl_op_groups *op_groups)
{
	struct tl_trace *t = load(path);
	struct tl_op_rows_left left;
	struct tl_error err;

	if (reference ? tl_op_rows_add(sums, t, tl_op_tables(), op_groups, &left, &err) :
	    tl_replay_rows_add(&times, t, tl_op_tables(), op_groups, &err))
		tl_die_error(tl_input_name(path), &err);
	tl_trace_free(t);
}

static struct tl_table *sheet_of_traces(size_t k, const struct tl_op_groups *op_groups)
{
	for (size_t g = 0; g < op_groups->n_groups[TL_GROUP_SHEET]; g++)
		if (!strcmp(op_groups->groups[TL_GROUP_SHEET][g], groups[k].name))
			return tl_op_rows_sheet(&sums[g]);
	return NULL;
}

/* NULL: the folder has no such sheet. */
static struct tl_table *sheet_of_folder(size_t k, struct tl_strtab *strings)
{
	char *path = tl_sheet_path(sheets, groups[k].name);
	struct tl_table *t = NULL;
	struct tl_error err;

	if (!access(path, F_OK)) {
		struct tl_input *in = tl_open_input(path);
		if (tl_tsv_read_table(in, strings, &(struct tl_tsv_columns){ NULL, NULL, tl_replay_column_type }, &t, &err))
			tl_die_error(path, &err);
		tl_close_input(in);
	}
	free(path);
	return t;
}

/* Takes those of the rows that make the share of the group's time. */
static void fill_group(struct group *g, const struct tl_replay_row *rows, size_t n)
{
	g->n = tl_replay_rows_taken(rows, n, SHARE, reference);
	g->items = tl_alloc((g->n + 1) * sizeof *g->items);
	for (size_t i = 0; i < g->n; i++)
		tl_replay_item_make(&g->items[i], &rows[i], g->kind, &tables);
	if (n)
		tl_tell("%s: %zu of %zu, which take %.1f %% of their time", g->what, g->n, n, rows[g->n - 1].share * 100);
}

static void fill_from_sheet(struct group *g, const struct tl_table *sheet)
{
	struct tl_replay_row *rows;
	struct tl_error err;
	size_t n;

	if (!sheet)
		return;
	if (tl_replay_rows_read(sheet, &rows, &n, &err))
		tl_die_error(g->name, &err);
	fill_group(g, rows, n);
	free(rows);
}

/* ---- the device time of the traces, and how much of it is run again -------------------------------- */

/* Is it a call of the group whose arguments are known? */
static bool is_call_of(const struct group *g, const struct tl_table *t, size_t row)
{
	const char *name = tl_table_text(t, row, CALL_GROUP, NULL);

	return name && !strcmp(name, g->name) && !tl_table_text(t, row, CALL_LEFT, NULL);
}

static void fill_from_times(struct group *g, const struct tl_table *t)
{
	struct tl_replay_row *rows = tl_calloc(t->n_rows + 1, sizeof *rows);
	int64_t *ticks = tl_alloc((t->n_rows + 1) * sizeof *ticks), total = 0, so_far = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		if (!is_call_of(g, t, i))
			continue;
		int64_t count = tl_table_cell(t, i, CALL_COUNT).i;
		double us = tl_cell_number(tl_table_cell(t, i, CALL_KERNEL_TIME_US), t->ticks_per_us);
		ticks[n] = tl_table_cell(t, i, CALL_KERNEL_TIME_US).i;
		total = tl_ticks_add(total, ticks[n]);
		rows[n++] = (struct tl_replay_row){ .name = tl_table_text(t, i, CALL_NAME, NULL), .dims = tl_table_text(t, i, CALL_INPUT_DIMS, NULL),
			.types = tl_table_text(t, i, CALL_INPUT_TYPE, NULL), .strides = tl_table_text(t, i, CALL_INPUT_STRIDES, NULL),
			.values = tl_table_text(t, i, CALL_CONCRETE_INPUTS, NULL), .us = us / (double)count, .count = count,
			.uid = tl_table_cell(t, i, CALL_UID).i, .bench_us = (double)NAN, .replay_us = (double)NAN };
	}
	for (size_t i = 0; i < n; i++) {
		so_far = tl_ticks_add(so_far, ticks[i]);
		rows[i].share = tl_divide(so_far, total);
	}
	fill_group(g, rows, n);
	free(ticks);
	free(rows);
}

#define RUN_AGAIN "run again"

/* What becomes of a row; seen: by group how many of its calls were met before. */
static const char *fate_of(const struct tl_table *t, size_t row, size_t seen[GROUPS])
{
	for (size_t k = 0; k < GROUPS; k++) {
		const struct group *g = &groups[k];
		if (!is_call_of(g, t, row))
			continue;
		size_t i = seen[k]++;
		for (int form = 0; i < g->n && form < TL_FORMS; form++)
			if (g->items[i].forms[form].text)
				return RUN_AGAIN;
		return i < g->n ? "cannot be called again" : "beyond 99 % of its group";
	}
	return tl_table_text(t, row, CALL_LEFT, NULL);
}

static void say_coverage(const struct tl_table *fates)
{
	struct tl_table *t = tl_sheet_make(&tl_replay_fate_sum_sheet, &(struct tl_sheet_input){ .rows = fates });
	struct tl_buf left = { 0 };
	double again = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		const char *what = tl_str(t->strings, tl_table_cell(t, i, 0).text);
		double percent = tl_cell_number(tl_table_cell(t, i, 2), 1);
		if (!strcmp(what, RUN_AGAIN))
			again = percent;
		else
			tl_buf_addf(&left, "%s%.1f %% %s", left.len ? ", " : "", percent, what);
	}
	tl_note("%.1f %% of the device time without communication are run again%s%s%s", again, left.len ? "; left out: " : "",
	        tl_buf_text(&left), left.len ? "; coverage.tsv names all" : "");
	tl_buf_release(&left);
	tl_table_free(t);
}

static void write_coverage(const struct tl_table *t)
{
	struct tl_table *fates = tl_table_new(t->strings, t->ticks_per_us, tl_replay_fate_rows);
	char *path = tl_sheet_path(folder, "coverage");
	size_t seen[GROUPS] = { 0 };

	for (size_t i = 0; i < t->n_rows; i++)
		tl_table_add_row(fates, (struct tl_cell[N_FATE]){ [FATE_WHAT] = tl_cell_str(fates->strings, fate_of(t, i, seen)),
			[FATE_NAME] = tl_table_cell(t, i, CALL_NAME), [FATE_COUNT] = tl_table_cell(t, i, CALL_COUNT),
			[FATE_KERNEL_TIME_US] = tl_table_cell(t, i, CALL_KERNEL_TIME_US) });
	struct tl_table *sheet = tl_sheet_make(&tl_replay_coverage_sheet, &(struct tl_sheet_input){ .rows = fates });
	tl_write_table(path, sheet);
	if (sheet->n_rows)
		say_coverage(fates);
	tl_table_free(sheet);
	tl_table_free(fates);
	free(path);
}

static void write_results(struct group *g)
{
	struct tl_strtab strings = { 0 };
	struct tl_replay_row *rows = tl_alloc((g->n + 1) * sizeof *rows);
	char *name = tl_strdupf("%s_node_replay", g->name), *path = tl_sheet_path(results, name);

	for (size_t i = 0; i < g->n; i++)
		rows[i] = g->items[i].row;
	struct tl_table *t = tl_replay_sheet(g->name, rows, g->n, &strings);
	tl_write_table(path, t);
	free(path);
	free(name);
	tl_table_free(t);
	tl_strtab_release(&strings);
	free(rows);
}

/* What was made, in the words of a note. */
static void say_what_is_there(void)
{
	struct tl_buf what = { 0 };

	for (size_t k = 0; k < GROUPS; k++)
		if (groups[k].n)
			tl_buf_addf(&what, "%s%zu %s", what.len ? ", " : "", groups[k].n, groups[k].what);
	if (!what.len)
		tl_warn("no products of matrices, no convolutions and no attention with recorded shapes: there is nothing to run again");
	else if (!run)
		tl_note("%s has %s to run again; --run runs them", folder, what.data);
	tl_buf_release(&what);
}

/* Fills the groups; the texts of their rows are in the tables. */
static void fill_groups(const struct tl_op_groups *op_groups, struct tl_table *tables_of[GROUPS], struct tl_strtab *strings)
{
	for (size_t k = 0; k < GROUPS; k++) {
		if (reference && groups[k].kind == TL_REPLAY_ATTENTION)
			continue; /* TraceLens has no attention */
		if (!sheets && !reference) {
			fill_from_times(&groups[k], times_sheet);
			continue;
		}
		tables_of[k] = sheets ? sheet_of_folder(k, strings) : sheet_of_traces(k, op_groups);
		fill_from_sheet(&groups[k], tables_of[k]);
	}
}

static void release_groups(struct tl_table *tables_of[GROUPS])
{
	for (size_t k = 0; k < GROUPS; k++) {
		for (size_t i = 0; i < groups[k].n; i++)
			tl_replay_item_release(&groups[k].items[i]);
		free(groups[k].items);
		tl_table_free(tables_of[k]);
	}
	tl_table_free(times_sheet);
	tl_sheet_sum_release(&times);
	for (size_t g = 0; g < TL_OP_GROUPS; g++)
		tl_sheet_sum_release(&sums[g]);
}

static void replay_groups(char **operands, size_t n)
{
	struct tl_table *tables_of[GROUPS] = { NULL };
	struct tl_op_groups op_groups;
	struct tl_strtab strings = { 0 };

	tl_op_groups_read(&op_groups);
	for (size_t i = 0; !sheets && i < (n ? n : 1); i++)
		add_trace(n ? operands[i] : NULL, &op_groups);
	if (!sheets && !reference)
		times_sheet = tl_sheet_make(&tl_replay_call_sum_sheet, &(struct tl_sheet_input){ .rows = tl_sheet_sum_rows(&times) });
	fill_groups(&op_groups, tables_of, &strings);
	const struct set all = { .groups = groups, .n = GROUPS, .folder = folder, .device = device, .tables = &tables };
	write_files(&all);
	say_what_is_there();
	if (times_sheet)
		write_coverage(times_sheet);
	if (run) {
		tl_make_folder(results);
		run_operators(&all);
	}
	for (size_t k = 0; run && k < GROUPS; k++)
		if (groups[k].n)
			write_results(&groups[k]);
	release_groups(tables_of);
	tl_strtab_release(&strings);
	tl_op_groups_release(&op_groups);
}

/* ---- single operators ------------------------------------------------------------------------------- */

/* Calls with the same name and arguments. */
struct calls { const char *name, *args[4]; size_t count; };
static struct calls *calls;
static size_t n_calls, cap_calls;
static struct tl_strtab seen;  /* the texts of calls[id - 1], one after the other */

struct wanted { uint64_t *uids; size_t n; };

static bool is_wanted(const struct tl_ev *e, const char *name, const struct wanted *w)
{
	if (tl_opt_list_has(&ops, name))
		return true;
	for (size_t i = 0; i < w->n; i++)
		if (e->uid == w->uids[i])
			return true;
	return false;
}

static void add_call(const char *name, const char *const args[4])
{
	struct tl_buf key = { 0 };

	tl_buf_adds(&key, name);
	for (size_t i = 0; i < 4; i++) {
		tl_buf_addc(&key, '\n');
		tl_buf_adds(&key, args[i] ? args[i] : "");
	}
	uint32_t id = tl_intern(&seen, key.data, key.len);
	tl_buf_release(&key);
	if (id > n_calls) {
		TL_PUSH(calls, n_calls, cap_calls, (struct calls){ name, { args[0], args[1], args[2], args[3] }, 0 });
	}
	calls[id - 1].count++;
}

static void find_calls(struct tl_trace *t, const struct wanted *w)
{
	static const char *const keys[] = { TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS };
	struct tl_arg members[4];

	for (size_t i = 0; i < 4; i++)
		members[i] = tl_arg_of(t, keys[i]);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const char *name = tl_str(&t->strings, t->events[i].name), *args[4];
		if (t->events[i].kind != TL_KIND_CPU_OP || !is_wanted(&t->events[i], name, w))
			continue;
		for (size_t k = 0; k < 4; k++) {
			struct tl_cell c = tl_arg_list_cell(t, &members[k], i);
			args[k] = c.type == TL_CELL_TEXT ? tl_str(&t->strings, c.text) : NULL;
		}
		add_call(tl_str(&t->strings, t->events[i].name), args);
	}
}

/* Appends the records of all calls; notes those without. */
static void write_records(struct tl_buf *lines)
{
	struct tl_arena arena = { 0 };

	for (size_t i = 0; i < n_calls; i++) {
		const struct calls *c = &calls[i];
		struct tl_recorded_op op;
		struct tl_error err;
		if (tl_recorded_op_read(&op, &arena, c->name, c->args[0], c->args[1], c->args[2], c->args[3], &err) ||
		    tl_replay_ir_write(lines, &op, &tables, c->count, &err))
			tl_warn("%s, %zu times: left out: %s", c->name, c->count, err.text);
		else
			tl_buf_addc(lines, '\n');
		tl_arena_clear(&arena);
	}
	tl_arena_release(&arena);
}

static void read_uids(struct wanted *w)
{
	w->uids = tl_alloc((uids.n + 1) * sizeof *w->uids);
	for (w->n = 0; w->n < uids.n; w->n++) {
		char *end;
		w->uids[w->n] = strtoull(uids.items[w->n], &end, 10);
		if (*end || end == uids.items[w->n])
			tl_usage("--uid expects a number, not '%s'", uids.items[w->n]);
	}
}

static void replay_events(const char *path)
{
	struct tl_buf lines = { 0 }, script = { 0 };
	struct wanted w;

	read_uids(&w);
	struct tl_trace *t = load(path);
	find_calls(t, &w);
	if (!n_calls)
		tl_die("%s: no operator has such a name or UID", tl_input_name(path));
	write_records(&lines);
	if (!lines.len)
		tl_die("%s: none of these operators can be run again", tl_input_name(path));
	if (!records)
		tl_torch_script_write(&script, "operators of a trace", lines.data, &tables);
	tl_write_text(common.output, records ? &lines : &script);
	tl_buf_release(&lines);
	tl_buf_release(&script);
	tl_strtab_release(&seen);
	free(calls);
	free(w.uids);
	tl_trace_free(t);
}

/* ---- main ------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);
	bool events = ops.n || uids.n;

	if (events && (run || sheets || reference))
		tl_usage("--op and --uid do not go with --run, --sheets and --reference");
	if (events && n > 1)
		tl_usage("--op and --uid expect one trace, %d given", n);
	if (!events && (records || common.output))
		tl_usage("%s needs --op or --uid", records ? "--ir" : "-o");
	if (sheets && n)
		tl_usage("--sheets does not go with a trace");
	if (!results)
		results = folder;
	read_tables();
	if (events)
		replay_events(n ? operands[0] : NULL);
	else
		replay_groups(operands, (size_t)n);
	tl_replay_tables_release(&tables);
	return 0;
}
