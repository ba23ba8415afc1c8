/* tl-html.c - one page from sheets in TSV: its data. How the page looks and what it does is in report/page/.
 *
 * A sheet is a script element of type application/json: rows are arrays of texts. A long text stands
 * once, behind the rows, and the rows have its number. A browser parses such an element only when
 * someone looks at the sheet. Behind the sheets stands an index: the names of sheets, columns and
 * charts. Rows are written as they come: memory does not grow with them.
 *
 * The page is one file: it loads nothing from elsewhere, and its content-security policy forbids any connection.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/strings.h"
#include "base/text.h"
#include "cli/cli.h"
#include "base/json_writer.h"
#include "report/cell_value.h"
#include "report/chart_list.h"
#include "report/column_kind.h"
#include "report/roofline_table.h"
#include "report/rounded.h"
#include "sheets/sheet_list.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 1000000        /* browsers limit the height of a table to about 2^25 pixels */
#define MAX_BYTES (256 << 20)   /* of a sheet; browsers limit a text to about 2^29 characters */
#define REPEATED 8              /* bytes; shorter texts are written in each row */
#define MAX_REPEATED (4 << 20)  /* bytes of texts with a number, in a sheet */
#define MAX_POINTS 2000         /* rows of the roofline chart */
#define MAX_WIDTH 400           /* bytes; wider columns are all alike */
#define FLUSH 65536
#define RANK_PAGE "rank"        /* RANK_PAGE0.html and so on */

/* Made from report/page/ by scripts/make-page. */
extern const char tl_data_page_head[], tl_data_page_tail[];
extern const size_t tl_data_page_head_len, tl_data_page_tail_len;

static struct tl_common common;

static const struct tl_program program = {
	.name = "tl-html",
	.synopsis = "[OPTION]... [[NAME=]FILE.tsv]...",
	.purpose = "make one page (HTML) of sheets in TSV: charts, and tables that sort and filter",
	.detail = "Each FILE becomes a table called NAME, or like the file without its suffix.\n"
	          "Without FILE, or with -, standard input is read.\n"
	          "Example: tl-sheets -d sheets trace.json.gz; tl-html -o report.html sheets/*.tsv",
	.common = TL_COMMON_OUTPUT,
	.c = &common,
};

struct column {
	char *name;
	size_t numbers, texts; /* how many cells have a number, how many another text */
	struct tl_number_range range;
	size_t width;          /* bytes of the longest field */
};

struct sheet {
	char *name;
	const char *help;   /* one line; "": not known */
	const char *filter; /* the program that makes it; "": not known */
	const struct tl_description *description; /* NULL: nobody knows it */
	bool is_sure;       /* see tl_description_is_sure */
	struct column *columns;
	size_t n_columns, n_rows;
};

static struct tl_output *out;
static struct tl_buf page, quoted;     /* page: what is not written yet */
static struct sheet *sheets;
static size_t n_sheets, cap_sheets;
static struct tl_roof_chart roofline = { .rows.most = MAX_POINTS };

/* ---- writing --------------------------------------------------------------------- */

/* A failed write ends the program. */
static void put(const char *s, size_t len)
{
	struct tl_error err;

	if (out->write(out, s, len, &err))
		tl_die_error(out->name, &err);
}

static void flush(void)
{
	static bool has_head;

	if (!has_head)
		put(tl_data_page_head, tl_data_page_head_len);
	has_head = true;
	put(page.data, page.len);
	tl_buf_clear(&page);
}

/* Adds JSON within HTML: a '<', which only texts have, could end the element. */
static void add_json(const char *json, size_t len)
{
	const char *end = json + len, *found;

	for (; (found = memchr(json, '<', (size_t)(end - json))); json = found + 1) {
		tl_buf_add(&page, json, (size_t)(found - json));
		tl_buf_adds(&page, "\\u003c");
	}
	tl_buf_add(&page, json, (size_t)(end - json));
}

static void add_text(const char *s, size_t len)
{
	tl_buf_clear(&quoted);
	tl_json_quote(&quoted, s, len);
	add_json(quoted.data, quoted.len);
}

/* ---- a sheet's rows ---------------------------------------------------------------- */

/* A sheet that is being added. */
struct adding {
	struct sheet *s;
	bool is_unified;
	size_t n_bytes;
	struct tl_strtab texts; /* those that rows may repeat */
};

