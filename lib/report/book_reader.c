/* book_reader.c - reads the sheets of a workbook (ECMA-376, parts 18.2 to 18.4).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/book_reader.h"
#include "report/archive.h"

#include <errno.h>
#include <expat.h>
#include <minizip/unzip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
#define XML_GetCurrentLineNumber64 XML_GetCurrentLineNumber /* which later versions warn of */
#endif

#define MAX_COLUMNS 16384
#define MOST_TEXT ((size_t)1 << 28) /* bytes of shared texts, and of a row */

struct text { size_t at, len; };
struct named { char *name, *target; }; /* a sheet and its part, or an id and a part */
struct list { struct named *items; size_t n, cap; };

struct tl_book {
	unzFile zip;
	struct list sheets;      /* target: the id of a relation, once opened the name of the part */
	struct list relations;
	struct tl_buf texts;     /* one behind the other … */
	struct text *shared;     /* … and where each is */
	size_t n_shared, cap_shared;
};

/* A part that is being read. */
struct reading {
	struct tl_book *book;
	const char *part;
	XML_Parser parser;
	struct tl_error *err;
	enum tl_status status;
	void (*start)(struct reading *, const char *element, const char **attributes);
	void (*end)(struct reading *, const char *element);
	struct tl_buf *text;     /* what character data is added to; NULL: it is passed over */
	unsigned phonetic;       /* depth of elements whose text is no part of a cell */
	/* of a sheet */
	tl_tsv_row *row;
	void *ctx;
	struct tl_buf cells;     /* the texts of the row */
	struct text *columns;    /* where the text of each column is */
	size_t cap_columns, n_columns, n_rows, column, last; /* last: columns of this row */
	char type[16];           /* of the cell */
	struct tl_buf value;
	struct tl_field_text *fields;
};

/* ---- XML --------------------------------------------------------------------------- */

static void stop(struct reading *r, enum tl_status st)
{
	r->status = st;
	XML_StopParser(r->parser, XML_FALSE);
}

/* Without the prefix of a name space. */
static const char *local_name(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon ? colon + 1 : name;
}

static const char *attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (!strcmp(local_name(*attributes), name))
			return attributes[1];
	return "";
}

static void XMLCALL on_start(void *ctx, const char *element, const char **attributes)
{
	struct reading *r = ctx;

	element = local_name(element);
	r->phonetic += r->phonetic || !strcmp(element, "rPh");
	if (!r->phonetic)
		r->start(r, element, attributes);
}

static void XMLCALL on_end(void *ctx, const char *element)
{
	struct reading *r = ctx;

	if (r->phonetic)
		r->phonetic--;
	else if (r->end)
		r->end(r, local_name(element));
}

static void check_length(struct reading *r, const struct tl_buf *b)
{
	if (b->len > MOST_TEXT)
		stop(r, tl_fail(r->err, TL_ERR_DATA, "part %s: more than %zu bytes of text", r->part, MOST_TEXT));
}

static void XMLCALL on_text(void *ctx, const char *text, int len)
{
	struct reading *r = ctx;

	if (!r->text || r->phonetic)
		return;
	tl_buf_add(r->text, text, (size_t)len);
	check_length(r, r->text);
}

static bool parse_piece(void *ctx, const char *data, size_t len)
{
	struct reading *r = ctx;

	for (size_t n; len && !r->status; data += n, len -= n) {
		n = len < 1 << 20 ? len : 1 << 20;
		if (XML_Parse(r->parser, data, (int)n, 0) != XML_STATUS_OK && !r->status)
			r->status = tl_fail(r->err, TL_ERR_DATA, "part %s, line %lu: %s", r->part, (unsigned long)XML_GetCurrentLineNumber64(r->parser),
			                    XML_ErrorString(XML_GetErrorCode(r->parser)));
	}
	return !r->status;
}

/* Goes to a part. *missing: the workbook has no such part, which then is no error. */
static enum tl_status find_part(struct tl_book *b, const char *name, bool *missing, struct tl_error *err)
{
	const int case_counts = 1;
	int found = unzLocateFile(b->zip, name, case_counts);

	if (found == UNZ_OK)
		return TL_OK;
	if (found != UNZ_END_OF_LIST_OF_FILE)
		return tl_fail(err, TL_ERR_DATA, "the archive is damaged");
	if (!missing)
		return tl_fail(err, TL_ERR_DATA, "no workbook: the archive has no part %s", name);
	*missing = true;
	return TL_OK;
}

static enum tl_status read_part(struct reading *r, const char *name, bool *missing)
{
	static const XML_Memory_Handling_Suite memory = { tl_alloc, tl_realloc, free };

