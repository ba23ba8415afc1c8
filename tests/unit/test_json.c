/* test_json.c - JSON scanners, the checker, times, and the PyTorch reader
 * whatever the pieces its input comes in.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/scan.h"
#include "readers/pytorch.h"
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
	memset(buf + n, 0, 64);
	return n;
}

/* Lists and objects one after the other, not all of them whole. */
static size_t random_run(char *buf, size_t max)
{
	size_t n = 0;

	while (n + 70 < max) {
		static const char *const start[] = { ", {\"a\":", ",{\"a\":", ", [\"a\"", ",{\"a\\\"" };
		const char *s = start[n == 0 || rnd(20) ? 0 : rnd(4)];

		memcpy(buf + n, s, strlen(s));
		n += strlen(s);
		n += random_text(buf + n, 60);
		buf[n++] = '}';
	}
	memset(buf + n, 0, 64);
	return n;
}

static bool runs_agree(const struct tl_json_ops *ops, const char *p, const char *end)
{
	static const char next[64] = ", {\"a\":";
	size_t slow_n = 0, fast_n = 0;
	const char *slow = tl_json_portable.nested_run(p, end, next, strlen(next), &slow_n);
	const char *fast = ops->nested_run(p, end, next, strlen(next), &fast_n);

	return slow == fast && slow_n == fast_n;
}

/* The first of them, and as often as `next` stands after one, the one after. */
static bool run_is_its_values(const struct tl_json_ops *ops, const char *p, const char *end)
{
	static const char next[64] = ", {\"a\":";
	size_t n = 0, count = 0;
	const char *last = NULL, *run = ops->nested_run(p, end, next, strlen(next), &count), *q;

	while ((q = ops->nested_stop(p, end))) {
		last = q;
		n++;
		if (memcmp(q, next, strlen(next)))
			break;
		p = q + 2;
	}
	return run == last && count == n;
}

static void runs(const struct tl_json_ops *ops)
{
	char *buf = calloc(1, 2048 + TL_JSON_PAD);
	bool alike = true, values = true;

	for (int i = 0; i < 20000; i++) {
		size_t n = random_run(buf, 1500);

		alike = alike && runs_agree(ops, buf + 2, buf + n);
		values = values && run_is_its_values(ops, buf + 2, buf + n);
	}
	check(alike, "runs are followed alike by all scanners", "a difference");
	check(values, "a run ends where its last value does", "a difference");
	free(buf);
}

static void comparisons_agree(const struct tl_json_ops *ops)
{
	char a[256] = "", b[256] = "";
	bool same = true;

	for (size_t n = 1; n < 200; n++)
		for (size_t at = 0; at < 220; at++) {
			b[at] ^= 1;
			same = same && ops->same(a, b, n) == (at >= n);
			b[at] ^= 1;
		}
	check(same, "texts are compared alike by all scanners", "a difference");
}

