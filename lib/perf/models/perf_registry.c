/* perf_registry.c - makes the registry of operators and models, and answers questions about them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/perf_registry.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern const char tl_data_ops[], tl_data_models[];
extern const size_t tl_data_ops_len, tl_data_models_len;

enum { MAX_TABLE = 1 << 20 };

/* ---- sheet families --------------------------------------------------------------------- */

#define MAX_FAMILY 27 /* with _fwd 31 characters, the most that Excel takes for a sheet */

static bool ends_with(const char *s, size_t n, const char *end)
{
	return n >= strlen(end) && !strncasecmp(s + n - strlen(end), end, strlen(end));
}

static enum tl_status check_name(const struct tl_cursor *c, const char *s, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	if (!n || !strchr(letters, s[0]) || s[n - 1] == ' ' || n > MAX_FAMILY)
		return tl_cursor_fail(c, c->pos, "expected a sheet family of 1 to %d characters that begins with a letter, "
		                      "a digit or \"_\"", MAX_FAMILY);
	size_t good = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+ ");
	if (good < n)
		return tl_cursor_fail(c, c->pos + good, "expected a sheet family of letters, digits, \"_\", \"-\", \".\", "
		                      "\"+\" and blanks: it names files");
	if (ends_with(s, n, "_fwd") || ends_with(s, n, "_bwd") || ends_with(s, n, "_kl_overlap"))
		return tl_cursor_fail(c, c->pos, "expected a sheet family without _fwd, _bwd or _kl_overlap at its end: "
		                      "its sheets get these");
	return TL_OK;
}

/* The family that a model names, else its category without _fwd or _bwd: CONV_fwd -> CONV. */
static uint32_t family_of(struct tl_registry *r, const struct tl_model *m)
{
	const char *s = tl_str(&r->strings, m->category);
	size_t n = strlen(s);

	if (m->family || n <= 4 || (strcmp(s + n - 4, "_fwd") && strcmp(s + n - 4, "_bwd")))
		return m->family ? m->family : m->category;
	return tl_intern(&r->strings, s, n - 4);
}

/* Files whose names differ only in upper and lower case are one file on some systems. */
static enum tl_status check_case(struct tl_registry *r, const struct tl_family *f, struct tl_error *err)
{
	const char *name = tl_str(&r->strings, f->name);

	for (size_t i = 0; i < r->n_families; i++) {
		const struct tl_family *other = &r->families[i];
		const char *its = tl_str(&r->strings, other->name);
		if (strcasecmp(name, its))
			continue;
		bool after = f->at.source != other->at.source ? f->at.source > other->at.source : f->at.pos > other->at.pos;
		struct tl_cursor c = tl_cursor_at(r, after ? f->at : other->at, err);
		return tl_cursor_fail(&c, c.pos, "expected another sheet family: \"%s\" is \"%s\" but for upper and lower case",
		                      after ? name : its, after ? its : name);
	}
	return TL_OK;
}

/* Finds the sheet families that operators have, and checks their names. */
static enum tl_status find_families(struct tl_registry *r, struct tl_error *err)
{
	for (size_t i = 0; i < r->n_ops; i++) {
		struct tl_perf_op *op = &r->ops[i]->op;
		struct tl_family f = { .name = family_of(r, op->model), .at = op->model->named };
		const char *name = tl_str(&r->strings, f.name);
		uint32_t *sheets = tl_map_get(&r->family_sheets, f.name);
		size_t at = 0;
		if (op->prefix || !f.name || !strcmp(name, "-"))
			continue;
		op->family = name;
		while (at < r->n_families && r->families[at].name != f.name)
			at++;
		if (at < r->n_families)
			continue;
		struct tl_cursor c = tl_cursor_at(r, f.at, err);
		if (check_case(r, &f, err) || check_name(&c, name, strlen(name)))
			return TL_ERR_DATA;
		f.sheets = sheets ? *sheets : FAMILY_TWO;
		TL_GROW(r->families, r->cap_families, r->n_families + 1);
		r->families[r->n_families++] = f;
	}
	return TL_OK;
}

enum tl_status tl_family_reserve(const struct tl_registry *r, const char *sheet, struct tl_error *err)
{
	for (size_t i = 0; i < r->n_families; i++) {
		struct tl_cursor c = tl_cursor_at(r, r->families[i].at, err);
		if (!strcasecmp(tl_str(&r->strings, r->families[i].name), sheet))
			return tl_cursor_fail(&c, c.pos, "expected another sheet family: %s is a sheet of its own", sheet);
	}
	return TL_OK;
}

size_t tl_families(const struct tl_registry *r)
{
	return r->n_families;
}

const char *tl_family_at(const struct tl_registry *r, size_t i, bool inference, bool *one)
{
	*one = r->families[i].sheets == FAMILY_ONE || (r->families[i].sheets == FAMILY_ONE_IN_TRAINING && !inference);
	return tl_str(&r->strings, r->families[i].name);
}

/* ---- making ---------------------------------------------------------------------- */

static enum tl_status add_table(struct tl_registry *r, struct tl_table_text t, struct tl_error *err)
{
	TL_GROW(r->sources, r->cap_sources, r->n_sources + 1);
	r->sources[r->n_sources++] = (struct tl_source){ t.name, t.text, t.len };
	return tl_table_read(r, err);
}

