/* rank_traces.c - the traces of the ranks of a job.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/rank_traces.h"
#include "base/base.h"
#include "base/map.h"
#include "base/merge_sort.h"
#include "base/path_glob.h"
#include "base/pattern.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- rank traces ----------------------------------------------------------------- */

static void add(struct tl_rank_traces *t, const char *path, int64_t rank)
{
	TL_PUSH(t->items, t->n, t->cap, (struct tl_rank_trace){ tl_strdup(path), rank });
}

void tl_rank_traces_release(struct tl_rank_traces *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].path);
	free(t->items);
	*t = (struct tl_rank_traces){ 0 };
}

/* ---- the rank in a name ------------------------------------------------------------------- */

enum { MAX_DIGITS = 18 };

struct tl_rank_regex { struct tl_pattern pattern; uint32_t group; };

struct tl_rank_regex *tl_rank_regex_new(const char *option, const char *text)
{
	struct tl_rank_regex *r = tl_calloc(1, sizeof *r);
	char why[200];

	if (!tl_pattern_compile(&r->pattern, text, 0, NULL, why))
		tl_usage("%s '%s' is no regular expression: %s", option, text, why);
	if (!tl_pattern_groups(&r->pattern))
		tl_usage("%s '%s' has no group (...) for the rank", option, text);
	r->group = tl_pattern_group_named(&r->pattern, "rank");
	r->group += !r->group;
	return r;
}

void tl_rank_regex_free(struct tl_rank_regex *r)
{
	tl_pattern_release(&r->pattern);
	free(r);
}

int64_t tl_rank_of_text(const char *s, const char *end)
{
	int64_t rank = 0;

	if (s == end)
		return -1;
	while (s < end - 1 && *s == '0')
		s++;
	if (end - s > MAX_DIGITS)
		return -1;
	for (; s < end; s++) {
		if (!tl_is_digit(*s))
			return -1;
		rank = rank * 10 + (*s - '0');
	}
	return rank <= INT32_MAX ? rank : -1; /* no rank is so large: it is a time, or another number */
}

int64_t tl_rank_in(const struct tl_rank_regex *r, const char *text)
{
	const char *rank;
	size_t len;

	return tl_pattern_group(&r->pattern, text, strlen(text), r->group, &rank, &len) ? tl_rank_of_text(rank, rank + len) : -1;
}

int64_t tl_rank_of_path(const struct tl_rank_regex *r, const char *path)
{
	const char *slash = strrchr(path, '/');
	int64_t rank = tl_rank_in(r, slash ? slash + 1 : path);

	return rank >= 0 ? rank : tl_rank_in(r, path);
}

/* ---- whose rank counts ---------------------------------------------------------------------- */

int64_t tl_rank_chosen(const char *trace, int64_t told, int64_t named, int64_t world)
{
	if (told >= 0 || named < 0)
		return told;
	if (world > 0 && named >= world) {
		if (trace)
			tl_warn("%s: %" PRId64 " in its name is no rank: there are %" PRId64 " ranks", trace, named, world);
		return -1;
	}
	return named;
}

/* Are two of the ranks the same? by_name: of those that names tell, else of those that count. One that is not known is none. */
static bool any_twice(const struct tl_rank_claim *c, size_t n, bool by_name)
{
	struct tl_map seen = { 0 };
	bool twice = false;

	for (size_t i = 0; i < n; i++) {
		int64_t rank = by_name && c[i].named >= 0 ? c[i].named : *c[i].rank;
		if (rank >= 0)
			twice |= (*tl_map_put(&seen, (uint64_t)rank, NULL))++ > 0;
	}
	tl_map_release(&seen);
	return twice;
}

void tl_ranks_settle(struct tl_rank_claim *c, size_t n)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		known += *c[i].rank >= 0;
	if (n && !known) {
		tl_warn("neither the traces nor their names tell ranks: they are numbered by their order, from %s", c[0].trace);
		for (size_t i = 0; i < n; i++)
			*c[i].rank = (int64_t)i;
	} else if (any_twice(c, n, false) && !any_twice(c, n, true)) {
		tl_warn("traces say that they are of one and the same rank: the numbers in their names are taken, from %s", c[0].trace);
		for (size_t i = 0; i < n; i++)
			*c[i].rank = c[i].named >= 0 ? c[i].named : *c[i].rank;
	}
	for (size_t i = 0; i < n && known; i++)
		if (c[i].named >= 0 && *c[i].rank >= 0 && c[i].named != *c[i].rank)
			tl_warn("%s: the trace says that it is of rank %" PRId64 ", its name %" PRId64 ": what the trace says is taken", c[i].trace, *c[i].rank, c[i].named);
}

/* ---- ways to name traces -------------------------------------------------------------------- */

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

/* BEFORE, the rank, BEHIND */
static void find_numbered(struct tl_rank_traces *t, const struct tl_rank_traces_options *o, const char *before, size_t len,
                          const char *behind)
{
	struct tl_buf path = { 0 };

	for (int64_t rank = 0; rank < o->world_size; rank++) {
		tl_buf_clear(&path);
		tl_buf_add(&path, before, len);
		tl_buf_addf(&path, "%" PRId64 "%s", rank, behind);
		if (is_file(path.data))
			add(t, path.data, rank);
		else if (o->lenient)
			tl_warn("rank %" PRId64 " is missing: no file %s", rank, path.data);
		else
			tl_die("expected trace file not found: %s", path.data);
	}
	tl_buf_release(&path);
}

