/* test_columns.c - what columns are by name: every column that the kept sheets have or a manual page names has
 * its row in report/columns.tsv; how names find rows; mistakes in rows.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"

#include "compare/comparisons.h"
#include "report/chart_list.h"
#include "report/column_kind.h"
#include "report/roofline_table.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

extern const char tl_data_columns[];
extern const size_t tl_data_columns_len;

static struct tl_column_table columns;

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;

	if (!f || getdelim(&text, &cap, 0, f) < 0)
		text = calloc(1, 1);
	if (f)
		fclose(f);
	return text;
}

/* ---- every column has a row -------------------------------------------------------------- */

static bool has_row(const char *path, const char *name)
{
	const char *own = strstr(name, "::");
	struct tl_column_facts kind;
	bool found = !*name || tl_column_table_find(&columns, own ? own + 2 : name, &kind);

	for (const struct tl_description *d = tl_descriptions; !found && d->sheet; d++)
		found = tl_described_column(d, name) != NULL;

	if (!found)
		printf("%s: column '%s' is in no .sheet file and has no row in columns.tsv\n", path, name);
	return found;
}

static bool sheet_is_known(const char *path)
{
	char *text = read_text(path), *save = NULL;
	bool ok = *text;

	text[strcspn(text, "\r\n")] = '\0';
	for (char *name = strtok_r(text, "\t", &save); name; name = strtok_r(NULL, "\t", &save))
		ok &= has_row(path, name);
	free(text);
	return ok;
}

static void replace(char *text, const char *what, const char *by)
{
	for (char *s = text; (s = strstr(s, what)); s += strlen(by)) {
		memmove(s + strlen(by), s + strlen(what), strlen(s + strlen(what)) + 1);
		memcpy(s, by, strlen(by));
	}
}

/* The names of a list's item, as in "GridX , AAvg_ns ... , name_mean , _std": only those that are whole. */
static bool item_is_known(const char *path, char *item)
{
	char *save = NULL, *with = strstr(item, " with _");
	bool ok = true;

	if (with)
		*with = '\0';
	replace(item, "\\&", "");
	replace(item, "\\(mc", "µ");
	replace(item, " ; ", " , ");
	replace(item, " , ", "\t");
	for (char *name = strtok_r(item, "\t", &save); name; name = strtok_r(NULL, "\t", &save))
		ok &= *name == '_' || strstr(name, "...") || has_row(path, name);
	return ok;
}

/* Of the lists below the names of sheets: those that are no tables or lists of options. */
static bool page_is_known(const char *path)
{
	char *text = read_text(path), *save = NULL;
	bool in_sheet = false, in_output = false, ok = true;
	size_t n = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, ".S", 2))
			in_sheet = !strncmp(line, ".Ss", 3);
		if (!strncmp(line, ".Sh", 3))
			in_output = !strcmp(line, ".Sh OUTPUT");
		if (!in_sheet || !in_output || strncmp(line, ".It ", 4) || strstr(line, " Ta ") || !strncmp(line, ".It Fl", 6))
			continue;
		ok &= item_is_known(path, line + 4);
		n++;
	}
	free(text);
	return ok && n;
}

