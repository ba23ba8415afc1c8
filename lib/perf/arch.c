/* arch.c - peaks of GPUs, from the built-in table and from files of the user.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/arch.h"

#include "base/rows.h"
#include "base/text.h"
#include "base/value.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char tl_data_arch[];
extern const size_t tl_data_arch_len;
extern const char tl_data_arch_sm[];
extern const size_t tl_data_arch_sm_len;

static struct tl_arch *new_arch(const char *name)
{
	struct tl_arch *a = tl_calloc(1, sizeof *a);

	a->name = tl_arena_dup(&a->arena, name, strlen(name));
	a->basis = a->source = "";
	return a;
}

void tl_arch_free(struct tl_arch *a)
{
	if (!a)
		return;
	tl_arena_release(&a->arena);
	free(a->peaks);
	free(a);
}

double tl_arch_peak(const struct tl_arch *a, const char *spec)
{
	for (size_t i = 0; i < a->n_peaks; i++)
		if (!strcmp(a->peaks[i].spec, spec))
			return a->peaks[i].tflops;
	return 0;
}

/* Columns of tables and keys of JSON that are no compute specs, and what one of their units is. */
enum { MEMORY, FIGURES = 5 };
static const struct { const char *key; size_t at; double unit; } figures[FIGURES] = {
	[MEMORY] = { "mem_bw_gbps", offsetof(struct tl_arch, bandwidth), 1 },
	{ "cache_mb", offsetof(struct tl_arch, cache), 1048576 },
	{ "host_gbps", offsetof(struct tl_arch, host), 1 },
	{ "peer_gbps", offsetof(struct tl_arch, peers), 1 },
	{ "units", offsetof(struct tl_arch, units), 1 },
};

/* One of these figures, or the peak of a compute spec. `found` is the number as text. */
static enum tl_status set_number(struct tl_arch *a, const char *file, const char *key, double x, const char *found,
                                 struct tl_error *err)
{
	if (!(x > 0) || !isfinite(x))
		return tl_fail(err, TL_ERR_DATA, "%s: %.60s: expected a positive number, found %.60s", file, key, found);
	for (size_t i = 0; i < FIGURES; i++)
		if (!strcmp(key, figures[i].key)) {
			*(double *)((char *)a + figures[i].at) = x * figures[i].unit;
			return TL_OK;
		}
	if (!tl_starts_with(key, "matrix_") && !tl_starts_with(key, "vector_"))
		return tl_fail(err, TL_ERR_DATA, "%s: unknown figure %.60s; a peak is matrix_TYPE or vector_TYPE", file, key);
	TL_GROW(a->peaks, a->cap_peaks, a->n_peaks + 1);
	a->peaks[a->n_peaks].spec = tl_arena_dup(&a->arena, key, strlen(key));
	a->peaks[a->n_peaks++].tflops = x;
	return TL_OK;
}

/* ---- tables ---------------------------------------------------------------------------- */

/* The header line is row 0. */
struct table {
	struct tl_arena arena;
	const char **cells; size_t cap;
	uint32_t *lines; size_t cap_lines; /* by row: the number of its line */
	size_t n_rows, n_columns;
};

/* Rows have at least as many cells as the header has names. Release the table afterwards. */
static enum tl_status read_table(struct table *t, const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_rows r = { .file = file, .text = text, .len = len, .err = err };

	*t = (struct table){ 0 };
	while (tl_rows_next(&r)) {
		while (!t->n_rows && r.n > 1 && !r.fields[r.n - 1].len)
			r.n--;
		t->n_columns = t->n_rows ? t->n_columns : r.n;
		if (r.n < t->n_columns)
			tl_rows_fail(&r, r.line, "expected %zu cells, as the header has, found %zu", t->n_columns, r.n);
		for (size_t i = t->n_columns; i < r.n; i++)
			if (r.fields[i].len)
				tl_rows_fail(&r, r.fields[i].s, "cell %zu has no column in the header: %.*s", i + 1,
				             (int)(r.fields[i].len < 60 ? r.fields[i].len : 60), r.fields[i].s);
		TL_GROW(t->lines, t->cap_lines, t->n_rows + 1);
		t->lines[t->n_rows] = r.number;
		TL_GROW(t->cells, t->cap, (t->n_rows + 1) * t->n_columns);
		for (size_t i = 0; i < t->n_columns && i < r.n; i++)
			t->cells[t->n_rows * t->n_columns + i] = tl_rows_text(&r, i, &t->arena);
		t->n_rows++;
	}
	return r.status;
}

