/* rewrite_rules.c - reads tables of rules.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "rewrite/rewrite_rules.h"

#include "base/regex.h"
#include "json/value.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char tl_data_pseudo_ops[];
extern const size_t tl_data_pseudo_ops_len;

enum { MAX_COLUMNS = 6, MAX_RULES = 10000, MAX_PATTERN = 4096 };

struct reader {
	struct tl_rules *rules;
	struct rule *rule;
	struct tl_error *err;
	const char *file;
	uint32_t line;
	const char *text;           /* the line */
	char *columns[MAX_COLUMNS]; /* of it, from the first key on */
	size_t n;
	const char *at;             /* the column being read */
	uint32_t to_line, to_column; /* where the rule being read has its `to` */
};

static uint32_t column(const struct reader *r, const char *at)
{
	return (uint32_t)(at - r->text) + 1;
}

static enum tl_status fail(struct reader *r, const char *what, const char *got)
{
	return tl_fail(r->err, TL_ERR_DATA, "%s:%u:%u: %s%s%.100s%s", r->file, r->line, column(r, r->at), what,
	               got ? ": '" : "", got ? got : "", got ? "'" : "");
}

/* ---- patterns ---- */

enum { EXACT = 1, ANY_CASE = 2, NEGATED = 4 }; /* how a pattern is meant */

static enum tl_status compile(struct reader *r, struct pattern *p, const char *text, unsigned how)
{
	char why[200];
	p->negated = how & NEGATED;
	p->exact = how & EXACT ? text : ""; /* not NULL until there is something to free */
	if (how & EXACT)
		return TL_OK;
	if (strlen(text) > MAX_PATTERN)
		return fail(r, "regular expression longer than 4096 bytes", NULL);
	const char *where, *what = tl_regex_refused(text, &where);
	if (what) {
		snprintf(why, sizeof why, "regular expression with %s", what);
		return fail(r, why, where);
	}
	int code = regcomp(&p->regex, text, REG_EXTENDED | (how & ANY_CASE ? REG_ICASE : 0));
	if (!code) {
		p->exact = NULL;
		return TL_OK;
	}
	regerror(code, &p->regex, why, sizeof why);
	return tl_fail(r->err, TL_ERR_DATA, "%s:%u:%u: regular expression '%.100s': %s", r->file, r->line,
	               column(r, r->at), text, why);
}

static struct pattern *new_pattern(struct reader *r, const char *text, unsigned how, enum tl_status *status)
{
	struct pattern *p = tl_arena_alloc(&r->rules->arena, sizeof *p);
	memset(p, 0, sizeof *p);
	p->number = (uint32_t)r->rules->n_patterns;
	*status = compile(r, p, text, how);
	TL_GROW(r->rules->all, r->rules->cap_patterns, r->rules->n_patterns + 1);
	r->rules->all[r->rules->n_patterns++] = p;
	return p;
}

static enum tl_status add_pattern(struct reader *r, struct patterns *to, unsigned how)
{
	enum tl_status status;
	r->at = r->columns[1];
	struct pattern *p = new_pattern(r, r->columns[1], how, &status);
	TL_GROW(to->items, to->cap, to->n + 1);
	to->items[to->n++] = p;
	return status;
}

/* ---- values of extra arguments ---- */

static bool read_number(const char *s, long *out)
{
	char *end;
	if (!*s || strlen(s) > 9)
		return false;
	*out = strtol(s, &end, 10);
	return !*end;
}

/* Groups after the ninth are not looked up. */
static bool has_group(const struct pattern *p, long n)
{
	return n <= 9 && (size_t)n <= p->regex.re_nsub;
}

/* Splits "a b c" at blanks into at most n words; returns how many there are. */
static size_t split(struct reader *r, const char *s, const char **words, size_t n)
{
	char *copy = tl_arena_dup(&r->rules->arena, s, strlen(s)), *save = NULL;
	size_t found = 0;
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (found++ < n)
			words[found - 1] = word;
	return found;
}

