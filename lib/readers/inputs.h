/* inputs.h - private to the readers: inputs made of inputs.
 * Each is a struct tl_input; free with its own function, which leaves the input
 * below alone.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_READERS_SOURCE_H
#define TL_READERS_SOURCE_H

#include "readers/readers.h"

/* `got` bytes (borrowed) first, then what `in` still has. */
struct tl_input *tl_prefix_new(struct tl_input *in, const void *got, size_t len);
void tl_prefix_free(struct tl_input *);

/* The decompressed bytes of a gzip file of any number of members, whose first
 * bytes are `got` (copied, at most 64 KB). Checksum and length of each member
 * are held against its data; anything else after a member is an error. */
struct tl_input *tl_gunzip_new(struct tl_input *in, const void *got, size_t len);
void tl_gunzip_free(struct tl_input *);

/* The same bytes, read ahead by a thread of its own. NULL if no thread could
 * be started. Freeing it ends the thread, wherever it is. */
struct tl_input *tl_ahead_new(struct tl_input *in);
void tl_ahead_free(struct tl_input *);

/* The readers behind tl_read. `in` gives the whole text. */
enum tl_status tl_pytorch_read(struct tl_input *in, const struct tl_read_options *,
                               struct tl_sink *sink, struct tl_read_report *, struct tl_error *err);

#endif
