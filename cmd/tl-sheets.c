/* tl-sheets.c - several filters over one trace, which is read once.
 *
 * With one thread they run one after the other; with more, in as many processes,
 * forked when the trace is in memory, so that they share its pages.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FILTERS = 16 };

static size_t n_filters(void)
{
	size_t n = 0;

	while (tl_filters[n])
		n++;
	return n;
}

static const char *dir;
static bool lenient, dot, dry_run;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 'd', "dir", "DIR", "write the sheets as DIR/NAME.tsv", TL_OPT_TEXT, &dir, 0, 0, NULL },
	{ 0, "dot", NULL, "end the list of paths with a line of a single dot, for tl-xlsx --list", TL_OPT_FLAG, &dot, 0, 0, NULL },
	{ 'n', "dry-run", NULL, "check the options and read the tables, but no trace", TL_OPT_FLAG, &dry_run, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events of a raw trace, and count them", TL_OPT_FLAG, &lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-sheets",
	.synopsis = "-d DIR [OPTION]... [FILE] [FILTER [ARGUMENT]... [+ FILTER [ARGUMENT]...]...]",
	.purpose = "run several filters over one trace, read once",
	.detail = "FILE is a raw trace or an event stream; without it, or with -, standard input is read.\n"
	          "FILTER is one of tl-timeline, tl-ops, tl-roofline, tl-kcat, tl-coll, with options of\n"
	          "its own; a single + ends it and its options. Without FILTER each runs, without options.",
	.options = options,
	.common = TL_COMMON_THREADS,
	.c = &common,
	.commands = true,
};

/* One filter to run. What it prints in another process comes through a pipe, to
 * be passed on in the order of the filters. */
struct command {
	const struct tl_filter *filter;
	size_t worker;  /* the process it runs in */
	int from, to;   /* ends of the pipe */
};

static const struct tl_filter *find(const char *name)
{
	for (size_t i = 0; tl_filters[i]; i++)
		if (!strcmp(tl_filters[i]->program->name, name))
			return tl_filters[i];
	return NULL;
}

/* ---- commands ------------------------------------------------------------------ */

/* Parses a filter's options; argv[0] is its name. */
static void set_up(struct command *c, char **argv, int argc)
{
	const struct tl_filter *f = c->filter;
	int n;

	tl_cli_start(f->program, argc, argv, &n);
	if (n)
		tl_usage("no file expected here: the trace stands before the first filter");
	if (f->program->c->output)
		tl_usage("-o has no place here: sheets go to the folder that tl-sheets -d names");
	if (!f->choice->dir)
		f->choice->dir = dir;
	f->program->c->quiet |= common.quiet;
	if (!f->prepare(0))
		tl_usage("makes no sheet with these options");
}

/* Splits the operands at each + into commands; returns their number. */
static size_t parse_commands(struct command *commands, char **argv, int argc)
{
	size_t n = 0;

	for (int at = 0, past; at < argc; at = past + 1) {
		const struct tl_filter *f = find(argv[at]);

		for (past = at; past < argc && strcmp(argv[past], "+"); past++)
			;
		tl_cli_become(&program);
		if (!f)
			tl_usage("'%s' is not one of the filters tl-timeline, tl-ops, tl-roofline, tl-kcat, tl-coll", argv[at]);
		for (size_t i = 0; i < n; i++)
			if (commands[i].filter == f)
				tl_usage("%s is named twice", argv[at]);
		commands[n] = (struct command){ .filter = f };
		argv[past] = NULL;
		set_up(&commands[n++], argv + at, past - at);
	}
	return n;
}

static size_t all_commands(struct command *commands)
{
	for (size_t i = 0; tl_filters[i]; i++) {
		char name[32], *argv[] = { name, NULL };

		snprintf(name, sizeof name, "%s", tl_filters[i]->program->name);
		commands[i] = (struct command){ .filter = tl_filters[i] };
		set_up(&commands[i], argv, 1);
	}
	return n_filters();
}

/* What all of them together need of the trace. */
static struct tl_load_options needs(const struct command *commands, size_t n)
{
	struct tl_load_options all = { .drop_kinds = UINT32_MAX, .lenient = lenient };

	for (size_t i = 0; i < n; i++) {
		const struct tl_load_options *one = commands[i].filter->load;

		if (one->rules)
			tl_usage("%s: tree edits concern every sheet: use tl-rewrite before tl-sheets", commands[i].filter->program->name);
		all.drop_kinds &= one->drop_kinds;
		all.lenient |= one->lenient;
		all.python |= one->python;
		all.recompute |= one->recompute;
	}
	return all;
}

/* ---- running ------------------------------------------------------------------- */

