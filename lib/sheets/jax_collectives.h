/* jax_collectives.h - the collectives of a job of JAX: the kernels of each node's profile, and what the programs that XLA compiled say
 * about them.
 *
 * A slice is the n-th time that each GPU runs a collective. The bandwidth of a group in it is what its GPUs move, by the time of the
 * one that needed least: the others waited for it.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_JAX_COLLECTIVES_H
#define TL_JAX_COLLECTIVES_H

#include "work/hlo_collectives.h"
#include "model/trace.h"
#include "sheet/jaxcoll.h"

struct tl_jax_collectives_options {
	int64_t gpus_per_node; /* the GPU i of node n is the device n * gpus_per_node + i; 0: as many as a node has at most. For TraceLens 8 */
	bool reference;        /* as TraceLens computes, see tl-differences(7) */
};

struct tl_jax_collectives;
struct tl_jax_collectives *tl_jax_collectives_new(const struct tl_jax_collectives_options *);
void tl_jax_collectives_free(struct tl_jax_collectives *); /* NULL is allowed */
/* Adds the collectives of a node's profile; all profiles before the first dump. host: the node's name, "" if it is not known; *n: how
 * many there are. The trace must have its events of metadata. TL_ERR_DATA, by *err: the clock of the profile ticks otherwise than that
 * of the others. */
enum tl_status tl_jax_collectives_add_trace(struct tl_jax_collectives *, int64_t node, const char *host, struct tl_trace *, size_t *n,
                                            struct tl_error *err);
/* Adds a dump of a node's program, see tl_hlo_collectives_add. */
size_t tl_jax_collectives_add_dump(struct tl_jax_collectives *, int64_t node, const char *module, const char *text, size_t len);
/* After the last one: computes the bandwidths. Must come before any sheet. */
void tl_jax_collectives_finish(struct tl_jax_collectives *);

/* What the numbers leave out: how many, and the first. */
struct tl_jax_left { uint64_t n; const char *first; };
struct tl_jax_collectives_doubts {
	int64_t gpus_per_node;           /* that the numbers of devices come from */
	int64_t devices, last_device;    /* of the nodes; one more than the greatest that a dump names */
	struct tl_jax_left no_groups;    /* slices without groups */
	struct tl_jax_left many_groups;  /* slices whose GPUs have different groups */
	struct tl_jax_left no_bytes;     /* groups of slices whose size no dump tells */
	struct tl_jax_left uneven;       /* collectives that some GPUs run more often than others: slices pair them by their number */
	uint64_t brief;                  /* kernels below 1 ns: no bandwidth comes from them */
	struct tl_hlo_dump_doubts dumps;
};
struct tl_jax_collectives_doubts tl_jax_collectives_doubts(const struct tl_jax_collectives *);

#endif
