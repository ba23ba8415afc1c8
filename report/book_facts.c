/* book_facts.c - what a workbook says about itself in its properties.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/book_facts.h"
#include "base/text.h"
#include "report/cell_value.h"

#include <stddef.h>
#include <string.h>

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

void tl_book_facts_read(void *facts, const struct tl_field_text *f, size_t n)
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

static void add_comments(struct tl_buf *b, const struct tl_book_facts *f)
{
	tl_buf_addf(b, "tl-tools %s", f->version.data);
	if (f->options.len)
		tl_buf_addf(b, "; options: %s", f->options.data);
	if (f->file.len)
		tl_buf_addf(b, "; trace: %s", f->file.data);
}

static void add_subject(struct tl_buf *b, const struct tl_book_facts *f)
{
	tl_buf_adds(b, "performance report of a GPU trace");
	if (f->gpu.len && strcmp(f->gpu.data, "not in the trace") != 0)
		tl_buf_addf(b, ", %s", f->gpu.data);
	if (f->world.len)
		tl_buf_addf(b, ", rank %s of %s", tl_buf_text(&f->rank), f->world.data);
}

void tl_book_facts_set(const struct tl_book_facts *f, lxw_workbook *workbook, time_t created)
{
	lxw_doc_properties about = { .created = created };
	struct tl_buf title = { 0 }, subject = { 0 }, comments = { 0 }, text = { 0 };

	if (f->version.len) { /* libxlsxwriter does not change the texts */
		const char *file = tl_buf_text(&f->file), *slash = strrchr(file, '/');
		about.title = (char *)fitting(&title, slash ? slash + 1 : file);
		add_subject(&text, f);
		about.subject = (char *)fitting(&subject, tl_buf_text(&text));
		tl_buf_clear(&text);
		add_comments(&text, f);
		about.comments = (char *)fitting(&comments, tl_buf_text(&text));
	}
	workbook_set_properties(workbook, &about);
	tl_buf_release(&title);
	tl_buf_release(&subject);
	tl_buf_release(&comments);
	tl_buf_release(&text);
}

void tl_book_facts_release(struct tl_book_facts *f)
{
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		tl_buf_release((struct tl_buf *)((char *)f + places[i].offset));
	tl_buf_release(&f->on_timeline);
}
