/* choose_sheets.c - which sheets a program makes, and where they go.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"
#include "base/text.h"
#include "cli/filter.h"
#include "cli/manifest.h"
#include "cli/outputs.h"
#include "cli/keep.h"
#include "cli/sheet_form.h"
#include "table/table_pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tl_opt_list named;   /* --sheets */
static struct tl_opt_list columns; /* --columns */
static const char *folder;       /* -d */
static const char *output;       /* -o */
static const char *of_trace;         /* the file of the trace */
static struct tl_choice *choices;
static size_t n_choices, cap_choices;
static const struct tl_filter *running; /* the filter that is making its sheets, or NULL */
static struct tl_opt_list paths; /* of the sheets that were written to the folder, in the order of a report */
static size_t n_first_paths;     /* those of filters that run after the others */
static const char *report;       /* that is made, or NULL */
static bool of_another;          /* the report is made of a trace of another profiler than its own */
static bool has_rows;            /* some sheet does, but for those of such filters */
static struct tl_buf contents;   /* what the trace has, if a sheet has no row */
static const struct tl_filter *only; /* the one whose sheets are wanted if none is named; NULL: all */

const char *tl_add_sheet_names(const char *names)
{
	return tl_add_names(&named, names);
}

const struct tl_opt tl_choice_options[] = {
	{ 0, "sheets", "LIST", "make only these sheets (names separated by commas)", TL_OPT_CALL, &named, 0, 0, tl_add_names },
	{ 0, "columns", "LIST", "of a single sheet, only these columns, in this order (names separated by commas)", TL_OPT_CALL, &columns, 0, 0, tl_add_names },
	{ .long_name = NULL },
};

const struct tl_opt tl_result_options[] = {
	{ 'd', "dir", "DIR", "write the sheets as DIR/NAME.tsv and print these paths", TL_OPT_TEXT, &folder, 0, 0, NULL },
	TL_FORM_OPTIONS,
	{ .long_name = NULL },
};

/* ---- the sheets that can be made ---- */

static void add_choice(const struct tl_filter *f, const struct tl_sheet *s, const char *name)
{
	TL_PUSH(choices, n_choices, cap_choices, (struct tl_choice){ .name = tl_strdup(name), .sheet = s, .filter = f });
}

const struct tl_choice *tl_list_choices(const struct tl_filter *const *filters, size_t *n)
{
	const char *name;

	for (; *filters; filters++)
		for (const struct tl_sheet *s = (*filters)->sheets->sheets; s->name; s++)
			if (!(s->flags & TL_SHEET_PATTERN))
				add_choice(*filters, s, s->name);
			else
				for (size_t i = 0; (name = (*filters)->pattern(s, i)); i++)
					add_choice(*filters, s, name);
	*n = n_choices;
	return choices;
}

/* The sheet of the filter that is running, else one of the report at hand, else any. */
static struct tl_choice *find(const char *name)
{
	struct tl_choice *found = NULL;

	for (size_t i = 0; i < n_choices; i++) {
		struct tl_choice *c = &choices[i];
		if (strcmp(c->name, name))
			continue;
		if (c->filter == running)
			return c;
		if (!found || (c->current && !found->current))
			found = c;
	}
	return found;
}

void tl_choose_filter(const struct tl_filter *f)
{
	running = f;
}

/* ---- what is wanted ---- */

/* Names all sheets but those of families with overlap: they would double the list. */
static void __attribute__((noreturn)) refuse_name(const char *name)
{
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < n_choices; i++)
		if (find(choices[i].name) == &choices[i] && !(choices[i].sheet->flags & TL_SHEET_PATTERN && choices[i].sheet->option))
			tl_buf_addf(&b, "%s%s", b.len ? ", " : "", choices[i].name);
	tl_usage("--sheets: '%s' is not one of %s", name, b.data);
}

/* A program that does not have the sheet's option always makes the sheet, unless it is an extra one. */
static bool is_part_of_report(const struct tl_sheet *s)
{
	int given = s->option ? tl_option_given(s->option) : -1;
	bool leaves_out = s->option && !strncmp(s->option, "disable_", 8);

	if (s->flags & TL_SHEET_EXTRA)
		return given > 0;
	if (s->flags & TL_SHEET_TRAINING && tl_option_given("inference") > 0)
		return false;
	return given < 0 || given != leaves_out;
}

static bool is_of_report(const struct tl_filter *f)
{
	return !report || !f->report || !strcmp(f->report, report);
}

void tl_choose_only(const struct tl_filter *f)
{
	only = f;
}

