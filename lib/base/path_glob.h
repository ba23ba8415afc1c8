/* path_glob.h - files by a pattern of their paths.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PATH_GLOB_H
#define TL_PATH_GLOB_H

#include <stdbool.h>
#include <stddef.h>

struct tl_paths { char **items; size_t n, cap; };
/* The paths below a folder that match, sorted by their bytes. folder: NULL: the pattern is a whole path. In the pattern
 * '*', '?' and '[...]' stand for parts of a name, and a whole "**" for any number of folders. Names that begin with a point are
 * matched only by patterns that do. "**" searches a folder once, whatever links lead to it; unread: folders that it could not
 * search, as "PATH: why". aliases: of a folder that was searched, its own files stand again below each link to it that leads to no
 * folder which the link is in. The caller releases both. */
void tl_path_glob(struct tl_paths *, struct tl_paths *unread, const char *folder, const char *pattern, bool aliases);
/* Adds a path, and why it stands there if that is not NULL. */
void tl_path_add(struct tl_paths *, const char *path, const char *why);
void tl_paths_release(struct tl_paths *);

#endif
