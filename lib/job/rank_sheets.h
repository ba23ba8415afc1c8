/* rank_sheets.h - what the modules that merge ranks share: the merge, and sheets that are
 * written row by row.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANK_SHEETS_H
#define TL_RANK_SHEETS_H

#include "work/name_rules.h"
#include "job/align.h"
#include "job/meeting.h"
#include "job/ranks.h"
#include "job/replay.h"
#include "job/sorter.h"

/* What is known of a rank. */
struct tl_rank_totals {
	int64_t rank;
	uint32_t host;        /* in the job's group_strings; 0: not known */
	int64_t dur;          /* ticks: of all its collectives */
	uint64_t events;
	int64_t begin, end;   /* ticks: of the first and the last of them */
	int64_t wait;         /* ticks: in collectives that all must join */
	int64_t caused;       /* ticks: how long others waited for it there */
	uint64_t last, first; /* in how many of these it came last, came first */
	struct tl_rank_seen {
		uint64_t joined;          /* in how many collectives it is */
		int64_t rank, position;   /* the first row that has it: its first rank, and the event's place there */
		size_t column;            /* its place among the columns of ranks */
	} seen[2];            /* in those that all must join, in all_to_allv */
};
enum tl_rank_kind { TL_RANKS_SYNC, TL_RANKS_ALL2ALLV };

/* What the first reading of all parts finds. */
struct tl_ranks_facts {
	int64_t ticks_per_us;
	bool simple;                 /* all parts are */
	bool reals[N_COLL];          /* a column of integers is one of reals, as a cell is empty or real */
	bool some_group_size;        /* an event says the size of its group */
	bool whole_ts, whole_dur;    /* all times are whole microseconds */
	struct tl_aligned *aligned;  /* by the number of the part; zero bytes if nothing is aligned */
};

struct tl_ranks {
	/* what is given */
	const struct tl_ranks_job *job;
	struct tl_name_rules *types, *dtype_bytes;
	struct tl_ranks_facts facts;
	/* what is collected */
	struct tl_ranks_report *report;
	struct tl_rank_totals *totals; /* by the number of the part */
	struct tl_align *align;
	struct tl_works *works;
	struct tl_group_names *names; /* NULL: groups of one name are one */
	struct tl_parallels *parallels;
	size_t clock;                /* by number of a part: the reference of most ranks, which are judged */
	bool with_edges;             /* a part tells what communications wait for */
	uint64_t unlike;             /* meetings of ranks that no list names, of which one has left before another comes */
	struct tl_replay *replay;   /* NULL: nobody wants to know who waits */
	struct tl_links *links;
	struct tl_strtab group_strings;
	struct tl_ranks_group { struct tl_cell name, ranks; } *groups; size_t n_groups, cap_groups; /* those of collectives, as they come */
	struct tl_sorter *events;    /* by group, number and rank */
	struct tl_sorter *transfers; /* by group, ranks from which and to which, and side */
	struct tl_sorter *summary;   /* rows of nccl_summary_long */
	struct tl_rank_meetings { struct tl_sorter *sorter; uint64_t n; } meetings[2]; /* by kind */
};

/* ---- sheets whose rows are written as they come ---- */

struct tl_rank_sheet {
	const struct tl_ranks *ranks;
	struct tl_output *out;
	struct tl_strtab strings;
	struct tl_table *rows;     /* that are not written yet; columns may be added before the first one */
	struct tl_cell *cells; size_t n, cap; /* of the next row */
	bool begun;                /* the header is written */
	enum tl_status status;
	struct tl_error *err;
};
/* The columns are the rows of the definition up to those of single ranks, rank_N_..., which the caller adds. If the job says how many GPUs a
 * node has, sheets get the columns node_id and node_span, as far as they have rows, and the
 * columns rank and "Process Group Ranks". */
void tl_rank_sheet_open(struct tl_rank_sheet *, const struct tl_ranks *, const struct tl_sheet_def *, struct tl_error *);
/* Writes a row; strings has the texts of its cells. */
void tl_rank_sheet_row(struct tl_rank_sheet *, const struct tl_strtab *strings, size_t n, const struct tl_cell *cells);
/* The same cell by cell: adds the next one; ends the row. */
void tl_rank_sheet_put(struct tl_rank_sheet *, struct tl_cell);
void tl_rank_sheet_end_row(struct tl_rank_sheet *, const struct tl_strtab *strings);
enum tl_status tl_rank_sheet_close(struct tl_rank_sheet *);
/* A whole table as a sheet; frees the table. */
enum tl_status tl_rank_sheet_of_table(const struct tl_ranks *, const char *name, struct tl_table *, struct tl_error *);

/* A table of the sheet's rows as the sheet, which the job sees. */
enum tl_status tl_rank_sheet_sorted(const struct tl_ranks *, const struct tl_sheet_def *, const struct tl_table *rows, struct tl_error *);

