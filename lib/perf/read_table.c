/* read_table.c - reads the lines of a table: operators, models, rules and maps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"

#include "base/utf8.h"
#include "lang/functions.h"
#include "perf/perf_registry.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- reads the lines of a model --------------------------------------------------------- */

enum { MAX_ITEMS = 1000 };

const char *const tl_line_words[] = {
	"category", "family", "backward", "slot", "let", "def", "need", "drop", "only", "flops", "bytes", "flops_bwd",
	"bytes_bwd", "spec", "param", NULL,
};
const char *const tl_setting_words[] = { "category", "row", "linked", "annotation", NULL };

size_t tl_setting_find(const char *name, size_t len)
{
	size_t i = 0;

	while (tl_setting_words[i] && !tl_text_is(name, len, tl_setting_words[i]))
		i++;
	return i;
}

struct reader {
	struct tl_registry *r;
	struct tl_model *m;
	struct tl_cursor *c;
	bool given[TL_LINE_KINDS]; /* has the body had a line of this kind? */
};

static enum tl_status given_twice(const struct tl_cursor *c, size_t pos, const char *name, size_t len)
{
	return tl_cursor_fail(c, pos, "\"%.*s\" is given twice", (int)(len > 60 ? 60 : len), name);
}

/* ---- items -------------------------------------------------------------------------- */

static enum tl_status add_item(struct reader *k, struct tl_item it)
{
	struct tl_model *m = k->m;

	if (m->n_items == MAX_ITEMS)
		return tl_cursor_fail(k->c, it.at.pos, "more than %d lines in a model", MAX_ITEMS);
	TL_PUSH(m->items, m->n_items, m->cap_items, it);
	return TL_OK;
}

/* An item that the model has from the model it is like is replaced in its place; any other
 * one is added at the end. */
static enum tl_status put_item(struct reader *k, struct tl_item it, size_t pos, const char *name, size_t len)
{
	struct tl_model *m = k->m;

	for (size_t i = 0; i < m->n_items; i++) {
		struct tl_item *old = &m->items[i];
		bool same = it.kind < TL_LINE_FLOPS ? old->kind < TL_LINE_FLOPS && old->name == it.name : old->kind == it.kind;
		if (it.kind == TL_LINE_PARAM)
			same = same && old->name == it.name;
		if (!same)
			continue;
		if (tl_is_within(old->at, m->body))
			return given_twice(k->c, pos, name, len);
		*old = it;
		return TL_OK;
	}
	return add_item(k, it);
}

/* "name = expression"; a slot may have no expression. */
static enum tl_status read_named(struct reader *k, enum tl_line_kind kind)
{
	struct tl_item it = { .kind = (uint8_t)kind };
	struct tl_cursor *c = k->c;
	const char *name;
	size_t len = tl_cursor_name(c, &name), pos = c->pos - len;

	if (!len)
		return tl_cursor_fail(c, c->pos, "expected a name");
	if (tl_expr_reserved(name, len))
		return tl_cursor_fail(c, pos, "\"%.*s\" is a word of the language", (int)len, name);
	if (kind != TL_LINE_DEF && tl_function_find(name, len, false))
		return tl_cursor_fail(c, pos, "\"%.*s\" is the name of a function", (int)len, name);
	if (kind == TL_LINE_SLOT && tl_setting_words[tl_setting_find(name, len)])
		return tl_cursor_fail(c, pos, "\"%.*s\" has another meaning in op lines", (int)len, name);
	bool equals = kind == TL_LINE_DEF || tl_cursor_take(c, '=');
	if (!equals && kind == TL_LINE_LET)
		return tl_cursor_fail(c, c->pos, "expected \"=\" and an expression");
	tl_cursor_skip(c);
	if (!equals && c->pos < c->len)
		return tl_cursor_fail(c, c->pos, "expected \"=\", \";\" or the end of the line");
	it.name = tl_intern(&k->r->strings, name, len);
	it.required = !equals;
	it.at = tl_place_here(k->r, c->pos, c->len);
	return put_item(k, it, pos, name, len);
}

/* "name = expression"; "name" alone stands for "name = name". The first param of a body
 * removes all params that the model has from the model it is like. */
static enum tl_status read_param(struct reader *k)
{
	struct tl_item it = { .kind = TL_LINE_PARAM };
	struct tl_model *m = k->m;
	struct tl_cursor *c = k->c;
	const char *name;
	size_t len = tl_cursor_name(c, &name), pos = c->pos - len, kept = 0;

