/* rewriter.c - the rewriter's sink: renames on the way through, keeps what other rules
 * look at, and has them carried out at the end.
 *
 * Rules make new texts and events, so the next sink gets tables of the
 * rewriter's own.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "model/fields.h"
#include "model/trace.h"
#include "edit/editor.h"

/* ---- which events a rule is about ------------------------------------------------------- */

/* ---- gates ---- */

/* Has an event of the tree, or a kernel, such a name? */
static bool occurs(struct tl_editor *w, const struct tl_pattern *p, bool as_kernel)
{
	const struct tl_trace *t = w->trace;
	for (uint32_t i = 0; i < t->n_events; i++)
		if ((as_kernel ? t->events[i].kind == TL_KIND_KERNEL : t->events[i].flags & TL_EV_IN_TREE) &&
		    tl_editor_name_is(w, p, t->events[i].name))
			return true;
	return false;
}

/* Do all gates of the rule hold? */
static bool select_gates_hold(struct tl_editor *w, const struct rule *r)
{
	for (const struct tl_pattern *p = r->if_op; p; p = p->next)
		if (!occurs(w, p, false))
			return false;
	for (const struct tl_pattern *p = r->unless_op; p; p = p->next)
		if (occurs(w, p, false))
			return false;
	for (const struct tl_pattern *p = r->if_kernel; p; p = p->next)
		if (!occurs(w, p, true))
			return false;
	return true;
}

/* ---- selection ---- */

/* ranks: by name, from 1 in the order in which names first appear. */
struct order { const struct tl_trace *trace; struct tl_by_id ranks; };

TL_ORDER_IN(by_rank, uint32_t, struct order, TL_ASC(ctx->ranks.of[ctx->trace->events[*x].name]))

/* Process and thread ids: numbers by value, before texts. */
static int compare_ids(const struct tl_trace *t, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	const char *x = tl_str(&t->strings, a), *y = tl_str(&t->strings, b);
	char *end_x, *end_y;
	long long m = strtoll(x, &end_x, 10), n = strtoll(y, &end_y, 10);
	bool number_x = *x && !*end_x, number_y = *y && !*end_y;
	if (number_x && number_y)
		return m < n ? -1 : m > n;
	if (number_x != number_y)
		return number_x ? -1 : 1;
	return strcmp(x, y);
}

static int by_thread(const void *a, const void *b, void *order)
{
	const struct tl_trace *t = ((const struct order *)order)->trace;
	const struct tl_ev *e = &t->events[*(const uint32_t *)a], *f = &t->events[*(const uint32_t *)b];
	int c = compare_ids(t, t->tracks[e->track].pid, t->tracks[f->track].pid);
	if (!c)
		c = compare_ids(t, t->tracks[e->track].tid, t->tracks[f->track].tid);
	if (!c)
		c = e->ts < f->ts ? -1 : e->ts > f->ts;
	return c;
}

static bool concerns(struct tl_editor *w, const struct rule *r, const struct tl_ev *e)
{
	return (!r->frames || e->kind == TL_KIND_PYTHON) && tl_editor_any(w, r->ops, e->name);
}

/* Events by name, in the order in which the names first appear on the stacks. */
static uint32_t *select_events(struct tl_editor *w, const struct rule *r, size_t *n)
{
	struct order o = { .trace = w->trace };
	uint32_t *found = tl_alloc((w->n_nodes + 1) * sizeof *found), n_names = 0;
	*n = 0;
	for (size_t i = 0; i < w->n_nodes; i++) {
		uint32_t e = tl_trace_by_uid(w->trace, w->nodes[i]);
		if (e == TL_NONE || !concerns(w, r, &w->trace->events[e]))
			continue;
		uint32_t *rank = tl_by_id(&o.ranks, w->trace->events[e].name);
		if (!*rank)
			*rank = ++n_names;
		found[(*n)++] = e;
	}
	tl_merge_sort(found, *n, sizeof *found, by_rank, &o);
	if (r->by_thread)
		tl_merge_sort(found, *n, sizeof *found, by_thread, &o);
	tl_by_id_release(&o.ranks);
	return found;
}

/* The nearest event above that matches; the first one below, depth first. TL_NONE
 * when there is none. */
static uint32_t select_above(struct tl_editor *w, const struct tl_pattern *p, uint32_t event)
{
	uint32_t e = w->trace->events[event].parent;
	for (; e != TL_NONE && !tl_editor_name_is(w, p, w->trace->events[e].name); w->steps++)
		e = w->trace->events[e].parent;
	return e;
}

