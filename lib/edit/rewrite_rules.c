/* rewrite_rules.c - reads tables of rules.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/value.h"
#include "edit/rewrite_rules.h"

/* ---- a table of rules while it is read -------------------------------------------------- */

enum { MAX_COLUMNS = 6 };

struct rule_reader {
	struct tl_rules *rules;
	struct tl_rows rows;        /* rows.line: a copy of the line, cut at its tabs */
	char *columns[MAX_COLUMNS]; /* of the line, from the first key on */
	size_t n_columns;
	struct rule *rule;          /* the last one, NULL before the first */
	uint32_t given;             /* bits of the keys that the rule, or its step, has */
	struct line { uint32_t number; const char *text; } to; /* the rule's line `to` */
};

extern const char tl_data_pseudo_ops[];
extern const size_t tl_data_pseudo_ops_len;

enum { MAX_RULES = 10000 };

/* What messages are about. */
static void go_to_line(struct rule_reader *r, struct line line)
{
	r->rows.number = line.number;
	r->rows.line = line.text;
}

static enum tl_status rule_pattern(struct rule_reader *r, const char *text, unsigned how, struct tl_pattern **list)
{
	struct tl_rules *rules = r->rules;
	struct tl_pattern *p = tl_arena_alloc(&rules->arena, sizeof *p);
	char why[200];
	if (!tl_pattern_compile(p, text, how, &rules->regex_weight, why))
		return tl_rows_fail(&r->rows, text, "regular expression '%.100s': %s", text, why);
	p->number = rules->n_patterns++;
	p->older = rules->patterns;
	rules->patterns = p;
	p->next = *list;
	*list = p;
	return TL_OK;
}

/* ---- values of the arguments that rules give to new operators --------------------------- */

/* Types of operands: JSON value, whole number from 0, integer, integer that may be
 * left out, word, regular expression up to the end of the line. */
enum { JSON = 'j', NUMBER = 'n', INTEGER = 'i', OPTIONAL = 'o', WORD = 'w', REGEX = 'r' };

static const struct function {
	const char *name;
	uint8_t kind;
	const char *operands; /* their types */
	unsigned how;         /* flags of tl_pattern_compile */
} functions[] = {
	{ "@index", VALUE_INDEX, "", 0 },
	{ "@first", VALUE_FIRST, "jj", 0 },
	{ "@kernel", VALUE_KERNEL, "r", 0 },
	{ "@kernel-i", VALUE_KERNEL, "r", TL_PATTERN_ANY_CASE },
	{ "@dim", VALUE_DIM, "nni", 0 },
	{ "@below", VALUE_BELOW, "wnni", 0 },
	{ "@call", VALUE_CALL, "", 0 },
	{ "@set", VALUE_SET, "w", 0 },
	{ "@set-int", VALUE_SET_INT, "wio", 0 },
	{ "@pick", VALUE_PICK, "", 0 },
	{ "@capture", VALUE_CAPTURE, "nr", 0 },
};

static bool parse_integer(const char *s, long *out)
{
	char *end;
	if (!*s || strlen(s) > 9)
		return false;
	*out = strtol(s, &end, 10);
	return !*end;
}

static enum tl_status read_integer(struct rule_reader *r, const char *word, bool from_0, long *out)
{
	if (parse_integer(word, out) && (*out >= 0 || !from_0))
		return TL_OK;
	return tl_rows_fail(&r->rows, word, "expected %s of at most 9 digits: '%.100s'",
	                    from_0 ? "a number from 0," : "an integer", word);
}

static enum tl_status check_json(struct rule_reader *r, const char *s)
{
	struct tl_arena scratch = { 0 };
	struct tl_value v;
	enum tl_status status = tl_value_parse(&scratch, s, strlen(s), &v, NULL);
	tl_arena_release(&scratch);
	return status == TL_OK ? TL_OK : tl_rows_fail(&r->rows, s, "expected a JSON value: '%.100s'", s);
}

static enum tl_status read_operands(struct rule_reader *r, const struct function *f, char *at, struct extra *x)
{
	const char **text = x->text;
	long *number = x->number;
	enum tl_status status = TL_OK;
	for (const char *type = f->operands; *type && status == TL_OK; type++) {
		char *word = at + strspn(at, " ");
		if (!*word && *type == OPTIONAL)
			break;
		if (!*word)
			return tl_rows_fail(&r->rows, word, "%s has too few operands", f->name);
		at = word + (*type == REGEX ? strlen(word) : strcspn(word, " "));
		if (*at)
			*at++ = 0;
		switch (*type) {
		case JSON:
			*text++ = word;
			status = check_json(r, word);
			break;
		case WORD:
			*text++ = word;
			break;
		case REGEX:
			status = rule_pattern(r, word, f->how, &x->pattern);
			break;
		default:
			status = read_integer(r, word, *type == NUMBER, number++);
		}
	}
	at += strspn(at, " ");
	return status == TL_OK && *at ? tl_rows_fail(&r->rows, at, "%s has too many operands", f->name) : status;
}

