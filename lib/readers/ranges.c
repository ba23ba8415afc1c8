/* ranges.c - what the text of a range says.
 *
 *   text   = NAME [", seq = " INT] [", op_id = " INT] [", sizes = " LISTS] [", input_op_ids = " PAIRS]
 *   LISTS  = "[" [LIST {", " LIST}] "]"    LIST = "[" [INT {", " INT}] "]"    PAIRS = "[" [PAIR {", " PAIR}] "]"    PAIR = "(" INT "," INT ")"
 *
 * as torch.autograd.profiler.emit_nvtx writes it; old versions write ", stashed seq=" for the sequence number of a backward node. NAME is
 * the shortest text before fields that reach to the end.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/pattern.h"
#include "base/rows.h"
#include "base/text.h"
#include "model/fields.h"

extern const char tl_data_range_classes[], tl_data_range_lists[];
extern const size_t tl_data_range_classes_len, tl_data_range_lists_len;

/* ---- the tables --------------------------------------------------------------------------- */

enum { DOMAIN, CLASS, PATTERN, NAME, FIELDS };
enum { LIST_PATTERN, LIST };
enum { BACKWARD_IF_FIELDS = TL_RANGE_BACKWARD + 1 };
static const char *const classes[] = { "annotation", "operator", "module", "step", "mark", "backward", "backward?", NULL };
enum list { NO_LIST, LEADING, ALL, REST };
static const char *const lists[] = { "-", "leading", "all", "rest", NULL };
enum { MOST_GROUPS = 9, KNOWN_MAX = 1 << 18 };

struct rule {
	const char *domain;  /* NULL: any */
	enum tl_range_class class;
	enum list list;
	struct tl_pattern pattern;
	const char *name;    /* NULL: the text */
	struct tl_field_text fields[MOST_GROUPS];
	size_t n;
};
struct rules { struct rule *items; size_t n, cap; };

struct tl_ranges {
	struct rules classes, lists;
	struct tl_arena arena;
	struct tl_strtab known;   /* domain, a zero byte and name -> number in rule_of */
	struct names { uint16_t class, list; } *rule_of; size_t cap; /* the rules' numbers, + 1; 0: none */
	struct tl_buf key, name, sizes, pairs;
};

const char *tl_range_class_name(enum tl_range_class class)
{
	return classes[class];
}

static void read_pattern(struct tl_rows *r, size_t field, struct rules *to, struct rule *rule, size_t *weight, struct tl_arena *arena)
{
	char why[200];

	if (r->status)
		return;
	if (!tl_pattern_compile(&rule->pattern, tl_rows_text(r, field, arena), 0, weight, why)) {
		tl_rows_fail(r, r->fields[field].s, "wrong expression: %s", why);
		return;
	}
	TL_PUSH(to->items, to->n, to->cap, *rule);
}

static enum tl_status read_classes(struct tl_ranges *to, struct tl_rows r)
{
	size_t weight = 0;

	r.columns = "domain, class, pattern, name, fields";
	while (tl_rows_next(&r)) {
		struct rule rule = { .domain = tl_rows_text(&r, DOMAIN, &to->arena), .name = tl_rows_text(&r, NAME, &to->arena) };
		const char *fields = tl_rows_text(&r, FIELDS, &to->arena);
		struct tl_field_text *cut = NULL;
		size_t cap = 0;
		rule.class = (enum tl_range_class)tl_rows_word(&r, CLASS, classes);
		rule.domain = strcmp(rule.domain, "*") != 0 ? rule.domain : NULL;
		rule.name = strcmp(rule.name, "-") != 0 ? rule.name : NULL;
		rule.n = strcmp(fields, "-") != 0 ? tl_cut_fields(fields, strlen(fields), ',', MOST_GROUPS, &cut, &cap) : 0;
		if (rule.n > MOST_GROUPS)
			tl_rows_fail(&r, r.fields[FIELDS].s, "expected up to %d names", MOST_GROUPS);
		else if (rule.n)
			memcpy(rule.fields, cut, rule.n * sizeof *cut);
		free(cut);
		read_pattern(&r, PATTERN, &to->classes, &rule, &weight, &to->arena);
	}
	return r.status;
}

static enum tl_status read_lists(struct tl_ranges *to, struct tl_rows r)
{
	size_t weight = 0;

	r.columns = "pattern, list";
	while (tl_rows_next(&r)) {
		struct rule rule = { .list = (enum list)tl_rows_word(&r, LIST, lists) };
		read_pattern(&r, LIST_PATTERN, &to->lists, &rule, &weight, &to->arena);
	}
	return r.status;
}

