/* perf.h - performance models: operators, models, and what an event did.
 *
 * A registry is read from text tables (tl-models(5)): the built-in ones first,
 * then the user's, which add to them or replace by name. It answers which
 * category an operator has and which model it follows, and evaluates models.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_H
#define TL_PERF_H

#include "base/base.h"
#include "value/value.h"

struct tl_registry;

/* A registry with the built-in tables. TL_ERR_DATA names table, line and
 * column of a mistake. *out is NULL unless TL_OK; free with tl_registry_free. */
enum tl_status tl_registry_new(struct tl_registry **out, struct tl_error *);
void tl_registry_free(struct tl_registry *);
/* Adds a user's table; `name` is used in messages and copied. An operator or
 * model defined again takes the new definition and keeps its place. */
enum tl_status tl_registry_add(struct tl_registry *, const char *name,
                               const char *text, size_t len, struct tl_error *);

/* Category of an operator name (never NULL, lives as long as the registry):
 * a category line, the category of its model, a prefix rule, then by the name
 * of the first kernel of its launcher (NULL: none), else "other". */
const char *tl_op_category(const struct tl_registry *, const char *name, const char *kernel0);

#endif
