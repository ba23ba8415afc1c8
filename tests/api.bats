#!/usr/bin/env bats
# api.bats - tl-api: calls of the runtime and driver, copies of memory.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

@test "calls of one name are one row, with host time, share and launch latency" {
	call 1 0 2; gpu 1 k 10 5
	call 2 4 4; gpu 2 k 30 5
	call 3 20 6
	call 4 40 8 cudaStreamSynchronize
	trace t.json
	run -0 --separate-stderr tl-api t.json
	equal "$stderr" ''
	equal "$output" "name	api	Count	host_time_ms	Percentage (%)	Cumulative Percentage (%)	host_time_us_mean	host_time_us_median	host_time_us_std	host_time_us_min	host_time_us_max	launching_count	device_event_count	launch_latency_us_mean	launch_latency_us_median	launch_latency_us_min	launch_latency_us_max	queue_time_us_mean	queue_time_us_median	queue_time_us_max
cudaLaunchKernel	runtime	3	0.012	60.0	60.0	4.0	4.0	2.0	2	6	2	2	18.0	18.0	10.0	26.0	15.0	15.0	22.0
cudaStreamSynchronize	runtime	1	0.008	40.0	100.0	8.0	8.0		8	8	0	0							"
}

@test "a call that launched several device events counts by the one that starts first" {
	call 1 0 5 cudaGraphLaunch; gpu 1 a 10 1; lone 1 b 8 1; lone 1 c 20 1
	trace t.json
	tl-api t.json >t.tsv
	equal "$(cell t.tsv launching_count)" 1
	equal "$(cell t.tsv device_event_count)" 3
	equal "$(cell t.tsv launch_latency_us_mean)" 8.0
	equal "$(cell t.tsv queue_time_us_max)" 3.0
}

@test "work that starts during its call did not queue; work that starts before it is noted" {
	call 1 10 5; gpu 1 k 12 1
	trace t.json
	run -0 --separate-stderr tl-api t.json
	equal "$stderr" ''
	tl-api t.json >t.tsv
	equal "$(cell t.tsv launch_latency_us_mean)" 2.0
	equal "$(cell t.tsv queue_time_us_mean)" 0.0
	call 1 10 5; gpu 1 k 9 1
	call 2 30 5; gpu 2 k 40 1
	trace t.json
	run -0 --separate-stderr tl-api -o t.tsv t.json
	like "$stderr" '^tl-api: calls whose device work starts before the call: 1 of 2; .* left out of the launch latencies in api_summary$'
	equal "$(cell t.tsv launch_latency_us_min) $(cell t.tsv launching_count)" "10.0 2"
	equal "$(cell t.tsv queue_time_us_mean)" 2.5
}

@test "runtime and driver are told apart; calls of equal time are in the order of their names" {
	event '{"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":1,"tid":1,"ts":0,"dur":1,"args":{}}'
	call 1 10 1 cuLaunchKernel
	call 2 20 1 b
	call 3 30 1 a
	trace t.json
	equal "$(tl-api t.json | cut -f 1-4)" 'name	api	Count	host_time_ms
a	runtime	1	0.001
b	runtime	1	0.001
cuLaunchKernel	driver	1	0.001
cuLaunchKernel	runtime	1	0.001'
}

# copy NAME DUR [CAT [ARGS]]: a copy after those before
copy() {
	lone "${#EVENTS[@]}" "$1" "1${#EVENTS[@]}00" "$2" 7 "${3-gpu_memcpy}" ${4+"$4"}
}

@test "copies have time, bytes and GB/s; those without bytes count in time only" {
	copy 'Memcpy HtoD (Pageable -> Device)' 1 gpu_memcpy '"bytes":1000'
	copy 'Memcpy HtoD (Pageable -> Device)' 3 gpu_memcpy '"bytes":9000'
	copy 'Memcpy HtoD (Pageable -> Device)' 2
	copy 'Memset (Device)' 2 gpu_memset
	trace t.json
	run -0 --separate-stderr tl-api --sheet memcpy_summary t.json
	equal "$stderr" 'tl-api: copies and sets of memory without bytes: 2 of 4, left out of bytes and GB/s in memcpy_summary'
	equal "$output" "direction	memory	name	Count	time_ms	Percentage (%)	time_us_mean	time_us_median	time_us_std	time_us_min	time_us_max	with_bytes_count	bytes_sum	bytes_mean	bytes_median	bytes_std	bytes_min	bytes_max	GB/s	GB/s_median	GB/s_max
HtoD	Pageable -> Device	Memcpy HtoD (Pageable -> Device)	3	0.006	75.0	2.0	2.0	1.0	1	3	2	10000	5000.0	5000.0	5656.85424949238	1000	9000	2.5	2.0	3.0
memset	Device	Memset (Device)	1	0.002	25.0	2.0	2.0		2	2	0									"
}

