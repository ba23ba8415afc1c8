/* tl-pftrace.c - the report of traces of Perfetto, as rocprofv3 writes them: what the GPUs
 * did, calls and their kernels, copies of memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/pftrace.h"
#include "table/markdown.h"

#include <string.h>

static struct tl_pftrace_options report = {
	.min_tid = -1000000000, .max_tid = 1000000000, .min_event_ns = 5000, .top_xla = 30,
};
static const char *exclude = "(?:^|\\W)redzone_checker_kernel(?:\\W|$)";
static const char *traceconv; /* not needed */
static struct { bool wanted; const char *path; int64_t kernels, calls; } markdown = { .kernels = 200, .calls = 200 };

/* A value of an option with a fixed set of them, and the bits that it stands for. */
struct choice { const char *name; unsigned bits; };

static const char *choose(const struct choice *c, const char *arg, unsigned *bits, const char *expected)
{
	for (; c->name; c++)
		if (!strcmp(c->name, arg)) {
			*bits |= c->bits;
			return NULL;
		}
	return expected;
}

static const char *choose_report(void *to, const char *arg)
{
	static const struct choice all[] = {
		{ "activity", TL_PFTRACE_ACTIVITY }, { "api", TL_PFTRACE_API }, { "memory-copy", TL_PFTRACE_COPIES }, { NULL, 0 },
	};

	static const char *const workbooks[TL_PFTRACE_ALL] = {
		[TL_PFTRACE_ACTIVITY] = "_pftrace_activity_report.xlsx", [TL_PFTRACE_API] = "_pftrace_hip_api_report.xlsx",
		[TL_PFTRACE_COPIES] = "_pftrace_memory_copy_report.xlsx",
	};
	const char *wrong = choose(all, arg, to, "expected activity, api or memory-copy");

	if (!wrong)
		tl_ask_for_report("pftrace", report.reports < TL_PFTRACE_ALL ? workbooks[report.reports] : NULL);
	return wrong;
}

static const char *choose_baseline(void *to, const char *arg)
{
	static const struct choice all[] = { { "total", 0 }, { "compute", 1 }, { NULL, 0 } };
	unsigned bits = 0;
	const char *wrong = choose(all, arg, &bits, "expected total or compute");

	*(bool *)to = bits;
	return wrong;
}

static const char *choose_kernel_group(void *to, const char *arg)
{
	static const struct choice all[] = { { "config", 0 }, { "name", 1 }, { NULL, 0 } };
	unsigned bits = 0;
	const char *wrong = choose(all, arg, &bits, "expected config or name");

	*(bool *)to = bits;
	return wrong;
}

static const char *choose_call_group(void *to, const char *arg)
{
	static const struct choice all[] = {
		{ "name", 0 }, { "name+stream", 1 }, { "name+op", 2 }, { "name+stream+op", 3 }, { NULL, 0 },
	};
	unsigned bits = 0;
	const char *wrong = choose(all, arg, &bits, "expected name, name+stream, name+op or name+stream+op");

	(void)to;
	report.by_stream = bits & 1;
	report.by_op = bits & 2;
	return wrong;
}

