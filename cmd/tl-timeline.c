/* tl-timeline.c - the filter of lib/filters/timeline.c as a program.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "filters/filters.h"

int main(int argc, char **argv)
{
	return tl_filter_main(&tl_filter_timeline, argc, argv);
}
