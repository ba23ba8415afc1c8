/* categories.h - the categories of the operators of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CATEGORIES_H
#define TL_CATEGORIES_H

#include "analysis/launchers.h"
#include "perf/models/perf.h"

/* Zero bytes with the first three members are a start. */
struct tl_categories {
	struct tl_trace *trace;
	const struct tl_registry *registry;
	const struct tl_launchers *launchers;
	struct tl_map known; /* names of operator and first kernel -> string id of the category */
};
/* The string id of the category that tl_op_category gives to an event, under its own
 * name or another (a string id). Its first kernel is that which starts first of those
 * charged to it. */
uint32_t tl_event_category(struct tl_categories *, uint32_t event, uint32_t name);
void tl_categories_release(struct tl_categories *);

#endif
