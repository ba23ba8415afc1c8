/* rewriter.c - the rewriter's sink: renames on the way through, keeps what other rules
 * look at, and has them carried out at the end.
 *
 * Rules make new texts and events, so the next sink gets tables of the
 * rewriter's own.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "base/value.h"
#include "model/fields.h"
#include "model/trace.h"
#include "edit/rewrite_rules.h"

struct rewriter {
	struct tl_sink base;
	const struct tl_rules *rules;
	struct tl_sink *next;
	struct tl_tables tables; /* of the events that go to `next` and into our trace */
	uint64_t n_events;       /* numbers taken: the next new event gets this one */
	struct tl_rewrite_report report;
	struct tl_translation ids;      /* the source's -> of these tables */
	struct tl_by_id names, layouts; /* the same, renamed */
	int64_t *values; size_t cap_values; /* of the event at hand */

	/* the trace, as the rules look at it, and the sink that fills it; NULL when
	 * they only rename */
	struct tl_trace *trace;
	struct tl_sink *inner;
	uint32_t *nodes; size_t n_nodes, cap_nodes; /* uids in stack order */
	uint32_t n_old; /* events before the first edit */
	uint64_t steps; /* events looked at above and below others */
	struct tl_by_id *verdicts; /* [pattern number], by the trace's string id: 1 no, 2 yes */

	enum tl_status failed; /* why an edit failed; nothing is edited after that */
	struct tl_error *err;  /* of the edits */
};

/* Kinds that rules do not look at. Python frames are kept if they are nodes of the tree. */
#define NOT_LOOKED_AT (1u << TL_KIND_OTHER | 1u << TL_KIND_META | 1u << TL_KIND_PYTHON | 1u << TL_KIND_ANNOTATION | \
	1u << TL_KIND_GPU_ANNOTATION | 1u << TL_KIND_LAUNCH_FLOW | 1u << TL_KIND_FWDBWD_FLOW | 1u << TL_KIND_FLOW | \
	1u << TL_KIND_COUNTER | 1u << TL_KIND_INSTANT | 1u << TL_KIND_OVERHEAD | 1u << TL_KIND_TRACE)

/* ---- events and links to the next sink ---- */

/* Puts an event or link into our trace and passes it to the next sink. *reset says
 * whether the tables were emptied afterwards, so that all their ids are void. */
static enum tl_status push_event(struct rewriter *w, const struct tl_event *e, bool *reset, struct tl_error *err)
{
	enum tl_status status = w->inner ? w->inner->ops->event(w->inner, e, err) : TL_OK;
	if (status == TL_OK)
		status = w->next->ops->event(w->next, e, err);
	if (w->n_events < e->uid + 1)
		w->n_events = e->uid + 1;
	*reset = tl_tables_full(&w->tables);
	if (*reset && w->inner)
		w->inner->ops->reset(w->inner);
	if (*reset) {
		w->next->ops->reset(w->next);
		tl_tables_clear(&w->tables);
	}
	return status;
}

static enum tl_status push_link(struct rewriter *w, const struct tl_link *l, struct tl_error *err)
{
	enum tl_status status = w->inner ? w->inner->ops->link(w->inner, l, err) : TL_OK;
	return status == TL_OK ? w->next->ops->link(w->next, l, err) : status;
}

/* Notes that a rule could not do something to an event; `text` is constant. */
static void note(struct rewriter *w, const char *rule, const char *text, uint64_t uid)
{
	struct tl_rewrite_report *r = &w->report;
	for (size_t i = 0; i < r->n_notes; i++) {
		if (r->notes[i].rule == rule && r->notes[i].text == text) {
			r->notes[i].count++;
			return;
		}
	}
	TL_PUSH(r->notes, r->n_notes, r->cap_notes, (struct tl_rewrite_note){ rule, text, uid, 1 });
}

/* ---- what rules look at ---- */

/* Does a name, a string of the trace, match the pattern; any or all of a list of
 * patterns? A name is compared once with a pattern, however many events have it. */
static bool name_is(struct rewriter *w, const struct tl_pattern *p, uint32_t string)
{
	const struct tl_strtab *strings = &w->trace->strings;
	uint32_t *verdict = tl_by_id(&w->verdicts[p->number], string);
	if (!*verdict)
		*verdict = tl_pattern_matches(p, tl_str(strings, string), tl_str_len(strings, string)) ? 2 : 1;
	return *verdict == 2;
}

