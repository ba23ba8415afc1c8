/* test_readers.c - the PyTorch reader: whatever the pieces its input comes in, and
 * with templates as without.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
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

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* The stream of a trace, read in pieces of `step` bytes; with binary off, its
 * text form. The result's text ends with the error, if there was one. */
static struct tl_buf read_text(const char *json, size_t len, size_t step, struct tl_read_options o, bool binary)
{
	struct tl_memory_input m = tl_memory_input("test", json, len);
	struct tl_memory_output c = tl_memory_output("test");
	struct tl_sink *s = binary ? tl_writer_new(&c.out, NULL) : tl_text_writer_new(&c.out);
	struct tl_read_report report;
	struct tl_error err;

	m.step = step;
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
	struct tl_read_options o = { .lenient = false };
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
	struct tl_read_options o = { .lenient = false };
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
	struct tl_read_options o = { .lenient = false };
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

/* ---- tables that start anew ------------------------------------------------------------- */

/* Whether the events of that kind have the names "name 0 of many", "name 1 of many" …, and what
 * stands at their ends. `tail`: with one %d. */
static bool names_rise(const char *text, const char *kind, int n, const char *tail)
{
	char name[60], last[100];
	int i = 0;

	snprintf(name, sizeof name, "\t%s\t", kind);
	for (const char *p = text, *end; (end = strchr(p, '\n')); p = end + 1) {
		const char *column = p;
		if (strncmp(p, "event\t", 6) || strncmp(strchr(p + 6, '\t'), name, strlen(name)))
			continue;
		for (int k = 0; k < 9; k++)
			column = strchr(column, '\t') + 1;
		int len = snprintf(last, sizeof last, "name %d of many\t", i);
		if (strncmp(column, last, (size_t)len))
			return false;
		len = snprintf(last, sizeof last, tail, i++);
		if (end - p < len || strncmp(end - len, last, (size_t)len))
			return false;
	}
	return i == n;
}

/* More names than the tables hold: all of them arrive, in each format. Spans that are open meanwhile
 * keep theirs. */
static void many_names(void)
{
	enum { N = 20000 };
	struct tl_read_options o = { .lenient = false };
	struct tl_buf b = { 0 }, text;

	tl_buf_adds(&b, "[{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"outer\",\"pid\":1,\"tid\":2,\"ts\":0,\"args\":{\"t\":\"x\"}}");
	for (int i = 0; i < N; i++)
		tl_buf_addf(&b, ",{\"ph\":\"B\",\"name\":\"name %d of many\",\"pid\":1,\"tid\":2,\"ts\":1},{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":%d}", i, i + 1);
	tl_buf_adds(&b, ",{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":9}]");
	text = read_text(b.data, b.len, b.len, o, false);
	check(names_rise(text.data, "other", N, "\tt") && strstr(text.data, "\tkernel\t0\t9000\t1\t2\tkernel\tX\touter\tta\tt:s=x\n"),
	      "many names of begins and ends", "others");
	tl_buf_release(&text);

	tl_buf_clear(&b);
	tl_buf_adds(&b, "{\"traceEvents\":[{\"ph\":\"M\",\"cat\":\"__metadata\",\"ts\":0,\"name\":\"process_name\",\"pid\":7,\"tid\":0,\"args\":{\"name\":\"a\"}},"
	           "{\"ph\":\"b\",\"cat\":\"kernel_dispatch\",\"id\":4,\"name\":\"outer\",\"pid\":7,\"tid\":7,\"ts\":0,\"args\":{\"agent\":\"x\"}}");
	for (int i = 0; i < N; i++)
		tl_buf_addf(&b, ",{\"ph\":\"X\",\"cat\":\"hip_api\",\"name\":\"name %d of many\",\"pid\":7,\"tid\":%d,\"ts\":1,\"dur\":2,\"args\":{\"corr_id\":%d}}", i, i, i);
	tl_buf_adds(&b, ",{\"ph\":\"e\",\"cat\":\"kernel_dispatch\",\"id\":4,\"name\":\"outer\",\"pid\":7,\"tid\":7,\"ts\":9}]}");
	text = read_text(b.data, b.len, b.len, o, false);
	check(names_rise(text.data, "runtime", N, "\tcorrelation:i=%d") && strstr(text.data, "\tb\touter\tta\tid:I=4\tagent:s=x\tdevice:i=0\n"),
	      "many names in traceconv's JSON", "others");
	tl_buf_release(&text);

