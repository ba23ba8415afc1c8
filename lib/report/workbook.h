/* workbook.h - a workbook (Office Open XML) made of sheets in TSV.
 *
 * Call tl_workbook_new, then tl_workbook_add for each sheet in their order, tl_workbook_fill
 * for each in the order of tl_workbook_turn, then tl_workbook_close, which writes the file, and at last tl_workbook_free. The
 * same sheets make the same bytes.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_WORKBOOK_H
#define TL_WORKBOOK_H

#include "base/io.h"

#include <stdbool.h>
#include <time.h>

struct tl_workbook;

/* path: the file that tl_workbook_close creates or overwrites. created: the creation
 * date that the file states. large: rows go to temporary files as they come, so that memory
 * does not grow with them; texts are then written again in each cell, and charts hold no copy of
 * what they show. Otherwise all cells are in memory until the workbook is closed. NULL when
 * memory runs out. */
struct tl_workbook *tl_workbook_new(const char *path, time_t created, bool large);

/* Adds an empty sheet. A name that a workbook cannot have is TL_ERR_USAGE. */
enum tl_status tl_workbook_add(struct tl_workbook *, const char *name, struct tl_error *);

/* Reads a TSV to its end into the i-th sheet. Decimal numbers become numbers, True and False
 * booleans, all else text; empty fields make no cell. Malformed TSV and too many rows or
 * columns are TL_ERR_DATA. *n_cut (n_cut may be NULL) becomes the number of cells with more
 * text than a workbook allows (32767 characters): such a text is cut and ends with an
 * ellipsis. The sheet "overview" of tl-overview gets links to the other sheets, and gives the
 * workbook its title and other properties. */
enum tl_status tl_workbook_fill(struct tl_workbook *, size_t i, struct tl_input *tsv, size_t *n_cut,
                                struct tl_error *);

/* Which sheet is to be filled as the k-th, from 0: those to which others have links come first, else the order is that of the
 * sheets. All must have been added. */
size_t tl_workbook_turn(const struct tl_workbook *, size_t k);

/* Says, before the i-th sheet is filled, which of its columns are folded: hidden, with a button
 * that shows them. Otherwise those of tl_column_is_folded are. */
typedef bool tl_folds(const void *ctx, const char *column);
void tl_workbook_fold(struct tl_workbook *, size_t i, tl_folds *, const void *ctx);

/* A copy of a sheet's name. A name longer than a workbook allows (31 characters) is
 * cut and ends with an ellipsis, and a number if the workbook has a sheet of the cut name.
 * allowed_only: characters that a workbook forbids become '_'; there is no ellipsis, and a number behind every name
 * that the workbook has. The caller frees the copy. */
char *tl_workbook_fit_name(const struct tl_workbook *, const char *name, bool allowed_only);

/* Adds the charts, writes the file, and reads it back to check that it is whole.
 * TL_ERR_IO if it is not. Afterwards the workbook can only be freed. */
enum tl_status tl_workbook_close(struct tl_workbook *, struct tl_error *);
void tl_workbook_free(struct tl_workbook *);

#endif
