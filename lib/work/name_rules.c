/* name_rules.c - answers a question about a name: tries rules on the name.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/name_rules.h"

#include "base/base.h"
#include "base/merge_sort.h"
#include "base/pattern.h"
#include "base/rows.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- reads a table of rules about names ------------------------------------------------- */

enum tl_rule_term_kind {
	TL_TERM_WORDS,     /* one of the words a|b|c occurs in the name */
	TL_TERM_NAMESPACE, /* one of the words occurs before the first "::" */
	TL_TERM_START,     /* the name starts with the text */
	TL_TERM_REGEX,     /* the regular expression matches */
	TL_TERM_ANSWER,    /* other rules answer the text */
};
struct tl_rule_term {
	enum tl_rule_term_kind kind;
	bool fold;         /* match the name in lower case, else as it is written */
	const char *text;  /* the words, the start or the answer */
	struct tl_pattern *regex; /* of TL_TERM_REGEX only */
};

struct tl_name_rule {
	int64_t priority;
	uint32_t table, line;           /* where the rule stands: table 1 was read first */
	const char *answer;
	struct tl_rule_term *terms;     /* all must match */
	uint32_t n_terms;
	struct tl_rule_term *exclusion; /* must not match; NULL: none */
};

struct tl_name_rules {
	struct tl_name_rule *items; size_t n, cap; /* in the order in which they are tried */
	uint32_t n_tables;
	const char *const *allowed;  /* the answers that rules may give, then NULL; NULL: any */
	uint32_t column;             /* of the cell that answers; 0: the table has answers of one kind, in cell 1 */
	struct tl_name_rules *others; /* whose answers terms ask for; NULL: none do */
	struct tl_arena arena;       /* texts and terms */
	struct tl_pattern *patterns; /* of all terms, the last one first */
	struct tl_strtab names;      /* that were asked for */
	const char **answers; size_t cap_answers; /* by id of the name */
	struct tl_buf folded;        /* the current name in lower case */
};

struct word_list { struct tl_field_text name, words; };

struct parser {
	struct tl_name_rules *rules;
	struct tl_rows rows;
	struct word_list *lists; size_t n_lists, cap_lists;
	struct tl_buf expanded;  /* the current term, with words instead of {name} */
	size_t expanded_before;  /* bytes of all terms before it, also expanded */
	size_t regex_weight;      /* see tl_pattern_compile */
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

	while (i < p->n_lists && !(p->lists[i].name.len == name.len && !memcmp(p->lists[i].name.s, name.s, name.len)))
		i++;
	return i;
}

/* Replaces each {name} in t by the words of that list. *out is valid until the next call. */
static enum tl_status expand_lists(struct parser *p, struct tl_field_text t, struct tl_field_text *out)
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
	char why[200];

	term->regex = tl_arena_alloc(&p->rules->arena, sizeof *term->regex);
	if (!tl_pattern_compile(term->regex, t.s, 0, &p->regex_weight, why))
		return tl_rows_fail(&p->rows, at, "bad regular expression '%.80s': %s", t.s, why);
	term->regex->older = p->rules->patterns;
	p->rules->patterns = term->regex;
	return TL_OK;
}

static enum tl_status compile_term(struct parser *p, struct tl_field_text src, bool fold, struct tl_rule_term *term)
{
	struct tl_field_text t = src;
	enum tl_status st = expand_lists(p, src, &t);

	if (st)
		return st;
	if (!t.len)
		return tl_rows_fail(&p->rows, src.s, "empty pattern; expected words, a regular expression or .*");
	*term = (struct tl_rule_term){ .kind = TL_TERM_WORDS, .fold = fold };
	if (t.len > 5 && !memcmp(t.s, "case:", 5)) {
		term->fold = fold = false;
		t = (struct tl_field_text){ t.s + 5, t.len - 5 };
	}
	if (t.len > 3 && !memcmp(t.s, "is:", 3)) {
		term->kind = TL_TERM_ANSWER;
		term->text = tl_arena_dup(&p->rules->arena, t.s + 3, t.len - 3);
		if (!p->rules->others)
			return fail_at(p, src.s, "there are no other rules to ask here", t);
		const char *const *answers = p->rules->others->allowed;
		return !answers || tl_is_one_of(answers, term->text) ? TL_OK : fail_at(p, src.s, "the other rules have no such answer", t);
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
	if (!t.len)
		return tl_rows_fail(&p->rows, t.s, "expected a priority");
	if (tl_is_digit(*t.s) && tl_field_int(&t, out) && *out <= 999999999)
		return TL_OK;
	return fail_at(p, t.s, "expected a priority, a number from 0 to 999999999, or let", t);
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
	TL_PUSH(p->lists, p->n_lists, p->cap_lists, (struct word_list){ f[1], f[2] });
	return TL_OK;
}

static enum tl_status parse_rule(struct parser *p)
{
	static const char *const flags[] = { "-", "case", "dead", NULL };
	struct tl_name_rules *rules = p->rules;
	struct tl_rows *rows = &p->rows;
	struct tl_name_rule r = { .table = rules->n_tables, .line = rows->number };
	const struct tl_field_text *f = rows->fields;
	enum tl_status st;

