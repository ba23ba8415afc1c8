/* test_archive.c - whether a workbook that is not whole is found out. Makes small
 * zip archives, as libxlsxwriter makes them, with and without damage.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "report/archive.h"
#include "tests/unit/make_archive.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- is it whole? --------------------------------------------------------------- */

static char path[] = "/tmp/test_archive.XXXXXX";

static enum tl_status check_bytes(const char *data, size_t len, size_t n_cells, struct tl_error *err)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd))
		return tl_fail(err, TL_ERR_USAGE, "cannot write %s", path);
	return tl_archive_check(path, n_cells, err);
}

#define SHEET "<?xml version=\"1.0\"?>\n<worksheet><row><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" s=\"1\"/></row></worksheet>"
#define STRINGS "<?xml version=\"1.0\"?>\n<sst count=\"2\" uniqueCount=\"2\"><si><t>a &lt;b&gt;</t></si><si><t>c</t></si></sst>"

/* Checks a workbook of two parts, with two cells. */
static enum tl_status check_parts(const char *sheet, const char *strings, struct tl_error *err)
{
	const char *parts[][2] = { { "sheet1.xml", sheet }, { "sharedStrings.xml", strings } };
	struct tl_buf b = { 0 };

	make_archive(&b, path, parts, 2);
	enum tl_status st = check_bytes(b.data, b.len, 2, err);
	tl_buf_release(&b);
	return st;
}

static bool refused(const char *sheet, const char *strings, const char *message)
{
	struct tl_error err = { .text = "it passes" };

	if (check_parts(sheet, strings, &err) && strstr(err.text, message))
		return true;
	printf("# %s: %s\n", sheet, err.text);
	return false;
}

static void test_xml(void)
{
	struct tl_error err;
	const char *sheet = "sheet1.xml is cut short";

	check("a whole workbook passes", !check_parts(SHEET, STRINGS, &err));
	bool ok = refused("", STRINGS, sheet) && refused("<?xml version=\"1.0\"?>\n", STRINGS, sheet) &&
	          refused("<worksheet><row><c r=\"A1\"/><c r=\"B1\"/>", STRINGS, sheet) &&
	          refused("<worksheet><row><c r=\"A1\"/><c r=\"B", STRINGS, sheet) && refused("<worksheet></row></worksheet>", STRINGS, sheet);
	ok &= refused("<worksheet><row><c r=\"A1\"/><c r=\"B<c r=\"C1\"/></row></worksheet>", STRINGS, sheet);
	check("a part without its end, or without bytes from its middle, does not", ok);
	check("a worksheet without a cell does not",
	      refused("<worksheet><row><c r=\"A1\"/></row></worksheet>", STRINGS, "a worksheet is cut short"));
	ok = refused(SHEET, "<sst count=\"2\" uniqueCount=\"2\"><si><t>ac</t></si></sst>", "texts is cut short") &&
	     refused(SHEET, "<sst count=\"2\"><si><t>a</t></si><si><t>c</t></si></sst>", "texts is cut short");
	check("shared strings that are fewer than they say do not", ok);
}

/* Wherever a sheet stands in what is unpacked and counted at once. */
static void test_long_parts(void)
{
	enum { LONGEST = 33200 };
	static char sheet[LONGEST + sizeof SHEET];
	struct tl_error err;
	bool whole = true, cut = true;

	for (size_t n = 0; n < LONGEST; n += n == 600 ? 32000 : 1) { /* bytes before it */
		memset(sheet, ' ', n);
		strcpy(sheet + n, SHEET);
		whole &= !check_parts(sheet, STRINGS, &err);
		sheet[n + strlen(SHEET) - 1] = '\0';
		cut &= check_parts(sheet, STRINGS, &err) == TL_ERR_IO;
	}
	check("a long part passes", whole);
	check("a long part without its last byte does not", cut);
}

static void test_archive(void)
{
	const char *parts[][2] = { { "sheet1.xml", SHEET }, { "a name of more than sixty-four characters, as no part of a workbook has one.xml", STRINGS } };
	struct tl_buf b = { 0 };
	struct tl_error err;
	bool ok = true;

	make_archive(&b, path, parts, 2);
	check("a long name passes", !check_bytes(b.data, b.len, 2, &err));
	for (size_t len = 0; len < b.len; len++)
		ok &= check_bytes(b.data, len, 2, &err) == TL_ERR_IO;
	check("an archive that is cut short anywhere does not", ok);
	for (size_t i = 0; i < b.len; i++) { /* some bytes, as dates, mean nothing here */
		b.data[i] ^= 0x55;
		check_bytes(b.data, b.len, 2, &err);
		b.data[i] ^= 0x55;
	}
	check("a wrong byte does no harm", true);
	tl_buf_release(&b);
	check("a file that is not there is an error", tl_archive_check("/nowhere/at/all", 0, &err) == TL_ERR_IO && strstr(err.text, "No such file"));
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test_xml();
	test_long_parts();
	test_archive();
	unlink(path);
	return failures != 0;
}