static void start_columns(struct sheet *s, const struct tl_field_text *f, size_t n)
{
	const char **names = tl_calloc(n + 1, sizeof *names);

	s->columns = tl_calloc(n, sizeof *s->columns);
	s->n_columns = n;
	for (size_t i = 0; i < n; i++)
		names[i] = s->columns[i].name = tl_strndup(f[i].s, f[i].len);
	s->description = tl_description_of(s->name, names, n);
	s->is_sure = tl_description_is_sure(s->description, s->name, names, n);
	free(names);
}

/* Adds the field, and notes what it tells about its column. */
static void add_field(struct adding *a, size_t i, const struct tl_field_text *f)
{
	struct column *c = &a->s->columns[i];
	double x;
	bool is_number = tl_xlsx_number(f->s, f->len, &x);
	uint32_t id = 0;

	c->width = f->len > c->width ? f->len : c->width;
	if (is_number) {
		c->numbers++;
		tl_number_range_add(&c->range, x);
	} else if (f->len) {
		c->texts++;
	}
	if (!is_number && f->len >= REPEATED && a->texts.bytes + f->len < MAX_REPEATED)
		id = tl_intern(&a->texts, f->s, f->len);
	if (id)
		tl_buf_addf(&page, "%" PRIu32, id);
	else
		add_text(f->s, f->len);
	a->n_bytes += f->len + 3;
}

static enum tl_status add_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct adding *a = ctx;

	if (a->is_unified)
		tl_roof_chart_read(&roofline, f, n);
	if (!row) {
		start_columns(a->s, f, n);
		return TL_OK;
	}
	if (row > MAX_ROWS || a->n_bytes > MAX_BYTES)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has more than %d rows or %d MB, the most that a page shows",
		               a->s->name, MAX_ROWS, MAX_BYTES >> 20);
	tl_buf_adds(&page, row == 1 ? "\n[" : ",\n[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			tl_buf_addc(&page, ',');
		add_field(a, i, &f[i]);
	}
	tl_buf_addc(&page, ']');
	a->s->n_rows = row;
	if (page.len > FLUSH)
		flush();
	return TL_OK;
}

static struct sheet *find_sheet(const char *name)
{
	for (size_t i = 0; i < n_sheets; i++)
		if (!strcmp(sheets[i].name, name))
			return &sheets[i];
	return NULL;
}

/* Adds the texts in the order of their numbers. Number 0 is of no text: no row has it. */
static void add_texts(const struct tl_strtab *texts)
{
	tl_buf_adds(&page, "],\n\"texts\":[\"\"");
	for (uint32_t id = 1; id <= texts->count; id++) {
		tl_buf_adds(&page, ",\n");
		add_text(tl_str(texts, id), tl_str_len(texts, id));
	}
	tl_buf_adds(&page, "]}</script>\n");
}

/* How many sheets of the page could be of the family. */
static size_t sheets_of(const struct tl_sheet_family *f)
{
	size_t n = 0;

	for (const struct tl_sheet *s = f->sheets; s->name; s++)
		n += find_sheet(s->name) != NULL;
	return n;
}

/* Adds what the list of sheets says of a sheet of this name. Of several families that have it, as those of other reports,
 * the one with the most sheets in the page counts, of equal ones the first. */
static void describe(struct sheet *sheet)
{
	size_t most = 0;

	for (size_t i = 0; tl_sheet_families[i]; i++) {
		const struct tl_sheet_family *f = tl_sheet_families[i];
		for (const struct tl_sheet *s = f->sheets; s->name; s++) {
			if (strcmp(s->name, sheet->name) != 0 || sheets_of(f) <= most)
				continue;
			most = sheets_of(f);
			sheet->help = s->help;
			sheet->filter = f->filter;
		}
	}
}

static void read_sheet(const char *name, struct tl_input *in)
{
	struct tl_error err;

	if (find_sheet(name))
		tl_usage("two sheets are named '%s'", name);
	TL_GROW(sheets, cap_sheets, n_sheets + 1);
	struct sheet *s = &sheets[n_sheets++];
	*s = (struct sheet){ .name = tl_strdup(name), .help = "", .filter = "" };
	struct adding a = { .s = s, .is_unified = !strcmp(s->name, TL_UNIFIED) };
	tl_buf_addf(&page, "<script type=\"application/json\" id=\"sheet-%zu\">{\"rows\":[", n_sheets - 1);
	if (tl_tsv_read(in, add_row, &a, &err))
		tl_die_of_sheet(in->name, &err);
	add_texts(&a.texts);
	flush();
	tl_strtab_release(&a.texts);
}

