/* expr_show.c - the tree of an expression back to text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/expr.h"
#include "perf/lang/functions.h"

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
	case TL_N_KNOWN:
		tl_buf_adds(w->buf, "known");
		break;
	case TL_N_EACH:
		tl_buf_addf(w->buf, "each(%s, ", tl_str(w->scope->strings, w->scope->vars[n->var] & ~TL_HIDDEN));
		show(w, n->arg[0], -1);
		tl_buf_adds(w->buf, ", ");
		show(w, n->arg[1], -1);
		tl_buf_addc(w->buf, ')');
		return;
	default:
		tl_buf_adds(w->buf, n->fn->name);
	}
	show_list(w, n, "(", ")");
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
