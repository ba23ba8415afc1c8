/* args.c - arguments of events; arguments, names and durations as cells of a table.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "analysis/args.h"

#include "analysis/spans.h"

#include <stdlib.h>
#include <string.h>

static void find_field(struct tl_arg *a, const struct tl_trace *t, const char *name, bool top)
{
	uint32_t key = tl_strtab_find(&t->strings, name, strlen(name));

	a->place = tl_alloc(((size_t)t->n_layouts + 1) * sizeof *a->place);
	for (uint32_t i = 0; i < t->n_layouts; i++) {
		const struct tl_layout *l = &t->layouts[i];

		a->place[i] = -1;
		for (uint32_t f = 0; key && f < l->n_fields; f++)
			if (l->fields[f].key == key && l->fields[f].top == top)
				a->place[i] = (int32_t)f; /* of a repeated key the last counts */
	}
}

void tl_arg_init(struct tl_arg *a, const struct tl_trace *t, const char *name)
{
	find_field(a, t, name, false);
}

void tl_arg_init_top(struct tl_arg *a, const struct tl_trace *t, const char *name)
{
	find_field(a, t, name, true);
}

void tl_arg_release(struct tl_arg *a)
{
	free(a->place);
	a->place = NULL;
}

bool tl_arg_list(const struct tl_arg *a, const struct tl_trace *t, uint32_t event, struct tl_arena *arena,
                 struct tl_value *list)
{
	int64_t id = 0;

	return tl_arg_get(a, t, event, &id) == TL_FIELD_JSON &&
	       tl_value_parse(arena, tl_str(&t->strings, (uint32_t)id), tl_str_len(&t->strings, (uint32_t)id), list, NULL) == TL_OK &&
	       list->type == TL_V_LIST;
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

static struct tl_cell decode(struct tl_arg_cells *c, uint32_t json)
{
	struct tl_strtab *strings = &c->trace->strings;
	struct tl_value v;

	tl_arena_clear(&c->arena);
	if (tl_value_parse(&c->arena, tl_str(strings, json), tl_str_len(strings, json), &v, NULL))
		return tl_cell_text(json); /* text that is no JSON stays as it is */
	return tl_value_cell(&v, !c->as_lists, strings, &c->buf);
}

struct tl_cell tl_json_cell(struct tl_arg_cells *c, uint32_t json)
{
	bool is_new;

	if (!json || json > c->trace->strings.count)
		return tl_cell_null();
	uint32_t *at = tl_map_put(&c->decoded, json, &is_new);
	if (is_new) {
		TL_GROW(c->cells, c->cap, c->n + 1);
		*at = (uint32_t)c->n;
		c->cells[c->n++] = decode(c, json);
	}
	return c->cells[*at];
}

struct tl_cell tl_arg_cell(struct tl_arg_cells *c, const struct tl_arg *a, uint32_t event)
{
	int64_t value = 0;
	int type = tl_arg_get(a, c->trace, event, &value);

	if (type == TL_FIELD_INT)
		return tl_cell_int(value);
	if (type == TL_FIELD_STRING)
		return tl_cell_text((uint32_t)value);
	return type == TL_FIELD_JSON && (uint64_t)value <= UINT32_MAX ? tl_json_cell(c, (uint32_t)value) : tl_cell_null();
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
	return tl_cell_time(tl_ticks_sub(ticks, t->first_ts), false);
}

void tl_arg_cells_release(struct tl_arg_cells *c)
{
	tl_map_release(&c->decoded);
	free(c->cells);
	tl_arena_release(&c->arena);
	tl_buf_release(&c->buf);
}
