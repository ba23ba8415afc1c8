/* families.c - sheet families: names they may have, and those that operators use.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/table_lines.h"

#include <string.h>
#include <strings.h>

/* Other sheets of one report; their files and those of families share a folder. */
static const char *const other_sheets[] = {
	"gpu_timeline", "ops_summary_by_category", "ops_summary", "ops_unique_args", "launchers", "kernel_summary",
	"short_kernel_histogram", "short_kernels_summary", "kernels", "coll_analysis", "collectives", "unified_perf_summary",
};
#define MAX_FAMILY 27 /* with _fwd the 31 characters of a sheet in a workbook */

static bool ends_with(const char *s, size_t n, const char *end)
{
	return n >= strlen(end) && !strncasecmp(s + n - strlen(end), end, strlen(end));
}

enum tl_status tl_family_check(const struct tl_cursor *c, size_t pos, const char *s, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	if (!n || !memchr(letters, s[0], sizeof letters - 1) || s[n - 1] == ' ' || n > MAX_FAMILY)
		return tl_cursor_fail(c, pos, "expected a sheet family of 1 to %d characters that begins with a letter, a digit or \"_\"", MAX_FAMILY);
	for (size_t i = 0; i < n; i++)
		if (!memchr(letters, s[i], sizeof letters - 1) && !memchr("-.+ ", s[i], 4))
			return tl_cursor_fail(c, pos + i, "expected a sheet family of letters, digits, \"_\", \"-\", \".\", \"+\" and blanks: it names files");
	if (ends_with(s, n, "_fwd") || ends_with(s, n, "_bwd") || ends_with(s, n, "_kl_overlap"))
		return tl_cursor_fail(c, pos, "expected a sheet family without _fwd, _bwd or _kl_overlap at its end: its sheets get these");
	for (size_t i = 0; i < sizeof other_sheets / sizeof *other_sheets; i++)
		if (n == strlen(other_sheets[i]) && !strncasecmp(s, other_sheets[i], n))
			return tl_cursor_fail(c, pos, "expected another sheet family: %s is a sheet of its own", other_sheets[i]);
	return TL_OK;
}

/* CONV_fwd -> CONV */
static uint32_t without_direction(struct tl_registry *r, uint32_t category)
{
	const char *s = tl_str(&r->strings, category);
	size_t n = tl_str_len(&r->strings, category);

	if (n > 4 && (!memcmp(s + n - 4, "_fwd", 4) || !memcmp(s + n - 4, "_bwd", 4)))
		return tl_intern(&r->strings, s, n - 4);
	return category;
}

uint32_t tl_family_of(struct tl_registry *r, const struct tl_model *m)
{
	return m->family ? m->family : without_direction(r, m->category);
}

static bool is_before(struct tl_span_of a, struct tl_span_of b)
{
	return a.in != b.in ? a.in < b.in : a.pos < b.pos;
}

enum tl_status tl_family_add(struct tl_registry *r, const struct tl_op *op, struct tl_error *err)
{
	struct tl_span_of at = op->model->named;
	const char *name = op->pub.family;
	struct tl_cursor c;

	for (size_t i = 0; i < r->n_families; i++)
		if (r->families[i].name == op->family_name)
			return TL_OK;
	for (size_t i = 0; i < r->n_families; i++) {
		const char *other = tl_str(&r->strings, r->families[i].name);
		if (strcasecmp(name, other))
			continue;
		/* told at the later of the two, which need not be this one */
		bool later = is_before(r->families[i].at, at);
		c = tl_cursor_of(r, later ? at : r->families[i].at, err);
		return tl_cursor_fail(&c, c.pos, "expected another sheet family: \"%s\" is \"%s\" but for upper and lower case",
		                      later ? name : other, later ? other : name);
	}
	c = tl_cursor_of(r, at, err);
	enum tl_status s = at.in < TL_BUILT_IN ? TL_OK : tl_family_check(&c, at.pos, name, tl_str_len(&r->strings, op->family_name));
	if (s)
		return s;
	uint32_t *one = tl_map_get(&r->one_sheet, op->family_name);
	TL_GROW(r->families, r->cap_families, r->n_families + 1);
	r->families[r->n_families++] = (struct tl_family_of){ op->family_name, one && *one, at };
	return TL_OK;
}

size_t tl_families(const struct tl_registry *r)
{
	return r->n_families;
}

const char *tl_family_at(const struct tl_registry *r, size_t i, bool *one)
{
	*one = r->families[i].one;
	return tl_str(&r->strings, r->families[i].name);
}
