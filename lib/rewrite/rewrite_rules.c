/* rewrite_rules.c - reads tables of rules.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "rewrite/rule_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char tl_data_pseudo_ops[];
extern const size_t tl_data_pseudo_ops_len;

enum { MAX_RULES = 10000 };

enum tl_status tl_rule_fail(const struct rule_reader *r, const char *at, const char *fmt, ...)
{
	char what[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return tl_fail(r->err, TL_ERR_DATA, "%s:%u:%zu: %s", r->file, r->line.number, (size_t)(at - r->line.text) + 1, what);
}

enum tl_status tl_rule_pattern(struct rule_reader *r, const char *text, unsigned how, struct tl_pattern **list)
{
	struct tl_rules *rules = r->rules;
	struct tl_pattern *p = tl_arena_alloc(&rules->arena, sizeof *p);
	char why[200];
	if (!tl_pattern_compile(p, text, how, &rules->regex_weight, why))
		return tl_rule_fail(r, text, "regular expression '%.100s': %s", text, why);
	p->number = rules->n_patterns++;
	p->older = rules->patterns;
	rules->patterns = p;
	p->next = *list;
	*list = p;
	return TL_OK;
}

static const char *const action_names[N_ACTIONS] = {
	[RENAME] = "rename", [CATEGORY] = "category", [ISOLATE] = "isolate", [WRAP] = "wrap",
	[INSERT] = "insert", [MOVE] = "move", [STOP] = "stop",
};

/* ---- keys ---- */

/* A key, and the function that reads its line: the member at `offset` of the rule, or
 * of its last step, gets the value. */
struct key {
	const char *name;
	uint8_t least, most;   /* columns, the key among them */
	uint8_t actions;       /* bits of those it belongs to */
	bool once;             /* a rule, or a step of it, has it once */
	enum tl_status (*read)(struct rule_reader *, const struct key *);
	size_t offset;
	unsigned how;          /* of a pattern */
};

static void *in_rule(const struct rule_reader *r, const struct key *k)
{
	return (char *)r->rule + k->offset;
}

static void *in_step(const struct rule_reader *r, const struct key *k)
{
	return (char *)&r->rule->steps[r->rule->n_steps - 1] + k->offset;
}

static enum tl_status read_flag(struct rule_reader *r, const struct key *k)
{
	*(bool *)in_rule(r, k) = true;
	return TL_OK;
}

static enum tl_status read_name(struct rule_reader *r, const struct key *k)
{
	*(const char **)in_step(r, k) = r->columns[1];
	return TL_OK;
}

static enum tl_status read_to(struct rule_reader *r, const struct key *k)
{
	*(const char **)in_rule(r, k) = r->columns[1];
	r->to_line = r->line;
	return TL_OK;
}

static enum tl_status read_pattern(struct rule_reader *r, const struct key *k)
{
	return tl_rule_pattern(r, r->columns[1], k->how, in_rule(r, k));
}

static enum tl_status read_op(struct rule_reader *r, const struct key *k)
{
	struct rule *rule = r->rule;
	bool frames = !strcmp(k->name, "frame");
	if (rule->ops && rule->frames != frames)
		return tl_rule_fail(r, r->columns[0], "a rule is about operators or about frames: '%s'", k->name);
	rule->frames = frames;
	return tl_rule_pattern(r, r->columns[1], k->how, &rule->ops);
}

static enum tl_status read_kernel(struct rule_reader *r, const struct key *k)
{
	return tl_rule_pattern(r, r->columns[1], k->how, in_step(r, k));
}

static enum tl_status read_also(struct rule_reader *r, const struct key *k)
{
	struct rule *rule = r->rule;
	(void)k;
	TL_GROW(rule->steps, rule->cap_steps, rule->n_steps + 1);
	rule->steps[rule->n_steps++] = (struct step){ 0 };
	r->given = 0;
	return TL_OK;
}

