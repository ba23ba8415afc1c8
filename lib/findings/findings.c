/* findings.c - rules over the rows of sheets: candidates, what they are worth, order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "findings/findings.h"

#include "base/merge_sort.h"
#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rule at work on its sheet. */
struct work {
	struct tl_findings_input *in;
	struct tl_findings *out;
	const struct tl_rule *rule;
	const struct tl_table *sheet;
	struct tl_eval eval;
	struct tl_arena values;       /* of one evaluation */
	struct tl_perf_memory *memory;
	int *columns;                 /* by variable: a column of the sheet, or -1 */
	struct taken { const struct tl_table *sheet; bool *rows; } *taken; size_t n_taken, cap_taken; /* rows that have a finding */
	size_t n_failed; char why[200]; /* evaluations of the rule that failed, and why the first did */
	struct tl_error *err;
};

/* Rows that belong together. */
struct group {
	struct tl_value key;
	uint32_t *rows; size_t n, cap;
	double *stakes;               /* by row, in ms */
	double stake;
};
struct groups { struct group *items; size_t n, cap; struct tl_strtab keys; /* id - 1 is the place */ };

/* ---- names in expressions --------------------------------------------------------------------- */

static int column_of(const struct tl_table *t, const char *word)
{
	struct tl_buf b = { 0 };
	int found = -1;

	for (size_t i = 0; i < t->n_columns && found < 0; i++) {
		/* A column as expressions name it: each run of other characters is one "_", none at the ends. */
		const char *name = t->columns[i].name;
		tl_buf_clear(&b);
		for (; *name; name++)
			if (tl_in_name(*name))
				tl_buf_addc(&b, *name);
			else if (b.len && b.data[b.len - 1] != '_')
				tl_buf_addc(&b, '_');
		while (b.len && b.data[b.len - 1] == '_')
			b.data[--b.len] = 0;
		if (!strcmp(tl_buf_text(&b), word))
			found = (int)i;
	}
	tl_buf_release(&b);
	return found;
}

static struct tl_value cell_value(const struct tl_table *t, size_t row, int column)
{
	struct tl_cell c = tl_table_cell(t, row, (size_t)column);

	if (tl_cell_is_null(c))
		return tl_v_null();
	if (c.type == TL_CELL_TEXT)
		return tl_v_text(tl_str(t->strings, c.text), tl_str_len(t->strings, c.text));
	if (c.type == TL_CELL_INT)
		return tl_v_int(c.i);
	return c.type == TL_CELL_BOOL ? tl_v_bool(c.i) : tl_v_real(tl_cell_number(c, t->ticks_per_us));
}

/* Names that have a meaning only once rows belong together. */
static const char *const group_facts[] = { "rows", "share", "stake_ms", "device_ms", "group", NULL };

static const struct tl_value *fact_of(const struct tl_findings_input *in, const char *name)
{
	for (size_t i = 0; i < in->n_facts; i++)
		if (!strcmp(in->facts[i].name, name))
			return &in->facts[i].value;
	for (size_t i = 0; i < in->rules->n_params; i++)
		if (!strcmp(in->rules->params[i].name, name))
			return &in->rules->params[i].value;
	return NULL;
}

/* A mistake in a word of the rule. */
static enum tl_status fail_at(struct work *w, const char *word, const char *what, const char *of)
{
	struct tl_cursor c = w->rule->at;

	c.err = w->err;
	return tl_cursor_fail(&c, c.pos, "rule \"%s\": \"%.60s\" is no %s%s", w->rule->id, word, what, of);
}

/* Is the variable the item of an each()? */
static bool is_item(const struct tl_node *n, uint32_t var)
{
	bool found = n && n->kind == TL_N_EACH && n->var == var;

	for (uint32_t i = 0; n && !found && i < n->n; i++)
		found = is_item(n->arg[i], var);
	return found;
}

