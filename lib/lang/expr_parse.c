/* expr_parse.c - expressions: from text to a tree.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/pattern.h"
#include "base/text.h"
#include "base/utf8.h"
#include "lang/expr.h"
#include "lang/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 100, MAX_LITERAL = 64, MAX_LIST = 64 };

/* ---- names ------------------------------------------------------------------------ */

uint32_t tl_scope_add_var(struct tl_scope *s, uint32_t name)
{
	TL_PUSH(s->names, s->n_names, s->cap_names, (struct tl_meaning){ name, (uint32_t)s->n_vars, false });
	TL_PUSH(s->vars, s->n_vars, s->cap_vars, name);
	return (uint32_t)s->n_vars - 1;
}

uint32_t tl_scope_add_def(struct tl_scope *s, struct tl_def d)
{
	TL_PUSH(s->names, s->n_names, s->cap_names, (struct tl_meaning){ d.name, (uint32_t)s->n_defs, true });
	TL_PUSH(s->defs, s->n_defs, s->cap_defs, d);
	return (uint32_t)s->n_defs - 1;
}

void tl_scope_release(struct tl_scope *s)
{
	free(s->names);
	free(s->vars);
	free(s->defs);
}

static const struct tl_meaning *meaning_of(const struct tl_scope *s, const char *name, size_t len, bool is_def)
{
	uint32_t id = tl_strtab_find(s->strings, name, len);

	for (size_t i = s->n_names; id && i-- > 0;)
		if (s->names[i].name == id && s->names[i].is_def == is_def && (i < s->hidden_from || i >= s->hidden_to))
			return &s->names[i];
	return NULL;
}

static bool is_constant(const char *name, size_t len, struct tl_value *out)
{
	if (tl_text_is(name, len, "None") || tl_text_is(name, len, "null"))
		*out = tl_v_null();
	else if (tl_text_is(name, len, "True") || tl_text_is(name, len, "true"))
		*out = tl_v_bool(true);
	else if (tl_text_is(name, len, "False") || tl_text_is(name, len, "false"))
		*out = tl_v_bool(false);
	else
		return false;
	return true;
}

bool tl_expr_reserved(const char *name, size_t len)
{
	static const char *const words[] = { "and", "or", "not", "if", "sel", "known", "each" };
	struct tl_value v;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (tl_text_is(name, len, words[i]))
			return true;
	return is_constant(name, len, &v);
}

/* ---- nodes -------------------------------------------------------------------------- */

struct parser {
	struct tl_cursor *c;
	struct tl_scope *scope;
	int depth;
};

/* Sets the error. Functions that make nodes return NULL after that. */
#define FAIL(pos, ...) (tl_cursor_fail(p->c, pos, __VA_ARGS__), NULL)

static struct tl_node *parse(struct parser *p, int level);

/* Sets the error: what was expected, and what stands at the cursor instead. */
static struct tl_node *expected(struct parser *p, const char *what)
{
	struct tl_cursor *c = p->c;
	size_t n = 0, used;

	if (tl_cursor_at_end(c))
		return FAIL(c->pos, "expected %s, found the end of the line", what);
	do {
		tl_utf8_decode(c->text + c->pos + n, c->len - c->pos - n, &used);
		n += used;
	} while (n < 20 && tl_cursor_peek(c, n) > ' ' && tl_cursor_peek(c, n) != 127);
	return FAIL(c->pos, "expected %s, found \"%.*s\"", what, (int)n, c->text + c->pos);
}

/* Makes a node at least one level higher than what it stands above. */
static void raise_above(struct tl_node *node, const struct tl_node *below)
{
	if (node->height <= below->height)
		node->height = below->height + 1;
}

static struct tl_node *node_of(struct parser *p, int kind, struct tl_node **args, uint32_t n)
{
	struct tl_node *node = tl_arena_alloc(p->scope->arena, sizeof *node + n * sizeof node->arg[0]);

	*node = (struct tl_node){ .kind = (uint8_t)kind, .height = 1, .n = n };
	for (uint32_t i = 0; i < n; i++) {
		node->arg[i] = args[i];
		raise_above(node, args[i]);
	}
	return node;
}

