/* tl-models.c - lists what the tables know of operators, and explains what a model says
 * of an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"
#include "cli/filter.h"
#include "model/trace.h"
#include "lang/functions.h"
#include "perf/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_KINDS (1u << TL_KIND_ANNOTATION | 1u << TL_KIND_GPU_ANNOTATION)

static struct tl_load_options load = { .drop_kinds = TL_UNUSED_BY_SHEETS & ~KEPT_KINDS };
static struct tl_common common;
static const char *wanted_arch;

static const struct tl_opt options[] = {
	TL_OPS_OPTION,
	{ 0, "arch", "NAME", "the roofline in an explanation is that of this GPU, of a file, or of the trace's GPU (auto)",
	  TL_OPT_TEXT, &wanted_arch, 0, 0, NULL },
	TL_LENIENT_OPTION(&load.lenient),
	{ .long_name = NULL },
};

static const struct tl_program program = {
	.name = "tl-models",
	.synopsis = "[OPTION]... COMMAND",
	.purpose = "what is known of operators, and how their numbers come about",
	.detail = "Commands:\n"
	          "  explain OP [FILE]   how the numbers of an operator of a trace come about; digits are the uid of an event\n"
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

struct account { struct tl_measure m; struct tl_buf *b; };

static const char *name_of(const struct account *a, uint32_t event)
{
	return tl_str(&a->m.trace->strings, a->m.trace->events[event].name);
}

static unsigned uid_of(const struct account *a, uint32_t event)
{
	return a->m.trace->events[event].uid;
}

/* ---- explain: rates ------------------------------------------------------------------------- */

static const char *why_no_roof(const struct tl_arch *arch, const struct tl_perf_result *x)
{
	if (!*x->spec)
		return "the operator's types are not known (types= of its op line)";
	if (!(tl_arch_peak(arch, x->spec) > 0))
		return "the architecture has no peak for this compute spec";
	if (!(arch->bandwidth > 0))
		return "the bandwidth of the architecture is not known";
	return x->has_bytes ? "the operator does no floating point operations" : "the model says nothing about bytes";
}

static void explain_roof(const struct tl_arch *arch, const struct tl_perf_result *x, double us, struct tl_buf *b)
{
	struct tl_roof roof;

	tl_buf_addf(b, "architecture: %s\n", arch->name);
	if (!tl_roof_of(arch, x->spec, x->flops / 1e9, x->has_bytes, x->bytes, &roof)) {
		tl_buf_addf(b, "  no roofline: %s\n", why_no_roof(arch, x));
		return;
	}
	tl_buf_addf(b, "  compute = flops / %g TFLOP/s = %.3f µs\n", tl_arch_peak(arch, x->spec), roof.compute);
	tl_buf_addf(b, "  memory = bytes / %g GB/s = %.3f µs\n", arch->bandwidth, roof.memory);
	tl_buf_addf(b, "  roofline time = the longer = %.3f µs (%s)\n", roof.least, roof.bound);
	if (us > 0)
		tl_buf_addf(b, "  percent of roofline = %.3f / %.3f = %.2f\n", roof.least, us, roof.least / us * 100);
}

static void explain_rates(const struct account *a, const struct tl_perf_result *x, double us)
{
	struct tl_buf *b = a->b;

	if (us > 0)
		tl_buf_addf(b, "TFLOPS/s = flops / kernel time = %.6g\n", x->flops / us / 1e6);
	if (us > 0 && x->has_bytes)
		tl_buf_addf(b, "TB/s = bytes / kernel time = %.6g\n", x->bytes / us / 1e6);
	if (x->has_bytes && x->bytes > 0)
		tl_buf_addf(b, "FLOPS/Byte = flops / bytes = %.6g\n", x->flops / x->bytes);
	if (a->m.arch)
		explain_roof(a->m.arch, x, us, b);
}

/* ---- explain: models ---------------------------------------------------------------------------- */

/* What the model of an operator says of an event, or of the event's backward pass. */
static void explain_model(struct account *a, const struct tl_perf_op *op, uint32_t event, bool backward)
{
	struct tl_measure *m = &a->m;
	struct tl_arena arena = { 0 };
	struct tl_perf_event ev;
	struct tl_perf_result x;
	struct tl_work work;

	if (backward)
		tl_work_backward(&m->device_work, event, &work);
	else
		tl_work_below(&m->device_work, event, &work);
	double us = tl_trace_us(m->trace, work.ticks);
	tl_measure_event(m, op, event, &work, &arena, &ev);
	tl_perf_explain(m->registry, op, &ev, m->memory, backward, &arena, &x, a->b);
	tl_buf_addf(a->b, "kernel time: %.3f µs\n", us);
	const char *spec = tl_precision_spec(m->precisions, m->arch, x.spec, ev.kernels, ev.n_kernels);
	if (strcmp(spec, x.spec))
		tl_buf_addf(a->b, "compute spec: %s, as the names of the kernels say\n", spec);
	x.spec = spec;
	if (x.outcome == TL_PERF_OK)
		explain_rates(a, &x, us);
	tl_arena_release(&arena);
}

/* The backward event (autograd node) that an event is, or whose work this event alone
 * does; else TL_NONE. */
