/* label_places.h - which points of a chart have room for a label.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LABEL_PLACES_H
#define TL_LABEL_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* Which of n points get a label: the first ones, but none whose label would lie on that of an
 * earlier one; only of the first `among`, and at most `most`. x, y: where points lie; they become parts of the range of all points.
 * width, height: of a label, as such parts. */
void tl_choose_labels(bool *labelled, double *x, double *y, size_t n, size_t among, size_t most, double width, double height);

#endif
