/* blocks.c - turns what reached.c noted around: prints each place of the code that ran, as an address for
 * addr2line, a TAB, and the numbers of the files it is in.
 *
 * usage: blocks FILE...    the first file is number 1
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512 };

/* NULL if the file is empty: it was made where files may not grow. */
static const unsigned char *whole(const char *path, size_t *size)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	void *p = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st)) {
		if (!st.st_size) {
			close(fd);
			return NULL;
		}
		*size = (size_t)st.st_size;
		p = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (p == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
	return p;
}

/* The bytes of one block, of the files that have any there. */
static void print_block(const unsigned char **maps, const int *files, int n, size_t start)
{
	for (size_t at = start; at < start + BLOCK; at++)
		for (int bit = 0; bit < 8; bit++) {
			bool found = false;

			for (int i = 0; i < n; i++)
				if (maps[files[i]][at] >> bit & 1) {
					if (!found)
						printf("0x%zx\t", 8 * at + (size_t)bit);
					found = true;
					printf(" %d", files[i]);
				}
			if (found)
				putchar('\n');
		}
}

int main(int argc, char **argv)
{
	static const unsigned char nothing[BLOCK];
	const unsigned char **maps = calloc((size_t)argc, sizeof *maps);
	int *files = calloc((size_t)argc, sizeof *files), n;
	size_t size = 0;

	if (!maps || !files)
		return 1;
	for (int i = 1; i < argc; i++)
		maps[i] = whole(argv[i], &size);
	for (size_t start = 0; start + BLOCK <= size; start += BLOCK) {
		n = 0;
		for (int i = 1; i < argc; i++)
			if (maps[i] && memcmp(maps[i] + start, nothing, BLOCK))
				files[n++] = i;
		print_block(maps, files, n, start);
	}
	return 0;
}
