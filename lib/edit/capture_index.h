/* capture_index.h - which trace of a folder captured the graph of which batch size: the file
 * execution_details.json, a list of
 *   {"file": "bs_32.json.gz", "batch_size": 32, "mode": "FULL"}
 * FULL: one graph holds the whole step; PIECEWISE: a step replays several.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CAPTURE_INDEX_H
#define TL_CAPTURE_INDEX_H

#include "model/sink.h"

#define TL_CAPTURE_INDEX_FILE "execution_details.json"

struct tl_capture {
	const char *file, *mode;
	bool has_batch_size;
	int64_t batch_size;
};
/* Zero bytes are an empty index. */
struct tl_capture_index { struct tl_capture *items; size_t n, cap; struct tl_arena texts; };
void tl_capture_index_release(struct tl_capture_index *);

/* Adds an entry; the texts are copied. */
void tl_capture_index_add(struct tl_capture_index *, const struct tl_capture *);
/* Adds the entries of a JSON text; name: the file, for messages. TL_ERR_DATA: the text is no
 * such list, or an entry names a file outside of the folder. */
enum tl_status tl_capture_index_read(struct tl_capture_index *, const char *name, const char *json, size_t len,
                                     struct tl_error *);
/* Appends the JSON text. */
void tl_capture_index_write(const struct tl_capture_index *, struct tl_buf *);

/* The capture of a step's graphs: of those with a batch size and one of the two modes the one
 * with the smallest batch size that is not below the step's. If there are both modes, FULL is
 * for a step of one graph. Of several files the last. NULL: there is none. */
const struct tl_capture *tl_capture_find(const struct tl_capture_index *, int64_t batch_size, size_t n_graphs);

/* ---- what a trace captured: the batch size and the mode --------------------------------- */

/* vLLM writes the annotation capture_N_MODE for each of its runs that capture. Without these
 * the mode is FULL if there is at most one call StreamBeginCapture, else PIECEWISE, and the
 * batch size is the commonest first size in the input shapes of the operators. */

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
