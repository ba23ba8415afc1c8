/* tl-openmetrics.c - the headline figures of sheets in TSV as metrics, in OpenMetrics text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/number.h"
#include "cli/cli.h"
#include "table/description.h"
#include "table/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 }; /* series: a monitoring system keeps each for long */

static struct tl_common common;
static size_t n_series, n_left_out, n_equal;

static const struct tl_opt options[] = { { .long_name = NULL } };
static const struct tl_program program = {
	.name = "tl-openmetrics",
	.synopsis = "[OPTION]... [[NAME=]FILE.tsv]...",
	.purpose = "the headline figures of sheets as OpenMetrics text",
	.detail = "FILE is a sheet in TSV; without it, or with -, standard input is read. tl-report --openmetrics FILE makes the sheets first.\n"
	          "Example: tl-timeline trace.json.gz | tl-openmetrics gpu_timeline=-",
	.options = options, .common = TL_COMMON_OUTPUT, .c = &common,
};

/* The units that OpenMetrics wants, by what a column has. */
static const struct { const char *name; double divisor; } units[TL_UNIT_N] = {
	[TL_UNIT_NS] = { "seconds", 1e9 }, [TL_UNIT_US] = { "seconds", 1e6 }, [TL_UNIT_MS] = { "seconds", 1e3 },
	[TL_UNIT_PERCENT] = { "ratio", 1e2 }, [TL_UNIT_SHARE] = { "ratio", 1 }, [TL_UNIT_BYTES] = { "bytes", 1 },
};

static void add_escaped(struct tl_buf *b, const char *s)
{
	for (; *s; s++)
		if (*s == '\n')
			tl_buf_adds(b, "\\n");
		else
			tl_buf_addf(b, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
}

/* tl_SHEET_COLUMN_UNIT, without the column's own unit, and without "_summary", which is a type of metrics. */
static char *name_of(const char *sheet, const struct tl_described_column *c)
{
	const char *summary = strstr(sheet, "_summary");
	static const char *const own[] = { "_ns", "_us", "_ms", "_pct", "_bytes", "_percent" };
	struct tl_buf b = { 0 };

	tl_buf_adds(&b, "tl_");
	tl_buf_add(&b, sheet, summary ? (size_t)(summary - sheet) : strlen(sheet));
	tl_buf_addc(&b, '_');
	tl_column_key(&b, c->name);
	for (size_t i = 0; i < sizeof own / sizeof *own && units[c->unit].name; i++) {
		size_t n = strlen(own[i]);
		if (b.len > n && !memcmp(b.data + b.len - n, own[i], n)) {
			b.len -= n;
			break;
		}
	}
	if (units[c->unit].name)
		tl_buf_addf(&b, "_%s", units[c->unit].name);
	return b.data;
}

/* What a column is among the metrics. One that stands for a report, REPORT::COLUMN, is none. */
static enum tl_column_metric metric_of(const struct tl_description *d, const char *header, const struct tl_described_column **c)
{
	*c = tl_described_column(d, header);
	return *c && !strcmp((*c)->name, header) ? (*c)->metric : TL_METRIC_NONE;
}

/* {type="busy_time",device="0"}; labels without a value are left out. */
static void add_labels(struct tl_buf *b, const struct tl_table *t, size_t row, const struct tl_description *d)
{
	char text[TL_DOUBLE_TEXT];
	size_t n = 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct tl_described_column *c;
		struct tl_cell cell = tl_table_cell(t, row, i);
		if (metric_of(d, t->columns[i].name, &c) != TL_METRIC_LABEL || tl_cell_is_null(cell))
			continue;
		tl_buf_addc(b, n++ ? ',' : '{');
		tl_column_key(b, c->name);
		tl_buf_adds(b, "=\"");
		tl_cell_format(text, cell, t->ticks_per_us);
		add_escaped(b, cell.type == TL_CELL_TEXT ? tl_str(t->strings, cell.text) : text);
		tl_buf_addc(b, '"');
	}
	tl_buf_adds(b, n ? "}" : "");
}

