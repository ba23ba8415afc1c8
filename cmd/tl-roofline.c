/* tl-roofline.c - what each operator achieved: unified_perf_summary and a sheet
 * for each family of operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "perf/lang/functions.h"
#include "rewrite/rewrite.h"
#include "tl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_ARCH_FILE = 1 << 20 };

static struct tl_roofline_options roofline = { .top = -1 };
static const char *arch, *arch_platform, *arch_file, *explain;
static bool list_ops, list_models, list_archs, list_functions, print_tables;
static struct tl_arch *gpu;

static const struct tl_opt options[] = {
	{ 0, "arch", "NAME", "roofline against this GPU, or against that of a file (JSON or TSV)", TL_OPT_TEXT, &arch, 0, 0, NULL },
	{ 0, "gpu_arch_platform", "NAME", "the same, by name", TL_OPT_TEXT, &arch_platform, 0, 0, NULL },
	{ 0, "gpu_arch_json_path", "FILE", "the same, by file", TL_OPT_TEXT, &arch_file, 0, 0, NULL },
	TL_OPS_OPTION,
	{ 0, "topk_roofline_ops", "N", "only the N largest rows of each sheet", TL_OPT_INT, &roofline.top, 0, INT64_MAX, NULL },
	{ 0, "group_by_num_kernels", NULL, "let the number of kernels tell rows apart",
	  TL_OPT_FLAG, &roofline.group_by_num_kernels, 0, 0, NULL },
	{ 0, "include_overlap_info", NULL, "add the sheets *_kl_overlap: what ran at the same time",
	  TL_OPT_FLAG, &roofline.include_overlap, 0, 0, NULL },
	TL_SELECT_OPTIONS(&roofline.select),
	{ 0, "include_call_stack", NULL, "add entry_point and call_stack_full to unified_perf_summary",
	  TL_OPT_FLAG, &roofline.call_stack, 0, 0, NULL },
	TL_EDIT_OPTIONS,
	{ .long_name = NULL },
};

static const struct tl_opt alone[] = {
	{ 0, "explain", "OP|UID", "instead of sheets, show how the numbers of an operator, or of one event, come about", TL_OPT_TEXT, &explain, 0, 0, NULL },
	{ 0, "list-ops", NULL, "list operators: name (TEXT*: those that begin so), category, family, model", TL_OPT_FLAG, &list_ops, 0, 0, NULL },
	{ 0, "list-models", NULL, "list models: name, category, family, source", TL_OPT_FLAG, &list_models, 0, 0, NULL },
	{ 0, "list-functions", NULL, "list the functions that models may use", TL_OPT_FLAG, &list_functions, 0, 0, NULL },
	{ 0, "list-archs", NULL, "list GPUs: name, what their numbers are, source", TL_OPT_FLAG, &list_archs, 0, 0, NULL },
	{ 0, "print-tables", NULL, "print the tables of models and operators, as --ops takes them", TL_OPT_FLAG, &print_tables, 0, 0, NULL },
	{ .long_name = NULL },
};

static const struct tl_sheet sheets[] = {
	{ "unified_perf_summary", "what each operator achieved", NULL, TL_SHEET_USUAL | TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS, NULL, NULL },
	{ "unified_perf_summary_kl_overlap", "the same, and what ran at the same time", "include_overlap_info",
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS, NULL, NULL },
	{ "FAMILY, FAMILY_fwd, FAMILY_bwd", "a family of operators, such as GEMM; also with _kl_overlap behind", NULL,
	  TL_SHEET_NEEDS_ROWS | TL_SHEET_PATTERN, TL_NEEDS_ANNOTATIONS, NULL, NULL },
	{ .name = NULL },
};
static const struct tl_sheet_family roofline_sheets = { "tl-roofline", sheets };

/* ---- sheets by name ------------------------------------------------------------- */

