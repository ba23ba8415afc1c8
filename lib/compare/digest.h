/* digest.h - a comparison in a few lines: what became slower in all, and the rows that gained and lost most time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_DIGEST_H
#define TL_DIGEST_H

#include "compare/changes.h"
#include "base/json_writer.h"

enum tl_digest_list { TL_DIGEST_CATEGORIES, TL_DIGEST_OPERATORS, TL_DIGEST_LOST, TL_DIGEST_WON, TL_DIGEST_NEW, TL_DIGEST_GONE, TL_DIGEST_LISTS };
enum { TL_DIGEST_ROWS = 10 };

/* Of report `other` against the baseline. Release it with tl_digest_release; it points into the results. */
struct tl_digest {
	const char *baseline, *report;
	/* The sheets by category, by operator, and, as TL_COMPARE_OTHER, that of single rows: the first that has verdicts, else the first
	 * that has times; NULL: none. */
	const struct tl_comparison *of[TL_COMPARE_LEVELS];
	bool judged;              /* single rows have verdicts */
	struct tl_buf headline;   /* one line */
	struct tl_changes all[TL_COMPARE_LEVELS];
	const struct tl_change *rows[TL_DIGEST_LISTS][TL_DIGEST_ROWS]; size_t n[TL_DIGEST_LISTS]; /* by falling time or change of it */
	size_t n_all[TL_DIGEST_LISTS]; /* with those that are left out */
};
void tl_digest_make(struct tl_digest *, const struct tl_compared_list *, const char *const *tags, size_t other);
void tl_digest_release(struct tl_digest *);

/* Appends it as Markdown: the headline, and a table for each list that has rows. */
void tl_digest_add_markdown(struct tl_buf *, const struct tl_digest *);
/* Writes it as an item of the list that is open. */
void tl_digest_add_json(struct tl_json *, const struct tl_digest *);

#endif
