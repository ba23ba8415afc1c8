/* event_tables.h - the events of a trace as tables of a database, see tl-sql(5).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SQL_EVENT_TABLES_H
#define TL_SQL_EVENT_TABLES_H

#include "model/trace.h"
#include "sql/database.h"
#include "work/name_rules.h"

enum { TL_SQL_TRACES = 4096 }; /* at most: ids are uid + (trace - 1) 2^40, exact as doubles */

/* What may be left out because no query reads it. */
struct tl_sql_parts { bool args, spans, overlap, links; };

struct tl_sql_trace {
	int64_t number;    /* 1 for the first trace */
	const char *path;
	int64_t rank;      /* if the trace does not say it; -1: nobody knows */
	struct tl_name_rules *categories; /* of kernels */
	struct tl_sql_parts parts;
};
/* Adds all events of a linked and marked trace (work/device_events.h). */
void tl_sql_add_trace(struct tl_sql *, struct tl_trace *, const struct tl_sql_trace *);

#endif
