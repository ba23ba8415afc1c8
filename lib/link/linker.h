/* linker.h - the linker's records, shared by the files of this folder only.
 *
 * Memory an event, peaks included: host event 24, 16 more to sort when it comes
 * in too many runs; + 8 if it is a runtime call, + 16 if it has a sequence
 * number; device event 12. 16 + 12 for each id that arrows,
 * calls and device events share; until it is clear which argument holds it 24
 * for each call and device event; in the end 24 for each level of each stack.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LINK_PRIVATE_H
#define TL_LINK_PRIVATE_H

#include "link/link.h"

/* ---- arrays that grow by blocks, so that growing copies nothing ---- */

enum { BLOCK_BITS = 12, BLOCK_ITEMS = 1 << BLOCK_BITS };
struct blocks { void **blocks; size_t n, n_blocks, cap_blocks; };

void tl_blocks_grow(struct blocks *b, size_t item_size);
void tl_blocks_drop(struct blocks *b, size_t i); /* frees the block of item i */
void tl_blocks_release(struct blocks *b);
static inline void *blocks_at(const struct blocks *b, size_t i, size_t item_size)
{
	return (char *)b->blocks[i >> BLOCK_BITS] + (i & (BLOCK_ITEMS - 1)) * item_size;
}
static inline void *blocks_add(struct blocks *b, size_t item_size) /* a new, unset item */
{
	if (b->n >> BLOCK_BITS == b->n_blocks)
		tl_blocks_grow(b, item_size);
	return blocks_at(b, b->n++, item_size);
}

/* ---- records ---- */

enum { NONE = UINT32_MAX };
#define NO_VALUE INT64_MIN /* of an argument: absent or null */

enum { /* what a span is, in the low bits of its flags */
	SPAN_CPU_OP, SPAN_LAUNCH, SPAN_PYTHON, SPAN_OTHER,
	SPAN_ROLE = 7,
	SPAN_RECOMPUTE = 8,  /* recompute frame, or below one */
	SPAN_BACKWARD = 16,  /* name of a backward node */
	SPAN_GRAPH = 32,     /* launches a whole graph */
	FLAG_BITS = 8, MAX_TRACKS = 1 << 24,
};

struct span { /* an event on the host's clock */
	int64_t ts, dur;
	uint32_t uid;
	uint32_t bits; /* track << FLAG_BITS | flags */
};
static inline bool tl_link_in_tree(uint32_t bits)
{
	return (bits & SPAN_ROLE) <= SPAN_PYTHON;
}
struct call { uint32_t group, span; }; /* runtime call */
struct device {
	uint32_t uid;
	uint32_t next; /* of its group, in file order; the last one's is the first */
	uint32_t bits; /* track << FLAG_BITS | flags */
};
enum { DEVICE_LINKED = 1, DEVICE_RECOMPUTE = 2 };
struct numbered { int64_t number; uint32_t span, next; }; /* sequence number */

/* What has the same id: device events, and what arrows say. */
struct group {
	int64_t id;
	uint32_t last; /* device event, NONE if there is none */
	uint32_t end;  /* track of the last arrow's end << FLAG_BITS | flags */
};
enum { ARROW_START = 1, ARROW_END = 2, ARROW_RESOLVED = 4 };
struct groups {
	struct blocks records;
	uint32_t *slots; /* hash table of record numbers, NONE: empty */
	size_t size;
	uint32_t latest; /* asked for; the next event is often of the same id */
};

/* A call or device event, before it is known which argument is its id. */
struct early {
	int64_t correlation, external;
	uint32_t at; /* span of a call; uid of a device event */
	uint32_t track;
};

/* ---- what is known of a string, a layout, a track of the source ---- */

enum {
	NAME_SEEN = 1, NAME_LAUNCH = 2, NAME_GRAPH = 4, NAME_BACKWARD = 8, NAME_RECOMPUTE = 16,
	TEXT_CORRELATION = 128, TEXT_EXTERNAL_ID = 256, TEXT_SEQUENCE = 512, TEXT_ID = 1024,
	TEXT_NULL = 2048,
	TEXT_INTEGRAL = 4096, /* a number equal to an integer; hash holds that */
};
struct text_info { uint64_t hash; uint16_t flags; };

