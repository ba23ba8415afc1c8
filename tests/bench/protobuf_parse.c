/* protobuf_parse.c - unpacks a file of one message with protobuf-c: the other side of a
 * benchmark. HEADER is the message's, MESSAGE its name in C.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include HEADER

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
	uint8_t *data = size > 0 ? malloc((size_t)size) : NULL;

	if (!data || fseek(f, 0, SEEK_SET) || fread(data, 1, (size_t)size, f) != (size_t)size)
		return 1;
	void *message = JOIN(MESSAGE, __unpack)(NULL, (size_t)size, data);
	if (!message)
		return 1;
	JOIN(MESSAGE, __free_unpacked)(message, NULL);
	free(data);
	return fclose(f);
}
