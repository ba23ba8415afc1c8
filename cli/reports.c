/* reports.c - which report is made of which profiler's traces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <string.h>

/* The source's name in the header of its traces. */
static const struct { const char *source, *report; } reports[] = {
	{ "pytorch", "pytorch" },
	{ "rocprofv3", "rocprof" },
	{ "rocpd", "rocprof" },
	{ "nsys", "rocprof" },
};

const char *tl_report_of(const char *source)
{
	for (size_t i = 0; source && i < sizeof reports / sizeof *reports; i++)
		if (!strcmp(reports[i].source, source))
			return reports[i].report;
	return reports[0].report;
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

static void check_option(const char *name, const char *report, const struct tl_choice *c, size_t n)
{
	if (!name || tl_option_given(name) <= 0)
		return;
	const char *other = NULL;
	for (size_t i = 0; i < n; i++) {
		if (!has_option(&c[i], name))
			continue;
		if (is_of(c[i].filter, report))
			return;
		other = c[i].filter->report;
	}
	tl_usage("--%s is an option of the %s report; this trace gets the %s report", name, other, report);
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