@test "the direction follows from the name, also of kernels of the AMD runtime" {
	copy 'Memcpy DtoH (Device -> Pinned)' 9
	copy 'Memcpy DtoD (Device -> Device)' 8
	copy 'Memcpy PtoP (Device -> Device)' 7
	copy CopyHostToDevice 6
	copy something 5
	copy __amd_rocclr_copyBuffer.kd 4 kernel
	copy __amd_rocclr_fillBufferAligned.kd 3 kernel
	copy MEMORY_COPY_DEVICE_TO_HOST 2 kernel
	copy 'void memset_kernel(int)' 1 kernel
	copy odd 1 gpu_memset
	trace t.json
	equal "$(tl-api -q --sheet memcpy_summary t.json | cut -f 1-3 | tail -n +2)" "DtoH	Device -> Pinned	Memcpy DtoH (Device -> Pinned)
DtoD	Device -> Device	Memcpy DtoD (Device -> Device)
PtoP	Device -> Device	Memcpy PtoP (Device -> Device)
HtoD		CopyHostToDevice
unknown		something
unknown		__amd_rocclr_copyBuffer.kd
memset		__amd_rocclr_fillBufferAligned.kd
DtoH		MEMORY_COPY_DEVICE_TO_HOST
memset		odd"
}

@test "a copy that took no time has no rate, and bytes that are no count are none" {
	copy 'Memcpy DtoD (Device -> Device)' 0 gpu_memcpy '"bytes":8'
	copy 'Memcpy DtoD (Device -> Device)' 1 gpu_memcpy '"bytes":-8'
	copy 'Memcpy DtoD (Device -> Device)' 1 gpu_memcpy '"bytes":"x"'
	trace t.json
	tl-api -q --sheet memcpy_summary t.json >t.tsv
	equal "$(cell t.tsv with_bytes_count)" 1
	equal "$(cell t.tsv bytes_sum)" 8
	equal "$(cell t.tsv GB/s)$(cell t.tsv GB/s_max)" ''
	equal "$(cell t.tsv time_ms)" 0.002
}

@test "copies by direction and size; one without bytes is in a row of its own" {
	copy 'Memcpy DtoD (Device -> Device)' 2 gpu_memcpy '"bytes":8000'
	copy 'Memcpy DtoD (Device -> Device)' 2 gpu_memcpy '"bytes":16'
	copy 'Memcpy DtoD (Pinned -> Device)' 6 gpu_memcpy '"bytes":8000'
	copy 'Memcpy DtoH (Device -> Pinned)' 1 gpu_memcpy '"bytes":16'
	copy 'Memcpy DtoH (Device -> Pinned)' 1 gpu_memcpy '"unknown":1'
	trace t.json
	equal "$(tl-api -q --sheet memcpy_by_size --columns direction,bytes,Count,time_ms,bytes_sum,GB/s t.json)" \
		"direction	bytes	Count	time_ms	bytes_sum	GB/s
DtoD	8000	2	0.008	16000	2.0
DtoD	16	1	0.002	16	0.008
DtoH	16	1	0.001	16	0.016
DtoH		1	0.001		"
	tl-report -q --tsv-dir out --memcpy_by_size t.json
	tl-api -q --sheet memcpy_by_size t.json | cmp - out/memcpy_by_size.tsv
}

@test "a report has memcpy_summary, and api_summary if asked" {
	gen t.json -n 2000 --no-python
	tl-report -q --tsv-dir out t.json
	tl-api -q --sheet memcpy_summary t.json | cmp - out/memcpy_summary.tsv
	[ ! -e out/api_summary.tsv ]
	tl-report -q --tsv-dir out --api_summary t.json
	tl-api -q t.json | cmp - out/api_summary.tsv
}

