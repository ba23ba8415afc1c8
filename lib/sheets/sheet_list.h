/* sheet_list.h - the list of all sheets. Help, lists of sheets, reserved names, the plan of a report and the
 * tests of the manual read it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHEET_LIST_H
#define TL_SHEET_LIST_H

#include "table/sheet_family.h"

/* In the order of a report; NULL ends. */
extern const struct tl_sheet_family *const tl_sheet_families[];

/* Checks the definitions of all sheets (tl_sheet_check). */
enum tl_status tl_sheets_check(struct tl_error *);

#endif
