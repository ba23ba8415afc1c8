/* page.c - a page made of sheets in TSV: its data. How the page looks and what it does is in
 * report/page/.
 *
 * A sheet is a script element of type application/json: rows are arrays of texts. A long text stands
 * once, behind the rows, and the rows have its number. A browser parses such an element only when
 * someone looks at the sheet. Behind the sheets stands an index: the names of sheets, columns and
 * charts.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/page.h"
#include "base/memory_io.h"
#include "base/quote.h"
#include "base/strings.h"
#include "report/cell_value.h"
#include "report/chart_list.h"
#include "report/column_kind.h"
#include "report/roofline_table.h"
#include "report/rounded.h"

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
#define UNIFIED "unified_perf_summary"

/* Made from report/page/ by scripts/make-page. */
extern const char tl_data_page_head[], tl_data_page_tail[];
extern const size_t tl_data_page_head_len, tl_data_page_tail_len;

struct page_column {
	char *name;
	size_t numbers, texts; /* how many cells have a number, how many another text */
	struct tl_number_range range;
	size_t width;          /* bytes of the longest field */
};

struct page_sheet {
	char *name, *help, *filter;
	struct page_column *columns;
	size_t n_columns, n_rows;
};

struct tl_page {
	struct tl_output *out;
	bool has_head;
	struct tl_buf b, quoted;
	struct page_sheet *sheets;
	size_t n_sheets, cap_sheets;
	struct tl_first_rows unified;   /* of the roofline chart … */
	struct tl_modelled modelled;
	struct tl_buf roofline_summary; /* … and its subtitle */
};

/* ---- writing --------------------------------------------------------------------- */

static enum tl_status flush(struct tl_page *p, struct tl_error *err)
{
	enum tl_status st = TL_OK;

	if (!p->has_head)
		st = p->out->write(p->out, tl_data_page_head, tl_data_page_head_len, err);
	p->has_head = true;
	if (!st)
		st = p->out->write(p->out, p->b.data, p->b.len, err);
	tl_buf_clear(&p->b);
	return st;
}

/* Adds a text as JSON within HTML: a '<' could end the element. */
static void add_text(struct tl_page *p, const char *s, size_t len)
{
	tl_buf_clear(&p->quoted);
	tl_json_quote(&p->quoted, s, len);
	const char *from = p->quoted.data, *end = from + p->quoted.len, *found;
	for (; (found = memchr(from, '<', (size_t)(end - from))); from = found + 1) {
		tl_buf_add(&p->b, from, (size_t)(found - from));
		tl_buf_adds(&p->b, "\\u003c");
	}
	tl_buf_add(&p->b, from, (size_t)(end - from));
}

/* Adds a member of a JSON object: first the comma, unless the object has just begun. */
static void add_key(struct tl_page *p, const char *key)
{
	tl_buf_addf(&p->b, "%s\"%s\":", p->b.len && p->b.data[p->b.len - 1] == '{' ? "" : ",", key);
}

static void add_member(struct tl_page *p, const char *key, const char *text)
{
	add_key(p, key);
	add_text(p, text, strlen(text));
}

static void add_count(struct tl_page *p, const char *key, size_t n)
{
	add_key(p, key);
	tl_buf_addf(&p->b, "%zu", n);
}

static void add_flag(struct tl_page *p, const char *key, bool is_so)
{
	if (!is_so)
		return;
	add_key(p, key);
	tl_buf_adds(&p->b, "true");
}

/* ---- a sheet's rows ---------------------------------------------------------------- */

/* A sheet that is being added. */
struct adding {
	struct tl_page *p;
	struct page_sheet *s;
	bool is_unified;
	size_t n_bytes;
	struct tl_strtab texts; /* those that rows may repeat */
};

static void start_columns(struct page_sheet *s, const struct tl_field_text *f, size_t n)
{
	s->columns = tl_calloc(n, sizeof *s->columns);
	s->n_columns = n;
	for (size_t i = 0; i < n; i++)
		s->columns[i].name = tl_strndup(f[i].s, f[i].len);
}

/* Notes what the field tells about its column. Returns whether the field is a number. */
static bool learn(struct page_column *c, const struct tl_field_text *f)
{
	double x;
	bool is_number = tl_xlsx_number(f->s, f->len, &x);

	c->width = f->len > c->width ? f->len : c->width;
	if (is_number) {
		c->numbers++;
		tl_number_range_add(&c->range, x);
	} else if (f->len) {
		c->texts++;
	}
	return is_number;
}

static void add_field(struct adding *a, size_t i, const struct tl_field_text *f)
{
	bool is_number = learn(&a->s->columns[i], f);
	uint32_t id = 0;

	if (!is_number && f->len >= REPEATED && a->texts.bytes + f->len < MAX_REPEATED)
		id = tl_intern(&a->texts, f->s, f->len);
	if (id)
		tl_buf_addf(&a->p->b, "%" PRIu32, id);
	else
		add_text(a->p, f->s, f->len);
	a->n_bytes += f->len + 3;
}

