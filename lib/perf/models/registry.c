/* registry.c - operators, models and rules of all tables: made, added to, asked.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/table_lines.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_ops[], tl_data_models[];
extern const size_t tl_data_ops_len, tl_data_models_len;

#define MAX_TABLE ((size_t)64 << 20)

/* ---- making ---------------------------------------------------------------------- */

static struct tl_model *find_model(const struct tl_registry *r, uint32_t name)
{
	uint32_t *at = name ? tl_map_get(&r->model_by_name, name) : NULL;
	return at ? r->models[*at - 1] : NULL;
}

static enum tl_status resolve_op(struct tl_registry *r, struct tl_op *op, struct tl_error *err)
{
	struct tl_model *m = find_model(r, op->model_name);
	struct tl_cursor c = tl_cursor_of(r, op->at, err);

	if (!m)
		return tl_cursor_fail(&c, op->at.pos, "no model \"%.60s\"; --list-models names those there are", tl_str(&r->strings, op->model_name));
	uint32_t *line = op->is_prefix ? NULL : tl_map_get(&r->category_by_name, op->name);
	uint32_t category = line && *line ? *line : op->category ? op->category : m->category;
	op->model = m;
	op->family_name = tl_family_of(r, m);
	op->pub.name = tl_str(&r->strings, op->name);
	op->pub.model = m;
	op->pub.model_name = tl_str(&r->strings, m->name);
	op->pub.category = category ? tl_str(&r->strings, category) : "other";
	op->pub.family = op->is_prefix || !op->family_name || !strcmp(tl_str(&r->strings, op->family_name), "-") ? NULL
	               : tl_str(&r->strings, op->family_name);
	op->pub.backward = m->backward ? tl_str(&r->strings, m->backward) : NULL;
	op->compiled = false;
	return TL_OK;
}

static enum tl_status resolve(struct tl_registry *r, struct tl_error *err)
{
	r->n_families = 0;
	for (size_t i = 0; i < r->n_ops; i++) {
		enum tl_status s = resolve_op(r, r->ops[i], err);
		if (!s && r->ops[i]->pub.family)
			s = tl_family_add(r, r->ops[i], err);
		if (s)
			return s;
	}
	return TL_OK;
}

static uint32_t add_source(struct tl_registry *r, const char *name, const char *text, size_t len)
{
	TL_GROW(r->sources, r->cap_sources, r->n_sources + 1);
	r->sources[r->n_sources] = (struct tl_source){ name, text, len };
	return (uint32_t)r->n_sources++;
}

/* All that a user's table defines is compiled at once: mistakes show when the
 * program starts. */
static enum tl_status compile_from(struct tl_registry *r, uint32_t in, size_t first_model, struct tl_error *err)
{
	enum tl_status s;

	for (size_t i = first_model; i < r->n_models; i++)
		if ((s = tl_model_compile(r, r->models[i], err)))
			return s;
	for (size_t i = 0; i < r->n_ops; i++) {
		const struct tl_op *op = r->ops[i];
		if (op->at.in < in && op->model->head.in < in)
			continue;
		if ((s = tl_op_compile(r, r->ops[i], err)))
			return op->at.in < in ? tl_model_blame(r, op->model, "does not fit an operator of an earlier table", err) : s;
	}
	return TL_OK;
}

enum tl_status tl_registry_add(struct tl_registry *r, const char *name,
                               const char *text, size_t len, struct tl_error *err)
{
	enum tl_status s;
	size_t first_model = r->n_models;

	if (len > MAX_TABLE)
		return tl_fail(err, TL_ERR_DATA, "%s: table of %zu bytes; at most %zu are expected", name, len, MAX_TABLE);
	if (memchr(text, 0, len))
		return tl_fail(err, TL_ERR_DATA, "%s: a table is text; found a zero byte", name);
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* a byte order mark */
		text += 3;
		len -= 3;
	}
	uint32_t in = add_source(r, tl_arena_dup(&r->arena, name, strlen(name)), tl_arena_dup(&r->arena, text, len), len);
	if ((s = tl_table_read(r, in, err)) || (s = resolve(r, err)))
		return s;
	return compile_from(r, in, first_model, err);
}

enum tl_status tl_registry_new(struct tl_registry **out, struct tl_error *err)
{
	struct tl_registry *r = tl_calloc(1, sizeof *r);
	enum tl_status s;

	*out = NULL;
	uint32_t models = add_source(r, "models", tl_data_models, tl_data_models_len);
	uint32_t ops = add_source(r, "ops", tl_data_ops, tl_data_ops_len);
	if ((s = tl_table_read(r, models, err)) || (s = tl_table_read(r, ops, err)) || (s = resolve(r, err))) {
		tl_registry_free(r);
		return s;
	}
	*out = r;
	return TL_OK;
}