static bool is_item_of_phrase(const struct tl_phrase *p, uint32_t var)
{
	bool found = false;

	for (size_t i = 0; i < p->n; i++)
		found |= is_item(p->pieces[i].node, var);
	return found;
}

static bool is_item_of(const struct tl_rule *r, uint32_t var)
{
	bool found = false;

	for (size_t i = 0; i < TL_RULE_PARTS; i++)
		found |= is_item(r->parts[i], var);
	for (size_t i = 0; i < TL_RULE_PHRASES; i++)
		found |= is_item_of_phrase(&r->phrases[i], var);
	for (size_t i = 0; i < TL_RULE_CHOICES; i++)
		for (size_t k = 0; k < r->choices[i].n; k++)
			found |= is_item_of_phrase(&r->choices[i].items[k].text, var) || is_item(r->choices[i].items[k].when, var);
	return found;
}

/* Finds what each name of the rule means; without a sheet, those of facts only. */
static enum tl_status bind(struct work *w)
{
	const struct tl_scope *scope = &w->rule->scope;

	w->columns = tl_alloc((scope->n_vars + 1) * sizeof *w->columns);
	tl_eval_start(&w->eval);
	for (uint32_t i = 0; i < scope->n_vars; i++) {
		const char *name = tl_str(scope->strings, scope->vars[i]);
		const struct tl_value *fact = fact_of(w->in, name);

		w->columns[i] = w->sheet ? column_of(w->sheet, name) : -1;
		if (w->columns[i] < 0 && fact)
			tl_eval_set(&w->eval, i, fact);
		else if (w->sheet && w->columns[i] < 0 && !tl_is_one_of(group_facts, name) && !is_item_of(w->rule, i))
			return fail_at(w, name, "fact, and no column of the sheet ", w->rule->texts[TL_RULE_SHEET]);
	}
	return TL_OK;
}

static void set_row(struct work *w, size_t row)
{
	for (uint32_t i = 0; i < w->rule->scope.n_vars; i++)
		if (w->columns[i] >= 0)
			w->eval.vars[i] = cell_value(w->sheet, row, w->columns[i]), w->eval.set[i] = true;
}

/* Columns become lists of the cells of these rows. */
static void set_rows(struct work *w, const uint32_t *rows, size_t n)
{
	for (uint32_t i = 0; i < w->rule->scope.n_vars; i++) {
		if (w->columns[i] < 0)
			continue;
		struct tl_value list = { .type = TL_V_LIST, .len = (uint32_t)n };
		list.items = tl_arena_alloc(&w->values, (n + 1) * sizeof *list.items);
		for (size_t r = 0; r < n; r++)
			list.items[r] = cell_value(w->sheet, rows[r], w->columns[i]);
		tl_eval_set(&w->eval, i, &list);
	}
}

static void set_fact(struct work *w, const char *name, struct tl_value v)
{
	for (uint32_t i = 0; i < w->rule->scope.n_vars; i++)
		if (w->columns[i] < 0 && !strcmp(tl_str(w->rule->scope.strings, w->rule->scope.vars[i]), name))
			tl_eval_set(&w->eval, i, &v);
}

/* ---- evaluating -------------------------------------------------------------------------------- */

static void note_failure(struct work *w, const char *why)
{
	if (!w->n_failed++)
		snprintf(w->why, sizeof w->why, "%s", why);
}

static bool evaluate(struct work *w, const struct tl_node *node, struct tl_value *out)
{
	w->eval.steps = 0;
	if (tl_expr_eval(&w->eval, node, out))
		return true;
	note_failure(w, w->eval.reason);
	return false;
}

/* Where the rule is to be explained, or NULL. */
static struct tl_buf *explained(const struct work *w)
{
	return w->in->explain && !strcmp(w->in->explain_id, w->rule->id) ? w->in->explain : NULL;
}

static void explain(struct work *w, enum tl_rule_part part, const struct tl_value *result)
{
	struct tl_buf *b = explained(w);

	if (b && w->rule->parts[part])
		tl_expr_show_steps(b, 2, tl_rule_parts[part], w->rule->parts[part], &w->rule->scope, w->eval.vars, w->eval.set, result);
}

