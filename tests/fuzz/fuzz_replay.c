/* fuzz_replay.c - operators run again, from hostile texts: what a trace recorded of a call becomes command lines, a
 * record and a script; what a library logged becomes commands; what a benchmark printed, a time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "base/text.h"
#include "replay/bench_logs.h"
#include "replay/replay_item.h"

#include <math.h>

enum { PARTS = 5 };

/* The input's lines: name, dims, types, strides, values; what is beyond them belongs to the last. */
static void split(char *text, const char *parts[PARTS])
{
	for (size_t i = 0; i < PARTS; i++) {
		char *end = i + 1 < PARTS ? strchr(text, '\n') : NULL;
		parts[i] = text;
		text = end ? end + 1 : text + strlen(text);
		if (end)
			*end = 0;
	}
}

/* A line of shell: of words that need no quotes. */
static void check_line(const char *s)
{
	if (s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=. ")])
		abort();
}

/* JSON in one line, and nothing that ends the script's text. */
static void check_record(const char *record, const struct tl_replay_tables *t)
{
	struct tl_arena arena = { 0 };
	struct tl_value v;
	struct tl_buf script = { 0 };

	if (strchr(record, '\n') || tl_value_parse(&arena, record, strlen(record), &v, NULL))
		abort();
	tl_torch_script_write(&script, record, record, t);
	const char *ops = strstr(script.data, "r'''"), *end = ops ? strstr(ops + 4, "'''") : NULL;
	if (!end || !tl_starts_with(end, "'''.split"))
		abort();
	tl_buf_release(&script);
	tl_arena_release(&arena);
}

static void make_forms(const char *parts[PARTS], const struct tl_replay_tables *t)
{
	for (int kind = TL_REPLAY_GEMM; kind <= TL_REPLAY_ATTENTION; kind++) {
		struct tl_replay_row row = { .name = parts[0], .dims = parts[1], .types = parts[2], .strides = parts[3], .values = parts[4] };
		struct tl_replay_item item;
		tl_replay_item_make(&item, &row, (enum tl_replay_kind)kind, t);
		for (int i = 0; i < TL_FORMS; i++) {
			const char *text = item.forms[i].text, *why = item.forms[i].why;
			if ((text && why) || (why && (!*why || strchr(why, '\n'))))
				abort();
			if (text && i < TL_FORM_YAML)
				check_line(text);
			else if (text && i == TL_FORM_RECORD)
				check_record(text, t);
		}
		tl_replay_item_release(&item);
	}
}

static void read_logs(const uint8_t *data, size_t size, const char *text)
{
	for (int bench = 0; bench < TL_BENCHES; bench++) {
		struct tl_buf commands = { 0 };
		double us;
		tl_bench_edit_log(bench, (const char *)data, size, 512, &commands);
		(void)tl_bench_time(bench, text, size % 2, &us);
		(void)tl_bench_time(bench, tl_buf_text(&commands), false, &us);
		tl_buf_release(&commands);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tl_replay_tables tables;
	struct tl_buf text = { 0 };
	const char *parts[PARTS];

	if (!tables.n_types)
		tl_replay_tables_read(&tables);
	tl_buf_add(&text, data, size);
	read_logs(data, size, text.data);
	split(text.data, parts);
	make_forms(parts, &tables);
	tl_buf_release(&text);
	return 0;
}
