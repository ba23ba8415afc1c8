/* describe.c - tells what sheets are, as the .sheet files say it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/describe.h"

#include "base/text.h"
#include "cli/cli.h"
#include "base/json_writer.h"
#include "table/description.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA 1 /* of the JSON; it grows when a program that reads it would have to change */
#define LINE 78  /* characters of a line of sentences */

static const char *const types[] = {
	[TL_TYPE_TEXT] = "text", [TL_TYPE_INT] = "integer", [TL_TYPE_REAL] = "number", [TL_TYPE_BOOL] = "boolean", [TL_TYPE_BOOL01] = "boolean",
	[TL_TYPE_ANY] = "number or text",
};
static const char *const roles[] = {
	[TL_ROLE_OTHER] = "other", [TL_ROLE_KEY] = "key", [TL_ROLE_TIME] = "time", [TL_ROLE_SHARE] = "share", [TL_ROLE_RUNNING] = "running",
	[TL_ROLE_COUNT] = "count", [TL_ROLE_AMOUNT] = "amount", [TL_ROLE_RATE] = "rate", [TL_ROLE_MEAN] = "mean", [TL_ROLE_MEDIAN] = "median",
	[TL_ROLE_SPREAD] = "spread", [TL_ROLE_LEAST] = "least", [TL_ROLE_MOST] = "most", [TL_ROLE_STATISTIC] = "statistic", [TL_ROLE_FIRST] = "first",
	[TL_ROLE_START] = "start", [TL_ROLE_LATE] = "late", [TL_ROLE_PLACE] = "place", [TL_ROLE_CAUSE] = "cause", [TL_ROLE_FLAG] = "flag",
};

static const char *yes_or_no(bool yes)
{
	return yes ? "true" : "false";
}

/* One object a line. Without one name asked for, the columns are left out. */
static void put_json(struct tl_buf *b, const struct tl_description *d, bool columns)
{
	struct tl_json j = { .to = b, .in_line = true };
	struct tl_buf key = { 0 };

	tl_json_open(&j, NULL, '{');
	tl_json_put_int(&j, "schema", SCHEMA);
	tl_json_put_string(&j, "sheet", d->sheet);
	tl_json_put_string(&j, "filter", d->program);
	tl_json_put_string(&j, "option", d->option);
	tl_json_put_string(&j, "help", d->help);
	if (columns)
		tl_json_open(&j, "columns", '[');
	for (size_t i = 0; columns && i < d->n_columns; i++) {
		const struct tl_described_column *c = &d->columns[i];
		tl_buf_clear(&key);
		tl_column_key(&key, c->name);
		tl_json_open(&j, NULL, '{');
		tl_json_put_string(&j, "name", c->name);
		tl_json_put_string(&j, "key", tl_buf_text(&key));
		tl_json_put_string(&j, "type", types[c->type]);
		tl_json_put_string(&j, "unit", tl_unit_word(c->unit));
		tl_json_put_string(&j, "role", roles[c->role]);
		tl_json_put(&j, "null", "true"); /* cells of any column may be empty */
		tl_json_put(&j, "prefix", yes_or_no(c->each));
		tl_json_put(&j, "sometimes", yes_or_no(c->sometimes));
		tl_json_put_string(&j, "text", c->text);
		tl_json_close(&j, '}');
	}
	if (columns)
		tl_json_close(&j, ']');
	tl_json_close(&j, '}');
	tl_buf_addc(b, '\n');
	tl_buf_release(&key);
}

static void put_tsv(struct tl_buf *b, const struct tl_description *d, bool columns)
{
	if (!columns)
		tl_buf_addf(b, "%s\t%s\t%s\t%s\n", d->sheet, d->program, d->option, d->help);
	for (size_t i = 0; columns && i < d->n_columns; i++) {
		const struct tl_described_column *c = &d->columns[i];
		tl_buf_addf(b, "%s\t%s\t%s\t", d->sheet, d->program, c->name);
		tl_column_key(b, c->name);
		tl_buf_addf(b, "\t%s\t%s\t%s\t%s\t%s\t%s\n", types[c->type], tl_unit_word(c->unit), roles[c->role], yes_or_no(c->each), yes_or_no(c->sometimes), c->text);
	}
}

