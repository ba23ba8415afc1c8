/* tables.c - strings, tracks and layouts by id.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/tables.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

uint32_t tl_add_string(struct tl_tables *t, const char *s, size_t len)
{
	return tl_intern(&t->strings, s, len);
}

uint32_t tl_add_text(struct tl_tables *t, const char *s)
{
	return tl_add_string(t, s, strlen(s));
}

uint32_t tl_add_number(struct tl_tables *t, int64_t n)
{
	char digits[24];

	return tl_add_string(t, digits, tl_format_int(digits, n));
}

uint32_t tl_add_track(struct tl_tables *t, uint32_t pid, uint32_t tid)
{
	struct tl_track track = { pid, tid };
	return pid || tid ? tl_intern(&t->tracks, (const char *)&track, sizeof track) : 0;
}

uint32_t tl_add_layout(struct tl_tables *t, const struct tl_layout *l)
{
	uint32_t known = t->layout_keys.count;
	/* Two layouts are equal when these bytes are. */
	struct tl_buf *b = &t->key;
	tl_buf_clear(b);
	tl_buf_reserve(b, (2 + 2 * (size_t)l->n_fields) * sizeof(uint32_t));
	uint32_t *to = (uint32_t *)(void *)b->data;
	*to++ = l->cat;
	*to++ = (uint32_t)l->kind << 16 | (uint32_t)(uint8_t)l->ph << 8 | l->flags;
	for (uint32_t i = 0; i < l->n_fields; i++) {
		const struct tl_field *f = &l->fields[i];
		*to++ = f->key;
		*to++ = (uint32_t)f->type << 8 | f->top;
	}
	b->len = (size_t)((char *)to - b->data);
	uint32_t id = tl_intern(&t->layout_keys, t->key.data, t->key.len);
	if (id <= known)
		return id;
	struct tl_field *fields = tl_arena_alloc(&t->fields, l->n_fields * sizeof *fields);
	if (l->n_fields)
		memcpy(fields, l->fields, l->n_fields * sizeof *fields);
	TL_GROW(t->layouts, t->cap_layouts, (size_t)id + 1);
	t->layouts[id] = *l;
	t->layouts[id].fields = fields;
	t->n_fields += l->n_fields;
	return id;
}

void tl_tables_clear(struct tl_tables *t)
{
	tl_strtab_clear(&t->strings);
	tl_strtab_clear(&t->tracks);
	tl_strtab_clear(&t->layout_keys);
	tl_arena_clear(&t->fields);
	t->n_fields = 0;
}

void tl_tables_release(struct tl_tables *t)
{
	tl_strtab_release(&t->strings);
	tl_strtab_release(&t->tracks);
	tl_strtab_release(&t->layout_keys);
	tl_buf_release(&t->key);
	tl_arena_release(&t->fields);
	free(t->layouts);
	*t = (struct tl_tables){ 0 };
}

/* ---- numbers by id ---------------------------------------------------------- */

void tl_by_id_widen(struct tl_by_id *b, uint32_t id)
{
	size_t n = ((size_t)id + 64) & ~(size_t)63;
	TL_GROW(b->of, b->cap, n);
	memset(b->of + b->n, 0, (n - b->n) * sizeof *b->of);
	b->n = n;
}

void tl_by_id_forget(struct tl_by_id *b)
{
	b->n = 0;
}

void tl_by_id_release(struct tl_by_id *b)
{
	free(b->of);
	*b = (struct tl_by_id){ 0 };
}

/* ---- translation --------------------------------------------------------------- */

uint32_t tl_translate_string(struct tl_translation *t, uint32_t id)
{
	uint32_t *to = tl_by_id(&t->strings, id);
	if (!*to && id)
		*to = tl_add_string(t->to, tl_str(&t->from->strings, id), tl_str_len(&t->from->strings, id));
	return *to;
}

uint32_t tl_translate_track(struct tl_translation *t, uint32_t id)
{
	uint32_t *to = tl_by_id(&t->tracks, id);
	if (!*to && id) {
		struct tl_track k = tl_track_of(t->from, id);
		uint32_t pid = tl_translate_string(t, k.pid);
		*to = tl_add_track(t->to, pid, tl_translate_string(t, k.tid));
	}
	return *to;
}

uint32_t tl_translate_layout(struct tl_translation *t, uint32_t id)
{
	uint32_t *to = tl_by_id(&t->layouts, id);
	if (*to)
		return *to;
	struct tl_layout l = *tl_layout_of(t->from, id);
	struct tl_field *fields = tl_alloc((l.n_fields + (size_t)1) * sizeof *fields);
	l.cat = tl_translate_string(t, l.cat);
	for (uint32_t i = 0; i < l.n_fields; i++) {
		fields[i] = l.fields[i];
		fields[i].key = tl_translate_string(t, fields[i].key);
	}
	l.fields = fields;
	*to = tl_add_layout(t->to, &l);
	free(fields);
	return *to;
}

void tl_translate_event(struct tl_translation *t, const struct tl_event *e, struct tl_event *out, int64_t *values)
{
	const struct tl_layout *l = tl_layout_of(t->from, e->layout);

	for (uint32_t i = 0; i < l->n_fields; i++)
		values[i] = l->fields[i].type == TL_FIELD_INT ? e->values[i]
		          : (int64_t)tl_translate_string(t, (uint32_t)e->values[i]);
	*out = *e;
	out->layout = tl_translate_layout(t, e->layout);
	out->track = tl_translate_track(t, e->track);
	out->name = tl_translate_string(t, e->name);
	out->values = values;
}

void tl_translation_forget(struct tl_translation *t)
{
	tl_by_id_forget(&t->strings);
	tl_by_id_forget(&t->tracks);
	tl_by_id_forget(&t->layouts);
}

void tl_translation_release(struct tl_translation *t)
{
	tl_by_id_release(&t->strings);
	tl_by_id_release(&t->tracks);
	tl_by_id_release(&t->layouts);
}