	uint32_t column = rules->column ? rules->column : 1;
	if (rows->n < 3 || (rows->n > 5 && !rules->column))
		return tl_rows_fail(rows, f[0].s, "expected priority, category, pattern[, exclusion[, flag]], TAB between them");
	if ((st = parse_priority(p, f[0], &r.priority)))
		return st;
	if (rules->column && (rows->n <= column || !f[column].len))
		return TL_OK;
	if (!f[column].len)
		return tl_rows_fail(rows, f[1].s, "empty category");
	if (rules->allowed)
		tl_rows_word(rows, 1, rules->allowed);
	bool fold = rows->n < 5 || !f[4].len || tl_rows_word(rows, 4, flags) != 1;
	if ((st = rows->status) || (st = compile_pattern(p, f[2], fold, &r)))
		return st;
	if (rows->n > 3 && f[3].len && !is_word(f[3], "-")) {
		r.exclusion = tl_arena_alloc(&rules->arena, sizeof *r.exclusion);
		if ((st = compile_term(p, f[3], fold, r.exclusion)))
			return st;
	}
	r.answer = rules->column && is_word(f[column], "-") ? "" : tl_rows_text(rows, column, &rules->arena);
	TL_PUSH(rules->items, rules->n, rules->cap, r);
	return TL_OK;
}

/* Lower priority first; of the same priority the later table, then the earlier line. */
TL_ORDER(by_priority, struct tl_name_rule, TL_ASC(x->priority) TL_DESC(x->table) TL_ASC(x->line))

static const char *const works[] = { "communication", "memcpy", "computation", NULL };
static const char *const words[] = { "part", "step", "round", NULL };
static const char *const phases[] = { "Prefill", "Decode", "Mixed", NULL };

#define DECLARE(id, name, answers) extern const char tl_data_##name[]; extern const size_t tl_data_##name##_len;
TL_BUILT_IN_RULES(DECLARE)
DECLARE(, kernel_kinds, )

#define ENTRY(id, name, answers) [id] = { #name, tl_data_##name, &tl_data_##name##_len, answers, 0 },
#define COLUMN(id, name, column) [id] = { #name, tl_data_##name, &tl_data_##name##_len, NULL, column },
static const struct { const char *name, *text; const size_t *len; const char *const *answers; uint32_t column; } built_in[] = {
	TL_BUILT_IN_RULES(ENTRY) TL_BUILT_IN_COLUMNS(COLUMN)
};

/* Which pairs of neighbouring bytes a text has. Pairs may share a bit, so a set bit proves
 * nothing; but a word with a pair whose bit is not set does not occur in the text. Most words
 * of rules are such, and need no search. */
enum { PAIRS = 4096 };
struct pairs { uint64_t bits[PAIRS / 64]; };

/* A name as it is written and in lower case, with a NUL behind each. */
struct both_cases { const char *written, *folded; size_t len; struct pairs of_folded; };

struct tl_name_rules *tl_name_rules_new(enum tl_built_in_rules table)
{
	struct tl_name_rules *r = tl_calloc(1, sizeof *r);