static enum tl_status read_count(struct rule_reader *r, const struct key *k)
{
	const char *s = r->columns[1];
	if (s[strspn(s, "0123456789")] || strlen(s) > 9 || atol(s) < 1)
		return tl_rule_fail(r, s, "expected a number from 1 to 999999999: '%.100s'", s);
	*(long *)in_step(r, k) = atol(s);
	return TL_OK;
}

static enum tl_status read_arg(struct rule_reader *r, const struct key *k)
{
	struct extra **end = in_step(r, k);
	size_t n = 0;
	for (; *end; end = &(*end)->next, n++)
		if (!strcmp((*end)->key, r->columns[1]))
			return tl_rule_fail(r, r->columns[0], "argument given twice: '%.100s'", r->columns[1]);
	if (n == MAX_EXTRAS)
		return tl_rule_fail(r, r->columns[0], "more arguments than an operator can have: '%.100s'", r->columns[1]);
	*end = tl_arena_alloc(&r->rules->arena, sizeof **end);
	**end = (struct extra){ .key = r->columns[1] };
	return tl_rule_value(r, r->columns[2], *end);
}

static enum tl_status read_pick(struct rule_reader *r, const struct key *k)
{
	struct rule *rule = r->rule;
	if (rule->n_picks && !rule->picks[rule->n_picks - 1].pattern)
		return tl_rule_fail(r, r->columns[0], "never picked: the label before it has no expression: '%.100s'", r->columns[1]);
	TL_GROW(rule->picks, rule->cap_picks, rule->n_picks + 1);
	struct alternative *a = &rule->picks[rule->n_picks++];
	*a = (struct alternative){ .label = r->columns[1] };
	return r->n_columns == 3 ? tl_rule_pattern(r, r->columns[2], k->how, &a->pattern) : TL_OK;
}

enum { R = 1 << RENAME, C = 1 << CATEGORY, I = 1 << ISOLATE, W = 1 << WRAP, N = 1 << INSERT,
       M = 1 << MOVE, S = 1 << STOP, EDITS = I | W | N | M };
enum { EXACT = TL_PATTERN_EXACT, ANY_CASE = TL_PATTERN_ANY_CASE, NEGATED = TL_PATTERN_NEGATED };
#define OF_RULE(m) offsetof(struct rule, m)
#define OF_STEP(m) offsetof(struct step, m)
static const struct key keys[] = {
	{ "if-op", 2, 2, EDITS | S, false, read_pattern, OF_RULE(if_op), EXACT },
	{ "if-op-like", 2, 2, EDITS | S, false, read_pattern, OF_RULE(if_op), 0 },
	{ "unless-op", 2, 2, EDITS | S, false, read_pattern, OF_RULE(unless_op), EXACT },
	{ "unless-op-like", 2, 2, EDITS | S, false, read_pattern, OF_RULE(unless_op), 0 },
	{ "if-kernel", 2, 2, EDITS | S, false, read_pattern, OF_RULE(if_kernel), 0 },
	{ "if-kernel-i", 2, 2, EDITS | S, false, read_pattern, OF_RULE(if_kernel), ANY_CASE },
	{ "op", 2, 2, EDITS, false, read_op, 0, EXACT },
	{ "op-like", 2, 2, EDITS, false, read_op, 0, 0 },
	{ "frame", 2, 2, EDITS, false, read_op, 0, 0 },
	{ "by-thread", 1, 1, EDITS, false, read_flag, OF_RULE(by_thread), 0 },
	{ "skip-with-ops", 1, 1, I, false, read_flag, OF_RULE(skip_with_ops), 0 },
	{ "also", 1, 1, I, false, read_also, 0, 0 },
	{ "kernel", 2, 2, I, false, read_kernel, OF_STEP(kernels), 0 },
	{ "kernel-i", 2, 2, I, false, read_kernel, OF_STEP(kernels), ANY_CASE },
	{ "not-kernel", 2, 2, I, false, read_kernel, OF_STEP(kernels), NEGATED },
	{ "not-kernel-i", 2, 2, I, false, read_kernel, OF_STEP(kernels), NEGATED | ANY_CASE },
	{ "count", 2, 2, I, true, read_count, OF_STEP(count), 0 },
	{ "name", 2, 2, I | W | N, true, read_name, OF_STEP(name), 0 },
	{ "name-rest", 2, 2, I, true, read_name, OF_STEP(name_rest), 0 },
	{ "arg", 3, 3, I | W | N, false, read_arg, OF_STEP(extras), 0 },
	{ "donor-below", 2, 2, W | N, true, read_pattern, OF_RULE(donor_below), EXACT },
	{ "donor-above", 2, 2, W | N, true, read_pattern, OF_RULE(donor_above), EXACT },
	{ "pick", 2, 3, W, false, read_pick, 0, 0 },
	{ "under", 2, 2, M, true, read_pattern, OF_RULE(under), 0 },
	{ "what", 2, 2, R | C, true, read_pattern, OF_RULE(what), 0 },
	{ "to", 2, 2, R | C, true, read_to, OF_RULE(to), 0 },
};
_Static_assert(sizeof keys / sizeof *keys <= 32, "rule_reader.given has a bit for each");