/* The value of a part, null if the rule has none or it cannot be told. */
static struct tl_value value_of(struct work *w, enum tl_rule_part part)
{
	struct tl_value v = tl_v_null();

	if (w->rule->parts[part] && !evaluate(w, w->rule->parts[part], &v))
		v = tl_v_null();
	return v;
}

static const char *phrase_of(struct work *w, const struct tl_phrase *p)
{
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		struct tl_value v;
		if (!p->pieces[i].node)
			tl_buf_add(&b, p->pieces[i].text, p->pieces[i].len);
		else if (!evaluate(w, p->pieces[i].node, &v) || v.type == TL_V_NULL)
			tl_buf_addc(&b, '?');
		else
			tl_value_str(&b, &v, false);
	}
	return tl_arena_keep(&w->out->arena, &b);
}

/* The first `most` texts whose condition is true, a blank between them; "" if there is none. */
static const char *choice_of(struct work *w, enum tl_rule_choice which, size_t most)
{
	const struct tl_rule_texts *c = &w->rule->choices[which];
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < c->n && most; i++) {
		struct tl_value v = tl_v_bool(true);
		if (c->items[i].when && !(evaluate(w, c->items[i].when, &v) && tl_v_truth(&v)))
			continue;
		tl_buf_addf(&b, "%s%s", b.len ? " " : "", phrase_of(w, &c->items[i].text));
		most--;
	}
	return tl_arena_keep(&w->out->arena, &b);
}

/* ---- groups --------------------------------------------------------------------------------------- */

static struct tl_value kept(struct tl_arena *a, struct tl_value v)
{
	if (v.type == TL_V_TEXT)
		v.text = tl_arena_dup(a, v.text, v.len);
	return v;
}

/* No row holds the rule's condition: shows what it is for the first one. */
static void explain_none(struct work *w)
{
	if (!explained(w))
		return;
	if (!w->sheet->n_rows) {
		tl_buf_addf(w->in->explain, "  the sheet %s has no rows\n", w->rule->texts[TL_RULE_SHEET]);
		return;
	}
	set_row(w, 0);
	struct tl_value holds = value_of(w, TL_RULE_WHERE);
	explain(w, TL_RULE_WHERE, &holds);
}

static struct taken *taken_of(struct work *w)
{
	size_t i = 0;

	while (i < w->n_taken && w->taken[i].sheet != w->sheet)
		i++;
	if (i == w->n_taken)
		TL_PUSH(w->taken, w->n_taken, w->cap_taken,
			(struct taken){ w->sheet, tl_calloc(w->sheet->n_rows + 1, 1) });
	return &w->taken[i];
}

static void find_groups(struct work *w, struct groups *g)
{
	const bool *taken = taken_of(w)->rows;

	for (size_t row = 0; row < w->sheet->n_rows; row++) {
		if (taken[row])
			continue;
		tl_arena_clear(&w->values);
		set_row(w, row);
		struct tl_value holds = w->rule->parts[TL_RULE_WHERE] ? value_of(w, TL_RULE_WHERE) : tl_v_bool(true);
		if (!tl_v_truth(&holds))
			continue;
		if (!g->n)
			explain(w, TL_RULE_WHERE, &holds);
		struct tl_value key = kept(&w->out->arena, value_of(w, TL_RULE_BY));
		struct tl_buf text = { 0 };
		tl_value_repr(&text, &key, false);
		uint32_t id = tl_intern_buf(&g->keys, &text);
		if (id > g->n)
			TL_PUSH(g->items, g->n, g->cap, (struct group){ .key = key });
		struct group *group = &g->items[id - 1];
		size_t cap_stakes = group->cap;
		TL_GROW(group->rows, group->cap, group->n + 1);
		TL_GROW(group->stakes, cap_stakes, group->n + 1);
		struct tl_value v = value_of(w, TL_RULE_STAKE);
		double d = NAN;
		if (v.type != TL_V_NULL && !tl_v_number(&v, &d))
			note_failure(w, "a stake that is no number");
		double stake = isfinite(d) ? d : NAN;
		if (g->n == 1 && !group->n) {
			struct tl_value ms = isnan(stake) ? tl_v_null() : tl_v_real(stake);
			explain(w, TL_RULE_STAKE, &ms);
		}
		group->stakes[group->n] = stake > 0 ? stake : 0;
		group->stake += group->stakes[group->n];
		group->rows[group->n++] = (uint32_t)row;
	}
	if (!g->n)
		explain_none(w);
}

