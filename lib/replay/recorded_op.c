/* recorded_op.c - an operator with the arguments that a trace recorded, and what runs it again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/recorded_op.h"

#include "base/text.h"
#include "base/json_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
static size_t add_quoted(struct tl_buf *json, const char *s, size_t len)
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
		size_t n = text[i] == '\'' || text[i] == '"' ? add_quoted(&json, text + i, len - i) : add_word(&json, text + i, len - i);
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

bool tl_python_list(struct tl_arena *arena, const char *text, uint8_t type, struct tl_value *list)
{
	if (tl_python_parse(arena, text, strlen(text), list, NULL) || list->type != TL_V_LIST)
		return false;
	for (uint32_t i = 0; i < list->len; i++)
		if (list->items[i].type != type)
			return false;
	return true;
}

/* ---- what was recorded ------------------------------------------------------------------------ */

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
	*op = (struct tl_recorded_op){ .name = name, .arena = arena };
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

/* ---- which declaration fits ------------------------------------------------------------------- */

/* What an argument is, by the type in its declaration. */
enum kind { TENSOR, BOOL, INT, REAL, INTS, BOOLS, OTHER };

static enum kind kind_of(const char *type, bool *optional)
{
	size_t n = strlen(type);

	*optional = n && type[n - 1] == '?';
	n -= *optional;
	if (tl_text_is(type, n, "Tensor") || (tl_starts_with(type, "Tensor(") && type[n - 1] == ')'))
		return TENSOR;
	if (tl_text_is(type, n, "bool"))
		return BOOL;
	if (tl_text_is(type, n, "int") || tl_text_is(type, n, "SymInt") || tl_text_is(type, n, "ScalarType") ||
	    tl_text_is(type, n, "Layout") || tl_text_is(type, n, "MemoryFormat"))
		return INT; /* the latter have numbers, too */
	if (tl_text_is(type, n, "float") || tl_text_is(type, n, "Scalar"))
		return REAL;
	if (tl_starts_with(type, "int[") || tl_starts_with(type, "SymInt["))
		return INTS;
	return tl_starts_with(type, "bool[") ? BOOLS : OTHER;
}

static bool is_int(const char *s)
{
	tl_int128 i;

	return tl_parse_pyint(s, strlen(s), &i);
}

static bool is_real(const char *s)
{
	char *end;

	tl_parse_double(s, &end);
	return end > s && !*end;
}

/* An argument that may be missing, and is. */
static bool is_absent(const char *type, const char *value)
{
	return !*type || (!strcmp(type, "ScalarList") && !strcmp(value, "[]"));
}

static bool fits(const struct tl_recorded_op *op, size_t i, const struct tl_schema_arg *arg, const struct tl_replay_tables *t)
{
	const char *type = tl_recorded_type(op, i), *value = tl_recorded_value(op, i);
	struct tl_value list;
	struct tl_shape shape;
	bool optional;
	enum kind kind = kind_of(arg->type, &optional);

	if (optional && is_absent(type, value))
		return true;
	switch (kind) {
	case TENSOR: return tl_bench_type_of(t, type) && tl_recorded_shape(op, i, &shape);
	case BOOL: return !strcasecmp(value, "true") || !strcasecmp(value, "false");
	case INT: return !strcmp(type, "Scalar") && is_int(value);
	case REAL: return !strcmp(type, "Scalar") && is_real(value);
	case INTS: return !strcmp(type, "ScalarList") && tl_python_list(op->arena, value, TL_V_INT, &list);
	case BOOLS: return !strcmp(type, "ScalarList") && tl_python_list(op->arena, value, TL_V_BOOL, &list);
	default: return arg->keyword && arg->has_default && !*type; /* it is left out of the call */
	}
}

static bool all_fit(const struct tl_recorded_op *op, const struct tl_op_schema *s, const struct tl_replay_tables *t)
{
	size_t i = 0;

	while (i < s->n && fits(op, i, &s->args[i], t))
		i++;
	return i == s->n;
}

/* The form of an operator that writes its result to a tensor has that one behind the others. */
static const struct tl_schema_arg out_arg = { "Tensor(a!)", "out", true, false };

/* The declaration that fits; *out: in the form with a tensor for the result. NULL: none does. */
static const struct tl_op_schema *find(const struct tl_recorded_op *op, const struct tl_replay_tables *t, bool *known, bool *out)
{
	*known = false;
	for (int with_out = 0; with_out < 2; with_out++)
		for (size_t k = 0; k < t->n_schemas; k++) {
			const struct tl_op_schema *s = &t->schemas[k];
			if (strcmp(s->name, op->name))
				continue;
			*known = true;
			*out = with_out;
			if (s->n + with_out == op->n && all_fit(op, s, t) && (!with_out || fits(op, s->n, &out_arg, t)))
				return s;
		}
	return NULL;
}

