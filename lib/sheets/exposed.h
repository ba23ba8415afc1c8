/* exposed.h - the sheets exposed_communication and exposed_copies: time of a device that only communication, or only
 * copies, take, each moment counted once.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_EXPOSED_H
#define TL_EXPOSED_H

#include "model/trace.h"
#include "table/sheet.h"

/* Fill the input with the rows. */
void tl_exposed_communication(struct tl_trace *, struct tl_sheet_input *);
void tl_exposed_copies(struct tl_trace *, struct tl_sheet_input *);
extern const struct tl_sheet_def tl_exposed_communication_def, tl_exposed_copies_def;

#endif
