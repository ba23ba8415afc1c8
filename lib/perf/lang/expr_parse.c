/* expr_parse.c - text of an expression to a tree.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/expr.h"
#include "perf/lang/functions.h"
#include "base/text.h"
#include "perf/lang/words.h"
#include "json/utf8.h"

#include <stdio.h>
#include <string.h>

#define MAX_NESTING 100
#define MAX_LITERAL 64
#define MAX_CHAIN 200 /* operators in a row */

/* Names with a meaning of their own in expressions, or in param lines. */
enum { NO_CONSTANT, TRUE, FALSE, NONE };
#define WORD(text, constant) TL_WORD(text, constant, 0)
static const struct tl_word words[] = {
	WORD("True", TRUE), WORD("False", FALSE), WORD("None", NONE), WORD("true", TRUE), WORD("false", FALSE), WORD("null", NONE),
	WORD("and", NO_CONSTANT), WORD("or", NO_CONSTANT), WORD("not", NO_CONSTANT), WORD("if", NO_CONSTANT),
	WORD("sel", NO_CONSTANT), WORD("known", NO_CONSTANT), WORD("each", NO_CONSTANT),
	{ .text = NULL },
};

bool tl_expr_reserved(const char *name, size_t len)
{
	return tl_word_find(words, name, len);
}

struct parser {
	struct tl_cursor *c;
	struct tl_scope *scope;
	int depth;
};

static enum tl_status parse(struct parser *p, struct tl_node **out);

static struct tl_node *node_new(struct parser *p, enum tl_node_kind kind, uint32_t n)
{
	struct tl_node *node = tl_arena_alloc(p->scope->arena, sizeof *node + n * sizeof node->arg[0]);
	memset(node, 0, sizeof *node);
	node->kind = (uint8_t)kind;
	node->n = n;
	node->height = 1;
	return node;
}

static struct tl_node *node_const(struct parser *p, struct tl_value v)
{
	struct tl_node *node = node_new(p, TL_N_CONST, 0);
	struct tl_value *copy = tl_arena_alloc(p->scope->arena, sizeof *copy);
	*copy = v;
	node->value = copy;
	return node;
}

/* The next thing, for "found X" in a message. */
static const char *found(struct tl_cursor *c, char *buf, size_t size)
{
	size_t n = 0, used;

	if (tl_cursor_at_end(c))
		return "the end of the line";
	do {
		tl_utf8_decode(c->text + c->pos + n, c->len - c->pos - n, &used);
		n += used;
	} while (n < 20 && n + 6 < size && tl_cursor_peek(c, n) > ' ' && tl_cursor_peek(c, n) != 127);
	snprintf(buf, size, "\"%.*s\"", (int)n, c->text + c->pos);
	return buf;
}

static enum tl_status expected(struct parser *p, const char *what)
{
	char buf[32];
	const char *f = found(p->c, buf, sizeof buf);
	return tl_cursor_fail(p->c, p->c->pos, "expected %s, found %s", what, f);
}

static enum tl_status number(struct parser *p, struct tl_node **out)
{
	struct tl_cursor *c = p->c;
	size_t from = c->pos;
	bool real = false;
	char copy[MAX_LITERAL];

	while (tl_is_digit(tl_cursor_peek(c, 0)))
		c->pos++;
	if (tl_cursor_peek(c, 0) == '.' && tl_is_digit(tl_cursor_peek(c, 1))) {
		real = true;
		for (c->pos++; tl_is_digit(tl_cursor_peek(c, 0));)
			c->pos++;
	}
	if ((tl_cursor_peek(c, 0) == 'e' || tl_cursor_peek(c, 0) == 'E') &&
	    (tl_is_digit(tl_cursor_peek(c, 1)) || ((tl_cursor_peek(c, 1) == '-' || tl_cursor_peek(c, 1) == '+') && tl_is_digit(tl_cursor_peek(c, 2))))) {
		real = true;
		for (c->pos += 2; tl_is_digit(tl_cursor_peek(c, 0));)
			c->pos++;
	}
	if (tl_is_letter(tl_cursor_peek(c, 0)))
		return tl_cursor_fail(c, from, "a number runs into a name; put a blank or an operator between");
	size_t len = c->pos - from;
	if (len >= sizeof copy)
		return tl_cursor_fail(c, from, "number of %zu characters; at most %d are expected", len, MAX_LITERAL - 1);
	memcpy(copy, c->text + from, len);
	copy[len] = 0;
	__int128 i;
	if (!real && tl_parse_pyint(copy, len, &i))
		*out = node_const(p, tl_v_int(i));
	else
		*out = node_const(p, tl_v_real(tl_parse_double(copy, NULL)));
	return TL_OK;
}

