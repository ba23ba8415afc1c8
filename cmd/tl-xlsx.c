/* tl-xlsx.c - one workbook from sheets in TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "report/workbook.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE 4000000             /* bytes of TSV: beyond, rows are not held in memory */
#define KEPT (1 << 20)            /* bytes of free memory that the program keeps */

static struct tl_common common;

static const struct tl_program program = {
	.name = "tl-xlsx",
	.synopsis = "[OPTION]... [[NAME=]FILE.tsv]...",
	.purpose = "make one workbook of sheets in TSV",
	.detail = "Each FILE becomes a worksheet called NAME, or like the file without its suffix.\n"
	          "Without FILE, or with -, standard input is read.",
	.common = TL_COMMON_OUTPUT,
	.c = &common,
};

/* ---- sheets -------------------------------------------------------------------- */

/* The sheet's name of an operand; the caller frees it. */
static char *sheet_name(const struct tl_workbook *book, const char *operand)
{
	char *name = tl_operand_name(operand), *fitting;

	if (tl_operand_file(operand) != operand || !strcmp(operand, "-"))
		return name;
	fitting = tl_workbook_fit_name(book, name, false);
	if (strcmp(fitting, name))
		tl_warn("%s: the sheet is called '%s', a workbook allows no longer name", tl_shown_path(operand, false), fitting);
	free(name);
	return fitting;
}

static void add_sheet(struct tl_workbook *book, const char *operand)
{
	char *name = sheet_name(book, operand);
	struct tl_error err;

	if (tl_workbook_add(book, name, &err))
		tl_die_of_sheet(operand, &err);
	free(name);
}

static void fill_sheet(struct tl_workbook *book, size_t i, const char *operand)
{
	struct tl_input *in = tl_open_input(tl_operand_file(operand));
	struct tl_error err;
	size_t n;

	if (tl_workbook_fill(book, i, in, &n, &err))
		tl_die_of_sheet(in->name, &err);
	if (n)
		tl_warn("%s: %zu cell%s longer than 32767 characters cut to that", in->name, n, n == 1 ? "" : "s");
	tl_close_input(in);
}

/* Bytes of an operand's file; 0 if it is a pipe or cannot be read. */
static uint64_t size_of(const char *operand)
{
	const char *file = tl_operand_file(operand);
	struct stat st;
	int failed = strcmp(file, "-") ? stat(file, &st) : fstat(STDIN_FILENO, &st);

	return failed || !S_ISREG(st.st_mode) ? 0 : (uint64_t)st.st_size;
}

/* ---- the workbook ------------------------------------------------------------------ */

/* libxlsxwriter goes back in the file that it writes, which cannot be done in a
 * pipe. So it writes a temporary file, which is copied once it is whole. */
int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);
	uint64_t n_bytes = 0;
	operands = tl_sheet_operands(operands, &n);
	mallopt(M_TOP_PAD, KEPT); /* or each of the archive's parts takes 260 kB from the system and gives them back */
	for (int i = 0; i < n; i++)
		n_bytes += size_of(operands[i]);
	struct tl_output *out = tl_open_output(common.output, true);
	const char *scratch;
	int fd = tl_open_scratch("tl-xlsx", &scratch);
	struct tl_workbook *book = tl_workbook_new(scratch, tl_source_date(), n_bytes > LARGE);
	struct tl_error err;

	if (!book)
		tl_die("out of memory");
	for (int i = 0; i < n; i++)
		add_sheet(book, operands[i]);
	for (size_t k = 0; k < (size_t)n; k++) {
		size_t i = tl_workbook_turn(book, k);
		fill_sheet(book, i, operands[i]);
	}
	enum tl_status st = tl_workbook_close(book, &err);
	if (st == TL_ERR_IO)
		tl_die("%s: temporary files in %s: %s", out->name, tl_shown_temp_folder(), err.text);
	if (st)
		tl_die_of_sheet(out->name, &err);
	tl_workbook_free(book);
	tl_remove_scratch(scratch);
	tl_copy_out(fd, out);
	close(fd);
	tl_close_output(out);
	return 0;
}
