/* slicer.c - the sink that passes on a slice of a trace: it keeps trace and links until the
 * end, and then pushes the chosen events and the links between them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/json_writer.h"
#include "edit/slice.h"

#include "work/trace_facts.h"
#include "base/text.h"
#include "model/trace.h"
#include "model/trace_source.h"
#include "edit/selection.h"
#include "steps/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slicer {
	struct tl_sink base;
	const struct tl_slice_options *options;
	struct tl_pattern regex;      /* of options->annotation, if given */
	struct tl_trace *trace;
	struct tl_sink *inner;     /* fills it */
	struct tl_link *links; size_t n_links, cap_links;
	struct tl_trace_source out; /* out.to: the next sink */
	struct tl_slice_report report;
};

static struct slicer *self(struct tl_sink *s)
{
	return (struct slicer *)s;
}

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct slicer *l = self(s);
	enum tl_status status;

	if (!h->linked)
		return tl_fail(err, TL_ERR_DATA, "the trace is not linked: slices are made after linking");
	status = l->inner->ops->begin(l->inner, h, tables, err);
	return status == TL_OK ? l->out.to->ops->begin(l->out.to, h, &l->out.tables, err) : status;
}

static void reset(struct tl_sink *s)
{
	self(s)->inner->ops->reset(self(s)->inner);
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len, const char *json, size_t json_len,
                               struct tl_error *err)
{
	struct tl_sink *inner = self(s)->inner;

	return inner->ops->meta(inner, key, key_len, json, json_len, err);
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *e, struct tl_error *err)
{
	struct tl_sink *inner = self(s)->inner;

	return inner->ops->event(inner, e, err);
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *k, struct tl_error *err)
{
	struct slicer *l = self(s);

	TL_PUSH(l->links, l->n_links, l->cap_links, *k);
	return l->inner->ops->link(l->inner, k, err);
}

/* ---- what goes on ---- */
static void add_part(struct tl_buf *b, const char *what, const char *value)
{
	tl_buf_addf(b, "%s%s %s", b->len ? ", " : "", what, value);
}

static void add_numbers(struct tl_buf *b, const char *what, int64_t first, int64_t last)
{
	char text[64];

	snprintf(text, sizeof text, last > first ? "%lld..%lld" : "%lld", (long long)first, (long long)last);
	add_part(b, what, text);
}

static void add_time(struct tl_buf *b, const char *what, int64_t picoseconds)
{
	char text[40];

	snprintf(text, sizeof text, "%.12g ms", (double)picoseconds / 1e9);
	add_part(b, what, text);
}

/* What the options choose, for people: "from 10 ms, to 12 ms, device 1". */
static void describe(const struct tl_slice_options *o, struct tl_buf *b)
{
	if (o->from != INT64_MIN)
		add_time(b, "from", o->from);
	if (o->to != INT64_MAX)
		add_time(b, "to", o->to);
	if (o->annotation)
		add_part(b, "annotation", o->annotation);
	if (o->first_step >= 0)
		add_numbers(b, o->annotation ? "matches" : "step", o->first_step, o->last_step);
	if (o->device >= 0)
		add_numbers(b, "device", o->device, o->device);
	if (o->rank >= 0)
		add_numbers(b, "rank", o->rank, o->rank);
	if (o->thread)
		add_part(b, "thread", o->thread);
	if (o->stream)
		add_part(b, "stream", o->stream);
}

/* The slices that the trace comes from, and this one, unless it is the same as the last. */
static enum tl_status push_description(struct slicer *l, struct tl_error *err)
{
	struct tl_arena arena = { 0 };
	struct tl_value before = { .type = TL_V_NULL };
	struct tl_buf own = { 0 }, json = { 0 };
	bool known = false;

	describe(l->options, &own);
	tl_buf_addc(&json, '[');
	if (tl_trace_member(l->trace, TL_META_SLICES, &arena, &before) && before.type == TL_V_LIST)
		for (uint32_t i = 0; i < before.len; i++) {
			const struct tl_value *v = &before.items[i];
			if (v->type != TL_V_TEXT)
				continue;
			known = tl_text_is(v->text, v->len, tl_buf_text(&own));
			tl_buf_adds(&json, json.len > 1 ? "," : "");
			tl_json_quote(&json, v->text, v->len);
		}
	if (!known) {
		tl_buf_adds(&json, json.len > 1 ? "," : "");
		tl_json_quote(&json, tl_buf_text(&own), own.len);
	}
	tl_buf_addc(&json, ']');
	enum tl_status status = l->out.to->ops->meta(l->out.to, TL_META_SLICES, strlen(TL_META_SLICES), json.data, json.len, err);
	tl_buf_release(&own);
	tl_buf_release(&json);
	tl_arena_release(&arena);
	return status;
}

/* Members of the trace, and those of a slice: three that let sheets count and measure as in
 * the whole trace, and one that says what was chosen. */
static enum tl_status push_members(struct slicer *l, const struct tl_selection *chosen, struct tl_error *err)
{
	struct tl_trace *t = l->trace;
	struct tl_sink *to = l->out.to;
	enum tl_status status = TL_OK;
	const struct tl_slice_options *o = l->options;
	bool steps = o->annotation || o->first_step >= 0;

