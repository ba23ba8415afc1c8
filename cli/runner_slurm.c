/* runner_slurm.c - runs a list of command lines as Slurm jobs: an array, and a job after it that merges.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/parts.h"
#include "cli/cli.h"
#include "cli/programs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOB_FILE "slurm-job"    /* the numbers of the jobs; the last one merges */
#define SCRIPT "slurm-job.sh"
enum { USUAL_ARRAY_SIZE = 1001, MAX_POLL_MS = 10000 };

extern const char tl_data_slurm_job[];
extern const size_t tl_data_slurm_job_len;

/* ---- programs of Slurm ---------------------------------------------------------------------------- */

/* What a command of the shell prints, with a NUL; *status: how it ended. */
static struct tl_buf output_of(const char *command, int *status)
{
	struct tl_buf b = { 0 };

	*status = tl_program_output((struct tl_process){ .argv = (const char *const[]){ "sh", "-c", command, NULL } }, &b);
	return b;
}

/* The word behind NAME and "=" in what a command prints; NULL: there is none. The caller frees it. */
static char *value_in(const char *command, const char *name)
{
	int status;
	struct tl_buf b = output_of(command, &status);
	const char *at = strstr(b.data, name), *equals = at ? strchr(at, '=') : NULL;
	const char *word = equals ? equals + 1 + strspn(equals + 1, " ") : "";
	char *value = *word ? tl_strndup(word, strcspn(word, " \n")) : NULL;

	tl_buf_release(&b);
	return value;
}

/* The last one of numbers that are separated by spaces. */
static const char *last_of(const char *numbers)
{
	const char *space = strrchr(numbers, ' ');

	return space ? space + 1 : numbers;
}

/* Is one of the jobs waiting or running? They are separated by spaces. */
static bool is_alive(const char *jobs)
{
	struct tl_buf command = { 0 };
	int status;

	tl_buf_adds(&command, "squeue --noheader --jobs ");
	for (; *jobs; jobs++)
		tl_buf_addc(&command, *jobs == ' ' ? ',' : *jobs);
	tl_buf_adds(&command, " 2>/dev/null");
	struct tl_buf b = output_of(command.data, &status);
	bool alive = b.len > 0;
	tl_buf_release(&command);
	tl_buf_release(&b);
	return alive;
}

struct jobs {
	const struct tl_run *run;
	char *script, *list;
	struct tl_buf numbers; /* of those that were submitted, separated by spaces */
};

/* behind: what follows the path; in it, but not in the path, Slurm replaces what begins with "%". */
static void add_output(struct tl_buf *b, const char *path, const char *behind)
{
	struct tl_buf word = { 0 };

	tl_buf_adds(&word, "--output=");
	for (; *path; path++) {
		tl_buf_adds(&word, *path == '%' ? "%" : "");
		tl_buf_addc(&word, *path);
	}
	tl_buf_adds(&word, behind);
	tl_buf_addc(b, ' ');
	tl_add_shell_word(b, word.data);
	tl_buf_release(&word);
}

/* None of the jobs is left behind when one is refused. */
static void __attribute__((noreturn)) give_up(const struct jobs *j, const char *refused)
{
	struct tl_buf command = { 0 };
	int status;

	tl_say_error("sbatch took no job; the command was: %s", refused);
	if (j->numbers.len) {
		tl_buf_addf(&command, "scancel %s", j->numbers.data);
		output_of(command.data, &status);
		tl_die(status ? "the jobs before that one are not cancelled; to cancel them: scancel %s" :
		       "the jobs before that one are cancelled: %s", j->numbers.data);
	}
	exit(1);
}

/* Submits a job that runs a line of the list, or of an array from there on. options: further words; the user's come before
 * them. Returns its number, the last one of j->numbers. */
static const char *submit(struct jobs *j, const struct tl_buf *options, size_t line)
{
	struct tl_buf command = { 0 };
	int status;

	tl_buf_addf(&command, "sbatch --parsable%s %s ", options->data, j->script);
	tl_add_shell_word(&command, j->list);
	tl_buf_addf(&command, " %zu", line);
	struct tl_buf b = output_of(command.data, &status);
	b.data[strcspn(b.data, ";\n")] = '\0'; /* behind the semicolon stands the cluster */
	if (status || !*b.data)
		give_up(j, command.data);
	tl_buf_addf(&j->numbers, "%s%s", j->numbers.len ? " " : "", b.data);
	tl_buf_release(&command);
	tl_buf_release(&b);
	return last_of(j->numbers.data);
}

/* ---- the jobs ----------------------------------------------------------------------------------------- */

