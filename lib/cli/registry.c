/* registry.c - operator and model tables, built in and the user's. Apart from
 * sheets.c so that programs without need of them do not link them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "perf/perf.h"

#include <stdlib.h>

struct tl_registry *tl_load_registry(const struct tl_opt_list *tables)
{
	struct tl_registry *r;
	struct tl_error err;

	if (tl_registry_new(&r, &err) != TL_OK)
		tl_die("%s", err.text);
	for (size_t i = 0; i < tables->n; i++) {
		size_t len;
		char *text = tl_read_file(tables->items[i], 1 << 24, &len);

		if (tl_registry_add(r, tables->items[i], text, len, &err) != TL_OK)
			tl_die("%s", err.text);
		free(text);
	}
	return r;
}
