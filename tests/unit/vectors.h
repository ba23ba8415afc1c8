/* vectors.h - reads the examples of a table, tests/vectors/NAME.tsv.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_VECTORS_H
#define TL_VECTORS_H

#include "check.h"

#include <stdlib.h>
#include <string.h>

/* Calls `holds` for each line with its n cells, at most 8; a line with fewer fails. `holds` says
 * whether the library agrees, and prints what it says if not. */
static inline void check_vectors(const char *name, size_t n, bool (*holds)(void *arg, char **cells), void *arg)
{
	const char *root = getenv("TL_ROOT");
	char path[4096], *line = NULL;
	size_t cap = 0, seen = 0, wrong = 0;

	snprintf(path, sizeof path, "%s/tests/vectors/%s.tsv", root ? root : ".", name);
	FILE *f = fopen(path, "r");
	while (f && getline(&line, &cap, f) > 0) {
		char *cells[8], *s = line;
		size_t i = 0;

		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		while (i < n && s)
			cells[i++] = strsep(&s, "\t");
		seen++;
		wrong += i < n || s || !holds(arg, cells);
	}
	snprintf(path, sizeof path, "examples of %s", name);
	check(path, seen && !wrong);
	free(line);
	if (f)
		fclose(f);
}

#endif
