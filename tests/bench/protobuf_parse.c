/* protobuf_parse.c - unpacks an XPlane file with protobuf-c and counts its lines: the other
 * side of a benchmark.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "xplane.pb-c.h"

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
	uint8_t *data = size > 0 ? malloc((size_t)size) : NULL;
	size_t lines = 0;

	if (!data || fseek(f, 0, SEEK_SET) || fread(data, 1, (size_t)size, f) != (size_t)size)
		return 1;
	Bench__Space *space = bench__space__unpack(NULL, (size_t)size, data);
	if (!space)
		return 1;
	for (size_t i = 0; i < space->n_planes; i++)
		lines += space->planes[i]->n_lines;
	printf("%zu\n", lines);
	bench__space__free_unpacked(space, NULL);
	free(data);
	return fclose(f);
}
