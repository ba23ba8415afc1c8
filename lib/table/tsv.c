/* tsv.c - tables as text: tab-separated, and comma-separated.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "table/tsv.h"
#include "base/number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK 65536
#define LONGEST_ROW ((size_t)1 << 28)

/* ---- writing ------------------------------------------------------------- */

static bool needs_escape(unsigned char c)
{
	return c > '\r' ? c == '\\' : c == '\t' || c == '\n' || c == '\r';
}

bool tl_tsv_escapes_quotes;

void tl_tsv_add_text(struct tl_buf *b, const char *s, size_t len)
{
	const char *end = s + len, *plain = s;

	if (tl_tsv_escapes_quotes && len && *s == '"') {
		tl_buf_adds(b, "\\x22");
		plain = ++s;
	}
	for (; s < end; s++) {
		if (!needs_escape((unsigned char)*s))
			continue;
		tl_buf_add(b, plain, (size_t)(s - plain));
		tl_buf_addc(b, '\\');
		tl_buf_addc(b, *s == '\t' ? 't' : *s == '\n' ? 'n' : *s == '\r' ? 'r' : '\\');
		plain = s + 1;
	}
	tl_buf_add(b, plain, (size_t)(end - plain));
}

void tl_tsv_add_cell(struct tl_buf *b, struct tl_cell c, const struct tl_strtab *strings, int64_t ticks_per_us)
{
	if (c.type == TL_CELL_TEXT) {
		tl_tsv_add_text(b, tl_str(strings, c.text), tl_str_len(strings, c.text));
		return;
	}
	tl_buf_reserve(b, TL_DOUBLE_TEXT);
	b->len += tl_cell_format(b->data + b->len, c, ticks_per_us);
}

enum tl_status tl_tsv_write(const struct tl_table *t, struct tl_output *out, struct tl_error *err)
{
	return tl_tsv_write_more(t, true, out, err);
}

enum tl_status tl_tsv_write_more(const struct tl_table *t, bool header, struct tl_output *out, struct tl_error *err)
{
	struct tl_buf b = { 0 };
	enum tl_status st = TL_OK;

	if (t->overflow)
		return tl_fail(err, TL_ERR_DATA, "column '%s': times add up to more than 2^63 ticks of %g ns", tl_str(t->strings, t->overflow),
		               1e3 / (double)t->ticks_per_us);
	for (size_t i = 0; i < t->n_columns && header; i++) {
		if (i)
			tl_buf_addc(&b, '\t');
		tl_tsv_add_text(&b, t->columns[i].name, strlen(t->columns[i].name));
	}
	if (header)
		tl_buf_addc(&b, '\n');
	for (size_t row = 0; row < t->n_rows && !st; row++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			if (i)
				tl_buf_addc(&b, '\t');
			tl_tsv_add_cell(&b, tl_table_cell(t, row, i), t->strings, t->ticks_per_us);
		}
		tl_buf_addc(&b, '\n');
		if (b.len >= CHUNK) {
			st = out->write(out, b.data, b.len, err);
			tl_buf_clear(&b);
		}
	}
	if (!st && b.len)
		st = out->write(out, b.data, b.len, err);
	tl_buf_release(&b);
	return st;
}

/* ---- reading ---------------------------------------------------------------- */

struct reader {
	tl_tsv_row *call;
	void *ctx;
	struct tl_error *err;
	size_t row;                     /* number of the next line; 0 is the header */
	size_t n_columns;
	struct tl_field_text *fields;
	size_t cap_fields;
};

static enum tl_status bad_row(struct reader *r, enum tl_status st)
{
	if (r->err)
		r->err->record = (int64_t)r->row;
	return st;
}