/* ---- findings --------------------------------------------------------------------------------------- */

/* The rule's id and a hash of the rows' key without line numbers: "(12)" is "()". */
static void make_id(char id[80], const char *rule, const struct tl_value *key)
{
	struct tl_buf text = { 0 }, b = { 0 };
	uint32_t hash = 2166136261u; /* FNV-1a, the same on all machines */

	tl_value_repr(&text, key, false);
	for (size_t i = 0; i < text.len; i++) {
		size_t digits = text.data[i] == '(' ? strspn(text.data + i + 1, "0123456789") : 0;
		tl_buf_addc(&b, text.data[i]);
		i += digits && text.data[i + digits + 1] == ')' ? digits : 0;
	}
	for (size_t i = 0; i < b.len; i++)
		hash = (hash ^ (unsigned char)b.data[i]) * 16777619u;
	snprintf(id, 80, "%.60s-%08x", rule, hash);
	tl_buf_release(&text);
	tl_buf_release(&b);
}

TL_ORDER_IN(larger_row_first, uint32_t, struct group, TL_DESC(ctx->stakes[*x]))

/* The rows of the group, those with the most at stake first; *ms: what that is. */
static uint32_t *rows_of(struct tl_arena *arena, struct group *g, double **ms)
{
	uint32_t *order = tl_alloc(g->n * sizeof *order), *rows = tl_arena_alloc(arena, g->n * sizeof *rows);

	*ms = tl_arena_alloc(arena, g->n * sizeof **ms);

	for (uint32_t i = 0; i < g->n; i++)
		order[i] = i;
	tl_merge_sort(order, g->n, sizeof *order, larger_row_first, g);
	for (size_t i = 0; i < g->n; i++) {
		rows[i] = g->rows[order[i]];
		(*ms)[i] = g->stakes[order[i]];
	}
	free(order);
	return rows;
}

/* Can this be a finding? */
static bool is_large(const struct work *w, double ms)
{
	return ms >= TL_LEAST_FINDING_MS && ms >= w->in->least_share * w->in->window_ms;
}

static void add_candidate(struct work *w, struct group *g)
{
	struct tl_findings *out = w->out;
	struct tl_finding f = { .rule = w->rule, .key = g->key, .n_rows = g->n, .rows_ms = g->stake, .device_ms = NAN, .alone_ms = NAN, .per_step_ms = NAN,
	                        .stake_ms = w->rule->tier ? g->stake : NAN };
	bool *taken = taken_of(w)->rows;

	if (w->rule->tier && !is_large(w, g->stake))
		return;
	f.rows = rows_of(&out->arena, g, &f.row_ms);
	struct tl_buf b = { 0 };
	tl_buf_addf(&b, "%s: row%s ", w->rule->texts[TL_RULE_SHEET], f.n_rows == 1 ? "" : "s");
	for (size_t i = 0; i < f.n_rows && i < 5; i++)
		tl_buf_addf(&b, "%s%u", i ? ", " : "", f.rows[i] + 1);
	if (f.n_rows > 5)
		tl_buf_addf(&b, " and %zu more", f.n_rows - 5);
	f.evidence = tl_arena_keep(&w->out->arena, &b);
	make_id(f.id, w->rule->id, &g->key);
	for (size_t i = 0; w->rule->tier && i < g->n; i++)
		taken[g->rows[i]] = taken[g->rows[i]] || g->stakes[i] > 0;
	TL_PUSH(out->items, out->n, out->cap, f);
}

