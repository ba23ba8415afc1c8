/* editor.c - a trace that is being edited.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "edit/editor.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "model/fields.h"
#include "model/trace.h"

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
	TL_PUSH(r->notes, r->n_notes, r->cap_notes, (struct tl_rewrite_note){ rule, text, uid, 1 });
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

/* ---- the arguments of a new event ------------------------------------------------------- */

void tl_made_release(struct made *m)
{
	tl_buf_release(&m->name);
	tl_arena_release(&m->arena);
}

void tl_made_set(struct made *m, const char *key, uint8_t type, int64_t number, const char *text, size_t len)
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
	tl_made_set(m, key, TL_FIELD_JSON, 0, json, strlen(json));
}

static void set_int(struct made *m, const char *key, int64_t x)
{
	tl_made_set(m, key, TL_FIELD_INT, x, NULL, 0);
}

static int field_of(struct tl_editor *w, uint32_t event, const char *key, int64_t *value)
{
	if (event == TL_NONE)
		return 0;
	return tl_trace_field(w->trace, event, tl_strtab_find(&w->trace->strings, key, strlen(key)), false, value);
}

/* Copies an argument; false when the event has none or null. */
static bool copy_field(struct tl_editor *w, struct made *m, uint32_t event, const char *key)
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
	tl_made_set(m, key, (uint8_t)type, 0, text, len);
	return true;
}

void tl_made_add_lists(struct tl_editor *w, struct made *m, uint32_t first, uint32_t second)
{
	static const char *const lists[] = {
		TL_KEY_INPUT_DIMS, TL_KEY_INPUT_TYPE, TL_KEY_INPUT_STRIDES, TL_KEY_CONCRETE_INPUTS,
	};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!copy_field(w, m, first, lists[i]) && !copy_field(w, m, second, lists[i]))
			set_json(m, lists[i], "null");
}

void tl_made_add_sequence(struct tl_editor *w, struct made *m, uint32_t from, uint64_t default_number)
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
static bool parsed(struct tl_editor *w, struct made *m, uint32_t event, const char *key, struct tl_value *out)
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
static int64_t dim(struct tl_editor *w, struct made *m, const struct extra *x, uint32_t op)
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
static bool concrete_of(struct tl_editor *w, struct made *m, const struct extra *x, uint32_t e, int64_t *out)
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
static int64_t below(struct tl_editor *w, struct made *m, const struct extra *x, uint32_t op)
{
	int64_t result = x->number[2];
	struct tl_walk at = tl_walk_below(w->trace, op);
	while (at.event != TL_NONE && !concrete_of(w, m, x, at.event, &result))
		tl_walk_on(&at, at.depth < x->number[1]);
	return result;
}

/* The value of @capture: the group in the first name that matches among the kernels
 * below the donor. False if it is no integer, or no name matches. */
static bool capture(struct tl_editor *w, const struct extra *x, uint32_t donor, int64_t *out)
{
	const struct tl_trace *t = w->trace;
	uint32_t n;
	const uint32_t *work = tl_editor_old_work(w, donor, &n);
	for (uint32_t i = 0; i < n; i++) {
		const char *digits;
		size_t len;
		uint32_t name = t->events[work[i]].name;
		if (!tl_editor_name_is(w, x->pattern, name))
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
		tl_made_set(m, key, TL_FIELD_STRING, 0, s, strlen(s));
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
	tl_made_set(m, key, TL_FIELD_JSON, 0, b.data, b.len);
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
		tl_made_set(m, key, TL_FIELD_STRING, 0, v.text, v.len);
	else
		set_compact(m, key, json);
}

static void add_extra(struct tl_editor *w, struct made *m, const struct extra *x, const struct made_context *c)
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
		         tl_editor_name_is(w, x->pattern, w->trace->events[c->kernel].name) ? "true" : "false");
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

void tl_made_add_extras(struct tl_editor *w, struct made *m, const struct extra *x, const struct made_context *c)
{
	for (; x; x = x->next)
		add_extra(w, m, x, c);
}