static bool any_is(struct rewriter *w, const struct tl_pattern *p, uint32_t string)
{
	for (; p; p = p->next)
		if (name_is(w, p, string))
			return true;
	return false;
}

static bool all_are(struct rewriter *w, const struct tl_pattern *p, uint32_t string)
{
	for (; p; p = p->next)
		if (!name_is(w, p, string))
			return false;
	return true;
}

/* Device work below an event as it was before any edit; *n receives how much. */
static const uint32_t *old_work(struct rewriter *w, uint32_t event, uint32_t *n)
{
	const uint32_t *work = event < w->n_old ? tl_trace_work(w->trace, event, n) : NULL;
	*n = work ? *n : 0;
	w->steps += *n;
	return work;
}

/* ---- the arguments of a new event ------------------------------------------------------- */

struct made_field { const char *key; uint8_t type; int64_t number; const char *text; size_t len; };
struct made {
	struct tl_buf name;
	uint32_t like;         /* event whose process and thread it has */
	bool timed;            /* it has the start and duration of `like` too */
	struct made_field fields[MAX_MADE]; size_t n_fields;
	struct tl_arena arena; /* texts of the fields */
};
struct made_context {      /* what extra arguments are computed from */
	uint32_t op, donor, kernel; /* events or TL_NONE */
	uint32_t index, call;
	const char *pick;
};

/* Adds an argument, in place of the one that has this key: an integer, or a text. */
static void set_field(struct made *m, const char *key, uint8_t type, int64_t number, const char *text, size_t len)
{
	struct made_field f = { key, type, number, NULL, len };
	if (text)
		f.text = tl_arena_dup(&m->arena, text, len);
	for (size_t i = 0; i < m->n_fields; i++) {
		if (!strcmp(m->fields[i].key, key)) {
			m->fields[i] = f;
			return;
		}
	}
	if (m->n_fields < MAX_MADE)
		m->fields[m->n_fields++] = f;
}

static void set_json(struct made *m, const char *key, const char *json)
{
	set_field(m, key, TL_FIELD_JSON, 0, json, strlen(json));
}

static void set_int(struct made *m, const char *key, int64_t x)
{
	set_field(m, key, TL_FIELD_INT, x, NULL, 0);
}

static int field_of(struct rewriter *w, uint32_t event, const char *key, int64_t *value)
{
	if (event == TL_NONE)
		return 0;
	return tl_trace_field(w->trace, event, tl_strtab_find(&w->trace->strings, key, strlen(key)), false, value);
}

/* Copies an argument; false when the event has none or null. */
static bool copy_field(struct rewriter *w, struct made *m, uint32_t event, const char *key)
{
	int64_t v;
	int type = field_of(w, event, key, &v);
	if (!type)
		return false;
	if (type == TL_FIELD_INT) {
		set_int(m, key, v);
		return true;
	}
	const char *text = tl_str(&w->trace->strings, (uint32_t)v);
	size_t len = tl_str_len(&w->trace->strings, (uint32_t)v);
	if (type == TL_FIELD_JSON && len == 4 && !memcmp(text, "null", 4))
		return false;
	set_field(m, key, (uint8_t)type, 0, text, len);
	return true;
}

/* Adds the four lists of arguments: each from `first`, or from `second` if `first` has
 * none (TL_NONE: no such event), or null. */
static void add_lists(struct rewriter *w, struct made *m, uint32_t first, uint32_t second)
{
	static const char *const lists[] = {
		TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS,
	};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!copy_field(w, m, first, lists[i]) && !copy_field(w, m, second, lists[i]))
			set_json(m, lists[i], "null");
}

/* Adds the sequence number of `from`, or default_number if it has none. */
static void add_sequence(struct rewriter *w, struct made *m, uint32_t from, uint64_t default_number)
{
	int64_t v;
	if (copy_field(w, m, from, TL_KEY_SEQUENCE))
		return;
	if (field_of(w, from, TL_KEY_SEQUENCE, &v))
		set_json(m, TL_KEY_SEQUENCE, "null");
	else
		set_int(m, TL_KEY_SEQUENCE, (int64_t)default_number);
}

/* ---- extra arguments ---- */

/* The value of a list argument of an event, parsed. */
static bool parsed(struct rewriter *w, struct made *m, uint32_t event, const char *key, struct tl_value *out)
{
	int64_t v;
	if (field_of(w, event, key, &v) != TL_FIELD_JSON)
		return false;
	return tl_value_parse(&m->arena, tl_str(&w->trace->strings, (uint32_t)v),
	                      tl_str_len(&w->trace->strings, (uint32_t)v), out, NULL) == TL_OK;
}