static void run(const struct command *c, struct tl_trace *trace, const char *input)
{
	tl_cli_become(c->filter->program);
	tl_filter_run(c->filter, trace, input);
	tl_cli_become(&program);
}

/* Gives each filter, the one with the most work first, to the process that has
 * least to do so far. Returns how many processes there are. */
static size_t share_out(struct command *commands, size_t n)
{
	size_t n_workers = n < (size_t)common.threads ? n : (size_t)common.threads;
	unsigned load[MAX_FILTERS] = { 0 };
	bool given[MAX_FILTERS] = { false };

	for (size_t round = 0; round < n; round++) {
		size_t next = n, least = 0;

		for (size_t i = 0; i < n; i++)
			if (!given[i] && (next == n || commands[i].filter->weight > commands[next].filter->weight))
				next = i;
		for (size_t w = 1; w < n_workers; w++)
			if (load[w] < load[least])
				least = w;
		given[next] = true;
		commands[next].worker = least;
		load[least] += commands[next].filter->weight;
	}
	return n_workers;
}

/* A process that runs the filters of one worker. */
static pid_t start(struct command *commands, size_t n, size_t worker, struct tl_trace *trace, const char *input)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		tl_die("cannot start another process: %s", strerror(errno));
	if (pid)
		return pid;
#ifdef PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* who stops the parent stops all */
	if (getppid() != parent)
		_exit(1);
#else
	(void)parent;
#endif
	for (size_t i = 0; i < n; i++) {
		close(commands[i].from);
		if (commands[i].worker != worker)
			close(commands[i].to);
	}
	for (size_t i = 0; i < n; i++) {
		if (commands[i].worker != worker)
			continue;
		if (dup2(commands[i].to, 1) < 0)
			tl_die("cannot write to a pipe: %s", strerror(errno));
		close(commands[i].to);
		run(&commands[i], trace, input);
	}
	_exit(0); /* all of it is the parent's to free */
}

static void pass_on(int from)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(from, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0)
			fwrite(buf, 1, (size_t)n, stdout);
		tl_finish_stdout();
	}
	close(from);
}

static bool ended_well(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			tl_die("cannot wait for a process: %s", strerror(errno));
	if (WIFSIGNALED(status))
		tl_warn("a process of filters ended by signal %d", WTERMSIG(status));
	return WIFEXITED(status) && !WEXITSTATUS(status); /* else it said itself why */
}

static bool run_beside(struct command *commands, size_t n, struct tl_trace *trace, const char *input)
{
	size_t n_workers = share_out(commands, n);
	pid_t pids[MAX_FILTERS];
	uint32_t unused;
	bool ok = true;

	signal(SIGCHLD, SIG_DFL); /* a parent that ignores it hands that on: nothing to wait for */
	if (trace->n_events)
		tl_trace_work(trace, 0, &unused); /* several of them ask for it: its index is made once */

	for (size_t i = 0; i < n; i++) {
		int ends[2];

		if (pipe(ends))
			tl_die("cannot make a pipe: %s", strerror(errno));
		commands[i].from = ends[0];
		commands[i].to = ends[1];
	}
	for (size_t w = 0; w < n_workers; w++)
		pids[w] = start(commands, n, w, trace, input);
	for (size_t i = 0; i < n; i++)
		close(commands[i].to);
	for (size_t i = 0; i < n; i++)
		pass_on(commands[i].from);
	for (size_t w = 0; w < n_workers; w++)
		ok &= ended_well(pids[w]);
	return ok;
}

static bool make_sheets(struct command *commands, size_t n, const struct tl_load_options *load, const char *file)
{
	struct tl_trace *trace = tl_load_trace(file, load, &common);
	bool ok = true;

	tl_announce_sheets();
	if (common.threads > 1 && n > 1)
		ok = run_beside(commands, n, trace, tl_input_name(file));
	else
		for (size_t i = 0; i < n; i++)
			run(&commands[i], trace, tl_input_name(file));
	if (ok && dot)
		puts(".");
	tl_finish_stdout();
	tl_trace_free(trace);
	return ok;
}

int main(int argc, char **argv)
{
	struct command commands[MAX_FILTERS];
	int n_operands;
	char **operands = tl_cli_start(&program, argc, argv, &n_operands);
	const char *file = NULL;

	if (!dir)
		tl_usage("-d DIR is needed: where the sheets go");
	if (n_operands && !find(operands[0])) {
		file = *operands++;
		n_operands--;
	}
	size_t n = n_operands ? parse_commands(commands, operands, n_operands) : all_commands(commands);
	tl_cli_become(&program);
	struct tl_load_options load = needs(commands, n);
	bool ok = dry_run || make_sheets(commands, n, &load, file);
	for (size_t i = 0; i < n; i++)
		if (commands[i].filter->release)
			commands[i].filter->release();
	return !ok;
}
