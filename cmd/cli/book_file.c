/* book_file.c - the file of a workbook, which is made in a temporary one.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_DATE 315532800    /* 1 January 1980, the first date a zip archive knows */
#define LAST_DATE 253402300799     /* the end of the year 9999 */

time_t tl_source_date(void)
{
	const char *s = getenv("SOURCE_DATE_EPOCH");
	char *end;

	if (!s || !*s)
		return DEFAULT_DATE;
	errno = 0;
	long long t = strtoll(s, &end, 10);
	if (*end || errno || t < 0 || t > LAST_DATE)
		tl_usage("SOURCE_DATE_EPOCH: '%s' is not a time in seconds", s);
	return (time_t)t;
}

void tl_copy_out(int fd, struct tl_output *out)
{
	static char buf[65536];
	struct tl_error err;
	ssize_t n;

	while ((n = read(fd, buf, sizeof buf)) > 0)
		if (out->write(out, buf, (size_t)n, &err))
			tl_die_error(out->name, &err);
	if (n < 0)
		tl_die("%s: cannot read back: %s", out->name, strerror(errno));
}
