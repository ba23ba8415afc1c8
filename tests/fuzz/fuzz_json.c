/* fuzz_json.c - the readers of foreign traces. The first byte chooses the
 * options and how the input arrives; the rest is the input. Whatever it is, the
 * reader ends, touches nothing outside its buffers, and hands on only what a
 * stream can hold; the plain parser alone gives the same as with templates; and a
 * strict reading that succeeds is the same in any pieces.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "tl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
	struct tl_input in;
	const uint8_t *data;
	size_t len, step;
};

static int64_t memory_read(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	struct memory *m = (struct memory *)in;
	size_t n = m->len < cap ? m->len : cap;

	(void)err;
	n = n < m->step ? n : m->step;
	memcpy(buf, m->data, n);
	m->data += n;
	m->len -= n;
	return (int64_t)n;
}

struct sum {
	struct tl_output out;
	uint64_t hash;
};

static enum tl_status sum_write(struct tl_output *out, const void *p, size_t len, struct tl_error *err)
{
	struct sum *s = (struct sum *)out;

	(void)err;
	for (size_t i = 0; i < len; i++)
		s->hash = (s->hash ^ ((const uint8_t *)p)[i]) * 0x100000001b3u;
	return TL_OK;
}

static enum tl_status run(const uint8_t *data, size_t size, size_t step, const struct tl_read_options *o, uint64_t *hash)
{
	struct memory m = { { .name = "fuzz", .read = memory_read }, data, size, step };
	struct sum sum = { { "fuzz", sum_write }, 0 };
	struct tl_sink *s = tl_writer_new(&sum.out, NULL);
	struct tl_read_report report;
	struct tl_error err;
	enum tl_status st = tl_read(&m.in, o, s, &report, &err);

	tl_writer_free(s);
	*hash = sum.hash;
	return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_read_options o = { 0 };
	uint64_t whole, plain, pieces;
	enum tl_status st, st2;
	uint8_t how;

	if (!size)
		return 0;
	how = *data;
	o.lenient = how & 1;
	o.drop_kinds = how & 2 ? 1u << TL_KIND_PYTHON | 1u << TL_KIND_CPU_OP | 1u << TL_KIND_FLOW : 0;
	st = run(data + 1, size - 1, size, &o, &whole);
	o.plain = true;
	st2 = run(data + 1, size - 1, size, &o, &plain);
	if (st != st2 || (!st && whole != plain)) {
		fprintf(stderr, "the plain parser gives another result\n");
		abort();
	}
	o.plain = false;
	st2 = run(data + 1, size - 1, 1 + (how >> 2), &o, &pieces);
	if (!o.lenient && (st != st2 || (!st && whole != pieces))) {
		fprintf(stderr, "pieces of %u bytes give another result\n", 1u + (how >> 2));
		abort();
	}
	return 0;
}
