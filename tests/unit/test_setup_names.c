/* test_setup_names.c - what names tell about a program: lib/work/setup_names.h.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/setup_names.h"

#include "vectors.h"

/* cells: row, what the name is of, name, value of the row's fact */
static bool tells(void *arg, char **cells)
{
	static const char *const kinds[TL_SETUP_KINDS] = { "op", "call", "kernel", "frame", "range", "copy", "group", "gpu", "profiler" };
	const struct tl_setup_names *names = arg;
	size_t fact = strcspn(cells[0], " ");
	const char *got = "-";
	unsigned kind = 0;

	while (kind < TL_SETUP_KINDS && strcmp(kinds[kind], cells[1]) != 0)
		kind++;
	for (size_t i = names->n; i-- > 0;)
		if (strlen(names->rows[i].fact) == fact && !memcmp(names->rows[i].fact, cells[0], fact) &&
		    kind < TL_SETUP_KINDS && tl_setup_row_holds(&names->rows[i], kind, cells[2], strlen(cells[2])))
			got = names->rows[i].value;
	bool so = !strcmp(got, cells[3]);
	if (!so)
		printf("row %s: %s %s: got %s, expected %s\n", cells[0], cells[1], cells[2], got, cells[3]);
	return so;
}

int main(void)
{
	struct tl_setup_names names;

	tl_setup_names_init(&names);
	check_vectors("setup-names", 4, tells, &names);
	size_t facts = 0;
	for (size_t i = 0; i < names.n; i = names.rows[i].next_fact)
		facts++;
	check("each fact stands once, its rows together", facts == 11);
	tl_setup_names_release(&names);
	return failures != 0;
}
