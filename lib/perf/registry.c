/* registry.c - operators, models and rules, read from text tables. Lines are
 * only sorted here; what is in them is compiled when it is first needed, so
 * that a program that uses ten operators does not pay for three hundred.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/model.h"
#include "value/utf8.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern const char tl_data_ops[], tl_data_models[], tl_data_aten_ops[];
extern const size_t tl_data_ops_len, tl_data_models_len, tl_data_aten_ops_len;

#define MAX_TABLE ((size_t)64 << 20)

/* ---- fields ------------------------------------------------------------------ */

struct field { const char *s; size_t len, pos; };

/* The next field of a line: up to a blank, or between double quotes. */
static bool field(struct tl_cursor *c, struct field *f)
{
	if (tl_cursor_at_end(c))
		return false;
	f->pos = c->pos;
	if (c->text[c->pos] == '"') {
		size_t from = ++c->pos;
		while (c->pos < c->len && c->text[c->pos] != '"' && c->text[c->pos] != '\n')
			c->pos++;
		f->s = c->text + from;
		f->len = c->pos - from;
		c->pos += c->pos < c->len && c->text[c->pos] == '"';
		return true;
	}
	size_t end = c->pos;
	while (end < c->len && c->text[end] != ' ' && c->text[end] != '\t' && c->text[end] != '\r' && c->text[end] != '\n' && c->text[end])
		end++;
	if (end < c->len && c->text[end] == '\n' && end > c->pos && c->text[end - 1] == '\\')
		end--; /* the line goes on; this is no part of it */
	f->s = c->text + c->pos;
	f->len = end - c->pos;
	c->pos = end;
	return true;
}

static enum tl_status need_field(struct tl_cursor *c, struct field *f, const char *what)
{
	if (!field(c, f))
		return tl_cursor_fail(c, c->pos, "expected %s", what);
	bool quoted = f->pos < c->pos && c->text[f->pos] == '"';
	if (quoted && (c->pos < f->pos + 2 || c->text[c->pos - 1] != '"'))
		return tl_cursor_fail(c, f->pos, "%s without its closing quote", what);
	return f->len ? TL_OK : tl_cursor_fail(c, f->pos, "expected %s", what);
}

enum { BUILT_IN = 2 }; /* the first sources; they are without mistakes */

/* A category is a cell of sheets and the name of a bar in charts: text. */
static enum tl_status need_category(struct tl_registry *r, struct tl_cursor *c, struct field *f)
{
	enum tl_status s = need_field(c, f, "a category");
	size_t used;

	for (size_t i = 0; !s && r->n_sources > BUILT_IN && i < f->len; i += used) {
		uint32_t ch = tl_utf8_decode(f->s + i, f->len - i, &used);
		if (ch == TL_UTF8_MALFORMED || ch < 0x20 || ch == 0x7f)
			s = tl_cursor_fail(c, f->pos, "expected a category of characters that can be printed");
	}
	return s;
}

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

/* A family names sheets, and with them files: NAME, NAME_fwd, NAME_kl_overlap … */
static enum tl_status check_family(struct tl_cursor *c, size_t pos, const char *s, size_t n)
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

static bool field_is(const struct field *f, const char *word)
{
	return f->len == strlen(word) && !memcmp(f->s, word, f->len);
}

static enum tl_status line_done(struct tl_cursor *c)
{
	if (tl_cursor_at_end(c))
		return TL_OK;
	return tl_cursor_fail(c, c->pos, "expected the end of the line");
}

static uint32_t intern(struct tl_registry *r, const struct field *f)
{
	return tl_intern(&r->strings, f->s, f->len);
}

/* ---- simple lines -------------------------------------------------------------- */

static enum tl_status read_category(struct tl_registry *r, struct tl_cursor *c)
{
	struct field name, category;
	enum tl_status s;

	if ((s = need_field(c, &name, "the name of an operator")) || (s = need_category(r, c, &category)))
		return s;
	*tl_map_put(&r->category_by_name, intern(r, &name), NULL) = intern(r, &category);
	return line_done(c);
}

static enum tl_status read_category_prefix(struct tl_registry *r, struct tl_cursor *c)
{
	struct field prefix, category;
	enum tl_status s;

