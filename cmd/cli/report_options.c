/* report_options.c - the options of tl-report, and what the words of its command
 * line mean.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "cli/outputs.h"

#include "base/escape.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static struct tl_outputs outputs;
static struct { const char *trace, *unused; int64_t unused_number; bool progress, no_progress, simulator; } report;
static struct { bool wanted, unwanted; const char *format; int64_t dpi; } plots = { .format = "png", .dpi = 300 };
static struct tl_buf words; /* for tl-sheets, as the shell reads them */
/* TraceLens's second report of JAX names a folder for all its files, and which these are. */
static struct { const char *folder, *name; struct tl_opt_list formats; } files = { .name = "trace_analysis_results" };

/* Options of TraceLens that are errors, with the reason. */
static const char no_extension[] = "not built: no Python runs here; use --ops, tl-rewrite or a filter of your own";
static const char no_simulator[] = "not built: there is no GEMM simulator; --arch gives the roofline";

static const char *refuse(void *reason, const char *arg)
{
	(void)arg;
	return reason;
}
static const char *take_plot_format(void *dest, const char *name)
{
	(void)dest;
	plots.format = name;
	return strcmp(name, "png") && strcmp(name, "pdf") && strcmp(name, "svg") ? "expected png, pdf or svg" : NULL;
}
#define NOT_BUILT(name, arg, reason) { 0, name, arg, NULL, TL_OPT_CALL, (void *)(uintptr_t)reason, 0, 0, refuse }

static const struct tl_opt report_options[] = {
	{ 0, "profile_json_path", "FILE", "the trace (or give it as the operand)", TL_OPT_TEXT, &report.trace, 0, 0, NULL },
	{ 0, "profile_path", "FILE", "the same", TL_OPT_TEXT, &report.trace, 0, 0, NULL },
	{ 0, "trace_path", "FILE", "the same", TL_OPT_TEXT, &report.trace, 0, 0, NULL },
	{ 0, "profile_xplane_pb_path", "FILE", "the same, with --analysis", TL_OPT_TEXT, &report.trace, 0, 0, NULL },
	TL_OUTPUT_OPTIONS(&outputs, 'd', 'o'),
	{ 0, "tsv-dir", "DIR", NULL, TL_OPT_TEXT, &outputs.to[TL_AS_TSV], 0, 0, NULL }, /* its first name */
	{ 0, "output_path", "DIR", "write every sheet as DIR/NAME.csv, and the workbook into DIR", TL_OPT_TEXT, &files.folder, 0, 0, NULL },
	{ 0, "output_table_formats", "FORMAT", "of these two only .csv or .xlsx; may be repeated", TL_OPT_LIST, &files.formats, 0, 0, NULL },
	{ 0, "output_filename", "NAME", "the workbook's name there (trace_analysis_results)", TL_OPT_TEXT, &files.name, 0, 0, NULL },
	{ 0, "generate_plots", NULL, "draw pictures into the folder inference_plots (tl-plot)", TL_OPT_FLAG, &plots.wanted, 0, 0, NULL },
	{ 0, "disable_plots", NULL, "draw none, even with --generate_plots", TL_OPT_FLAG, &plots.unwanted, 0, 0, NULL },
	{ 0, "plot_format", "FORMAT", "of pictures: png, pdf or svg (png)", TL_OPT_CALL, NULL, 0, 0, take_plot_format },
	{ 0, "plot_dpi", "N", "of pictures in PNG: dots per inch (300)", TL_OPT_INT, &plots.dpi, 10, 1200, NULL },
	{ 0, "progress", NULL, "show progress even if standard error is no terminal", TL_OPT_FLAG, &report.progress, 0, 0, NULL },
	{ 0, "no-progress", NULL, "show no progress", TL_OPT_FLAG, &report.no_progress, 0, 0, NULL },
	{ 0, "inductor_cache_dir", "DIR", "accepted; has no effect on any sheet", TL_OPT_TEXT, &report.unused, 0, 0, NULL },
	{ 0, "num_cus", "N", "the same", TL_OPT_INT, &report.unused_number, 1, INT64_MAX, NULL },
	{ 0, "name", "NAME", "the same", TL_OPT_TEXT, &report.unused, 0, 0, NULL },
	NOT_BUILT("extension_file", "FILE", no_extension),
	{ 0, "enable-origami", NULL, NULL, TL_OPT_FLAG, &report.simulator, 0, 0, NULL },
	NOT_BUILT("python_path", "FILE", no_simulator),
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "plot_format", "generate_plots", NULL },
	{ "plot_dpi", "generate_plots", NULL },
	{ .option = NULL },
};