	tl_buf_clear(&b);
	tl_buf_adds(&b, "{\"traceEvents\":[{},{\"args\":{\"name\":\"GPU0\"},\"ph\":\"M\",\"pid\":6,\"name\":\"process_name\"}");
	for (int i = 0; i < N; i++)
		tl_buf_addf(&b, ",{\"ph\":\"X\",\"name\":\"name %d of many\",\"pid\":\"6\",\"ts\":\"1\",\"dur\":\"2\",\"args\":{\"a\":\"t%d\"}}", i, i);
	tl_buf_adds(&b, "]}");
	text = read_text(b.data, b.len, b.len, o, false);
	check(names_rise(text.data, "other", N, "\ta:s=t%d"), "many names in rocprof's JSON", "others");
	tl_buf_release(&text);

	tl_buf_clear(&b);
	tl_buf_adds(&b, "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":5},\"strings\":{},\"kernel_symbols\":[");
	for (int i = 0; i < N; i++)
		tl_buf_addf(&b, "%s{\"kernel_id\":%d,\"kernel_name\":\"name %d of many\"}", i ? "," : "", i, i);
	tl_buf_adds(&b, "],\"buffer_records\":{\"kernel_dispatch\":[");
	for (int i = 0; i < N; i++)
		tl_buf_addf(&b, "%s{\"start_timestamp\":1,\"end_timestamp\":2,\"dispatch_info\":{\"kernel_id\":%d,\"workgroup_size\":{\"x\":%d}}}", i ? "," : "", i, i);
	tl_buf_adds(&b, "]}}]}");
	text = read_text(b.data, b.len, b.len, o, false);
	check(names_rise(text.data, "kernel", N, "\tblock:j=[%d,1,1]"), "many names in rocprofv3's JSON", "others");
	tl_buf_release(&text);
	tl_buf_release(&b);
}

/* ---- templates --------------------------------------------------------------------- */

/* Whether a trace gives the same stream, errors and notes with templates and without. */
static bool same_without_templates(const char *json, size_t len, struct tl_read_options o)
{
	struct tl_buf with, without;
	bool same;

	o.plain = false;
	with = read_text(json, len, len, o, true);
	o.plain = true;
	without = read_text(json, len, len, o, true);
	same = with.len == without.len && !memcmp(with.data, without.data, with.len);
	if (!same)
		printf("# differs: %.*s\n", (int)len, json);
	tl_buf_release(&with);
	tl_buf_release(&without);
	return same;
}

/* Values of every form, among them those that a template must leave to the parser. */
static const char *any_value(void)
{
	static const char *const values[] = {
		"1", "0", "-7", "-0", "01", "123456789012345", "1234567890123456789", "99999999999999999999", "1.5", "1.250", "1.2504",
		"1623143089861790", "1712195495519689.0470001", "5.9999999999999996", "2305843009213693.951", "2305843009213693.9520", "4611686018427387904",
		"4611686018427387.904", "4611686018427387", "2305843009213692", "9223372036854775807", "-9223372036854775808", "\"C:\\\\a\\\\\"", "\"\\\"\"",
		"0.001", ".5", "1.", "1e3", "12e", "\"a\"", "\"a b\"", "\"\"", "\"caf\xc3\xa9\"", "\"\xff\"", "\"a\\n\"", "\"\\ud800\"",
		"\"a\tb\"", "[]", "[ 1, 2]", "[[1],\n \"]\"]", "{\"a\": 1}", "[1", "null", "true", "NaN", "-Infinity", "nul", "1 ", " 2", "12\"b\"", "null:1", "[1}",
	};

	return values[rnd(sizeof values / sizeof *values)];
}

/* An event written in one of a few ways. */
static void add_event(struct tl_buf *b, bool odd)
{
	static const char *const cats[] = { "cpu_op", "kernel", "python_function", "ac2g" };
	static const char *const blanks[] = { "", " ", "\n  " };
	const char *blank = blanks[rnd(10) ? 1 : rnd(3)];
	bool repeat = odd && !rnd(4), late = !rnd(6);
	const char *cat = cats[rnd(4)];

	tl_buf_addf(b, "{\"ph\": \"%s\",%s", rnd(8) ? "X" : rnd(2) ? "s" : "E", blank);
	if (!late)
		tl_buf_addf(b, "\"cat\": \"%s\", ", cat);
	if (odd && !rnd(4))
		tl_buf_addf(b, "\"%s\": %s, ", rnd(2) ? "name" : "id", any_value());
	tl_buf_addf(b, "\"name\":%s\"n%d\",%s\"pid\": %d, \"tid\": %s, ", blank, rnd(5), blank, rnd(2), odd && !rnd(4) ? any_value() : rnd(2) ? "7" : "\"s 7\"");
	tl_buf_addf(b, "\"ts\": %s, \"dur\": %s", odd && !rnd(4) ? any_value() : rnd(2) ? "1623143089861790" : "17.250", odd && !rnd(3) ? any_value() : rnd(3) ? "12.5" : "14");
	if (late)
		tl_buf_addf(b, ", \"cat\": \"%s\"", cat);
	if (repeat)
		tl_buf_addf(b, ", \"%s\": %s", rnd(2) ? "name" : "args", any_value());
	if (rnd(6)) {
		tl_buf_addf(b, ", \"args\": {\"id\": %s,%s\"dims\": %s", odd && !rnd(3) ? any_value() : "1234", blank,
		            odd && !rnd(3) ? any_value() : "[[2, 3], []]");
		tl_buf_addf(b, "%s}", repeat ? ", \"id\": 5" : "");
	}
	tl_buf_addf(b, "}%s", rnd(200) || !odd ? ", " : any_value());
}