/* Is the sheet wanted by the options alone, whatever the trace? */
static bool is_asked_for(const struct tl_choice *c)
{
	if (named.n)
		return tl_opt_list_has(&named, c->name);
	if (only && c->filter != only)
		return false;
	if (folder && c->sheet->flags & TL_SHEET_EVERYWHERE && (of_another || !is_of_report(c->filter)))
		return true;
	return folder ? is_part_of_report(c->sheet) : c->sheet->flags & TL_SHEET_USUAL;
}

void tl_check_choice(const char *output_path, const char *trace, bool has_usual)
{
	output = output_path;
	of_trace = trace;
	if (folder && output)
		tl_usage("-d and -o exclude each other");
	if (!folder && !named.n && !has_usual)
		tl_usage("-d DIR is needed: where the sheets go");
	if (!folder && named.n > 1)
		tl_usage("one sheet goes to standard output, %zu named; use -d DIR for several", named.n);
	if (folder && tl_form_is_asked())
		tl_usage("--format, --rows and --offset are for standard output: not with a folder of sheets");
	if (columns.n && folder && named.n != 1)
		tl_usage("--columns is for a single sheet: name it with --sheets");
	for (size_t i = 0; i < named.n; i++)
		if (!find(named.items[i]))
			refuse_name(named.items[i]);
}

/* Sheets of other reports, too: they are made, but no part of this one. */
static void mark_read(const struct tl_filter *f)
{
	for (const char *const *names = f->reads; *names; names++) {
		struct tl_choice *c = find(*names);
		if (c && (is_part_of_report(c->sheet) || !f->needs_sheet || f->needs_sheet(*names))) {
			c->read = true;
			c->wanted |= only && folder;
		}
	}
}

void tl_choose_sheets(const char *chosen)
{
	report = chosen;
	for (size_t i = 0; i < n_choices; i++) {
		struct tl_choice *c = &choices[i];
		c->current = is_of_report(c->filter) || c->sheet->flags & TL_SHEET_EVERYWHERE;
		c->wanted = !named.n && c->current && is_asked_for(c);
	}
	for (size_t i = 0; i < named.n; i++)
		find(named.items[i])->wanted = true;
	for (size_t i = 0; i < n_choices; i++)
		if (choices[i].wanted && choices[i].filter->reads)
			mark_read(choices[i].filter);
}

void tl_choose_for_profiler(const char *profiler)
{
	of_another = report && !strcmp(report, "pytorch") && strcmp(profiler, report) != 0;
	for (size_t i = 0; i < n_choices && of_another; i++)
		choices[i].wanted |= !named.n && choices[i].sheet->flags & TL_SHEET_EVERYWHERE && is_asked_for(&choices[i]);
}

void tl_want_instead(const char *sheet, const char *usual)
{
	if (folder || named.n || !find(usual)->wanted)
		return;
	find(usual)->wanted = false;
	find(sheet)->wanted = true;
}

/* May a sheet be needed, because it or one that needs it is asked for? */
static bool may_be_made(const struct tl_choice *c)
{
	bool may = is_asked_for(c);

	for (size_t i = 0; i < n_choices && !may; i++)
		may = is_asked_for(&choices[i]) && tl_is_one_of(choices[i].filter->reads, c->name);
	return may;
}

bool tl_asks_for_sheet(const char *name)
{
	for (size_t i = 0; i < n_choices; i++)
		if (!strcmp(choices[i].sheet->name, name) && may_be_made(&choices[i]))
			return true;
	return false;
}

bool tl_may_need(unsigned need)
{
	for (size_t i = 0; i < n_choices; i++)
		if (choices[i].sheet->needs & need && may_be_made(&choices[i]))
			return true;
	return false;
}

bool tl_wants_sheet(const char *name)
{
	const struct tl_choice *c = find(name);

	return c && (c->wanted || c->read);
}

bool tl_names_sheet(const char *name)
{
	return named.n && tl_wants_sheet(name);
}

bool tl_wants_ending(const char *ending)
{
	for (size_t i = 0; i < n_choices; i++)
		if (choices[i].wanted && tl_ends_with(choices[i].name, ending))
			return true;
	return false;
}

const char *tl_only_sheet(void)
{
	const char *name = NULL;

	for (size_t i = 0; i < n_choices; i++) {
		bool made = (choices[i].wanted || choices[i].read) && (!running || choices[i].filter == running);
		if (made && name)
			return NULL;
		if (made)
			name = choices[i].name;
	}
	return name;
}

bool tl_into_folder(void)
{
	return folder;
}

/* ---- writing ---- */

/* The file of a sheet in the folder; the caller frees it. */
static char *path_of(const char *name)
{
	return tl_sheet_path(folder, name);
}

