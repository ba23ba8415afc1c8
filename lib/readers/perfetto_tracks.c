/* perfetto_tracks.c - tracks of a Perfetto trace: of which process and thread each is, and
 * which slices are open on it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TRACKS = 1 << 22, MAX_PARENTS = 64, MAX_OPEN = 1 << 20 };

struct tl_pf_track *tl_pf_track(struct tl_pf_reader *r, uint64_t uuid)
{
	uint32_t *index = tl_map_put(&r->track_of, uuid, NULL);

	if (!*index) {
		if (r->n_tracks == MAX_TRACKS) {
			tl_pf_damaged(r, "more than 4194304 tracks");
			return NULL;
		}
		TL_GROW(r->tracks, r->cap_tracks, r->n_tracks + 1);
		r->tracks[r->n_tracks] = (struct tl_pf_track){ .uuid = uuid };
		*index = (uint32_t)++r->n_tracks;
	}
	return &r->tracks[*index - 1];
}

static struct tl_pf_track *find(const struct tl_pf_reader *r, uint64_t uuid)
{
	const uint32_t *index = tl_map_get(&r->track_of, uuid);

	return index ? &r->tracks[*index - 1] : NULL;
}

/* ---- descriptors ------------------------------------------------------------------------ */

/* What a descriptor says. */
struct described {
	uint64_t uuid, parent;
	struct tl_pf_text name, process, thread;
	struct { bool given; int64_t pid, tid; } p, t;
	bool counts_up;
};

/* ProcessDescriptor: 1 pid, 6 name. ThreadDescriptor: 1 pid, 2 tid, 5 name. */
static bool read_ids(struct tl_bytes data, struct described *d, bool thread)
{
	struct tl_pb_field f;

	while (tl_pb_next(&data, &f)) {
		if (f.number == 1 && f.wire == TL_PB_VARINT)
			*(thread ? &d->t.pid : &d->p.pid) = (int32_t)f.value;
		else if (f.number == 2 && f.wire == TL_PB_VARINT)
			d->t.tid = (int64_t)f.value;
		else if (f.number == (thread ? 5 : 6) && f.wire == TL_PB_BYTES)
			*(thread ? &d->thread : &d->process) = tl_pf_text(&f);
	}
	*(thread ? &d->t.given : &d->p.given) = true;
	return !data.bad;
}

static bool read_counter(struct tl_bytes data, struct described *d)
{
	struct tl_pb_field f;

	while (tl_pb_next(&data, &f))
		if (f.number == 5 && f.wire == TL_PB_VARINT)
			d->counts_up = f.value;
	return !data.bad;
}

static bool read_descriptor(struct tl_bytes data, struct described *d)
{
	struct tl_pb_field f;

	while (tl_pb_next(&data, &f)) {
		bool ok = true;
		if (f.number == 1 && f.wire == TL_PB_VARINT)
			d->uuid = f.value;
		else if (f.number == 5 && f.wire == TL_PB_VARINT)
			d->parent = f.value;
		else if (f.number == 2 || f.number == 10 || f.number == 13)
			d->name = tl_pf_text(&f);
		else if (f.number == 3 || f.number == 4)
			ok = read_ids(tl_pb_message(&f), d, f.number == 4);
		else if (f.number == 8)
			ok = read_counter(tl_pb_message(&f), d);
		if (!ok)
			return false;
	}
	return !data.bad;
}

/* Tells a name once, since writers repeat descriptors. */
static bool tell_name(struct tl_pf_reader *r, struct tl_pf_track *t, const struct described *d)
{
	const struct tl_pf_text *name = d->thread.len ? &d->thread : &d->process;
	uint64_t hash = tl_hash(name->s, name->len);

	if (!name->len || hash == t->name_hash)
		return true;
	t->name_hash = hash;
	return d->thread.len ? tl_pf_push_meta(r, "thread_name", d->t.pid, d->t.tid, true, name)
	                     : tl_pf_push_meta(r, "process_name", d->p.pid, 0, false, name);
}

bool tl_pf_describe(struct tl_pf_reader *r, struct tl_bytes data)
{
	struct described d = { 0 };
	struct tl_pf_track *t;

	if (!read_descriptor(data, &d))
		return tl_pf_damaged(r, "a damaged track descriptor");
	t = tl_pf_track(r, d.uuid);
	if (!t)
		return false;
	bool changed = !t->described || t->parent != d.parent;
	t->described = true;
	t->parent = d.parent;
	t->counts_up = d.counts_up;
	t->has_process |= d.p.given;
	t->has_thread |= d.t.given;
	if (d.p.given && !d.t.given)
		t->pid = d.p.pid;
	if (d.t.given) {
		t->pid = d.t.pid;
		t->tid = d.t.tid;
	}
	if (d.name.len && (t->name.len != d.name.len || memcmp(t->name.s, d.name.s, d.name.len)))
		t->name = (struct tl_pf_text){ tl_arena_dup(&r->names, d.name.s, d.name.len), d.name.len, NULL };
	if (changed || d.p.given || d.t.given)
		t->epoch = 0;
	return tell_name(r, t, &d);
}