static const char detail[] =
	"FILE is a trace of a profiler, as tl-parse reads it, or an event stream; - is standard input.\n\n"
	"The report goes to the workbook of -o, to the page of --html, to the folders of --output_csvs_dir "
	"and -d, or, without these four options, to a workbook beside the trace:\n"
	"  tl-report trace.json.gz                        makes trace_perf_report.xlsx\n"
	"  tl-report -o week3.xlsx trace.json.gz          makes week3.xlsx\n"
	"  tl-report --output_csvs_dir csv trace.json.gz  makes csv/gpu_timeline.csv, ...";

static void add_variable(struct tl_buf *b, const char *name, const char *value)
{
	tl_buf_addf(b, "%s=", name);
	tl_add_shell_word(b, value ? value : "");
	tl_buf_addc(b, '\n');
}

static void pass_on(const struct tl_opt *o, const char *arg)
{
	for (const struct tl_opt *own = report_options; own->long_name; own++)
		if (!strcmp(own->long_name, o->long_name))
			return;
	if (o->arg && !strcmp(o->arg, "FILE") && strcmp(o->long_name, "keep-stream"))
		tl_will_read(arg);
	tl_buf_addc(&words, ' ');
	tl_add_shell_option(&words, o->long_name, arg);
}

/* ---- where the report goes ------------------------------------------------------------ */

static bool wants_format(const char *ending)
{
	return !files.formats.n || tl_opt_list_has(&files.formats, ending);
}

/* What --output_path and the options about it mean. */
static void choose_files(void)
{
	for (size_t i = 0; i < files.formats.n; i++)
		if (strcmp(files.formats.items[i], ".csv") && strcmp(files.formats.items[i], ".xlsx"))
			tl_usage("--output_table_formats: '%s': expected .csv or .xlsx", files.formats.items[i]);
	if (!files.folder)
		return;
	tl_make_folder(files.folder);
	if (wants_format(".csv"))
		outputs.to[TL_AS_CSV] = files.folder;
	if (wants_format(".xlsx"))
		outputs.to[TL_AS_BOOK] = tl_strdupf("%s/%s.xlsx", files.folder, files.name); /* never freed */
}

/* TraceLens's folder of pictures: in the folder of CSV files, or beside the workbook, or beside
 * the trace. NULL: no pictures are wanted. */
static char *plot_folder(bool has_output)
{
	bool only_tsv = outputs.to[TL_AS_TSV] && !outputs.to[TL_AS_BOOK] && !outputs.to[TL_AS_PAGE];
	const char *base = outputs.to[TL_AS_CSV] ? outputs.to[TL_AS_CSV] : only_tsv ? outputs.to[TL_AS_TSV] : NULL;
	const char *book_or_page = outputs.to[TL_AS_BOOK] ? outputs.to[TL_AS_BOOK] : outputs.to[TL_AS_PAGE];
	const char *file = has_output && book_or_page ? book_or_page : report.trace;
	const char *end = file + strlen(file), *slash = strrchr(file, '/');

	if (!plots.wanted || plots.unwanted)
		return NULL;
	if (!base && !strcmp(file, "-"))
		tl_usage("--generate_plots: say where pictures go: into the folder of --output_csvs_dir");
	if (file == report.trace)
		for (const char *p = slash ? slash : file; (p = strstr(p, ".json")); p++)
			end = p;
	else if (strrchr(file, '.') > (slash ? slash + 1 : file))
		end = strrchr(file, '.');
	return base ? tl_strdupf("%s/inference_plots", base) : tl_strdupf("%.*s_inference_plots", (int)(end - file), file);
}

