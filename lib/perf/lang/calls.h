/* calls.h - lines of an account: an expression with its values, and the calls of
 * definitions that were noted. Private to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_CALLS_H
#define TL_PERF_CALLS_H

#include "perf/lang/expr.h"

/* "name = expression", and below it with values put in, and the value; lines
 * that would say the same again are left out. */
void tl_line_show(struct tl_buf *, const struct tl_eval *, int indent, const char *name, const struct tl_node *,
                  const struct tl_value *);

/* Lines about calls, each once, in the order in which they came to an end. */
enum { TL_MAX_CALLS = 64 };
struct tl_call_log { char *lines[TL_MAX_CALLS]; size_t n, notes; bool more; };
/* To be called when a definition's body has been evaluated, with its parameters
 * still bound; NULL: it failed. Needs e->calls. */
void tl_eval_note_call(struct tl_eval *, const struct tl_expr_def *, const struct tl_value *result);
/* Writes the lines, the outermost call first, and empties the log. */
void tl_calls_show(struct tl_buf *, struct tl_call_log *);

#endif
