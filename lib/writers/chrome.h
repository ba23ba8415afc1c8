/* chrome.h - a sink that writes a trace as Chrome trace JSON, which PyTorch writes and
 * chrome://tracing and Perfetto show.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHROME_H
#define TL_CHROME_H

#include "base/io.h"
#include "model/sink.h"

/* Members of the trace become members of the file, events the list "traceEvents", a line
 * each, with all that a reader kept of them. Times are microseconds with as many decimals as
 * they need (at most 12). Numbers of events and links have no place in such a file: whoever
 * reads it numbers and links anew. Memory: that of an event, and of the members that follow
 * the first event. Free with tl_chrome_writer_free, which does not finish the file. */
struct tl_sink *tl_chrome_writer_new(struct tl_output *out);
void tl_chrome_writer_free(struct tl_sink *);

#endif
