/* tl-csv.c - sheets from TSV to CSV and back.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "table/csv.h"
#include "table/foreign.h"

#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_FIELD ((size_t)1 << 28)

static bool reverse;
static const char *folder;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 'r', "reverse", NULL, "read CSV and write TSV", TL_OPT_FLAG, &reverse, 0, 0, NULL },
	{ 'd', "dir", "DIR", "write each FILE to DIR, with the other suffix", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-csv",
	.synopsis = "[-r] [-o FILE] [FILE] | [-r] -d DIR FILE...",
	.purpose = "convert sheets from TSV to CSV and back",
	.detail = "Without FILE, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT,
	.c = &common,
};

/* ---- TSV to CSV ----------------------------------------------------------- */

struct csv_out {
	struct tl_output *out;
	struct tl_buf line;
};

static enum tl_status put_csv_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct csv_out *o = ctx;
	struct tl_buf *b = &o->line;

	(void)row;
	tl_buf_clear(b);
	if (n == 1 && !f[0].len)
		tl_buf_adds(b, "\"\""); /* an empty field alone would be a blank line, which readers skip */
	else
		for (size_t i = 0; i < n; i++)
			tl_csv_add(b, f[i].s, f[i].len, i == 0);
	tl_buf_addc(b, '\n');
	return o->out->write(o->out, b->data, b->len, err);
}

static enum tl_status to_csv(struct tl_input *in, struct tl_output *out, struct tl_error *err)
{
	struct csv_out o = { .out = out };
	enum tl_status st = tl_tsv_read(in, put_csv_row, &o, err);
	tl_buf_release(&o.line);
	return st;
}

/* ---- CSV to TSV ------------------------------------------------------------ */

struct tsv_out {
	struct tl_output *out;
	struct tl_error *err;
	enum tl_status status; /* of the first failure; later rows are ignored */
	struct tl_buf line;
	size_t row, n_fields, n_columns;
};

static void put_tsv_field(void *text, size_t len, void *ctx)
{
	struct tsv_out *o = ctx;

	if (o->n_fields++)
		tl_buf_addc(&o->line, '\t');
	tl_tsv_add_text(&o->line, text ? text : "", len);
}

static void put_tsv_row(int end, void *ctx)
{
	struct tsv_out *o = ctx;

	(void)end;
	if (o->status)
		return;
	if (o->row == 0)
		o->n_columns = o->n_fields;
	if (o->n_fields != o->n_columns) {
		o->status = tl_fail(o->err, TL_ERR_DATA, "%zu field%s, the header has %zu",
		                    o->n_fields, o->n_fields == 1 ? "" : "s", o->n_columns);
		o->err->record = (int64_t)o->row;
		return;
	}
	tl_buf_addc(&o->line, '\n');
	o->status = o->out->write(o->out, o->line.data, o->line.len, o->err);
	tl_buf_clear(&o->line);
	o->n_fields = 0;
	o->row++;
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

static enum tl_status csv_failure(struct csv_parser *p, struct tsv_out *o, int64_t offset)
{
	if (csv_error(p) == CSV_EPARSE)
		return tl_fail_at(o->err, TL_ERR_DATA, offset, "row %zu: misplaced or missing double quote", o->row);
	return tl_fail_at(o->err, TL_ERR_DATA, offset, "row %zu: %s", o->row, csv_strerror(csv_error(p)));
}

static enum tl_status parse_all(struct csv_parser *p, struct tl_input *in, struct tsv_out *o)
{
	static char buf[65536];
	int64_t offset = 0, n = tl_read_start(in, buf, sizeof buf, o->err);
	const char *foreign = n > 0 ? tl_foreign(buf, (size_t)n) : NULL;

	if (foreign)
		return tl_fail(o->err, TL_ERR_DATA, "this is %s; expected a sheet: a header line and rows of CSV", foreign);
	for (; n > 0; n = in->read(in, buf, sizeof buf, o->err)) {
		bool bom = offset == 0 && n >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3);
		size_t skip = bom ? 3 : 0, len = (size_t)n - skip;
		size_t done = csv_parse(p, buf + skip, len, put_tsv_field, put_tsv_row, o);
		if (o->status)
			return o->status;
		if (done != len)
			return csv_failure(p, o, offset + (int64_t)(skip + done));
		offset += n;
		if (csv_get_buffer_size(p) > LONGEST_FIELD || o->line.len > LONGEST_FIELD)
			return tl_fail_at(o->err, TL_ERR_DATA, offset, "row %zu is longer than %zu bytes", o->row, LONGEST_FIELD);
	}
	if (n < 0)
		return TL_ERR_IO;
	if (csv_fini(p, put_tsv_field, put_tsv_row, o))
		return csv_failure(p, o, offset);
	if (!o->status && !o->row)
		return tl_fail(o->err, TL_ERR_DATA, "empty input; expected a header line");
	return o->status;
}

static enum tl_status to_tsv(struct tl_input *in, struct tl_output *out, struct tl_error *err)
{
	struct tsv_out o = { .out = out, .err = err };
	struct csv_parser p;

	if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI))
		return tl_fail(err, TL_ERR_USAGE, "cannot start the CSV reader");
	csv_set_realloc_func(&p, tl_realloc);
	csv_set_blk_size(&p, 65536);
	csv_set_space_func(&p, is_filler);
	csv_set_term_func(&p, is_line_end);
	enum tl_status st = parse_all(&p, in, &o);
	csv_free(&p);
	tl_buf_release(&o.line);
	return st;
}

/* ---- files -------------------------------------------------------------------- */

static void convert(const char *from, const char *to)
{
	struct tl_error err;
	struct tl_input *in = tl_open_input(from);
	struct tl_output *out = tl_open_output(to, false);
	enum tl_status st = reverse ? to_tsv(in, out, &err) : to_csv(in, out, &err);

	if (st) /* the input is to blame: a failed write has ended the program already */
		tl_die_error(in->name, &err);
	tl_close_output(out);
	tl_close_input(in);
}

/* DIR/STEM.csv of path; the caller frees it. */
static char *path_in_folder(const char *path)
{
	static const char *const suffix[] = { ".tsv", ".csv" };
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = strlen(base);
	struct tl_buf b = { 0 };

	if (!len || !strcmp(path, "-"))
		tl_usage("-d needs files with names, '%s' has none", path);
	if (len > 4 && !strcmp(base + len - 4, suffix[reverse]))
		len -= 4;
	tl_buf_addf(&b, "%s/%.*s%s", folder, (int)len, base, suffix[!reverse]);
	return b.data;
}

static void convert_all(char **files, int n)
{
	char **to = tl_alloc((size_t)n * sizeof *to);

	for (int i = 0; i < n; i++) {
		to[i] = path_in_folder(files[i]);
		tl_will_read(files[i]);
		for (int j = 0; j < i; j++)
			if (!strcmp(to[i], to[j]))
				tl_usage("%s and %s would both become %s", files[j], files[i], to[i]);
	}
	for (int i = 0; i < n; i++)
		tl_check_output(to[i]);
	tl_make_folder(folder);
	for (int i = 0; i < n; i++) {
		convert(files[i], to[i]);
		free(to[i]);
	}
	free(to);
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	if (folder && common.output)
		tl_usage("-d and -o exclude each other");
	if (folder && !n)
		tl_usage("-d needs at least one file");
	if (!folder && n > 1)
		tl_usage("one file expected, %d given; use -d DIR for several", n);
	if (folder)
		convert_all(operands, n);
	else
		convert(n ? operands[0] : NULL, common.output);
	return 0;
}