static uint32_t select_below(struct tl_editor *w, const struct tl_pattern *p, uint32_t event)
{
	struct tl_walk at = tl_walk_below(w->trace, event);
	for (; at.event != TL_NONE && !tl_editor_name_is(w, p, w->trace->events[at.event].name); w->steps++)
		tl_walk_on(&at, true);
	return at.event;
}

/* ---- carries out the rules that change the tree: every new event and -------------------- */

/* Rules search above and below their events; where those are nested very deeply, this takes
 * time that grows with the square of the trace. This many events take some seconds. */
#define MAX_STEPS (UINT64_C(1) << 28)

/* How a rule ended at an event. A stopped rule keeps the edits that it made before. */
enum outcome { DONE, STOPPED, FAILED };

static enum outcome stop(struct tl_editor *w, const struct rule *r, const char *why, uint32_t event)
{
	tl_editor_note(w, r->name, why, w->trace->events[event].uid);
	return STOPPED;
}

/* ---- new events and links ---- */

static uint32_t trace_text(struct tl_editor *w, uint32_t id)
{
	const struct tl_strtab *strings = &w->trace->strings;
	return id ? tl_add_string(&w->tables, tl_str(strings, id), tl_str_len(strings, id)) : 0;
}

static enum tl_status push(struct tl_editor *w, const struct made *m, struct tl_error *err)
{
	struct tl_field fields[MAX_MADE];
	int64_t values[MAX_MADE];
	const struct tl_ev *like = &w->trace->events[m->like];
	struct tl_layout l = { .kind = TL_KIND_CPU_OP, .ph = 'X', .flags = TL_HAS_NAME | TL_HAS_ARGS,
	                       .n_fields = (uint32_t)m->n_fields, .fields = fields };
	struct tl_event e = { .uid = w->n_events, .values = values };
	if (m->timed) {
		l.flags |= w->trace->layouts[like->layout].flags & (TL_HAS_TS | TL_HAS_DUR | TL_INT_TS | TL_INT_DUR);
		e.ts = like->ts;
		e.dur = like->dur;
	}
	for (size_t i = 0; i < m->n_fields; i++) {
		const struct made_field *f = &m->fields[i];
		fields[i] = (struct tl_field){ tl_add_string(&w->tables, f->key, strlen(f->key)), f->type, 0 };
		values[i] = f->type == TL_FIELD_INT ? f->number
		          : (int64_t)tl_add_string(&w->tables, f->text ? f->text : "", f->len);
	}
	l.cat = tl_add_string(&w->tables, "cpu_op", 6);
	e.name = tl_add_string(&w->tables, tl_buf_text(&m->name), m->name.len);
	const struct tl_trace_track *track = &w->trace->tracks[w->trace->events[m->like].track];
	uint32_t pid = trace_text(w, track->pid);
	e.track = tl_add_track(&w->tables, pid, trace_text(w, track->tid));
	e.layout = tl_add_layout(&w->tables, &l);
	bool reset; /* no id is kept here */
	return tl_editor_push_event(w, &e, &reset, err);
}

/* Makes a new event; *out is its index in our trace. */
static enum tl_status add_new_event(struct tl_editor *w, const struct made *m, uint32_t *out, struct tl_error *err)
{
	uint64_t uid = w->n_events;
	*out = TL_NONE; /* compilers may not see that tl_fail gives no TL_OK */
	if (uid >= UINT32_MAX - 2)
		return tl_fail(err, TL_ERR_DATA, "no event numbers are left for new events");
	enum tl_status status = push(w, m, err);
	*out = tl_trace_by_uid(w->trace, uid);
	w->report.n_new += status == TL_OK;
	return status;
}

/* A link between events of our trace; b may be TL_NONE. */
static enum tl_status add_new_link(struct tl_editor *w, uint8_t type, uint32_t a, uint32_t b, struct tl_error *err)
{
	struct tl_link l = { type, w->trace->events[a].uid, b == TL_NONE ? TL_NO_UID : w->trace->events[b].uid };
	return tl_editor_push_link(w, &l, err);
}

/* What is below recomputed work is recomputed. */
static enum tl_status inherit_marks(struct tl_editor *w, uint32_t e, uint32_t parent, struct tl_error *err)
{
	if (!(w->trace->events[parent].flags & TL_EV_RECOMPUTE))
		return TL_OK;
	return add_new_link(w, TL_LINK_RECOMPUTE, e, TL_NONE, err);
}

