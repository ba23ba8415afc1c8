/* category_rules.c - reads a table of kernel category rules.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "kernels/category_rules.h"

#include <stdlib.h>
#include <string.h>

struct text { const char *s; size_t len; };
struct named { struct text name, list; };

struct parser {
	struct tl_kcat *k;
	struct tl_error *err;
	const char *file;
	uint32_t line_no;
	const char *line;      /* start of the current line */
	struct named *lets; size_t n_lets, cap_lets;
	struct tl_buf expanded;
	size_t n_words;
};

enum { MAX_WORDS = 1 << 18, MAX_PATTERN = 1 << 16 };

static enum tl_status fail(struct parser *p, const char *at, const char *what, const char *s, size_t len)
{
	return tl_fail(p->err, TL_ERR_DATA, "%s:%u:%u: %s%s%.*s%s", p->file, p->line_no,
	               (unsigned)(at - p->line) + 1, what, s ? ": '" : "",
	               (int)(len < 80 ? len : 80), s ? s : "", s ? "'" : "");
}

static bool equal(struct text a, const char *s)
{
	return a.len == strlen(s) && !memcmp(a.s, s, a.len);
}

static bool has_upper(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] >= 'A' && s[i] <= 'Z')
			return true;
	return false;
}

static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("\\^.[$()*+?{", s[i]))
			return false;
	return true;
}

static size_t find_list(const struct parser *p, struct text name)
{
	size_t i = 0;

	while (i < p->n_lets && !(p->lets[i].name.len == name.len && !memcmp(p->lets[i].name.s, name.s, name.len)))
		i++;
	return i;
}

/* Puts {name} lists in their place. */
static enum tl_status expand(struct parser *p, struct text t, struct text *out)
{
	tl_buf_clear(&p->expanded);
	for (size_t i = 0; i < t.len;) {
		const char *close = t.s[i] == '{' ? memchr(t.s + i, '}', t.len - i) : NULL;
		struct text name = { t.s + i + 1, close ? (size_t)(close - t.s) - i - 1 : 0 };

		/* {2} and {2,3} are counts of a regular expression */
		if (!name.len || (name.s[0] >= '0' && name.s[0] <= '9')) {
			tl_buf_addc(&p->expanded, t.s[i++]);
			continue;
		}
		size_t j = find_list(p, name);
		if (j == p->n_lets)
			return fail(p, t.s + i, "no list of this name was given by a let line", name.s, name.len);
		tl_buf_add(&p->expanded, p->lets[j].list.s, p->lets[j].list.len);
		if (p->expanded.len > MAX_PATTERN)
			return fail(p, t.s, "pattern too long", NULL, 0);
		i += name.len + 2;
	}
	tl_buf_addc(&p->expanded, '\0');
	*out = (struct text){ p->expanded.data, p->expanded.len - 1 };
	return TL_OK;
}

static enum tl_status compile_words(struct parser *p, const char *at, struct text t, struct term *term)
{
	size_t n = 1;

	for (size_t i = 0; i < t.len; i++)
		n += t.s[i] == '|';
	/* lists repeated by name could ask for far more than the table's size */
	if ((p->n_words += n) > MAX_WORDS)
		return fail(p, at, "too many words in all", NULL, 0);
	term->words = tl_arena_alloc(&p->k->arena, n * sizeof *term->words);
	term->texts = tl_arena_alloc(&p->k->arena, n * sizeof *term->texts);
	for (const char *s = t.s, *end = t.s + t.len; n--;) {
		const char *bar = memchr(s, '|', (size_t)(end - s));
		size_t len = (size_t)((bar ? bar : end) - s);

		if (!len)
			return fail(p, at, "empty word in a list; expected word|word", t.s, t.len);
		if (term->fold && has_upper(s, len))
			return fail(p, at, "names are matched in lower case: use the flag 'case' for capital letters", s, len);
		term->texts[term->n_words] = tl_arena_dup(&p->k->arena, s, len);
		term->words[term->n_words++] = tl_words_add(&p->k->words, s, len);
		s += len + 1;
	}
	return TL_OK;
}

