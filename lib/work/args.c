/* args.c - arguments of events; arguments, names and durations as cells of a table.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/args.h"

#include "work/spans.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static struct tl_arg find_field(const struct tl_trace *t, const char *name, bool top)
{
	uint32_t key = tl_strtab_find(&t->strings, name, strlen(name));
	struct tl_arg a = { tl_trace_alloc(t, ((size_t)t->n_layouts + 1) * sizeof *a.place) };

	for (uint32_t i = 0; i < t->n_layouts; i++) {
		const struct tl_layout *l = &t->layouts[i];

		a.place[i] = -1;
		for (uint32_t f = 0; key && f < l->n_fields; f++)
			if (l->fields[f].key == key && l->fields[f].top == top)
				a.place[i] = (int32_t)f; /* of a repeated key the last counts */
	}
	return a;
}

struct tl_arg tl_arg_of(const struct tl_trace *t, const char *name)
{
	return find_field(t, name, false);
}

struct tl_arg tl_arg_of_event(const struct tl_trace *t, const char *name)
{
	return find_field(t, name, true);
}

/* Values by the id of their JSON text, which many events share; null: the text is no JSON. */
struct values {
	struct TL_KEYED(struct tl_value) of;
	struct tl_arena arena;
};

static void release_values(void *p)
{
	struct values *v = p;

	TL_KEYED_RELEASE(&v->of);
	tl_arena_release(&v->arena);
}

struct tl_value tl_value_of_json(const struct tl_trace *t, uint32_t json)
{
	struct values *v = tl_trace_keep(t, sizeof *v, release_values);
	bool is_new;
	struct tl_value *known = TL_ITEM(&v->of, json, &is_new);

	if (is_new && tl_value_parse(&v->arena, tl_str(&t->strings, json), tl_str_len(&t->strings, json), known, NULL))
		*known = (struct tl_value){ .type = TL_V_NULL };
	return *known;
}

bool tl_arg_list(const struct tl_arg *a, const struct tl_trace *t, uint32_t event, struct tl_value *list)
{
	int64_t id = 0;

	if (tl_arg_get(a, t, event, &id) != TL_FIELD_JSON)
		return false;
	struct tl_value v = tl_value_of_json(t, (uint32_t)id);
	if (v.type == TL_V_LIST)
		*list = v;
	return v.type == TL_V_LIST;
}

struct tl_cell tl_value_cell(const struct tl_value *v, bool lists_as_tuples, struct tl_strtab *strings,
                             struct tl_buf *buf)
{
	if (v->type == TL_V_NULL)
		return tl_cell_null();
	if (v->type == TL_V_BOOL)
		return tl_cell_bool(v->b);
	if (v->type == TL_V_REAL && !v->big)
		return tl_cell_real(v->d);
	if (v->type == TL_V_INT && v->i >= INT64_MIN && v->i <= INT64_MAX)
		return tl_cell_int((int64_t)v->i);
	tl_buf_clear(buf);
	tl_value_str(buf, v, lists_as_tuples);
	return tl_cell_text(tl_intern(strings, tl_buf_text(buf), buf->len));
}

/* JSON texts as cells, with lists as tuples and as lists. */
struct decoded {
	struct TL_KEYED(struct tl_cell) of[2]; /* by the string id of the JSON text */
	struct tl_arena arena;  /* of one decoding */
	struct tl_buf buf;
};

static void release_decoded(void *decoded)
{
	struct decoded *d = decoded;

	TL_KEYED_RELEASE(&d->of[0]);
	TL_KEYED_RELEASE(&d->of[1]);
	tl_arena_release(&d->arena);
	tl_buf_release(&d->buf);
}

static struct tl_cell decode(struct decoded *d, struct tl_strtab *strings, uint32_t json, bool as_lists)
{
	struct tl_value v;

	tl_arena_clear(&d->arena);
	if (tl_value_parse(&d->arena, tl_str(strings, json), tl_str_len(strings, json), &v, NULL))
		return tl_cell_text(json); /* text that is no JSON stays as it is */
	return tl_value_cell(&v, !as_lists, strings, &d->buf);
}

