/* read_table.c - the lines of a table: operators, models and rules. Lines are
 * only sorted here; what is in them is compiled when it is first needed, so
 * that a program that uses ten operators does not pay for three hundred.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/table_lines.h"
#include "perf/lang/words.h"

#include <string.h>

static enum tl_status unknown_word(const struct tl_cursor *c, const struct tl_field *f, const struct tl_word *words)
{
	char known[TL_WORDS_TEXT];

	return tl_cursor_fail(c, f->pos, "expected %s, found \"%.*s\"", tl_words_listed(words, known), (int)(f->len > 40 ? 40 : f->len), f->s);
}

/* ---- simple lines -------------------------------------------------------------- */

static enum tl_status read_category(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_field name, category;
	enum tl_status s;

	if ((s = tl_field_need(c, &name, "the name of an operator")) || (s = tl_field_category(r, c, &category)))
		return s;
	*tl_map_put(&r->category_by_name, tl_field_intern(r, &name), NULL) = tl_field_intern(r, &category);
	return tl_line_done(c);
}

static enum tl_status read_category_prefix(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_field prefix, category;
	enum tl_status s;

	if ((s = tl_field_need(c, &prefix, "the beginning of operator names")) || (s = tl_field_category(r, c, &category)))
		return s;
	TL_GROW(r->prefix_categories, r->cap_prefix_categories, r->n_prefix_categories + 1);
	r->prefix_categories[r->n_prefix_categories++] = (struct tl_prefix_rule){ tl_field_intern(r, &prefix), tl_field_intern(r, &category) };
	return tl_line_done(c);
}

static enum tl_status read_kernel(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_field prefix, part, category;
	enum tl_status s;

	if ((s = tl_field_need(c, &prefix, "the beginning of kernel names")) ||
	    (s = tl_field_need(c, &part, "a part of the kernel name")) || (s = tl_field_category(r, c, &category)))
		return s;
	struct tl_kernel_rule rule = { tl_field_intern(r, &prefix), tl_field_intern(r, &part), tl_field_intern(r, &category) };
	size_t i = 0;
	while (i < r->n_kernels && (r->kernels[i].prefix != rule.prefix || r->kernels[i].part != rule.part))
		i++;
	TL_GROW(r->kernels, r->cap_kernels, i + 1);
	r->kernels[i] = rule;
	r->n_kernels += i == r->n_kernels;
	return tl_line_done(c);
}

static enum tl_status read_family(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_field name, how;
	enum tl_status s;

	if ((s = tl_field_need(c, &name, "a sheet family")) || (s = tl_field_need(c, &how, "\"one\" or \"two\"")))
		return s;
	if (!tl_field_is(&how, "one") && !tl_field_is(&how, "two"))
		return tl_cursor_fail(c, how.pos, "expected \"one\" or \"two\" sheets, found \"%.*s\"", (int)(how.len > 40 ? 40 : how.len), how.s);
	if (r->n_sources > TL_BUILT_IN && (s = tl_family_check(c, (size_t)(name.s - c->text), name.s, name.len)))
		return s;
	*tl_map_put(&r->one_sheet, tl_field_intern(r, &name), NULL) = tl_field_is(&how, "one");
	return tl_line_done(c);
}

static enum tl_status read_map(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_field map, key, value;
	enum tl_status s;

	if ((s = tl_field_need(c, &map, "the name of a map")) || (s = tl_field_need(c, &key, "a key")) ||
	    (s = tl_field_need(c, &value, "a value")) || (s = tl_registry_set(r, c, &map, &key, &value)))
		return s;
	return tl_line_done(c);
}

/* ---- operators ------------------------------------------------------------------- */

/* What an op line sets that is no slot. */
static enum tl_status read_setting(struct tl_registry *r, struct tl_op *op, struct tl_cursor *c, const struct tl_word *w)
{
	bool category = w->what == TL_SET_CATEGORY;
	struct tl_field value;
	enum tl_status s = category && !tl_cursor_at_end(c) ? tl_field_category(r, c, &value) : tl_field_need(c, &value, w->expects);

	if (s)
		return s;
	if (category)
		op->category = tl_field_intern(r, &value);
	else if (w->what == TL_SET_ROW && tl_field_is(&value, "moved"))
		op->pub.moved = true;
	else if (w->what == TL_SET_LINKED && tl_field_is(&value, "none"))
		op->pub.linked_none = true;
	else if (w->what == TL_SET_LINKED && tl_field_is(&value, "hidden"))
		op->pub.linked_hidden = true;
	else if (w->what == TL_SET_ANNOTATION && tl_field_is(&value, "step"))
		op->pub.annotated = true;
	else
		return tl_cursor_fail(c, value.pos, "expected %s", w->expects);
	return tl_cursor_at_end(c) ? TL_OK : tl_cursor_fail(c, c->pos, "expected SLOT=EXPRESSION");
}