static enum tl_status compile_regex(struct parser *p, const char *at, struct text t, struct term *term)
{
	regex_t *re;
	char why[100];
	int rc;

	const char *where, *what = tl_regex_refused(t.s, &where);
	if (what)
		return fail(p, at, what, where, strlen(where));
	re = tl_calloc(1, sizeof *re);
	rc = regcomp(re, t.s, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, re, why, sizeof why);
		free(re);
		return tl_fail(p->err, TL_ERR_DATA, "%s:%u:%u: bad regular expression '%.80s': %s",
		               p->file, p->line_no, (unsigned)(at - p->line) + 1, t.s, why);
	}
	TL_GROW(p->k->regexes, p->k->cap_regexes, p->k->n_regexes + 1);
	p->k->regexes[p->k->n_regexes++] = term->regex = re;
	return TL_OK;
}

static enum tl_status compile_term(struct parser *p, struct text src, bool fold, struct term *term)
{
	struct text t;
	enum tl_status rc = expand(p, src, &t);

	if (rc)
		return rc;
	*term = (struct term){ .fold = fold };
	if (!t.len)
		return fail(p, src.s, "empty pattern; expected words, a regular expression or .*", NULL, 0);
	if (equal(t, ".*")) {
		term->kind = TERM_ALWAYS;
	} else if (t.len > 3 && !memcmp(t.s, "ns:", 3)) {
		term->kind = TERM_SPACE;
		if (!fold)
			return fail(p, src.s, "ns: does not go with the flag 'case'", NULL, 0);
		return compile_words(p, src.s, (struct text){ t.s + 3, t.len - 3 }, term);
	} else if (is_plain(t.s, t.len)) {
		term->kind = TERM_WORDS;
		return compile_words(p, src.s, t, term);
	} else if (t.s[0] == '^' && is_plain(t.s + 1, t.len - 1) && !memchr(t.s, '|', t.len)) {
		term->kind = TERM_PREFIX;
		if (fold && has_upper(t.s, t.len))
			return fail(p, src.s, "names are matched in lower case: use the flag 'case' for capital letters", t.s, t.len);
		term->text = tl_arena_dup(&p->k->arena, t.s + 1, t.len - 1);
	} else {
		term->kind = TERM_REGEX;
		return compile_regex(p, src.s, t, term);
	}
	return TL_OK;
}

static enum tl_status compile_pattern(struct parser *p, struct text t, bool fold, struct rule *r)
{
	struct term terms[32];

	for (const char *s = t.s, *end = t.s + t.len;;) {
		const char *amp = memmem(s, (size_t)(end - s), " & ", 3);
		enum tl_status rc;

		if (r->n_terms == sizeof terms / sizeof *terms)
			return fail(p, s, "more than 32 terms", NULL, 0);
		rc = compile_term(p, (struct text){ s, (size_t)((amp ? amp : end) - s) }, fold, &terms[r->n_terms++]);
		if (rc)
			return rc;
		if (!amp)
			break;
		s = amp + 3;
	}
	r->terms = tl_arena_alloc(&p->k->arena, r->n_terms * sizeof *terms);
	memcpy(r->terms, terms, r->n_terms * sizeof *terms);
	return TL_OK;
}

static enum tl_status parse_priority(struct parser *p, struct text t, int64_t *out)
{
	int64_t n = 0;

	for (size_t i = 0; i < t.len; i++) {
		if (t.s[i] < '0' || t.s[i] > '9' || n > 99999999)
			return fail(p, t.s, "expected a priority, a number from 0 to 999999999, or let", t.s, t.len);
		n = n * 10 + (t.s[i] - '0');
	}
	*out = n;
	return t.len ? TL_OK : fail(p, t.s, "expected a priority", NULL, 0);
}