/* The trace's name in headings of pictures: its file's, up to the first dot. */
static char *trace_name(void)
{
	const char *slash = strrchr(report.trace, '/'), *name = slash ? slash + 1 : report.trace;

	return tl_strndup(name, strcspn(name, "."));
}

static void choose_outputs(void)
{
	tl_will_read(report.trace);
	if (!tl_outputs_any(&outputs))
		outputs.to[TL_AS_BOOK] = tl_workbook_of(report.trace);
	tl_outputs_check(&outputs);
}

/* Makes the folder in memory that tl-report names, if the work files of the trace will fit there many times: they are small, and
 * to make and remove them elsewhere takes a tenth of a report's time. */
static bool make_folder_in_memory(void)
{
	enum { TIMES = 8 };
	const char *folder = getenv("TL_MEMORY");
	struct statvfs room;
	struct stat st;

	if (!folder || !*folder || stat(report.trace, &st) || !S_ISREG(st.st_mode) || statvfs("/dev/shm", &room))
		return false;
	return (uint64_t)room.f_bavail * room.f_frsize / TIMES > (uint64_t)st.st_size + (32u << 20) && !mkdir(folder, 0700);
}

/* ---- the words ------------------------------------------------------------------------ */

void tl_write_report_words(const char *path, const struct tl_opt *const *sheet_options, int argc, char **argv)
{
	struct tl_common common = { 0 };
	const struct tl_program program = {
		.name = "tl-report", .synopsis = "[OPTION]... FILE", .purpose = "make the performance report of a profiler trace",
		.options = report_options, .needs = needs, .more = sheet_options, .common = TL_COMMON_VERBOSE, .c = &common,
		.detail = detail, .seen = pass_on, .operand = &report.trace,
	};
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);
	struct tl_buf b = { 0 };

	if (n + (report.trace != NULL) > 1)
		tl_usage("one trace at a time: '%s' and '%s'", report.trace ? report.trace : operands[0], operands[n - 1]);
	/* the inference report of TraceLens takes the option, too, and does not look at it */
	if (report.simulator && tl_option_given("inference") <= 0)
		tl_usage("--enable-origami: %s", no_simulator);
	if (n)
		report.trace = operands[0];
	if (!report.trace)
		tl_usage("no trace given");
	choose_files();
	if (tl_option_given("profile_xplane_pb_path") > 0)
		tl_buf_adds(&words, " --analysis");
	bool has_output = tl_outputs_any(&outputs);
	if (!strcmp(report.trace, "-") && !has_output)
		tl_usage("the trace comes from standard input: say where the report goes (-o, --html, --output_csvs_dir, -d)");
	choose_outputs();
	char *folder = plot_folder(has_output), *name = trace_name();
	add_variable(&b, "trace", report.trace);
	add_variable(&b, "tsvs", outputs.to[TL_AS_TSV]);
	add_variable(&b, "has_memory", make_folder_in_memory() ? "1" : "");
	add_variable(&b, "plots", folder);
	add_variable(&b, "plot_format", plots.format);
	tl_buf_addf(&b, "plot_dpi=%lld\n", (long long)plots.dpi);
	add_variable(&b, "name", name);
	add_variable(&b, "progress", report.progress ? "1" : report.no_progress ? "0" : "");
	add_variable(&b, "quiet", common.quiet ? "-q" : "");
	tl_outputs_add_shell(&b, &outputs);
	tl_buf_addf(&b, "set --%s\n", tl_buf_text(&words));
	tl_write_text(path, &b);
	tl_buf_release(&b);
	free(folder);
	free(name);
}
