#!/usr/bin/env bats
# coll.bats - tl-coll: collective communication of one rank.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

full='"Process Group Name":"1","Process Group Ranks":"[0, 1]","Collective name":"allreduce","Group size":2,"dtype":"BFloat16","In msg nelems":1048576,"Out msg nelems":1048576,"In split size":"[]","Out split size":"[]"'

@test "collectives that agree in all fields are one row" {
	lone 1 ncclDevKernel_AllReduce 100 10 20 kernel "$full"
	lone 2 ncclDevKernel_AllReduce 200 20.5 20 kernel "$full"
	lone 3 k 300 5
	trace t.json
	run -0 --separate-stderr tl-coll --rank 0 t.json
	equal "$stderr" ''
	equal "$output" "rank	Process Group Name	Process Group Ranks	Collective name	Group size	dtype	In msg nelems	Out msg nelems	In split size	Out split size	stream	In msg size (MB)_first	Out msg size (MB)_first	dur_sum	dur_mean	dur_std	dur_min	dur_max	operation_count
0	1	[0, 1]	allreduce	2	BFloat16	1048576	1048576	[]	[]	20	2.0	2.0	30.5	15.25	7.424621202458749	10.0	20.5	2"
}

@test "a list in the trace is shown as a tuple" {
	lone 1 ncclX 100 10 20 kernel "${full/\"\[0, 1\]\"/[0, 1]}"
	trace t.json
	run -0 tl-coll t.json
	like "$output" $'\t\\(0, 1\\)\tallreduce'
}

@test "a collective that lacks a field is left out and makes columns real" {
	lone 1 ncclX 100 10 20 kernel "$full"
	lone 2 ncclX 200 10 20 kernel '"Process Group Name":"1"'
	trace t.json
	tl-coll t.json >t.tsv
	equal "$(wc -l <t.tsv)" 2
	equal "$(cut -f 5,7,8,11,14 t.tsv | tail -n 1)" $'2.0\t1048576.0\t1048576.0\t20\t10'
	tl-coll --sheet collectives t.json >c.tsv
	equal "$(wc -l <c.tsv)" 3
}

