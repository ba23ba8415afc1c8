/* replay_files.c - the operators of groups as files that run them again, and run with the tools that are there.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/replay_files.h"

#include "base/text.h"
#include "cli/outputs.h"
#include "cli/programs.h"
#include "replay/bench_logs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- scripts --------------------------------------------------------------------------------- */

/* FOLDER/GROUP-I.py, to be freed. */
static char *script_path(const char *folder, const struct tl_replay_group *g, size_t i)
{
	struct tl_buf name = { 0 };

	tl_buf_addf(&name, "%s-%zu.py", g->name, i);
	char *path = tl_join_path(folder, name.data);
	tl_buf_release(&name);
	return path;
}

static void write_script(const char *folder, const struct tl_replay_group *g, size_t i, const struct tl_replay_tables *t)
{
	const struct tl_replay_item *item = &g->items[i];
	struct tl_buf title = { 0 }, script = { 0 };
	char *path = script_path(folder, g, i), mean[TL_DOUBLE_TEXT];

	tl_format_double(mean, item->row.us);
	tl_buf_addf(&title, "%s: %s µs on average in the trace, %" PRId64 " times", item->row.name, mean, item->row.count);
	tl_torch_script_write(&script, title.data, item->forms[TL_FORM_RECORD].text, t);
	tl_write_text(path, &script);
	free(path);
	tl_buf_release(&script);
	tl_buf_release(&title);
}

/* ---- files of lines ----------------------------------------------------------------------------- */

static const struct { enum tl_replay_form form; const char *file, *first; } line_files[] = {
	{ TL_FORM_HIPBLASLT, "hipblaslt-bench.sh", "#!/bin/sh\n" },
	{ TL_FORM_YAML, "hipblaslt-bench.yaml", "# hipblaslt-bench --yaml FILE\n" },
	{ TL_FORM_CUBLAS, "cublasMatmulBench.sh", "#!/bin/sh\n" },
	{ TL_FORM_MIOPEN, "MIOpenDriver.sh", "#!/bin/sh\n" },
	{ TL_FORM_RECORD, "ops.jsonl", "" },
};

static void add_lines(struct tl_buf *b, enum tl_replay_form form, const struct tl_replay_group *g)
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
static void write_lines(const char *folder, const struct tl_replay_group *groups, size_t n)
{
	for (size_t k = 0; k < sizeof line_files / sizeof *line_files; k++) {
		struct tl_buf b = { 0 };
		tl_buf_adds(&b, line_files[k].first);
		size_t empty = b.len;
		for (size_t i = 0; i < n; i++)
			add_lines(&b, line_files[k].form, &groups[i]);
		if (b.len > empty) {
			char *path = tl_join_path(folder, line_files[k].file);
			tl_write_text(path, &b);
			free(path);
		}
		tl_buf_release(&b);
	}
}

/* ---- the list ----------------------------------------------------------------------------------- */

static struct tl_cell text_cell(struct tl_table *t, const char *text)
{
	return text ? tl_cell_text(tl_intern_str(t->strings, text)) : tl_cell_null();
}

static void add_group(struct tl_table *t, const char *folder, const struct tl_replay_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct tl_replay_item *item = &g->items[i];
		const struct tl_replay_row *r = &item->row;
		const char *line = item->forms[g->convolution ? TL_FORM_MIOPEN : TL_FORM_HIPBLASLT].text;
		char *script = item->forms[TL_FORM_RECORD].text ? script_path(folder, g, i) : NULL;
		tl_table_add_row(t, (struct tl_cell[]){ text_cell(t, g->name), tl_cell_int((int64_t)i), text_cell(t, r->name),
			r->uid < 0 ? tl_cell_null() : tl_cell_int(r->uid), tl_cell_int(r->count), tl_cell_real(r->us), tl_cell_real(r->share),
			text_cell(t, r->dims), text_cell(t, r->strides), text_cell(t, r->types), text_cell(t, r->values),
			text_cell(t, script ? strrchr(script, '/') + 1 : NULL), text_cell(t, line) });
		free(script);
	}
}

