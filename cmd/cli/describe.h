/* describe.h - tells people and programs what sheets are.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DESCRIBE_H
#define TL_DESCRIBE_H

/* Prints what the sheet's columns are; NULL: which sheets there are. format: "text", "tsv" or "json"; NULL: text on a terminal, else
 * tsv. A name that no sheet has is wrong usage. */
void tl_describe_sheets(const char *sheet, const char *format);

#endif