static const struct tl_rank_trace *with_rank(const struct tl_rank_traces *t, int64_t rank)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->items[i].rank == rank)
			return &t->items[i];
	return NULL;
}

TL_ORDER(by_rank, struct tl_rank_trace, TL_ASC(x->rank))

static void say_missing(const struct tl_rank_traces_options *o, const bool *there)
{
	struct tl_buf b = { 0 };
	int64_t missing = 0;

	for (int64_t rank = 0; rank < o->world_size; rank++)
		if (!there[rank] && missing++ < 20)
			tl_buf_addf(&b, "%s%" PRId64, b.len ? ", " : "", rank);
	if (missing > 20)
		tl_buf_adds(&b, ", ...");
	if (missing && !o->lenient)
		tl_die("--trace_glob: missing ranks: %s; all of 0 to %" PRId64 " are needed (--lenient goes on without)", b.data,
		       o->world_size - 1);
	if (missing)
		tl_warn("missing ranks: %s", b.data);
	tl_buf_release(&b);
}

static void find_by_glob(struct tl_rank_traces *t, const struct tl_rank_traces_options *o, const struct tl_rank_regex *r)
{
	bool *there = tl_calloc((size_t)o->world_size + 1, sizeof *there);
	struct tl_paths paths;
	size_t named = 0;

	tl_find_files(&paths, NULL, o->glob);
	if (!paths.n)
		tl_die("no files matched --trace_glob: %s", o->glob);
	for (size_t i = 0; i < paths.n; i++) {
		int64_t rank = tl_rank_of_path(r, paths.items[i]);
		named += rank >= 0;
		if (rank < 0 || rank >= o->world_size || there[rank])
			continue;
		there[rank] = true;
		add(t, paths.items[i], rank);
	}
	if (!named && !strcmp(o->rank_regex, TL_RANK_REGEX)) { /* as the files of torch.profiler: the traces may tell */
		for (size_t i = 0; i < paths.n; i++)
			add(t, paths.items[i], -1);
		if ((int64_t)paths.n != o->world_size)
			tl_warn("--trace_glob matched %zu file(s), --world_size says %" PRId64 " ranks", paths.n, o->world_size);
	} else if (!named) {
		tl_die("--trace_glob matched %zu file(s), but none matched --rank_regex '%s'", paths.n, o->rank_regex);
	} else {
		say_missing(o, there);
		tl_merge_sort(t->items, t->n, sizeof *t->items, by_rank, NULL);
	}
	tl_paths_release(&paths);
	free(there);
}

void tl_find_rank_traces(struct tl_rank_traces *t, const struct tl_rank_traces_options *o)
{
	const char *star = o->pattern ? strchr(o->pattern, '*') : NULL;
	struct tl_rank_regex *r = tl_rank_regex_new("--rank_regex", o->rank_regex);

	*t = (struct tl_rank_traces){ 0 };
	if (!o->n_operands && o->world_size < 0)
		tl_die("world_size must be provided: --world_size N");
	if (o->dir) {
		char *before = tl_join_path(o->dir, "rank");
		find_numbered(t, o, before, strlen(before), "_trace.json");
		free(before);
	} else if (o->pattern) {
		if (!star || strchr(star + 1, '*'))
			tl_die("trace_pattern must contain exactly one '*' character as a placeholder for rank id");
		find_numbered(t, o, o->pattern, (size_t)(star - o->pattern), star + 1);
	} else if (o->glob) {
		find_by_glob(t, o, r);
	} else {
		for (int i = 0; i < o->n_operands; i++) {
			int64_t rank = tl_rank_of_path(r, o->operands[i]);
			add(t, o->operands[i], rank >= 0 && with_rank(t, rank) ? -1 : rank);
		}
	}
	tl_rank_regex_free(r);
}

/* ---- their folder ----------------------------------------------------------------------------- */

static char *absolute(const char *path)
{
	char *folder = getcwd(NULL, 0);
	char *whole = *path == '/' || !folder ? tl_strdup(path) : tl_join_path(folder, path);

	free(folder);
	return whole;
}

char *tl_folder_of_traces(const struct tl_rank_traces *t, const struct tl_rank_traces_options *o)
{
	size_t n = o->pattern && t->n > 2 ? 2 : t->n;

	if (o->dir)
		return tl_strdup(o->dir);
	char *common = absolute(t->items[0].path);
	char *slash = strrchr(common, '/');
	slash[slash == common] = '\0';
	for (size_t i = 1; i < n; i++) {
		char *path = absolute(t->items[i].path);
		for (size_t len; len = strlen(common), len > 1 && (strncmp(path, common, len) || path[len] != '/'); ) {
			slash = strrchr(common, '/');
			slash[slash == common] = '\0';
		}
		free(path);
	}
	return common;
}
