/* sqlite_event.c - from values of a row to an event.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/sqlite.h"

#include <string.h>

/* The id of a constant text: the name of a field or a category. */
static uint32_t constant_id(struct tl_sqlite_reader *r, const char *s)
{
	struct tl_sqlite_key *k = &r->keys[tl_hash_u64((uintptr_t)s) % (sizeof r->keys / sizeof *r->keys)];

	if (k->key != s)
		*k = (struct tl_sqlite_key){ s, tl_add_text(&r->tables, s) };
	return k->id;
}

/* The id of the event's layout, which mostly is that of the event before. */
static uint32_t layout_id(struct tl_sqlite_reader *r, const struct tl_layout *l)
{
	const struct tl_layout *last = &r->layout;

	if (r->layout_id && l->cat == last->cat && l->kind == last->kind && l->ph == last->ph && l->flags == last->flags &&
	    l->n_fields == last->n_fields && !memcmp(l->fields, r->layout_fields, l->n_fields * sizeof *l->fields))
		return r->layout_id;
	r->layout = *l;
	memcpy(r->layout_fields, l->fields, l->n_fields * sizeof *l->fields);
	return r->layout_id = tl_add_layout(&r->tables, l);
}

static void add_field(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const char *key, enum tl_field_type type, int64_t value)
{
	e->fields[e->layout.n_fields] = (struct tl_field){ .key = constant_id(r, key), .type = (uint8_t)type };
	e->values[e->layout.n_fields++] = value;
}

void tl_sqlite_begin(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, enum tl_kind kind, const char *cat)
{
	e->layout = (struct tl_layout){ .kind = (uint8_t)kind, .ph = 'X', .flags = TL_HAS_NAME | TL_HAS_ARGS };
	e->layout.cat = cat ? constant_id(r, cat) : 0;
	e->event = (struct tl_event){ .uid = r->db.uid++ };
	e->pid = e->tid = 0;
}

void tl_sqlite_set_cat(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const char *cat, size_t len)
{
	e->layout.cat = tl_add_string(&r->tables, cat, len);
}

void tl_sqlite_set_name(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const char *name, size_t len)
{
	e->event.name = tl_add_string(&r->tables, name, len);
}

void tl_sqlite_set_process(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const struct tl_sqlite_process *p)
{
	e->pid = tl_add_string(&r->tables, p->track.data, p->track.len);
}

void tl_sqlite_set_thread(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, int64_t tid)
{
	e->tid = tl_add_number(&r->tables, tid);
}

void tl_sqlite_set_time(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, int64_t start, int64_t end)
{
	e->layout.flags |= TL_HAS_TS;
	e->event.ts = start;
	if (start <= end) {
		e->layout.flags |= TL_HAS_DUR;
		e->event.dur = end - start;
	} else {
		add_field(r, e, TL_KEY_END, TL_FIELD_INT, end);
		tl_read_note(r->report, "without a duration: the end is before the start", e->event.uid, -1);
	}
}

void tl_sqlite_set_instant(struct tl_sqlite_event *e, int64_t ts)
{
	e->layout.ph = 'i';
	e->layout.flags |= TL_HAS_TS;
	e->event.ts = ts;
}

void tl_sqlite_add_int(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const char *key, int64_t value)
{
	add_field(r, e, key, TL_FIELD_INT, value);
}

void tl_sqlite_add_text(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const char *key, const char *s, size_t len)
{
	add_field(r, e, key, TL_FIELD_STRING, tl_add_string(&r->tables, s, len));
}

/* The size as a JSON list. */
static uint32_t list_id(struct tl_sqlite_reader *r, const int64_t size[3])
{
	char text[72] = "[";
	size_t n = 1;

	for (int i = 0; i < 3; i++) {
		n += tl_format_int(text + n, size[i]);
		text[n++] = i < 2 ? ',' : ']';
	}
	return tl_add_string(&r->tables, text, n);
}

static void add_list(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const char *key, const int64_t size[3])
{
	uint64_t hash = tl_hash_u64((uint64_t)size[0] * 31 + (uint64_t)size[1] * 7 + (uint64_t)size[2]);
	struct tl_sqlite_list *l = &r->lists[hash % (sizeof r->lists / sizeof *r->lists)];

	if (!l->id || memcmp(l->size, size, sizeof l->size)) {
		memcpy(l->size, size, sizeof l->size);
		l->id = list_id(r, size);
	}
	add_field(r, e, key, TL_FIELD_JSON, l->id);
}

void tl_sqlite_add_size(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const char *key, const struct tl_db_rows *rows, int slot)
{
	if (tl_db_given(rows, slot))
		add_list(r, e, key, rows->ints + slot);
}

void tl_sqlite_add_work_items(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const struct tl_db_rows *rows, int items, int block)
{
	int64_t grid[3];

	tl_sqlite_add_size(r, e, TL_KEY_WORK_ITEMS, rows, items);
	tl_sqlite_add_size(r, e, TL_KEY_BLOCK, rows, block);
	for (int i = 0; i < 3; i++) {
		int64_t n = rows->ints[items + i], size = rows->ints[block + i];
		if (size <= 0 || n <= 0 || n % size)
			return;
		grid[i] = n / size;
	}
	add_list(r, e, TL_KEY_GRID, grid);
}

void tl_sqlite_add_slot(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, const char *key, const struct tl_db_rows *rows, int slot)
{
	if (tl_db_given(rows, slot))
		add_field(r, e, key, TL_FIELD_INT, rows->ints[slot]);
}

void tl_sqlite_add_correlation(struct tl_sqlite_reader *r, struct tl_sqlite_event *e, uint64_t scope, int64_t id)
{
	if (!id)
		return;
	if (scope == 1) {
		add_field(r, e, TL_KEY_CORRELATION, TL_FIELD_INT, id);
		return;
	}
	char text[48];
	size_t n = tl_format_int(text, (int64_t)scope);
	text[n++] = ':';
	n += tl_format_int(text + n, id);
	tl_sqlite_add_text(r, e, TL_KEY_CORRELATION, text, n);
}

void tl_sqlite_push(struct tl_sqlite_reader *r, struct tl_sqlite_event *e)
{
	e->layout.fields = e->fields;
	e->event.layout = layout_id(r, &e->layout);
	e->event.track = tl_add_track(&r->tables, e->pid, e->tid);
	e->event.values = e->values;
	r->status = r->sink->ops->event(r->sink, &e->event, r->err);
	if (tl_source_reset(&r->tables, r->sink)) {
		memset(r->keys, 0, sizeof r->keys);
		memset(r->lists, 0, sizeof r->lists);
		r->layout_id = 0;
	}
}

void tl_sqlite_push_meta(struct tl_sqlite_reader *r, const struct tl_sqlite_process *p, const int64_t *tid, const char *name, size_t len)
{
	const char *what = tid ? "thread_name" : "process_name";
	struct tl_sqlite_event e;

	tl_sqlite_begin(r, &e, TL_KIND_META, NULL);
	e.layout.ph = 'M';
	tl_sqlite_set_name(r, &e, what, strlen(what));
	tl_sqlite_set_process(r, &e, p);
	if (tid)
		tl_sqlite_set_thread(r, &e, *tid);
	tl_sqlite_add_text(r, &e, TL_KEY_META_NAME, name, len);
	tl_sqlite_push(r, &e);
}
