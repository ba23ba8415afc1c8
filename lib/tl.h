/* tl.h - the whole public interface of libtl, for C and C++.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_H
#define TL_H

/* the system's headers stand outside of the braces */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "analysis/devices.h"
#include "analysis/trace_facts.h"
#include "base/base.h"
#include "base/io.h"
#include "base/memory_io.h"
#include "capture/merger.h"
#include "fuse/fuse.h"
#include "json/document.h"
#include "json/value.h"
#include "kernels/name_rules.h"
#include "link/link.h"
#include "model/sink.h"
#include "model/trace.h"
#include "model/trace_sink.h"
#include "model/trace_work.h"
#include "perf/models/perf.h"
#include "readers/readers.h"
#include "rewrite/rewrite.h"
#include "sheets/api.h"
#include "sheets/collectives.h"
#include "sheets/headline.h"
#include "sheets/jax.h"
#include "sheets/kernels.h"
#include "sheets/ops.h"
#include "sheets/ops_by_step.h"
#include "sheets/overview.h"
#include "sheets/pftrace.h"
#include "sheets/phase_sheets.h"
#include "sheets/rocprof.h"
#include "sheets/roofline.h"
#include "sheets/sheet_list.h"
#include "sheets/timeline.h"
#include "slice/slice.h"
#include "steps/step_find.h"
#include "stream/stream.h"
#include "table/markdown.h"
#include "table/sheet.h"
#include "table/tsv.h"
#include "writers/chrome.h"
#include "writers/gzip.h"

/* The version of the library, such as "0.1.0". */
const char *tl_version(void);

#ifdef __cplusplus
}
#endif

#endif
