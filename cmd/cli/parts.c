/* parts.c - parts of traces in files.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/parts.h"
#include "cli/cli.h"
#include "cli/programs.h"
#include "cli/rank_traces.h"
#include "base/escape.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK "lock"
enum { LONGEST_END = 65536 };

const char *tl_parts_folder;
bool tl_parts_keep, tl_part_only;
int64_t tl_part_rank = -1;
static struct tl_run run; /* its folder is the one that is open */
static int lock = -1;

static void unlock(void)
{
	close(lock);
	lock = -1;
}

/* Of the last change, in ns since 1970. */
static int64_t time_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* ---- the options that decide what is in a part ---------------------------------------------- */

static struct tl_opt_list deciding; /* --NAME=ARG */
static struct tl_buf options_text;  /* as a shell reads them; behind a file its size and time of change */
static struct tl_buf strict_text;   /* the same without --lenient */

static void add_option_text(struct tl_buf *text, const char *word, const char *arg)
{
	struct stat st;

	tl_buf_adds(text, text->len ? " " : "");
	tl_add_shell_word(text, word);
	if (arg && !stat(arg, &st) && S_ISREG(st.st_mode))
		tl_buf_addf(text, "@%" PRId64 "@%" PRId64, (int64_t)st.st_size, time_of(&st));
}

void tl_parts_seen(const struct tl_opt *o, const char *arg)
{
	static const char *const names[] = { "lenient", "communication", "step-marker", "ops", "op-categories", "kernels", "rank_sheets", NULL };
	struct tl_buf word = { 0 };

	if (!tl_is_one_of(names, o->long_name))
		return;
	tl_buf_addf(&word, "--%s%s%s", o->long_name, arg ? "=" : "", arg ? arg : "");
	TL_PUSH(deciding.items, deciding.n, deciding.cap, word.data);
	add_option_text(&options_text, word.data, arg);
	if (strcmp(o->long_name, "lenient"))
		add_option_text(&strict_text, word.data, arg);
}

static const char *program_text(const char *program)
{
	static struct tl_buf text;

	tl_buf_clear(&text);
	tl_buf_addf(&text, "%s %s.%d", program, tl_version(), TL_PART_VERSION);
	return text.data;
}

/* ---- the last line ------------------------------------------------------------------------------ */

static void look_at_trace(struct tl_part_end *e, const char *path)
{
	struct stat st;

	e->size = e->changed = 0;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	e->size = st.st_size;
	e->changed = time_of(&st);
}

struct tl_part_end tl_part_end_of(const char *program, const char *path)
{
	struct tl_part_end e = { .rank = tl_part_rank, .named = tl_part_rank, .trace = tl_input_name(path), .program = program_text(program),
		.options = tl_buf_text(&options_text) };

	if (path && strcmp(path, "-"))
		look_at_trace(&e, path);
	return e;
}

/* Reads the last line of a file; false: it is not that of a part. */
static bool read_end(struct tl_part_end *e, struct tl_strtab *strings, const char *path)
{
	static char text[LONGEST_END];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	off_t start = size > LONGEST_END ? size - LONGEST_END : 0;
	ssize_t n = fd < 0 ? 0 : pread(fd, text, sizeof text, start);
	struct tl_error err;

	if (fd >= 0)
		close(fd);
	if (n < 2 || text[n - 1] != '\n')
		return false;
	const char *line = memrchr(text, '\n', (size_t)n - 1);
	line = line ? line + 1 : text;
	return !tl_part_end_read(e, strings, line, (size_t)(text + n - line), &err);
}

/* A part that was made without --lenient is of a trace that has no damage, so it is the same with it. */
static bool has_options(const struct tl_part_end *end)
{
	return !strcmp(end->options, tl_buf_text(&options_text)) || !strcmp(end->options, tl_buf_text(&strict_text));
}

/* Looks whether the part is whole, of the trace as it is now, and as the options want it. */
static void look_at(struct tl_part *p, const char *program)
{
	struct tl_strtab strings = { 0 };
	struct tl_part_end end, now;

	look_at_trace(&now, p->trace);
	p->whole = read_end(&end, &strings, p->path) && end.size == now.size && end.changed == now.changed &&
		!strcmp(end.trace, p->trace) && !strcmp(end.program, program_text(program)) &&
		has_options(&end) && (end.named < 0 || end.named == p->named);
	if (p->whole) {
		p->rank = end.rank >= 0 ? end.rank : tl_rank_chosen(p->trace, -1, p->named, end.world);
		p->sheets_rank = tl_part_sheets_rank(&end);
		p->gpus = end.gpus;
		p->world = end.world;
	}
	tl_strtab_release(&strings);
}

/* ---- making parts --------------------------------------------------------------------------------- */

static struct tl_task task_of(const char *program, const struct tl_part *p, const struct tl_common *c)
{
	struct tl_task t = { .name = p->trace, .argv = tl_calloc(deciding.n + 10, sizeof *t.argv) };
	size_t n = 0;

	t.argv[n++] = program;
	t.argv[n++] = "--part";
	for (size_t i = 0; i < deciding.n; i++)
		t.argv[n++] = deciding.items[i];
	if (c->quiet)
		t.argv[n++] = "-q";
	if (c->verbose)
		t.argv[n++] = "-v";
	struct tl_buf rank = { 0 };
	tl_buf_addf(&rank, "--rank=%" PRId64, p->named);
	t.argv[n++] = t.rank = rank.data;
	t.argv[n++] = "-o";
	t.argv[n++] = p->path;
	t.argv[n++] = "--";
	t.argv[n++] = p->trace;
	return t;
}