/* Family f has one sheet, or NAME_fwd and NAME_bwd; each has a form _kl_overlap. */
static const char *family_sheet(size_t i)
{
	static struct tl_buf b;
	const struct tl_registry *g = tl_op_tables();
	bool one;

	for (size_t f = 0; f < tl_families(g); f++) {
		const char *name = tl_family_at(g, f, &one);
		size_t n = one ? 2 : 4;
		if (i >= n) {
			i -= n;
			continue;
		}
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%s%s%s", name, one ? "" : i % 2 ? "_bwd" : "_fwd", i >= n / 2 ? "_kl_overlap" : "");
		return b.data;
	}
	return NULL;
}

static void write_sheets(const struct tl_roofline *r)
{
	const char *name;

	for (size_t i = 0; (name = tl_roofline_sheet_name(r, i)); i++) {
		if (!tl_wants_sheet(name))
			continue;
		if (!tl_roofline_sheet(r, i)->n_rows)
			tl_warn("no row for the sheet %s", name);
		tl_write_sheet(tl_roofline_sheet(r, i), name);
	}
}

/* ---- architectures ----------------------------------------------------------------- */

static struct tl_arch *arch_of_file(const char *path)
{
	struct tl_arch *a;
	struct tl_error err;
	size_t len;
	char *text = tl_read_file(path, MAX_ARCH_FILE, &len);

	if (tl_arch_from_text(&a, path, text, len, &err) != TL_OK)
		tl_die("%s", err.text);
	free(text);
	return a;
}

static struct tl_arch *arch_of_name(const char *name)
{
	struct tl_arch *a;
	struct tl_error err;

	if (tl_arch_by_name(&a, name, &err) != TL_OK)
		tl_usage("%s", err.text);
	return a;
}

/* What is called as no GPU is: is it meant to be a file? */
static void __attribute__((noreturn)) unknown_arch(const char *name)
{
	struct tl_buf names = { 0 };

	tl_arch_names(&names);
	tl_usage("no architecture \"%.60s\"%s; there are %s", name, strpbrk(name, "./") ? " and no such file" : "", names.data);
}

static struct tl_arch *chosen_arch(void)
{
	struct tl_arch *a;
	struct stat st;

	if ((arch != NULL) + (arch_platform != NULL) + (arch_file != NULL) > 1)
		tl_usage("only one of --arch, --gpu_arch_platform, --gpu_arch_json_path may be given");
	if (arch_platform)
		return arch_of_name(arch_platform);
	if (arch_file)
		return arch_of_file(arch_file);
	if (!arch)
		return NULL;
	if (tl_arch_by_name(&a, arch, NULL) == TL_OK)
		return a;
	if (stat(arch, &st) && (errno == ENOENT || !strchr(arch, '/')))
		unknown_arch(arch);
	return arch_of_file(arch);
}

/* What deviceProperties say about the trace's devices. */
struct device { char *name; int64_t units; bool differ; };

static void read_device(const struct tl_value *v, struct device *d)
{
	const char *name = "";
	int64_t units = 0;

	for (uint32_t k = 0; v->type == TL_V_DICT && k + 1 < v->len; k += 2) {
		const struct tl_value *x = &v->items[k + 1];
		if (x->type == TL_V_TEXT && !strcmp(v->items[k].text, "name"))
			name = x->text;
		else if (x->type == TL_V_INT && !strcmp(v->items[k].text, "numSms"))
			units = x->i;
	}
	if (!*name)
		return;
	if (!d->name) {
		d->name = tl_strdup(name);
		d->units = units;
	}
	d->differ |= strcmp(d->name, name) || d->units != units;
}

static struct device device_of(const struct tl_trace *t)
{
	struct device d = { 0 };
	struct tl_arena arena = { 0 };
	struct tl_value v;

