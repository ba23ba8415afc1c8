/* finding_links.c - the sheets of tl-findings in a workbook: where their cells lead, and what the overview says of them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/finding_links.h"
#include "report/cell_value.h"

#include <math.h>
#include <string.h>

int tl_fill_turn(const char *sheet)
{
	return !strcmp(sheet, TL_FINDING_EVIDENCE) ? 0 : !strcmp(sheet, TL_FINDINGS) ? 1 : 2;
}

/* ---- links ------------------------------------------------------------------------ */

bool tl_finding_links(const char *sheet, const char *column)
{
	return (!strcmp(sheet, TL_FINDINGS) && !strcmp(column, "id")) ||
	       (!strcmp(sheet, TL_FINDING_EVIDENCE) && !strcmp(column, "sheet"));
}

size_t tl_evidence_line(const struct tl_first_rows *evidence, const char *id)
{
	int column = tl_first_column(evidence, "id");

	for (size_t i = 0; column >= 0 && *id && i < evidence->n; i++)
		if (!strcmp(tl_first_text(evidence, i, column), id))
			return i + 2;
	return 0;
}

size_t tl_evidence_leads_to(const struct tl_first_rows *evidence, const struct tl_field_text *fields)
{
	int column = tl_first_column(evidence, "row");
	double row;

	return column >= 0 && tl_xlsx_number(fields[column].s, fields[column].len, &row) && row >= 1 ? (size_t)row + 1 : 0;
}

/* ---- the overview --------------------------------------------------------------------- */

bool tl_overview_finding(struct tl_overview_row *r, const struct tl_first_rows *f, size_t *at)
{
	const char *const names[] = { "rank", "severity", "title", "at_stake_ms", "Percent of window (%)", "evidence", "what_to_do", "id" };
	enum { RANK, SEVERITY, TITLE, STAKE, SHARE, EVIDENCE, ADVICE, ID, N };
	const char *texts[N];

	for (int i = 0; i < N; i++) {
		int column = tl_first_column(f, names[i]);
		if (column < 0 || *at == f->n)
			return false;
		texts[i] = tl_first_text(f, *at, column);
	}
	double rank = tl_first_number(f, *at, tl_first_column(f, names[RANK]));
	if (isnan(rank) || rank > TL_OVERVIEW_FINDINGS)
		return false;
	++*at;
	bool health = rank < 1, none = !strcmp(texts[SEVERITY], "none") || !strcmp(texts[SEVERITY], "unknown");
	tl_buf_adds(&r->section, health ? "recording" : "finding");
	if (!health && !none)
		tl_buf_addf(&r->item, "%s. ", texts[RANK]);
	tl_buf_adds(&r->item, texts[TITLE]);
	tl_buf_adds(&r->value, none ? "" : texts[STAKE]);
	if (!health && !none)
		tl_buf_addf(&r->unit, "ms, %.1f %% of the window: ", tl_first_number(f, *at - 1, tl_first_column(f, names[SHARE])));
	tl_buf_adds(&r->unit, none ? texts[EVIDENCE] : texts[ADVICE]);
	tl_buf_adds(&r->sheet, texts[ID]);
	return true;
}

void tl_overview_row_release(struct tl_overview_row *r)
{
	tl_buf_release(&r->section);
	tl_buf_release(&r->item);
	tl_buf_release(&r->value);
	tl_buf_release(&r->unit);
	tl_buf_release(&r->sheet);
}
