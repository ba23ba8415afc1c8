/* registry.c - operators, models and rules, read from text tables.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/perf.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_ops[], tl_data_models[];
extern const size_t tl_data_ops_len, tl_data_models_len;

struct named { uint32_t key, value; };
struct kernel_rule { uint32_t prefix, part, category; };

struct tl_registry {
	struct tl_strtab strings;
	struct tl_map op_category; /* name id -> category id */
	struct tl_map op_model;    /* name id -> model id */
	struct tl_map model_category;
	struct named *prefixes; size_t n_prefixes, cap_prefixes;
	struct kernel_rule *kernels; size_t n_kernels, cap_kernels;
};

#define MAX_FIELDS 8

/* Splits a line at tabs; returns the number of fields. Quotes around a field
 * are taken off. */
static size_t split(const char *s, const char *end, const char **field, size_t *len)
{
	size_t n = 0;
	while (s < end && n < MAX_FIELDS) {
		const char *tab = memchr(s, '\t', (size_t)(end - s));
		const char *stop = tab ? tab : end;
		field[n] = s;
		len[n] = (size_t)(stop - s);
		if (len[n] >= 2 && s[0] == '"' && stop[-1] == '"') {
			field[n]++;
			len[n] -= 2;
		}
		n++;
		s = tab ? tab + 1 : end;
	}
	return n;
}

static void read_line(struct tl_registry *r, const char **f, const size_t *len, size_t n, uint32_t *model)
{
	uint32_t id[MAX_FIELDS];
	for (size_t i = 0; i < n; i++)
		id[i] = tl_intern(&r->strings, f[i], len[i]);
	if (n < 2)
		return;
	if (len[0] == 0) {
		if (!strcmp(tl_str(&r->strings, id[1]), "category") && n > 2)
			*tl_map_put(&r->model_category, *model, NULL) = id[2];
		return;
	}
	const char *kind = tl_str(&r->strings, id[0]);
	if (!strcmp(kind, "model")) {
		const char *sp = memchr(f[1], ' ', len[1]);
		*model = tl_intern(&r->strings, f[1], sp ? (size_t)(sp - f[1]) : len[1]);
		const char *like = sp ? strstr(sp, "like=") : NULL;
		if (like && like < f[1] + len[1]) {
			uint32_t base = tl_intern(&r->strings, like + 5, (size_t)(f[1] + len[1] - like - 5));
			uint32_t *c = tl_map_get(&r->model_category, base);
			uint32_t cat = c ? *c : 0;
			*tl_map_put(&r->model_category, *model, NULL) = cat;
		}
	} else if (!strcmp(kind, "op") && n > 2) {
		*tl_map_put(&r->op_model, id[1], NULL) = id[2];
		const char *own = n > 3 ? strstr(tl_str(&r->strings, id[3]), "category=") : NULL;
		if (own)
			*tl_map_put(&r->op_category, id[1], NULL) = tl_intern(&r->strings, own + 9, strcspn(own + 9, " "));
	} else if (!strcmp(kind, "category") && n > 2) {
		*tl_map_put(&r->op_category, id[1], NULL) = id[2];
	} else if (!strcmp(kind, "category-prefix") && n > 2) {
		TL_GROW(r->prefixes, r->cap_prefixes, r->n_prefixes + 1);
		r->prefixes[r->n_prefixes++] = (struct named){ id[1], id[2] };
	} else if (!strcmp(kind, "kernel") && n > 3) {
		TL_GROW(r->kernels, r->cap_kernels, r->n_kernels + 1);
		r->kernels[r->n_kernels++] = (struct kernel_rule){ id[1], id[2], id[3] };
	}
}

enum tl_status tl_registry_add(struct tl_registry *r, const char *name,
                               const char *text, size_t len, struct tl_error *err)
{
	const char *s = text, *end = text + len;
	uint32_t model = 0;
	(void)name;
	(void)err;
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const char *stop = nl ? nl : end;
		const char *f[MAX_FIELDS];
		size_t flen[MAX_FIELDS];
		if (*s != '#')
			read_line(r, f, flen, split(s, stop, f, flen), &model);
		s = nl ? nl + 1 : end;
	}
	return TL_OK;
}

enum tl_status tl_registry_new(struct tl_registry **out, struct tl_error *err)
{
	struct tl_registry *r = tl_calloc(1, sizeof *r);
	tl_strtab_init(&r->strings);
	tl_registry_add(r, "models", tl_data_models, tl_data_models_len, err);
	tl_registry_add(r, "ops", tl_data_ops, tl_data_ops_len, err);
	*out = r;
	return TL_OK;
}

void tl_registry_free(struct tl_registry *r)
{
	if (!r)
		return;
	tl_strtab_release(&r->strings);
	tl_map_release(&r->op_category);
	tl_map_release(&r->op_model);
	tl_map_release(&r->model_category);
	free(r->prefixes);
	free(r->kernels);
	free(r);
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

const char *tl_op_category(const struct tl_registry *r, const char *name, const char *kernel0)
{
	uint32_t id = tl_strtab_find(&r->strings, name, strlen(name)), *v;
	if (id && (v = tl_map_get(&r->op_category, id)))
		return tl_str(&r->strings, *v);
	if (id && (v = tl_map_get(&r->op_model, id)) && (v = tl_map_get(&r->model_category, *v)))
		return tl_str(&r->strings, *v);
	for (size_t i = 0; i < r->n_prefixes; i++)
		if (starts_with(name, tl_str(&r->strings, r->prefixes[i].key)))
			return tl_str(&r->strings, r->prefixes[i].value);
	for (size_t i = 0; kernel0 && i < r->n_kernels; i++)
		if (starts_with(kernel0, tl_str(&r->strings, r->kernels[i].prefix)) &&
		    strstr(kernel0, tl_str(&r->strings, r->kernels[i].part)))
			return tl_str(&r->strings, r->kernels[i].category);
	return "other";
}
