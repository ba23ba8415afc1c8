/* perf_registry.c - makes the registry of operators and models, and answers questions about them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "perf/perf_registry.h"

#include "base/text.h"
#include "lang/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern const char tl_data_ops[], tl_data_models[], tl_data_more_ops[];
extern const size_t tl_data_ops_len, tl_data_models_len, tl_data_more_ops_len;

enum { MAX_TABLE = 1 << 20 };

#define MAX_MEMORY ((size_t)256 << 20) /* for all trees */

/* ---- trees of the expressions of models ---------------------------------------------------------------------------- */

/* From "(a, b) = expression". The parameters are variables that only the body can use. */
static enum tl_status compile_def(struct tl_model *m, struct tl_item *it, struct tl_cursor *c)
{
	struct tl_scope *scope = &m->scope;
	struct tl_def d = { .name = it->name };
	size_t visible = scope->n_names;
	const char *name;
	size_t n;

	if (!tl_cursor_take(c, '('))
		return tl_cursor_fail(c, c->pos, "expected \"(\" and the parameters of the definition");
	while ((n = tl_cursor_name(c, &name))) {
		uint32_t id = tl_intern(scope->strings, name, n);
		if (d.n_params == TL_MAX_PARAMS)
			return tl_cursor_fail(c, c->pos, "more than %d parameters", TL_MAX_PARAMS);
		if (tl_expr_reserved(name, n))
			return tl_cursor_fail(c, c->pos - n, "\"%.*s\" is a word of the language", (int)n, name);
		for (size_t i = visible; i < scope->n_names; i++)
			if (scope->names[i].name == id)
				return tl_cursor_fail(c, c->pos - n, "\"%.*s\" is given twice", (int)(n > 60 ? 60 : n), name);
		d.params[d.n_params++] = tl_scope_add_var(scope, id);
		if (!tl_cursor_take(c, ','))
			break;
	}
	if (!tl_cursor_take(c, ')') || !tl_cursor_take(c, '='))
		return tl_cursor_fail(c, c->pos, "expected \")\" and \"=\" after the parameters");
	it->node = d.body = tl_expr_parse(c, scope);
	scope->n_names = visible;
	it->number = tl_scope_add_def(scope, d);
	return d.body ? TL_OK : TL_ERR_DATA;
}

static enum tl_status compile_item(struct tl_registry *r, struct tl_model *m, struct tl_item *it, struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_at(r, it->at, err);
	const char *name;
	size_t n;

	it->n_names = m->scope.n_names;
	if (it->kind == TL_LINE_DEF) {
		if (compile_def(m, it, &c))
			return TL_ERR_DATA;
	} else if (!it->required && !(it->node = tl_expr_parse(&c, &m->scope))) {
		return TL_ERR_DATA;
	}
	if (it->kind == TL_LINE_SLOT || it->kind == TL_LINE_LET)
		it->number = tl_scope_add_var(&m->scope, it->name);
	if (it->kind == TL_LINE_PARAM && !tl_cursor_at_end(&c)) {
		n = tl_cursor_name(&c, &name);
		if (!tl_text_is(name, n, "if"))
			return tl_cursor_fail(&c, c.pos - n, "expected \"if\", \";\" or the end of the line");
		if (!(it->condition = tl_expr_parse(&c, &m->scope)))
			return TL_ERR_DATA;
	}
	if (tl_cursor_at_end(&c))
		return TL_OK;
	bool one = c.text[c.pos] == ';'; /* a formula, of which a line holds only one */
	return tl_cursor_fail(&c, c.pos, "expected %sthe end of the line", one ? "" : "\";\" or ");
}

/* A line was right before this model came: puts the model's place before the message about the line. */
static enum tl_status name_model(const struct tl_registry *r, const struct tl_model *m, const char *what,
                                 struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_at(r, m->head, err);
	char text[sizeof err->text] = "";

	if (err)
		snprintf(text, sizeof text, "%s", err->text);
	return tl_cursor_fail(&c, c.pos, "model \"%.60s\" %s: %s", tl_str(&r->strings, m->name), what, text);
}