static void release_table(struct table *t)
{
	free(t->cells);
	free(t->lines);
	tl_arena_release(&t->arena);
}

static void read_built_in(struct table *t)
{
	struct tl_error err;

	tl_must(read_table(t, "arch", tl_data_arch, tl_data_arch_len, &err), &err);
}

/* t->n_columns if it has no such column. */
static size_t column_of(const struct table *t, const char *name)
{
	size_t i = 0;

	while (i < t->n_columns && strcmp(t->cells[i], name))
		i++;
	return i;
}

/* The column must be one that the table has. */
static const char *cell_of(const struct table *t, size_t row, const char *name)
{
	return t->cells[row * t->n_columns + column_of(t, name)];
}

static double number_of(const char *s)
{
	char *end;
	double x = tl_parse_double(s, &end);

	return end == s || *end ? NAN : x;
}

/* Is this a column that rooflines do not need? Its cells may hold anything; the first three are kept. */
static bool take_label(struct tl_arch *a, const char *key, const char *text)
{
	static const char *const labels[] = { "name", "basis", "source", "device", "memory_gb" };
	const char **const kept[] = { &a->name, &a->basis, &a->source };
	size_t i = 0, n = sizeof labels / sizeof *labels;

	while (i < n && strcmp(key, labels[i]))
		i++;
	if (i < sizeof kept / sizeof *kept)
		*kept[i] = tl_arena_dup(&a->arena, text, strlen(text));
	return i < n;
}

static enum tl_status from_row(struct tl_arch *a, const char *file, const struct table *t, size_t row,
                               struct tl_error *err)
{
	struct tl_buf place = { 0 };
	enum tl_status s = TL_OK;

	tl_buf_addf(&place, "%s:%u", file, t->lines[row]);
	for (size_t i = 0; !s && i < t->n_columns; i++) {
		const char *key = t->cells[i], *c = t->cells[row * t->n_columns + i];
		if (!*c) /* unknown */
			continue;
		if (!*key)
			s = tl_fail(err, TL_ERR_DATA, "%s: cell %zu has no column in the header: %.60s", place.data, i + 1, c);
		else if (column_of(t, key) < i)
			s = tl_fail(err, TL_ERR_DATA, "%s:%u: column given twice: %.60s", file, t->lines[0], key);
		else if (!take_label(a, key, c))
			s = set_number(a, place.data, key, number_of(c), c, err);
	}
	tl_buf_release(&place);
	return s;
}

static enum tl_status from_table(struct tl_arch *a, const char *file, const char *text, size_t len,
                                 struct tl_error *err)
{
	struct table t;
	enum tl_status s = read_table(&t, file, text, len, err);

	if (!s && (!t.n_rows || column_of(&t, figures[MEMORY].key) == t.n_columns))
		s = tl_fail(err, TL_ERR_DATA, "%s: expected JSON, or a table whose header line has a column mem_bw_gbps", file);
	else if (!s && t.n_rows != 2)
		s = tl_fail(err, TL_ERR_DATA, "%s: expected one row after the header, found %s", file,
		            t.n_rows < 2 ? "none" : "several");
	if (!s)
		s = from_row(a, file, &t, 1, err);
	release_table(&t);
	return s;
}

/* ---- JSON ------------------------------------------------------------------------------- */

static enum tl_status set_member(struct tl_arch *a, const char *file, const char *key, const struct tl_value *v,
                                 struct tl_error *err)
{
	double x = v->type == TL_V_INT ? (double)v->i : v->type == TL_V_REAL ? v->d : NAN;
	struct tl_buf text = { 0 };

	tl_value_repr(&text, v, false);
	enum tl_status s = set_number(a, file, key, x, text.data, err);
	tl_buf_release(&text);
	return s;
}

