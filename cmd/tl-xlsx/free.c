/* free.c - the workbook is not freed: the program ends once it is written.
 *
 * libxlsxwriter frees a workbook, cell by cell, when it closes it. The function
 * here stands before its own.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <xlsxwriter.h>

static lxw_workbook *volatile kept; /* where a leak checker finds it */

void lxw_workbook_free(lxw_workbook *workbook)
{
	kept = workbook;
}