static enum tl_status compile_model(struct tl_registry *r, struct tl_model *m, struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_at(r, m->head, err);

	if (m->compiled)
		return TL_OK;
	m->compiled = true;
	m->scope = (struct tl_scope){ .strings = &r->strings, .arena = &r->arena, .maps = &r->maps };
	for (size_t i = 0; i < m->n_items; i++) {
		if (!compile_item(r, m, &m->items[i], err))
			continue;
		if (tl_is_within(m->items[i].at, m->body))
			return TL_ERR_DATA;
		return name_model(r, m, "does not fit a line of the model it is like", err);
	}
	if (!tl_model_item(m, TL_LINE_FLOPS))
		return tl_cursor_fail(&c, c.pos, "model \"%.60s\" has no flops line", tl_str(&r->strings, m->name));
	return TL_OK;
}

const struct tl_item *tl_model_item(const struct tl_model *m, enum tl_line_kind kind)
{
	for (size_t i = 0; i < m->n_items; i++)
		if (m->items[i].kind == kind)
			return &m->items[i];
	return NULL;
}

const struct tl_node *tl_op_node(const struct tl_perf_op *op, size_t i)
{
	return op->bound[i] ? op->bound[i] : op->model->items[i].node;
}

/* ---- what is needed of a model ------------------------------------------------------------- */

/* Is an item evaluated for a purpose? vars, defs: what the items after it use. */
static bool is_needed(const struct tl_item *it, enum tl_purpose purpose, const bool *vars, const bool *defs)
{
	switch (it->kind) {
	case TL_LINE_SLOT:
	case TL_LINE_LET:
		return vars[it->number];
	case TL_LINE_DEF:
		return defs[it->number];
	case TL_LINE_NEED:
	case TL_LINE_DROP:
	case TL_LINE_SPEC:
	case TL_LINE_PARAM:
		return purpose != TL_APPLIES;
	case TL_LINE_FLOPS:
	case TL_LINE_BYTES:
		return purpose == TL_FORWARD;
	case TL_LINE_FLOPS_BWD:
	case TL_LINE_BYTES_BWD:
		return purpose == TL_BACKWARD;
	default:
		return true; /* only */
	}
}

/* By item: is it evaluated? What no result needs is not. */
static bool *find_needed(struct tl_registry *r, const struct tl_perf_op *op, enum tl_purpose purpose)
{
	const struct tl_model *m = op->model;
	bool *needed = tl_arena_alloc(&r->arena, m->n_items + 1), *defs = tl_calloc(m->scope.n_defs + 1, 1);
	bool *vars = tl_calloc(m->scope.n_vars + 1, 1);

	for (size_t i = m->n_items; i-- > 0;) {
		const struct tl_item *it = &m->items[i];
		needed[i] = is_needed(it, purpose, vars, defs);
		if (needed[i])
			tl_expr_uses(tl_op_node(op, i), vars, defs);
		if (needed[i] && it->condition)
			tl_expr_uses(it->condition, vars, defs);
	}
	free(defs);
	free(vars);
	return needed;
}

/* ---- trees of the expressions of op lines ------------------------------------------------------------------------------- */

static enum tl_status no_slot(const struct tl_registry *r, const struct tl_model *m, const struct tl_cursor *c,
                              size_t pos, const char *name, size_t n)
{
	enum { MOST = 300 }; /* bytes of names in a message */
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < m->n_items && b.len < MOST; i++)
		if (m->items[i].kind == TL_LINE_SLOT)
			tl_buf_addf(&b, "%s%.60s", b.len ? ", " : "; its slots are ", tl_str(&r->strings, m->items[i].name));
	tl_buf_adds(&b, b.len >= MOST ? ", …" : b.len ? "" : "; it has none");
	enum tl_status s = tl_cursor_fail(c, pos, "model \"%.60s\" has no slot \"%.*s\"%s", tl_str(&r->strings, m->name),
	                                  (int)(n > 60 ? 60 : n), name, b.data);
	tl_buf_release(&b);
	return s;
}

