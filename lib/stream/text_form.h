/* text_form.h - marks of the text form that its writer and reader share.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TEXT_FORM_H
#define TL_TEXT_FORM_H

#include "stream/stream.h"

#define TEXT_EMPTY "\\e" /* an empty string where an empty column means none */

/* No line is longer: four bytes an escaped byte of the longest string. */
#define TEXT_MAX_LINE ((size_t)4 * TL_STREAM_MAX_STRING + (1u << 20))

/* Columns of an event line before its fields. */
enum {
	COL_RECORD, COL_UID, COL_KIND, COL_TS, COL_DUR, COL_PID, COL_TID,
	COL_CAT, COL_PH, COL_NAME, COL_FLAGS, COL_FIXED
};

/* The letters of a field's type: [top][type]. */
extern const char tl_text_types[2][4];

/* Letters of the flags column; what is not there follows from the columns. */
#define TEXT_INT_TS 't'
#define TEXT_INT_DUR 'd'
#define TEXT_ARGS 'a'
#define TEXT_NAME_DIFFERS 'n'

#endif
