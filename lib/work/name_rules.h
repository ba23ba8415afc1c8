/* name_rules.h - rules that answer a question about a name: the category of a
 * kernel, the kind of its work, the bytes of a data type.
 *
 * A table of rules is text. The comment at the top of kernel-categories.tsv and
 * tl-kcat(1) describe it for categories; other tables give other answers in the same form.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_NAME_RULES_H
#define TL_NAME_RULES_H

#include "base/base.h"

#define TL_RULE_TABLE_MAX (1 << 18) /* bytes of one table */

/* The built-in tables: X(id, file, answers). The file of this folder has - for _ in its name, and begins
 * with what it answers. answers: those that rules may give, a user's rules too; NULL: any. */
#define TL_BUILT_IN_RULES(X) \
	X(TL_KERNEL_CATEGORIES, kernel_categories, NULL) \
	X(TL_KERNEL_CATEGORIES_MORE, kernel_categories_more, NULL) \
	X(TL_KERNEL_WORK, kernel_work, works) \
	X(TL_KERNEL_COMMUNICATION, kernel_communication, works) \
	X(TL_KERNEL_COLLECTIVES, kernel_collectives, NULL) \
	X(TL_NCCL_KERNELS, nccl_kernels, NULL) \
	X(TL_KERNEL_GROUPED, kernel_grouped, NULL) \
	X(TL_LAUNCH_CALLS, launch_calls, NULL) \
	X(TL_GRAPH_NAMES, graph_names, NULL) \
	X(TL_DTYPE_BYTES, dtype_bytes, NULL) \
	X(TL_MEMCPY_DIRECTIONS, memcpy_directions, NULL) \
	X(TL_WAITING_CALLS, waiting_calls, NULL) \
	X(TL_ROCPROF_CATEGORIES, rocprof_categories, NULL) \
	X(TL_PFTRACE_CATEGORIES, pftrace_categories, NULL) \
	X(TL_PFTRACE_LAUNCHES, pftrace_launches, NULL) \
	X(TL_JAX_MODELS, jax_models, NULL) \
	X(TL_PHASE_WORDS, phase_words, NULL) \
	X(TL_PHASE_FRAMEWORKS, phase_frameworks, phases) \
	X(TL_PHASE_BATCHES, phase_batches, phases) \
	X(TL_PHASE_ATTENTION, phase_attention, phases) \
	X(TL_PHASE_APIS, phase_apis, phases) \
	X(TL_JAX_CATEGORIES, jax_categories, NULL) \
	X(TL_JAX_COPIES, jax_copies, works) \
	X(TL_JAX_COLLECTIVES, jax_collectives, works) \
	X(TL_XLA_TYPE_BITS, xla_type_bits, NULL) \
	X(TL_XLA_COLLECTIVES, xla_collectives, NULL) \
	X(TL_PHASE_SAMPLERS, phase_samplers, NULL) \
	X(TL_PHASE_KERNELS, phase_kernels, phases) \
	X(TL_PHASE_ARGUMENTS, phase_arguments, NULL) \
	X(TL_COLLECTIVE_TYPES, collective_types, NULL) \
	X(TL_STEP_BATCHES, step_batches, NULL) \
	X(TL_STEP_WORDS, step_words, words) \
	X(TL_WRAPPER_FRAMES, wrapper_frames, NULL) \
	X(TL_LIBRARY_FRAMES, library_frames, NULL) \
	X(TL_FRAME_OPTIONS, frame_options, NULL) \
	X(TL_KERNEL_PROFILERS, kernel_profilers, NULL) \
	X(TL_CHAIN_OPS, chain_ops, NULL) \
	X(TL_CHAIN_KINDS, chain_kinds, NULL) \
	X(TL_HOST_NAMES, host_names, NULL) \
	X(TL_COMPILE_NAMES, compile_names, NULL) \
	X(TL_HOST_WORK, host_work, NULL) \
	X(TL_FIRST_CALLS, first_calls, NULL) \
	X(TL_OVERHEAD_KINDS, overhead_kinds, NULL) \
	X(TL_COUNTER_KINDS_TABLE, counter_kinds, NULL) \
	X(TL_GOOD_PERCENTS, good_percents, NULL) \
	X(TL_KEPT_NUMBERS, kept_numbers, NULL) \
	X(TL_PRECISION_TYPES, precision_types, NULL)

