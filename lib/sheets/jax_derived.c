/* jax_derived.c - how many events xprof's trace viewer adds to a GPU of a JAX trace.
 *
 * From the kernels of the busiest stream the viewer makes lines of its own: programs,
 * operations of XLA, operations and scopes of the framework, lines of source. TraceLens
 * numbers events over all of them. After xprof (plugin: xprof/utils/derived_timeline.cc of
 * github.com/openxla/xprof, version 2.20.1): an event is added to a line unless the last one
 * there is of the same name, which then goes on.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/jax_events.h"

#include "analysis/trace_facts.h"
#include "base/merge_sort.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines, by tid from TL_JAX_FIRST_LINE_TID on. The others, for steps and statistics of launches,
 * get events only after a tool has grouped events by step, which nothing does before this reader. */
enum { SCOPES = 2, FRAMEWORK_OPS = 3, MODULES = 4, XLA_OPS = 5, SOURCE = 7 };
enum { MAX_LEVELS = 64 };

/* A line; the events that are open on it lie one in the other. */
struct line { uint32_t open[MAX_LEVELS]; size_t n_open; uint32_t n; };

/* What a program says of an operation: string ids. */
struct symbol { uint32_t framework_op, source; };

struct deriving {
	const struct tl_jax *jax;
	struct line lines[TL_JAX_LINES];
	struct tl_map programs;        /* those that are read */
	struct tl_map symbol_of;       /* program << 32 | name -> index in symbols */
	struct symbol *symbols; size_t n_symbols, cap_symbols;
	struct tl_arena arena;
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

/* ---- programs ------------------------------------------------------------------------------ */

static void add_symbol(struct deriving *d, int64_t program, const struct tl_value *instruction)
{
	struct tl_strtab *strings = &d->jax->trace->strings;
	const struct tl_value *metadata = tl_value_member(instruction, "metadata");
	const char *file = tl_value_text_member(metadata, "source_file");
	struct tl_buf b = { 0 };
	struct symbol s = { 0 };

	tl_buf_addf(&b, "%s:%s", tl_value_text_member(metadata, "op_name"), tl_value_text_member(metadata, "op_type"));
	s.framework_op = tl_intern(strings, b.data, b.len);
	if (*file) {
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%s:%lld", last_part(file, file + strlen(file)),
		            (long long)tl_value_int_member(metadata, "source_line"));
		s.source = tl_intern(strings, b.data, b.len);
	}
	tl_buf_release(&b);
	uint32_t name = tl_intern_str(strings, tl_value_text_member(instruction, "name"));
	*tl_map_put(&d->symbol_of, (uint64_t)program << 32 | name, NULL) = (uint32_t)d->n_symbols;
	TL_GROW(d->symbols, d->cap_symbols, d->n_symbols + 1);
	d->symbols[d->n_symbols++] = s;
}

static void read_program(struct deriving *d, int64_t program)
{
	struct tl_value v;
	char key[48];

	snprintf(key, sizeof key, TL_META_PROGRAM "%lld", (long long)program);
	if (!tl_trace_member(d->jax->trace, key, &d->arena, &v))
		return;
	const struct tl_value *computations = tl_value_list_member(&v, "computations");
	for (uint32_t c = 0; c < computations->len; c++) {
		const struct tl_value *list = tl_value_list_member(&computations->items[c], "instructions");
		for (uint32_t i = 0; i < list->len; i++)
			add_symbol(d, program, &list->items[i]);
	}
}

/* NULL: the program does not have the operation. */
static const struct symbol *symbol_of(struct deriving *d, int64_t program, uint32_t op)
{
	bool is_new;

	tl_map_put(&d->programs, (uint64_t)program, &is_new);
	if (is_new)
		read_program(d, program);
	const uint32_t *i = tl_map_get(&d->symbol_of, (uint64_t)program << 32 | op);
	return i ? &d->symbols[*i] : NULL;
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
	const struct symbol *s = symbol_of(d, program, add_operation(d, program, op));
	if (!s)
		return;
	add_framework_op(d, s->framework_op);
	if (s->source)
		add_levels(d, SOURCE, &s->source, 1);
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
	free(d.symbols);
	tl_map_release(&d.programs);
	tl_map_release(&d.symbol_of);
	tl_arena_release(&d.arena);
}
