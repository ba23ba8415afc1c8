/* op_tables.c - the tables of operators and models: built in, and those of --ops.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <stdlib.h>

enum { MAX_TABLE = 1 << 20 };

struct tl_opt_list tl_op_files;

struct tl_registry *tl_op_tables(void)
{
	static struct tl_registry *registry;
	struct tl_error err;

	if (registry)
		return registry;
	struct tl_table_text *texts = tl_calloc(tl_op_files.n + 1, sizeof *texts);
	for (size_t i = 0; i < tl_op_files.n; i++) {
		texts[i].name = tl_op_files.items[i];
		texts[i].text = tl_read_file(texts[i].name, MAX_TABLE, &texts[i].len);
	}
	if (tl_registry_new(&registry, texts, tl_op_files.n, &err) != TL_OK)
		tl_die("%s", err.text);
	for (size_t i = 0; i < tl_op_files.n; i++)
		free((char *)(uintptr_t)texts[i].text);
	free(texts);
	return registry;
}
