/* nomemfd.c - LD_PRELOAD: a system that has no files in memory; with NO_PROC in
 * the environment one without /proc too, as far as access() tells.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int memfd_create(const char *name, unsigned flags)
{
	(void)name, (void)flags;
	errno = ENOSYS;
	return -1;
}

int access(const char *path, int mode)
{
	if (getenv("NO_PROC") && !strncmp(path, "/proc/", 6)) {
		errno = ENOENT;
		return -1;
	}
	return faccessat(AT_FDCWD, path, mode, 0);
}
