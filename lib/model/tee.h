/* tee.h - a sink that passes a trace on to two sinks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TEE_H
#define TL_TEE_H

#include "model/sink.h"

struct tl_tee {
	struct tl_sink sink;     /* what the source pushes into */
	struct tl_sink *to[2];   /* each call goes to the first, then to the second if the first did not fail */
};

void tl_tee_init(struct tl_tee *, struct tl_sink *first, struct tl_sink *second);

#endif
