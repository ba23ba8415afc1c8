/* rule_table.c - reads a table of rules about names.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "kernels/rule_table.h"

#include "base/regex.h"
#include "base/rows.h"
#include "base/text.h"
#include "kernels/name_rules.h"

#include <stdlib.h>
#include <string.h>

struct word_list { struct tl_field_text name, words; };

struct parser {
	struct tl_rule_list *rules;
	struct tl_rows rows;
	struct word_list *lists; size_t n_lists, cap_lists;
	struct tl_buf expanded;  /* the current term, with words instead of {name} */
	size_t expanded_before;  /* bytes of all terms before it, also expanded */
	size_t regex_weight;      /* see tl_regex_refused */
};

/* MAX_EXPANDED limits all expanded terms of a table together: a long list that many
 * rules name would take far more memory and time than the table's size suggests. */
enum { MAX_TERMS = 32, MAX_EXPANDED = TL_RULE_TABLE_MAX };

/* what: the mistake; at: its place in the line; shown: the text to quote. */
static enum tl_status fail_at(struct parser *p, const char *at, const char *what, struct tl_field_text shown)
{
	return tl_rows_fail(&p->rows, at, "%s: '%.*s'", what, (int)(shown.len < 80 ? shown.len : 80), shown.s);
}

static bool is_word(struct tl_field_text t, const char *word)
{
	return tl_text_is(t.s, t.len, word);
}

static bool same(struct tl_field_text a, struct tl_field_text b)
{
	return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("\\^.[$()*+?{", s[i]))
			return false;
	return true;
}

/* The index of the list with this name; n_lists if none has it. */
static size_t find_list(const struct parser *p, struct tl_field_text name)
{
	size_t i = 0;

	while (i < p->n_lists && !same(p->lists[i].name, name))
		i++;
	return i;
}

/* Replaces each {name} in t by the words of that list. *out is valid until the next call. */
static enum tl_status expand(struct parser *p, struct tl_field_text t, struct tl_field_text *out)
{
	tl_buf_clear(&p->expanded);
	for (size_t i = 0; i < t.len;) {
		const char *close = t.s[i] == '{' ? memchr(t.s + i, '}', t.len - i) : NULL;
		struct tl_field_text name = { t.s + i + 1, close ? (size_t)(close - t.s) - i - 1 : 0 };

		/* {2} and {2,3} are counts of a regular expression */
		if (!name.len || tl_is_digit(name.s[0])) {
			tl_buf_addc(&p->expanded, t.s[i++]);
			continue;
		}
		size_t j = find_list(p, name);
		if (j == p->n_lists)
			return fail_at(p, t.s + i, "no list of this name was given by a let line", name);
		tl_buf_add(&p->expanded, p->lists[j].words.s, p->lists[j].words.len);
		if (p->expanded_before + p->expanded.len > MAX_EXPANDED)
			return tl_rows_fail(&p->rows, t.s, "table longer than 256 KB with lists in their places");
		i += name.len + 2;
	}
	p->expanded_before += p->expanded.len;
	*out = (struct tl_field_text){ p->expanded.data, p->expanded.len };
	return TL_OK;
}

static enum tl_status check_case(struct parser *p, const char *at, struct tl_field_text t, bool fold)
{
	for (size_t i = 0; fold && i < t.len; i++)
		if (t.s[i] >= 'A' && t.s[i] <= 'Z')
			return fail_at(p, at, "names are matched in lower case: use the flag 'case' for capital letters", t);
	return TL_OK;
}

static enum tl_status check_words(struct parser *p, const char *at, struct tl_field_text t)
{
	for (size_t i = 0; i <= t.len; i++)
		if ((i == t.len || t.s[i] == '|') && (!i || t.s[i - 1] == '|'))
			return fail_at(p, at, "empty word in a list; expected word|word", t);
	return TL_OK;
}

static enum tl_status compile_regex(struct parser *p, const char *at, struct tl_field_text t, struct tl_rule_term *term)
{
	struct tl_rule_list *r = p->rules;
	const char *where, *what = tl_regex_refused(t.s, &p->regex_weight, &where);
	char why[100];

