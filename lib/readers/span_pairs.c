/* span_pairs.c - one event of a span's begin and end.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/span_pairs.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

struct open {
	uint32_t below;          /* the begin before in its place, or the next free item; index + 1, 0: none */
	uint32_t layout, name, track; /* ids in `own` */
	int64_t ts;
	int64_t *values;
};

struct tl_span_pairs {
	struct tl_tables *tables;
	struct tl_tables own;    /* texts that outlive the others */
	struct tl_translation in, out;
	struct tl_map top;       /* place (a track in `own`) -> its last begin, index + 1 */
	struct open *items; size_t n, cap;
	uint32_t free;           /* the first free item + 1 */
	uint64_t n_open;
	int64_t *values;         /* of the span that was made last */
};

struct tl_span_pairs *tl_span_pairs_new(struct tl_tables *tables)
{
	struct tl_span_pairs *p = tl_calloc(1, sizeof *p);

	p->tables = tables;
	p->in = (struct tl_translation){ .from = tables, .to = &p->own };
	p->out = (struct tl_translation){ .from = &p->own, .to = tables };
	return p;
}

void tl_span_pairs_free(struct tl_span_pairs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i].values);
	free(p->items);
	free(p->values);
	tl_map_release(&p->top);
	tl_translation_release(&p->in);
	tl_translation_release(&p->out);
	tl_tables_release(&p->own);
	free(p);
}

void tl_span_pairs_forget(struct tl_span_pairs *p)
{
	tl_translation_forget(&p->in);
	tl_translation_forget(&p->out);
}

uint64_t tl_span_pairs_open(const struct tl_span_pairs *p)
{
	return p->n_open;
}

/* The own texts start anew when there are many, and no begin needs them. */
static void clear_texts(struct tl_span_pairs *p)
{
	if (p->n_open || !tl_tables_full(&p->own))
		return;
	tl_span_pairs_forget(p);
	tl_map_release(&p->top);
	tl_tables_clear(&p->own);
}

/* The values of a layout's fields, as ids of the other tables where they are texts. */
static int64_t *translate_values(struct tl_translation *t, const struct tl_layout *l, const int64_t *values)
{
	int64_t *out = tl_alloc((l->n_fields + (size_t)1) * sizeof *out);

	for (uint32_t i = 0; i < l->n_fields; i++)
		out[i] = l->fields[i].type == TL_FIELD_INT ? values[i] : tl_translate_string(t, (uint32_t)values[i]);
	return out;
}

static uint32_t take_item(struct tl_span_pairs *p)
{
	uint32_t item = p->free;

	if (item) {
		p->free = p->items[item - 1].below;
		return item;
	}
	TL_GROW(p->items, p->cap, p->n + 1);
	return (uint32_t)++p->n;
}

bool tl_span_pairs_begin(struct tl_span_pairs *p, const struct tl_event *e, uint32_t place, char ph)
{
	struct tl_layout l = *tl_layout_of(p->tables, e->layout);

	if (p->n_open == TL_MAX_OPEN_SPANS)
		return false;
	clear_texts(p);
	l.ph = ph;
	l.flags |= TL_HAS_DUR;
	uint32_t *top = tl_map_put(&p->top, tl_translate_track(&p->in, place), NULL), item = take_item(p);
	p->items[item - 1] = (struct open){
		.below = *top, .layout = tl_translate_layout(&p->in, tl_add_layout(p->tables, &l)),
		.name = tl_translate_string(&p->in, e->name), .track = tl_translate_track(&p->in, e->track),
		.ts = e->ts, .values = translate_values(&p->in, &l, e->values),
	};
	*top = item;
	p->n_open++;
	return true;
}

bool tl_span_pairs_end(struct tl_span_pairs *p, struct tl_event *e, uint32_t place)
{
	uint32_t *top = tl_map_get(&p->top, tl_translate_track(&p->in, place)), item = top ? *top : 0;

	if (!item)
		return false;
	struct open *o = &p->items[item - 1];
	free(p->values);
	p->values = translate_values(&p->out, tl_layout_of(&p->own, o->layout), o->values);
	e->layout = tl_translate_layout(&p->out, o->layout);
	e->name = tl_translate_string(&p->out, o->name);
	e->track = tl_translate_track(&p->out, o->track);
	e->values = p->values;
	e->dur = e->ts - o->ts;
	e->ts = o->ts;
	free(o->values);
	o->values = NULL;
	*top = o->below;
	o->below = p->free;
	p->free = item;
	p->n_open--;
	return true;
}
