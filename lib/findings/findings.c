/* findings.c - rules over the rows of sheets: candidates, claims, order.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "findings/findings.h"

#include "base/merge_sort.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least_ms = 0.05;

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
	double free_ms;               /* of the window: what no finding has at stake */
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

/* A column as expressions name it: each run of other characters is one "_", none at the ends. */
static void column_word(const char *name, struct tl_buf *out)
{
	tl_buf_clear(out);
	for (; *name; name++)
		if (tl_in_name(*name))
			tl_buf_addc(out, *name);
		else if (out->len && out->data[out->len - 1] != '_')
			tl_buf_addc(out, '_');
	while (out->len && out->data[out->len - 1] == '_')
		out->data[--out->len] = 0;
}

static int column_of(const struct tl_table *t, const char *word)
{
	struct tl_buf b = { 0 };
	int found = -1;

	for (size_t i = 0; i < t->n_columns && found < 0; i++) {
		column_word(t->columns[i].name, &b);
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
static const char *const group_facts[] = { "rows", "share", "stake_ms", "reach_ms", "group", NULL };

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

static double number_of(struct work *w, enum tl_rule_part part)
{
	struct tl_value v = value_of(w, part);
	double d;

	if (v.type != TL_V_NULL && !tl_v_number(&v, &d))
		note_failure(w, "a stake or reach that is no number");
	return tl_v_number(&v, &d) && isfinite(d) ? d : NAN;
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
	const char *text = tl_arena_dup(&w->out->arena, tl_buf_text(&b), b.len);
	tl_buf_release(&b);
	return text;
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
	const char *text = tl_arena_dup(&w->out->arena, tl_buf_text(&b), b.len);
	tl_buf_release(&b);
	return text;
}

/* ---- groups --------------------------------------------------------------------------------------- */

static struct group *group_of(struct groups *g, const struct tl_value *key)
{
	struct tl_buf text = { 0 };

	tl_value_repr(&text, key, false);
	uint32_t id = tl_intern(&g->keys, text.data, text.len);
	tl_buf_release(&text);
	if (id > g->n) {
		TL_GROW(g->items, g->cap, g->n + 1);
		g->items[g->n++] = (struct group){ .key = *key };
	}
	return &g->items[id - 1];
}

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

static void find_groups(struct work *w, struct groups *g)
{
	for (size_t row = 0; row < w->sheet->n_rows; row++) {
		tl_arena_clear(&w->values);
		set_row(w, row);
		struct tl_value holds = w->rule->parts[TL_RULE_WHERE] ? value_of(w, TL_RULE_WHERE) : tl_v_bool(true);
		if (!tl_v_truth(&holds))
			continue;
		if (!g->n)
			explain(w, TL_RULE_WHERE, &holds);
		struct tl_value key = kept(&w->out->arena, value_of(w, TL_RULE_BY));
		struct group *group = group_of(g, &key);
		size_t cap_stakes = group->cap;
		TL_GROW(group->rows, group->cap, group->n + 1);
		TL_GROW(group->stakes, cap_stakes, group->n + 1);
		double stake = number_of(w, TL_RULE_STAKE);
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

static int by_stake(const void *pa, const void *pb, void *ctx)
{
	const struct group *a = pa, *b = pb;

	(void)ctx;
	return a->stake > b->stake ? -1 : a->stake < b->stake;
}

/* ---- claims --------------------------------------------------------------------------------------- */

struct claim { double stake; int64_t all, left; };

static size_t pieces_of(struct work *w, size_t row, const uint32_t **pieces)
{
	return w->rule->tier ? w->in->pieces(w->in->ctx, w->rule->texts[TL_RULE_SHEET], row, pieces) : 0;
}

/* What of the row's time nobody has claimed, and what is at stake of that: `stake` of all. */
static struct claim claim_of_row(struct work *w, size_t row, double stake)
{
	const struct tl_finding_time *time = w->in->time;
	struct claim c = { .stake = stake };
	const uint32_t *pieces;
	size_t n = pieces_of(w, row, &pieces);

	for (size_t i = 0; i < n; i++) {
		c.all += time->left[pieces[i]];
		c.left += time->owner[pieces[i]] ? 0 : time->left[pieces[i]];
	}
	if (n)
		c.stake = fmin(c.all ? stake * ((double)c.left / (double)c.all) : 0, (double)c.left * time->ms_per_tick);
	return c;
}

/* Has somebody claimed more than half of it? */
static bool is_taken(const struct claim *c)
{
	return c->all > 0 && c->left < c->all - c->left;
}

static struct claim claim_of(struct work *w, const struct group *g)
{
	struct claim sum = { 0 };

	for (size_t i = 0; i < g->n; i++) {
		struct claim c = claim_of_row(w, g->rows[i], g->stakes[i]);
		sum.stake += c.stake;
		sum.left += c.left;
		sum.all += c.all;
	}
	return sum;
}

static size_t pool_named(const struct tl_finding_time *time, const struct tl_value *name)
{
	size_t i = 0;

	while (i < TL_FINDING_POOLS && !(time->pools[i] && tl_v_is(name, time->pools[i])))
		i++;
	return i;
}

/* The pool of the group's time; TL_FINDING_POOLS: none. */
static size_t pool_of(struct work *w, const struct group *g)
{
	const uint32_t *pieces;

	for (size_t i = 0; i < g->n; i++)
		if (pieces_of(w, g->rows[i], &pieces))
			return w->in->time->pool[pieces[0]];
	set_fact(w, "group", g->key);
	struct tl_value name = value_of(w, TL_RULE_POOL);
	size_t pool = pool_named(w->in->time, &name);
	if (pool == TL_FINDING_POOLS && name.type != TL_V_NULL)
		note_failure(w, "a pool that is none");
	return pool;
}

/* The finding that holds most of the group's time: its number, or 0. */
static uint32_t holder_of(struct work *w, const struct group *g)
{
	const struct tl_finding_time *time = w->in->time;
	int64_t *held = tl_calloc(w->out->n + 1, sizeof *held);
	uint32_t most = 0;

	for (size_t i = 0; i < g->n; i++) {
		const uint32_t *pieces;
		size_t n = pieces_of(w, g->rows[i], &pieces);
		for (size_t p = 0; p < n; p++)
			held[time->owner[pieces[p]]] += time->left[pieces[p]];
	}
	held[0] = 0;
	for (uint32_t i = 1; i <= w->out->n; i++)
		if (held[i] > held[most])
			most = i;
	free(held);
	return most;
}

/* Leaves the rows that are still free in a group, unless none is. */
static void drop_taken(struct work *w, struct group *g)
{
	size_t kept = 0;
	double stake = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct claim c = claim_of_row(w, g->rows[i], 0);
		if (is_taken(&c))
			continue;
		g->rows[kept] = g->rows[i];
		g->stakes[kept] = g->stakes[i];
		stake += g->stakes[kept++];
	}
	if (!kept)
		return;
	g->n = kept;
	g->stake = stake;
}

static void take(struct work *w, const struct group *g, uint32_t number)
{
	for (size_t i = 0; i < g->n; i++) {
		const uint32_t *pieces;
		size_t n = pieces_of(w, g->rows[i], &pieces);
		for (size_t p = 0; p < n; p++)
			if (!w->in->time->owner[pieces[p]])
				w->in->time->owner[pieces[p]] = number;
	}
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

static int larger_row_first(const void *pa, const void *pb, void *ctx)
{
	const struct group *g = ctx;
	double a = g->stakes[*(const uint32_t *)pa], b = g->stakes[*(const uint32_t *)pb];

	return a > b ? -1 : a < b;
}

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

static const char *evidence_of(struct work *w, const uint32_t *rows, size_t n)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s: row%s ", w->rule->texts[TL_RULE_SHEET], n == 1 ? "" : "s");
	for (size_t i = 0; i < n && i < 5; i++)
		tl_buf_addf(&b, "%s%u", i ? ", " : "", rows[i] + 1);
	if (n > 5)
		tl_buf_addf(&b, " and %zu more", n - 5);
	const char *text = tl_arena_dup(&w->out->arena, b.data, b.len);
	tl_buf_release(&b);
	return text;
}

static void set_group(struct work *w, struct group *g, const uint32_t *rows, double stake)
{
	tl_arena_clear(&w->values);
	set_rows(w, rows, g->n);
	set_fact(w, "rows", tl_v_int((int64_t)g->n));
	set_fact(w, "group", g->key);
	set_fact(w, "stake_ms", tl_v_real(stake));
	set_fact(w, "share", tl_v_real(w->in->window_ms > 0 ? stake / w->in->window_ms : 0));
}

static void add_also(struct work *w, uint32_t number, const char *title)
{
	for (size_t i = 0; i < w->out->n; i++)
		if (w->out->items[i].number == number)
			tl_buf_addf(&w->out->items[i].also, "%s%s", w->out->items[i].also.len ? "; " : "", title);
}

/* The number of the finding that a rule's finding always joins, by its with line; 0: none. */
static uint32_t joined_by(const struct work *w)
{
	const char *with = w->rule->texts[TL_RULE_WITH];

	for (size_t i = 0; with && i < w->out->n; i++)
		if (!strcmp(w->out->items[i].rule->id, with))
			return w->out->items[i].number;
	return 0;
}

static void add_finding(struct work *w, struct group *g, double stake, double reach, const uint32_t *rows, double *row_ms)
{
	struct tl_findings *out = w->out;
	struct tl_finding f = { .rule = w->rule, .stake_ms = stake, .reach_ms = reach, .rows = (uint32_t *)rows, .n_rows = g->n,
	                        .row_ms = row_ms, .number = (uint32_t)out->n + 1 };

	set_fact(w, "reach_ms", isnan(reach) ? tl_v_null() : tl_v_real(reach));
	f.title = phrase_of(w, &w->rule->phrases[TL_RULE_TITLE]);
	f.advice = choice_of(w, TL_RULE_DO, 2);
	f.next = phrase_of(w, &w->rule->phrases[TL_RULE_NEXT]);
	f.evidence = evidence_of(w, rows, g->n);
	make_id(f.id, w->rule->id, &g->key);
	TL_GROW(out->items, out->cap, out->n + 1);
	out->items[out->n++] = f;
}

/* What the rows reach together: the sum over rows, as far as it is known, but no more than is at stake. */
static double reach_of(struct work *w, const struct group *g, double share, double stake)
{
	double sum = 0;
	bool known = false;

	for (size_t i = 0; w->rule->parts[TL_RULE_REACH] && i < g->n; i++) {
		set_row(w, g->rows[i]);
		double reach = number_of(w, TL_RULE_REACH);
		known |= !isnan(reach);
		sum += reach > 0 ? reach : 0;
	}
	return !known ? NAN : sum * share < stake ? sum * share : stake;
}

static void judge(struct work *w, struct group *g)
{
	struct tl_finding_time *time = w->in->time;

	drop_taken(w, g);
	struct claim c = claim_of(w, g);
	size_t pool = w->rule->tier ? pool_of(w, g) : TL_FINDING_POOLS;
	double stake = c.stake;
	double *row_ms;
	const uint32_t *rows = rows_of(&w->out->arena, g, &row_ms);

	if (pool < TL_FINDING_POOLS && stake > time->pool_ms[pool])
		stake = time->pool_ms[pool];
	if (stake > w->free_ms)
		stake = w->free_ms;
	bool large = stake >= least_ms && stake >= w->in->least_share * w->in->window_ms;
	bool taken = is_taken(&c);
	uint32_t with = taken ? holder_of(w, g) : joined_by(w);
	if (!w->rule->tier || (large && !taken && !with)) {
		double reach = w->rule->tier ? reach_of(w, g, g->stake > 0 ? stake / g->stake : 0, stake) : NAN;
		set_group(w, g, rows, stake);
		for (size_t i = 0; i < g->n; i++)
			row_ms[i] = c.stake > 0 ? claim_of_row(w, rows[i], row_ms[i]).stake * (stake / c.stake) : 0;
		add_finding(w, g, w->rule->tier ? stake : NAN, reach, rows, row_ms);
		if (w->rule->tier)
			take(w, g, (uint32_t)w->out->n);
		if (pool < TL_FINDING_POOLS)
			time->pool_ms[pool] -= stake;
		w->free_ms -= w->rule->tier ? stake : 0;
		return;
	}
	if (with && g->stake >= least_ms && g->stake >= w->in->least_share * w->in->window_ms) {
		set_group(w, g, rows, fmin(g->stake, w->in->window_ms));
		add_also(w, with, phrase_of(w, &w->rule->phrases[TL_RULE_TITLE]));
	}
}

static void add_unasked(struct work *w, const char *why)
{
	struct tl_findings *out = w->out;

	TL_GROW(out->unasked, out->cap_unasked, out->n_unasked + 1);
	out->unasked[out->n_unasked++] = (struct tl_unasked){ w->rule, tl_arena_dup(&out->arena, why, strlen(why)), w->n_failed > 0 };
}

static void ask(struct work *w)
{
	struct groups groups = { 0 };

	find_groups(w, &groups);
	tl_merge_sort(groups.items, groups.n, sizeof *groups.items, by_stake, NULL);
	for (size_t i = 0; i < groups.n; i++)
		judge(w, &groups.items[i]);
	for (size_t i = 0; i < groups.n; i++) {
		free(groups.items[i].rows);
		free(groups.items[i].stakes);
	}
	free(groups.items);
	tl_strtab_release(&groups.keys);
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
	const struct tl_node *pool = w->rule->parts[TL_RULE_POOL];

	if (w->in->sheets && !tl_is_one_of(w->in->sheets, sheet))
		return fail_at(w, sheet, "sheet that rules can read", "");
	if (!pool || pool->kind != TL_N_CONST || pool_named(w->in->time, pool->value) < TL_FINDING_POOLS)
		return TL_OK;
	struct tl_buf names = { 0 };
	for (size_t i = 0; i < TL_FINDING_POOLS && w->in->time->pools[i]; i++)
		tl_buf_addf(&names, "%s%s", i ? ", " : "", w->in->time->pools[i]);
	enum tl_status s = fail_at(w, pool->value->type == TL_V_TEXT ? pool->value->text : "", "pool; pools are ", tl_buf_text(&names));
	tl_buf_release(&names);
	return s;
}

/* Says why the rule cannot be asked. */
static void leave_out(struct work *w, const char *otherwise)
{
	const char *why = choice_of(w, TL_RULE_UNASKED, 1);

	add_unasked(w, *why ? why : otherwise);
}

static void ask_or_leave_out(struct work *w)
{
	struct tl_buf why = { 0 };

	if (!w->sheet) {
		tl_buf_addf(&why, "the trace has no sheet %s", w->rule->texts[TL_RULE_SHEET]);
		leave_out(w, why.data);
		if (explained(w))
			tl_buf_addf(w->in->explain, "  %s\n", why.data);
	} else if (can_ask(w)) {
		ask(w);
	} else {
		leave_out(w, "what it needs is not in the trace");
	}
	tl_buf_release(&why);
}

static enum tl_status run_rule(struct work *w)
{
	static const struct tl_perf_event no_event = { .name = "" };
	struct tl_arena names = { 0 };
	enum tl_status s = TL_OK;

	if ((s = check_words(w)))
		return s;
	w->sheet = w->in->sheet(w->in->ctx, w->rule->texts[TL_RULE_SHEET]);
	w->eval = (struct tl_eval){ .scope = &w->rule->scope, .event = &no_event, .maps = &w->in->rules->maps, .memory = w->memory,
	                            .arena = &names, .null_is_false = true };
	if (!(s = bind(w))) {
		w->eval.arena = &w->values;
		ask_or_leave_out(w);
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

static int by_rank(const void *pa, const void *pb, void *ctx)
{
	static const char *const efforts[] = { "setting", "lines", "kernel" };
	const struct tl_finding *a = pa, *b = pb;
	double x = a->rule->tier ? a->stake_ms : INFINITY, y = b->rule->tier ? b->stake_ms : INFINITY;
	double reach[2] = { isnan(a->reach_ms) ? 0 : a->reach_ms, isnan(b->reach_ms) ? 0 : b->reach_ms };
	int effort[2] = { 0, 0 };

	(void)ctx;
	if (x != y)
		return x > y ? -1 : 1;
	if (reach[0] != reach[1])
		return reach[0] > reach[1] ? -1 : 1;
	for (int i = 0; i < 3; i++) {
		effort[0] += a->rule->texts[TL_RULE_EFFORT] && !strcmp(a->rule->texts[TL_RULE_EFFORT], efforts[i]) ? i : 0;
		effort[1] += b->rule->texts[TL_RULE_EFFORT] && !strcmp(b->rule->texts[TL_RULE_EFFORT], efforts[i]) ? i : 0;
	}
	return effort[0] != effort[1] ? effort[0] - effort[1] : strcmp(a->id, b->id);
}

enum tl_status tl_findings_make(struct tl_findings *out, struct tl_findings_input *in, struct tl_error *err)
{
	struct work w = { .in = in, .out = out, .memory = tl_memory_new(), .err = err,
	                  .free_ms = in->window_ms > 0 ? in->window_ms : INFINITY };
	enum tl_status s = TL_OK;

	*out = (struct tl_findings){ 0 };
	for (int tier = 0; !s && tier < TL_RULE_TIERS; tier++)
		for (size_t i = 0; !s && i < in->rules->n; i++) {
			w.rule = in->rules->rules[i];
			if (w.rule->tier == tier && !w.rule->off)
				s = run_rule(&w);
		}
	if (!s)
		tl_merge_sort(out->items, out->n, sizeof *out->items, by_rank, NULL);
	else
		tl_findings_release(out);
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