static enum tl_status from_json(struct tl_arch *a, const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_arena arena = { 0 };
	struct tl_value v = { 0 };
	enum tl_status s = tl_value_parse_file(&arena, file, text, len, &v, err);
	const struct tl_value *name = s ? NULL : tl_value_member(&v, "name");
	const struct tl_value *peaks = s ? NULL : tl_value_member(&v, "max_achievable_tflops");

	if (!s && (!tl_value_member(&v, figures[MEMORY].key) || !peaks || peaks->type != TL_V_DICT))
		s = tl_fail(err, TL_ERR_DATA, "%s: expected a number mem_bw_gbps and an object max_achievable_tflops", file);
	if (!s && name && name->type == TL_V_TEXT && name->len)
		a->name = tl_arena_dup(&a->arena, name->text, name->len);
	for (size_t i = 0; !s && i < FIGURES; i++) {
		const struct tl_value *figure = tl_value_member(&v, figures[i].key);
		if (figure)
			s = set_member(a, file, figures[i].key, figure, err);
	}
	for (uint32_t i = 0; !s && i + 1 < peaks->len; i += 2)
		if (peaks->items[i].text[0] != '_') /* else it is a comment */
			s = set_member(a, file, peaks->items[i].text, &peaks->items[i + 1], err);
	tl_arena_release(&arena);
	return s;
}

enum tl_status tl_arch_from_text(struct tl_arch **out, const char *file, const char *text, size_t len,
                                 struct tl_error *err)
{
	struct tl_arch *a = new_arch(file);
	size_t i = 0;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* a byte order mark */
		text += 3;
		len -= 3;
	}
	while (i < len && tl_is_blank(text[i]))
		i++;
	bool is_json = i < len && text[i] == '{';
	enum tl_status s = is_json ? from_json(a, file, text, len, err) : from_table(a, file, text, len, err);
	*out = s ? NULL : a;
	if (s)
		tl_arch_free(a);
	return s;
}

/* ---- the built-in table ----------------------------------------------------------------------- */

enum tl_status tl_arch_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct table t;
	enum tl_status s = read_table(&t, file, text, len, err);

	for (size_t row = 1; !s && row < t.n_rows; row++) {
		struct tl_arch *a = new_arch(file);
		s = from_row(a, file, &t, row, err);
		tl_arch_free(a);
	}
	release_table(&t);
	return s;
}

/* Is it one of the names in a list that "|" separates? */
static bool is_one_of(const char *list, const char *name)
{
	for (size_t n; *list && *name; list += n + (list[n] == '|')) {
		n = strcspn(list, "|");
		if (n == strlen(name) && !memcmp(list, name, n))
			return true;
	}
	return false;
}

/* The name of a device without its maker. */
static const char *model_of(const char *device)
{
	static const char *const makers[] = { "NVIDIA ", "Tesla ", "AMD ", "Instinct " };

	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if (!strncmp(device, makers[i], strlen(makers[i])))
			device += strlen(makers[i]);
	return device;
}

/* Does the name contain the first n bytes of part? Letters may differ in case, and blanks
 * and hyphens do not count. */
static bool contains(const char *name, const char *part, size_t n)
{
	for (; *name; name++) {
		const char *a = name, *b = part;
		while (*a && b < part + n) {
			bool skip_a = strchr(" -_", *a), skip_b = strchr(" -_", *b);
			if (!skip_a && !skip_b && strncasecmp(a, b, 1))
				break;
			a += skip_a || !skip_b;
			b += skip_b || !skip_a;
		}
		if (b == part + n)
			return true;
	}
	return false;
}

/* The first word that has a digit: "H100" of "H100 NVL". Its length is 0 without one. */
static const char *number_word(const char *model, size_t *n)
{
	for (*n = strcspn(model, " -"); model[*n] && strcspn(model, "0123456789") >= *n; *n = strcspn(model, " -"))
		model += *n + 1;
	if (strcspn(model, "0123456789") >= *n)
		*n = 0;
	return model;
}

/* How a name may mean an architecture, the likeliest way first. */
enum likeness { IS_DEVICE, IS_PART, HAS_NUMBER_WORD, LIKENESSES };

static bool may_mean(const struct table *t, size_t row, const char *like, enum likeness how)
{
	const char *model = model_of(like), *name = cell_of(t, row, "name");
	size_t n = strlen(model);

	if (how == IS_DEVICE)
		return is_one_of(cell_of(t, row, "device"), model);
	if (how == HAS_NUMBER_WORD)
		model = number_word(model, &n);
	return n && strcmp(model, "-") && contains(name, model, n);
}