/* ---- the record ------------------------------------------------------------------------------- */

static void put_numbers(struct tl_json *w, const char *key, const int64_t *numbers, size_t n)
{
	tl_json_open(w, key, '[');
	for (size_t i = 0; i < n; i++)
		tl_json_put_int(w, NULL, numbers[i]);
	tl_json_close(w, ']');
}

/* Does the tensor say where each of several groups of rows, or of sequences, ends? Its numbers, which are not recorded, decide how
 * much work the call is. *total receives what it parts, *zero whether it begins with 0. */
static bool parts_others(const struct tl_recorded_op *op, const char *arg, int64_t *total, bool *zero)
{
	size_t query = strstr(op->name, "backward") != NULL, key = !strcmp(arg, "cum_seq_k") || !strcmp(arg, "cu_seqlens_k");
	struct tl_shape a, b;

	*zero = strcmp(arg, "offs");
	if (*zero && !key && strcmp(arg, "cum_seq_q") && strcmp(arg, "cu_seqlens_q"))
		return false;
	if (*zero) { /* tokens, heads and elements; a batch of one may stand before them */
		if (!tl_recorded_shape(op, query + key, &a) || a.n < 3 || a.n > 4)
			return false;
		*total = a.dims[a.n - 3];
		return true;
	}
	if (!tl_recorded_shape(op, 0, &a) || !tl_recorded_shape(op, 1, &b) || a.n < 2 || b.n < 2 || a.n + b.n > 5)
		return false;
	*total = a.n == 3 ? b.dims[1] : a.dims[b.n == 2]; /* columns of the right, rows of the left, or what both sum over */
	return true;
}

static void put_init(struct tl_json *w, const struct tl_recorded_op *op, const struct tl_schema_arg *arg)
{
	int64_t total;
	bool zero;

	if (!parts_others(op, arg->name, &total, &zero)) {
		/* then it need not be filled before */
		bool overwritten = !strcmp(op->name, "aten::fill_") || (!strcmp(op->name, "aten::copy_") && strcmp(arg->name, "src"));
		tl_json_put(w, "init", overwritten ? "null" : "\"normal\"");
		return;
	}
	tl_json_open(w, "init", '{');
	tl_json_put_int(w, "parts_of", total);
	tl_json_put(w, "zero", zero ? "true" : "false");
	tl_json_close(w, '}');
}

static void put_tensor(struct tl_json *w, const struct tl_recorded_op *op, size_t i, const struct tl_schema_arg *arg)
{
	struct tl_shape shape = { 0 };

	tl_recorded_shape(op, i, &shape);
	tl_json_open(w, "value", '{');
	put_numbers(w, "shape", shape.dims, shape.n);
	tl_json_put_string(w, "dtype", tl_recorded_type(op, i));
	put_numbers(w, "strides", shape.strides, shape.n);
	put_init(w, op, arg);
	tl_json_close(w, '}');
}

static void put_int(struct tl_json *w, const char *key, tl_int128 i)
{
	char digits[48];

	digits[tl_format_i128(digits, i)] = 0;
	tl_json_put(w, key, digits);
}

/* Of integers, or of bools. */
static void put_list(struct tl_json *w, const struct tl_recorded_op *op, const char *value, uint8_t type)
{
	struct tl_value list = { 0 };

	tl_json_open(w, "value", '[');
	tl_python_list(op->arena, value, type, &list); /* it fits */
	for (uint32_t i = 0; i < list.len; i++)
		if (type == TL_V_INT)
			put_int(w, NULL, list.items[i].i);
		else
			tl_json_put(w, NULL, list.items[i].b ? "true" : "false");
	tl_json_close(w, ']');
}

