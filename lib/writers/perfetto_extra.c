/* perfetto_extra.c - tracks of Perfetto's packets that are not events of the trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "writers/perfetto_parts.h"

void tl_pw_put_extra(struct pf_writer *w)
{
	(void)w;
}
