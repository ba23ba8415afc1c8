/* arch.c - peaks of GPUs: the built-in table, files of the user.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/models/arch.h"

#include "json/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char tl_data_arch[];
extern const size_t tl_data_arch_len;

enum { MAX_COLUMNS = 64, MAX_SPECS = 4096 };

struct peak { const char *spec; double tflops; };
struct tl_arch {
	struct tl_arena arena;
	const char *name;
	double bandwidth;
	struct peak *peaks;
	size_t n_peaks;
};

const char *tl_arch_name(const struct tl_arch *a)
{
	return a->name;
}

double tl_arch_bandwidth(const struct tl_arch *a)
{
	return a->bandwidth;
}

double tl_arch_peak(const struct tl_arch *a, const char *spec)
{
	for (size_t i = 0; i < a->n_peaks; i++)
		if (!strcmp(a->peaks[i].spec, spec))
			return a->peaks[i].tflops;
	return 0;
}

void tl_arch_free(struct tl_arch *a)
{
	if (!a)
		return;
	tl_arena_release(&a->arena);
	free(a);
}

/* ---- tables ------------------------------------------------------------------- */

struct line {
	const char *s[MAX_COLUMNS];
	size_t len[MAX_COLUMNS];
	size_t n;
	bool too_long; /* there are more than MAX_COLUMNS */
};

/* Splits the line at *text (up to end) at tabs and moves past it. */
static void take_line(const char **text, const char *end, struct line *l)
{
	const char *s = *text, *nl = memchr(s, '\n', (size_t)(end - s));
	const char *stop = nl ? nl : end;

	*text = nl ? nl + 1 : end;
	if (stop > s && stop[-1] == '\r')
		stop--;
	l->too_long = false;
	for (l->n = 0; l->n < MAX_COLUMNS; l->n++) {
		const char *tab = memchr(s, '\t', (size_t)(stop - s));
		l->s[l->n] = s;
		l->len[l->n] = (size_t)((tab ? tab : stop) - s);
		if (!tab) {
			l->n++;
			return;
		}
		s = tab + 1;
	}
	l->too_long = true;
}

static bool is(const struct line *l, size_t i, const char *word)
{
	return i < l->n && l->len[i] == strlen(word) && !memcmp(l->s[i], word, l->len[i]);
}

static bool is_label(const struct line *l, size_t i)
{
	static const char *const labels[] = { "name", "device", "units", "basis", "source", "memory_gb" };

	for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
		if (is(l, i, labels[k]))
			return true;
	return false;
}

static bool number_of(const char *s, size_t len, double *out)
{
	char copy[64], *end;

	if (!len || len >= sizeof copy)
		return false;
	memcpy(copy, s, len);
	copy[len] = 0;
	*out = tl_parse_double(copy, &end);
	return *end == 0 && isfinite(*out);
}

static struct tl_arch *new_arch(const char *name, size_t len, size_t max_peaks)
{
	struct tl_arch *a = tl_calloc(1, sizeof *a);

	a->name = tl_arena_dup(&a->arena, name, len);
	a->peaks = tl_arena_alloc(&a->arena, (max_peaks + 1) * sizeof *a->peaks);
	return a;
}

static void add_peak(struct tl_arch *a, const char *spec, size_t len, double tflops)
{
	a->peaks[a->n_peaks++] = (struct peak){ tl_arena_dup(&a->arena, spec, len), tflops };
}

/* As much of a cell as a message shows. */
static int shown(size_t len)
{
	return len > 60 ? 60 : (int)len;
}

static enum tl_status from_row(struct tl_arch **out, const char *file, size_t row, const struct line *head,
                               const struct line *l, struct tl_error *err)
{
	struct tl_arch *a = new_arch(file, strlen(file), MAX_COLUMNS);

	for (size_t i = 0; i < head->n && i < l->n; i++) {
		double x;
		if (is(head, i, "name") && l->len[i])
			a->name = tl_arena_dup(&a->arena, l->s[i], l->len[i]);
		if (is_label(head, i) || !l->len[i])
			continue;
		bool number = number_of(l->s[i], l->len[i], &x);
		if (!number || x <= 0) {
			enum tl_status s = tl_fail(err, TL_ERR_DATA, "%s: row %zu: %.*s: expected a %snumber, found \"%.*s\"", file, row,
			                           shown(head->len[i]), head->s[i], number ? "positive " : "", shown(l->len[i]), l->s[i]);
			tl_arch_free(a);
			return s;
		}
		if (is(head, i, "mem_bw_gbps"))
			a->bandwidth = x;
		else
			add_peak(a, head->s[i], head->len[i], x);
	}
	*out = a;
	return TL_OK;
}

static bool is_blank(const struct line *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->len[i]; k++)
			if (l->s[i][k] != ' ')
				return false;
	return true;
}