static void write_list(const char *folder, const struct tl_replay_group *groups, size_t n)
{
	static const char *const columns[] = { "group", "no.", "name", "UID_first", "name_count", "Kernel Time (µs)_mean",
		"kernel_time_sum_cum_pct", "Input Dims", "Input Strides", "Input type", "Concrete Inputs", "script", "command", NULL };
	struct tl_strtab strings = { 0 };
	struct tl_table *t = tl_table_new(&strings, 1, columns);
	struct tl_sheet_files files = { .folder = folder };

	for (size_t i = 0; i < n; i++)
		add_group(t, folder, &groups[i]);
	tl_sheet_files_write(&files, "replay", t);
	tl_rename_outputs();
	tl_sheet_files_release(&files);
	tl_table_free(t);
	tl_strtab_release(&strings);
}

/* ---- all ------------------------------------------------------------------------------------------ */

void tl_replay_files_write(const char *folder, const struct tl_replay_group *groups, size_t n, const struct tl_replay_tables *t)
{
	tl_make_folder(folder);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < groups[k].n; i++)
			if (groups[k].items[i].forms[TL_FORM_RECORD].text)
				write_script(folder, &groups[k], i, t);
			else
				tl_warn("%s %zu: %s, so there is no script of it", groups[k].name, i, groups[k].items[i].forms[TL_FORM_RECORD].why);
	write_lines(folder, groups, n);
	write_list(folder, groups, n);
}

/* ---- operators run again -------------------------------------------------------------------------
 * For each: PyTorch makes the call once while the library logs it; the log, edited, is what the benchmark is
 * run with; then PyTorch measures the call. */

enum { MAX_WORDS = 256, MAX_LOG = 64 << 20 };

struct run {
	const struct tl_replay_group *group;
	const char *folder, *device;
	bool torch;           /* python3 with PyTorch is there */
	enum tl_bench bench;  /* the tool that is run; TL_BENCHES: none is there */
};

/* ---- tools ------------------------------------------------------------------------------------ */

static bool has_torch(void)
{
	static const char *const argv[] = { "python3", "-c", "import torch", NULL };
	struct tl_buf out = { 0 };
	bool python = tl_has_program("python3");
	bool torch = python && !tl_program_output((struct tl_process){ .argv = argv, .errors = -1 }, &out);

	tl_buf_release(&out);
	if (!torch)
		tl_note("the scripts were not run: %s", python ? "python3 has no PyTorch (import torch)" : "python3 is not in PATH");
	return torch;
}

static enum tl_bench find_bench(const struct tl_replay_group *g)
{
	enum tl_bench first = g->convolution ? TL_BENCH_MIOPEN : TL_BENCH_HIPBLASLT;

	if (tl_has_program(tl_bench_program(first)))
		return first;
	if (!g->convolution && tl_has_program(tl_bench_program(TL_BENCH_CUBLAS)))
		return TL_BENCH_CUBLAS;
	tl_note("%s: no benchmark was run: %s%s%s is not in PATH", g->what, tl_bench_program(first), g->convolution ? "" : " or ",
	        g->convolution ? "" : tl_bench_program(TL_BENCH_CUBLAS));
	return TL_BENCHES;
}

/* ---- logs -------------------------------------------------------------------------------------- */

static char *log_path(const struct run *r, size_t i)
{
	struct tl_buf name = { 0 };

	tl_buf_addf(&name, "%s-%zu.log", r->group->convolution ? "miopen-driver" : "hipblaslt-bench", i);
	char *path = tl_join_path(r->folder, name.data);
	tl_buf_release(&name);
	return path;
}

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
static bool run_script(const struct run *r, size_t i, bool once, const char *const *environment, int errors, struct tl_buf *out)
{
	char *script = script_path(r->folder, r->group, i);
	const char *const argv[] = { "python3", script, "--device", r->device, once ? "--once" : NULL, NULL };
	int status = tl_program_output((struct tl_process){ .argv = argv, .environment = environment, .errors = errors }, out);

	if (status)
		tl_warn("%s %zu: %s failed with status %d", r->group->name, i, strrchr(script, '/') + 1, status);
	free(script);
	return !status;
}