void tl_registry_free(struct tl_registry *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_models; i++) {
		struct tl_model *m = r->models[i];
		free(m->items);
		free(m->params);
		tl_scope_release(&m->scope);
	}
	tl_strtab_release(&r->strings);
	tl_arena_release(&r->arena);
	tl_map_release(&r->model_by_name);
	tl_map_release(&r->op_by_name);
	tl_map_release(&r->category_by_name);
	tl_map_release(&r->one_sheet);
	tl_map_release(&r->maps);
	free(r->sources);
	free(r->models);
	free(r->ops);
	free(r->prefix_ops);
	free(r->prefix_categories);
	free(r->kernels);
	free(r->families);
	free(r->map_values);
	free(r);
}

/* ---- questions ------------------------------------------------------------------------ */

/* The longest of the rules whose text the name begins with; of equal ones the
 * last. */
static const struct tl_prefix_rule *find_prefix(const struct tl_registry *r, const struct tl_prefix_rule *rules, size_t n, const char *name)
{
	const struct tl_prefix_rule *best = NULL;
	size_t length = 0;

	for (size_t i = 0; i < n; i++)
		if (tl_starts_with(name, tl_str(&r->strings, rules[i].prefix)) && tl_str_len(&r->strings, rules[i].prefix) >= length) {
			best = &rules[i];
			length = tl_str_len(&r->strings, rules[i].prefix);
		}
	return best;
}

static struct tl_op *find_op(const struct tl_registry *r, const char *name)
{
	uint32_t id = tl_strtab_find(&r->strings, name, strlen(name));
	uint32_t *at = id ? tl_map_get(&r->op_by_name, id) : NULL;

	if (at)
		return r->ops[*at - 1];
	const struct tl_prefix_rule *p = find_prefix(r, r->prefix_ops, r->n_prefix_ops, name);
	return p ? r->ops[p->value] : NULL;
}

const char *tl_op_category_by_name(const struct tl_registry *r, const char *name)
{
	uint32_t id = tl_strtab_find(&r->strings, name, strlen(name)), *v;
	const struct tl_prefix_rule *p;

	if (id && (v = tl_map_get(&r->op_by_name, id)))
		return r->ops[*v - 1]->pub.category; /* which knows its category line */
	if (id && (v = tl_map_get(&r->category_by_name, id)) && *v)
		return tl_str(&r->strings, *v);
	if ((p = find_prefix(r, r->prefix_ops, r->n_prefix_ops, name)))
		return r->ops[p->value]->pub.category;
	p = find_prefix(r, r->prefix_categories, r->n_prefix_categories, name);
	return p ? tl_str(&r->strings, p->value) : NULL;
}

const char *tl_op_category(const struct tl_registry *r, const char *name, const char *kernel0)
{
	const char *category = tl_op_category_by_name(r, name);

	if (category)
		return category;
	for (size_t i = 0; kernel0 && i < r->n_kernels; i++)
		if (tl_starts_with(kernel0, tl_str(&r->strings, r->kernels[i].prefix)) &&
		    strstr(kernel0, tl_str(&r->strings, r->kernels[i].part)))
			return tl_str(&r->strings, r->kernels[i].category);
	return "other";
}

const struct tl_perf_op *tl_op_find(const struct tl_registry *r, const char *name)
{
	struct tl_registry *mine = (struct tl_registry *)(uintptr_t)r; /* no change that anyone can see */
	struct tl_op *op = find_op(r, name);

	if (!op)
		return NULL;
	if (!op->compiled)
		tl_op_compile(mine, op, NULL);
	const char *category = op->is_prefix ? tl_op_category_by_name(r, name) : op->pub.category;
	if (category == op->pub.category)
		return &op->pub;
	/* one of the many that a prefix stands for has a category line of its own */
	struct tl_op *own = tl_arena_alloc(&mine->arena, sizeof *own);
	*own = *op;
	own->pub.category = category;
	return &own->pub;
}

const struct tl_perf_op *tl_op_at(const struct tl_registry *r, size_t i)
{
	return i < r->n_ops ? &r->ops[i]->pub : NULL;
}

const char *tl_registry_table(const struct tl_registry *r, size_t i, size_t *len)
{
	if (i >= r->n_sources)
		return NULL;
	*len = r->sources[i].len;
	return r->sources[i].text;
}

size_t tl_models(const struct tl_registry *r)
{
	return r->n_models;
}
