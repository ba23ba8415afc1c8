/* messages.c - the one place that prints messages and exits.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *speaker = "tl";
static bool quiet;

static void out_of_memory(size_t size)
{
	/* no stdio here: it may want memory itself */
	static const char text[] = ": error: out of memory\n";
	(void)size;
	ssize_t n = write(2, speaker, strlen(speaker));
	n += write(2, text, sizeof text - 1);
	(void)n;
	tl_remove_unfinished();
	_exit(1);
}

void tl_speak_as(const char *name)
{
	speaker = name;
	tl_set_oom_handler(out_of_memory);
}

void tl_be_quiet(void)
{
	quiet = true;
}

/* Flushes standard output first, so that the message comes after what was printed. */
static void print(const char *level, char *text)
{
	for (unsigned char *p = (unsigned char *)text; *p; p++)
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
	fflush(stdout);
	fprintf(stderr, "%s: %s%s\n", speaker, level, text);
}

/* A text of a trace can be long: the message is cut. */
static void say(const char *level, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

static void say(const char *level, const char *fmt, va_list ap)
{
	char text[1024];
	vsnprintf(text, sizeof text, fmt, ap);
	print(level, text);
}

void tl_warn(const char *fmt, ...)
{
	if (quiet)
		return;
	va_list ap;
	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}

void tl_note(const char *fmt, ...)
{
	if (quiet)
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

void tl_die_of_trace(const char *name, const struct tl_error *e, const struct tl_read_report *r)
{
	struct tl_error with_hint = *e;
	const char *hint = r->lenient_helps ? "; --lenient uses the events that can be read" : "";

	snprintf(with_hint.text, sizeof with_hint.text, "%.*s%s", (int)(sizeof e->text - strlen(hint) - 1), e->text, hint);
	tl_die_error(name, &with_hint);
}

/* Never cut: the message may list what can be chosen. */
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
	fprintf(stderr, "try '%s --help'\n", speaker);
	tl_remove_unfinished();
	_exit(2);
}

/* ---- reports of readers and of the linker ---- */

void tl_warn_drops(const char *name, const struct tl_read_report *r)
{
	for (size_t i = 0; i < r->n_drops; i++)
		tl_warn("%s: %llu event%s: %s (first at event %llu, byte %lld)", name,
		        (unsigned long long)r->drops[i].count, r->drops[i].count == 1 ? "" : "s", r->drops[i].what,
		        (unsigned long long)r->drops[i].first_uid, (long long)r->drops[i].first_offset);
}

void tl_warn_linker(const struct tl_link_report *r)
{
	if (r->n_bad)
		tl_warn("%llu host or device events without start or duration were left out",
		        (unsigned long long)r->n_bad);
}

void tl_show_linking(const struct tl_link_report *r, bool verbose)
{
	if (r->by_correlation)
		tl_note("the trace has no launch arrows: kernels were linked by correlation");
	if (!verbose)
		return;
	tl_note("host events: %llu", (unsigned long long)r->n_host);
	tl_note("host events that fit nowhere in the tree: %llu", (unsigned long long)r->n_dropped_nodes);
	tl_note("device events: %llu", (unsigned long long)r->n_gpu);
	tl_note("device events linked to a call: %llu", (unsigned long long)r->n_linked_gpu);
	tl_note("launch arrow ends: %llu", (unsigned long long)r->n_arrows);
}
