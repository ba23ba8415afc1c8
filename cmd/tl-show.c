/* tl-show.c - a sheet for people at a terminal.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "report/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MANY INT32_MAX
#define NO_TERMINAL 80 /* characters of a line where none can be asked */

static struct tl_opt_list columns;
static const char *sort;
static bool reverse, expanded;
static int64_t top = 25, width = -1;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "columns", "LIST", "only these columns, in this order (names separated by commas)", TL_OPT_CALL, &columns, 0, 0, tl_add_names },
	{ 0, "sort", "COLUMN", "order the rows: numbers from the largest, texts from A to Z", TL_OPT_TEXT, &sort, 0, 0, NULL },
	{ 'r', "reverse", NULL, "in the opposite order", TL_OPT_FLAG, &reverse, 0, 0, NULL },
	{ 'n', "top", "N", "the first N rows (25); 0: all", TL_OPT_INT, &top, 0, MANY, NULL },
	{ 'w', "width", "N", "lines of N characters (the terminal's width); 0: nothing is cut", TL_OPT_INT, &width, 0, MANY, NULL },
	{ 'x', "expanded", NULL, "each row as a block, with a line for each column", TL_OPT_FLAG, &expanded, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-show",
	.synopsis = "[OPTION]... [FILE.tsv]...",
	.purpose = "show sheets to people: aligned, rounded, with units",
	.detail = "FILE is a sheet in TSV; without it, or with -, standard input is read.\n"
	          "Example: tl-ops trace.json.gz | tl-show --top 10",
	.options = options,
	.common = TL_COMMON_OUTPUT,
	.c = &common,
};

/* Of the terminal that shows the output, maybe by way of a pager. */
static size_t line_width(void)
{
	struct winsize w;
	const char *text = getenv("COLUMNS");

	if (width >= 0)
		return (size_t)width;
	for (int fd = 1; fd <= 2; fd++)
		if (!ioctl(fd, TIOCGWINSZ, &w) && w.ws_col)
			return w.ws_col;
	long n = text ? strtol(text, NULL, 10) : 0;
	return n > 0 && n < MANY ? (size_t)n : NO_TERMINAL;
}

/* What the page does not show. */
static void note_rest(const char *name, const struct tl_shown *s)
{
	if (s->rows < s->all_rows)
		tl_note("%s: %zu of %zu rows are shown; --top N shows others", name, s->rows, s->all_rows);
	if (s->columns < s->all_columns && !columns.n)
		tl_note("%s: %zu of %zu columns are shown; --columns, --width and --expanded show others", name, s->columns,
		        s->all_columns);
}

static void show(const char *file, const struct tl_text_table_options *o, struct tl_buf *page)
{
	struct tl_input *in = tl_open_input(file);
	struct tl_text_table *t = tl_text_table_new(o);
	struct tl_shown shown;
	struct tl_error err;

	if (tl_tsv_read(in, tl_text_table_row, t, &err))
		tl_die_error(in->name, &err);
	if (tl_text_table_print(t, page, &shown, &err))
		tl_usage("%s: %s", in->name, err.text);
	note_rest(in->name, &shown);
	tl_text_table_free(t);
	tl_close_input(in);
}

int main(int argc, char **argv)
{
	int n;
	char **files = tl_cli_start(&program, argc, argv, &n);
	struct tl_buf page = { 0 };
	const struct tl_text_table_options o = {
		.columns = columns.items, .n_columns = columns.n, .sort = sort, .reverse = reverse,
		.top = (size_t)top, .width = line_width(), .expanded = expanded,
	};

	if (!n)
		show(NULL, &o, &page);
	for (int i = 0; i < n; i++) {
		if (n > 1)
			tl_buf_addf(&page, "%s== %s\n", i ? "\n" : "", tl_input_name(files[i]));
		show(files[i], &o, &page);
	}
	tl_write_text(common.output, &page);
	tl_buf_release(&page);
	return 0;
}
