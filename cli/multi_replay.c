/* multi_replay.c - the operators of a report of many traces run again.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/multi_replay.h"

#include "cli/programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tl_replay_tools_there(void)
{
	static const struct { const char *program, *name; } needed[] = {
		{ "amd-smi", "ROCm platform" }, { "hipblaslt-bench", "hipblaslt-bench" }, { "MIOpenDriver", "MIOpenDriver" },
	};

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!tl_has_program(needed[i].program)) {
			printf("Dependency not found: %s\nNode replay dependencies not met, terminating...\n", needed[i].name);
			return false;
		}
	return true;
}

static const char *const replayed[] = { "gemm", "conv" };

bool tl_replays_sheet(const struct tl_multi_replay *r, const char *sheet)
{
	return r->on && (!strcmp(sheet, replayed[0]) || !strcmp(sheet, replayed[1]));
}

void tl_replay_drop_sheet(const char *folder, const char *sheet)
{
	struct tl_buf file = { 0 };

	tl_buf_addf(&file, "%s.tsv", sheet);
	char *path = tl_join_path(folder, file.data);
	if (unlink(path) && errno != ENOENT)
		tl_die("%s: cannot remove: %s", path, strerror(errno));
	tl_buf_release(&file);
	free(path);
}

void tl_replay_sheets(const struct tl_multi_replay *r, const char *folder, const char *files, const struct tl_common *common)
{
	const char *const argv[] = { "tl-replay", "--run", "--sheets", folder, "-d", files, "--output_tsvs_dir", folder,
		common->quiet ? "-q" : common->verbose ? "-v" : NULL, NULL };

	tl_run_program(argv);
	for (size_t i = 0; i < 2 && r->only; i++)
		tl_replay_drop_sheet(folder, replayed[i]);
}
