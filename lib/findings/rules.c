/* rules.c - reads the table of rules.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "findings/rules.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const char tl_data_finding_rules[];
extern const size_t tl_data_finding_rules_len;
extern const char tl_data_job_rules[];
extern const size_t tl_data_job_rules_len;

const char *const tl_rule_parts[] = { "where", "by", "need", "stake", NULL };
static const char *const phrase_words[] = { "title", "next", NULL };
static const char *const choice_words[] = { "do", "unasked", NULL };
static const char *const text_words[] = { "sheet", "confidence", "effort", "source", "effect", NULL };
const char *const tl_rule_effects[] = { "none", "less", "gone", "host", "launches", "limit", NULL };

struct reader { struct tl_rule_table *table; struct tl_rule *rule; struct tl_cursor *c; };

/* The index of a word; that of the NULL at the end if it is none of them. */
static size_t index_of(const char *const *words, const struct tl_word *w)
{
	size_t i = 0;

	while (words[i] && !tl_text_is(w->s, w->len, words[i]))
		i++;
	return i;
}

static enum tl_status given_twice(const struct tl_cursor *c, const struct tl_word *w)
{
	return tl_cursor_fail(c, w->pos, "\"%.*s\" is given twice", (int)w->len, w->s);
}

/* ---- lines of a rule ------------------------------------------------------------------------ */

static enum tl_status read_expression(struct reader *k, struct tl_node **node)
{
	*node = tl_expr_parse(k->c, &k->rule->scope);
	return *node ? tl_cursor_need_end(k->c) : TL_ERR_DATA;
}

static void add_piece(struct tl_phrase *p, const char *text, size_t len, struct tl_node *node)
{
	if (!len && !node)
		return;
	TL_PUSH(p->pieces, p->n, p->cap, (struct tl_phrase_piece){ text, len, node });
}

/* Up to the byte `end` or the end of the line, with expressions in braces. */
static enum tl_status read_phrase(struct reader *k, struct tl_phrase *p, int end)
{
	struct tl_cursor *c = k->c;

	tl_cursor_skip(c);
	size_t from = c->pos;
	while (tl_cursor_peek(c, 0) != -1 && tl_cursor_peek(c, 0) != '\n' && tl_cursor_peek(c, 0) != end) {
		if (tl_cursor_peek(c, 0) != '{') {
			c->pos++;
			continue;
		}
		add_piece(p, c->text + from, c->pos - from, NULL);
		c->pos++;
		struct tl_node *node = tl_expr_parse(c, &k->rule->scope);
		if (!node)
			return TL_ERR_DATA;
		if (!tl_cursor_take(c, '}'))
			return tl_cursor_fail(c, c->pos, "expected \"}\" after the expression");
		add_piece(p, NULL, 0, node);
		from = c->pos;
	}
	add_piece(p, c->text + from, c->pos - from, NULL);
	return p->n ? TL_OK : tl_cursor_fail(c, c->pos, "expected a text");
}

/* A text to the end of the line, or "a text" with or without when EXPR behind it. */
static enum tl_status read_choice(struct reader *k, struct tl_rule_texts *choices)
{
	struct tl_cursor *c = k->c;
	struct tl_text_when *choice = &choices->items[choices->n];
	struct tl_word word;
	enum tl_status s;

	tl_cursor_skip(c);
	if (choices->n == TL_RULE_MOST_CHOICES)
		return tl_cursor_fail(c, c->pos, "more than %d texts of this kind in a rule", TL_RULE_MOST_CHOICES);
	choices->n++;
	if (!tl_cursor_take(c, '"'))
		return read_phrase(k, &choice->text, '\n');
	if ((s = read_phrase(k, &choice->text, '"')))
		return s;
	if (!tl_cursor_take(c, '"'))
		return tl_cursor_fail(c, c->pos, "expected a quotation mark behind the text");
	if (tl_cursor_at_end(c))
		return TL_OK;
	tl_cursor_word(c, &word);
	if (!tl_text_is(word.s, word.len, "when"))
		return tl_cursor_fail(c, word.pos, "expected when EXPRESSION, or the end of the line");
	return read_expression(k, &choice->when);
}