/* Does a "=" follow one of the words of op lines, or a blank? */
static bool may_set(const struct tl_cursor *c, size_t end)
{
	const char *from = c->text + c->pos, *past = c->text + end;

	for (const char *s = from; s < past && (s = memchr(s, '=', (size_t)(past - s))); s++) {
		if (s > from && (unsigned char)s[-1] <= ' ')
			return true;
		for (const struct tl_word *w = tl_op_words; w->text; w++)
			if (s - from >= w->len && s[-1] == w->text[w->len - 1] && !memcmp(s - w->len, w->text, w->len))
				return true;
	}
	return false;
}

/* The settings among name=expression pairs; the others wait. */
static enum tl_status read_bindings(struct tl_registry *r, struct tl_op *op, struct tl_cursor *c)
{
	size_t end = op->bindings.end;
	bool set[TL_SETS] = { false };
	const char *name;

	if (op->bindings.in < TL_BUILT_IN && !may_set(c, end)) {
		c->pos = end;
		return tl_line_done(c);
	}
	while (!tl_cursor_at_end(c)) {
		size_t pos = c->pos, n = tl_cursor_name(c, &name);
		if (!n || !tl_cursor_take(c, '='))
			return tl_cursor_fail(c, pos, "expected SLOT=EXPRESSION");
		size_t stop = tl_cursor_piece_end(c, c->pos, end), all = c->len;
		const struct tl_word *w = tl_word_find(tl_op_words, name, n);
		if (w) {
			if (set[w->what])
				return tl_cursor_fail(c, pos, "\"%s\" is set twice", w->text);
			set[w->what] = true;
			c->len = stop;
			enum tl_status s = read_setting(r, op, c, w);
			if (s)
				return s;
			c->len = all;
		}
		c->pos = stop;
		tl_cursor_take(c, ';');
	}
	return TL_OK;
}

/* Where the operators of a prefix are; a new prefix gets the next place. */
static uint32_t prefix_position(struct tl_registry *r, uint32_t text)
{
	for (size_t i = 0; i < r->n_prefix_ops; i++)
		if (r->prefix_ops[i].prefix == text)
			return r->prefix_ops[i].value;
	TL_GROW(r->prefix_ops, r->cap_prefix_ops, r->n_prefix_ops + 1);
	r->prefix_ops[r->n_prefix_ops++] = (struct tl_prefix_rule){ text, (uint32_t)r->n_ops };
	return (uint32_t)r->n_ops;
}

/* A new operator, or the old one of this name emptied: it keeps its place. */
static struct tl_op *op_slot(struct tl_registry *r, uint32_t name, bool is_prefix)
{
	uint32_t *at = is_prefix ? NULL : tl_map_put(&r->op_by_name, name, NULL);
	uint32_t position = is_prefix ? prefix_position(r, name) : *at ? *at - 1 : (uint32_t)r->n_ops;
	struct tl_op *op = tl_arena_alloc(&r->arena, sizeof *op);

	memset(op, 0, sizeof *op);
	if (position == r->n_ops) {
		TL_GROW(r->ops, r->cap_ops, r->n_ops + 1);
		r->n_ops++;
	}
	r->ops[position] = op;
	if (at)
		*at = position + 1;
	op->name = name;
	op->position = position;
	op->is_prefix = op->pub.prefix = is_prefix;
	return op;
}

static enum tl_status read_op(struct tl_registry *r, struct tl_cursor *c, uint32_t in, bool is_prefix)
{
	struct tl_field name, model;
	enum tl_status s;

	if ((s = tl_field_need(c, &name, is_prefix ? "the beginning of operator names" : "the name of an operator")) ||
	    (s = tl_field_need(c, &model, "the name of a model")))
		return s;
	uint32_t id = tl_field_intern(r, &name);
	struct tl_op *op = op_slot(r, id, is_prefix);
	op->model_name = tl_field_intern(r, &model);
	op->at = (struct tl_span_of){ in, model.pos, model.pos + model.len };
	tl_cursor_skip(c);
	op->bindings = (struct tl_span_of){ in, c->pos, tl_cursor_line_end(c, c->pos) };
	/* an operator defined again takes its model's category over an older line */
	if (!is_prefix && tl_map_get(&r->category_by_name, id) && r->n_sources > TL_BUILT_IN)
		*tl_map_put(&r->category_by_name, id, NULL) = 0;
	return read_bindings(r, op, c);
}

/* ---- models ---------------------------------------------------------------------- */

static bool begins_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#' || !c;
}

/* These are read here, since categories are asked for without compiling anything. */
static enum tl_status read_attribute(struct tl_registry *r, struct tl_model *m, struct tl_cursor *c, uint8_t which)
{
	bool family = which == TL_ATTR_FAMILY;
	struct tl_field value;
	enum tl_status s = family ? tl_field_need(c, &value, "a sheet family") : tl_field_category(r, c, &value);