static struct tl_cell json_cell(struct tl_trace *t, uint32_t json, bool as_lists)
{
	struct decoded *d = tl_trace_keep(t, sizeof *d, release_decoded);
	bool is_new;

	if (!json || json > t->strings.count)
		return tl_cell_null();
	struct tl_cell *cell = TL_ITEM(&d->of[as_lists], json, &is_new);
	if (is_new)
		*cell = decode(d, &t->strings, json, as_lists);
	return *cell;
}

struct tl_cell tl_json_cell(struct tl_trace *t, uint32_t json)
{
	return json_cell(t, json, false);
}

static struct tl_cell arg_cell(struct tl_trace *t, const struct tl_arg *a, uint32_t event, bool as_lists)
{
	int64_t value = 0;
	int type = tl_arg_get(a, t, event, &value);

	if (type == TL_FIELD_INT)
		return tl_cell_int(value);
	if (type == TL_FIELD_STRING)
		return tl_cell_text((uint32_t)value);
	return type == TL_FIELD_JSON && (uint64_t)value <= UINT32_MAX ? json_cell(t, (uint32_t)value, as_lists) : tl_cell_null();
}

struct tl_cell tl_arg_cell(struct tl_trace *t, const struct tl_arg *a, uint32_t event)
{
	return arg_cell(t, a, event, false);
}

struct tl_cell tl_arg_list_cell(struct tl_trace *t, const struct tl_arg *a, uint32_t event)
{
	return arg_cell(t, a, event, true);
}

double tl_arg_positive(struct tl_trace *t, const struct tl_arg *a, uint32_t event)
{
	struct tl_cell c = tl_arg_cell(t, a, event);

	return c.type == TL_CELL_INT ? (double)(c.i > 0 ? c.i : 0) : c.type == TL_CELL_REAL && c.d > 0 ? c.d : 0;
}

struct tl_cell tl_whole_cell(struct tl_cell c)
{
	if (c.type == TL_CELL_REAL && c.d >= -0x1p53 && c.d <= 0x1p53 && c.d == (double)(int64_t)c.d)
		return tl_cell_int((int64_t)c.d);
	return c;
}

struct tl_cell tl_name_cell(struct tl_trace *t, uint32_t name)
{
	return tl_cell_text(name ? name : tl_intern(&t->strings, "", 0));
}

struct tl_cell tl_start_cell(const struct tl_trace *t, int64_t ticks)
{
	return tl_cell_time(t->first_ts == INT64_MAX ? ticks : tl_ticks_sub(ticks, t->first_ts), false);
}

/* ---- between which kinds of memory a copy goes, or which one is set -------------------------------------- */

struct tl_cell tl_memory_kinds(struct tl_trace *t, const struct tl_arg *memory, uint32_t event)
{
	const struct tl_ev *e = &t->events[event];
	struct tl_cell told = tl_arg_cell(t, memory, event);
	const char *name = tl_str(&t->strings, e->name), *open = strrchr(name, '('), *close = strrchr(name, ')');

	struct tl_arg cause = tl_arg_of(t, TL_KEY_CAUSE);
	int64_t text;

	if (told.type == TL_CELL_TEXT && tl_arg_get(&cause, t, event, &text) == TL_FIELD_STRING) { /* a page that moves */
		struct tl_buf both = { 0 };
		tl_buf_addf(&both, "%s, %s", tl_str(&t->strings, told.text), tl_str(&t->strings, (uint32_t)text));
		told = tl_cell_text(tl_intern(&t->strings, both.data, both.len));
		tl_buf_release(&both);
	}
	if (told.type == TL_CELL_TEXT)
		return told;
	if (e->kind == TL_KIND_KERNEL || !open || !close || close < open)
		return tl_cell_null();
	return tl_cell_text(tl_intern(&t->strings, open + 1, (size_t)(close - open) - 1));
}
