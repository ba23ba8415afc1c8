/* rewriter.c - the rewriter's sink: renames on the way through, keeps what other rules
 * look at, and has them carried out at the end.
 *
 * Rules make new texts and events, so the next sink gets tables of the
 * rewriter's own.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "rewrite/tree_edits.h"

#include <stdlib.h>

struct rewriter {
	struct tl_sink base;
	struct tl_editor editor;
	struct tl_translation ids;      /* the source's -> the editor's */
	struct tl_by_id names, layouts; /* the same, renamed */
	int64_t *values; size_t cap_values; /* of the event at hand */
};

static struct rewriter *self(struct tl_sink *s)
{
	return (struct rewriter *)s;
}

/* ---- names and categories ---- */

/* The id in our tables of what the rules make of a text of the source. */
static uint32_t rename_string(struct rewriter *w, uint32_t id, enum action action)
{
	struct tl_buf changed = { 0 }, from = { 0 };
	bool any = false;
	if (id)
		tl_buf_add(&from, tl_str(&w->ids.from->strings, id), tl_str_len(&w->ids.from->strings, id));
	for (size_t i = 0; i < w->editor.rules->n && from.data; i++) {
		const struct rule *r = &w->editor.rules->items[i];
		if (r->action != action || !tl_pattern_replace(r->what, r->to, from.data, from.len, &changed))
			continue;
		struct tl_buf other = from;
		from = changed;
		changed = other;
		any = true;
	}
	uint32_t to = any ? tl_add_string(&w->editor.tables, tl_buf_text(&from), from.len)
	                  : tl_translate_string(&w->ids, id);
	tl_buf_release(&changed);
	tl_buf_release(&from);
	return to;
}

static uint32_t new_name(struct rewriter *w, uint32_t id)
{
	uint32_t *to = tl_by_id(&w->names, id);
	if (!*to)
		*to = rename_string(w, id, RENAME);
	return *to;
}

static uint32_t new_layout(struct rewriter *w, uint32_t id)
{
	uint32_t *to = tl_by_id(&w->layouts, id);
	if (*to)
		return *to;
	struct tl_layout l = *tl_layout_of(&w->editor.tables, tl_translate_layout(&w->ids, id));
	l.cat = rename_string(w, tl_layout_of(w->ids.from, id)->cat, CATEGORY);
	return *to = tl_add_layout(&w->editor.tables, &l);
}

/* ---- the sink ---- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct rewriter *w = self(s);
	enum tl_status status = TL_OK;
	w->ids = (struct tl_translation){ .from = tables, .to = &w->editor.tables };
	if (w->editor.inner && !h->linked)
		return tl_fail(err, TL_ERR_DATA, "the trace is not linked: rules that change the tree come after the linker");
	if (w->editor.inner)
		status = w->editor.inner->ops->begin(w->editor.inner, h, &w->editor.tables, err);
	return status == TL_OK ? w->editor.next->ops->begin(w->editor.next, h, &w->editor.tables, err) : status;
}

static void forget_ids(struct rewriter *w)
{
	tl_translation_forget(&w->ids);
	tl_by_id_forget(&w->names);
	tl_by_id_forget(&w->layouts);
}

/* Our own tables go on. */
static void reset(struct tl_sink *s)
{
	forget_ids(self(s));
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *given, struct tl_error *err)
{
	struct rewriter *w = self(s);
	const struct tl_layout *l = tl_layout_of(w->ids.from, given->layout);
	struct tl_event e;
	TL_GROW(w->values, w->cap_values, l->n_fields);
	tl_translate_event(&w->ids, given, &e, w->values);
	e.layout = new_layout(w, given->layout);
	if (l->kind == TL_KIND_CPU_OP && given->name) {
		uint32_t name = new_name(w, given->name);
		w->editor.report.n_renamed += name != e.name;
		e.name = name;
	}
	bool reset;
	enum tl_status status = tl_editor_push_event(&w->editor, &e, &reset, err);
	if (reset)
		forget_ids(w);
	return status;
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	struct rewriter *w = self(s);
	if (w->editor.inner && l->type == TL_LINK_NODE && l->a <= UINT32_MAX) {
		TL_GROW(w->editor.nodes, w->editor.cap_nodes, w->editor.n_nodes + 1);
		w->editor.nodes[w->editor.n_nodes++] = (uint32_t)l->a;
	}
	return tl_editor_push_link(&w->editor, l, err);
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len,
                               const char *json, size_t json_len, struct tl_error *err)
{
	struct rewriter *w = self(s);
	uint64_t n_events = tl_meta_events(key, key_len, json, json_len);
	if (n_events > w->editor.n_events)
		w->editor.n_events = n_events;
	return w->editor.next->ops->meta(w->editor.next, key, key_len, json, json_len, err);
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct rewriter *w = self(s);
	enum tl_status status = w->editor.inner ? tl_tree_edits(&w->editor, err) : TL_OK;
	return status == TL_OK ? w->editor.next->ops->end(w->editor.next, err) : status;
}

/* ---- interface ---- */

struct tl_sink *tl_rewriter_new(struct tl_sink *next, const struct tl_rules *rules)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
	};
	struct rewriter *w = tl_calloc(1, sizeof *w);
	w->base.ops = &ops;
	tl_editor_init(&w->editor, rules, next);
	return &w->base;
}

const struct tl_rewrite_report *tl_rewriter_report(const struct tl_sink *s)
{
	return &((const struct rewriter *)s)->editor.report;
}

void tl_rewriter_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct rewriter *w = self(s);
	tl_editor_release(&w->editor);
	tl_translation_release(&w->ids);
	tl_by_id_release(&w->names);
	tl_by_id_release(&w->layouts);
	free(w->values);
	free(w);
}