static void add_unasked(struct work *w, const char *why)
{
	struct tl_findings *out = w->out;

	TL_PUSH(out->unasked, out->n_unasked, out->cap_unasked,
		(struct tl_unasked){ w->rule, tl_arena_dup(&out->arena, why, strlen(why)), w->n_failed > 0 });
}

/* Can the rule be asked? Its need line speaks of facts, and of all rows of the sheet. */
static bool can_ask(struct work *w)
{
	if (!w->rule->parts[TL_RULE_NEED])
		return true;
	uint32_t *all = tl_alloc((w->sheet->n_rows + 1) * sizeof *all);
	for (uint32_t i = 0; i < w->sheet->n_rows; i++)
		all[i] = i;
	set_rows(w, all, w->sheet->n_rows);
	set_fact(w, "rows", tl_v_int((int64_t)w->sheet->n_rows));
	free(all);
	struct tl_value v = value_of(w, TL_RULE_NEED);
	explain(w, TL_RULE_NEED, &v);
	return tl_v_truth(&v);
}

/* Words that are written out are looked at also where the rule cannot be asked. */
static enum tl_status check_words(struct work *w)
{
	const char *sheet = w->rule->texts[TL_RULE_SHEET];

	if (w->in->sheets && !tl_is_one_of(w->in->sheets, sheet))
		return fail_at(w, sheet, "sheet that rules can read", "");
	return TL_OK;
}

/* Says why the rule cannot be asked. */
static void leave_out(struct work *w, const char *otherwise)
{
	const char *why = choice_of(w, TL_RULE_UNASKED, 1);

	add_unasked(w, *why ? why : otherwise);
}

static void ask_or_leave_out(struct work *w, struct tl_finding *none)
{
	(void)none;
	struct tl_buf why = { 0 };

	if (!w->sheet) {
		tl_buf_addf(&why, "the trace has no sheet %s", w->rule->texts[TL_RULE_SHEET]);
		leave_out(w, why.data);
		if (explained(w))
			tl_buf_addf(w->in->explain, "  %s\n", why.data);
	} else if (can_ask(w)) {
		struct groups groups = { 0 };
		find_groups(w, &groups);
		for (size_t i = 0; i < groups.n; i++)
			add_candidate(w, &groups.items[i]);
		for (size_t i = 0; i < groups.n; i++) {
			free(groups.items[i].rows);
			free(groups.items[i].stakes);
		}
		free(groups.items);
		tl_strtab_release(&groups.keys);
	} else {
		leave_out(w, "what it needs is not in the trace");
	}
	tl_buf_release(&why);
}

/* Calls `act` with what the names of the rule mean. */
static enum tl_status with_rule(struct work *w, const struct tl_rule *rule, void (*act)(struct work *, struct tl_finding *), struct tl_finding *f)
{
	static const struct tl_perf_event no_event = { .name = "" };
	struct tl_arena names = { 0 };
	enum tl_status s;

	w->rule = rule;
	if ((s = check_words(w)))
		return s;
	w->sheet = w->in->sheet(w->in->ctx, w->rule->texts[TL_RULE_SHEET]);
	w->eval = (struct tl_eval){ .scope = &w->rule->scope, .event = &no_event, .maps = &w->in->rules->maps, .memory = w->memory,
	                            .arena = &names, .null_is_false = true };
	if (!(s = bind(w))) {
		w->eval.arena = &w->values;
		act(w, f);
	}
	if (w->n_failed) {
		struct tl_buf why = { 0 };
		tl_buf_addf(&why, "%zu of its expressions failed; the first: %s", w->n_failed, w->why);
		add_unasked(w, why.data);
		tl_buf_release(&why);
		w->n_failed = 0;
	}
	free(w->columns);
	tl_arena_release(&names);
	tl_arena_clear(&w->values);
	return s;
}