	if (s || (s = tl_line_done(c)))
		return s;
	size_t pos = (size_t)(value.s - c->text);
	if (family && m->body.in >= TL_BUILT_IN && !tl_field_is(&value, "-") && (s = tl_family_check(c, pos, value.s, value.len)))
		return s;
	if (family || (which == TL_ATTR_CATEGORY && !m->family))
		m->named = (struct tl_span_of){ m->body.in, pos, pos + value.len };
	*(family ? &m->family : which == TL_ATTR_CATEGORY ? &m->category : &m->backward) = tl_field_intern(r, &value);
	return TL_OK;
}

/* The lines of a model: those that begin with a blank. */
static enum tl_status read_body(struct tl_registry *r, struct tl_model *m, struct tl_cursor *c)
{
	bool given[TL_ATTRS] = { false };
	struct tl_field key;
	enum tl_status s;

	while (c->pos < c->len && begins_blank(c->text[c->pos])) {
		if (tl_cursor_at_end(c)) {
			c->pos += c->pos < c->len;
			continue;
		}
		tl_field_next(c, &key);
		const struct tl_word *w = tl_word_find(tl_body_words, key.s, key.len);
		if (!w)
			return unknown_word(c, &key, tl_body_words);
		if (w->kind == TL_WORD_ATTRIBUTE) {
			if (given[w->what])
				return tl_cursor_fail(c, key.pos, "\"%s\" is given twice", w->text);
			given[w->what] = true;
			if ((s = read_attribute(r, m, c, w->what)))
				return s;
		} else {
			c->pos = tl_cursor_line_end(c, c->pos);
		}
		tl_cursor_skip(c);
		c->pos += c->pos < c->len;
	}
	m->body.end = c->pos;
	return TL_OK;
}

static enum tl_status read_model(struct tl_registry *r, struct tl_cursor *c, uint32_t in)
{
	struct tl_field name, like;
	enum tl_status s = tl_field_need(c, &name, "the name of a model");

	if (s)
		return s;
	struct tl_model *m = tl_arena_alloc(&r->arena, sizeof *m);
	memset(m, 0, sizeof *m);
	m->name = tl_field_intern(r, &name);
	m->head = (struct tl_span_of){ in, name.pos, name.pos + name.len };
	if (tl_field_next(c, &like)) {
		if (like.len < 6 || memcmp(like.s, "like=", 5))
			return tl_cursor_fail(c, like.pos, "expected like=MODEL or the end of the line");
		uint32_t *base = tl_map_get(&r->model_by_name, tl_intern(&r->strings, like.s + 5, like.len - 5));
		if (!base)
			return tl_cursor_fail(c, like.pos + 5, "no model \"%.*s\" before this line", (int)(like.len > 65 ? 60 : like.len - 5), like.s + 5);
		m->like = *base;
		m->category = r->models[*base - 1]->category;
		m->family = r->models[*base - 1]->family;
		m->backward = r->models[*base - 1]->backward;
		m->named = r->models[*base - 1]->named;
	}
	if ((s = tl_line_done(c)))
		return s;
	c->pos += c->pos < c->len;
	m->body = (struct tl_span_of){ in, c->pos, c->pos };
	if ((s = read_body(r, m, c)))
		return s;
	TL_GROW(r->models, r->cap_models, r->n_models + 1);
	r->models[r->n_models++] = m;
	*tl_map_put(&r->model_by_name, m->name, NULL) = (uint32_t)r->n_models;
	return TL_OK;
}

/* ---- tables ---------------------------------------------------------------------- */

static enum tl_status read_record(struct tl_registry *r, struct tl_cursor *c, uint32_t in)
{
	struct tl_field kind;

	if (strchr(" \t", c->text[c->pos]) && !tl_cursor_at_end(c))
		return tl_cursor_fail(c, c->pos, "a line that begins with a blank belongs to a model; none was begun");
	if (!tl_field_next(c, &kind))
		return TL_OK;
	const struct tl_word *w = tl_word_find(tl_line_words, kind.s, kind.len);
	if (!w)
		return unknown_word(c, &kind, tl_line_words);
	switch (w->what) {
	case TL_LINE_OP:
	case TL_LINE_PREFIX:
		return read_op(r, c, in, w->what == TL_LINE_PREFIX);
	case TL_LINE_MODEL:
		return read_model(r, c, in);
	case TL_LINE_CATEGORY:
		return read_category(r, c);
	case TL_LINE_CATEGORY_PREFIX:
		return read_category_prefix(r, c);
	case TL_LINE_KERNEL:
		return read_kernel(r, c);
	case TL_LINE_FAMILY:
		return read_family(r, c);
	default:
		return read_map(r, c);
	}
}

enum tl_status tl_table_read(struct tl_registry *r, uint32_t in, struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_of(r, (struct tl_span_of){ in, 0, 0 }, err);
	enum tl_status s;

	while (c.pos < c.len) {
		size_t before = c.pos;
		if ((s = read_record(r, &c, in)))
			return s;
		if (c.pos < c.len && c.text[c.pos] == '\n')
			c.pos++;
		else if (c.pos == before)
			return tl_cursor_fail(&c, c.pos, "expected a line of a table");
	}
	return TL_OK;
}
