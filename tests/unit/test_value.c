/* test_value.c - JSON values and their Python text.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/value.h"
#include "tl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool ok, const char *what, const char *got)
{
	printf("%s %s", ok ? "ok" : "FAIL", what);
	if (!ok)
		printf(", got %s", got ? got : "(nothing)");
	printf("\n");
	failures += !ok;
}

/* JSON text in, its Python text out (lists as tuples). */
static void prints(const char *json, const char *expected)
{
	struct tl_arena arena = { 0 };
	struct tl_buf b = { 0 };
	struct tl_value v;
	struct tl_error err;

	if (tl_value_parse(&arena, json, strlen(json), &v, &err))
		check(false, json, err.text);
	else {
		tl_value_repr(&b, &v, true);
		check(b.data && !strcmp(b.data, expected), expected, b.data);
	}
	tl_buf_release(&b);
	tl_arena_release(&arena);
}

static void refuses(const char *json)
{
	struct tl_arena arena = { 0 };
	struct tl_value v;
	struct tl_error err = { 0 };
	enum tl_status st = tl_value_parse(&arena, json, strlen(json), &v, &err);
	char what[128];

	snprintf(what, sizeof what, "refuses %.60s", json);
	check(st == TL_ERR_DATA && err.text[0] && err.offset >= 0, what, "no error");
	tl_arena_release(&arena);
}

/* Where a mistake is. */
static void refuses_at(const char *json, int64_t offset)
{
	struct tl_arena arena = { 0 };
	struct tl_value v;
	struct tl_error err = { 0 };
	char what[128], got[32];

	tl_value_parse(&arena, json, strlen(json), &v, &err);
	snprintf(what, sizeof what, "the place in %.60s", json);
	snprintf(got, sizeof got, "%lld", (long long)err.offset);
	check(err.offset == offset, what, got);
	tl_arena_release(&arena);
}

static void file_says(const char *json, const char *expected)
{
	struct tl_arena arena = { 0 };
	struct tl_value v;
	struct tl_error err = { 0 };
	enum tl_status st = tl_value_parse_file(&arena, "f", json, strlen(json), &v, &err);

	check((st == TL_OK) == !*expected && !strcmp(err.text, expected) && err.offset == (*expected ? -1 : 0), *expected ? expected : "keys given once",
	      err.text);
	tl_arena_release(&arena);
}

static void places(void)
{
	refuses_at("[1, 2", 5);
	refuses_at("[1, \"a]", 7);
	refuses_at("[1, \"\\q\"]", 6);
	refuses_at("[1, 2}", 5);
	refuses_at("[1,   02]", 7);
	refuses_at("[1, ]", 4);
	refuses_at("{\"a\":  }", 7);
	refuses_at("{\"a\": 1, b: 2}", 9);
	refuses_at("", 0);
	file_says("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}}", "");
	file_says("{\"a\": 1,\n  \"b\" 2}", "f:2:7: malformed JSON value: expected ':'");
	file_says("[{\"a\": 1,\n\n \"\\u0061\": 2}]", "f:3:2: malformed JSON value: key given twice: \"a\"");
	file_says("\n", "f:2:1: malformed JSON value: it ends too early");
}

static void text(const char *s, size_t len, const char *expected)
{
	struct tl_buf b = { 0 };
	tl_repr_text(&b, s, len);
	check(b.data && !strcmp(b.data, expected), expected, b.data);
	tl_buf_release(&b);
}

static void str_is(const char *json, bool tuples, const char *expected)
{
	struct tl_arena arena = { 0 };
	struct tl_buf b = { 0 };
	struct tl_value v;
	tl_value_parse(&arena, json, strlen(json), &v, NULL);
	tl_value_str(&b, &v, tuples);
	check(b.data && !strcmp(b.data, expected), expected, b.data);
	tl_buf_release(&b);
	tl_arena_release(&arena);
}

static void pyint(const char *s, bool ok, int64_t expected)
{
	__int128 x = 0;
	bool got = tl_parse_pyint(s, strlen(s), &x);
	char what[80];
	snprintf(what, sizeof what, "int('%s')", s);
	check(got == ok && (!ok || x == expected), what, got ? "a number" : "none");
}

static void nesting(void)
{
	char deep[200];
	memset(deep, '[', 64);
	memset(deep + 64, ']', 64);
	deep[128] = 0;
	struct tl_arena arena = { 0 };
	struct tl_value v;
	check(!tl_value_parse(&arena, deep, 128, &v, NULL), "64 levels", "an error");
	tl_arena_release(&arena);
	memset(deep, '[', 65);
	memset(deep + 65, ']', 65);
	deep[130] = 0;
	refuses(deep);
}