/* ---- order and words ---------------------------------------------------------------------------------- */

/* Those about the recording, the picks, the others. */
static unsigned place_of(const struct tl_finding *f)
{
	return !f->rule->tier ? 0 : f->leads ? 1 : f->pick ? f->pick + 1 : UINT_MAX;
}

static int effort_of(const struct tl_finding *f)
{
	static const char *const efforts[] = { "setting", "lines", "kernel" };
	int i = 2;

	while (i && !(f->rule->texts[TL_RULE_EFFORT] && !strcmp(f->rule->texts[TL_RULE_EFFORT], efforts[i])))
		i--;
	return i;
}

TL_ORDER(by_rank, struct tl_finding,
	TL_ASC(place_of(x)) TL_DESC(x->rule->tier ? x->stake_ms : 0) TL_DESC(isnan(x->device_ms) ? 0 : x->device_ms)
	TL_ASC(x->rule->tier) TL_ASC(effort_of(x)) TL_BY(strcmp(a->id, b->id)))

/* Those rows that are of the device with the most in them, in their order, if the sheet tells devices apart; else all. *n of them, *devices:
 * of how many devices all are, 0: not told. *part: of what all rows say, what these say. */
static uint32_t *worst_device(struct work *w, const struct tl_finding *f, size_t *n, size_t *devices, double *part)
{
	static const char *const names[] = { "rank", "process", "device" };
	uint32_t *group = tl_alloc((f->n_rows + 1) * sizeof *group), *rows = tl_arena_alloc(&w->values, (f->n_rows + 1) * sizeof *rows);
	size_t columns[3], worst = 0, *all = tl_alloc((f->n_rows + 1) * sizeof *all);
	bool told = true;

	for (size_t i = 0; i < 3; i++) {
		told &= tl_table_column(w->sheet, names[i]) >= 0;
		columns[i] = told ? (size_t)tl_table_column(w->sheet, names[i]) : 0;
	}
	for (size_t i = 0; i < f->n_rows; i++)
		all[i] = f->rows[i];
	memset(group, 0, (f->n_rows + 1) * sizeof *group);
	*devices = told ? tl_table_group(w->sheet, columns, 3, all, f->n_rows, group) : 0;
	double *ms = tl_calloc(*devices + 1, sizeof *ms);
	for (size_t i = 0; i < f->n_rows; i++)
		ms[group[i]] += f->row_ms[i];
	for (size_t i = 0; i < *devices; i++)
		worst = ms[i] > ms[worst] ? i : worst;
	*n = 0;
	for (size_t i = 0; i < f->n_rows; i++)
		if (group[i] == worst)
			rows[(*n)++] = f->rows[i];
	*part = *devices > 1 && f->rows_ms > 0 ? ms[worst] / f->rows_ms : 1;
	free(all);
	free(ms);
	free(group);
	return rows;
}

/* Makes the texts of a finding, which are about one device, the worst of several: of the stake, which is of all, at most what its rows say.
 * Where the trace would end no earlier, they tell what that would do less, and say so. */
