/* read_ahead.h - an input that a second thread reads while the caller works on what was read before.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_READ_AHEAD_H
#define TL_READ_AHEAD_H

#include "base/io.h"

/* Gives the bytes of `in`, and its error in its place. The thread starts once so much was read that it pays, if
 * there is one to be had; from then on it alone calls in->read(), which should therefore return soon: the end
 * waits for it. tl_read_ahead_free does not free `in`. */
struct tl_input *tl_read_ahead_new(struct tl_input *in);
void tl_read_ahead_free(struct tl_input *);

#endif