struct tl_ranges *tl_ranges_new(void)
{
	struct tl_ranges *r = tl_calloc(1, sizeof *r);
	struct tl_error err;

	tl_must(read_classes(r, (struct tl_rows){ .file = "range-classes", .text = tl_data_range_classes, .len = tl_data_range_classes_len, .err = &err }),
	        &err);
	tl_must(read_lists(r, (struct tl_rows){ .file = "range-lists", .text = tl_data_range_lists, .len = tl_data_range_lists_len, .err = &err }), &err);
	return r;
}

static void release_rules(struct rules *r)
{
	for (size_t i = 0; i < r->n; i++)
		tl_pattern_release(&r->items[i].pattern);
	free(r->items);
}

void tl_ranges_free(struct tl_ranges *r)
{
	if (!r)
		return;
	release_rules(&r->classes);
	release_rules(&r->lists);
	tl_arena_release(&r->arena);
	tl_strtab_release(&r->known);
	free(r->rule_of);
	tl_buf_release(&r->key);
	tl_buf_release(&r->name);
	tl_buf_release(&r->sizes);
	tl_buf_release(&r->pairs);
	free(r);
}

static enum tl_status check_table(enum tl_status (*read)(struct tl_ranges *, struct tl_rows), const char *file, const char *text, size_t len,
                                  struct tl_error *err)
{
	struct tl_ranges *r = tl_calloc(1, sizeof *r);
	enum tl_status st = read(r, (struct tl_rows){ .file = file, .text = text, .len = len, .err = err });

	tl_ranges_free(r);
	return st;
}

enum tl_status tl_range_classes_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	return check_table(read_classes, file, text, len, err);
}

enum tl_status tl_range_lists_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	return check_table(read_lists, file, text, len, err);
}

/* ---- which rules name it -------------------------------------------------------------------- */

static uint16_t first_rule(const struct rules *rules, const char *domain, size_t domain_len, const char *s, size_t len)
{
	bool named = false; /* a row above names the domain */

	for (size_t i = 0; i < rules->n; i++) {
		const struct rule *rule = &rules->items[i];
		bool of_domain = rule->domain && tl_text_is(domain, domain_len, rule->domain);
		named |= of_domain;
		if ((of_domain || (!rule->domain && !named)) && tl_pattern_matches(&rule->pattern, s, len))
			return (uint16_t)(i + 1);
	}
	return 0;
}

/* Each distinct name is asked about once. */
static struct names rules_of(struct tl_ranges *r, const char *domain, size_t domain_len, const char *s, size_t len)
{
	if (r->known.count >= KNOWN_MAX)
		tl_strtab_clear(&r->known);
	tl_buf_clear(&r->key);
	tl_buf_add(&r->key, domain, domain_len);
	tl_buf_addc(&r->key, '\0');
	tl_buf_add(&r->key, s, len);
	uint32_t before = r->known.count, id = tl_intern(&r->known, r->key.data, r->key.len);
	TL_GROW(r->rule_of, r->cap, (size_t)id + 1);
	if (id > before)
		r->rule_of[id] = (struct names){ first_rule(&r->classes, domain, domain_len, s, len), first_rule(&r->lists, "", 0, s, len) };
	return r->rule_of[id];
}

/* ---- fields of PyTorch's ----------------------------------------------------------------------- */

enum emitted { SEQ, OP_ID, SIZES, OP_IDS, N_EMITTED };
static const struct { const char *begin; enum emitted what; } emitted[] = { /* in their order */
	{ ", seq = ", SEQ }, { ", stashed seq=", SEQ }, { ", stashed seq = ", SEQ },
	{ ", op_id = ", OP_ID }, { ", sizes = ", SIZES }, { ", input_op_ids = ", OP_IDS },
};
enum { N_BEGINS = sizeof emitted / sizeof *emitted };
struct values { struct tl_field_text of[N_EMITTED]; bool cut, stashed; };

/* The end of a number as JSON has it; s: there is none. */
static const char *number_end(const char *s, const char *end)
{
	const char *first = s + (s < end && *s == '-'), *p = first;

	while (p < end && tl_is_digit(*p))
		p++;
	return p > first && (*first != '0' || p == first + 1) ? p : s;
}

/* The end of brackets around numbers; NULL: something else stands there; *cut: they have no end. */
static const char *brackets_end(const char *s, const char *end, bool *cut)
{
	int depth = 0;

	if (s < end && *s != '[')
		return NULL;
	for (; s < end; s++) {
		depth += *s == '[' ? 1 : *s == ']' ? -1 : 0;
		if (!depth)
			return s + 1;
		if (!tl_is_digit(*s) && !strchr("[](), -", *s))
			return NULL;
	}
	*cut = true;
	return end;
}

