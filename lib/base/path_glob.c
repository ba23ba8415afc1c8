/* path_glob.c - files by a pattern of their paths.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/path_glob.h"

#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A search: what it found; at which folders it went on with which part of the pattern; links to folders, which are followed
 * last, so that a folder in the tree has its own path. */
struct search {
	struct tl_paths *found, *unread;
	struct tl_strtab entered;
	struct link { char *path; const char *rest; } *links;
	size_t n_links, cap_links;
};

void tl_path_add(struct tl_paths *p, const char *path, const char *why)
{
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, why ? "%s: %s" : "%s", path, why);
	TL_GROW(p->items, p->cap, p->n + 1);
	p->items[p->n++] = b.data;
}

void tl_paths_release(struct tl_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i]);
	free(p->items);
	*p = (struct tl_paths){ 0 };
}

static bool is_folder(const char *path, struct stat *st)
{
	return !stat(*path ? path : ".", st) && S_ISDIR(st->st_mode);
}

/* Is "**" with what follows it new here? Two paths may lead to one folder, and links may form a circle. */
static bool enter(struct search *s, const char *folder, const char *rest)
{
	struct stat st;
	const uint32_t before = s->entered.count;

	if (!is_folder(folder, &st))
		return false;
	const uint64_t key[] = { st.st_dev, st.st_ino, (uintptr_t)rest };
	return tl_intern(&s->entered, (const char *)key, sizeof key) > before;
}

static char *joined(const char *folder, const char *name, size_t len)
{
	size_t n = strlen(folder);
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s%s%.*s", folder, n && folder[n - 1] != '/' ? "/" : "", (int)len, name);
	return b.data;
}

static void expand(struct search *, const char *path, const char *rest);

/* "**": goes on with the same part of the pattern in a folder; path: what is in the folder above. */
static void expand_below(struct search *s, const char *path, const char *rest)
{
	struct stat st;

	if (!is_folder(path, &st))
		return;
	if (!lstat(path, &st) && S_ISLNK(st.st_mode)) {
		TL_GROW(s->links, s->cap_links, s->n_links + 1);
		s->links[s->n_links++] = (struct link){ tl_strdup(path), rest };
	} else {
		expand(s, path, rest);
	}
}

/* Goes on with each name of the folder that matches (pattern), or below each folder (NULL). */
static void expand_names(struct search *s, const char *folder, const char *pattern, const char *rest)
{
	struct dirent **names;
	int n = scandir(*folder ? folder : ".", &names, NULL, alphasort);

	if (n < 0 && !pattern)
		tl_path_add(s->unread, *folder ? folder : ".", strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		bool hidden = name[0] == '.' && (!pattern || pattern[0] != '.' || !strcmp(name, ".") || !strcmp(name, ".."));
		if (!hidden && (!pattern || !fnmatch(pattern, name, FNM_PERIOD | FNM_NOESCAPE))) {
			char *path = joined(folder, name, strlen(name));
			(pattern ? expand : expand_below)(s, path, rest);
			free(path);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

/* rest: what the pattern has behind the path. */
static void expand(struct search *s, const char *path, const char *rest)
{
	struct stat st;
	size_t len = strcspn(rest, "/");
	const char *next = rest + len + strspn(rest + len, "/");

	if (!*rest) {
		if (!lstat(path, &st))
			tl_path_add(s->found, path, NULL);
	} else if (len == 2 && !memcmp(rest, "**", 2)) {
		if (enter(s, path, rest)) {
			expand(s, path, *next ? next : "*");
			expand_names(s, path, NULL, rest);
		}
	} else if (strcspn(rest, "*?[") < len) {
		char *pattern = tl_strndup(rest, len);
		expand_names(s, path, pattern, next);
		free(pattern);
	} else {
		char *longer = joined(path, rest, len);
		if (!*next || is_folder(longer, &st))
			expand(s, longer, next);
		free(longer);
	}
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tl_path_glob(struct tl_paths *out, struct tl_paths *unread, const char *folder, const char *pattern)
{
	struct search s = { .found = out, .unread = unread };
	size_t root = strspn(pattern, "/");

	*out = *unread = (struct tl_paths){ 0 };
	expand(&s, folder ? folder : root ? "/" : "", pattern + root);
	for (size_t i = 0; i < s.n_links; i++) { /* there may come more */
		expand(&s, s.links[i].path, s.links[i].rest);
		free(s.links[i].path);
	}
	free(s.links);
	tl_strtab_release(&s.entered);
	if (out->n)
		qsort(out->items, out->n, sizeof *out->items, by_bytes);
}