enum role { ROLE_NONE, ROLE_HOST, ROLE_LAUNCH, ROLE_DEVICE, ROLE_ARROW };
struct field_place { uint16_t at; uint8_t type; }; /* type 0: absent */
struct layout_info {
	uint8_t role, span_role, flags;
	bool known;
	char ph;
	struct field_place correlation, external_id, sequence, id;
};

/* The tree's spans come in few runs by start time: cpu_ops, frames, calls.
 * More than MAX_RUNS of them are not worth merging. */
enum { MAX_RUNS = 32 };
struct runs {
	uint32_t first[MAX_RUNS + 1]; /* span number */
	uint32_t n;
	int64_t last_ts;
};

struct linker {
	struct tl_sink base;
	struct tl_sink *next;
	struct tl_link_options options;
	struct tl_link_report report;
	int64_t ticks_per_us;

	/* by the source's ids; what is not known yet is all zero */
	const struct tl_tables *tables;
	struct text_info *texts;
	size_t n_texts, cap_texts;
	struct layout_info *layouts;
	size_t n_layouts, cap_layouts;
	struct tl_by_id tracks; /* -> own number + 1 */

	/* own numbers of (process, thread) by text */
	struct tl_map own_tracks;
	uint8_t *track_whole; /* neither pid nor tid is absent */
	size_t cap_whole;
	uint32_t n_own_tracks;

	struct blocks spans, calls, devices, numbered;
	struct groups groups;
	struct runs runs;
	/* of struct early, until the linking key is known */
	struct blocks early_calls, early_devices;
	bool key_known, key_is_external, call_has_correlation;
	bool too_many_tracks;
};

/* names.c: what is known of a text, see above. */
struct text_info tl_link_text_info(const char *s, size_t len);

/* tree.c: the host call tree; emits nodes, roots, recompute marks. */
enum tl_status tl_link_tree(struct linker *l, struct tl_error *err);
/* sort.c: the tree's spans, stably by ts. Returns malloc'ed span numbers under
 * `mask`, other bits are to be ignored. */
uint64_t *tl_link_sort(const struct linker *l, size_t *n, uint64_t *mask);
/* The tree's spans one by one in the same order. */
struct cursor {
	const struct linker *l;
	struct span *span;  /* the next one, NULL at the end */
	uint32_t at, end;   /* its number; where its run or its block ends */
	int64_t limit;      /* the run that is next by time starts there */
	uint32_t n_heads;
	struct head { int64_t ts; uint32_t at, end; } heads[MAX_RUNS]; /* rests of the runs, in order */
	uint64_t *sorted, mask; /* of too many runs */
	size_t n_sorted, n_taken;
};
void tl_link_cursor(struct cursor *c, const struct linker *l);
void tl_link_cursor_step(struct cursor *c); /* sets span by `at` */
void tl_link_cursor_release(struct cursor *c);
static inline struct span *tl_link_next(struct cursor *c)
{
	struct span *s = c->span;
	c->at++;
	if (c->at < c->end && s[1].ts < c->limit && tl_link_in_tree(s[1].bits))
		c->span = s + 1;
	else
		tl_link_cursor_step(c);
	return s;
}
/* launch.c: what runtime calls launch. Device events and arrow ends come in file
 * order; no more of them after tl_link_launches_ready. */
void tl_link_add_call(struct linker *l, int64_t id, uint32_t span);
void tl_link_add_device(struct linker *l, int64_t id, uint32_t uid, uint32_t track);
void tl_link_add_arrow(struct linker *l, int64_t id, bool is_end, uint32_t track);
void tl_link_launches_ready(struct linker *l);
enum tl_status tl_link_launches(struct linker *l, struct tl_error *err);
/* pairs.c: backward pairs. */
enum tl_status tl_link_backward(struct linker *l, struct tl_error *err);

static inline struct span *span_at(const struct linker *l, size_t i)
{
	return blocks_at(&l->spans, i, sizeof(struct span));
}
static inline uint32_t span_track(const struct span *s) { return s->bits >> FLAG_BITS; }
static inline int64_t span_end(const struct span *s)
{
	int64_t end;
	if (__builtin_add_overflow(s->ts, s->dur, &end))
		return s->dur < 0 ? INT64_MIN : INT64_MAX;
	return end;
}
static inline enum tl_status emit(struct linker *l, uint8_t type, uint64_t a, uint64_t b,
                                  struct tl_error *err)
{
	struct tl_link link = { type, a, b };
	return l->next->ops->link(l->next, &link, err);
}

#endif
