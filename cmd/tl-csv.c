/* tl-csv.c - sheets from TSV to CSV and back.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/csv_rows.h"
#include "cli/manifest.h"
#include "report/cell_value.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

static bool reverse, safe;
static const char *folder;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 'r', "reverse", NULL, "read CSV and write TSV", TL_OPT_FLAG, &reverse, 0, 0, NULL },
	{ 'd', "dir", "DIR", "write each FILE to DIR, with the other suffix", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ 0, "spreadsheet-safe", NULL, "put ' before a text that a spreadsheet would take for a formula", TL_OPT_FLAG, &safe, 0, 0, NULL },
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

struct out { struct tl_output *out; struct tl_buf line; bool any; /* a row was there */ };

/* Would a spreadsheet take the text for a formula? A name in a trace may be anything. */
static bool is_formula(const struct tl_field_text *f)
{
	double number;

	return f->len && f->s[0] && strchr("=+-@\t\r", f->s[0]) && !tl_xlsx_number(f->s, f->len, &number);
}

/* RFC 4180: in quotes where it needs them. */
static void add_quoted(struct tl_buf *b, const char *s, size_t len)
{
	bool plain = true;

	for (size_t i = 0; plain && i < len; i++)
		plain = !strchr(",\"\n\r", s[i]) || !s[i];
	if (plain) {
		tl_buf_add(b, s, len);
		return;
	}
	tl_buf_reserve(b, 2 * len + 2);
	b->len += csv_write(b->data + b->len, 2 * len + 2, s, len);
}

static void add_field(struct tl_buf *b, const struct tl_field_text *f)
{
	char *shown = safe && is_formula(f) ? tl_alloc(f->len + 1) : NULL;

	if (shown) {
		shown[0] = '\'';
		memcpy(shown + 1, f->s, f->len);
	}
	add_quoted(b, shown ? shown : f->s, f->len + (shown != NULL));
	free(shown);
}

static enum tl_status put_csv_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct out *o = ctx;
	struct tl_buf *b = &o->line;

	(void)row;
	tl_buf_clear(b);
	if (n == 1 && !f[0].len)
		tl_buf_adds(b, "\"\""); /* an empty field alone would be a blank line, which readers skip */
	else
		for (size_t i = 0; i < n; i++) {
			tl_buf_adds(b, i ? "," : "");
			add_field(b, &f[i]);
		}
	tl_buf_addc(b, '\n');
	return o->out->write(o->out, b->data, b->len, err);
}

static enum tl_status to_csv(struct tl_input *in, struct tl_output *out, struct tl_error *err)
{
	struct out o = { .out = out };
	enum tl_status st = tl_tsv_read(in, put_csv_row, &o, err);
	tl_buf_release(&o.line);
	return st;
}

/* ---- CSV to TSV ------------------------------------------------------------ */

static enum tl_status put_tsv_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct out *o = ctx;

	(void)row;
	o->any = true;
	tl_buf_clear(&o->line);
	for (size_t i = 0; i < n; i++) {
		if (i)
			tl_buf_addc(&o->line, '\t');
		tl_tsv_add_text(&o->line, f[i].s, f[i].len);
	}
	tl_buf_addc(&o->line, '\n');
	return o->out->write(o->out, o->line.data, o->line.len, err);
}

static enum tl_status to_tsv(struct tl_input *in, struct tl_output *out, struct tl_error *err)
{
	struct out o = { .out = out };
	enum tl_status st = tl_csv_read(in, put_tsv_row, &o, err);

	tl_buf_release(&o.line);
	if (!st && !o.any)
		return tl_fail(err, TL_ERR_DATA, "empty input; expected a header line");
	return st;
}

/* ---- files -------------------------------------------------------------------- */

static void convert(const char *from, const char *to, void (*close)(struct tl_output *))
{
	struct tl_error err;
	struct tl_input *in = tl_open_input(from);
	struct tl_output *out = tl_open_output(to, false);
	enum tl_status st = reverse ? to_tsv(in, out, &err) : to_csv(in, out, &err);

	if (st) /* the input is to blame: a failed write has ended the program already */
		tl_die_error(in->name, &err);
	close(out);
	tl_close_input(in);
}

static const char *const suffixes[] = { ".tsv", ".csv" };

/* DIR/STEM.csv of path; the caller frees it. */
static char *path_in_folder(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = strlen(base);

	if (!len || !strcmp(path, "-"))
		tl_usage("-d needs files with names, '%s' has none", path);
	if (len > 4 && !strcmp(base + len - 4, suffixes[reverse]))
		len -= 4;
	return tl_strdupf("%s/%.*s%s", folder, (int)len, base, suffixes[!reverse]);
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
	struct tl_manifest *m = tl_manifest_open(folder, suffixes[!reverse] + 1);
	for (int i = 0; i < n; i++) {
		convert(files[i], to[i], tl_close_output_for_later);
		tl_manifest_add_converted(m, strrchr(to[i], '/') + 1, files[i]);
	}
	tl_manifest_close(m);
	for (int i = 0; i < n; i++)
		free(to[i]);
	free(to);
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	if (folder && common.output)
		tl_usage("-d and -o exclude each other");
	if (reverse && safe)
		tl_usage("--spreadsheet-safe is for CSV that is written, -r writes TSV");
	if (folder && !n)
		tl_usage("-d needs at least one file");
	if (!folder && n > 1)
		tl_usage("one file expected, %d given; use -d DIR for several", n);
	if (folder)
		convert_all(operands, n);
	else
		convert(n ? operands[0] : NULL, common.output, tl_close_output);
	return 0;
}
