/* test_stream.c - the stream and its text form: round trips, resets, damage.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/part.h"
#include "stream/wire.h"
#include "tl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(int ok, const char *what)
{
	if (!ok)
		failures++;
	printf("%s %s\n", ok ? "ok" : "FAIL", what);
}

/* ---- to and fro ------------------------------------------------------------------ */

typedef enum tl_status read_fn(struct tl_input *, const void *, size_t, struct tl_sink *, struct tl_error *);

static struct tl_buf convert(const struct tl_buf *from, read_fn *read, bool to_text, size_t step, struct tl_error *err)
{
	struct tl_memory_input in = tl_memory_input("memory", from->data, from->len);
	struct tl_memory_output out = tl_memory_output("memory");
	struct tl_sink *s = to_text ? tl_text_writer_new(&out.out) : tl_writer_new(&out.out, NULL);

	in.step = step;
	if (read(&in.in, NULL, 0, s, err) != TL_OK) {
		printf("# %s\n", err->text);
		tl_buf_release(&out.text);
	}
	(to_text ? tl_text_writer_free : tl_writer_free)(s);
	return out.text;
}

static bool same(const struct tl_buf *a, const struct tl_buf *b)
{
	return a->len == b->len && a->len && memcmp(a->data, b->data, a->len) == 0;
}

/* stream -> text -> stream, stream -> stream, text -> text */
static void check_round_trip(const struct tl_buf *stream, size_t step, const char *what)
{
	struct tl_error err;
	struct tl_buf text = convert(stream, tl_stream_read, true, step, &err);
	struct tl_buf back = convert(&text, tl_text_read, false, step, &err);
	struct tl_buf copy = convert(stream, tl_stream_read, false, step, &err);
	struct tl_buf text2 = convert(&text, tl_text_read, true, step, &err);
	char title[200];

	snprintf(title, sizeof title, "%s: the stream comes back from its text", what);
	check(same(stream, &back), title);
	snprintf(title, sizeof title, "%s: a copy is the same stream", what);
	check(same(stream, &copy), title);
	snprintf(title, sizeof title, "%s: text through its reader is the same text", what);
	check(same(&text, &text2), title);
	tl_buf_release(&text);
	tl_buf_release(&back);
	tl_buf_release(&copy);
	tl_buf_release(&text2);
}

/* ---- a source of odd traces --------------------------------------------------------- */

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* Each call makes the same string of n. */
static uint32_t odd_string(struct tl_tables *t, uint32_t n)
{
	static const char *const odd[] = { "", "\t", "\n\r\\", "\\e", "a=b:c", "\xff\xfe", "caf\xc3\xa9",
	                                   "\x01\x7f", "\"q\"", "-", "\\x41" };
	char text[64];

	if (n == 0)
		return 0;
	if (n <= 11)
		return tl_add_string(t, odd[n - 1], strlen(odd[n - 1]));
	if (n == 12)
		return tl_add_string(t, "nul\0inside", 10);
	return tl_add_string(t, text, (size_t)snprintf(text, sizeof text, "string number %u", n));
}

static int64_t odd_number(void)
{
	static const int64_t odd[] = { 0, 1, -1, 63, 64, -64, -65, 8191, 8192, INT64_MAX, INT64_MIN, INT64_MAX - 1 };
	uint32_t k = rnd(40);

	return k < 12 ? odd[k] : (int64_t)(((uint64_t)rnd(UINT32_MAX) << 32 | rnd(UINT32_MAX)) >> rnd(64));
}

struct shape { uint32_t n_events, n_strings, noise; bool mixed; };

static enum tl_status odd_event(struct tl_sink *s, struct tl_tables *t, const struct shape *h, uint64_t uid, struct tl_error *err)
{
	struct tl_field fields[40];
	int64_t values[40];
	struct tl_layout l = { .fields = fields, .n_fields = rnd(20) ? rnd(6) : rnd(40) };
	struct tl_event ev = { .uid = uid, .values = values };
	uint32_t pid, tid;

	l.cat = odd_string(t, rnd(20));
	l.kind = (uint8_t)rnd(TL_KIND_COUNT);
	l.ph = rnd(4) ? 'X' : (char)rnd(256);
	l.flags = (uint8_t)rnd(64);
	for (uint32_t i = 0; i < l.n_fields; i++) {
		fields[i] = (struct tl_field){ odd_string(t, 1 + rnd(30)), (uint8_t)(1 + rnd(3)), (uint8_t)rnd(2) };
		values[i] = fields[i].type == TL_FIELD_INT ? odd_number() : odd_string(t, rnd(h->n_strings));
	}
	ev.name = odd_string(t, rnd(h->n_strings));
	pid = odd_string(t, rnd(15));
	tid = odd_string(t, rnd(40));
	ev.track = tl_add_track(t, pid, tid);
	ev.layout = tl_add_layout(t, &l);
	ev.ts = odd_number();
	ev.dur = odd_number();
	return s->ops->event(s, &ev, err);
}

