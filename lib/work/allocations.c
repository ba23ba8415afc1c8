/* allocations.c - what a trace says of its memory.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/allocations.h"

#include "work/args.h"
#include "work/device_events.h"
#include "work/spans.h"
#include "base/merge_sort.h"

#include <inttypes.h>
#include <stdlib.h>

struct fields { struct tl_arg address, bytes, type, id, allocated, reserved, frame, stack, category; };

/* ---- devices ------------------------------------------------------------------------- */

/* What PyTorch calls device types; others have their number. */
static uint32_t name_of(struct tl_trace *t, int64_t type, int64_t id)
{
	static const struct { int64_t type; const char *name; } names[] = { { 1, "GPU" }, { 6, "GPU" }, { 12, "XPU" }, { 20, "PrivateUse" } };
	struct tl_buf b = { 0 };
	const char *name = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		name = names[i].type == type ? names[i].name : name;
	if (!type)
		tl_buf_addf(&b, "CPU");
	else if (name)
		tl_buf_addf(&b, "%s%" PRId64, name, id);
	else
		tl_buf_addf(&b, "type %" PRId64 " device %" PRId64, type, id);
	return tl_intern_buf(&t->strings, &b);
}

/* The number of a device; TL_NONE: there is no such device. */
static uint32_t device_of(struct tl_memory *m, struct tl_map *numbers, uint32_t pid, int64_t type, int64_t id)
{
	bool is_new;

	id = type ? id : 0; /* the host is one device, whatever it is numbered */
	if (type < 0 || type > UINT16_MAX || id < 0 || id > UINT16_MAX)
		return TL_NONE;
	uint32_t number = tl_map_number(numbers, tl_key_of_two(pid, (uint32_t)(type << 16 | id)), &is_new);
	if (is_new)
		TL_PUSH(m->devices, m->n_devices, m->cap_devices,
			(struct tl_memory_device){ .pid = pid, .name = name_of(m->trace, type, id) });
	return number;
}

/* ---- events -------------------------------------------------------------------------- */

static int64_t integer(const struct tl_arg *a, const struct tl_trace *t, uint32_t event, int64_t without)
{
	int64_t value;

	return tl_arg_get(a, t, event, &value) == TL_FIELD_INT ? value : without;
}

static void add_event(struct tl_memory *m, const struct fields *f, struct tl_map *numbers, uint32_t event)
{
	const struct tl_trace *t = m->trace;
	const struct tl_ev *e = &t->events[event];
	int64_t address, bytes, allocated = integer(&f->allocated, t, event, -1);
	uint32_t device = TL_NONE;

	if (e->flags & TL_EV_HAS_TS && tl_arg_get(&f->address, t, event, &address) &&
	    tl_arg_get(&f->bytes, t, event, &bytes) == TL_FIELD_INT)
		device = device_of(m, numbers, t->tracks[e->track].pid, integer(&f->type, t, event, 0), integer(&f->id, t, event, 0));
	if (device == TL_NONE) {
		m->left_out++;
		return;
	}

	m->devices[device].n++;
	m->devices[device].relative |= allocated < 0;
	TL_PUSH(m->items, m->n, m->cap,
		(struct tl_memory_event){ .event = event, .device = device, .time = e->ts, .bytes = bytes,
	                                             .allocated = allocated, .reserved = integer(&f->reserved, t, event, 0), .partner = TL_NONE });
}

TL_ORDER(by_device, struct tl_memory_event, TL_ASC(x->device) TL_ASC(x->time))

/* A release belongs to the last allocation of its address. */
static void find_partners(struct tl_memory *m, const struct fields *f, const struct tl_memory_device *d)
{
	struct tl_map open = { 0 }; /* address -> 1 + item; 0: released */

	for (uint32_t i = d->first; i < d->first + d->n; i++) {
		struct tl_memory_event *e = &m->items[i];
		int64_t address = 0;

		/* An address above 2^63 is a text in the trace: its id, which is no address. */
		uint64_t as_text = tl_arg_get(&f->address, m->trace, e->event, &address) == TL_FIELD_INT ? 0 : UINT64_C(1) << 63;
		uint32_t *at = tl_map_put(&open, (uint64_t)address ^ as_text, NULL);
		if (e->bytes > 0) {
			m->doubled += *at != 0;
			*at = i + 1;
		} else if (*at) {
			e->partner = *at - 1;
			m->items[e->partner].partner = i;
			*at = 0;
		}
	}
	tl_map_release(&open);
}

/* ---- where the program was ------------------------------------------------------------- */