	if (!len)
		return tl_cursor_fail(c, c->pos, "expected the name of a parameter");
	for (size_t i = 0; i < m->n_items && !k->given[TL_LINE_PARAM]; i++)
		if (m->items[i].kind != TL_LINE_PARAM)
			m->items[kept++] = m->items[i];
	if (!k->given[TL_LINE_PARAM])
		m->n_items = kept;
	k->given[TL_LINE_PARAM] = true;
	it.name = tl_intern(&k->r->strings, name, len);
	it.at = tl_place_here(k->r, tl_cursor_take(c, '=') ? c->pos : pos, c->len);
	return put_item(k, it, pos, name, len);
}

static enum tl_status read_spec(struct reader *k)
{
	struct tl_item it = { .kind = TL_LINE_SPEC };
	const char *name;
	size_t len = tl_cursor_name(k->c, &name), pos = k->c->pos - len;

	if (!tl_text_is(name, len, "matrix") && !tl_text_is(name, len, "vector"))
		return tl_cursor_fail(k->c, pos, "expected matrix or vector and an expression for the precision");
	it.name = tl_intern(&k->r->strings, name, len);
	it.at = tl_place_here(k->r, k->c->pos, k->c->len);
	return put_item(k, it, pos, "spec", 4);
}

/* Reads a piece of a line; the cursor's text ends where the piece ends. */
static enum tl_status read_piece(struct reader *k, enum tl_line_kind kind, size_t line)
{
	struct tl_item it = { .kind = (uint8_t)kind, .at = tl_place_here(k->r, k->c->pos, k->c->len) };

	if (kind <= TL_LINE_DEF)
		return read_named(k, kind);
	if (kind == TL_LINE_PARAM)
		return read_param(k);
	if (kind == TL_LINE_SPEC)
		return read_spec(k);
	return kind < TL_LINE_FLOPS ? add_item(k, it) : put_item(k, it, line, tl_line_words[kind], strlen(tl_line_words[kind]));
}

/* The end of the piece: the next ";" outside brackets and texts. */
static size_t piece_end(const struct tl_cursor *c)
{
	bool quoted = false;
	int depth = 0;
	size_t i = c->pos;

	for (; i < c->len; i++) {
		char ch = c->text[i];
		quoted ^= ch == '"';
		if (quoted)
			continue;
		depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
		if (ch == ';' && depth <= 0)
			break;
	}
	return i;
}

/* Reads the pieces of a line, which ";" separates. A formula is one piece. */
static enum tl_status read_pieces(struct reader *k, enum tl_line_kind kind, size_t line)
{
	bool one = kind >= TL_LINE_FLOPS && kind <= TL_LINE_SPEC;
	struct tl_cursor *c = k->c;
	size_t all = c->len, end = tl_cursor_line_end(c);
	enum tl_status s = TL_OK;

	for (bool first = true; !s; first = false) {
		c->len = end;
		tl_cursor_skip(c);
		if (!first && c->pos == end) /* a ";" may be the last */
			break;
		c->len = one ? end : piece_end(c);
		s = read_piece(k, kind, line);
		c->pos = c->len;
		if (c->pos < end)
			c->pos++;
		else
			break;
	}
	c->len = all;
	c->pos = end;
	return s;
}

/* ---- attributes ------------------------------------------------------------------------ */

enum tl_status tl_category_read(struct tl_registry *r, struct tl_cursor *c, uint32_t *id)
{
	struct tl_word f;
	enum tl_status s = tl_cursor_need_word(c, &f, "a category");

	if (s)
		return s;
	for (size_t i = 0, used; i < f.len; i += used) {
		uint32_t ch = tl_utf8_decode(f.s + i, f.len - i, &used);
		if (ch == TL_UTF8_MALFORMED || ch < ' ' || ch == 127)
			return tl_cursor_fail(c, f.pos, "expected a category of characters that can be printed");
	}
	*id = tl_intern(&r->strings, f.s, f.len);
	return TL_OK;
}

static enum tl_status read_attribute(struct reader *k, enum tl_line_kind kind)
{
	struct tl_model *m = k->m;
	struct tl_cursor *c = k->c;
	struct tl_word f;
	enum tl_status s;

	tl_cursor_skip(c);
	size_t pos = c->pos + (tl_cursor_peek(c, 0) == '"');
	if (kind == TL_LINE_FAMILY) {
		if ((s = tl_cursor_need_word(c, &f, "a sheet family")))
			return s;
		m->family = tl_intern(&k->r->strings, f.s, f.len);
	} else if ((s = tl_category_read(k->r, c, kind == TL_LINE_CATEGORY ? &m->category : &m->backward))) {
		return s;
	}
	if (kind == TL_LINE_FAMILY || (kind == TL_LINE_CATEGORY && !m->family))
		m->named = tl_place_here(k->r, pos, c->pos);
	return tl_cursor_need_end(c);
}

