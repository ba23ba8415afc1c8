/* path_sheets.h - the sheets of tl-path: what the length of a step, or of a trace, consists of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PATH_SHEETS_H
#define TL_PATH_SHEETS_H

#include "work/name_rules.h"
#include "path/graph.h"
#include "table/sheet_family.h"

struct tl_path;
/* Release nothing after an error; see tl_path_graph_make for what the trace must have. categories: of kernels; see struct
 * tl_faster_maker. Trace and rules must outlive the result. */
enum tl_status tl_path_new(struct tl_path **, struct tl_trace *, const struct tl_path_options *, struct tl_name_rules *categories,
                           struct tl_error *);
void tl_path_free(struct tl_path *);
const struct tl_path_graph *tl_path_graph_of(const struct tl_path *);

/* Asks for rows of path_what_if and path_then: text is [KIND:]NAME/K, as tl_faster_read has it, with its errors. */
enum tl_status tl_path_ask(struct tl_path *, const char *text, struct tl_error *);
/* Asks for what was asked until now at once, if that is more than one thing. */
void tl_path_ask_together(struct tl_path *);
/* Asks for the kernels and operators on the path, each taking no time: those with most time on it, no more than `most` (0: all).
 * Tells how many they are, how many are left, and what each of these would save at most. */
struct tl_path_rest { size_t asked, left; double at_most_ms; };
struct tl_path_rest tl_path_ask_all(struct tl_path *, int64_t most);

/* Made from a struct tl_path. */
extern const struct tl_sheet_family tl_path_sheets;

#endif
