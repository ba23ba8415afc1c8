/* temp_file.c - temporary files and folders.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/temp_file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

const char *tl_temp_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

char *tl_temp_name(const char *stem)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s/%s.XXXXXX", tl_temp_folder(), stem);
	return b.data;
}

int tl_temp_make(char *name)
{
	return mkstemp(name);
}

int tl_temp_make_folder(char *name)
{
	return mkdtemp(name) ? 0 : -1;
}

FILE *tl_temp_file(const char *stem)
{
	char *name = tl_temp_name(stem);
	int fd = tl_temp_make(name);

	if (fd >= 0)
		unlink(name);
	free(name);
	return fd < 0 ? NULL : fdopen(fd, "w+b");
}
