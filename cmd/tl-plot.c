/* tl-plot.c - pictures of sheets in TSV.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/programs.h"
#include "report/plots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tl-plot --------------------------------------------------------------------- */

#define SECONDS 120     /* of processor time: no picture takes longer */

static struct tl_common common;
static struct tl_plot_look look = { .dpi = 300, .name = "" };
static const char *folder;
static bool format_given, list;
static struct tl_opt_list wanted;
static bool is_guessed; /* the name of the only sheet */

static const char *const formats[] = { [TL_PLOT_PNG] = "png", [TL_PLOT_SVG] = "svg", [TL_PLOT_PDF] = "pdf" };

/* The format of that name; TL_N_PLOT_FORMATS: there is none. */
static unsigned format_named(const char *name)
{
	unsigned format = 0;

	while (format < TL_N_PLOT_FORMATS && strcmp(name, formats[format]) != 0)
		format++;
	return format;
}

static const char *take_format(void *dest, const char *name)
{
	unsigned format = format_named(name);

	(void)dest;
	if (format == TL_N_PLOT_FORMATS)
		return "expected png, pdf or svg";
	look.format = format;
	format_given = true;
	return NULL;
}

static const struct tl_opt options[] = {
	{ 'd', "dir", "DIR", "make every picture that the sheets allow, as DIR/NAME.png, and print these paths", TL_OPT_TEXT, &folder, 0, 0, NULL },
	{ 0, "pictures", "LIST", "only these pictures (names separated by commas)", TL_OPT_CALL, &wanted, 0, 0, tl_add_names },
	{ 0, "list-pictures", NULL, "print names, sheets and what each picture shows", TL_OPT_FLAG, &list, 0, 0, NULL },
	{ 0, "plot_format", "FORMAT", "png, pdf or svg (that of the name of -o; png)", TL_OPT_CALL, NULL, 0, 0, take_format },
	{ 0, "plot_dpi", "N", "dots per inch of PNG (300)", TL_OPT_INT, &look.dpi, 10, 1200, NULL },
	{ 0, "name", "TEXT", "what the pictures are of: stands in their headings", TL_OPT_ANY, &look.name, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-plot",
	.synopsis = "[OPTION]... -d DIR [NAME=]FILE.tsv... | --pictures PICTURE [OPTION]... [[NAME=]FILE.tsv]...",
	.purpose = "draw pictures of sheets in TSV: PNG, SVG or PDF",
	.detail = "Each FILE is the sheet NAME, or is called like the file without its suffix. "
	          "Without FILE, or with -, standard input is read. A single picture goes to standard output or -o. "
	          "A single FILE without NAME is the sheet that a single picture needs, whatever it is called.\n"
	          "Example: tl-sheets -d sheets trace.json.gz; tl-plot -d pictures sheets/*.tsv",
	.options = options,
	.common = TL_COMMON_OUTPUT,
	.c = &common,
};

/* ---- which pictures ------------------------------------------------------------------- */

static const struct tl_picture *picture_named(const char *name)
{
	const struct tl_picture *p = tl_pictures;

	while (p->name && strcmp(p->name, name) != 0)
		p++;
	if (!p->name)
		tl_usage("no picture is called '%s'; --list-pictures prints the names", name);
	return p;
}

static bool is_wanted(const struct tl_picture *p)
{
	return !wanted.n || tl_opt_list_has(&wanted, p->name);
}

static void check_usage(void)
{
	for (size_t i = 0; i < wanted.n; i++)
		picture_named(wanted.items[i]);
	if (folder && common.output)
		tl_usage("-d and -o exclude each other");
	if (!folder && wanted.n != 1)
		tl_usage("say where pictures go (-d DIR), or which single one is to be made (--pictures NAME)");
	const char *dot = common.output ? strrchr(common.output, '.') : NULL;
	if (!format_given && dot && format_named(dot + 1) != TL_N_PLOT_FORMATS)
		look.format = format_named(dot + 1);
}

/* ---- sheets and pictures --------------------------------------------------------------- */

static bool needs(const struct tl_picture *p, const char *sheet)
{
	for (size_t i = 0; p->sheets[i]; i++)
		if (!strcmp(p->sheets[i], sheet))
			return true;
	return false;
}

static bool is_needed(const char *sheet)
{
	for (const struct tl_picture *p = tl_pictures; p->name; p++)
		if (needs(p, sheet))
			return true;
	return false;
}

/* The sheet's name of an operand; the caller frees it. A single file, of which a single picture is
 * to be made, is the sheet that the picture usually needs, unless it is called like another one. */
static char *sheet_name(const char *operand, bool single)
{
	char *name = tl_operand_name(operand);

	if (!single || wanted.n != 1 || tl_operand_file(operand) != operand || needs(picture_named(wanted.items[0]), name))
		return name;
	free(name);
	is_guessed = true;
	return tl_strdup(picture_named(wanted.items[0])->sheets[0]);
}

/* A sheet that no picture needs is not read, but must be there. */
static void read_sheet(struct tl_plot_sheets *sheets, const char *operand, bool single)
{
	char *name = sheet_name(operand, single);
	struct tl_input *in = tl_open_input(tl_operand_file(operand));
	struct tl_error err;

	if (is_needed(name) && tl_plot_sheets_add(sheets, name, in, &err))
		tl_die_of_sheet(in->name, &err);
	tl_close_input(in);
	free(name);
}

/* What gnuplot says is a quotation of the line, a mark below it, and the reason in a line that
 * begins with "line N:". The reason; all of it, if there is no such line. */
static const char *reason_in(char *said)
{
	char *reason = strstr(said, "line "), *colon = reason ? strstr(reason, ": ") : NULL;

	reason = colon ? colon + 2 : said;
	reason[strcspn(reason, "\n")] = '\0';
	return reason;
}

/* Runs a script; the picture that it draws becomes a file that appears with all others. No shell and no file takes part, and
 * gnuplot reads no settings of the user. */
static void draw_to(const char *path, const struct tl_buf *script)
{
	const struct tl_process gnuplot = { .argv = (const char *const[]){ "gnuplot", "--default-settings", NULL }, .limit_s = SECONDS };
	struct tl_output *out = tl_open_output(path, look.format != TL_PLOT_SVG);
	struct tl_buf picture = { 0 }, said = { 0 };
	int status = tl_program_output(gnuplot, script, &picture, &said);
	struct tl_error err;

	if (status > 128)
		tl_die("%s: gnuplot was ended by signal %d", out->name, status - 128);
	if (status == TL_NO_PROGRAM)
		tl_die("%s: cannot run gnuplot, which draws the pictures: is it installed? (Debian: gnuplot-nox)", out->name);
	if (status)
		tl_die("%s: gnuplot failed: %s", out->name, reason_in(said.data));
	if (!picture.len)
		tl_die("%s: gnuplot drew nothing", out->name);
	if (out->write(out, picture.data, picture.len, &err))
		tl_die_error(out->name, &err);
	tl_close_output_for_later(out);
	tl_buf_release(&picture);
	tl_buf_release(&said);
}

/* The path of a picture (malloc'ed); NULL: standard output. */
static char *path_of(const struct tl_picture *p)
{
	if (!folder)
		return common.output ? tl_strdup(common.output) : NULL;
	return tl_strdupf("%s/%s.%s", folder, p->name, formats[look.format]);
}

/* A sheet whose name is guessed may be any of those that the picture is made of. */
static bool make_script(struct tl_buf *script, const struct tl_picture *p, struct tl_plot_sheets *sheets)
{
	bool made = tl_picture_script(script, p, sheets, &look);

	for (size_t i = 1; !made && is_guessed && p->sheets[i]; i++) {
		free(sheets->items[0].name);
		sheets->items[0].name = tl_strdup(p->sheets[i]);
		made = tl_picture_script(script, p, sheets, &look);
	}
	return made;
}

/* Draws what can be drawn; a picture that was asked for by name must be. */
static size_t draw_all(struct tl_plot_sheets *sheets, struct tl_buf *paths)
{
	struct tl_buf script = { 0 };
	size_t n = 0;

	for (const struct tl_picture *p = tl_pictures; p->name; p++) {
		tl_buf_clear(&script);
		if (!is_wanted(p))
			continue;
		if (!make_script(&script, p, sheets)) {
			if (wanted.n) {
				struct tl_buf b = { 0 };

				for (size_t i = 0; p->sheets[i]; i++)
					tl_buf_addf(&b, "%s%s", i ? " or " : "", p->sheets[i]);
				tl_die("the picture %s cannot be made: expected a sheet %s with the columns and rows that it shows", p->name, b.data);
			}
			continue;
		}
		if (folder && !n)
			tl_make_folder(folder);
		char *path = path_of(p);
		draw_to(path, &script);
		if (folder)
			tl_buf_addf(paths, "%s\n", path);
		free(path);
		n++;
	}
	tl_buf_release(&script);
	return n;
}

int main(int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);
	struct tl_plot_sheets sheets = { .n = 0 };
	struct tl_buf paths = { 0 };
	struct tl_error err;

	if (list) {
		for (const struct tl_picture *p = tl_pictures; p->name; p++) {
			printf("%s\t", p->name);
			for (size_t i = 0; p->sheets[i]; i++)
				printf("%s%s", i ? "," : "", p->sheets[i]);
			printf("\t%s\n", p->help);
		}
		tl_finish_stdout();
		return 0;
	}
	check_usage();
	operands = tl_sheet_operands(operands, &n);
	/* before anything is made: no sheet is replaced */
	for (const struct tl_picture *p = tl_pictures; p->name; p++) {
		char *path = is_wanted(p) ? path_of(p) : NULL;
		if (is_wanted(p))
			tl_check_output(path);
		free(path);
	}
	for (int i = 0; i < n; i++)
		read_sheet(&sheets, operands[i], n == 1);
	if (tl_plot_sheets_add_roofline(&sheets, &err))
		tl_die_error("roofline", &err);
	if (!draw_all(&sheets, &paths))
		tl_warn("no picture can be made of these sheets; --list-pictures prints what each needs");
	tl_rename_outputs();
	if (paths.len)
		fputs(paths.data, stdout);
	tl_finish_stdout();
	tl_buf_release(&paths);
	tl_plot_sheets_release(&sheets);
	return 0;
}
