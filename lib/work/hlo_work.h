/* hlo_work.h - the work of an operation of XLA: its performance model, and what the model
 * and the sheets may look at.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HLO_WORK_H
#define TL_HLO_WORK_H

#include "work/hlo.h"
#include "base/value.h"
#include "work/name_rules.h"

/* The performance model for a kernel of this category that does (a part of) the operation;
 * NULL: none. op may be NULL. The rules are those of TL_JAX_MODELS. */
const char *tl_hlo_model(struct tl_name_rules *, const char *category, const struct tl_hlo_op *op);

/* Arguments of a kernel as tuples: of an array its sizes, (8, 16), and its type, "bf16".
 * Operands that are no arrays are left out, as TraceLens leaves out types such as
 * f8e4m3fn. */
struct tl_hlo_inputs { struct tl_value dims, types, concrete; };
/* Attention has three inputs and a bias in `concrete`, unless queries, keys or values are packed.
 * op and model may be NULL. Values are in the arena, texts the operation's. */
struct tl_hlo_inputs tl_hlo_inputs(const struct tl_hlo_op *op, const char *model, struct tl_arena *);
/* The sizes of the output's first array, in a tuple; empty without any. */
struct tl_value tl_hlo_output_dims(const struct tl_hlo_op *, struct tl_arena *);

/* C(M,N) = A(M,K) B(K,N) + beta C, batch times. M and N are TraceLens's: those of the product
 * as a library sees it that stores columns. */
struct tl_hlo_gemm { int64_t batch, m, n, k; bool beta; const char *type; };
/* What a matrix product of a library does. False: *reason tells why that is not known. */
bool tl_hlo_gemm(const struct tl_hlo_op *, struct tl_hlo_gemm *, const char **reason);

#endif
