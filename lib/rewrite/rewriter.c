/* rewriter.c - the sink: renames on the way through, keeps what the other rules
 * need to see, and has them carried out at the end.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "rewrite/rewriter.h"

#include <stdlib.h>
#include <string.h>

static struct rewriter *self(struct tl_sink *s)
{
	return (struct rewriter *)s;
}

static void follow_generation(struct rewriter *w)
{
	if (w->base.generation == w->next->generation)
		return;
	w->base.generation = w->next->generation;
	w->n_text_of = w->n_renamed = w->n_inner_string = w->n_inner_track = w->n_layouts = 0;
	tl_strtab_clear(&w->texts);
}

/* ---- definitions: into our trace too ---- */

static uint32_t add_string(struct tl_sink *s, const char *text, size_t len)
{
	struct rewriter *w = self(s);
	uint32_t id = w->next->ops->string(w->next, text, len);
	TL_GROW(w->text_of, w->cap_text_of, (size_t)id + 1);
	while (w->n_text_of <= id)
		w->text_of[w->n_text_of++] = 0;
	if (id && !w->text_of[id])
		w->text_of[id] = tl_intern(&w->texts, text, len);
	if (!w->trace)
		return id;
	TL_GROW(w->inner_string, w->cap_inner_string, (size_t)id + 1);
	while (w->n_inner_string <= id)
		w->inner_string[w->n_inner_string++] = 0;
	if (id && !w->inner_string[id])
		w->inner_string[id] = w->inner->ops->string(w->inner, text, len);
	return id;
}

static uint32_t inner_string(const struct rewriter *w, uint32_t id)
{
	return id < w->n_inner_string ? w->inner_string[id] : 0;
}

static uint32_t add_track(struct tl_sink *s, uint32_t pid, uint32_t tid)
{
	struct rewriter *w = self(s);
	uint32_t id = w->next->ops->track(w->next, pid, tid);
	if (!w->trace)
		return id;
	TL_GROW(w->inner_track, w->cap_inner_track, (size_t)id + 1);
	while (w->n_inner_track <= id)
		w->inner_track[w->n_inner_track++] = 0;
	if (!w->inner_track[id])
		w->inner_track[id] = w->inner->ops->track(w->inner, inner_string(w, pid), inner_string(w, tid));
	return id;
}

static uint32_t inner_layout(struct rewriter *w, const struct tl_layout *l)
{
	struct tl_layout copy = *l;
	struct tl_field *fields = tl_alloc(((size_t)l->n_fields + 1) * sizeof *fields);
	for (uint32_t i = 0; i < l->n_fields; i++) {
		fields[i] = l->fields[i];
		fields[i].key = inner_string(w, l->fields[i].key);
	}
	copy.cat = inner_string(w, l->cat);
	copy.fields = fields;
	uint32_t id = w->inner->ops->layout(w->inner, &copy);
	free(fields);
	return id;
}

static uint32_t rename_string(struct tl_sink *s, uint32_t id, enum action action)
{
	struct rewriter *w = self(s);
	struct tl_buf changed = { 0 }, from = { 0 };
	uint32_t text = id < w->n_text_of ? w->text_of[id] : 0;
	bool any = false;
	if (text)
		tl_buf_add(&from, tl_str(&w->texts, text), tl_str_len(&w->texts, text));
	for (size_t i = 0; i < w->rules->n && text; i++) {
		const struct rule *r = w->rules->items[i];
		if (r->action != action || !from.data || !tl_rewrite_replace(r->what, r->to, from.data, from.len, &changed))
			continue;
		struct tl_buf other = from;
		from = changed;
		changed = other;
		any = true;
	}
	uint32_t to = any ? add_string(s, from.data ? from.data : "", from.len) : id;
	tl_buf_release(&changed);
	tl_buf_release(&from);
	return to;
}

static uint32_t add_layout(struct tl_sink *s, const struct tl_layout *given)
{
	struct rewriter *w = self(s);
	struct tl_layout l = *given;
	l.cat = rename_string(s, l.cat, CATEGORY);
	uint32_t id = w->next->ops->layout(w->next, &l);
	TL_GROW(w->layouts, w->cap_layouts, (size_t)id + 1);
	while (w->n_layouts <= id)
		w->layouts[w->n_layouts++] = (struct layout_pair){ 0, false };
	w->layouts[id].is_op = l.kind == TL_KIND_CPU_OP;
	if (w->trace)
		w->layouts[id].inner = inner_layout(w, &l);
	return id;
}

/* ---- records ---- */

static uint32_t new_name(struct tl_sink *s, uint32_t id)
{
	struct rewriter *w = self(s);
	TL_GROW(w->renamed, w->cap_renamed, (size_t)id + 1);
	while (w->n_renamed <= id)
		w->renamed[w->n_renamed++] = (struct renamed){ 0, false };
	if (!w->renamed[id].known) {
		uint32_t to = rename_string(s, id, RENAME); /* may make a new id */
		w->renamed[id] = (struct renamed){ to, true };
	}
	return w->renamed[id].to;
}

