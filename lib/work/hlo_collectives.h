/* hlo_collectives.h - the collectives of programs that XLA compiled, from the texts that XLA dumps of them
 * (*_gpu_after_optimizations.txt): which devices meet, and what each of them brings.
 *
 * TraceLens reads the same texts by other rules (`reference`); tl-differences(7) tells where it is wrong.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HLO_COLLECTIVES_H
#define TL_HLO_COLLECTIVES_H

#include "base/base.h"
#include "model/trace.h"

/* The kind of a collective by the beginning of its name, which is that of the operation of XLA. */
enum tl_hlo_kind { TL_HLO_ALL_GATHER, TL_HLO_ALL_REDUCE, TL_HLO_ALL_TO_ALL, TL_HLO_REDUCE_SCATTER, TL_HLO_PERMUTE, TL_HLO_OTHER };
extern const char *const tl_hlo_kinds[TL_HLO_OTHER + 1]; /* "all-gather" … "other" */
enum tl_hlo_kind tl_hlo_kind_of(const char *name);

/* Devices by their numbers in the job; ends[i]: one past the last member of group i. */
struct tl_hlo_groups { int64_t *members; size_t *ends; size_t n; };
static inline size_t tl_hlo_group_start(const struct tl_hlo_groups *g, size_t i)
{
	return i ? g->ends[i - 1] : 0;
}

/* A line about a collective. Texts are ids in the table of texts; 0: there is none. */
struct tl_hlo_collective {
	int64_t node;
	uint32_t module, name; /* of the program, and the operation in it; module 0: the dump does not tell it */
	uint32_t replicas;     /* the groups as the line has them: {{0,1},{2,3}}, [2,4]<=[8], {} */
	uint32_t tensors;      /* their shapes as the line has them */
	uint32_t slice;        /* what each device brings, as Python writes it: [{'dtype': 'f32', 'dimensions': (8, 4), 'bytes': 128}] */
	int64_t split;         /* the dimension that is gathered or scattered; -1: none */
	int64_t group_size;    /* of the first group; 0: no groups are known */
	int64_t bytes;         /* of the slice */
};

struct tl_hlo_collectives;
/* What is in the texts that cannot be used. */
struct tl_hlo_dump_doubts {
	uint64_t groups, sizes;   /* lines whose groups make no sense; shapes of a type or a size that is not known */
	const char *first_group;  /* the first such groups, with node and line */
	const char *first_size;   /* the first such shape */
	uint64_t doubles;         /* lines about an operation that an earlier line of the node has, with other groups or sizes */
	const char *first_double; /* its name */
};

/* strings: gets all texts, and outlives the result. devices: how many the job has, which {}, one group of all, is of. */
struct tl_hlo_collectives *tl_hlo_collectives_new(struct tl_strtab *strings, int64_t devices, bool reference);
void tl_hlo_collectives_free(struct tl_hlo_collectives *); /* NULL is allowed */
/* Adds the collectives of a dump of a node, which may hold several programs. module: the program's name if the text does not tell it;
 * NULL: not known. Returns how many there are. */
size_t tl_hlo_collectives_add(struct tl_hlo_collectives *, int64_t node, const char *module, const char *text, size_t len);
/* All of them, in the order in which they were added. */
const struct tl_hlo_collective *tl_hlo_collectives_all(const struct tl_hlo_collectives *, size_t *n);
/* The first of that node, program and name; if no dump of the node is of the program, the first of a dump that does not
 * tell its program. For TraceLens the first of that node and name. NULL: none. */
const struct tl_hlo_collective *tl_hlo_collective_find(const struct tl_hlo_collectives *, int64_t node, uint32_t module, uint32_t name);
/* The groups that the text `replicas` says. NULL: none. Good until the next dump is added. */
const struct tl_hlo_groups *tl_hlo_groups_of(struct tl_hlo_collectives *, uint32_t replicas);
/* The same as Python writes them: [[0, 1], [2, 3]], a text id; 0: none. */
uint32_t tl_hlo_groups_text(struct tl_hlo_collectives *, uint32_t replicas);
/* One more than the greatest device in any groups. */
int64_t tl_hlo_last_device(const struct tl_hlo_collectives *);
struct tl_hlo_dump_doubts tl_hlo_dump_doubts(const struct tl_hlo_collectives *);

/* Adds the programs of the trace (TL_META_PROGRAM), of each only the lines that say something of a collective: for
 * tl_hlo_collectives_add. Returns how many programs there are; *damaged: how many cannot be read. */
size_t tl_hlo_program_text(const struct tl_trace *, struct tl_buf *out, size_t *damaged);

#endif
