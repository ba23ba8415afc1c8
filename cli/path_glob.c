/* path_glob.c - files by a pattern of their paths.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/path_glob.h"
#include "base/base.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 64 }; /* of folders: links may form a circle */

static void paths_add(struct tl_paths *p, const char *path)
{
	TL_GROW(p->items, p->cap, p->n + 1);
	p->items[p->n++] = tl_strdup(path);
}

void tl_paths_release(struct tl_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i]);
	free(p->items);
	*p = (struct tl_paths){ 0 };
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(*path ? path : ".", &st) && S_ISDIR(st.st_mode);
}

static char *joined(const char *folder, const char *name, size_t len)
{
	size_t n = strlen(folder);
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s%s%.*s", folder, n && folder[n - 1] != '/' ? "/" : "", (int)len, name);
	return b.data;
}

static void expand(struct tl_paths *, const char *path, const char *rest, int depth);

/* Goes on with each name of the folder: those that match (pattern), or each folder (NULL). */
static void expand_names(struct tl_paths *out, const char *folder, const char *pattern, const char *rest, int depth)
{
	DIR *d = opendir(*folder ? folder : ".");

	for (struct dirent *e; d && (e = readdir(d)); ) {
		if (e->d_name[0] == '.' && (!pattern || pattern[0] != '.' || !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")))
			continue;
		if (pattern && fnmatch(pattern, e->d_name, FNM_PERIOD | FNM_NOESCAPE))
			continue;
		char *path = joined(folder, e->d_name, strlen(e->d_name));
		if (pattern || is_folder(path))
			expand(out, path, rest, depth + 1);
		free(path);
	}
	if (d)
		closedir(d);
}

/* rest: what the pattern has behind the path. */
static void expand(struct tl_paths *out, const char *path, const char *rest, int depth)
{
	struct stat st;
	size_t len = strcspn(rest, "/");
	const char *next = rest + len + strspn(rest + len, "/");

	if (depth > MAX_DEPTH)
		return;
	if (!*rest) {
		if (!lstat(path, &st))
			paths_add(out, path);
	} else if (len == 2 && !memcmp(rest, "**", 2)) {
		expand(out, path, *next ? next : "*", depth);
		expand_names(out, path, NULL, rest, depth);
	} else if (strcspn(rest, "*?[") < len) {
		char *pattern = tl_strndup(rest, len);
		expand_names(out, path, pattern, next, depth);
		free(pattern);
	} else {
		char *longer = joined(path, rest, len);
		if (!*next || is_folder(longer))
			expand(out, longer, next, depth);
		free(longer);
	}
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tl_path_glob(struct tl_paths *out, const char *folder, const char *pattern)
{
	size_t kept = 0, root = strspn(pattern, "/");

	*out = (struct tl_paths){ 0 };
	expand(out, folder ? folder : root ? "/" : "", pattern + root, 0);
	if (out->n)
		qsort(out->items, out->n, sizeof *out->items, by_bytes);
	for (size_t i = 0; i < out->n; i++) {
		if (kept && !strcmp(out->items[i], out->items[kept - 1]))
			free(out->items[i]);
		else
			out->items[kept++] = out->items[i];
	}
	out->n = kept;
}
