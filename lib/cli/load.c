/* load.c - analysis filters: any input to a linked trace in memory, sheets out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void tl_warn_drops(const char *name, const struct tl_read_report *r)
{
	for (size_t i = 0; i < r->n_drops; i++)
		tl_warn("%s: %llu times: %s (first at event %llu, byte %lld)", name,
		        (unsigned long long)r->drops[i].count, r->drops[i].what,
		        (unsigned long long)r->drops[i].first_uid, (long long)r->drops[i].first_offset);
}

/* Passes a source on to the linker, or past it when the stream is linked
 * already: which it is only the header tells. */
struct gate {
	struct tl_sink sink;
	struct tl_sink *linker, *direct, *chosen;
	struct tl_stream_filter filter;
	bool python_wanted, python_missing, edits, all_args;
};

/* What no sheet looks at once the links are made. */
#define LINKED_ALREADY (1u << TL_KIND_LAUNCH_FLOW | 1u << TL_KIND_FWDBWD_FLOW | 1u << TL_KIND_FLOW | \
	1u << TL_KIND_COUNTER | 1u << TL_KIND_INSTANT | 1u << TL_KIND_OVERHEAD | 1u << TL_KIND_TRACE)

/* Nor at these members, which neither a sheet nor a built-in model names. They
 * are half of all there are. */
static const char *const unused_args[] = {
	"Ev Idx", "Record function id", "cbid", "queued", "context", "device", "registers per thread", "shared memory",
	"blocks per SM", "warps per SM", "grid", "block", "est. achieved occupancy %", NULL,
};

static struct tl_sink *chosen(struct tl_sink *s)
{
	return ((struct gate *)s)->chosen;
}

static enum tl_status gate_begin(struct tl_sink *s, const struct tl_header *h, struct tl_error *e)
{
	struct gate *g = (struct gate *)s;
	g->chosen = h->linked ? g->direct : g->linker;
	if (h->linked && !g->edits)
		g->filter.drop_kinds = LINKED_ALREADY;
	if (h->linked && !g->edits && !g->all_args)
		g->filter.drop_args = unused_args;
	g->python_missing = h->linked && g->python_wanted && !h->python;
	enum tl_status st = g->chosen->ops->begin(g->chosen, h, e);
	g->sink.generation = g->chosen->generation;
	return st;
}

static uint32_t gate_string(struct tl_sink *s, const char *p, size_t n)
{
	return chosen(s)->ops->string(chosen(s), p, n);
}

static uint32_t gate_track(struct tl_sink *s, uint32_t pid, uint32_t tid)
{
	return chosen(s)->ops->track(chosen(s), pid, tid);
}

static uint32_t gate_layout(struct tl_sink *s, const struct tl_layout *l)
{
	return chosen(s)->ops->layout(chosen(s), l);
}

static enum tl_status gate_meta(struct tl_sink *s, const char *k, size_t kn, const char *j, size_t jn, struct tl_error *e)
{
	return chosen(s)->ops->meta(chosen(s), k, kn, j, jn, e);
}

static enum tl_status gate_event(struct tl_sink *s, const struct tl_event *ev, struct tl_error *e)
{
	enum tl_status st = chosen(s)->ops->event(chosen(s), ev, e);
	s->generation = chosen(s)->generation;
	return st;
}

static enum tl_status gate_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *e)
{
	enum tl_status st = chosen(s)->ops->link(chosen(s), l, e);
	s->generation = chosen(s)->generation;
	return st;
}

static enum tl_status gate_end(struct tl_sink *s, struct tl_error *e)
{
	return chosen(s)->ops->end(chosen(s), e);
}

static const struct tl_sink_ops gate_ops = {
	gate_begin, gate_string, gate_track, gate_layout, gate_meta, gate_event, gate_link, gate_end,
};

struct tl_trace *tl_load_trace(const char *path, const struct tl_load_options *o, const struct tl_common *c)
{
	struct tl_error err;
	struct tl_trace *trace = NULL;
	struct tl_read_report report = { 0 };
	bool python = o->python || o->recompute;
	struct tl_trace_options to = { .drop_kinds = o->drop_kinds };
	struct tl_link_options lo = { .python = python, .recompute = o->recompute };
	struct tl_read_options ro = { .drop_kinds = python ? 0 : 1u << TL_KIND_PYTHON,
		.drop_raw_only = true, .lenient = o->lenient, .threads = c ? (int)c->threads : 1 };
	struct tl_sink *in_memory = tl_trace_sink_new(&trace, &to);
	struct tl_sink *edited = o->rules ? tl_rewriter_new(in_memory, o->rules) : in_memory;
	struct tl_sink *linker = tl_linker_new(edited, &lo);
	struct gate gate = { .sink = { &gate_ops, 0 }, .linker = linker, .direct = edited, .chosen = linker,
		.python_wanted = python, .edits = o->rules != NULL, .all_args = o->all_args };
	ro.filter = &gate.filter;
	struct tl_input *in = tl_open_input(path);
	if (tl_read(in, &ro, &gate.sink, &report, &err) != TL_OK)
		tl_die_error(in->name, &err);
	tl_warn_drops(in->name, &report);
	if (trace->n_source_events < gate.filter.n_events)
		trace->n_source_events = gate.filter.n_events;
	if (gate.python_missing)
		tl_die("%s: the stream was linked without python frames, which this needs; use tl-link --python", in->name);
	tl_close_input(in);
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

void tl_emit_sheet(const struct tl_table *t, const char *name, const char *dir, const char *path)
{
	struct tl_error err;
	char *made = dir ? sheet_path(dir, name) : NULL;
	struct tl_output *out = tl_open_output(made ? made : path, false);
	if (tl_tsv_write(t, out, &err) != TL_OK)
		tl_die_error(out->name, &err);
	tl_close_output(out);
	free(made);
}