/* What stands to the end of the line. */
static enum tl_status read_text(struct reader *k, const char **text)
{
	struct tl_cursor *c = k->c;

	tl_cursor_skip(c);
	size_t from = c->pos;
	while (tl_cursor_peek(c, 0) != -1 && tl_cursor_peek(c, 0) != '\n')
		c->pos++;
	*text = tl_arena_dup(&k->table->arena, c->text + from, c->pos - from);
	return **text ? TL_OK : tl_cursor_fail(c, c->pos, "expected a text");
}

static enum tl_status read_rule_line(struct reader *k)
{
	struct tl_rule *r = k->rule;
	struct tl_word word;
	size_t i;

	tl_cursor_word(k->c, &word);
	if ((i = index_of(tl_rule_parts, &word)) < TL_RULE_PARTS)
		return r->parts[i] ? given_twice(k->c, &word) : read_expression(k, &r->parts[i]);
	if ((i = index_of(phrase_words, &word)) < TL_RULE_PHRASES)
		return r->phrases[i].n ? given_twice(k->c, &word) : read_phrase(k, &r->phrases[i], '\n');
	if ((i = index_of(choice_words, &word)) < TL_RULE_CHOICES)
		return read_choice(k, &r->choices[i]);
	if ((i = index_of(text_words, &word)) < TL_RULE_TEXTS)
		return r->texts[i] ? given_twice(k->c, &word) : read_text(k, &r->texts[i]);
	return tl_cursor_fail(k->c, word.pos, "expected sheet, where, by, need, unasked, stake, effect, confidence, effort, "
	                      "title, do, next or source, found \"%.*s\"", (int)(word.len > 40 ? 40 : word.len), word.s);
}

static enum tl_status check_word(const struct tl_rule *r, enum tl_rule_text which, const char *const *words)
{
	const char *text = r->texts[which];
	struct tl_buf all = { 0 };

	if (text ? tl_is_one_of(words, text) : !r->tier || which == TL_RULE_EFFECT)
		return TL_OK;
	for (size_t i = 0; words[i]; i++)
		tl_buf_addf(&all, "%s%s", i ? words[i + 1] ? ", " : " or " : "", words[i]);
	enum tl_status s = tl_cursor_fail(&r->at, r->at.pos, "rule \"%s\": expected %s %s", r->id, text_words[which], all.data);
	tl_buf_release(&all);
	return s;
}

/* What a rule cannot do without. */
static enum tl_status check_rule(const struct tl_rule *r)
{
	static const char *const confidences[] = { "high", "medium", "low", NULL };
	static const char *const efforts[] = { "setting", "lines", "kernel", NULL };
	const struct tl_cursor *c = &r->at;

	for (size_t i = 0; i < TL_RULE_PHRASES; i++)
		if (!r->phrases[i].n)
			return tl_cursor_fail(c, c->pos, "rule \"%s\" has no %s line", r->id, phrase_words[i]);
	if (!r->choices[TL_RULE_DO].n)
		return tl_cursor_fail(c, c->pos, "rule \"%s\" has no do line", r->id);
	if (!r->texts[TL_RULE_SHEET] || !r->texts[TL_RULE_SOURCE])
		return tl_cursor_fail(c, c->pos, "rule \"%s\" has no %s line", r->id, text_words[r->texts[TL_RULE_SHEET] ? TL_RULE_SOURCE : TL_RULE_SHEET]);
	if (r->tier && !r->parts[TL_RULE_STAKE])
		return tl_cursor_fail(c, c->pos, "rule \"%s\" of tier %d has no stake line", r->id, r->tier);
	if (check_word(r, TL_RULE_CONFIDENCE, confidences) || check_word(r, TL_RULE_EFFECT, tl_rule_effects))
		return TL_ERR_DATA;
	return check_word(r, TL_RULE_EFFORT, efforts);
}