static enum outcome as_outcome(struct tl_editor *w, enum tl_status s)
{
	w->failed = s;
	return s == TL_OK ? DONE : FAILED;
}

static void set_name(struct made *m, const char *name, const char *pick)
{
	const char *at = strstr(name, "@pick");
	if (!at || !pick) {
		tl_buf_adds(&m->name, name);
		return;
	}
	tl_buf_add(&m->name, name, (size_t)(at - name));
	tl_buf_adds(&m->name, pick);
	tl_buf_adds(&m->name, at + 5);
}

/* ---- isolate: operator's child -> new -> launch -> kernel ---- */

static enum outcome isolate_kernel(struct tl_editor *w, const struct rule *r, const struct step *s,
                                   const struct made_context *c, struct tl_error *err)
{
	struct tl_trace *t = w->trace;
	uint32_t launch = t->events[c->kernel].parent, made;
	uint32_t parent = launch == TL_NONE ? TL_NONE : t->events[launch].parent;
	int64_t id;
	if (parent == TL_NONE)
		return stop(w, r, "the launch of a kernel has no parent: rule stopped", c->kernel);
	uint32_t key = tl_strtab_find(&t->strings, TL_KEY_CORRELATION, strlen(TL_KEY_CORRELATION));
	int id_type = tl_trace_field(t, c->kernel, key, false, &id);
	if (!id_type)
		return stop(w, r, "a kernel has no correlation: rule stopped", c->kernel);
	struct made m = { .like = parent };
	set_name(&m, c->index && s->name_rest ? s->name_rest : s->name, NULL);
	tl_made_add_lists(w, &m, c->op, parent);
	tl_made_add_sequence(w, &m, c->op, t->events[c->op].uid);
	if (id_type == TL_FIELD_INT)
		tl_made_set(&m, TL_KEY_EXTERNAL_ID, TL_FIELD_INT, id, NULL, 0);
	else
		tl_made_set(&m, TL_KEY_EXTERNAL_ID, (uint8_t)id_type, 0, tl_str(&t->strings, (uint32_t)id),
		            tl_str_len(&t->strings, (uint32_t)id));
	tl_made_set(&m, "Pseudo op", TL_FIELD_JSON, 0, "true", 4);
	tl_made_add_extras(w, &m, s->extras, c);
	bool is_free = tl_trace_owner(t, launch) == parent;
	enum tl_status status = add_new_event(w, &m, &made, err);
	tl_made_release(&m);
	if (status == TL_OK && is_free)
		status = add_new_link(w, TL_LINK_NODE, made, parent, err);
	if (status == TL_OK && is_free)
		status = add_new_link(w, TL_LINK_ADOPT, made, launch, err);
	if (status == TL_OK)
		status = add_new_link(w, TL_LINK_WORK, made, c->kernel, err);
	if (status == TL_OK && is_free)
		status = inherit_marks(w, made, parent, err);
	if (status == TL_OK && !is_free) /* the new event stays outside the tree, as in TraceLens */
		return stop(w, r, "a launch is isolated already: rule stopped", c->kernel);
	return as_outcome(w, status);
}

static uint32_t *matching_kernels(struct tl_editor *w, const struct step *s, const uint32_t *work,
                                  uint32_t n_work, uint32_t *n)
{
	uint32_t *found = tl_alloc(((size_t)n_work + 1) * sizeof *found);
	*n = 0;
	for (uint32_t i = 0; i < n_work; i++) {
		const struct tl_ev *k = &w->trace->events[work[i]];
		if (k->kind == TL_KIND_KERNEL && tl_editor_all(w, s->kernels, k->name))
			found[(*n)++] = work[i];
	}
	tl_sort_by_start(w->trace, found, *n);
	return found;
}

/* Does an operator lie below? Events without device work are not searched. */
static bool has_op_below(struct tl_editor *w, uint32_t event)
{
	uint32_t n_work;
	for (struct tl_walk at = tl_walk_below(w->trace, event); at.event != TL_NONE; tl_walk_on(&at, n_work > 0)) {
		if (w->trace->events[at.event].kind == TL_KIND_CPU_OP)
			return true;
		tl_editor_old_work(w, at.event, &n_work);
	}
	return false;
}

