/* perfetto_tracks.c - tracks of a Perfetto trace: of which process and thread each is, which
 * slices are open on it; and slices to events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "readers/counter_names.h"

enum { MAX_TRACKS = 1 << 22, MAX_PARENTS = 64, MAX_OPEN = 1 << 20 };

bool tl_pf_damaged(struct tl_pf_reader *r, const char *what)
{
	r->status = tl_fail_at(&r->error, TL_ERR_DATA, r->offset, "packet %llu: %s", (unsigned long long)r->n_packets, what);
	return false;
}

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

/* ---- slices to events in the shape of traceconv's JSON: "X" on the track of a thread, "b" on others ---- */

static uint32_t id_of(struct tl_pf_reader *r, const struct tl_pf_text *t)
{
	return t->name ? tl_make_known(&r->make, &t->name->id, t->s, t->len) : tl_add_string(&r->make.tables, t->s, t->len);
}

static bool push_name(struct tl_pf_reader *r, const char *what, int64_t pid, const int64_t *tid, const struct tl_pf_text *name)
{
	struct tl_tables *t = &r->make.tables;
	uint32_t process = tl_add_number(t, pid);

	r->status = tl_push_name(&r->make, r->uid++, what, process, tid ? tl_add_number(t, *tid) : 0, name->s, name->len, &r->error);
	return !r->status;
}

/* ---- descriptors ------------------------------------------------------------------------ */

/* What a descriptor says. */
struct described {
	uint64_t uuid, parent;
	struct tl_pf_text name, process, thread;
	struct { bool given; int64_t pid, tid; } p, t;
	struct tl_pf_counter_facts counter;
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

/* CounterDescriptor: 3 a unit's number, 4 a multiplier, 5 whether values are changes, 6 the unit. */
static bool read_counter(struct tl_bytes data, struct tl_pf_counter_facts *to)
{
	static const char *const units[] = { "", "ns", "count", "bytes" };
	struct tl_pb_field f;

	while (tl_pb_next(&data, &f))
		switch (f.number) {
		case 3:
			if (!to->unit.len && f.value < sizeof units / sizeof *units)
				to->unit = (struct tl_pf_text){ units[f.value], strlen(units[f.value]), NULL };
			break;
		case 4: to->multiplier = (int64_t)f.value; break;
		case 5: to->counts_up = f.value; break;
		case 6: to->unit = tl_pf_text(&f); break;
		default: break;
		}
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
			ok = read_counter(tl_pb_message(&f), &d->counter);
		if (!ok)
			return false;
	}
	return !data.bad;
}

/* Tells a name once, since writers repeat descriptors. */
static bool tell_name(struct tl_pf_reader *r, struct tl_pf_track *t, const struct described *d)
{
	if (r->own)
		return true;
	const struct tl_pf_text *name = d->thread.len ? &d->thread : &d->process;
	uint64_t hash = tl_hash(name->s, name->len);

	if (!name->len || hash == t->name_hash)
		return true;
	t->name_hash = hash;
	return d->thread.len ? push_name(r, "thread_name", d->t.pid, &d->t.tid, name) : push_name(r, "process_name", d->p.pid, NULL, name);
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
	const struct tl_pf_text *unit = &d.counter.unit;
	if (unit->len != t->facts.unit.len || (unit->len && memcmp(unit->s, t->facts.unit.s, unit->len)))
		t->facts.unit = (struct tl_pf_text){ tl_arena_dup(&r->names, unit->s, unit->len), unit->len, NULL };
	t->facts.multiplier = d.counter.multiplier;
	t->facts.counts_up = d.counter.counts_up;
	t->has_process |= d.p.given;
	t->has_thread |= d.t.given;
	if (d.p.given && !d.t.given)
		t->pid = d.p.pid;
	if (d.t.given) {
		t->pid = d.t.pid;
		t->tid = d.t.tid;
	}
	if (d.name.len && (t->name.len != d.name.len || memcmp(t->name.s, d.name.s, d.name.len))) {
		t->name = (struct tl_pf_text){ tl_arena_dup(&r->names, d.name.s, d.name.len), d.name.len, NULL };
		t->role = tl_pf_track_role(&r->known, d.name.s, d.name.len, &t->number);
	}
	if (changed || d.p.given || d.t.given)
		t->id.epoch = 0;
	return tell_name(r, t, &d);
}

