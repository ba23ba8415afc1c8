/* varint_walk.c - goes over the fields of a trace of Perfetto down to the arguments of its
 * events, and does nothing with them: what tl-parse is compared with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t sum;

static uint64_t number(const uint8_t **p)
{
	uint64_t v = 0;
	int shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift;
	while (shift += 7, *(*p)++ & 0x80);
	return v;
}

/* Which field is a message of which depth: a packet, its event, an argument. */
static int is_message(int depth, uint64_t field)
{
	return (depth == 0 && field == 1) || (depth == 1 && field == 11) || (depth == 2 && field == 4);
}

static void walk(const uint8_t *p, const uint8_t *end, int depth)
{
	while (p < end) {
		uint64_t tag = number(&p), len = 0;
		switch (tag & 7) {
		case 0: sum ^= number(&p); break;
		case 1: len = 8; break;
		case 2: len = number(&p); break;
		case 5: len = 4; break;
		default: exit(1);
		}
		if (is_message(depth, tag >> 3))
			walk(p, p + len, depth + 1);
		p += len;
	}
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
	uint8_t *data = size > 0 ? malloc((size_t)size) : NULL;

	if (!data || fseek(f, 0, SEEK_SET) || fread(data, 1, (size_t)size, f) != (size_t)size)
		return 1;
	walk(data, data + size, 0);
	printf("%llu\n", (unsigned long long)sum);
	free(data);
	return fclose(f);
}