/* An integer as Python's int() makes it of a number or a text. */
static bool as_integer(const struct tl_value *v, int64_t *out)
{
	__int128 wide;
	switch (v->type) {
	case TL_V_INT:
		wide = v->i;
		break;
	case TL_V_BOOL:
		wide = v->b;
		break;
	case TL_V_REAL:
		if (!(v->d > -9e18 && v->d < 9e18))
			return false;
		wide = (int64_t)v->d;
		break;
	case TL_V_TEXT:
		if (!tl_parse_pyint(v->text, v->len, &wide))
			return false;
		break;
	default:
		return false;
	}
	if (wide < INT64_MIN || wide > INT64_MAX)
		return false;
	*out = (int64_t)wide;
	return true;
}

static const struct tl_value *item(const struct tl_value *v, long i)
{
	return (v->type == TL_V_LIST || v->type == TL_V_TUPLE) && i < (long)v->len ? &v->items[i] : NULL;
}

/* The value of @dim. */
static int64_t dim(struct rewriter *w, struct made *m, const struct extra *x, uint32_t op)
{
	struct tl_value dims;
	const struct tl_value *shape, *size;
	int64_t n;
	if (parsed(w, m, op, TL_KEY_INPUT_DIMS, &dims) && (shape = item(&dims, x->number[0])) &&
	    (size = item(shape, x->number[1])) && as_integer(size, &n))
		return n;
	return x->number[2];
}

/* Entry number[0] of the concrete inputs of an event whose name contains the text. */
static bool concrete_of(struct rewriter *w, struct made *m, const struct extra *x, uint32_t e, int64_t *out)
{
	struct tl_value list;
	const struct tl_value *v;
	const char *name = tl_str(&w->trace->strings, w->trace->events[e].name);
	if (!strstr(name, x->text[0]) || !parsed(w, m, e, TL_KEY_CONCRETE_INPUTS, &list))
		return false;
	v = item(&list, x->number[0]);
	return v && !(v->type == TL_V_TEXT && !v->len) && as_integer(v, out);
}

/* The value of @below: the first such entry below the operator, depth first and at
 * most number[1] levels below its children; else the default. */
static int64_t below(struct rewriter *w, struct made *m, const struct extra *x, uint32_t op)
{
	int64_t result = x->number[2];
	struct tl_walk at = tl_walk_below(w->trace, op);
	while (at.event != TL_NONE && !concrete_of(w, m, x, at.event, &result))
		tl_walk_on(&at, at.depth < x->number[1]);
	return result;
}

/* The value of @capture: the group in the first name that matches among the kernels
 * below the donor. False if it is no integer, or no name matches. */
static bool capture(struct rewriter *w, const struct extra *x, uint32_t donor, int64_t *out)
{
	const struct tl_trace *t = w->trace;
	uint32_t n;
	const uint32_t *work = old_work(w, donor, &n);
	for (uint32_t i = 0; i < n; i++) {
		const char *digits;
		size_t len;
		uint32_t name = t->events[work[i]].name;
		if (!name_is(w, x->pattern, name))
			continue;
		__int128 wide;
		if (!tl_pattern_group(x->pattern, tl_str(&t->strings, name), tl_str_len(&t->strings, name), (uint32_t)x->number[0],
		                      &digits, &len) ||
		    !tl_parse_pyint(digits, len, &wide) || wide < INT64_MIN || wide > INT64_MAX)
			return false;
		*out = (int64_t)wide;
		return true;
	}
	return false;
}

static void set_text(struct made *m, const char *key, const char *s)
{
	if (s)
		set_field(m, key, TL_FIELD_STRING, 0, s, strlen(s));
	else
		set_json(m, key, "null");
}

/* A field of type JSON has no blanks between tokens. */
static void set_compact(struct made *m, const char *key, const char *json)
{
	struct tl_buf b = { 0 };
	bool quoted = false;
	for (; *json; json++) {
		if (!quoted && strchr(" \t\r\n", *json))
			continue;
		if (*json == '"')
			quoted = !quoted;
		tl_buf_addc(&b, *json);
		if (quoted && *json == '\\' && json[1])
			tl_buf_addc(&b, *++json);
	}
	set_field(m, key, TL_FIELD_JSON, 0, b.data, b.len);
	tl_buf_release(&b);
}