static const struct tl_opt options[] = {
	{ 0, "pftrace_report", "REPORT", "activity, api or memory-copy (all three); may be repeated", TL_OPT_CALL, &report.reports, 0, 0, choose_report },
	{ 0, "reference-units", NULL, "the numbers of TraceLens, also where it is wrong", TL_OPT_FLAG, &report.reference, 0, 0, NULL },
	{ 0, "merge_kernels", NULL, "names of kernels without digits", TL_OPT_FLAG, &report.merge_kernels, 0, 0, NULL },
	{ 0, "min_tid", "N", "only events of threads from N on", TL_OPT_INT, &report.min_tid, INT64_MIN, INT64_MAX, NULL },
	{ 0, "max_tid", "N", "only events of threads up to N", TL_OPT_INT, &report.max_tid, INT64_MIN, INT64_MAX, NULL },
	{ 0, "min_event_ns", "N", "only events of N ns and more (5000), but for xla_top", TL_OPT_INT, &report.min_event_ns, 0, INT64_MAX, NULL },
	{ 0, "no_kernel_summary", NULL, "leave out kernel_summary", TL_OPT_FLAG, &report.no_kernel_summary, 0, 0, NULL },
	{ 0, "kernel_summary_include_rccl", NULL, "kernels of communication in kernel_summary, too", TL_OPT_FLAG, &report.with_rccl, 0, 0, NULL },
	{ 0, "kernel_summary_baseline", "WHAT", "what the shares in kernel_summary are of: total or compute", TL_OPT_CALL, &report.of_compute, 0, 0, choose_baseline },
	{ 0, "kernel_summary_group", "HOW", "rows of kernel_summary: config or name", TL_OPT_CALL, &report.by_name, 0, 0, choose_kernel_group },
	{ 0, "no_hip_summary", NULL, "leave out hip_summary", TL_OPT_FLAG, &report.no_hip_summary, 0, 0, NULL },
	{ 0, "hip_summary_group", "HOW", "rows of hip_summary: name, name+stream, name+op or name+stream+op", TL_OPT_CALL, NULL, 0, 0, choose_call_group },
	{ 0, "top_xla", "N", "rows of xla_top (30)", TL_OPT_INT, &report.top_xla, 0, INT64_MAX, NULL },
	{ 0, "exclude_kernel_regex", "REGEX", "leave kernels out of api_kernel_summary; an empty one: none", TL_OPT_ANY, &exclude, 0, 0, NULL },
	{ 0, "allow_multi_kernel_per_api", NULL, "all kernels of a call, not the first one only", TL_OPT_FLAG, &report.all_kernels, 0, 0, NULL },
	{ 0, "include_nonlaunch_apis", NULL, "calls that launch nothing, too", TL_OPT_FLAG, &report.all_calls, 0, 0, NULL },
	{ 0, "write_md", NULL, "write the activity report as Markdown, too, beside the trace", TL_OPT_FLAG, &markdown.wanted, 0, 0, NULL },
	{ 0, "output_md_path", "PATH", "write it to PATH", TL_OPT_TEXT, &markdown.path, 0, 0, NULL },
	{ 0, "kernel_summary_top", "N", "rows of kernel_summary in the Markdown (200)", TL_OPT_INT, &markdown.kernels, 0, INT64_MAX, NULL },
	{ 0, "hip_summary_top", "N", "rows of hip_summary in the Markdown (200)", TL_OPT_INT, &markdown.calls, 0, INT64_MAX, NULL },
	TL_COMMUNICATION_OPTION,
	{ 0, "traceconv", "FILE", "accepted; traces are read without it", TL_OPT_TEXT, &traceconv, 0, 0, NULL },
	{ .long_name = NULL },
};

/* ---- Markdown ----------------------------------------------------------------------------- */

static struct tl_table *table_of(struct tl_pftrace *made, const char *name)
{
	const struct tl_sheet *s = tl_pftrace_sheets.sheets;

	while (strcmp(s->name, name) != 0)
		s++;
	return tl_sheet_of(s, made);
}

static void add_table(struct tl_buf *b, struct tl_pftrace *made, const char *title, const char *sheet, int64_t n, bool always)
{
	struct tl_table *t = table_of(made, sheet);
	bool has_rows = t && t->n_rows;

	if (has_rows || always)
		tl_buf_addf(b, "%s\n", title);
	if (has_rows)
		tl_markdown_add(b, t, (size_t)n);
	else if (always)
		tl_buf_adds(b, "_(no data)_");
	if (has_rows || always)
		tl_buf_addc(b, '\n');
	tl_table_free(t);
}

/* DIR/NAME_report.md, NAME without its endings. Never freed. */
static const char *beside(const char *trace)
{
	const char *slash = strrchr(trace, '/'), *base = slash ? slash + 1 : trace, *dot = strrchr(base, '.');
	static struct tl_buf b;

	if (!strcmp(trace, "<stdin>"))
		tl_usage("--write_md: the trace comes from standard input: name the file by --output_md_path");
	int len = (int)((dot && dot != base ? dot : trace + strlen(trace)) - trace);
	if (len > 5 && !strncmp(trace + len - 5, ".json", 5))
		len -= 5;
	tl_buf_addf(&b, "%.*s_report.md", len, trace);
	return b.data;
}

