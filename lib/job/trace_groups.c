/* trace_groups.c - the traces below a folder, a group for each folder that has some.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/trace_groups.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 200 };

/* A folder on the way from the base. */
struct level { const struct level *above; dev_t device; ino_t inode; int depth; };

struct search {
	const struct tl_group_options *o;
	struct tl_trace_groups *out;
};

static void note_unread(struct search *s, const char *path, const char *why)
{
	struct tl_trace_groups *g = s->out;
	struct tl_buf b = { 0 };

	tl_buf_addf(&b, "%s: %s", path, why);
	TL_GROW(g->unread, g->cap_unread, g->n_unread + 1);
	g->unread[g->n_unread++] = b.data;
}

/* ---- folders --------------------------------------------------------------------------- */

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

static bool kept(const struct search *s, const char *path, const char *name)
{
	size_t len = strlen(name), ext = strlen(s->o->extension);

	if (len < ext + 1 || name[len - ext - 1] != '.' || strcmp(name + len - ext, s->o->extension))
		return false;
	for (size_t i = 0; i < s->o->n_filters; i++)
		if (!strstr(path, s->o->filters[i]))
			return false;
	return true;
}

static void add_file(struct search *s, struct tl_trace_group *g, const char *name)
{
	TL_GROW(g->files, g->cap, g->n + 1);
	g->files[g->n++] = (struct tl_group_file){ tl_strdup(name), s->o->rank_of(s->o->ctx, name), NULL };
}

static int by_rank(const void *a, const void *b)
{
	const struct tl_group_file *x = a, *y = b;
	uint64_t rx = (uint64_t)x->rank, ry = (uint64_t)y->rank; /* none is the highest */

	return rx != ry ? (rx > ry) - (rx < ry) : strcmp(x->name, y->name);
}

void tl_trace_group_sort(struct tl_trace_group *g)
{
	if (g->n)
		qsort(g->files, g->n, sizeof *g->files, by_rank);
}

char *tl_trace_group_folder(const struct tl_trace_group *g, const char *folder)
{
	return *g->below ? tl_join_path(folder, g->below) : tl_strdup(folder);
}

static bool in_circle(const struct level *above, const struct stat *st)
{
	for (; above; above = above->above)
		if (above->device == st->st_dev && above->inode == st->st_ino)
			return true;
	return false;
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void search_folder(struct search *s, const char *folder, const struct level *above);

static void search_below(struct search *s, const char *path, const struct stat *st, const struct level *here)
{
	if (in_circle(here, st))
		note_unread(s, path, "a link to a folder that it is in");
	else if (here->depth >= MAX_DEPTH)
		note_unread(s, path, "the folders are nested too deeply");
	else
		search_folder(s, path, &(struct level){ here, st->st_dev, st->st_ino, here->depth + 1 });
}

/* Adds the group of this folder, then those of the folders in it. here: this folder. */
static void search_folder(struct search *s, const char *folder, const struct level *here)
{
	struct tl_trace_group g = { 0 };
	struct dirent **names;
	int n = scandir(folder, &names, visible, by_bytes);

	if (n < 0) {
		note_unread(s, folder, strerror(errno));
		return;
	}
	for (int pass = 0; pass < 2; pass++) { /* files, then folders */
		for (int i = 0; i < n; i++) {
			char *path = tl_join_path(folder, names[i]->d_name);
			struct stat st;
			bool there = !stat(path, &st);
			if (pass && there && S_ISDIR(st.st_mode))
				search_below(s, path, &st, here);
			else if (!pass && kept(s, path, names[i]->d_name) && (!there || S_ISREG(st.st_mode)))
				there ? add_file(s, &g, names[i]->d_name) : note_unread(s, path, strerror(errno));
			free(path);
		}
		if (!pass && g.n) {
			const char *below = folder + strlen(s->o->base);
			g.folder = absolute_path(folder);
			g.below = tl_strdup(below + strspn(below, "/"));
			tl_trace_group_sort(&g);
			TL_GROW(s->out->items, s->out->cap, s->out->n + 1);
			s->out->items[s->out->n++] = g;
		}
	}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

void tl_trace_groups_find(struct tl_trace_groups *out, const struct tl_group_options *o)
{
	struct search s = { .o = o, .out = out };
	struct stat st;

	memset(out, 0, sizeof *out);
	if (!stat(o->base, &st) && S_ISDIR(st.st_mode))
		search_folder(&s, o->base, &(struct level){ NULL, st.st_dev, st.st_ino, 0 });
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
	for (size_t i = 0; i < out->n_unread; i++)
		free(out->unread[i]);
	free(out->items);
	free(out->unread);
}