	if (table)
		tl_name_rules_add_built_in(r, table);
	return r;
}

void tl_name_rules_add_built_in(struct tl_name_rules *r, enum tl_built_in_rules table)
{
	struct tl_error err;

	r->allowed = built_in[table].answers;
	r->column = built_in[table].column;
	tl_must(tl_name_rules_add(r, built_in[table].name, built_in[table].text, *built_in[table].len, &err), &err);
}

void tl_name_rules_free(struct tl_name_rules *r)
{
	if (!r)
		return;
	for (struct tl_pattern *p = r->patterns; p; p = p->older)
		tl_pattern_release(p);
	free(r->items);
	tl_arena_release(&r->arena);
	tl_strtab_release(&r->names);
	tl_buf_release(&r->folded);
	free(r->answers);
	free(r);
}

enum tl_status tl_name_rules_add(struct tl_name_rules *rules, const char *table, const char *text,
                                 size_t len, struct tl_error *err)
{
	struct parser p = { .rules = rules, .rows = { .file = table, .text = text, .len = len, .err = err } };
	size_t n_before = rules->n;

	tl_strtab_clear(&rules->names); /* earlier answers may be wrong now */
	if (len > TL_RULE_TABLE_MAX)
		return tl_fail(err, TL_ERR_DATA, "%s: table longer than %d bytes", table, TL_RULE_TABLE_MAX);
	rules->n_tables++;
	while (tl_rows_next(&p.rows))
		if (is_word(p.rows.fields[0], "let"))
			parse_let(&p);
		else
			parse_rule(&p);
	if (p.rows.status)
		rules->n = n_before;
	else if (rules->n)
		tl_merge_sort(rules->items, rules->n, sizeof *rules->items, by_priority, NULL);
	free(p.lists);
	tl_buf_release(&p.expanded);
	return p.rows.status;
}

void tl_name_rules_ask(struct tl_name_rules *rules, struct tl_name_rules *others)
{
	rules->others = others;
}

static unsigned pair_at(const char *s)
{
	return ((unsigned char)s[0] << 5 ^ (unsigned char)s[1]) % PAIRS;
}

/* pairs: of s, or NULL */
static bool word_occurs(const char *word, size_t n, const char *s, size_t len, const struct pairs *pairs)
{
	for (size_t i = 1; pairs && i < n; i++)
		if (!(pairs->bits[pair_at(word + i - 1) / 64] >> pair_at(word + i - 1) % 64 & 1))
			return false;
	return memmem(s, len, word, n);
}

/* Is one of the words in "word|word|…" a part of s? */
static bool any_word_occurs(const char *choice, const char *s, size_t len, const struct pairs *pairs)
{
	for (const char *word = choice, *end;; word = end + 1) {
		end = strchrnul(word, '|');
		if (word_occurs(word, (size_t)(end - word), s, len, pairs))
			return true;
		if (!*end)
			return false;
	}
}

static bool term_matches(struct tl_name_rules *others, const struct tl_rule_term *t, const struct both_cases *name)
{
	const char *s = t->fold ? name->folded : name->written, *colons;

	switch (t->kind) {
	case TL_TERM_WORDS:
		return any_word_occurs(t->text, s, name->len, t->fold ? &name->of_folded : NULL);
	case TL_TERM_NAMESPACE:
		colons = memmem(s, name->len, "::", 2);
		return colons && any_word_occurs(t->text, s, (size_t)(colons - s), NULL);
	case TL_TERM_START:
		return !strncmp(s, t->text, strlen(t->text));
	case TL_TERM_ANSWER:
		return !strcmp(tl_name_rules_find(others, name->written, name->len), t->text);
	default:
		return tl_pattern_matches(t->regex, s, name->len);
	}
}

static bool rule_matches(struct tl_name_rules *others, const struct tl_name_rule *r, const struct both_cases *name)
{
	for (uint32_t i = 0; i < r->n_terms; i++)
		if (!term_matches(others, &r->terms[i], name))
			return false;
	return !r->exclusion || !term_matches(others, r->exclusion, name);
}

/* The lower case is valid until the next call. */
static struct both_cases both_cases(struct tl_name_rules *r, const char *written, size_t len)
{
	struct both_cases name = { .written = written, .len = len };

	tl_buf_clear(&r->folded);
	tl_buf_add(&r->folded, written, len);
	for (size_t i = 0; i < len; i++)
		if (written[i] >= 'A' && written[i] <= 'Z')
			r->folded.data[i] += 'a' - 'A';
	name.folded = r->folded.data;
	for (size_t i = 1; i < len; i++)
		name.of_folded.bits[pair_at(name.folded + i - 1) / 64] |= UINT64_C(1) << pair_at(name.folded + i - 1) % 64;
	return name;
}

static const char *match(struct tl_name_rules *r, const char *name, size_t len)
{
	struct both_cases both = both_cases(r, name, len);
	size_t i = 0;

	while (i < r->n && !rule_matches(r->others, &r->items[i], &both))
		i++;
	return i < r->n ? r->items[i].answer : "";
}

const char *tl_name_rules_find(struct tl_name_rules *r, const char *name, size_t len)
{
	uint32_t known = r->names.count, id = tl_intern(&r->names, name, len);

	if (id > known) {
		TL_GROW(r->answers, r->cap_answers, (size_t)id + 1);
		r->answers[id] = match(r, tl_str(&r->names, id), len);
	}
	return r->answers[id];
}

uint64_t tl_name_rules_all(struct tl_name_rules *r, const char *written, size_t len, const char *const *answers)
{
	struct both_cases name = both_cases(r, written, len);
	uint64_t found = 0;

	for (size_t a = 0; answers[a] && a < 64; a++)
		for (size_t i = 0; i < r->n && !(found >> a & 1); i++)
			if (!strcmp(r->items[i].answer, answers[a]) && rule_matches(r->others, &r->items[i], &name))
				found |= (uint64_t)1 << a;
	return found;
}

/* ---- answers of rules for names that are ids of one string table ------------------------ */

void tl_name_answers_init(struct tl_name_answers *a, enum tl_built_in_rules table, const struct tl_strtab *strings)
{
	*a = (struct tl_name_answers){ .strings = strings, .rules = tl_name_rules_new(table) };
}

const char *tl_name_ask(struct tl_name_answers *a, uint32_t name)
{
	size_t before = a->cap;

	TL_GROW(a->known, a->cap, (size_t)name + 1);
	if (a->cap > before)
		memset(a->known + before, 0, (a->cap - before) * sizeof *a->known);
	return a->known[name] = match(a->rules, tl_str(a->strings, name), tl_str_len(a->strings, name));
}

bool tl_name_is(struct tl_name_answers *a, uint32_t name, const char *answer)
{
	return !strcmp(tl_name_answer(a, name), answer);
}

void tl_name_answers_forget(struct tl_name_answers *a)
{
	if (a->cap)
		memset(a->known, 0, a->cap * sizeof *a->known);
}

void tl_name_answers_release(struct tl_name_answers *a)
{
	tl_name_rules_free(a->rules);
	free(a->known);
	*a = (struct tl_name_answers){ 0 };
}