/* Makes the call once; what the library logs of it, edited, becomes the file. */
static void log_call(const struct run *r, size_t i, const char *path)
{
	const char *const gemm[] = { "HIPBLASLT_LOG_MASK", "32", "HIPBLASLT_LOG_FILE", path, NULL };
	const char *const conv[] = { "MIOPEN_ENABLE_LOGGING_CMD", "1", "MIOPEN_LOG_FILE", path, NULL };
	bool convolution = r->group->convolution;
	struct tl_buf out = { 0 }, log = { 0 }, commands = { 0 };

	int errors = convolution ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : 0;
	if (errors < 0)
		tl_die("%s: cannot write: %s", path, strerror(errno));
	run_script(r, i, true, convolution ? conv : gemm, errors, &out);
	if (errors)
		close(errors);
	if (read_log(path, &log)) {
		tl_bench_edit_log(convolution ? TL_BENCH_MIOPEN : TL_BENCH_HIPBLASLT, log.data, log.len, &commands);
		tl_write_text(path, &commands);
	}
	tl_buf_release(&log);
	tl_buf_release(&commands);
	tl_buf_release(&out);
}

/* ---- benchmarks ---------------------------------------------------------------------------------- */

/* Runs one command line, whose words are separated by blanks. Appends what it prints. */
static bool run_line(const struct run *r, size_t i, char *line, struct tl_buf *all)
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
	int status = tl_program_output((struct tl_process){ .argv = argv, .errors = -1 }, &out);
	if (status)
		tl_warn("%s %zu: %s failed with status %d", r->group->name, i, argv[0], status);
	tl_buf_adds(all, tl_buf_text(&out));
	tl_buf_release(&out);
	return !status;
}

/* Runs each line of the commands; the last result counts. NaN: one failed, or printed no time. */
static double run_bench(const struct run *r, size_t i, char *commands)
{
	struct tl_buf all = { 0 };
	double us = (double)NAN;
	bool good = true;

	for (char *line; good && (line = tl_next_word(&commands, "\n"));)
		good = run_line(r, i, line, &all);
	if (good && !tl_bench_time(r->bench, tl_buf_text(&all), &us))
		tl_warn("%s %zu: %s printed no time", r->group->name, i, tl_bench_program(r->bench));
	tl_buf_release(&all);
	return us;
}

/* The commands that the library logged; without a log the one that was made of the arguments, which becomes the file
 * instead. NULL: there is none. */
static char *commands_of(const struct run *r, size_t i, const char *path)
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

static double time_of_torch(const struct run *r, size_t i)
{
	struct tl_buf out = { 0 };
	double us = (double)NAN;

	if (run_script(r, i, false, NULL, 0, &out) && !tl_last_number(tl_buf_text(&out), "us", &us))
		tl_warn("%s %zu: the script printed no time", r->group->name, i);
	tl_buf_release(&out);
	return us;
}

static void run_item(const struct run *r, size_t i)
{
	struct tl_replay_item *item = &r->group->items[i];
	bool torch = r->torch && item->forms[TL_FORM_RECORD].text;
	char *path = log_path(r, i);

	if (unlink(path) && errno != ENOENT)
		tl_die("%s: cannot remove: %s", path, strerror(errno));
	if (torch)
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

void tl_replay_run(const struct tl_replay_group *groups, size_t n, const char *folder, const char *device)
{
	bool torch = has_torch();

	for (size_t k = 0; k < n; k++) {
		struct run r = { &groups[k], folder, device, torch, groups[k].n ? find_bench(&groups[k]) : TL_BENCHES };
		for (size_t i = 0; i < groups[k].n && (torch || r.bench != TL_BENCHES); i++)
			run_item(&r, i);
	}
}
