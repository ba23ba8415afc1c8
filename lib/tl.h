/* tl.h - the whole public interface of libtl, for C and C++.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_H
#define TL_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/base.h"
#include "base/io.h"
#include "kernels/categories.h"
#include "link/link.h"
#include "perf/models/perf.h"
#include "sheets/roofline.h"
#include "readers/readers.h"
#include "rewrite/rewrite.h"
#include "sheets/collectives.h"
#include "sheets/kernels.h"
#include "sheets/ops.h"
#include "sheets/timeline.h"
#include "model/sink.h"
#include "stream/stream.h"
#include "sheets/registry.h"
#include "table/sheet.h"
#include "table/tsv.h"
#include "model/trace.h"
#include "json/value.h"

/* "0.1.0" */
const char *tl_version(void);

#ifdef __cplusplus
}
#endif

#endif
