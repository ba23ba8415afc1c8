/* expr_parse.c - text of an expression to a tree, and back.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/expr.h"
#include "value/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NESTING 100
#define MAX_LITERAL 64
#define MAX_CHAIN 200 /* operators in a row */

/* ---- cursor --------------------------------------------------------------- */

enum tl_status tl_cursor_fail(const struct tl_cursor *c, size_t pos, const char *fmt, ...)
{
	size_t line = 1, start = 0;
	char what[500];
	va_list ap;

	for (size_t i = 0; i < pos && i < c->len; i++)
		if (c->text[i] == '\n')
			line++, start = i + 1;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	for (size_t i = 0, left = strlen(what), used; left; i += used, left -= used)
		if (tl_utf8_decode(what + i, left, &used) == TL_UTF8_MALFORMED)
			memset(what + i, '?', used); /* what was not UTF-8, or was cut */
	return tl_fail(c->err, TL_ERR_DATA, "%s:%zu:%zu: %s", c->file, line, pos - start + 1, what);
}

static int peek(const struct tl_cursor *c, size_t ahead)
{
	return c->pos + ahead < c->len ? (unsigned char)c->text[c->pos + ahead] : -1;
}

/* Blanks, and what is as good as one. */
static void skip_blanks(struct tl_cursor *c)
{
	for (;;) {
		int ch = peek(c, 0);
		if (ch == ' ' || ch == '\t' || ch == '\r') {
			c->pos++;
		} else if (ch == '\\' && peek(c, 1) == '\n') {
			c->pos += 2;
		} else if (ch == '#') {
			while (peek(c, 0) != -1 && peek(c, 0) != '\n')
				c->pos++;
		} else {
			return;
		}
	}
}

static inline void skip(struct tl_cursor *c)
{
	/* mostly there is nothing to skip */
	if (c->pos < c->len && (unsigned char)c->text[c->pos] > '#' && c->text[c->pos] != '\\')
		return;
	skip_blanks(c);
}

void tl_cursor_skip(struct tl_cursor *c)
{
	skip(c);
}

bool tl_cursor_at_end(struct tl_cursor *c)
{
	skip(c);
	return peek(c, 0) == -1 || peek(c, 0) == '\n';
}

bool tl_cursor_take(struct tl_cursor *c, char ch)
{
	skip(c);
	if (peek(c, 0) != ch)
		return false;
	c->pos++;
	return true;
}

static bool is_letter(int ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

static bool is_digit(int ch)
{
	return ch >= '0' && ch <= '9';
}

size_t tl_cursor_name(struct tl_cursor *c, const char **name)
{
	size_t from;

	skip(c);
	from = c->pos;
	if (!is_letter(peek(c, 0)))
		return 0;
	size_t end = from + 1;
	while (end < c->len && (is_letter(c->text[end]) || is_digit(c->text[end])))
		end++;
	c->pos = end;
	*name = c->text + from;
	return end - from;
}

bool tl_expr_reserved(const char *name, size_t len)
{
	static const char words[][9] = { "True", "False", "None", "true", "false", "null", "and", "or", "not", "if", "sel", "sumpairs", "NULL_IF" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i][0] == *name && strlen(words[i]) == len && !memcmp(words[i], name, len))
			return true;
	return false;
}

/* ---- scope ------------------------------------------------------------------- */

int tl_scope_var(const struct tl_scope *s, uint32_t name)
{
	for (size_t i = s->n_vars; i-- > 0;)
		if (s->vars[i] == name)
			return (int)i;
	return -1;
}

uint32_t tl_scope_add(struct tl_scope *s, uint32_t name)
{
	int i = tl_scope_var(s, name);

	if (i >= 0)
		return (uint32_t)i;
	uint32_t var = tl_scope_hidden(s, name);
	s->vars[var] = name;
	return var;
}

uint32_t tl_scope_hidden(struct tl_scope *s, uint32_t name)
{
	TL_GROW(s->vars, s->cap_vars, s->n_vars + 1);
	s->vars[s->n_vars] = name | TL_HIDDEN;
	return (uint32_t)s->n_vars++;
}