/* The event with our trace's ids. */
static enum tl_status keep(struct rewriter *w, const struct tl_event *e, struct tl_error *err)
{
	struct tl_event own = *e;
	int64_t few[64], *values = few;
	own.layout = w->layouts[e->layout].inner;
	own.name = inner_string(w, e->name);
	own.track = e->track < w->n_inner_track ? w->inner_track[e->track] : 0;
	const struct tl_trace_layout *l = &w->trace->layouts[own.layout];
	if (l->n_fields > sizeof few / sizeof *few)
		values = tl_alloc(l->n_fields * sizeof *values);
	for (uint32_t i = 0; i < l->n_fields; i++)
		values[i] = l->fields[i].type == TL_FIELD_INT ? e->values[i]
		          : (int64_t)inner_string(w, (uint32_t)e->values[i]);
	own.values = values;
	enum tl_status status = w->inner->ops->event(w->inner, &own, err);
	if (values != few)
		free(values);
	return status;
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *given, struct tl_error *err)
{
	struct rewriter *w = self(s);
	struct tl_event e = *given;
	enum tl_status status = TL_OK;
	if (e.layout >= w->n_layouts)
		return tl_fail(err, TL_ERR_DATA, "event %llu: unknown layout", (unsigned long long)e.uid);
	if (w->layouts[e.layout].is_op)
		e.name = new_name(s, e.name);
	w->report.n_renamed += e.name != given->name;
	if (w->trace)
		status = keep(w, &e, err);
	if (w->n_events < e.uid + 1)
		w->n_events = e.uid + 1;
	if (status == TL_OK)
		status = w->next->ops->event(w->next, &e, err);
	follow_generation(w);
	return status;
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	struct rewriter *w = self(s);
	enum tl_status status = TL_OK;
	if (w->trace) {
		status = w->inner->ops->link(w->inner, l, err);
		if (l->type == TL_LINK_NODE && l->a <= UINT32_MAX) {
			TL_GROW(w->nodes, w->cap_nodes, w->n_nodes + 1);
			w->nodes[w->n_nodes++] = (uint32_t)l->a;
		}
	}
	if (status == TL_OK)
		status = w->next->ops->link(w->next, l, err);
	follow_generation(w);
	return status;
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len,
                               const char *json, size_t json_len, struct tl_error *err)
{
	struct rewriter *w = self(s);
	uint64_t n_events = tl_meta_events(key, key_len, json, json_len);
	if (n_events > w->n_events)
		w->n_events = n_events;
	return w->next->ops->meta(w->next, key, key_len, json, json_len, err);
}

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, struct tl_error *err)
{
	struct rewriter *w = self(s);
	enum tl_status status = TL_OK;
	if (w->trace && !h->linked)
		return tl_fail(err, TL_ERR_DATA, "the trace is not linked: rules that change the tree come after the linker");
	if (w->trace)
		status = tl_sink_begin(&w->inner, h, err);
	if (status == TL_OK)
		status = tl_sink_begin(&w->next, h, err);
	follow_generation(w);
	return status;
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct rewriter *w = self(s);
	enum tl_status status = w->trace ? tl_rewrite_apply(w, err) : TL_OK;
	if (status == TL_OK)
		status = w->next->ops->end(w->next, err);
	follow_generation(w);
	return status;
}

/* ---- interface ---- */

static const struct tl_sink_ops ops = {
	.begin = begin, .string = add_string, .track = add_track, .layout = add_layout,
	.meta = add_meta, .event = add_event, .link = add_link, .end = end,
};

struct tl_sink *tl_rewriter_new(struct tl_sink *next, const struct tl_rules *rules)
{
	struct rewriter *w = tl_calloc(1, sizeof *w);
	w->base.ops = &ops;
	w->base.generation = next->generation;
	w->next = next;
	w->rules = rules;
	tl_strtab_init(&w->texts);
	if (rules->edits) {
		struct tl_trace_options o = { .drop_kinds = 1u << TL_KIND_OTHER | 1u << TL_KIND_META |
			1u << TL_KIND_PYTHON | 1u << TL_KIND_ANNOTATION | 1u << TL_KIND_GPU_ANNOTATION |
			1u << TL_KIND_LAUNCH_FLOW | 1u << TL_KIND_FWDBWD_FLOW | 1u << TL_KIND_FLOW |
			1u << TL_KIND_COUNTER | 1u << TL_KIND_INSTANT | 1u << TL_KIND_OVERHEAD | 1u << TL_KIND_TRACE };
		w->inner = tl_trace_sink_new(&w->trace, &o);
		w->verdicts = tl_calloc(rules->n_patterns + 1, sizeof *w->verdicts);
		w->n_verdicts = tl_calloc(rules->n_patterns + 1, sizeof *w->n_verdicts);
	}
	return &w->base;
}

const struct tl_rewrite_report *tl_rewriter_report(const struct tl_sink *s)
{
	return &((const struct rewriter *)s)->report;
}

void tl_rewriter_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct rewriter *w = self(s);
	for (size_t i = 0; w->verdicts && i < w->rules->n_patterns; i++)
		free(w->verdicts[i]);
	free(w->verdicts);
	free(w->n_verdicts);
	tl_trace_sink_free(w->inner);
	tl_trace_free(w->trace);
	free(w->nodes);
	free(w->text_of);
	free(w->renamed);
	free(w->inner_string);
	free(w->inner_track);
	free(w->layouts);
	free(w->report.notes);
	tl_strtab_release(&w->texts);
	free(w);
}