static enum tl_status text(struct parser *p, struct tl_node **out)
{
	struct tl_cursor *c = p->c;
	size_t from = ++c->pos;

	while (tl_cursor_peek(c, 0) != '"') {
		if (tl_cursor_peek(c, 0) == -1 || tl_cursor_peek(c, 0) == '\n')
			return tl_cursor_fail(c, from - 1, "text without its closing quote");
		c->pos++;
	}
	size_t len = c->pos++ - from;
	*out = node_const(p, tl_v_text(tl_arena_dup(p->scope->arena, c->text + from, len), len));
	return TL_OK;
}

/* Arguments up to the closing bracket, which is taken. */
static enum tl_status arguments(struct parser *p, char close, struct tl_node **args, uint32_t max,
                                uint32_t *n, bool *trailing_comma)
{
	*n = 0;
	*trailing_comma = false;
	if (tl_cursor_take(p->c, close))
		return TL_OK;
	for (;;) {
		if (*n == max)
			return tl_cursor_fail(p->c, p->c->pos, "more than %u items", max);
		enum tl_status s = parse(p, &args[*n]);
		if (s)
			return s;
		++*n;
		*trailing_comma = false;
		if (tl_cursor_take(p->c, close))
			return TL_OK;
		if (!tl_cursor_take(p->c, ','))
			return expected(p, close == ')' ? "\",\" or \")\"" : "\",\" or \"]\"");
		*trailing_comma = true;
		if (tl_cursor_take(p->c, close))
			return TL_OK;
	}
}

/* A node above another one, or above the body of what it calls. */
static void reach(struct tl_node *node, const struct tl_node *below)
{
	if (node->height <= below->height)
		node->height = below->height < UINT16_MAX ? (uint16_t)(below->height + 1) : UINT16_MAX;
}

static struct tl_node *node_of(struct parser *p, enum tl_node_kind kind, struct tl_node **args, uint32_t n)
{
	struct tl_node *node = node_new(p, kind, n);
	for (uint32_t i = 0; i < n; i++) {
		node->arg[i] = args[i];
		reach(node, args[i]);
	}
	return node;
}

static enum tl_status bracket(struct parser *p, char close, struct tl_node **out)
{
	struct tl_node *args[64];
	uint32_t n;
	bool trailing;
	enum tl_status s = arguments(p, close, args, 64, &n, &trailing);
	if (s)
		return s;
	if (close == ')' && n == 1 && !trailing)
		*out = args[0];
	else
		*out = node_of(p, close == ')' ? TL_N_TUPLE : TL_N_LIST, args, n);
	return TL_OK;
}

/* each(x, list, expression of x) */
static enum tl_status each(struct parser *p, struct tl_node **out)
{
	struct tl_node *args[2];
	const char *name;
	size_t len = tl_cursor_name(p->c, &name);
	enum tl_status s;

	if (!len || tl_expr_reserved(name, len) || !tl_cursor_take(p->c, ','))
		return expected(p, "a name for the items of a list and \",\"");
	if ((s = parse(p, &args[0])))
		return s;
	if (!tl_cursor_take(p->c, ','))
		return expected(p, "\",\" and an expression for each item");
	uint32_t id = tl_intern(p->scope->strings, name, len), var = tl_scope_hidden(p->scope, id);
	p->scope->vars[var] = id;
	s = parse(p, &args[1]);
	p->scope->vars[var] |= TL_HIDDEN;
	if (s)
		return s;
	if (!tl_cursor_take(p->c, ')'))
		return expected(p, "\")\"");
	*out = node_of(p, TL_N_EACH, args, 2);
	(*out)->var = var;
	return TL_OK;
}

static enum tl_status wrong_count(struct parser *p, size_t pos, const char *name, size_t len,
                                  unsigned min, unsigned max, unsigned n)
{
	if (min == max)
		return tl_cursor_fail(p->c, pos, "%.*s takes %u argument%s, not %u", (int)len, name, min, min == 1 ? "" : "s", n);
	return tl_cursor_fail(p->c, pos, "%.*s takes %u to %u arguments, not %u", (int)len, name, min, max, n);
}

