/* perfetto_state.c - what a sequence of packets has said before: names by number, clocks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SEQUENCES = 65536, SMALL_NUMBERS = 4096 };

/* ---- sequences ------------------------------------------------------------------------- */

struct tl_pf_sequence *tl_pf_sequence(struct tl_pf_reader *r, uint32_t id)
{
	uint32_t *index = tl_map_put(&r->sequence_of, id, NULL);

	if (!*index) {
		if (r->n_sequences == MAX_SEQUENCES) {
			tl_pf_damaged(r, "more than 65536 sequences of packets");
			return NULL;
		}
		TL_GROW(r->sequences, r->cap_sequences, r->n_sequences + 1);
		r->sequences[r->n_sequences] = tl_calloc(1, sizeof **r->sequences);
		*index = (uint32_t)++r->n_sequences;
	}
	return r->sequences[*index - 1];
}

static void forget_names(struct tl_pf_sequence *s)
{
	for (int i = 0; i < TL_PF_INTERNED; i++) {
		tl_by_id_release(&s->numbers[i].small);
		tl_map_release(&s->numbers[i].large);
	}
	s->n_names = 0;
}

void tl_pf_clear(struct tl_pf_sequence *s)
{
	forget_names(s);
	tl_arena_clear(&s->arena);
	memset(s->clocks, 0, sizeof s->clocks);
	s->clock = 0;
	s->track = 0;
	s->has_state = true;
}

void tl_pf_release_sequences(struct tl_pf_reader *r)
{
	for (size_t i = 0; i < r->n_sequences; i++) {
		forget_names(r->sequences[i]);
		free(r->sequences[i]->names);
		tl_arena_release(&r->sequences[i]->arena);
		free(r->sequences[i]);
	}
	free(r->sequences);
	tl_map_release(&r->sequence_of);
}

/* ---- names -------------------------------------------------------------------------------- */

uint8_t tl_pf_role_of(const char *s, size_t len)
{
	if (len == 8 && !memcmp(s, "begin_ns", 8))
		return TL_PF_BEGIN;
	if (len == 6 && !memcmp(s, "end_ns", 6))
		return TL_PF_END;
	return len == 8 && !memcmp(s, "delta_ns", 8) ? TL_PF_DELTA : TL_PF_NO_ROLE;
}

/* An entry: field 1 is the number, 2 the text. */
static bool add_name(struct tl_pf_sequence *s, enum tl_pf_interned kind, struct tl_bytes entry)
{
	struct tl_pf_text text = { "", 0, NULL };
	struct tl_pb_field f;
	uint64_t number = 0;

	while (tl_pb_next(&entry, &f))
		if (f.number == 1 && f.wire == TL_PB_VARINT)
			number = f.value;
		else if (f.number == 2 && f.wire == TL_PB_BYTES)
			text = tl_pf_text(&f);
	if (entry.bad)
		return false;
	struct tl_pf_numbers *numbers = &s->numbers[kind];
	uint32_t *index = number < SMALL_NUMBERS ? tl_by_id(&numbers->small, (uint32_t)number) : tl_map_put(&numbers->large, number, NULL);
	if (!*index) {
		TL_GROW(s->names, s->cap_names, s->n_names + 1);
		s->names[s->n_names] = tl_arena_alloc(&s->arena, sizeof **s->names);
		*index = (uint32_t)++s->n_names;
	} else if (s->names[*index - 1]->len == text.len && !memcmp(s->names[*index - 1]->s, text.s, text.len)) {
		return true;
	}
	*s->names[*index - 1] = (struct tl_pf_name){
		.s = tl_arena_dup(&s->arena, text.s, text.len), .len = (uint32_t)text.len, .role = tl_pf_role_of(text.s, text.len),
	};
	return true;
}

