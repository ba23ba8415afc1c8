/* messages.c - the one place that prints messages and exits.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/keep.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "sheets/overview.h"
#include "table/sheet_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_SAID 100

static const char *speaker = "tl"; /* of remarks: the filter at work */
static const char *called;         /* the program that the user called, which messages name */
static bool quiet;
static struct tl_remark *said;
static size_t n_said, cap_said, n_unkept;
static void (*clean_up)(void); /* see tl_clean_up_by */
static void (*end_in_turn)(int status); /* see tl_end_in_turn_by */

void tl_clean_up_by(void (*fn)(void))
{
	clean_up = fn;
}

void tl_end_in_turn_by(void (*fn)(int status))
{
	end_in_turn = fn;
}

static bool errors_as_json;
static char *last_error;       /* what was said of it */
static const char *of_file;    /* that the error is about; NULL: none, or nobody knows */

void tl_tell_errors_as_json(void)
{
	errors_as_json = true;
}

static void put_error(int status)
{
	struct tl_buf b = { 0 };
	struct tl_json j = { .to = &b, .in_line = true };

	tl_json_open(&j, NULL, '{');
	tl_json_put_int(&j, "schema", TL_JSON_SCHEMA);
	tl_json_open(&j, "error", '{');
	tl_json_put_int(&j, "status", status);
	tl_json_put_string(&j, "program", called);
	tl_json_put_string(&j, "message", last_error);
	if (of_file)
		tl_json_put_string(&j, "file", of_file);
	else
		tl_json_put(&j, "file", "null");
	tl_json_close(&j, '}');
	tl_json_close(&j, '}');
	puts(tl_buf_text(&b));
	fflush(stdout);
	tl_buf_release(&b);
}

static void __attribute__((noreturn)) end_now(int status)
{
	if (errors_as_json && last_error && !tl_keeps())
		put_error(status);
	if (clean_up)
		clean_up();
	_exit(status);
}

void tl_end(int status)
{
	if (end_in_turn)
		end_in_turn(status);
	end_now(status);
}

static void out_of_memory(size_t size)
{
	/* no stdio here: it may want memory itself */
	static const char text[] = ": error: out of memory\n";
	(void)size;
	ssize_t n = write(2, called, strlen(called));
	n += write(2, text, sizeof text - 1);
	(void)n;
	end_now(1);
}

static void built_in_mistake(const char *text)
{
	tl_die("built-in table: %s", text);
}

static void match_given_up(const char *name, size_t len)
{
	struct tl_buf text = { 0 };

	tl_buf_addf(&text, "a regular expression takes too long on '%.*s', which counts as no match; further such names are not told",
	            (int)(len > 60 ? 60 : len), name);
	tl_mask_controls(text.data);
	tl_say(TL_KEPT_GIVEN_UP, text.data);
	tl_buf_release(&text);
}

void tl_speak_as(const char *name)
{
	speaker = name;
	if (!called)
		called = getenv("TL_CALLED");
	if (!called)
		called = name;
	tl_set_oom_handler(out_of_memory);
	tl_set_mistake_handler(built_in_mistake);
	tl_set_given_up_handler(match_given_up);
}

const char *tl_called_program(void)
{
	return called;
}

static bool (*takes_option)(const char *option);

void tl_advise_by(bool (*takes)(const char *option))
{
	takes_option = takes;
}

const char *tl_advice(const char *option, const char *advice)
{
	return takes_option && takes_option(option) ? advice : "";
}

void tl_be_quiet(void)
{
	quiet = true;
}

bool tl_is_quiet(void)
{
	return quiet;
}

/* Flushes standard output first, so that the message comes after what was printed. */
static void print(const char *level, const char *text)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s%s\n", called, level, text);
}

/* A text of a trace can be long: the message is cut. */
struct message { char text[1024]; };

