/* multi_replay.h - the operators of a report of many traces run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_MULTI_REPLAY_H
#define TL_MULTI_REPLAY_H

#include "cli/cli.h"

struct tl_multi_replay {
	bool on, only;          /* only: no other sheets are wanted */
	const char *folder;     /* of its files; NULL: that of the traces */
};
#define TL_REPLAY_OPTIONS(r) \
	{ 'r', "replay", NULL, "run products of matrices and convolutions again, see tl-replay(1)", TL_OPT_FLAG, &(r)->on, 0, 0, NULL }, \
	{ 0, "replay-only", NULL, "only that: a workbook of its sheets", TL_OPT_FLAG, &(r)->only, 0, 0, NULL }, \
	{ 0, "replay_dir", "DIR", "folder of its files, instead of that of the traces", TL_OPT_TEXT, &(r)->folder, 0, 0, NULL }

/* Are AMD's tools in PATH? If not, says which is missing, as TraceLens does. */
bool tl_replay_tools_there(void);
/* Does the sheet have operators that are run again? */
bool tl_replays_sheet(const struct tl_multi_replay *, const char *sheet);
/* Removes the sheet from a folder of an earlier run, so that it is not taken for one of this run. */
void tl_replay_drop_sheet(const char *folder, const char *sheet);
/* Runs tl-replay on these sheets of a folder, which gets their <sheet>_node_replay.tsv; then removes them if no other sheets are
 * wanted. files: the folder of what was run. */
void tl_replay_sheets(const struct tl_multi_replay *, const char *folder, const char *files, const struct tl_common *);

#endif
