/* scope.c - names that a model's expressions may use, and which of them one uses.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/expr.h"
#include "perf/lang/functions.h"

#include <stdlib.h>

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

/* ---- what an expression uses ------------------------------------------------------ */

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