static void prepare(struct tl_load_options *load)
{
	static struct tl_pattern excluded; /* stays until the program ends */
	char why[200];

	(void)load;
	if (*exclude && !tl_pattern_compile(&excluded, exclude, 0, NULL, why))
		tl_usage("--exclude_kernel_regex: '%s': %s", exclude, why);
	report.exclude = *exclude ? &excluded : NULL;
	if (!report.reports)
		report.reports = TL_PFTRACE_ALL;
	report.communication = tl_communication_rules();
}

static void run_pftrace(struct tl_trace *trace, const char *input)
{
	if (!tl_into_folder() && tl_wants_sheet("category_summary") && !(report.reports & TL_PFTRACE_ACTIVITY))
		tl_usage("category_summary is not of the report that --pftrace_report names: name a sheet with --sheets, or a folder with -d");
	struct tl_pftrace *made = tl_pftrace_new(trace, &report);
	tl_write_sheets(&tl_pftrace_sheets, made, trace);
	if ((markdown.wanted || markdown.path) && report.reports & TL_PFTRACE_ACTIVITY) {
		const char *path = markdown.path ? markdown.path : beside(input);
		struct tl_buf b = { 0 };

		tl_buf_adds(&b, "# ROCm Perfetto Trace Report\n\n- Agents (GPUs): ");
		for (size_t i = 0; i < tl_pftrace_agents(made); i++)
			tl_buf_addf(&b, "%s%s", i ? ", " : "", tl_pftrace_agent(made, i));
		tl_buf_addf(&b, "\n- Used FA v3 kernels detected: **%d**\n\n", tl_pftrace_has_fa3(made));
		add_table(&b, made, "## Category Summary (per GPU)", "category_summary", INT64_MAX, true);
		struct tl_table *t = table_of(made, "xla_top");
		tl_buf_adds(&b, "\n## Top XLA Kernels (by time)\n");
		tl_buf_adds(&b, t->n_rows ? "| Kernel | Total Time (ms) | Count | Fraction of XLA |\n|---|---:|---:|---:|\n" : "_(no data)_\n");
		for (size_t i = 0; i < t->n_rows; i++)
			tl_buf_addf(&b, "| `%s` | %.2f | %lld | %.2f%% |\n", tl_str(t->strings, tl_table_cell(t, i, 0).text),
			            tl_cell_number(tl_table_cell(t, i, 1), t->ticks_per_us), (long long)tl_table_cell(t, i, 2).i, tl_table_cell(t, i, 3).d * 100);
		tl_buf_addc(&b, '\n');
		tl_table_free(t);
		add_table(&b, made, "### Kernel Summary Table", "kernel_summary", markdown.kernels, false);
		if (b.data[b.len - 2] != '\n')
			tl_buf_addc(&b, '\n');
		add_table(&b, made, "### HIP API Summary Table", "hip_summary", markdown.calls, false);
		tl_write_filter_file(path, &b);
		tl_buf_release(&b);
	}
	struct tl_pftrace_doubts doubts = tl_pftrace_doubts(made);
	if (doubts.bad_times)
		tl_warn("%llu events whose begin_ns, end_ns or delta_ns is no number, left out", (unsigned long long)doubts.bad_times);
	tl_pftrace_free(made);
}

static const struct tl_opt_need needs[] = {
	{ "top_xla", "xla_top write_md output_md_path", NULL },
	{ "kernel_summary_include_rccl", "kernel_summary write_md output_md_path", NULL },
	{ "kernel_summary_baseline", "kernel_summary write_md output_md_path", NULL },
	{ "kernel_summary_group", "kernel_summary write_md output_md_path", NULL },
	{ "hip_summary_group", "hip_summary write_md output_md_path", NULL },
	{ "exclude_kernel_regex", "api_kernel_summary", NULL },
	{ "allow_multi_kernel_per_api", "api_kernel_summary", NULL },
	{ "include_nonlaunch_apis", "api_kernel_summary", NULL },
	{ "kernel_summary_top", "write_md output_md_path", NULL },
	{ "hip_summary_top", "write_md output_md_path", NULL },
	{ .option = NULL },
};

const struct tl_filter tl_filter_pftrace = {
	.purpose = "device time, calls and copies of Perfetto traces", .sheets = &tl_pftrace_sheets,
	.options = options, .needs = needs, .report = "pftrace", .prepare = prepare, .run = run_pftrace,
};
