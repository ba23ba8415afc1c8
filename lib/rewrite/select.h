/* select.h - which events a rule is about.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_SELECT_H
#define TL_SELECT_H

#include "rewrite/editor.h"

/* Do all gates of the rule hold? */
bool tl_select_gates_hold(struct tl_editor *, const struct rule *);
/* The indexes of the events that a rule is about, in the order in which it takes them:
 * tl-rewrite(1). The caller frees them. */
uint32_t *tl_select_events(struct tl_editor *, const struct rule *, size_t *n);
/* The nearest event above that matches; the first one below, depth first. TL_NONE
 * when there is none. */
uint32_t tl_select_above(struct tl_editor *, const struct tl_pattern *, uint32_t event);
uint32_t tl_select_below(struct tl_editor *, const struct tl_pattern *, uint32_t event);

#endif