/* Adds the sheet behind the roofline chart, unless there is one of that name. */
static void add_roofline(void)
{
	struct tl_input *in = find_sheet(TL_ROOFLINE_SHEET) ? NULL : tl_roof_chart_sheet(&roofline);

	if (!in)
		return;
	read_sheet(TL_ROOFLINE_SHEET, in);
	sheets[n_sheets - 1].help = "what the roofline chart shows: operators, and the roofs above them";
	sheets[n_sheets - 1].filter = "tl-roofline";
}

/* ---- the index ----------------------------------------------------------------------- */

static void put_flag(struct tl_json *j, const char *key, bool is_so)
{
	if (is_so)
		tl_json_put(j, key, "true");
}

static void put_rounding(struct tl_json *j, const struct column *c, enum tl_unit unit)
{
	static const char *const units[TL_UNIT_N] = {
		[TL_UNIT_NS] = "time", [TL_UNIT_US] = "time", [TL_UNIT_MS] = "time",
		[TL_UNIT_PERCENT] = "percent", [TL_UNIT_BYTES] = "bytes", [TL_UNIT_COUNT] = "count",
	};
	struct tl_rounding r = tl_rounding_for(unit, &c->range);

	tl_json_put_string(j, "unit", units[unit] ? units[unit] : "");
	tl_json_put_real(j, "scale", r.scale);
	tl_json_put_string(j, "suffix", r.suffix);
	tl_json_put_int(j, "decimals", r.decimals);
	put_flag(j, "thousands", r.thousands);
	put_flag(j, "asWritten", r.as_written);
	tl_json_put_real(j, "largest", c->range.largest);
}

static void put_column(struct tl_json *j, const struct sheet *s, size_t i)
{
	const struct column *c = &s->columns[i];
	struct tl_column_facts facts = tl_column_facts(s->description, c->name);
	const struct tl_described_column *described = s->is_sure ? tl_described_column(s->description, c->name) : NULL;

	tl_json_open(j, NULL, '{');
	j->in_line = true;
	tl_json_put_string(j, "name", c->name);
	tl_json_put_int(j, "width", (int64_t)(c->width < MAX_WIDTH ? c->width : MAX_WIDTH));
	put_flag(j, "folded", tl_column_is_folded(facts, i, s->n_columns));
	put_flag(j, "share", facts.is_share);
	if (described)
		tl_json_put_string(j, "text", described->text);
	put_flag(j, "roof", facts.bar == TL_BAR_ROOF);
	if (c->numbers && !c->texts)
		put_rounding(j, c, facts.unit);
	tl_json_close(j, '}');
	j->in_line = false;
}

static void put_sheet(struct tl_json *j, const struct sheet *s)
{
	tl_json_open(j, NULL, '{');
	tl_json_put_string(j, "name", s->name);
	tl_json_put_string(j, "help", s->help);
	tl_json_put_string(j, "filter", s->filter);
	tl_json_put_int(j, "rows", (int64_t)s->n_rows);
	tl_json_open(j, "columns", '[');
	for (size_t i = 0; i < s->n_columns; i++)
		put_column(j, s, i);
	tl_json_close(j, ']');
	tl_json_close(j, '}');
}

static bool has_column(const struct sheet *s, const char *name)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].name, name))
			return true;
	return false;
}

