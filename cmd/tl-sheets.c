/* tl-sheets.c - the sheets of all filters from one trace, which is read once.
 * Called by the name of one of them (the build makes links) it is that filter alone.
 *
 * Its options are those of the filters, and what concerns the trace or the choice
 * of sheets. tl-report asks it what the words of its command line mean.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/describe.h"
#include "cli/filter.h"
#include "cli/sheet_form.h"
#include "table/description.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool dry_run, list_sheets, describe;
static struct tl_load_options load = { .notes = true };
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "list-sheets", NULL, "list the sheets: name, filter, option that adds it, help, source file", TL_OPT_FLAG, &list_sheets, 0, 0, NULL },
	{ 0, "describe", NULL, "tell what the columns of the sheet FILE are, or without FILE which sheets there are", TL_OPT_FLAG, &describe, 0, 0, NULL },
	{ 'n', "dry-run", NULL, "check the options and read the tables, but no trace", TL_OPT_FLAG, &dry_run, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt trace_options[] = {
	{ 0, "keep-stream", "FILE", "keep the linked event stream as FILE", TL_OPT_TEXT, &load.keep, 0, 0, NULL },
	TL_LENIENT_OPTION(&load.lenient),
	TL_THREADS_OPTION,
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "describe", NULL, "sheets columns dir output dry-run list-sheets keep-stream" },
	{ .option = NULL }
};

/* ---- the tables of all options ------------------------------------------------------ */

static struct tl_opt *switches; /* options that put sheets into a report */
static const struct tl_opt **tables;
static size_t n_switches, cap_switches, n_tables, cap_tables;

static void add_table(const struct tl_opt *table)
{
	TL_GROW(tables, cap_tables, n_tables + 1);
	tables[n_tables++] = table;
}

static bool has_option(const struct tl_opt *o, const char *name)
{
	while (o && o->long_name && strcmp(o->long_name, name))
		o++;
	return o && o->long_name;
}

/* Adds the name to a list that begins with `first`, unless it is in the list. */
static void list_name(struct tl_buf *b, const char *first, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = tl_buf_text(b); (p = strstr(p, name)); p += len)
		if (p[-1] == ' ' && (p[len] == ',' || !p[len]))
			return;
	tl_buf_addf(b, "%s%s", b->len ? ", " : first, name);
}

/* "add SHEET, SHEET" or "leave out SHEET"; never freed. */
static const char *help_of(const char *option)
{
	struct tl_buf b = { 0 };

	for (const struct tl_filter *const *f = tl_filters; *f; f++)
		for (const struct tl_sheet *s = (*f)->sheets->sheets; s->name; s++)
			if (s->option && !strcmp(s->option, option))
				list_name(&b, strncmp(option, "disable_", 8) ? "add " : "leave out ", s->name);
	return b.data;
}

/* A row for each option that a sheet names and its filter does not have. */
static void add_switches(const struct tl_filter *f)
{
	static bool unused;

	for (const struct tl_sheet *s = f->sheets->sheets; s->name; s++) {
		if (!s->option || has_option(f->options, s->option) || has_option(switches, s->option))
			continue;
		TL_GROW(switches, cap_switches, n_switches + 2);
		switches[n_switches++] = (struct tl_opt){ 0, s->option, NULL, help_of(s->option), TL_OPT_FLAG, &unused, 0, 0, NULL };
		switches[n_switches] = (struct tl_opt){ .long_name = NULL };
	}
}

static void collect_tables(void)
{
	add_table(tl_choice_options);
	add_table(trace_options);
	add_table(tl_part_options);
	for (size_t i = 0; tl_filters[i]; i++)
		add_switches(tl_filters[i]);
	add_table(switches);
	for (size_t i = 0; tl_filters[i]; i++)
		if (tl_filters[i]->options)
			add_table(tl_filters[i]->options);
}

/* ---- main ------------------------------------------------------------------------------ */

