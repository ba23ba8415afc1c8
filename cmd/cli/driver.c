/* driver.c - what a program does when tl-report runs it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "base/temp_file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *work_folder; /* of tl-report; NULL: it does not run this program */

void tl_follow_driver(void)
{
	const char *said = getenv("TL_REPORT");
	char *end;

	if (!said)
		return;
	long driver = strtol(said, &end, 10);
	if (*end != ' ')
		return;
	work_folder = end + 1;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != driver) /* it ended before the line above */
		_exit(1);
}

/* The file's name within the work folder; NULL: the path is not in it. */
static const char *work_file(const char *path)
{
	size_t len = work_folder ? strlen(work_folder) : 0;

	return len && !strncmp(path, work_folder, len) && path[len] == '/' ? path + len + 1 : NULL;
}

const char *tl_shown_path(const char *path, bool with_folder)
{
	static struct tl_arena names;
	const char *file = work_file(path);
	struct tl_buf b = { 0 };

	if (!file)
		return path;
	size_t len = strlen(file);
	bool is_sheet = len > 4 && !strcmp(file + len - 4, ".tsv");
	tl_buf_addf(&b, is_sheet ? "sheet %.*s" : "work file %.*s", (int)(is_sheet ? len - 4 : len), file);
	if (with_folder)
		tl_buf_addf(&b, " in %s", tl_shown_temp_folder());
	const char *name = tl_arena_dup(&names, b.data, b.len);
	tl_buf_release(&b);
	return name;
}

const char *tl_shown_temp_folder(void)
{
	static char *above;

	if (!work_folder)
		return tl_temp_folder();
	if (!above) {
		const char *slash = strrchr(work_folder, '/');
		above = slash > work_folder ? tl_strndup(work_folder, (size_t)(slash - work_folder)) : tl_strdup("/");
	}
	return above;
}
