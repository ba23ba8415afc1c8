/* runner_slurm.c - runs a list of command lines as Slurm jobs: an array, and a job after it that merges.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/parts.h"
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOB_FILE "slurm-job"    /* the number of the job that merges */
#define SCRIPT "slurm-job.sh"
enum { USUAL_ARRAY_SIZE = 1001, MAX_POLL_MS = 10000 };

extern const char tl_data_slurm_job[];
extern const size_t tl_data_slurm_job_len;

/* ---- programs of Slurm ---------------------------------------------------------------------------- */

/* What a command of the shell prints, with a NUL; *status: how it ended. */
static struct tl_buf output_of(const char *command, int *status)
{
	struct tl_buf b = { 0 };
	size_t n;

	fflush(stdout);
	FILE *f = popen(command, "re");
	if (!f)
		tl_die("cannot start %s: %s", command, strerror(errno));
	do {
		tl_buf_reserve(&b, 4096);
		n = fread(b.data + b.len, 1, 4095, f);
		b.len += n;
	} while (n);
	b.data[b.len] = '\0';
	*status = pclose(f);
	return b;
}

/* The number behind NAME and "=" in what a command prints; -1: there is none. */
static int64_t number_in(const char *command, const char *name)
{
	int status;
	struct tl_buf b = output_of(command, &status);
	const char *at = strstr(b.data, name), *equals = at ? strchr(at, '=') : NULL;
	int64_t n = equals ? strtoll(equals + 1, NULL, 10) : -1;

	tl_buf_release(&b);
	return n;
}

/* Is the job waiting or running? */
static bool is_alive(const char *job)
{
	struct tl_buf command = { 0 };
	int status;

	tl_buf_adds(&command, "squeue --noheader --jobs ");
	tl_add_shell_word(&command, job);
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
};

static void add_option(struct tl_buf *b, const char *name, const char *folder, const char *file)
{
	struct tl_buf word = { 0 };
	char *path = folder ? tl_join_path(folder, file) : tl_strdup(file);

	tl_buf_addf(&word, "--%s=%s", name, path);
	tl_buf_addc(b, ' ');
	tl_add_shell_word(b, word.data);
	tl_buf_release(&word);
	free(path);
}

/* Submits a job that runs a line of the list, or of an array from there on. options: further words; the user's come before
 * them. Returns the number of the job. */
static char *submit(const struct jobs *j, const struct tl_buf *options, size_t line)
{
	struct tl_buf command = { 0 };
	int status;

	tl_buf_addf(&command, "sbatch --parsable%s %s ", options->data, j->script);
	tl_add_shell_word(&command, j->list);
	tl_buf_addf(&command, " %zu", line);
	struct tl_buf b = output_of(command.data, &status);
	b.data[strcspn(b.data, ";\n")] = '\0'; /* behind the semicolon stands the cluster */
	if (status || !*b.data)
		tl_die("sbatch took no job; the command was: %s", command.data);
	tl_buf_release(&command);
	return b.data;
}

/* ---- the jobs ----------------------------------------------------------------------------------------- */

/* Arrays of as many tasks as Slurm allows in one. Adds their numbers to `all`, each behind a colon. */
static void submit_arrays(const struct jobs *j, size_t n, struct tl_buf *all)
{
	int64_t size = number_in("scontrol show config", "MaxArraySize");
	size_t most = size > 1 ? (size_t)size - 1 : USUAL_ARRAY_SIZE - 1;

	for (size_t from = 0; from < n; from += most) {
		struct tl_buf options = { 0 };
		size_t tasks = n - from < most ? n - from : most;
		add_option(&options, "job-name", NULL, "tl-parts");
		add_option(&options, "output", j->run->folder, "slurm-%A_%a.out");
		tl_buf_addf(&options, " %s --array=1-%zu", tl_sbatch_options ? tl_sbatch_options : "", tasks);
		if (j->run->at_a_time)
			tl_buf_addf(&options, "%%%" PRId64, j->run->at_a_time);
		if (j->run->at_a_time && all->len) /* one array after the other */
			tl_buf_addf(&options, " --dependency=afterany%s", strrchr(all->data, ':'));
		char *job = submit(j, &options, from);
		printf("Slurm job %s: %zu part%s in %s; messages in slurm-%s_*.out there\n", job, tasks, tasks == 1 ? "" : "s",
		       j->run->folder, job);
		tl_buf_addf(all, ":%s", job);
		tl_buf_release(&options);
		free(job);
	}
}

static char *submit_merge(const struct jobs *j, size_t line, const struct tl_buf *after)
{
	struct tl_buf options = { 0 };

	add_option(&options, "job-name", NULL, "tl-merge");
	add_option(&options, "output", NULL, j->run->log);
	tl_buf_addf(&options, " %s%s%s", tl_sbatch_options ? tl_sbatch_options : "", after->len ? " --dependency=afterany" : "",
	            tl_buf_text(after));
	char *job = submit(j, &options, line);
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
	int64_t status = number_in(command.data, " ExitCode");
	if (status < 0)
		tl_die("Slurm does not tell how the job %s ended; its messages are in %s", job, log);
	if (!access(log, F_OK)) {
		size_t len;
		char *said = tl_read_file(log, SIZE_MAX / 2, &len);
		fwrite(said, 1, len, stdout);
		free(said);
	}
	tl_finish_stdout();
	_exit((int)status);
}

void tl_submit_to_slurm(const struct tl_task *tasks, size_t n, const struct tl_run *run)
{
	struct tl_buf all = { 0 }, script = { 0 };
	char *path = tl_join_path(run->folder, SCRIPT);

	tl_add_shell_word(&script, path);
	unsetenv("SLURM_ARRAY_TASK_ID"); /* jobs have the environment of this program */
	write_file(run->folder, SCRIPT, tl_data_slurm_job, tl_data_slurm_job_len);
	struct jobs j = { .run = run, .script = script.data, .list = tl_write_task_list(tasks, n, run->folder) };
	submit_arrays(&j, n, &all);
	char *job = submit_merge(&j, n + 1, &all);
	write_file(run->folder, JOB_FILE, job, strlen(job));
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
		char *job = tl_read_file(path, 100, &len);
		if (*job && !(self && !strcmp(self, job)) && is_alive(job))
			tl_die("%s: the Slurm job %s is going to merge the parts in this folder: wait for it, or scancel %s", folder, job, job);
		free(job);
	}
	free(path);
}

void tl_forget_slurm_job(const char *folder)
{
	char *path = tl_join_path(folder, JOB_FILE);

	unlink(path);
	free(path);
}