static enum tl_status check_json(struct reader *r, const char *s)
{
	struct tl_arena scratch = { 0 };
	struct tl_value v;
	enum tl_status status = tl_value_parse(&scratch, s, strlen(s), &v, NULL);
	tl_arena_release(&scratch);
	return status == TL_OK ? TL_OK : fail(r, "expected a JSON value", s);
}

static const struct function {
	const char *name;
	uint8_t kind;
	const char *shape; /* of its operands: t JSON, n number from 0, i integer, I one that may be
	                      left out, w word, r rest of the line: a pattern */
} functions[] = {
	{ "@index", VALUE_INDEX, "" },
	{ "@first", VALUE_FIRST, "tt" },
	{ "@kernel", VALUE_KERNEL, "r" },
	{ "@kernel-i", VALUE_KERNEL, "r" },
	{ "@dim", VALUE_DIM, "nni" },
	{ "@below", VALUE_BELOW, "wnni" },
	{ "@call", VALUE_CALL, "" },
	{ "@set", VALUE_SET, "w" },
	{ "@set-int", VALUE_SET_INT, "wiI" },
	{ "@pick", VALUE_PICK, "" },
	{ "@capture", VALUE_CAPTURE, "nr" },
};

/* The rest of a line from its nth word on. */
static const char *rest_from(struct reader *r, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s += strspn(s, " ");
		s += strcspn(s, " ");
	}
	s += strspn(s, " ");
	return tl_arena_dup(&r->rules->arena, s, strlen(s));
}

static enum tl_status read_operands(struct reader *r, const struct function *f, struct extra *x, const char *s)
{
	const char *words[5];
	size_t n = split(r, s, words, 5), want = strlen(f->shape), numbers = 0, texts = 0;
	enum tl_status status = TL_OK;
	x->number[1] = f->kind == VALUE_SET_INT ? LONG_MIN : 0;
	if (n == want && strchr(f->shape, 'I'))
		want--;
	if (n < want + 1 || (n > want + 1 && !strchr(f->shape, 'r')))
		return fail(r, "wrong number of operands", s);
	for (size_t i = 0; i < want && status == TL_OK; i++) {
		const char *word = words[i + 1];
		bool is_integer = strchr("niI", f->shape[i]);
		if (is_integer && (!read_number(word, &x->number[numbers]) || (f->shape[i] == 'n' && x->number[numbers] < 0)))
			status = fail(r, f->shape[i] == 'n' ? "expected a number from 0, of at most 9 digits"
			                                    : "expected an integer of at most 9 digits", word);
		numbers += is_integer;
		if (f->shape[i] == 't')
			status = check_json(r, word);
		if (f->shape[i] == 't' || f->shape[i] == 'w')
			*(texts++ ? &x->text2 : &x->text) = word;
		if (f->shape[i] == 'r')
			x->pattern = new_pattern(r, rest_from(r, s, i + 1), !strcmp(f->name, "@kernel-i") ? ANY_CASE : 0, &status);
	}
	if (status == TL_OK && f->kind == VALUE_CAPTURE && !has_group(x->pattern, x->number[0]))
		status = fail(r, "the regular expression has no such group", words[1]);
	if (status == TL_OK && f->kind == VALUE_SET_INT && x->number[0] < x->number[1])
		status = fail(r, "less than the least", words[2]);
	return status;
}

static enum tl_status read_value(struct reader *r, struct extra *x, const char *s)
{
	r->at = s;
	if (*s != '@') {
		x->kind = VALUE_LITERAL;
		x->text = tl_arena_dup(&r->rules->arena, s, strlen(s));
		return check_json(r, s);
	}
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		size_t n = strlen(functions[i].name);
		if (strncmp(s, functions[i].name, n) || (s[n] && s[n] != ' '))
			continue;
		x->kind = functions[i].kind;
		return read_operands(r, &functions[i], x, s);
	}
	return fail(r, "unknown function", s);
}

/* ---- lines ---- */

