/* replay_run.c - operators run again, with PyTorch and the benchmarks of libraries.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "cli/programs.h"
#include "cli/replay_files.h"
#include "replay/bench_logs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- tools that run them ---------------------------------------------------------------------------
 * For each operator: PyTorch makes the call once while the library logs it; the log, edited, is what the benchmark is
 * run with; then PyTorch measures the call. */

enum { MAX_WORDS = 256, MAX_LOG = 64 << 20 };

struct tools {
	const struct tl_replay_set *set;
	const struct tl_replay_group *group;
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

static enum tl_bench find_bench(const struct tl_replay_group *g)
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

static char *log_path(const struct tools *r, size_t i)
{
	return tl_strdupf("%s/%s-%zu.log", r->set->folder, r->group->kind == TL_REPLAY_CONV ? "miopen-driver" : "hipblaslt-bench", i);
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
static bool run_script(const struct tools *r, size_t i, bool once, const char *const *environment, int errors, struct tl_buf *out)
{
	char *script = tl_replay_script_path(r->set, r->group, i);
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
	char *path = log_path(r, i);

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

void tl_replay_run(const struct tl_replay_set *s)
{
	bool torch = has_torch();

	for (size_t k = 0; k < s->n; k++) {
		struct tools r = { s, &s->groups[k], torch, s->groups[k].n ? find_bench(&s->groups[k]) : TL_BENCHES };
		for (size_t i = 0; i < s->groups[k].n && (torch || r.bench != TL_BENCHES); i++)
			run_item(&r, i);
	}
}
