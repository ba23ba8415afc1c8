/* job_findings.h - ranks_overview: what is wrong in a job, in a sentence.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JOB_FINDINGS_H
#define TL_JOB_FINDINGS_H

#include "sheets/overview.h"
#include "table/table.h"

/* What is told of a job besides its sheets. */
struct tl_job_facts {
	int64_t ranks, world, steps, groups; /* 0: not known */
	double window_ms;                    /* how long most ranks are recorded */
	const struct tl_remark *remarks; size_t n_remarks; /* what the user was told: warnings become rows */
};
/* Makes the sheet of ranks_communication and ranks_stragglers; its texts are in those strings. The columns are those of the
 * sheet findings; rows of severity health are warnings, that of job says what the job is, which is put into *job, too, if that is
 * not NULL. TL_ERR_DATA: a rule has a mistake. */
enum tl_status tl_job_findings(struct tl_table **out, struct tl_strtab *, const struct tl_table *communication, const struct tl_table *stragglers,
                               const struct tl_job_facts *, struct tl_buf *job, struct tl_error *);

#endif
