/* read_model.c - reads the lines of a model. Expressions are compiled later: compile.c.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "base/utf8.h"
#include "perf/lang/functions.h"
#include "perf/models/perf_registry.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ITEMS = 1000 };

const char *const tl_line_words[] = {
	"category", "family", "backward", "slot", "let", "def", "need", "drop", "only", "flops", "bytes", "flops_bwd",
	"bytes_bwd", "spec", "param", NULL,
};

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

static enum tl_status add(struct reader *k, struct tl_item it)
{
	struct tl_model *m = k->m;

	if (m->n_items == MAX_ITEMS)
		return tl_cursor_fail(k->c, it.at.pos, "more than %d lines in a model", MAX_ITEMS);
	TL_GROW(m->items, m->cap_items, m->n_items + 1);
	m->items[m->n_items++] = it;
	return TL_OK;
}

/* An item that the model has from the model it is like is replaced in its place; any other
 * one is added at the end. */
static enum tl_status put(struct reader *k, struct tl_item it, size_t pos, const char *name, size_t len)
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
	return add(k, it);
}

static enum tl_status check_name(const struct tl_cursor *c, size_t pos, enum tl_line_kind kind, const char *name,
                                 size_t len)
{
	if (tl_expr_reserved(name, len))
		return tl_cursor_fail(c, pos, "\"%.*s\" is a word of the language", (int)len, name);
	if (kind != TL_LINE_DEF && tl_function_find(name, len))
		return tl_cursor_fail(c, pos, "\"%.*s\" is the name of a function", (int)len, name);
	if (kind == TL_LINE_SLOT && tl_is_setting(name, len))
		return tl_cursor_fail(c, pos, "\"%.*s\" has another meaning in op lines", (int)len, name);
	return TL_OK;
}

/* "name = expression"; a slot may have no expression. */
static enum tl_status read_named(struct reader *k, enum tl_line_kind kind)
{
	struct tl_item it = { .kind = (uint8_t)kind };
	struct tl_cursor *c = k->c;
	enum tl_status s;
	const char *name;
	size_t len = tl_cursor_name(c, &name), pos = c->pos - len;

	if (!len)
		return tl_cursor_fail(c, c->pos, "expected a name");
	if ((s = check_name(c, pos, kind, name, len)))
		return s;
	bool equals = kind == TL_LINE_DEF || tl_cursor_take(c, '=');
	if (!equals && kind == TL_LINE_LET)
		return tl_cursor_fail(c, c->pos, "expected \"=\" and an expression");
	tl_cursor_skip(c);
	if (!equals && c->pos < c->len)
		return tl_cursor_fail(c, c->pos, "expected \"=\", \";\" or the end of the line");
	it.name = tl_intern(&k->r->strings, name, len);
	it.required = !equals;
	it.at = tl_place_here(k->r, c->pos, c->len);
	return put(k, it, pos, name, len);
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
	return put(k, it, pos, name, len);
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
	return put(k, it, pos, "spec", 4);
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
	return kind < TL_LINE_FLOPS ? add(k, it) : put(k, it, line, tl_line_words[kind], strlen(tl_line_words[kind]));
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

static enum tl_status read_line(struct reader *k)
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

/* Moves results to the end: they are evaluated last, wherever their lines stand. */
static void move_results(struct tl_model *m)
{
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
}

enum tl_status tl_model_read(struct tl_registry *r, struct tl_model *m, struct tl_cursor *c)
{
	struct reader k = { .r = r, .m = m, .c = c };
	enum tl_status s = TL_OK;

	m->body = tl_place_here(r, c->pos, c->len); /* until the end is known, all that is read belongs to this body */
	while (!s && c->pos < c->len && strchr(" \t\r\n#", c->text[c->pos])) {
		if (!tl_cursor_at_end(c))
			s = read_line(&k);
		if (!s && !tl_cursor_at_end(c))
			s = tl_cursor_need_end(c);
		c->pos += c->pos < c->len;
	}
	m->body.end = c->pos;
	move_results(m);
	return s;
}