/* Resolves escapes in place. Returns the new length, or SIZE_MAX. */
static size_t unescape(char *s, size_t len)
{
	char *p = memchr(s, '\\', len);
	if (!p)
		return len;
	char *out = p, *end = s + len;
	if (p == s && len >= 4 && !memcmp(s, "\\x22", 4)) {
		*out++ = '"';
		p += 4;
	}
	while (p < end) {
		if (*p != '\\') {
			*out++ = *p++;
			continue;
		}
		char c = p + 1 < end ? p[1] : 0;
		if (c != 't' && c != 'n' && c != 'r' && c != '\\')
			return SIZE_MAX;
		*out++ = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : '\\';
		p += 2;
	}
	return (size_t)(out - s);
}

static enum tl_status one_row(struct reader *r, char *s, size_t len)
{
	size_t n;

	if (memchr(s, '\r', len))
		return bad_row(r, tl_fail(r->err, TL_ERR_DATA,
			"raw carriage return; expected LF line ends, and \\r in fields"));
	n = tl_cut_fields(s, len, '\t', SIZE_MAX - 1, &r->fields, &r->cap_fields);
	for (size_t i = 0; i < n; i++) {
		r->fields[i].len = unescape((char *)(uintptr_t)r->fields[i].s, r->fields[i].len);
		if (r->fields[i].len == SIZE_MAX)
			return bad_row(r, tl_fail(r->err, TL_ERR_DATA,
				"field %zu: unknown escape; expected \\t, \\n, \\r, \\\\ or, at its start, \\x22", i + 1));
	}
	if (r->row == 0)
		r->n_columns = n;
	if (n != r->n_columns)
		return bad_row(r, tl_fail(r->err, TL_ERR_DATA,
			"%zu field%s, the header has %zu", n, n == 1 ? "" : "s", r->n_columns));
	enum tl_status st = r->call(r->ctx, r->row, r->fields, n, r->err);
	r->row++;
	return st;
}

/* Passes on the whole lines in b and leaves the rest at its start. The first `known`
 * bytes hold no line end. */
static enum tl_status whole_lines(struct reader *r, struct tl_buf *b, size_t known)
{
	char *s = b->data, *end = b->data + b->len;
	char *line_end = memchr(s + known, '\n', b->len - known);

	while (line_end) {
		enum tl_status st = one_row(r, s, (size_t)(line_end - s));
		if (st)
			return st;
		s = line_end + 1;
		line_end = memchr(s, '\n', (size_t)(end - s));
	}
	b->len = (size_t)(end - s);
	memmove(b->data, s, b->len);
	if (b->len > LONGEST_ROW)
		return bad_row(r, tl_fail(r->err, TL_ERR_DATA,
			"longer than %zu bytes", LONGEST_ROW));
	return TL_OK;
}

/* Do the name of the file and its header line say that it is CSV? */
static bool is_csv(const char *name, const char *s, size_t len)
{
	size_t n = strlen(name);
	const char *line_end = memchr(s, '\n', len);

	return n > 4 && !strcmp(name + n - 4, ".csv") && !memchr(s, '\t', line_end ? (size_t)(line_end - s) : len);
}

static enum tl_status read_all(struct reader *r, struct tl_input *in, struct tl_buf *b)
{
	tl_buf_reserve(b, CHUNK);
	int64_t n = tl_read_start(in, b->data, CHUNK, r->err);
	const char *foreign = n > 0 ? tl_foreign(b->data, (size_t)n) : NULL;

	if (foreign)
		return tl_fail(r->err, TL_ERR_DATA, "this is %s; expected a sheet: a header line and rows of TSV, "
		               "as tl-sheets makes them of a trace", foreign);
	if (n > 0 && is_csv(in->name, b->data, (size_t)n))
		return tl_fail(r->err, TL_ERR_DATA, "this is CSV; expected a sheet as TSV, which tl-csv --reverse makes of it");
	while (n > 0) {
		size_t known = b->len;
		b->len += (size_t)n;
		enum tl_status st = whole_lines(r, b, known);
		if (st)
			return st;
		tl_buf_reserve(b, CHUNK);
		n = in->read(in, b->data + b->len, CHUNK, r->err);
	}
	if (n < 0)
		return TL_ERR_IO;
	if (b->len)
		return bad_row(r, tl_fail(r->err, TL_ERR_DATA, "no line end; the input is cut short"));
	if (r->row == 0)
		return tl_fail(r->err, TL_ERR_DATA, "empty input; expected a header line");
	return TL_OK;
}

