#!/usr/bin/env bats
# times.bats - times that cannot be: such events are left out of all sheets, and told; what could be stays.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# made: t.json of 20 calls and their kernels of 50 µs, the first call at 1 hour
made() {
	local i at
	EVENTS=()
	for ((i = 1; i <= 20; i++)); do
		at=$((3600000000 + i * 100))
		call "$i" "$at" 5
		gpu "$i" gemm $((at + 10)) 50
	done
	device_trace t.json ''
}
# told WORDS: t.json has 20 good kernels of 1000 µs, and so much is said of others
told() {
	run -0 --separate-stderr tl-timeline t.json
	like "$stderr" "times that cannot be: [0-9]+ device events or calls are left out of all sheets: $1 "
	like "$output" $'busy_time\t1.0\t'
	like "$output" $'total_time\t1.95\t'
	equal "$(tl-kcat -q --sheets kernel_summary --columns 'Kernel duration (µs)_sum,Kernel duration (µs)_count' t.json | tail -n 1)" $'1000\t20'
	like "$(tl-overview -q --sheets trace_health --columns check,state,explanation t.json)" $'times\twarning\t[^\n]*'"$1"
	like "$(tl-overview -q --sheets trace_health --columns check,state,explanation t.json)" $'unlaunched\t(note|ok)\t'
	like "$(tl-overview t.json 2>&1)" $'first event to last\t1.96\t'
}

# bats test_tags=quick
@test "kernels at time zero, over the recording, long before their launch or before it began are left out" {
	made
	run -0 --separate-stderr tl-timeline t.json
	unlike "$stderr" 'cannot be'
	made; call 21 3600000500 5; gpu 21 gemm 0 0; device_trace t.json ''
	told '1 without a time'
	made; call 21 3600000500 5; gpu 21 gemm 0 50; device_trace t.json ''
	told '1 without a time'
	made; call 21 3600000500 5; gpu 21 gemm 3600000510 2000000; device_trace t.json ''
	told '1 with a duration that cannot be'
	equal "$(tl-timeline -q --keep-times t.json | grep total_time)" $'total_time\t2000.4\t100.0'
	made; call 21 3600000500 5; gpu 21 gemm 3595000500 50; device_trace t.json ''
	told '1 long before their launch'
	made; lone 99 gemm 3500000000 50; device_trace t.json ''
	run -0 --separate-stderr tl-timeline --include_unlinked_kernels t.json
	like "$stderr" '1 long before or behind the recording'
	like "$output" $'total_time\t1.95\t'
}

@test "a kernel of 2 s over 8 others of its stream is left out only if it is 100 times the median of its name" {
	long() { made; call 30 3602500000 9000000 cudaDeviceSynchronize; call 21 3600000500 5; gpu 21 "$1" 3600000510 2000000; device_trace t.json ''; }
	long gemm
	run -0 --separate-stderr tl-timeline t.json
	like "$stderr" '1 with a duration that cannot be'
	long another
	run -0 --separate-stderr tl-timeline t.json
	unlike "$stderr" 'cannot be'
}

@test "what could be stays: a little before its launch, after a pause, and where the clocks of all differ" {
	made; call 21 3600002500 5; gpu 21 gemm 3600002470 50; device_trace t.json ''
	run -0 --separate-stderr tl-timeline t.json
	unlike "$stderr" 'cannot be'
	equal "$(tl-overview -q --sheets trace_health --columns check,value,ms t.json | grep clock)" $'clock\t1\t0.03'
	made; call 21 3630000000 5; gpu 21 gemm 3630000010 50; device_trace t.json ''
	run -0 --separate-stderr tl-timeline t.json
	unlike "$stderr" 'cannot be'
	EVENTS=()
	for ((i = 1; i <= 20; i++)); do call "$i" $((3600000000 + i * 100)) 5; gpu "$i" gemm $((3590000010 + i * 100)) 50; done
	device_trace t.json ''
	run -0 --separate-stderr tl-timeline t.json
	unlike "$stderr" 'cannot be'
	like "$output" $'busy_time\t1.0\t'
}

@test "Nsight Systems: a kernel that ends before it starts is counted, and clocks that differ are told" {
	need sqlite3
	sqlite3 t.db "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'k');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT);
		WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
			SELECT i * 100000, i * 100000 + 5000, (7<<24)+71, i, 1 FROM n;
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start - 50000, start, 0, 7, correlationId, 7<<24, 2 FROM CUPTI_ACTIVITY_KIND_RUNTIME;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 1 WHERE rowid = 4;"
	run -0 --separate-stderr tl-timeline t.db
	like "$stderr" '1 that end before they start'
	like "$stderr" '9 of 9 launched device events start before the calls that launch them \(50.0 us in the median, 50.0 us at most\)'
}
