/* runner.h - runs a list of command lines side by side, by a runner: a script for the shell.
 *
 * A runner is a file of cli/runners, or one of the user. Its environment says what there is to do: TL_LIST is a file with a
 * command line a line, of which the first TL_TASKS may run side by side, TL_JOBS at a time (0: any number), and the one behind
 * them merges what those made. Its first argument says what it does now:
 *   run   runs the lines to the last one, also if some fail, which have said why. This program then merges. Or it submits jobs
 *         for the lines and one more that merges, and writes TL_FOLDER/jobs: its name, and a line for itself.
 *   busy  if such jobs wait or run, and this is not the one that merges, it prints what can be done about them.
 *   wait  waits for the job that merges, prints what that said, and ends as it did.
 * Further variables are TL_LOG, for the messages of the job that merges, TL_OUTPUT, what that writes, TL_HOSTS and
 * TL_SBATCH_OPTIONS, which are empty if the option is not given.
 * TL_PROGRAM is the name of this program, for messages.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RUNNER_H
#define TL_RUNNER_H

#include "cli/cli.h"

/* ---- options ------------------------------------------------------------------------------- */
#define TL_RUNNER_OPTIONS \
	{ 0, "runner", "HOW", "what makes the parts: local (the default), parallel, slurm, none, or a script with a / in its path", \
	  TL_OPT_CALL, &tl_runner, 0, 0, tl_set_runner }, \
	{ 0, "hosts", "FILE", "with --runner parallel: ssh hosts, one a line", TL_OPT_TEXT, &tl_runner_hosts, 0, 0, NULL }, \
	{ 0, "sbatch-options", "ARGS", "with --runner slurm: options for sbatch, as '-p long -t 60'", TL_OPT_TEXT, &tl_sbatch_options, 0, 0, NULL }, \
	{ 0, "wait", NULL, "with --runner slurm: wait for the jobs", TL_OPT_FLAG, &tl_runner_waits, 0, 0, NULL }
extern const char *tl_runner, *tl_runner_hosts, *tl_sbatch_options;
extern bool tl_runner_waits;
const char *tl_set_runner(void *dest, const char *name);
/* Does the runner have this name? */
bool tl_runner_is(const char *name);
/* Does the runner leave the merge to a job? Such a one is called also if there is nothing to run. */
bool tl_runner_submits(void);
/* Keeps the command line, which a job that merges runs with --runner=none. Call it after tl_cli_start, which may reorder the words. */
void tl_keep_command(int argc, char **argv);
/* Ends the program if options do not fit the runner, or a program is missing that the runner needs. */
void tl_check_runner(void);

/* ---- running ---------------------------------------------------------------------------------- */
struct tl_task {
	const char *name;   /* what the program reads, for messages */
	const char **argv;  /* ends with NULL; see tl_start_program */
	char *rank;         /* one of these words, that of the caller */
};
/* Where a runner keeps its files. */
struct tl_run {
	const char *folder; /* that of the parts */
	char *log;          /* the file that gets the messages of a job that merges */
	char *output;       /* what that job writes */
	bool progress;      /* the user is told how many tasks are done, by the runner "local" */
	int64_t at_a_time;  /* tasks, with parallel on each host; 0: as many as there are processors, with Slurm any number */
};
/* Runs the tasks. True: jobs were submitted, of which the last one merges. A runner that fails ends the program. */
bool tl_run_tasks(const struct tl_task *, size_t n, const struct tl_run *);
/* Waits for these jobs. Returns the status of the last one. */
int tl_wait_for_jobs(const struct tl_run *);
/* Ends the program if such jobs work in a folder, and this program is not the one that merges. */
void tl_check_jobs(const struct tl_run *);
/* The job has merged the parts. */
void tl_forget_jobs(const char *folder);

#endif