static struct step *new_step(struct reader *r)
{
	struct rule *rule = r->rule;
	TL_GROW(rule->steps, rule->cap_steps, rule->n_steps + 1);
	struct step *step = &rule->steps[rule->n_steps++];
	memset(step, 0, sizeof *step);
	return step;
}

static struct step *current_step(struct reader *r)
{
	return r->rule->n_steps ? &r->rule->steps[r->rule->n_steps - 1] : new_step(r);
}

/* A key, and what reads its line: the member at `offset` of the rule, or of its
 * current step, gets the value. */
struct key {
	const char *name;
	uint8_t columns, more; /* least number, and how many more are allowed */
	uint8_t actions;       /* bits of those it belongs to */
	enum tl_status (*read)(struct reader *, const struct key *);
	size_t offset;
	unsigned how;          /* of a pattern */
};

static void *member(void *of, const struct key *k)
{
	return (char *)of + k->offset;
}

static enum tl_status do_flag(struct reader *r, const struct key *k)
{
	*(bool *)member(r->rule, k) = true;
	return TL_OK;
}

static enum tl_status set_text(struct reader *r, const char **to)
{
	if (*to)
		return fail(r, "given twice", r->columns[0]);
	*to = r->columns[1];
	return TL_OK;
}

static enum tl_status do_name(struct reader *r, const struct key *k)
{
	return set_text(r, member(current_step(r), k));
}

static enum tl_status do_to(struct reader *r, const struct key *k)
{
	r->to_line = r->line;
	r->to_column = column(r, r->columns[1]);
	return set_text(r, member(r->rule, k));
}

static enum tl_status do_pattern(struct reader *r, const struct key *k)
{
	struct pattern **to = member(r->rule, k);
	enum tl_status status;
	if (*to)
		return fail(r, "given twice", r->columns[0]);
	r->at = r->columns[1];
	*to = new_pattern(r, r->columns[1], k->how, &status);
	return status;
}

static enum tl_status do_patterns(struct reader *r, const struct key *k)
{
	return add_pattern(r, member(r->rule, k), k->how);
}

static enum tl_status do_op(struct reader *r, const struct key *k)
{
	struct rule *rule = r->rule;
	bool frames = !strcmp(k->name, "frame");
	if (rule->ops.n && rule->frames != frames)
		return fail(r, "a rule is about operators or about frames", k->name);
	rule->frames = frames;
	return add_pattern(r, &rule->ops, k->how);
}

static enum tl_status do_kernel(struct reader *r, const struct key *k)
{
	return add_pattern(r, member(current_step(r), k), k->how);
}

static enum tl_status do_also(struct reader *r, const struct key *k)
{
	(void)k;
	new_step(r);
	return TL_OK;
}

static enum tl_status do_count(struct reader *r, const struct key *k)
{
	long *count = member(current_step(r), k);
	if (*count)
		return fail(r, "given twice", r->columns[0]);
	r->at = r->columns[1];
	if (!read_number(r->columns[1], count) || *count < 1)
		return fail(r, "expected a number above 0", r->columns[1]);
	return TL_OK;
}

static enum tl_status do_arg(struct reader *r, const struct key *k)
{
	struct extras *x = member(current_step(r), k);
	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->items[i].key, r->columns[1]))
			return fail(r, "argument given twice", r->columns[1]);
	if (x->n == MAX_EXTRAS)
		return fail(r, "more arguments than an operator can have", r->columns[1]);
	TL_GROW(x->items, x->cap, x->n + 1);
	struct extra *e = &x->items[x->n++];
	memset(e, 0, sizeof *e);
	e->key = r->columns[1];
	return read_value(r, e, r->columns[2]);
}