/* ---- lines ------------------------------------------------------------------------------- */

static enum tl_status read_model_line(struct reader *k)
{
	struct tl_word word;
	size_t kind = 0;
	enum tl_status s;

	tl_cursor_word(k->c, &word);
	while (tl_line_words[kind] && !tl_text_is(word.s, word.len, tl_line_words[kind]))
		kind++;
	if (kind == TL_LINE_KINDS)
		return tl_cursor_fail(k->c, word.pos, "expected category, family, backward, slot, let, def, need, drop, only, "
		                      "flops, bytes, flops_bwd, bytes_bwd, spec or param, found \"%.*s\"",
		                      (int)(word.len > 40 ? 40 : word.len), word.s);
	if (kind >= TL_LINE_SLOT)
		return read_pieces(k, (enum tl_line_kind)kind, word.pos);
	s = k->given[kind] ? given_twice(k->c, word.pos, word.s, word.len) : read_attribute(k, (enum tl_line_kind)kind);
	k->given[kind] = true;
	return s;
}

/* Reads a model's lines, up to the first that begins with no blank. */
static enum tl_status read_model_lines(struct tl_registry *r, struct tl_model *m, struct tl_cursor *c)
{
	struct reader k = { .r = r, .m = m, .c = c };
	enum tl_status s = TL_OK;

	m->body = tl_place_here(r, c->pos, c->len); /* until the end is known, all that is read belongs to this body */
	while (!s && c->pos < c->len && strchr(" \t\r\n#", c->text[c->pos])) {
		if (!tl_cursor_at_end(c))
			s = read_model_line(&k);
		if (!s && !tl_cursor_at_end(c))
			s = tl_cursor_need_end(c);
		c->pos += c->pos < c->len;
	}
	m->body.end = c->pos;
	/* Moves results to the end: they are evaluated last, wherever their lines stand. */
	struct tl_item *sorted = NULL;
	size_t cap = 0, n = 0;
	TL_GROW(sorted, cap, m->n_items + 1);
	for (int results = 0; results < 2; results++)
		for (size_t i = 0; i < m->n_items; i++)
			if ((m->items[i].kind >= TL_LINE_FLOPS) == results)
				sorted[n++] = m->items[i];
	free(m->items);
	m->items = sorted;
	m->cap_items = cap;
	return s;
}

enum { MAX_MODELS = 1000 };

static uint32_t intern(struct tl_registry *r, const struct tl_word *f)
{
	return tl_intern(&r->strings, f->s, f->len);
}

/* ---- rules ---------------------------------------------------------------------------- */

static enum tl_status read_category(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_word name;
	uint32_t category;
	enum tl_status s;

	if ((s = tl_cursor_need_word(c, &name, "the name of an operator")) || (s = tl_category_read(r, c, &category)))
		return s;
	*tl_map_put(&r->category_by_name, intern(r, &name), NULL) = category;
	return tl_cursor_need_end(c);
}

static enum tl_status read_category_prefix(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_word prefix;
	uint32_t category;
	enum tl_status s;

	if ((s = tl_cursor_need_word(c, &prefix, "the beginning of operator names")) ||
	    (s = tl_category_read(r, c, &category)))
		return s;
	TL_PUSH(r->prefixes, r->n_prefixes, r->cap_prefixes, (struct tl_prefix_rule){ intern(r, &prefix), category });
	return tl_cursor_need_end(c);
}

static enum tl_status read_kernel(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_word prefix, part;
	struct tl_kernel_rule rule;
	enum tl_status s;
	size_t i = 0;

	if ((s = tl_cursor_need_word(c, &prefix, "the beginning of kernel names")) ||
	    (s = tl_cursor_need_word(c, &part, "a part of the kernel name")) ||
	    (s = tl_category_read(r, c, &rule.category)))
		return s;
	rule.prefix = intern(r, &prefix);
	rule.part = intern(r, &part);
	while (i < r->n_kernels && (r->kernels[i].prefix != rule.prefix || r->kernels[i].part != rule.part))
		i++;
	TL_GROW(r->kernels, r->cap_kernels, i + 1);
	r->kernels[i] = rule;
	r->n_kernels += i == r->n_kernels;
	return tl_cursor_need_end(c);
}