/* Definitions that nothing uses, so that they must not show. */
static void define_noise(struct tl_tables *t, uint32_t i)
{
	char text[40];
	uint32_t id = tl_add_string(t, text, (size_t)snprintf(text, sizeof text, "noise %u", i));
	struct tl_field f = { id, TL_FIELD_INT, 0 };
	struct tl_layout l = { .cat = id, .kind = TL_KIND_OTHER, .n_fields = 1, .fields = &f };

	tl_add_track(t, id, 0);
	tl_add_layout(t, &l);
}

static uint32_t resets; /* of the source that was read last */

static enum tl_status odd_trace(struct tl_sink *s, const struct shape *h, struct tl_error *err)
{
	static const char *const lines[] = { "first\twith tab", "second" };
	struct tl_header header = { .source = "pytorch", .ticks_per_us = 1000000, .linked = true,
	                            .provenance = lines, .n_provenance = 2 };
	struct tl_tables t = { 0 };
	enum tl_status st = s->ops->begin(s, &header, &t, err);
	uint64_t uid = 0;

	for (uint32_t i = 0; i < h->n_events && st == TL_OK; i++) {
		struct tl_link k = { (uint8_t)(1 + i % (TL_LINK_COUNT - 1)), uid, i % 3 ? uid / 2 : TL_NO_UID };

		for (uint32_t n = 0; n < h->noise; n++)
			define_noise(&t, i * h->noise + n);
		uid += 1 + (i % 7 == 0 ? i : 0);
		st = odd_event(s, &t, h, uid, err);
		if (st == TL_OK && h->mixed && i % 10 == 0)
			st = s->ops->link(s, &k, err);
		if (st == TL_OK && h->mixed && i % 50 == 0)
			st = s->ops->meta(s, "a\tkey", 5, "{\"a\":\"\\n\"}", 10, err);
		resets += tl_source_reset(&t, s);
	}
	for (uint32_t i = 0; i < 20000 && st == TL_OK && h->mixed; i++) {
		struct tl_link k = { 1, i, (i & 1) ? i + UINT64_C(5000000000) : 0 };
		st = s->ops->link(s, &k, err);
	}
	if (st == TL_OK)
		st = s->ops->end(s, err);
	tl_tables_release(&t);
	return st;
}

static struct tl_buf odd_stream(const struct shape *h)
{
	struct tl_memory_output out = tl_memory_output("memory");
	struct tl_sink *s = tl_writer_new(&out.out, "tool");
	struct tl_error err;

	seed = 42;
	resets = 0;
	check(odd_trace(s, h, &err) == TL_OK, "the trace is written");
	tl_writer_free(s);
	return out.text;
}

/* ---- tests ----------------------------------------------------------------------------- */

static void test_round_trips(void)
{
	struct shape small = { 2000, 100, 0, true }, noisy = small, many = { 120000, 200000, 0, false };
	struct tl_buf a = odd_stream(&small), b, c = odd_stream(&many);

	check(resets > 2, "the tables of a long trace start anew");
	check_round_trip(&a, 0, "odd records");
	check_round_trip(&a, 7, "odd records in pieces of 7 bytes");
	check_round_trip(&c, 0, "tables that start anew");
	noisy.noise = 200;
	b = odd_stream(&noisy);
	check(resets > 2, "unused definitions are forgotten");
	check(same(&a, &b), "definitions that nothing uses leave no trace");
	tl_buf_release(&a);
	tl_buf_release(&b);
	tl_buf_release(&c);
}

static struct tl_buf long_strings(void)
{
	struct tl_memory_output out = tl_memory_output("memory");
	struct tl_sink *s = tl_writer_new(&out.out, NULL);
	struct tl_header header = { .source = "x", .ticks_per_us = 1 };
	struct tl_tables t = { 0 };
	struct tl_error err;
	enum tl_status st = s->ops->begin(s, &header, &t, &err);

	for (uint32_t i = 0; i < 12 && st == TL_OK; i++) {
		size_t len = (size_t)32760 + i + (i == 5) * 5000000u;
		char *text = malloc(len);
		struct tl_layout l = { .kind = TL_KIND_CPU_OP };
		struct tl_event ev = { .uid = i };

		memset(text, 'a' + (int)i, len);
		ev.name = tl_add_string(&t, text, len);
		ev.layout = tl_add_layout(&t, &l);
		st = s->ops->event(s, &ev, &err);
		free(text);
	}
	check(st == TL_OK && s->ops->end(s, &err) == TL_OK, "long strings are written");
	tl_tables_release(&t);
	tl_writer_free(s);
	return out.text;
}

