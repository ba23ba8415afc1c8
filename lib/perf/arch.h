/* arch.h - peaks of GPUs, for the roofline.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_PERF_ARCH_H
#define TL_PERF_ARCH_H

#include "base/base.h"

#define TL_ARCH_ESTIMATED "estimated" /* by the number of SMs and what an SM of this capability does */

struct tl_arch {
	const char *name;
	/* what the peaks are, "achievable", "peak" or TL_ARCH_ESTIMATED, and where they come from; "" if it does not say */
	const char *basis, *source;
	double bandwidth; /* of memory, 10^9 bytes/s; 0: not known */
	double cache;     /* the last one before memory, which all SMs or CUs share, in bytes; 0: not known */
	double host;      /* a copy between pinned memory of the host and the GPU, one way, 10^9 bytes/s; 0: not known */
	double peers;     /* bus bandwidth of an all-reduce among the GPUs of a node, 10^9 bytes/s; 0: not known */
	double units;     /* SMs or CUs; 0: not known */
	struct { const char *spec; double tflops; } *peaks; size_t n_peaks, cap_peaks; /* those that are known */
	struct tl_arena arena; /* of all texts */
};

/* The built-in architecture of that name, in any case of letters. Free with
 * tl_arch_free. TL_ERR_USAGE for an unknown name: *err lists the names that
 * tl_arch_names gives for it, *out is NULL. */
enum tl_status tl_arch_by_name(struct tl_arch **out, const char *name, struct tl_error *);
/* An architecture from the text of a file: JSON, or a table with a header line and one
 * row (tl-roofline(1), ARCHITECTURES). `file` is its name in messages, and the name of
 * the architecture when the text gives none. Free with tl_arch_free. TL_ERR_DATA: *err
 * names the mistake, *out is NULL. */
enum tl_status tl_arch_from_text(struct tl_arch **out, const char *file, const char *text, size_t len,
                                 struct tl_error *);
/* Is the text a table of architectures as arch.tsv? TL_ERR_DATA: *err names the mistake. */
enum tl_status tl_arch_check(const char *file, const char *text, size_t len, struct tl_error *);
void tl_arch_free(struct tl_arch *);

/* 10^12 operations/s for a compute spec such as matrix_bf16; 0 when not known. */
double tl_arch_peak(const struct tl_arch *, const char *spec);

/* Finds the built-in architecture of a device by its name ("NVIDIA H100 80GB HBM3") and
 * its number of SMs or CUs (0: not known), and adds the architecture's name to the
 * buffer. False: none fits. */
bool tl_arch_for_device(const char *device, int64_t units, struct tl_buf *name);
/* The peaks of a GPU of NVIDIA's that has no built-in architecture, by its SMs and its capability in tenths: what arch-sm.tsv says
 * of one SM, times SMs. No bandwidths; the basis is TL_ARCH_ESTIMATED. NULL: too little is known. Free with tl_arch_free. */
struct tl_arch *tl_arch_estimate(const char *device, int64_t units, int64_t capability);
/* Is an architecture one of the GPU for which tl_arch_for_device gives `fits`? "MI300X-peak"
 * and "MI300X" are of one GPU. True also when that cannot be told, because the
 * architecture has no name of a built-in one. */
bool tl_arch_same_gpu(const struct tl_arch *, const char *fits);
/* Adds the names of the built-in architectures that a name may mean, with commas between
 * them: "H100" may mean H100-PCIe and H100-SXM. The name may also be that of a device. Adds
 * where they are listed if it resembles none, or is "". */
void tl_arch_names(const char *like, struct tl_buf *);
/* Adds a table of them: name, basis (achievable or peak) and source. */
void tl_archs_describe(struct tl_buf *);

#endif
