/* outputs.c - what the sheets of a report are written as.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/outputs.h"

#include "cli/manifest.h"
#include "cli/programs.h"
#include "base/escape.h"
#include "table/tsv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct tl_output_forms tl_output_forms[TL_OUTPUT_FORMS] = {
	[TL_AS_TSV] = { "sheets", "tsv", NULL, NULL },
	[TL_AS_CSV] = { "CSV files", "csv", "tl-csv", "-d" },
	[TL_AS_BOOK] = { "workbook", NULL, "tl-xlsx", "-o" },
	[TL_AS_PAGE] = { "page", NULL, "tl-html", "-o" },
	[TL_AS_JSON] = { "JSON", NULL, "tl-json", "--all" },
	[TL_AS_SQLITE] = { "database", NULL, "tl-sql", "--of-sheets" },
	[TL_AS_METRICS] = { "metrics", NULL, "tl-openmetrics", "-o" },
};

bool tl_outputs_any(const struct tl_outputs *o)
{
	for (size_t i = 0; i < TL_OUTPUT_FORMS; i++)
		if (o->to[i])
			return true;
	return false;
}

const char *tl_outputs_first(const struct tl_outputs *o)
{
	const char *first = o->to[TL_AS_BOOK];

	for (size_t i = 0; !first && i < TL_OUTPUT_FORMS; i++)
		first = o->to[i];
	return first;
}

/* ---- checks ------------------------------------------------------------------------------- */

static void check_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;

	tl_check_output(path);
	bool exists = strcmp(path, "-") && !stat(path, &st);
	if (exists && S_ISDIR(st.st_mode))
		tl_die("%s: is a directory, expected a file", path);
	if (!strcmp(path, "-") || (exists && !S_ISREG(st.st_mode)))
		return; /* nothing is made */
	char *folder = slash ? tl_strndup(path, (size_t)(slash - path) + 1) : tl_strdup("");
	if (access(*folder ? folder : ".", W_OK | X_OK))
		tl_die("%s: cannot create: %s: %s", path, *folder ? folder : "this folder", strerror(errno));
	free(folder);
}

/* No sheet may replace what is read. Which sheets there will be may not be known yet. */
static void check_folder(const char *folder, const char *suffix)
{
	DIR *d = opendir(folder);

	if (!d && errno == ENOTDIR)
		tl_die("%s: cannot make the folder: %s", folder, strerror(errno));
	for (struct dirent *e; d && (e = readdir(d));) {
		const char *dot = strrchr(e->d_name, '.');
		char *path = dot && !strcmp(dot + 1, suffix) ? tl_join_path(folder, e->d_name) : NULL;
		if (path)
			tl_check_output(path);
		free(path);
	}
	if (d)
		closedir(d);
}

void tl_outputs_check(const struct tl_outputs *o)
{
	for (size_t i = 0; i < TL_OUTPUT_FORMS; i++)
		for (size_t k = i + 1; k < TL_OUTPUT_FORMS; k++)
			if (o->to[i] && o->to[k] && !tl_output_forms[i].suffix && !tl_output_forms[k].suffix && !strcmp(o->to[i], o->to[k]) &&
			    strncmp(o->to[k], "/dev/", 5))
				tl_usage("the %s and the %s are one file, '%s'", tl_output_forms[i].what, tl_output_forms[k].what, o->to[k]);
	if (o->spreadsheet_safe && !o->to[TL_AS_CSV])
		tl_usage("--spreadsheet-safe is about CSV, which --output_csvs_dir writes");
	if (tl_tsv_escapes_quotes && tl_outputs_any(o) && !o->to[TL_AS_TSV])
		tl_usage("--tsv-quotes is about TSV, of which none is written");
	for (size_t i = 0; i < TL_OUTPUT_FORMS; i++)
		if (o->to[i] && tl_output_forms[i].suffix)
			check_folder(o->to[i], tl_output_forms[i].suffix);
		else if (o->to[i])
			check_file(o->to[i]);
}

/* ---- sheets ------------------------------------------------------------------------------- */

static char *path_in(const char *folder, const char *name, const char *suffix)
{
	char *file = tl_strdupf("%s.%s", name, suffix);

	for (char *p = file; (p = strchr(p, '/'));)
		*p = '_';
	char *path = tl_join_path(folder, file);
	struct stat st;
	free(file);
	if (!stat(path, &st) && S_ISFIFO(st.st_mode)) /* whoever opens it waits for somebody who may never come */
		tl_die("%s: is a pipe, expected a file", path);
	return path;
}

