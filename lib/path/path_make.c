/* path_make.c - the graph of a step or a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/device_events.h"
#include "path/graph_parts.h"

#include <stdlib.h>

static void release_maker(struct path_maker *m)
{
	for (size_t i = 0; i < m->n_threads; i++)
		free(m->threads[i].points);
	tl_path_release_streams(m);
	free(m->threads);
	free(m->of_call);
	free(m->work);
	free(m->launched);
	free(m->names);
	tl_map_release(&m->awaited);
	tl_map_release(&m->room);
	tl_name_rules_free(m->name_rules);
}

enum tl_status tl_path_graph_make(struct tl_path_graph *g, struct tl_trace *t, const struct tl_path_options *o, struct tl_error *err)
{
	struct path_maker m = { .g = g, .t = t, .o = o, .step = TL_NONE, .main = TL_NONE, .whole = o->step < 0 };

	*g = (struct tl_path_graph){ .trace = t };
	tl_mark_work_once(t);
	tl_waits_init(&m.waits, t);
	m.name_rules = tl_name_rules_new(TL_HOST_NAMES);
	m.names = tl_calloc((size_t)t->strings.count + 1, 1);
	enum tl_status status = tl_path_find_window(&m, err);
	if (status == TL_OK) {
		tl_path_node_at(g, g->window.start, TL_NONE);
		tl_path_find_threads(&m);
		tl_path_join_work(&m);
		tl_path_join_waits(&m);
		free(m.of_call);
		m.of_call = NULL;
		tl_path_join_threads(&m);
	}
	release_maker(&m);
	if (status == TL_OK)
		tl_path_settle(g);
	return status;
}