static enum tl_status do_pick(struct reader *r, const struct key *k)
{
	struct rule *rule = r->rule;
	enum tl_status status = TL_OK;
	if (rule->n_picks && !rule->picks[rule->n_picks - 1].pattern)
		return fail(r, "never picked: the label before it has no expression", r->columns[1]);
	r->at = r->columns[r->n - 1];
	TL_GROW(rule->picks, rule->cap_picks, rule->n_picks + 1);
	struct alternative *a = &rule->picks[rule->n_picks++];
	a->label = r->columns[1];
	a->pattern = r->n == 3 ? new_pattern(r, r->columns[2], k->how, &status) : NULL;
	return status;
}

enum { R = 1 << RENAME, C = 1 << CATEGORY, I = 1 << ISOLATE, W = 1 << WRAP, N = 1 << INSERT,
       M = 1 << MOVE, S = 1 << STOP, EDITS = I | W | N | M };
#define OF_RULE(m) offsetof(struct rule, m)
#define OF_STEP(m) offsetof(struct step, m)
static const struct key keys[] = {
	{ "if-op", 2, 0, EDITS | S, do_patterns, OF_RULE(if_op), EXACT },
	{ "if-op-like", 2, 0, EDITS | S, do_patterns, OF_RULE(if_op), 0 },
	{ "unless-op", 2, 0, EDITS | S, do_patterns, OF_RULE(unless_op), EXACT },
	{ "unless-op-like", 2, 0, EDITS | S, do_patterns, OF_RULE(unless_op), 0 },
	{ "if-kernel", 2, 0, EDITS | S, do_patterns, OF_RULE(if_kernel), 0 },
	{ "if-kernel-i", 2, 0, EDITS | S, do_patterns, OF_RULE(if_kernel), ANY_CASE },
	{ "op", 2, 0, EDITS, do_op, 0, EXACT },
	{ "op-like", 2, 0, EDITS, do_op, 0, 0 },
	{ "frame", 2, 0, EDITS, do_op, 0, 0 },
	{ "by-thread", 1, 0, EDITS, do_flag, OF_RULE(by_thread), 0 },
	{ "skip-with-ops", 1, 0, I, do_flag, OF_RULE(skip_with_ops), 0 },
	{ "also", 1, 0, I, do_also, 0, 0 },
	{ "kernel", 2, 0, I, do_kernel, OF_STEP(kernels), 0 },
	{ "kernel-i", 2, 0, I, do_kernel, OF_STEP(kernels), ANY_CASE },
	{ "not-kernel", 2, 0, I, do_kernel, OF_STEP(kernels), NEGATED },
	{ "not-kernel-i", 2, 0, I, do_kernel, OF_STEP(kernels), NEGATED | ANY_CASE },
	{ "count", 2, 0, I, do_count, OF_STEP(count), 0 },
	{ "name", 2, 0, I | W | N, do_name, OF_STEP(name), 0 },
	{ "name-rest", 2, 0, I, do_name, OF_STEP(name_rest), 0 },
	{ "arg", 3, 0, I | W | N, do_arg, OF_STEP(extras), 0 },
	{ "donor-below", 2, 0, W | N, do_pattern, OF_RULE(donor_below), EXACT },
	{ "donor-above", 2, 0, W | N, do_pattern, OF_RULE(donor_above), EXACT },
	{ "pick", 2, 1, W, do_pick, 0, 0 },
	{ "under", 2, 0, M, do_pattern, OF_RULE(under), 0 },
	{ "what", 2, 0, R | C, do_pattern, OF_RULE(what), 0 },
	{ "to", 2, 0, R | C, do_to, OF_RULE(to), 0 },
};

static const char *const action_names[N_ACTIONS] = {
	[RENAME] = "rename", [CATEGORY] = "category", [ISOLATE] = "isolate", [WRAP] = "wrap",
	[INSERT] = "insert", [MOVE] = "move", [STOP] = "stop",
};