static enum tl_status rule_value(struct rule_reader *r, char *text, struct extra *x)
{
	if (*text != '@') {
		x->kind = VALUE_LITERAL;
		x->text[0] = text;
		return check_json(r, text);
	}
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		size_t n = strlen(functions[i].name);
		if (strcspn(text, " ") == n && !strncmp(text, functions[i].name, n)) {
			const struct function *f = &functions[i];
			x->kind = f->kind;
			x->number[1] = f->kind == VALUE_SET_INT ? LONG_MIN : 0;
			enum tl_status status = read_operands(r, f, text + strlen(f->name), x);
			if (status != TL_OK)
				return status;
			if (f->kind == VALUE_CAPTURE && x->number[0] > (long)tl_pattern_groups(x->pattern))
				return tl_rows_fail(&r->rows, text, "the regular expression has no group %ld", x->number[0]);
			if (f->kind == VALUE_SET_INT && x->number[0] < x->number[1])
				return tl_rows_fail(&r->rows, text, "the default %ld is less than the least value", x->number[0]);
			return TL_OK;
		}
	}
	return tl_rows_fail(&r->rows, text, "unknown function: '%.100s'", text);
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
	r->to = (struct line){ r->rows.number, r->rows.line };
	return TL_OK;
}

static enum tl_status read_pattern(struct rule_reader *r, const struct key *k)
{
	return rule_pattern(r, r->columns[1], k->how, in_rule(r, k));
}

static enum tl_status read_op(struct rule_reader *r, const struct key *k)
{
	struct rule *rule = r->rule;
	bool frames = !strcmp(k->name, "frame");
	if (rule->ops && rule->frames != frames)
		return tl_rows_fail(&r->rows, r->columns[0], "a rule is about operators or about frames: '%s'", k->name);
	rule->frames = frames;
	return rule_pattern(r, r->columns[1], k->how, &rule->ops);
}

static enum tl_status read_kernel(struct rule_reader *r, const struct key *k)
{
	return rule_pattern(r, r->columns[1], k->how, in_step(r, k));
}

static enum tl_status read_also(struct rule_reader *r, const struct key *k)
{
	struct rule *rule = r->rule;
	(void)k;
	TL_PUSH(rule->steps, rule->n_steps, rule->cap_steps, (struct step){ 0 });
	r->given = 0;
	return TL_OK;
}

static enum tl_status read_count(struct rule_reader *r, const struct key *k)
{
	const char *s = r->columns[1];
	if (s[strspn(s, "0123456789")] || strlen(s) > 9 || atol(s) < 1)
		return tl_rows_fail(&r->rows, s, "expected a number from 1 to 999999999: '%.100s'", s);
	*(long *)in_step(r, k) = atol(s);
	return TL_OK;
}

static enum tl_status read_arg(struct rule_reader *r, const struct key *k)
{
	struct extra **end = in_step(r, k);
	size_t n = 0;
	for (; *end; end = &(*end)->next, n++)
		if (!strcmp((*end)->key, r->columns[1]))
			return tl_rows_fail(&r->rows, r->columns[0], "argument given twice: '%.100s'", r->columns[1]);
	if (n == MAX_EXTRAS)
		return tl_rows_fail(&r->rows, r->columns[0], "more arguments than an operator can have: '%.100s'", r->columns[1]);
	*end = tl_arena_alloc(&r->rules->arena, sizeof **end);
	**end = (struct extra){ .key = r->columns[1] };
	return rule_value(r, r->columns[2], *end);
}

static enum tl_status read_pick(struct rule_reader *r, const struct key *k)
{
	struct rule *rule = r->rule;
	if (rule->n_picks && !rule->picks[rule->n_picks - 1].pattern)
		return tl_rows_fail(&r->rows, r->columns[0], "never picked: the label before it has no expression: '%.100s'", r->columns[1]);
	TL_GROW(rule->picks, rule->cap_picks, rule->n_picks + 1);
	struct alternative *a = &rule->picks[rule->n_picks++];
	*a = (struct alternative){ .label = r->columns[1] };
	return r->n_columns == 3 ? rule_pattern(r, r->columns[2], k->how, &a->pattern) : TL_OK;
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
		return tl_rows_fail(&r->rows, name, "expected a line 'rule' first: '%.100s'", name);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct key *k = &keys[i];
		if (strcmp(k->name, name))
			continue;
		if (!(k->actions >> r->rule->action & 1))
			return tl_rows_fail(&r->rows, name, "'%s' does not belong to the action '%s'", name, action_names[r->rule->action]);
		if (r->n_columns < k->least || r->n_columns > k->most)
			return tl_rows_fail(&r->rows, name, "wrong number of columns (they are separated by one tab): '%s'", name);
		if (k->once && r->given >> i & 1)
			return tl_rows_fail(&r->rows, name, "given twice: '%s'", name);
		r->given |= 1u << i;
		return k->read(r, k);
	}
	return tl_rows_fail(&r->rows, name, "unknown key: '%.100s'", name);
}

/* ---- rules ---- */