@test "a trace without calls and copies has empty sheets, and none in a folder" {
	lone 1 k 0 1
	trace t.json
	equal "$(tl-api -q t.json | wc -l)" 1
	equal "$(tl-api -q --sheet memcpy_summary t.json | wc -l)" 1
	equal "$(tl-api -q -d out t.json)" ''
}

# What a straightforward program in another language says of a trace: calls by name with
# count, host time in ns and sums of latency and queue time in ns.
by_hand() {
	gzip -dcf "$1" | python3 -c '
import json, sys
from collections import defaultdict
from decimal import Decimal
events = json.load(sys.stdin, parse_float=Decimal)["traceEvents"]
ns = lambda x: int(Decimal(x) * 1000)
span = lambda e: (ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]))
calls = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
arrows = {e["id"] for e in events if e.get("cat") == "ac2g" and e["ph"] == "s"}
gpu = defaultdict(list)
for e in events:
    if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
        gpu[e["args"]["correlation"]].append(span(e)[0])
rows = defaultdict(lambda: [0, 0, 0, 0, 0])
for c in calls:
    r, (start, end) = rows[c["name"]], span(c)
    r[0] += 1
    r[1] += end - start
    starts = gpu.get(c["args"].get("correlation"))
    if starts and c["args"]["correlation"] in arrows:
        r[2] += 1
        r[3] += max(0, min(starts) - start)
        r[4] += max(0, min(starts) - end)
for name in sorted(rows):
    print(name, *rows[name])
'
}

# range NAME TS DUR [TID [ARGS]]: an annotation of the host
range() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":${4-1},\"ts\":$2,\"dur\":$3,\"args\":{${5-}}}"
}

@test "ranges: host time, and the span of the work launched wholly inside, on the range's thread" {
	call 1 10 2; gpu 1 a 100 5
	call 2 20 2 cudaGraphLaunch; gpu 2 b 120 10; lone 2 c 90 1
	call 3 30 20; gpu 3 d 200 5
	range outer 5 30; range inner 19 4; range inner 60 5; range elsewhere 5 100 2
	range moves 5 100 1 '"end thread":2'
	range lib 9 4 1 '"domain":"nccl","style":"PushPop"'
	trace t.json
	tl-api -q --sheets range_summary --columns name,style,Count,host_time_ms,launching_count,device_event_count,device_span_us_mean t.json >t.tsv
	equal "$(<t.tsv)" "name	style	Count	host_time_ms	launching_count	device_event_count	device_span_us_mean
elsewhere		1	0.1	0	0	
moves		1	0.1	0	0	
outer		1	0.03	1	3	40.0
inner		2	0.009	1	2	40.0
nccl:lib	PushPop	1	0.004	1	1	5.0"
	tl-report -q --tsv-dir out t.json
	[ ! -e out/range_summary.tsv ]
	tl-report -q --tsv-dir out --range_summary t.json
	tl-api -q --sheets range_summary t.json | cmp - out/range_summary.tsv
}

# The same numbers out of api_summary.
by_sheet() {
	tl-api -q "$1" | awk -F'\t' 'NR > 1 { printf "%s %d %.0f %d %.0f %.0f\n", $1, $3, $4 * 1e6, $12, $14 * $12 * 1000, $18 * $12 * 1000 }' | sort
}

@test "the sums are those of a straightforward program" {
	need python3
	gen t.json -n 5000 --no-python
	by_hand t.json | LC_ALL=C sort >wanted
	[ -s wanted ]
	by_sheet t.json | LC_ALL=C sort | diff wanted -
}

@test "real traces give the sums of a straightforward program" {
	need python3
	ref=$TL_ROOT/../shared
	[ -d "$ref/traces/pytorch" ] || skip "no reference traces here"
	for t in h100-bert mi300-bert; do
		by_hand "$ref/traces/pytorch/$t/input.json.gz" | LC_ALL=C sort >wanted
		[ -s wanted ]
		by_sheet "$ref/traces/pytorch/$t/input.json.gz" | LC_ALL=C sort | diff wanted -
	done
}
