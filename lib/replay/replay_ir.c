/* replay_ir.c - a recorded operator as a portable record.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/replay_ir.h"

#include "base/quote.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_LIST = 64 };

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

static bool is_bool(const char *s)
{
	return !strcasecmp(s, "true") || !strcasecmp(s, "false");
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

/* Calls one(word) for each item of a list such as "[True, False]"; false: it is no list, or one() says so. */
static bool each_word(const char *s, bool (*one)(const char *))
{
	size_t n = strlen(s);

	if (n < 2 || s[0] != '[' || s[n - 1] != ']')
		return false;
	for (s++; *s && *s != ']';) {
		char word[8];
		s += strspn(s, ", ");
		size_t len = strcspn(s, ", ]");
		if (len >= sizeof word)
			return false;
		memcpy(word, s, len);
		word[len] = 0;
		if (len && !one(word))
			return false;
		s += len;
	}
	return true;
}

/* An argument that may be missing, and is. */
static bool is_absent(const char *type, const char *value)
{
	return !*type || (!strcmp(type, "ScalarList") && !strcmp(value, "[]"));
}

static bool fits(const struct tl_recorded_op *op, size_t i, const struct tl_schema_arg *arg, const struct tl_replay_tables *t)
{
	const char *type = tl_recorded_type(op, i), *value = tl_recorded_value(op, i);
	int64_t numbers[MAX_LIST];
	struct tl_shape shape;
	bool optional;
	size_t n;
	enum kind kind = kind_of(arg->type, &optional);

	if (optional && is_absent(type, value))
		return true;
	switch (kind) {
	case TENSOR: return tl_bench_type_of(t, type) && tl_recorded_shape(op, i, &shape);
	case BOOL: return is_bool(value);
	case INT: return !strcmp(type, "Scalar") && is_int(value);
	case REAL: return !strcmp(type, "Scalar") && is_real(value);
	case INTS: return !strcmp(type, "ScalarList") && tl_number_list(value, numbers, MAX_LIST, &n);
	case BOOLS: return !strcmp(type, "ScalarList") && each_word(value, is_bool);
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

/* ---- JSON ------------------------------------------------------------------------------- */

static void add_text(struct tl_buf *b, const char *s)
{
	tl_json_quote(b, s, strlen(s));
}

static void add_numbers(struct tl_buf *b, const int64_t *numbers, size_t n)
{
	tl_buf_addc(b, '[');
	for (size_t i = 0; i < n; i++)
		tl_buf_addf(b, "%s%" PRId64, i ? ", " : "", numbers[i]);
	tl_buf_addc(b, ']');
}

/* What fill_ and copy_ overwrite need not be filled before. */
static bool is_overwritten(const char *op, const char *arg)
{
	return !strcmp(op, "aten::fill_") || (!strcmp(op, "aten::copy_") && strcmp(arg, "src"));
}

static void add_tensor(struct tl_buf *b, const struct tl_recorded_op *op, size_t i, const struct tl_schema_arg *arg)
{
	struct tl_shape shape = { 0 };

	tl_recorded_shape(op, i, &shape);
	tl_buf_adds(b, "{\"shape\": ");
	add_numbers(b, shape.dims, shape.n);
	tl_buf_adds(b, ", \"dtype\": ");
	add_text(b, tl_recorded_type(op, i));
	tl_buf_adds(b, ", \"strides\": ");
	add_numbers(b, shape.strides, shape.n);
	tl_buf_addf(b, ", \"init\": %s}", is_overwritten(op->name, arg->name) ? "null" : "\"normal\"");
}

static void add_bools(struct tl_buf *b, const char *s)
{
	bool first = true;

	tl_buf_addc(b, '[');
	for (; *s; s++)
		if (*s == 't' || *s == 'T' || *s == 'f' || *s == 'F') {
			bool is_true = *s == 't' || *s == 'T';
			tl_buf_addf(b, "%s%s", first ? "" : ", ", is_true ? "true" : "false");
			first = false;
			s += is_true ? 3 : 4;
		}
	tl_buf_addc(b, ']');
}

static void add_int(struct tl_buf *b, const char *s)
{
	char digits[48];
	tl_int128 i = 0;

	tl_parse_pyint(s, strlen(s), &i);
	tl_buf_add(b, digits, tl_format_i128(digits, i));
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

/* PyTorch refuses alpha = 1.0 for tensors of integers, and a sum with 2.0 is no longer of integers. */
static void add_number(struct tl_buf *b, const struct tl_recorded_op *op, const char *type, const char *value)
{
	if (tl_starts_with(type, "Scalar") && is_int(value) && !has_reals(op))
		add_int(b, value);
	else
		tl_json_double(b, tl_parse_double(value, NULL));
}

static void add_value(struct tl_buf *b, const struct tl_recorded_op *op, size_t i, const struct tl_schema_arg *arg)
{
	const char *value = tl_recorded_value(op, i);
	int64_t numbers[MAX_LIST];
	bool optional;
	size_t n = 0;
	enum kind kind = kind_of(arg->type, &optional);

	if (optional && is_absent(tl_recorded_type(op, i), value)) {
		tl_buf_adds(b, *tl_recorded_type(op, i) ? "[]" : "null");
		return;
	}
	switch (kind) {
	case TENSOR: add_tensor(b, op, i, arg); break;
	case BOOL: tl_buf_adds(b, strcasecmp(value, "true") ? "false" : "true"); break;
	case INT: add_int(b, value); break;
	case REAL: add_number(b, op, arg->type, value); break;
	case INTS:
		tl_number_list(value, numbers, MAX_LIST, &n);
		add_numbers(b, numbers, n);
		break;
	default: add_bools(b, value); break;
	}
}

static void add_arg(struct tl_buf *b, const struct tl_recorded_op *op, size_t i, const struct tl_schema_arg *arg)
{
	if (b->data[b->len - 1] != '[')
		tl_buf_adds(b, ", ");
	tl_buf_adds(b, "{\"arg_name\": ");
	add_text(b, arg->name);
	tl_buf_adds(b, ", \"arg_type\": ");
	add_text(b, arg->type);
	tl_buf_adds(b, ", \"value\": ");
	add_value(b, op, i, arg);
	tl_buf_addc(b, '}');
}

static void add_args(struct tl_buf *b, const struct tl_recorded_op *op, const struct tl_op_schema *s, bool keyword)
{
	bool optional;

	for (size_t i = 0; i < s->n; i++)
		if (s->args[i].keyword == keyword && (kind_of(s->args[i].type, &optional) != OTHER || optional))
			add_arg(b, op, i, &s->args[i]);
}

enum tl_status tl_replay_ir_write(struct tl_buf *b, const struct tl_recorded_op *op, const struct tl_replay_tables *t, size_t count,
                                  struct tl_error *err)
{
	bool known, out;
	const struct tl_op_schema *s = find(op, t, &known, &out);

	if (!s)
		return tl_fail(err, TL_ERR_DATA, known ? "no declaration of %s fits its arguments" : "no declaration of %s is known", op->name);
	tl_buf_adds(b, "{\"op_name\": ");
	add_text(b, op->name);
	tl_buf_adds(b, ", \"replay_ir\": {\"list_pos_args\": [");
	add_args(b, op, s, false);
	tl_buf_adds(b, "], \"list_kwargs\": [");
	add_args(b, op, s, true);
	if (out)
		add_arg(b, op, s->n, &out_arg);
	tl_buf_adds(b, "]}");
	if (count)
		tl_buf_addf(b, ", \"count\": %zu", count);
	tl_buf_addc(b, '}');
	return TL_OK;
}

/* ---- a program in Python that runs recorded operators again ----------------------------- */

extern const char tl_data_torch_script[];
extern const size_t tl_data_torch_script_len;

/* As a comment in one line. */
static void add_title(struct tl_buf *b, const char *s)
{
	for (; *s; s++)
		tl_buf_addc(b, (unsigned char)*s < ' ' ? ' ' : *s);
}

static void add_types(struct tl_buf *b, const struct tl_replay_tables *t)
{
	for (size_t i = 0; i < t->n_types; i++)
		tl_buf_addf(b, "%s    \"%s\": \"%s\",", i ? "\n" : "", t->types[i].name, t->types[i].torch);
}

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
			add_title(b, title);
			s += strlen("@TITLE@");
		} else if (is_next(s, end, "@DTYPES@")) {
			add_types(b, t);
			s += strlen("@DTYPES@");
		} else if (is_next(s, end, "@OPS@")) {
			add_ops(b, ops);
			s += strlen("@OPS@");
		} else {
			tl_buf_addc(b, *s++);
		}
}
