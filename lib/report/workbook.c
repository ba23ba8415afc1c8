/* workbook.c - a workbook made of sheets in TSV: names, order, charts, file.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/workbook.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/archive.h"
#include "report/book_charts.h"
#include "report/cell_value.h"
#include "report/finding_links.h"
#include "report/roofline_table.h"
#include "report/worksheet.h"
#include "table/tsv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xlsxwriter.h>

/* ---- book facts ------------------------------------------------------------------ */

/* Texts of the overview; zero bytes are a start. */
struct tl_book_facts {
	struct tl_buf file, gpu, rank, world, version, options;
	bool remarks; /* something was left out or warned of */
	struct tl_buf on_timeline; /* what of it is about gpu_timeline: the first two, a line each, cut */
	size_t n_on_timeline;
};

#define MAX_REMARK 140   /* UTF-16 units, in a subtitle */
#define MAX_PROPERTY 250 /* UTF-16 units; Excel allows 255 */

static const struct { const char *section, *item; size_t offset; } places[] = {
	{ "trace", "file", offsetof(struct tl_book_facts, file) },
	{ "gpu", "name", offsetof(struct tl_book_facts, gpu) },
	{ "job", "rank", offsetof(struct tl_book_facts, rank) },
	{ "job", "world size", offsetof(struct tl_book_facts, world) },
	{ "tool", "tl-tools", offsetof(struct tl_book_facts, version) },
	{ "tool", "options", offsetof(struct tl_book_facts, options) },
};

static bool is(const struct tl_field_text *f, const char *text)
{
	return tl_text_is(f->s, f->len, text);
}

static bool begins(const struct tl_field_text *f, const char *text)
{
	return f->len >= strlen(text) && !memcmp(f->s, text, strlen(text));
}

static void read_remark(struct tl_book_facts *all, const struct tl_field_text *text)
{
	static const char timeline[] = "gpu_timeline";
	struct tl_buf line = { 0 };
	bool cut;

	all->remarks = true;
	if (all->n_on_timeline == 2 || !memmem(text->s, text->len, timeline, strlen(timeline)))
		return;
	tl_xlsx_text(&line, text->s, text->len, MAX_REMARK, &cut);
	tl_xlsx_mask(&line);
	tl_buf_addf(&all->on_timeline, "%s%s", all->n_on_timeline++ ? "\n" : "", tl_buf_text(&line));
	tl_buf_release(&line);
}

/* Takes what it knows from a row of the overview; others are ignored. facts: a struct
 * tl_book_facts. */
static void book_facts_read(void *facts, const struct tl_field_text *f, size_t n)
{
	if (n >= 3 && is(&f[0], "left out") && (begins(&f[1], "warning of ") || begins(&f[1], "note of ")))
		read_remark(facts, &f[2]);
	for (size_t i = 0; n >= 3 && i < sizeof places / sizeof places[0]; i++) {
		struct tl_buf *to = (struct tl_buf *)((char *)facts + places[i].offset);
		if (is(&f[0], places[i].section) && is(&f[1], places[i].item) && !to->len)
			tl_buf_add(to, f[2].s, f[2].len);
	}
}

/* Makes a text fit for a property. */
static const char *fitting(struct tl_buf *out, const char *text)
{
	bool cut;

	tl_xlsx_text(out, text, strlen(text), MAX_PROPERTY, &cut);
	tl_xlsx_mask(out);
	return tl_buf_text(out);
}

/* Sets the properties of the workbook, whose creation date is also one. */
static void book_facts_set(const struct tl_book_facts *f, lxw_workbook *workbook, time_t created)
{
	lxw_doc_properties about = { .created = created };
	struct tl_buf title = { 0 }, subject = { 0 }, comments = { 0 }, text = { 0 };

	if (f->version.len) { /* libxlsxwriter does not change the texts */
		const char *file = tl_buf_text(&f->file), *slash = strrchr(file, '/');
		about.title = (char *)fitting(&title, slash ? slash + 1 : file);
		tl_buf_adds(&text, "performance report of a GPU trace");
		if (f->gpu.len && strcmp(f->gpu.data, "not in the trace") != 0)
			tl_buf_addf(&text, ", %s", f->gpu.data);
		if (f->world.len)
			tl_buf_addf(&text, ", rank %s of %s", tl_buf_text(&f->rank), f->world.data);
		about.subject = (char *)fitting(&subject, tl_buf_text(&text));
		tl_buf_clear(&text);
		tl_buf_addf(&text, "tl-tools %s", f->version.data);
		if (f->options.len)
			tl_buf_addf(&text, "; options: %s", f->options.data);
		if (f->file.len)
			tl_buf_addf(&text, "; trace: %s", f->file.data);
		about.comments = (char *)fitting(&comments, tl_buf_text(&text));
	}
	workbook_set_properties(workbook, &about);
	tl_buf_release(&title);
	tl_buf_release(&subject);
	tl_buf_release(&comments);
	tl_buf_release(&text);
}

