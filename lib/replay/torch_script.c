/* torch_script.c - a program in Python that runs recorded operators again: torch-script.txt with what it runs.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/torch_script.h"

#include <string.h>

extern const char tl_data_torch_script[];
extern const size_t tl_data_torch_script_len;

/* As a comment in one line. */
static void add_title(struct tl_buf *b, const char *s)
{
	for (; *s; s++)
		tl_buf_addc(b, (unsigned char)*s < ' ' ? ' ' : *s);
}

static void add_types(struct tl_buf *b, const struct tl_replay_tables *t)
{
	for (size_t i = 0; i < t->n_types; i++)
		tl_buf_addf(b, "%s    \"%s\": \"%s\",", i ? "\n" : "", t->types[i].name, t->types[i].torch);
}

/* JSON in a text that ends with three quotes; without the end of the last line. */
static void add_ops(struct tl_buf *b, const char *s)
{
	for (; *s && strcmp(s, "\n"); s++)
		if (*s == '\'')
			tl_buf_adds(b, "\\u0027");
		else
			tl_buf_addc(b, *s);
}

static bool is_next(const char *s, const char *end, const char *mark)
{
	size_t n = strlen(mark);

	return (size_t)(end - s) >= n && !memcmp(s, mark, n);
}

void tl_torch_script_write(struct tl_buf *b, const char *title, const char *ops, const struct tl_replay_tables *t)
{
	const char *s = tl_data_torch_script, *end = s + tl_data_torch_script_len;

	while (s < end)
		if (is_next(s, end, "@TITLE@")) {
			add_title(b, title);
			s += strlen("@TITLE@");
		} else if (is_next(s, end, "@DTYPES@")) {
			add_types(b, t);
			s += strlen("@DTYPES@");
		} else if (is_next(s, end, "@OPS@")) {
			add_ops(b, ops);
			s += strlen("@OPS@");
		} else {
			tl_buf_addc(b, *s++);
		}
}
