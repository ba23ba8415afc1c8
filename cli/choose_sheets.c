/* choose_sheets.c - which sheets a program makes, and where they go.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tl_opt_list named;  /* --sheets */
static const char *folder;        /* -d */
static const char *output;        /* -o */
static const struct tl_filter *const *filters;
static struct tl_opt_list written; /* names, in order */

static void append(struct tl_opt_list *l, const char *item)
{
	TL_GROW(l->items, l->cap, l->n + 1);
	l->items[l->n++] = item;
}

static bool is_in(const struct tl_opt_list *l, const char *item)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i], item))
			return true;
	return false;
}

/* Names separated by commas. */
static const char *add_names(void *dest, const char *list)
{
	for (size_t len; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len)
			append(dest, tl_strndup(list, len));
	}
	return NULL;
}

const struct tl_opt tl_choice_options[] = {
	{ 0, "sheets", "LIST", "make only these sheets (names separated by commas)", TL_OPT_CALL, &named, 0, 0, add_names },
	{ .long_name = NULL },
};

const struct tl_opt tl_folder_options[] = {
	{ 'd', "dir", "DIR", "write the sheets as DIR/NAME.tsv and print these paths", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ .long_name = NULL },
};

/* ---- what is wanted ---- */

static bool fits_pattern(const struct tl_filter *f, const char *name)
{
	const char *one;

	for (size_t i = 0; f->pattern && (one = f->pattern(i)); i++)
		if (!strcmp(one, name))
			return true;
	return false;
}

/* The filter's entry for the sheet, or NULL. */
static const struct tl_sheet *entry_in(const struct tl_filter *f, const char *name)
{
	for (const struct tl_sheet *s = f->sheets->sheets; s->name; s++)
		if (s->flags & TL_SHEET_PATTERN ? fits_pattern(f, name) : !strcmp(s->name, name))
			return s;
	return NULL;
}

static const struct tl_sheet *entry_of(const char *name)
{
	const struct tl_sheet *s = NULL;

	for (const struct tl_filter *const *f = filters; *f && !s; f++)
		s = entry_in(*f, name);
	return s;
}

/* Without --sheets. A program that does not have the sheet's option always makes
 * the sheet. */
static bool wants_unnamed(const struct tl_sheet *s)
{
	if (!folder)
		return s->flags & TL_SHEET_USUAL;
	if (s->flags & TL_SHEET_EXTRA)
		return false;
	int given = s->option ? tl_option_given(s->option) : -1;
	bool leaves_out = s->option && !strncmp(s->option, "disable_", 8);
	return given < 0 || given != leaves_out;
}

bool tl_wants_sheet(const char *name)
{
	if (named.n)
		return is_in(&named, name);
	const struct tl_sheet *s = entry_of(name);
	return s && wants_unnamed(s);
}

bool tl_wants_filter(const struct tl_filter *f, unsigned *needs)
{
	bool any = false;

	for (const struct tl_sheet *s = f->sheets->sheets; s->name; s++) {
		bool wanted = !named.n && wants_unnamed(s);
		for (size_t i = 0; i < named.n; i++)
			wanted |= entry_in(f, named.items[i]) == s;
		if (wanted)
			*needs |= s->needs;
		any |= wanted;
	}
	return any;
}

const char *tl_named_sheet(size_t i)
{
	return i < named.n ? named.items[i] : NULL;
}

const char *tl_only_sheet(void)
{
	if (named.n || folder)
		return named.n == 1 ? named.items[0] : NULL;
	for (const struct tl_sheet *s = filters[0]->sheets->sheets; s->name; s++)
		if (s->flags & TL_SHEET_USUAL)
			return s->name;
	return NULL;
}

bool tl_into_folder(void)
{
	return folder;
}

static void unknown_sheet(const char *name)
{
	struct tl_buf b = { 0 };
	const char *one;

	for (const struct tl_filter *const *f = filters; *f; f++) {
		for (const struct tl_sheet *s = (*f)->sheets->sheets; s->name; s++)
			if (!(s->flags & TL_SHEET_PATTERN))
				tl_buf_addf(&b, "%s%s", b.len ? ", " : "", s->name);
		for (size_t i = 0; (*f)->pattern && (one = (*f)->pattern(i)); i++)
			tl_buf_addf(&b, ", %s", one);
	}
	tl_usage("--sheets: '%s' is not one of %s", name, b.data);
}

void tl_set_output(const char *path)
{
	output = path;
}

const char *tl_choice_output(void)
{
	return output;
}

void tl_check_choice(const struct tl_filter *const *all)
{
	filters = all;
	for (size_t i = 0; i < named.n; i++)
		if (!entry_of(named.items[i]))
			unknown_sheet(named.items[i]);
	if (folder && output)
		tl_usage("-d and -o exclude each other");
	if (!folder && named.n > 1)
		tl_usage("one sheet goes to standard output, %zu named; use -d DIR for several", named.n);
	if (!folder && !named.n && filters[1])
		tl_usage("-d DIR is needed: where the sheets go");
}

/* ---- writing ---- */

static char *path_of(const char *name)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s/%s.tsv", folder, name);
	return b.data;
}

void tl_write_sheet(const struct tl_table *t, const char *name)
{
	char *path = folder ? path_of(name) : NULL;
	struct tl_error err;

	if (folder)
		tl_make_folder(folder);
	struct tl_output *out = tl_open_output(folder ? path : output, false);
	if (tl_tsv_write(t, out, &err) != TL_OK)
		tl_die_error(out->name, &err);
	if (folder)
		tl_close_output_for_later(out);
	else
		tl_close_output(out);
	append(&written, tl_strdup(name));
	free(path);
}

void tl_write_sheets(const struct tl_sheet_family *f, void *made, const struct tl_trace *trace)
{
	bool no_operators = folder && tl_trace_gpu_only(trace);

	for (const struct tl_sheet *s = f->sheets; s->name; s++) {
		if (!tl_wants_sheet(s->name) || (no_operators && s->needs & TL_NEEDS_OPERATORS && !(s->flags & TL_SHEET_EXTRA)))
			continue;
		struct tl_table *t = s->make(made, s);
		if (t && (!folder || !(s->flags & TL_SHEET_NEEDS_ROWS) || t->n_rows))
			tl_write_sheet(t, s->name);
		tl_table_free(t);
	}
}

const char *tl_missing_sheet(size_t n)
{
	for (size_t i = 0; i < named.n; i++)
		if (!is_in(&written, named.items[i]) && !n--)
			return named.items[i];
	return NULL;
}

void tl_finish_sheets(void)
{
	tl_rename_outputs();
	for (size_t i = 0; folder && i < written.n; i++) {
		char *path = path_of(written.items[i]);
		printf("%s\n", path);
		free(path);
	}
	tl_finish_stdout();
}