/* The expression of a slot may use what the model has computed before the slot. */
static enum tl_status bind_slot(struct tl_registry *r, struct tl_op *op, struct tl_cursor *c, const char *name,
                                size_t n)
{
	uint32_t id = tl_strtab_find(&r->strings, name, n);
	size_t pos = (size_t)(name - c->text), i = 0;
	struct tl_model *m = op->op.model;
	struct tl_scope *scope = &m->scope;

	while (i < m->n_items && (m->items[i].kind != TL_LINE_SLOT || m->items[i].name != id))
		i++;
	if (i == m->n_items)
		return no_slot(r, m, c, pos, name, n);
	if (op->op.bound[i])
		return tl_cursor_fail(c, pos, "slot \"%.60s\" is set twice", tl_str(&r->strings, id));
	scope->hidden_from = m->items[i].n_names;
	scope->hidden_to = scope->n_names;
	op->op.bound[i] = tl_expr_parse(c, scope);
	scope->hidden_to = 0;
	return op->op.bound[i] ? TL_OK : TL_ERR_DATA;
}

/* What an op line may set that is no slot, in the order of tl_setting_words. */
enum { CATEGORY, ROW, LINKED, ANNOTATION, SETTINGS };
static const char *const settings[SETTINGS] = { "a category after category=", "row=moved", "linked=none or linked=hidden",
	"annotation=step or annotation=inference" };

static enum tl_status read_setting(struct tl_registry *r, struct tl_op *op, struct tl_cursor *c, int setting)
{
	const char *expected = settings[setting];
	struct tl_word f;
	uint32_t category;
	enum tl_status s;

	if (tl_is_blank(tl_cursor_peek(c, 0)) || tl_cursor_at_end(c))
		return tl_cursor_fail(c, c->pos, "expected %s", expected);
	if (setting == CATEGORY) {
		if (!(s = tl_category_read(r, c, &category)))
			op->op.category = tl_str(&r->strings, category);
		return s;
	}
	if ((s = tl_cursor_need_word(c, &f, expected)))
		return s;
	if (setting == ROW && tl_text_is(f.s, f.len, "moved"))
		op->op.moved = true;
	else if (setting == LINKED && tl_text_is(f.s, f.len, "none"))
		op->op.linked_none = true;
	else if (setting == LINKED && tl_text_is(f.s, f.len, "hidden"))
		op->op.linked_hidden = true;
	else if (setting == ANNOTATION && tl_text_is(f.s, f.len, "step"))
		op->op.annotated = true;
	else if (setting == ANNOTATION && tl_text_is(f.s, f.len, "inference"))
		op->op.annotated_inference = true;
	else
		return tl_cursor_fail(c, f.pos, "expected %s", expected);
	return TL_OK;
}

/* What follows the model's name: settings and slots. */
static enum tl_status read_settings(struct tl_registry *r, struct tl_op *op, struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_at(r, op->settings, err);
	const struct tl_model *m = op->op.model;
	bool set[SETTINGS + 1] = { false };
	enum tl_status s = TL_OK;
	const char *name;

	while (!s && !tl_cursor_at_end(&c)) {
		size_t n = tl_cursor_name(&c, &name), pos = c.pos - n;
		if (!n || !tl_cursor_take(&c, '='))
			return tl_cursor_fail(&c, pos, "expected SLOT=EXPRESSION");
		int setting = tl_setting_find(name, n);
		if (!tl_setting_words[setting])
			s = bind_slot(r, op, &c, name, n);
		else if (set[setting])
			s = tl_cursor_fail(&c, pos, "\"%s\" is set twice", tl_setting_words[setting]);
		else
			s = read_setting(r, op, &c, setting);
		set[setting] = true;
		tl_cursor_take(&c, ';');
	}
	for (size_t i = 0; !s && i < m->n_items; i++)
		if (m->items[i].required && !op->op.bound[i])
			s = tl_cursor_fail(&c, op->at.pos, "slot \"%.60s\" of model \"%.60s\" must be set",
			                   tl_str(&r->strings, m->items[i].name), tl_str(&r->strings, m->name));
	return s;
}