	if ((s = need_field(c, &prefix, "the beginning of operator names")) || (s = need_category(r, c, &category)))
		return s;
	TL_GROW(r->prefix_categories, r->cap_prefix_categories, r->n_prefix_categories + 1);
	r->prefix_categories[r->n_prefix_categories++] = (struct tl_prefix_rule){ intern(r, &prefix), intern(r, &category) };
	return line_done(c);
}

static enum tl_status read_kernel(struct tl_registry *r, struct tl_cursor *c)
{
	struct field prefix, part, category;
	enum tl_status s;

	if ((s = need_field(c, &prefix, "the beginning of kernel names")) ||
	    (s = need_field(c, &part, "a part of the kernel name")) || (s = need_category(r, c, &category)))
		return s;
	struct tl_kernel_rule rule = { intern(r, &prefix), intern(r, &part), intern(r, &category) };
	size_t i = 0;
	while (i < r->n_kernels && (r->kernels[i].prefix != rule.prefix || r->kernels[i].part != rule.part))
		i++;
	TL_GROW(r->kernels, r->cap_kernels, i + 1);
	r->kernels[i] = rule;
	r->n_kernels += i == r->n_kernels;
	return line_done(c);
}

static enum tl_status read_family(struct tl_registry *r, struct tl_cursor *c)
{
	struct field name, how;
	enum tl_status s;

	if ((s = need_field(c, &name, "a sheet family")) || (s = need_field(c, &how, "\"one\" or \"two\"")))
		return s;
	if (!field_is(&how, "one") && !field_is(&how, "two"))
		return tl_cursor_fail(c, how.pos, "expected \"one\" or \"two\" sheets, found \"%.*s\"", (int)(how.len > 40 ? 40 : how.len), how.s);
	if (r->n_sources > BUILT_IN && (s = check_family(c, (size_t)(name.s - c->text), name.s, name.len)))
		return s;
	*tl_map_put(&r->one_sheet, intern(r, &name), NULL) = field_is(&how, "one");
	return line_done(c);
}

static uint64_t map_key(uint32_t map, uint32_t key)
{
	return (uint64_t)map << 32 | key;
}

/* Maps that functions use as numbers, and those whose keys bpe() and prec() look up in lower case. */
static const struct { const char *name; bool number, lower; } known_maps[] = {
	{ "bytes", true, true }, { "precision", false, true },
	{ "moe-bytes", true, false }, { "triton-bytes", true, false }, { "triton-cost", true, false },
};

static bool is_word(const struct tl_value *v)
{
	bool good = v->type == TL_V_TEXT && v->len && (v->text[0] | 32) >= 'a' && (v->text[0] | 32) <= 'z';

	for (uint32_t i = 0; good && i < v->len; i++) {
		char c = v->text[i];
		good = ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9') || c == '_';
	}
	return good;
}

/* A map of the user's own may hold anything. */
static enum tl_status check_known_map(struct tl_registry *r, const struct tl_cursor *c, const struct field *map, struct field *key,
                                      size_t pos, const struct tl_value *v)
{
	size_t i = 0, n = sizeof known_maps / sizeof *known_maps;
	double d = -1;

	while (i < n && (known_maps[i].name[0] != *map->s || !field_is(map, known_maps[i].name)))
		i++;
	if (i == n)
		return TL_OK;
	if (known_maps[i].number && (!tl_v_number(v, &d) || !(d >= 0) || d > DBL_MAX))
		return tl_cursor_fail(c, pos, "expected a number, 0 or more, in the map %s", known_maps[i].name);
	if (!known_maps[i].number && !is_word(v))
		return tl_cursor_fail(c, pos, "expected the name of a precision, such as bf16");
	if (known_maps[i].lower && r->n_sources > BUILT_IN) {
		char *folded = tl_arena_dup(&r->arena, key->s, key->len);
		for (size_t j = 0; j < key->len; j++)
			folded[j] = (char)(folded[j] >= 'A' && folded[j] <= 'Z' ? folded[j] | 32 : folded[j]);
		key->s = folded;
	}
	return TL_OK;
}

static enum tl_status read_map(struct tl_registry *r, struct tl_cursor *c)
{
	struct field map, key, value;
	enum tl_status s;
	struct tl_value v;
	__int128 i;
	char copy[64], *end;