/* Words of a text in lines of LINE bytes, each of which begins with a margin. */
static void put_sentences(struct tl_buf *b, const char *text)
{
	static const char margin[] = "        ";
	size_t at = 0;

	for (size_t len; *text; text += len + (text[len] == ' ')) {
		len = strcspn(text, " ");
		bool fits = at && at + 1 + len <= LINE;
		tl_buf_addf(b, "%s", fits ? " " : at ? "\n" : "");
		if (!fits)
			tl_buf_adds(b, margin);
		at = fits ? at + 1 + len : sizeof margin - 1 + len;
		tl_buf_add(b, text, len);
	}
	tl_buf_addc(b, '\n');
}

static void put_text(struct tl_buf *b, const struct tl_description *d, bool columns)
{
	if (!columns) {
		tl_buf_addf(b, "%-36s  %-12s  %s\n", d->sheet, d->program, d->help);
		return;
	}
	tl_buf_addf(b, "%s (%s%s%s): %s\n", d->sheet, d->program, *d->option ? ", --" : "", d->option, d->help);
	for (size_t i = 0; i < d->n_columns; i++) {
		const struct tl_described_column *c = &d->columns[i];
		bool goes_on = i + 1 < d->n_columns && !strcmp(c->text, c[1].text);
		tl_buf_addf(b, "%s%s%s  (%s", !i || strcmp(c->text, c[-1].text) ? "\n" : "", c->name, c->each ? "..." : "", types[c->type]);
		if (c->unit != TL_UNIT_NONE && c->unit != TL_UNIT_COUNT)
			tl_buf_addf(b, ", %s", tl_unit_word(c->unit));
		if (c->role != TL_ROLE_OTHER)
			tl_buf_addf(b, "; %s", roles[c->role]);
		tl_buf_addf(b, "%s)\n", c->sometimes ? "; not always there" : "");
		if (!goes_on)
			put_sentences(b, c->text);
	}
}

void tl_describe_sheets(const char *sheet, const char *format)
{
	static const struct { const char *name, *header, *sheets; void (*put)(struct tl_buf *, const struct tl_description *, bool); } forms[] = {
		{ "text", "", "", put_text },
		{ "tsv", "sheet\tfilter\tcolumn\tkey\ttype\tunit\trole\tprefix\tsometimes\ttext\n", "sheet\tfilter\toption\thelp\n", put_tsv },
		{ "json", "", "", put_json },
		{ .name = NULL }
	};
	size_t form = 0, n = 0;
	struct tl_buf b = { 0 };

	if (!format)
		format = isatty(STDOUT_FILENO) ? "text" : "tsv";
	if (!strcmp(format, "jsonl")) /* a sheet is a line */
		format = "json";
	while (forms[form].name && strcmp(forms[form].name, format) != 0)
		form++;
	if (!forms[form].name)
		tl_usage("--format: expected text, tsv or json, not '%s'", format);
	tl_buf_adds(&b, sheet ? forms[form].header : forms[form].sheets);
	for (const struct tl_description *d = tl_descriptions; d->sheet; d++)
		if (!sheet || !strcmp(d->sheet, sheet)) {
			if (sheet && n++ && forms[form].put == put_text)
				tl_buf_addc(&b, '\n');
			forms[form].put(&b, d, sheet != NULL);
		}
	if (sheet && !n)
		tl_usage("--describe: no sheet is named '%s'; --list-sheets lists them", sheet);
	fputs(tl_buf_text(&b), stdout);
	tl_buf_release(&b);
	tl_finish_stdout();
}
