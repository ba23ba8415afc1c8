/* rank_traces.c - the traces of the ranks of a job.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/rank_traces.h"
#include "cli/path_glob.h"
#include "cli/step_files.h"

#include "base/regex.h"
#include "base/text.h"

#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(struct tl_rank_traces *t, const char *path, int64_t rank)
{
	TL_GROW(t->items, t->cap, t->n + 1);
	t->items[t->n++] = (struct tl_rank_trace){ tl_strdup(path), rank };
}

void tl_rank_traces_release(struct tl_rank_traces *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].path);
	free(t->items);
	*t = (struct tl_rank_traces){ 0 };
}

/* ---- the rank in a name ------------------------------------------------------------------- */

struct rank_regex { regex_t regex; size_t group; };

/* An expression of Python's as an extended one: \d and named groups are all that names of ranks
 * need. *group: the one called rank, else the first. */
static void translate(struct tl_buf *b, const char *s, size_t *group)
{
	size_t n = 0;
	bool in_set = false;

	*group = 1;
	for (; *s; s++) {
		if (*s == '\\' && s[1] == 'd') {
			tl_buf_adds(b, in_set ? "0-9" : "[0-9]");
			s++;
		} else if (*s == '\\' && s[1]) {
			if (!in_set)
				tl_buf_addc(b, '\\');
			tl_buf_addc(b, *++s);
		} else if (*s == '(' && !in_set) {
			tl_buf_addc(b, '(');
			n++;
			if (tl_starts_with(s, "(?P<rank>"))
				*group = n;
			if (tl_starts_with(s, "(?P<") && strchr(s, '>'))
				s = strchr(s, '>');
			else if (tl_starts_with(s, "(?:"))
				s += 2;
		} else {
			in_set = in_set ? *s != ']' : *s == '[';
			tl_buf_addc(b, *s);
		}
	}
}

/* In an extended expression '-' in a set stands at its end, '[' as it is: "[\[\-_/]". */
static void order_sets(struct tl_buf *b)
{
	for (char *p = b->data; (p = strchr(p, '[')); ) {
		char *end = strchr(p + 1, ']'), *dash = end ? memchr(p + 1, '-', (size_t)(end - p - 1)) : NULL;
		if (!end)
			return;
		bool range = dash && dash > p + 1 && tl_in_name(dash[-1]) && tl_in_name(dash[1]);
		if (dash && !range) {
			memmove(dash, dash + 1, (size_t)(end - dash - 1));
			end[-1] = '-';
		}
		p = end + 1;
	}
}

static void compile(struct rank_regex *r, const char *text)
{
	struct tl_buf b = { 0 };
	size_t weight = 0;
	const char *where;

	translate(&b, text, &r->group);
	order_sets(&b);
	const char *refused = tl_regex_refused(b.data, &weight, &where);
	if (refused)
		tl_die("--rank_regex '%s': %s", text, refused);
	if (regcomp(&r->regex, b.data, REG_EXTENDED))
		tl_die("--rank_regex '%s' is no regular expression", text);
	if (r->regex.re_nsub < r->group)
		tl_die("--rank_regex '%s' has no group for the rank", text);
	tl_buf_release(&b);
}

static int64_t search(const struct rank_regex *r, const char *text)
{
	regmatch_t m[10];
	int64_t rank = 0;

	if (r->group > 9 || regexec(&r->regex, text, 10, m, 0) || m[r->group].rm_so < 0)
		return -1;
	const char *s = text + m[r->group].rm_so, *end = text + m[r->group].rm_eo;
	if (s == end || end - s > 9)
		return -1;
	for (; s < end; s++) {
		if (!tl_is_digit(*s))
			return -1;
		rank = rank * 10 + (*s - '0');
	}
	return rank;
}

/* The rank in the file's name, else in its path; -1: none. */
static int64_t rank_of(const struct rank_regex *r, const char *path)
{
	const char *slash = strrchr(path, '/');
	int64_t rank = search(r, slash ? slash + 1 : path);

	return rank >= 0 ? rank : search(r, path);
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

static int by_rank(const void *a, const void *b)
{
	const struct tl_rank_trace *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

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

static void find_by_glob(struct tl_rank_traces *t, const struct tl_rank_traces_options *o, const struct rank_regex *r)
{
	bool *there = tl_calloc((size_t)o->world_size + 1, sizeof *there);
	struct tl_paths paths;
	size_t named = 0;

	tl_path_glob(&paths, o->glob);
	if (!paths.n)
		tl_die("no files matched --trace_glob: %s", o->glob);
	for (size_t i = 0; i < paths.n; i++) {
		int64_t rank = rank_of(r, paths.items[i]);
		named += rank >= 0;
		if (rank < 0 || rank >= o->world_size || there[rank])
			continue;
		there[rank] = true;
		add(t, paths.items[i], rank);
	}
	if (!named)
		tl_die("--trace_glob matched %zu file(s), but none matched --rank_regex '%s'", paths.n, o->rank_regex);
	say_missing(o, there);
	qsort(t->items, t->n, sizeof *t->items, by_rank);
	tl_paths_release(&paths);
	free(there);
}

static void take_operands(struct tl_rank_traces *t, const struct tl_rank_traces_options *o, const struct rank_regex *r)
{
	for (int i = 0; i < o->n_operands; i++) {
		int64_t rank = rank_of(r, o->operands[i]);
		add(t, o->operands[i], rank >= 0 && with_rank(t, rank) ? -1 : rank);
	}
}

void tl_find_rank_traces(struct tl_rank_traces *t, const struct tl_rank_traces_options *o)
{
	const char *star = o->pattern ? strchr(o->pattern, '*') : NULL;
	struct rank_regex r;

	*t = (struct tl_rank_traces){ 0 };
	compile(&r, o->rank_regex);
	if (!o->n_operands && o->world_size < 0)
		tl_die("world_size must be provided");
	if (o->dir) {
		char *before = tl_join_path(o->dir, "rank");
		find_numbered(t, o, before, strlen(before), "_trace.json");
		free(before);
	} else if (o->pattern) {
		if (!star || strchr(star + 1, '*'))
			tl_die("trace_pattern must contain exactly one '*' character as a placeholder for rank id");
		find_numbered(t, o, o->pattern, (size_t)(star - o->pattern), star + 1);
	} else if (o->glob) {
		find_by_glob(t, o, &r);
	} else {
		take_operands(t, o, &r);
	}
	regfree(&r.regex);
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
