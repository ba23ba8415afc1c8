#!/usr/bin/env bats
# matrix.bats - which sheets the report of each profiler's traces has.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# A kernel of 100 us in the form of each profiler, with the call that launched it where the form has one.
make_traces() {
	op aten::mm 0 50; call 1 1 5; gpu 1 gemm 10 100; gpu 2 gemm 150 100; trace kineto.json
	sqlite3 nsys.sqlite "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
		INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 6000, 0, (7<<24)+71, 1, 1, 0), (140000, 145000, 0, (7<<24)+71, 2, 1, 0);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
			demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10000, 110000, 0, 7, 1, 7<<24, 2, 2, 4, 1, 1, 64, 1, 1),
			(150000, 250000, 0, 7, 2, 7<<24, 2, 2, 4, 1, 1, 64, 1, 1);"
	printf '{"rocprofiler-sdk-tool":[{"metadata":{"pid":5},"agents":[{"id":{"handle":7},"node_id":4,"type":2}],"kernel_symbols":[{"kernel_id":1,"formatted_kernel_name":"gemm"}],"buffer_records":{"kernel_dispatch":[%s,%s]}}]}' \
		'{"start_timestamp":10000,"end_timestamp":110000,"dispatch_info":{"kernel_id":1,"agent_id":{"handle":7}}}' \
		'{"start_timestamp":150000,"end_timestamp":250000,"dispatch_info":{"kernel_id":1,"agent_id":{"handle":7}}}' >rocprofv3_results.json
	printf '{"traceEvents":[%s,%s]}' '{"ph":"X","cat":"kernel_dispatch","name":"gemm","pid":7,"tid":8,"ts":10,"dur":100,"args":{"begin_ns":10000,"end_ns":110000,"delta_ns":100000,"agent":"GPU-3"}}' \
		'{"ph":"X","cat":"kernel_dispatch","name":"gemm","pid":7,"tid":8,"ts":150,"dur":100,"args":{"begin_ns":150000,"end_ns":250000,"delta_ns":100000,"agent":"GPU-3"}}' >perfetto.json
}

# x: in the report without options, with rows; r: on request; -: not there.
table='
sheet              kineto.json  nsys.sqlite  rocprofv3_results.json  perfetto.json
overview           x            x            x                       x
trace_health       x            x            x                       x
populations        x            x            x                       x
findings           x            x            x                       x
device_times       x            x            x                       x
kernel_stats       r            x            x                       x
kernel_categories  r            x            x                       x
idle_gaps          x            x            x                       x
idle_summary       x            x            x                       x
ledger             x            x            x                       x
api_summary        r            r            -                       -
ops_summary        x            -            -                       -
kernel_summary     r            x            x                       x
'

@test "each report has the sheets that its profiler's traces allow" {
	need sqlite3
	make_traces
	local wrong=() sheet cells traces i cell
	while read -r sheet cells; do
		[ "$sheet" ] || continue
		if [ "$sheet" = sheet ]; then
			read -ra traces <<<"$cells"
			for i in "${traces[@]}"; do
				tl-sheets -q -d "usual-$i" "$i" >/dev/null
			done
			continue
		fi
		i=0
		for cell in $cells; do
			local trace=${traces[i++]} has=-
			[ ! -s "usual-$trace/$sheet.tsv" ] || [ "$(wc -l <"usual-$trace/$sheet.tsv")" -lt 2 ] || has=x
			if [ $has = - ] && tl-sheets -q --sheets "$sheet" -d asked "$trace" >/dev/null 2>&1 && [ -s "asked/$sheet.tsv" ]; then
				[ "$(wc -l <"asked/$sheet.tsv")" -lt 2 ] || has=r
			fi
			rm -rf asked
			[ $has = "$cell" ] || wrong+=("$sheet of $trace: $has, not $cell;")
		done
	done <<<"$table"
	equal "${wrong[*]}" ''
}

@test "the sheets that mean the same for all say the same of the same work" {
	need sqlite3
	make_traces
	for trace in kineto.json nsys.sqlite rocprofv3_results.json perfetto.json; do
		equal "$trace $(tl-kcat -q --sheets kernel_stats --columns 'name,category,count,time_ms' "$trace" | tail -n 1)" "$trace gemm	GEMM-Generic	2	0.2"
		equal "$trace $(tl-timeline -q --sheets device_times --columns busy_ms "$trace" | tail -n 1)" "$trace 0.2"
	done
}
