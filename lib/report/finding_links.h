/* finding_links.h - the sheets of tl-findings in a workbook: where their cells lead, and what the overview says of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FINDING_LINKS_H
#define TL_FINDING_LINKS_H

#include "base/strings.h"
#include "report/first_rows.h"

#define TL_FINDINGS "findings"
#define TL_FINDING_EVIDENCE "finding_evidence"

/* In which turn a sheet is filled, from 0: sheets to which others lead come first. The last one is TL_FILL_TURNS - 1. */
enum { TL_FILL_TURNS = 3 };
int tl_fill_turn(const char *sheet);

/* Does this column of this sheet lead somewhere? The id of a finding does to its first line of evidence, the sheet of a line
 * of evidence to a line there. */
bool tl_finding_links(const char *sheet, const char *column);

/* Lines of a worksheet, from 1 for its header; 0: there is none. evidence: the first rows of finding_evidence; fields: a row of
 * it. */
size_t tl_evidence_line(const struct tl_first_rows *evidence, const char *id);
size_t tl_evidence_leads_to(const struct tl_first_rows *evidence, const struct tl_field_text *fields);

/* A row of the overview; zero bytes are a start. */
struct tl_overview_row { struct tl_buf section, item, value, unit, sheet; };
/* What the overview says of findings: warnings about the recording, then TL_OVERVIEW_FINDINGS at most. *at goes from 0 through
 * the rows of the sheet findings. False: there are no more. */
enum { TL_OVERVIEW_FINDINGS = 6 };
bool tl_overview_finding(struct tl_overview_row *, const struct tl_first_rows *findings, size_t *at);
void tl_overview_row_release(struct tl_overview_row *);

#endif