@test "without any group name on one stream the group is all, else unknown" {
	anonymous=${full#*,}
	lone 1 ncclX 100 10 20 kernel "$anonymous"
	lone 2 ncclX 200 10 20 kernel "$anonymous"
	trace t.json
	equal "$(tl-coll t.json | cut -f 2)" $'Process Group Name\nall'
	lone 1 ncclX 100 10 20 kernel "$anonymous"
	lone 2 ncclX 200 10 21 kernel "$anonymous"
	trace t.json
	equal "$(tl-coll t.json | cut -f 2 | sort -u)" $'Process Group Name\nUnknown_Group'
}

@test "cross_device_reduce is an allreduce unless it says otherwise" {
	lone 1 'vllm::cross_device_reduce_1stage' 100 10
	trace t.json
	tl-coll --sheet collectives t.json >t.tsv
	equal "$(cell t.tsv collective)" allreduce
	equal "$(cell t.tsv ts_ns)" 100000
}

@test "sizes need a known type and a count" {
	lone 1 ncclX 100 10 20 kernel '"dtype":"Double","In msg nelems":131072,"Out msg nelems":262144'
	lone 2 ncclX 200 10 20 kernel '"dtype":"Float8","In msg nelems":1048576,"Out msg nelems":1048576'
	lone 3 ncclX 300 10 20 kernel '"dtype":"Byte","In msg nelems":1048576'
	trace t.json
	tl-coll --sheet collectives t.json >t.tsv
	equal "$(cut -f 12,13 t.tsv)" $'in_mib\tout_mib\n1.0\t2.0\n\t\n1.0\t'
}

@test "a note does not tell a sum of times that is too large" {
	for i in 1 2 3; do
		lone $i ncclX $i 4000000000000000 20
	done
	op a 0 1
	trace t.json
	run -0 --separate-stderr tl-coll --rank 0 t.json
	like "$stderr" '3 of 3 communication kernels \(2\^63 ticks or more\) are not'
}

@test "one note tells what coll_analysis leaves out, and for want of what" {
	lone 1 ncclX 100 10 20 kernel "$full"
	lone 2 ncclX 200 1.5 20 kernel "${full/\"dtype\":\"BFloat16\",}"
	event '{"ph":"X","cat":"kernel","name":"ncclX","pid":0,"tid":9,"ts":300,"dur":2,"args":{}}'
	event '{"ph":"X","cat":"kernel","name":"ncclX","pid":0,"tid":9,"ts":400,"dur":0.5,"args":{"correlation":9}}'
	op a 0 1
	trace t.json
	run -0 --separate-stderr tl-coll --rank 0 t.json
	equal "$(tail -n +2 <<<"$output" | cut -f 19)" 1
	equal "$stderr" "tl-coll: 3 of 4 communication kernels (0.004 ms) are not in coll_analysis: no 'Process Group Ranks', 'Collective name', 'Group size' in 1; no 'dtype' in 2; no 'In msg nelems', 'Out msg nelems', 'In split size', 'Out split size', 'stream', 'correlation or External id' in 1"
	run -0 --separate-stderr tl-sheets -d out t.json
	equal "$(grep -c 'are not in coll_analysis' <<<"$stderr")" 1
	run -0 --separate-stderr tl-coll --rank 0 --sheets collectives t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-coll -q t.json
	equal "$stderr" ''
}

@test "a count of elements may be a real number" {
	lone 1 ncclX 100 10 20 kernel "${full/\"In msg nelems\":1048576/\"In msg nelems\":524288.0}"
	trace t.json
	equal "$(tl-coll -q --sheets collectives --columns in_mib,out_mib t.json | tail -n 1)" $'1.0\t2.0'
}

@test "a collective without a start or duration is left out" {
	lone 1 ncclX 100 10 20 kernel "$full"
	event "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclX\",\"pid\":0,\"tid\":20,\"ts\":200,\"args\":{\"correlation\":2,\"stream\":20,$full}}"
	event "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclX\",\"pid\":0,\"tid\":20,\"dur\":10,\"args\":{\"correlation\":3,\"stream\":20,$full}}"
	trace t.json
	run -0 --separate-stderr tl-coll --sheets collectives --columns uid,dur_ns t.json
	equal "$output" $'uid\tdur_ns\n0\t10000'
	like "$stderr" '^tl-coll: warning: 2 host or device events without start or duration were left out'
}

@test "a report without coll_analysis for want of operators says so" {
	lone 1 ncclX 100 10 20 kernel "$full"
	trace t.json
	run -0 --separate-stderr tl-coll -d out t.json
	like "$stderr" 'no host operators, so coll_analysis is left out, with 1 communication kernel: --sheets coll_analysis makes it'
	[ ! -e out ]
	run -0 --separate-stderr tl-coll --sheets coll_analysis -d out t.json
	equal "$(wc -l <out/coll_analysis.tsv)" 2
	equal "$(diff out/coll_analysis.tsv <(tl-coll t.json))" ''
	refute grep 'left out' <<<"$stderr"
}

@test "the rank is that of the event, else of the option, else of the trace, else 0" {
	lone 1 ncclX 100 10 20 kernel "$full"
	trace t.json
	equal "$(tl-coll t.json | cut -f 1)" $'rank\n0'
	equal "$(tl-coll --rank 3 t.json | cut -f 1)" $'rank\n3'
	sed 's/^{/{"distributedInfo":{"backend":"nccl","rank":5,"world_size":8},/' t.json >r.json
	equal "$(tl-coll r.json | cut -f 1)" $'rank\n5'
	equal "$(tl-coll --rank 5 r.json | cut -f 1)" $'rank\n5'
	equal "$(tl-parse r.json | tl-link | tl-coll --sheets collectives | cut -f 1)" $'rank\n5'
	op a 0 50
	lone 1 ncclX 100 10 20 kernel "$full,\"rank\":6"
	lone 2 ncclX 200 10 20 kernel "$full,\"rank\":7"
	trace joined.json
	equal "$(tl-coll joined.json | cut -f 1)" $'rank\n6\n7'
	tl-report -q --tsv-dir out joined.json
	equal "$(cut -f 1 out/coll_analysis.tsv)" $'rank\n6\n7'
}

@test "a rank that nobody gave is said to be 0 for want of another" {
	note='tl-coll: the trace does not say which rank it is of: collectives have the rank 0 (--rank N gives another)'
	op a 0 50
	lone 1 ncclX 100 10 20 kernel "$full"
	trace t.json
	run -0 --separate-stderr tl-coll t.json
	equal "$stderr" "$note"
	run -0 --separate-stderr tl-report --tsv-dir out t.json
	equal "$(grep -cxF "tl-report: ${note#tl-coll: }" <<<"$stderr")" 1
	grep -qF "${note#tl-coll: }" out/overview.tsv
	for options in '--rank 0' '--rank 3' -q; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr tl-coll $options t.json
		equal "$stderr" ''
	done
	sed 's/^{/{"distributedInfo":{"rank":0},/' t.json >r.json
	run -0 --separate-stderr tl-coll r.json
	equal "$stderr" ''
}

@test "every collective names its kernel" {
	lone 1 'ncclDevKernel_AllReduce(x)' 100 10 20 kernel "$full"
	trace t.json
	tl-coll --sheets collectives t.json >t.tsv
	equal "$(cell t.tsv kernel)" 'ncclDevKernel_AllReduce(x)'
}

@test "the rank is what the option says" {
	lone 1 ncclX 100 10 20 kernel "$full"
	trace t.json
	equal "$(tl-coll --rank 3 t.json | cut -f 1)" $'rank\n3'
	run -2 --separate-stderr tl-coll --rank -1 t.json
	failed 2 'not a whole number'
}

@test "kernels without correlation or external id are not collectives" {
	event '{"ph":"X","cat":"kernel","name":"ncclX","pid":0,"tid":9,"ts":200,"dur":1,"args":{}}'
	event '{"ph":"X","cat":"kernel","name":"ncclX","pid":0,"tid":9,"ts":300,"dur":1,"args":{"External id":5}}'
	trace t.json
	equal "$(tl-coll --sheet collectives t.json | wc -l)" 2
}

@test "a trace without collectives has a header, and with -d no file" {
	lone 1 k 100 10
	trace t.json
	run -0 --separate-stderr tl-coll t.json
	equal "${#lines[@]}" 1
	like "$stderr" '^tl-coll: the sheet coll_analysis has no row; the trace has .*kernels \(1: tl-kcat\)'
	run -0 --separate-stderr tl-coll -q t.json
	equal "$stderr" ''
	printf '[{"ph":"X","cat":"v8","name":"x","pid":1,"tid":1,"ts":1,"dur":3}]' >browser.json
	run -0 --separate-stderr tl-coll browser.json
	like "$stderr" 'no row; no event of the trace, of 1, is of operators, calls or devices: tl-overview says what it is$'
	run -0 --separate-stderr tl-pftrace browser.json
	like "$stderr" 'tl-pftrace: the sheet category_summary has no row; '
	tl-coll -d out t.json
	[ ! -e out ]
}

@test "every cell of the reference's sheets is met" {
	ref=$TL_ROOT/../shared
	[ -x "$ref/tools/parity" ] || skip "no reference sheets here"
	run -0 "$ref/tools/parity" --only coll_analysis --run 'tl-coll -d "$OUT" "$INPUT"' "$ref/traces/pytorch"
	like "${lines[-1]}" '100.000%'
}

@test "exposed is the time in which the device does not compute" {
	first='"device":0'
	lone 1 ncclX 100 50 20 kernel "$first"
	lone 2 gemm 90 20 21 kernel "$first"
	lone 3 gemm 105 10 22 kernel "$first"
	lone 4 gemm 135 5 22 gpu_memcpy "$first"
	lone 5 gemm 140 30 21 gpu_memset "$first"
	lone 6 ncclY 145 30 23 kernel '"device":1'
	lone 7 ncclZ 300 10 23 kernel "$first"
	trace t.json
	run -0 tl-coll --rank 0 --sheets collectives --columns kernel,dur_ns,exposed_ns t.json
	equal "$output" $'kernel\tdur_ns\texposed_ns\nncclX\t50000\t25000\nncclY\t30000\t30000\nncclZ\t10000\t10000'
}

@test "exposed times add up to exposed_comm_time of the timeline, where collectives do not overlap" {
	gen t.json -n 3000
	tl-timeline -q --sheets gpu_timeline t.json >timeline.tsv
	tl-coll -q --rank 0 --sheets collectives t.json >c.tsv
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["ts_ns"] < end { exit 3 }
		{ end = $at["ts_ns"] + $at["dur_ns"]; sum += $at["exposed_ns"] }
		END { printf "%.6f\n", sum / 1e6 }' c.tsv >sum
	equal "$(cat sum)" "$(printf %.6f "$(cell timeline.tsv 'time ms' "$(row timeline.tsv type=exposed_comm_time)")")"
}
