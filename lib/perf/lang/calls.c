/* calls.c - lines of an account: an expression with its values, and the calls of
 * definitions that were noted.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/lang/calls.h"

#include <stdlib.h>
#include <string.h>

enum { CALL_INDENT = 4, MAX_NOTES = 1000 };

void tl_line_show(struct tl_buf *b, const struct tl_eval *e, int indent, const char *name, const struct tl_node *node,
                  const struct tl_value *v)
{
	struct tl_buf text[3] = { { 0 } };
	size_t shown = 0;

	tl_expr_show(&text[0], node, e->scope, NULL, NULL);
	tl_expr_show(&text[1], node, e->scope, e->vars, e->set);
	if (v)
		tl_value_repr(&text[2], v, false);
	for (size_t i = 0; i < 3; i++) {
		if (!text[i].data || (i && !strcmp(text[i].data, text[shown].data)))
			continue;
		shown = i;
		if (i)
			tl_buf_addf(b, "%*s%*s = %s\n", indent, "", (int)strlen(name), "", text[i].data);
		else
			tl_buf_addf(b, "%*s%s = %s\n", indent, "", name, text[i].data);
	}
	for (size_t i = 0; i < 3; i++)
		tl_buf_release(&text[i]);
}

void tl_eval_note_call(struct tl_eval *e, const struct tl_expr_def *d, const struct tl_value *result)
{
	struct tl_call_log *log = e->calls;
	struct tl_buf name = { 0 }, b = { 0 };

	if (log->n == TL_MAX_CALLS || ++log->notes > MAX_NOTES) {
		log->more = true;
		return;
	}
	tl_buf_addf(&name, "%s(", tl_str(e->scope->strings, d->name));
	for (uint32_t i = 0; i < d->n_params; i++) {
		tl_buf_adds(&name, i ? ", " : "");
		tl_value_repr(&name, &e->vars[d->params[i]], false);
	}
	tl_buf_addc(&name, ')');
	tl_line_show(&b, e, CALL_INDENT, name.data, d->body, result);
	tl_buf_release(&name);
	size_t i = 0;
	while (i < log->n && strcmp(log->lines[i], b.data))
		i++;
	if (i == log->n)
		log->lines[log->n++] = b.data;
	else
		tl_buf_release(&b);
}

void tl_calls_show(struct tl_buf *b, struct tl_call_log *log)
{
	for (; log->n > 0; free(log->lines[log->n]))
		tl_buf_adds(b, log->lines[--log->n]);
	if (log->more)
		tl_buf_addf(b, "%*s...\n", CALL_INDENT, "");
}