/* ---- lines of the table ---------------------------------------------------------------------- */

struct tl_rule *tl_rule_find(const struct tl_rule_table *t, const char *id, size_t len)
{
	for (size_t i = 0; i < t->n; i++)
		if (tl_text_is(id, len, t->rules[i]->id))
			return t->rules[i];
	return NULL;
}

static void release_rule(struct tl_rule *r)
{
	for (size_t i = 0; i < TL_RULE_PHRASES; i++)
		free(r->phrases[i].pieces);
	for (size_t i = 0; i < TL_RULE_CHOICES; i++)
		for (size_t k = 0; k < r->choices[i].n; k++)
			free(r->choices[i].items[k].text.pieces);
	tl_scope_release(&r->scope);
}

static struct tl_rule *rule_of(struct tl_rule_table *t, const struct tl_word *id)
{
	struct tl_rule *r = tl_rule_find(t, id->s, id->len);

	if (r) {
		release_rule(r);
	} else {
		r = tl_arena_alloc(&t->arena, sizeof *r);
		TL_PUSH(t->rules, t->n, t->cap, r);
	}
	*r = (struct tl_rule){ .id = tl_arena_dup(&t->arena, id->s, id->len),
	                       .scope = { .strings = &t->strings, .arena = &t->arena, .maps = &t->maps, .open = true } };
	return r;
}

/* rule ID TIER, and lines that begin with a blank; or rule ID off */
static enum tl_status read_rule(struct tl_rule_table *t, struct tl_cursor *c)
{
	struct tl_word id, tier;
	enum tl_status s;

	if ((s = tl_cursor_need_word(c, &id, "the id of a rule")) || (s = tl_cursor_need_word(c, &tier, "a tier from 0 to 4, or \"off\"")))
		return s;
	if (tl_text_is(tier.s, tier.len, "off")) {
		struct tl_rule *r = tl_rule_find(t, id.s, id.len);
		if (!r)
			return tl_cursor_fail(c, id.pos, "no rule \"%.*s\" before this line", (int)(id.len > 60 ? 60 : id.len), id.s);
		r->off = true;
		return tl_cursor_need_end(c);
	}
	if (tier.len != 1 || tier.s[0] < '0' || tier.s[0] >= '0' + TL_RULE_TIERS)
		return tl_cursor_fail(c, tier.pos, "expected a tier from 0 to %d, or \"off\"", TL_RULE_TIERS - 1);
	if ((s = tl_cursor_need_end(c)))
		return s;
	struct reader k = { t, rule_of(t, &id), c };
	k.rule->tier = tier.s[0] - '0';
	k.rule->at = *c;
	k.rule->at.pos = id.pos;
	k.rule->at.err = NULL;
	c->pos += c->pos < c->len;
	while (!s && c->pos < c->len && strchr(" \t\r\n#", c->text[c->pos])) {
		if (!tl_cursor_at_end(c))
			s = read_rule_line(&k);
		c->pos += !s && c->pos < c->len;
	}
	k.rule->at.err = c->err;
	if (s || (s = check_rule(k.rule)))
		return s;
	while (k.rule->texts[TL_RULE_EFFECT] && strcmp(k.rule->texts[TL_RULE_EFFECT], tl_rule_effects[k.rule->effect]))
		k.rule->effect++;
	return TL_OK;
}

/* A parameter that no rule asks for is misspelt. */
static enum tl_status check_names(const struct tl_rule_table *t, const struct tl_cursor *c)
{
	for (size_t i = 0; i < t->n_params; i++) {
		bool used = t->params[i].text != c->text; /* that of an earlier table may be of a rule that is no more */
		for (size_t r = 0; !used && r < t->n; r++)
			for (uint32_t v = 0; v < t->rules[r]->scope.n_vars; v++)
				used = used || !strcmp(tl_str(&t->strings, t->rules[r]->scope.vars[v]), t->params[i].name);
		if (!used)
			return tl_cursor_fail(c, t->params[i].pos, "no rule has a parameter \"%s\"", t->params[i].name);
	}
	return TL_OK;
}