enum tl_status tl_tsv_read(struct tl_input *in, tl_tsv_row *row, void *ctx, struct tl_error *err)
{
	struct reader r = { .call = row, .ctx = ctx, .err = err };
	struct tl_buf b = { 0 };
	enum tl_status st = read_all(&r, in, &b);

	tl_buf_release(&b);
	free(r.fields);
	return st;
}

/* ---- files that are no sheets, told by their first bytes -------------------------------- */

/* What the formats' own documents say that files of them begin with. */
#define START(bytes, what) { bytes, sizeof bytes - 1, what }
static const struct { const char *bytes; size_t len; const char *what; } starts[] = {
	START("\x1f\x8b", "compressed data (gzip)"),
	START("\x28\xb5\x2f\xfd", "compressed data (zstd)"),
	START("\xfd" "7zXZ", "compressed data (xz)"),
	START("BZh", "compressed data (bzip2)"),
	START("PK\3\4", "a zip archive, such as a workbook"),
	START("\x8fTLS\r\n", "an event stream"),
	START("tls\t", "the text of an event stream"),
	START("SQLite format 3", "a database (SQLite)"),
	START("%PDF-", "a PDF"),
	START("\x89PNG", "an image (PNG)"),
	START("\xff\xd8\xff", "an image (JPEG)"),
	START("\x7f" "ELF", "a program (ELF)"),
};

/* Markup begins with one of these, in letters of any case. */
static const struct { const char *tag, *what; } tags[] = {
	{ "<!doctype html", "HTML" }, { "<html", "HTML" }, { "<head", "HTML" }, { "<body", "HTML" }, { "<!--", "HTML" },
	{ "<!doctype", "XML" }, { "<?xml", "XML" }, { "<svg", "XML" },
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t blanks(const char *s, size_t len, size_t i)
{
	while (i < len && is_blank(s[i]))
		i++;
	return i;
}

/* A value begins within an object or a list: a table has no such header. */
static bool is_json(const char *s, size_t len)
{
	size_t inner = blanks(s, len, 1);

	if (inner == len || !s[inner])
		return false;
	return (s[0] == '{' && strchr("\"}", s[inner])) || (s[0] == '[' && strchr("{[]\"", s[inner]));
}

static bool is_binary(const char *s, size_t len)
{
	for (size_t i = 0; i < len && s[i] != '\n'; i++)
		if (((unsigned char)s[i] < 0x20 && !is_blank(s[i])) || s[i] == 0x7f)
			return true;
	return false;
}

const char *tl_foreign(const char *s, size_t len)
{
	len = len < TL_FOREIGN_LOOK ? len : TL_FOREIGN_LOOK;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (len >= starts[i].len && !memcmp(s, starts[i].bytes, starts[i].len))
			return starts[i].what;
	if (is_binary(s, len))
		return "binary data";
	size_t skip = blanks(s, len, len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3) ? 3 : 0);
	s += skip;
	len -= skip;
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
		if (len >= strlen(tags[i].tag) && !strncasecmp(s, tags[i].tag, strlen(tags[i].tag)))
			return tags[i].what;
	return len && is_json(s, len) ? "JSON" : NULL;
}

int64_t tl_read_start(struct tl_input *in, char *buf, size_t cap, struct tl_error *err)
{
	size_t len = 0;
	int64_t n;

	do {
		n = in->read(in, buf + len, cap - len, err);
		if (n < 0)
			return n;
		len += (size_t)n;
	} while (n && len < TL_FOREIGN_LOOK);
	return (int64_t)len;
}