static void add_names(const struct table *t, const char *like, struct tl_buf *names)
{
	size_t from = names->len;

	for (int how = IS_DEVICE; how < LIKENESSES && names->len == from; how++)
		for (size_t i = 1; i < t->n_rows; i++)
			if (may_mean(t, i, like, (enum likeness)how))
				tl_buf_addf(names, "%s%s", names->len > from ? ", " : "", cell_of(t, i, "name"));
	if (names->len == from)
		tl_buf_adds(names, "one of those that 'tl-models archs' lists");
}

void tl_arch_names(const char *like, struct tl_buf *names)
{
	struct table t;

	read_built_in(&t);
	add_names(&t, like, names);
	release_table(&t);
}

/* The row of the architecture of that name; t->n_rows if there is none. */
static size_t row_of(const struct table *t, const char *name)
{
	size_t row = 1;

	while (row < t->n_rows && strcasecmp(cell_of(t, row, "name"), name))
		row++;
	return row;
}

enum tl_status tl_arch_by_name(struct tl_arch **out, const char *name, struct tl_error *err)
{
	struct table t;
	struct tl_buf names = { 0 };
	enum tl_status s;

	read_built_in(&t);
	size_t row = row_of(&t, name);
	if (row < t.n_rows) {
		*out = new_arch(name);
		s = from_row(*out, "arch", &t, row, err);
	} else {
		*out = NULL;
		add_names(&t, name, &names);
		s = tl_fail(err, TL_ERR_USAGE, "no architecture \"%.60s\"; expected %s%s", name,
		            strchr(names.data, ',') ? "one of " : "", names.data);
		tl_buf_release(&names);
	}
	release_table(&t);
	return s;
}

/* Whole names only: an A10G is no A10, an "A100-SXM-64GB" no other A100, and
 * "A100-SXM4-40GB MIG 1g.5gb" is a slice. A part of a GPU may have the name of the
 * whole; the number of units tells them apart. */
bool tl_arch_for_device(const char *device, int64_t units, struct tl_buf *name)
{
	struct table t;
	size_t row = 1;

	read_built_in(&t);
	while (row < t.n_rows && !(is_one_of(cell_of(&t, row, "device"), model_of(device)) &&
	                           (!units || number_of(cell_of(&t, row, "units")) == (double)units)))
		row++;
	bool found = row < t.n_rows;
	if (found)
		tl_buf_adds(name, cell_of(&t, row, "name"));
	release_table(&t);
	return found;
}

struct tl_arch *tl_arch_estimate(const char *device, int64_t units, int64_t capability)
{
	struct table t;
	struct tl_error err;
	char name[32];
	size_t row = 1;
	bool nvidia = tl_starts_with(device, "NVIDIA") || tl_starts_with(device, "Tesla") || tl_starts_with(device, "Quadro") || tl_starts_with(device, "GeForce");

	snprintf(name, sizeof name, "%d.%d", (int)(capability / 10), (int)(capability % 10));
	tl_must(read_table(&t, "arch-sm", tl_data_arch_sm, tl_data_arch_sm_len, &err), &err);
	while (row < t.n_rows && (strcmp(cell_of(&t, row, "name"), name) != 0 || !strstr(device, cell_of(&t, row, "device"))))
		row++;
	struct tl_arch *a = nvidia && units > 0 && row < t.n_rows ? new_arch(device) : NULL;
	if (a)
		tl_must(from_row(a, "arch-sm", &t, row, &err), &err);
	for (size_t i = 0; a && i < a->n_peaks; i++)
		a->peaks[i].tflops *= (double)units;
	release_table(&t);
	return a;
}

bool tl_arch_same_gpu(const struct tl_arch *a, const char *fits)
{
	struct table t;
	size_t n = strlen(a->name), m = strlen(fits), least = n < m ? n : m;

	read_built_in(&t);
	bool built_in = row_of(&t, a->name) < t.n_rows;
	release_table(&t);
	if (!built_in)
		return true;
	char after = (n > m ? a->name : fits)[least];
	return !strncasecmp(a->name, fits, least) && (!after || after == '-');
}

void tl_archs_describe(struct tl_buf *b)
{
	struct table t;

	read_built_in(&t);
	for (size_t row = 0; row < t.n_rows; row++)
		tl_buf_addf(b, "%s\t%s\t%s\n", cell_of(&t, row, "name"), cell_of(&t, row, "basis"), cell_of(&t, row, "source"));
	release_table(&t);
}
