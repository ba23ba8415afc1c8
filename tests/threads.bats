#!/usr/bin/env bats
# threads.bats - several processors: nothing that is written or said depends on how many.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 6000 --memory >trace.json
	tl-gen -n 2000 --gpu-only >gpu-only.json
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	trace=$BATS_FILE_TMPDIR/trace.json
	made=0
}

# made N WORD...: what tl-sheets says, prints and writes with N processors, into the folder N
made() {
	mkdir "$1"
	tl-sheets --threads "$@" -d "$1/sheets" >"$1/out" 2>"$1/err" || echo "status $?" >>"$1/err"
	sed -i "s|^$1/||" "$1/out"
	sed -i "s|--threads [0-9]* ||; s|$1/sheets|sheets|" "$1/err"
}

# same WORD...
same() {
	local n
	for n in 1 2 3 8; do made "$n" "$@"; done
	for n in 2 3 8; do diff -r 1 "$n"; done
	rm -r 2 3 8
	mv 1 "made$((made++))"
}

@test "sheets, paths and messages are the same for any number of processors" {
	same "$trace"
	[ -s made0/sheets/findings.tsv ]
	[ -s made0/sheets/finding_evidence.tsv ]
	same --arch auto --host --memory --critical_path --series --api_summary --kernel_category --short_kernel_study "$trace"
	[ -s made1/err ]
	same -v --inference "$trace"
	sed 's/NVIDIA [A-Z0-9]* [0-9]*GB HBM[0-9]e*/Foo GPU 9000/' "$trace" >foo.json
	grep -q 'Foo GPU 9000' foo.json
	same --arch auto foo.json
	equal "$(grep -c 'Foo GPU 9000' made3/err)" 1
	same "$BATS_FILE_TMPDIR/gpu-only.json"
}

@test "the first error of the report's order is told, whoever meets one earlier, and no file stays" {
	tl-gen -n 500 --no-nccl | jq -c '.traceEvents |= map(select(.cat | IN("kernel", "gpu_memcpy", "gpu_memset") | not))' >host.json
	same --sheets gpu_timeline,ops_summary,kernel_summary,unified_perf_summary host.json
	grep -q '^tl-sheets: error: ' made0/err
	grep -q '^status 1$' made0/err
	[ ! -e made0/sheets ] || [ -z "$(ls -A made0/sheets)" ]
}

# Starts tl-sheets with N processes, of which one waits for a trace that does not come: pid; WORD... are its options
start_waiting() {
	mkfifo never
	exec 7<>never
	tl-sheets -q "$@" --comparison_json_path never -d out "$trace" 2>err 3>&- 7>&- &
	pid=$!
	for _ in {1..500}; do
		if pgrep -P $pid >/dev/null || readlink "/proc/$pid/fd/"* 2>/dev/null | grep -q '/never$'; then break; fi
		sleep 0.01
	done
	others=$(pgrep -P $pid || true)
}

# Waits until a process has ended.
gone() {
	for _ in {1..500}; do
		[ -e "/proc/$1" ] || return 0
		sleep 0.01
	done
	return 1
}

@test "what is killed in the middle leaves no process and no file" {
	start_waiting --threads 4
	kill $pid
	status=0
	wait $pid || status=$?
	equal "$status" 143
	for other in $others; do gone "$other"; done
	[ ! -e out ] || equal "$(ls -A out)" ""
}

@test "a process that is killed ends the program with an error" {
	start_waiting --threads 2
	kill -KILL $others || skip "it has ended"
	echo '{"traceEvents": []}' >&7 # if the first process waits here
	exec 7>&-
	status=0
	wait $pid || status=$?
	equal "$status" 1
	grep -q 'error: ' err
	[ ! -e out ] || equal "$(ls -A out)" ""
}

@test "the variable TL_THREADS says how many, and the option more" {
	TL_THREADS=1 start_waiting
	equal "$others" ""
	kill $pid
	rm never
	TL_THREADS=1 start_waiting --threads 3
	[ -n "$others" ]
	kill $pid
}