	if ((s = need_field(c, &map, "the name of a map")) || (s = need_field(c, &key, "a key")) ||
	    (s = need_field(c, &value, "a value")))
		return s;
	if (value.len >= sizeof copy)
		return tl_cursor_fail(c, value.pos, "value of %zu bytes; at most %zu are expected", value.len, sizeof copy - 1);
	memcpy(copy, value.s, value.len);
	copy[value.len] = 0;
	double d = tl_parse_double(copy, &end);
	if (tl_parse_pyint(copy, value.len, &i))
		v = tl_v_int(i);
	else if (*end == 0 && end != copy)
		v = tl_v_real(d);
	else
		v = tl_v_text(tl_arena_dup(&r->arena, value.s, value.len), value.len);
	if ((s = check_known_map(r, c, &map, &key, value.pos, &v)))
		return s;
	uint32_t *at = tl_map_put(&r->maps, map_key(intern(r, &map), intern(r, &key)), NULL);
	if (!*at) {
		TL_GROW(r->map_values, r->cap_map_values, r->n_map_values + 1);
		*at = (uint32_t)++r->n_map_values;
	}
	r->map_values[*at - 1] = v;
	return line_done(c);
}

/* ---- operators ------------------------------------------------------------------- */

size_t tl_span_skip(const struct tl_cursor *c, size_t pos, size_t end)
{
	int depth = 0;
	bool quoted = false;

	for (size_t i = pos; i < end; i++) {
		char ch = c->text[i];
		if (ch == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (ch == '(' || ch == '[')
			depth++;
		else if (ch == ')' || ch == ']')
			depth--;
		else if (depth <= 0 && ch == ';')
			return i;
		else if (depth <= 0 && (ch == ' ' || ch == '\t') && i + 1 < end) {
			size_t j = i + 1;
			while (j < end && (c->text[j] == '_' || (c->text[j] >= '0' && c->text[j] <= '9') ||
			                   ((c->text[j] | 32) >= 'a' && (c->text[j] | 32) <= 'z')))
				j++;
			if (j > i + 1 && j < end && c->text[j] == '=' && (j + 1 == end || c->text[j + 1] != '='))
				return i;
		}
	}
	return end;
}

/* End of the logical line at pos, before a comment. */
static size_t line_end(const struct tl_cursor *c, size_t pos)
{
	bool quoted = false;

	while (pos < c->len) {
		const char *s = c->text + pos, *nl = memchr(s, '\n', c->len - pos);
		size_t n = nl ? (size_t)(nl - s) : c->len - pos;
		bool goes_on = nl && n && s[n - 1] == '\\';
		if (!memchr(s, '#', n)) { /* nothing hides the end, and quotes only count for comments */
			if (!goes_on)
				return pos + n;
			for (size_t i = 0; i < n; i++)
				quoted ^= s[i] == '"';
			pos += n + 1;
			continue;
		}
		for (size_t i = 0; i < n; i++) {
			if (s[i] == '#' && !quoted)
				return pos + i;
			quoted ^= s[i] == '"';
		}
		if (!goes_on)
			return pos + n;
		pos += n + 1;
	}
	return pos;
}

/* The names that an op line sets and that are no slots. */
enum reserved { CATEGORY, ROW, LINKED, ANNOTATION, RESERVED };
static const struct { const char *name, *value; } reserved[RESERVED] = {
	{ "category", "a category after category=" }, { "row", "row=moved" },
	{ "linked", "linked=none or linked=hidden" }, { "annotation", "annotation=step" },
};

static enum tl_status read_reserved(struct tl_registry *r, struct tl_op *op, struct tl_cursor *c, enum reserved which)
{
	struct field value;
	enum tl_status s = which == CATEGORY && !tl_cursor_at_end(c) ? need_category(r, c, &value) : need_field(c, &value, reserved[which].value);

	if (s)
		return s;
	if (which == CATEGORY)
		op->category = intern(r, &value);
	else if (which == ROW && field_is(&value, "moved"))
		op->pub.moved = true;
	else if (which == LINKED && field_is(&value, "none"))
		op->pub.linked_none = true;
	else if (which == LINKED && field_is(&value, "hidden"))
		op->pub.linked_hidden = true;
	else if (which == ANNOTATION && field_is(&value, "step"))
		op->pub.annotated = true;
	else
		return tl_cursor_fail(c, value.pos, "expected %s", reserved[which].value);
	return tl_cursor_at_end(c) ? TL_OK : tl_cursor_fail(c, c->pos, "expected SLOT=EXPRESSION");
}

/* Could a reserved name (category, row, linked, annotation) be set here? */
static bool may_reserve(const struct tl_cursor *c, size_t end)
{
	const char *s = c->text + c->pos, *past = c->text + end;

	for (; s < past && (s = memchr(s, '=', (size_t)(past - s))); s++)
		if (s > c->text && (s[-1] == 'y' || s[-1] == 'w' || s[-1] == 'd' || s[-1] == 'n' || s[-1] == ' '))
			return true;
	return false;
}

/* The reserved ones among name=expression pairs; the others wait. */
static enum tl_status read_bindings(struct tl_registry *r, struct tl_op *op, struct tl_cursor *c)
{
	size_t end = op->bindings.end;
	bool set[RESERVED] = { false };
	const char *name;

	if (op->bindings.in < BUILT_IN && !may_reserve(c, end)) {
		c->pos = end;
		return tl_cursor_at_end(c) ? TL_OK : line_done(c);
	}
	while (!tl_cursor_at_end(c)) {
		size_t pos = c->pos, n = tl_cursor_name(c, &name);
		if (!n || !tl_cursor_take(c, '='))
			return tl_cursor_fail(c, pos, "expected SLOT=EXPRESSION");
		size_t stop = tl_span_skip(c, c->pos, end), all = c->len, which = 0;
		while (which < RESERVED && (n != strlen(reserved[which].name) || memcmp(name, reserved[which].name, n)))
			which++;
		if (which < RESERVED) {
			if (set[which])
				return tl_cursor_fail(c, pos, "\"%s\" is set twice", reserved[which].name);
			set[which] = true;
			c->len = stop;
			enum tl_status s = read_reserved(r, op, c, (enum reserved)which);
			if (s)
				return s;
			c->len = all;
		}
		c->pos = stop;
		tl_cursor_take(c, ';');
	}
	return TL_OK;
}

/* Where the operators of a prefix are; a new prefix gets the next place. */
static uint32_t prefix_position(struct tl_registry *r, uint32_t text)
{
	for (size_t i = 0; i < r->n_prefix_ops; i++)
		if (r->prefix_ops[i].prefix == text)
			return r->prefix_ops[i].value;
	TL_GROW(r->prefix_ops, r->cap_prefix_ops, r->n_prefix_ops + 1);
	r->prefix_ops[r->n_prefix_ops++] = (struct tl_prefix_rule){ text, (uint32_t)r->n_ops };
	return (uint32_t)r->n_ops;
}

/* A new operator, or the old one of this name emptied: it keeps its place. */
static struct tl_op *op_slot(struct tl_registry *r, uint32_t name, bool is_prefix)
{
	uint32_t *at = is_prefix ? NULL : tl_map_put(&r->op_by_name, name, NULL);
	uint32_t position = is_prefix ? prefix_position(r, name) : *at ? *at - 1 : (uint32_t)r->n_ops;
	struct tl_op *op = tl_arena_alloc(&r->arena, sizeof *op);

	memset(op, 0, sizeof *op);
	if (position == r->n_ops) {
		TL_GROW(r->ops, r->cap_ops, r->n_ops + 1);
		r->n_ops++;
	}
	r->ops[position] = op;
	if (at)
		*at = position + 1;
	op->name = name;
	op->position = position;
	op->is_prefix = op->pub.prefix = is_prefix;
	return op;
}

static enum tl_status read_op(struct tl_registry *r, struct tl_cursor *c, uint32_t in, bool is_prefix)
{
	struct field name, model;
	enum tl_status s;

	if ((s = need_field(c, &name, is_prefix ? "the beginning of operator names" : "the name of an operator")) ||
	    (s = need_field(c, &model, "the name of a model")))
		return s;
	uint32_t id = intern(r, &name);
	struct tl_op *op = op_slot(r, id, is_prefix);
	op->model_name = intern(r, &model);
	op->at = (struct tl_span_of){ in, model.pos, model.pos + model.len };
	tl_cursor_skip(c);
	op->bindings = (struct tl_span_of){ in, c->pos, line_end(c, c->pos) };
	/* an operator defined again takes its model's category over an older line */
	if (!is_prefix && tl_map_get(&r->category_by_name, id) && r->n_sources > BUILT_IN)
		*tl_map_put(&r->category_by_name, id, NULL) = 0;
	return read_bindings(r, op, c);
}

/* ---- models ---------------------------------------------------------------------- */

struct tl_model *tl_model_find(const struct tl_registry *r, uint32_t name)
{
	uint32_t *at = name ? tl_map_get(&r->model_by_name, name) : NULL;
	return at ? r->models[*at - 1] : NULL;
}

static bool begins_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#' || !c;
}

