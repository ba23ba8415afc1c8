/* families.c - sheet families: finds those that operators have, and checks their names.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/perf_registry.h"

#include <string.h>
#include <strings.h>

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

enum tl_status tl_families_find(struct tl_registry *r, struct tl_error *err)
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
