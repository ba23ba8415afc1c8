/* made_sheets.h - the sheets of a trace, made by tl-sheets in a folder for a while.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MADE_SHEETS_H
#define TL_MADE_SHEETS_H

#include <stdbool.h>

/* Runs the tl-sheets beside this program, else that of the environment, on a trace, and returns
 * the folder of its sheets in TSV. If it fails, the program ends. Signals that end the program
 * wait until tl_drop_sheets, so that no folder stays behind. options: further words of tl-sheets,
 * up to a NULL. */
const char *tl_make_sheets(const char *trace, const char *const *options);
/* Removes that folder. To be called before the next tl_make_sheets. */
void tl_drop_sheets(void);

#endif