/* The lines of a model: those that begin with a blank. The attributes are read
 * here, since categories are asked for without compiling anything. */
static enum tl_status read_body(struct tl_registry *r, struct tl_model *m, struct tl_cursor *c)
{
	static const char keywords[][12] = { "let", "slot", "param", "def", "need", "drop", "only", "flops", "bytes", "flops_bwd", "bytes_bwd", "spec" };
	bool given[3] = { false }; /* category, family, backward */
	struct field key, value;
	enum tl_status s;

	while (c->pos < c->len && begins_blank(c->text[c->pos])) {
		if (tl_cursor_at_end(c)) {
			c->pos += c->pos < c->len;
			continue;
		}
		field(c, &key);
		bool category = field_is(&key, "category"), family = field_is(&key, "family");
		if (category || family || field_is(&key, "backward")) {
			bool *before = &given[category ? 0 : family ? 1 : 2];
			if (*before)
				return tl_cursor_fail(c, key.pos, "\"%.*s\" is given twice", (int)key.len, key.s);
			*before = true;
			if ((s = family ? need_field(c, &value, "a sheet family") : need_category(r, c, &value)) || (s = line_done(c)))
				return s;
			size_t pos = (size_t)(value.s - c->text);
			if (family && m->body.in >= BUILT_IN && !field_is(&value, "-") && (s = check_family(c, pos, value.s, value.len)))
				return s;
			if (family || (category && !m->family))
				m->named = (struct tl_span_of){ m->body.in, pos, pos + value.len };
			*(category ? &m->category : family ? &m->family : &m->backward) = intern(r, &value);
		} else {
			size_t i = 0;
			while (i < sizeof keywords / sizeof *keywords && (keywords[i][0] != *key.s || !field_is(&key, keywords[i])))
				i++;
			if (i == sizeof keywords / sizeof *keywords)
				return tl_cursor_fail(c, key.pos, "expected category, family, backward, slot, let, def, need, drop, only, flops, bytes, "
				                      "flops_bwd, bytes_bwd, spec or param, found \"%.*s\"", (int)(key.len > 40 ? 40 : key.len), key.s);
			c->pos = line_end(c, c->pos);
		}
		tl_cursor_skip(c);
		c->pos += c->pos < c->len;
	}
	m->body.end = c->pos;
	return TL_OK;
}

