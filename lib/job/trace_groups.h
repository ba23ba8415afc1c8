/* trace_groups.h - the traces below a folder, a group for each folder that has some.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TRACE_GROUPS_H
#define TL_TRACE_GROUPS_H

#include "base/base.h"
#include "base/path_glob.h"

struct tl_group_options {
	const char *base;           /* the folder; what is below it is searched, too */
	const char *extension;      /* without the dot */
	const char *const *filters; /* all of these occur in the path of a trace, as it is formed from base */
	size_t n_filters;
	int64_t (*rank_of)(const void *ctx, const char *name); /* the rank in a file's name; -1: none */
	const void *ctx;
};

struct tl_group_file {
	char *name;                 /* without folder */
	int64_t rank;               /* that its name tells; -1: none */
	char *part;                 /* for the caller, who sets it; freed with the others */
};
struct tl_trace_group {
	char *folder;               /* absolute */
	char *below;                /* its path below the base, "" for the base itself */
	struct tl_group_file *files; size_t n, cap; /* by rank, then by name; those without a rank come last */
};
struct tl_trace_groups {
	struct tl_trace_group *items; size_t n, cap; /* a folder before those in it, else by name */
	struct tl_paths unread;     /* folders that could not be read, links to nothing: "PATH: why" */
};

/* Finds the traces. Names that begin with a dot are passed over, links to folders are
 * followed; a folder is searched once. */
void tl_trace_groups_find(struct tl_trace_groups *, const struct tl_group_options *);
void tl_trace_groups_release(struct tl_trace_groups *);

/* Orders the files of a group by their ranks; to be called when ranks were found out. */
void tl_trace_group_sort(struct tl_trace_group *);

/* The place of the group's files in a folder for all groups; the caller frees it. */
char *tl_trace_group_folder(const struct tl_trace_group *, const char *folder);

#endif