	for (size_t i = 0; i < t->n_meta; i++) {
		const char *json = tl_str(&t->strings, t->meta[i].json);
		if (strcmp(tl_str(&t->strings, t->meta[i].key), "deviceProperties") ||
		    tl_value_parse(&arena, json, tl_str_len(&t->strings, t->meta[i].json), &v, NULL) || v.type != TL_V_LIST)
			continue;
		for (uint32_t k = 0; k < v.len; k++)
			read_device(&v.items[k], &d);
	}
	tl_arena_release(&arena);
	return d;
}

/* Without operators there is no roofline, and which of different devices was
 * used is not known. */
static void suggest_arch(const struct tl_trace *t)
{
	if (tl_trace_gpu_only(t))
		return;
	struct device d = device_of(t);
	const char *fits = d.name && !d.differ ? tl_arch_for_device(d.name, d.units) : NULL;

	if (fits)
		tl_note("the trace is of \"%s\"; --arch %s adds its roofline", d.name, fits);
	free(d.name);
}

static int either_column(const struct tl_table *t, const char *name, const char *first)
{
	int at = tl_table_column(t, name);

	return at >= 0 ? at : tl_table_column(t, first);
}

/* What has no roofline only since the architecture has no peak for it. */
struct no_peak { struct tl_map specs, ops; struct tl_buf names; };

static void find_no_peak(const struct tl_table *t, struct no_peak *n)
{
	int name = tl_table_column(t, "name"), spec = either_column(t, "Compute Spec", "Compute Spec_first");
	int gflops = either_column(t, "GFLOPS", "GFLOPS_first"), moved = either_column(t, "Data Moved (MB)", "Data Moved (MB)_first");
	bool is_new;

	if (name < 0 || spec < 0 || gflops < 0 || moved < 0)
		return;
	for (size_t i = 0; i < t->n_rows; i++) {
		struct tl_cell s = tl_table_cell(t, i, (size_t)spec), flops = tl_table_cell(t, i, (size_t)gflops);
		const char *text = s.type == TL_CELL_TEXT ? tl_str(t->strings, s.text) : "";
		if (!*text || flops.type != TL_CELL_REAL || !(flops.d > 0) || tl_table_cell(t, i, (size_t)moved).type == TL_CELL_NULL ||
		    tl_arch_peak(gpu, text) > 0)
			continue;
		tl_map_put(&n->ops, tl_table_cell(t, i, (size_t)name).text, NULL);
		tl_map_put(&n->specs, s.text, &is_new);
		if (is_new)
			tl_buf_addf(&n->names, "%s%s", n->specs.count > 1 ? ", " : "", text);
	}
}

static void warn_no_peak(const struct tl_roofline *r)
{
	struct no_peak n = { 0 };
	const char *name;

	if (!(tl_arch_bandwidth(gpu) > 0)) {
		tl_warn("%s has no memory bandwidth: no roofline", tl_arch_name(gpu));
		return;
	}
	for (size_t i = 0; (name = tl_roofline_sheet_name(r, i)); i++)
		if (tl_wants_sheet(name))
			find_no_peak(tl_roofline_sheet(r, i), &n);
	if (n.ops.count)
		tl_warn("%s has no peak for %s: %zu operator%s rows are without roofline", tl_arch_name(gpu), n.names.data, n.ops.count,
		        n.ops.count == 1 ? "'s" : "s'");
	tl_map_release(&n.specs);
	tl_map_release(&n.ops);
	tl_buf_release(&n.names);
}

/* ---- lists ----------------------------------------------------------------------------- */

static void list_all_ops(const struct tl_registry *g, struct tl_buf *b)
{
	const struct tl_perf_op *op;

	tl_buf_adds(b, "name\tcategory\tfamily\tmodel\n");
	for (size_t i = 0; (op = tl_op_at(g, i)); i++)
		tl_buf_addf(b, "%s%s\t%s\t%s\t%s\n", op->name, op->prefix ? "*" : "", op->category, op->family ? op->family : "", op->model_name);
}