/* Is the text the beginning of that of a field? */
static bool begins_field(const char *s, const char *end)
{
	for (size_t i = 0; i < N_BEGINS; i++)
		if ((size_t)(end - s) <= strlen(emitted[i].begin) && !memcmp(s, emitted[i].begin, (size_t)(end - s)))
			return true;
	return false;
}

/* Are there fields up to the end, and nothing else? */
static bool take_fields(const char *s, const char *end, struct values *v)
{
	bool any = false;

	*v = (struct values){ 0 };
	for (size_t i = 0; s < end && i < N_BEGINS; i++) {
		size_t n = strlen(emitted[i].begin);
		if ((size_t)(end - s) <= n || memcmp(s, emitted[i].begin, n) != 0 || v->of[emitted[i].what].s)
			continue;
		bool number = emitted[i].what == SEQ || emitted[i].what == OP_ID;
		const char *value = s + n, *behind = number ? number_end(value, end) : brackets_end(value, end, &v->cut);
		if (!behind || behind == value)
			return false;
		if (!v->cut)
			v->of[emitted[i].what] = (struct tl_field_text){ value, (size_t)(behind - value) };
		v->stashed |= emitted[i].begin != emitted[0].begin && emitted[i].what == SEQ;
		any = true;
		s = behind;
	}
	if (s < end && any && begins_field(s, end)) {
		v->cut = true;
		s = end;
	}
	return any && s == end;
}

/* The length of the name before fields. */
static size_t name_length(const char *s, size_t len, struct values *v)
{
	for (const char *at = s; (at = memmem(at, len - (size_t)(at - s), ", ", 2)); at++)
		if (take_fields(at, s + len, v))
			return (size_t)(at - s);
	*v = (struct values){ 0 };
	return len;
}

/* ---- arguments ---------------------------------------------------------------------------------- */

static struct tl_range_field *add_field(struct tl_range *range, const char *key, size_t key_len)
{
	range->left_out |= range->n == TL_RANGE_FIELDS;
	if (range->left_out)
		return NULL;
	struct tl_range_field *f = &range->fields[range->n++];
	*f = (struct tl_range_field){ .key = key, .key_len = key_len };
	return f;
}

/* A number, if the text is one. */
static void add_text(struct tl_range *range, const char *key, size_t key_len, const char *s, size_t len)
{
	struct tl_range_field *f = add_field(range, key, key_len);

	if (!f)
		return;
	f->text = s;
	f->len = len;
	f->type = len && tl_is_digit(*s) && tl_parse_whole(s, len, &f->number) ? TL_FIELD_INT : TL_FIELD_STRING;
}

static void add_number(struct tl_range *range, const char *key, const struct tl_field_text *t, int64_t least)
{
	int64_t number;

	if (!t->s || !tl_field_int(t, &number) || number < least)
		return;
	struct tl_range_field *f = add_field(range, key, strlen(key));
	if (f) {
		f->type = TL_FIELD_INT;
		f->number = number;
	}
}

/* Lists of numbers as JSON without blanks; pairs in parentheses become lists, too. False: it is no such list. */
static bool numbers_to_json(struct tl_buf *to, const char *s, size_t len)
{
	enum { DEEPEST = 16 };
	const char *end = s + len;
	int depth = 0;
	bool value = false, comma = true; /* a value was last; one may come */

	while (s < end) {
		bool opens = *s == '[' || *s == '(', closes = *s == ']' || *s == ')';
		const char *behind = number_end(s, end);
		if (*s == ' ') {
			s++;
			continue;
		}
		if (!depth && to->len)
			return false;
		if (opens ? !comma : closes ? --depth < 0 || (!value && to->data[to->len - 1] == ',') : *s == ',' ? !value : behind == s || !comma)
			return false;
		depth += opens;
		if (depth > DEEPEST)
			return false;
		if (opens || closes || *s == ',')
			tl_buf_addc(to, opens ? '[' : closes ? ']' : ',');
		else
			tl_buf_add(to, s, (size_t)(behind - s));
		comma = opens || *s == ',';
		value = !comma;
		s = behind > s ? behind : s + 1;
	}
	return depth == 0 && value;
}

