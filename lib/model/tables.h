/* tables.h - the strings, tracks and layouts that the events of a trace name by
 * id. The source of a trace owns them (model/sink.h).
 *
 * Ids are dense, from 1 in order of first use; equal entries have equal ids. A
 * table starts as zero bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TABLES_H
#define TL_TABLES_H

#include "model/event.h"

struct tl_tables {
	struct tl_strtab strings;
	struct tl_strtab tracks;      /* a struct tl_track each */
	struct tl_strtab layout_keys; /* layouts as bytes, to find equal ones */
	struct tl_buf key;            /* of the layout that was looked for last */
	struct tl_layout *layouts;    /* [id]; [0] is unused */
	size_t cap_layouts;
	struct tl_arena fields;
	size_t n_fields;              /* of all layouts */
};

/* Each finds an entry or adds it, and returns its id. A track without process
 * and thread is 0. Fields are copied. */
uint32_t tl_add_string(struct tl_tables *, const char *s, size_t len);
uint32_t tl_add_text(struct tl_tables *, const char *s);  /* up to its NUL */
uint32_t tl_add_number(struct tl_tables *, int64_t);       /* its digits, as a pid or tid has them */
uint32_t tl_add_track(struct tl_tables *, uint32_t pid, uint32_t tid);
uint32_t tl_add_layout(struct tl_tables *, const struct tl_layout *);

/* What an id means; it must be one of the table's. */
static inline const struct tl_layout *tl_layout_of(const struct tl_tables *t, uint32_t id)
{
	return &t->layouts[id];
}
static inline struct tl_track tl_track_of(const struct tl_tables *t, uint32_t id)
{
	struct tl_track none = { 0, 0 };
	return id ? *(const struct tl_track *)(const void *)t->tracks.entries[id].s : none;
}

/* Does a table have more entries than these? Then the source has to start anew. */
#define TL_MAX_TABLE_STRINGS 16384
#define TL_MAX_TABLE_BYTES (1u << 20)
#define TL_MAX_TABLE_TRACKS 65536
#define TL_MAX_TABLE_LAYOUTS 4096
#define TL_MAX_TABLE_FIELDS 65536
static inline bool tl_tables_full(const struct tl_tables *t)
{
	return t->strings.count > TL_MAX_TABLE_STRINGS || t->strings.bytes > TL_MAX_TABLE_BYTES ||
	       t->tracks.count > TL_MAX_TABLE_TRACKS || t->layout_keys.count > TL_MAX_TABLE_LAYOUTS ||
	       t->n_fields > TL_MAX_TABLE_FIELDS;
}
void tl_tables_clear(struct tl_tables *);   /* empty; keeps some memory */
void tl_tables_release(struct tl_tables *);

/* ---- what a stage knows by id: a number each, 0 until it is set -------------- */

struct tl_by_id { uint32_t *of; size_t n, cap; };
void tl_by_id_widen(struct tl_by_id *, uint32_t id);
/* The place of an id's number; valid until the next call. */
static inline uint32_t *tl_by_id(struct tl_by_id *b, uint32_t id)
{
	if (id >= b->n)
		tl_by_id_widen(b, id);
	return &b->of[id];
}
void tl_by_id_forget(struct tl_by_id *); /* all are 0 again */
void tl_by_id_release(struct tl_by_id *);

/* ---- ids of one source as ids of another -------------------------------------- */

/* For a stage with tables of its own: each call gives the id in `to` of an entry of
 * `from`, and adds the entry to `to` the first time. Forget the translation when
 * either of the tables is cleared. */
struct tl_translation {
	const struct tl_tables *from;
	struct tl_tables *to;
	struct tl_by_id strings, tracks, layouts;
};
uint32_t tl_translate_string(struct tl_translation *, uint32_t id);
uint32_t tl_translate_track(struct tl_translation *, uint32_t id);
uint32_t tl_translate_layout(struct tl_translation *, uint32_t id);
/* Fills *out with an event of `from`, whose values go to `values`: room for those of its
 * layout. */
void tl_translate_event(struct tl_translation *, const struct tl_event *, struct tl_event *out, int64_t *values);
void tl_translation_forget(struct tl_translation *);
void tl_translation_release(struct tl_translation *);

#endif
