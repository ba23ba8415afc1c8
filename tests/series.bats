#!/usr/bin/env bats
# series.bats - tl-series: queues, copies, busy devices and memory over time; delays of launches.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# series SHEET COLUMNS FILE [OPTION…]: its rows, without the header
series() {
	tl-series -q --sheets "$1" --columns "$2" "${@:4}" "$3" | tail -n +2
}

# A call at the time of a kernel's start; a call with two kernels; one without a call.
queues() {
	op aten::mm 0 30
	call 1 0 2; call 2 5 1; call 3 10 1
	gpu 1 a 5 5; gpu 2 b 10 5; gpu 3 c 20 1; gpu 3 c 21 1; lone 99 d 30 10
	trace "$1"
}

# bats test_tags=quick
@test "queue_length: every point; calls first; a call with several device events; those without a call" {
	queues t.json
	run -0 --separate-stderr tl-series --sheets queue_length --columns stream,start_us,window_us,length_mean,length_max --window 0 t.json
	equal "$stderr" 'tl-series: 1 device events without a call in the trace are in no queue'
	equal "$output" $'stream\tstart_us\twindow_us\tlength_mean\tlength_max
7\t0.0\t5.0\t1.0\t1
7\t5.0\t0.0\t2.0\t2
7\t5.0\t5.0\t1.0\t1
7\t10.0\t0.0\t3.0\t3
7\t10.0\t10.0\t2.0\t2
7\t20.0\t1.0\t1.0\t1
7\t21.0\t19.0\t0.0\t0'
}

@test "windows: means by time, extremes, a last one that is shorter" {
	queues t.json
	equal "$(series queue_length start_us,window_us,length_mean,length_min,length_max t.json --window 0.015)" $'0.0\t15.0\t1.3333333333333333\t1\t3
15.0\t15.0\t0.7333333333333333\t0\t2
30.0\t10.0\t0.0\t0\t0'
	equal "$(series busy_share work,start_us,busy_pct t.json --window 0.02)" $'busy\t0.0\t50.0
busy\t20.0\t60.0
computation\t0.0\t50.0
computation\t20.0\t60.0'
	equal "$(series queue_length length_mean t.json | wc -l)" 1000
}

@test "series_summary: queues by time; calls that find the queue full, beyond the median of others" {
	call 1 0 2; call 2 5 4; call 3 10 3; call 4 20 10; call 5 40 2
	gpu 1 k 6 20; gpu 2 k 26 14; gpu 3 k 41 1; gpu 4 k 42 1; gpu 5 k 43 1
	trace t.json
	tl-series -q --queue-full 2 t.json >t.tsv
	equal "$(cell t.tsv series)" queue_length
	equal "$(cell t.tsv track)" 7
	equal "$(cell t.tsv point_count)" 10
	equal "$(cell t.tsv span_ms)" 0.044
	like "$(cell t.tsv time_mean)" '^1\.886'
	equal "$(cell t.tsv greatest)" 3
	equal "$(cell t.tsv p10) $(cell t.tsv p50) $(cell t.tsv p90)" '1 2 3'
	like "$(cell t.tsv zero_pct)" '^2\.27'
	equal "$(cell t.tsv full_pct)" 75.0
	equal "$(cell t.tsv blocked_count)" 2
	equal "$(cell t.tsv blocked_ms)" 0.007
	equal "$(cell t.tsv blocked_unknown_count)" 0
	equal "$(cell t.tsv no_call_count)" 0
	tl-series -q t.json >t.tsv
	equal "$(cell t.tsv blocked_count) $(cell t.tsv full_pct)" '0 0.0'
}

@test "a device event that starts before its call is said, and the queue is shorter than 0" {
	call 1 10 2; gpu 1 k 7 5
	trace t.json
	run -0 --separate-stderr tl-series --sheets queue_length --columns length_min --window 0 t.json
	like "$stderr" '1 device events start before their call, by 0.003 ms at most'
	equal "$output" $'length_min\n-1\n0'
	equal "$(series launch_delays delay_us_mean,start_delay_us_min t.json)" $'0.0\t'
}

