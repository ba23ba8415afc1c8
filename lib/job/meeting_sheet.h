/* meeting_sheet.h - a sheet with a row for each collective of one kind, and columns for each rank;
 * then the sheets that sum it up.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MEETING_SHEET_H
#define TL_MEETING_SHEET_H

#include "job/rank_sheets.h"
#include "sheet/ranks.h"

/* The parts in the order of their columns. Ranks that first appear in the same row stand
 * together: their columns of the first set all come before those of the second. */
struct tl_rank_columns { struct tl_ranks *ranks; enum tl_rank_kind kind; size_t *parts; size_t n; };

/* A sheet that is being written, and the collective of the current row. */
struct tl_meeting_sheet {
	struct tl_ranks *ranks;
	struct tl_rank_sheet out;
	struct tl_rank_columns columns;
	struct tl_meeting meeting;
	struct tl_meeting_times times;
	struct tl_strtab strings; /* of raw */
	struct tl_table *raw;     /* rows for the summary */
};

struct tl_meeting_sheet_def {
	const struct tl_sheet_def *sheet;
	/* Places among the sheet's columns: where those of a rank, rank_N_..., begin, where their second
	 * set begins, and where they end. */
	size_t of_rank[3];
	enum tl_rank_kind kind;
	const uint8_t *metadata; size_t n_metadata; /* COLL_...: columns on which all ranks must agree */
	const char *const *raw;        /* columns of the raw table */
	bool cells_of_all;             /* rows need the cells of all ranks; else only the first rank's */
	bool optional;                 /* without rows the sheet is not made */
	/* Begins the sort key of a row. Equal keys keep their order in the parts. May be NULL. */
	void (*add_key)(struct tl_buf *key, const struct tl_meeting *);
	/* Fills the cells that come before those of ranks, and adds a row to the raw table. All cells
	 * are null at the call. */
	void (*put)(struct tl_meeting_sheet *, struct tl_cell *cells);
	/* Writes one set of cells of a rank that joined the collective. always: the rank joined
	 * all collectives of the sheet. */
	void (*put_of_rank)(struct tl_meeting_sheet *, const struct tl_rank_event *, bool second, bool always);
	/* Writes the sheets that are made of the rows, after the last one. */
	enum tl_status (*sum_up)(struct tl_meeting_sheet *, struct tl_error *);
};
/* nccl_implicit_sync, nccl_summary_implicit_sync and straggler_summary: meetings that all
 * ranks must join, of the types TL_ALLREDUCE to TL_ALLTOALL (simple: or of no type). */
extern const struct tl_meeting_sheet_def tl_sync_sheet;
/* nccl_all2allv and nccl_summary_all2allv: meetings of TL_ALLTOALLV. */
extern const struct tl_meeting_sheet_def tl_all2allv_sheet;

/* Takes a meeting. */
enum tl_status tl_meeting_sheet_add(const struct tl_meeting_sheet_def *, struct tl_ranks *, const struct tl_meeting *,
                                    struct tl_error *);
/* Writes the sheets, once. */
enum tl_status tl_meeting_sheet_write(const struct tl_meeting_sheet_def *, struct tl_ranks *, struct tl_error *);

/* A cell of the current meeting for the raw table. */
struct tl_cell tl_meeting_sheet_raw(struct tl_meeting_sheet *, struct tl_cell);

/* Makes the sheet that sums up the raw table; the caller frees it. Where the definition has mean,
 * median, min and max, the sheet has the statistics that the job asks for. conditions: see
 * struct tl_sheet_input. */
struct tl_table *tl_meeting_sheet_sum(const struct tl_meeting_sheet *, const struct tl_sheet_def *, unsigned conditions);

#endif
