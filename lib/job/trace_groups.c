/* trace_groups.c - the traces below a folder, a group for each folder that has some.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/trace_groups.h"

#include "base/merge_sort.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The absolute path without ".", ".." and double slashes, as the text says it. */
static char *absolute_path(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	struct tl_buf whole = { 0 }, out = { 0 };

	tl_buf_addf(&whole, "%s/%s", here ? here : "", path);
	free(here);
	for (char *p = whole.data; *p;) {
		size_t len = strcspn(p, "/");
		if (tl_text_is(p, len, "..")) {
			const char *slash = out.len ? strrchr(out.data, '/') : NULL;
			out.len = slash ? (size_t)(slash - out.data) : 0;
			if (out.data)
				out.data[out.len] = 0;
		} else if (len && !tl_text_is(p, len, ".")) {
			tl_buf_addc(&out, '/');
			tl_buf_add(&out, p, len);
		}
		p += len + (p[len] == '/');
	}
	if (!out.len)
		tl_buf_adds(&out, "/");
	tl_buf_release(&whole);
	return out.data;
}

/* Is the path that of a trace? name: its last part. */
static bool kept(const struct tl_group_options *o, const char *path, const char *name)
{
	size_t len = strlen(name), ext = strlen(o->extension);

	if (len < ext + 1 || name[len - ext - 1] != '.' || strcmp(name + len - ext, o->extension))
		return false;
	for (size_t i = 0; i < o->n_filters; i++)
		if (!strstr(path, o->filters[i]))
			return false;
	return true;
}

TL_ORDER(by_rank, struct tl_group_file, TL_ASC((uint64_t)x->rank /* none is the highest */) TL_BY(strcmp(a->name, b->name)))

void tl_trace_group_sort(struct tl_trace_group *g)
{
	tl_merge_sort(g->files, g->n, sizeof *g->files, by_rank, NULL);
}

char *tl_trace_group_folder(const struct tl_trace_group *g, const char *folder)
{
	return *g->below ? tl_join_path(folder, g->below) : tl_strdup(folder);
}

/* A folder before those in it, then by name: "/" is before all letters. */
static int in_tree_order(const void *a, const void *b)
{
	const char *x = ((const struct tl_trace_group *)a)->below, *y = ((const struct tl_trace_group *)b)->below;

	while (*x && *x == *y)
		x++, y++;
	return (*x == '/' ? 1 : (unsigned char)*x) - (*y == '/' ? 1 : (unsigned char)*y);
}

void tl_trace_groups_find(struct tl_trace_groups *out, const struct tl_group_options *o)
{
	struct tl_strtab folders = { 0 };
	struct tl_paths found;

	*out = (struct tl_trace_groups){ 0 };
	tl_path_glob(&found, &out->unread, o->base, "**/*", true);
	for (size_t i = 0; i < found.n; i++) {
		const char *path = found.items[i], *name = strrchr(path, '/') + 1, *below = path + strlen(o->base);
		struct stat st;
		if (!kept(o, path, name))
			continue;
		if (stat(path, &st)) {
			tl_path_add(&out->unread, path, strerror(errno));
			continue;
		}
		if (!S_ISREG(st.st_mode))
			continue;
		below += strspn(below, "/");
		uint32_t id = tl_intern(&folders, path, (size_t)(name - path));
		if (id > out->n) {
			char *folder = tl_strndup(path, (size_t)(name - path));
			TL_GROW(out->items, out->cap, id);
			out->items[out->n++] = (struct tl_trace_group){ .folder = absolute_path(folder),
				.below = tl_strndup(below, name > below ? (size_t)(name - below) - 1 : 0) };
			free(folder);
		}
		struct tl_trace_group *g = &out->items[id - 1];
		TL_PUSH(g->files, g->n, g->cap, (struct tl_group_file){ tl_strdup(name), o->rank_of(o->ctx, name), NULL });
	}
	for (size_t i = 0; i < out->n; i++)
		tl_trace_group_sort(&out->items[i]);
	if (out->n)
		qsort(out->items, out->n, sizeof *out->items, in_tree_order);
	tl_paths_release(&found);
	tl_strtab_release(&folders);
}

void tl_trace_groups_release(struct tl_trace_groups *out)
{
	for (size_t i = 0; i < out->n; i++) {
		for (size_t k = 0; k < out->items[i].n; k++) {
			free(out->items[i].files[k].name);
			free(out->items[i].files[k].part);
		}
		free(out->items[i].files);
		free(out->items[i].folder);
		free(out->items[i].below);
	}
	tl_paths_release(&out->unread);
	free(out->items);
}
