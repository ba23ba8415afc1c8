/* rank_parts.c - the parts of a group of traces in files.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/rank_parts.h"

#include "analysis/trace_facts.h"
#include "cli/filter.h"
#include "cli/rank_collectives.h"
#include "multi/op_rows.h"
#include "multi/part_table.h"
#include "table/tsv.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define END "end.tsv"

/* ---- folders and files ------------------------------------------------------------------- */

char *tl_part_folder(const struct tl_parts_options *o, const struct tl_group_file *f)
{
	struct tl_buf name = { 0 };

	tl_buf_addf(&name, "%s.part", f->name);
	char *path = tl_path_in(o->work, name.data);
	tl_buf_release(&name);
	return path;
}

static char *table_path(const char *folder, const char *name)
{
	struct tl_buf file = { 0 };

	tl_buf_addf(&file, "%s.tsv", name);
	char *path = tl_path_in(folder, file.data);
	tl_buf_release(&file);
	return path;
}

static void write_table(const char *folder, const char *name, const struct tl_table *t)
{
	char *path = table_path(folder, name);
	struct tl_error err;

	if (t) {
		struct tl_output *out = tl_open_output(path, false);
		if (tl_tsv_write(t, out, &err))
			tl_die_error(path, &err);
		tl_close_output(out);
	} else if (unlink(path) && errno != ENOENT) {
		tl_die("%s: cannot remove: %s", path, strerror(errno));
	}
	free(path);
}

/* NULL: the part has no such table or, if it need not be sound, a damaged one. */
static struct tl_table *read_table(const char *folder, const char *name, bool sound, struct tl_strtab *strings,
                                   enum tl_cell_type (*type_of)(const char *))
{
	char *path = table_path(folder, name);
	struct tl_table *t = NULL;
	struct tl_error err;

	if (!access(path, F_OK)) {
		struct tl_input *in = tl_open_input(path);
		if (tl_part_table_read(in, strings, type_of, &t, &err) && sound)
			tl_die_error(path, &err);
		tl_close_input(in);
	}
	free(path);
	return t;
}

/* ---- the end record ------------------------------------------------------------------------ */

static const char *const end_columns[] = {
	"trace", "size", "changed", "rank", "no_device_events", "fell_back", "failed_events", "without_kernels", "kernels", "program", "options", NULL
};
enum { TRACE, SIZE, CHANGED, RANK, NO_DEVICE_EVENTS, FELL_BACK, FAILED_EVENTS, WITHOUT_KERNELS, KERNELS, PROGRAM, OPTIONS };

static enum tl_cell_type end_type(const char *column)
{
	bool text = !strcmp(column, "trace") || !strcmp(column, "program") || !strcmp(column, "options");

	return text ? TL_CELL_TEXT : TL_CELL_INT;
}

static void write_end(const struct tl_parts_options *o, const char *folder, const struct tl_group_file *f, int64_t rank,
                      const struct tl_multi_part *p)
{
	struct tl_strtab strings = { 0 };
	struct tl_table *t = tl_table_new(&strings, 1, end_columns);
	const char *options = tl_options_given();

	tl_table_add_row(t, (struct tl_cell[]){ tl_cell_text(tl_intern_str(&strings, f->name)), tl_cell_int((int64_t)f->size),
		tl_cell_int(f->time), tl_cell_int(rank), tl_cell_int(p->no_device_events), tl_cell_int(p->fell_back),
		tl_cell_int((int64_t)p->left.failed), tl_cell_int((int64_t)p->left.without_kernels), tl_cell_int(o->kernels), tl_cell_text(tl_intern_str(&strings, tl_version())),
		tl_cell_text(*options ? tl_intern_str(&strings, options) : 0) });
	write_table(folder, "end", t);
	tl_table_free(t);
	tl_strtab_release(&strings);
}

static bool is_text(const struct tl_table *t, int column, const char *text)
{
	struct tl_cell c = tl_table_cell(t, 0, (size_t)column);

	return !strcmp(c.type == TL_CELL_TEXT ? tl_str(t->strings, c.text) : "", text);
}

struct tl_part_end tl_part_end_read(const struct tl_parts_options *o, const struct tl_group_file *f)
{
	char *folder = tl_part_folder(o, f);
	struct tl_strtab strings = { 0 };
	struct tl_part_end end = { .rank = -1 };
	struct tl_table *t = read_table(folder, "end", false, &strings, end_type);

	if (t && t->n_rows == 1 && t->n_columns == sizeof end_columns / sizeof *end_columns - 1) {
		end.whole = is_text(t, TRACE, f->name) && is_text(t, PROGRAM, tl_version()) && is_text(t, OPTIONS, tl_options_given()) &&
			(uint64_t)tl_table_cell(t, 0, SIZE).i == f->size && tl_table_cell(t, 0, CHANGED).i == f->time &&
			tl_table_cell(t, 0, KERNELS).i == o->kernels;
		end.rank = tl_table_cell(t, 0, RANK).i;
		end.failed_events = tl_table_cell(t, 0, FAILED_EVENTS).i;
		end.without_kernels = tl_table_cell(t, 0, WITHOUT_KERNELS).i;
		end.no_device_events = tl_table_cell(t, 0, NO_DEVICE_EVENTS).i;
		end.fell_back = tl_table_cell(t, 0, FELL_BACK).i;
	}
	tl_table_free(t);
	tl_strtab_release(&strings);
	free(folder);
	return end;
}