/* A JSON value as a field: integers and plain texts have their own types. */
static void set_literal(struct made *m, const char *key, const char *json)
{
	struct tl_value v;
	int64_t n;
	if (tl_value_parse(&m->arena, json, strlen(json), &v, NULL) != TL_OK)
		return;
	if (v.type == TL_V_INT && as_integer(&v, &n))
		set_int(m, key, n);
	else if (v.type == TL_V_TEXT)
		set_field(m, key, TL_FIELD_STRING, 0, v.text, v.len);
	else
		set_compact(m, key, json);
}

static void add_extra(struct rewriter *w, struct made *m, const struct extra *x, const struct made_context *c)
{
	int64_t n;
	switch ((enum value_kind)x->kind) {
	case VALUE_LITERAL:
		set_literal(m, x->key, x->text[0]);
		break;
	case VALUE_INDEX:
		set_int(m, x->key, c->index);
		break;
	case VALUE_FIRST:
		set_literal(m, x->key, x->text[c->index > 0]);
		break;
	case VALUE_KERNEL:
		set_json(m, x->key, c->kernel != TL_NONE &&
		         name_is(w, x->pattern, w->trace->events[c->kernel].name) ? "true" : "false");
		break;
	case VALUE_DIM:
		set_int(m, x->key, dim(w, m, x, c->op));
		break;
	case VALUE_BELOW:
		set_int(m, x->key, below(w, m, x, c->op));
		break;
	case VALUE_CALL:
		set_int(m, x->key, c->call);
		break;
	case VALUE_SET:
		set_text(m, x->key, x->text[1]);
		break;
	case VALUE_SET_INT:
		set_int(m, x->key, x->number[0]);
		break;
	case VALUE_PICK:
		set_text(m, x->key, c->pick);
		break;
	case VALUE_CAPTURE:
		if (c->donor != TL_NONE && capture(w, x, c->donor, &n))
			set_int(m, x->key, n);
		break;
	}
}

static void add_extras(struct rewriter *w, struct made *m, const struct extra *x, const struct made_context *c)
{
	for (; x; x = x->next)
		add_extra(w, m, x, c);
}

/* ---- which events a rule is about ------------------------------------------------------- */

/* ---- gates ---- */

/* Has an event of the tree, or a kernel, such a name? */
static bool occurs(struct rewriter *w, const struct tl_pattern *p, bool as_kernel)
{
	const struct tl_trace *t = w->trace;
	for (uint32_t i = 0; i < t->n_events; i++)
		if ((as_kernel ? t->events[i].kind == TL_KIND_KERNEL : t->events[i].flags & TL_EV_IN_TREE) &&
		    name_is(w, p, t->events[i].name))
			return true;
	return false;
}

