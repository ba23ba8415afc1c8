/* rank_files.c - the files of a job's ranks: their parts, and the sheets of each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/rank_files.h"
#include "cli/filter.h"
#include "cli/programs.h"
#include "cli/step_files.h"

#include "ranks/rank_part.h"
#include "ranks/side_by_side.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tl_rank_files_take(struct tl_rank_files *files, const struct tl_rank_traces *traces)
{
	files->n = traces->n;
	files->items = tl_calloc(files->n + 1, sizeof *files->items);
	for (size_t i = 0; i < files->n; i++)
		files->items[i] = (struct tl_rank_file){ .name = tl_strdup(traces->items[i].path), .rank = traces->items[i].rank };
}

/* Drops the scratch file of a rank. */
static void drop_part(struct tl_rank_file *f)
{
	if (f->scratch && f->part)
		tl_remove_scratch(f->part);
	f->scratch = false;
	f->part = NULL;
}

static void release_file(struct tl_rank_file *f)
{
	drop_part(f);
	free(f->kept);
	free(f->name);
}

void tl_rank_files_release(struct tl_rank_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		release_file(&files->items[i]);
	free(files->items);
}

/* ---- programs side by side --------------------------------------------------------------- */

/* Starts the program that reads a trace; false: there is nothing to start. */
typedef bool start_fn(const struct tl_rank_files *, struct tl_rank_file *, void *ctx);

/* Waits for one of the programs. what: what it was to make. */
static void wait_for_one(struct tl_rank_files *files, const char *what)
{
	pid_t pid = -1;
	int status = tl_wait_for_program(&pid);

	for (size_t i = 0; i < files->n; i++) {
		struct tl_rank_file *f = &files->items[i];
		if (f->pid != pid)
			continue;
		f->pid = 0;
		if (!status)
			return;
		if (status > 128)
			tl_warn("%s: the program that reads it was ended by the signal %d", f->name, status - 128);
		if (!files->lenient)
			tl_die("%s: no %s of this rank could be made (--lenient goes on without)", f->name, what);
		tl_warn("%s: no %s of this rank could be made: it is left out", f->name, what);
		drop_part(f);
	}
}

static void run_for_each(struct tl_rank_files *files, start_fn *start, void *ctx, const char *what)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t most = files->workers ? files->workers : processors > 0 ? processors : 1, running = 0;

	for (size_t i = 0; i < files->n; i++) {
		if (running == most) {
			wait_for_one(files, what);
			running--;
		}
		running += start(files, &files->items[i], ctx);
	}
	while (running-- > 0)
		wait_for_one(files, what);
}

/* Adds the options that decide what is read. */
static size_t add_options(const struct tl_rank_files *files, const char **argv, size_t n)
{
	if (files->quiet)
		argv[n++] = "-q";
	if (files->lenient)
		argv[n++] = "--lenient";
	for (size_t i = 0; i < tl_communication_named.n; i++) {
		argv[n++] = "--communication";
		argv[n++] = tl_communication_named.items[i];
	}
	return n;
}

static const char **new_words(void)
{
	return tl_calloc(16 + 2 * tl_communication_named.n, sizeof(char *));
}

/* ---- parts --------------------------------------------------------------------------------- */

static bool is_part(const char *path)
{
	char start[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, start, sizeof start);

	if (fd >= 0)
		close(fd);
	return n > 0 && tl_rank_part_begins(start, (size_t)n);
}

/* Is the file the whole part of the trace, as this is now? */
static bool is_part_of(const char *file, const char *trace)
{
	struct tl_rank_part p;
	struct tl_error err;
	struct stat st;

	if (!is_part(file) || stat(trace, &st))
		return false;
	struct tl_input *in = tl_open_input(file);
	bool good = tl_rank_part_read(&p, in, &err) == TL_OK;
	tl_close_input(in);
	if (!good)
		return false;
	good = p.end.size == st.st_size && p.end.modified == st.st_mtime && !strcmp(p.end.trace, trace);
	tl_rank_part_release(&p);
	return good;
}

/* The part's file in the folder of parts: the trace's path, with "%" for "/". */
static char *kept_part(const struct tl_rank_files *files, const char *trace)
{
	struct tl_buf name = { 0 };

	for (; *trace; trace++)
		if (*trace == '/' || *trace == '%')
			tl_buf_adds(&name, *trace == '/' ? "%" : "%%");
		else
			tl_buf_addc(&name, *trace);
	tl_buf_adds(&name, ".part");
	char *path = tl_join_path(files->parts, name.data);
	tl_buf_release(&name);
	return path;
}

static bool start_part(const struct tl_rank_files *files, struct tl_rank_file *f, void *ctx)
{
	const char *temp = getenv("TMPDIR");
	size_t n = 0;

	(void)ctx;
	if (is_part(f->name)) {
		f->part = f->name;
		return false;
	}
	f->made = true;
	if (files->parts) {
		f->part = f->kept = kept_part(files, f->name);
		if (is_part_of(f->part, f->name))
			return false;
	} else {
		close(tl_open_scratch(temp && *temp ? temp : "/tmp", "tl-ranks", &f->part));
		f->scratch = true;
	}
	const char **argv = new_words();
	argv[n++] = "tl-ranks";
	argv[n++] = "--part";
	n = add_options(files, argv, n);
	argv[n++] = "-o";
	argv[n++] = f->part;
	argv[n++] = "--";
	argv[n++] = f->name;
	f->pid = tl_start_program(argv);
	free(argv);
	return true;
}

