/* read_table.c - the lines of a table: operators, models and rules. Lines are
 * only sorted here; what is in them is compiled when it is first needed, so
 * that a program that uses ten operators does not pay for three hundred.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/table.h"

#include <string.h>

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

/* End of the logical line at pos, before a comment. */
static size_t line_end(const struct tl_cursor *c, size_t pos)
{
	bool quoted = false;

	while (pos < c->len) {
		const char *s = c->text + pos, *nl = memchr(s, '\n', c->len - pos);
		size_t n = nl ? (size_t)(nl - s) : c->len - pos;
		bool goes_on = nl && n && s[n - 1] == '\\';
		if (!memchr(s, '#', n)) { /* nothing hides the end, and quotes only count for comments */
			if (!goes_on)
				return pos + n;
			for (size_t i = 0; i < n; i++)
				quoted ^= s[i] == '"';
			pos += n + 1;
			continue;
		}
		for (size_t i = 0; i < n; i++) {
			if (s[i] == '#' && !quoted)
				return pos + i;
			quoted ^= s[i] == '"';
		}
		if (!goes_on)
			return pos + n;
		pos += n + 1;
	}
	return pos;
}

/* The names that an op line sets and that are no slots. */
enum reserved { CATEGORY, ROW, LINKED, ANNOTATION, RESERVED };
static const struct { const char *name, *value; } reserved[RESERVED] = {
	{ "category", "a category after category=" }, { "row", "row=moved" },
	{ "linked", "linked=none or linked=hidden" }, { "annotation", "annotation=step" },
};

static enum tl_status read_reserved(struct tl_registry *r, struct tl_op *op, struct tl_cursor *c, enum reserved which)
{
	struct tl_field value;
	enum tl_status s = which == CATEGORY && !tl_cursor_at_end(c) ? tl_field_category(r, c, &value) : tl_field_need(c, &value, reserved[which].value);

	if (s)
		return s;
	if (which == CATEGORY)
		op->category = tl_field_intern(r, &value);
	else if (which == ROW && tl_field_is(&value, "moved"))
		op->pub.moved = true;
	else if (which == LINKED && tl_field_is(&value, "none"))
		op->pub.linked_none = true;
	else if (which == LINKED && tl_field_is(&value, "hidden"))
		op->pub.linked_hidden = true;
	else if (which == ANNOTATION && tl_field_is(&value, "step"))
		op->pub.annotated = true;
	else
		return tl_cursor_fail(c, value.pos, "expected %s", reserved[which].value);
	return tl_cursor_at_end(c) ? TL_OK : tl_cursor_fail(c, c->pos, "expected SLOT=EXPRESSION");
}

/* Could a reserved name (category, row, linked, annotation) be set here? */
static bool may_reserve(const struct tl_cursor *c, size_t end)
{
	const char *s = c->text + c->pos, *past = c->text + end;

	for (; s < past && (s = memchr(s, '=', (size_t)(past - s))); s++)
		if (s > c->text && (s[-1] == 'y' || s[-1] == 'w' || s[-1] == 'd' || s[-1] == 'n' || s[-1] == ' '))
			return true;
	return false;
}

/* The reserved ones among name=expression pairs; the others wait. */
static enum tl_status read_bindings(struct tl_registry *r, struct tl_op *op, struct tl_cursor *c)
{
	size_t end = op->bindings.end;
	bool set[RESERVED] = { false };
	const char *name;

	if (op->bindings.in < TL_BUILT_IN && !may_reserve(c, end)) {
		c->pos = end;
		return tl_cursor_at_end(c) ? TL_OK : tl_line_done(c);
	}
	while (!tl_cursor_at_end(c)) {
		size_t pos = c->pos, n = tl_cursor_name(c, &name);
		if (!n || !tl_cursor_take(c, '='))
			return tl_cursor_fail(c, pos, "expected SLOT=EXPRESSION");
		size_t stop = tl_cursor_piece_end(c, c->pos, end), all = c->len, which = 0;
		while (which < RESERVED && (n != strlen(reserved[which].name) || memcmp(name, reserved[which].name, n)))
			which++;
		if (which < RESERVED) {
			if (set[which])
				return tl_cursor_fail(c, pos, "\"%s\" is set twice", reserved[which].name);
			set[which] = true;
			c->len = stop;
			enum tl_status s = read_reserved(r, op, c, (enum reserved)which);
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
	op->bindings = (struct tl_span_of){ in, c->pos, line_end(c, c->pos) };
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

/* The lines of a model: those that begin with a blank. The attributes are read
 * here, since categories are asked for without compiling anything. */
static enum tl_status read_body(struct tl_registry *r, struct tl_model *m, struct tl_cursor *c)
{
	static const char keywords[][12] = { "let", "slot", "param", "def", "need", "drop", "only", "flops", "bytes", "flops_bwd", "bytes_bwd", "spec" };
	bool given[3] = { false }; /* category, family, backward */
	struct tl_field key, value;
	enum tl_status s;

	while (c->pos < c->len && begins_blank(c->text[c->pos])) {
		if (tl_cursor_at_end(c)) {
			c->pos += c->pos < c->len;
			continue;
		}
		tl_field_next(c, &key);
		bool category = tl_field_is(&key, "category"), family = tl_field_is(&key, "family");
		if (category || family || tl_field_is(&key, "backward")) {
			bool *before = &given[category ? 0 : family ? 1 : 2];
			if (*before)
				return tl_cursor_fail(c, key.pos, "\"%.*s\" is given twice", (int)key.len, key.s);
			*before = true;
			if ((s = family ? tl_field_need(c, &value, "a sheet family") : tl_field_category(r, c, &value)) || (s = tl_line_done(c)))
				return s;
			size_t pos = (size_t)(value.s - c->text);
			if (family && m->body.in >= TL_BUILT_IN && !tl_field_is(&value, "-") && (s = tl_family_check(c, pos, value.s, value.len)))
				return s;
			if (family || (category && !m->family))
				m->named = (struct tl_span_of){ m->body.in, pos, pos + value.len };
			*(category ? &m->category : family ? &m->family : &m->backward) = tl_field_intern(r, &value);
		} else {
			size_t i = 0;
			while (i < sizeof keywords / sizeof *keywords && (keywords[i][0] != *key.s || !tl_field_is(&key, keywords[i])))
				i++;
			if (i == sizeof keywords / sizeof *keywords)
				return tl_cursor_fail(c, key.pos, "expected category, family, backward, slot, let, def, need, drop, only, flops, bytes, "
				                      "flops_bwd, bytes_bwd, spec or param, found \"%.*s\"", (int)(key.len > 40 ? 40 : key.len), key.s);
			c->pos = line_end(c, c->pos);
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
	if (tl_field_is(&kind, "op"))
		return read_op(r, c, in, false);
	if (tl_field_is(&kind, "prefix"))
		return read_op(r, c, in, true);
	if (tl_field_is(&kind, "model"))
		return read_model(r, c, in);
	if (tl_field_is(&kind, "category"))
		return read_category(r, c);
	if (tl_field_is(&kind, "category-prefix"))
		return read_category_prefix(r, c);
	if (tl_field_is(&kind, "kernel"))
		return read_kernel(r, c);
	if (tl_field_is(&kind, "family"))
		return read_family(r, c);
	if (tl_field_is(&kind, "map"))
		return read_map(r, c);
	return tl_cursor_fail(c, kind.pos, "expected op, prefix, model, category, category-prefix, kernel, family or map, found \"%.*s\"",
	                      (int)(kind.len > 40 ? 40 : kind.len), kind.s);
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