static enum tl_status read_key(struct rule_reader *r)
{
	const char *name = r->columns[0];
	if (!r->rule)
		return tl_rule_fail(r, name, "expected a line 'rule' first: '%.100s'", name);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct key *k = &keys[i];
		if (strcmp(k->name, name))
			continue;
		if (!(k->actions >> r->rule->action & 1))
			return tl_rule_fail(r, name, "'%s' does not belong to the action '%s'", name, action_names[r->rule->action]);
		if (r->n_columns < k->least || r->n_columns > k->most)
			return tl_rule_fail(r, name, "wrong number of columns (they are separated by one tab): '%s'", name);
		if (k->once && r->given >> i & 1)
			return tl_rule_fail(r, name, "given twice: '%s'", name);
		r->given |= 1u << i;
		return k->read(r, k);
	}
	return tl_rule_fail(r, name, "unknown key: '%.100s'", name);
}

/* ---- rules ---- */

/* Does `what`, which may stand after `to`, have the groups that `to` names? */
static enum tl_status check_replacement(struct rule_reader *r)
{
	r->line = r->to_line;
	for (const char *s = r->rule->to; (s = strchr(s, '\\')); s += 2) {
		bool is_group = s[1] >= '0' && s[1] <= '9';
		if (!is_group && s[1] != '\\')
			return tl_rule_fail(r, s, "expected \\0 to \\9 for a group or \\\\ for a backslash: '%.2s'", s);
		if (is_group && !tl_pattern_has_group(r->rule->what, s[1] - '0'))
			return tl_rule_fail(r, s, "the regular expression has no such group: '%.2s'", s);
	}
	return TL_OK;
}

/* The key that the rule's action needs and the rule does not have, or NULL. */
static const char *missing_key(const struct rule *rule)
{
	unsigned action = 1u << rule->action;
	if (action & (R | C) && (!rule->what || !rule->to))
		return rule->what ? "to" : "what";
	if (action & EDITS && !rule->ops)
		return "op or frame";
	for (size_t i = 0; i < rule->n_steps; i++) {
		if (action & (I | W | N) && !rule->steps[i].name)
			return "name";
		if (action & I && !rule->steps[i].kernels)
			return "kernel";
	}
	if (action & M && !rule->under)
		return "under";
	return action & S && !rule->if_op && !rule->if_kernel ? "if-op or if-kernel" : NULL;
}

/* Checks the last rule, which is read to its end. */
static enum tl_status close_rule(struct rule_reader *r)
{
	const char *missing = r->rule ? missing_key(r->rule) : NULL;
	if (missing)
		return tl_fail(r->err, TL_ERR_DATA, "%s:%u:1: rule '%.100s' has no %s", r->file, r->rule->line,
		               r->rule->name, missing);
	return r->rule && r->rule->to ? check_replacement(r) : TL_OK;
}