static void name_finding(struct work *w, struct tl_finding *f)
{
	bool limit = f->rule->effect == TL_EFFECT_LIMIT, hidden = f->rule->tier && !is_large(w, f->stake_ms) && is_large(w, f->device_ms);
	const struct tl_value *all = fact_of(w->in, "devices");
	size_t n, devices;
	double part;

	tl_arena_clear(&w->values);
	const uint32_t *rows = worst_device(w, f, &n, &devices, &part);
	double device_ms = f->device_ms * part / (!devices && all && all->i > 1 ? (double)all->i : 1);
	bool rows_only = f->rule->effect == TL_EFFECT_NONE; /* its stake is the mean of devices */
	double ms = hidden ? device_ms : devices <= 1 ? f->stake_ms : rows_only ? f->rows_ms * part : fmin(f->stake_ms, f->rows_ms * part);
	set_rows(w, rows, n);
	set_fact(w, "rows", tl_v_int((int64_t)n));
	set_fact(w, "group", f->key);
	set_fact(w, "stake_ms", tl_v_real(ms));
	set_fact(w, "device_ms", isnan(device_ms) ? tl_v_null() : tl_v_real(device_ms));
	set_fact(w, "share", tl_v_real(w->in->window_ms > 0 ? ms / w->in->window_ms : 0));
	f->title = phrase_of(w, &w->rule->phrases[TL_RULE_TITLE]);
	struct tl_buf text = { 0 };
	tl_buf_adds(&text, f->title);
	if (devices > 1)
		tl_buf_addf(&text, "; on %zu devices, of which this is the worst", devices);
	tl_buf_addf(&text, "%s", !hidden || limit ? "" :
	            is_large(w, f->alone_ms) ? "; once what stands before is repaired, the trace ends no earlier by that" :
	            "; the trace ends no earlier by that alone");
	f->title = tl_arena_keep(&w->out->arena, &text);
	f->advice = choice_of(w, TL_RULE_DO, 2);
	f->next = phrase_of(w, &w->rule->phrases[TL_RULE_NEXT]);
}

/* Puts findings in their order, names them, and leaves those that join others, or are too small by now, out. */
static void finish(struct work *w)
{
	struct tl_findings *out = w->out;
	double left = w->in->window_ms > 0 ? w->in->window_ms : INFINITY;
	size_t kept = 0;

	double most = 0;
	for (size_t i = 0; i < out->n; i++)
		most = out->items[i].rule->tier && out->items[i].stake_ms > most ? out->items[i].stake_ms : most;
	for (size_t i = 0; i < out->n; i++)
		out->items[i].leads = out->items[i].rule->effect == TL_EFFECT_LIMIT && most < w->in->window_ms / 10;
	if (out->n)
		tl_merge_sort(out->items, out->n, sizeof *out->items, by_rank, NULL);
	for (size_t i = 0; i < out->n; i++) {
		struct tl_finding f = out->items[i];
		if (f.rule->tier && !f.joins) {
			f.stake_ms = fmin(f.stake_ms, left);
			if (!is_large(w, f.stake_ms) && !is_large(w, f.device_ms))
				continue;
			left -= f.stake_ms;
		}
		with_rule(w, f.rule, name_finding, &f);
		for (size_t k = 0; f.joins && k < kept; k++)
			if (out->items[k].pick == f.joins)
				tl_buf_addf(&out->items[k].also, "%s%s", out->items[k].also.len ? "; " : "", f.title);
		if (!f.joins)
			out->items[kept++] = f;
	}
	out->n = kept;
}

enum tl_status tl_findings_make(struct tl_findings *out, struct tl_findings_input *in, struct tl_error *err)
{
	struct work w = { .in = in, .out = out, .memory = tl_memory_new(), .err = err };
	enum tl_status s = TL_OK;
	size_t first = 0; /* behind those of tier 0 */

	*out = (struct tl_findings){ 0 };
	for (int tier = 0; !s && tier < TL_RULE_TIERS; tier++) {
		for (size_t i = 0; !s && i < in->rules->n; i++)
			if (in->rules->rules[i]->tier == tier && !in->rules->rules[i]->off)
				s = with_rule(&w, in->rules->rules[i], ask_or_leave_out, NULL);
		first = tier ? first : out->n;
	}
	if (!s && in->weigh && out->n > first)
		in->weigh(in->ctx, out->items + first, out->n - first);
	if (!s)
		finish(&w);
	else
		tl_findings_release(out);
	for (size_t i = 0; i < w.n_taken; i++)
		free(w.taken[i].rows);
	free(w.taken);
	tl_arena_release(&w.values);
	tl_memory_free(w.memory);
	return s;
}

void tl_findings_release(struct tl_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		tl_buf_release(&f->items[i].also);
	free(f->items);
	free(f->unasked);
	tl_arena_release(&f->arena);
	*f = (struct tl_findings){ 0 };
}
