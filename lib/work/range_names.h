/* range_names.h - names of ranges: folded, so that the ranges of one kind have one, and as their writer wrote them.
 *
 * A run of digits in a name is 0x and hexadecimal digits, or decimal digits with one fraction. A run with a letter right behind it
 * stays (conv2d). One that touches no letter is folded to N. One right behind a letter is folded only if three names are equal but for
 * such runs (layer0, layer1, layer2), and the letters before it tell no type, size or architecture (kept-numbers.tsv).
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_RANGE_NAMES_H
#define TL_RANGE_NAMES_H

#include "base/base.h"
#include "model/trace.h"

/* ---- names of any kind ---------------------------------------------------------------------- */

struct tl_folds;
struct tl_folds *tl_folds_new(void);
void tl_folds_free(struct tl_folds *); /* NULL is allowed */
/* All names are added before the first is folded; one may be added again. */
void tl_folds_add(struct tl_folds *, const char *name, size_t len);
void tl_folds_name(struct tl_folds *, const char *name, size_t len, struct tl_buf *folded);

/* ---- those of the ranges of a trace ----------------------------------------------------------- */

/* Is it a range of the host: an annotation, or an operator that a range of NVTX or rocTX is? */
bool tl_is_range(const struct tl_trace *, uint32_t event);
/* May others lie within it? Ranges that end on another thread, or were started and ended (style StartEnd), do not nest. */
bool tl_range_nests(const struct tl_trace *, uint32_t event);
/* Makes annotations of the operators of XLA that have others within them, of which only the innermost are operators. */
void tl_settle_ranges(struct tl_trace *);
/* The folded name of a range, a string id. */
uint32_t tl_range_folded(struct tl_trace *, uint32_t event);
/* The text of a range that readers took apart (readers/ranges.h), as PyTorch's emit_nvtx writes it: a string id. Of others the name. */
uint32_t tl_range_text(struct tl_trace *, uint32_t event);

/* ---- those that are calls of modules ------------------------------------------------------------ */

/* Do ranges tell of modules? Only in a trace without Python frames: there is one source. */
bool tl_modules_are_ranges(const struct tl_trace *);
/* The module whose call a range is, "model.layers.0", and the same folded: string ids; 0: it is no such call, or does not nest. */
uint32_t tl_range_module(const struct tl_trace *, uint32_t event);
uint32_t tl_range_module_folded(struct tl_trace *, uint32_t event);
/* The name of a module in the one around it: "layers.0" for "model.layers.0" in "model". around 0: it is in none. */
uint32_t tl_module_within(struct tl_trace *, uint32_t around, uint32_t module);

#endif
