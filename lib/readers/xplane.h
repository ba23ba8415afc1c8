/* xplane.h - the parts of the reader of XPlane files, as JAX and TensorFlow write them, and
 * what they share.
 *
 *   xplane.c         the file: its planes, one after the other, and what it says as a whole
 *   xplane_names.c   what a plane's numbers mean: names of events and of their facts; damage
 *   xplane_event.c   the lines of a plane: their events
 *   xplane_hlo.c     the programs that XLA compiled, as members about the trace
 *
 * The format: tsl/profiler/protobuf/xplane.proto of OpenXLA. A file is an XSpace: planes (a
 * GPU, the host, facts), in a plane lines (a stream, a thread), in a line events. An event
 * names its name, and the facts about it ("stats"), by numbers that the plane explains behind
 * the lines: so memory holds one plane at a time.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_XPLANE_H
#define TL_XPLANE_H

#include "readers/event_maker.h"
#include "readers/protobuf_fields.h"

/* ---- names ----------------------------------------------------------------------------- */

/* A text of the plane, UTF-8. */
struct tl_xp_text { const char *s; size_t len; struct tl_made_id id; };

/* What a fact is for, besides being a field. */
enum tl_xp_role { TL_XP_FIELD, TL_XP_CORRELATION, TL_XP_KERNEL, TL_XP_COPY, TL_XP_SET, TL_XP_STEP, TL_XP_HLO };

/* A number that the plane explains: of a fact (its name may be the value of another fact,
 * too), or of a name of events. */
struct tl_xp_name {
	struct tl_xp_text text;    /* of events the one to show */
	struct tl_xp_text other;   /* of a fact: its key as a field; of events: the long name, or empty */
	struct tl_bytes message;   /* of events: XEventMetadata */
	bool has_stats;            /* of events: facts that all of them have */
	uint8_t kind;              /* of events on the host: enum tl_kind */
	uint8_t role;              /* of a fact: enum tl_xp_role */
};
struct tl_xp_names TL_KEYED(struct tl_xp_name); /* by number */

/* ---- planes ---------------------------------------------------------------------------- */

enum tl_xp_plane_kind { TL_XP_FACTS, TL_XP_GPU, TL_XP_TPU, TL_XP_DEVICE, TL_XP_HOST, TL_XP_PROGRAMS };

struct tl_xp_plane {
	struct tl_bytes bytes;     /* XPlane */
	int64_t offset;            /* of its first byte in the file */
	uint64_t number;           /* from 1 */
	int64_t id;
	int64_t device;            /* number of the GPU */
	struct tl_xp_text name;
	enum tl_xp_plane_kind kind;
	int64_t pid;               /* of its tracks */
	struct tl_xp_names events, stats;
	bool named;                /* the event that names it is pushed */
	uint64_t n_lines;          /* those with events, so far */
	uint64_t n_events;         /* so far */
	bool has_work;             /* a line of them is a device's work */
	struct tl_map tids;        /* of their tracks */
	struct tl_arena texts;     /* repaired ones */
};

/* ---- the reader ------------------------------------------------------------------------- */

enum { TL_XP_MAX_STATS = 256 };

struct tl_xp_reader {
	struct tl_input *in;
	const struct tl_read_options *options;
	struct tl_read_report *report;
	enum tl_status status;
	struct tl_error error;
	struct tl_maker make;
	uint64_t uid;              /* of the next event */
	/* the file */
	uint8_t window[1 << 16];
	size_t used, filled;       /* of window */
	int64_t offset;            /* of window[0] in the file */
	bool at_end, cut_short;
	struct tl_buf data;        /* the plane at hand */
	struct tl_xp_plane plane;
	struct tl_map pids;        /* of the planes so far */
	/* the time that ticks count from, in ns; 0 unless the file gives time since 1970 */
	bool base_known;
	int64_t base;
	/* members about the trace */
	struct tl_buf hosts;
};

/* ---- xplane_names.c */

/* Damage at `at`, in the plane at hand. True: --lenient goes on, the damage is noted. */
bool tl_xp_damaged(struct tl_xp_reader *, const uint8_t *at, const char *what);
/* Counts the event at hand under a reason; `at`: where it stands in the plane. */
void tl_xp_note(struct tl_xp_reader *, const uint8_t *at, const char *reason);
/* Gives the sink a member about the trace. False: the status tells why. */
bool tl_xp_member(struct tl_xp_reader *, const char *key, size_t key_len, const struct tl_buf *json);

/* Reads the names of the plane at hand. False: damage, which the status tells. */
bool tl_xp_read_names(struct tl_xp_reader *);
/* What a number means; NULL: the plane does not say. */
struct tl_xp_name *tl_xp_name(const struct tl_xp_names *, int64_t number);
/* A field's text; malformed UTF-8 is repaired. */
struct tl_xp_text tl_xp_text(struct tl_xp_reader *, const struct tl_pb_field *);
/* The id of a text in the reader's tables. */
uint32_t tl_xp_string(struct tl_xp_reader *, struct tl_xp_text *);
void tl_xp_release_names(struct tl_xp_plane *);

/* A fact about an event or a plane. */
struct tl_xp_stat {
	struct tl_xp_name *name;   /* NULL: the plane does not say */
	struct tl_xp_name *ref;    /* the value is its text */
	struct tl_pb_field value;  /* XStat: 2 to 7; number 0: none */
};
/* Reads an XStat. False: it is damaged. */
bool tl_xp_read_stat(struct tl_xp_reader *, struct tl_bytes message, struct tl_xp_stat *);
/* The value as JSON; bytes are null. */
void tl_xp_add_value(struct tl_xp_reader *, struct tl_buf *, const struct tl_xp_stat *);

/* ---- xplane_event.c */

/* Hands the events of a line, an XLine, to the sink. False: the status tells why. */
bool tl_xp_read_line(struct tl_xp_reader *, struct tl_bytes);

/* ---- xplane_hlo.c */

/* Hands the programs that the plane at hand holds to the sink as members about the trace.
 * False: the status tells why. */
bool tl_xp_read_programs(struct tl_xp_reader *);

#endif
