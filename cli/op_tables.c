/* op_tables.c - operator and model tables, built in and the user's. Apart from
 * sheets.c so that programs without need of them do not link them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "perf/models/perf.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TABLE = 1 << 20 };

/* the latest, and who uses it */
static struct tl_registry *shared;
static const struct tl_opt_list *shared_tables;
static unsigned n_users;

static bool same_tables(const struct tl_opt_list *a, const struct tl_opt_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->items[i], b->items[i]))
			return false;
	return true;
}

void tl_drop_registry(struct tl_registry *r)
{
	if (r == shared && --n_users)
		return;
	if (r == shared)
		shared = NULL;
	tl_registry_free(r);
}

struct tl_registry *tl_load_registry(const struct tl_opt_list *tables)
{
	struct tl_registry *r;
	struct tl_error err;

	if (shared && same_tables(tables, shared_tables)) {
		n_users++;
		return shared;
	}
	struct tl_table_text *texts = tl_calloc(tables->n + 1, sizeof *texts);
	for (size_t i = 0; i < tables->n; i++) {
		texts[i].name = tables->items[i];
		texts[i].text = tl_read_file(tables->items[i], MAX_TABLE, &texts[i].len);
	}
	if (tl_registry_new(&r, texts, tables->n, &err) != TL_OK)
		tl_die("%s", err.text);
	for (size_t i = 0; i < tables->n; i++)
		free((char *)(uintptr_t)texts[i].text);
	free(texts);
	if (!shared) {
		shared = r;
		shared_tables = tables;
		n_users = 1;
	}
	return r;
}