	r->part = name;
	r->status = find_part(r->book, name, missing, r->err);
	if (r->status || (missing && *missing))
		return r->status;
	r->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, on_start, on_end);
	XML_SetCharacterDataHandler(r->parser, on_text);
	bool whole = tl_archive_unpack(r->book->zip, parse_piece, r);
	if (!r->status && (!whole || XML_Parse(r->parser, "", 0, 1) != XML_STATUS_OK))
		r->status = tl_fail(r->err, TL_ERR_DATA, "part %s is damaged or cut short", name);
	XML_ParserFree(r->parser);
	return r->status;
}

/* ---- texts -------------------------------------------------------------------------------- */

/* Four hexadecimal digits; -1: they are none. */
static int hex4(const char *s)
{
	int x = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef", *d = s[i] ? strchr(digits, s[i] | (s[i] >= 'A' ? 0x20 : 0)) : NULL;
		if (!d)
			return -1;
		x = x * 16 + (int)(d - digits);
	}
	return x;
}

/* Resolves in place what stands for a character that XML cannot hold: _x001B_. The texts of b
 * from `from` on; only characters below 0x80 are written so. */
static void resolve(struct tl_buf *b, size_t from)
{
	size_t to = from;

	for (size_t i = from; i < b->len;) {
		int c = b->len - i >= 7 && b->data[i] == '_' && b->data[i + 1] == 'x' && b->data[i + 6] == '_' ? hex4(b->data + i + 2) : -1;
		if (c >= 0 && c < 0x80) {
			b->data[to++] = (char)c;
			i += 7;
		} else {
			b->data[to++] = b->data[i++];
		}
	}
	if (b->data) {
		b->data[to] = '\0';
		b->len = to;
	}
}

static void start_shared(struct reading *r, const char *element, const char **attributes)
{
	struct tl_book *b = r->book;

	(void)attributes;
	if (!strcmp(element, "si")) {
		TL_PUSH(b->shared, b->n_shared, b->cap_shared, (struct text){ b->texts.len, 0 });
	} else if (!strcmp(element, "t") && b->n_shared) {
		r->text = &b->texts;
	}
}

static void end_shared(struct reading *r, const char *element)
{
	struct tl_book *b = r->book;

	if (!strcmp(element, "t"))
		r->text = NULL;
	if (strcmp(element, "si"))
		return;
	struct text *t = &b->shared[b->n_shared - 1];
	resolve(&b->texts, t->at);
	t->len = b->texts.len - t->at;
}

/* ---- the workbook --------------------------------------------------------------------------- */

static void add(struct list *l, const char *name, const char *target)
{
	TL_PUSH(l->items, l->n, l->cap, (struct named){ tl_strdup(name), tl_strdup(target) });
}

static void start_sheets(struct reading *r, const char *element, const char **attributes)
{
	if (!strcmp(element, "sheet")) /* the id is that of a relation, r:id */
		add(&r->book->sheets, attribute(attributes, "name"), attribute(attributes, "id"));
}

static void start_relations(struct reading *r, const char *element, const char **attributes)
{
	if (!strcmp(element, "Relationship"))
		add(&r->book->relations, attribute(attributes, "Id"), attribute(attributes, "Target"));
}

/* Replaces the ids of relations by the parts that they name, relative to xl/. */
static enum tl_status resolve_sheets(struct tl_book *b, struct tl_error *err)
{
	for (size_t i = 0; i < b->sheets.n; i++) {
		struct named *s = &b->sheets.items[i];
		char *path = NULL;
		for (size_t k = 0; k < b->relations.n && !path; k++) {
			const char *target = b->relations.items[k].target;
			if (!strcmp(b->relations.items[k].name, s->target))
				path = tl_strdupf("%s%s", *target == '/' ? "" : "xl/", target + (*target == '/'));
		}
		if (!path)
			return tl_fail(err, TL_ERR_DATA, "sheet '%.100s' has no part", s->name);
		free(s->target);
		s->target = path;
	}
	return TL_OK;
}

static enum tl_status read_book(struct tl_book *b, struct tl_error *err)
{
	struct reading sheets = { .book = b, .err = err, .start = start_sheets };
	struct reading relations = { .book = b, .err = err, .start = start_relations };
	struct reading shared = { .book = b, .err = err, .start = start_shared, .end = end_shared };
	bool no_texts = false;
	enum tl_status st = read_part(&sheets, "xl/workbook.xml", NULL);

	if (!st)
		st = read_part(&relations, "xl/_rels/workbook.xml.rels", NULL);
	if (!st)
		st = resolve_sheets(b, err);
	return st ? st : read_part(&shared, "xl/sharedStrings.xml", &no_texts);
}

struct tl_book *tl_book_open(const char *path, struct tl_error *err)
{
	struct tl_book *b = tl_calloc(1, sizeof *b);

	b->zip = unzOpen64(path);
	if (b->zip && !read_book(b, err))
		return b;
	if (!b->zip && access(path, R_OK))
		tl_fail(err, TL_ERR_IO, "cannot read: %s", strerror(errno));
	else if (!b->zip)
		tl_fail(err, TL_ERR_DATA, "the archive is damaged or cut short");
	tl_book_close(b);
	return NULL;
}

