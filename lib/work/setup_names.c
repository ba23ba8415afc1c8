/* setup_names.c - reads setup-names.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/setup_names.h"

#include "base/rows.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_setup_names[];
extern const size_t tl_data_setup_names_len;

static const char *const kind_words[] = { "op", "call", "kernel", "frame", "range", "copy", "group", "gpu", "profiler", NULL };

/* The kinds of a field such as "op,range". */
static unsigned kinds_of(struct tl_rows *rows, const char *field)
{
	unsigned kinds = 0;

	for (const char *s = field; !rows->status && s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
		size_t len = strcspn(s, ","), k = 0;
		while (kind_words[k] && !tl_text_is(s, len, kind_words[k]))
			k++;
		if (!kind_words[k])
			tl_rows_fail(rows, rows->fields[2].s, "expected op, call, kernel, frame, range, copy, group, gpu or profiler");
		kinds |= 1u << k;
	}
	return kinds;
}

enum tl_status tl_setup_names_read(struct tl_setup_names *s, const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_rows rows = { .file = file, .text = text, .len = len, .columns = "fact, value, kinds, pattern", .err = err };

	while (tl_rows_next(&rows)) {
		const char *value = tl_rows_text(&rows, 1, &s->arena);
		bool more = *value == '+';
		struct tl_setup_row row = { tl_rows_text(&rows, 0, &s->arena), value + more, more,
		                            kinds_of(&rows, tl_rows_text(&rows, 2, &s->arena)), { 0 }, 0 };
		char why[200];
		if (!rows.status && !tl_pattern_compile(&row.pattern, tl_rows_text(&rows, 3, &s->arena), 0, NULL, why))
			tl_rows_fail(&rows, rows.fields[3].s, "bad regular expression: %s", why);
		if (rows.status)
			break;
		TL_PUSH(s->rows, s->n, s->cap, row);
	}
	for (size_t i = s->n; i-- > 0;)
		s->rows[i].next_fact = i + 1 == s->n || strcmp(s->rows[i].fact, s->rows[i + 1].fact) != 0 ? i + 1 : s->rows[i + 1].next_fact;
	return rows.status;
}

void tl_setup_names_init(struct tl_setup_names *s)
{
	struct tl_error err;

	*s = (struct tl_setup_names){ 0 };
	tl_must(tl_setup_names_read(s, "setup-names", tl_data_setup_names, tl_data_setup_names_len, &err), &err);
}

void tl_setup_names_release(struct tl_setup_names *s)
{
	for (size_t i = 0; i < s->n; i++)
		tl_pattern_release(&s->rows[i].pattern);
	free(s->rows);
	tl_arena_release(&s->arena);
}

bool tl_setup_row_holds(const struct tl_setup_row *r, enum tl_setup_name kind, const char *name, size_t len)
{
	return r->kinds >> kind & 1 && tl_pattern_matches(&r->pattern, name, len);
}
