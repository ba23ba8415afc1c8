/* chain_tensors.h - what a chain of operators knows of tensors, by their sizes: a trace does not name them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CHAIN_TENSORS_H
#define TL_CHAIN_TENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_TENSOR_DIMS = 8, TL_MAX_KNOWN = 64 };

struct tl_tensor {
	int32_t dims[TL_TENSOR_DIMS]; uint32_t n; /* n is 0 where only the size is known */
	double numel, bytes;                      /* elements; bytes of one, 0: not known */
};

/* Tensors that a chain read or made so far. Zero bytes are a start. */
struct tl_known {
	struct tl_known_tensor { struct tl_tensor t; bool made, used; } items[TL_MAX_KNOWN]; size_t n;
	double fresh;  /* the size of a product that was made beside the chain, 0: none */
	double reduced; /* what was last reduced had this size, 0: none since */
	double read;   /* bytes from outside */
	uint32_t passed_on; /* tensors that one operator made and another one used */
};

/* Does an operator with these inputs work on something that the chain knows? One that is of a size with a product made beside the
 * chain must take both. */
bool tl_known_continues(const struct tl_known *, const struct tl_tensor *in, uint32_t n_in);
/* Adds an operator; reduces: its result is smaller by an unknown factor. Returns the bytes that it moves. */
double tl_known_take(struct tl_known *, const struct tl_tensor *in, uint32_t n_in, const struct tl_tensor *out, bool reduces);
/* The bytes that are written at the end: all that was made and not used. */
double tl_known_written(const struct tl_known *);

#endif
