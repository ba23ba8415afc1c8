/* runner.c - runs a list of command lines side by side.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/runner.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/threads.h"
#include "cli/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char tl_data_local[], tl_data_parallel[], tl_data_slurm[];
static const struct { const char *name, *script, *needs, *package; } known[] = {
	{ "local", tl_data_local, NULL, NULL },
	{ "parallel", tl_data_parallel, "parallel", "parallel" },
	{ "slurm", tl_data_slurm, "sbatch", "slurm-client" },
	{ "none", NULL, NULL, NULL },
};
enum { KNOWN = sizeof known / sizeof *known };

const char *tl_runner = "local", *tl_runner_hosts, *tl_sbatch_options;
bool tl_runner_waits;
static struct tl_opt_list command; /* of this program */

/* ---- options ------------------------------------------------------------------------------------ */

/* KNOWN: it is a file. */
static size_t index_of(const char *name)
{
	size_t i = 0;

	while (i < KNOWN && strcmp(name, known[i].name))
		i++;
	return i;
}

const char *tl_set_runner(void *dest, const char *name)
{
	*(const char **)dest = name;
	return index_of(name) < KNOWN || strchr(name, '/') ? NULL : "expected local, parallel, slurm, none or the path of a script";
}

bool tl_runner_is(const char *name)
{
	return !strcmp(tl_runner, name);
}

bool tl_runner_submits(void)
{
	return tl_runner_is("slurm") || index_of(tl_runner) == KNOWN;
}

/* The option that is added stands before "--", and is the last of its name. */
void tl_keep_command(int argc, char **argv)
{
	static const char merge[] = "--runner=none";
	bool added = false;

	command.items = tl_calloc((size_t)argc + 2, sizeof *command.items);
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

void tl_check_runner(void)
{
	size_t i = index_of(tl_runner);

	if (tl_runner_hosts && !tl_runner_is("parallel") && i < KNOWN)
		tl_usage("--hosts is for --runner parallel");
	if ((tl_sbatch_options || tl_runner_waits) && !tl_runner_submits() && !tl_runner_is("none"))
		tl_usage("--sbatch-options and --wait are for --runner slurm");
	if (i < KNOWN && known[i].needs && !tl_has_program(known[i].needs))
		tl_die("--runner needs the program %s, which is not here: install the package %s", known[i].needs, known[i].package);
	if (tl_runner_hosts)
		tl_will_read(tl_runner_hosts);
}

/* ---- the list of command lines ---------------------------------------------------------------------- */

static void add_line(struct tl_buf *b, const char *const *words, const char *folder)
{
	char *program = tl_program_path(words[0]);

	for (size_t i = 0; words[i]; i++) {
		if (strchr(words[i], '\n'))
			tl_die("%s: a line break in '%s' does not fit in the list of command lines", folder, words[i]);
		tl_buf_adds(b, i ? " " : "");
		tl_add_shell_word(b, i || !program ? words[i] : program);
	}
	tl_buf_addc(b, '\n');
	free(program);
}

/* Returns the path of the list, which the caller frees. */
static char *write_list(const struct tl_task *tasks, size_t n, const char *folder)
{
	char *path = tl_join_path(folder, "tasks");
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < n; i++)
		add_line(&b, tasks[i].argv, folder);
	if (tl_runner_submits())
		add_line(&b, command.items, folder);
	tl_write_text(path, &b);
	tl_buf_release(&b);
	return path;
}

/* ---- runners ------------------------------------------------------------------------------------------ */

