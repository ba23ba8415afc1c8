/* runner.h - runs a list of command lines side by side: as processes, by GNU parallel, or as Slurm jobs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RUNNER_H
#define TL_RUNNER_H

#include "cli/cli.h"

/* ---- options ------------------------------------------------------------------------------- */
enum tl_runner { TL_RUNNER_LOCAL, TL_RUNNER_PARALLEL, TL_RUNNER_SLURM, TL_RUNNER_NONE };
#define TL_RUNNER_OPTIONS \
	{ 0, "runner", "HOW", "what makes the parts: local (the default), parallel, slurm or none", TL_OPT_CALL, &tl_runner, 0, 0, tl_set_runner }, \
	{ 0, "hosts", "FILE", "with --runner parallel: ssh hosts, one a line", TL_OPT_TEXT, &tl_runner_hosts, 0, 0, NULL }, \
	{ 0, "sbatch-options", "ARGS", "with --runner slurm: options for sbatch, as '-p long -t 60'", TL_OPT_TEXT, &tl_sbatch_options, 0, 0, NULL }, \
	{ 0, "wait", NULL, "with --runner slurm: wait for the jobs", TL_OPT_FLAG, &tl_runner_waits, 0, 0, NULL }
extern enum tl_runner tl_runner;
extern const char *tl_runner_hosts, *tl_sbatch_options;
extern bool tl_runner_waits;
const char *tl_set_runner(void *dest, const char *name);
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
	int64_t at_a_time;  /* tasks, with parallel on each host; 0: as many as there are processors, with Slurm any number */
};
/* Runs the tasks to the last one, also if some fail: these have said why, but for those that a signal ended, which an error
 * message names. With Slurm the program submits jobs, of which the last one merges, and ends. */
void tl_run_tasks(const struct tl_task *, size_t n, const struct tl_run *);

/* ---- for the files of runners ------------------------------------------------------------------ */
/* Writes the command lines, as a shell reads them, a line each, and one that merges. Returns the path, which the caller frees. */
char *tl_write_task_list(const struct tl_task *, size_t n, const char *folder);
void tl_submit_to_slurm(const struct tl_task *, size_t n, const struct tl_run *) __attribute__((noreturn));
/* Ends the program if Slurm jobs are going to make or merge the parts in a folder, and this program is not the one that merges. */
void tl_check_slurm_job(const char *folder);
/* The job has merged them. */
void tl_forget_slurm_job(const char *folder);

#endif