static enum outcome isolate(struct tl_editor *w, const struct rule *r, uint32_t e, struct tl_error *err)
{
	uint32_t n_work;
	const uint32_t *work = tl_editor_old_work(w, e, &n_work);
	enum outcome o = DONE;
	if (r->skip_with_ops && has_op_below(w, e))
		return DONE;
	for (size_t i = 0; i < r->n_steps && o == DONE; i++) {
		const struct step *s = &r->steps[i];
		uint32_t n;
		uint32_t *kernels = matching_kernels(w, s, work, n_work, &n);
		bool fits = n && (!s->count || (uint32_t)s->count == n);
		if (!fits && !i)
			tl_editor_note(w, r->name, n ? "another number of kernels than expected" : "no kernel matches",
			                    w->trace->events[e].uid);
		struct made_context c = { .op = e, .donor = TL_NONE };
		for (; fits && c.index < n && o == DONE; c.index++) {
			c.kernel = kernels[c.index];
			o = isolate_kernel(w, r, s, &c, err);
		}
		free(kernels);
		if (!fits && !i)
			break;
	}
	return o;
}

/* ---- wrap: frame -> new -> all children of the frame ---- */

static const char *pick(struct tl_editor *w, const struct rule *r, uint32_t donor)
{
	uint32_t n;
	const uint32_t *work = tl_editor_old_work(w, donor, &n);
	for (size_t i = 0; i < r->n_picks; i++) {
		if (!r->picks[i].pattern)
			return r->picks[i].label;
		for (uint32_t k = 0; k < n; k++)
			if (tl_editor_name_is(w, r->picks[i].pattern, w->trace->events[work[k]].name))
				return r->picks[i].label;
	}
	return NULL;
}

/* The event that lends its arguments; TL_NONE when the rule asks for one that
 * is not there. */
static uint32_t donor_of(struct tl_editor *w, const struct rule *r, uint32_t e)
{
	if (r->donor_above)
		return select_above(w, r->donor_above, e);
	return r->donor_below ? select_below(w, r->donor_below, e) : e;
}

static enum tl_status adopt_all(struct tl_editor *w, uint32_t frame, uint32_t made, struct tl_error *err)
{
	enum tl_status status = TL_OK;
	uint32_t next;
	for (uint32_t c = w->trace->events[frame].first_child; c != TL_NONE && status == TL_OK; c = next) {
		next = w->trace->events[c].next_sibling;
		if (c != made)
			status = add_new_link(w, TL_LINK_REPARENT, made, c, err);
	}
	return status;
}

static void describe_op_of_frame(struct tl_editor *w, struct made *m, const struct rule *r,
                                 const struct made_context *c, uint64_t default_number)
{
	const struct step *s = &r->steps[0];
	m->like = c->op;
	m->timed = true;
	set_name(m, s->name, c->pick);
	tl_made_add_lists(w, m, c->donor, TL_NONE);
	tl_made_add_sequence(w, m, c->donor, default_number);
	tl_made_set(m, "Pseudo op", TL_FIELD_JSON, 0, "true", 4);
	tl_made_add_extras(w, m, s->extras, c);
}

static enum outcome wrap(struct tl_editor *w, const struct rule *r, uint32_t e, uint32_t call, struct tl_error *err)
{
	uint32_t n_work, made;
	struct made_context c = { .op = e, .donor = donor_of(w, r, e), .kernel = TL_NONE, .call = call };
	tl_editor_old_work(w, e, &n_work);
	if (c.donor == TL_NONE || !n_work || w->trace->events[e].first_child == TL_NONE) {
		tl_editor_note(w, r->name, c.donor == TL_NONE ? "no event to take the arguments from" : "no device work below",
		                    w->trace->events[e].uid);
		return DONE;
	}
	c.pick = pick(w, r, c.donor);
	struct made m = { 0 };
	describe_op_of_frame(w, &m, r, &c, w->trace->events[e].uid);
	enum tl_status status = add_new_event(w, &m, &made, err);
	tl_made_release(&m);
	if (status == TL_OK)
		status = add_new_link(w, TL_LINK_NODE, made, e, err);
	if (status == TL_OK)
		status = adopt_all(w, e, made, err);
	if (status == TL_OK)
		status = add_new_link(w, TL_LINK_ROOT, made, TL_NONE, err);
	if (status == TL_OK)
		status = inherit_marks(w, made, e, err);
	return as_outcome(w, status);
}

/* ---- insert: parent -> new -> event ---- */