/* Tables whose rules answer several questions, X(id, file, column of the rule that answers this one, from 0). A rule whose cell
 * there is empty does not answer it; one with - says that there is no answer. */
#define TL_BUILT_IN_COLUMNS(X) \
	X(TL_KERNEL_KINDS, kernel_kinds, 1) \
	X(TL_KERNEL_PRECISION, kernel_kinds, 5) \
	X(TL_KERNEL_TENSOR_CORES, kernel_kinds, 6) \
	X(TL_KERNEL_LIBRARY, kernel_kinds, 7) \
	X(TL_KERNEL_INTERNAL, kernel_kinds, 8)

#define TL_RULES_ID(id, file, answers) id,
enum tl_built_in_rules { TL_NO_RULES, TL_BUILT_IN_RULES(TL_RULES_ID) TL_BUILT_IN_COLUMNS(TL_RULES_ID) TL_N_RULE_TABLES };

struct tl_name_rules;

/* The rules of a built-in table; the caller frees them. */
struct tl_name_rules *tl_name_rules_new(enum tl_built_in_rules);
/* Adds those of another one, as tl_name_rules_add does. */
void tl_name_rules_add_built_in(struct tl_name_rules *, enum tl_built_in_rules);
void tl_name_rules_free(struct tl_name_rules *); /* NULL is allowed */

/* Adds the rules of a table. A rule goes before the rules of the same priority
 * in tables added earlier, so that a user's table overrides the built-in one.
 * A mistake gives TL_ERR_DATA and adds nothing; the error's text names the table
 * (`table`), the line and the column. */
enum tl_status tl_name_rules_add(struct tl_name_rules *, const char *table, const char *text,
                                 size_t len, struct tl_error *err);

/* Whose answers the terms is:ANSWER of tables that are added from now on ask for. The others must outlive
 * these, and must not ask them. Without them such a term is a mistake. */
void tl_name_rules_ask(struct tl_name_rules *, struct tl_name_rules *others);

/* The answer of the first rule that matches the name; "" if none does. Each
 * distinct name is matched once, later calls look the answer up. The text lives
 * as long as the rules. */
const char *tl_name_rules_find(struct tl_name_rules *, const char *name, size_t len);

/* Of a table whose rules all count: bit i is set if a rule with the answer answers[i]
 * matches. answers: at most 64, then NULL. Nothing is kept: each call tries all rules. */
uint64_t tl_name_rules_all(struct tl_name_rules *, const char *name, size_t len, const char *const *answers);

/* ---- answers of rules for names that are ids of one string table ------------------------ */

/* The table outlives it. */
struct tl_name_answers {
	const struct tl_strtab *strings;
	struct tl_name_rules *rules;
	const char **known; size_t cap; /* by id; NULL: not asked yet */
};
void tl_name_answers_init(struct tl_name_answers *, enum tl_built_in_rules, const struct tl_strtab *);
const char *tl_name_ask(struct tl_name_answers *, uint32_t name); /* of a name that is not known yet */
/* As tl_name_rules_find: "" if no rule matches. The rules are asked once for each id. */
static inline const char *tl_name_answer(struct tl_name_answers *a, uint32_t name)
{
	return name < a->cap && a->known[name] ? a->known[name] : tl_name_ask(a, name);
}
bool tl_name_is(struct tl_name_answers *, uint32_t name, const char *answer);
/* To be called when the table was emptied. */
void tl_name_answers_forget(struct tl_name_answers *);
void tl_name_answers_release(struct tl_name_answers *);

#endif
