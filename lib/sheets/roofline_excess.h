/* roofline_excess.h - events that are faster than the roofline allows.
 * Only for the files that make the roofline sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_EXCESS_H
#define TL_ROOFLINE_EXCESS_H

#include "roofline/measure.h"

/* Events of one name with the same arguments. */
struct tl_excess_group { double us; uint32_t events; };

/* What rows with a roofline were seen. Zero bytes are none. */
struct tl_excess {
	struct tl_map group_at;               /* name and signature -> index in groups */
	struct tl_excess_group *groups; size_t n_groups, cap_groups;
	struct tl_map names;                  /* of operators above 100 % */
	uint32_t events;                      /* above 100 % */
	/* the event that is furthest above */
	double percent, us;                   /* of the roofline; kernel time */
	uint32_t event, name, group;
	const struct tl_evaluation *x;
	const char **kernels; uint32_t n_kernels; /* their names */
};
void tl_excess_release(struct tl_excess *);

/* Adds an event that a row is about. name: a string id. us: the kernel time. x: has a
 * roofline, and lives as long as the tl_excess. */
void tl_excess_add(struct tl_excess *, struct tl_measure *, uint32_t event, uint32_t name,
                   const struct tl_evaluation *x, double us, const struct tl_work *);

/* Adds the likeliest reason why the event that is furthest above 100 % is there. */
void tl_excess_reason(const struct tl_excess *, struct tl_measure *, struct tl_buf *);

#endif