static enum tl_status read_family(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_word name, how, but;
	enum tl_status s;

	if ((s = tl_cursor_need_word(c, &name, "a sheet family")) ||
	    (s = tl_cursor_need_word(c, &how, "\"one\" or \"two\"")))
		return s;
	bool one = tl_text_is(how.s, how.len, "one");
	if (!one && !tl_text_is(how.s, how.len, "two"))
		return tl_cursor_fail(c, how.pos, "expected \"one\" or \"two\" sheets, found \"%.*s\"",
		                      (int)(how.len > 40 ? 40 : how.len), how.s);
	uint32_t *sheets = tl_map_put(&r->family_sheets, intern(r, &name), NULL);
	*sheets = one ? FAMILY_ONE : FAMILY_TWO;
	if (!one || !tl_cursor_word(c, &but))
		return tl_cursor_need_end(c);
	if (!tl_text_is(but.s, but.len, "inference=two"))
		return tl_cursor_fail(c, but.pos, "expected \"inference=two\" or the end of the line");
	*sheets = FAMILY_ONE_IN_TRAINING;
	return tl_cursor_need_end(c);
}

/* ---- maps ------------------------------------------------------------------------------- */

/* Maps that the built-in models look into. A map of the user may hold anything. */
static const struct known_map { const char *name; bool number, lower; } known_maps[] = {
	{ "bytes", true, true }, { "precision", false, true }, /* bpe() and prec() look up keys in lower case */
	{ "moe-bytes", true, false }, { "triton-bytes", true, false }, { "triton-precision", false, false },
	{ "triton-cost", true, false },
	{ .name = NULL },
};

static bool is_word(const struct tl_word *f)
{
	bool word = f->len && tl_is_letter(f->s[0]) && f->s[0] != '_';

	for (size_t i = 0; word && i < f->len; i++)
		word = tl_in_name(f->s[i]);
	return word;
}

static enum tl_status read_map(struct tl_registry *r, struct tl_cursor *c)
{
	const struct known_map *known = known_maps;
	struct tl_word map, key, value;
	enum tl_status s;
	double d = -1;

	if ((s = tl_cursor_need_word(c, &map, "the name of a map")) || (s = tl_cursor_need_word(c, &key, "a key")) ||
	    (s = tl_cursor_need_word(c, &value, "a value")))
		return s;
	/* the integer or the real that the word is, else its text */
	char *copy = tl_arena_dup(&r->arena, value.s, value.len), *end;
	double real = tl_parse_double(copy, &end);
	__int128 i;
	struct tl_value v = tl_parse_pyint(value.s, value.len, &i) ? tl_v_int(i)
	                  : *end == 0 && end != copy ? tl_v_real(real) : tl_v_text(copy, value.len);
	while (known->name && !tl_text_is(map.s, map.len, known->name))
		known++;
	if (known->name && known->number && (!tl_v_number(&v, &d) || !(d >= 0) || d > DBL_MAX))
		return tl_cursor_fail(c, value.pos, "expected a number, 0 or more, in the map %s", known->name);
	if (known->name && !known->number && !is_word(&value))
		return tl_cursor_fail(c, value.pos, "expected the name of a precision, such as bf16");
	char *folded = tl_arena_dup(&r->arena, key.s, key.len);
	for (size_t at = 0; known->name && known->lower && at < key.len; at++)
		folded[at] = (char)(folded[at] >= 'A' && folded[at] <= 'Z' ? folded[at] | 32 : folded[at]);
	tl_lookup_set(&r->maps, intern(r, &map), tl_intern(&r->strings, folded, key.len), v);
	return tl_cursor_need_end(c);
}

/* ---- operators ------------------------------------------------------------------------------ */

/* A line replaces an earlier one of the same name, in its place. */
static enum tl_status read_op_line(struct tl_registry *r, struct tl_cursor *c, bool is_prefix)
{
	const char *what = is_prefix ? "the beginning of operator names" : "the name of an operator";
	struct tl_op *op = tl_arena_alloc(&r->arena, sizeof *op);
	struct tl_word name, model;
	enum tl_status s;

	if ((s = tl_cursor_need_word(c, &name, what)) ||
	    (s = tl_cursor_need_word(c, &model, "the name of a model")))
		return s;
	*op = (struct tl_op){ .op.prefix = is_prefix, .name = intern(r, &name), .model_name = intern(r, &model),
		.at = tl_place_here(r, model.pos, c->pos), .settings = tl_place_here(r, c->pos, tl_cursor_line_end(c)) };
	op->op.name = tl_str(&r->strings, op->name);
	c->pos = op->settings.end;
	uint32_t *at = tl_map_put(is_prefix ? &r->prefix_by_name : &r->op_by_name, op->name, NULL);
	if (!*at) {
		TL_GROW(r->ops, r->cap_ops, r->n_ops + 1);
		*at = (uint32_t)++r->n_ops;
	}
	r->ops[*at - 1] = op;
	/* a category line counts only if it comes after the op line */
	uint32_t *category = is_prefix ? NULL : tl_map_get(&r->category_by_name, op->name);
	if (category)
		*category = 0;
	return tl_cursor_need_end(c);
}

