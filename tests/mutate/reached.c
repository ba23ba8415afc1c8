/* reached.c - linked into programs and libraries that were compiled with -fsanitize-coverage=trace-pc: notes
 * which of their blocks run, for scripts/mutate.
 *
 * A bit a byte of the code is set in the file TL_REACHED/TEST@MODULE. The test is TL_REACHED_TEST or, of
 * bats, FILE-NUMBER; FILE-0 is what runs before the first test. All processes of a test share the file.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void);

enum { MAX_CODE = 1 << 24 };
static unsigned char *map;

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

__attribute__((constructor)) static void start(void)
{
	const char *folder = getenv("TL_REACHED"), *test = getenv("TL_REACHED_TEST"), *number = getenv("BATS_TEST_NUMBER");
	const char *file = getenv("BATS_TEST_FILENAME");
	char path[4096];
	Dl_info info;
	int fd;

	if (!folder || !(test || file) || !dladdr(__ehdr_start, &info))
		return;
	snprintf(path, sizeof path, "%s/%s%s%s@%s", folder, test ? test : last_part(file), test ? "" : "-",
	         test ? "" : number ? number : "0", last_part(info.dli_fname));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	void (*was)(int) = signal(SIGXFSZ, SIG_IGN); /* tests limit the size of files */
	if (!ftruncate(fd, MAX_CODE / 8))
		map = mmap(NULL, MAX_CODE / 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		map = NULL;
	signal(SIGXFSZ, was);
	close(fd);
}

void __sanitizer_cov_trace_pc(void)
{
	uintptr_t at = (uintptr_t)__builtin_return_address(0) - 1 - (uintptr_t)__ehdr_start;

	if (map && at < MAX_CODE && !(map[at / 8] & 1 << at % 8))
		__atomic_or_fetch(&map[at / 8], (unsigned char)(1 << at % 8), __ATOMIC_RELAXED);
}