static enum tl_status add_row(void *ctx, size_t row, const struct tl_field_text *f, size_t n, struct tl_error *err)
{
	struct adding *a = ctx;
	struct tl_page *p = a->p;

	if (a->is_unified) {
		tl_modelled_read(&p->modelled, f, n);
		tl_first_rows_add(&p->unified, f, n);
	}
	if (!row) {
		start_columns(a->s, f, n);
		return TL_OK;
	}
	if (row > MAX_ROWS || a->n_bytes > MAX_BYTES)
		return tl_fail(err, TL_ERR_DATA, "sheet '%s' has more than %d rows or %d MB, the most that a page shows",
		               a->s->name, MAX_ROWS, MAX_BYTES >> 20);
	tl_buf_adds(&p->b, row == 1 ? "\n[" : ",\n[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			tl_buf_addc(&p->b, ',');
		add_field(a, i, &f[i]);
	}
	tl_buf_addc(&p->b, ']');
	a->s->n_rows = row;
	return p->b.len > FLUSH ? flush(p, err) : TL_OK;
}

static struct page_sheet *find_sheet(const struct tl_page *p, const char *name)
{
	for (size_t i = 0; i < p->n_sheets; i++)
		if (!strcmp(p->sheets[i].name, name))
			return &p->sheets[i];
	return NULL;
}

/* Adds the texts in the order of their numbers. Number 0 is of no text: no row has it. */
static void add_texts(struct tl_page *p, const struct tl_strtab *texts)
{
	tl_buf_adds(&p->b, "],\n\"texts\":[\"\"");
	for (uint32_t id = 1; id <= texts->count; id++) {
		tl_buf_adds(&p->b, ",\n");
		add_text(p, tl_str(texts, id), tl_str_len(texts, id));
	}
	tl_buf_adds(&p->b, "]}</script>\n");
}

enum tl_status tl_page_add(struct tl_page *p, const struct tl_page_sheet *sheet, struct tl_input *tsv,
                           struct tl_error *err)
{
	if (find_sheet(p, sheet->name))
		return tl_fail(err, TL_ERR_USAGE, "two sheets are named '%s'", sheet->name);
	TL_GROW(p->sheets, p->cap_sheets, p->n_sheets + 1);
	struct page_sheet *s = &p->sheets[p->n_sheets++];
	*s = (struct page_sheet){
		.name = tl_strdup(sheet->name), .help = tl_strdup(sheet->help), .filter = tl_strdup(sheet->filter),
	};
	struct adding a = { .p = p, .s = s, .is_unified = !strcmp(s->name, UNIFIED) };
	tl_buf_addf(&p->b, "<script type=\"application/json\" id=\"sheet-%zu\">{\"rows\":[", p->n_sheets - 1);
	enum tl_status st = tl_tsv_read(tsv, add_row, &a, err);
	if (!st) {
		add_texts(p, &a.texts);
		st = flush(p, err);
	}
	tl_strtab_release(&a.texts);
	return st;
}

/* ---- the index ----------------------------------------------------------------------- */

static void add_rounding(struct tl_page *p, const struct page_column *c)
{
	static const char *const units[TL_UNIT_N] = {
		[TL_UNIT_NS] = "time", [TL_UNIT_US] = "time", [TL_UNIT_MS] = "time",
		[TL_UNIT_PERCENT] = "percent", [TL_UNIT_BYTES] = "bytes", [TL_UNIT_COUNT] = "count",
	};
	enum tl_unit unit = tl_column_kind(c->name).unit;
	struct tl_rounding r = tl_rounding_for(unit, &c->range);

	add_member(p, "unit", units[unit] ? units[unit] : "");
	add_key(p, "scale");
	tl_json_double(&p->b, r.scale);
	add_member(p, "suffix", r.suffix);
	add_key(p, "decimals");
	tl_buf_addf(&p->b, "%d", r.decimals);
	add_flag(p, "thousands", r.thousands);
	add_flag(p, "asWritten", r.as_written);
	add_key(p, "largest");
	tl_json_double(&p->b, c->range.largest);
}

static void add_column(struct tl_page *p, const struct page_sheet *s, size_t i)
{
	const struct page_column *c = &s->columns[i];

	tl_buf_adds(&p->b, i ? ",\n  {" : "\n  {");
	add_member(p, "name", c->name);
	add_count(p, "width", c->width < MAX_WIDTH ? c->width : MAX_WIDTH);
	add_flag(p, "folded", tl_column_is_folded(c->name, i, s->n_columns));
	if (c->numbers && !c->texts)
		add_rounding(p, c);
	tl_buf_addc(&p->b, '}');
}