static enum tl_status read_model(struct tl_registry *r, struct tl_cursor *c, uint32_t in)
{
	struct field name, like;
	enum tl_status s = need_field(c, &name, "the name of a model");

	if (s)
		return s;
	struct tl_model *m = tl_arena_alloc(&r->arena, sizeof *m);
	memset(m, 0, sizeof *m);
	m->name = intern(r, &name);
	m->head = (struct tl_span_of){ in, name.pos, name.pos + name.len };
	if (field(c, &like)) {
		if (like.len < 6 || memcmp(like.s, "like=", 5))
			return tl_cursor_fail(c, like.pos, "expected like=MODEL or the end of the line");
		uint32_t *base = tl_map_get(&r->model_by_name, tl_intern(&r->strings, like.s + 5, like.len - 5));
		if (!base)
			return tl_cursor_fail(c, like.pos + 5, "no model \"%.*s\" before this line", (int)(like.len > 65 ? 60 : like.len - 5), like.s + 5);
		m->like = *base;
		m->category = r->models[*base - 1]->category;
		m->family = r->models[*base - 1]->family;
		m->backward = r->models[*base - 1]->backward;
		m->named = r->models[*base - 1]->named;
	}
	if ((s = line_done(c)))
		return s;
	c->pos += c->pos < c->len;
	m->body = (struct tl_span_of){ in, c->pos, c->pos };
	if ((s = read_body(r, m, c)))
		return s;
	TL_GROW(r->models, r->cap_models, r->n_models + 1);
	r->models[r->n_models++] = m;
	*tl_map_put(&r->model_by_name, m->name, NULL) = (uint32_t)r->n_models;
	return TL_OK;
}