static enum tl_status add_user_table(struct tl_registry *r, struct tl_table_text t, struct tl_error *err)
{
	if (t.len > MAX_TABLE)
		return tl_fail(err, TL_ERR_DATA, "%s: table of %zu bytes; at most %d are expected", t.name, t.len, MAX_TABLE);
	if (memchr(t.text, 0, t.len))
		return tl_fail(err, TL_ERR_DATA, "%s: a table is text; found a zero byte", t.name);
	if (t.len >= 3 && !memcmp(t.text, "\xef\xbb\xbf", 3)) { /* a byte order mark */
		t.text += 3;
		t.len -= 3;
	}
	t.name = tl_arena_dup(&r->arena, t.name, strlen(t.name));
	t.text = tl_arena_dup(&r->arena, t.text, t.len);
	return add_table(r, t, err);
}

enum tl_status tl_registry_new(struct tl_registry **out, const struct tl_table_text *user, size_t n,
                               struct tl_error *err)
{
	struct tl_registry *r = tl_calloc(1, sizeof *r);
	enum tl_status s;

	r->maps.strings = &r->strings;
	s = add_table(r, (struct tl_table_text){ "models", tl_data_models, tl_data_models_len }, err);
	if (!s)
		s = add_table(r, (struct tl_table_text){ "ops", tl_data_ops, tl_data_ops_len }, err);
	for (size_t i = 0; !s && i < n; i++)
		s = add_user_table(r, user[i], err);
	if (!s && !(s = tl_registry_compile(r, err)))
		s = find_families(r, err);
	*out = s ? NULL : r;
	if (s)
		tl_registry_free(r);
	return s;
}

void tl_registry_free(struct tl_registry *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_models; i++) {
		free(r->models[i]->items);
		tl_scope_release(&r->models[i]->scope);
	}
	tl_strtab_release(&r->strings);
	tl_arena_release(&r->arena);
	tl_map_release(&r->model_by_name);
	tl_map_release(&r->op_by_name);
	tl_map_release(&r->prefix_by_name);
	tl_map_release(&r->category_by_name);
	tl_map_release(&r->family_sheets);
	tl_lookup_release(&r->maps);
	free(r->sources);
	free(r->models);
	free(r->ops);
	free(r->prefixes);
	free(r->kernels);
	free(r->families);
	free(r);
}

/* ---- questions ------------------------------------------------------------------------ */

const struct tl_perf_op *tl_op_find(const struct tl_registry *r, const char *name)
{
	uint32_t id = tl_strtab_find(&r->strings, name, strlen(name));
	uint32_t *at = id ? tl_map_get(&r->op_by_name, id) : NULL;
	const struct tl_perf_op *best = NULL;

	if (at)
		return &r->ops[*at - 1]->op;
	for (size_t i = 0; i < r->n_ops; i++) {
		const struct tl_perf_op *op = &r->ops[i]->op;
		if (op->prefix && tl_starts_with(name, op->name) && (!best || strlen(op->name) > strlen(best->name)))
			best = op;
	}
	return best;
}

const struct tl_perf_op *tl_op_at(const struct tl_registry *r, size_t i)
{
	return i < r->n_ops ? &r->ops[i]->op : NULL;
}

const char *tl_op_category_by_name(const struct tl_registry *r, const char *name)
{
	uint32_t id = tl_strtab_find(&r->strings, name, strlen(name));
	uint32_t *category = id ? tl_map_get(&r->category_by_name, id) : NULL;
	const struct tl_perf_op *op = category && *category ? NULL : tl_op_find(r, name);
	const struct tl_prefix_rule *best = NULL;
	size_t length = 0;

	if (category && *category)
		return tl_str(&r->strings, *category);
	if (op)
		return op->category;
	for (size_t i = 0; i < r->n_prefixes; i++) { /* the longest counts; of equal ones the last */
		const char *prefix = tl_str(&r->strings, r->prefixes[i].prefix);
		if (tl_starts_with(name, prefix) && strlen(prefix) >= length) {
			best = &r->prefixes[i];
			length = strlen(prefix);
		}
	}
	return best ? tl_str(&r->strings, best->category) : NULL;
}

const char *tl_op_category(const struct tl_registry *r, const char *name, const char *kernel0)
{
	const char *category = tl_op_category_by_name(r, name);

	for (size_t i = 0; !category && kernel0 && i < r->n_kernels; i++)
		if (tl_starts_with(kernel0, tl_str(&r->strings, r->kernels[i].prefix)) &&
		    strstr(kernel0, tl_str(&r->strings, r->kernels[i].part)))
			category = tl_str(&r->strings, r->kernels[i].category);
	return category ? category : "other";
}

/* ---- lists ----------------------------------------------------------------------------- */

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

/* The source is the comment "# source: …" with the comments in the lines right after it. */
void tl_model_describe(const struct tl_registry *r, size_t i, struct tl_buf *b)
{
	static const char mark[] = "# source: ";
	const struct tl_model *m = r->models[i];
	const char *text = r->sources[m->body.source].text, *body = text + m->body.pos, *end = text + m->body.end;
	const char *note = memmem(body, (size_t)(end - body), mark, sizeof mark - 1);

	tl_buf_addf(b, "%s\t%s\t%s\t", tl_str(&r->strings, m->name), tl_str(&r->strings, m->category),
	            tl_str(&r->strings, m->family));
	for (const char *s = note ? note + sizeof mark - 1 : NULL; s;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s)), *stop = nl ? nl : end;
		tl_buf_addf(b, "%s%.*s", s == note + sizeof mark - 1 ? "" : " ", (int)(stop - s), s);
		s = end - stop > 4 && !memcmp(stop, "\n\t# ", 4) ? stop + 4 : NULL;
	}
	tl_buf_addc(b, '\n');
}