/* The path of the file about jobs, which the caller frees; NULL: there is none. */
static char *jobs_file(const char *folder)
{
	char *path = tl_join_path(folder, "jobs");

	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

static void tell_ended(void *n_tasks, uint64_t n)
{
	tl_tell_progress(n, *(size_t *)n_tasks, "%llu of %zu traces are read", (unsigned long long)n, *(size_t *)n_tasks);
}

/* Calls a runner. out: NULL, it prints for the user. Returns its status. */
static int call(const char *runner, const char *what, const struct tl_run *run, const char *list, size_t n, struct tl_buf *out)
{
	char tasks[24], jobs[24], threads[24];
	int64_t side_by_side = run->at_a_time && (size_t)run->at_a_time < n ? run->at_a_time : (int64_t)n;
	bool tells = run->progress && n && tl_runner_is("local");
	int ends[2] = { 0, 0 };
	size_t i = index_of(runner);
	const char *const built_in[] = { "bash", "-c", i < KNOWN ? known[i].script : "", "bash", what, NULL };
	const char *const file[] = { "bash", runner, what, NULL };
	const char *slash = strrchr(command.items[0], '/');
	const char *given = getenv("TL_THREADS"); /* elsewhere each line has processors of its own */
	const char *const environment[] = { "TL_PROGRAM", slash ? slash + 1 : command.items[0],
		"TL_FOLDER", run->folder, "TL_THREADS", tl_runner_is("local") ? threads : given ? given : "", "TL_LIST", list, "TL_TASKS", tasks, "TL_JOBS", jobs,
		"TL_ENDED", tells ? "3" : "", "TL_LOG", run->log, "TL_OUTPUT", run->output, "TL_HOSTS", tl_runner_hosts ? tl_runner_hosts : "",
		"TL_SBATCH_OPTIONS", tl_sbatch_options ? tl_sbatch_options : "", NULL };
	struct tl_process p = { .argv = i < KNOWN ? built_in : file, .environment = environment, .out = STDOUT_FILENO, .own_group = true };

	tl_format_int(tasks, (int64_t)n);
	tl_format_int(jobs, run->at_a_time);
	tl_format_int(threads, side_by_side > 1 && tl_threads > side_by_side ? tl_threads / side_by_side : side_by_side > 1 ? 1 : tl_threads);
	tl_finish_stdout();
	if (out)
		return tl_program_output(p, NULL, out, NULL);
	if (tells && pipe2(ends, O_CLOEXEC))
		tl_die("cannot start %s: %s", runner, strerror(errno));
	p.ended = ends[1];
	pid_t pid = tl_try_program(&p);
	if (tells)
		close(ends[1]);
	if (tells && pid > 0)
		tl_read_until_end(pid, ends[0], tell_ended, &n);
	return pid < 0 ? TL_NO_PROGRAM : tl_wait_for_program(&pid);
}

bool tl_run_tasks(const struct tl_task *tasks, size_t n, const struct tl_run *run)
{
	if (tl_runner_is("none") || (!n && !tl_runner_submits()))
		return false;
	char *list = write_list(tasks, n, run->folder);
	tl_forget_jobs(run->folder); /* those of an earlier run have ended */
	int status = call(tl_runner, "run", run, list, n, NULL);
	if (status > 128)
		tl_die("the runner %s was ended by the signal %d", tl_runner, status - 128);
	if (status)
		exit(1); /* it has said why */
	char *jobs = jobs_file(run->folder);
	if (!jobs)
		unlink(list);
	free(list);
	free(jobs);
	return jobs;
}

int tl_wait_for_jobs(const struct tl_run *run)
{
	return call(tl_runner, "wait", run, "", 0, NULL);
}

void tl_check_jobs(const struct tl_run *run)
{
	char *path = jobs_file(run->folder);
	struct tl_buf said = { 0 };
	size_t len;

	if (!path)
		return;
	char *runner = tl_read_file(path, 1 << 20, &len);
	runner[strcspn(runner, "\n")] = '\0';
	if (*runner)
		call(runner, "busy", run, "", 0, &said);
	if (said.len)
		tl_die("%s: jobs work in this folder: %.*s", run->folder, (int)strcspn(said.data, "\n"), said.data);
	tl_buf_release(&said);
	free(runner);
	free(path);
}

void tl_forget_jobs(const char *folder)
{
	char *path = jobs_file(folder);

	if (path)
		unlink(path);
	free(path);
}
