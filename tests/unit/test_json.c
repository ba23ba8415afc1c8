/* test_json.c - JSON in memory and in pieces: scanners, checker, numbers, documents.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
#include "base/decimal.h"
#include "base/document.h"
#include "base/scan.h"

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

/* ---- scanners ------------------------------------------------------------------- */

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Random text of the characters that matter, after it zeros. */
static size_t random_text(char *buf, size_t max)
{
	static const char some[] = "\"\\[]{}  \n\tab\x01\xc3\xa9:,0";
	size_t n = rnd((uint32_t)max);

	for (size_t i = 0; i < n; i++)
		buf[i] = rnd(3) ? 'x' : some[rnd(sizeof some - 1)];
	memset(buf + n, 0, TL_JSON_PAD);
	return n;
}

/* The plainest forms of the scanners. */
static const char *plain_string_stop(const char *p)
{
	while ((unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' && *p != '\\')
		p++;
	return p;
}

static const char *plain_nested_stop(const char *p, int depth, const char *end)
{
	bool in_string = false;

	for (; p < end; p++) {
		if (in_string && *p == '\\') {
			p++;
			continue;
		}
		if (*p == '"')
			in_string = !in_string;
		if (!in_string && *p && strchr("[{", *p))
			depth++;
		if (!in_string && *p && strchr("]}", *p) && --depth == 0)
			return p + 1;
	}
	return NULL;
}

static void scanners(void)
{
	char *buf = calloc(1, 1024 + TL_JSON_PAD);
	bool stop = true, nested = true, rest = true;

	for (int i = 0; i < 50000; i++) {
		size_t n = random_text(buf, 400), at = n ? rnd((uint32_t)n) : 0;

		stop = stop && tl_json_string_stop(buf + at) == plain_string_stop(buf + at);
		rest = rest && tl_json_nested_stop(buf + at, 1, buf + n) == plain_nested_stop(buf + at, 1, buf + n);
		buf[at] = rnd(2) ? '[' : '{';
		nested = nested && tl_json_nested_stop(buf + at, 0, buf + n) == plain_nested_stop(buf + at, 0, buf + n);
	}
	check(stop, "plain text in strings is passed over", "a difference");
	check(nested, "the bracket that closes a value is found", "a difference");
	check(rest, "the bracket that closes an open value is found", "a difference");
	free(buf);
}

/* ---- the checker ------------------------------------------------------------------ */

static char *padded(const char *s, size_t len)
{
	char *buf = calloc(1, len + TL_JSON_PAD);

	memcpy(buf, s, len);
	return buf;
}

/* A value's text without blanks, NULL when refused. The
 * value is followed by a comma, as in a list. */
static char *minified(const char *json, unsigned *problems)
{
	size_t len = strlen(json);
	char *buf = padded(json, len + 1), *res;
	struct tl_json_text s = { .end = buf + len + 1 };
	struct tl_buf out = { 0 };
	const char *q;

	buf[len] = ',';
	q = tl_json_value(&s, buf, &out);
	if (problems)
		*problems = s.problems;
	res = q && q == buf + len ? tl_strndup(tl_buf_text(&out), out.len) : NULL;
	tl_buf_release(&out);
	free(buf);
	return res;
}

static void gives(const char *json, const char *expected, unsigned problems)
{
	unsigned p;
	char *got = minified(json, &p);

	check(got && !strcmp(got, expected) && p == problems, expected, got);
	free(got);
}

static void refuses(const char *json)
{
	char *got = minified(json, NULL), what[100];

	snprintf(what, sizeof what, "refuses %.60s", json);
	check(!got, what, got);
	free(got);
}

static void string_is(const char *json, const char *expected, size_t len, unsigned problems)
{
	size_t n = strlen(json);
	char *buf = padded(json, n);
	struct tl_json_text s = { .end = buf + n };
	struct tl_buf out = { 0 };
	const char *q = tl_json_string(&s, buf, &out);

	check(q == buf + n && out.len == len && !memcmp(tl_buf_text(&out), expected, len) && s.problems == problems,
	      json, out.data);
	tl_buf_release(&out);
	free(buf);
}

static void strings(void)
{
	string_is("\"\"", "", 0, 0);
	string_is("\"\\u00e9\\n\\\"\\\\\\/\\b\\f\\r\\t\"", "\xc3\xa9\n\"\\/\b\f\r\t", 10, 0);
	string_is("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 4, 0);
	string_is("\"\\u0000\"", "\0", 1, 0);
	string_is("\"\\ud83d\"", "\xef\xbf\xbd", 3, TL_JSON_SURROGATE);
	string_is("\"\\ud83dx\"", "\xef\xbf\xbdx", 4, TL_JSON_SURROGATE);
	string_is("\"\\ud83d\\u0041\"", "\xef\xbf\xbd" "A", 4, TL_JSON_SURROGATE);
	string_is("\"\\ude00\"", "\xef\xbf\xbd", 3, TL_JSON_SURROGATE);
	string_is("\"a\tb\"", "a\tb", 3, TL_JSON_CONTROL);
	string_is("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, 0);
	string_is("\"\xff" "a\xc3\"", "\xef\xbf\xbd" "a\xef\xbf\xbd", 7, TL_JSON_UTF8);
	string_is("\"\xe2\x82x\"", "\xef\xbf\xbdx", 4, TL_JSON_UTF8);
	string_is("\"\xed\xa0\x80\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 9, TL_JSON_UTF8);
	string_is("\"\xc0\x80\"", "\xef\xbf\xbd\xef\xbf\xbd", 6, TL_JSON_UTF8);
}

static void checker(void)
{
	static const char *const wrong[] = {
		"", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "[1 2]", "01", "-", "1.", ".5", "1e", "1e+",
		"+1", "tru", "nul", "[}", "{]", "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"", "--1", "0x10", "Inf", "-NaN",
	};
	char deep[2 * 513 + 1];

	gives(" { \"a b\" : [ 1 , -0.5e+3 , true , false , null ] , \"\" : { } , \"c\":[ ]}",
	      "{\"a b\":[1,-0.5e+3,true,false,null],\"\":{},\"c\":[]}", 0);
	gives("[NaN, Infinity, -Infinity]", "[NaN,Infinity,-Infinity]", 0);
	gives("\"a  b\\u0041\\n\"", "\"a  b\\u0041\\n\"", 0);
	gives("[\"\x01\"]", "[\"\\u0001\"]", TL_JSON_CONTROL);
	gives("[\"\xff\"]", "[\"\xef\xbf\xbd\"]", TL_JSON_UTF8);
	gives("[\"\\ud800\"]", "[\"\\ufffd\"]", TL_JSON_SURROGATE);
	gives("123456789012345678901234567890", "123456789012345678901234567890", 0);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		refuses(wrong[i]);
	memset(deep, '[', 512);
	memset(deep + 512, ']', 512);
	deep[1024] = 0;
	gives(deep, deep, 0);
	memset(deep, '[', 513);
	memset(deep + 513, ']', 513);
	deep[1026] = 0;
	refuses(deep);
}

/* ---- times -------------------------------------------------------------------------- */

static void time_is(const char *text, bool ok, int64_t expected)
{
	int64_t ns = 0;
	bool got = tl_json_fixed(text, text + strlen(text), 3, &ns);
	char buf[40];

	snprintf(buf, sizeof buf, "%lld", (long long)ns);
	check(got == ok && (!ok || ns == expected), text, got ? buf : "out of range");
}

static void times(void)
{
	time_is("0", true, 0);
	time_is("-0.0", true, 0);
	time_is("1419116273120.658", true, 1419116273120658);
	time_is("1.5", true, 1500);
	time_is("-1.5", true, -1500);
	time_is("0.0004", true, 0);
	time_is("0.0005", true, 1);
	time_is("-0.0005", true, -1);
	time_is("0.00049999999999999999999", true, 0);
	time_is("2.9999", true, 3000);
	time_is("1e3", true, 1000000);
	time_is("1.25E-2", true, 13);
	time_is("1.24e-2", true, 12);
	time_is("12345678e-7", true, 1235);
	time_is("0e999999999999999999999", true, 0);
	time_is("1e-999999999999999999999", true, 0);
	time_is("0.000000000000000000000001e24", true, 1000);
	time_is("1e24", false, 0);
	time_is("1e99999999999999999999", false, 0);
	time_is("4611686018427387.904", true, TL_JSON_FIXED_MAX);
	time_is("-4611686018427387.904", true, -TL_JSON_FIXED_MAX);
	time_is("4611686018427387.905", false, 0);
	time_is("99999999999999999999", false, 0);
}

/* Either not of the usual form, or what the plain ways give. */
static bool usual_is_right(const char *text, int64_t unit)
{
	int64_t quick, plain;
	bool decimals;
	const char *q = tl_json_usual_number(text, (uint64_t)unit, &decimals, &quick);

	if (!q)
		return true;
	if (!(unit == 1 ? tl_json_int64(text, q, &plain) : tl_json_fixed(text, q, 3, &plain)))
		return false;
	return quick == plain && decimals == !!memchr(text, '.', (size_t)(q - text));
}

static void usual_numbers(void)
{
	bool right = true, decimals;
	char text[64];
	int64_t x;

	for (int i = 0; i < 20000; i++) {
		int n = snprintf(text, sizeof text, "%s%.*s", rnd(8) ? "" : "-", 1 + (int)rnd(21), rnd(2) ? "922337203685477580799" : "230584300921369395199");

		for (int k = 0; k < n; k++)
			if (!rnd(6) && tl_is_digit(text[k]))
				text[k] = (char)('0' + rnd(10));
		if (rnd(2))
			snprintf(text + n, sizeof text - (size_t)n, "%s%u%s", rnd(9) ? "." : "e", rnd(1000000), rnd(4) ? "" : ",");
		right = right && usual_is_right(text, 1) && usual_is_right(text, 1000);
	}
	check(right, "usual numbers have the values that the plain ways give", text);
	check(tl_json_usual_number("1712195495519689.0475,", 1000, &decimals, &x) && x == 1712195495519689048, "a usual number", NULL);
	check(!tl_json_usual_number("2305843009213693.952", 1000, &decimals, &x), "times whose sum may be too large are not usual", NULL);
}

/* ---- documents -------------------------------------------------------------------- */

/* Walks through any value; `out` gets what it is made of. */
static void walk(struct tl_json_doc *d, struct tl_buf *out)
{
	struct tl_buf text = { 0 };
	int c = tl_json_doc_peek(d);
	int64_t x;

	if (c == '{' && tl_json_doc_enter(d, '{')) {
		tl_buf_addc(out, '{');
		while (tl_json_doc_member(d)) {
			tl_buf_addf(out, "%.*s=", (int)d->name.len, d->name.s);
			if (tl_json_doc_name_is(d, "stop")) {
				tl_json_doc_skip_rest(d);
				break;
			}
			walk(d, out);
		}
		tl_buf_addc(out, '}');
	} else if (c == '[' && tl_json_doc_enter(d, '[')) {
		tl_buf_addc(out, '[');
		while (tl_json_doc_element(d))
			walk(d, out);
		tl_buf_addc(out, ']');
	} else if (c == '"' && tl_json_doc_string(d, &text)) {
		tl_buf_addf(out, "'%s'", tl_buf_text(&text));
	} else if (c >= '0' && c <= '9' && tl_json_doc_int(d, &x)) {
		tl_buf_addf(out, "%lld;", (long long)x);
	} else if (tl_json_doc_value(d, &text)) {
		tl_buf_addf(out, "%s;", text.data);
	}
	tl_buf_release(&text);
}

static void document_is(const char *json, const char *expected)
{
	bool good = true;

	for (size_t step = 1; good && step <= strlen(json) + 1; step++) {
		struct tl_memory_input in = tl_memory_input("test", json, strlen(json));
		struct tl_json_doc d;
		struct tl_buf out = { 0 };

		in.step = step;
		tl_json_doc_init(&d, &in.in);
		walk(&d, &out);
		tl_json_doc_end(&d);
		if (d.status) {
			tl_buf_clear(&out);
			tl_buf_addf(&out, "%lld: %s", (long long)d.error.offset, d.error.text);
		}
		good = !strcmp(out.data, expected);
		if (!good || step > strlen(json))
			check(good, json, out.data);
		tl_buf_release(&out);
		tl_json_doc_release(&d);
	}
}

static void documents(void)
{
	document_is("\xef\xbb\xbf {\"a\": [1, \"x\\u00e9\", {}, [ ]], \"b\" : -7 ,\"\":null}", "{a=[1;'x\xc3\xa9'{}[]]b=-7;=null;}");
	document_is("{\"a\": {\"stop\": [}}\"] , \"]\": 1}, \"b\": 2}", "18: expected ',' or '}', found '\"'");
	document_is("{\"a\": {\"stop\": [\"}]\", {}]}, \"b\": 2}", "{a={stop=}b=2;}");
	document_is("[1 2]", "3: expected ',' or ']', found '2'");
	document_is("[1,]", "3: expected a value, found ']'");
	document_is("{\"a\":1,}", "7: expected a member name in quotes, found '}'");
	document_is("[99999999999999999999]", "1: expected an integer of 64 bits");
	document_is("[1.5]", "1: expected an integer of 64 bits");
	document_is("[1", "2: the trace is cut short");
	document_is("[\"abc", "5: the trace is cut short");
	document_is("[] x", "3: expected nothing after the end of the trace, found 'x'");
	document_is("", "0: the trace is cut short: expected a value");
}

static bool any_object(const char *object)
{
	return object[1] == '"';
}

static int64_t refuse(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	(void)in, (void)buf, (void)cap;
	return tl_fail(err, TL_ERR_DATA, "damaged input"), -1;
}

/* A document of which some text is damaged, and some input. */
static void damage(void)
{
	static const char json[] = "[{\"a\":1},{\"a\" 2},{3},{\"a\":4}";
	struct tl_memory_input in = tl_memory_input("test", json, sizeof json - 1);
	struct tl_json_doc d;
	struct tl_buf out = { 0 };

	in.step = 5;
	tl_json_doc_init(&d, &in.in);
	d.lenient = true;
	tl_json_doc_enter(&d, '[');
	while (tl_json_doc_element(&d)) {
		walk(&d, &out);
		if (d.bad && !tl_json_doc_resync(&d, any_object))
			break;
		if (!in.len)
			in.in.read = refuse;
	}
	check(!strcmp(out.data, "{a=1;}{}{a=4;}"), "reading goes on with the next object behind damage", out.data);
	check(d.status && d.cut_short && d.bad_input, "a damaged input is the end of the text", d.error.text);
	tl_buf_release(&out);
	tl_json_doc_release(&d);
}

int main(void)
{
	scanners();
	checker();
	strings();
	times();
	usual_numbers();
	documents();
	damage();
	return failures != 0;
}