uint64_t tl_memory_thread(const struct tl_trace *t, uint32_t event)
{
	const struct tl_trace_track *track = &t->tracks[t->events[event].track];

	return tl_key_of_two(track->pid, track->tid);
}

static void add_spans(struct tl_memory *m)
{
	const struct tl_trace *t = m->trace;

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool is_module = e->kind == TL_KIND_PYTHON && tl_is_module_frame(tl_str(&t->strings, e->name));
		if (tl_ev_has_span(e) && (is_module || e->kind == TL_KIND_CPU_OP || e->kind == TL_KIND_ANNOTATION))
			tl_innermosts_add(&m->spans, tl_memory_thread(t, i), e->ts, tl_ev_end(e), i);
	}
	tl_innermosts_build(&m->spans);
}

/* A text of the event; 0: it has none. */
static uint32_t text_of(const struct tl_arg *a, const struct tl_trace *t, uint32_t event)
{
	int64_t value;

	return tl_arg_get(a, t, event, &value) == TL_FIELD_STRING ? (uint32_t)value : 0;
}

static void find_place(struct tl_memory *m, const struct fields *f, struct tl_memory_event *e)
{
	const struct tl_trace *t = m->trace;
	const struct tl_innermost *of;
	const struct tl_nested *s = tl_innermosts_span(&m->spans, tl_memory_thread(t, e->event), e->time, &of);

	for (; s; s = tl_innermost_around(of, s, e->time)) {
		const struct tl_ev *span = &t->events[s->event];
		if (e->operator && !e->parent && span->name != e->operator) /* one that only calls another of its name is the same */
			e->parent = span->name;
		if (span->kind == TL_KIND_CPU_OP && !e->operator)
			e->operator = span->name;
		if (span->kind == TL_KIND_PYTHON && !e->module)
			e->module = span->name;
		if (e->parent && e->module)
			break;
	}
	e->stack = text_of(&f->stack, t, e->event);
	e->operator = e->operator ? e->operator : text_of(&f->frame, t, e->event);
	e->category = text_of(&f->category, t, e->event);
	m->stacks |= e->stack != 0;
	m->categories |= e->category != 0;
}

static void release(void *p)
{
	struct tl_memory *m = p;

	free(m->devices);
	free(m->items);
	tl_innermosts_release(&m->spans);
}

const struct tl_memory *tl_memory_of(struct tl_trace *t)
{
	struct tl_memory *m = tl_trace_keep(t, sizeof *m, release);
	uint32_t name = tl_strtab_find(&t->strings, TL_MEMORY_EVENT, sizeof TL_MEMORY_EVENT - 1);
	struct fields f = { tl_arg_of(t, "Addr"), tl_arg_of(t, "Bytes"), tl_arg_of(t, "Device Type"), tl_arg_of(t, "Device Id"),
	                    tl_arg_of(t, "Total Allocated"), tl_arg_of(t, "Total Reserved"),
	                    tl_arg_of(t, TL_KEY_FRAME), tl_arg_of(t, TL_KEY_STACK), tl_arg_of(t, TL_KEY_CATEGORY) };

	struct tl_map numbers = { 0 };

	if (m->trace)
		return m;
	m->trace = t;
	for (uint32_t i = 0; name && i < t->n_events; i++)
		if (t->events[i].name == name && t->events[i].kind == TL_KIND_INSTANT)
			add_event(m, &f, &numbers, i);
	tl_map_release(&numbers);
	tl_merge_sort(m->items, m->n, sizeof *m->items, by_device, NULL);
	for (uint32_t i = 0, first = 0; i < m->n_devices; first += m->devices[i++].n) {
		struct tl_memory_device *d = &m->devices[i];
		int64_t sum = 0;
		d->first = d->peak = d->peak_reserved = first;
		for (uint32_t k = d->first; k < d->first + d->n; k++) {
			struct tl_memory_event *e = &m->items[k];
			sum = tl_ticks_add(sum, e->bytes);
			if (d->relative)
				e->allocated = sum;
			d->peak = e->allocated > m->items[d->peak].allocated ? k : d->peak;
			d->peak_reserved = e->reserved > m->items[d->peak_reserved].reserved ? k : d->peak_reserved;
		}
		find_partners(m, &f, d);
	}
	if (m->n)
		add_spans(m);
	for (uint32_t i = 0; i < m->n; i++)
		find_place(m, &f, &m->items[i]);
	return m;
}

int64_t tl_memory_at_start(const struct tl_memory *m, const struct tl_memory_device *d)
{
	return tl_ticks_sub(m->items[d->first].allocated, m->items[d->first].bytes);
}
