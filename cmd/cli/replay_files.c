/* replay_files.c - the files that tl-replay writes of operators that are to be run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/replay_files.h"

#include "cli/outputs.h"
#include "replay/recorded_op.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

char *tl_replay_script_path(const struct tl_replay_set *s, const struct tl_replay_group *g, size_t i)
{
	return tl_strdupf("%s/%s-%zu.py", s->folder, g->name, i);
}

static void write_script(const struct tl_replay_set *s, const struct tl_replay_group *g, size_t i)
{
	const struct tl_replay_item *item = &g->items[i];
	struct tl_buf script = { 0 };
	char *path = tl_replay_script_path(s, g, i), mean[TL_DOUBLE_TEXT];

	tl_format_double(mean, item->row.us);
	char *title = tl_strdupf("%s: %s µs on average in the trace, %" PRId64 " times", item->row.name, mean, item->row.count);
	tl_torch_script_write(&script, title, item->forms[TL_FORM_RECORD].text, s->tables);
	tl_write_text(path, &script);
	free(path);
	tl_buf_release(&script);
	free(title);
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
static void write_lines(const struct tl_replay_set *s)
{
	for (size_t k = 0; k < sizeof line_files / sizeof *line_files; k++) {
		struct tl_buf b = { 0 };
		tl_buf_adds(&b, line_files[k].first);
		size_t empty = b.len;
		for (size_t i = 0; i < s->n; i++)
			add_lines(&b, line_files[k].form, &s->groups[i]);
		if (b.len > empty) {
			char *path = tl_join_path(s->folder, line_files[k].file);
			tl_write_text(path, &b);
			free(path);
		}
		tl_buf_release(&b);
	}
}

/* ---- the list ----------------------------------------------------------------------------------- */

static void add_group(struct tl_table *t, const struct tl_replay_set *s, const struct tl_replay_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct tl_replay_item *item = &g->items[i];
		const struct tl_replay_row *r = &item->row;
		const char *line = item->forms[g->kind == TL_REPLAY_CONV ? TL_FORM_MIOPEN : TL_FORM_HIPBLASLT].text;
		char *script = item->forms[TL_FORM_RECORD].text ? tl_replay_script_path(s, g, i) : NULL;
		tl_table_add_row(t, (struct tl_cell[]){ tl_cell_str(t->strings, g->name), tl_cell_int((int64_t)i), tl_cell_str(t->strings, r->name),
			r->uid < 0 ? tl_cell_null() : tl_cell_int(r->uid), tl_cell_int(r->count), tl_cell_real(r->us), tl_cell_real(r->share),
			tl_cell_str(t->strings, r->dims), tl_cell_str(t->strings, r->strides), tl_cell_str(t->strings, r->types), tl_cell_str(t->strings, r->values),
			tl_cell_str(t->strings, script ? strrchr(script, '/') + 1 : NULL), tl_cell_str(t->strings, line) });
		free(script);
	}
}

/* ---- all ------------------------------------------------------------------------------------------ */

void tl_replay_write_files(const struct tl_replay_set *s)
{
	tl_make_folder(s->folder);
	for (size_t k = 0; k < s->n; k++)
		for (size_t i = 0; i < s->groups[k].n; i++)
			if (s->groups[k].items[i].forms[TL_FORM_RECORD].text)
				write_script(s, &s->groups[k], i);
			else
				tl_warn("%s %zu: %s, so there is no script of it", s->groups[k].name, i, s->groups[k].items[i].forms[TL_FORM_RECORD].why);
	write_lines(s);
	static const char *const columns[] = { "group", "no.", "name", "UID_first", "name_count", "Kernel Time (µs)_mean",
		"kernel_time_sum_cum_pct", "Input Dims", "Input Strides", "Input type", "Concrete Inputs", "script", "command", NULL };
	struct tl_strtab strings = { 0 };
	struct tl_table *t = tl_table_new(&strings, 1, columns);
	char *path = tl_sheet_path(s->folder, "replay");
	for (size_t i = 0; i < s->n; i++)
		add_group(t, s, &s->groups[i]);
	tl_write_table(path, t);
	free(path);
	tl_table_free(t);
	tl_strtab_release(&strings);
}
