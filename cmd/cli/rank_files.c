/* rank_files.c - the traces and parts of a job's ranks that a user gave: which are used, and the parts and sheets of each.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/rank_files.h"

#include "base/text.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/programs.h"
#include "job/rank_part.h"
#include "job/side_by_side.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- parts --------------------------------------------------------------------------------- */

static bool is_part(const char *path)
{
	char start[sizeof TL_PART_START - 1];
	struct stat st;

	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		tl_die("%s: expected a file, which a program of its own can read", path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, start, sizeof start);

	if (fd >= 0)
		close(fd);
	return n > 0 && tl_text_is(start, (size_t)n, TL_PART_START);
}

void tl_rank_files_take(struct tl_rank_files *files, const struct tl_rank_traces *traces, const char *output)
{
	bool any = tl_runner_submits(); /* the merge is a job then */

	files->n = traces->n;
	files->items = tl_calloc(files->n + 1, sizeof *files->items);
	for (size_t i = 0; i < files->n; i++) {
		const struct tl_rank_trace *t = &traces->items[i];
		files->items[i] = (struct tl_part){ .trace = tl_strdup(t->path), .named = t->rank, .rank = -1, .made = !is_part(t->path) };
		any = any || files->items[i].made;
	}
	if (any)
		files->folder = tl_parts_open(output);
	for (size_t i = 0; i < files->n; i++) {
		struct tl_part *p = &files->items[i];
		p->path = p->made ? tl_part_path(files->folder, p->trace) : tl_strdup(p->trace);
	}
}

static void release_part(struct tl_part *p)
{
	free(p->trace);
	free(p->path);
}

void tl_rank_files_release(struct tl_rank_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		release_part(&files->items[i]);
	free(files->items);
	if (files->folder)
		tl_parts_close(files->folder, !files->left_out);
}

void tl_rank_files_make_parts(struct tl_rank_files *files, int64_t at_a_time, const struct tl_common *c)
{
	tl_parts_make("tl-ranks", files->items, files->n, at_a_time, c);
	for (size_t i = 0; i < files->n; i++) {
		const struct tl_part *p = &files->items[i];
		if (!p->made || p->whole)
			continue;
		files->left_out = true;
		if (files->lenient)
			tl_warn("%s: no part of this rank could be made: it is left out", p->trace);
		else
			tl_say_error("%s: no part of this rank could be made", p->trace);
	}
	if (files->left_out && !files->lenient)
		tl_die("no report without these ranks: the other parts are kept in %s, and the same command goes on from there, "
		       "with --lenient without these ranks", files->folder);
}

/* Reads a part that was given for what its last line says; false: it cannot be used. */
static bool look_at_part(const struct tl_rank_files *files, struct tl_part *f)
{
	struct tl_input *in = tl_open_input(f->path);
	struct tl_rank_part p;
	struct tl_error err;
	enum tl_status st = tl_rank_part_read(&p, in, NULL, NULL, 0, &err);

	tl_close_input(in);
	if (st) {
		if (!files->lenient)
			tl_die_error(f->trace, &err);
		tl_warn("%s: %s: this rank is left out", f->trace, err.text);
		return false;
	}
	f->named = p.end.named >= 0 ? p.end.named : f->named;
	f->rank = p.end.rank >= 0 ? p.end.rank : tl_rank_chosen(f->trace, -1, f->named, p.end.world);
	f->sheets_rank = tl_part_sheets_rank(&p.end);
	f->gpus = p.end.gpus;
	f->world = p.end.world;
	tl_rank_part_release(&p);
	return true;
}