@test "copy_bandwidth: sums of copies that run together, no length, no bytes; means while copies run" {
	call 1 0 1; gpu 1 'Memcpy HtoD (Pageable -> Device)' 0 10 7 gpu_memcpy '"bytes":1000'
	call 2 1 1; gpu 2 'Memcpy HtoD (Pinned -> Device)' 5 10 8 gpu_memcpy '"bytes":7000'
	call 3 2 1; gpu 3 'Memcpy HtoD (Pinned -> Device)' 40 10 8 gpu_memcpy
	call 4 3 1; gpu 4 'Memset (Device)' 45 0 7 gpu_memset '"bytes":4'
	trace t.json
	run -0 --separate-stderr tl-series --sheets copy_bandwidth --columns 'direction,start_us,mean (GB/s)' --window 0 t.json
	like "$stderr" 'without bytes: 1 of 4, left out'
	equal "$output" $'direction\tstart_us\tmean (GB/s)
HtoD\t0.0\t0.1\nHtoD\t5.0\t0.7999999999999999\nHtoD\t10.0\t0.7\nHtoD\t15.0\t0.0\nmemset\t45.0\t4.0\nmemset\t45.001\t0.0'
	tl-series -q t.json >t.tsv
	row=$(row t.tsv series=copy_bandwidth track=HtoD)
	equal "$(cell t.tsv copy_count "$row") $(cell t.tsv no_bytes_count "$row") $(cell t.tsv bytes "$row") $(cell t.tsv busy_ms "$row")" '2 1 8000 0.015'
	like "$(cell t.tsv time_mean "$row")" '^0\.5333'
	equal "$(cell t.tsv p10 "$row") $(cell t.tsv p90 "$row")" '0.1 0.7999999999999999'
}

@test "live_memory: before the first point, and beyond the recorded window" {
	op aten::mm 10 10
	for e in '5,"args":{"Total Allocated":50,"Bytes":20,"Addr":1,' '30,"args":{"Total Allocated":20,"Bytes":-30,"Addr":2,'; do
		event "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":$e\"Device Id\":0,\"Device Type\":0}}"
	done
	trace t.json
	equal "$(series live_memory start_us,window_us,mean_bytes,max_bytes t.json --window 0.01)" $'-10.0\t10.0\t40.0\t50
0.0\t10.0\t50.0\t50\n10.0\t10.0\t50.0\t50'
	tl-series -q t.json >t.tsv
	equal "$(cell t.tsv series) $(cell t.tsv greatest) $(cell t.tsv span_ms)" 'live_memory 50 0.025'
}

@test "launch_delays: by kernel and call, most delay first; each event of a graph; launches has them one by one" {
	call 1 0 5; gpu 1 small 6 2
	call 2 10 5; gpu 2 small 18 7
	call 3 20 4 cudaGraphLaunch; gpu 3 small 22 1; gpu 3 big 100 0
	trace t.json
	equal "$(series launch_delays name,call,Count,shorter_count,call_us_mean,delay_us_mean,delay_ms t.json)" $'big\tcudaGraphLaunch\t1\t1\t4.0\t76.0\t0.076
small\tcudaLaunchKernel\t2\t1\t5.0\t2.0\t0.004
small\tcudaGraphLaunch\t1\t1\t4.0\t0.0\t0.0'
	equal "$(series launches correlation,start_us,delay_us,start_delay_us,UID t.json)" $'1\t0.0\t1.0\t6.0\t2
2\t10.0\t3.0\t8.0\t6\n3\t20.0\t0.0\t2.0\t10\n3\t20.0\t76.0\t80.0\t12'
}

@test "traces without device events, without length" {
	op aten::mm 0 5; trace t.json
	equal "$(tl-series -q --window 0 t.json | wc -l)" 1
	tl-series -q -d d t.json
	equal "$(ls d)" ''
	call 1 0 0; gpu 1 k 0 0; trace t.json
	tl-series -q t.json >t.tsv
	equal "$(cell t.tsv greatest) $(cell t.tsv time_mean) $(cell t.tsv p50)" '  '
}

@test "windows: what is no time, and too many" {
	queues t.json
	for w in x 1x -1 nan inf ''; do
		run -2 --separate-stderr tl-series --window "$w" t.json
	done
	failed 2 ''
	op aten::mm 0 2000000; trace t.json
	run -1 --separate-stderr tl-series --window 0.0001 t.json
	failed 1 '--window: 20000000 windows of 0.0001 ms: expected at most 1000000; a window of 0 shows all points'
	equal "$(tl-series -q --sheets series_summary --window 1e300 t.json | wc -l)" 1
}

