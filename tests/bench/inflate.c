/* inflate.c - yardstick: decompresses a gzip file in memory pieces and drops
 * the result, with the library tl-parse uses.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/inputs.h"

#include <stdio.h>

static FILE *file;

static int64_t file_read(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	size_t n = fread(buf, 1, cap, file);

	if (n == 0 && ferror(file)) {
		tl_fail(err, TL_ERR_IO, "cannot read %s", in->name);
		return -1;
	}
	return (int64_t)n;
}

int main(int argc, char **argv)
{
	static char out[256 * 1024];
	struct tl_input in = { argc > 1 ? argv[1] : "", file_read };
	struct tl_input *gz;
	struct tl_error err;
	int64_t n;

	if (argc != 2 || !(file = fopen(argv[1], "rb"))) {
		fprintf(stderr, "usage: inflate FILE\n");
		return 2;
	}
	gz = tl_gunzip_new(&in, "", 0);
	while ((n = gz->read(gz, out, sizeof out, &err)) > 0)
		;
	if (n < 0)
		fprintf(stderr, "inflate: error: %s\n", err.text);
	tl_gunzip_free(gz);
	fclose(file);
	return n < 0;
}