static void release(struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].name);
		free(l->items[i].target);
	}
	free(l->items);
}

void tl_book_close(struct tl_book *b)
{
	if (!b)
		return;
	unzClose(b->zip);
	release(&b->sheets);
	release(&b->relations);
	tl_buf_release(&b->texts);
	free(b->shared);
	free(b);
}

const char *tl_book_sheet(const struct tl_book *b, size_t i)
{
	return i < b->sheets.n ? b->sheets.items[i].name : NULL;
}

/* ---- a sheet ----------------------------------------------------------------------------------- */

/* The column of a reference such as AB12, from 0; without one the next column. */
static size_t column_of(const struct reading *r, const char *reference)
{
	size_t n = 0;

	for (; *reference >= 'A' && *reference <= 'Z' && n <= MAX_COLUMNS; reference++)
		n = n * 26 + (size_t)(*reference - 'A') + 1;
	return n ? n - 1 : r->last;
}

static void start_cell(struct reading *r, const char **attributes)
{
	r->column = column_of(r, attribute(attributes, "r"));
	if (r->column >= MAX_COLUMNS) {
		stop(r, tl_fail(r->err, TL_ERR_DATA, "a cell beyond column %d", MAX_COLUMNS));
		return;
	}
	TL_GROW(r->columns, r->cap_columns, r->column + 1);
	for (; r->last <= r->column; r->last++)
		r->columns[r->last] = (struct text){ 0, 0 };
	snprintf(r->type, sizeof r->type, "%s", attribute(attributes, "t"));
	tl_buf_clear(&r->value);
}

static void start_in_sheet(struct reading *r, const char *element, const char **attributes)
{
	if (!strcmp(element, "row")) {
		r->last = 0;
		tl_buf_clear(&r->cells);
	} else if (!strcmp(element, "c")) {
		start_cell(r, attributes);
	} else if (!strcmp(element, "v") || !strcmp(element, "t")) {
		r->text = &r->value;
	}
}

static void end_cell(struct reading *r)
{
	const struct tl_book *b = r->book;
	const char *s = tl_buf_text(&r->value);
	size_t at = r->cells.len;

	if (!strcmp(r->type, "s")) {
		size_t i = strtoull(s, NULL, 10);
		if (i >= b->n_shared) {
			stop(r, tl_fail(r->err, TL_ERR_DATA, "a cell has the text %.20s, the workbook has %zu", s, b->n_shared));
			return;
		}
		tl_buf_add(&r->cells, b->texts.data ? b->texts.data + b->shared[i].at : "", b->shared[i].len);
	} else if (!strcmp(r->type, "b")) {
		tl_buf_adds(&r->cells, !*s ? "" : *s == '1' ? "True" : "False");
	} else {
		tl_buf_adds(&r->cells, s);
		if (!strcmp(r->type, "inlineStr") || !strcmp(r->type, "str"))
			resolve(&r->cells, at);
	}
	r->columns[r->column] = (struct text){ at, r->cells.len - at };
	check_length(r, &r->cells);
}

static void end_row(struct reading *r)
{
	if (!r->last)
		return;
	if (!r->n_rows) {
		r->n_columns = r->last;
		r->fields = tl_alloc(r->n_columns * sizeof *r->fields);
	}
	if (r->last > r->n_columns) {
		stop(r, tl_fail(r->err, TL_ERR_DATA, "%zu cells, the header has %zu", r->last, r->n_columns));
		r->err->record = (int64_t)r->n_rows;
		return;
	}
	for (size_t i = 0; i < r->n_columns; i++) {
		struct text t = i < r->last ? r->columns[i] : (struct text){ 0, 0 };
		r->fields[i] = (struct tl_field_text){ tl_buf_text(&r->cells) + t.at, t.len };
	}
	enum tl_status st = r->row(r->ctx, r->n_rows++, r->fields, r->n_columns, r->err);
	if (st)
		stop(r, st);
}

static void end_in_sheet(struct reading *r, const char *element)
{
	if (r->status)
		return;
	if (!strcmp(element, "v") || !strcmp(element, "t"))
		r->text = NULL;
	else if (!strcmp(element, "c") && r->last)
		end_cell(r);
	else if (!strcmp(element, "row"))
		end_row(r);
}

enum tl_status tl_book_read(struct tl_book *b, size_t i, tl_tsv_row *row, void *ctx, struct tl_error *err)
{
	struct reading r = { .book = b, .err = err, .start = start_in_sheet, .end = end_in_sheet, .row = row, .ctx = ctx };
	enum tl_status st = read_part(&r, b->sheets.items[i].target, NULL);

	tl_buf_release(&r.cells);
	tl_buf_release(&r.value);
	free(r.columns);
	free(r.fields);
	return st;
}