/* ---- after reading ------------------------------------------------------------------ */

struct tl_cursor tl_cursor_of(const struct tl_registry *r, struct tl_span_of at, struct tl_error *err)
{
	const struct tl_source *s = &r->sources[at.in];
	return (struct tl_cursor){ s->file, s->text, s->len, at.pos, err };
}

/* CONV_fwd -> CONV */
static uint32_t family_of(struct tl_registry *r, uint32_t category)
{
	const char *s = tl_str(&r->strings, category);
	size_t n = tl_str_len(&r->strings, category);

	if (n > 4 && (!memcmp(s + n - 4, "_fwd", 4) || !memcmp(s + n - 4, "_bwd", 4)))
		return tl_intern(&r->strings, s, n - 4);
	return category;
}

static enum tl_status resolve_op(struct tl_registry *r, struct tl_op *op, struct tl_error *err)
{
	struct tl_model *m = tl_model_find(r, op->model_name);
	struct tl_cursor c = tl_cursor_of(r, op->at, err);

	if (!m)
		return tl_cursor_fail(&c, op->at.pos, "no model \"%.60s\"; --list-models names those there are", tl_str(&r->strings, op->model_name));
	uint32_t *line = op->is_prefix ? NULL : tl_map_get(&r->category_by_name, op->name);
	uint32_t category = line && *line ? *line : op->category ? op->category : m->category;
	op->model = m;
	op->family_name = m->family ? m->family : family_of(r, m->category);
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

static bool is_before(struct tl_span_of a, struct tl_span_of b)
{
	return a.in != b.in ? a.in < b.in : a.pos < b.pos;
}

static enum tl_status add_family(struct tl_registry *r, const struct tl_op *op, struct tl_error *err)
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
	enum tl_status s = at.in < BUILT_IN ? TL_OK : check_family(&c, at.pos, name, tl_str_len(&r->strings, op->family_name));
	if (s)
		return s;
	uint32_t *one = tl_map_get(&r->one_sheet, op->family_name);
	TL_GROW(r->families, r->cap_families, r->n_families + 1);
	r->families[r->n_families++] = (struct tl_family_of){ op->family_name, one && *one, at };
	return TL_OK;
}

static enum tl_status resolve(struct tl_registry *r, struct tl_error *err)
{
	r->n_families = 0;
	for (size_t i = 0; i < r->n_ops; i++) {
		enum tl_status s = resolve_op(r, r->ops[i], err);
		if (!s && r->ops[i]->pub.family)
			s = add_family(r, r->ops[i], err);
		if (s)
			return s;
	}
	return TL_OK;
}

static enum tl_status read_record(struct tl_registry *r, struct tl_cursor *c, uint32_t in)
{
	struct field kind;

	if (strchr(" \t", c->text[c->pos]) && !tl_cursor_at_end(c))
		return tl_cursor_fail(c, c->pos, "a line that begins with a blank belongs to a model; none was begun");
	if (!field(c, &kind))
		return TL_OK;
	if (field_is(&kind, "op"))
		return read_op(r, c, in, false);
	if (field_is(&kind, "prefix"))
		return read_op(r, c, in, true);
	if (field_is(&kind, "model"))
		return read_model(r, c, in);
	if (field_is(&kind, "category"))
		return read_category(r, c);
	if (field_is(&kind, "category-prefix"))
		return read_category_prefix(r, c);
	if (field_is(&kind, "kernel"))
		return read_kernel(r, c);
	if (field_is(&kind, "family"))
		return read_family(r, c);
	if (field_is(&kind, "map"))
		return read_map(r, c);
	return tl_cursor_fail(c, kind.pos, "expected op, prefix, model, category, category-prefix, kernel, family or map, found \"%.*s\"",
	                      (int)(kind.len > 40 ? 40 : kind.len), kind.s);
}