void tl_rank_files_make_parts(struct tl_rank_files *files)
{
	if (files->parts)
		tl_make_folder(files->parts);
	run_for_each(files, start_part, NULL, "part");
}

/* Reads a part for what its last line says; false: it cannot be used. */
static bool look_at_part(const struct tl_rank_files *files, struct tl_rank_file *f)
{
	struct tl_input *in = tl_open_input(f->part);
	struct tl_rank_part p;
	struct tl_error err;
	enum tl_status st = tl_rank_part_read(&p, in, &err);

	tl_close_input(in);
	if (st) {
		if (!files->lenient)
			tl_die_error(f->name, &err);
		tl_warn("%s: %s: this rank is left out", f->name, err.text);
		return false;
	}
	if (f->rank < 0)
		f->rank = p.end.rank;
	f->gpus = p.end.gpus;
	tl_rank_part_release(&p);
	if (f->rank < 0)
		tl_die("%s: neither the name nor the trace tells the rank: see --rank_regex", f->name);
	return true;
}

static int by_rank(const void *a, const void *b)
{
	const struct tl_rank_file *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Keeps the files that keep() wants, in their order; last: the one kept before, or NULL. */
static void keep_files(struct tl_rank_files *files,
                       bool (*keep)(struct tl_rank_files *, struct tl_rank_file *, const struct tl_rank_file *last))
{
	size_t kept = 0;

	for (size_t i = 0; i < files->n; i++) {
		struct tl_rank_file *f = &files->items[i];
		if (keep(files, f, kept ? &files->items[kept - 1] : NULL))
			files->items[kept++] = *f;
		else
			release_file(f);
	}
	files->n = kept;
}

static bool can_be_used(struct tl_rank_files *files, struct tl_rank_file *f, const struct tl_rank_file *last)
{
	(void)last;
	return f->part && look_at_part(files, f);
}

static bool is_new(struct tl_rank_files *files, struct tl_rank_file *f, const struct tl_rank_file *last)
{
	if (!last || f->rank != last->rank)
		return true;
	if (!files->lenient)
		tl_die("%s and %s both are of rank %" PRId64, last->name, f->name, f->rank);
	tl_warn("%s: left out: it is of rank %" PRId64 ", as %s is", f->name, f->rank, last->name);
	return false;
}

void tl_rank_files_arrange(struct tl_rank_files *files)
{
	keep_files(files, can_be_used);
	if (!files->n)
		tl_die("no rank can be used");
	qsort(files->items, files->n, sizeof *files->items, by_rank);
	keep_files(files, is_new);
}

/* ---- the sheets of each ----------------------------------------------------------------------- */

/* The caller frees it. */
static char *folder_of(const struct tl_rank_file *f, const char *folder)
{
	char name[32] = "rank";

	tl_format_int(name + 4, f->rank);
	return tl_join_path(folder, name);
}

static bool start_sheets(const struct tl_rank_files *files, struct tl_rank_file *f, void *folder)
{
	struct tl_buf names = { 0 };
	size_t n = 0;

	if (!f->made)
		return false;
	const char **argv = new_words();
	char *path = folder_of(f, folder);
	for (size_t i = 0; i < TL_SIDE_SHEETS; i++)
		tl_buf_addf(&names, "%s%s", i ? "," : "", tl_side_sheets[i].sheet);
	argv[n++] = "tl-sheets";
	n = add_options(files, argv, n);
	argv[n++] = "--sheets";
	argv[n++] = names.data;
	argv[n++] = "-d";
	argv[n++] = path;
	argv[n++] = "--";
	argv[n++] = f->name;
	f->pid = tl_start_program(argv);
	tl_buf_release(&names);
	free(path);
	free(argv);
	return true;
}

static void read_sheets(struct tl_side_by_side *s, const struct tl_rank_file *f, const char *folder)
{
	char *path = folder_of(f, folder);
	struct tl_error err;

	for (size_t i = 0; i < TL_SIDE_SHEETS; i++) {
		struct tl_buf name = { 0 };
		tl_buf_addf(&name, "%s.tsv", tl_side_sheets[i].sheet);
		char *file = tl_join_path(path, name.data);
		if (!access(file, F_OK)) {
			struct tl_input *in = tl_open_input(file);
			if (tl_side_add(s, f->rank, i, in, &err) != TL_OK)
				tl_die_error(file, &err);
			tl_close_input(in);
		} else if (!i) {
			tl_warn("%s: the sheets of rank %" PRId64 " are not here: it is not in ranks_...", path, f->rank);
		}
		free(file);
		tl_buf_release(&name);
	}
	free(path);
}

void tl_rank_files_compare(struct tl_rank_files *files, const char *folder, struct tl_output *(*create)(void *, const char *),
                           void (*finish)(void *, struct tl_output *))
{
	struct tl_side_by_side *s = tl_side_new();
	struct tl_error err;

	run_for_each(files, start_sheets, (void *)(uintptr_t)folder, "sheets");
	for (size_t i = 0; i < files->n; i++)
		if (files->items[i].part)
			read_sheets(s, &files->items[i], folder);
	if (tl_side_write(s, create, finish, NULL, &err) != TL_OK)
		tl_die("%s", err.text);
	tl_side_free(s);
}