int tl_scope_def(const struct tl_scope *s, uint32_t name)
{
	for (size_t i = s->n_defs; i-- > 0;)
		if (s->defs[i].name == name)
			return (int)i;
	return -1;
}

void tl_scope_release(struct tl_scope *s)
{
	free(s->vars);
	free(s->defs);
	s->vars = NULL;
	s->defs = NULL;
	s->n_vars = s->n_defs = s->cap_vars = s->cap_defs = 0;
}

/* ---- parser ---------------------------------------------------------------------- */

struct parser {
	struct tl_cursor *c;
	struct tl_scope *scope;
	int depth;
	/* variables that only hold within a sumpairs call: m, k, n */
	int pairs; /* first of the three, or -1 */
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
	} while (n < 20 && n + 6 < size && peek(c, n) > ' ' && peek(c, n) != 127);
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

	while (is_digit(peek(c, 0)))
		c->pos++;
	if (peek(c, 0) == '.' && is_digit(peek(c, 1))) {
		real = true;
		for (c->pos++; is_digit(peek(c, 0));)
			c->pos++;
	}
	if ((peek(c, 0) == 'e' || peek(c, 0) == 'E') &&
	    (is_digit(peek(c, 1)) || ((peek(c, 1) == '-' || peek(c, 1) == '+') && is_digit(peek(c, 2))))) {
		real = true;
		for (c->pos += 2; is_digit(peek(c, 0));)
			c->pos++;
	}
	if (is_letter(peek(c, 0)))
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

	while (peek(c, 0) != '"') {
		if (peek(c, 0) == -1 || peek(c, 0) == '\n')
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

static bool word_is(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(s, word, n);
}

/* sumpairs(pairs, expression of m, k, n) */
static enum tl_status sum_pairs(struct parser *p, struct tl_node **out)
{
	struct tl_node *args[2];
	enum tl_status s = parse(p, &args[0]);
	int outer = p->pairs;

	if (s)
		return s;
	if (!tl_cursor_take(p->c, ','))
		return expected(p, "\",\" and an expression of m, k and n");
	uint32_t first = tl_scope_hidden(p->scope, tl_intern(p->scope->strings, "m", 1));
	tl_scope_hidden(p->scope, tl_intern(p->scope->strings, "k", 1));
	tl_scope_hidden(p->scope, tl_intern(p->scope->strings, "n", 1));
	p->pairs = (int)first;
	s = parse(p, &args[1]);
	p->pairs = outer;
	if (s)
		return s;
	if (!tl_cursor_take(p->c, ')'))
		return expected(p, "\")\"");
	*out = node_of(p, TL_N_SUM_PAIRS, args, 2);
	(*out)->var = first;
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

	if (word_is(name, len, "sumpairs"))
		return sum_pairs(p, out);
	uint32_t id = tl_strtab_find(p->scope->strings, name, len);
	int def = id ? tl_scope_def(p->scope, id) : -1;
	const struct tl_function *fn = tl_function_find(name, len);
	bool sel = word_is(name, len, "sel");
	if (def < 0 && !fn && !sel)
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
	} else if (sel) {
		if (n != 3)
			return wrong_count(p, pos, name, len, 3, 3, n);
		*out = node_of(p, TL_N_SEL, args, n);
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

	if (p->pairs >= 0 && len == 1 && strchr("mkn", *name))
		var = p->pairs + (int)(strchr("mkn", *name) - "mkn");
	if (var < 0)
		return tl_cursor_fail(p->c, pos, "unknown name \"%.*s\": expected a slot or a let before this place", (int)len, name);
	*out = node_new(p, TL_N_VAR, 0);
	(*out)->var = (uint32_t)var;
	return TL_OK;
}

static enum tl_status word(struct parser *p, struct tl_node **out)
{
	static const struct { const char *name; uint8_t type; bool b; } constants[] = {
		{ "True", TL_V_BOOL, true }, { "False", TL_V_BOOL, false }, { "None", TL_V_NULL, false },
		{ "true", TL_V_BOOL, true }, { "false", TL_V_BOOL, false }, { "null", TL_V_NULL, false },
	};
	const char *name;
	skip(p->c);
	size_t pos = p->c->pos, len = tl_cursor_name(p->c, &name);
	bool maybe = len >= 4 && len <= 5 && strchr("TFNtfn", *name);

	for (size_t i = 0; maybe && i < sizeof constants / sizeof *constants; i++)
		if (word_is(name, len, constants[i].name)) {
			*out = node_const(p, constants[i].type == TL_V_NULL ? tl_v_null() : tl_v_bool(constants[i].b));
			return TL_OK;
		}
	if (tl_cursor_take(p->c, '('))
		return call(p, pos, name, len, out);
	return variable(p, pos, name, len, out);
}

static enum tl_status primary(struct parser *p, struct tl_node **out)
{
	skip(p->c);
	int ch = peek(p->c, 0);
	if (is_digit(ch))
		return number(p, out);
	if (ch == '"')
		return text(p, out);
	if (is_letter(ch))
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
	skip(c);
	int first = peek(c, 0);
	if (first == -1 || first == ',' || first == ')' || is_letter(first))
		return -1;
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		size_t n = strlen(ops[i].text);
		if (ops[i].text[0] != first || (n == 2 && peek(c, 1) != ops[i].text[1]))
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

	skip(c);
	if (peek(c, 0) != *word)
		return false;
	from = c->pos;
	size_t n = tl_cursor_name(c, &name);
	if (word_is(name, n, word))
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

/* NULL_IF(a, b): e - the names are in args[1..], e in args[0] */
static enum tl_status null_if(struct parser *p, struct tl_node **out)
{
	struct tl_node *args[TL_FN_MAX_ARGS + 1];
	uint32_t n;
	bool trailing;

	if (!tl_cursor_take(p->c, '('))
		return expected(p, "\"(\" after NULL_IF");
	enum tl_status s = arguments(p, ')', args + 1, TL_FN_MAX_ARGS, &n, &trailing);
	if (s)
		return s;
	if (!tl_cursor_take(p->c, ':'))
		return expected(p, "\":\" after NULL_IF(…)");
	s = parse(p, &args[0]);
	if (!s)
		*out = node_of(p, TL_N_NULL_IF, args, n + 1);
	return s;
}

static enum tl_status parse(struct parser *p, struct tl_node **out)
{
	if (++p->depth > MAX_NESTING)
		return tl_cursor_fail(p->c, p->c->pos, "expression nested deeper than %d", MAX_NESTING);
	enum tl_status s = take_word(p->c, "NULL_IF") ? null_if(p, out) : logical(p, false, out);
	p->depth--;
	return s;
}

enum tl_status tl_expr_parse(struct tl_cursor *c, struct tl_scope *scope, struct tl_node **out)
{
	struct parser p = { .c = c, .scope = scope, .pairs = -1 };

	tl_cursor_skip(c);
	size_t pos = c->pos;
	enum tl_status s = parse(&p, out);
	if (!s && (*out)->height > TL_MAX_HEIGHT)
		return tl_cursor_fail(c, pos, "expression of more than %d levels, with those of the definitions it calls", TL_MAX_HEIGHT);
	return s;
}

/* ---- walking -------------------------------------------------------------------- */

/* Definitions are entered once: a chain of them that each use the one before
 * twice would else cost 2^n. */
void tl_expr_uses(const struct tl_node *n, struct tl_scope *scope, bool *used)
{
	if (n->kind == TL_N_VAR)
		used[n->var] = true;
	if (n->kind == TL_N_DEF && !scope->defs[n->def].walked) {
		scope->defs[n->def].walked = true;
		tl_expr_uses(scope->defs[n->def].body, scope, used);
	}
	for (uint32_t i = 0; i < n->n; i++)
		tl_expr_uses(n->arg[i], scope, used);
}

uint8_t tl_expr_traits(const struct tl_node *n, const struct tl_scope *scope)
{
	uint8_t traits = n->kind == TL_N_CALL ? n->fn->traits : n->kind == TL_N_DEF ? scope->defs[n->def].traits : 0;

	for (uint32_t i = 0; i < n->n; i++)
		traits |= tl_expr_traits(n->arg[i], scope);
	return traits;
}

/* ---- back to text ------------------------------------------------------------------ */

static const char *operator_text(uint8_t kind, int *level)
{
	static const struct { uint8_t kind, level; const char *text; } ops[] = {
		{ TL_N_OR, 0, " or " }, { TL_N_AND, 1, " and " }, { TL_N_NOT, 2, "not " },
		{ TL_N_EQ, 3, " == " }, { TL_N_NE, 3, " != " }, { TL_N_LT, 3, " < " }, { TL_N_LE, 3, " <= " },
		{ TL_N_GT, 3, " > " }, { TL_N_GE, 3, " >= " }, { TL_N_ADD, 4, " + " }, { TL_N_SUB, 4, " - " },
		{ TL_N_MUL, 5, "*" }, { TL_N_DIV, 5, "/" }, { TL_N_FLOORDIV, 5, "//" }, { TL_N_MOD, 5, "%" },
		{ TL_N_NEG, 6, "-" },
	};
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (ops[i].kind == kind) {
			*level = ops[i].level;
			return ops[i].text;
		}
	return NULL;
}

struct show {
	struct tl_buf *buf;
	const struct tl_scope *scope;
	const struct tl_value *vars;
	const bool *set;
};

static void show(const struct show *w, const struct tl_node *n, int outer);

static void show_list(const struct show *w, const struct tl_node *n, const char *open, const char *close)
{
	tl_buf_adds(w->buf, open);
	for (uint32_t i = 0; i < n->n; i++) {
		if (i)
			tl_buf_adds(w->buf, ", ");
		show(w, n->arg[i], -1);
	}
	if (n->kind == TL_N_TUPLE && n->n == 1)
		tl_buf_addc(w->buf, ',');
	tl_buf_adds(w->buf, close);
}

static void show_variable(const struct show *w, const struct tl_node *n)
{
	if (w->set && w->set[n->var])
		tl_value_repr(w->buf, &w->vars[n->var], false);
	else
		tl_buf_adds(w->buf, tl_str(w->scope->strings, w->scope->vars[n->var] & ~TL_HIDDEN));
}

static void show_call(const struct show *w, const struct tl_node *n)
{
	switch (n->kind) {
	case TL_N_DEF:
		tl_buf_adds(w->buf, tl_str(w->scope->strings, w->scope->defs[n->def].name));
		break;
	case TL_N_SEL:
		tl_buf_adds(w->buf, "sel");
		break;
	case TL_N_SUM_PAIRS:
		tl_buf_adds(w->buf, "sumpairs");
		break;
	default:
		tl_buf_adds(w->buf, n->fn->name);
	}
	show_list(w, n, "(", ")");
}

static void show_null_if(const struct show *w, const struct tl_node *n)
{
	tl_buf_adds(w->buf, "NULL_IF(");
	for (uint32_t i = 1; i < n->n; i++) {
		if (i > 1)
			tl_buf_adds(w->buf, ", ");
		show(w, n->arg[i], -1);
	}
	tl_buf_adds(w->buf, "): ");
	show(w, n->arg[0], -1);
}

static void show(const struct show *w, const struct tl_node *n, int outer)
{
	int level = 0;
	const char *op = operator_text(n->kind, &level);

	if (op) {
		if (level < outer)
			tl_buf_addc(w->buf, '(');
		if (n->n == 1)
			tl_buf_adds(w->buf, op);
		show(w, n->arg[0], level);
		if (n->n == 2) {
			tl_buf_adds(w->buf, op);
			show(w, n->arg[1], level + 1);
		}
		if (level < outer)
			tl_buf_addc(w->buf, ')');
		return;
	}
	switch (n->kind) {
	case TL_N_CONST:
		tl_value_repr(w->buf, n->value, false);
		break;
	case TL_N_VAR:
		show_variable(w, n);
		break;
	case TL_N_TUPLE:
		show_list(w, n, "(", ")");
		break;
	case TL_N_LIST:
		show_list(w, n, "[", "]");
		break;
	case TL_N_NULL_IF:
		show_null_if(w, n);
		break;
	default:
		show_call(w, n);
	}
}

void tl_expr_show(struct tl_buf *buf, const struct tl_node *n, const struct tl_scope *scope,
                  const struct tl_value *vars, const bool *set)
{
	struct show w = { buf, scope, vars, set };
	show(&w, n, -1);
}