/* ---- making parts ---------------------------------------------------------------------------- */

static int64_t rank_of_trace(const struct tl_trace *t)
{
	struct tl_trace_facts facts;

	tl_trace_facts_read(&facts, t);
	int64_t rank = facts.rank;
	tl_trace_facts_release(&facts);
	return rank;
}

static void write_part(const char *folder, const struct tl_parts_options *o, const struct tl_multi_part *p)
{
	for (size_t i = 0; i < TL_PART_TABLES; i++)
		write_table(folder, tl_multi_table_names[i], p->tables[i]);
	for (size_t i = 0; i < p->n_ops; i++)
		write_table(folder, o->groups->groups[TL_GROUP_SHEET][i], p->ops[i]);
	write_table(folder, "kernels", p->kernels);
}

static void make_part(const struct tl_parts_options *o, const char *trace_path, const struct tl_group_file *f)
{
	struct tl_load_options load = { .path = trace_path, .drop_kinds = TL_UNUSED_BY_SHEETS & ~(1u << TL_KIND_ANNOTATION),
		.lenient = o->lenient, .verbose = o->verbose };
	char *folder = tl_part_folder(o, f);
	struct tl_multi_part part;
	struct tl_error err;

	tl_make_folder(folder);
	write_table(folder, "end", NULL);
	struct tl_trace *t = tl_load_trace(&load);
	tl_mark_communication(t);
	if (tl_multi_part_make(&part, t, tl_op_tables(), o->groups, o->kernels, &err))
		tl_die_error(trace_path, &err);
	int64_t rank = f->rank >= 0 ? f->rank : rank_of_trace(t);
	write_part(folder, o, &part);
	tl_collectives_part_write(folder, t, rank, trace_path);
	write_end(o, folder, f, rank, &part);
	tl_multi_part_release(&part);
	tl_trace_free(t);
	free(folder);
}

static pid_t start(const struct tl_parts_options *o, const char *trace_path, const struct tl_group_file *f)
{
	pid_t parent = getpid();

	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		tl_die("cannot start a process: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it ended before the line above */
		_exit(1);
	make_part(o, trace_path, f);
	_exit(0);
}

/* Waits for one process; says what a process that was killed cannot say itself. */
static void await(const struct tl_trace_group *g, const pid_t *pids)
{
	int status;
	pid_t pid;

	do
		pid = wait(&status);
	while (pid < 0 && errno == EINTR);
	for (size_t i = 0; i < g->n; i++)
		if (pids[i] == pid && WIFSIGNALED(status))
			tl_warn("%s/%s: its process was ended by the signal %d%s", g->folder, g->files[i].name, WTERMSIG(status),
			        WTERMSIG(status) == SIGKILL ? ", as when memory runs out" : "");
}

void tl_parts_make(const struct tl_parts_options *o, const struct tl_trace_group *g)
{
	pid_t *pids = tl_calloc(g->n + 1, sizeof *pids);
	int64_t running = 0;

	tl_op_tables();
	for (size_t i = 0; i < g->n; i++) {
		if (tl_part_end_read(o, &g->files[i]).whole)
			continue;
		if (running == o->jobs) {
			await(g, pids);
			running--;
		}
		char *path = tl_path_in(g->folder, g->files[i].name);
		pids[i] = start(o, path, &g->files[i]);
		running++;
		free(path);
	}
	for (; running; running--)
		await(g, pids);
	free(pids);
}

/* ---- reading parts ------------------------------------------------------------------------------ */

void tl_part_read(const struct tl_parts_options *o, const struct tl_group_file *f, int64_t rank, struct tl_multi_merge *m)
{
	char *folder = tl_part_folder(o, f);
	struct tl_strtab strings = { 0 };

	tl_multi_merge_next(m, rank);
	for (size_t i = 0; i < TL_PART_TABLES; i++) {
		struct tl_table *t = read_table(folder, tl_multi_table_names[i], true, &strings, tl_multi_column_type);
		if (!t)
			tl_die("%s: the part lacks the table %s", folder, tl_multi_table_names[i]);
		tl_multi_merge_table(m, i, t);
		tl_table_free(t);
	}
	for (size_t i = 0; i < o->groups->n_groups[TL_GROUP_SHEET]; i++) {
		struct tl_table *t = read_table(folder, o->groups->groups[TL_GROUP_SHEET][i], true, &strings, tl_op_rows_column_type);
		if (t)
			tl_multi_merge_ops(m, i, t);
		tl_table_free(t);
	}
	tl_strtab_release(&strings);
	free(folder);
}

/* ---- the work folder -------------------------------------------------------------------------------- */

static int lock = -1;

void tl_parts_lock(const char *work)
{
	char *path = tl_path_in(work, "lock");

	tl_make_folder(work);
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (lock < 0)
		tl_die("%s: %s", path, strerror(errno));
	if (flock(lock, LOCK_EX | LOCK_NB))
		tl_die("%s: another tl-multi works in this folder", work);
	free(path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

void tl_parts_remove(const char *work)
{
	if (nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		tl_warn("%s: cannot remove all of it: %s", work, strerror(errno));
	close(lock);
	lock = -1;
}
