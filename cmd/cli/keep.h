/* keep.h - what a part of the work says and makes, kept in a file until its turn to be told.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KEEP_H
#define TL_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_kept {
	TL_KEPT_WARNING, TL_KEPT_NOTE, TL_KEPT_DETAIL, TL_KEPT_ERROR, TL_KEPT_USAGE, TL_KEPT_GIVEN_UP, /* texts of messages.c */
	TL_KEPT_END, /* an int: the status with which the program is to end */
	TL_KEPT_SHEET, TL_KEPT_SHEET_TEXT, TL_KEPT_FILE /* of choose_sheets.c */
};
/* Precedes the data in the file. */
struct tl_kept_head { uint32_t kind, unused; uint64_t len; };

/* From now on all is kept in this file; -1: it is told at once. */
void tl_keep_in(int fd);
/* The file; -1: there is none. */
int tl_keeps_in(void);
/* Is something kept? Then whoever is to tell anything calls tl_keep. */
bool tl_keeps(void);
/* False, with errno: it cannot be written, and nothing is kept from now on. */
bool tl_keep(enum tl_kept, const void *data, size_t len);

#endif