/* The next line that is not blank, and its number; false at the end. */
static bool take_row(const char **text, const char *end, struct line *l, size_t *line)
{
	while (*text < end) {
		take_line(text, end, l);
		++*line;
		if (!is_blank(l))
			return true;
	}
	return false;
}

/* Is every column one of its own, and has every value a column? Columns without
 * a name and cells without a value, as spreadsheets leave them, are nothing. */
static enum tl_status check_columns(const char *file, const struct line *head, const struct line *l, size_t line, struct tl_error *err)
{
	if (head->too_long || l->too_long)
		return tl_fail(err, TL_ERR_DATA, "%s: line %zu: more than %d columns", file, head->too_long ? 1 : line, MAX_COLUMNS);
	for (size_t i = 0; i < head->n; i++)
		for (size_t k = 0; k < i && head->len[i]; k++)
			if (head->len[i] == head->len[k] && !memcmp(head->s[i], head->s[k], head->len[i]))
				return tl_fail(err, TL_ERR_DATA, "%s: line 1: column given twice: \"%.*s\"", file, shown(head->len[i]), head->s[i]);
	for (size_t i = 0; i < l->n; i++)
		if (l->len[i] && (i >= head->n || !head->len[i]))
			return tl_fail(err, TL_ERR_DATA, "%s: line %zu: cell %zu has no column in the header: \"%.*s\"", file, line, i + 1,
			               shown(l->len[i]), l->s[i]);
	return TL_OK;
}

static enum tl_status from_table(struct tl_arch **out, const char *file, const char *text, size_t len, struct tl_error *err)
{
	const char *end = text + len;
	struct line head, row, more;
	size_t line = 1, at = 0;

	if (memchr(text, 0, len))
		return tl_fail(err, TL_ERR_DATA, "%s: expected text, found a NUL byte", file);
	take_line(&text, end, &head);
	while (at < head.n && !is(&head, at, "mem_bw_gbps"))
		at++;
	if (at == head.n)
		return tl_fail(err, TL_ERR_DATA, "%s: expected JSON, or a table whose header line has a column mem_bw_gbps", file);
	if (!take_row(&text, end, &row, &line))
		return tl_fail(err, TL_ERR_DATA, "%s: expected a row after the header", file);
	if (check_columns(file, &head, &row, line, err))
		return TL_ERR_DATA;
	if (take_row(&text, end, &more, &line))
		return tl_fail(err, TL_ERR_DATA, "%s: line %zu: the file has several architectures, expected one", file, line);
	return from_row(out, file, 1, &head, &row, err);
}

/* ---- JSON ------------------------------------------------------------------------ */

static const struct tl_value *member(const struct tl_value *dict, const char *key)
{
	const struct tl_value *found = NULL;

	for (uint32_t i = 0; i + 1 < dict->len; i += 2)
		if (dict->items[i].len == strlen(key) && !memcmp(dict->items[i].text, key, strlen(key)))
			found = &dict->items[i + 1];
	return found;
}

static bool json_number(const struct tl_value *v, double *out)
{
	*out = v->type == TL_V_INT ? (double)v->i : v->type == TL_V_REAL ? v->d : NAN;
	return isfinite(*out);
}

static enum tl_status not_positive(const char *file, const char *key, const char *inner, const struct tl_value *v, struct tl_error *err)
{
	struct tl_buf text = { 0 };

	tl_value_repr(&text, v, false);
	enum tl_status s = tl_fail(err, TL_ERR_DATA, "%s: %s%.60s: expected a positive number, found %.40s", file, key, inner, text.data);
	tl_buf_release(&text);
	return s;
}

static enum tl_status fill_json(struct tl_arch *a, const char *file, const struct tl_value *v, struct tl_error *err)
{
	const struct tl_value *bw = member(v, "mem_bw_gbps"), *peaks = member(v, "max_achievable_tflops");

	if (!bw || !json_number(bw, &a->bandwidth))
		return tl_fail(err, TL_ERR_DATA, "%s: expected a number mem_bw_gbps", file);
	if (a->bandwidth <= 0)
		return not_positive(file, "mem_bw_gbps", "", bw, err);
	if (!peaks || peaks->type != TL_V_DICT)
		return tl_fail(err, TL_ERR_DATA, "%s: expected an object max_achievable_tflops", file);
	if (peaks->len / 2 > MAX_SPECS)
		return tl_fail(err, TL_ERR_DATA, "%s: more than %d entries in max_achievable_tflops", file, MAX_SPECS);
	for (uint32_t i = 0; i + 1 < peaks->len; i += 2) {
		double x;
		if (peaks->items[i].len && peaks->items[i].text[0] == '_')
			continue;
		if (!json_number(&peaks->items[i + 1], &x))
			return tl_fail(err, TL_ERR_DATA, "%s: max_achievable_tflops.%.60s: expected a number", file, peaks->items[i].text);
		if (x <= 0)
			return not_positive(file, "max_achievable_tflops.", peaks->items[i].text, &peaks->items[i + 1], err);
		add_peak(a, peaks->items[i].text, peaks->items[i].len, x);
	}
	return TL_OK;
}

