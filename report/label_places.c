/* label_places.c - which points of a chart have room for a label.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/label_places.h"

#include <math.h>

static void scale(double *v, size_t n)
{
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, v[i]);
		most = fmax(most, v[i]);
	}
	for (size_t i = 0; i < n; i++)
		v[i] = most > least ? (v[i] - least) / (most - least) : 0;
}

void tl_choose_labels(bool *labelled, double *x, double *y, size_t n, size_t among, size_t most, double width, double height)
{
	size_t chosen = 0;

	scale(x, n);
	scale(y, n);
	for (size_t i = 0; i < n; i++) {
		labelled[i] = i < among && chosen < most;
		for (size_t k = 0; labelled[i] && k < i; k++)
			if (labelled[k] && fabs(x[k] - x[i]) < width && fabs(y[k] - y[i]) < height)
				labelled[i] = false;
		chosen += labelled[i];
	}
}
