/* pass.c - one pass over a trace: read from a file into sinks, the last of which may write a stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "model/trace_sink.h"

void tl_pass_open(struct tl_pass *p, const char *path, const struct tl_common *common, const char *provenance)
{
	*p = (struct tl_pass){ .in = tl_open_input(path) };
	p->out = tl_open_output(common->output, true);
	p->writer = tl_writer_new(p->out, common->no_provenance ? NULL : provenance);
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

void tl_pass_link(struct tl_pass *p, const struct tl_read_options *ro, const struct tl_link_options *lo, struct tl_sink *to, bool notes, bool verbose)
{
	struct tl_sink *linker = tl_linker_new(to, lo);

	tl_pass_read(p, ro, linker);
	tl_warn_linker(tl_linker_report(linker));
	if (notes && !tl_linker_report(linker)->kept)
		tl_show_linking(tl_linker_report(linker), verbose);
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
