/* readers.h - reads a trace of any known kind into a sink.
 *
 * To add a reader: write a file of this folder that defines a struct tl_reader
 * (reader.h says what that must provide). The build finds it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_READERS_H
#define TL_READERS_H

#include "base/io.h"
#include "model/sink.h"

struct tl_read_options {
	uint32_t drop_kinds;  /* bit (1u << kind): such events are left out; uids
	                         still count them */
	int64_t least_frame_us; /* Python frames that last less are left out, but for calls of modules */
	bool drop_raw_only;   /* drop_kinds is for traces of profilers only: an event
	                         stream is passed on whole */
	bool lenient;         /* go on after damaged events and at a truncated end;
	                         what was dropped is counted in the report */
	bool keep_counters;   /* of Chrome's JSON as their writer wrote them */
	bool keep_ranges;     /* ranges stay annotations with the text that their writer gave them */
	bool known_writer;    /* for a reader whose form is this one's: it tells who wrote the trace */
	bool plain;           /* for tests: without templates of events */
};

/* What a reader passed over, for the caller to show. */
struct tl_read_report {
	struct {
		const char *what;
		uint64_t count;
		int64_t first_offset;
		uint64_t first_uid, last_uid;
		bool note;        /* no fault of the trace */
	} drops[48];
	size_t n_drops;
	char quoted[8][240];  /* reasons that quote the trace */
	char tables[24][120]; /* those about tables of a database */
	size_t n_quoted, n_tables;
	uint64_t n_events;    /* elements of the event list, dropped or not */
	uint64_t n_short_frames; /* Python frames that the reader left out by least_frame_us */
	uint64_t n_bytes;     /* decompressed */
	uint64_t n_texts, n_forms; /* events of PyTorch's JSON that were read slowly: written unlike
	                         those before; but for the form of a value written like them */
	bool lenient_helps;   /* after a failure: with `lenient` reading would go on */
};

/* The same in two steps, for a caller who has to know the format first. tl_open_trace reads
 * the first bytes. `in` must stay open until tl_opened_free, which may get NULL. */
struct tl_opened;
enum tl_status tl_open_trace(struct tl_opened **, struct tl_input *in, struct tl_error *err);
const char *tl_opened_format(const struct tl_opened *); /* the reader's name */
enum tl_status tl_read_opened(struct tl_opened *, const struct tl_read_options *, struct tl_sink *,
                              struct tl_read_report *, struct tl_error *err);
void tl_opened_free(struct tl_opened *);

/* Reads a trace of any known kind from `in` into sink: an event stream (our
 * own), or one of a profiler's that a reader of this folder knows (tl_readers); each plain, as gzip or,
 * where its library was there at build, as zstd (any number of members or frames). Found by content. */
enum tl_status tl_read(struct tl_input *in, const struct tl_read_options *,
                       struct tl_sink *sink, struct tl_read_report *, struct tl_error *err);

#endif
