/* pytorch.h - private to the PyTorch reader: its parts and what they share.
 *
 *   pytorch.c        the document: top level, metadata, the list of events
 *   pytorch_event.c  one event: from text to a call of the sink
 *   pytorch_shape.c  what stands between the values, learnt once
 *   pytorch_cache.c  raw text of a value -> string id
 *   pytorch_time.c   decimal microseconds -> nanoseconds
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PYTORCH_H
#define TL_PYTORCH_H

#include <string.h>

#include "json/scan.h"
#include "readers/inputs.h"

/* ---- the text at hand ---------------------------------------------------------- */

/* A window that slides over the text. It grows to hold one event or one
 * top-level member, up to WINDOW_MAX. */
#define WINDOW_SIZE ((size_t)256 * 1024)
#define WINDOW_MAX ((size_t)256 * 1024 * 1024)
struct window {
	struct tl_input *in;
	char *buf;       /* cap + TL_JSON_PAD bytes */
	size_t cap;
	char *end;
	int64_t base;    /* offset of buf[0] in the text */
	bool eof;
};

/* ---- raw text -> string id ------------------------------------------------------- */

#define CACHE_SETS 4096
#define CACHE_WAYS 4
#define CACHE_BYTES ((size_t)1024 * 1024)
#define CACHE_GUESSES 16384
struct cache {
	struct cache_entry { uint32_t tag, len, offset, id; } *entries;
	char *bytes; /* CACHE_BYTES, the raw texts end to end */
	size_t used;
	uint64_t context; /* the last values' ids, the older the less */
	uint16_t *guess;  /* by context: entry of the value that came next */
};
void tl_rawcache_init(struct cache *);
void tl_rawcache_clear(struct cache *);
void tl_rawcache_release(struct cache *);
uint64_t tl_rawcache_hash(const char *p, size_t len);
/* A raw text put in before, or NULL. Ids are not 0. */
const struct cache_entry *tl_rawcache_get(const struct cache *, const char *p, size_t len, uint64_t hash);
/* NULL: too long to be kept. */
const struct cache_entry *tl_rawcache_put(struct cache *, const char *p, size_t len, uint64_t hash, uint32_t id);

/* What a program does it does again, so the values before tell the next one
 * more often than not, and a text that is compared need not be searched for its
 * end and looked up. The entry guessed may be empty (len 0). */
static inline uint16_t *tl_rawcache_guess(const struct cache *c)
{
	return &c->guess[c->context * 0x9e3779b97f4a7c15u >> 50];
}

static inline void tl_rawcache_push(struct cache *c, uint32_t id)
{
	c->context = (c->context << 8) + id * 0x9e3779b97f4a7c15u;
}

/* ---- shapes ------------------------------------------------------------------------ */

/* Profilers write the same members in the same order again and again, so the
 * text between two values is nearly always one seen before. A shape is a node
 * of a tree: the text from the end of the value before it (or the event's
 * brace) to the start of the next value (or the event's end), and what that
 * text says. The categories and the phase, which hardly vary, are part of the
 * text. Walking down the tree parses an event: compare, take a value, go on. */
enum role { ROLE_END, ROLE_NAME, ROLE_PID, ROLE_TID, ROLE_TS, ROLE_DUR, ROLE_FIELD };
struct shape {
	uint64_t head, mask;   /* first 8 bytes of text, and which of them count */
	const char *text;
	uint32_t len;
	uint8_t role;
	bool skip;             /* of a kind to be dropped, as far as known here */
	char ph;               /* all below: as known up to here */
	uint8_t kind;
	int8_t cat_kind;       /* kind told by the category; -1: none */
	bool in_args, has_args, new_args, any_dead, has_cat, has_ph, top;
	uint16_t slot;         /* ROLE_FIELD: index of the value */
	uint16_t n_fields;
	uint32_t cat;          /* string id */
	uint32_t key;          /* ROLE_FIELD: string id */
	uint32_t memo_id;      /* ROLE_PID, ROLE_TID: string id of the integer below */
	int64_t memo;
	uint64_t memo_text, memo_mask; /* its text with the byte behind it, if it is short */
	uint32_t memo_len;
	struct shape *up, *child, *next;
	struct shape *follower; /* where an event ended: first shape of the next */
	struct { uint64_t signature; uint32_t layout; } layouts[4]; /* ROLE_END */
	uint8_t n_layouts;
};
#define SHAPES_MAX_BYTES ((size_t)1024 * 1024)
#define SHAPE_MAX_TEXT 4096
#define SHAPE_MAX_SIBLINGS 64

