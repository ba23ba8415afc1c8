/* rounded.h - numbers and texts as people read them: rounded, with a unit; cut to their place.
 *
 * All numbers of a column have the same unit, the one that suits the largest of them, so that
 * they can be compared at a glance.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROUNDED_H
#define TL_ROUNDED_H

#include "base/memory.h"
#include "report/column_kind.h"

#include <stdbool.h>

/* The numbers of a column; zero bytes are none. */
struct tl_number_range { double largest; /* absolute */ bool fractions; };
void tl_number_range_add(struct tl_number_range *, double);

struct tl_rounding {
	double scale;       /* numbers are multiplied by it */
	const char *suffix; /* "", or a blank and the unit */
	int decimals;       /* -1: four significant digits, as many decimals as that takes */
	bool thousands;     /* thousands are set apart by commas */
	bool as_written;    /* numbers stay as the sheet has them */
};
struct tl_rounding tl_rounding_for(enum tl_unit, const struct tl_number_range *);

/* Adds x; text: x as the sheet has it. A number that rounds to zero but is not zero becomes
 * "<0.01". */
void tl_add_rounded(struct tl_buf *, const struct tl_rounding *, double x, const char *text, size_t len);

/* ---- long names in little room: what says least of a name goes first ---- */

/* Adds a text (well-formed UTF-8) in at most `width` columns of a terminal, 1 at least. Of a function of C++ all that goes first
 * which a bare name does not have, then the middle of the arguments of its template. Any other text is cut in its middle. */
void tl_add_short_name(struct tl_buf *, const char *s, size_t len, size_t width);

/* The same, in 8 columns at least, of a text that would look like others which begin with the same `prefix` bytes: what follows them
 * is shown, behind the beginning of the name. */
void tl_add_difference(struct tl_buf *, const char *s, size_t len, size_t prefix, size_t width);

#endif