char *tl_sheet_path(const char *folder, const char *name)
{
	return path_in(folder, name, "tsv");
}

char *tl_sheet_files_add(struct tl_sheet_files *s, const char *name)
{
	char *path = tl_sheet_path(s->folder, name);

	TL_PUSH(s->words, s->n, s->cap, tl_strdupf("%s=%s", name, path));
	return path;
}

void tl_sheet_files_write(struct tl_sheet_files *s, const char *name, const struct tl_table *t)
{
	char *path = tl_sheet_files_add(s, name);
	struct tl_output *out = tl_open_output(path, false);
	struct tl_error err;

	if (tl_tsv_write(t, out, &err))
		tl_die_error(path, &err);
	tl_close_output_for_later(out);
	free(path);
}

void tl_sheet_files_finish(const struct tl_sheet_files *s)
{
	struct tl_manifest *m = tl_manifest_open(s->folder, tl_output_forms[TL_AS_TSV].suffix);
	char *of = tl_manifest_trace(s->of);

	for (size_t i = 0; i < s->n; i++)
		tl_manifest_add(m, strrchr(s->words[i], '/') + 1, of);
	tl_manifest_close(m);
	free(of);
}

/* The option that CSV needs to be safe; NULL: none. */
static const char *safe_option(const struct tl_outputs *o, size_t form)
{
	return o->spreadsheet_safe && form == TL_AS_CSV ? "--spreadsheet-safe" : NULL;
}

/* suffix NULL: a program for all sheets takes NAME=FILE. */
static void convert(const struct tl_sheet_files *s, const struct tl_outputs *o, size_t as)
{
	const struct tl_output_forms *form = &tl_output_forms[as];
	const char **argv = tl_alloc((s->n + 6) * sizeof *argv);
	size_t n = 0;

	argv[n++] = form->program;
	if (safe_option(o, as))
		argv[n++] = safe_option(o, as);
	argv[n++] = form->option;
	argv[n++] = o->to[as];
	argv[n++] = "--";
	for (size_t i = 0; i < s->n; i++)
		argv[n++] = form->suffix ? strchr(s->words[i], '=') + 1 : s->words[i];
	argv[n] = NULL;
	tl_run_program(argv);
	free(argv);
}

void tl_sheet_files_convert(const struct tl_sheet_files *s, const struct tl_outputs *o)
{
	for (size_t i = 0; s->n && i < TL_OUTPUT_FORMS; i++)
		if (o->to[i] && tl_output_forms[i].program)
			convert(s, o, i);
}

void tl_sheet_files_list(const struct tl_sheet_files *s, const struct tl_outputs *o)
{
	for (size_t f = 0; f < TL_OUTPUT_FORMS; f++) {
		const char *suffix = tl_output_forms[f].suffix;
		for (size_t i = 0; o->to[f] && suffix && i < s->n; i++) {
			char *name = tl_strndup(s->words[i], strcspn(s->words[i], "="));
			char *path = path_in(o->to[f], name, suffix);
			printf("%s\n", path);
			free(path);
			free(name);
		}
		if (o->to[f] && !suffix && s->n)
			printf("%s\n", o->to[f]);
	}
}

void tl_sheet_files_release(struct tl_sheet_files *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->words[i]);
	free(s->words);
	*s = (struct tl_sheet_files){ 0 };
}

/* ---- for the shell ------------------------------------------------------------------------ */

void tl_outputs_add_shell(struct tl_buf *b, const struct tl_outputs *o)
{
	tl_buf_adds(b, "write_outputs() {\n:\n");
	for (size_t i = 0; i < TL_OUTPUT_FORMS; i++) {
		const struct tl_output_forms *form = &tl_output_forms[i];
		if (!o->to[i] || !form->program)
			continue;
		char *said = tl_strdupf("wrote %s", o->to[i]);
		tl_buf_addf(b, "run %s %s %s ", form->program, safe_option(o, i) ? safe_option(o, i) : "", form->option);
		tl_add_shell_word(b, o->to[i]);
		tl_buf_adds(b, " -- \"$@\"\nstep ");
		tl_add_shell_word(b, said);
		tl_buf_addc(b, '\n');
		free(said);
	}
	tl_buf_adds(b, "}\n");
}