/* Does `what`, which may stand after `to`, have the groups that `to` names? */
static enum tl_status check_replacement(struct rule_reader *r)
{
	go_to_line(r, r->to);
	for (const char *s = r->rule->to; (s = strchr(s, '\\')); s += 2) {
		bool is_group = s[1] >= '0' && s[1] <= '9';
		if (!is_group && s[1] != '\\')
			return tl_rows_fail(&r->rows, s, "expected \\0 to \\9 for a group or \\\\ for a backslash: '%.2s'", s);
		if (is_group && (uint32_t)(s[1] - '0') > tl_pattern_groups(r->rule->what))
			return tl_rows_fail(&r->rows, s, "the regular expression has no such group: '%.2s'", s);
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
	if (missing) {
		go_to_line(r, (struct line){ r->rule->line, r->rows.line });
		return tl_rows_fail(&r->rows, r->rows.line, "rule '%.100s' has no %s", r->rule->name, missing);
	}
	return r->rule && r->rule->to ? check_replacement(r) : TL_OK;
}

static enum tl_status open_rule(struct rule_reader *r)
{
	struct tl_rules *rules = r->rules;
	int action = 0;
	if (r->n_columns != 3)
		return tl_rows_fail(&r->rows, r->columns[0], "expected: rule, name, action");
	while (action < N_ACTIONS && strcmp(action_names[action], r->columns[2]))
		action++;
	if (action == N_ACTIONS)
		return tl_rows_fail(&r->rows, r->columns[2], "expected rename, category, isolate, wrap, insert, move or stop: '%.100s'",
		                    r->columns[2]);
	if (rules->n >= MAX_RULES)
		return tl_rows_fail(&r->rows, r->columns[0], "more than %d rules", MAX_RULES);
	TL_GROW(rules->items, rules->cap, rules->n + 1);
	r->rule = &rules->items[rules->n++];
	*r->rule = (struct rule){ .name = r->columns[1], .action = (enum action)action, .line = r->rows.number };
	rules->edits |= action != RENAME && action != CATEGORY;
	return read_also(r, NULL);
}

/* ---- lines ---- */

static enum tl_status read_line(struct rule_reader *r)
{
	const struct tl_rows *rows = &r->rows;
	const char *row = rows->line;
	char *line = tl_arena_dup(&r->rules->arena, row, rows->line_len);
	struct line here = { rows->number, line };
	bool is_key = line[0] == '\t';

	go_to_line(r, here);
	r->n_columns = 0;
	for (size_t i = is_key; i < rows->n; i++) {
		char *column = line + (rows->fields[i].s - row);
		if (r->n_columns == MAX_COLUMNS)
			return tl_rows_fail(&r->rows, column, "more than %d columns", MAX_COLUMNS);
		column[rows->fields[i].len] = 0;
		r->columns[r->n_columns++] = column;
	}
	if (is_key)
		return read_key(r);
	if (strcmp(r->columns[0], "rule"))
		return tl_rows_fail(&r->rows, line, "expected 'rule', or a tab and a key: '%.100s'", line);
	enum tl_status status = close_rule(r);
	go_to_line(r, here);
	return status == TL_OK ? open_rule(r) : status;
}

/* ---- values that the user sets ---- */

static enum tl_status set_extra(struct tl_rules *rules, struct extra *x, const char *value, struct tl_error *err)
{
	const char *name = x->text[0];
	if (x->kind == VALUE_SET)
		x->text[1] = tl_arena_dup(&rules->arena, value, strlen(value));
	else if (!parse_integer(value, &x->number[0]))
		return tl_fail(err, TL_ERR_USAGE, "'%s' is to be an integer of at most 9 digits, not '%.100s'", name, value);
	else if (x->number[0] < x->number[1])
		return tl_fail(err, TL_ERR_USAGE, "'%s' is to be at least %ld, not '%.100s'", name, x->number[1], value);
	return TL_OK;
}

enum tl_status tl_rules_set(struct tl_rules *rules, const char *name, const char *value, struct tl_error *err)
{
	enum tl_status status = TL_OK;
	bool asked = false;
	for (size_t i = 0; i < rules->n; i++) {
		const struct rule *r = &rules->items[i];
		for (size_t k = 0; k < r->n_steps; k++) {
			for (struct extra *x = r->steps[k].extras; x && status == TL_OK; x = x->next) {
				if ((x->kind != VALUE_SET && x->kind != VALUE_SET_INT) || strcmp(x->text[0], name))
					continue;
				asked = true;
				status = set_extra(rules, x, value, err);
			}
		}
	}
	return asked ? status : tl_fail(err, TL_ERR_USAGE, "no rule asks for '%.100s'", name);
}

/* ---- interface ---- */

struct tl_rules *tl_rules_new(void)
{
	return tl_calloc(1, sizeof(struct tl_rules));
}

enum tl_status tl_rules_add(struct tl_rules *rules, const char *name, const char *text, size_t len,
                            struct tl_error *err)
{
	struct rule_reader r = { .rules = rules, .rows = { .file = name, .text = text, .len = len, .err = err } };

	while (tl_rows_next(&r.rows))
		r.rows.status = read_line(&r);
	return r.rows.status == TL_OK ? close_rule(&r) : r.rows.status;
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