/* sure: the sheet is the one of the description, whose sentences are true of it. */
static void add_gauge(struct tl_buf *b, const struct tl_table *t, const struct tl_description *d, bool sure, const struct tl_described_column *c)
{
	char *name = name_of(d->sheet, c), value[TL_DOUBLE_TEXT];
	struct tl_strtab told = { 0 };
	struct tl_buf labels = { 0 };

	tl_buf_addf(b, "# TYPE %s gauge\n", name);
	if (units[c->unit].name)
		tl_buf_addf(b, "# UNIT %s %s\n", name, units[c->unit].name);
	tl_buf_addf(b, "# HELP %s ", name);
	if (sure)
		add_escaped(b, c->text);
	else
		tl_buf_addf(b, "The column %s of the sheet %s.", c->name, d->sheet);
	tl_buf_addc(b, '\n');
	for (size_t row = 0; row < t->n_rows; row++) {
		double x = tl_table_number(t, row, tl_table_column(t, c->name)) / (units[c->unit].name ? units[c->unit].divisor : 1);
		uint32_t before = told.count;
		tl_buf_clear(&labels);
		add_labels(&labels, t, row, d);
		tl_intern_str(&told, tl_buf_text(&labels));
		if (isnan(x))
			continue;
		n_equal += told.count == before;
		n_left_out += told.count > before && n_series >= MOST;
		if (told.count == before || n_series >= MOST)
			continue;
		tl_format_double(value, x);
		tl_buf_addf(b, "%s%s %s\n", name, tl_buf_text(&labels), value);
		n_series++;
	}
	tl_strtab_release(&told);
	tl_buf_release(&labels);
	free(name);
}

static enum tl_cell_type as_it_reads(const char *column)
{
	(void)column;
	return TL_CELL_NULL;
}

static void add_sheet(struct tl_buf *b, const char *operand)
{
	static const struct tl_tsv_columns any = { NULL, NULL, as_it_reads };
	struct tl_input *in = tl_open_input(tl_operand_file(operand));
	char *sheet = tl_operand_name(operand);
	struct tl_strtab strings = { 0 };
	struct tl_table *t;
	struct tl_error err;

	if (tl_tsv_read_table(in, &strings, &any, &t, &err))
		tl_die_of_sheet(in->name, &err);
	const char **headers = tl_alloc((t->n_columns + 1) * sizeof *headers);
	for (size_t i = 0; i < t->n_columns; i++)
		headers[i] = t->columns[i].name;
	const struct tl_description *d = tl_description_of(sheet, headers, t->n_columns);
	bool sure = tl_description_is_sure(d, sheet, headers, t->n_columns);
	for (size_t i = 0; d && !strcmp(d->sheet, sheet) && i < t->n_columns; i++) {
		const struct tl_described_column *c;
		if (metric_of(d, headers[i], &c) == TL_METRIC_GAUGE)
			add_gauge(b, t, d, sure, c);
	}
	free(headers);
	tl_table_free(t);
	tl_strtab_release(&strings);
	free(sheet);
	tl_close_input(in);
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_sheet_operands(tl_cli_start(&program, argc, argv, &n), &n);
	struct tl_buf b = { 0 };

	for (int i = 0; i < n; i++)
		add_sheet(&b, operands[i]);
	/* no info metric: the text format of before OpenMetrics, which collectors of files read, does not know this type */
	tl_buf_adds(&b, "# TYPE tl_tools_info gauge\n# HELP tl_tools_info The program that made these metrics.\n");
	tl_buf_addf(&b, "tl_tools_info{version=\"%s\"} 1\n# EOF\n", TL_VERSION);
	if (n_left_out)
		tl_warn("%zu sample%s left out: there are more than %d", n_left_out, n_left_out == 1 ? " is" : "s are", MOST);
	if (n_equal)
		tl_warn(n_equal == 1 ? "%zu row is left out: it has the labels of a row above" : "%zu rows are left out: they have the labels of rows above", n_equal);
	tl_write_text(common.output, &b);
	tl_buf_release(&b);
	return 0;
}
