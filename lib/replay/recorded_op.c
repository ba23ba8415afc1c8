/* recorded_op.c - an operator with the arguments that a trace recorded.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/recorded_op.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum tl_status read_list(struct tl_arena *arena, const char *what, const char *text, struct tl_value *list, struct tl_error *err)
{
	*list = (struct tl_value){ .type = TL_V_NULL };
	if (!text || !*text)
		return TL_OK;
	if (tl_python_parse(arena, text, strlen(text), list, NULL) || (list->type != TL_V_LIST && list->type != TL_V_NULL))
		return tl_fail(err, TL_ERR_DATA, "%s is no list: %.60s", what, text);
	return TL_OK;
}

enum tl_status tl_recorded_op_read(struct tl_recorded_op *op, struct tl_arena *arena, const char *name, const char *dims, const char *types,
                                   const char *strides, const char *values, struct tl_error *err)
{
	*op = (struct tl_recorded_op){ .name = name };
	if (read_list(arena, "Input Dims", dims, &op->dims, err) || read_list(arena, "Input type", types, &op->types, err) ||
	    read_list(arena, "Input Strides", strides, &op->strides, err) || read_list(arena, "Concrete Inputs", values, &op->values, err))
		return TL_ERR_DATA;
	if (op->dims.type == TL_V_NULL || op->types.type == TL_V_NULL)
		return tl_fail(err, TL_ERR_DATA, "shapes and types of its arguments are not recorded");
	op->n = op->types.len;
	return TL_OK;
}

static const char *text_at(const struct tl_value *list, size_t i)
{
	return list->type == TL_V_LIST && i < list->len && list->items[i].type == TL_V_TEXT ? list->items[i].text : "";
}

const char *tl_recorded_type(const struct tl_recorded_op *op, size_t i)
{
	return text_at(&op->types, i);
}

const char *tl_recorded_value(const struct tl_recorded_op *op, size_t i)
{
	return text_at(&op->values, i);
}

/* The numbers of the i-th list. False: there is no such list, or it holds something else. */
static bool numbers_at(const struct tl_value *lists, size_t i, int64_t *numbers, size_t *n)
{
	if (lists->type != TL_V_LIST || i >= lists->len || lists->items[i].type != TL_V_LIST || lists->items[i].len > TL_MAX_DIMS)
		return false;
	const struct tl_value *list = &lists->items[i];
	for (*n = 0; *n < list->len; ++*n) {
		const struct tl_value *v = &list->items[*n];
		if (v->type != TL_V_INT || v->i < 0 || v->i > INT64_MAX / 4)
			return false;
		numbers[*n] = (int64_t)v->i;
	}
	return true;
}

bool tl_recorded_shape(const struct tl_recorded_op *op, size_t i, struct tl_shape *shape)
{
	size_t n;

	if (!numbers_at(&op->dims, i, shape->dims, &shape->n))
		return false;
	if (numbers_at(&op->strides, i, shape->strides, &n) && n == shape->n)
		return true;
	int64_t stride = 1;
	for (size_t k = shape->n; k-- > 0;) {
		shape->strides[k] = stride;
		if (__builtin_mul_overflow(stride, shape->dims[k] ? shape->dims[k] : 1, &stride))
			return false;
	}
	return true;
}

bool tl_number_list(const char *text, int64_t *numbers, size_t cap, size_t *n)
{
	char *end;

	*n = 0;
	if (*text++ != '[')
		return false;
	for (text += strspn(text, " "); *text != ']'; text += strspn(text, " ")) {
		errno = 0;
		long long number = strtoll(text, &end, 10);
		if (end == text || errno || *n == cap)
			return false;
		numbers[(*n)++] = number;
		text = end + strspn(end, " ");
		if (*text == ',')
			text++;
		else if (*text != ']')
			return false;
	}
	return !text[1];
}

/* ---- lists as Python writes them -------------------------------------------------------- */

/* What follows a backslash; returns how many characters were read. */
static size_t add_escape(struct tl_buf *json, const char *s, size_t len)
{
	if (len >= 3 && s[0] == 'x') {
		tl_buf_addf(json, "\\u00%.2s", s + 1);
		return 3;
	}
	if (len >= 5 && s[0] == 'u') {
		tl_buf_addf(json, "\\u%.4s", s + 1);
		return 5;
	}
	if (len && strchr("nrt\\", s[0]))
		tl_buf_addf(json, "\\%c", s[0]);
	else if (len && s[0] == '"')
		tl_buf_adds(json, "\\\"");
	else if (len)
		tl_buf_addc(json, s[0]);
	return len ? 1 : 0;
}

/* A text; s stands at its first quote. Returns how many characters were read. */
static size_t add_text(struct tl_buf *json, const char *s, size_t len)
{
	size_t i = 1;

	tl_buf_addc(json, '"');
	while (i < len && s[i] != s[0]) {
		if (s[i] == '\\') {
			i++;
			i += add_escape(json, s + i, len - i);
		} else if (s[i] == '"') {
			tl_buf_adds(json, "\\\"");
			i++;
		} else {
			tl_buf_addc(json, s[i++]);
		}
	}
	if (i < len)
		tl_buf_addc(json, '"'); /* else the parser finds that the text does not end */
	return i < len ? i + 1 : i;
}

/* None, True and False; 0: it is none of them. */
static size_t add_word(struct tl_buf *json, const char *s, size_t len)
{
	static const char *const words[][2] = { { "None", "null" }, { "True", "true" }, { "False", "false" } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i][0]);
		if (len >= n && !memcmp(s, words[i][0], n)) {
			tl_buf_adds(json, words[i][1]);
			return n;
		}
	}
	return 0;
}

/* A tuple of one has a comma before its end, which JSON has not. */
static void drop_comma(struct tl_buf *json)
{
	while (json->len && tl_is_blank(json->data[json->len - 1]))
		json->len--;
	if (json->len && json->data[json->len - 1] == ',')
		json->len--;
}

enum tl_status tl_python_parse(struct tl_arena *arena, const char *text, size_t len, struct tl_value *out, struct tl_error *err)
{
	struct tl_buf json = { 0 };
	size_t i = 0;

	while (i < len) {
		size_t n = text[i] == '\'' || text[i] == '"' ? add_text(&json, text + i, len - i) : add_word(&json, text + i, len - i);
		if (!n) {
			if (text[i] == ')' || text[i] == ']')
				drop_comma(&json);
			tl_buf_addc(&json, text[i] == '(' ? '[' : text[i] == ')' ? ']' : text[i]);
			n = 1;
		}
		i += n;
	}
	enum tl_status status = tl_value_parse(arena, tl_buf_text(&json), json.len, out, err);
	tl_buf_release(&json);
	return status;
}