/* Arrays of as many tasks as Slurm allows in one. */
static void submit_arrays(struct jobs *j, size_t n)
{
	char *size = value_in("scontrol show config", "MaxArraySize");
	size_t given = size ? strtoul(size, NULL, 10) : 0, most = (given > 1 ? given : USUAL_ARRAY_SIZE) - 1;

	for (size_t from = 0; from < n; from += most) {
		struct tl_buf options = { 0 };
		size_t tasks = n - from < most ? n - from : most;
		tl_buf_adds(&options, " --job-name=tl-parts");
		add_output(&options, j->run->folder, "/slurm-%A_%a.out");
		tl_buf_addf(&options, " %s --array=1-%zu", tl_sbatch_options ? tl_sbatch_options : "", tasks);
		if (j->run->at_a_time)
			tl_buf_addf(&options, "%%%" PRId64, j->run->at_a_time);
		if (j->run->at_a_time && from) /* one array after the other */
			tl_buf_addf(&options, " --dependency=afterany:%s", last_of(j->numbers.data));
		const char *job = submit(j, &options, from);
		printf("Slurm job %s: %zu part%s in %s; messages in slurm-%s_*.out there\n", job, tasks, tasks == 1 ? "" : "s",
		       j->run->folder, job);
		tl_buf_release(&options);
	}
	free(size);
}

/* Returns the number of the job. */
static const char *submit_merge(struct jobs *j, size_t line)
{
	struct tl_buf options = { 0 };

	tl_buf_adds(&options, " --job-name=tl-merge");
	add_output(&options, j->run->log, "");
	tl_buf_addf(&options, " %s", tl_sbatch_options ? tl_sbatch_options : "");
	if (j->numbers.len)
		tl_buf_adds(&options, " --dependency=afterany:");
	for (size_t i = 0; i < j->numbers.len; i++)
		tl_buf_addc(&options, j->numbers.data[i] == ' ' ? ':' : j->numbers.data[i]);
	const char *job = submit(j, &options, line);
	printf("Slurm job %s: merges the parts into %s; messages in %s\n", job, j->run->output, j->run->log);
	tl_buf_release(&options);
	return job;
}

static void write_file(const char *folder, const char *name, const char *text, size_t len)
{
	char *path = tl_join_path(folder, name);
	struct tl_buf b = { 0 };

	tl_buf_add(&b, text, len);
	tl_write_text(path, &b);
	tl_buf_release(&b);
	free(path);
}

/* Waits for the job; shows what it said, and ends as it did. */
static void __attribute__((noreturn)) end_like(const char *job, const char *log)
{
	struct tl_buf command = { 0 };

	tl_finish_stdout();
	for (useconds_t ms = 100; is_alive(job); ms = ms < MAX_POLL_MS ? 2 * ms : MAX_POLL_MS)
		usleep(1000 * ms);
	tl_buf_adds(&command, "scontrol show job ");
	tl_add_shell_word(&command, job);
	const char *state = value_in(command.data, "JobState"), *code = value_in(command.data, " ExitCode");
	int status = code ? atoi(code) : 0;
	if (!status && (!state || strcmp(state, "COMPLETED")))
		tl_die("Slurm says of the job %s that it is %s; its messages are in %s", job, state ? state : "not known", log);
	if (!access(log, F_OK)) {
		size_t len;
		char *said = tl_read_file(log, SIZE_MAX / 2, &len);
		fwrite(said, 1, len, stdout);
		free(said);
	}
	tl_finish_stdout();
	_exit(status);
}

void tl_submit_to_slurm(const struct tl_task *tasks, size_t n, const struct tl_run *run)
{
	struct tl_buf script = { 0 };
	char *path = tl_join_path(run->folder, SCRIPT);

	tl_add_shell_word(&script, path);
	free(path);
	unsetenv("SLURM_ARRAY_TASK_ID"); /* jobs have the environment of this program */
	write_file(run->folder, SCRIPT, tl_data_slurm_job, tl_data_slurm_job_len);
	struct jobs j = { .run = run, .script = script.data, .list = tl_write_task_list(tasks, n, run->folder) };
	submit_arrays(&j, n);
	const char *job = submit_merge(&j, n + 1);
	write_file(run->folder, JOB_FILE, j.numbers.data, j.numbers.len);
	if (!tl_runner_waits) {
		tl_finish_stdout();
		_exit(0); /* what its callers hold is of no use any more */
	}
	tl_parts_unlock();
	end_like(job, run->log);
}

/* ---- the folder of parts -------------------------------------------------------------------------------- */

void tl_check_slurm_job(const char *folder)
{
	char *path = tl_join_path(folder, JOB_FILE);
	const char *self = getenv("SLURM_JOB_ID");
	size_t len;

	if (!access(path, F_OK)) {
		char *jobs = tl_read_file(path, 1 << 20, &len);
		if (*jobs && !(self && !strcmp(self, last_of(jobs))) && is_alive(jobs))
			tl_die("%s: Slurm jobs work in this folder: wait for the job %s, which merges the parts, or scancel %s", folder,
			       last_of(jobs), jobs);
		free(jobs);
	}
	free(path);
}

void tl_forget_slurm_job(const char *folder)
{
	char *path = tl_join_path(folder, JOB_FILE);

	unlink(path);
	free(path);
}
