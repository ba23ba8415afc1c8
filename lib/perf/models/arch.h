/* arch.h - peaks of GPUs, for the roofline.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_ARCH_H
#define TL_PERF_ARCH_H

#include "base/base.h"

struct tl_arch;

/* The built-in architecture of that name, in any case of letters. Free with
 * tl_arch_free. TL_ERR_USAGE for an unknown name: *err lists all names, *out is NULL. */
enum tl_status tl_arch_by_name(struct tl_arch **out, const char *name, struct tl_error *);
/* An architecture from the text of a file: JSON, or a table with a header line and one
 * row (tl-roofline(1), ARCHITECTURES). `file` is its name in messages, and the name of
 * the architecture when the text gives none. Free with tl_arch_free. TL_ERR_DATA: *err
 * names the mistake, *out is NULL. */
enum tl_status tl_arch_from_text(struct tl_arch **out, const char *file, const char *text, size_t len,
                                 struct tl_error *);
void tl_arch_free(struct tl_arch *);

const char *tl_arch_name(const struct tl_arch *);
/* Memory bandwidth in 10^9 bytes/s; 0 when it is not known. */
double tl_arch_bandwidth(const struct tl_arch *);
/* 10^12 operations/s for a compute spec such as matrix_bf16; 0 when not known. */
double tl_arch_peak(const struct tl_arch *, const char *spec);

/* Finds the built-in architecture of a device by its name ("NVIDIA H100 80GB HBM3") and
 * its number of SMs or CUs (0: not known), and adds the architecture's name to the
 * buffer. False: none fits. */
bool tl_arch_for_device(const char *device, int64_t units, struct tl_buf *name);
/* Adds a table of them: name, basis (achievable or peak) and source. */
void tl_archs_describe(struct tl_buf *);

#endif
