/* tl-html.c - one page from sheets in TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "report/page.h"
#include "sheets/sheet_list.h"

#include <stdlib.h>
#include <string.h>

static struct tl_common common;

static const struct tl_program program = {
	.name = "tl-html",
	.synopsis = "[OPTION]... [[NAME=]FILE.tsv]...",
	.purpose = "make one page (HTML) of sheets in TSV: charts, and tables that sort and filter",
	.detail = "Each FILE becomes a table called NAME, or like the file without its suffix.\n"
	          "Without FILE, or with -, standard input is read.\n"
	          "Example: tl-sheets -d sheets trace.json.gz; tl-html -o report.html sheets/*.tsv",
	.common = TL_COMMON_OUTPUT,
	.c = &common,
};

/* Adds what the list of sheets says of a sheet of this name; the first family that has it counts. */
static void describe(struct tl_page_sheet *sheet)
{
	for (size_t i = 0; tl_sheet_families[i]; i++)
		for (const struct tl_sheet *s = tl_sheet_families[i]->sheets; s->name; s++)
			if (!strcmp(s->name, sheet->name)) {
				sheet->help = s->help;
				sheet->filter = tl_sheet_families[i]->filter;
				return;
			}
}

static void add_sheet(struct tl_page *page, const char *operand)
{
	char *name = tl_operand_name(operand);
	struct tl_page_sheet sheet = { .name = name, .help = "", .filter = "" };
	struct tl_input *in = tl_open_input(tl_operand_file(operand));
	struct tl_error err;

	describe(&sheet);
	if (tl_page_add(page, &sheet, in, &err))
		tl_die_of_sheet(in->name, &err);
	tl_close_input(in);
	free(name);
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);
	operands = tl_sheet_operands(operands, &n);
	struct tl_output *out = tl_open_output(common.output, false);
	struct tl_page *page = tl_page_new(out);
	struct tl_error err;

	for (int i = 0; i < n; i++)
		add_sheet(page, operands[i]);
	if (tl_page_close(page, &err))
		tl_die_error(out->name, &err);
	tl_page_free(page);
	tl_close_output(out);
	return 0;
}