/* ---- process and thread ------------------------------------------------------------------- */

static void set_track(struct tl_pf_reader *r, struct tl_pf_track *t, const struct tl_pf_track *owner)
{
	uint32_t pid = owner ? tl_add_number(&r->tables, owner->pid) : 0;

	t->on_thread = owner == t && t->has_thread;
	t->id = tl_add_track(&r->tables, pid, t->on_thread ? tl_add_number(&r->tables, t->tid) : pid);
	t->epoch = r->epoch;
}

bool tl_pf_locate(struct tl_pf_reader *r, struct tl_pf_track *t, bool last)
{
	const struct tl_pf_track *owner = t;

	if (t->epoch == r->epoch)
		return true;
	for (int i = 0; i < MAX_PARENTS && owner; i++) {
		if (owner->has_process || owner->has_thread) {
			set_track(r, t, owner);
			return true;
		}
		if (owner->described && !owner->parent)
			break; /* of no process */
		owner = owner->described ? find(r, owner->parent) : NULL;
	}
	if (!last && t->uuid && !(owner && owner->described && !owner->parent))
		return false;
	set_track(r, t, NULL);
	return true;
}

/* ---- open slices ---------------------------------------------------------------------------- */

bool tl_pf_open_slice(struct tl_pf_reader *r, struct tl_pf_slice *s)
{
	struct tl_pf_track *t = tl_pf_track(r, s->track);

	if (!t)
		return false;
	if (s->timed) {
		++*(t->top ? &t->top->timed : &t->timed);
		return tl_pf_push(r, s, false);
	}
	if (r->n_open == MAX_OPEN)
		return tl_pf_damaged(r, "more than 1048576 slices are open");
	r->n_open++;
	tl_buf_clear(&r->packed);
	tl_pf_pack(&r->packed, s);
	struct tl_pf_open *o = tl_alloc(sizeof *o + r->packed.len);
	*o = (struct tl_pf_open){ .below = t->top, .len = r->packed.len };
	memcpy(o->packed, r->packed.data, r->packed.len);
	t->top = o;
	return true;
}

/* Pushes the innermost slice that is open. */
static bool pop(struct tl_pf_reader *r, struct tl_pf_track *t, bool has_end, int64_t end)
{
	struct tl_pf_open *o = t->top;

	tl_pf_unpack(o->packed, &r->slice);
	t->top = o->below;
	r->n_open--;
	has_end &= r->slice.has_ts;
	if (has_end && end < r->slice.ts)
		tl_pf_note(r, "slices that end before they begin, given no duration");
	else if (has_end) {
		r->slice.has_dur = true;
		r->slice.dur = end - r->slice.ts;
	}
	bool ok = tl_pf_push(r, &r->slice, false);
	free(o);
	return ok;
}

bool tl_pf_close_slice(struct tl_pf_reader *r, uint64_t track, bool has_ts, int64_t ts)
{
	struct tl_pf_track *t = find(r, track);
	uint64_t *timed = t && t->top ? &t->top->timed : t ? &t->timed : NULL;

	if (timed && *timed) {
		--*timed;
		return true;
	}
	if (t && t->top)
		return pop(r, t, has_ts, ts);
	tl_pf_note(r, "ends of slices that never began, left out");
	return true;
}

static bool push_late(void *ctx, const void *packed)
{
	struct tl_pf_reader *r = ctx;

	tl_pf_unpack(packed, &r->slice);
	return tl_pf_push(r, &r->slice, true);
}

bool tl_pf_finish_slices(struct tl_pf_reader *r)
{
	struct tl_spool late;

	for (size_t i = 0; i < r->n_tracks; i++)
		while (r->tracks[i].top)
			if (!pop(r, &r->tracks[i], false, 0))
				return false;
	late = r->late;
	r->late = (struct tl_spool){ 0 };
	enum tl_status st = tl_spool_take(&late, push_late, r, &r->error);
	tl_spool_release(&late);
	r->status = r->status ? r->status : st;
	return !r->status;
}

void tl_pf_release_tracks(struct tl_pf_reader *r)
{
	for (size_t i = 0; i < r->n_tracks; i++)
		for (struct tl_pf_open *o = r->tracks[i].top, *below; o; o = below) {
			below = o->below;
			free(o);
		}
	free(r->tracks);
	tl_map_release(&r->track_of);
	tl_arena_release(&r->names);
}