static int by_rank(const void *a, const void *b)
{
	const struct tl_part *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Keeps the files that keep() wants, in their order; last: the one kept before, or NULL. */
static void keep_files(struct tl_rank_files *files,
                       bool (*keep)(struct tl_rank_files *, struct tl_part *, const struct tl_part *last))
{
	size_t kept = 0;

	for (size_t i = 0; i < files->n; i++) {
		struct tl_part *f = &files->items[i];
		if (keep(files, f, kept ? &files->items[kept - 1] : NULL))
			files->items[kept++] = *f;
		else
			release_part(f);
	}
	files->n = kept;
}

static bool can_be_used(struct tl_rank_files *files, struct tl_part *f, const struct tl_part *last)
{
	(void)last;
	return f->made ? f->whole : look_at_part(files, f);
}

static bool is_new(struct tl_rank_files *files, struct tl_part *f, const struct tl_part *last)
{
	if (!last || f->rank != last->rank)
		return true;
	if (files->sheets && last->made && f->made) { /* in one folder: to be made again */
		unlink(last->path);
		unlink(f->path);
	}
	if (!files->lenient || files->sheets)
		tl_die("%s and %s both are of rank %" PRId64, last->trace, f->trace, f->rank);
	tl_warn("%s: left out: it is of rank %" PRId64 ", as %s is", f->trace, f->rank, last->trace);
	return false;
}

static int by_world(const void *a, const void *b)
{
	const struct tl_part *x = a, *y = b;

	return (x->world > y->world) - (x->world < y->world);
}

static bool is_of_job(struct tl_rank_files *files, struct tl_part *f, const struct tl_part *last)
{
	(void)last;
	if (!f->world || f->world == files->world)
		return true;
	if (!files->lenient)
		tl_die("%s is of another job: it says that there are %" PRId64 " ranks, others say %" PRId64
		       " (--lenient goes on without)", f->trace, f->world, files->world);
	tl_warn("%s: left out: it says that there are %" PRId64 " ranks, most others say %" PRId64, f->trace, f->world, files->world);
	return false;
}

void tl_rank_files_arrange(struct tl_rank_files *files)
{
	keep_files(files, can_be_used);
	if (!files->n)
		tl_die("no rank can be used");
	tl_parts_settle_ranks(files->items, files->n);
	for (size_t i = 0; i < files->n; i++)
		if (files->items[i].rank < 0)
			tl_die("%s: neither the trace nor its name tells a rank of its own: see --rank_regex", files->items[i].trace);
	size_t most = 0, alike = 0;
	qsort(files->items, files->n, sizeof *files->items, by_world);
	for (size_t i = 0; i < files->n; i++) {
		alike = i && files->items[i].world == files->items[i - 1].world ? alike + 1 : 1;
		if (!files->items[i].world || alike <= most)
			continue;
		most = alike;
		files->world = files->items[i].world;
	}
	keep_files(files, is_of_job);
	qsort(files->items, files->n, sizeof *files->items, by_rank);
	keep_files(files, is_new);
}

/* ---- the sheets of each ----------------------------------------------------------------------- */

/* The caller frees it. */
static char *folder_of(const char *folder, int64_t rank)
{
	char name[32] = "rank";

	tl_format_int(name + 4, rank);
	return tl_join_path(folder, name);
}

void tl_rank_sheets_make(const char *folder, int64_t rank, const char *trace, bool lenient)
{
	const char **argv = tl_calloc(16 + 2 * tl_communication_named.n, sizeof *argv);
	char *path = folder_of(folder, rank);
	struct tl_buf names = { 0 };
	size_t n = 0;

	if (rank < 0)
		tl_die("%s: neither the trace nor its name tells the rank, which --rank_sheets needs: see --rank_regex", trace);
	tl_buf_adds(&names, "trace_health"); /* which also a trace without device events has */
	for (size_t i = 0; i < TL_SIDES; i++)
		tl_buf_addf(&names, ",%s", tl_side_sheets[i].sheet);
	argv[n++] = "tl-sheets";
	if (lenient)
		argv[n++] = "--lenient";
	for (size_t i = 0; i < tl_communication_named.n; i++) {
		argv[n++] = "--communication";
		argv[n++] = tl_communication_named.items[i];
	}
	argv[n++] = "--sheets";
	argv[n++] = names.data;
	argv[n++] = "-d";
	argv[n++] = path;
	argv[n++] = "--";
	argv[n++] = trace;
	tl_run_program(argv);
	tl_buf_release(&names);
	free(path);
	free(argv);
}

static void read_sheets(struct tl_side_by_side *s, const struct tl_part *f, const char *folder)
{
	char *path = folder_of(folder, f->sheets_rank);
	struct tl_error err;

	for (size_t i = 0; i < TL_SIDES; i++) {
		char *file = tl_sheet_path(path, tl_side_sheets[i].sheet);
		if (!access(file, F_OK)) {
			struct tl_input *in = tl_open_input(file);
			if (tl_side_add(s, f->rank, i, in, &err) != TL_OK)
				tl_die_error(file, &err);
			tl_close_input(in);
		} else if (!i) {
			tl_warn("%s: rank %" PRId64 " has no sheet %s here: it is not in ranks_...", path, f->rank, tl_side_sheets[i].sheet);
		}
		free(file);
	}
	free(path);
}

void tl_rank_files_compare(struct tl_rank_files *files, struct tl_output *(*create)(void *, const char *),
                           void (*finish)(void *, struct tl_output *))
{
	struct tl_side_by_side *s = tl_side_new(tl_communication_rules());
	struct tl_error err;

	for (size_t i = 0; i < files->n; i++)
		read_sheets(s, &files->items[i], files->sheets);
	if (tl_side_write(s, create, finish, NULL, &err) != TL_OK)
		tl_die("%s", err.text);
	tl_side_free(s);
}