static void add_sheet(struct tl_page *p, const struct page_sheet *s)
{
	tl_buf_adds(&p->b, s == p->sheets ? "\n {" : ",\n {");
	add_member(p, "name", s->name);
	add_member(p, "help", s->help);
	add_member(p, "filter", s->filter);
	add_count(p, "rows", s->n_rows);
	add_key(p, "columns");
	tl_buf_addc(&p->b, '[');
	for (size_t i = 0; i < s->n_columns; i++)
		add_column(p, s, i);
	tl_buf_adds(&p->b, "]}");
}

static bool has_column(const struct page_sheet *s, const char *name)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].name, name))
			return true;
	return false;
}

static void add_chart(struct tl_page *p, const struct tl_chart *c)
{
	static const char *const shapes[] = {
		[TL_CHART_PARTS] = "parts", [TL_CHART_BARS] = "bars", [TL_CHART_HISTOGRAM] = "histogram",
		[TL_CHART_ROOFLINE] = "roofline", [TL_CHART_DEVICES] = "devices", [TL_CHART_STEPS] = "steps",
	};

	tl_buf_adds(&p->b, p->b.data[p->b.len - 1] == '[' ? "\n {" : ",\n {");
	add_member(p, "sheet", c->sheet);
	add_member(p, "shape", shapes[c->shape]);
	add_member(p, "title", c->title);
	add_member(p, "subtitle", c->in_and_out ? c->in_and_out : tl_buf_text(&p->roofline_summary));
	add_member(p, "x", c->x);
	add_member(p, "y", c->y);
	add_member(p, "bottom", c->bottom ? c->bottom : "");
	add_member(p, "side", c->side ? c->side : "");
	add_count(p, "most", c->max_bars);
	add_key(p, "parts");
	tl_buf_addc(&p->b, '[');
	for (size_t i = 0; c->parts[i]; i++) {
		tl_buf_adds(&p->b, i ? "," : "");
		add_text(p, c->parts[i], strlen(c->parts[i]));
	}
	tl_buf_adds(&p->b, "]}");
}

static void add_index(struct tl_page *p)
{
	tl_buf_adds(&p->b, "<script type=\"application/json\" id=\"index\">{\"sheets\":[");
	for (size_t i = 0; i < p->n_sheets; i++)
		add_sheet(p, &p->sheets[i]);
	tl_buf_adds(&p->b, "],\n\"charts\":[");
	for (const struct tl_chart *c = tl_charts; c->sheet; c++) {
		const struct page_sheet *s = find_sheet(p, c->sheet);
		if (s && s->n_rows && has_column(s, c->x) && has_column(s, c->y) &&
		    (c->shape != TL_CHART_PARTS || !has_column(s, TL_CHART_BY_GPU)))
			add_chart(p, c);
	}
	tl_buf_addf(&p->b, "],\n\"version\":\"%s\"}</script>\n", TL_VERSION);
}

/* ---- the page ------------------------------------------------------------------------ */

struct tl_page *tl_page_new(struct tl_output *out)
{
	struct tl_page *p = tl_calloc(1, sizeof *p);

	p->out = out;
	p->unified.most = MAX_POINTS;
	return p;
}

/* Adds the sheet behind the roofline chart, unless the caller has added one of that name. */
static enum tl_status add_roofline(struct tl_page *p, struct tl_error *err)
{
	static const struct tl_page_sheet sheet = {
		TL_ROOFLINE_SHEET, "what the roofline chart shows: operators, and the roofs above them", "tl-roofline",
	};
	struct tl_buf tsv = { 0 };
	enum tl_status st = TL_OK;

	if (!find_sheet(p, TL_ROOFLINE_SHEET) && tl_roofline_table(&tsv, &p->unified, &p->modelled, &p->roofline_summary)) {
		struct tl_memory_input in = tl_memory_input(TL_ROOFLINE_SHEET, tsv.data, tsv.len);
		st = tl_page_add(p, &sheet, &in.in, err);
	}
	tl_buf_release(&tsv);
	return st;
}

enum tl_status tl_page_close(struct tl_page *p, struct tl_error *err)
{
	enum tl_status st = add_roofline(p, err);

	if (st)
		return st;
	add_index(p);
	st = flush(p, err);
	return st ? st : p->out->write(p->out, tl_data_page_tail, tl_data_page_tail_len, err);
}

static void release_sheet(struct page_sheet *s)
{
	for (size_t i = 0; i < s->n_columns; i++)
		free(s->columns[i].name);
	free(s->columns);
	free(s->name);
	free(s->help);
	free(s->filter);
}

void tl_page_free(struct tl_page *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_sheets; i++)
		release_sheet(&p->sheets[i]);
	free(p->sheets);
	tl_buf_release(&p->b);
	tl_buf_release(&p->quoted);
	tl_buf_release(&p->roofline_summary);
	tl_first_rows_release(&p->unified);
	tl_modelled_release(&p->modelled);
	free(p);
}
