/* csv_rows.c - reads comma-separated values.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/csv_rows.h"
#include "table/tsv.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_FIELD ((size_t)1 << 28)

struct csv_in {
	tl_tsv_row *call;
	void *ctx;
	struct tl_error *err;
	enum tl_status status;         /* of the first failure; later rows are ignored */
	struct tl_buf text;            /* of the fields of this row */
	struct tl_field_text *fields;  /* their texts are set at the end of the row */
	size_t n_fields, cap_fields, n_columns, row;
};

static void put_field(void *text, size_t len, void *ctx)
{
	struct csv_in *c = ctx;

	TL_GROW(c->fields, c->cap_fields, c->n_fields + 1);
	c->fields[c->n_fields++].len = len;
	tl_buf_add(&c->text, text ? text : "", len);
}

static void put_row(int end, void *ctx)
{
	struct csv_in *c = ctx;
	const char *s = tl_buf_text(&c->text);

	(void)end;
	if (c->status)
		return;
	if (c->row == 0)
		c->n_columns = c->n_fields;
	if (c->n_fields != c->n_columns) {
		c->status = tl_fail(c->err, TL_ERR_DATA, "%zu field%s, the header has %zu",
		                    c->n_fields, c->n_fields == 1 ? "" : "s", c->n_columns);
		c->err->record = (int64_t)c->row;
		return;
	}
	for (size_t i = 0; i < c->n_fields; s += c->fields[i++].len)
		c->fields[i].s = s;
	c->status = c->call(c->ctx, c->row++, c->fields, c->n_fields, c->err);
	tl_buf_clear(&c->text);
	c->n_fields = 0;
}

/* libcsv strips these bytes around a field: a carriage return, which may stand before
 * a line end, but no blanks. */
static int is_filler(unsigned char c)
{
	return c == '\r';
}

static int is_line_end(unsigned char c)
{
	return c == '\n';
}

static enum tl_status failure(struct csv_parser *p, struct csv_in *c, int64_t offset)
{
	if (csv_error(p) == CSV_EPARSE)
		return tl_fail_at(c->err, TL_ERR_DATA, offset, "row %zu: misplaced or missing double quote", c->row);
	return tl_fail_at(c->err, TL_ERR_DATA, offset, "row %zu: %s", c->row, csv_strerror(csv_error(p)));
}

static enum tl_status parse_all(struct csv_parser *p, struct tl_input *in, struct csv_in *c)
{
	static char buf[65536];
	int64_t offset = 0, n = tl_read_start(in, buf, sizeof buf, c->err);
	const char *foreign = n > 0 ? tl_foreign(buf, (size_t)n) : NULL;

	if (foreign)
		return tl_fail(c->err, TL_ERR_DATA, "this is %s; expected a sheet: a header line and rows of CSV", foreign);
	for (; n > 0; n = in->read(in, buf, sizeof buf, c->err)) {
		bool bom = offset == 0 && n >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3);
		size_t skip = bom ? 3 : 0, len = (size_t)n - skip;
		size_t done = csv_parse(p, buf + skip, len, put_field, put_row, c);
		if (c->status)
			return c->status;
		if (done != len)
			return failure(p, c, offset + (int64_t)(skip + done));
		offset += n;
		if (csv_get_buffer_size(p) > LONGEST_FIELD || c->text.len > LONGEST_FIELD)
			return tl_fail_at(c->err, TL_ERR_DATA, offset, "row %zu is longer than %zu bytes", c->row, LONGEST_FIELD);
	}
	if (n < 0)
		return TL_ERR_IO;
	if (csv_fini(p, put_field, put_row, c))
		return failure(p, c, offset);
	return c->status;
}

enum tl_status tl_csv_read(struct tl_input *in, tl_tsv_row *row, void *ctx, struct tl_error *err)
{
	struct csv_in c = { .call = row, .ctx = ctx, .err = err };
	struct csv_parser p;

	if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI))
		return tl_fail(err, TL_ERR_USAGE, "cannot start the CSV reader");
	csv_set_realloc_func(&p, tl_realloc);
	csv_set_blk_size(&p, 65536);
	csv_set_space_func(&p, is_filler);
	csv_set_term_func(&p, is_line_end);
	enum tl_status st = parse_all(&p, in, &c);
	csv_free(&p);
	tl_buf_release(&c.text);
	free(c.fields);
	return st;
}
