/* host_names.c - what the names of host events mean.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "link/host_names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern const char tl_data_host_names[];
extern const size_t tl_data_host_names_len;

enum how { IS, STARTS, HOLDS, HOLDS_ANY_CASE };
static const char *const hows[] = { "is", "starts", "holds", "holds-any-case" };
static const char *const bits[] = { "launch", "graph", "backward", "recompute" }; /* from bit 0 on */

static size_t index_of(const char *const *words, size_t n, const char *word)
{
	size_t i = 0;
	while (i < n && strcmp(words[i], word))
		i++;
	return i;
}

/* The table is built in, so its lines need no check. */
void tl_host_names_read(struct tl_host_names *t)
{
	char *save_line = NULL, *save = NULL;
	char *text = tl_arena_dup(&t->arena, tl_data_host_names, tl_data_host_names_len);
	for (char *line = strtok_r(text, "\n", &save_line); line; line = strtok_r(NULL, "\n", &save_line)) {
		if (*line == '#')
			continue;
		TL_GROW(t->lines, t->cap, t->n + 1);
		struct tl_host_name *n = &t->lines[t->n++];
		n->bit = 1u << index_of(bits, sizeof bits / sizeof *bits, strtok_r(line, "\t", &save));
		n->how = (uint8_t)index_of(hows, sizeof hows / sizeof *hows, strtok_r(NULL, "\t", &save));
		n->texts[0] = strtok_r(NULL, "\t", &save);
		n->texts[1] = strtok_r(NULL, "\t", &save);
	}
}

void tl_host_names_release(struct tl_host_names *t)
{
	free(t->lines);
	tl_arena_release(&t->arena);
	*t = (struct tl_host_names){ 0 };
}

static bool holds_any_case(const char *s, size_t len, const char *text, size_t n)
{
	for (; len >= n; s++, len--)
		if (!strncasecmp(s, text, n))
			return true;
	return false;
}

static bool compare(enum how how, const char *s, size_t len, const char *text)
{
	size_t n = strlen(text);
	switch (how) {
	case IS: return len == n && !memcmp(s, text, n);
	case STARTS: return len >= n && !memcmp(s, text, n);
	case HOLDS: return memmem(s, len, text, n) != NULL;
	default: return holds_any_case(s, len, text, n);
	}
}

unsigned tl_host_name_bits(const struct tl_host_names *t, const char *name, size_t len)
{
	unsigned all = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct tl_host_name *n = &t->lines[i];
		if (compare(n->how, name, len, n->texts[0]) && (!n->texts[1] || compare(n->how, name, len, n->texts[1])))
			all |= n->bit;
	}
	return all;
}
