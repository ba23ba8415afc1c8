/* manifest.c - what the sheets in a folder are of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/manifest.h"

#include "base/text.h"
#include "cli/cli.h"
#include "table/tsv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NAMED 10 /* sheets in a message */

enum { FILE_NAME, PROGRAM, TRACE, OPTIONS, N_COLUMNS };
static const char *const columns[N_COLUMNS] = { "file", "program", "trace", "options" };

struct row { const char *fields[N_COLUMNS]; };
struct rows { struct row *items; size_t n, cap; };

struct tl_manifest {
	const char *folder, *suffix;
	char *path;
	int lock;
	struct tl_arena arena;
	struct rows before, now;
	struct tl_opt_list made; /* files of this run, with a row or without */
};

/* ---- rows ----------------------------------------------------------------------------- */

static const struct row *row_of(const struct rows *r, const char *file)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->items[i].fields[FILE_NAME], file))
			return &r->items[i];
	return NULL;
}

/* In the place of the file's row, if it has one. */
static void put_row(struct tl_manifest *m, struct rows *to, const char *const *fields)
{
	const struct row *old = row_of(to, fields[FILE_NAME]);
	struct row row;

	for (size_t i = 0; i < N_COLUMNS; i++)
		row.fields[i] = tl_arena_dup(&m->arena, fields[i], strlen(fields[i]));
	if (old) {
		to->items[old - to->items] = row;
		return;
	}
	TL_PUSH(to->items, to->n, to->cap, row);
}

/* Without its version. */
static bool same_program(const struct row *a, const struct row *b)
{
	const char *x = a->fields[PROGRAM], *y = b->fields[PROGRAM];
	size_t len = strcspn(x, " ");

	return len == strcspn(y, " ") && !memcmp(x, y, len);
}

/* ---- reading -------------------------------------------------------------------------- */

struct reading { struct tl_manifest *m; struct rows *to; };

static enum tl_status read_row(void *ctx, size_t number, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct reading *r = ctx;
	const char *fields[N_COLUMNS];

	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (n != N_COLUMNS || (!number && !tl_text_is(f[i].s, f[i].len, columns[i])))
			return tl_fail(err, TL_ERR_DATA, "expected the columns file, program, trace, options");
		fields[i] = tl_arena_dup(&r->m->arena, f[i].s, f[i].len);
	}
	/* it is going to be removed: it must be in this folder */
	if (number && (!*fields[FILE_NAME] || strchr(fields[FILE_NAME], '/')))
		return tl_fail(err, TL_ERR_DATA, "row %zu: expected the name of a file", number);
	if (number)
		put_row(r->m, r->to, fields);
	return TL_OK;
}

static char *path_of(const char *folder, const char *suffix)
{
	return tl_strdupf("%s/.tl-%s-sheets", folder, suffix);
}

static void read_rows(struct tl_manifest *m, const char *path, struct rows *to)
{
	struct tl_error err;

	if (access(path, F_OK))
		return;
	struct tl_input *in = tl_open_own_file(path);
	if (tl_tsv_read(in, read_row, &(struct reading){ m, to }, &err)) {
		tl_warn("%s: %s: sheets of earlier runs are not told from others", path, err.text);
		to->n = 0;
	}
	tl_close_input(in);
}

struct tl_manifest *tl_manifest_open(const char *folder, const char *suffix)
{
	struct tl_manifest *m = tl_calloc(1, sizeof *m);

	*m = (struct tl_manifest){ .folder = folder, .suffix = suffix, .path = path_of(folder, suffix) };
	m->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->lock >= 0)
		flock(m->lock, LOCK_EX); /* where files cannot be locked, programs must not run side by side */
	read_rows(m, m->path, &m->before);
	return m;
}

char *tl_manifest_trace(const char *path)
{
	char *whole = path && strcmp(path, "-") ? realpath(path, NULL) : NULL;

	return whole ? whole : tl_strdup("");
}

/* ---- the sheets of this run --------------------------------------------------------------- */

static void add_made(struct tl_manifest *m, const char *file)
{
	TL_PUSH(m->made.items, m->made.n, m->made.cap, tl_arena_dup(&m->arena, file, strlen(file)));
}

void tl_manifest_add(struct tl_manifest *m, const char *file, const char *trace)
{
	char *program = tl_strdupf("%s %s", tl_program_name(), tl_version());

	add_made(m, file);
	put_row(m, &m->now, (const char *const[]){ file, program, trace, tl_options_given() });
	free(program);
}

void tl_manifest_keep(struct tl_manifest *m, const char *trace)
{
	for (size_t i = 0; i < m->before.n && m->now.n && *trace; i++) {
		const struct row *r = &m->before.items[i];
		if (!row_of(&m->now, r->fields[FILE_NAME]) && same_program(r, &m->now.items[0]) && !strcmp(r->fields[TRACE], trace))
			put_row(m, &m->now, r->fields);
	}
}

