/* op_tables.c - tables of knowledge: those of operators, models and GPUs, built in and of
 * --ops and --arch; rules about the names of kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_TABLE = 1 << 20 };

struct tl_opt_list tl_op_files;

/* Refuses families of operators that have the name of another sheet: the files of both
 * would have one name. */
static void reserve_names(const struct tl_registry *r)
{
	struct tl_error err;

	for (size_t i = 0; tl_sheet_families[i]; i++)
		for (const struct tl_sheet *s = tl_sheet_families[i]->sheets; s->name; s++)
			if (tl_family_reserve(r, s->name, &err))
				tl_die("%s", err.text);
}

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
	reserve_names(registry);
	for (size_t i = 0; i < tl_op_files.n; i++)
		free((char *)(uintptr_t)texts[i].text);
	free(texts);
	return registry;
}

void tl_add_rule_file(struct tl_name_rules *rules, const char *path)
{
	struct tl_error err;
	size_t len;
	char *text = tl_read_file(path, TL_RULE_TABLE_MAX, &len);

	if (tl_name_rules_add(rules, path, text, len, &err) != TL_OK)
		tl_die("%s", err.text);
	free(text);
}

struct tl_arch *tl_load_arch(const char *name)
{
	struct tl_error err;
	struct tl_arch *a;
	struct stat st;
	size_t len;

	if (tl_arch_by_name(&a, name, &err) == TL_OK)
		return a;
	if (stat(name, &st) && (errno == ENOENT || !strchr(name, '/')))
		tl_usage("%s, or a file", err.text);
	char *text = tl_read_file(name, MAX_TABLE, &len);
	if (tl_arch_from_text(&a, name, text, len, &err) != TL_OK)
		tl_die("%s", err.text);
	free(text);
	return a;
}
