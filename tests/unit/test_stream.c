/* test_stream.c - the stream and its text form: round trips, resets, damage.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/memory_io.h"
#include "model/part.h"
#include "model/wire.h"
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
		cuts += tl_stream_read(&in.in, NULL, 0, tl_null_sink(), &err) != TL_ERR_DATA ||
		        !strstr(err.text, i ? "cut short" : "empty input") || err.offset != (int64_t)i;
	}
	check(cuts == 0, "a stream cut anywhere is refused, with the place of the cut");
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

/* ---- frames made by hand ---------------------------------------------------------------- */

struct frame { char type; const char *payload; size_t len; };
#define FRAME(type, text) { type, text, sizeof(text) - 1 }
#define RAW(text) { 0, text, sizeof(text) - 1 } /* with its head */
#define HEADER FRAME('H', "ticks_per_us=1000\n")
#define END FRAME('E', "\0\0\0")
#define ONE_STRING FRAME('S', "\1a")
#define ONE_LAYOUT FRAME('L', "\0\2X\0\0")

static void put_head(struct tl_buf *b, char type, size_t len)
{
	uint8_t head[FRAME_HEAD] = { (uint8_t)type };

	store_le32(head + 4, (uint32_t)len);
	tl_buf_add(b, (const char *)head, sizeof head);
}

/* An end frame gets its checksum. */
static void put_frame(struct tl_buf *b, const struct frame *f)
{
	uint8_t sum[CHECKSUM_LEN];

	if (f->type)
		put_head(b, f->type, f->len + (f->type == 'E' ? CHECKSUM_LEN : 0));
	tl_buf_add(b, f->payload, f->len);
	if (f->type != 'E')
		return;
	store_le32(sum, tl_crc32(0, b->data, b->len));
	tl_buf_add(b, (const char *)sum, sizeof sum);
}

static void put_magic(struct tl_buf *b)
{
	static const char magic[] = TL_STREAM_MAGIC "\2\0\0\0";

	tl_buf_add(b, magic, MAGIC_LEN + VERSION_LEN);
}

/* message NULL: the stream is to be read. Frees b. */
static void check_stream(struct tl_buf *b, const char *message, const char *title)
{
	struct tl_memory_input in = tl_memory_input("memory", b->data, b->len);
	struct tl_error err = { 0 };
	enum tl_status st = tl_stream_read(&in.in, NULL, 0, tl_null_sink(), &err);

	check(message ? st == TL_ERR_DATA && strstr(err.text, message) : st == TL_OK, title);
	if (st)
		printf("# %s\n", err.text);
	tl_buf_release(b);
}