/* ---- workbook -------------------------------------------------------------------- */

struct tl_workbook {
	char *path;
	lxw_workbook *lxw;
	struct tl_formats formats;
	struct tl_worksheet *sheets;
	size_t n_sheets, cap_sheets;
	time_t created;
	struct tl_book_facts facts;
	struct tl_roof_chart roofline;
};

struct tl_workbook *tl_workbook_new(const char *path, time_t created, bool large)
{
	lxw_workbook_options options = { .constant_memory = large };
	lxw_workbook *lxw = workbook_new_opt(path, &options);

	if (!lxw)
		return NULL;
	struct tl_workbook *b = tl_calloc(1, sizeof *b);
	b->path = tl_strdup(path);
	b->lxw = lxw;
	b->created = created;
	b->roofline.rows.most = TL_CHART_ROWS;
	tl_formats_add(&b->formats, lxw);
	return b;
}

void tl_workbook_free(struct tl_workbook *b)
{
	if (!b)
		return;
	if (b->lxw)
		lxw_workbook_free(b->lxw);
	for (size_t i = 0; i < b->n_sheets; i++)
		tl_worksheet_release(&b->sheets[i]);
	free(b->sheets);
	free(b->path);
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		tl_buf_release((struct tl_buf *)((char *)&b->facts + places[i].offset));
	tl_buf_release(&b->facts.on_timeline);
	tl_roof_chart_release(&b->roofline);
	free(b);
}

/* ---- names of sheets ---------------------------------------------------------- */

static enum tl_status check_name(struct tl_workbook *b, const char *name, struct tl_error *err)
{
	size_t len = strlen(name), units = 0, used;

	for (size_t i = 0; i < len; i += used) {
		uint32_t c = tl_utf8_decode(name + i, len - i, &used);
		if (c == TL_UTF8_MALFORMED || c < 0x20 || c == 0x7f || c == 0xfffe || c == 0xffff)
			return tl_fail(err, TL_ERR_USAGE, "a sheet name holds bytes that are no text");
		units += tl_utf16_units(c);
	}
	if (!len)
		return tl_fail(err, TL_ERR_USAGE, "a sheet name is empty");
	if (units > TL_MAX_SHEET_NAME)
		return tl_fail(err, TL_ERR_USAGE, "sheet name '%s' has %zu characters, a workbook allows %d",
		               name, units, TL_MAX_SHEET_NAME);
	if (strpbrk(name, "[]:*?/\\"))
		return tl_fail(err, TL_ERR_USAGE, "sheet name '%s' holds one of [ ] : * ? / \\, which a workbook forbids", name);
	if (name[0] == '\'' || name[len - 1] == '\'')
		return tl_fail(err, TL_ERR_USAGE,
		               "sheet name '%s' starts or ends with an apostrophe, which a workbook forbids", name);
	if (tl_worksheet_find(b->sheets, b->n_sheets, name))
		return tl_fail(err, TL_ERR_USAGE, "two sheets are named '%s' (upper and lower case are the same)", name);
	return TL_OK;
}

/* Sets the text to the first characters of a name, up to `most` UTF-16 units, with "_" for those that a workbook forbids. */
static void set_allowed(struct tl_buf *b, const char *name, size_t most)
{
	size_t len = strlen(name), units = 0, used;

	tl_buf_clear(b);
	for (size_t i = 0; i < len; i += used) {
		uint32_t c = tl_utf8_decode(name + i, len - i, &used);
		units += tl_utf16_units(c);
		if (units > most)
			return;
		if (c == TL_UTF8_MALFORMED || c < 0x20 || c == 0x7f || c == 0xfffe || c == 0xffff || (c < 0x80 && strchr("[]:*?/\\'", (int)c)))
			tl_buf_addc(b, '_');
		else
			tl_buf_add(b, name + i, used);
	}
}

char *tl_workbook_fit_name(const struct tl_workbook *b, const char *name, bool allowed_only)
{
	struct tl_buf fitting = { 0 };
	char number[24] = "";
	bool cut = true;

	for (unsigned long n = 2;; n++) {
		size_t most = TL_MAX_SHEET_NAME - strlen(number);
		if (allowed_only)
			set_allowed(&fitting, name, most);
		else
			tl_xlsx_text(&fitting, name, strlen(name), most, &cut);
		if (!cut)
			break;
		tl_buf_adds(&fitting, number);
		if (!tl_worksheet_find(b->sheets, b->n_sheets, tl_buf_text(&fitting)))
			return fitting.data;
		snprintf(number, sizeof number, "%lu", n);
	}
	tl_buf_release(&fitting);
	return tl_strdup(name); /* unchanged: check_name refuses bytes that are no text */
}