static enum tl_status call(struct parser *p, size_t pos, const char *name, size_t len, struct tl_node **out)
{
	struct tl_node *args[TL_FN_MAX_ARGS];
	uint32_t n;
	bool trailing;

	if (tl_text_is(name, len, "each"))
		return each(p, out);
	uint32_t id = tl_strtab_find(p->scope->strings, name, len);
	int def = id ? tl_scope_def(p->scope, id) : -1;
	const struct tl_function *fn = tl_function_find(name, len);
	bool sel = tl_text_is(name, len, "sel"), known = tl_text_is(name, len, "known");
	if (def < 0 && !fn && !sel && !known)
		return tl_cursor_fail(p->c, pos, "no function \"%.*s\"; tl-models(5) lists them", (int)len, name);
	enum tl_status s = arguments(p, ')', args, TL_FN_MAX_ARGS, &n, &trailing);
	if (s)
		return s;
	if (def >= 0) {
		uint32_t want = p->scope->defs[def].n_params;
		if (n != want)
			return wrong_count(p, pos, name, len, want, want, n);
		*out = node_of(p, TL_N_DEF, args, n);
		(*out)->def = (uint32_t)def;
		reach(*out, p->scope->defs[def].body);
	} else if (sel || known) {
		unsigned min = sel ? 3 : 2, max = sel ? 3 : TL_FN_MAX_ARGS;
		if (n < min || n > max)
			return wrong_count(p, pos, name, len, min, max, n);
		*out = node_of(p, sel ? TL_N_SEL : TL_N_KNOWN, args, n);
	} else {
		if (n < fn->min_args || n > fn->max_args)
			return wrong_count(p, pos, name, len, fn->min_args, fn->max_args, n);
		*out = node_of(p, TL_N_CALL, args, n);
		(*out)->fn = fn;
	}
	return TL_OK;
}

static enum tl_status variable(struct parser *p, size_t pos, const char *name, size_t len, struct tl_node **out)
{
	uint32_t id = tl_strtab_find(p->scope->strings, name, len);
	int var = id ? tl_scope_var(p->scope, id) : -1;

	if (var < 0)
		return tl_cursor_fail(p->c, pos, "unknown name \"%.*s\": expected a slot or a let before this place", (int)len, name);
	*out = node_new(p, TL_N_VAR, 0);
	(*out)->var = (uint32_t)var;
	return TL_OK;
}

static enum tl_status word(struct parser *p, struct tl_node **out)
{
	const char *name;
	tl_cursor_skip(p->c);
	size_t pos = p->c->pos, len = tl_cursor_name(p->c, &name);
	bool maybe = len >= 4 && len <= 5 && strchr("TFNtfn", *name);

	const struct tl_word *w = maybe ? tl_word_find(words, name, len) : NULL;
	if (w && w->kind != NO_CONSTANT) {
		*out = node_const(p, w->kind == NONE ? tl_v_null() : tl_v_bool(w->kind == TRUE));
		return TL_OK;
	}
	if (tl_cursor_take(p->c, '('))
		return call(p, pos, name, len, out);
	return variable(p, pos, name, len, out);
}

static enum tl_status primary(struct parser *p, struct tl_node **out)
{
	tl_cursor_skip(p->c);
	int ch = tl_cursor_peek(p->c, 0);
	if (tl_is_digit(ch))
		return number(p, out);
	if (ch == '"')
		return text(p, out);
	if (tl_is_letter(ch))
		return word(p, out);
	if (tl_cursor_take(p->c, '('))
		return bracket(p, ')', out);
	if (tl_cursor_take(p->c, '['))
		return bracket(p, ']', out);
	return expected(p, "a number, a text, a name or \"(\"");
}

static enum tl_status unary(struct parser *p, struct tl_node **out)
{
	if (!tl_cursor_take(p->c, '-'))
		return primary(p, out);
	struct tl_node *arg;
	if (++p->depth > MAX_NESTING)
		return tl_cursor_fail(p->c, p->c->pos, "expression nested deeper than %d", MAX_NESTING);
	enum tl_status s = unary(p, &arg);
	p->depth--;
	if (!s)
		*out = node_of(p, TL_N_NEG, &arg, 1);
	return s;
}

