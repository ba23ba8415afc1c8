/* capture_scan.h - what a trace captured: the batch size and the mode.
 *
 * vLLM writes the annotation capture_N_MODE for each of its runs that capture. Without these
 * the mode is FULL if there is at most one call StreamBeginCapture, else PIECEWISE, and the
 * batch size is the commonest first size in the input shapes of the operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CAPTURE_SCAN_H
#define TL_CAPTURE_SCAN_H

#include "capture/capture_index.h"
#include "model/sink.h"

/* The kinds of events that the scan looks at, as bits 1 << kind. */
#define TL_CAPTURE_SCAN_KINDS \
	(1u << TL_KIND_CPU_OP | 1u << TL_KIND_RUNTIME | 1u << TL_KIND_PYTHON | 1u << TL_KIND_ANNOTATION)

/* A sink for one trace. Memory: the distinct input shapes. Free it with
 * tl_capture_scan_free. */
struct tl_sink *tl_capture_scan_new(void);
void tl_capture_scan_free(struct tl_sink *);
/* After end(): the batch size and the mode, without a file. The mode is valid until the sink is freed. */
struct tl_capture tl_capture_scan_result(const struct tl_sink *);

#endif