static enum tl_status parse_let(struct parser *p, const struct text *f, size_t n)
{
	if (n != 3 || !f[1].len || !f[2].len)
		return fail(p, f[0].s, "expected let, a name and a list of words, TAB between them", NULL, 0);
	if (f[1].s[0] >= '0' && f[1].s[0] <= '9')
		return fail(p, f[1].s, "a name starts with a letter", f[1].s, f[1].len);
	if (find_list(p, f[1]) < p->n_lets)
		return fail(p, f[1].s, "list given twice", f[1].s, f[1].len);
	TL_GROW(p->lets, p->cap_lets, p->n_lets + 1);
	p->lets[p->n_lets++] = (struct named){ f[1], f[2] };
	return TL_OK;
}

static enum tl_status parse_rule(struct parser *p, const struct text *f, size_t n)
{
	struct rule r = { .table = p->k->n_tables, .line = p->line_no };
	bool fold = true;
	enum tl_status rc;

	if (n < 3 || n > 5)
		return fail(p, f[0].s, "expected priority, category, pattern[, exclusions[, flags]], TAB between them", NULL, 0);
	if ((rc = parse_priority(p, f[0], &r.priority)))
		return rc;
	if (!f[1].len)
		return fail(p, f[1].s, "empty category", NULL, 0);
	if (n > 4 && equal(f[4], "case"))
		fold = false;
	else if (n > 4 && f[4].len && !equal(f[4], "-") && !equal(f[4], "dead"))
		return fail(p, f[4].s, "unknown flag; expected -, case or dead", f[4].s, f[4].len);
	r.category = tl_arena_dup(&p->k->arena, f[1].s, f[1].len);
	if ((rc = compile_pattern(p, f[2], fold, &r)))
		return rc;
	if (n > 3 && f[3].len && !equal(f[3], "-")) {
		r.exclusion = tl_arena_alloc(&p->k->arena, sizeof *r.exclusion);
		if ((rc = compile_term(p, f[3], fold, r.exclusion)))
			return rc;
	}
	TL_GROW(p->k->rules, p->k->cap_rules, p->k->n_rules + 1);
	p->k->rules[p->k->n_rules++] = r;
	return TL_OK;
}

static enum tl_status parse_line(struct parser *p, struct text line)
{
	struct text f[6];
	size_t n = 0;

	if (line.len && line.s[line.len - 1] == '\r')
		line.len--;
	if (!line.len || line.s[0] == '#')
		return TL_OK;
	for (const char *s = line.s, *end = line.s + line.len; n < 6;) {
		const char *tab = memchr(s, '\t', (size_t)(end - s));

		f[n++] = (struct text){ s, (size_t)((tab ? tab : end) - s) };
		if (!tab)
			break;
		s = tab + 1;
	}
	return equal(f[0], "let") ? parse_let(p, f, n) : parse_rule(p, f, n);
}

enum tl_status tl_kcat_add(struct tl_kcat *k, const char *name, const char *text,
                           size_t len, struct tl_error *err)
{
	struct parser p = { .k = k, .err = err, .file = name };
	size_t n_before = k->n_rules;
	enum tl_status rc = TL_OK;

	if (len > TL_KCAT_MAX_TABLE)
		return tl_fail(err, TL_ERR_DATA, "%s: table longer than %d bytes", name, TL_KCAT_MAX_TABLE);
	k->n_tables++;
	for (size_t at = 0; at < len && !rc;) {
		const char *nl = memchr(text + at, '\n', len - at);
		size_t n = nl ? (size_t)(nl - text) - at : len - at;

		p.line = text + at;
		p.line_no++;
		if (memchr(p.line, '\0', n))
			rc = fail(&p, p.line, "the line holds a NUL byte", NULL, 0);
		else
			rc = parse_line(&p, (struct text){ p.line, n });
		at += n + 1;
	}
	if (rc)
		k->n_rules = n_before;
	k->ready = false;
	free(p.lets);
	tl_buf_release(&p.expanded);
	return rc;
}