/* Of the other sheets there, those that were converted earlier are of this run, too. */
static void keep_converted(struct tl_manifest *m, const struct rows *there)
{
	for (size_t i = 0; i < there->n; i++) {
		const char *name = there->items[i].fields[FILE_NAME];
		const char *dot = strrchr(name, '.');
		char *file = tl_strdupf("%.*s.%s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name, m->suffix);
		const struct row *r = row_of(&m->before, file);
		if (r && !row_of(&m->now, file) && !strcmp(r->fields[TRACE], there->items[i].fields[TRACE]))
			put_row(m, &m->now, r->fields);
		free(file);
	}
}

void tl_manifest_add_converted(struct tl_manifest *m, const char *file, const char *from)
{
	const char *slash = strrchr(from, '/'), *name = slash ? slash + 1 : from, *dot = strrchr(name, '.');
	char *folder = slash ? tl_strndup(from, (size_t)(slash - from) + 1) : tl_strdup(".");
	char *path = path_of(folder, dot ? dot + 1 : "");
	struct rows there = { 0 };

	add_made(m, file);
	read_rows(m, path, &there);
	const struct row *r = row_of(&there, name);
	if (r) {
		put_row(m, &m->now, (const char *const[]){ file, r->fields[PROGRAM], r->fields[TRACE], r->fields[OPTIONS] });
		keep_converted(m, &there);
	}
	free(there.items);
	free(path);
	free(folder);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void add_text(struct tl_buf *b, const char *const *fields)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		tl_buf_adds(b, i ? "\t" : "");
		tl_tsv_add_text(b, fields[i], strlen(fields[i]));
	}
	tl_buf_addc(b, '\n');
}

/* The rows of now, then those of before whose files are not made now. */
static void write_rows(const struct tl_manifest *m)
{
	struct tl_buf b = { 0 };

	add_text(&b, columns);
	for (size_t i = 0; i < m->now.n; i++)
		add_text(&b, m->now.items[i].fields);
	for (size_t i = 0; i < m->before.n; i++)
		if (!row_of(&m->now, m->before.items[i].fields[FILE_NAME]) && !tl_opt_list_has(&m->made, m->before.items[i].fields[FILE_NAME]))
			add_text(&b, m->before.items[i].fields);
	tl_write_text(m->path, &b);
	tl_buf_release(&b);
}

/* ---- sheets of earlier runs, and others ----------------------------------------------------- */

struct names { struct tl_buf text; size_t n; };

static void add_name(struct names *names, const char *name)
{
	if (names->n < NAMED)
		tl_buf_addf(&names->text, "%s%s", names->n ? ", " : "", name);
	else if (names->n == NAMED)
		tl_buf_adds(&names->text, ", ...");
	names->n++;
}

/* Did a program of this run make the sheet earlier, and does not now? */
static bool is_stale(const struct tl_manifest *m, const struct row *r)
{
	if (row_of(&m->now, r->fields[FILE_NAME]))
		return false;
	for (size_t i = 0; i < m->now.n; i++)
		if (same_program(r, &m->now.items[i]))
			return true;
	return false;
}

static void remove_stale(struct tl_manifest *m)
{
	struct names removed = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < m->before.n; i++) {
		const struct row *r = &m->before.items[i];
		bool stale = is_stale(m, r);
		char *path = tl_join_path(m->folder, r->fields[FILE_NAME]);
		if (stale && !unlink(path))
			add_name(&removed, r->fields[FILE_NAME]);
		else if (stale && errno != ENOENT)
			tl_die("%s: cannot remove this sheet of an earlier run: %s", path, strerror(errno));
		else if (!stale)
			m->before.items[kept++] = *r;
		free(path);
	}
	m->before.n = kept;
	if (removed.n)
		tl_note("%s: removed %zu sheet%s of an earlier run, which this one does not make: %s", m->folder, removed.n,
		        removed.n == 1 ? "" : "s", removed.text.data);
	tl_buf_release(&removed.text);
}

/* Sheets that another program made of the same trace may stand in the folder. */
static bool is_of_this_run(const struct tl_manifest *m, const char *file)
{
	const struct row *r = row_of(&m->before, file);

	if (row_of(&m->now, file) || tl_opt_list_has(&m->made, file))
		return true;
	for (size_t i = 0; r && i < m->now.n; i++)
		if (*r->fields[TRACE] && !strcmp(r->fields[TRACE], m->now.items[i].fields[TRACE]))
			return true;
	return false;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void warn_of_others(const struct tl_manifest *m)
{
	struct names others = { 0 };
	struct dirent **entries;
	int n = scandir(m->folder, &entries, NULL, by_name);

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
		if (*name != '.' && dot && !strcmp(dot + 1, m->suffix) && !is_of_this_run(m, name))
			add_name(&others, name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (others.n)
		tl_warn("%s: %zu sheet%s here %s not of this run: %s", m->folder, others.n, others.n == 1 ? "" : "s",
		        others.n == 1 ? "is" : "are", others.text.data);
	tl_buf_release(&others.text);
}

void tl_manifest_close(struct tl_manifest *m)
{
	/* first with the sheets of both runs: none is there that it does not name */
	if (m->now.n || m->before.n)
		write_rows(m);
	tl_rename_outputs();
	remove_stale(m);
	if (m->now.n || m->before.n)
		write_rows(m);
	if (m->now.n)
		warn_of_others(m);
	if (m->lock >= 0)
		close(m->lock);
	free(m->made.items);
	free(m->before.items);
	free(m->now.items);
	tl_arena_release(&m->arena);
	free(m->path);
	free(m);
}