bool tl_parts_are_whole(const char *program, struct tl_part *parts, size_t n)
{
	bool whole = true;

	for (size_t i = 0; i < n; i++) {
		look_at(&parts[i], program);
		whole = whole && parts[i].whole;
	}
	return whole;
}

void tl_parts_make(const char *program, struct tl_part *parts, size_t n, int64_t at_a_time, const struct tl_common *c)
{
	struct tl_task *tasks = tl_calloc(n + 1, sizeof *tasks);
	size_t n_tasks = 0;

	for (size_t i = 0; i < n; i++) {
		if (parts[i].made)
			look_at(&parts[i], program);
		if (parts[i].made && !parts[i].whole)
			tasks[n_tasks++] = task_of(program, &parts[i], c);
	}
	if (n_tasks && !tl_runner_is("none")) {
		/* what programs left that were killed while they made a part */
		static const char end[] = ".part.XXXXXX";
		DIR *d = opendir(run.folder);

		for (struct dirent *e; d && (e = readdir(d)); ) {
			size_t len = strlen(e->d_name);
			if (len >= sizeof end && tl_starts_with(e->d_name + len - (sizeof end - 1), ".part."))
				unlinkat(dirfd(d), e->d_name, 0);
		}
		if (d)
			closedir(d);
	}
	run.at_a_time = at_a_time;
	run.progress = !c->quiet && isatty(STDERR_FILENO);
	if (tl_run_tasks(tasks, n_tasks, &run)) { /* what its callers hold is of no use any more */
		unlock();
		_exit(tl_runner_waits ? tl_wait_for_jobs(&run) : 0);
	}
	if (n_tasks && tl_runner_is("none") && getenv("SLURM_JOB_ID"))
		tl_note("what the jobs said that made no part is in %s/slurm-*.out", run.folder);
	for (size_t i = 0; i < n; i++)
		if (parts[i].made && !parts[i].whole)
			look_at(&parts[i], program);
	for (size_t i = 0; i < n_tasks; i++) {
		free(tasks[i].rank);
		free(tasks[i].argv);
	}
	free(tasks);
}

/* ---- their folder ------------------------------------------------------------------------------------ */

/* A slash at the end is no part of the name, and no program may take it for an option. The caller frees it. */
static char *with_suffix(const char *path, const char *suffix)
{
	struct tl_buf b = { 0 };
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	tl_buf_addf(&b, "%s%.*s%s", *path == '-' ? "./" : "", (int)len, path, suffix);
	return b.data;
}

/* Is the folder not there, empty, or one of parts? */
static bool may_be_removed(const char *folder)
{
	DIR *d = opendir(folder);
	bool empty = true, has_lock = false;

	for (struct dirent *e; d && (e = readdir(d)); ) {
		empty = empty && (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."));
		has_lock = has_lock || !strcmp(e->d_name, LOCK);
	}
	if (d)
		closedir(d);
	return empty || has_lock;
}

char *tl_parts_folder_of(const char *output)
{
	return with_suffix(tl_parts_folder ? tl_parts_folder : output, tl_parts_folder ? "" : ".parts");
}

char *tl_parts_open(const char *output)
{
	char *folder = tl_parts_folder_of(output);
	char *path = tl_join_path(folder, LOCK);
	struct stat st;

	if (!tl_parts_folder && !may_be_removed(folder))
		tl_die("%s: this folder has other files than parts, and would be removed: say with --parts where parts go", folder);
	tl_make_folder(folder);
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (lock < 0)
		tl_die("%s: %s", path, strerror(errno));
	if (flock(lock, LOCK_EX | LOCK_NB) || fstat(lock, &st) || !st.st_nlink) /* no name: the folder is being removed */
		tl_die("%s: another program works in this folder", folder);
	run.folder = folder;
	run.output = tl_strdup(output);
	run.log = tl_parts_folder ? tl_join_path(folder, "merge.log") : with_suffix(output, ".log");
	tl_check_jobs(&run);
	free(path);
	return folder;
}

void tl_parts_close(char *folder, bool remove)
{
	tl_forget_jobs(folder);
	if (remove && !tl_parts_folder && !tl_parts_keep && !tl_remove_folder(folder))
		tl_warn("%s: cannot remove all of it", folder);
	unlock();
	free(run.log);
	free(run.output);
	free(folder);
}

/* "%" stands for "/". Of a name that is too long its end stands behind a hash of all of it. */
char *tl_part_path(const char *folder, const char *name)
{
	const size_t most = NAME_MAX - sizeof ".part.XXXXXX";
	struct tl_buf b = { 0 };

	for (const char *s = name; *s; s++)
		if (*s == '/' || *s == '%')
			tl_buf_adds(&b, *s == '/' ? "%" : "%%");
		else
			tl_buf_addc(&b, *s);
	if (b.len > most) {
		struct tl_buf end = { 0 };
		tl_buf_addf(&end, "%016" PRIx64 "%s", tl_hash(name, strlen(name)), b.data + b.len - (most - 16));
		tl_buf_release(&b);
		b = end;
	}
	tl_buf_adds(&b, ".part");
	char *path = tl_join_path(folder, b.data);
	tl_buf_release(&b);
	return path;
}

int64_t tl_part_sheets_rank(const struct tl_part_end *end)
{
	return end->named >= 0 ? end->named : end->rank;
}

void tl_parts_settle_ranks(struct tl_part *parts, size_t n)
{
	struct tl_rank_claim *claims = tl_calloc(n + 1, sizeof *claims);

	for (size_t i = 0; i < n; i++)
		claims[i] = (struct tl_rank_claim){ parts[i].trace, parts[i].named, &parts[i].rank };
	tl_ranks_settle(claims, n);
	free(claims);
}
