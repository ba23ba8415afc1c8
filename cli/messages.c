/* messages.c - the one place that prints messages and exits.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/program.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print(const char *level, char *text)
{
	for (unsigned char *p = (unsigned char *)text; *p; p++)
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
	fflush(stdout);
	fprintf(stderr, "%s: %s%s\n", tl_program_name(), level, text);
}

/* What a trace holds can be long: the beginning is enough. */
static void say(const char *level, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

static void say(const char *level, const char *fmt, va_list ap)
{
	char text[1024];
	vsnprintf(text, sizeof text, fmt, ap);
	print(level, text);
}

void tl_warn(const char *fmt, ...)
{
	if (tl_is_quiet())
		return;
	va_list ap;
	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}

void tl_note(const char *fmt, ...)
{
	if (tl_is_quiet())
		return;
	va_list ap;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void tl_die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("error: ", fmt, ap);
	va_end(ap);
	tl_remove_unfinished();
	_exit(1);
}

void tl_die_oom(size_t size)
{
	/* no stdio here: it may want memory itself */
	static const char text[] = ": error: out of memory\n";
	(void)size;
	ssize_t n = write(2, tl_program_name(), strlen(tl_program_name()));
	n += write(2, text, sizeof text - 1);
	(void)n;
	tl_remove_unfinished();
	_exit(1);
}

void tl_die_error(const char *input_name, const struct tl_error *e)
{
	const char *name = input_name ? input_name : "";
	const char *sep = input_name ? ": " : "";
	if (e->offset >= 0)
		tl_die("%s%sbyte %lld: %s", name, sep, (long long)e->offset, e->text);
	if (e->record >= 0)
		tl_die("%s%srow %lld: %s", name, sep, (long long)e->record, e->text);
	tl_die("%s%s%s", name, sep, e->text);
}

/* Whole, since it may list what can be chosen. */
void tl_usage(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *text = tl_calloc((size_t)n + 1, 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	print("error: ", text);
	free(text);
	fprintf(stderr, "try '%s --help'\n", tl_program_name());
	tl_remove_unfinished();
	_exit(2);
}