	for (size_t i = 0; i < t->n_meta && status == TL_OK; i++) {
		const char *key = tl_str(&t->strings, t->meta[i].key), *json = tl_str(&t->strings, t->meta[i].json);
		if (strcmp(key, TL_META_EVENTS) && strcmp(key, TL_META_START) && strcmp(key, TL_META_SLICES) && strcmp(key, TL_META_WINDOW))
			status = to->ops->meta(to, key, tl_str_len(&t->strings, t->meta[i].key), json,
			                       tl_str_len(&t->strings, t->meta[i].json), err);
	}
	if (status == TL_OK)
		status = tl_push_number(to, TL_META_EVENTS, (int64_t)t->n_source_events, err);
	if (status == TL_OK && t->first_ts != INT64_MAX)
		status = tl_push_number(to, TL_META_START, t->first_ts, err);
	if (status == TL_OK)
		status = tl_push_window(to, t, chosen->kept, (struct tl_span){ chosen->from, chosen->to }, steps, err);
	return status == TL_OK ? push_description(l, err) : status;
}

static enum tl_status push_events(struct slicer *l, const struct tl_selection *chosen, struct tl_error *err)
{
	const struct tl_trace *t = l->trace;
	enum tl_status status = TL_OK;

	for (uint32_t i = 0; i < t->n_events && status == TL_OK; i++) {
		const struct tl_ev *e = &t->events[i];
		int64_t start = e->ts, dur = e->dur;

		if (!chosen->kept[i])
			continue;
		if (tl_kind_is_gpu(e->kind))
			tl_selection_cut(chosen, &start, &dur);
		status = tl_trace_source_event(&l->out, i, start, dur, err);
	}
	return status;
}

static bool is_kept(const struct slicer *l, const struct tl_selection *chosen, uint64_t uid)
{
	uint32_t e = uid == TL_NO_UID ? TL_NONE : tl_trace_by_uid(l->trace, uid);

	return e != TL_NONE && chosen->kept[e];
}

/* Links between events that stay. A node whose parent does not stay, which only an edited
 * tree has, becomes one without parent; so does one that replaces an event that is gone. */
static enum tl_status push_links(struct slicer *l, const struct tl_selection *chosen, struct tl_error *err)
{
	enum tl_status status = TL_OK;

	for (size_t i = 0; i < l->n_links && status == TL_OK; i++) {
		struct tl_link k = l->links[i];
		bool a = is_kept(l, chosen, k.a), b = is_kept(l, chosen, k.b);

		if (a && !b && (k.type == TL_LINK_NODE || k.type == TL_LINK_REPLACE))
			status = tl_push_link(l->out.to, TL_LINK_NODE, k.a, TL_NO_UID, err);
		else if (a && (b || k.type == TL_LINK_ROOT || k.type == TL_LINK_RECOMPUTE))
			status = l->out.to->ops->link(l->out.to, &k, err);
	}
	return status;
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct slicer *l = self(s);
	struct tl_selection chosen;
	enum tl_status status = l->inner->ops->end(l->inner, err);

	if (status == TL_OK)
		status = tl_selection_make(&chosen, l->trace, l->links, l->n_links, l->options,
		                          l->options->annotation ? &l->regex : NULL, err);
	if (status != TL_OK)
		return status;
	l->report = chosen.report;
	status = push_members(l, &chosen, err);
	if (status == TL_OK)
		status = push_events(l, &chosen, err);
	if (status == TL_OK)
		status = push_links(l, &chosen, err);
	tl_selection_release(&chosen);
	return status == TL_OK ? l->out.to->ops->end(l->out.to, err) : status;
}

/* ---- interface ---- */

bool tl_slice_is_whole(const struct tl_slice_options *o)
{
	return o->from == INT64_MIN && o->to == INT64_MAX && o->first_step < 0 && !o->annotation && o->device < 0 &&
	       o->rank < 0 && !o->thread && !o->stream;
}

enum tl_status tl_slicer_new(struct tl_sink **out, struct tl_sink *next, const struct tl_slice_options *o,
                             struct tl_error *err)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
	};
	struct slicer *l = tl_calloc(1, sizeof *l);
	char why[200];

	if (o->annotation && !tl_pattern_compile(&l->regex, o->annotation, 0, NULL, why)) {
		free(l);
		return tl_fail(err, TL_ERR_USAGE, "the expression '%.100s' cannot be used: %s", o->annotation, why);
	}
	l->base.ops = &ops;
	l->options = o;
	l->inner = tl_trace_sink_new(&l->trace, NULL);
	l->out = (struct tl_trace_source){ .trace = l->trace, .to = next };
	*out = &l->base;
	return TL_OK;
}

const struct tl_slice_report *tl_slicer_report(const struct tl_sink *s)
{
	return &((const struct slicer *)s)->report;
}

void tl_slicer_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct slicer *l = self(s);
	if (l->options->annotation)
		tl_pattern_release(&l->regex);
	tl_trace_sink_free(l->inner);
	tl_trace_free(l->trace);
	tl_trace_source_release(&l->out);
	free(l->links);
	free(l);
}
