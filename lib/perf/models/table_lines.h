/* table_lines.h - reading tables into a registry. Private to lib/perf.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_TABLE_H
#define TL_PERF_TABLE_H

#include "perf/models/model.h"
#include "base/text.h"

enum { TL_BUILT_IN = 2 }; /* the first sources; they are without mistakes */

/* ---- fields of lines: fields.c ------------------------------------------------ */

struct tl_field { const char *s; size_t len, pos; };
/* The next field of a line: up to a blank, or between double quotes. */
bool tl_field_next(struct tl_cursor *, struct tl_field *);
enum tl_status tl_field_need(struct tl_cursor *, struct tl_field *, const char *what);
/* A category is a cell of sheets and the name of a bar in charts: text. */
enum tl_status tl_field_category(const struct tl_registry *, struct tl_cursor *, struct tl_field *);
enum tl_status tl_line_done(struct tl_cursor *);

static inline bool tl_field_is(const struct tl_field *f, const char *word)
{
	return tl_text_is(f->s, f->len, word);
}

static inline uint32_t tl_field_intern(struct tl_registry *r, const struct tl_field *f)
{
	return tl_intern(&r->strings, f->s, f->len);
}

/* ---- lines: read_table.c, maps.c, families.c ----------------------------------- */

/* Reads the lines of source `in`; what they hold is compiled later. */
enum tl_status tl_table_read(struct tl_registry *, uint32_t in, struct tl_error *);
/* Sets the value of a key, which a map line gives as text. */
enum tl_status tl_registry_set(struct tl_registry *, const struct tl_cursor *, const struct tl_field *map, struct tl_field *key,
                               const struct tl_field *value);
/* A family names sheets, and with them files: NAME, NAME_fwd, NAME_kl_overlap … */
enum tl_status tl_family_check(const struct tl_cursor *, size_t pos, const char *s, size_t n);
/* The family that an operator's model is of: the one it names, or that of its category. */
uint32_t tl_family_of(struct tl_registry *, const struct tl_model *);
/* Adds an operator's family to those that the registry has. */
enum tl_status tl_family_add(struct tl_registry *, const struct tl_op *, struct tl_error *);

#endif