static void long_list(void)
{
	struct tl_arena arena = { 0 };
	struct tl_buf b = { 0 };
	struct tl_value v = { 0 };
	for (int i = 0; i < 10000; i++)
		tl_buf_addf(&b, "%c%d", i ? ',' : '[', i);
	tl_buf_addc(&b, ']');
	enum tl_status st = tl_value_parse(&arena, b.data, b.len, &v, NULL);
	check(!st && v.type == TL_V_LIST && v.len == 10000 && v.items[9999].i == 9999, "a list of 10000", "less");
	tl_buf_clear(&b);
	for (int i = 0; i < 1000; i++)
		tl_buf_addf(&b, "%c\"k%d\":%d", i ? ',' : '{', i % 500, i);
	tl_buf_addc(&b, '}');
	st = tl_value_parse(&arena, b.data, b.len, &v, NULL);
	check(!st && v.type == TL_V_DICT && v.len == 1000 && v.items[1].i == 500, "500 keys, each twice", "others");
	tl_buf_release(&b);
	tl_arena_release(&arena);
}

int main(void)
{
	prints("null", "None"), prints(" true ", "True"), prints("false", "False");
	prints("[[4,8],[]]", "((4, 8), ())"), prints("[1]", "(1,)"), prints("[]", "()");
	prints("[\"float\",\"Scalar\",\"\"]", "('float', 'Scalar', '')");
	prints("{\"k\": 1.50, \"l\": [null]}", "{'k': 1.5, 'l': (None,)}"), prints("{}", "{}");
	prints("{\"a\":1,\"b\":2,\"a\":3}", "{'a': 3, 'b': 2}");
	prints("[-0, 0, -7, 1e3, 1E-5, -0.0]", "(0, 0, -7, 1000.0, 1e-05, -0.0)");
	prints("18446744073709551616", "18446744073709551616");
	prints("-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728");
	prints("170141183460469231731687303715884105728", "170141183460469231731687303715884105728");
	prints("[NaN, Infinity, -Infinity]", "(nan, inf, -inf)");
	prints("\"\\u00e9\\ud83d\\ude00\\n\\\"\\/\"", "'\xc3\xa9\xf0\x9f\x98\x80\\n\"/'");
	prints("\"\\ud83d x \\ude00\"", "'\xef\xbf\xbd x \xef\xbf\xbd'");
	prints("\"a\\u0000b\"", "'a\\x00b'");
	str_is("\"plain 'text'\"", true, "plain 'text'"), str_is("[1, [2]]", false, "[1, [2]]"), str_is("[\"a\"]", true, "('a',)");

	refuses(""), refuses(" "), refuses("abc"), refuses("[1,]"), refuses("[1 2]"), refuses("[,1]"), refuses("[1"), refuses("]");
	refuses("{\"a\" 1}"), refuses("{\"a\":}"), refuses("{1:2}"), refuses("{\"a\":1,}"), refuses("{\"a\":1 \"b\":2}"), refuses("{\"a\"}");
	refuses("01"), refuses("1."), refuses(".5"), refuses("1e"), refuses("+1"), refuses("- 1"), refuses("0x10"), refuses("1 2"), refuses("[1]]");
	refuses("\"\\x\""), refuses("\"\\u12\""), refuses("\"abc"), refuses("[}"), refuses("[[1]:2]"), refuses("nul"), refuses("{\"a\":[1}]");
	refuses(":"), refuses("{[1]:2}"), refuses("{\"a\":1:2}"), refuses("[\"a\":1]");
	nesting();
	places();
	long_list();

	text("it's", 4, "\"it's\""), text("a\"b", 3, "'a\"b'"), text("'\"", 2, "'\\'\"'"), text("", 0, "''");
	text("\\\t\r\n\x1b\x7f", 6, "'\\\\\\t\\r\\n\\x1b\\x7f'");
	text("\xc2\xa0\xc2\xad\xe2\x80\xa8\xef\xbb\xbf", 10, "'\\xa0\\xad\\u2028\\ufeff'");
	text("\xe3\x80\x80\xee\x80\x80\xf3\xa0\x80\x81", 10, "'\\u3000\\ue000\\U000e0001'");
	text("\xce\xb1\xe6\xbc\xa2\xf0\x9f\x98\x80", 9, "'\xce\xb1\xe6\xbc\xa2\xf0\x9f\x98\x80'");
	text("a\xff\xc3(\xed\xa0\x80\xf0\x9f\x98", 10, "'a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd'");

	pyint("12", true, 12), pyint(" -7 ", true, -7), pyint("+1_000", true, 1000), pyint("007", true, 7);
	pyint("", false, 0), pyint("-", false, 0), pyint("1__0", false, 0), pyint("_1", false, 0), pyint("1_", false, 0), pyint("1.0", false, 0);
	pyint("999999999999999999999999999999999999999", false, 0);
	return failures != 0;
}
