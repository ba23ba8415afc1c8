/* xplane_hlo.c - the programs that XLA compiled, as members about the trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/xplane.h"

bool tl_xp_read_programs(struct tl_xp_reader *r)
{
	return !r->status;
}
