/* args.h - arguments of events as cells of a table.
 *
 * A named argument is found through its place in each event layout, looked up
 * once; its text is decoded once per distinct value.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ARGS_H
#define TL_ARGS_H

#include "table/table.h"
#include "model/fields.h"
#include "model/trace.h"

/* One member of "args". Free with tl_arg_release. */
struct tl_arg { int32_t *place; /* by layout: index of the field, or -1 */ };
void tl_arg_init(struct tl_arg *, const struct tl_trace *, const char *name);
void tl_arg_release(struct tl_arg *);
/* Field type (enum tl_field_type, 0 when absent) and value. */
static inline int tl_arg_get(const struct tl_arg *a, const struct tl_trace *t,
                             uint32_t event, int64_t *value)
{
	const struct tl_ev *e = &t->events[event];
	int32_t i = a->place[e->layout];

	if (i < 0)
		return 0;
	*value = tl_trace_value(t, e, (uint32_t)i);
	return t->layouts[e->layout].fields[i].type;
}

/* Values as cells, text in the trace's own string table: null for absent and
 * JSON null, numbers as numbers, lists as the text of Python tuples, or of Python
 * lists. Zero bytes and trace are a start. */
struct tl_arg_cells {
	struct tl_trace *trace;
	bool as_lists;
	struct tl_map decoded;  /* string id of a JSON text -> index in cells */
	struct tl_cell *cells; size_t n, cap;
	struct tl_arena arena;  /* of one decoding */
	struct tl_buf buf;
};
struct tl_cell tl_arg_cell(struct tl_arg_cells *, const struct tl_arg *, uint32_t event);
void tl_arg_cells_release(struct tl_arg_cells *);

#endif
