/* temp_file.h - temporary files and folders.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_TEMP_FILE_H
#define TL_TEMP_FILE_H

#include <stdio.h>

/* The folder that the environment names for temporary files (TMPDIR), else /tmp. */
const char *tl_temp_folder(void);
/* The path of a file STEM.XXXXXX in that folder, for tl_temp_make. The caller frees it. */
char *tl_temp_name(const char *stem);
/* Makes the file whose name ends in "XXXXXX", which it replaces, and opens it. -1: errno says why. */
int tl_temp_make(char *name);
/* The same for a folder. 0, or -1. */
int tl_temp_make_folder(char *name);
/* A file in the folder for temporary files, to write and to read again. It has no name, so nothing is left of it however
 * the program ends. NULL: errno says why. */
FILE *tl_temp_file(const char *stem);

#endif
