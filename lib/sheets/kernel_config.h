/* kernel_config.h - the sheets kernel_config and kernel_launches: how kernels fill the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_KERNEL_CONFIG_H
#define TL_KERNEL_CONFIG_H

#include "model/trace.h"
#include "table/sheet.h"

/* The rows that a sheet is made of; they are also the ctx of its definition. launches: those of kernel_launches, for which the
 * trace must have its host operators. */
struct tl_table *tl_kernel_config_rows(struct tl_trace *, bool launches);
extern const struct tl_sheet_def tl_kernel_config_sheet, tl_kernel_launches_sheet;

#endif