static struct tl_node *constant(struct parser *p, struct tl_value v)
{
	struct tl_value *copy = tl_arena_alloc(p->scope->arena, sizeof *copy);
	struct tl_node *node = node_of(p, TL_N_CONST, NULL, 0);

	*copy = v;
	node->value = copy;
	return node;
}

/* ---- numbers and texts ------------------------------------------------------------------ */

static void skip_digits(struct tl_cursor *c)
{
	while (tl_is_digit(tl_cursor_peek(c, 0)))
		c->pos++;
}

static struct tl_node *number(struct parser *p)
{
	struct tl_cursor *c = p->c;
	size_t from = c->pos;
	char copy[MAX_LITERAL];
	__int128 i;

	skip_digits(c);
	if (tl_cursor_peek(c, 0) == '.' && tl_is_digit(tl_cursor_peek(c, 1))) {
		c->pos++;
		skip_digits(c);
	}
	if (tl_cursor_peek(c, 0) == 'e' || tl_cursor_peek(c, 0) == 'E') {
		size_t sign = tl_cursor_peek(c, 1) == '-' || tl_cursor_peek(c, 1) == '+';
		if (tl_is_digit(tl_cursor_peek(c, 1 + sign))) {
			c->pos += 1 + sign;
			skip_digits(c);
		}
	}
	size_t len = c->pos - from;
	if (tl_is_letter(tl_cursor_peek(c, 0)))
		return FAIL(from, "a number runs into a name; put a blank or an operator between");
	if (len >= sizeof copy)
		return FAIL(from, "number of %zu characters; at most %d are expected", len, MAX_LITERAL - 1);
	memcpy(copy, c->text + from, len);
	copy[len] = 0;
	return constant(p, tl_parse_pyint(copy, len, &i) ? tl_v_int(i) : tl_v_real(tl_parse_double(copy, NULL)));
}

static struct tl_node *text(struct parser *p)
{
	struct tl_word f;

	tl_cursor_word(p->c, &f);
	if (f.s + f.len == p->c->text + p->c->pos)
		return FAIL(f.pos, "text without its closing quote");
	return constant(p, tl_v_text(tl_arena_dup(p->scope->arena, f.s, f.len), f.len));
}

/* ---- brackets and calls -------------------------------------------------------------------- */

/* An expression within another one. */
static struct tl_node *nested(struct parser *p, int level)
{
	struct tl_node *node;

	if (p->depth++ > MAX_NESTING) /* level 0: the whole expression */
		return FAIL(p->c->pos, "expression nested deeper than %d", MAX_NESTING);
	node = parse(p, level);
	p->depth--;
	return node;
}

struct arguments {
	struct tl_node *of[MAX_LIST]; uint32_t n;
	bool comma; /* a comma stands before the closing bracket */
};

/* Parses items up to the closing bracket, and moves past it. False: the error is set. */
static bool arguments(struct parser *p, char close, uint32_t max, struct arguments *a)
{
	a->n = 0;
	a->comma = false;
	while (!tl_cursor_take(p->c, close)) {
		if (a->n && !a->comma)
			return expected(p, close == ')' ? "\",\" or \")\"" : "\",\" or \"]\"");
		if (a->n == max)
			return FAIL(p->c->pos, "more than %u items", max);
		if (!(a->of[a->n] = nested(p, 0)))
			return false;
		a->n++;
		a->comma = tl_cursor_take(p->c, ',');
	}
	return true;
}

static struct tl_node *bracket(struct parser *p, char close)
{
	struct arguments a;

	if (!arguments(p, close, MAX_LIST, &a))
		return NULL;
	if (close == ')' && a.n == 1 && !a.comma)
		return a.of[0];
	return node_of(p, close == ')' ? TL_N_TUPLE : TL_N_LIST, a.of, a.n);
}