void tl_check_sheet_outputs(void)
{
	tl_check_output(output);
	for (size_t i = 0; folder && i < n_choices; i++) {
		char *path = path_of(choices[i].name);
		tl_check_output(path);
		free(path);
	}
}

/* The same, to be printed at the end. */
static const char *add_path(const struct tl_choice *c)
{
	size_t at = c->filter->runs_last ? n_first_paths++ : paths.n;

	tl_make_folder(folder);
	TL_GROW(paths.items, paths.cap, paths.n + 1);
	memmove(paths.items + at + 1, paths.items + at, (paths.n++ - at) * sizeof *paths.items);
	return paths.items[at] = path_of(c->name);
}

/* The columns of --columns, of a table with these; the caller frees them. */
static struct tl_table_column *chosen_columns(const struct tl_table *t, const char *sheet)
{
	struct tl_table_column *chosen = tl_alloc(columns.n * sizeof *chosen);
	struct tl_buf all = { 0 };

	for (size_t i = 0; i < t->n_columns; i++)
		tl_buf_addf(&all, "%s%s", i ? ", " : "", t->columns[i].name);
	for (size_t i = 0; i < columns.n; i++) {
		int at = tl_table_column(t, columns.items[i]);
		if (at < 0)
			tl_usage("--columns: '%s' is not a column of %s, which has %s", columns.items[i], sheet, tl_buf_text(&all));
		chosen[i] = t->columns[at];
	}
	tl_buf_release(&all);
	return chosen;
}

bool tl_sheets_to_terminal(void)
{
	return !folder && !tl_sheet_form && tl_form_is_text(output);
}

static void put_in_folder(const struct tl_table *t, const struct tl_choice *c)
{
	struct tl_output *out = tl_open_output(add_path(c), false);
	struct tl_error err;
	enum tl_status status = tl_tsv_write(t, out, &err);

	if (status == TL_ERR_DATA)
		tl_die("sheet %s: %s", c->name, err.text);
	if (status)
		tl_die_error(out->name, &err);
	tl_close_output_for_later(out);
}

/* The sheet's name, or the file's, with its NUL, and the table or, if there is none, the text. */
static void keep_as(enum tl_kept kind, const char *name, const struct tl_table *t, const struct tl_buf *text)
{
	struct tl_buf packed = { 0 };

	tl_buf_add(&packed, name, strlen(name) + 1);
	if (t)
		tl_table_pack(t, &packed);
	else
		tl_buf_add(&packed, tl_buf_text(text), text->len);
	if (!tl_keep(kind, packed.data, packed.len))
		tl_die("%s: cannot keep it in memory: %s", name, strerror(errno));
	tl_buf_release(&packed);
}

void tl_take_kept_sheet(enum tl_kept kind, const char *data, size_t len)
{
	const char *rest = data + strlen(data) + 1;
	struct tl_strtab strings = { 0 };
	struct tl_buf text = { 0 };

	if (kind == TL_KEPT_SHEET) {
		struct tl_table *t = tl_table_unpack(rest, &strings);
		tl_write_sheet(t, data);
		tl_table_free(t);
	} else {
		tl_buf_add(&text, rest, len - (size_t)(rest - data));
		if (kind == TL_KEPT_FILE)
			tl_write_filter_file(data, &text);
		else
			tl_write_sheet_text(data, &text);
	}
	tl_strtab_release(&strings);
	tl_buf_release(&text);
}

void tl_write_sheet(const struct tl_table *t, const char *name)
{
	if (tl_keeps()) {
		keep_as(TL_KEPT_SHEET, name, t, NULL);
		return;
	}
	struct tl_table shown = *t; /* shares the cells */
	struct tl_choice *c = find(name);
	const struct tl_filter *last = NULL; /* a filter sees a sheet once */

	for (size_t i = 0; i < n_choices; i++) {
		if (choices[i].filter != last && choices[i].filter->see)
			choices[i].filter->see(t, name);
		last = choices[i].filter;
	}
	if (!c->wanted || (folder && c->sheet->flags & TL_SHEET_NEEDS_ROWS && !t->n_rows))
		return;
	struct tl_table_column *chosen = columns.n ? chosen_columns(t, name) : NULL;
	if (chosen) {
		shown.columns = chosen;
		shown.n_columns = columns.n;
	}
	if (folder)
		put_in_folder(&shown, c);
	else
		tl_form_write(output, &shown, name, of_trace);
	free(chosen);
	c->written = true;
	c->empty = !t->n_rows;
	has_rows |= t->n_rows && !c->filter->runs_last;
}

/* Is there a sheet that should have been made, and has no row? */
static bool lacks_rows(void)
{
	for (size_t i = 0; i < n_choices; i++)
		if (choices[i].wanted && (!choices[i].written || choices[i].empty))
			return true;
	return false;
}

