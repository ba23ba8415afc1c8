/* capture_index.c - which trace of a folder captured the graph of which batch size.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/capture_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/value.h"
#include "work/name_rules.h"
#include "model/fields.h"
#include "steps/step_text.h"

#define EXPECTED "expected a list of {\"file\": TEXT, \"batch_size\": NUMBER, \"mode\": TEXT}"

void tl_capture_index_release(struct tl_capture_index *x)
{
	free(x->items);
	tl_arena_release(&x->texts);
	*x = (struct tl_capture_index){ 0 };
}

void tl_capture_index_add(struct tl_capture_index *x, const struct tl_capture *c)
{
	TL_GROW(x->items, x->cap, x->n + 1);
	x->items[x->n] = *c;
	x->items[x->n].file = tl_arena_dup(&x->texts, c->file, strlen(c->file));
	x->items[x->n++].mode = tl_arena_dup(&x->texts, c->mode, strlen(c->mode));
}

/* ---- as JSON ------------------------------------------------------------------------ */

static enum tl_status bad(struct tl_error *err, const char *name, size_t entry, const char *what)
{
	return tl_fail(err, TL_ERR_DATA, "%s: entry %zu: %s; " EXPECTED, name, entry + 1, what);
}

/* Could the file be outside of the folder? */
static bool leads_out(const char *file)
{
	size_t len;

	if (*file == '/')
		return true;
	for (const char *p = file; *p; p += len + (p[len] != 0)) {
		len = strcspn(p, "/");
		if (len == 2 && !memcmp(p, "..", 2))
			return true;
	}
	return false;
}

static enum tl_status add_entry(struct tl_capture_index *x, const char *name, size_t i, const struct tl_value *v,
                                struct tl_error *err)
{
	const struct tl_value *file = tl_value_member(v, "file"), *batch = tl_value_member(v, "batch_size");
	const struct tl_value *mode = tl_value_member(v, "mode");
	struct tl_capture c = { .mode = "" };

	if (v->type != TL_V_DICT)
		return bad(err, name, i, "not an object");
	if (!file || file->type != TL_V_TEXT || !file->len)
		return bad(err, name, i, "no \"file\"");
	if (strlen(file->text) != file->len || leads_out(file->text))
		return bad(err, name, i, "\"file\" is not in the folder");
	c.file = file->text;
	if (mode && mode->type == TL_V_TEXT)
		c.mode = mode->text;
	c.has_batch_size = batch && batch->type == TL_V_INT && batch->i >= INT64_MIN && batch->i <= INT64_MAX;
	c.batch_size = c.has_batch_size ? (int64_t)batch->i : 0;
	tl_capture_index_add(x, &c);
	return TL_OK;
}

enum tl_status tl_capture_index_read(struct tl_capture_index *x, const char *name, const char *json, size_t len,
                                     struct tl_error *err)
{
	struct tl_arena arena = { 0 };
	struct tl_value list;
	enum tl_status s = tl_value_parse_file(&arena, name, json, len, &list, err);

	if (!s && list.type != TL_V_LIST)
		s = tl_fail(err, TL_ERR_DATA, "%s: " EXPECTED, name);
	for (size_t i = 0; !s && i < list.len; i++)
		s = add_entry(x, name, i, &list.items[i], err);
	tl_arena_release(&arena);
	return s;
}

void tl_capture_index_write(const struct tl_capture_index *x, struct tl_buf *b)
{
	struct tl_json w = { .to = b };

	tl_json_open(&w, NULL, '[');
	for (size_t i = 0; i < x->n; i++) {
		const struct tl_capture *c = &x->items[i];
		tl_json_open(&w, NULL, '{');
		tl_json_put_string(&w, "file", c->file);
		if (c->has_batch_size)
			tl_json_put_int(&w, "batch_size", c->batch_size);
		else
			tl_json_put(&w, "batch_size", "null");
		tl_json_put_string(&w, "mode", c->mode);
		tl_json_close(&w, '}');
	}
	tl_json_close(&w, ']');
}

/* ---- which capture ------------------------------------------------------------------ */

static const struct tl_capture *find_mode(const struct tl_capture_index *x, int64_t batch_size, const char *mode)
{
	const struct tl_capture *found = NULL;

	for (size_t i = 0; i < x->n; i++)
		if (x->items[i].has_batch_size && x->items[i].batch_size == batch_size && !strcmp(x->items[i].mode, mode))
			found = &x->items[i];
	return found;
}

const struct tl_capture *tl_capture_find(const struct tl_capture_index *x, int64_t batch_size, size_t n_graphs)
{
	int64_t least = INT64_MAX;
	bool any = false;

	for (size_t i = 0; i < x->n; i++) {
		const struct tl_capture *c = &x->items[i];
		if (!c->has_batch_size || c->batch_size < batch_size || c->batch_size > least ||
		    (strcmp(c->mode, "FULL") != 0 && strcmp(c->mode, "PIECEWISE") != 0))
			continue;
		least = c->batch_size;
		any = true;
	}
	if (!any)
		return NULL;
	const struct tl_capture *full = find_mode(x, least, "FULL"), *pieces = find_mode(x, least, "PIECEWISE");
	return full && (n_graphs == 1 || !pieces) ? full : pieces;
}

/* ---- what a trace captured: the batch size and the mode --------------------------------- */

struct scan {
	struct tl_sink base;
	const struct tl_tables *tables;
	struct tl_name_answers names;  /* of work/graph-names.tsv */
	uint64_t n_runs, n_begins, n_annotations;
	char *annotation;              /* the earliest one, and its start; NULL: none */
	int64_t ts;
	struct tl_strtab shapes;       /* distinct texts of Input Dims, */
	uint64_t *counts; size_t cap;  /* and how often each occurs */
	struct tl_capture found;
};

