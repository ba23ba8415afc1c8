/* tl-jax.c - the report of traces of JAX: GPU time, kernels and their operations of XLA.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/jax.h"

#include <string.h>

enum { MOST_NAMED = 5 }; /* programs in a warning */

static struct tl_opt_list keywords;
static bool roots;
static const char *program = "jit_train_step";

static const struct tl_opt options[] = {
	{ 0, "kernel_metadata_keyword_filters", "WORD",
	  "only kernels whose operation has this word in its metadata; may be repeated", TL_OPT_LIST, &keywords, 0, 0, NULL },
	{ 0, "module", "NAME", "the program that the sheets *gemms and *gemms_detailed are about (jit_train_step)",
	  TL_OPT_TEXT, &program, 0, 0, NULL },
	{ 0, "roots", NULL, "find operations that are the result of their computation, too", TL_OPT_FLAG, &roots, 0, 0, NULL },
	TL_COMMUNICATION_OPTION,
	TL_ARCH_OPTIONS,
	TL_OPS_OPTION,
	{ .long_name = NULL },
};

static void warn_of_programs(struct tl_hlo_doubts d)
{
	uint32_t unknown = d.operations + d.without_program;

	if (d.damaged)
		tl_warn("programs that cannot be read: %u", (unsigned)d.damaged);
	if (unknown)
		tl_warn("operations without inputs and metadata: %u, the first %s: %s", (unsigned)unknown, d.first,
		        d.operations ? "its program does not have it" : "the trace does not have its program");
}

static void warn_of_doubts(struct tl_jax *made)
{
	struct tl_jax_doubts d = tl_jax_doubts(made);

	if (!d.kernels)
		tl_warn("no kernel on a stream of a GPU in the trace");
	else if (d.no_keyword)
		tl_warn("no kernel's operation has a word of --kernel_metadata_keyword_filters in its metadata: the sheets of kernels are empty");
	if (d.no_program) {
		struct tl_buf others = { 0 };
		struct tl_strtab named = { 0 };
		const char *name;

		for (size_t i = 0; named.count <= MOST_NAMED && (name = tl_jax_program(made, i)); i++) {
			uint32_t n = named.count;
			if (tl_intern_str(&named, name) > n)
				tl_buf_addf(&others, "%s%s", n ? ", " : ": ", n < MOST_NAMED ? name : "...");
		}
		tl_warn("the trace has no program '%s': no matrix products of it (%s%s)", program,
		        named.count ? "--module names another" : "it has no programs", tl_buf_text(&others));
		tl_strtab_release(&named);
		tl_buf_release(&others);
	}
	warn_of_programs(d.programs);
	if (d.unknown_types)
		tl_warn("inputs of types whose size is not known, left out of total_input_bytes: %llu",
		        (unsigned long long)d.unknown_types);
	if (d.failed)
		tl_warn("no metrics for %u kernel%s, the first of the operation %s: %s", (unsigned)d.failed, d.failed == 1 ? "" : "s",
		        d.failed_op, d.reason);
}

static void prepare(struct tl_load_options *load)
{
	(void)load;
	tl_prepare_arch();
	tl_op_tables(); /* a mistake in a table shows before the trace is read */
}

static void run_jax(struct tl_trace *trace, const char *input)
{
	const struct tl_jax_options o = {
		.keywords = keywords.items, .n_keywords = keywords.n, .registry = tl_op_tables(), .program = program, .roots = roots,
		.arch = tl_chosen_arch(trace, input),
	};
	if (strcmp(trace->source ? trace->source : "", "xplane") != 0)
		tl_die("%s: expected an XPlane trace of JAX (*.xplane.pb), this is one of %s", input,
		       *tl_trace_profiler(trace) ? tl_trace_profiler(trace) : "an unknown profiler");
	struct tl_jax *made = tl_jax_new(trace, &o);

	tl_write_sheets(&tl_jax_sheets, made, trace);
	warn_of_doubts(made);
	tl_jax_free(made);
}

const struct tl_filter tl_filter_jax = {
	.purpose = "device time, kernels and their operations of JAX traces", .sheets = &tl_jax_sheets,
	.options = options, .report = "jax", .prepare = prepare, .run = run_jax,
};
