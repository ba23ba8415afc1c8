/* expr_show.c - trees of expressions back to text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "lang/expr.h"
#include "lang/functions.h"

#include <string.h>

/* The first that fits counts, so "<=" stands before "<", and "//" before "/". */
const struct tl_operator tl_operators[] = {
	{ "or", TL_LEVEL_OR, TL_N_OR, false }, { "and", TL_LEVEL_AND, TL_N_AND, false },
	{ "not", TL_LEVEL_NOT, TL_N_NOT, true },
	{ "==", TL_LEVEL_COMPARISON, TL_N_EQ, false }, { "!=", TL_LEVEL_COMPARISON, TL_N_NE, false },
	{ "<=", TL_LEVEL_COMPARISON, TL_N_LE, false }, { ">=", TL_LEVEL_COMPARISON, TL_N_GE, false },
	{ "<", TL_LEVEL_COMPARISON, TL_N_LT, false }, { ">", TL_LEVEL_COMPARISON, TL_N_GT, false },
	{ "+", TL_LEVEL_SUM, TL_N_ARITHMETIC + TL_ADD, false }, { "-", TL_LEVEL_SUM, TL_N_ARITHMETIC + TL_SUB, false },
	{ "*", TL_LEVEL_PRODUCT, TL_N_ARITHMETIC + TL_MUL, false },
	{ "//", TL_LEVEL_PRODUCT, TL_N_ARITHMETIC + TL_FLOORDIV, false },
	{ "/", TL_LEVEL_PRODUCT, TL_N_ARITHMETIC + TL_DIV, false },
	{ "%", TL_LEVEL_PRODUCT, TL_N_ARITHMETIC + TL_MOD, false },
	{ "-", TL_LEVEL_SIGN, TL_N_NEG, true },
	{ .text = NULL },
};

struct show {
	struct tl_buf *buf;
	const struct tl_scope *scope;
	const struct tl_value *vars;
	const bool *set;
};

static void show(const struct show *w, const struct tl_node *n, int outer);

static const char *name_of(const struct show *w, uint32_t var)
{
	return tl_str(w->scope->strings, w->scope->vars[var]);
}

static void show_list(const struct show *w, const struct tl_node *n, const char *open, const char *close)
{
	tl_buf_adds(w->buf, open);
	for (uint32_t i = 0; i < n->n; i++) {
		tl_buf_adds(w->buf, i ? ", " : "");
		show(w, n->arg[i], 0);
	}
	if (n->kind == TL_N_TUPLE && n->n == 1)
		tl_buf_addc(w->buf, ',');
	tl_buf_adds(w->buf, close);
}

/* outer: the level that keeps its meaning without brackets. An operator of a lower level gets them. */
static void show_operator(const struct show *w, const struct tl_node *n, const struct tl_operator *o, int outer)
{
	bool spaced = o->level < TL_LEVEL_PRODUCT, word = o->level < TL_LEVEL_COMPARISON;

	if (o->level < outer)
		tl_buf_addc(w->buf, '(');
	if (o->prefix)
		tl_buf_addf(w->buf, "%s%s", o->text, word ? " " : "");
	show(w, n->arg[0], o->level);
	if (!o->prefix) {
		tl_buf_addf(w->buf, spaced ? " %s " : "%s", o->text);
		show(w, n->arg[1], o->level + 1);
	}
	if (o->level < outer)
		tl_buf_addc(w->buf, ')');
}

static void show(const struct show *w, const struct tl_node *n, int outer)
{
	switch (n->kind) {
	case TL_N_CONST:
		tl_value_repr(w->buf, n->value, false);
		return;
	case TL_N_VAR:
		if (w->set && w->set[n->var])
			tl_value_repr(w->buf, &w->vars[n->var], false);
		else
			tl_buf_adds(w->buf, name_of(w, n->var));
		return;
	case TL_N_TUPLE:
		show_list(w, n, "(", ")");
		return;
	case TL_N_LIST:
		show_list(w, n, "[", "]");
		return;
	case TL_N_CALL:
		tl_buf_adds(w->buf, n->fn->name);
		show_list(w, n, "(", ")");
		return;
	case TL_N_DEF:
		tl_buf_adds(w->buf, tl_str(w->scope->strings, w->scope->defs[n->def].name));
		show_list(w, n, "(", ")");
		return;
	case TL_N_SEL:
		show_list(w, n, "sel(", ")");
		return;
	case TL_N_KNOWN:
		show_list(w, n, "known(", ")");
		return;
	case TL_N_EACH:
		tl_buf_addf(w->buf, "each(%s, ", name_of(w, n->var));
		show_list(w, n, "", ")");
		return;
	}
	const struct tl_operator *o = tl_operators;
	while (o->kind != n->kind)
		o++;
	show_operator(w, n, o, outer);
}

void tl_expr_show(struct tl_buf *buf, const struct tl_node *n, const struct tl_scope *scope,
                  const struct tl_value *vars, const bool *set)
{
	struct show w = { buf, scope, vars, set };

	show(&w, n, 0);
}

void tl_expr_show_steps(struct tl_buf *b, int indent, const char *name, const struct tl_node *n,
                        const struct tl_scope *scope, const struct tl_value *vars, const bool *set,
                        const struct tl_value *result)
{
	struct tl_buf text[3] = { { 0 } };
	size_t last = 0;

	tl_expr_show(&text[0], n, scope, NULL, NULL);
	tl_expr_show(&text[1], n, scope, vars, set);
	if (result)
		tl_value_repr(&text[2], result, false);
	tl_buf_addf(b, "%*s%s = %s\n", indent, "", name, text[0].data);
	for (size_t i = 1; i < 3; i++)
		if (text[i].len && strcmp(text[i].data, text[last].data)) {
			tl_buf_addf(b, "%*s%*s = %s\n", indent, "", (int)strlen(name), "", text[i].data);
			last = i;
		}
	for (size_t i = 0; i < 3; i++)
		tl_buf_release(&text[i]);
}
