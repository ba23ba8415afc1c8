/* tl.h - the public interface of libtl, for C and C++: what a reader or filter outside of these tools needs.
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

#include "base/io.h"         /* how the library reads and writes bytes: by functions of the caller */
#include "model/event.h"     /* what an event is */
#include "model/sink.h"      /* what a reader calls, and a filter is */
#include "readers/readers.h" /* a trace of any format to a sink */
#include "model/stream.h"   /* the event stream to a sink, and a sink that writes it */
#include "table/tsv.h"       /* sheets */

/* The version of the library, such as "0.1.0". */
const char *tl_version(void);

#ifdef __cplusplus
}
#endif

#endif
