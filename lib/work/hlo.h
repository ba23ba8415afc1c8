/* hlo.h - what the programs that XLA compiled say about the operations of a trace.
 *
 * The reader of XPlane files gives each program as a member of the trace (TL_META_PROGRAM).
 * Kernels name the operation that they belong to by the fields program_id, hlo_module and
 * hlo_op. This module finds the operation and gives what sheets and models need of it, cut
 * where TraceLens cuts it: TraceLens takes the pieces from lines of HLO text, by patterns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HLO_H
#define TL_HLO_H

#include "model/trace.h"

/* An operation. All texts stay until tl_hlo_free. */
struct tl_hlo_op {
	const char *name;               /* with a % before it */
	const char *output;             /* its shape: bf16[8,16]{1,0}, (f32[],u8[64]{0}) */
	/* The shapes of the operands. TraceLens does not look up each fifth operand and roots: of these the
	 * name stands here, with a % and maybe a comment before it. */
	const char **operands;
	size_t n_operands;
	/* Pieces of the HLO text, with their keys: KEY="…" or KEY={…, up to the first character that TraceLens
	 * does not read; NULL: the operation has no such piece. */
	const char *metadata, *custom_call_target, *backend_config;
	bool is_gemm;                   /* a matrix product of a library */
	const char *type;               /* of a matrix product's operands: bf16, f16, f32, f8 or fp8; NULL: none of
	                                   these, or they differ */
	bool root;                      /* the result of its computation; TraceLens does not read the text of such */
};

struct tl_hlo;
/* The trace must outlive the result. Programs are read when they are first asked for. roots: find
 * roots, too, which TraceLens does not. */
struct tl_hlo *tl_hlo_new(const struct tl_trace *, bool roots);
void tl_hlo_free(struct tl_hlo *);

/* The operation of an event; NULL: the event names none, or no program has it. The program is
 * the one with the event's program_id, else the first one of its name, else the first one
 * whose name begins so. A collective such as all-gather.3 may have the name all-gather-start.1
 * in the program. */
const struct tl_hlo_op *tl_hlo_of_event(struct tl_hlo *, uint32_t event);

/* Where an operation comes from, in the words of xprof's trace viewer. */
struct tl_hlo_origin {
	const char *framework_op;       /* NAME:TYPE of the framework's operation */
	const char *source;             /* FILE:LINE, the file without its folder; NULL: not known */
};
/* NULL: no program has the id, or the program does not have the operation. */
const struct tl_hlo_origin *tl_hlo_origin(struct tl_hlo *, int64_t program_id, const char *op);

/* The name of the i-th program; NULL past the last. */
const char *tl_hlo_program_name(struct tl_hlo *, size_t i);
/* The operations of the i-th program of that name, in the program's order, roots among them. If no
 * program has the name, the first one whose name begins so counts. False past the last. */
bool tl_hlo_program(struct tl_hlo *, const char *name, size_t i, const struct tl_hlo_op **ops, size_t *n);

/* What tl_hlo_of_event did not find. */
struct tl_hlo_doubts {
	uint32_t operations;       /* distinct operations that their program does not have */
	uint32_t without_program;  /* distinct operations of programs that the trace does not have */
	const char *first;         /* the first operation of these two kinds; NULL: none */
	uint32_t damaged;          /* programs that cannot be read */
};
struct tl_hlo_doubts tl_hlo_doubts(const struct tl_hlo *);

/* The type that a shape begins with if TraceLens knows it as one of floating point; NULL: it does not. */
const char *tl_hlo_float_type(const char *shape);

#endif
