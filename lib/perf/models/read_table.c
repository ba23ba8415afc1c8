/* read_table.c - reads the lines of a table: operators, models, rules and maps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "perf/models/perf_registry.h"

#include <float.h>
#include <string.h>

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
	TL_GROW(r->prefixes, r->cap_prefixes, r->n_prefixes + 1);
	r->prefixes[r->n_prefixes++] = (struct tl_prefix_rule){ intern(r, &prefix), category };
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

/* The integer or the real that a word is, else its text. */
static struct tl_value value_of(struct tl_registry *r, const struct tl_word *f)
{
	char *copy = tl_arena_dup(&r->arena, f->s, f->len), *end;
	double d = tl_parse_double(copy, &end);
	__int128 i;

	if (tl_parse_pyint(f->s, f->len, &i))
		return tl_v_int(i);
	return *end == 0 && end != copy ? tl_v_real(d) : tl_v_text(copy, f->len);
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
	struct tl_value v = value_of(r, &value);
	while (known->name && !tl_text_is(map.s, map.len, known->name))
		known++;
	if (known->name && known->number && (!tl_v_number(&v, &d) || !(d >= 0) || d > DBL_MAX))
		return tl_cursor_fail(c, value.pos, "expected a number, 0 or more, in the map %s", known->name);
	if (known->name && !known->number && !is_word(&value))
		return tl_cursor_fail(c, value.pos, "expected the name of a precision, such as bf16");
	char *folded = tl_arena_dup(&r->arena, key.s, key.len);
	for (size_t i = 0; known->name && known->lower && i < key.len; i++)
		folded[i] = (char)(folded[i] >= 'A' && folded[i] <= 'Z' ? folded[i] | 32 : folded[i]);
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
	TL_GROW(r->models, r->cap_models, r->n_models + 1);
	r->models[r->n_models++] = m;
	if (tl_cursor_word(c, &like) && (s = copy_model(r, m, c, &like)))
		return s;
	if ((s = tl_cursor_need_end(c)))
		return s;
	c->pos += c->pos < c->len;
	s = tl_model_read(r, m, c);
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

static enum tl_status read_line(struct tl_registry *r, struct tl_cursor *c)
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
		s = read_line(r, &c);
		if (!s && tl_cursor_peek(&c, 0) == '\n')
			c.pos++;
	}
	return s;
}
