/* job_findings.h - ranks_overview: what is wrong in a job, in a sentence.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JOB_FINDINGS_H
#define TL_JOB_FINDINGS_H

#include "sheets/overview.h"
#include "table/table.h"

/* What is told of a job besides its sheets. */
struct tl_job_facts {
	int64_t ranks, world, steps, groups; /* 0: not known */
	const struct tl_remark *remarks; size_t n_remarks; /* what the user was told: warnings become rows */
};
/* The sheets that it is made of, by the names of which tl_job_sheets is the list. */
enum { TL_JOB_COMMUNICATION, TL_JOB_JUDGED, TL_JOB_CAUSES, TL_JOB_SHEETS };
#define TL_LEAST_LOSS 0.001 /* of the job: a cause of less is none */
extern const char *const tl_job_sheets[TL_JOB_SHEETS];
/* Makes the sheet of those, of which the last one may be NULL; its texts are in those strings. The columns are those of the
 * sheet findings; rows of severity health are warnings, that of job says what the job is, which is put into *job, too, if that is
 * not NULL. TL_ERR_DATA: a rule has a mistake. */
enum tl_status tl_job_findings(struct tl_table **out, struct tl_strtab *, struct tl_table *const *sheets,
                               const struct tl_job_facts *, struct tl_buf *job, struct tl_error *);

#endif
