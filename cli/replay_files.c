/* replay_files.c - the operators of groups as files that run them again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/replay_files.h"

#include "cli/outputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- scripts --------------------------------------------------------------------------------- */

char *tl_replay_script_path(const char *folder, const struct tl_replay_group *g, size_t i)
{
	struct tl_buf name = { 0 };

	tl_buf_addf(&name, "%s-%zu.py", g->name, i);
	char *path = tl_join_path(folder, name.data);
	tl_buf_release(&name);
	return path;
}

static void write_script(const char *folder, const struct tl_replay_group *g, size_t i, const struct tl_replay_tables *t)
{
	const struct tl_replay_item *item = &g->items[i];
	struct tl_buf title = { 0 }, script = { 0 };
	char *path = tl_replay_script_path(folder, g, i), mean[TL_DOUBLE_TEXT];

	tl_format_double(mean, item->row.us);
	tl_buf_addf(&title, "%s: %s µs on average in the trace, %" PRId64 " times", item->row.name, mean, item->row.count);
	tl_torch_script_write(&script, title.data, item->forms[TL_FORM_RECORD].text, t);
	tl_write_text(path, &script);
	free(path);
	tl_buf_release(&script);
	tl_buf_release(&title);
}

/* ---- files of lines ----------------------------------------------------------------------------- */

static const struct { enum tl_replay_form form; const char *file, *first; } line_files[] = {
	{ TL_FORM_HIPBLASLT, "hipblaslt-bench.sh", "#!/bin/sh\n" },
	{ TL_FORM_YAML, "hipblaslt-bench.yaml", "# hipblaslt-bench --yaml FILE\n" },
	{ TL_FORM_CUBLAS, "cublasMatmulBench.sh", "#!/bin/sh\n" },
	{ TL_FORM_MIOPEN, "MIOpenDriver.sh", "#!/bin/sh\n" },
	{ TL_FORM_RECORD, "ops.jsonl", "" },
};

static void add_lines(struct tl_buf *b, enum tl_replay_form form, const struct tl_replay_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const char *text = g->items[i].forms[form].text, *why = g->items[i].forms[form].why;
		if (text)
			tl_buf_addf(b, "%s\n", text);
		else if (why && form != TL_FORM_RECORD)
			tl_buf_addf(b, "# %s %zu: %s\n", g->name, i, why);
	}
}

/* A file without a line is not written. */
static void write_lines(const char *folder, const struct tl_replay_group *groups, size_t n)
{
	for (size_t k = 0; k < sizeof line_files / sizeof *line_files; k++) {
		struct tl_buf b = { 0 };
		tl_buf_adds(&b, line_files[k].first);
		size_t empty = b.len;
		for (size_t i = 0; i < n; i++)
			add_lines(&b, line_files[k].form, &groups[i]);
		if (b.len > empty) {
			char *path = tl_join_path(folder, line_files[k].file);
			tl_write_text(path, &b);
			free(path);
		}
		tl_buf_release(&b);
	}
}

/* ---- the list ----------------------------------------------------------------------------------- */

static struct tl_cell text_cell(struct tl_table *t, const char *text)
{
	return text ? tl_cell_text(tl_intern_str(t->strings, text)) : tl_cell_null();
}

static void add_group(struct tl_table *t, const char *folder, const struct tl_replay_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct tl_replay_item *item = &g->items[i];
		const struct tl_replay_row *r = &item->row;
		const char *line = item->forms[g->convolution ? TL_FORM_MIOPEN : TL_FORM_HIPBLASLT].text;
		char *script = item->forms[TL_FORM_RECORD].text ? tl_replay_script_path(folder, g, i) : NULL;
		tl_table_add_row(t, (struct tl_cell[]){ text_cell(t, g->name), tl_cell_int((int64_t)i), text_cell(t, r->name),
			r->uid < 0 ? tl_cell_null() : tl_cell_int(r->uid), tl_cell_int(r->count), tl_cell_real(r->us), tl_cell_real(r->share),
			text_cell(t, r->dims), text_cell(t, r->strides), text_cell(t, r->types), text_cell(t, r->values),
			text_cell(t, script ? strrchr(script, '/') + 1 : NULL), text_cell(t, line) });
		free(script);
	}
}

static void write_list(const char *folder, const struct tl_replay_group *groups, size_t n)
{
	static const char *const columns[] = { "group", "no.", "name", "UID_first", "name_count", "Kernel Time (µs)_mean",
		"kernel_time_sum_cum_pct", "Input Dims", "Input Strides", "Input type", "Concrete Inputs", "script", "command", NULL };
	struct tl_strtab strings = { 0 };
	struct tl_table *t = tl_table_new(&strings, 1, columns);
	struct tl_sheet_files files = { .folder = folder };

	for (size_t i = 0; i < n; i++)
		add_group(t, folder, &groups[i]);
	tl_sheet_files_write(&files, "replay", t);
	tl_rename_outputs();
	tl_sheet_files_release(&files);
	tl_table_free(t);
	tl_strtab_release(&strings);
}

/* ---- all ------------------------------------------------------------------------------------------ */

void tl_replay_files_write(const char *folder, const struct tl_replay_group *groups, size_t n, const struct tl_replay_tables *t)
{
	tl_make_folder(folder);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < groups[k].n; i++)
			if (groups[k].items[i].forms[TL_FORM_RECORD].text)
				write_script(folder, &groups[k], i, t);
			else
				tl_warn("%s %zu: %s, so there is no script of it", groups[k].name, i, groups[k].items[i].forms[TL_FORM_RECORD].why);
	write_lines(folder, groups, n);
	write_list(folder, groups, n);
}