/* each(x, list, expression of x) */
static struct tl_node *each(struct parser *p)
{
	struct tl_scope *scope = p->scope;
	struct tl_node *args[2], *node;
	size_t n_names = scope->n_names, pos = p->c->pos, len;
	const char *name;

	len = tl_cursor_name(p->c, &name);
	if (!len || tl_expr_reserved(name, len) || !tl_cursor_take(p->c, ',')) {
		p->c->pos = pos;
		return expected(p, "a name for the items of a list and \",\"");
	}
	if (!(args[0] = nested(p, 0)))
		return NULL;
	if (!tl_cursor_take(p->c, ','))
		return expected(p, "\",\" and an expression for each item");
	uint32_t var = tl_scope_add_var(scope, tl_intern(scope->strings, name, len));
	args[1] = nested(p, 0);
	scope->n_names = n_names; /* the name means nothing after this */
	if (!args[1])
		return NULL;
	if (!tl_cursor_take(p->c, ')'))
		return expected(p, "\")\"");
	node = node_of(p, TL_N_EACH, args, 2);
	node->var = var;
	return node;
}

/* Texts that are written out are known to be wrong before there is a value. */
static bool check_literals(struct parser *p, size_t pos, const struct tl_function *fn, struct tl_node *const *args)
{
	const struct tl_node *arg = args[fn->traits & TL_FN_PATTERN ? 1 : 0];
	const struct tl_value *text = arg->kind == TL_N_CONST && arg->value->type == TL_V_TEXT ? arg->value : NULL;
	struct tl_pattern pattern;
	char why[200];

	if (text && fn->traits & TL_FN_MAP && p->scope->maps && !tl_lookup_has(p->scope->maps, text->text, text->len))
		return FAIL(pos, "no map \"%.*s\" before this place", (int)(text->len > 60 ? 60 : text->len), text->text);
	if (!text || !(fn->traits & TL_FN_PATTERN))
		return true;
	if (!tl_pattern_compile(&pattern, text->text, 0, NULL, why))
		return FAIL(pos, "regular expression \"%.60s\": %s", text->text, why);
	tl_pattern_release(&pattern);
	return true;
}

static struct tl_node *call(struct parser *p, size_t pos, const char *name, size_t len)
{
	const struct tl_meaning *def = meaning_of(p->scope, name, len, true);
	const struct tl_function *fn = tl_function_find(name, len, p->scope->open);
	bool sel = tl_text_is(name, len, "sel"), known = tl_text_is(name, len, "known");
	struct tl_node *node;
	struct arguments a;

	if (tl_text_is(name, len, "each"))
		return each(p);
	if (!def && !fn && !sel && !known) {
		const char *instead = tl_function_instead(name, len);
		return FAIL(pos, "no function \"%.*s\"; %s%s", (int)len, name,
		            instead ? "write " : "tl-models(5) lists the functions", instead ? instead : "");
	}
	uint32_t min = def ? p->scope->defs[def->index].n_params : sel ? 3 : known ? 2 : fn->min_args;
	uint32_t max = def ? min : sel ? 3 : known ? TL_FN_MAX_ARGS : fn->max_args;
	if (!arguments(p, ')', TL_FN_MAX_ARGS, &a))
		return NULL;
	if (min == max && a.n != min)
		return FAIL(pos, "%.*s takes %u argument%s, not %u", (int)len, name, min, min == 1 ? "" : "s", a.n);
	if (a.n < min || a.n > max)
		return FAIL(pos, "%.*s takes %u to %u arguments, not %u", (int)len, name, min, max, a.n);
	node = node_of(p, def ? TL_N_DEF : sel ? TL_N_SEL : known ? TL_N_KNOWN : TL_N_CALL, a.of, a.n);
	if (def) {
		node->def = def->index;
		raise_above(node, p->scope->defs[def->index].body);
	} else if (fn) {
		if (fn->traits & (TL_FN_PATTERN | TL_FN_MAP) && !check_literals(p, pos, fn, a.of))
			return NULL;
		node->fn = fn;
		p->scope->traits |= fn->traits;
	}
	return node;
}

/* ---- expressions ------------------------------------------------------------------------------ */

