/* link.h - the linker: host call tree, launches, forward to backward, recompute
 * marks. A sink that passes everything on to `next` and, at end(), adds what it
 * found as links (model/event.h). Links that the trace has already are replaced.
 *
 * Memory: at most 64 bytes an event that takes part (host, device, arrow, and
 * python frames when asked for), plus distinct strings.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_LINK_H
#define TL_LINK_H

#include "model/sink.h"

struct tl_link_options {
	bool python;     /* python frames become tree nodes */
	bool recompute;  /* mark recomputed work; implies python */
	bool keep;       /* a trace that is linked already keeps its links; if its tree has
	                    no python frames and `python` asks for them, that is an error */
	bool any_tree;   /* but not if any tree will do that there is */
};
struct tl_link_report {
	uint64_t n_host, n_gpu, n_linked_gpu, n_dropped_nodes, n_arrows;
	uint64_t n_bad;            /* events left out: no ts, no dur */
	uint64_t n_left_out;       /* launches left out: too many calls and device events of one id */
	bool kept;                 /* the trace was linked already and kept its links */
	bool by_correlation;       /* no arrows in the trace: correlation was used */
	bool lacks_arrows;         /* and the trace is PyTorch's, which has arrows */
};
struct tl_sink *tl_linker_new(struct tl_sink *next, const struct tl_link_options *);
const struct tl_link_report *tl_linker_report(const struct tl_sink *linker); /* after end() */
void tl_linker_free(struct tl_sink *);

#endif
