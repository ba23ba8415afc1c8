/* load.c - analysis filters: any input to a linked trace in memory, sheets out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void tl_warn_drops(const char *name, const struct tl_read_report *r)
{
	for (size_t i = 0; i < r->n_drops; i++)
		tl_warn("%s: %llu event%s: %s (first at event %llu, byte %lld)", name,
		        (unsigned long long)r->drops[i].count, r->drops[i].count == 1 ? "" : "s", r->drops[i].what,
		        (unsigned long long)r->drops[i].first_uid, (long long)r->drops[i].first_offset);
}

void tl_warn_linker(const struct tl_link_report *r)
{
	if (r->n_bad)
		tl_warn("%llu host or device events without start or duration were left out",
		        (unsigned long long)r->n_bad);
}

static bool has_frames(const struct tl_trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_PYTHON)
			return true;
	return false;
}

struct tl_trace *tl_load_trace(const char *path, const struct tl_load_options *o, const struct tl_common *c)
{
	struct tl_error err;
	struct tl_trace *trace = NULL;
	struct tl_read_report report = { 0 };
	bool python = o->python || o->recompute;
	struct tl_trace_options to = { .drop_kinds = o->drop_kinds };
	struct tl_link_options lo = { .python = python, .recompute = o->recompute, .keep = true };
	struct tl_read_options ro = { .drop_kinds = python ? 0 : 1u << TL_KIND_PYTHON,
		.drop_raw_only = true, .lenient = o->lenient, .threads = c ? (int)c->threads : 1 };
	struct tl_sink *in_memory = tl_trace_sink_new(&trace, &to);
	struct tl_sink *edited = o->rules ? tl_rewriter_new(in_memory, o->rules) : in_memory;
	struct tl_sink *linker = tl_linker_new(edited, &lo);
	struct tl_input *in = tl_open_input(path);
	if (tl_read(in, &ro, linker, &report, &err) != TL_OK)
		tl_die_error(in->name, &err);
	tl_warn_drops(in->name, &report);
	tl_close_input(in);
	tl_warn_linker(tl_linker_report(linker));
	if (python && !has_frames(trace))
		tl_warn("the trace has no Python frames: no recomputed work and no call stacks can be found");
	tl_linker_free(linker);
	if (o->rules)
		tl_rewriter_free(edited);
	tl_trace_sink_free(in_memory);
	return trace;
}

static char *sheet_path(const char *dir, const char *name)
{
	struct tl_buf b = { 0 };
	if (mkdir(dir, 0777) && errno != EEXIST)
		tl_die("%s: cannot make the folder: %s", dir, strerror(errno));
	tl_buf_addf(&b, "%s/%s.tsv", dir, name);
	return b.data;
}

static bool announced;

void tl_announce_sheets(void)
{
	announced = true;
}

void tl_emit_sheet(const struct tl_table *t, const char *name, const char *dir, const char *path)
{
	struct tl_error err;
	char *made = dir ? sheet_path(dir, name) : NULL;
	struct tl_output *out = tl_open_output(made ? made : path, false);
	if (tl_tsv_write(t, out, &err) != TL_OK)
		tl_die_error(out->name, &err);
	tl_close_output(out);
	if (made && announced) {
		printf("%s\n", made);
		tl_finish_stdout(); /* whoever reads this may begin */
	}
	free(made);
}