# Points of queues, and copies, in the traces whose launches HolisticTraceAnalysis knows, and every launch that it tells.
@test "queues, copies and launches are those of HolisticTraceAnalysis, point by point" {
	ref=$TL_ROOT/../shared/traces
	[ -d "$ref/views/hta" ] || skip "no $ref"
	need python3
	for t in b200-eager h100-bert h100-owlv2 h100-qwen h100-timesformer h100-vit; do
		mkdir "$t"
		tl-series -q --window 0 --sheets queue_length,copy_bandwidth,launches -d "$t" "$ref/pytorch/$t/input.json.gz" >/dev/null
		python3 - "$ref/views/hta/$t" "$t" <<-'END'
		import csv, sys
		from decimal import Decimal
		def rows(path):
		    return list(csv.DictReader(open(path), delimiter='\t', quoting=csv.QUOTE_NONE))
		def ns(text):
		    return int(Decimal(text) * 1000)
		def from_first(points): # times of the two begin at different events
		    return sorted((p[0] - min(points)[0], *p[1:]) for p in points)
		theirs, ours = sys.argv[1:]
		want = from_first([(int(r['ts']), int(float(r['stream'])), int(float(r['queue_length']))) for r in rows(theirs + '/queue_length.tsv')])
		got = from_first([(ns(r['start_us']), int(r['stream']), int(r['length_max'])) for r in rows(ours + '/queue_length.tsv')])
		assert want and want == got, 'queue_length of ' + ours
		want = from_first([(int(r['ts']), r['name'].split()[-1].lower(), float(r['memory_bw_gbps'])) for r in rows(theirs + '/memory_bw.tsv')])
		got = from_first([(ns(r['start_us']), r['direction'].lower(), float(r['max (GB/s)'])) for r in rows(ours + '/copy_bandwidth.tsv')])
		want, got = ({p[:2]: p[2] for p in points} for points in (want, got))
		assert want and want.keys() == got.keys() and all(abs(want[k] - got[k]) <= 1e-6 * max(1, got[k]) for k in want), 'copies of ' + ours
		want = {tuple(int(r[c]) for c in ('correlation', 'cpu_duration', 'gpu_duration', 'launch_delay')) for r in rows(theirs + '/launch_stats.tsv')}
		got = {(int(r['correlation']), ns(r['call_us']), ns(r['device_us']), ns(r['delay_us'])) for r in rows(ours + '/launches.tsv')}
		assert want and want <= got, 'launches of ' + ours
		END
	done
}

# k BLOCKS OCCUPANCY: arguments of a kernel
k() {
	printf '"device":0,"blocks per SM":%s,"est. achieved occupancy %%":%s' "$1" "$2"
}

# Two steps, the second of which begins when the first one's last kernel has ended; kernels that overlap, one without numbers.
@test "step_kernels: steps share the time; kernels that overlap; unknown occupancy; no length" {
	for n in 1 2; do
		event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#$n\",\"pid\":1,\"tid\":1,\"ts\":$((n * 20 - 20)),\"dur\":20}"
	done
	call 1 0 2; call 2 3 1; call 3 25 1; call 4 26 1
	gpu 1 a 5 10 7 kernel "$(k 0.5 40)"; gpu 2 b 10 15 8 kernel "$(k 0.75 0)"
	gpu 3 c 30 5 7 kernel '"device":0'; gpu 4 d 40 0 7 kernel "$(k 3 100)"
	trace t.json
	equal "$(series step_kernels step,window_start_us,window_ms,kernel_count,kernel_ms,utilisation_pct,sm_efficiency_pct t.json)" \
		$'ProfilerStep#1\t0.0\t0.025\t2\t0.02\t80.0\t60.0\nProfilerStep#2\t25.0\t0.015\t1\t0.005\t33.33333333333333\t'
	equal "$(series step_kernels blocks_per_sm,blocks_known_pct,occupancy_pct,occupancy_known_pct t.json)" $'0.65\t100.0\t40.0\t40.0\n\t0.0\t\t0.0'
}

@test "step_kernels: without steps one from the first to the last operator; what ran before is not in the first step" {
	op aten::mm 10 20; call 1 15 2
	gpu 1 a 22 8; lone 9 before 5 10
	trace t.json
	equal "$(series step_kernels step,start_us,step_ms,window_start_us,window_ms,kernel_count,utilisation_pct t.json)" $'0\t5.0\t0.02\t10.0\t0.015\t1\t53.333333333333336'
}

@test "step_kernels: utilisation, efficiency and occupancy are those of the TensorBoard plugin" {
	ref=$TL_ROOT/../shared/traces
	[ -d "$ref/views/tb" ] || skip "no $ref"
	for t in h100-bert h100-owlv2 h100-qwen h100-timesformer h100-vit mi300-bert mi300-qwen mi300-resnet; do
		tl-series -q --sheets step_kernels --columns window_ms,kernel_ms,sm_efficiency_pct,occupancy_pct,occupancy_known_pct \
			"$ref/pytorch/$t/input.json.gz" | awk -F'\t' -v t="$t" '
			function near(a, b) { return a - b < 1e-9 && b - a < 1e-9 }
			NR == FNR { if (FNR == 2) { busy = $2; full = $3; occupancy = $4 } next }
			FNR > 1 { steps += $1; kernels += $2; filled += $3 / 100 * $1; weighted += $4 * $5 / 100 } # unknown counts 0 there
			END { if (!near(kernels / steps, busy) || !near(filled / steps, full) || !near(weighted, occupancy)) { print t; exit 1 } }
			' "$ref/views/tb/$t/gpu.tsv" -
	done
}

@test "a trace without device events and allocations has no series, and that is said" {
	op a 1 1; trace t.json
	run -0 --separate-stderr tl-series t.json
	equal "${#lines[@]}" 1
	equal "${stderr_lines[0]}" 'tl-series: warning: t.json: no device events or allocations in the trace'
}
