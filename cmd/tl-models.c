/* tl-models.c - lists what the tables know of operators, and explains what a model says
 * of an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/device_events.h"
#include "cli/filter.h"
#include "perf/lang/functions.h"
#include "roofline/explain_event.h"

#include <string.h>

#define KEPT_KINDS (1u << TL_KIND_ANNOTATION | 1u << TL_KIND_GPU_ANNOTATION)

static struct tl_load_options load = { .drop_kinds = TL_UNUSED_BY_SHEETS & ~KEPT_KINDS };
static struct tl_common common;
static const char *arch;

static const struct tl_opt options[] = {
	TL_OPS_OPTION,
	{ 0, "arch", "NAME", "the roofline in an explanation is that of this GPU, of a file, or of the trace's GPU (auto)",
	  TL_OPT_TEXT, &arch, 0, 0, NULL },
	TL_LENIENT_OPTION(&load.lenient),
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-models",
	.synopsis = "[OPTION]... COMMAND",
	.purpose = "what is known of operators, and how their numbers come about",
	.detail = "Commands:\n"
	          "  explain OP [FILE]   how the numbers of an operator of a trace come about; digits are\n"
	          "                      the uid of an event\n"
	          "  ops                 operators: name (TEXT*: names that begin so), category, family, model\n"
	          "  models              models: name, category, family, source\n"
	          "  functions           functions that models may use\n"
	          "  archs               GPUs: name, what their numbers are, source\n"
	          "  tables              the tables of models and operators, as --ops takes them",
	.options = options,
	.common = TL_COMMON_OUTPUT,
	.c = &common,
};

/* ---- lists ----------------------------------------------------------------------------- */

static void list_ops(const struct tl_registry *r, struct tl_buf *b)
{
	const struct tl_perf_op *op;

	tl_buf_adds(b, "name\tcategory\tfamily\tmodel\n");
	for (size_t i = 0; (op = tl_op_at(r, i)); i++)
		tl_buf_addf(b, "%s%s\t%s\t%s\t%s\n", op->name, op->prefix ? "*" : "", op->category,
		            op->family ? op->family : "", op->model_name);
}

static void list_models(const struct tl_registry *r, struct tl_buf *b)
{
	tl_buf_adds(b, "name\tcategory\tfamily\tsource\n");
	for (size_t i = 0; i < tl_models(r); i++)
		tl_model_describe(r, i, b);
}

static void list_functions(const struct tl_registry *r, struct tl_buf *b)
{
	const char *help;

	(void)r;
	for (size_t i = 0; (help = tl_function_help(i)); i++)
		tl_buf_addf(b, "%s\n", help);
}

static void list_archs(const struct tl_registry *r, struct tl_buf *b)
{
	(void)r;
	tl_archs_describe(b);
}

static void list_tables(const struct tl_registry *r, struct tl_buf *b)
{
	const char *text;
	size_t len;

	for (size_t i = 0; (text = tl_registry_table(r, i, &len)); i++) {
		if (i) /* a table may end within a line, and with a backslash */
			tl_buf_adds(b, "\n\n");
		tl_buf_add(b, text, len);
	}
}

/* ---- commands --------------------------------------------------------------------------- */

static void explain(const struct tl_registry *r, const char *op, const char *path, struct tl_buf *b)
{
	struct tl_arch *gpu = arch ? tl_load_arch(arch) : NULL;

	load.path = path;
	struct tl_trace *trace = tl_load_trace(&load);
	if (arch && !gpu)
		gpu = tl_auto_arch(trace, tl_input_name(path));
	if (!tl_explain_event(trace, r, gpu, op, b))
		tl_die("no operator or uid \"%s\" in the trace%s", op, strstr(op, "(Synthetic Op)")
		       ? ": unified_perf_summary makes such rows for device events that no operator accounts for; "
		         "they have no model" : "");
	tl_trace_free(trace);
	tl_arch_free(gpu);
}

static const struct { const char *name; void (*list)(const struct tl_registry *, struct tl_buf *); } lists[] = {
	{ "ops", list_ops }, { "models", list_models }, { "functions", list_functions }, { "archs", list_archs },
	{ "tables", list_tables },
};
enum { N_LISTS = sizeof lists / sizeof *lists };

static void run(char **operands, int n, struct tl_buf *b)
{
	size_t i = 0;

	if (!n)
		tl_usage("a command is missing: explain, ops, models, functions, archs or tables");
	bool is_explain = !strcmp(operands[0], "explain");
	while (i < N_LISTS && strcmp(operands[0], lists[i].name))
		i++;
	if (i == N_LISTS && !is_explain)
		tl_usage("no command '%s'; expected explain, ops, models, functions, archs or tables", operands[0]);
	if (is_explain && (n < 2 || n > 3))
		tl_usage("explain takes an operator or a uid, and one file; %d given", n - 1);
	if (!is_explain && (n > 1 || arch || load.lenient))
		tl_usage("%s takes no file, no --arch and no --lenient", operands[0]);
	const struct tl_registry *r = tl_op_tables();
	if (is_explain)
		explain(r, operands[1], n > 2 ? operands[2] : NULL, b);
	else
		lists[i].list(r, b);
}

int main(int argc, char **argv)
{
	struct tl_buf b = { 0 };
	int n;
	char **operands = tl_cli_start(&program, argc, argv, &n);

	run(operands, n, &b);
	tl_write_text(common.output, &b);
	tl_buf_release(&b);
	tl_finish_stdout();
	return 0;
}