	if (what)
		return fail_at(p, at, what, (struct tl_field_text){ where, strlen(where) });
	term->regex = tl_calloc(1, sizeof *term->regex);
	int rc = regcomp(term->regex, t.s, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, term->regex, why, sizeof why);
		free(term->regex);
		return tl_rows_fail(&p->rows, at, "bad regular expression '%.80s': %s", t.s, why);
	}
	TL_GROW(r->regexes, r->cap_regexes, r->n_regexes + 1);
	r->regexes[r->n_regexes++] = term->regex;
	return TL_OK;
}

static enum tl_status compile_term(struct parser *p, struct tl_field_text src, bool fold, struct tl_rule_term *term)
{
	struct tl_field_text t = src;
	enum tl_status st = expand(p, src, &t);

	if (st)
		return st;
	if (!t.len)
		return tl_rows_fail(&p->rows, src.s, "empty pattern; expected words, a regular expression or .*");
	*term = (struct tl_rule_term){ .kind = TL_TERM_WORDS, .fold = fold };
	if (t.len > 5 && !memcmp(t.s, "case:", 5)) {
		term->fold = fold = false;
		t = (struct tl_field_text){ t.s + 5, t.len - 5 };
	}
	if (t.len > 3 && !memcmp(t.s, "ns:", 3)) {
		term->kind = TL_TERM_NAMESPACE;
		t = (struct tl_field_text){ t.s + 3, t.len - 3 };
	} else if (t.s[0] == '^' && is_plain(t.s + 1, t.len - 1) && !memchr(t.s, '|', t.len)) {
		term->kind = TL_TERM_START;
		t = (struct tl_field_text){ t.s + 1, t.len - 1 };
	} else if (!is_plain(t.s, t.len)) {
		term->kind = TL_TERM_REGEX;
		return compile_regex(p, src.s, t, term);
	}
	term->text = tl_arena_dup(&p->rules->arena, t.s, t.len);
	if ((st = check_case(p, src.s, t, fold)) || term->kind == TL_TERM_START)
		return st;
	return check_words(p, src.s, t);
}

static enum tl_status compile_pattern(struct parser *p, struct tl_field_text t, bool fold, struct tl_name_rule *r)
{
	struct tl_rule_term terms[MAX_TERMS];

	for (const char *s = t.s, *end = t.s + t.len, *amp; s; s = amp ? amp + 3 : NULL) {
		amp = memmem(s, (size_t)(end - s), " & ", 3);
		if (r->n_terms == MAX_TERMS)
			return tl_rows_fail(&p->rows, s, "more than 32 terms");
		enum tl_status st = compile_term(p, (struct tl_field_text){ s, (size_t)((amp ? amp : end) - s) }, fold, &terms[r->n_terms++]);
		if (st)
			return st;
	}
	r->terms = tl_arena_alloc(&p->rules->arena, r->n_terms * sizeof *terms);
	memcpy(r->terms, terms, r->n_terms * sizeof *terms);
	return TL_OK;
}

static enum tl_status parse_priority(struct parser *p, struct tl_field_text t, int64_t *out)
{
	int64_t n = 0;

	for (size_t i = 0; i < t.len; i++) {
		if (!tl_is_digit(t.s[i]) || n > 99999999)
			return fail_at(p, t.s, "expected a priority, a number from 0 to 999999999, or let", t);
		n = n * 10 + (t.s[i] - '0');
	}
	*out = n;
	return t.len ? TL_OK : tl_rows_fail(&p->rows, t.s, "expected a priority");
}

static enum tl_status parse_let(struct parser *p)
{
	const struct tl_field_text *f = p->rows.fields;

	if (p->rows.n != 3 || !f[1].len || !f[2].len)
		return tl_rows_fail(&p->rows, f[0].s, "expected let, a name and a list of words, TAB between them");
	if (tl_is_digit(f[1].s[0]))
		return fail_at(p, f[1].s, "the name of a list starts with a digit", f[1]);
	if (find_list(p, f[1]) < p->n_lists)
		return fail_at(p, f[1].s, "list given twice", f[1]);
	TL_GROW(p->lists, p->cap_lists, p->n_lists + 1);
	p->lists[p->n_lists++] = (struct word_list){ f[1], f[2] };
	return TL_OK;
}

