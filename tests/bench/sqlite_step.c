/* sqlite_step.c - goes over the columns of kernels that tl-parse reads of a database of Nsight
 * Systems, and does nothing with them: what tl-parse is compared with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <sqlite3.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static const char sql[] = "SELECT _rowid_, start, end, deviceId, contextId, streamId, correlationId, globalPid, graphNodeId, "
		"demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory, "
		"dynamicSharedMemory, graphId FROM CUPTI_ACTIVITY_KIND_KERNEL";
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = NULL;
	long long sum = 0;

	if (argc != 2 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL) || sqlite3_prepare_v2(db, sql, -1, &stmt, NULL))
		return 1;
	while (sqlite3_step(stmt) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(stmt); i++)
			sum ^= sqlite3_column_int64(stmt, i);
	printf("%lld\n", sum);
	sqlite3_finalize(stmt);
	return sqlite3_close(db) != SQLITE_OK;
}
