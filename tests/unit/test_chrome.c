/* test_chrome.c - traces written as Chrome trace JSON, compressed or not, and read again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
#include "check.h"
#include "tl.h"
#include "writers/chrome.h"
#include "writers/gzip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a trace and writes it as JSON or as the text of a stream. The caller releases it. */
static struct tl_buf convert(const char *from, size_t len, bool to_json, bool compressed)
{
	struct tl_memory_input in = tl_memory_input("memory", from, len);
	struct tl_memory_output memory = tl_memory_output("memory");
	struct tl_output *out = compressed ? tl_gzip_new(&memory.out) : &memory.out;
	struct tl_sink *to = to_json ? tl_chrome_writer_new(out) : tl_text_writer_new(out);
	struct tl_read_options options = { 0 };
	struct tl_read_report report = { 0 };
	struct tl_error err = { .text = "" };

	if (tl_read(&in.in, &options, to, &report, &err) || (compressed && tl_gzip_end(out, &err))) {
		printf("# %s\n", err.text);
		tl_buf_clear(&memory.text);
	}
	(to_json ? tl_chrome_writer_free : tl_text_writer_free)(to);
	return memory.text;
}

static const char trace[] =
	"{\"first\": {\"a\": [1, \"x\"]},\n\"traceEvents\": [\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm \\\"q\\\" \\u0001 \\u00e4\",\"pid\":1,\"tid\":2,\"ts\":10.25,\"dur\":3,"
	"\"args\":{\"Input Dims\":[[1,2],[]],\"n\":-5,\"f\":1.50,\"t\":\"a\\nb\",\"z\":null,\"b\":true}},\n"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"\",\"pid\":\"Spans\",\"tid\":\"a b\",\"ts\":-7.5,\"dur\":0.001,\"args\":{}},\n"
	"{\"ph\":\"i\",\"name\":\"mark\",\"ts\":4.0,\"s\":\"g\"},\n"
	"{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"pid\":1,\"tid\":2,\"ts\":9,\"id\":41,\"bp\":\"e\"},\n"
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"python\"}},\n"
	"{\"ph\":\"C\",\"name\":\"power\",\"pid\":1,\"ts\":5,\"args\":{\"watts\":12345678901234567890}}\n"
	"],\n\"last\": \"</script>\"}";

static bool contains(const struct tl_buf *b, const char *text)
{
	bool found = strstr(tl_buf_text(b), text) != NULL;

	if (!found)
		printf("# not found: %s\n# in: %s\n", text, tl_buf_text(b));
	return found;
}

static bool same(const struct tl_buf *a, const struct tl_buf *b)
{
	return a->len && a->len == b->len && !memcmp(a->data, b->data, a->len);
}

static void round_trip(void)
{
	struct tl_buf json = convert(trace, sizeof trace - 1, true, false), again = convert(json.data, json.len, true, false);
	struct tl_buf before = convert(trace, sizeof trace - 1, false, false), after = convert(json.data, json.len, false, false);

	check("members stay where they are", contains(&json, "{\"first\": {\"a\":[1,\"x\"]},\n\"traceEvents\": [\n{") &&
	      contains(&json, "\n],\n\"last\": \"</script>\"}\n"));
	check("an event has all that it had", contains(&json,
	      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm \\\"q\\\" \\u0001 \xc3\xa4\",\"pid\":1,\"tid\":2,\"ts\":10.25,\"dur\":3,"
	      "\"args\":{\"Input Dims\":[[1,2],[]],\"n\":-5,\"f\":1.50,\"t\":\"a\\u000ab\",\"z\":null,\"b\":true}},\n"));
	check("times are exact", contains(&json, "\"ts\":-7.5,\"dur\":0.001,\"args\":{}}") && contains(&json, "\"ts\":4.0,\"s\":\"g\"}"));
	check("what is written reads as what was read", same(&before, &after));
	check("and is written the same again", same(&json, &again));
	tl_buf_release(&json);
	tl_buf_release(&again);
	tl_buf_release(&before);
	tl_buf_release(&after);
}

static void compressed(void)
{
	struct tl_buf plain = convert(trace, sizeof trace - 1, true, false), gz = convert(trace, sizeof trace - 1, true, true);
	struct tl_buf back = convert(tl_buf_text(&gz), gz.len, true, false);

	check("gzip is read again", gz.len > 20 && !memcmp(gz.data, "\x1f\x8b", 2) && same(&plain, &back));
	check("gzip has no time in it", gz.len > 20 && !memcmp(gz.data + 4, "\0\0\0\0", 4));
	tl_buf_release(&plain);
	tl_buf_release(&gz);
	tl_buf_release(&back);
}

/* An event with a time, from a source with other ticks. */
static bool time_is(int64_t ticks_per_us, int64_t ts, uint8_t flags, const char *want)
{
	struct tl_memory_output memory = tl_memory_output("memory");
	struct tl_sink *to = tl_chrome_writer_new(&memory.out);
	struct tl_tables tables = { 0 };
	struct tl_header header = { .source = "test", .ticks_per_us = ticks_per_us };
	struct tl_layout layout = { .ph = 'i', .flags = TL_HAS_TS | flags };
	struct tl_event e = { .ts = ts };
	struct tl_error err;
	bool ok = !to->ops->begin(to, &header, &tables, &err);

	e.layout = tl_add_layout(&tables, &layout);
	ok = ok && !to->ops->event(to, &e, &err) && !to->ops->end(to, &err);
	ok = ok && contains(&memory.text, want);
	tl_chrome_writer_free(to);
	tl_tables_release(&tables);
	tl_buf_release(&memory.text);
	return ok;
}

static void times(void)
{
	check("picoseconds", time_is(1000000, 1234567, 0, "\"ts\":1.234567}") && time_is(1000000, 5000000, TL_INT_TS, "\"ts\":5}"));
	check("ticks that are no decimals", time_is(3, 4, 0, "\"ts\":1.333333333333}") && time_is(1, -4, 0, "\"ts\":-4.0}"));
	check("the ends of the range", time_is(1000, INT64_MIN, 0, "\"ts\":-9223372036854775.808}") &&
	      time_is(INT64_MAX, INT64_MAX - 1, 0, "\"ts\":0.999999999999}"));
}

static void empty(void)
{
	struct tl_buf json = convert("{\"traceEvents\": [], \"x\": 1}", 27, true, false);

	check("a trace without events", contains(&json, "\"x\": 1,\n\"traceEvents\": []}\n"));
	tl_buf_release(&json);
}

int main(void)
{
	round_trip();
	compressed();
	times();
	empty();
	return failures != 0;
}