static void test_frames(void)
{
	static const struct { struct frame frames[6]; const char *message; } cases[] = {
		{ { HEADER, END }, NULL },
		{ { FRAME('H', "of a later version=1\nticks_per_us=1\n"), RAW("a\0\0\0\1\0\0\0x"), RAW("z\0\0\0\0\0\0\0"), END }, NULL },
		{ { HEADER, ONE_STRING, FRAME('T', "\1\0\0\1"), ONE_LAYOUT, FRAME('B', "\1\1\2\0"), FRAME('E', "\1\0\0") }, NULL },
		{ { ONE_STRING }, "does not begin with its header" },
		{ { HEADER, HEADER }, "a second header" },
		{ { FRAME('H', "ticks_per_us=1000") }, "header line without '=' or newline" },
		{ { FRAME('H', "ticks_per_us\n") }, "header line without '=' or newline" },
		{ { FRAME('H', "source=x\n") }, "header without ticks_per_us" },
		{ { FRAME('H', "ticks_per_us=0\n") }, "bad header line 'ticks_per_us=0'" },
		{ { FRAME('H', "ticks_per_us=9223372036854775719\n"), END }, NULL },
		{ { FRAME('H', "ticks_per_us=9223372036854775720\n"), END }, "bad header line" },
		{ { FRAME('H', "ticks_per_us=1x\n") }, "bad header line" },
		{ { FRAME('H', "ticks_per_us=1:\n") }, "bad header line" },
		{ { FRAME('H', "ticks_per_us=/\n") }, "bad header line" },
		{ { FRAME('H', "linked=2\nticks_per_us=1\n") }, "bad header line 'linked=2'" },
		{ { FRAME('H', "python=01\nticks_per_us=1\n") }, "bad header line 'python=01'" },
		{ { FRAME('H', "source=a\\x00b\nticks_per_us=1\n") }, "bad header line 'source=a" },
		{ { FRAME('H', "source=a\\q\nticks_per_us=1\n") }, "bad header line 'source=a" },
		{ { HEADER, FRAME('S', "\2a") }, "a string reaches behind its frame" },
		{ { HEADER, FRAME('S', "\1a\1b\1a") }, "a string that is empty or was defined before" },
		{ { HEADER, FRAME('S', "\1a"), FRAME('S', "\0"), END }, NULL },
		{ { HEADER, ONE_STRING, FRAME('T', "\1") }, "a track is cut off or names no string" },
		{ { HEADER, ONE_STRING, FRAME('T', "\2\0") }, "a track is cut off or names no string" },
		{ { HEADER, ONE_STRING, FRAME('T', "\0\2") }, "a track is cut off or names no string" },
		{ { HEADER, ONE_STRING, FRAME('T', "\1\1\1\1") }, "a track that is empty or was defined before" },
		{ { HEADER, FRAME('T', "\0\0") }, "a track that is empty or was defined before" },
		{ { HEADER, FRAME('L', "\0\0X\0") }, "a layout is cut off" },
		{ { HEADER, FRAME('L', "\1\0X\0\0") }, "a layout is cut off" },
		{ { HEADER, FRAME('L', "\0\x11\0\x3f\0"), END }, NULL },
		{ { HEADER, FRAME('L', "\0\x12X\0\0") }, "a layout is cut off" },
		{ { HEADER, FRAME('L', "\0\0X\x40\0") }, "a layout is cut off" },
		{ { HEADER, FRAME('L', "\0\0\xff\1\0\0"), END }, NULL },
		{ { HEADER, FRAME('L', "\0\0\x80\2\0\0") }, "a layout is cut off" },
		{ { HEADER, ONE_STRING, FRAME('L', "\1\0X\0\2\1\2\1\7"), END }, NULL },
		{ { HEADER, ONE_STRING, FRAME('L', "\0\0X\0\1\0\2") }, "a layout is cut off" },
		{ { HEADER, ONE_STRING, FRAME('L', "\0\0X\0\1\2\2") }, "a layout is cut off" },
		{ { HEADER, ONE_STRING, FRAME('L', "\0\0X\0\1\1\1") }, "a layout is cut off" },
		{ { HEADER, ONE_STRING, FRAME('L', "\0\0X\0\1\1\10") }, "a layout is cut off" },
		{ { HEADER, ONE_STRING, FRAME('L', "\0\0X\0\x81\x20") }, "a layout is cut off" },
		{ { HEADER, ONE_LAYOUT, ONE_LAYOUT }, "a layout that is empty or was defined before" },
		{ { HEADER, FRAME('R', "x") }, "a reset frame with a payload" },
		{ { HEADER, ONE_STRING, FRAME('R', ""), ONE_STRING, END }, NULL },
		{ { HEADER, ONE_LAYOUT, FRAME('R', ""), FRAME('B', "\1\0\0\0") }, "an event names no layout" },
		{ { HEADER, FRAME('M', "\2ab"), FRAME('E', "\0\0\1") }, NULL },
		{ { HEADER, FRAME('M', "\3ab") }, "a member's key reaches behind its frame" },
		{ { HEADER, FRAME('M', "\x80") }, "a member's key reaches behind its frame" },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\0\0\0\0") }, "an event names no layout" },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\2\0\0\0") }, "an event names no layout" },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\1\1\0\0") }, "an event names no layout" },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\1\0\1\0") }, "an event names no layout" },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\1\0\0") }, "an event names no layout" },
		{ { HEADER, FRAME('L', "\0\2X\1\0"), FRAME('B', "\1\0\0\0") }, "reaches behind its block" },
		{ { HEADER, FRAME('L', "\0\2X\2\0"), FRAME('B', "\1\0\0\0") }, "reaches behind its block" },
		{ { HEADER, ONE_STRING, FRAME('L', "\0\2X\0\1\1\4"), FRAME('B', "\1\0\0\0\1"), FRAME('E', "\1\0\0") }, NULL },
		{ { HEADER, ONE_STRING, FRAME('L', "\0\2X\0\1\1\4"), FRAME('B', "\1\0\0\0\2") }, "an event names no layout, string" },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\1\0\0\5"), FRAME('B', "\1\0\0\5") }, "event 5 after event 5" },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\1\0\0\5\1\0\0\0"), FRAME('B', "\1\0\0\7"), FRAME('E', "\3\0\0") }, NULL },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\1\0\0\5\1\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1") }, "event 5 after event 5" },
		{ { HEADER, ONE_LAYOUT, FRAME('B', "\1\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1") }, "event 18446744073709551615 after" },
		{ { HEADER, FRAME('K', "\1\0\0\x89\0"), FRAME('E', "\0\2\0") }, NULL },
		{ { HEADER, FRAME('K', "\0\0\0") }, "a link of an unknown type" },
		{ { HEADER, FRAME('K', "\x80\0") }, "a link of an unknown type" },
		{ { HEADER, FRAME('K', "\12\0\0") }, "a link of an unknown type" },
		{ { HEADER, FRAME('K', "\1\0") }, "a link of an unknown type, or one that reaches behind its block" },
		{ { HEADER, FRAME('E', "\1\0\0") }, "its end record counts 1 events, 0 were read" },
		{ { HEADER, FRAME('E', "\0\2\0") }, "its end record counts 2 links, 0 were read" },
		{ { HEADER, FRAME('M', "\1a"), FRAME('E', "\0\0\0") }, "its end record counts 0 members, 1 were read" },
		{ { HEADER, FRAME('E', "\0\0") }, "its end record counts 0 members, 0 were read" },
		{ { HEADER, FRAME('E', "\0\0\0\0") }, "its end record is too long" },
		{ { HEADER, RAW("E\0\0\0\3\0\0\0abc") }, "its end record has no checksum" },
		{ { HEADER, RAW("E\0\0\0\7\0\0\0\0\0\0abcd") }, "its end record says 64636261" },
		{ { HEADER, RAW("\0\0\0\0\0\0\0\0") }, "unknown frame 00 00 00 00" },
		{ { HEADER, RAW("`\0\0\0\0\0\0\0") }, "unknown frame 60 00 00 00" },
		{ { HEADER, RAW("{\0\0\0\0\0\0\0") }, "unknown frame 7b 00 00 00" },
		{ { HEADER, RAW("R\1\0\0\0\0\0\0") }, "unknown frame 52 01 00 00" },
		{ { HEADER, RAW("R\0\2\0\0\0\0\0") }, "unknown frame 52 00 02 00" },
		{ { HEADER, RAW("R\0\0\3\0\0\0\0") }, "unknown frame 52 00 00 03" },
		{ { HEADER, RAW("S\0\0\0\0\0\1\20") }, "cut short" },
		{ { HEADER, RAW("S\0\0\0\1\0\1\20") }, "frame 'S' of 268500993 bytes, at most 268500992 is possible" },
		{ { HEADER, END, RAW("x") }, "there is data after the end record" },
	};
	char title[100];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tl_buf b = { 0 };

		put_magic(&b);
		for (size_t k = 0; k < 6 && cases[i].frames[k].payload; k++)
			put_frame(&b, &cases[i].frames[k]);
		snprintf(title, sizeof title, "frames of case %zu: %s", i, cases[i].message ? cases[i].message : "read");
		check_stream(&b, cases[i].message, title);
	}
}

