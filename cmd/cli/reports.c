/* reports.c - which report is made of which profiler's traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <string.h>
#include <sys/stat.h>

/* The workbook of a trace lies beside it: `workbook` takes the place of `ending` in its name. */
static const struct {
	const char *source; /* in the header of the traces */
	const char *report;
	const char *format; /* of the traces, as their reader names it */
	const char *ending; /* of the traces' files, which .gz or .zst may follow; of several that fit the last counts;
	                       NULL: what begins with the last .json, if there is one */
	const char *workbook; /* NULL: "_perf_report.xlsx" */
} reports[] = {
	{ "pytorch", "pytorch", "PyTorch's JSON", NULL, NULL },
	{ "rocprofv3", "rocprof", "rocprofv3's JSON", "_results.json", NULL },
	{ "rocprofv3", "rocprof", "rocprofv3's tables", ".csv", NULL },
	{ "rocprofv3", "rocprof", "rocprofv3's tables", "_kernel_trace.csv", NULL },
	{ "rocprof", "rocprof", "rocprof's JSON", NULL, NULL }, /* before rocprofv3 */
	{ "rocpd", "rocprof", "a SQLite database", ".db", NULL },
	{ "rocpd", "rocprof", "a SQLite database", "_results.db", NULL },
	{ "rocpd", "rocprof", "a SQLite database", ".rpd", NULL },
	{ "nsys", "rocprof", "a SQLite database", ".sqlite", NULL },
	{ "perfetto", "pftrace", "Perfetto's packets", ".pftrace", "_pftrace_report.xlsx" },
	{ "perfetto", "pftrace", "Perfetto's packets", ".perfetto-trace", "_pftrace_report.xlsx" },
	{ "perfetto", "pftrace", "traceconv's JSON", NULL, "_pftrace_report.xlsx" },
	{ "xplane", "jax", "XPlane", ".xplane.pb", NULL },
};

/* The report that an option has asked for, and the end of its workbook's name. */
static const char *asked_report, *asked_workbook;

void tl_ask_for_report(const char *report, const char *workbook)
{
	asked_report = report;
	asked_workbook = workbook;
}

const char *tl_report_of(const char *source)
{
	if (asked_report)
		return asked_report;
	for (size_t i = 0; source && i < sizeof reports / sizeof *reports; i++)
		if (!strcmp(reports[i].source, source))
			return reports[i].report;
	return reports[0].report;
}

/* ---- the workbook beside the trace ---------------------------------------------------- */

/* The format of a file, as its reader names it; "" if it cannot be told. */
static const char *format_of(const char *path)
{
	const char *format = "";
	struct tl_opened *opened;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode)) /* what a pipe gives cannot be read twice */
		return format;
	struct tl_input *in = tl_open_input(path);
	if (tl_open_trace(&opened, in, NULL) == TL_OK)
		format = tl_opened_format(opened);
	tl_opened_free(opened);
	tl_close_input(in);
	return format;
}

const char *tl_report_of_file(const char *path)
{
	const char *format = format_of(path);

	for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
		if (!strcmp(reports[i].format, format))
			return reports[i].report;
	return reports[0].report;
}

/* Does the text have this end, and something before it? */
static bool ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(s + len - n, end, n);
}

char *tl_workbook_of(const char *trace)
{
	const char *slash = strrchr(trace, '/'), *format = format_of(trace), *ending = NULL, *workbook = NULL;
	size_t len = strlen(trace), plain = len - (ends_with(trace, len, ".gz") ? 3 : ends_with(trace, len, ".zst") ? 4 : 0);

	for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
		if (strcmp(reports[i].format, format) != 0)
			continue;
		workbook = reports[i].workbook;
		if (reports[i].ending && ends_with(trace, plain, reports[i].ending))
			ending = reports[i].ending;
	}
	if (asked_workbook)
		workbook = asked_workbook;
	if (ending)
		len = plain - strlen(ending);
	else
		for (const char *p = slash ? slash : trace; (p = strstr(p, ".json")); p++)
			len = (size_t)(p - trace);
	return tl_strdupf("%.*s%s", (int)len, trace, workbook ? workbook : "_perf_report.xlsx");
}

/* ---- options of other reports -------------------------------------------------------- */

static bool is_of(const struct tl_filter *f, const char *report)
{
	return !f->report || !strcmp(f->report, report);
}

static bool has_option(const struct tl_choice *c, const char *name)
{
	for (const struct tl_opt *o = c->filter->options; o && o->long_name; o++)
		if (!strcmp(o->long_name, name))
			return true;
	return c->sheet->option && !strcmp(c->sheet->option, name);
}

/* Does the option put the i-th sheet into its report, and could any trace have this sheet? Of one name the first counts. */
static bool adds_sheet(const struct tl_choice *c, size_t i, const char *option)
{
	const struct tl_sheet *s = c[i].sheet;

	for (size_t k = 0; k < i; k++)
		if (!strcmp(c[k].name, c[i].name))
			return false;
	return s->option && !strcmp(s->option, option) && strncmp(option, "disable_", 8) && !(s->needs & TL_NEEDS_OPERATORS);
}

static void check_option(const char *name, const char *report, const struct tl_choice *c, size_t n)
{
	if (!name || tl_option_given(name) <= 0)
		return;
	struct tl_buf others = { 0 }, sheets = { 0 };
	const char *last = NULL;
	for (size_t i = 0; i < n; i++) {
		/* a filter that runs last repeats the options of the others; they are of use to one that reads sheets of all reports */
		if ((c[i].filter->runs_last && !c[i].filter->reads) || !has_option(&c[i], name))
			continue;
		if (is_of(c[i].filter, report) || c[i].wanted) {
			tl_buf_release(&others);
			tl_buf_release(&sheets);
			return;
		}
		if (!last || strcmp(last, c[i].filter->report) != 0)
			tl_buf_addf(&others, "%s%s", last ? " or " : "", c[i].filter->report);
		last = c[i].filter->report;
		if (adds_sheet(c, i, name))
			tl_buf_addf(&sheets, "%s%s", sheets.len ? "," : "", c[i].name);
	}
	tl_usage("--%s is an option of the %s report; this trace gets the %s report%s%s", name, others.data, report,
	         sheets.len ? "; name the sheets that it adds: --sheets " : "", tl_buf_text(&sheets));
}

void tl_check_report_options(const char *report, const struct tl_choice *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_of(c[i].filter, report))
			continue;
		for (const struct tl_opt *o = c[i].filter->options; o && o->long_name; o++)
			check_option(o->long_name, report, c, n);
		check_option(c[i].sheet->option, report, c, n);
	}
}