static void test_long_strings(void)
{
	struct tl_buf a = long_strings();

	check_round_trip(&a, 0, "long strings");
	check_round_trip(&a, 1000, "long strings in pieces");
	tl_buf_release(&a);
}

/* Every damaged stream and text must be refused. */
static void test_damage(void)
{
	struct shape tiny = { 12, 30, 0, true };
	struct tl_buf a = odd_stream(&tiny);
	size_t limit = a.len < 6000 ? a.len : 6000;
	int cuts = 0, flips = 0;
	struct tl_error err;

	for (size_t i = 0; i < a.len; i += i < limit ? 1 : 97) {
		struct tl_memory_input in = tl_memory_input("memory", a.data, i);
		cuts += tl_stream_read(&in.in, NULL, 0, tl_null_sink(), &err) != TL_ERR_DATA;
	}
	check(cuts == 0, "a stream cut anywhere is refused");
	for (size_t i = 0; i < limit; i++) {
		struct tl_memory_input in = tl_memory_input("memory", a.data, a.len);
		a.data[i] = (char)(a.data[i] ^ (1 << i % 8));
		flips += tl_stream_read(&in.in, NULL, 0, tl_null_sink(), &err) != TL_ERR_DATA;
		a.data[i] = (char)(a.data[i] ^ (1 << i % 8));
	}
	check(flips == 0, "a stream with a flipped bit is refused");
	tl_buf_addc(&a, 'x');
	struct tl_memory_input in = tl_memory_input("memory", a.data, a.len);
	check(tl_stream_read(&in.in, NULL, 0, tl_null_sink(), &err) == TL_ERR_DATA && strstr(err.text, "after the end record"),
	      "a stream with something after it is refused");
	tl_buf_release(&a);
}

static void test_cut_text(void)
{
	struct shape tiny = { 12, 30, 0, false };
	struct tl_buf a = odd_stream(&tiny), text;
	struct tl_error err;
	int cuts = 0;

	text = convert(&a, tl_stream_read, true, 0, &err);
	for (size_t i = 0; i < text.len; i++) {
		struct tl_memory_input in = tl_memory_input("memory", text.data, i);
		cuts += tl_text_read(&in.in, NULL, 0, tl_null_sink(), &err) != TL_ERR_DATA;
	}
	check(text.len && cuts == 0, "a text cut anywhere is refused");
	tl_buf_release(&a);
	tl_buf_release(&text);
}

static void test_versions(void)
{
	static const char later[] = TL_STREAM_MAGIC "\x03\0\x05\0", foreign[] = "{\"traceEvents\": []}";
	struct tl_error err;
	struct tl_memory_input in = tl_memory_input("memory", later, 12);

	check(tl_stream_read(&in.in, NULL, 0, tl_null_sink(), &err) == TL_ERR_DATA && strstr(err.text, "3.5") &&
	      strstr(err.text, "2.0"), "another version is named, and ours");
	in = tl_memory_input("memory", foreign, sizeof foreign - 1);
	check(tl_stream_read(&in.in, NULL, 0, tl_null_sink(), &err) == TL_ERR_DATA &&
	      strstr(err.text, "not an event stream"), "another magic is not a version");
	in = tl_memory_input("memory", later + 3, 9);
	check(tl_stream_read(&in.in, later, 3, tl_null_sink(), &err) == TL_ERR_DATA && strstr(err.text, "3.5"),
	      "bytes taken beforehand are part of the input");
}

static void test_dropped_kinds(void)
{
	struct shape small = { 500, 100, 0, false };
	struct tl_buf a = odd_stream(&small);
	struct tl_memory_input in = tl_memory_input("memory", a.data, a.len);
	struct tl_part part;
	struct tl_error err;

	tl_part_init(&part, tl_null_sink());
	part.drop_kinds = ~UINT32_C(4);
	check(tl_stream_read(&in.in, NULL, 0, &part.sink, &err) == TL_OK && part.n_events > 5 && part.n_events < 100,
	      "events of kinds that are kept arrive");
	in = tl_memory_input("memory", a.data, a.len);
	part.refuse_linked = true;
	check(tl_stream_read(&in.in, NULL, 0, &part.sink, &err) == TL_ERR_DATA, "a linked trace may be refused");
	tl_buf_release(&a);
}

/* The last byte of the first block of events becomes `byte`, and the checksum
 * is put right. */