static enum tl_status parse_rule(struct parser *p)
{
	static const char *const flags[] = { "-", "case", "dead", NULL };
	struct tl_rule_list *rules = p->rules;
	struct tl_rows *rows = &p->rows;
	struct tl_name_rule r = { .table = rules->n_tables, .line = rows->number };
	const struct tl_field_text *f = rows->fields;
	enum tl_status st;

	if (rows->n < 3 || rows->n > 5)
		return tl_rows_fail(rows, f[0].s, "expected priority, category, pattern[, exclusion[, flag]], TAB between them");
	if ((st = parse_priority(p, f[0], &r.priority)))
		return st;
	if (!f[1].len)
		return tl_rows_fail(rows, f[1].s, "empty category");
	if (rules->answers)
		tl_rows_word(rows, 1, rules->answers);
	bool fold = rows->n < 5 || !f[4].len || tl_rows_word(rows, 4, flags) != 1;
	if ((st = rows->status) || (st = compile_pattern(p, f[2], fold, &r)))
		return st;
	if (rows->n > 3 && f[3].len && !is_word(f[3], "-")) {
		r.exclusion = tl_arena_alloc(&rules->arena, sizeof *r.exclusion);
		if ((st = compile_term(p, f[3], fold, r.exclusion)))
			return st;
	}
	r.answer = tl_rows_text(rows, 1, &rules->arena);
	TL_GROW(rules->items, rules->cap, rules->n + 1);
	rules->items[rules->n++] = r;
	return TL_OK;
}

/* Lower priority first; of the same priority the later table, then the earlier line. */
static int by_priority(const void *pa, const void *pb)
{
	const struct tl_name_rule *a = pa, *b = pb;

	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (a->table != b->table)
		return a->table > b->table ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

enum tl_status tl_rule_list_add(struct tl_rule_list *rules, const char *name,
                                const char *text, size_t len, struct tl_error *err)
{
	struct parser p = { .rules = rules, .rows = { .file = name, .text = text, .len = len, .err = err } };
	size_t n_before = rules->n;

	if (len > TL_RULE_TABLE_MAX)
		return tl_fail(err, TL_ERR_DATA, "%s: table longer than %d bytes", name, TL_RULE_TABLE_MAX);
	rules->n_tables++;
	while (tl_rows_next(&p.rows))
		if (is_word(p.rows.fields[0], "let"))
			parse_let(&p);
		else
			parse_rule(&p);
	if (p.rows.status)
		rules->n = n_before;
	else if (rules->n)
		qsort(rules->items, rules->n, sizeof *rules->items, by_priority);
	free(p.lists);
	tl_buf_release(&p.expanded);
	return p.rows.status;
}

void tl_rule_list_add_answer(struct tl_rule_list *rules, int64_t priority, const char *answer,
                             struct tl_name_rules *others, const char *theirs)
{
	struct tl_name_rule r = { .priority = priority, .table = ++rules->n_tables, .n_terms = 1 };

	r.answer = tl_arena_dup(&rules->arena, answer, strlen(answer));
	r.terms = tl_arena_alloc(&rules->arena, sizeof *r.terms);
	*r.terms = (struct tl_rule_term){ .kind = TL_TERM_ANSWER, .others = others };
	r.terms->text = tl_arena_dup(&rules->arena, theirs, strlen(theirs));
	TL_GROW(rules->items, rules->cap, rules->n + 1);
	rules->items[rules->n++] = r;
	qsort(rules->items, rules->n, sizeof *rules->items, by_priority);
}

void tl_rule_list_release(struct tl_rule_list *rules)
{
	for (size_t i = 0; i < rules->n_regexes; i++) {
		regfree(rules->regexes[i]);
		free(rules->regexes[i]);
	}
	free(rules->regexes);
	free(rules->items);
	tl_arena_release(&rules->arena);
}