static void templates(void)
{
	bool ordinary = true, odd = true, damaged = true;

	for (int i = 0; i < 4000; i++) {
		struct tl_read_options o = { .lenient = rnd(2), .drop_kinds = rnd(3) ? 0 : 1u << TL_KIND_PYTHON, .least_frame_us = rnd(2) ? 13 : 0 };
		struct tl_buf b = { 0 };
		bool is_odd = i & 1;

		tl_buf_adds(&b, "[");
		for (int n = 0; n < 20; n++)
			add_event(&b, is_odd && n > 10);
		tl_buf_adds(&b, "{\"ph\":\"X\"}]");
		if (is_odd)
			odd = odd && same_without_templates(b.data, b.len, o);
		else
			ordinary = ordinary && same_without_templates(b.data, b.len, o);
		b.data[rnd((uint32_t)b.len)] = "\"\\{}[],: 1x"[rnd(11)];
		damaged = damaged && same_without_templates(b.data, b.len, o);
		tl_buf_release(&b);
	}
	check(ordinary, "templates give what the plain parser gives", "a difference");
	check(odd, "templates leave unusual values to the plain parser", "a difference");
	check(damaged, "templates leave damage to the plain parser", "a difference");
}

/* A dispatch of rocprofv3; an odd one has values that only the plain parser reads, or another
 * order of members. */
static void add_dispatch(struct tl_buf *b, int n, bool odd)
{
	const char *time = odd && !rnd(3) ? any_value() : "63855948165371";

	tl_buf_addf(b, "%s{\"kind\": 11, \"thread_id\":%d,", n ? "," : "", rnd(1000));
	if (odd && rnd(2))
		tl_buf_addf(b, "\"%s\": %s, ", rnd(2) ? "kind" : "other", any_value());
	tl_buf_addf(b, "\"correlation_id\":{\"internal\":%d,\"external\":0}, \"start_timestamp\": %d, \"end_timestamp\": %s, ", n,
	            rnd(1000000), time);
	tl_buf_addf(b, "\"dispatch_info\":{\"agent_id\":{\"handle\":%d}, \"kernel_id\": %d, \"workgroup_size\": {\"x\": 64, \"y\": %d, \"z\": 1}}",
	            rnd(3), rnd(5), 1 + rnd(3));
	tl_buf_adds(b, odd && !rnd(3) ? ", \"stream_id\": {\"handle\": -1}}" : "}");
}

static void rocprofv3_templates(void)
{
	bool same = true, damaged = true;

	for (int i = 0; i < 2000; i++) {
		struct tl_read_options o = { .lenient = rnd(2) };
		struct tl_buf b = { 0 };

		tl_buf_adds(&b, "{\"rocprofiler-sdk-tool\":[{\"kernel_symbols\":[{\"kernel_id\":1,\"kernel_name\":\"k\"}],");
		tl_buf_adds(&b, "\"strings\":{},\"metadata\":{\"pid\":5},\"buffer_records\":{\"kernel_dispatch\":[");
		for (int n = 0; n < 20; n++)
			add_dispatch(&b, n, (i & 1) && n > 10);
		tl_buf_adds(&b, "]}}]}");
		same = same && same_without_templates(b.data, b.len, o);
		b.data[rnd((uint32_t)b.len)] = "\"\\{}[],: 1x"[rnd(11)];
		damaged = damaged && same_without_templates(b.data, b.len, o);
		tl_buf_release(&b);
	}
	check(same, "templates of rocprofv3's records give what the plain parser gives", "a difference");
	check(damaged, "templates of rocprofv3's records leave damage to the plain parser", "a difference");
}

int main(void)
{
	pieces();
	large();
	repeated();
	many_names();
	templates();
	rocprofv3_templates();
	return failures != 0;
}