/* What a reader keeps between two resets: `most` definitions are read, one more is refused. */
static void check_most(char type, uint32_t most, uint32_t n_fields, const char *message)
{
	for (uint32_t more = 0; more < 2; more++) {
		struct tl_buf b = { 0 }, defs = { 0 };
		char title[100];

		put_magic(&b);
		put_frame(&b, &(struct frame)HEADER);
		put_frame(&b, &(struct frame)ONE_STRING);
		for (uint32_t i = type == 'S'; i < most + more; i++) {
			uint8_t p[64], *end = p;
			if (type == 'S') {
				*end++ = 4;
				store_le32(end, i);
				end += 4;
			} else {
				end = tl_put_varint(tl_put_varint(tl_put_varint(p, 0), i % 18), i / 18 % 256);
				end = tl_put_varint(tl_put_varint(end, i / 18 / 256), n_fields);
			}
			tl_buf_add(&defs, (const char *)p, (size_t)(end - p));
			for (uint32_t k = 0; k < n_fields; k++)
				tl_buf_add(&defs, "\1\2", 2);
		}
		put_frame(&b, &(struct frame){ type, defs.data, defs.len });
		put_frame(&b, &(struct frame)END);
		snprintf(title, sizeof title, "%u definitions of type %c with %u fields", (unsigned)(most + more), type, (unsigned)n_fields);
		check_stream(&b, more ? message : NULL, title);
		tl_buf_release(&defs);
	}
}

