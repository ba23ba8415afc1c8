/* choose_sheets.c - filters that make several sheets: which of them, and where to.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_named(const struct tl_sheet_choice *c, const char *name)
{
	for (size_t i = 0; i < c->names.n; i++)
		if (!strcmp(c->names.items[i], name))
			return true;
	return false;
}

bool tl_sheet_chosen(const struct tl_sheet_choice *c, const struct tl_sheet_source *all, const char *name)
{
	if (c->names.n)
		return is_named(c, name);
	for (const struct tl_sheet_source *s = all; s->name; s++)
		if (!strcmp(s->name, name))
			return c->dir ? !s->extra : s->usual;
	return false;
}

static bool is_overlap(const char *name)
{
	static const char end[] = "_kl_overlap";
	size_t n = strlen(name);

	return n > sizeof end - 1 && !strcmp(name + n - (sizeof end - 1), end);
}

static void unknown_sheet(const struct tl_sheet_source *all, const char *name)
{
	size_t n = 0, overlaps = 0;
	struct tl_buf b = { 0 };

	for (; all[n].name; n++)
		overlaps += is_overlap(all[n].name);
	bool all_have = 2 * overlaps == n; /* then that need not be said of each */
	for (const struct tl_sheet_source *s = all; s->name; s++)
		if (!all_have || !is_overlap(s->name))
			tl_buf_addf(&b, "%s%s", b.len ? ", " : "", s->name);
	tl_usage("--sheet: '%s' is not one of %s%s", name, b.data, all_have ? ", or one of these with _kl_overlap" : "");
}

/* Whether the folder is there or can be made, so that it is not found out only
 * when all the work is done. */
static void check_folder(const char *dir)
{
	struct tl_buf above = { 0 };
	struct stat st;

	if (!stat(dir, &st)) {
		if (!S_ISDIR(st.st_mode))
			tl_die("%s: is not a folder", dir);
		if (access(dir, W_OK))
			tl_die("%s: cannot write: %s", dir, strerror(errno));
		return;
	}
	tl_buf_adds(&above, dir);
	while (above.len && above.data[above.len - 1] == '/')
		above.len--;
	while (above.len && above.data[above.len - 1] != '/')
		above.len--;
	above.data[above.len] = '\0';
	if (access(above.len ? above.data : ".", W_OK))
		tl_die("%s: cannot make the folder: %s", dir, strerror(errno));
	tl_buf_release(&above);
}

void tl_check_sheets(const struct tl_sheet_choice *c, const struct tl_sheet_source *all, const struct tl_common *common)
{
	for (size_t i = 0; i < c->names.n; i++) {
		const struct tl_sheet_source *s = all;

		while (s->name && strcmp(s->name, c->names.items[i]))
			s++;
		if (!s->name)
			unknown_sheet(all, c->names.items[i]);
	}
	if (c->dir)
		check_folder(c->dir);
	if (c->dir && common->output)
		tl_usage("-d and -o exclude each other");
	if (!c->dir && c->names.n > 1)
		tl_usage("one sheet goes to standard output, %zu named; use -d DIR for several", c->names.n);
}

void tl_write_sheets(const struct tl_sheet_choice *c, const struct tl_sheet_source *all, const struct tl_common *common,
                     struct tl_table *(*make)(void *ctx, const char *name), void *ctx)
{
	for (const struct tl_sheet_source *s = all; s->name; s++) {
		struct tl_table *t;

		if (!tl_sheet_chosen(c, all, s->name))
			continue;
		t = make(ctx, s->name);
		if (t && (!c->dir || !s->needs_rows || t->n_rows))
			tl_emit_sheet(t, s->name, c->dir, common->output);
		tl_table_free(t);
	}
}

char *tl_read_file(const char *path, size_t max, size_t *len)
{
	struct tl_input *in = tl_open_input(path);
	struct tl_buf b = { 0 };
	struct tl_error err;
	int64_t n;

	do {
		tl_buf_reserve(&b, 16384);
		n = in->read(in, b.data + b.len, 16384, &err);
		if (n < 0)
			tl_die_error(in->name, &err);
		b.len += (size_t)n;
		if (b.len > max)
			tl_die("%s: longer than %zu bytes, the most such a file may hold", in->name, max);
	} while (n);
	tl_close_input(in);
	b.data[b.len] = '\0';
	*len = b.len;
	return b.data;
}