static void put_chart(struct tl_json *j, const struct tl_chart *c)
{
	static const char *const shapes[] = {
		[TL_CHART_PARTS] = "parts", [TL_CHART_BARS] = "bars", [TL_CHART_HISTOGRAM] = "histogram",
		[TL_CHART_ROOFLINE] = "roofline", [TL_CHART_DEVICES] = "devices", [TL_CHART_NAMED] = "named",
		[TL_CHART_STEPS] = "steps", [TL_CHART_HEAT] = "heat", [TL_CHART_CURVE] = "curve", [TL_CHART_AREAS] = "areas",
		[TL_CHART_PEAK] = "peak", [TL_CHART_PATH] = "path", [TL_CHART_STEP_TIMES] = "step_times",
		[TL_CHART_BANDWIDTH] = "bandwidth",
	};

	tl_json_open(j, NULL, '{');
	tl_json_put_string(j, "sheet", c->sheet);
	tl_json_put_string(j, "shape", shapes[c->shape]);
	tl_json_put_string(j, "title", c->title);
	tl_json_put_string(j, "subtitle", c->in_and_out ? c->in_and_out : tl_buf_text(&roofline.summary));
	tl_json_put_string(j, "x", c->x);
	tl_json_put_string(j, "y", c->y);
	tl_json_put_string(j, "bottom", c->bottom ? c->bottom : "");
	tl_json_put_string(j, "side", c->side ? c->side : "");
	tl_json_put_int(j, "most", (int64_t)c->max_bars);
	put_flag(j, "roof", !strcmp(c->sheet, TL_ROOFLINE_SHEET));
	tl_json_open(j, "parts", '[');
	for (size_t i = 0; c->parts[i]; i++)
		tl_json_put_string(j, NULL, c->parts[i]);
	tl_json_close(j, ']');
	tl_json_open(j, "colors", '[');
	for (size_t i = 0; c->parts[i]; i++)
		tl_json_put_int(j, NULL, tl_chart_part_color(c, i));
	tl_json_close(j, ']');
	tl_json_close(j, '}');
}

static int is_rank_page(const struct dirent *e)
{
	size_t digits = tl_starts_with(e->d_name, RANK_PAGE) ? strspn(e->d_name + strlen(RANK_PAGE), "0123456789") : 0;

	return digits && !strcmp(e->d_name + strlen(RANK_PAGE) + digits, ".html");
}

/* Of a job: the pages of its ranks that stand beside this one. */
static void put_rank_pages(struct tl_json *j)
{
	const char *slash = common.output ? strrchr(common.output, '/') : NULL;
	char *folder = slash ? tl_strndup(common.output, (size_t)(slash - common.output) + 1) : tl_strdup(".");
	struct dirent **entries = NULL;
	int n = common.output && find_sheet("ranks_communication") ? scandir(folder, &entries, is_rank_page, alphasort) : 0;

	if (n < 0)
		tl_warn("%s: cannot look for pages of ranks: %s", folder, strerror(errno));
	tl_json_open(j, "rankPages", '[');
	for (int i = 0; i < n; i++) {
		tl_json_put_string(j, NULL, entries[i]->d_name);
		free(entries[i]);
	}
	tl_json_close(j, ']');
	free(entries);
	free(folder);
}

static void add_index(void)
{
	struct tl_buf text = { 0 };
	struct tl_json j = { .to = &text };

	tl_json_open(&j, NULL, '{');
	tl_json_open(&j, "sheets", '[');
	for (size_t i = 0; i < n_sheets; i++)
		put_sheet(&j, &sheets[i]);
	tl_json_close(&j, ']');
	tl_json_open(&j, "charts", '[');
	for (const struct tl_chart *c = tl_chart_list(); c->sheet; c++) {
		const struct sheet *s = find_sheet(c->sheet);
		if (s && s->n_rows && has_column(s, c->x) && has_column(s, c->y) &&
		    (c->shape != TL_CHART_PARTS || !has_column(s, TL_CHART_BY_GPU)))
			put_chart(&j, c);
	}
	tl_json_close(&j, ']');
	put_rank_pages(&j);
	tl_json_put_string(&j, "version", TL_VERSION);
	tl_json_close(&j, '}');
	tl_buf_adds(&page, "<script type=\"application/json\" id=\"index\">");
	add_json(text.data, text.len);
	tl_buf_adds(&page, "</script>\n");
	tl_buf_release(&text);
}

/* ---- the page ------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	operands = tl_sheet_operands(operands, &n);
	out = tl_open_output(common.output, false);
	for (int i = 0; i < n; i++) {
		char *name = tl_operand_name(operands[i]);
		struct tl_input *in = tl_open_input(tl_operand_file(operands[i]));
		read_sheet(name, in);
		tl_close_input(in);
		free(name);
	}
	for (size_t i = 0; i < n_sheets; i++)
		describe(&sheets[i]);
	add_roofline();
	add_index();
	flush();
	put(tl_data_page_tail, tl_data_page_tail_len);
	for (size_t i = 0; i < n_sheets; i++) {
		for (size_t k = 0; k < sheets[i].n_columns; k++)
			free(sheets[i].columns[k].name);
		free(sheets[i].columns);
		free(sheets[i].name);
	}
	free(sheets);
	tl_buf_release(&page);
	tl_buf_release(&quoted);
	tl_roof_chart_release(&roofline);
	tl_close_output(out);
	return 0;
}