/* Whether `what`, which may stand after `to`, has the groups that `to` names. */
static enum tl_status check_replacement(struct reader *r)
{
	const struct rule *rule = r->rule;
	for (const char *s = rule->to; (s = strchr(s, '\\')); s += 2) {
		const char *why = NULL;
		if (s[1] >= '0' && s[1] <= '9')
			why = has_group(rule->what, s[1] - '0') ? NULL : "the regular expression has no such group";
		else if (s[1] != '\\')
			why = "expected \\0 to \\9 for a group or \\\\ for a backslash";
		if (why)
			return tl_fail(r->err, TL_ERR_DATA, "%s:%u:%u: %s: '%.2s'", r->file, r->to_line,
			               r->to_column + (uint32_t)(s - rule->to), why, s);
	}
	return TL_OK;
}

/* Whether the rule just read says all that its action needs. */
static enum tl_status close_rule(struct reader *r)
{
	const struct rule *rule = r->rule;
	const char *missing = NULL;
	if (!rule)
		return TL_OK;
	bool named = rule->n_steps > 0, has_kernels = rule->n_steps > 0;
	for (size_t i = 0; i < rule->n_steps; i++) {
		named &= rule->steps[i].name != NULL;
		has_kernels &= rule->steps[i].kernels.n > 0;
	}
	bool renames = rule->action == RENAME || rule->action == CATEGORY;
	if (renames && !rule->what)
		missing = rule->to ? "what" : "what and to";
	else if (renames && !rule->to)
		missing = "to";
	else if (1 << rule->action & EDITS && !rule->ops.n)
		missing = "op or frame";
	else if (1 << rule->action & (I | W | N) && !named)
		missing = "name";
	else if (rule->action == ISOLATE && !has_kernels)
		missing = "kernel";
	else if (rule->action == MOVE && !rule->under)
		missing = "under";
	else if (rule->action == STOP && !rule->if_op.n && !rule->if_kernel.n)
		missing = "if-op or if-kernel";
	if (missing)
		return tl_fail(r->err, TL_ERR_DATA, "%s:%u:1: rule '%.100s' has no %s", r->file, rule->line,
		               rule->name, missing);
	return rule->to ? check_replacement(r) : TL_OK;
}

static enum tl_status open_rule(struct reader *r)
{
	enum tl_status status = close_rule(r);
	int action = 0;
	if (status != TL_OK)
		return status;
	if (r->n != 3)
		return fail(r, "expected: rule, name, action", NULL);
	while (action < N_ACTIONS && strcmp(action_names[action], r->columns[2]))
		action++;
	r->at = r->columns[2];
	if (action == N_ACTIONS)
		return fail(r, "expected rename, category, isolate, wrap, insert, move or stop", r->columns[2]);
	if (r->rules->n >= MAX_RULES)
		return fail(r, "more than 10000 rules", NULL);
	r->rule = tl_arena_alloc(&r->rules->arena, sizeof *r->rule);
	*r->rule = (struct rule){ .name = r->columns[1], .action = (enum action)action, .line = r->line };
	TL_GROW(r->rules->items, r->rules->cap, r->rules->n + 1);
	r->rules->items[r->rules->n++] = r->rule;
	r->rules->edits |= action != RENAME && action != CATEGORY;
	return TL_OK;
}

static enum tl_status read_key(struct reader *r)
{
	if (!r->rule)
		return fail(r, "expected a line 'rule' first", r->columns[0]);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (strcmp(keys[i].name, r->columns[0]))
			continue;
		if (!(keys[i].actions >> r->rule->action & 1))
			return tl_fail(r->err, TL_ERR_DATA, "%s:%u:%u: '%s' does not belong to the action '%s'", r->file,
			               r->line, column(r, r->at), keys[i].name, action_names[r->rule->action]);
		if (r->n < keys[i].columns || r->n > (size_t)keys[i].columns + keys[i].more)
			return fail(r, "wrong number of columns (they are separated by one tab)", r->columns[0]);
		return keys[i].read(r, &keys[i]);
	}
	return fail(r, "unknown key", r->columns[0]);
}