/* ---- sheets -------------------------------------------------------------------- */

enum tl_status tl_workbook_add(struct tl_workbook *b, const char *name, struct tl_error *err)
{
	enum tl_status st = check_name(b, name, err);

	if (st)
		return st;
	lxw_worksheet *lxw = workbook_add_worksheet(b->lxw, name);
	if (!lxw)
		return tl_fail(err, TL_ERR_USAGE, "sheet name '%s' is refused", name);
	TL_GROW(b->sheets, b->cap_sheets, b->n_sheets + 1);
	struct tl_worksheet *s = &b->sheets[b->n_sheets++];
	*s = (struct tl_worksheet){ .lxw = lxw, .formats = &b->formats, .is_overview = !strcmp(name, "overview") };
	s->name = tl_arena_dup(&s->arena, name, strlen(name));
	return TL_OK;
}

void tl_workbook_fold(struct tl_workbook *b, size_t i, tl_folds *folds, const void *ctx)
{
	b->sheets[i].folds = folds;
	b->sheets[i].folds_ctx = ctx;
}

size_t tl_workbook_turn(const struct tl_workbook *b, size_t k)
{
	for (int turn = 0; turn < TL_FILL_TURNS; turn++)
		for (size_t i = 0; i < b->n_sheets; i++)
			if (tl_fill_turn(b->sheets[i].name) == turn && !k--)
				return i;
	return b->n_sheets;
}

enum tl_status tl_workbook_fill(struct tl_workbook *b, size_t i, struct tl_input *tsv, size_t *n_cut,
                                struct tl_error *err)
{
	struct tl_worksheet *s = &b->sheets[i];
	struct tl_sheet_role role = { .sheets = b->sheets, .n_sheets = b->n_sheets };

	if (s->is_overview) {
		role.look = book_facts_read;
		role.ctx = &b->facts;
	} else if (!strcmp(s->name, TL_UNIFIED)) {
		role.look = tl_roof_chart_read;
		role.ctx = &b->roofline;
	}
	enum tl_status st = tl_worksheet_fill(s, &role, tsv, err);
	if (n_cut)
		*n_cut = s->n_cut;
	return st;
}

/* Adds the sheet behind the roofline chart, unless the caller has added one of that
 * name. */
static enum tl_status add_roofline(struct tl_workbook *b, struct tl_error *err)
{
	bool has_one = tl_worksheet_find(b->sheets, b->n_sheets, TL_ROOFLINE_SHEET);
	struct tl_input *sheet = has_one ? NULL : tl_roof_chart_sheet(&b->roofline);
	enum tl_status st = sheet ? tl_workbook_add(b, TL_ROOFLINE_SHEET, err) : TL_OK;

	return st || !sheet ? st : tl_workbook_fill(b, b->n_sheets - 1, sheet, NULL, err);
}

/* ---- the file --------------------------------------------------------------------- */

/* libxlsxwriter prints messages of its own about failures: standard error is turned
 * away. *reason becomes the error of a write, which libxlsxwriter may not notice; 0:
 * none is known. */
static lxw_error close_quietly(lxw_workbook *lxw, int *reason)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	if (null >= 0 && kept >= 0)
		dup2(null, STDERR_FILENO);
	errno = 0;
	lxw_error e = workbook_close(lxw); /* frees it */
	*reason = errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO ? errno : 0;
	if (null >= 0 && kept >= 0)
		dup2(kept, STDERR_FILENO);
	if (null >= 0)
		close(null);
	if (kept >= 0)
		close(kept);
	return e;
}

enum tl_status tl_workbook_close(struct tl_workbook *b, struct tl_error *err)
{
	enum tl_status st = add_roofline(b, err);
	size_t n_cells = 0;
	int reason;

	if (st)
		return st;
	tl_book_charts_add(b->lxw, b->sheets, b->n_sheets, &(struct tl_book_notes){
		.remarks = b->facts.remarks, .timeline = tl_buf_text(&b->facts.on_timeline), .roofline = tl_buf_text(&b->roofline.summary) });
	book_facts_set(&b->facts, b->lxw, b->created);
	lxw_error e = close_quietly(b->lxw, &reason);
	b->lxw = NULL;
	if (reason)
		return tl_fail(err, TL_ERR_IO, "cannot write the workbook: %s", strerror(reason));
	if (e)
		return tl_fail(err, TL_ERR_IO, "cannot write the workbook: %s", lxw_strerror(e));
	for (size_t i = 0; i < b->n_sheets; i++)
		n_cells += b->sheets[i].n_cells;
	return tl_archive_check(b->path, n_cells, err);
}