static void print_sheet(const char *name, const char *filter, const struct tl_sheet *s)
{
	const struct tl_description *d = tl_descriptions;

	while (d->sheet && (strcmp(d->sheet, s->name) || strcmp(d->program, filter)))
		d++;
	printf("%s\t%s\t%s\t%s\t%s\n", name, filter, s->option ? s->option : "", s->help, d->sheet ? d->file : "");
}

static bool is_of_filter(const struct tl_sheet_family *family)
{
	for (size_t i = 0; tl_filters[i]; i++)
		if (tl_filters[i]->sheets == family)
			return true;
	return false;
}

/* Those of the filters, which are the choices, then those of programs that read several traces. */
static void print_sheets(const struct tl_choice *c, size_t n)
{
	printf("sheet\tfilter\toption\thelp\tfile\n");
	for (size_t i = 0; i < n; i++)
		print_sheet(c[i].name, c[i].filter->sheets->filter, c[i].sheet);
	for (size_t i = 0; tl_sheet_families[i]; i++)
		for (const struct tl_sheet *s = tl_sheet_families[i]->sheets; s->name && !is_of_filter(tl_sheet_families[i]); s++)
			print_sheet(s->name, tl_sheet_families[i]->filter, s);
	tl_finish_stdout();
}

static void make_sheets(const struct tl_choice *choices, size_t n)
{
	tl_run_filters(choices, n, true, &load);
	tl_speak_as("tl-sheets");
	if (!tl_finish_sheets(load.path))
		tl_die("%s: no sheet could be made of this trace", tl_input_name(load.path));
}

/* The filter whose name this program was called by, NULL for all of them. */
static const struct tl_filter *called_as(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;

	for (const struct tl_filter *const *f = tl_filters; name && *f; f++)
		if (!strcmp((*f)->sheets->filter, name))
			return *f;
	return NULL;
}

static int all_filters(int argc, char **argv)
{
	struct tl_program program = {
		.name = "tl-sheets", .synopsis = "[OPTION]... -d DIR [FILE]", .purpose = "make the sheets of all filters from one trace",
		.options = options, .common = TL_COMMON_OUTPUT | TL_COMMON_VERBOSE, .c = &common, .needs = needs,
	};
	size_t n_choices;

	tl_speak_as(program.name);
	collect_tables();
	if (argc > 2 && !strcmp(argv[1], "--words-of-report")) {
		add_table(NULL);
		tl_write_report_words(argv[2], tables, argc - 2, argv + 2);
		return 0;
	}
	add_table(tl_result_options);
	add_table(NULL);
	program.more = tables;
	program.detail = tl_filter_detail(tl_filters);
	load.path = tl_cli_start_one(&program, argc, argv);
	load.verbose = common.verbose;
	load.progress = getenv("TL_PROGRESS");
	if (load.keep && !strcmp(load.keep, "-"))
		tl_usage("--keep-stream: standard output is for the paths of the sheets");
	tl_prepare_filters(tl_filters, &load);
	const struct tl_choice *choices = tl_list_choices(tl_filters, &n_choices);
	if (describe) {
		const char *sheet = load.path;
		for (size_t i = 0; sheet && i < n_choices; i++)
			if (!strcmp(choices[i].name, sheet))
				sheet = choices[i].sheet->name; /* GEMM is described as FAMILY */
		tl_speak_as(program.name);
		tl_describe_sheets(sheet, tl_sheet_form);
		return 0;
	}
	tl_speak_as(program.name);
	if (list_sheets) {
		print_sheets(choices, n_choices);
		return 0;
	}
	tl_check_choice(common.output, load.path, false);
	if (!dry_run)
		make_sheets(choices, n_choices);
	return tl_end_status();
}

int main(int argc, char **argv)
{
	const struct tl_filter *one = called_as(argv[0]);

	return one ? tl_filter_main(one, tl_filters, argc, argv) : all_filters(argc, argv);
}