static struct tl_node *word(struct parser *p)
{
	const struct tl_meaning *var;
	struct tl_value v;
	struct tl_node *node;
	const char *name;
	size_t len = tl_cursor_name(p->c, &name), pos = p->c->pos - len;

	if (is_constant(name, len, &v))
		return constant(p, v);
	if (tl_cursor_take(p->c, '('))
		return call(p, pos, name, len);
	if (!(var = meaning_of(p->scope, name, len, false)) && p->scope->open) {
		tl_scope_add_var(p->scope, tl_intern(p->scope->strings, name, len));
		var = &p->scope->names[p->scope->n_names - 1];
	}
	if (!var)
		return FAIL(pos, "unknown name \"%.*s\": expected a slot or a let before this place", (int)len, name);
	node = node_of(p, TL_N_VAR, NULL, 0);
	node->var = var->index;
	return node;
}

static struct tl_node *primary(struct parser *p)
{
	int ch;

	tl_cursor_skip(p->c);
	ch = tl_cursor_peek(p->c, 0);
	if (tl_is_digit(ch))
		return number(p);
	if (ch == '"')
		return text(p);
	if (tl_is_letter(ch))
		return word(p);
	if (tl_cursor_take(p->c, '('))
		return bracket(p, ')');
	if (tl_cursor_take(p->c, '['))
		return bracket(p, ']');
	return expected(p, "a number, a text, a name or \"(\"");
}

/* Does the text of an operator stand at the cursor? */
static bool is_at(const struct tl_cursor *c, const char *text)
{
	size_t n = 0;

	while (text[n] && tl_cursor_peek(c, n) == text[n])
		n++;
	return !text[n] && !(tl_is_letter(*text) && tl_in_name(tl_cursor_peek(c, n)));
}

/* Moves past the operator at the cursor if its level is the given one or higher; else NULL. */
static const struct tl_operator *take_operator(struct tl_cursor *c, int level, bool prefix)
{
	const struct tl_operator *o = tl_operators;

	tl_cursor_skip(c);
	int first = tl_cursor_peek(c, 0);
	while (o->text && (o->text[0] != first || o->prefix != prefix || !is_at(c, o->text)))
		o++;
	if (!o->text || o->level < level)
		return NULL;
	c->pos += strlen(o->text);
	return o;
}

/* An expression whose operators outside brackets have this level or a higher one. */
static struct tl_node *parse(struct parser *p, int level)
{
	const struct tl_operator *o = take_operator(p->c, level, true);
	struct tl_node *node = o ? nested(p, o->level) : primary(p);

	if (o && node)
		node = node_of(p, o->kind, &node, 1);
	while (node && (o = take_operator(p->c, level, false))) {
		struct tl_node *args[2] = { node, parse(p, o->level + 1) };
		if (!args[1])
			return NULL;
		node = node_of(p, o->kind, args, 2);
		size_t pos = p->c->pos;
		if (o->level == TL_LEVEL_COMPARISON && (o = take_operator(p->c, 0, false)) && o->level == TL_LEVEL_COMPARISON)
			return FAIL(pos, "comparisons do not chain; join them with \"and\"");
		p->c->pos = pos;
	}
	return node;
}

struct tl_node *tl_expr_parse(struct tl_cursor *c, struct tl_scope *scope)
{
	struct parser state = { .c = c, .scope = scope }, *p = &state;

	tl_cursor_skip(c);
	size_t pos = c->pos;
	struct tl_node *node = nested(p, 0);
	if (node && node->height > TL_MAX_HEIGHT)
		return FAIL(pos, "expression of more than %d levels, with those of the definitions it calls", TL_MAX_HEIGHT);
	return node;
}

void tl_expr_uses(const struct tl_node *n, bool *vars, bool *defs)
{
	if (n->kind == TL_N_VAR)
		vars[n->var] = true;
	if (n->kind == TL_N_DEF)
		defs[n->def] = true;
	for (uint32_t i = 0; i < n->n; i++)
		tl_expr_uses(n->arg[i], vars, defs);
}