static void list_all_models(const struct tl_registry *g, struct tl_buf *b)
{
	tl_buf_adds(b, "name\tcategory\tfamily\tsource\n");
	for (size_t i = 0; i < tl_models(g); i++)
		tl_model_describe(g, i, b);
}

static void list_all_archs(struct tl_buf *b)
{
	tl_buf_adds(b, "name\tbasis\tsource\n");
	for (size_t i = 0; tl_arch_describe(i, b); i++)
		tl_buf_addc(b, '\n');
}

static void list_all_functions(struct tl_buf *b)
{
	const char *help;

	for (size_t i = 0; (help = tl_function_help(i)); i++)
		tl_buf_addf(b, "%s\n", help);
}

static void print_all_tables(const struct tl_registry *g, struct tl_buf *b)
{
	const char *text;
	size_t len;

	for (size_t i = 0; (text = tl_registry_table(g, i, &len)); i++) {
		if (i) /* a table may end within a line, and with a backslash */
			tl_buf_adds(b, "\n\n");
		tl_buf_add(b, text, len);
	}
}

static void write_list(const struct tl_registry *g, const char *path)
{
	struct tl_buf b = { 0 };
	int lists = list_ops + list_models + list_archs + list_functions + print_tables;

	if (!lists)
		return;
	if (lists > 1)
		tl_usage("one list at a time");
	if (path || explain || tl_option_given("sheets") || tl_into_folder())
		tl_usage("a list takes no trace and no sheet");
	if (list_ops)
		list_all_ops(g, &b);
	else if (list_models)
		list_all_models(g, &b);
	else if (list_archs)
		list_all_archs(&b);
	else if (list_functions)
		list_all_functions(&b);
	else
		print_all_tables(g, &b);
	tl_write_text(tl_choice_output(), &b);
	exit(0);
}

/* ---- */

static void warn_failures(const struct tl_roofline *r)
{
	const char *name, *reason;
	uint32_t count;

	for (size_t i = 0; tl_roofline_failure(r, i, &name, &count, &reason); i++)
		tl_warn("%s: no metrics for %u event%s: %s", name, count, count == 1 ? "" : "s", reason);
}

static void write_explanation(struct tl_trace *t, const struct tl_registry *g)
{
	struct tl_buf b = { 0 };

	if (!tl_roofline_explain(t, g, roofline.arch, explain, &b))
		tl_die("no operator or uid \"%s\" in the trace", explain);
	tl_write_text(tl_choice_output(), &b);
	tl_buf_release(&b);
}

static void make_sheets(struct tl_trace *trace, const struct tl_registry *g, const char *input)
{
	struct tl_roofline *r;
	struct tl_error err;

	if (!roofline.arch)
		suggest_arch(trace);
	roofline.only = tl_only_sheet();
	roofline.even_empty = !tl_into_folder();
	for (size_t i = 0; tl_named_sheet(i); i++)
		roofline.include_overlap |= strstr(tl_named_sheet(i), "_kl_overlap") != NULL;
	if (tl_roofline_new(&r, trace, g, &roofline, &err) != TL_OK)
		tl_die_error(input, &err);
	warn_failures(r);
	if (gpu)
		warn_no_peak(r);
	write_sheets(r);
	tl_roofline_free(r);
}

static void prepare(struct tl_load_options *load)
{
	roofline.arch = gpu = chosen_arch();
	write_list(tl_op_tables(), load->path);
	if (explain && (tl_option_given("sheets") || tl_into_folder()))
		tl_usage("--explain takes no sheet");
	load->python |= roofline.call_stack;
}

static void run(struct tl_trace *trace, const char *input)
{
	if (explain)
		write_explanation(trace, tl_op_tables());
	else
		make_sheets(trace, tl_op_tables(), input);
}

const struct tl_filter tl_filter_roofline = {
	.purpose = "what each operator achieved, against the roofline", .sheets = &roofline_sheets,
	.options = options, .alone = alone, .pattern = family_sheet, .prepare = prepare, .run = run,
};