/* Has the call a tensor of real or complex numbers? */
static bool has_reals(const struct tl_recorded_op *op)
{
	static const char *const names[] = { "float", "Float", "double", "Half" };

	for (size_t i = 0; i < op->n; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (strstr(tl_recorded_type(op, i), names[k]))
				return true;
	return false;
}

static void put_value(struct tl_json *w, const struct tl_recorded_op *op, size_t i, const struct tl_schema_arg *arg)
{
	const char *value = tl_recorded_value(op, i);
	tl_int128 number = 0;
	bool optional;
	enum kind kind = kind_of(arg->type, &optional);

	if (optional && is_absent(tl_recorded_type(op, i), value)) {
		tl_json_put(w, "value", *tl_recorded_type(op, i) ? "[]" : "null");
	} else if (kind == TENSOR) {
		put_tensor(w, op, i, arg);
	} else if (kind == BOOL) {
		tl_json_put(w, "value", strcasecmp(value, "true") ? "false" : "true");
	} else if (kind == REAL && (!tl_starts_with(arg->type, "Scalar") || !is_int(value) || has_reals(op))) {
		/* PyTorch refuses alpha = 1.0 for tensors of integers, and a sum with 2.0 is no longer of integers */
		tl_json_put_real(w, "value", tl_parse_double(value, NULL));
	} else if (kind == INT || kind == REAL) {
		tl_parse_pyint(value, strlen(value), &number);
		put_int(w, "value", number);
	} else {
		put_list(w, op, value, kind == INTS ? TL_V_INT : TL_V_BOOL);
	}
}

static void put_arg(struct tl_json *w, const struct tl_recorded_op *op, size_t i, const struct tl_schema_arg *arg)
{
	tl_json_open(w, NULL, '{');
	tl_json_put_string(w, "arg_name", arg->name);
	tl_json_put_string(w, "arg_type", arg->type);
	put_value(w, op, i, arg);
	tl_json_close(w, '}');
}

static void put_args(struct tl_json *w, const struct tl_recorded_op *op, const struct tl_op_schema *s, bool keyword)
{
	bool optional;

	for (size_t i = 0; i < s->n; i++)
		if (s->args[i].keyword == keyword && (kind_of(s->args[i].type, &optional) != OTHER || optional))
			put_arg(w, op, i, &s->args[i]);
}

enum tl_status tl_replay_ir_write(struct tl_buf *b, const struct tl_recorded_op *op, const struct tl_replay_tables *t, size_t count,
                                  struct tl_error *err)
{
	struct tl_json w = { .to = b, .in_line = true };
	bool known, out;
	const struct tl_op_schema *s = find(op, t, &known, &out);

	if (!s)
		return tl_fail(err, TL_ERR_DATA, known ? "no declaration of %s fits its arguments" : "no declaration of %s is known", op->name);
	tl_json_open(&w, NULL, '{');
	tl_json_put_string(&w, "op_name", op->name);
	tl_json_open(&w, "replay_ir", '{');
	tl_json_open(&w, "list_pos_args", '[');
	put_args(&w, op, s, false);
	tl_json_close(&w, ']');
	tl_json_open(&w, "list_kwargs", '[');
	put_args(&w, op, s, true);
	if (out)
		put_arg(&w, op, s->n, &out_arg);
	tl_json_close(&w, ']');
	tl_json_close(&w, '}');
	if (count)
		tl_json_put_int(&w, "count", (int64_t)count);
	tl_json_close(&w, '}');
	return TL_OK;
}

/* ---- a program in Python that runs recorded operators again ----------------------------- */

extern const char tl_data_torch_script[];
extern const size_t tl_data_torch_script_len;

/* JSON in a text that ends with three quotes; without the end of the last line. */
static void add_ops(struct tl_buf *b, const char *s)
{
	for (; *s && strcmp(s, "\n"); s++)
		if (*s == '\'')
			tl_buf_adds(b, "\\u0027");
		else
			tl_buf_addc(b, *s);
}

static bool is_next(const char *s, const char *end, const char *mark)
{
	size_t n = strlen(mark);

	return (size_t)(end - s) >= n && !memcmp(s, mark, n);
}

void tl_torch_script_write(struct tl_buf *b, const char *title, const char *ops, const struct tl_replay_tables *t)
{
	const char *s = tl_data_torch_script, *end = s + tl_data_torch_script_len;

	while (s < end)
		if (is_next(s, end, "@TITLE@")) {
			for (const char *c = title; *c; c++) /* as a comment in one line */
				tl_buf_addc(b, (unsigned char)*c < ' ' ? ' ' : *c);
			s += strlen("@TITLE@");
		} else if (is_next(s, end, "@DTYPES@")) {
			for (size_t i = 0; i < t->n_types; i++)
				tl_buf_addf(b, "%s    \"%s\": \"%s\",", i ? "\n" : "", t->types[i].name, t->types[i].torch);
			s += strlen("@DTYPES@");
		} else if (is_next(s, end, "@OPS@")) {
			add_ops(b, ops);
			s += strlen("@OPS@");
		} else if (is_next(s, end, "@ROTATE@")) {
			tl_buf_addf(b, "%" PRId64, t->rotate);
			s += strlen("@ROTATE@");
		} else {
			tl_buf_addc(b, *s++);
		}
}
