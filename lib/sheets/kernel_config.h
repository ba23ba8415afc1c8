/* kernel_config.h - the sheet kernel_config: how kernels fill the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNEL_CONFIG_H
#define TL_KERNEL_CONFIG_H

#include "model/trace.h"
#include "table/sheet.h"

/* The rows that the sheet is made of; they are also the ctx of its definition. */
struct tl_table *tl_kernel_config_rows(struct tl_trace *);
extern const struct tl_sheet_def tl_kernel_config_sheet;

#endif
