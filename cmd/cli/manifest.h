/* manifest.h - what the sheets in a folder are of: a table beside them, whose name no program takes for a sheet.
 *
 * It has a row for each sheet: file, program, trace, options. A program that puts sheets into the folder removes those that
 * it made earlier and does not make now, and warns of others. Sheets in TSV and in CSV have a manifest of their own.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MANIFEST_H
#define TL_MANIFEST_H

#include "base/base.h"

/* A folder while sheets are put into it. */
struct tl_manifest;
/* Reads the manifest; a folder without one is one without rows. suffix: of the sheets, "tsv". Nobody else gets to
 * tl_manifest_open of this folder until tl_manifest_close. */
struct tl_manifest *tl_manifest_open(const char *folder, const char *suffix);
/* A sheet that this program made: FOLDER/file. trace: what it is of, any text. */
void tl_manifest_add(struct tl_manifest *, const char *file, const char *trace);
/* Sheets that this program made earlier of the same trace are of this run, too. */
void tl_manifest_keep(struct tl_manifest *, const char *trace);
/* The file was made of a sheet in a folder, `from`: the manifest there says what it is of. */
void tl_manifest_add_converted(struct tl_manifest *, const char *file, const char *from);
/* Puts all files that were closed for later in place (tl_rename_outputs), then removes sheets of earlier runs, notes which,
 * and warns of sheets that are not of this run. Whenever the program is stopped, the manifest names all sheets that are
 * there, so that the next run can finish. */
void tl_manifest_close(struct tl_manifest *);

/* The absolute path of a trace, or "" for standard input. The caller frees it. */
char *tl_manifest_trace(const char *path);

#endif
