/* arch.h - what a GPU can do at most, for the roofline.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_ARCH_H
#define TL_PERF_ARCH_H

#include "base/base.h"

struct tl_arch;

/* A built-in architecture by name (letter case does not matter); NULL and
 * TL_ERR_USAGE with the names there are when it is unknown. */
enum tl_status tl_arch_by_name(struct tl_arch **out, const char *name, struct tl_error *);
/* Adds the names of the built-in architectures, separated by ", ". */
void tl_arch_names(struct tl_buf *);
/* From the text of a file: JSON, or a table with a header line and one row.
 * `file` is used in messages, and as the name of one that gives none. */
enum tl_status tl_arch_from_text(struct tl_arch **out, const char *file, const char *text, size_t len, struct tl_error *);
void tl_arch_free(struct tl_arch *);

const char *tl_arch_name(const struct tl_arch *);
/* Memory bandwidth in 10^9 bytes/s; 0 when it is not known. */
double tl_arch_bandwidth(const struct tl_arch *);
/* 10^12 operations/s for a compute spec such as matrix_bf16; 0 when not known. */
double tl_arch_peak(const struct tl_arch *, const char *spec);

/* The built-in architecture that fits a device's name ("NVIDIA H100 80GB
 * HBM3"), or NULL; valid until the thread's next call. units: its SMs or CUs, 0
 * when not known. */
const char *tl_arch_for_device(const char *device, int64_t units);
/* Lines of the built-in table: name, basis (achievable or peak), source. Keep
 * calling with i = 0, 1, … while it returns true. Texts are copied into buf. */
bool tl_arch_describe(size_t i, struct tl_buf *buf);

#endif