static enum tl_status find_model(struct tl_registry *r, struct tl_op *op, struct tl_error *err)
{
	struct tl_cursor c = tl_cursor_at(r, op->at, err);
	uint32_t *at = tl_map_get(&r->model_by_name, op->model_name);

	if (!at)
		return tl_cursor_fail(&c, c.pos, "no model \"%.60s\"; \"tl-models models\" lists the models",
		                      tl_str(&r->strings, op->model_name));
	op->op.model = r->models[*at - 1];
	return TL_OK;
}

static enum tl_status compile_op(struct tl_registry *r, struct tl_op *op, struct tl_error *err)
{
	struct tl_model *m = op->op.model;
	uint32_t *category = op->op.prefix ? NULL : tl_map_get(&r->category_by_name, op->name);
	enum tl_status s;

	if (op->compiled)
		return TL_OK;
	op->compiled = true;
	if ((s = compile_model(r, m, err)))
		return s;
	op->op.model_name = tl_str(&r->strings, m->name);
	op->op.category = m->category ? tl_str(&r->strings, m->category) : "other";
	op->op.backward = m->backward ? tl_str(&r->strings, m->backward) : NULL;
	op->op.bound = tl_arena_alloc(&r->arena, (m->n_items + 1) * sizeof *op->op.bound);
	memset(op->op.bound, 0, (m->n_items + 1) * sizeof *op->op.bound);
	uint8_t of_model = m->scope.traits; /* expressions of slots add to these, for this operator only */
	if ((s = read_settings(r, op, err)))
		return op->at.source < m->head.source ? name_model(r, m, "does not fit an operator of an earlier table", err) : s;
	uint8_t traits = m->scope.traits;
	m->scope.traits = of_model;
	if (category && *category)
		op->op.category = tl_str(&r->strings, *category);
	for (int purpose = 0; purpose < TL_PURPOSES; purpose++)
		op->op.needed[purpose] = find_needed(r, &op->op, (enum tl_purpose)purpose);
	op->op.conditional = tl_model_item(m, TL_LINE_ONLY) != NULL;
	op->op.looks_beyond = traits != 0;
	op->op.remembers = traits & TL_FN_MEMORY;
	return TL_OK;
}

/* ---- sheet families --------------------------------------------------------------------- */

#define MAX_FAMILY 27 /* with _fwd 31 characters, the most that Excel takes for a sheet */

static bool ends_with(const char *s, size_t n, const char *end)
{
	return n >= strlen(end) && !strncasecmp(s + n - strlen(end), end, strlen(end));
}

static enum tl_status check_family(const struct tl_cursor *c, const char *s, size_t n)
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

	for (size_t i = 0; i < r->families.n; i++) {
		const struct tl_family *other = &r->families.items[i];
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
		if (op->prefix || !f.name || !strcmp(name, "-"))
			continue;
		const struct tl_family *known = TL_ITEM_FIND(&r->families, f.name);
		op->family = name;
		op->family_number = (uint32_t)(known ? (size_t)(known - r->families.items) : r->families.n);
		if (known)
			continue;
		struct tl_cursor c = tl_cursor_at(r, f.at, err);
		if (check_case(r, &f, err) || check_family(&c, name, strlen(name)))
			return TL_ERR_DATA;
		f.sheets = sheets ? *sheets : FAMILY_TWO;
		*TL_ITEM(&r->families, f.name, NULL) = f;
	}
	return TL_OK;
}

enum tl_status tl_family_reserve(const struct tl_registry *r, const char *sheet, struct tl_error *err)
{
	for (size_t i = 0; i < r->families.n; i++) {
		struct tl_cursor c = tl_cursor_at(r, r->families.items[i].at, err);
		if (!strcasecmp(tl_str(&r->strings, r->families.items[i].name), sheet))
			return tl_cursor_fail(&c, c.pos, "expected another sheet family: %s is a sheet of its own", sheet);
	}
	return TL_OK;
}

