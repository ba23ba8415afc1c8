/* rule_values.c - values of the arguments that rules give to new operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "rewrite/rule_reader.h"

#include "json/value.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Types of operands: JSON value, whole number from 0, integer, integer that may be
 * left out, word, regular expression up to the end of the line. */
enum { JSON = 'j', NUMBER = 'n', INTEGER = 'i', OPTIONAL = 'o', WORD = 'w', REGEX = 'r' };

static const struct function {
	const char *name;
	uint8_t kind;
	const char *operands; /* their types */
	unsigned how;         /* flags of regcomp() */
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
	return tl_rule_fail(r, word, "expected %s of at most 9 digits: '%.100s'",
	                    from_0 ? "a number from 0," : "an integer", word);
}

static enum tl_status check_json(struct rule_reader *r, const char *s)
{
	struct tl_arena scratch = { 0 };
	struct tl_value v;
	enum tl_status status = tl_value_parse(&scratch, s, strlen(s), &v, NULL);
	tl_arena_release(&scratch);
	return status == TL_OK ? TL_OK : tl_rule_fail(r, s, "expected a JSON value: '%.100s'", s);
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
			return tl_rule_fail(r, word, "%s has too few operands", f->name);
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
			status = tl_rule_pattern(r, word, f->how, &x->pattern);
			break;
		default:
			status = read_integer(r, word, *type == NUMBER, number++);
		}
	}
	at += strspn(at, " ");
	return status == TL_OK && *at ? tl_rule_fail(r, at, "%s has too many operands", f->name) : status;
}

static enum tl_status read_function(struct rule_reader *r, const struct function *f, char *text, struct extra *x)
{
	x->kind = f->kind;
	x->number[1] = f->kind == VALUE_SET_INT ? LONG_MIN : 0;
	enum tl_status status = read_operands(r, f, text + strlen(f->name), x);
	if (status != TL_OK)
		return status;
	if (f->kind == VALUE_CAPTURE && !tl_pattern_has_group(x->pattern, x->number[0]))
		return tl_rule_fail(r, text, "the regular expression has no group %ld", x->number[0]);
	if (f->kind == VALUE_SET_INT && x->number[0] < x->number[1])
		return tl_rule_fail(r, text, "the default %ld is less than the least value", x->number[0]);
	return TL_OK;
}

enum tl_status tl_rule_value(struct rule_reader *r, char *text, struct extra *x)
{
	if (*text != '@') {
		x->kind = VALUE_LITERAL;
		x->text[0] = text;
		return check_json(r, text);
	}
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		size_t n = strlen(functions[i].name);
		if (strcspn(text, " ") == n && !strncmp(text, functions[i].name, n))
			return read_function(r, &functions[i], text, x);
	}
	return tl_rule_fail(r, text, "unknown function: '%.100s'", text);
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
