/* test_book.c - reading workbooks: what cells become, and what is refused. Makes small
 * workbooks, as different programs write them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "report/book_reader.h"
#include "tests/unit/make_archive.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/test_book.XXXXXX";

#define BOOK "<workbook xmlns:r=\"r\"><sheets><sheet name=\"one\" sheetId=\"1\" r:id=\"rId1\"/><sheet name=\"two\" sheetId=\"2\" r:id=\"rId2\"/></sheets></workbook>"
#define RELATIONS "<Relationships><Relationship Id=\"rId2\" Target=\"/xl/two.xml\"/><Relationship Id=\"rId1\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
#define TEXTS "<sst><si><t>name</t></si><si><r><t xml:space=\"preserve\">a </t></r><r><t>b_x0009_c</t></r><rPh><t>no</t></rPh></si></sst>"
#define SHEET(rows) "<worksheet><sheetData>" rows "</sheetData></worksheet>"
#define HEADER "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"inlineStr\"><is><t>x</t></is></c></row>"

static enum tl_status add_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	(void)row, (void)err;
	for (size_t i = 0; i < n; i++) {
		tl_buf_add(ctx, f[i].s, f[i].len);
		tl_buf_addc(ctx, i + 1 < n ? '|' : ';');
	}
	return TL_OK;
}

static enum tl_status write_file(const struct tl_buf *b, struct tl_error *err)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, b->data, b->len) != (ssize_t)b->len || close(fd))
		return tl_fail(err, TL_ERR_USAGE, "cannot write %s", path);
	return TL_OK;
}

/* Reads the i-th sheet of the file into rows. */
static enum tl_status read_file(size_t i, struct tl_buf *rows, struct tl_error *err)
{
	struct tl_book *b = tl_book_open(path, err);
	enum tl_status st = b ? TL_OK : err->status;

	tl_buf_clear(rows);
	if (b && tl_book_sheet(b, i))
		st = tl_book_read(b, i, add_row, rows, err);
	tl_book_close(b);
	return st;
}

/* Is that what the first sheet is read as, or part of the message of the error, with its row? */
static bool is(const char *sheet, const char *wanted)
{
	const char *parts[][2] = { { "xl/workbook.xml", BOOK }, { "xl/_rels/workbook.xml.rels", RELATIONS },
		{ "xl/worksheets/sheet1.xml", sheet }, { "xl/two.xml", SHEET("") }, { "xl/sharedStrings.xml", TEXTS } };
	struct tl_buf b = { 0 }, rows = { 0 }, said = { 0 };
	struct tl_error err;

	make_archive(&b, path, parts, 5);
	enum tl_status st = read_file(0, &rows, &err);
	if (st && err.record >= 0)
		tl_buf_addf(&said, "row %d: ", (int)err.record);
	if (st)
		tl_buf_adds(&said, err.text);
	bool ok = st ? strstr(said.data, wanted) != NULL : !strcmp(tl_buf_text(&rows), wanted);
	if (!ok)
		printf("# %s\n# got %s\n", sheet, st ? said.data : tl_buf_text(&rows));
	tl_buf_release(&said);
	tl_buf_release(&b);
	tl_buf_release(&rows);
	return ok;
}

static void test_cells(void)
{
	check("shared and inline texts, in pieces, without what tells how to read them", is(SHEET(HEADER "<row><c r=\"A2\" t=\"s\"><v>1</v></c></row>"), "name|x;a b\tc|;"));
	check("numbers, booleans, results of formulas", is(SHEET(HEADER "<row r=\"2\"><c r=\"A2\"><v>1.5E-3</v></c><c r=\"B2\" t=\"b\"><v>1</v></c></row>"
	      "<row r=\"9\"><c r=\"A9\" t=\"str\"><f>A1&amp;B1</f><v>_x0041_&lt;</v></c><c r=\"B9\" t=\"b\"><v>0</v></c></row>"), "name|x;1.5E-3|True;A<|False;"));
	check("a text may end in what stands for a character", is(SHEET("<row><c t=\"str\"><v>a_x0041_</v></c><c t=\"str\"><v>_x0041</v></c></row>"), "aA|_x0041;"));
	check("cells without a place follow each other", is(SHEET("<row><c><v>1</v></c><c><v>2</v></c></row><row/><row><c r=\"B3\"><v>3</v></c></row>"), "1|2;|3;"));
	check("names of elements may have a prefix", is("<x:worksheet xmlns:x=\"x\"><x:row><x:c><x:v>1</x:v></x:c></x:row></x:worksheet>", "1;"));
	check("a sheet without cells has no rows", is(SHEET(""), ""));
}

static void test_refused(void)
{
	char last[16386];

	memset(last, '|', 16383);
	strcpy(last + 16383, "1;");
	check("a cell in the last column", is(SHEET("<row><c r=\"XFD1\"><v>1</v></c></row>"), last));
	check("a text that is not there", is(SHEET("<row><c t=\"s\"><v>2</v></c></row>"), "a cell has the text 2, the workbook has 2"));
	check("more cells than the header", is(SHEET(HEADER "<row><c r=\"C2\"><v>1</v></c></row>"), "row 1: 3 cells, the header has 2"));
	check("a cell beyond the last column", is(SHEET("<row><c r=\"XFE1\"><v>1</v></c></row>"), "beyond column 16384") &&
	      is(SHEET("<row><c r=\"ZZZZZZZZZZZZZZZZ1\"><v>1</v></c></row>"), "beyond column 16384"));
	check("no XML", is("<worksheet><row></worksheet>", "part xl/worksheets/sheet1.xml, line 1: mismatched tag") && is("", "damaged or cut short"));
}

static void test_archive(void)
{
	const char *parts[][2] = { { "xl/workbook.xml", BOOK }, { "xl/_rels/workbook.xml.rels", RELATIONS },
		{ "xl/worksheets/sheet1.xml", SHEET(HEADER) }, { "xl/two.xml", SHEET("") } };
	struct tl_buf b = { 0 }, rows = { 0 }, cut;
	struct tl_error err;
	bool ok = true;

	make_archive(&b, path, parts, 1);
	check("an archive without parts of a workbook is refused", read_file(0, &rows, &err) &&
	      strstr(err.text, "no workbook: the archive has no part xl/_rels/workbook.xml.rels"));
	make_archive(&b, path, parts, 4);
	check("a workbook may have no texts", !read_file(1, &rows, &err) && !rows.len);
	for (cut = b, cut.len = 0; cut.len < b.len; cut.len++)
		ok &= !write_file(&cut, &err) && read_file(0, &rows, &err);
	check("an archive that is cut short anywhere is refused", ok);
	for (size_t i = 0; i < b.len; i++) { /* some bytes, as dates, mean nothing here */
		b.data[i] ^= 0x55;
		ok &= !write_file(&b, &err);
		read_file(0, &rows, &err);
		b.data[i] ^= 0x55;
	}
	check("a wrong byte does no harm", ok);
	tl_buf_release(&b);
	tl_buf_release(&rows);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test_cells();
	test_refused();
	test_archive();
	unlink(path);
	return failures != 0;
}