/* Do the ranks of that list belong to one node: "intra_node", "inter_node" or "unknown"; the job knows the size of nodes. */
const char *tl_node_span(const struct tl_ranks *, const struct tl_strtab *, struct tl_cell ranks);

/* A time by the clock that the rank of a part is compared with. */
int64_t tl_by_one_clock(const struct tl_ranks *, size_t part, int64_t ts);
/* The number of the part of a rank. */
size_t tl_rank_number(const struct tl_ranks *, int64_t rank);

/* ---- collectives ---- */

enum tl_meeting_type { TL_MEETING_OTHER, TL_ALLREDUCE, TL_REDUCESCATTER, TL_ALLGATHER, TL_ALLTOALL, TL_ALLTOALLV };
/* By its name, an id. */
enum tl_meeting_type tl_type_of_collective(const struct tl_ranks *, const struct tl_strtab *, uint32_t name);
enum tl_meeting_type tl_meeting_type(const struct tl_ranks *, const struct tl_meeting *);
/* Of a meeting from TL_ALLREDUCE to TL_ALLTOALL that takes so many ticks: the size of the message in MiB, and
 * GiB/s. Null: it is of another type, or lacks what must be known. */
struct tl_bandwidth { struct tl_cell full, algo, bus; };
struct tl_bandwidth tl_meeting_bandwidth(const struct tl_ranks *, const struct tl_meeting *, int64_t ticks);
/* The group's name and the number of the collective in it, to a text, or as a cell with a text of its strings. */
void tl_add_collective_id(struct tl_buf *, const struct tl_ranks *, const struct tl_rank_event *, const struct tl_strtab *);
struct tl_cell tl_collective_id(const struct tl_ranks *, const struct tl_rank_event *, struct tl_strtab *);

/* Brings the events together, and gives each meeting to the sheets that want it. Frees them. */
enum tl_status tl_meetings_take(struct tl_ranks *, struct tl_error *);

/* ---- ranks_collectives, ranks_stragglers, ranks_communication: who waits for whom ---- */

struct tl_waits *tl_waits_open(struct tl_ranks *, struct tl_error *);
/* Adds a meeting whose times are by one clock. Those of one group come one after the other. together: all
 * of its ranks must join before one can end; complete: all are there, so that it tells who is late. */
enum tl_status tl_waits_add(struct tl_waits *, struct tl_meeting *, bool together, bool complete, struct tl_error *);
/* Writes the sheets and frees it. */
enum tl_status tl_waits_close(struct tl_waits *, struct tl_error *);

/* ---- ranks_p2p, ranks_stages, ranks_experts: pipelines and experts; those that have rows ---- */

/* Takes a row of a part that is a transfer (tl_is_transfer), its times by one clock; those without a peer are counted. */
enum tl_status tl_transfer_add(struct tl_ranks *, const struct tl_rank_part *, size_t row, int64_t rank, const struct tl_seat_work *,
	struct tl_error *);
enum tl_status tl_transfers_write(struct tl_ranks *, struct tl_error *);
enum tl_status tl_stages_write(struct tl_ranks *, struct tl_error *);
enum tl_status tl_experts_write(struct tl_ranks *, struct tl_error *);
/* By rank, the stage or -1; the caller frees it. */
int64_t *tl_find_stages(const struct tl_ranks *, int64_t *n_stages);

/* ---- ranks_causes, ranks_judged: what the job loses, and by what ---- */

/* The first and the second reading of a part; times are those of its clock. works: by row, zero bytes. */
void tl_loss_see(struct tl_ranks *, size_t i, const struct tl_rank_part *);
enum tl_status tl_loss_take(struct tl_ranks *, size_t i, const struct tl_rank_part *, struct tl_seat_work *works, struct tl_error *);
/* Between them; stages: see tl_find_stages. */
void tl_loss_stages(struct tl_ranks *, const int64_t *stages);
/* A collective whose times are by one clock, of the last one of the groups; link: SIZE_MAX, none; alike: the same for those whose times can be compared. */
enum tl_status tl_loss_meet(struct tl_ranks *, const struct tl_meeting *, size_t link, uint64_t alike, bool whole, struct tl_error *);
/* A send and its receive: numbers of parts, times by one clock. */
enum tl_status tl_loss_transfer(struct tl_ranks *, const struct tl_replay_seat seats[2], struct tl_error *);
enum tl_status tl_loss_write(struct tl_ranks *, struct tl_error *);

/* nccl_all2allv_heatmap, a part after the other. */
struct tl_heatmap { struct tl_rank_sheet sheet; bool open; struct tl_pair { int64_t bytes; uint64_t count; } *pairs; size_t cap; };
void tl_heatmap_add(struct tl_heatmap *, struct tl_ranks *, const struct tl_rank_part *, int64_t rank, struct tl_error *);
enum tl_status tl_heatmap_close(struct tl_heatmap *);

#endif