/* Puts brackets around those of the lists in a list that are one argument. json: numbers_to_json made it. */
static void join_lists(struct tl_buf *json, enum list list)
{
	size_t from = 1, to = 1, depth = 0;
	bool open = true;

	for (size_t i = 1; i + 1 < json->len; i++) {
		depth += json->data[i] == '[' ? 1 : 0;
		depth -= json->data[i] == ']' ? 1 : 0;
		if (depth || json->data[i] != ']')
			continue;
		bool empty = json->data[i - 1] == '[';
		if (list == REST && from == 1 && open) {
			open = false;
			from = i + 2; /* behind the comma */
			to = json->len - 1;
		}
		open &= !(list == LEADING && empty);
		if (open)
			to = i + 1;
	}
	if (from >= json->len || to <= from)
		return;
	struct tl_buf joined = { 0 };
	tl_buf_add(&joined, json->data, from);
	tl_buf_addc(&joined, '[');
	tl_buf_add(&joined, json->data + from, to - from);
	tl_buf_addc(&joined, ']');
	tl_buf_add(&joined, json->data + to, json->len - to);
	tl_buf_release(json);
	*json = joined;
}

/* The lists are in the buffer json, which holds one field: the first of a range. */
static void add_lists(struct tl_range *range, const char *key, size_t key_len, struct tl_buf *json, const char *s, size_t len, enum list list)
{
	for (size_t i = 0; i < range->n; i++)
		if (range->fields[i].type == TL_FIELD_JSON && range->fields[i].text == json->data)
			return;
	if (!s)
		return;
	tl_buf_clear(json);
	if (!numbers_to_json(json, s, len))
		return;
	if (list)
		join_lists(json, list);
	struct tl_range_field *f = add_field(range, key, key_len);
	if (!f)
		return;
	f->type = TL_FIELD_JSON;
	f->text = json->data;
	f->len = json->len;
}

static void add_pairs(struct tl_range *range, const char *s, size_t len)
{
	const char *end = s + len;

	while (s && s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s)), *stop = comma ? comma : end, *is = memchr(s, '=', (size_t)(stop - s));
		if (is && is > s)
			add_text(range, s, (size_t)(is - s), is + 1, (size_t)(stop - is - 1));
		s = comma ? comma + 1 : end;
	}
}

/* The arguments that groups of a pattern are. */
static void add_groups(struct tl_ranges *r, const struct rule *rule, struct tl_range *range, const char *s, size_t len)
{
	for (size_t i = 0; i < rule->n; i++) {
		const struct tl_field_text *key = &rule->fields[i];
		const char *group;
		size_t n;
		if (!key->len || !tl_pattern_group(&rule->pattern, s, len, (uint32_t)i + 1, &group, &n))
			continue;
		if (tl_text_is(key->s, key->len, "pairs"))
			add_pairs(range, group, n);
		else if (n && *group == '[')
			add_lists(range, key->s, key->len, &r->sizes, group, n, NO_LIST);
		else
			add_text(range, key->s, key->len, group, n);
	}
}

/* ---- the whole ------------------------------------------------------------------------------------ */

void tl_range_read(struct tl_ranges *r, const char *text, size_t len, const char *domain, size_t domain_len, struct tl_range *range)
{
	static const char ids[] = "input_op_ids";
	struct values v;
	size_t n = name_length(text, len, &v);
	struct names names = rules_of(r, domain ? domain : "", domain ? domain_len : 0, text, n);
	const struct rule *rule = names.class ? &r->classes.items[names.class - 1] : NULL;

	*range = (struct tl_range){ .name = text, .len = n, .cut = v.cut, .class = v.stashed ? TL_RANGE_BACKWARD : n < len ? TL_RANGE_OPERATOR : TL_RANGE_ANNOTATION };
	if (rule) {
		range->class = (int)rule->class != BACKWARD_IF_FIELDS ? rule->class : n < len ? TL_RANGE_BACKWARD : TL_RANGE_ANNOTATION;
		add_groups(r, rule, range, text, n);
	}
	if (rule && rule->name && tl_pattern_replace(&rule->pattern, rule->name, text, n, &r->name)) {
		range->name = r->name.data;
		range->len = r->name.len;
	}
	add_number(range, TL_KEY_SEQUENCE, &v.of[SEQ], 0);
	add_number(range, "op_id", &v.of[OP_ID], INT64_MIN);
	add_lists(range, TL_KEY_INPUT_DIMS, strlen(TL_KEY_INPUT_DIMS), &r->sizes, v.of[SIZES].s, v.of[SIZES].len,
	          names.list ? r->lists.items[names.list - 1].list : NO_LIST);
	add_lists(range, ids, sizeof ids - 1, &r->pairs, v.of[OP_IDS].s, v.of[OP_IDS].len, NO_LIST);
}
