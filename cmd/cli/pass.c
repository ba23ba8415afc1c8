/* pass.c - one pass over a trace: read from a file into sinks, the last of which may write a stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "model/trace.h"

void tl_pass_open(struct tl_pass *p, const char *path, const struct tl_common *common)
{
	*p = (struct tl_pass){ .in = tl_open_input(path) };
	p->out = tl_open_output(common->output, true);
	p->writer = tl_writer_new(p->out, tl_provenance_line());
}

void tl_pass_read(struct tl_pass *p, const struct tl_read_options *options, struct tl_sink *first)
{
	struct tl_error err;

	if (tl_read(p->in, options, first, &p->report, &err) != TL_OK)
		tl_die_of_trace(p->in->name, &err, &p->report);
	if (p->out)
		tl_close_output(p->out);
	tl_warn_drops(p->in->name, &p->report);
}

static void warn_linker(const struct tl_link_report *r)
{
	if (r->n_bad)
		tl_warn("%llu host or device events without start or duration were left out",
		        (unsigned long long)r->n_bad);
	if (r->n_left_out)
		tl_warn("too many runtime calls and device events of one correlation: %llu of their launches were left out",
		        (unsigned long long)r->n_left_out);
}

/* A note when device events were linked by correlation; with verbose, how much was linked. */
static void show_linking(const struct tl_link_report *r, bool verbose)
{
	if (r->lacks_arrows)
		tl_note("the trace has no launch arrows: kernels were linked by correlation");
	if (!verbose)
		return;
	tl_tell("host events: %llu", (unsigned long long)r->n_host);
	tl_tell("host events that fit nowhere in the tree: %llu", (unsigned long long)r->n_dropped_nodes);
	tl_tell("device events: %llu", (unsigned long long)r->n_gpu);
	tl_tell("device events linked to a call: %llu", (unsigned long long)r->n_linked_gpu);
	tl_tell("launch arrow ends: %llu", (unsigned long long)r->n_arrows);
}

void tl_pass_link(struct tl_pass *p, const struct tl_read_options *ro, const struct tl_link_options *lo, struct tl_sink *to, bool notes, bool verbose)
{
	struct tl_sink *linker = tl_linker_new(to, lo);

	tl_pass_read(p, ro, linker);
	warn_linker(tl_linker_report(linker));
	if (notes && !tl_linker_report(linker)->kept)
		show_linking(tl_linker_report(linker), verbose);
	tl_linker_free(linker);
}

void tl_pass_close(struct tl_pass *p)
{
	tl_writer_free(p->writer);
	tl_close_input(p->in);
}

struct tl_trace *tl_pass_load(const char *path, uint32_t drop_kinds, bool lenient)
{
	struct tl_trace *trace;
	struct tl_sink *in_memory = tl_trace_sink_new(&trace, &(struct tl_trace_options){ .drop_kinds = drop_kinds });
	struct tl_sink *linker = tl_linker_new(in_memory, &(struct tl_link_options){ .python = true });
	struct tl_pass pass = { .in = tl_open_input(path) };

	tl_pass_read(&pass, &(struct tl_read_options){ .drop_kinds = drop_kinds, .lenient = lenient }, linker);
	tl_pass_close(&pass);
	tl_linker_free(linker);
	tl_trace_sink_free(in_memory);
	return trace;
}