static enum tl_status open_rule(struct rule_reader *r)
{
	struct tl_rules *rules = r->rules;
	int action = 0;
	if (r->n_columns != 3)
		return tl_rule_fail(r, r->columns[0], "expected: rule, name, action");
	while (action < N_ACTIONS && strcmp(action_names[action], r->columns[2]))
		action++;
	if (action == N_ACTIONS)
		return tl_rule_fail(r, r->columns[2], "expected rename, category, isolate, wrap, insert, move or stop: '%.100s'",
		                    r->columns[2]);
	if (rules->n >= MAX_RULES)
		return tl_rule_fail(r, r->columns[0], "more than %d rules", MAX_RULES);
	TL_GROW(rules->items, rules->cap, rules->n + 1);
	r->rule = &rules->items[rules->n++];
	*r->rule = (struct rule){ .name = r->columns[1], .action = (enum action)action, .line = r->line.number };
	rules->edits |= action != RENAME && action != CATEGORY;
	return read_also(r, NULL);
}

/* ---- lines ---- */

/* Cuts the line apart at tabs. */
static enum tl_status split(struct rule_reader *r, char *at)
{
	r->n_columns = 0;
	while (at) {
		char *tab = strchr(at, '\t');
		if (r->n_columns == MAX_COLUMNS)
			return tl_rule_fail(r, at, "more than %d columns", MAX_COLUMNS);
		r->columns[r->n_columns++] = at;
		if (tab)
			*tab++ = 0;
		at = tab;
	}
	return TL_OK;
}

static enum tl_status read_line(struct rule_reader *r, const char *s, size_t len)
{
	if (len && s[len - 1] == '\r')
		len--;
	char *line = tl_arena_dup(&r->rules->arena, s, len);
	struct rule_line here = { r->line.number + 1, line };
	bool is_key = line[0] == '\t';
	r->line = here;
	if (strlen(line) < len)
		return tl_rule_fail(r, line + strlen(line), "a NUL byte");
	if (line[strspn(line, " \t")] == 0 || line[0] == '#')
		return TL_OK;
	enum tl_status status = split(r, line + is_key);
	if (status != TL_OK || is_key)
		return status == TL_OK ? read_key(r) : status;
	if (strcmp(r->columns[0], "rule"))
		return tl_rule_fail(r, line, "expected 'rule', or a tab and a key: '%.100s'", line);
	status = close_rule(r);
	r->line = here;
	return status == TL_OK ? open_rule(r) : status;
}

/* ---- interface ---- */

struct tl_rules *tl_rules_new(void)
{
	return tl_calloc(1, sizeof(struct tl_rules));
}

enum tl_status tl_rules_add(struct tl_rules *rules, const char *name, const char *text, size_t len,
                            struct tl_error *err)
{
	struct rule_reader r = { .rules = rules, .err = err, .file = name };
	enum tl_status status = TL_OK;
	for (const char *at = text, *end = text + len; at < end && status == TL_OK;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
		status = read_line(&r, at, (size_t)(stop - at));
		at = stop + 1;
	}
	return status == TL_OK ? close_rule(&r) : status;
}

enum tl_status tl_rules_add_pseudo_ops(struct tl_rules *rules, struct tl_error *err)
{
	return tl_rules_add(rules, "pseudo-ops", tl_data_pseudo_ops, tl_data_pseudo_ops_len, err);
}

void tl_rules_free(struct tl_rules *rules)
{
	if (!rules)
		return;
	for (struct tl_pattern *p = rules->patterns; p; p = p->older)
		tl_pattern_release(p);
	for (size_t i = 0; i < rules->n; i++) {
		free(rules->items[i].picks);
		free(rules->items[i].steps);
	}
	free(rules->items);
	tl_arena_release(&rules->arena);
	free(rules);
}