/* Do all gates of the rule hold? */
static bool select_gates_hold(struct rewriter *w, const struct rule *r)
{
	const struct tl_pattern *const gates[] = { r->if_op, r->unless_op, r->if_kernel };
	for (size_t i = 0; i < 3; i++)
		for (const struct tl_pattern *p = gates[i]; p; p = p->next)
			if (occurs(w, p, i == 2) == (i == 1))
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

/* Events by name, in the order in which the names first appear on the stacks. */
static uint32_t *select_events(struct rewriter *w, const struct rule *r, size_t *n)
{
	struct order o = { .trace = w->trace };
	uint32_t *found = tl_alloc((w->n_nodes + 1) * sizeof *found), n_names = 0;
	*n = 0;
	for (size_t i = 0; i < w->n_nodes; i++) {
		uint32_t e = tl_trace_by_uid(w->trace, w->nodes[i]);
		const struct tl_ev *ev = e == TL_NONE ? NULL : &w->trace->events[e];
		if (!ev || (r->frames && ev->kind != TL_KIND_PYTHON) || !any_is(w, r->ops, ev->name))
			continue;
		uint32_t *rank = tl_by_id(&o.ranks, ev->name);
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
static uint32_t select_above(struct rewriter *w, const struct tl_pattern *p, uint32_t event)
{
	uint32_t e = w->trace->events[event].parent;
	for (; e != TL_NONE && !name_is(w, p, w->trace->events[e].name); w->steps++)
		e = w->trace->events[e].parent;
	return e;
}

static uint32_t select_below(struct rewriter *w, const struct tl_pattern *p, uint32_t event)
{
	struct tl_walk at = tl_walk_below(w->trace, event);
	for (; at.event != TL_NONE && !name_is(w, p, w->trace->events[at.event].name); w->steps++)
		tl_walk_on(&at, true);
	return at.event;
}

/* ---- carries out the rules that change the tree: every new event and -------------------- */

/* Rules search above and below their events; where those are nested very deeply, this takes
 * time that grows with the square of the trace. This many events take some seconds. */
#define MAX_STEPS (UINT64_C(1) << 28)

/* Functions that carry a rule out at an event return whether it goes on with the next one. A
 * stopped rule keeps the edits that it made before. */

static bool stop(struct rewriter *w, const struct rule *r, const char *why, uint32_t event)
{
	note(w, r->name, why, w->trace->events[event].uid);
	return false;
}

/* ---- new events and links ---- */

static uint32_t trace_text(struct rewriter *w, uint32_t id)
{
	const struct tl_strtab *strings = &w->trace->strings;
	return id ? tl_add_string(&w->tables, tl_str(strings, id), tl_str_len(strings, id)) : 0;
}

static enum tl_status push(struct rewriter *w, const struct made *m)
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
	return push_event(w, &e, &reset, w->err);
}

/* Makes a new event and frees what describes it. Returns its index in our trace, TL_NONE if it failed. */
static uint32_t add_new_event(struct rewriter *w, struct made *m)
{
	uint64_t uid = w->n_events;
	w->failed = uid < UINT32_MAX - 2 ? push(w, m)
	          : tl_fail(w->err, TL_ERR_DATA, "no event numbers are left for new events");
	tl_buf_release(&m->name);
	tl_arena_release(&m->arena);
	w->report.n_new += !w->failed;
	return w->failed ? TL_NONE : tl_trace_by_uid(w->trace, uid);
}

/* A link between events of our trace; b may be TL_NONE. */
static void add_new_link(struct rewriter *w, uint8_t type, uint32_t a, uint32_t b)
{
	if (w->failed)
		return;
	struct tl_link l = { type, w->trace->events[a].uid, b == TL_NONE ? TL_NO_UID : w->trace->events[b].uid };
	w->failed = push_link(w, &l, w->err);
}

/* What is below recomputed work is recomputed. */
static void inherit_marks(struct rewriter *w, uint32_t e, uint32_t parent)
{
	if (w->trace->events[parent].flags & TL_EV_RECOMPUTE)
		add_new_link(w, TL_LINK_RECOMPUTE, e, TL_NONE);
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

static bool isolate_kernel(struct rewriter *w, const struct rule *r, const struct step *s, const struct made_context *c)
{
	struct tl_trace *t = w->trace;
	uint32_t launch = t->events[c->kernel].parent;
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
	add_lists(w, &m, c->op, parent);
	add_sequence(w, &m, c->op, t->events[c->op].uid);
	if (id_type == TL_FIELD_INT)
		set_field(&m, TL_KEY_EXTERNAL_ID, TL_FIELD_INT, id, NULL, 0);
	else
		set_field(&m, TL_KEY_EXTERNAL_ID, (uint8_t)id_type, 0, tl_str(&t->strings, (uint32_t)id),
		            tl_str_len(&t->strings, (uint32_t)id));
	set_field(&m, "Pseudo op", TL_FIELD_JSON, 0, "true", 4);
	add_extras(w, &m, s->extras, c);
	bool is_free = tl_trace_owner(t, launch) == parent;
	uint32_t made = add_new_event(w, &m);
	if (is_free) {
		add_new_link(w, TL_LINK_NODE, made, parent);
		add_new_link(w, TL_LINK_ADOPT, made, launch);
	}
	add_new_link(w, TL_LINK_WORK, made, c->kernel);
	if (is_free)
		inherit_marks(w, made, parent);
	else if (!w->failed) /* the new event stays outside the tree, as in TraceLens */
		return stop(w, r, "a launch is isolated already: rule stopped", c->kernel);
	return !w->failed;
}

static uint32_t *matching_kernels(struct rewriter *w, const struct step *s, const uint32_t *work,
                                  uint32_t n_work, uint32_t *n)
{
	uint32_t *found = tl_alloc(((size_t)n_work + 1) * sizeof *found);
	*n = 0;
	for (uint32_t i = 0; i < n_work; i++) {
		const struct tl_ev *k = &w->trace->events[work[i]];
		if (k->kind == TL_KIND_KERNEL && all_are(w, s->kernels, k->name))
			found[(*n)++] = work[i];
	}
	tl_sort_by_start(w->trace, found, *n);
	return found;
}

/* Does an operator lie below? Events without device work are not searched. */
static bool has_op_below(struct rewriter *w, uint32_t event)
{
	uint32_t n_work;
	for (struct tl_walk at = tl_walk_below(w->trace, event); at.event != TL_NONE; tl_walk_on(&at, n_work > 0)) {
		if (w->trace->events[at.event].kind == TL_KIND_CPU_OP)
			return true;
		old_work(w, at.event, &n_work);
	}
	return false;
}

static bool isolate(struct rewriter *w, const struct rule *r, uint32_t e)
{
	uint32_t n_work;
	const uint32_t *work = old_work(w, e, &n_work);
	bool goes_on = true;
	if (r->skip_with_ops && has_op_below(w, e))
		return true;
	for (size_t i = 0; i < r->n_steps && goes_on; i++) {
		const struct step *s = &r->steps[i];
		uint32_t n;
		uint32_t *kernels = matching_kernels(w, s, work, n_work, &n);
		bool fits = n && (!s->count || (uint32_t)s->count == n);
		if (!fits && !i)
			note(w, r->name, n ? "another number of kernels than expected" : "no kernel matches",
			     w->trace->events[e].uid);
		struct made_context c = { .op = e, .donor = TL_NONE };
		for (; fits && c.index < n && goes_on; c.index++) {
			c.kernel = kernels[c.index];
			goes_on = isolate_kernel(w, r, s, &c);
		}
		free(kernels);
		if (!fits && !i)
			break;
	}
	return goes_on;
}

/* ---- wrap: frame -> new -> all children of the frame ---- */

static const char *pick(struct rewriter *w, const struct rule *r, uint32_t donor)
{
	uint32_t n;
	const uint32_t *work = old_work(w, donor, &n);
	for (size_t i = 0; i < r->n_picks; i++) {
		if (!r->picks[i].pattern)
			return r->picks[i].label;
		for (uint32_t k = 0; k < n; k++)
			if (name_is(w, r->picks[i].pattern, w->trace->events[work[k]].name))
				return r->picks[i].label;
	}
	return NULL;
}

/* The event that lends its arguments; TL_NONE when the rule asks for one that
 * is not there. */
static uint32_t donor_of(struct rewriter *w, const struct rule *r, uint32_t e)
{
	if (r->donor_above)
		return select_above(w, r->donor_above, e);
	return r->donor_below ? select_below(w, r->donor_below, e) : e;
}

static void describe_op_of_frame(struct rewriter *w, struct made *m, const struct rule *r,
                                 const struct made_context *c, uint64_t default_number)
{
	const struct step *s = &r->steps[0];
	m->like = c->op;
	m->timed = true;
	set_name(m, s->name, c->pick);
	add_lists(w, m, c->donor, TL_NONE);
	add_sequence(w, m, c->donor, default_number);
	set_field(m, "Pseudo op", TL_FIELD_JSON, 0, "true", 4);
	add_extras(w, m, s->extras, c);
}

static bool wrap(struct rewriter *w, const struct rule *r, uint32_t e, uint32_t call)
{
	uint32_t n_work;
	struct made_context c = { .op = e, .donor = donor_of(w, r, e), .kernel = TL_NONE, .call = call };
	old_work(w, e, &n_work);
	if (c.donor == TL_NONE || !n_work || w->trace->events[e].first_child == TL_NONE) {
		note(w, r->name, c.donor == TL_NONE ? "no event to take the arguments from" : "no device work below",
			     w->trace->events[e].uid);
		return true;
	}
	c.pick = pick(w, r, c.donor);
	struct made m = { 0 };
	describe_op_of_frame(w, &m, r, &c, w->trace->events[e].uid);
	uint32_t made = add_new_event(w, &m);
	add_new_link(w, TL_LINK_NODE, made, e);
	for (uint32_t child = w->trace->events[e].first_child, next; child != TL_NONE && !w->failed; child = next) {
		next = w->trace->events[child].next_sibling;
		if (child != made)
			add_new_link(w, TL_LINK_REPARENT, made, child);
	}
	add_new_link(w, TL_LINK_ROOT, made, TL_NONE);
	inherit_marks(w, made, e);
	return !w->failed;
}

/* ---- insert: parent -> new -> event ---- */

static bool insert(struct rewriter *w, const struct rule *r, uint32_t e, uint32_t call)
{
	struct tl_trace *t = w->trace;
	uint32_t parent = t->events[e].parent;
	struct made_context c = { .op = e, .donor = donor_of(w, r, e), .kernel = TL_NONE, .call = call };
	if (c.donor == TL_NONE || parent == TL_NONE) {
		if (parent == TL_NONE)
			note(w, r->name, "the event has no parent", t->events[e].uid);
		return true;
	}
	bool is_free = tl_trace_owner(t, e) == parent;
	struct made m = { 0 };
	describe_op_of_frame(w, &m, r, &c, t->events[c.donor].uid);
	uint32_t made = add_new_event(w, &m);
	if (!w->failed && !is_free)
		return stop(w, r, "an event is not among its parent's children: rule stopped", e);
	add_new_link(w, TL_LINK_REPLACE, made, e);
	add_new_link(w, TL_LINK_REPARENT, made, e);
	inherit_marks(w, made, parent);
	return !w->failed;
}

/* ---- all rules ---- */

static bool apply_to(struct rewriter *w, const struct rule *r, uint32_t e, uint32_t call)
{
	uint32_t above;

	switch (r->action) {
	case ISOLATE:
		return isolate(w, r, e);
	case WRAP:
		return wrap(w, r, e, call);
	case INSERT:
		return insert(w, r, e, call);
	case MOVE: /* below the nearest event above that matches */
		above = select_above(w, r->under, e);
		if (above == TL_NONE || w->trace->events[e].parent == above)
			return true;
		w->report.n_moved++;
		add_new_link(w, TL_LINK_REPARENT, above, e);
		return !w->failed;
	default:
		return true;
	}
}

static void apply_rule(struct rewriter *w, const struct rule *r)
{
	size_t n;
	uint32_t *events = select_events(w, r, &n);
	bool goes_on = true;
	for (size_t i = 0; i < n && goes_on && !w->failed; i++) {
		goes_on = apply_to(w, r, events[i], (uint32_t)i);
		if (w->steps > MAX_STEPS && !w->failed)
			w->failed = tl_fail(w->err, TL_ERR_DATA, "rule %s: its events have too many others above or below them",
			                    r->name);
	}
	free(events);
}

/* All of them, in order; the whole trace was read. */
static enum tl_status tree_edits(struct rewriter *w, struct tl_error *err)
{
	const struct tl_rules *rules = w->rules;
	uint32_t unused;
	bool *open = tl_calloc(rules->n + 1, sizeof *open);
	bool stopped = false;
	w->err = err;
	w->n_old = w->trace->n_events;
	if (w->n_old)
		tl_trace_work(w->trace, 0, &unused); /* the lists of work are made now, before any edit */
	for (size_t i = 0; i < rules->n; i++) {
		const struct rule *r = &rules->items[i];
		open[i] = r->action != RENAME && r->action != CATEGORY && select_gates_hold(w, r);
		if (open[i] && r->action == STOP) {
			note(w, r->name, "its gates hold, so no rule changes the tree", 0);
			stopped = true;
		}
	}
	for (size_t i = 0; i < rules->n && !stopped && !w->failed; i++)
		if (open[i])
			apply_rule(w, &rules->items[i]);
	free(open);
	return w->failed;
}

/* ---- names and categories ---- */

/* The id in our tables of what the rules make of a text of the source. */
static uint32_t rename_string(struct rewriter *w, uint32_t id, enum action action)
{
	struct tl_buf changed = { 0 }, from = { 0 };
	bool any = false;
	if (id)
		tl_buf_add(&from, tl_str(&w->ids.from->strings, id), tl_str_len(&w->ids.from->strings, id));
	for (size_t i = 0; i < w->rules->n && from.data; i++) {
		const struct rule *r = &w->rules->items[i];
		if (r->action != action || !tl_pattern_replace(r->what, r->to, from.data, from.len, &changed))
			continue;
		struct tl_buf other = from;
		from = changed;
		changed = other;
		any = true;
	}
	uint32_t to = any ? tl_add_string(&w->tables, tl_buf_text(&from), from.len)
	                  : tl_translate_string(&w->ids, id);
	tl_buf_release(&changed);
	tl_buf_release(&from);
	return to;
}

/* ---- the sink ---- */

static enum tl_status begin(struct tl_sink *s, const struct tl_header *h, const struct tl_tables *tables,
                            struct tl_error *err)
{
	struct rewriter *w = (struct rewriter *)s;
	enum tl_status status = TL_OK;
	w->ids = (struct tl_translation){ .from = tables, .to = &w->tables };
	if (w->inner && !h->linked)
		return tl_fail(err, TL_ERR_DATA, "the trace is not linked: rules that change the tree come after the linker");
	if (w->inner)
		status = w->inner->ops->begin(w->inner, h, &w->tables, err);
	return status == TL_OK ? w->next->ops->begin(w->next, h, &w->tables, err) : status;
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
	forget_ids((struct rewriter *)s);
}

static enum tl_status add_event(struct tl_sink *s, const struct tl_event *given, struct tl_error *err)
{
	struct rewriter *w = (struct rewriter *)s;
	const struct tl_layout *l = tl_layout_of(w->ids.from, given->layout);
	struct tl_event e;
	TL_GROW(w->values, w->cap_values, l->n_fields);
	tl_translate_event(&w->ids, given, &e, w->values);
	uint32_t *layout = tl_by_id(&w->layouts, given->layout);
	if (!*layout) {
		struct tl_layout renamed = *tl_layout_of(&w->tables, tl_translate_layout(&w->ids, given->layout));
		renamed.cat = rename_string(w, l->cat, CATEGORY);
		*layout = tl_add_layout(&w->tables, &renamed);
	}
	e.layout = *layout;
	if (l->kind == TL_KIND_CPU_OP && given->name) {
		uint32_t *to = tl_by_id(&w->names, given->name);
		if (!*to)
			*to = rename_string(w, given->name, RENAME);
		w->report.n_renamed += *to != e.name;
		e.name = *to;
	}
	bool reset;
	enum tl_status status = push_event(w, &e, &reset, err);
	if (reset)
		forget_ids(w);
	return status;
}

static enum tl_status add_link(struct tl_sink *s, const struct tl_link *l, struct tl_error *err)
{
	struct rewriter *w = (struct rewriter *)s;
	if (w->inner && l->type == TL_LINK_NODE && l->a <= UINT32_MAX)
		TL_PUSH(w->nodes, w->n_nodes, w->cap_nodes, (uint32_t)l->a);
	return push_link(w, l, err);
}

static enum tl_status add_meta(struct tl_sink *s, const char *key, size_t key_len,
                               const char *json, size_t json_len, struct tl_error *err)
{
	struct rewriter *w = (struct rewriter *)s;
	uint64_t n_events = tl_meta_events(key, key_len, json, json_len);
	if (n_events > w->n_events)
		w->n_events = n_events;
	return w->next->ops->meta(w->next, key, key_len, json, json_len, err);
}

static enum tl_status end(struct tl_sink *s, struct tl_error *err)
{
	struct rewriter *w = (struct rewriter *)s;
	enum tl_status status = w->inner ? tree_edits(w, err) : TL_OK;
	return status == TL_OK ? w->next->ops->end(w->next, err) : status;
}

/* ---- interface ---- */

struct tl_sink *tl_rewriter_new(struct tl_sink *next, const struct tl_rules *rules)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = add_meta, .event = add_event, .link = add_link, .end = end,
	};
	struct rewriter *w = tl_calloc(1, sizeof *w);
	w->base.ops = &ops;
	w->rules = rules;
	w->next = next;
	if (rules->edits) {
		w->inner = tl_trace_sink_new(&w->trace, &(struct tl_trace_options){ .drop_kinds = NOT_LOOKED_AT });
		w->verdicts = tl_calloc(rules->n_patterns + 1, sizeof *w->verdicts);
	}
	return &w->base;
}

const struct tl_rewrite_report *tl_rewriter_report(const struct tl_sink *s)
{
	return &((const struct rewriter *)s)->report;
}

void tl_rewriter_free(struct tl_sink *s)
{
	if (!s)
		return;
	struct rewriter *w = (struct rewriter *)s;
	for (size_t i = 0; w->verdicts && i < w->rules->n_patterns; i++)
		tl_by_id_release(&w->verdicts[i]);
	free(w->verdicts);
	tl_trace_sink_free(w->inner);
	tl_trace_free(w->trace);
	tl_tables_release(&w->tables);
	free(w->nodes);
	free(w->report.notes);
	tl_translation_release(&w->ids);
	tl_by_id_release(&w->names);
	tl_by_id_release(&w->layouts);
	free(w->values);
	free(w);
}
