/* runner.c - runs a list of command lines side by side.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/runner.h"
#include "cli/programs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum tl_runner tl_runner;
const char *tl_runner_hosts, *tl_sbatch_options;
bool tl_runner_waits;
static struct tl_opt_list command; /* of this program */

/* ---- options ------------------------------------------------------------------------------------ */

const char *tl_set_runner(void *dest, const char *name)
{
	static const char *const names[] = { [TL_RUNNER_LOCAL] = "local", [TL_RUNNER_PARALLEL] = "parallel",
		[TL_RUNNER_SLURM] = "slurm", [TL_RUNNER_NONE] = "none" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i])) {
			*(enum tl_runner *)dest = (enum tl_runner)i;
			return NULL;
		}
	return "expected local, parallel, slurm or none";
}

/* The option that is added stands before "--", and is the last of its name. */
void tl_keep_command(int argc, char **argv)
{
	static const char merge[] = "--runner=none";
	bool added = false;

	command.items = tl_calloc((size_t)argc + 1, sizeof *command.items);
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--") && !added) {
			command.items[command.n++] = merge;
			added = true;
		}
		command.items[command.n++] = argv[i];
	}
	if (!added)
		command.items[command.n++] = merge;
}

static void need(const char *program, const char *package)
{
	if (!tl_has_program(program))
		tl_die("--runner needs the program %s, which is not here: install the package %s", program, package);
}

void tl_check_runner(void)
{
	if (tl_runner_hosts && tl_runner != TL_RUNNER_PARALLEL)
		tl_usage("--hosts is for --runner parallel");
	if ((tl_sbatch_options || tl_runner_waits) && tl_runner != TL_RUNNER_SLURM && tl_runner != TL_RUNNER_NONE)
		tl_usage("--sbatch-options and --wait are for --runner slurm");
	if (tl_runner == TL_RUNNER_PARALLEL)
		need("parallel", "parallel");
	if (tl_runner == TL_RUNNER_PARALLEL && tl_runner_hosts)
		tl_will_read(tl_runner_hosts);
	if (tl_runner == TL_RUNNER_SLURM)
		need("sbatch", "slurm-client");
}

/* ---- the list of command lines ---------------------------------------------------------------------- */

static void add_line(struct tl_buf *b, const char *const *words, size_t n, const char *folder)
{
	char *program = tl_program_path(words[0]);

	for (size_t i = 0; i < n; i++) {
		if (strchr(words[i], '\n'))
			tl_die("%s: a line break in '%s' does not fit in the list of command lines", folder, words[i]);
		tl_buf_adds(b, i ? " " : "");
		tl_add_shell_word(b, i || !program ? words[i] : program);
	}
	tl_buf_addc(b, '\n');
	free(program);
}

char *tl_write_task_list(const struct tl_task *tasks, size_t n, const char *folder)
{
	char *path = tl_join_path(folder, "tasks");
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < n; i++) {
		size_t words = 0;
		while (tasks[i].argv[words])
			words++;
		add_line(&b, tasks[i].argv, words, folder);
	}
	if (tl_runner == TL_RUNNER_SLURM)
		add_line(&b, command.items, command.n, folder);
	tl_write_text(path, &b);
	tl_buf_release(&b);
	return path;
}

/* ---- processes ----------------------------------------------------------------------------------------- */

static void wait_for_one(const struct tl_task *tasks, pid_t *pids, size_t n)
{
	pid_t pid = -1;
	int status = tl_wait_for_program(&pid);

	for (size_t i = 0; i < n; i++) {
		if (pids[i] != pid)
			continue;
		pids[i] = 0;
		if (status > 128)
			tl_say_error("%s: the program that reads it was ended by the signal %d%s", tasks[i].name, status - 128,
			             status - 128 == SIGKILL ? ", as when memory runs out" : "");
	}
}

static void run_here(const struct tl_task *tasks, size_t n, int64_t at_a_time)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t most = at_a_time > 0 ? (size_t)at_a_time : processors > 0 ? (size_t)processors : 1;
	pid_t *pids = tl_calloc(n + 1, sizeof *pids);

	for (size_t i = 0; i < n; i++) {
		if (i >= most)
			wait_for_one(tasks, pids, i);
		pids[i] = tl_start_program(tasks[i].argv);
	}
	for (size_t running = n < most ? n : most; running; running--)
		wait_for_one(tasks, pids, n);
	free(pids);
}

/* ---- GNU parallel ------------------------------------------------------------------------------------------ */

static void run_by_parallel(const struct tl_task *tasks, size_t n, const struct tl_run *run)
{
	enum { FAILED_TASKS = 101 }; /* up to here the status tells how many tasks failed */
	char *list = tl_write_task_list(tasks, n, run->folder), jobs[24];
	const char *argv[12] = { "parallel", "--arg-file", list };
	size_t words = 3;

	if (run->at_a_time) {
		tl_format_int(jobs, run->at_a_time);
		argv[words++] = "--jobs";
		argv[words++] = jobs;
	}
	if (tl_runner_hosts) {
		argv[words++] = "--sshloginfile";
		argv[words++] = tl_runner_hosts;
		argv[words++] = "--workdir";
		argv[words++] = ".";
	}
	/* the lines are written for it; without SHELL, as in a job of cron, parallel cannot tell which to take */
	setenv("PARALLEL_SHELL", "/bin/sh", 1);
	pid_t pid = tl_start_program(argv);
	int status = tl_wait_for_program(&pid);
	if (status > FAILED_TASKS)
		tl_die("GNU parallel ended with the status %d", status);
	unlink(list);
	free(list);
}

void tl_run_tasks(const struct tl_task *tasks, size_t n, const struct tl_run *run)
{
	if (tl_runner == TL_RUNNER_SLURM)
		tl_submit_to_slurm(tasks, n, run);
	else if (tl_runner == TL_RUNNER_PARALLEL && n)
		run_by_parallel(tasks, n, run);
	else if (tl_runner == TL_RUNNER_LOCAL)
		run_here(tasks, n, run->at_a_time);
}