static enum tl_status read_op(struct tl_registry *r, struct tl_cursor *c)
{
	return read_op_line(r, c, false);
}

static enum tl_status read_prefix(struct tl_registry *r, struct tl_cursor *c)
{
	return read_op_line(r, c, true);
}

/* ---- models ------------------------------------------------------------------------------------ */

/* like=MODEL: the model begins as a copy of MODEL. */
static enum tl_status copy_model(struct tl_registry *r, struct tl_model *m, const struct tl_cursor *c,
                                 const struct tl_word *like)
{
	static const char key[] = "like=";
	size_t skip = sizeof key - 1;
	uint32_t *at, name = m->name;
	struct tl_place head = m->head;

	if (like->len <= skip || memcmp(like->s, key, skip))
		return tl_cursor_fail(c, like->pos, "expected like=MODEL or the end of the line");
	at = tl_map_get(&r->model_by_name, tl_intern(&r->strings, like->s + skip, like->len - skip));
	if (!at)
		return tl_cursor_fail(c, like->pos + skip, "no model \"%.*s\" before this line",
		                      (int)(like->len > 65 ? 60 : like->len - skip), like->s + skip);
	const struct tl_model *from = r->models[*at - 1];
	*m = *from;
	m->name = name;
	m->head = head;
	m->items = NULL;
	m->cap_items = 0;
	TL_GROW(m->items, m->cap_items, from->n_items + 1);
	if (from->n_items)
		memcpy(m->items, from->items, from->n_items * sizeof *m->items);
	return TL_OK;
}

static enum tl_status read_model(struct tl_registry *r, struct tl_cursor *c)
{
	struct tl_model *m = tl_arena_alloc(&r->arena, sizeof *m);
	struct tl_word name, like;
	enum tl_status s = tl_cursor_need_word(c, &name, "the name of a model");

	if (s)
		return s;
	if (r->n_models == MAX_MODELS)
		return tl_cursor_fail(c, name.pos, "more than %d models", MAX_MODELS);
	*m = (struct tl_model){ .name = intern(r, &name), .head = tl_place_here(r, name.pos, c->pos) };
	TL_PUSH(r->models, r->n_models, r->cap_models, m);
	if (tl_cursor_word(c, &like) && (s = copy_model(r, m, c, &like)))
		return s;
	if ((s = tl_cursor_need_end(c)))
		return s;
	c->pos += c->pos < c->len;
	s = read_model_lines(r, m, c);
	*tl_map_put(&r->model_by_name, m->name, NULL) = (uint32_t)r->n_models;
	return s;
}

/* ---- tables ------------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum tl_status (*read)(struct tl_registry *, struct tl_cursor *);
} lines[] = {
	{ "op", read_op }, { "prefix", read_prefix }, { "model", read_model }, { "category", read_category },
	{ "category-prefix", read_category_prefix }, { "kernel", read_kernel }, { "family", read_family },
	{ "map", read_map },
};
enum { N_LINES = sizeof lines / sizeof *lines };

static enum tl_status read_table_line(struct tl_registry *r, struct tl_cursor *c)
{
	bool indented = strchr(" \t", c->text[c->pos]) != NULL;
	struct tl_word word;

	if (tl_cursor_at_end(c))
		return TL_OK;
	if (indented)
		return tl_cursor_fail(c, c->pos, "a line that begins with a blank belongs to a model; none was begun");
	tl_cursor_word(c, &word);
	for (size_t i = 0; i < N_LINES; i++)
		if (tl_text_is(word.s, word.len, lines[i].word))
			return lines[i].read(r, c);
	return tl_cursor_fail(c, word.pos, "expected op, prefix, model, category, category-prefix, kernel, family or map, "
	                      "found \"%.*s\"",
	                      (int)(word.len > 40 ? 40 : word.len), word.s);
}

enum tl_status tl_table_read(struct tl_registry *r, struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_at(r, tl_place_here(r, 0, r->sources[r->n_sources - 1].len), err);
	enum tl_status s = TL_OK;

	while (!s && c.pos < c.len) {
		s = read_table_line(r, &c);
		if (!s && tl_cursor_peek(&c, 0) == '\n')
			c.pos++;
	}
	return s;
}