/* "; the trace has ...": what is there to see, and which program shows it. */
void tl_remember_contents(const struct tl_trace *t)
{
	static const struct { const char *what, *program; uint32_t kinds; } known[] = {
		{ "operators of the host", "tl-ops", 1u << TL_KIND_CPU_OP },
		{ "kernels", "tl-kcat", 1u << TL_KIND_KERNEL },
		{ "copies and fills of memory", "tl-api", 1u << TL_KIND_MEMCPY | 1u << TL_KIND_MEMSET },
		{ "calls of the runtime", "tl-api", 1u << TL_KIND_RUNTIME | 1u << TL_KIND_DRIVER },
		{ "Python frames", "tl-host", 1u << TL_KIND_PYTHON },
	};
	struct tl_buf *b = &contents;
	size_t start = b->len;
	uint32_t of_kind[TL_KIND_COUNT] = { 0 };

	if (!lacks_rows())
		return;
	for (uint32_t i = 0; i < t->n_events; i++)
		of_kind[t->events[i].kind]++;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		unsigned n = 0;
		for (unsigned kind = 0; kind < TL_KIND_COUNT; kind++)
			n += known[i].kinds >> kind & 1 ? of_kind[kind] : 0;
		if (n)
			tl_buf_addf(b, "%s%s (%u: %s)", b->len > start ? ", " : "; the trace has ", known[i].what, n, known[i].program);
	}
	if (t->source && tl_starts_with(t->source, "memory "))
		tl_buf_addf(b, "; it is a %s, which tl-memory shows", t->source);
	else if (b->len == start)
		tl_buf_addf(b, "; no event of the trace, of %llu, is of operators, calls or devices: tl-overview says what it is",
		            (unsigned long long)t->n_source_events);
}

void tl_write_sheets(const struct tl_sheet_family *f, void *made, const struct tl_trace *trace)
{
	bool no_operators = folder && !named.n && tl_trace_gpu_only(trace);

	for (const struct tl_sheet *s = f->sheets; s->name; s++) {
		if (!tl_wants_sheet(s->name) || (no_operators && s->needs & TL_NEEDS_OPERATORS && !(s->flags & TL_SHEET_EXTRA)))
			continue;
		struct tl_table *t = tl_sheet_of(s, made);
		if (t)
			tl_write_sheet(t, s->name);
		tl_table_free(t);
	}
}

void tl_write_sheet_text(const char *name, const struct tl_buf *text)
{
	if (tl_keeps()) {
		keep_as(TL_KEPT_SHEET_TEXT, name, NULL, text);
		return;
	}
	tl_write_text(output, text);
	find(name)->written = true;
}

void tl_write_filter_file(const char *path, const struct tl_buf *text)
{
	if (tl_keeps())
		keep_as(TL_KEPT_FILE, path, NULL, text);
	else
		tl_write_text(path, text);
}

static int end_status;

void tl_end_with(int status)
{
	end_status = status;
}

int tl_end_status(void)
{
	return end_status;
}

/* Who reads JSON can tell a sheet without rows from none. */
static void write_none(const char *name)
{
	struct tl_strtab strings = { 0 };
	struct tl_table *t = tl_table_new(&strings, 1, NULL);

	tl_form_write(output, t, name, of_trace);
	tl_table_free(t);
	tl_strtab_release(&strings);
}

bool tl_finish_sheets(const char *trace)
{
	bool any = false;

	for (size_t i = 0; i < n_choices; i++) {
		any |= choices[i].written;
		if (named.n && choices[i].wanted && !choices[i].written) {
			tl_warn("no row for the sheet %s", choices[i].name);
			if (tl_sheet_form && !strcmp(tl_sheet_form, "json"))
				write_none(choices[i].name);
		}
		if ((named.n || !folder) && choices[i].written && choices[i].empty)
			tl_note("the sheet %s has no row%s", choices[i].name, tl_buf_text(&contents));
	}
	if (!named.n && paths.n > n_first_paths && !has_rows)
		tl_note("none of the sheets has a row%s", tl_buf_text(&contents));
	if (paths.n) {
		struct tl_manifest *m = tl_manifest_open(folder, "tsv");
		char *of = tl_manifest_trace(trace);

		for (size_t i = 0; i < paths.n; i++)
			tl_manifest_add(m, strrchr(paths.items[i], '/') + 1, of);
		if (named.n)
			tl_manifest_keep(m, of);
		tl_manifest_close(m);
		free(of);
	}
	tl_rename_outputs();
	for (size_t i = 0; i < paths.n; i++)
		printf("%s\n", paths.items[i]);
	tl_finish_stdout();
	return any;
}
