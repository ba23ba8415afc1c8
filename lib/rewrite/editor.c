/* editor.c - a trace that is being edited.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "rewrite/editor.h"

#include "model/trace_work.h"

#include <stdlib.h>

/* Kinds that rules do not look at. Python frames are kept if they are nodes of the tree. */
#define NOT_LOOKED_AT (1u << TL_KIND_OTHER | 1u << TL_KIND_META | 1u << TL_KIND_PYTHON | 1u << TL_KIND_ANNOTATION | \
	1u << TL_KIND_GPU_ANNOTATION | 1u << TL_KIND_LAUNCH_FLOW | 1u << TL_KIND_FWDBWD_FLOW | 1u << TL_KIND_FLOW | \
	1u << TL_KIND_COUNTER | 1u << TL_KIND_INSTANT | 1u << TL_KIND_OVERHEAD | 1u << TL_KIND_TRACE)

void tl_editor_init(struct tl_editor *w, const struct tl_rules *rules, struct tl_sink *next)
{
	*w = (struct tl_editor){ .rules = rules, .next = next };
	if (!rules->edits)
		return;
	w->inner = tl_trace_sink_new(&w->trace, &(struct tl_trace_options){ .drop_kinds = NOT_LOOKED_AT });
	w->verdicts = tl_calloc(rules->n_patterns + 1, sizeof *w->verdicts);
}

void tl_editor_release(struct tl_editor *w)
{
	for (size_t i = 0; w->verdicts && i < w->rules->n_patterns; i++)
		tl_by_id_release(&w->verdicts[i]);
	free(w->verdicts);
	tl_trace_sink_free(w->inner);
	tl_trace_free(w->trace);
	tl_tables_release(&w->tables);
	free(w->nodes);
	free(w->report.notes);
}

/* ---- events and links to the next sink ---- */

/* Empties the tables when they are full. */
static bool bound_tables(struct tl_editor *w)
{
	if (!tl_tables_full(&w->tables))
		return false;
	if (w->inner)
		w->inner->ops->reset(w->inner);
	w->next->ops->reset(w->next);
	tl_tables_clear(&w->tables);
	return true;
}

enum tl_status tl_editor_push_event(struct tl_editor *w, const struct tl_event *e, bool *reset, struct tl_error *err)
{
	enum tl_status status = w->inner ? w->inner->ops->event(w->inner, e, err) : TL_OK;
	if (status == TL_OK)
		status = w->next->ops->event(w->next, e, err);
	if (w->n_events < e->uid + 1)
		w->n_events = e->uid + 1;
	*reset = bound_tables(w);
	return status;
}

enum tl_status tl_editor_push_link(struct tl_editor *w, const struct tl_link *l, struct tl_error *err)
{
	enum tl_status status = w->inner ? w->inner->ops->link(w->inner, l, err) : TL_OK;
	return status == TL_OK ? w->next->ops->link(w->next, l, err) : status;
}

void tl_editor_note(struct tl_editor *w, const char *rule, const char *text, uint64_t uid)
{
	struct tl_rewrite_report *r = &w->report;
	for (size_t i = 0; i < r->n_notes; i++) {
		if (r->notes[i].rule == rule && r->notes[i].text == text) {
			r->notes[i].count++;
			return;
		}
	}
	TL_GROW(r->notes, r->cap_notes, r->n_notes + 1);
	r->notes[r->n_notes++] = (struct tl_rewrite_note){ rule, text, uid, 1 };
}

/* ---- what rules look at ---- */

bool tl_editor_name_is(struct tl_editor *w, const struct tl_pattern *p, uint32_t string)
{
	const struct tl_strtab *strings = &w->trace->strings;
	uint32_t *verdict = tl_by_id(&w->verdicts[p->number], string);
	if (!*verdict)
		*verdict = tl_pattern_matches(p, tl_str(strings, string), tl_str_len(strings, string)) ? 2 : 1;
	return *verdict == 2;
}

bool tl_editor_any(struct tl_editor *w, const struct tl_pattern *p, uint32_t string)
{
	for (; p; p = p->next)
		if (tl_editor_name_is(w, p, string))
			return true;
	return false;
}

bool tl_editor_all(struct tl_editor *w, const struct tl_pattern *p, uint32_t string)
{
	for (; p; p = p->next)
		if (!tl_editor_name_is(w, p, string))
			return false;
	return true;
}

const uint32_t *tl_editor_old_work(struct tl_editor *w, uint32_t event, uint32_t *n)
{
	const uint32_t *work = event < w->n_old ? tl_trace_work(w->trace, event, n) : NULL;
	*n = work ? *n : 0;
	w->steps += *n;
	return work;
}