static enum tl_status from_json(struct tl_arch **out, const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_arena arena = { 0 };
	struct tl_value v;

	if (tl_value_parse_file(&arena, file, text, len, &v, err)) {
		tl_arena_release(&arena);
		return TL_ERR_DATA;
	}
	const struct tl_value *name = member(&v, "name");
	bool named = name && name->type == TL_V_TEXT && name->len;
	struct tl_arch *a = new_arch(named ? name->text : file, named ? name->len : strlen(file), MAX_SPECS);
	enum tl_status s = fill_json(a, file, &v, err);
	tl_arena_release(&arena);
	if (s)
		tl_arch_free(a);
	else
		*out = a;
	return s;
}

enum tl_status tl_arch_from_text(struct tl_arch **out, const char *file, const char *text, size_t len, struct tl_error *err)
{
	size_t i = 0;

	*out = NULL;
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* a byte order mark */
		text += 3;
		len -= 3;
	}
	while (i < len && strchr(" \t\r\n", text[i]) && text[i])
		i++;
	if (i < len && text[i] == '{')
		return from_json(out, file, text, len, err);
	return from_table(out, file, text, len, err);
}

/* ---- the built-in table ------------------------------------------------------------ */

enum { NAME, DEVICE, UNITS, BASIS }; /* its first columns; the last is the source */

/* Row i of the built-in table. */
static bool builtin(size_t i, struct line *head, struct line *row)
{
	const char *s = tl_data_arch, *end = s + tl_data_arch_len;

	take_line(&s, end, head);
	for (; s < end; i--) {
		take_line(&s, end, row);
		if (i == 0)
			return row->n > BASIS;
	}
	return false;
}

void tl_arch_names(struct tl_buf *b)
{
	struct line head, row;

	for (size_t i = 0; builtin(i, &head, &row); i++)
		tl_buf_addf(b, "%s%.*s", i ? ", " : "", (int)row.len[NAME], row.s[NAME]);
}

enum tl_status tl_arch_by_name(struct tl_arch **out, const char *name, struct tl_error *err)
{
	struct line head, row;
	struct tl_buf names = { 0 };

	*out = NULL;
	for (size_t i = 0; builtin(i, &head, &row); i++)
		if (row.len[NAME] == strlen(name) && !strncasecmp(row.s[NAME], name, row.len[NAME]))
			return from_row(out, "arch", i + 1, &head, &row, err);
	tl_arch_names(&names);
	enum tl_status s = tl_fail(err, TL_ERR_USAGE, "no architecture \"%.60s\"; there are %s", name, names.data);
	tl_buf_release(&names);
	return s;
}

/* A device's name without its maker's. */
static const char *model_of(const char *device)
{
	static const char *const makers[] = { "NVIDIA ", "Tesla ", "AMD ", "Instinct " };

	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if (!strncmp(device, makers[i], strlen(makers[i])))
			device += strlen(makers[i]);
	return device;
}

/* Is it one of the names in a cell, which are separated by "|"? */
static bool is_one_of(const char *cell, size_t len, const char *name)
{
	size_t n = strlen(name);

	while (n && len) {
		const char *bar = memchr(cell, '|', len);
		size_t part = bar ? (size_t)(bar - cell) : len;
		if (part == n && !memcmp(cell, name, n))
			return true;
		part += bar != NULL;
		cell += part;
		len -= part;
	}
	return false;
}

/* Whole names only: an A10G is no A10, an "A100-SXM-64GB" no other A100, and
 * "A100-SXM4-40GB MIG 1g.5gb" is a slice. Where names are the same, the number
 * of units tells a part of a GPU from a whole one. */
const char *tl_arch_for_device(const char *device, int64_t units)
{
	static _Thread_local char found[64];
	const char *model = model_of(device);
	struct line head, row;

	for (size_t i = 0; builtin(i, &head, &row); i++) {
		double all;
		if (!is_one_of(row.s[DEVICE], row.len[DEVICE], model) || row.len[NAME] >= sizeof found)
			continue;
		if (units && (!number_of(row.s[UNITS], row.len[UNITS], &all) || (int64_t)all != units))
			continue;
		memcpy(found, row.s[NAME], row.len[NAME]);
		found[row.len[NAME]] = 0;
		return found;
	}
	return NULL;
}

bool tl_arch_describe(size_t i, struct tl_buf *b)
{
	struct line head, row;

	if (!builtin(i, &head, &row))
		return false;
	tl_buf_add(b, row.s[NAME], row.len[NAME]);
	tl_buf_addc(b, '\t');
	tl_buf_add(b, row.s[BASIS], row.len[BASIS]);
	tl_buf_addc(b, '\t');
	tl_buf_add(b, row.s[row.n - 1], row.len[row.n - 1]);
	return true;
}
