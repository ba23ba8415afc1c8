/* categories.h - kernel categories by name, from a rule table.
 *
 * A struct tl_kcat owns its rules and remembers the answer for every distinct
 * name it was asked; texts it returns live as long as it does. The table's
 * format is described at the top of kernel-categories.tsv and in tl-kcat(1).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KCAT_H
#define TL_KCAT_H

#include "base/base.h"

#define TL_KCAT_MAX_TABLE (1 << 18) /* bytes of one table */

struct tl_kcat;

/* With builtin: the rules that are compiled in; else none. */
struct tl_kcat *tl_kcat_new(bool builtin);
void tl_kcat_free(struct tl_kcat *);

/* Adds the rules of a table. Of rules with the same priority those added later
 * come first, so a user's table overrides what is there. On a mistake returns
 * TL_ERR_DATA with file (`name`), line and column in the text; nothing is added
 * then. */
enum tl_status tl_kcat_add(struct tl_kcat *, const char *name, const char *text,
                           size_t len, struct tl_error *err);

/* The category of a kernel name; "Uncategorized" when no rule matches. */
const char *tl_kcat_of(struct tl_kcat *, const char *name, size_t len);

/* Categories in ascending order of their rules; NULL past the end. */
const char *tl_kcat_rule(struct tl_kcat *, size_t i);

#endif
