/* standalone.c - runs a fuzz target once on each file named, without a fuzzer:
 * the corpus in the ordinary check.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input in a block of exactly its size, so that reading past it shows. */
static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		return 1;
	}
	data = malloc(size ? (size_t)size : 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		return 1;
	}
	fclose(f);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= replay(argv[i]);
	return bad;
}