static void spoil(struct tl_buf *b, uint8_t byte)
{
	uint8_t *p = (uint8_t *)b->data;
	bool done = false;

	for (size_t at = MAGIC_LEN + 4; at + FRAME_HEAD <= b->len; at += FRAME_HEAD + load_le32(p + at + 4)) {
		size_t end = at + FRAME_HEAD + load_le32(p + at + 4);
		if (p[at] == 'B' && !done) {
			p[end - 1] = byte;
			done = true;
		}
		if (p[at] == 'E')
			store_le32(p + end - 4, tl_crc32(0, p, end - 4));
	}
}

static void test_bad_value(void)
{
	static const char head[] = "tls\t2.0\nheader\tsource\t\nheader\tticks_per_us\t1000\nheader\tlinked\t0\nheader\tpython\t0\n";
	struct tl_buf text = { 0 };
	struct tl_error err;

	tl_buf_addf(&text, "%sevent\t0\tkernel\t5\t1\t7\t\"a\"\tc\tX\tk\ttda\tn:i=3\ttext:s=here\nend\n", head);
	struct tl_buf stream = convert(&text, tl_text_read, false, 0, &err);
	spoil(&stream, 0x7f);
	struct tl_memory_input in = tl_memory_input("memory", stream.data, stream.len);
	check(tl_stream_read(&in.in, NULL, 0, tl_null_sink(), &err) == TL_ERR_DATA, "a value that is no string of the tables is damage");
	tl_buf_release(&text);
	tl_buf_release(&stream);
}

/* A line after the smallest header; what the error must say. */
static void check_line(const char *line, const char *message)
{
	struct tl_buf b = { 0 };
	struct tl_memory_input in;
	struct tl_error err = { 0 };
	char title[200];
	enum tl_status st;

	tl_buf_adds(&b, "tls\t2.0\nheader\tticks_per_us\t1000\n");
	tl_buf_adds(&b, line);
	tl_buf_adds(&b, "\nend\n");
	in = tl_memory_input("memory", b.data, b.len);
	st = tl_text_read(&in.in, NULL, 0, tl_null_sink(), &err);
	snprintf(title, sizeof title, "'%.60s' %s %s", line, message ? "gives" : "is read", message ? message : "");
	for (char *p = title; *p; p++)
		if (*p < 0x20)
			*p = ' ';
	check(message ? st == TL_ERR_DATA && strstr(err.text, message) : st == TL_OK, title);
	if (message ? !strstr(err.text, message) : st != TL_OK)
		printf("# %s\n", err.text);
	tl_buf_release(&b);
}

static void test_lines(void)
{
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t", NULL);
	check_line("event\t0\tkernel\t-5\t1\t7\t\"a\"\tc\tX\tn\ttda\tk:i=-9223372036854775808\t\\::j=[]\tz:S", NULL);
	check_line("event\t0\tkernel\t1.5\t\t\t\t\t\t\t", "line 3, column 16: '1.5'");
	check_line("event\t0\tkernel\t9223372036854775808\t\t\t\t\t\t\t", "64 bits");
	check_line("event\t-1\tkernel\t\t\t\t\t\t\t\t", "line 3, column 7");
	check_line("event\t18446744073709551615\tkernel\t\t\t\t\t\t\t\t", "numbers must increase");
	check_line("event\t0\tkernal\t\t\t\t\t\t\t\t", "'kernal', a kind of event");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t", "10 columns");
	check_line("event\t0\tkernel\t\t\t\t\t\tXY\t\t", "one letter");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\tq", "letters");
	check_line("event\t0\tkernel\t\t\t\t\t\t\ta\\qb\t", "column 23: a backslash");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t\tk=5", "key:type=value");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t\tk:x=5", "one of the types");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t\tk:i", "key:i=number");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t\tk:i=", "whole number");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t\t", "key:type=value");
	check_line("event\t0\tkernel\t\t\t\t\t\t\ta\x01\t", "control byte 01");
	check_line("link\tnode\t5\t", NULL);
	check_line("link\tnode\t5", "3 columns");
	check_line("link\tnodes\t5\t6", "'nodes', a link type");
	check_line("link\tnode\t\t6", "whole number");
	check_line("meta\ta\t{\\\\}", NULL);
	check_line("meta\ta", "2 columns");
	check_line("header\tsource\tx\ty", "4 columns");
	check_line("header\tsauce\tx", "'sauce'");
	check_line("header\tlinked\tyes", "'yes' is no value");
	check_line("", "'', header, meta, event, link or end");
	check_line("events\t1", "'events'");
	check_line("end", "after line 3");
	check_line("meta\ta\t1\nheader\tsource\tx", "line 4, column 1: a header line after");
}

int main(void)
{
	test_round_trips();
	test_long_strings();
	test_damage();
	test_cut_text();
	test_versions();
	test_dropped_kinds();
	test_bad_value();
	test_lines();
	return failures != 0;
}