static enum outcome insert(struct tl_editor *w, const struct rule *r, uint32_t e, uint32_t call, struct tl_error *err)
{
	struct tl_trace *t = w->trace;
	uint32_t parent = t->events[e].parent, made;
	struct made_context c = { .op = e, .donor = donor_of(w, r, e), .kernel = TL_NONE, .call = call };
	if (c.donor == TL_NONE || parent == TL_NONE) {
		if (parent == TL_NONE)
			tl_editor_note(w, r->name, "the event has no parent", t->events[e].uid);
		return DONE;
	}
	bool is_free = tl_trace_owner(t, e) == parent;
	struct made m = { 0 };
	describe_op_of_frame(w, &m, r, &c, t->events[c.donor].uid);
	enum tl_status status = add_new_event(w, &m, &made, err);
	tl_made_release(&m);
	if (status == TL_OK && !is_free)
		return stop(w, r, "an event is not among its parent's children: rule stopped", e);
	if (status == TL_OK)
		status = add_new_link(w, TL_LINK_REPLACE, made, e, err);
	if (status == TL_OK)
		status = add_new_link(w, TL_LINK_REPARENT, made, e, err);
	if (status == TL_OK)
		status = inherit_marks(w, made, parent, err);
	return as_outcome(w, status);
}

/* ---- all rules ---- */

static enum outcome apply_to(struct tl_editor *w, const struct rule *r, uint32_t e, uint32_t call, struct tl_error *err)
{
	uint32_t above;

	switch (r->action) {
	case ISOLATE:
		return isolate(w, r, e, err);
	case WRAP:
		return wrap(w, r, e, call, err);
	case INSERT:
		return insert(w, r, e, call, err);
	case MOVE: /* below the nearest event above that matches */
		above = select_above(w, r->under, e);
		if (above == TL_NONE || w->trace->events[e].parent == above)
			return DONE;
		w->report.n_moved++;
		return as_outcome(w, add_new_link(w, TL_LINK_REPARENT, above, e, err));
	default:
		return DONE;
	}
}

static enum outcome apply_rule(struct tl_editor *w, const struct rule *r, struct tl_error *err)
{
	size_t n;
	uint32_t *events = select_events(w, r, &n);
	enum outcome o = DONE;
	for (size_t i = 0; i < n && o == DONE; i++) {
		o = apply_to(w, r, events[i], (uint32_t)i, err);
		if (w->steps > MAX_STEPS && o != FAILED)
			o = as_outcome(w, tl_fail(err, TL_ERR_DATA, "rule %s: its events have too many others above or below them",
			                          r->name));
	}
	free(events);
	return o;
}

/* All of them, in order; the editor has the whole trace. */
static enum tl_status tree_edits(struct tl_editor *w, struct tl_error *err)
{
	const struct tl_rules *rules = w->rules;
	uint32_t unused;
	bool *open = tl_calloc(rules->n + 1, sizeof *open);
	enum outcome o = DONE;
	bool stopped = false;
	w->n_old = w->trace->n_events;
	if (w->n_old)
		tl_trace_work(w->trace, 0, &unused); /* the lists of work are made now, before any edit */
	for (size_t i = 0; i < rules->n; i++) {
		const struct rule *r = &rules->items[i];
		open[i] = r->action != RENAME && r->action != CATEGORY && select_gates_hold(w, r);
		if (open[i] && r->action == STOP) {
			tl_editor_note(w, r->name, "its gates hold, so no rule changes the tree", 0);
			stopped = true;
		}
	}
	for (size_t i = 0; i < rules->n && !stopped && o != FAILED; i++)
		if (open[i])
			o = apply_rule(w, &rules->items[i], err);
	free(open);
	return o == FAILED ? w->failed : TL_OK;
}

struct rewriter {
	struct tl_sink base;
	struct tl_editor editor;
	struct tl_translation ids;      /* the source's -> the editor's */
	struct tl_by_id names, layouts; /* the same, renamed */
	int64_t *values; size_t cap_values; /* of the event at hand */
};

static struct rewriter *self(struct tl_sink *s)
{
	return (struct rewriter *)s;
}

/* ---- names and categories ---- */

