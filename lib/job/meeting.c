/* meeting.c - one collective of several ranks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "job/meeting.h"

#include <stdlib.h>
#include <string.h>

void tl_meeting_release(struct tl_meeting *m)
{
	tl_strtab_release(&m->strings);
	free(m->events);
	*m = (struct tl_meeting){ 0 };
}

void tl_meeting_clear(struct tl_meeting *m)
{
	tl_strtab_clear(&m->strings);
	m->n = 0;
}

/* ---- as bytes ------------------------------------------------------------------------ */

/* The type, and the value or the length of the text with the text. */
void tl_cell_pack(struct tl_buf *b, struct tl_cell c, const struct tl_strtab *strings)
{
	int64_t value = c.type == TL_CELL_TEXT ? (int64_t)tl_str_len(strings, c.text) : c.i;

	tl_buf_addc(b, (char)(c.type | (c.whole ? TL_TAG_WHOLE : 0)));
	tl_buf_add(b, &value, sizeof value);
	if (c.type == TL_CELL_TEXT)
		tl_buf_add(b, tl_str(strings, c.text), (size_t)value);
}

const char *tl_cell_unpack(struct tl_cell *c, struct tl_strtab *strings, const char *p)
{
	int tag = *p++;
	int64_t value;

	memcpy(&value, p, sizeof value);
	p += sizeof value;
	*c = tl_cell_of((enum tl_cell_type)(tag & TL_TAG_TYPE), value);
	c->whole = tag & TL_TAG_WHOLE;
	if (c->type != TL_CELL_TEXT)
		return p;
	*c = tl_cell_text(tl_intern(strings, p, (size_t)value));
	return p + value;
}

/* The numbers of an event; then, if has_cells, its cells. */
struct packed_head { int64_t rank, position, index, ts, dur, exposed, has_cells, number, edges; };

void tl_rank_event_pack(struct tl_buf *b, const struct tl_rank_event *e, const struct tl_strtab *strings, bool cells)
{
	struct packed_head h = { e->rank, e->position, e->index, e->ts, e->dur, e->exposed, cells, e->work.number, (int64_t)e->work.n };

	tl_buf_add(b, &h, sizeof h);
	tl_buf_add(b, e->work.edges, e->work.n * sizeof *e->work.edges);
	for (size_t i = 0; cells && i < TL_MEETING_CELLS; i++)
		tl_cell_pack(b, e->cells[i], strings);
}

const char *tl_meeting_add_packed(struct tl_meeting *m, const char *p)
{
	struct packed_head h;

	memcpy(&h, p, sizeof h);
	p += sizeof h;
	TL_GROW(m->events, m->cap, m->n + 1);
	struct tl_rank_event *e = &m->events[m->n++];
	*e = (struct tl_rank_event){ .rank = h.rank, .position = h.position, .index = h.index, .ts = h.ts, .dur = h.dur,
		.exposed = h.exposed, .work = { .number = h.number, .n = (size_t)h.edges } };
	memcpy(e->work.edges, p, e->work.n * sizeof *e->work.edges);
	p += e->work.n * sizeof *e->work.edges;
	for (size_t i = 0; h.has_cells && i < TL_MEETING_CELLS; i++)
		p = tl_cell_unpack(&e->cells[i], &m->strings, p);
	return p;
}

void tl_meeting_pack(struct tl_buf *b, const struct tl_meeting *m, bool all)
{
	for (size_t i = 0; i < m->n; i++) {
		struct tl_rank_event e = m->events[i];
		e.work.n = 0; /* sheets do not need it */
		tl_rank_event_pack(b, &e, &m->strings, all || !i);
	}
}

void tl_meeting_unpack(struct tl_meeting *m, const void *packed, size_t len)
{
	const char *p = packed, *end = p + len;

	tl_meeting_clear(m);
	while (p < end)
		p = tl_meeting_add_packed(m, p);
}

/* ---- times ----------------------------------------------------------------------------- */

struct tl_meeting_times tl_meeting_times(const struct tl_meeting *m)
{
	struct tl_meeting_times t = { INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < m->n; i++) {
		int64_t start = m->events[i].ts, dur = m->events[i].dur, end = start + dur;
		t.first_start = start < t.first_start ? start : t.first_start;
		t.last_start = start > t.last_start ? start : t.last_start;
		t.first_end = end < t.first_end ? end : t.first_end;
		t.last_end = end > t.last_end ? end : t.last_end;
		t.shortest = dur < t.shortest ? dur : t.shortest;
		t.longest = dur > t.longest ? dur : t.longest;
	}
	return t;
}