/* ---- events -------------------------------------------------------------------------- */

static void take_annotation(struct scan *s, const struct tl_event *e)
{
	const char *text = tl_str(&s->tables->strings, e->name), *mode;
	int64_t batch_size;

	if (!tl_capture_text_read(text, &batch_size, &mode) || (s->n_annotations++ && e->ts >= s->ts))
		return;
	free(s->annotation);
	s->annotation = tl_strdup(text);
	s->ts = e->ts;
}

static void count_shapes(struct scan *s, const struct tl_event *e, const struct tl_layout *l)
{
	const struct tl_strtab *strings = &s->tables->strings;

	for (uint32_t i = 0; i < l->n_fields; i++) {
		const struct tl_field *f = &l->fields[i];
		uint32_t text = (uint32_t)e->values[i], known = s->shapes.count;
		if (f->top || f->type != TL_FIELD_JSON || strcmp(tl_str(strings, f->key), TL_KEY_INPUT_DIMS) != 0)
			continue;
		uint32_t id = tl_intern(&s->shapes, tl_str(strings, text), tl_str_len(strings, text));
		TL_GROW(s->counts, s->cap, (size_t)id + 1);
		s->counts[id] = id > known ? 1 : s->counts[id] + 1;
	}
}

/* ---- the result --------------------------------------------------------------------- */

/* First sizes of inputs and how often each occurs, in the order of their first occurrence. */
struct size { int64_t size; uint64_t count; };
struct sizes TL_KEYED(struct size);

static void add_sizes(struct sizes *z, const struct tl_value *shapes, uint64_t count)
{
	for (uint32_t i = 0; shapes->type == TL_V_LIST && i < shapes->len; i++) {
		const struct tl_value *shape = &shapes->items[i], *first = shape->items;
		if (shape->type != TL_V_LIST || !shape->len || first->type != TL_V_INT ||
		    first->i < INT64_MIN || first->i > INT64_MAX)
			continue;
		struct size *s = TL_ITEM(z, (uint64_t)(int64_t)first->i, NULL);
		s->size = (int64_t)first->i;
		s->count += count;
	}
}

static void find_batch_size(struct scan *s)
{
	struct sizes z = { 0 };
	struct tl_arena arena = { 0 };
	uint64_t most = 0;

	for (uint32_t id = 1; id <= s->shapes.count; id++) {
		struct tl_value shapes;
		tl_arena_clear(&arena);
		if (tl_value_parse(&arena, tl_str(&s->shapes, id), tl_str_len(&s->shapes, id), &shapes, NULL) == TL_OK)
			add_sizes(&z, &shapes, s->counts[id]);
	}
	for (size_t i = 0; i < z.n; i++) {
		if (z.items[i].count <= most)
			continue;
		most = z.items[i].count;
		s->found.has_batch_size = true;
		s->found.batch_size = z.items[i].size;
	}
	tl_arena_release(&arena);
	TL_KEYED_RELEASE(&z);
}

static enum tl_status end(struct tl_sink *sink, struct tl_error *err)
{
	struct scan *s = (struct scan *)sink;

	(void)err;
	if (s->annotation && s->n_annotations == s->n_runs) {
		s->found.has_batch_size = tl_capture_text_read(s->annotation, &s->found.batch_size, &s->found.mode);
		return TL_OK;
	}
	s->found.mode = s->n_begins > 1 ? "PIECEWISE" : "FULL";
	find_batch_size(s);
	return TL_OK;
}

/* ---- the sink ------------------------------------------------------------------------ */

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct scan *s = (struct scan *)sink;

	(void)h, (void)err;
	s->tables = tables;
	tl_name_answers_init(&s->names, TL_GRAPH_NAMES, &tables->strings);
	return TL_OK;
}

static void reset(struct tl_sink *sink)
{
	tl_name_answers_forget(&((struct scan *)sink)->names);
}

static enum tl_status meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json, size_t json_len,
                           struct tl_error *err)
{
	(void)sink, (void)key, (void)key_len, (void)json, (void)json_len, (void)err;
	return TL_OK;
}

static enum tl_status event(struct tl_sink *sink, const struct tl_event *e, struct tl_error *err)
{
	struct scan *s = (struct scan *)sink;
	const struct tl_layout *l = tl_layout_of(s->tables, e->layout);

	(void)err;
	s->n_runs += tl_name_is(&s->names, e->name, "run");
	s->n_begins += l->kind == TL_KIND_RUNTIME && tl_name_is(&s->names, e->name, "begin");
	if (l->kind == TL_KIND_ANNOTATION && l->flags & TL_HAS_TS)
		take_annotation(s, e);
	if (l->kind == TL_KIND_CPU_OP)
		count_shapes(s, e, l);
	return TL_OK;
}

struct tl_sink *tl_capture_scan_new(void)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = tl_ignore_link, .end = end,
	};
	struct scan *s = tl_calloc(1, sizeof *s);

	s->base.ops = &ops;
	s->found.mode = "";
	return &s->base;
}

void tl_capture_scan_free(struct tl_sink *sink)
{
	struct scan *s = (struct scan *)sink;

	if (!s)
		return;
	tl_name_answers_release(&s->names);
	tl_strtab_release(&s->shapes);
	free(s->counts);
	free(s->annotation);
	free(s);
}

struct tl_capture tl_capture_scan_result(const struct tl_sink *sink)
{
	return ((const struct scan *)sink)->found;
}