size_t tl_families(const struct tl_registry *r)
{
	return r->families.n;
}

const char *tl_family_at(const struct tl_registry *r, size_t i, bool inference, bool *one)
{
	*one = r->families.items[i].sheets == FAMILY_ONE || (r->families.items[i].sheets == FAMILY_ONE_IN_TRAINING && !inference);
	return tl_str(&r->strings, r->families.items[i].name);
}

/* ---- making ---------------------------------------------------------------------- */

static enum tl_status add_table(struct tl_registry *r, struct tl_table_text t, struct tl_error *err)
{
	TL_PUSH(r->sources, r->n_sources, r->cap_sources, (struct tl_source){ t.name, t.text, t.len });
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

enum tl_status tl_registry_new(struct tl_registry **out, bool more, const struct tl_table_text *user, size_t n,
                               struct tl_error *err)
{
	struct tl_registry *r = tl_calloc(1, sizeof *r);
	enum tl_status s;

	r->maps.strings = &r->strings;
	s = add_table(r, (struct tl_table_text){ "models", tl_data_models, tl_data_models_len }, err);
	if (!s)
		s = add_table(r, (struct tl_table_text){ "ops", tl_data_ops, tl_data_ops_len }, err);
	if (!s && more)
		s = add_table(r, (struct tl_table_text){ "more-ops", tl_data_more_ops, tl_data_more_ops_len }, err);
	for (size_t i = 0; !s && i < n; i++)
		s = add_user_table(r, user[i], err);
	/* Trees of all expressions are made after all tables have been read. A trace has few of the operators, so those of the built-in
	 * tables alone are made when they are asked for (ready). */
	for (size_t i = 0; !s && n && i < r->n_models; i++)
		s = compile_model(r, r->models[i], err);
	for (size_t i = 0; !s && i < r->n_ops; i++) {
		s = find_model(r, r->ops[i], err);
		if (r->ops[i]->op.prefix)
			TL_PUSH(r->by_prefix, r->n_by_prefix, r->cap_by_prefix, r->ops[i]);
		if (!s && n)
			s = compile_op(r, r->ops[i], err);
		if (!s && r->arena.total > MAX_MEMORY)
			s = tl_fail(err, TL_ERR_DATA, "the tables of models and operators need more than %zu MB", MAX_MEMORY >> 20);
	}
	if (!s)
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
	free(r->by_prefix);
	free(r->prefixes);
	free(r->kernels);
	TL_KEYED_RELEASE(&r->families);
	free(r);
}

/* ---- questions ------------------------------------------------------------------------ */

/* The built-in tables have no mistake: tests ask for all operators. */
static const struct tl_perf_op *ready(const struct tl_registry *r, struct tl_op *op)
{
	struct tl_error err;

	if (!op->compiled)
		tl_must(compile_op((struct tl_registry *)r, op, &err), &err);
	return &op->op;
}

const struct tl_perf_op *tl_op_find(const struct tl_registry *r, const char *name)
{
	uint32_t id = tl_strtab_find(&r->strings, name, strlen(name));
	uint32_t *at = id ? tl_map_get(&r->op_by_name, id) : NULL;
	struct tl_op *best = NULL;

	if (at)
		return ready(r, r->ops[*at - 1]);
	for (size_t i = 0; i < r->n_by_prefix; i++) {
		struct tl_op *op = r->by_prefix[i];
		if (tl_starts_with(name, op->op.name) && (!best || strlen(op->op.name) > strlen(best->op.name)))
			best = op;
	}
	return best ? ready(r, best) : NULL;
}

const struct tl_perf_op *tl_op_at(const struct tl_registry *r, size_t i)
{
	return i < r->n_ops ? ready(r, r->ops[i]) : NULL;
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