static void scanners_agree(const struct tl_json_ops *fast)
{
	char *buf = calloc(1, 1024 + TL_JSON_PAD);
	const struct tl_json_ops *slow = &tl_json_portable;
	bool stop = true, blanks = true, nested = true;

	for (int i = 0; i < 20000; i++) {
		size_t n = random_text(buf, 400), at = n ? rnd((uint32_t)n) : 0;

		stop = stop && fast->string_stop(buf + at) == slow->string_stop(buf + at);
		blanks = blanks && fast->blanks(buf + at) == slow->blanks(buf + at);
		buf[at] = rnd(2) ? '[' : '{';
		nested = nested && fast->nested_stop(buf + at, buf + n) == slow->nested_stop(buf + at, buf + n);
	}
	check(stop, "string ends are found alike by all scanners", "a difference");
	check(blanks, "blanks are skipped alike by all scanners", "a difference");
	check(nested, "brackets are matched alike by all scanners", "a difference");
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
	struct tl_json_scan s = { .end = buf + len + 1 };
	struct tl_buf out = { 0 };
	const char *q;

	buf[len] = ',';
	q = tl_json_value(&s, buf, &out);
	if (problems)
		*problems = s.problems;
	res = q && q == buf + len ? tl_strndup(out.len ? out.data : "", out.len) : NULL;
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
	struct tl_json_scan s = { .end = buf + n };
	struct tl_buf out = { 0 };
	const char *q = tl_json_string(&s, buf, &out);

	check(q == buf + n && out.len == len && !memcmp(out.data ? out.data : "", expected, len) && s.problems == problems,
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
	bool got = tl_time_parse(text, text + strlen(text), &ns);
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
	time_is("4611686018427387.904", true, TIME_MAX);
	time_is("-4611686018427387.904", true, -TIME_MAX);
	time_is("4611686018427387.905", false, 0);
	time_is("99999999999999999999", false, 0);
}

/* ---- the reader ------------------------------------------------------------------------ */

struct memory {
	struct tl_input in;
	const char *data;
	size_t len, pos, step;
};

static int64_t memory_read(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct memory *m = (struct memory *)in;
	size_t n = m->len - m->pos;

	(void)err;
	n = n > cap ? cap : n;
	n = n > m->step ? m->step : n;
	memcpy(buf, m->data + m->pos, n);
	m->pos += n;
	return (int64_t)n;
}

struct capture {
	struct tl_output out;
	struct tl_buf text;
};

static enum tl_status capture_write(struct tl_output *out, const void *p, size_t len, struct tl_error *err)
{
	(void)err;
	tl_buf_add(&((struct capture *)out)->text, p, len);
	return TL_OK;
}

/* The stream of a trace, read in pieces of `step` bytes; with binary off, its
 * text form. The result's text ends with the error, if there was one. */
static struct tl_buf read_text(const char *json, size_t len, size_t step, struct tl_read_options o, bool binary)
{
	struct memory m = { { "test", memory_read }, json, len, 0, step };
	struct capture c = { { "test", capture_write }, { 0 } };
	struct tl_sink *s = binary ? tl_writer_new(&c.out, NULL) : tl_text_writer_new(&c.out);
	struct tl_read_report report;
	struct tl_error err;

	if (tl_read(&m.in, &o, s, &report, &err))
		tl_buf_addf(&c.text, "error at %lld: %s\n", (long long)err.offset, err.text);
	for (size_t i = 0; i < report.n_drops; i++)
		tl_buf_addf(&c.text, "note %llu %s\n", (unsigned long long)report.drops[i].count, report.drops[i].what);
	(binary ? tl_writer_free : tl_text_writer_free)(s);
	return c.text;
}

static const char sample[] =
	"\xef\xbb\xbf { \"schema\": [1, {\"a\" : \"b\\u00e9\"}],\n \"traceEvents\": [\n"
	" {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 12, \"tid\": 34, \"ts\": 100.25, \"dur\": 12.125,\n"
	"  \"args\": {\"External id\": 7, \"Input Dims\": [[2, 3], [\n3, 4]], \"f\": 0.5, \"s\": \"a\\tb\", \"big\": 123456789012345678901, \"n\": -9223372036854775808}},\n"
	" {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 12, \"tid\": 35, \"ts\": 101, \"dur\": 3,\n"
	"  \"args\": {\"External id\": 77777777, \"Input Dims\": [[2, 3], [\n3, 4]], \"f\": 1, \"s\": null, \"big\": 1, \"n\": 0}},\n"
	" {\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 1e2, \"pid\": \"Spans\", \"tid\": 0, \"args\": {\"name\": \"py\xff\"}},\n"
	" {\"ph\": \"s\", \"id\": 7, \"pid\": 12, \"tid\": 34, \"ts\": 100.25, \"cat\": \"ac2g\", \"name\": \"ac2g\"}, {\"ph\":\"C\"},\n"
	" {\"ph\": \"X\", \"cat\": \"kernel\", \"na\\u006de\": \"k\", \"args\": {\"a\": 1, \"a\": 2, \"b\": \"\\ud800\"}, \"name\": \"k2\", \"args\": {\"b\": 3}}\n"
	"], \"after\": NaN }\n";

static void pieces(void)
{
	const size_t len = sizeof sample - 1;
	struct tl_read_options o = { .threads = 1 };
	struct tl_buf whole = read_text(sample, len, len, o, true);
	bool same = true;

	for (size_t step = 1; step < len; step += step < 40 ? 1 : 37) {
		struct tl_buf b = read_text(sample, len, step, o, true);

		same = same && b.len == whole.len && !memcmp(b.data, whole.data, b.len);
		tl_buf_release(&b);
	}
	check(same, "the stream does not depend on how the input arrives", "a difference");
	tl_buf_release(&whole);
}

/* Events with a name of their own each, and one long enough that the window
 * must grow. */
static void large(void)
{
	struct tl_buf b = { 0 };
	struct tl_read_options o = { .threads = 1 };
	struct tl_buf text;
	const char *p;
	int n = 0;

	tl_buf_adds(&b, "[");
	for (int i = 0; i < 30000; i++)
		tl_buf_addf(&b, "%s{\"ph\":\"X\",\"cat\":\"c%d\",\"name\":\"name %d of many\",\"ts\":%d,\"dur\":1,\"args\":{\"k%d\":[%d, \"]\"]}}",
		            i ? "," : "", i % 300, i, i, i % 500, i);
	tl_buf_adds(&b, ",{\"ph\":\"X\",\"name\":\"");
	for (int i = 0; i < 3000000; i++)
		tl_buf_addc(&b, 'x');
	tl_buf_adds(&b, "\"}]");
	text = read_text(b.data, b.len, b.len, o, false);
	for (p = text.data; (p = memchr(p, '\n', (size_t)(text.data + text.len - p))); p++)
		n += !strncmp(p, "\nevent\t", 7);
	check(n == 30001 && text.len > 3000000, "many shapes and a long name", "another number of events");
	tl_buf_release(&b);
	tl_buf_release(&text);
}

/* Many members, some of them twice: each name once, with its last value. */
static void repeated(void)
{
	struct tl_read_options o = { .threads = 1 };
	struct tl_buf b = { 0 }, text;
	bool good = true;
	char want[40];

	tl_buf_adds(&b, "[");
	for (int e = 0; e < 3; e++) {
		tl_buf_addf(&b, "%s{\"ph\":\"X\",\"args\":{\"first\":%d", e ? "," : "", e);
		for (int i = 0; i < 100; i++)
			tl_buf_addf(&b, ",\"k%d\":%d", e == 1 && i >= 50 ? i - 50 : i, e == 1 && i >= 50 ? 1000 + i : i);
		tl_buf_addf(&b, "},\"k7\":-1}");
	}
	tl_buf_adds(&b, "]");
	text = read_text(b.data, b.len, b.len, o, false);
	for (int i = 0; i < 50; i++) {
		snprintf(want, sizeof want, "\tk%d:i=%d\t", i, 1050 + i);
		good = good && strstr(text.data, want) != NULL;
		snprintf(want, sizeof want, "\tk%d:i=%d\t", i, i);
		good = good && strstr(text.data, want) != NULL;
	}
	check(good && strstr(text.data, "\tk99:i=99\tk7:I=-1\n"), "of many members of one name the last counts", text.data);
	tl_buf_release(&b);
	tl_buf_release(&text);
}

int main(void)
{
	for (int i = 0; tl_json_form(i); i++) {
		scanners_agree(tl_json_form(i));
		runs(tl_json_form(i));
		comparisons_agree(tl_json_form(i));
	}
	checker();
	strings();
	times();
	pieces();
	large();
	repeated();
	return failures != 0;
}
