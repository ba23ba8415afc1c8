/* tl-json.c - sheets from TSV to JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include "base/json_writer.h"
#include "table/sheet_json.h"

#include <stdlib.h>
#include <string.h>

static const char *all, *trace;
static bool lines;
static int64_t rows, offset;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "lines", NULL, "a line for each row, without what says which sheet it is (JSON lines)", TL_OPT_FLAG, &lines, 0, 0, NULL },
	{ 0, "all", "FILE", "write all sheets as members of one object to FILE", TL_OPT_TEXT, &all, 0, 0, NULL },
	{ 0, "trace", "FILE", "what the sheet is of, for the member \"trace\"", TL_OPT_TEXT, &trace, 0, 0, NULL },
	{ 0, "rows", "N", "at most N rows (all)", TL_OPT_INT, &rows, 1, INT64_MAX, NULL },
	{ 0, "offset", "N", "leave out the first N rows", TL_OPT_INT, &offset, 0, INT64_MAX, NULL },
	{ .long_name = NULL },
};
static const struct tl_opt_need needs[] = {
	{ "lines", NULL, "all trace" }, { "trace", NULL, "all" }, { "rows", NULL, "all" }, { "offset", NULL, "all" }, { "all", NULL, "output" },
	{ .option = NULL }
};

static const struct tl_program program = {
	.name = "tl-json",
	.synopsis = "[OPTION]... [[NAME=]FILE.tsv]...",
	.purpose = "convert sheets from TSV to JSON",
	.detail = "FILE is a sheet in TSV; without it, or with -, standard input is read.\n"
	          "Example: tl-ops trace.json.gz | tl-json ops_summary=- | jq '.rows[0]'",
	.options = options,
	.common = TL_COMMON_OUTPUT,
	.c = &common,
	.needs = needs,
};

static void put(struct tl_output *out, const char *text)
{
	struct tl_error err;

	if (out->write(out, text, strlen(text), &err))
		tl_die_error(out->name, &err);
}

static void convert(const char *operand, enum tl_sheet_json_form form, struct tl_output *out)
{
	struct tl_input *in = tl_open_input(tl_operand_file(operand));
	char *name = tl_operand_name(operand);
	struct tl_sheet_json o = { .form = form, .name = name, .trace = trace, .skip = (uint64_t)offset, .most = (uint64_t)rows };
	struct tl_error err;

	if (tl_sheet_json_write(in, &o, out, &err))
		tl_die_error(in->name, &err);
	tl_close_input(in);
	free(name);
}

static void convert_all(char **operands, int n, struct tl_output *out)
{
	struct tl_buf key = { 0 };

	put(out, "{\"schema\": 1, \"sheets\": {");
	for (int i = 0; i < n; i++) {
		char *name = tl_operand_name(operands[i]);
		tl_buf_clear(&key);
		tl_buf_adds(&key, i ? ",\n" : "\n");
		tl_json_quote(&key, name, strlen(name));
		tl_buf_adds(&key, ": ");
		put(out, tl_buf_text(&key));
		convert(operands[i], TL_JSON_ROWS, out);
		free(name);
	}
	put(out, "}}\n");
	tl_buf_release(&key);
}

static void check_names(char **operands, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++) {
			char *a = tl_operand_name(operands[i]), *b = tl_operand_name(operands[k]);
			if (!strcmp(a, b))
				tl_usage("two sheets are named '%s': write NAME=FILE", a);
			free(a);
			free(b);
		}
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	operands = tl_sheet_operands(operands, &n);
	if (!all && n > 1)
		tl_usage("one sheet expected, %d given; --all FILE takes several", n);
	check_names(operands, n);
	struct tl_output *out = tl_open_output(all ? all : common.output, false);
	if (all)
		convert_all(operands, n, out);
	else
		convert(operands[0], lines ? TL_JSON_LINES : TL_JSON_SHEET, out);
	tl_close_output(out);
	return 0;
}
