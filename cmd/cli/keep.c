/* keep.c - what a part of the work says and makes, kept in a file until its turn to be told.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/keep.h"

#include <errno.h>
#include <unistd.h>

static int kept = -1;

void tl_keep_in(int fd)
{
	kept = fd;
}

int tl_keeps_in(void)
{
	return kept;
}

bool tl_keeps(void)
{
	return kept >= 0;
}

static bool write_all(const void *data, size_t len)
{
	for (const char *p = data; len;) {
		ssize_t n = write(kept, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

bool tl_keep(enum tl_kept kind, const void *data, size_t len)
{
	const struct tl_kept_head h = { .kind = kind, .len = len };

	if (write_all(&h, sizeof h) && write_all(data, len))
		return true;
	kept = -1;
	return false;
}