/* The id in our tables of what the rules make of a text of the source. */
static uint32_t rename_string(struct rewriter *w, uint32_t id, enum action action)
{
	struct tl_buf changed = { 0 }, from = { 0 };
	bool any = false;
	if (id)
		tl_buf_add(&from, tl_str(&w->ids.from->strings, id), tl_str_len(&w->ids.from->strings, id));
	for (size_t i = 0; i < w->editor.rules->n && from.data; i++) {
		const struct rule *r = &w->editor.rules->items[i];
		if (r->action != action || !tl_pattern_replace(r->what, r->to, from.data, from.len, &changed))
			continue;
		struct tl_buf other = from;
		from = changed;
		changed = other;
		any = true;
	}
	uint32_t to = any ? tl_add_string(&w->editor.tables, tl_buf_text(&from), from.len)
	                  : tl_translate_string(&w->ids, id);
	tl_buf_release(&changed);
	tl_buf_release(&from);
	return to;
}

static uint32_t new_layout(struct rewriter *w, uint32_t id)
{
	uint32_t *to = tl_by_id(&w->layouts, id);
	if (*to)
		return *to;
	struct tl_layout l = *tl_layout_of(&w->editor.tables, tl_translate_layout(&w->ids, id));
	l.cat = rename_string(w, tl_layout_of(w->ids.from, id)->cat, CATEGORY);
	return *to = tl_add_layout(&w->editor.tables, &l);
}

/* ---- the sink ---- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct rewriter *w = self(s);
	enum tl_status status = TL_OK;
	w->ids = (struct tl_translation){ .from = tables, .to = &w->editor.tables };
	if (w->editor.inner && !h->linked)
		return tl_fail(err, TL_ERR_DATA, "the trace is not linked: rules that change the tree come after the linker");
	if (w->editor.inner)
		status = w->editor.inner->ops->begin(w->editor.inner, h, &w->editor.tables, err);
	return status == TL_OK ? w->editor.next->ops->begin(w->editor.next, h, &w->editor.tables, err) : status;
}

static void forget_ids(struct rewriter *w)
{
	tl_translation_forget(&w->ids);
	tl_by_id_forget(&w->names);
	tl_by_id_forget(&w->layouts);
}

/* Our own tables go on. */
static void reset(struct tl_sink *s)
{
	forget_ids(self(s));
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *given, struct tl_error *err)
{
	struct rewriter *w = self(s);
	const struct tl_layout *l = tl_layout_of(w->ids.from, given->layout);
	struct tl_event e;
	TL_GROW(w->values, w->cap_values, l->n_fields);
	tl_translate_event(&w->ids, given, &e, w->values);
	e.layout = new_layout(w, given->layout);
	if (l->kind == TL_KIND_CPU_OP && given->name) {
		uint32_t *to = tl_by_id(&w->names, given->name);
		if (!*to)
			*to = rename_string(w, given->name, RENAME);
		w->editor.report.n_renamed += *to != e.name;
		e.name = *to;
	}
	bool reset;
	enum tl_status status = tl_editor_push_event(&w->editor, &e, &reset, err);
	if (reset)
		forget_ids(w);
	return status;
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	struct rewriter *w = self(s);
	if (w->editor.inner && l->type == TL_LINK_NODE && l->a <= UINT32_MAX)
		TL_PUSH(w->editor.nodes, w->editor.n_nodes, w->editor.cap_nodes, (uint32_t)l->a);
	return tl_editor_push_link(&w->editor, l, err);
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len,
                               const char *json, size_t json_len, struct tl_error *err)
{
	struct rewriter *w = self(s);
	uint64_t n_events = tl_meta_events(key, key_len, json, json_len);
	if (n_events > w->editor.n_events)
		w->editor.n_events = n_events;
	return w->editor.next->ops->meta(w->editor.next, key, key_len, json, json_len, err);
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct rewriter *w = self(s);
	enum tl_status status = w->editor.inner ? tree_edits(&w->editor, err) : TL_OK;
	return status == TL_OK ? w->editor.next->ops->end(w->editor.next, err) : status;
}

/* ---- interface ---- */

struct tl_sink *tl_rewriter_new(struct tl_sink *next, const struct tl_rules *rules)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
	};
	struct rewriter *w = tl_calloc(1, sizeof *w);
	w->base.ops = &ops;
	tl_editor_init(&w->editor, rules, next);
	return &w->base;
}

const struct tl_rewrite_report *tl_rewriter_report(const struct tl_sink *s)
{
	return &((const struct rewriter *)s)->editor.report;
}

void tl_rewriter_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct rewriter *w = self(s);
	tl_editor_release(&w->editor);
	tl_translation_release(&w->ids);
	tl_by_id_release(&w->names);
	tl_by_id_release(&w->layouts);
	free(w->values);
	free(w);
}
