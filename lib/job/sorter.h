/* sorter.h - sorts any number of records in bounded memory. What does not fit is in temporary files without names in
 * $TMPDIR (or /tmp), so nothing is left of them however the program ends.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SORTER_H
#define TL_SORTER_H

#include "base/base.h"

struct tl_sorter *tl_sorter_new(void);
void tl_sorter_free(struct tl_sorter *); /* NULL is allowed */

/* Adds a record. Records come back in the order of their keys, which are compared as bytes;
 * those with equal keys in the order in which they were added. TL_ERR_IO: a temporary file
 * cannot be written. */
enum tl_status tl_sorter_add(struct tl_sorter *, const void *key, size_t key_len, const void *data, size_t len,
                             struct tl_error *);

/* The next record; *data is valid until the next call, and NULL after the last record. After
 * the first call no record may be added. */
struct tl_sorted { const void *key, *data; size_t key_len, len; };
enum tl_status tl_sorter_next(struct tl_sorter *, struct tl_sorted *, struct tl_error *);
/* The first record becomes the next one again. */
void tl_sorter_rewind(struct tl_sorter *);

/* Adds to a key: a text, so that a text sorts before those that it begins; a number, so that
 * keys sort as numbers do. */
void tl_key_add_text(struct tl_buf *key, const char *s, size_t len);
void tl_key_add_int(struct tl_buf *key, int64_t);
void tl_key_add_real(struct tl_buf *key, double); /* not NaN */

#endif
