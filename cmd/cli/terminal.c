/* terminal.c - text on a terminal: colours, and a pager where it is longer than the screen.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/programs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The variable of the environment; "" if it is not set. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

bool tl_to_terminal(const char *path)
{
	return (!path || !strcmp(path, "-")) && isatty(STDOUT_FILENO);
}

bool tl_has_colours(const char *path)
{
	return tl_to_terminal(path) && !*variable("NO_COLOR") && *variable("TERM") && strcmp(variable("TERM"), "dumb") != 0;
}

bool tl_page(const char *path, const struct tl_buf *text)
{
	static const char *const way[] = { "LESS", "FRX", NULL }; /* leave at the end of what is short, pass colours on, leave the text there */
	const char *pager = getenv("TL_PAGER") ? variable("TL_PAGER") : getenv("PAGER") ? variable("PAGER") : tl_has_program("less") ? "less" : "";
	struct tl_process p = { .argv = (const char *const[]){ "sh", "-c", pager, NULL }, .environment = getenv("LESS") ? NULL : way, .out = STDOUT_FILENO };
	struct winsize w;
	size_t lines = 0;

	if (!tl_to_terminal(path) || !*pager || !strcmp(pager, "cat") || !strcmp(variable("TERM"), "dumb") || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_row)
		return false;
	for (size_t i = 0; i < text->len; i++)
		lines += text->data[i] == '\n';
	return lines >= w.ws_row && tl_program_output(p, text, NULL, NULL) != TL_NO_PROGRAM;
}
