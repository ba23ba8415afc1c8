/* jax_derived.c - how many events xprof's trace viewer adds to a GPU of a JAX trace.
 *
 * From the kernels of the busiest stream the viewer makes lines of its own: programs,
 * operations of XLA, operations and scopes of the framework, lines of source. TraceLens
 * numbers events over all of them. After xprof (plugin: xprof/utils/derived_timeline.cc of
 * github.com/openxla/xprof, version 2.20.1): an event is added to a line unless the last one
 * there is of the same name, which then goes on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include "base/merge_sort.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The lines, by tid from TL_JAX_FIRST_LINE_TID on. The others, for steps and statistics of launches,
 * get events only after a tool has grouped events by step, which nothing does before this reader. */
enum { SCOPES = 2, FRAMEWORK_OPS = 3, MODULES = 4, XLA_OPS = 5, SOURCE = 7 };
enum { MAX_LEVELS = 64 };

/* A line; the events that are open on it lie one in the other. */
struct line { uint32_t open[MAX_LEVELS]; size_t n_open; uint32_t n; };

struct deriving {
	const struct tl_jax *jax;
	struct line lines[TL_JAX_LINES];
};

/* ---- lines --------------------------------------------------------------------------- */

/* Ends what is open on a line at a level and below. Where the first level of a line ends, what is open
 * on the lines that depend on it ends, too. */
static void close_levels(struct deriving *d, size_t line, size_t level)
{
	struct line *l = &d->lines[line];

	if (l->n_open > level)
		l->n_open = level;
	if (level)
		return;
	if (line == MODULES) {
		close_levels(d, SCOPES, 0);
		close_levels(d, XLA_OPS, 0);
	} else if (line == SCOPES) {
		close_levels(d, FRAMEWORK_OPS, 0);
	}
}

/* One event a level, the outermost first. */
static void add_levels(struct deriving *d, size_t line, const uint32_t *names, size_t n)
{
	struct line *l = &d->lines[line];

	for (size_t i = 0; i < n; i++) {
		if (i < l->n_open && l->open[i] == names[i])
			continue;
		close_levels(d, line, i);
		l->open[l->n_open++] = names[i];
		l->n++;
	}
	if (n)
		close_levels(d, line, n);
}

/* ---- operations of the framework ------------------------------------------------------- */

static bool all_of(const char *s, size_t n, const char *others)
{
	for (size_t i = 0; i < n; i++)
		if (!tl_in_name(s[i]) && !(s[i] && strchr(others, s[i])))
			return false;
	return true;
}

static bool is_upper(char c)
{
	return (c >= 'A' && c <= 'Z') || c == '_';
}

/* A lower-case name, perhaps with [...] behind it. */
static bool is_jax_type(const char *s, size_t n)
{
	const char *bracket = n ? memchr(s, '[', n) : NULL;
	size_t len = bracket ? (size_t)(bracket - s) : n, i = 0;

	while (i < len && (tl_is_digit(s[i]) ? i > 0 : tl_in_name(s[i]) && !(s[i] >= 'A' && s[i] <= 'Z')))
		i++;
	return len && i == len && (!bracket || s[n - 1] == ']');
}

static const char *last_part(const char *name, const char *end)
{
	const char *p = end;

	while (p > name && p[-1] != '/')
		p--;
	return p;
}

/* Does the viewer take NAME:TYPE for an operation of TensorFlow or of JAX? */
static bool has_scopes(const char *name, size_t n, const char *type, size_t n_type)
{
	static const char in_name[] = "./>-";

	bool begins = n && *name != '_' && (tl_in_name(*name) || *name == '.');
	if (begins && all_of(name + 1, n - 1, in_name) && n_type && is_upper(*type) && all_of(type, n_type, ""))
		return true;
	return !n_type || is_jax_type(type, n_type); /* without a type it is of either */
}