/* ---- process and thread ------------------------------------------------------------------- */

static void set_track(struct tl_pf_reader *r, struct tl_pf_track *t, const struct tl_pf_track *owner)
{
	uint32_t pid = owner ? tl_add_number(&r->make.tables, owner->pid) : 0;

	t->on_thread = owner == t && t->has_thread;
	t->id = (struct tl_made_id){ tl_add_track(&r->make.tables, pid, t->on_thread ? tl_add_number(&r->make.tables, t->tid) : pid), r->make.epoch };
}

/* Finds out of which process and thread the track is. last: descriptors that are missing now
 * will not come. False: not known yet. */
static bool locate(struct tl_pf_reader *r, struct tl_pf_track *t, bool last)
{
	const struct tl_pf_track *owner = t;

	if (t->id.epoch == r->make.epoch)
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

/* ---- packed slices --------------------------------------------------------------------------- */

struct packed_slice {
	uint64_t track;
	int64_t ts, dur, offset, ties[3];
	uint32_t name, category, n_args;
	uint8_t what, has_ts, has_dur, tied, is_call;
};
struct packed_arg { int64_t value; uint32_t key, text, type, unused; };

static uint32_t length(const struct tl_pf_text *t)
{
	return (uint32_t)t->len;
}

/* A slice as bytes, and back; texts then point into the bytes. */
static void pack(struct tl_buf *b, const struct tl_pf_slice *s)
{
	struct packed_slice head;

	memset(&head, 0, sizeof head); /* its gaps, too */
	head.track = s->track;
	head.ts = s->ts;
	head.dur = s->dur;
	head.offset = s->offset;
	memcpy(head.ties, s->ties, sizeof head.ties);
	head.name = length(&s->name);
	head.category = length(&s->category);
	head.n_args = (uint32_t)s->n_args;
	head.what = (uint8_t)s->what;
	head.has_ts = s->has_ts;
	head.has_dur = s->has_dur;
	head.tied = s->tied;
	head.is_call = s->is_call;
	tl_buf_add(b, &head, sizeof head);
	for (size_t i = 0; i < s->n_args; i++) {
		const struct tl_pf_arg *a = &s->args[i];
		bool text = a->type != TL_FIELD_INT;
		struct packed_arg arg = { text ? 0 : a->value, length(&a->key), text ? length(&a->text) : 0, (uint32_t)a->type, 0 };
		tl_buf_add(b, &arg, sizeof arg);
	}
	tl_buf_add(b, s->name.s, s->name.len);
	tl_buf_add(b, s->category.s, s->category.len);
	for (size_t i = 0; i < s->n_args; i++) {
		tl_buf_add(b, s->args[i].key.s, s->args[i].key.len);
		if (s->args[i].type != TL_FIELD_INT)
			tl_buf_add(b, s->args[i].text.s, s->args[i].text.len);
	}
}

static struct tl_pf_text take_text(const char **p, size_t len)
{
	struct tl_pf_text t = { *p, len, NULL };

	*p += len;
	return t;
}

static void unpack(const char *p, struct tl_pf_slice *s)
{
	struct packed_slice head;
	struct packed_arg arg;

	memcpy(&head, p, sizeof head);
	const char *args = p + sizeof head, *texts = args + head.n_args * sizeof arg;
	s->what = (enum tl_pf_what)head.what;
	s->has_ts = head.has_ts;
	s->has_dur = head.has_dur;
	s->timed = false;
	s->tied = head.tied;
	s->is_call = head.is_call;
	memcpy(s->ties, head.ties, sizeof s->ties);
	s->track = head.track;
	s->ts = head.ts;
	s->dur = head.dur;
	s->offset = head.offset;
	s->n_args = head.n_args;
	s->name = take_text(&texts, head.name);
	s->category = take_text(&texts, head.category);
	for (size_t i = 0; i < s->n_args; i++) {
		memcpy(&arg, args + i * sizeof arg, sizeof arg);
		s->args[i].type = (enum tl_field_type)arg.type;
		s->args[i].value = arg.value;
		s->args[i].key = take_text(&texts, arg.key);
		s->args[i].text = take_text(&texts, arg.text);
	}
}

/* A slice that ends where it begins is an instant in traceconv's JSON. */
static bool is_instant(const struct tl_pf_slice *s)
{
	return s->what == TL_PF_INSTANT || (s->what == TL_PF_SPAN && s->has_dur && !s->dur);
}

/* ---- devices ---------------------------------------------------------------------------------- */

static bool tells_device(const struct tl_pf_slice *s)
{
	static const char *const keys[] = { TL_KEY_DEVICE, TL_KEY_AGENT, "dst_agent", "src_agent" };

	for (size_t i = 0; i < s->n_args; i++)
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			if (tl_text_is(s->args[i].key.s, s->args[i].key.len, keys[k]))
				return true;
	return false;
}

/* Is it work whose device neither its arguments nor its track tell? */
static bool is_alone(const struct tl_pf_reader *r, const struct tl_pf_slice *s, const struct tl_pf_track *t)
{
	struct tl_pf_category c = { 0 };

	return !t->on_thread && s->what != TL_PF_COUNTER && tl_pf_category(&r->known, s->category.s, s->category.len, &c) && c.alone &&
	       !tells_device(s);
}

/* The device is the only one that tracks name; if there is none or several, the stream counts as one. */
static int64_t lone_device(struct tl_pf_reader *r, const struct tl_pf_track *t)
{
	if (r->only_gpu >= 0)
		return r->only_gpu;
	tl_read_remark(r->report, "work of streams that tell no GPU: each counts as one", "", r->uid);
	return tl_map_number(&r->lone, t->role == TL_PF_OF_STREAM ? (uint64_t)t->number : t->uuid, NULL);
}

/* Sets what packets tell besides. False: at the end only can it be told. */
static bool look_beside(struct tl_pf_reader *r, const struct tl_pf_slice *s, const struct tl_pf_track *t, bool last)
{
	struct tl_pf_beside *b = &r->beside;

	*b = (struct tl_pf_beside){ .device = -1, .stream = t->role == TL_PF_OF_STREAM ? t->number : -1, .is_call = s->is_call, .tied = s->tied };
	memcpy(b->ties, s->ties, sizeof b->ties);
	/* the agent that a copy goes to may be the host */
	if (t->role == TL_PF_OF_GPU || (t->role == TL_PF_OF_AGENT && !memmem(s->name.s, s->name.len, "DEVICE_TO_HOST", 14)))
		b->device = t->number;
	if (b->device >= 0 || !is_alone(r, s, t))
		return true;
	if (last)
		b->device = lone_device(r, t);
	return last;
}

/* The one GPU that tracks name; -1: there is none, or several. */
static int64_t only_gpu(const struct tl_pf_reader *r)
{
	int64_t only = -1;

	for (size_t i = 0; i < r->n_tracks; i++) {
		const struct tl_pf_track *t = &r->tracks[i];
		if (t->role == TL_PF_OF_GPU && only >= 0 && only != t->number)
			return -1;
		if (t->role == TL_PF_OF_GPU)
			only = t->number;
	}
	return only;
}

/* ---- slices to events --------------------------------------------------------------------------- */

static char phase_of(const struct tl_pf_slice *s, const struct tl_pf_track *t)
{
	if (s->what == TL_PF_COUNTER)
		return 'C';
	if (is_instant(s))
		return t->on_thread ? 'I' : 'n';
	return t->on_thread ? 'X' : 'b';
}

/* Gives the event that is made, a counter of that text and track, its name, unit and device. */
static void tell_counter(struct tl_pf_reader *r, const struct tl_pf_text *text, const struct tl_pf_track *t)
{
	struct tl_maker *m = &r->make;
	struct tl_counter_name n = tl_counter_name(text->s, tl_pf_without_mark(&r->known, text->s, text->len));

	if (!n.len)
		n = (struct tl_counter_name){ .name = text->s, .len = text->len, .device = n.device };
	m->event.name = tl_add_string(&m->tables, n.name, n.len);
	const struct tl_pf_counter_facts *facts = &t->facts;
	if (facts->unit.len && facts->multiplier > 1) {
		tl_buf_clear(&r->text);
		tl_buf_addf(&r->text, "%lld %.*s", (long long)facts->multiplier, (int)facts->unit.len, facts->unit.s);
		tl_make_text(m, TL_KEY_UNIT, r->text.data, r->text.len);
	} else if (facts->unit.len) {
		tl_make_text(m, TL_KEY_UNIT, facts->unit.s, facts->unit.len);
	} else if (n.unit_len) {
		tl_make_text(m, TL_KEY_UNIT, n.unit, n.unit_len);
	}
	if (n.device >= 0 || t->role == TL_PF_OF_GPU)
		tl_make_int(m, TL_KEY_DEVICE, n.device >= 0 ? n.device : t->number);
}

bool tl_pf_push(struct tl_pf_reader *r, const struct tl_pf_slice *s, bool last)
{
	struct tl_pf_track *t = tl_pf_track(r, s->track);
	struct tl_maker *m = &r->make;

	if (!t)
		return false;
	if (r->own)
		return r->push_own(r, s);
	if (!locate(r, t, last) || !look_beside(r, s, t, last)) {
		tl_buf_clear(&r->packed);
		pack(&r->packed, s);
		r->status = tl_spool_add(&r->late, r->packed.data, r->packed.len, &r->error);
		return !r->status;
	}
	tl_make_event(m, r->uid++, s->what == TL_PF_COUNTER ? TL_KIND_COUNTER : is_instant(s) ? TL_KIND_INSTANT : TL_KIND_OTHER, phase_of(s, t));
	m->event.ts = s->ts;
	m->event.dur = s->has_dur ? s->dur : 0;
	m->event.track = t->id.id;
	m->event.name = id_of(r, &s->name);
	m->layout.flags = (uint8_t)(TL_HAS_ARGS | (s->has_ts ? TL_HAS_TS : 0) | (s->has_dur && !is_instant(s) ? TL_HAS_DUR : 0) |
	                            (s->name.len ? TL_HAS_NAME : 0));
	m->layout.cat = s->category.len ? id_of(r, &s->category) : 0;
	m->layout.n_fields = (uint32_t)s->n_args;
	for (size_t i = 0; i < s->n_args; i++) {
		const struct tl_pf_arg *a = &s->args[i];
		m->fields[i] = (struct tl_field){ .key = id_of(r, &a->key), .type = (uint8_t)a->type };
		m->values[i] = a->type == TL_FIELD_INT ? a->value : id_of(r, &a->text);
	}
	if (s->what == TL_PF_COUNTER)
		tell_counter(r, s->name.len ? &s->name : &t->name, t);
	r->n_events++;
	r->status = tl_push_made(m, &r->error);
	return !r->status;
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
	pack(&r->packed, s);
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

	unpack(o->packed, &r->slice);
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

	unpack(packed, &r->slice);
	return tl_pf_push(r, &r->slice, true);
}

bool tl_pf_finish_slices(struct tl_pf_reader *r)
{
	struct tl_spool late;

	for (size_t i = 0; i < r->n_tracks; i++)
		while (r->tracks[i].top)
			if (!pop(r, &r->tracks[i], false, 0))
				return false;
	r->only_gpu = only_gpu(r);
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
	tl_map_release(&r->lone);
	tl_arena_release(&r->names);
}