static enum tl_status read_line(struct reader *r, const char *s, size_t len)
{
	if (len && s[len - 1] == '\r')
		len--;
	char *line = tl_arena_dup(&r->rules->arena, s, len);
	r->text = r->at = line;
	if (memchr(s, 0, len))
		return fail(r, "a line holds a NUL byte", NULL);
	if (line[strspn(line, " \t")] == 0 || line[0] == '#')
		return TL_OK;
	bool is_key = line[0] == '\t';
	r->at = line + is_key;
	r->n = 0;
	for (char *at = line + is_key; at;) {
		char *tab = strchr(at, '\t');
		if (r->n == MAX_COLUMNS)
			return fail(r, "too many columns", NULL);
		r->columns[r->n++] = at;
		if (tab)
			*tab++ = 0;
		at = tab;
	}
	if (is_key)
		return read_key(r);
	if (strcmp(r->columns[0], "rule"))
		return fail(r, "expected 'rule', or a tab and a key", r->columns[0]);
	return open_rule(r);
}

/* ---- interface ---- */

struct tl_rules *tl_rules_new(void)
{
	return tl_calloc(1, sizeof(struct tl_rules));
}

enum tl_status tl_rules_add(struct tl_rules *rules, const char *name, const char *text, size_t len,
                            struct tl_error *err)
{
	struct reader r = { .rules = rules, .err = err, .file = name };
	enum tl_status status = TL_OK;
	const char *end = text + len;
	for (const char *at = text; at < end && status == TL_OK;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		r.line++;
		status = read_line(&r, at, (size_t)(stop - at));
		at = stop + 1;
	}
	return status == TL_OK ? close_rule(&r) : status;
}

enum tl_status tl_rules_add_pseudo_ops(struct tl_rules *rules, struct tl_error *err)
{
	return tl_rules_add(rules, "pseudo-ops", tl_data_pseudo_ops, tl_data_pseudo_ops_len, err);
}

/* Gives the arguments that ask for it a value; *asked says whether any did. */
static enum tl_status set_in_step(struct tl_rules *rules, struct step *s, const char *name, const char *value,
                                  bool *asked, struct tl_error *err)
{
	for (size_t i = 0; i < s->extras.n; i++) {
		struct extra *x = &s->extras.items[i];
		if ((x->kind != VALUE_SET && x->kind != VALUE_SET_INT) || strcmp(x->text, name))
			continue;
		*asked = true;
		if (x->kind == VALUE_SET)
			x->text2 = tl_arena_dup(&rules->arena, value, strlen(value));
		else if (!read_number(value, &x->number[0]))
			return tl_fail(err, TL_ERR_USAGE, "'%s' is to be an integer of at most 9 digits, not '%.100s'", name, value);
		else if (x->number[0] < x->number[1])
			return tl_fail(err, TL_ERR_USAGE, "'%s' is to be at least %ld, not '%.100s'", name, x->number[1], value);
	}
	return TL_OK;
}

enum tl_status tl_rules_set(struct tl_rules *rules, const char *name, const char *value, struct tl_error *err)
{
	bool asked = false;
	for (size_t i = 0; i < rules->n; i++) {
		for (size_t k = 0; k < rules->items[i]->n_steps; k++) {
			enum tl_status status = set_in_step(rules, &rules->items[i]->steps[k], name, value, &asked, err);
			if (status != TL_OK)
				return status;
		}
	}
	return asked ? TL_OK : tl_fail(err, TL_ERR_USAGE, "no rule asks for '%.100s'", name);
}

static void free_rule(struct rule *r)
{
	free(r->if_op.items);
	free(r->unless_op.items);
	free(r->if_kernel.items);
	free(r->ops.items);
	free(r->picks);
	for (size_t i = 0; i < r->n_steps; i++) {
		free(r->steps[i].kernels.items);
		free(r->steps[i].extras.items);
	}
	free(r->steps);
}

void tl_rules_free(struct tl_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->n_patterns; i++)
		if (!rules->all[i]->exact)
			regfree(&rules->all[i]->regex);
	for (size_t i = 0; i < rules->n; i++)
		free_rule(rules->items[i]);
	free(rules->items);
	free(rules->all);
	tl_arena_release(&rules->arena);
	free(rules);
}