/* NAME:TYPE of the framework; the name's parts but the last are scopes. */
static void add_framework_op(struct deriving *d, uint32_t op)
{
	struct tl_strtab *strings = &d->jax->trace->strings;
	const char *name = tl_str(strings, op), *colon = strchr(name, ':');
	const char *end = colon ? colon : name + tl_str_len(strings, op), *type = colon ? colon + 1 : end;
	uint32_t scopes[MAX_LEVELS];
	size_t n = 0;

	if (has_scopes(name, (size_t)(end - name), type, strlen(type))) {
		const char *last = last_part(name, end);
		for (const char *p = name, *slash; p < last && n < MAX_LEVELS; p = slash + 1) {
			slash = memchr(p, '/', (size_t)(end - p));
			scopes[n++] = tl_intern(strings, p, (size_t)(slash - p));
		}
		add_levels(d, SCOPES, scopes, n);
	}
	add_levels(d, FRAMEWORK_OPS, &op, 1);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Levels of an operation of XLA have "::" between them. Adds PROGRAM/NAME for each of them;
 * returns the name of the innermost, a string id. */
static uint32_t add_operation(struct deriving *d, int64_t program, uint32_t op)
{
	struct tl_strtab *strings = &d->jax->trace->strings;
	uint32_t levels[MAX_LEVELS], last = 0;
	struct tl_buf b = { 0 };
	size_t n = 0;

	for (const char *p = tl_str(strings, op), *stop; p; p = stop ? stop + 2 : NULL) {
		stop = n + 1 < MAX_LEVELS ? strstr(p, "::") : NULL;
		size_t len = stop ? (size_t)(stop - p) : strlen(p);
		last = tl_intern(strings, p, len);
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%lld/%.*s", (long long)program, (int)len, p);
		levels[n++] = tl_intern(strings, b.data, b.len);
	}
	tl_buf_release(&b);
	add_levels(d, XLA_OPS, levels, n);
	return last;
}

static void add_kernel(struct deriving *d, uint32_t event)
{
	const struct tl_jax *j = d->jax;
	uint32_t module = tl_jax_text(j, TL_JAX_HLO_MODULE, event), op = tl_jax_text(j, TL_JAX_HLO_OP, event);
	uint32_t tf_op = tl_jax_text(j, TL_JAX_TF_OP, event);
	int64_t program = 0;

	if (tl_arg_get(&j->args[TL_JAX_PROGRAM], j->trace, event, &program) != TL_FIELD_INT)
		program = 0;
	if (tl_str_len(&j->trace->strings, module)) {
		struct tl_buf b = { 0 };
		tl_buf_addf(&b, "%s(%lld)", tl_str(&j->trace->strings, module), (long long)program);
		uint32_t name = tl_intern(&j->trace->strings, b.data, b.len);
		add_levels(d, MODULES, &name, 1);
		tl_buf_release(&b);
	}
	if (!op) {
		if (tl_str_len(&j->trace->strings, tf_op))
			add_framework_op(d, tf_op);
		return;
	}
	uint32_t innermost = add_operation(d, program, op);
	const struct tl_hlo_origin *from = tl_hlo_origin(j->programs, program, tl_str(&j->trace->strings, innermost));
	if (!from)
		return;
	add_framework_op(d, tl_intern_str(&j->trace->strings, from->framework_op));
	if (from->source) {
		uint32_t source = tl_intern_str(&j->trace->strings, from->source);
		add_levels(d, SOURCE, &source, 1);
	}
}

/* ---- the stream ------------------------------------------------------------------------------ */

static int by_start(const void *pa, const void *pb, void *ctx)
{
	const struct tl_ev *events = ctx, *a = &events[*(const uint32_t *)pa], *b = &events[*(const uint32_t *)pb];

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return (a->dur > b->dur) - (a->dur < b->dur);
}

/* The events of the track with the most, of equal ones that with the lowest tid, by start. The
 * caller frees the list. */
static uint32_t *busiest_stream(const struct tl_jax *j, const uint32_t *events, size_t n, size_t *n_found)
{
	uint32_t *of_track = tl_calloc(j->trace->n_tracks + 1, sizeof *of_track), best = 0;
	uint32_t *found = tl_alloc((n + 1) * sizeof *found);

	*n_found = 0;
	for (size_t i = 0; i < n; i++)
		of_track[j->trace->events[events[i]].track]++;
	for (uint32_t t = 0; t < j->trace->n_tracks; t++)
		if (of_track[t] > of_track[best] || (of_track[t] == of_track[best] && j->tracks[t].tid < j->tracks[best].tid))
			best = t;
	for (size_t i = 0; i < n; i++)
		if (j->trace->events[events[i]].track == best)
			found[(*n_found)++] = events[i];
	free(of_track);
	tl_merge_sort(found, *n_found, sizeof *found, by_start, j->trace->events);
	return found;
}

/* The viewer adds lines for events with facts about a kernel and for graphs of kernels only. */
static bool counts(const struct tl_jax *j, uint32_t event)
{
	int64_t unused;

	return tl_str_len(&j->trace->strings, tl_jax_text(j, TL_JAX_DETAILS, event)) ||
	       tl_arg_get(&j->args[TL_JAX_GRAPH], j->trace, event, &unused);
}

/* The profiler's own tool may have written a file with these lines. */
static bool has_lines(const struct tl_jax *j, const uint32_t *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t line = tl_jax_track(j, events[i])->tid - TL_JAX_FIRST_LINE_TID;
		if (line >= 0 && line < TL_JAX_LINES)
			return true;
	}
	return false;
}

void tl_jax_count_derived(const struct tl_jax *j, const uint32_t *events, size_t n, uint32_t of[TL_JAX_LINES])
{
	struct deriving d = { .jax = j };
	uint32_t *stream;

	if (has_lines(j, events, n))
		return;
	stream = busiest_stream(j, events, n, &n);
	for (size_t i = 0; i < n; i++)
		if (counts(j, stream[i]))
			add_kernel(&d, stream[i]);
	for (size_t i = 0; i < TL_JAX_LINES; i++)
		of[i] = d.lines[i].n;
	free(stream);
}