/* param NAME NUMBER, what it is */
static enum tl_status read_param(struct tl_rule_table *t, struct tl_cursor *c)
{
	struct tl_word name, number;
	enum tl_status s;
	double d;
	char *end;

	if ((s = tl_cursor_need_word(c, &name, "the name of a parameter")) || (s = tl_cursor_need_word(c, &number, "a number")))
		return s;
	d = tl_parse_double(tl_arena_dup(&t->arena, number.s, number.len), &end);
	if (*end)
		return tl_cursor_fail(c, number.pos, "expected a number");
	size_t i = 0;
	while (i < t->n_params && !tl_text_is(name.s, name.len, t->params[i].name))
		i++;
	TL_GROW(t->params, t->cap_params, i + 1);
	t->params[i] = (struct tl_rule_param){ tl_arena_dup(&t->arena, name.s, name.len), tl_v_real(d), c->text, name.pos };
	t->n_params += i == t->n_params;
	while (!tl_cursor_at_end(c))
		c->pos++;
	return TL_OK;
}

static enum tl_status read_line(struct tl_rule_table *t, struct tl_cursor *c)
{
	bool indented = strchr(" \t", c->text[c->pos]) != NULL;
	struct tl_word word;

	if (tl_cursor_at_end(c))
		return TL_OK;
	if (indented)
		return tl_cursor_fail(c, c->pos, "a line that begins with a blank belongs to a rule; none was begun");
	tl_cursor_word(c, &word);
	if (tl_text_is(word.s, word.len, "rule"))
		return read_rule(t, c);
	if (tl_text_is(word.s, word.len, "param"))
		return read_param(t, c);
	if (tl_text_is(word.s, word.len, "map")) {
		/* map NAME KEY TEXT */
		struct tl_word map, key, value;
		enum tl_status s;
		if ((s = tl_cursor_need_word(c, &map, "the name of a map")) || (s = tl_cursor_need_word(c, &key, "a key")) ||
		    (s = tl_cursor_need_word(c, &value, "a text")))
			return s;
		tl_lookup_set(&t->maps, tl_intern(&t->strings, map.s, map.len), tl_intern(&t->strings, key.s, key.len),
		              tl_v_text(tl_arena_dup(&t->arena, value.s, value.len), value.len));
		return tl_cursor_need_end(c);
	}
	return tl_cursor_fail(c, word.pos, "expected rule, param or map, found \"%.*s\"", (int)(word.len > 40 ? 40 : word.len), word.s);
}

enum tl_status tl_rule_table_read(struct tl_rule_table *t, const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_cursor c = { file, text, len, 0, err };
	enum tl_status s = TL_OK;

	t->maps.strings = &t->strings;
	while (!s && c.pos < c.len) {
		s = read_line(t, &c);
		if (!s && tl_cursor_peek(&c, 0) == '\n')
			c.pos++;
	}
	return s ? s : check_names(t, &c);
}

enum tl_status tl_rule_table_builtin(struct tl_rule_table *t, struct tl_error *err)
{
	return tl_rule_table_read(t, "finding-rules", tl_data_finding_rules, tl_data_finding_rules_len, err);
}

enum tl_status tl_rule_table_job(struct tl_rule_table *t, struct tl_error *err)
{
	return tl_rule_table_read(t, "job-rules", tl_data_job_rules, tl_data_job_rules_len, err);
}

void tl_rule_table_release(struct tl_rule_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		release_rule(t->rules[i]);
	free(t->rules);
	free(t->params);
	tl_lookup_release(&t->maps);
	tl_strtab_release(&t->strings);
	tl_arena_release(&t->arena);
}