bool tl_pf_intern(struct tl_pf_reader *r, struct tl_pf_sequence *s, struct tl_bytes data)
{
	static const uint8_t kinds[30] = { /* by field number, + 1 */
		[1] = TL_PF_CATEGORIES + 1, [2] = TL_PF_NAMES + 1, [3] = TL_PF_ARG_NAMES + 1, [29] = TL_PF_ARG_TEXTS + 1,
	};
	struct tl_pb_field f;

	while (tl_pb_next(&data, &f))
		if (f.number < 30 && kinds[f.number] && !add_name(s, kinds[f.number] - 1, tl_pb_message(&f)))
			data.bad = true;
	return !data.bad || tl_pf_damaged(r, "damaged interned data");
}

struct tl_pf_name *tl_pf_interned(const struct tl_pf_sequence *s, enum tl_pf_interned kind, uint64_t number)
{
	const struct tl_pf_numbers *numbers = &s->numbers[kind];
	const uint32_t *index = number < numbers->small.n ? &numbers->small.of[number] : tl_map_get(&numbers->large, number);

	return index && *index ? s->names[*index - 1] : NULL;
}

/* ---- clocks --------------------------------------------------------------------------------- */

static struct tl_pf_clock *clock_of(struct tl_pf_reader *r, struct tl_pf_sequence *s, uint32_t id)
{
	if (id < TL_PF_FIRST_OWN_CLOCK)
		return &r->clocks[id];
	return id < TL_PF_CLOCKS ? &s->clocks[id - TL_PF_FIRST_OWN_CLOCK] : NULL;
}

/* Wraps around, as a damaged trace may need. */
static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* One clock of a snapshot: 1 its id, 2 its time, 3 whether stamps count from the one before, 4 ns of
 * a tick. */
static bool read_clock(struct tl_bytes data, uint32_t *id, struct tl_pf_clock *c)
{
	struct tl_pb_field f;
	uint64_t value = 0;

	*id = 0;
	*c = (struct tl_pf_clock){ .known = true, .unit = 1 };
	while (tl_pb_next(&data, &f)) {
		if (f.wire != TL_PB_VARINT)
			continue;
		if (f.number == 1)
			*id = (uint32_t)f.value;
		else if (f.number == 2)
			value = f.value;
		else if (f.number == 3)
			c->incremental = f.value;
		else if (f.number == 4 && f.value)
			c->unit = f.value;
	}
	c->last = (int64_t)(value * c->unit);
	return !data.bad;
}

bool tl_pf_snapshot(struct tl_pf_reader *r, struct tl_pf_sequence *s, struct tl_bytes data)
{
	struct tl_bytes again = data;
	struct tl_pf_clock c;
	struct tl_pb_field f;
	uint32_t id;
	int64_t boot = 0;
	bool has_boot = false;

	while (tl_pb_next(&data, &f))
		if (f.number == 1 && read_clock(tl_pb_message(&f), &id, &c) && id == TL_PF_BOOTTIME) {
			boot = c.last;
			has_boot = true;
		}
	while (tl_pb_next(&again, &f)) {
		if (f.number != 1)
			continue;
		if (!read_clock(tl_pb_message(&f), &id, &c))
			return tl_pf_damaged(r, "a damaged clock snapshot");
		struct tl_pf_clock *to = clock_of(r, s, id);
		if (!to)
			continue;
		c.offset = has_boot ? add(boot, (int64_t)(0 - (uint64_t)c.last)) : to->offset;
		*to = c;
	}
	return !again.bad || tl_pf_damaged(r, "a damaged clock snapshot");
}

int64_t tl_pf_time(struct tl_pf_reader *r, struct tl_pf_sequence *s, uint64_t stamp, uint32_t clock)
{
	struct tl_pf_clock *c = clock_of(r, s, clock ? clock : s->clock ? s->clock : TL_PF_BOOTTIME);

	if (!c || !c->known)
		return (int64_t)stamp;
	int64_t ns = (int64_t)(stamp * c->unit);
	if (c->incremental)
		ns = c->last = add(c->last, ns);
	return add(ns, c->offset);
}
