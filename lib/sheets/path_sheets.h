/* path_sheets.h - the sheets of tl-path: what the length of a step, or of a trace, consists of.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PATH_SHEETS_H
#define TL_PATH_SHEETS_H

#include "path/graph.h"
#include "sheets/sheet_list.h"

struct tl_path;
/* Release nothing after an error; see tl_path_graph_make for what the trace must have. The trace must outlive the result. */
enum tl_status tl_path_new(struct tl_path **, struct tl_trace *, const struct tl_path_options *, struct tl_error *);
void tl_path_free(struct tl_path *);
const struct tl_path_graph *tl_path_graph_of(const struct tl_path *);

/* Asks for rows of path_what_if: text is NAME/K, what is K times faster; K inf: it takes no time. NAME is a bound, a device event, or
 * a host event with all that the host does in it. TL_ERR_USAGE: it is not of that form, or the window has no time of that name. */
enum tl_status tl_path_ask(struct tl_path *, const char *text, struct tl_error *);
/* Asks for every operator and device event on the path, taking no time. */
void tl_path_ask_all(struct tl_path *);

/* Made from a struct tl_path. */
extern const struct tl_sheet_family tl_path_sheets;

#endif
