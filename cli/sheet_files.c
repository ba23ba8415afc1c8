/* sheet_files.c - the sheets of a report, as files of a folder.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/sheet_files.h"

#include "cli/programs.h"
#include "table/tsv.h"

#include <stdlib.h>
#include <string.h>

char *tl_sheet_path(const char *folder, const char *name)
{
	struct tl_buf file = { 0 };

	tl_buf_addf(&file, "%s.tsv", name);
	char *path = tl_join_path(folder, file.data);
	tl_buf_release(&file);
	return path;
}

char *tl_sheet_files_add(struct tl_sheet_files *s, const char *name)
{
	char *path = tl_sheet_path(s->folder, name);
	struct tl_buf word = { 0 };

	tl_buf_addf(&word, "%s=%s", name, path);
	TL_GROW(s->words, s->cap, s->n + 1);
	s->words[s->n++] = word.data;
	return path;
}

void tl_sheet_files_write(struct tl_sheet_files *s, const char *name, const struct tl_table *t)
{
	char *path = tl_sheet_files_add(s, name);
	struct tl_output *out = tl_open_output(path, false);
	struct tl_error err;

	if (tl_tsv_write(t, out, &err))
		tl_die_error(path, &err);
	tl_close_output(out);
	free(path);
}

/* names: the program takes NAME=FILE. */
static void convert(const struct tl_sheet_files *s, bool names, const char *program, const char *option, const char *to,
                    const struct tl_common *common)
{
	const char **argv = tl_alloc((s->n + 6) * sizeof *argv);
	size_t n = 0;

	argv[n++] = program;
	if (common->quiet)
		argv[n++] = "-q";
	argv[n++] = option;
	argv[n++] = to;
	argv[n++] = "--";
	for (size_t i = 0; i < s->n; i++)
		argv[n++] = names ? s->words[i] : strchr(s->words[i], '=') + 1;
	argv[n] = NULL;
	tl_run_program(argv);
	free(argv);
}

void tl_sheet_files_to_csv(const struct tl_sheet_files *s, const char *folder, const struct tl_common *common)
{
	convert(s, false, "tl-csv", "-d", folder, common);
}

void tl_sheet_files_to_book(const struct tl_sheet_files *s, const char *path, const struct tl_common *common)
{
	convert(s, true, "tl-xlsx", "-o", path, common);
}

void tl_sheet_files_release(struct tl_sheet_files *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->words[i]);
	free(s->words);
	*s = (struct tl_sheet_files){ 0 };
}
