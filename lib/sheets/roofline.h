/* roofline.h - the roofline sheets, what each operator achieved: unified_perf_summary
 * and one or two sheets for each family of operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ROOFLINE_H
#define TL_ROOFLINE_H

#include "perf/arch.h"
#include "perf/perf.h"
#include "work/device_events.h"
#include "table/sheet_family.h"

struct tl_ancestors; /* compare/diff.h */

struct tl_roofline_options {
	struct tl_gpu_select select;  /* which device events can overlap; is recomputed work told apart? */
	bool include_overlap;         /* make the sheets *_kl_overlap, too */
	bool call_stack;              /* make the columns entry_point and call_stack_full */
	bool group_by_num_kernels;
	bool inference;               /* as in the report of an inference trace: more models read the annotations
	                                 of steps, and Normalization has two sheets */
	int64_t top;                  /* rows of each sheet; -1: all */
	const struct tl_arch *arch;   /* NULL: no roofline columns */
	bool host_copies;             /* see struct tl_measure */
	const struct tl_registry *more; /* for headroom and mfu; NULL: the same as for all sheets */
	const struct tl_arch *rated;  /* of the sheets that tell what could be saved; NULL: not known */
	const struct tl_ancestors *ancestors; /* of a comparison with another trace, whose columns
	                                 unified_perf_summary gets; NULL: there is none */
	const char *only;             /* make this sheet only; NULL: all */
	bool even_empty;              /* make it even if it has no rows */
	bool headroom, mfu, chains;   /* make headroom, mfu and kernel_chains, with rows or without */
	bool hot;                     /* make hot_kernels, for which `headroom` must be made, too */
};

struct tl_roofline;
/* Makes all sheets. The trace and the registry must outlive the result. TL_ERR_DATA: too
 * many device events overlap, operators are nested too deeply, or call stacks are too
 * long. */
enum tl_status tl_roofline_new(struct tl_roofline **out, struct tl_trace *, const struct tl_registry *,
                               const struct tl_roofline_options *, struct tl_error *);
void tl_roofline_free(struct tl_roofline *);

/* The i-th sheet that has rows, in the order of a report; NULL past the last. The table
 * belongs to the struct tl_roofline. */
const char *tl_roofline_sheet_name(const struct tl_roofline *, size_t i);
const struct tl_table *tl_roofline_sheet(const struct tl_roofline *, size_t i);

/* The i-th operator whose model failed: its name, the number of events, and the reason
 * for the first of them; false past the last. */
bool tl_roofline_failure(const struct tl_roofline *, size_t i, const char **name, uint32_t *count, const char **reason);

/* Events that reach more than 100 % of the roofline, those of unified_perf_summary if it
 * was made. */
struct tl_roofline_excess {
	uint32_t events, operators; /* how many, and of how many names */
	/* the event that is furthest above, until the struct tl_roofline is freed */
	const char *name, *dims;    /* dims: as in the column Input Dims; "" without */
	unsigned uid;
	double percent;
	const char *reason;         /* the likeliest one */
};
/* False: there are none. */
bool tl_roofline_find_excess(struct tl_roofline *, struct tl_roofline_excess *out);

/* The peak of TF32 or else of 16 bits, in 10^12 operations/s; 0: matrix units are not faster there than with fp32. */
double tl_headroom_faster(const struct tl_arch *);

/* The entries of the sheets; tl_roofline_sheet gives their tables. */
extern const struct tl_sheet_family tl_roofline_sheets;

#endif
