/* node_log.c - what the log of a node says.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/node_log.h"

#include "base/pattern.h"
#include "base/rows.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_node_log_words[];
extern const size_t tl_data_node_log_words_len;

enum { RANK, HOST, NODES, KINDS };
static const char *const kinds[] = { "rank", "host", "nodes", NULL };

/* Fills said[KIND] with what the first row of each kind that matches finds, texts to be freed. text NULL: only checks the table. */
static enum tl_status read_rows(struct tl_rows r, const char *text, size_t len, char *said[KINDS])
{
	struct tl_arena arena = { 0 };

	r.columns = "what, expression";
	while (tl_rows_next(&r)) {
		size_t kind = tl_rows_word(&r, 0, kinds), n;
		struct tl_pattern p;
		const char *found;
		char why[200];
		if (r.status)
			break;
		if (!tl_pattern_compile(&p, tl_rows_text(&r, 1, &arena), TL_PATTERN_ANY_CASE, NULL, why)) {
			tl_rows_fail(&r, r.fields[1].s, "%s", why);
			break;
		}
		if (text && !said[kind] && tl_pattern_group(&p, text, len, 1, &found, &n))
			said[kind] = tl_strndup(found, n);
		tl_pattern_release(&p);
	}
	tl_arena_release(&arena);
	return r.status;
}

static int64_t number_of(char *digits)
{
	struct tl_field_text f = { digits, digits ? strlen(digits) : 0 };
	int64_t n = -1;

	if (!digits || !tl_field_int(&f, &n))
		n = -1;
	free(digits);
	return n;
}

struct tl_node_log tl_node_log_read(const char *text, size_t len)
{
	struct tl_rows r = { .file = "node-log-words", .text = tl_data_node_log_words, .len = tl_data_node_log_words_len };
	char *said[KINDS] = { 0 };
	struct tl_error err;

	r.err = &err;
	tl_must(read_rows(r, text, len < TL_NODE_LOG_LEN ? len : TL_NODE_LOG_LEN, said), &err);
	return (struct tl_node_log){ .rank = number_of(said[RANK]), .nodes = number_of(said[NODES]), .host = said[HOST] };
}

char *tl_node_of_file(const char *path, const char *suffix)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t len = strlen(name), end = strlen(suffix), i = 0;

	if (len <= end || strcmp(name + len - end, suffix) != 0 || !tl_is_letter(*name) || *name == '_')
		return NULL;
	while (i < len - end && name[i] != '_' && (tl_in_name(name[i]) || name[i] == '-'))
		i++;
	return i == len - end ? tl_strndup(name, i) : NULL;
}

enum tl_status tl_node_log_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	return read_rows((struct tl_rows){ .file = file, .text = text, .len = len, .err = err }, NULL, 0, NULL);
}