/* ---- the reader ---------------------------------------------------------------------- */

/* Reasons for a note in the report. */
enum note {
	NOTE_CONTROL, NOTE_UTF8, NOTE_SURROGATE, NOTE_NO_PHASE, NOTE_NEGATIVE, NOTE_BAD_TIME,
	NOTE_NOT_OBJECT, NOTE_DAMAGED, NOTE_TRUNCATED, NOTE_INPUT, NOTE_LOST, NOTE_GARBAGE, NOTE_SECOND_LIST,
	NOTE_LONG_MEMBER, NOTE_COUNT
};

#define RUN_TEXT 256
/* Bytes after a shape's text that can be read. */
#define SHAPE_PAD 32

enum parse { PARSE_OK, PARSE_MORE /* needs more text */, PARSE_BAD /* at, what */, PARSE_STATUS };

struct reader {
	struct window w;
	struct tl_json_scan scan;
	const struct tl_json_ops *ops;
	const struct tl_read_options *options;
	struct tl_sink *sink;
	struct tl_tables tables;
	struct tl_read_report *report;
	struct tl_error *err;
	enum tl_status status;   /* of PARSE_STATUS */
	uint64_t uid;            /* of the event at hand */
	uint64_t passed_on;      /* uid of the last event given to the sink, + 1 */
	int note_index[NOTE_COUNT]; /* in report->drops, + 1 */
	uint64_t noted[NOTE_COUNT]; /* uid + 1 counted last */
	struct tl_buf text, key;
	struct cache cache;
	struct tl_arena shape_arena;
	size_t shape_bytes;
	struct shape root;
	/* the fields of the shapes from the root to seen_tip, where they are many */
	struct seen { uint32_t key, epoch; uint16_t slot; bool top; } seen[4 * TL_MAX_FIELDS];
	uint32_t seen_epoch;
	const struct shape *seen_tip;
	struct shape *last;      /* the last one of the event before that was looked at */
	/* events passed over, one after the other */
	struct {
		int64_t end;             /* offset where the last one ended */
		const struct shape *of;  /* how each starts; the text from the end of one to there: */
		size_t len;
		char text[RUN_TEXT + 32];
	} run;
	/* the event at hand */
	bool bad_time;
	uint8_t flags;
	uint32_t name, pid, tid;
	int64_t ts, dur;
	size_t n_values;
	int64_t values[TL_MAX_FIELDS];
	uint8_t types[TL_MAX_FIELDS];
	struct tl_field fields[TL_MAX_FIELDS];
	struct { uint32_t pid, tid, id; } tracks[64];
};

/* Counts one event (or place) under a reason, once an event. */
void tl_reader_note(struct reader *, enum note, const char *at);
/* Notes for what the checker repaired in an event's text. */
void tl_reader_note_problems(struct reader *, unsigned problems, const char *at);
static inline int64_t offset_of(const struct reader *r, const char *p)
{
	return r->w.base + (p - r->w.buf);
}

/* Whether the text at p is the shape's: by words, the last of which may lap over
 * the one before. */
static inline bool tl_shape_matches(const struct shape *s, const char *p)
{
	uint64_t a, b;
	size_t i;

	memcpy(&b, p, 8);
	if ((s->head ^ b) & s->mask)
		return false;
	if (s->len <= 8)
		return true;
	for (i = 8; i + 8 < s->len; i += 8) {
		memcpy(&a, s->text + i, 8);
		memcpy(&b, p + i, 8);
		if (a != b)
			return false;
	}
	memcpy(&a, s->text + s->len - 8, 8);
	memcpy(&b, p + s->len - 8, 8);
	return a == b;
}

/* The shape after `up` that the text at p has; learns it if need be. NULL:
 * r->scan tells why. */
struct shape *tl_shape_find(struct reader *, struct shape *up, const char *p);
void tl_shapes_clear(struct reader *);

/* Parses the event at *p, an opening brace, and hands it on; *p moves behind it
 * when PARSE_OK. */
enum parse tl_event_parse(struct reader *, const char **p);

/* Decimal number of microseconds as nanoseconds, rounded half away from zero.
 * text is a checked number. False when beyond +-2^62. */
bool tl_time_parse(const char *p, const char *end, int64_t *ns);
#define TIME_MAX ((int64_t)1 << 62)

#endif