static enum tl_status read_table(struct tl_registry *r, uint32_t in, struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_of(r, (struct tl_span_of){ in, 0, 0 }, err);
	enum tl_status s;

	while (c.pos < c.len) {
		size_t before = c.pos;
		if ((s = read_record(r, &c, in)))
			return s;
		if (c.pos < c.len && c.text[c.pos] == '\n')
			c.pos++;
		else if (c.pos == before)
			return tl_cursor_fail(&c, c.pos, "expected a line of a table");
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
	if ((s = read_table(r, in, err)) || (s = resolve(r, err)))
		return s;
	return compile_from(r, in, first_model, err);
}

static void read_aten(struct tl_registry *r)
{
	const char *s = tl_data_aten_ops, *end = s + tl_data_aten_ops_len;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		if (!nl)
			nl = end;
		if (*s != '#' && nl > s)
			tl_intern(&r->aten, s, (size_t)(nl - s));
		s = nl + 1;
	}
}

enum tl_status tl_registry_new(struct tl_registry **out, struct tl_error *err)
{
	struct tl_registry *r = tl_calloc(1, sizeof *r);
	enum tl_status s;

	*out = NULL;
	tl_strtab_init(&r->strings);
	tl_strtab_init(&r->aten);
	tl_arena_init(&r->arena);
	uint32_t models = add_source(r, "models", tl_data_models, tl_data_models_len);
	uint32_t ops = add_source(r, "ops", tl_data_ops, tl_data_ops_len);
	if ((s = read_table(r, models, err)) || (s = read_table(r, ops, err)) || (s = resolve(r, err))) {
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
	tl_strtab_release(&r->aten);
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

const struct tl_value *tl_registry_lookup(const struct tl_registry *r, const char *map, const char *key, size_t len)
{
	uint32_t m = tl_strtab_find(&r->strings, map, strlen(map)), k = tl_strtab_find(&r->strings, key, len);
	uint32_t *at = m && k ? tl_map_get(&r->maps, map_key(m, k)) : NULL;
	return at ? &r->map_values[*at - 1] : NULL;
}

bool tl_registry_aten(const struct tl_registry *r, const char *name, size_t len)
{
	if (!r->aten.count)
		read_aten((struct tl_registry *)(uintptr_t)r); /* only compiled kernels need it */
	return tl_strtab_find(&r->aten, name, len) != 0;
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* The longest of the rules whose text the name begins with; of equal ones the
 * last. */
static const struct tl_prefix_rule *find_prefix(const struct tl_registry *r, const struct tl_prefix_rule *rules, size_t n, const char *name)
{
	const struct tl_prefix_rule *best = NULL;
	size_t length = 0;

	for (size_t i = 0; i < n; i++)
		if (starts_with(name, tl_str(&r->strings, rules[i].prefix)) && tl_str_len(&r->strings, rules[i].prefix) >= length) {
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
		if (starts_with(kernel0, tl_str(&r->strings, r->kernels[i].prefix)) &&
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

size_t tl_families(const struct tl_registry *r)
{
	return r->n_families;
}

const char *tl_family_at(const struct tl_registry *r, size_t i, bool *one)
{
	*one = r->families[i].one;
	return tl_str(&r->strings, r->families[i].name);
}

size_t tl_models(const struct tl_registry *r)
{
	return r->n_models;
}

static const struct tl_function *const functions[] = { tl_fn_args, tl_fn_values, tl_fn_models, tl_fn_triton };

const struct tl_function *tl_function_at(size_t i)
{
	for (size_t t = 0; t < sizeof functions / sizeof *functions; t++)
		for (const struct tl_function *f = functions[t]; f->name; f++)
			if (i-- == 0)
				return f;
	return NULL;
}

const struct tl_function *tl_function_find(const char *name, size_t len)
{
	for (size_t t = 0; t < sizeof functions / sizeof *functions; t++)
		for (const struct tl_function *f = functions[t]; f->name; f++)
			if (f->name[0] == *name && !strncmp(f->name, name, len) && !f->name[len])
				return f;
	return NULL;
}

const char *tl_function_help(size_t i)
{
	static const char *const lazy[] = {
		"sel(c, x, y): x if c, else y; only the one chosen is evaluated",
		"sumpairs(pairs, e): sum of e with m, k, n of each pair ((m, k), (k, n))",
		"NULL_IF(a, …): e: null when any of a, … is null, else e",
	};
	if (i < 3)
		return lazy[i];
	const struct tl_function *f = tl_function_at(i - 3);
	return f ? f->help : NULL;
}