static void check_files(const char *what, const char *pattern, bool is_known(const char *path))
{
	const char *root = getenv("TL_ROOT");
	char path[4096];
	bool ok = true;
	glob_t g;

	snprintf(path, sizeof path, "%s/%s", root ? root : ".", pattern);
	int status = glob(path, GLOB_BRACE, NULL, &g);
	for (size_t i = 0; !status && i < g.gl_pathc; i++)
		ok &= is_known(g.gl_pathv[i]);
	check(what, ok && !status);
	globfree(&g);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static bool is(const char *name, enum tl_unit unit, int width, enum tl_column_rank rank, enum tl_column_bar bar)
{
	struct tl_column_facts k = { 0 };

	return tl_column_table_find(&columns, name, &k) && k.unit == unit && k.max_width == width && k.rank == rank && k.bar == bar;
}

static void check_rows(void)
{
	static const char text[] = "b=_sum\tcount\t9\ttotal\n" "x\tns\t1\tplace\twhole\n" "=_sum\t=\t2\t=\troof\n" "x*\tid\t3\twhat\n"
	                           "xy*\tms\t4\trate\n" "=__*_diff\t=\t=\tother\n" "*__z_diff\tbin\t6\twhat\n";
	struct tl_column_table all = columns;
	struct tl_column_facts k;
	struct tl_error err = { 0 };

	columns = (struct tl_column_table){ 0 };
	check("a table of columns is read", tl_column_table_add(&columns, "t", text, strlen(text), &err) == TL_OK);
	check("a column's own row counts", is("x", TL_UNIT_NS, 1, TL_RANK_PLACE, TL_BAR_WHOLE));
	check("else the longest pattern that fits, also before its like", is("xyz", TL_UNIT_MS, 4, TL_RANK_RATE, TL_BAR_NONE));
	check("* may stand for nothing", is("xy", TL_UNIT_MS, 4, TL_RANK_RATE, TL_BAR_NONE));
	check("of patterns as long the first counts", is("x__z_diff", TL_UNIT_BIN, 6, TL_RANK_WHAT, TL_BAR_NONE));
	check("= says what the column in its place is", is("x_sum", TL_UNIT_NS, 2, TL_RANK_PLACE, TL_BAR_ROOF));
	check("= may stand in the place of a column that has one, too", is("x_sum__r_diff", TL_UNIT_NS, 2, TL_RANK_OTHER, TL_BAR_NONE));
	check("= stands for the name of a column", !tl_column_table_find(&columns, "_sum", &k));
	check("which must be known", !tl_column_table_find(&columns, "q_sum", &k));
	check("an unknown column is none", !tl_column_table_find(&columns, "q", &k));
	tl_column_table_release(&columns);
	columns = all;
	k = tl_column_facts(NULL, "r::Percentage (%)");
	check("a column of a comparison is as without its report, but for bars", k.unit == TL_UNIT_PERCENT && k.max_width == 20 && !k.bar && !k.is_share);
	k = tl_column_facts(NULL, "what nobody knows");
	check("and a plain one in the table of the programs", k.unit == TL_UNIT_NONE && k.max_width == 60 && k.rank == TL_RANK_OTHER && !k.bar);
}

/* ---- charts ----------------------------------------------------------------------------- */

/* Has some sheet of this name the column? */
static bool is_described(const char *sheet, const char *column)
{
	for (const struct tl_description *d = tl_descriptions; d->sheet; d++)
		if (!strcmp(d->sheet, sheet) && tl_described_column(d, column))
			return true;
	printf("no sheet %s has a column %s\n", sheet, column ? column : "");
	return false;
}

static void check_charts(void)
{
	bool all = true;

	for (const struct tl_chart *c = tl_chart_list(); c->sheet; c++)
		if (strcmp(c->sheet, TL_ROOFLINE_SHEET) != 0) /* is made for the chart */
			all &= c->x && c->y && is_described(c->sheet, c->x) && is_described(c->sheet, c->y);
	check("every chart is of columns that its sheet has", all);
}

static void check_comparisons(void)
{
	const struct tl_comparison *c;
	bool all = true;

	for (size_t i = 0; (c = tl_comparison(i)); i++) {
		const struct tl_description *d = tl_comparison_description(c);
		all &= d != NULL;
		for (const char *const *m = c->metrics; d && !c->turned && *m; m++)
			all &= is_described(d->sheet, *m);
		for (const char *const *k = c->keys; d && !c->turned && *k; k++)
			all &= is_described(d->sheet, *k);
		all &= c->by_key || (c->sort && *c->keys && *c->metrics);
	}
	check("every comparison is of columns that its sheet has", all);
}

/* Is the row the mistake, here in the third line? */
static bool is_mistake(const char *row, const char *what)
{
	struct tl_column_table t = { 0 };
	struct tl_error err = { 0 };
	char text[200];

	snprintf(text, sizeof text, "# c\nx\tns\t1\tplace\n%s\n", row);
	bool told = tl_column_table_add(&t, "t.tsv", text, strlen(text), &err) == TL_ERR_DATA && strstr(err.text, what);
	if (!told)
		printf("%s: %s, not %s\n", row, err.text, what);
	tl_column_table_release(&t);
	return told;
}

static void check_mistakes(void)
{
	static const struct { const char *row, *what; } wrong[] = {
		{ "y\tns\t1", "t.tsv:3:1: expected name, unit, width, rank[, bar][, share]" },
		{ "y\thours\t1\tplace", "t.tsv:3:3: expected one of plain, ns" },
		{ "y\tns\tone\tplace", "t.tsv:3:6: expected a width from 1 to 255" },
		{ "y\tns\t0\tplace", "t.tsv:3:6: expected a width" },
		{ "y\tns\t256\tplace", "t.tsv:3:6: expected a width" },
		{ "y\tns\t1\tlast", "t.tsv:3:8: expected one of key, total" },
		{ "y\tns\t1\tplace\thalf", "t.tsv:3:14: expected one of none, whole" },
		{ "y\t=\t1\tplace", "t.tsv:3:3: no = in the name" },
		{ "x\tns\t1\tplace", "t.tsv:3:1: 'x' has a row above" },
		{ "*y*\tns\t1\tplace", "t.tsv:3:1: more than one * in the name" },
		{ "=y=\tns\t1\tplace", "t.tsv:3:1: more than one = in the name" },
	};
	bool told = true;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		told &= is_mistake(wrong[i].row, wrong[i].what);
	check("a wrong row is a mistake with file, line and column", told);
}

/* With files: only whether each column of these sheets has a row. */
int main(int argc, char **argv)
{
	struct tl_error err = { 0 };
	bool known = true;

	check("columns.tsv has no mistakes", tl_column_table_add(&columns, "columns.tsv", tl_data_columns, tl_data_columns_len, &err) == TL_OK);
	fputs(err.text, stdout);
	for (int i = 1; i < argc; i++)
		known &= sheet_is_known(argv[i]);
	if (argc > 1) {
		check("every column of these sheets has a row", known);
	} else {
		check_files("every column of the kept sheets has a row", "tests/data/golden/*/*.tsv", sheet_is_known);
		char pages[4096];
		snprintf(pages, sizeof pages, "%s/man/tl-{api,coll,jax,jaxcoll,kcat,ops,pftrace,phase,ranks,rocprof,roofline}.1", getenv("B") ? getenv("B") : "build");
		check_files("every column in the pages has a row", pages, page_is_known);
		check_rows();
		check_charts();
		check_comparisons();
		check_mistakes();
	}
	tl_column_table_release(&columns);
	return failures != 0;
}