/* Operator at the cursor of one precedence level, taken; or -1. */
static int operator_at(struct tl_cursor *c, int level)
{
	static const struct { const char *text; uint8_t level, kind; } ops[] = {
		{ "//", 2, TL_N_FLOORDIV }, { "==", 0, TL_N_EQ }, { "!=", 0, TL_N_NE },
		{ "<=", 0, TL_N_LE }, { ">=", 0, TL_N_GE }, { "<", 0, TL_N_LT }, { ">", 0, TL_N_GT },
		{ "+", 1, TL_N_ADD }, { "-", 1, TL_N_SUB },
		{ "*", 2, TL_N_MUL }, { "/", 2, TL_N_DIV }, { "%", 2, TL_N_MOD },
	};
	tl_cursor_skip(c);
	int first = tl_cursor_peek(c, 0);
	if (first == -1 || first == ',' || first == ')' || tl_is_letter(first))
		return -1;
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		size_t n = strlen(ops[i].text);
		if (ops[i].text[0] != first || (n == 2 && tl_cursor_peek(c, 1) != ops[i].text[1]))
			continue;
		if (ops[i].level != level)
			return -1;
		c->pos += n;
		return ops[i].kind;
	}
	return -1;
}

static enum tl_status binary(struct parser *p, int level, struct tl_node **out)
{
	struct tl_node *args[2];
	int kind, chain = 0;
	enum tl_status s = level > 2 ? unary(p, out) : binary(p, level + 1, out);

	if (level > 2)
		return s;
	while (!s && (kind = operator_at(p->c, level)) >= 0) {
		args[0] = *out;
		if (++chain > MAX_CHAIN)
			return tl_cursor_fail(p->c, p->c->pos, "more than %d operators in a row", MAX_CHAIN);
		s = binary(p, level + 1, &args[1]);
		if (s)
			break;
		*out = node_of(p, (enum tl_node_kind)kind, args, 2);
		if (level == 0) {
			size_t pos = p->c->pos;
			if (operator_at(p->c, 0) >= 0)
				return tl_cursor_fail(p->c, pos, "comparisons do not chain; join them with \"and\"");
			break;
		}
	}
	return s;
}

static bool take_word(struct tl_cursor *c, const char *word)
{
	size_t from;
	const char *name;

	tl_cursor_skip(c);
	if (tl_cursor_peek(c, 0) != *word)
		return false;
	from = c->pos;
	size_t n = tl_cursor_name(c, &name);
	if (tl_text_is(name, n, word))
		return true;
	c->pos = from;
	return false;
}

static enum tl_status negation(struct parser *p, struct tl_node **out)
{
	struct tl_node *arg;

	if (!take_word(p->c, "not"))
		return binary(p, 0, out);
	if (++p->depth > MAX_NESTING)
		return tl_cursor_fail(p->c, p->c->pos, "expression nested deeper than %d", MAX_NESTING);
	enum tl_status s = negation(p, &arg);
	p->depth--;
	if (!s)
		*out = node_of(p, TL_N_NOT, &arg, 1);
	return s;
}

static enum tl_status logical(struct parser *p, bool conjunction, struct tl_node **out)
{
	struct tl_node *args[2];
	int chain = 0;
	enum tl_status s = conjunction ? negation(p, out) : logical(p, true, out);

	while (!s && take_word(p->c, conjunction ? "and" : "or")) {
		args[0] = *out;
		if (++chain > MAX_CHAIN)
			return tl_cursor_fail(p->c, p->c->pos, "more than %d operators in a row", MAX_CHAIN);
		s = conjunction ? negation(p, &args[1]) : logical(p, true, &args[1]);
		if (!s)
			*out = node_of(p, conjunction ? TL_N_AND : TL_N_OR, args, 2);
	}
	return s;
}

static enum tl_status parse(struct parser *p, struct tl_node **out)
{
	if (++p->depth > MAX_NESTING)
		return tl_cursor_fail(p->c, p->c->pos, "expression nested deeper than %d", MAX_NESTING);
	enum tl_status s = logical(p, false, out);
	p->depth--;
	return s;
}

enum tl_status tl_expr_parse(struct tl_cursor *c, struct tl_scope *scope, struct tl_node **out)
{
	struct parser p = { .c = c, .scope = scope };

	tl_cursor_skip(c);
	size_t pos = c->pos;
	enum tl_status s = parse(&p, out);
	if (!s && (*out)->height > TL_MAX_HEIGHT)
		return tl_cursor_fail(c, pos, "expression of more than %d levels, with those of the definitions it calls", TL_MAX_HEIGHT);
	return s;
}
