/* shift.h - offsets that keep the ids of ranks apart.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SHIFT_H
#define TL_SHIFT_H

#include "base/base.h"

enum tl_shifted {
	TL_SHIFT_PID,
	TL_SHIFT_ID,           /* a member of the event, as is pid; the others are arguments */
	TL_SHIFT_CORRELATION,
	TL_SHIFT_EXTERNAL_ID,
	TL_SHIFT_SEQUENCE,
	TL_SHIFTED
};
const char *tl_shifted_key(enum tl_shifted); /* "pid", "id", "correlation", … */
/* By the key of a field; TL_SHIFTED: none of them. */
enum tl_shifted tl_shifted_by_key(const char *key, size_t len, bool top);

#define TL_SHIFT_LARGEST ((int64_t)1 << 53) /* a larger id is not shifted */
static inline bool tl_is_shiftable(int64_t id)
{
	return id <= TL_SHIFT_LARGEST && id >= -TL_SHIFT_LARGEST;
}

struct tl_shift {
	bool found[TL_SHIFTED];       /* were there integers? */
	int64_t largest[TL_SHIFTED];  /* of them; at least 0 */
	int64_t step[TL_SHIFTED];     /* 0: the field stays as it is */
	bool wide_pids, wide_ids;     /* ids of the highest rank exceed 2^32 - 1, 2^53 */
};
void tl_shift_see(struct tl_shift *, enum tl_shifted, int64_t id);
/* Chooses the steps, for ranks up to this one. False: the ids do not fit in 64 bits. */
bool tl_shift_choose(struct tl_shift *, int64_t highest_rank);
/* The same as TraceLens does; linking: the argument that links launches and kernels. */
bool tl_shift_choose_reference(struct tl_shift *, int64_t highest_rank, enum tl_shifted linking);

#endif