static void test_most(void)
{
	check_most('S', READER_ENTRIES, 0, "more than 1048576 strings without a reset");
	check_most('L', READER_LAYOUTS, 0, "more than 65536 layouts without a reset");
	check_most('L', READER_ENTRIES / TL_MAX_FIELDS + 1, TL_MAX_FIELDS, "more than 1048576 fields without a reset");
	check_most('L', 0, TL_MAX_FIELDS + 1, "a layout is cut off or has a part that is out of range");
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
	check_line("event\t0\tkernel\t-9223372036854775808\t9223372036854775807\t\t\t\t\t\t", NULL);
	check_line("event\t0\tkernel\t-9223372036854775809\t\t\t\t\t\t\t", "64 bits");
	check_line("event\t0\tkernel\t-\t\t\t\t\t\t\t", "64 bits");
	check_line("event\t-1\tkernel\t\t\t\t\t\t\t\t", "line 3, column 7");
	check_line("event\t1:\tkernel\t\t\t\t\t\t\t\t", "a whole number from 0");
	check_line("event\t18446744073709551614\tkernel\t\t\t\t\t\t\t\t", NULL);
	check_line("event\t18446744073709551616\tkernel\t\t\t\t\t\t\t\t", "a whole number from 0");
	check_line("event\t4\tkernel\t\t\t\t\t\t\t\t\nevent\t4\tkernel\t\t\t\t\t\t\t\t", "event 4 after event 4");
	check_line("event\t4\tkernel\t\t\t\t\t\t\t\t\nevent\t5\tkernel\t\t\t\t\t\t\t\t", NULL);
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
	check_line("event\t0\tkernel\t\t\t\t\t\t\ta\x1f\t", "control byte 1f");
	check_line("event\t0\tkernel\t\t\t\t\t\t\ta\x7f\t", "control byte 7f");
	check_line("event\t0\tkernel\t\t\t\t\t\t\ta \t", NULL);
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t\tk:i5", "'=' were expected");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t\tk", "key:type=value");
	check_line("event\t0\tkernel\t\t\t\t\t\t\t\t\tk:", "key:type=value");
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

/* message NULL: the text is to be read. */
static void check_text(const char *text, const char *message)
{
	struct tl_memory_input in = tl_memory_input("memory", text, strlen(text));
	struct tl_error err = { 0 };
	char title[100];
	enum tl_status st = tl_text_read(&in.in, NULL, 0, tl_null_sink(), &err);

	snprintf(title, sizeof title, "a text %s %s", message ? "gives" : "is read", message ? message : "");
	check(message ? st == TL_ERR_DATA && strstr(err.text, message) : st == TL_OK, title);
	if (st)
		printf("# %s\n", err.text);
}

static void test_texts(void)
{
	static const char head[] = "tls\t2.0\nheader\tticks_per_us\t1\n";
	struct tl_buf b = { 0 };

	check_text("", "empty input, the text of an event stream was expected");
	check_text("tls", "not the text of an event stream");
	check_text("tlx\t2.0\n", "not the text of an event stream");
	check_text("tls\t2.0", "the text ends within line 1");
	check_text("tls\t2.0\n", "the text ends after line 1, before a line 'end'");
	check_text("tls\t2.0\nend\n", "there was no line 'header' with ticks_per_us");
	for (const char *const *v = (const char *const[]){ "2", "2.", "x.0", ".0", "2.0x", "", "2.0\t", "2.00000000000000", NULL }; *v; v++) {
		tl_buf_clear(&b);
		tl_buf_addf(&b, "tls\t%s\nheader\tticks_per_us\t1\nend\n", *v);
		check_text(b.data, "a version was expected");
	}
	check_text("tls\t3.0\nend\n", "line 1, column 5: text of an event stream of version 3.0, this program reads version 2.0");
	check_text("tls\t2.1\nheader\tticks_per_us\t1\nheader\tfuture\tx\nend\n", NULL);
	for (int more = 0; more < 2; more++) {
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%sevent\t0\tkernel\t\t\t\t\t\t\t\t", head);
		for (int i = 0; i < TL_MAX_FIELDS + more; i++)
			tl_buf_addf(&b, "\tk%d:i=%d", i, i);
		tl_buf_adds(&b, "\nend\n");
		check_text(b.data, more ? "more than 4107 columns" : NULL);
	}
	tl_buf_release(&b);
}

/* Header lines and records as tl-view prints them come back as they are. */
static void test_same_text(void)
{
	static const char text[] = "tls\t2.0\nheader\tsource\tx\nheader\tticks_per_us\t7\nheader\tlinked\t0\nheader\tpython\t1\n"
		"header\tprovenance\ta\\tb\nevent\t3\tkernel\t-1\t2\t\t\\e\t\\e\tX\t\\e\ttdan\tk:I=-2\tl:j\n"
		"event\t18446744073709551614\tother\t\t\t1\t\t\t\t\tn\nlink\troot\t18446744073709551614\t\nend\n";
	struct tl_buf a = { 0 }, b;
	struct tl_error err;

	tl_buf_adds(&a, text);
	b = convert(&a, tl_text_read, true, 0, &err);
	check(same(&a, &b), "a text through its reader is the same text");
	if (!same(&a, &b))
		printf("# %s", tl_buf_text(&b));
	tl_buf_release(&a);
	tl_buf_release(&b);
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
	test_frames();
	test_most();
	test_texts();
	test_same_text();
	return failures != 0;
}