static void compose(struct message *m, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

static void compose(struct message *m, const char *fmt, va_list ap)
{
	vsnprintf(m->text, sizeof m->text, fmt, ap);
	tl_mask_controls(m->text);
}
/* Of the arguments behind fmt. */
#define COMPOSE(m, fmt) do { va_list ap; va_start(ap, fmt); compose(&(m), fmt, ap); va_end(ap); } while (0)

/* False: it was said before. */
static bool remember(const char *text, bool warning)
{
	for (size_t i = 0; i < n_said; i++)
		if (said[i].warning == warning && !strcmp(said[i].text, text))
			return false;
	if (n_said == MAX_SAID)
		n_unkept++;
	else
		TL_PUSH(said, n_said, cap_said, (struct tl_remark){ speaker, tl_strdup(text), warning });
	return true;
}

const struct tl_remark *tl_said(size_t *n, size_t *more)
{
	*n = n_said;
	*more = n_unkept;
	return said;
}

/* What is said of each kind: the words before the text, whether -q silences it, and whether tl_said tells it. */
static const struct { const char *level; bool may_be_quiet, remark, warning; } kinds[] = {
	[TL_KEPT_WARNING] = { "warning: ", true, true, true },
	[TL_KEPT_GIVEN_UP] = { "warning: ", true, true, true },
	[TL_KEPT_NOTE] = { "", true, true, false },
	[TL_KEPT_DETAIL] = { "", true, false, false },
	[TL_KEPT_ERROR] = { "error: ", false, false, false },
	[TL_KEPT_USAGE] = { "error: ", false, false, false },
};

void tl_say(enum tl_kept kind, const char *text)
{
	static bool has_given_up;

	if (tl_keeps() && tl_keep(kind, text, strlen(text)))
		return;
	if (kind == TL_KEPT_GIVEN_UP && has_given_up)
		return;
	has_given_up |= kind == TL_KEPT_GIVEN_UP;
	if (kinds[kind].remark && !remember(text, kinds[kind].warning))
		return; /* several processes may find the same */
	if (!quiet || !kinds[kind].may_be_quiet)
		print(kinds[kind].level, text);
	if (kind == TL_KEPT_USAGE)
		fprintf(stderr, "try '%s --help'\n", called);
	if (kind == TL_KEPT_USAGE || kind == TL_KEPT_ERROR) {
		free(last_error);
		last_error = tl_strdup(text);
	}
}

void tl_warn(const char *fmt, ...)
{
	struct message m;

	COMPOSE(m, fmt);
	tl_say(TL_KEPT_WARNING, m.text);
}

void tl_note(const char *fmt, ...)
{
	struct message m;

	COMPOSE(m, fmt);
	tl_say(TL_KEPT_NOTE, m.text);
}

void tl_tell(const char *fmt, ...)
{
	struct message m;

	COMPOSE(m, fmt);
	tl_say(TL_KEPT_DETAIL, m.text);
}

void tl_tell_progress(uint64_t done, uint64_t total, const char *fmt, ...)
{
	static struct timespec last;
	static uint64_t told;
	struct timespec now;
	struct message m;
	const char *pause = getenv("TL_PROGRESS");
	uint64_t part = total ? (uint64_t)((double)done / (double)total * 20) : done;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!last.tv_sec)
		last = now;
	if (part == told || now.tv_sec - last.tv_sec < (pause ? atoi(pause) : 2))
		return;
	last = now;
	told = part;
	COMPOSE(m, fmt);
	print("", m.text);
}

void tl_say_error(const char *fmt, ...)
{
	struct message m;

	COMPOSE(m, fmt);
	tl_say(TL_KEPT_ERROR, m.text);
}

void tl_die(const char *fmt, ...)
{
	struct message m;

	COMPOSE(m, fmt);
	tl_say(TL_KEPT_ERROR, m.text);
	tl_end(1);
}

void tl_die_error(const char *input_name, const struct tl_error *e)
{
	const char *name = input_name ? input_name : "";
	const char *sep = input_name ? ": " : "";

	of_file = input_name;
	if (e->offset >= 0)
		tl_die("%s%sbyte %lld: %s", name, sep, (long long)e->offset, e->text);
	if (e->record >= 0)
		tl_die("%s%srow %lld: %s", name, sep, (long long)e->record, e->text);
	tl_die("%s%s%s", name, sep, e->text);
}

void tl_die_of_trace(const char *name, const struct tl_error *e, const struct tl_read_report *r)
{
	struct tl_error with_hint = *e;
	const char *hint = r->lenient_helps ? tl_advice("lenient", "; --lenient uses the events that can be read") : "";

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
	tl_mask_controls(text);
	tl_say(TL_KEPT_USAGE, text);
	free(text);
	tl_end(2);
}

/* ---- reports of readers ---- */

void tl_warn_drops(const char *name, const struct tl_read_report *r)
{
	for (size_t i = 0; i < r->n_drops; i++) {
		char place[32] = "";
		if (r->drops[i].first_offset >= 0)
			snprintf(place, sizeof place, ", byte %lld", (long long)r->drops[i].first_offset);
		(r->drops[i].note ? tl_note : tl_warn)("%s: %llu event%s: %s (first at event %llu%s)", name,
		        (unsigned long long)r->drops[i].count, r->drops[i].count == 1 ? "" : "s", r->drops[i].what,
		        (unsigned long long)r->drops[i].first_uid, place);
	}
}

/* ---- slices ---- */

struct tl_regex tl_step_marker;

const char *tl_take_regex(void *dest, const char *text)
{
	static char why[200];
	struct tl_regex *r = dest;

	if (r->text)
		tl_pattern_release(&r->pattern);
	r->text = NULL;
	if (!tl_pattern_compile(&r->pattern, text, 0, NULL, why))
		return why;
	r->text = text;
	return NULL;
}

struct tl_sink *tl_slicer(struct tl_sink *next, const struct tl_slice_options *o)
{
	struct tl_sink *slicer;
	struct tl_error err;

	if (tl_slicer_new(&slicer, next, o, &err) != TL_OK)
		tl_usage("%s", err.text);
	return slicer;
}

void tl_show_slice(const struct tl_slice_report *r, bool verbose)
{
	if (!r->kept_device_events && r->device_events)
		tl_warn("none of the %u device events is in the slice", (unsigned)r->device_events);
	if (r->cut)
		tl_note("device events cut at a border of the slice: %u; only their part in the slice counts",
		        (unsigned)r->cut);
	if (r->partial)
		tl_note("operators with only a part of their device work in the slice: %u; their rates come out too high",
		        (unsigned)r->partial);
	if (r->lone_backward)
		tl_note("backward passes whose forward operator is not in the slice: %u; models that need its arguments are not applied",
		        (unsigned)r->lone_backward);
	if (verbose)
		tl_tell("device events in the slice: %u of %u", (unsigned)r->kept_device_events, (unsigned)r->device_events);
}