static uint32_t backward_node(struct account *a, uint32_t event)
{
	if (tl_trace_forward(a->m.trace, event) != TL_NONE)
		return event;
	uint32_t node = tl_backward_wrapper(a->m.trace, event);
	return node != TL_NONE && tl_measure_stands_for(&a->m, node) ? node : TL_NONE;
}

static const char *category_of(struct account *a, uint32_t event)
{
	struct tl_trace *t = a->m.trace;
	struct tl_categories categories = { t, a->m.registry, { 0 } };
	uint32_t category = tl_event_category(&categories, event, t->events[event].name);

	tl_categories_release(&categories);
	return tl_str(&t->strings, category);
}

/* An operator without a model of its own. */
static void explain_unmodelled(struct account *a, uint32_t event)
{
	struct tl_measure *m = &a->m;
	uint32_t node = backward_node(a, event), forward = node == TL_NONE ? TL_NONE : tl_trace_forward(m->trace, node);
	const struct tl_perf_op *op = forward == TL_NONE ? NULL : tl_measure_op(m, forward);
	struct tl_work work;

	if (forward != TL_NONE)
		tl_buf_addf(a->b, "backward pass of: %s, uid %u%s\n", name_of(a, forward), uid_of(a, forward),
		            !op ? ", which has no model" : op->backward ? "" : ", whose model has no backward formulas");
	if (op && op->backward) {
		explain_model(a, op, forward, true);
		return;
	}
	tl_work_below(&m->device_work, event, &work);
	tl_buf_addf(a->b, "model: none\ncategory: %s\nkernel time: %.3f µs\n",
	            category_of(a, event), tl_trace_us(m->trace, work.ticks));
}

static void explain_modelled(struct account *a, const struct tl_perf_op *op, uint32_t event)
{
	uint32_t n;
	const uint32_t *backward = tl_backward_events(&a->m.device_work, event, &n);

	explain_model(a, op, event, false);
	if (!op->backward || !n)
		return;
	tl_buf_adds(a->b, "\nbackward pass:\n");
	for (uint32_t i = 0; i < n; i++)
		tl_buf_addf(a->b, "event: uid %u, %s\n", uid_of(a, backward[i]), name_of(a, backward[i]));
	explain_model(a, op, event, true);
}

/* The first event of that name with device work, else the first. */
static uint32_t find_event(struct tl_trace *t, uint32_t name)
{
	uint32_t best = TL_NONE;

	for (uint32_t e = 0; name && e < t->n_events; e++) {
		if (t->events[e].name != name)
			continue;
		if (tl_trace_work_count(t, e))
			return e;
		if (best == TL_NONE)
			best = e;
	}
	return best;
}

/* No operator has a name of digits alone. */
static bool is_uid(const char *op)
{
	return *op && !op[strspn(op, "0123456789")];
}

static uint32_t find_uid(const struct tl_trace *t, const char *digits)
{
	errno = 0;
	uint64_t uid = strtoull(digits, NULL, 10);
	return errno ? TL_NONE : tl_trace_by_uid(t, uid);
}

/* Evaluates all models that keep values for others, as unified_perf_summary does. */
static void fill_memory(struct tl_measure *m)
{
	tl_measure_find_named(m);
	for (size_t i = 0; i < m->n_named; i++) {
		const struct tl_perf_op *op = tl_measure_op(m, m->named[i]);
		struct tl_work work;
		if (!op->remembers)
			continue;
		tl_work_below(&m->device_work, m->named[i], &work);
		tl_measure_evaluate(m, op, m->named[i], &work, false);
	}
}

/* Adds an account of one event to a buffer: arguments, model, formulas, rates and,
 * with an architecture (NULL: none), the roofline. op: digits alone are the uid of
 * the event; any other text is the name of the operator, of which the first event
 * with device work is taken, else the first. False: the trace has no such event. */
static bool explain_event(struct tl_trace *t, const struct tl_registry *g, const struct tl_arch *arch, const char *op,
                          struct tl_buf *b)
{
	uint32_t event = is_uid(op) ? find_uid(t, op) : find_event(t, tl_strtab_find(&t->strings, op, strlen(op)));
	struct account a = { .b = b };

	if (event == TL_NONE)
		return false;
	tl_measure_init(&a.m, t, g, arch);
	const struct tl_perf_op *model = tl_measure_op(&a.m, event);
	tl_buf_addf(b, "event: uid %u\noperator: %s\n", uid_of(&a, event), name_of(&a, event));
	fill_memory(&a.m);
	if (model)
		explain_modelled(&a, model, event);
	else
		explain_unmodelled(&a, event);
	tl_measure_release(&a.m);
	return true;
}

/* ---- commands --------------------------------------------------------------------------- */

static void explain(const struct tl_registry *r, const char *op, const char *path, struct tl_buf *b)
{
	struct tl_arch *gpu = wanted_arch ? tl_load_arch(wanted_arch) : NULL;

	load.path = path;
	struct tl_trace *trace = tl_load_trace(&load);
	if (wanted_arch && !gpu)
		gpu = tl_auto_arch(trace, tl_input_name(path));
	if (!explain_event(trace, r, gpu, op, b))
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
	if (!is_explain && (n > 1 || wanted_arch || load.lenient))
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
