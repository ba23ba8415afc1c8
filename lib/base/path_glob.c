/* path_glob.c - files by a pattern of their paths.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/path_glob.h"

#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
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
	TL_PUSH(p->items, p->n, p->cap, b.data);
}

void tl_paths_release(struct tl_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i]);
	free(p->items);
	*p = (struct tl_paths){ 0 };
}

/* Is "**" with what follows it new here? Two paths may lead to one folder, and links may form a circle. */
static bool enter(struct search *s, const char *folder, const char *rest)
{
	struct stat st;
	const uint32_t before = s->entered.count;

	if (stat(*folder ? folder : ".", &st) || !S_ISDIR(st.st_mode))
		return false;
	const uint64_t key[] = { st.st_dev, st.st_ino, (uintptr_t)rest };
	return tl_intern(&s->entered, (const char *)key, sizeof key) > before;
}

static void expand(struct search *, char *path, const char *rest);

/* Goes on with each name of the folder that matches; rest: what the pattern has behind that; below: "**" has found the folder. */
static void expand_names(struct search *s, const char *folder, const char *pattern, const char *rest, bool below)
{
	struct dirent **names;
	struct stat st;
	int n = scandir(*folder ? folder : ".", &names, NULL, alphasort);

	if (n < 0 && below)
		tl_path_add(s->unread, *folder ? folder : ".", strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		if (strcmp(name, ".") && strcmp(name, "..") && !fnmatch(pattern, name, FNM_PERIOD | FNM_NOESCAPE)) {
			char *path = tl_join_path(folder, name);
			if (below && !lstat(path, &st) && S_ISLNK(st.st_mode)) {
				TL_PUSH(s->links, s->n_links, s->cap_links, (struct link){ path, rest });
			} else {
				expand(s, path, rest);
			}
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

/* Takes the path. rest: what the pattern has behind it. */
static void expand(struct search *s, char *path, const char *rest)
{
	struct stat st;
	size_t len = strcspn(rest, "/");
	const char *next = rest + len + strspn(rest + len, "/");
	char *part = tl_strndup(rest, len);

	if (!*rest) {
		if (!lstat(path, &st))
			tl_path_add(s->found, path, NULL);
	} else if (!strcmp(part, "**")) {
		if (enter(s, path, rest)) {
			expand(s, tl_strdup(path), *next ? next : "*");
			expand_names(s, path, "*", rest, true);
		}
	} else if (strpbrk(part, "*?[")) {
		expand_names(s, path, part, next, false);
	} else {
		expand(s, tl_join_path(path, part), next);
	}
	free(part);
	free(path);
}

/* Does the link lead to a folder that it is in? */
static bool leads_up(const char *link)
{
	char *above = tl_strdup(link), *slash = strrchr(above, '/');

	if (slash)
		*slash = '\0';
	char *from = realpath(slash ? above : ".", NULL), *to = realpath(link, NULL);
	size_t n = to ? strlen(to) : 0;
	bool up = from && to && !strncmp(from, to, n) && (!from[n] || from[n] == '/');

	free(above);
	free(from);
	free(to);
	return up;
}

/* Searches below a link. aliases: see tl_path_glob. */
static void follow(struct search *s, struct link link, bool aliases)
{
	const uint32_t before = s->entered.count;
	const char *next = link.rest + 2 + strspn(link.rest + 2, "/"); /* behind "**" */
	char *path = tl_strdup(link.path);

	expand(s, link.path, link.rest);
	if (aliases && s->entered.count == before && !leads_up(path))
		expand(s, tl_strdup(path), *next ? next : "*");
	free(path);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tl_path_glob(struct tl_paths *out, struct tl_paths *unread, const char *folder, const char *pattern, bool aliases)
{
	struct search s = { .found = out, .unread = unread };
	size_t root = strspn(pattern, "/");

	*out = *unread = (struct tl_paths){ 0 };
	expand(&s, tl_strdup(folder ? folder : root ? "/" : ""), pattern + root);
	for (size_t i = 0; i < s.n_links; i++) /* there may come more */
		follow(&s, s.links[i], aliases);
	free(s.links);
	tl_strtab_release(&s.entered);
	if (out->n)
		qsort(out->items, out->n, sizeof *out->items, by_bytes);
}
