/* categories.h - the category of a kernel, by rules about its name.
 *
 * A struct tl_kcat holds rules that tl_kcat_add has read from tables. The
 * comment at the top of kernel-categories.tsv and tl-kcat(1) describe a table.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNEL_CATEGORIES_H
#define TL_KERNEL_CATEGORIES_H

#include "base/base.h"

#define TL_KCAT_MAX_TABLE (1 << 18) /* bytes of one table */

struct tl_kcat;

/* Without rules; with those of kernel-categories.tsv; with those of
 * kernel-work.tsv. The caller frees what these return with tl_kcat_free. */
struct tl_kcat *tl_kcat_new(void);
struct tl_kcat *tl_kcat_new_categories(void);
struct tl_kcat *tl_kcat_new_work(void);
void tl_kcat_free(struct tl_kcat *);

/* Adds the rules of a table. A rule goes before the rules of the same priority
 * in tables added earlier, so that a user's table overrides the built-in one.
 * A mistake gives TL_ERR_DATA and adds nothing; the error's text names the table
 * (`name`), the line and the column. */
enum tl_status tl_kcat_add(struct tl_kcat *, const char *name, const char *text,
                           size_t len, struct tl_error *err);

/* The category that the first matching rule gives; "Uncategorized" if none
 * matches. Each distinct name is matched once, later calls look the answer up.
 * The text lives as long as the tl_kcat does. */
const char *tl_kcat_of(struct tl_kcat *, const char *name, size_t len);

#endif
