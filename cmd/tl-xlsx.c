/* tl-xlsx.c - one workbook from sheets in TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "tl-xlsx/instead.h"
#include "tl.h"
#include "report/xlsx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* 1 January 1980, the first date a zip archive knows */
#define DEFAULT_DATE 315532800

static struct tl_common common;

static const char *list;
static bool removing;

static const struct tl_opt options[] = {
	{ 0, "list", "FILE", "more files, one a line, from FILE; a line of a single dot ends them",
	  TL_OPT_TEXT, &list, 0, 0, NULL },
	{ 0, "remove", NULL, "remove the files of the list once they are read, then their folder", TL_OPT_FLAG, &removing, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-xlsx",
	.synopsis = "[OPTION]... [[NAME=]FILE.tsv]...",
	.purpose = "make one workbook of sheets in TSV",
	.detail = "Each FILE becomes a worksheet called NAME, or like the file without its suffix.\n"
	          "Without FILE, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_THREADS,
	.c = &common,
};

/* ---- the temporary file that libxlsxwriter writes --------------------------- */

static const char *scratch;      /* its name, NULL when it has none any more */
static const char *scratch_path; /* under which it can be opened again */

static void remove_scratch(void)
{
	if (scratch)
		tl_remove_scratch(scratch);
	scratch = NULL;
}

/* Whether an open file can be opened again without a name. */
static bool reopens(int fd)
{
	static char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	scratch_path = path;
	return !access(path, W_OK);
}

/* Opens the file. It is in memory where it can be, as the cells are, which take
 * far more; else it has a name for as long as it needs one. */
static int open_scratch(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = -1;

#ifdef MFD_CLOEXEC
	fd = memfd_create("tl-xlsx", MFD_CLOEXEC);
	if (fd >= 0 && reopens(fd))
		return fd;
	if (fd >= 0)
		close(fd);
#endif
	fd = tl_open_scratch(folder && *folder ? folder : "/tmp", "tl-xlsx", &scratch);
	if (reopens(fd))
		remove_scratch();
	else
		scratch_path = scratch;
	return fd;
}

static void __attribute__((noreturn)) fail(const char *name, const struct tl_error *err)
{
	if (err->status == TL_ERR_USAGE)
		tl_usage("%s", err->text);
	tl_die_error(name, err);
}

static void copy_out(int fd, struct tl_output *out)
{
	static char buf[65536];
	struct tl_error err;
	ssize_t n;

	while ((n = read(fd, buf, sizeof buf)) > 0)
		if (out->write(out, buf, (size_t)n, &err))
			tl_die_error(out->name, &err);
	if (n < 0)
		tl_die("%s: cannot read back: %s", out->name, strerror(errno));
}

/* ---- sheets -------------------------------------------------------------------- */

/* NAME of [NAME=]FILE, or of FILE if it is plain; *file becomes the file. The
 * caller frees it. */
static char *sheet_name(const char *operand, bool plain, const char **file)
{
	const char *equals = strchr(operand, '='), *slash = strchr(operand, '/');

	*file = operand;
	if (!plain && equals && (!slash || equals < slash)) {
		*file = equals + 1;
		return tl_strndup(operand, (size_t)(equals - operand));
	}
	if (!strcmp(operand, "-"))
		return tl_strdup("sheet");
	const char *base = strrchr(operand, '/') ? strrchr(operand, '/') + 1 : operand;
	size_t len = strlen(base);
	if (len > 4 && !strcmp(base + len - 4, ".tsv"))
		len -= 4;
	char *name = tl_book_fit_name(base, len);
	if (strncmp(name, base, len))
		tl_warn("%s: the sheet is called '%s', a workbook allows no longer name", operand, name);
	return name;
}

static void add_sheet(struct tl_book *book, const char *operand, bool plain)
{
	const char *file;
	char *name = sheet_name(operand, plain, &file);
	struct tl_input *in = tl_open_input(file);
	struct tl_error err;

	if (tl_book_add_sheet(book, name, in, &err))
		fail(in->name, &err);
	size_t n = tl_book_cut_cells(book);
	if (n)
		tl_warn("%s: %zu cell%s longer than 32767 characters cut to that", in->name, n, n == 1 ? "" : "s");
	tl_close_input(in);
	free(name);
}

/* The folder of a file, if nothing is left in it. */
static void remove_folder(char *file)
{
	char *end = strrchr(file, '/');

	if (!end)
		return;
	while (end > file && (end[-1] == '/' || (end - file > 1 && end[-1] == '.' && end[-2] == '/')))
		end--;
	*end = '\0';
	if (end > file)
		rmdir(file);
}

#define USUAL_MEMORY ((size_t)6 << 20)

/* Touches what a usual workbook takes. That costs the same later, when somebody
 * waits for it; before the first sheet there is nothing else to do. It is a
 * piece of the heap, and stays there, because tl_cli_heap() has raised the size
 * from which pieces are mapped by themselves. */
static void warm_up(void)
{
	volatile char *p = malloc(USUAL_MEMORY);

	for (size_t i = 0; p && i < USUAL_MEMORY; i += 4096)
		p[i] = 0;
	free((void *)p);
}

/* The files of the list. */
static char **listed;
static size_t n_listed, cap_listed;

/* Once the workbook is there. Nobody minds if something is left: who asked for
 * this made the folder, and has the rest in it. */
static void remove_listed(void)
{
	for (size_t i = 0; i < n_listed; i++)
		if (strcmp(listed[i], "-"))
			unlink(listed[i]);
	remove_folder(listed[n_listed - 1]);
}

/* The sheets of a list, each as soon as its line is there. */
static void add_listed(struct tl_book *book)
{
	bool from_stdin = !strcmp(list, "-");
	FILE *f = from_stdin ? stdin : fopen(list, "re");
	const char *name = from_stdin ? "<stdin>" : list;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool ended = false;

	if (!f)
		tl_die("%s: cannot open: %s", list, strerror(errno));
	if (from_stdin)
		warm_up();
	while ((n = getline(&line, &cap, f)) > 0) {
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		ended = !strcmp(line, ".");
		if (ended)
			break;
		add_sheet(book, line, true);
		TL_GROW(listed, cap_listed, n_listed + 1);
		listed[n_listed++] = tl_strdup(line);
	}
	if (ferror(f))
		tl_die("%s: cannot read: %s", name, strerror(errno));
	if (ended && !n_listed)
		tl_die("%s: the list names no sheet", name);
	if (!ended)
		tl_die("%s: the list of sheets is cut short: it does not end with a line of a single dot", name);
	free(line);
	if (!from_stdin)
		fclose(f);
}

static time_t creation_date(void)
{
	const char *s = getenv("SOURCE_DATE_EPOCH");
	char *end;

	if (!s || !*s)
		return DEFAULT_DATE;
	errno = 0;
	long long t = strtoll(s, &end, 10);
	if (*end || errno || t < 0 || t > 253402300799) /* the year 9999 */
		tl_usage("SOURCE_DATE_EPOCH: '%s' is not a time in seconds", s);
	return (time_t)t;
}

int main(int argc, char **argv)
{
	int n;

	tl_xlsx_start_checks(remove_scratch);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	struct tl_output *out = tl_open_output(common.output, true);
	int fd = open_scratch();
	struct tl_book *book = tl_book_new(scratch_path, creation_date());
	struct tl_error err;

	if (!book)
		tl_die("out of memory");
	if (tl_xlsx_write_ahead && common.threads > 1)
		tl_book_when_done(book, tl_xlsx_write_ahead);
	for (int i = 0; i < n; i++)
		add_sheet(book, operands[i], false);
	if (list)
		add_listed(book);
	else if (!n)
		add_sheet(book, "-", false);
	if (tl_book_close(book, &err))
		fail(out->name, &err);
	if (tl_xlsx_end_ahead)
		tl_xlsx_end_ahead();
	remove_scratch();
	copy_out(fd, out);
	tl_close_output(out);
	if (removing && n_listed)
		remove_listed();
	close(fd);
	tl_book_free(book);
	return 0;
}
