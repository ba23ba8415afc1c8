#!/usr/bin/env bats
# path.bats - tl-path: the critical path of a step or a trace.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# What path_summary says: each bound with its time in µs, if it has any
parts() {
	tl-path -q "$@" | tail -n +2 | awk -F'\t' '$3 > 0 { printf "%s%s %g", sep, $1, $3 * 1000; sep = "; " } END { print "" }'
}

# fact FILE ITEM [OPTION…]: a value of path_facts
fact() {
	tl-path -q --sheets path_facts "${@:3}" "$1" | awk -F'\t' -v item="$2" '$1 == item { print $2 }'
}

# on THREAD CAT NAME TS DUR [ARGS]: an event of the host on a thread
on() {
	event "{\"ph\":\"X\",\"cat\":\"$2\",\"name\":\"$3\",\"pid\":1,\"tid\":$1,\"ts\":$4,\"dur\":$5,\"args\":{${6-}}}"
}

@test "the host is late: operators and calls are the path, and the last launch" {
	op a 0 100; call 1 10 20; gpu 1 k 15 10
	op b 100 100; call 2 110 20; gpu 2 k 115 100
	trace t.json
	run -0 --separate-stderr tl-path t.json
	equal "$stderr" ''
	equal "$output" 'bound	edges	time_ms	Percentage (%)
compute	1	0.1	46.51162790697675
operator	3	0.09	41.860465116279066
call	1	0.02	9.30232558139535
launch latency	1	0.005	2.3255813953488373
host idle	3	0.0	0.0'
	equal "$(tl-path -q --sheets path t.json | cut -f 1-6)" 'bound	name	edge	start_us	end_us	time_us
host idle		thread starts	0.0	0.0	0.0
operator	a	host	0.0	10.0	10.0
call	cudaLaunchKernel	host	10.0	30.0	20.0
operator	a	host	30.0	100.0	70.0
host idle		host	100.0	100.0	0.0
operator	b	host	100.0	110.0	10.0
launch latency	k	launch	110.0	115.0	5.0
compute	k	device	115.0	215.0	100.0
host idle		end	215.0	215.0	0.0'
	equal "$(tl-path -q --sheets path_events t.json | cut -f 1-4 | head -n 4)" 'bound	name	edges	time_ms
compute	k	1	0.1
operator	a	2	0.08
call	cudaLaunchKernel	1	0.02'
}

@test "the device is late: kernels and the gaps between them; the host has slack" {
	op a 0 60
	for i in 1 2 3; do call "$i" $((i * 10)) 5; gpu "$i" k $((i * 101 - 85)) 100; done
	trace t.json
	equal "$(parts t.json)" 'compute 300; operator 10; launch latency 6; kernel gaps 2'
	tl-path -q --sheets path_slack t.json >s.tsv
	equal "$(cut -f 1-3,5-8 s.tsv)" 'kind	name	Count	path_ms	slack_us_min	slack_us_median	without_slack_count
kernel	k	3	0.3	0.0	0.0	3
operator	a	1	0.01	258.0	258.0	0'
}

@test "a copy that blocks, and a synchronisation, hold up the host" {
	op a 0 200
	call 1 10 5; gpu 1 k 15 50
	call 2 20 100 hipMemcpyWithStream; gpu 2 'Memcpy DtoH' 66 40 7 gpu_memcpy
	call 3 130 5; gpu 3 k 135 30
	call 4 140 45 cudaStreamSynchronize
	trace t.json
	equal "$(parts t.json)" 'compute 80; copies 40; operator 35; sync 34; launch latency 10; kernel gaps 1'
	run -0 --separate-stderr tl-path -o x.tsv t.json
	equal "$stderr" 'tl-path: inferred: 0 waits between streams by their calls, 0 by their times, 1 streams of synchronisations (--no-inferred leaves them out)'
	run -0 --separate-stderr tl-path --no-inferred -o x.tsv t.json
	equal "$stderr" ''
	equal "$(parts --no-inferred t.json)" 'call 50; compute 50; copies 40; operator 40; sync 14; launch latency 5; kernel gaps 1'
}

# Two streams: the second starts 5 us after the first is done, and was launched 90 us before that
two_streams() {
	op a 0 50
	call 1 10 5; gpu 1 k 15 100 7
	"$@"
	call 2 30 5; gpu 2 j 120 50 8
}

@test "a stream waits for another one: as calls suggest, or only times" {
	two_streams call 9 20 2 cudaStreamWaitEvent
	trace t.json
	equal "$(parts t.json)" 'compute 150; operator 10; event wait 5; launch latency 5'
	equal "$(fact t.json 'event waits, inferred from calls')" 1
	equal "$(parts --no-inferred t.json)" 'cause unknown 90; compute 50; operator 23; call 7'
	equal "$(fact t.json 'gaps above 10 us before device events, without a cause' --no-inferred)" 1
	two_streams true
	trace t.json
	equal "$(parts t.json)" 'compute 150; operator 10; event wait 5; launch latency 5'
	equal "$(fact t.json 'event waits, inferred from times')" 1
}

# sync ID ARGS: what the profiler says of a call
sync() {
	event "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Sync\",\"pid\":0,\"tid\":7,\"ts\":25,\"dur\":1,\"args\":{\"correlation\":$1,\"device\":0,$2}}"
}

@test "what the trace tells of synchronisation is not inferred" {
	op a 0 240
	call 1 10 5; gpu 1 k 15 100 7 kernel '"device":0'
	call 8 17 1 cudaEventRecord
	call 9 20 2 cudaStreamWaitEvent; sync 9 '"stream":8,"wait_on_stream":7,"wait_on_cuda_event_record_corr_id":8'
	call 2 30 5; gpu 2 j 120 50 8 kernel '"device":0'
	call 3 36 4; gpu 3 late 116 100 7 kernel '"device":0'
	call 10 60 120 cudaStreamSynchronize; sync 10 '"stream":8'
	trace t.json
	run -0 --separate-stderr tl-path --sheets path_facts t.json
	equal "$stderr" ''
	like "$output" $'event waits of the trace\t1'
	like "$output" $'edges: sync\t1\n'
	equal "$(parts t.json)" 'compute 150; operator 70; sync 10; event wait 5; launch latency 5'
	equal "$(parts --no-inferred t.json)" 'compute 150; operator 70; sync 10; event wait 5; launch latency 5'
}

@test "the thread of autograd gets its work from the main thread, which waits for it" {
	on 1 cpu_op fwd 0 20
	call 1 2 2
	on 1 cpu_op backward 20 100
	on 2 cpu_op 'autograd::engine::evaluate_function: X' 30 80
	on 1 cpu_op step 120 10
	trace t.json
	equal "$(parts t.json)" 'operator 108; hand-over 20; call 2'
}

@test "steps follow each other: a step begins where the work of the one before ends" {
	on 1 user_annotation 'ProfilerStep#3' 0 50
	on 1 user_annotation 'ProfilerStep#4' 50 50
	op a 5 40; call 1 10 5; gpu 1 k 15 100
	op b 55 40; call 2 60 5; gpu 2 k 116 100
	trace t.json
	equal "$(parts --step 3 t.json)" 'compute 100; host idle 5; launch latency 5; operator 5'
	equal "$(parts --step 4 t.json)" 'compute 100; launched before 1'
	equal "$(fact t.json 'start, us' --step 4)" 115.0
	equal "$(parts t.json)" 'compute 200; host idle 5; launch latency 5; operator 5; kernel gaps 1'
	run -1 --separate-stderr tl-path --step 5 t.json
	failed 1 't.json: the trace has no step 5; its steps are 3 to 4'
	op a 0 1
	trace none.json
	run -1 --separate-stderr tl-path --step 5 none.json
	failed 1 'none.json: the trace has no steps, so no step 5: without --step the path is that of the whole trace'
	printf '{"traceEvents":[]}' >empty.json
	run -1 --separate-stderr tl-path empty.json
	failed 1 'no operators, calls or device events'
}

@test "data loading is told apart; Python frames and annotations own what nothing in them does" {
	on 1 user_annotation 'enumerate(DataLoader)#_SingleProcess.__next__' 0 30
	op read 5 10
	frame f.py 30 50; op a 35 10
	on 1 user_annotation mine 80 20; op b 80 5
	trace t.json
	equal "$(parts t.json)" 'Python 40; data loading 30; annotation 15; operator 15'
}

@test "the parts sum up to the window, and networkx finds a path of its length, in a generated trace" {
	gen g.json -n 3000
	tl-path -q g.json >s.tsv
	tl-path -q --sheets path_graph g.json >e.tsv
	length=$(fact g.json 'length, us')
	equal "$(awk -F'\t' 'NR > 1 { s += $3 } END { printf "%.3f", s * 1000 }' s.tsv)" "$(printf %.3f "$length")"
	equal "$(awk -F'\t' 'NR > 1 && $3 > $4' e.tsv)" ''
	python3 -c 'import networkx' 2>/dev/null || skip "networkx of Python is not here"
	equal "$(python3 - e.tsv <<-'END'
		import csv, sys, networkx
		from decimal import Decimal
		g = networkx.DiGraph()
		for e in csv.DictReader(open(sys.argv[1]), delimiter="\t", quoting=csv.QUOTE_NONE):
		    u, v, w = e["from"], e["to"], int(Decimal(e["delay_us"]) * 1000)
		    if not g.has_edge(u, v) or g[u][v]["w"] < w:
		        g.add_edge(u, v, w=w)
		print(networkx.dag_longest_path_length(g, weight="w"))
		END
	)" "$(awk -v us="$length" 'BEGIN { printf "%.0f", us * 1000 }')"
}

@test "what would be saved if something were faster, and what is critical then" {
	op a 0 100; call 1 10 20; gpu 1 k 15 200
	op b 100 100; op c 110 80
	trace t.json
	run -0 --separate-stderr tl-path --sheets path_what_if --what-if k/2 --what-if k/1 --what-if k/inf --what-if compute/10 --what-if a/10 t.json
	equal "$(cut -f 1-5,7-10 <<<"$output")" 'kind	what	times_faster	length_ms	saved_ms	off_path_ms	critical_then	critical_then_name	critical_then_ms
operator	a	10	0.11	0.105	0.189	operator	c	0.08
	all of these		0.11	0.105	0.209	operator	c	0.08
kernel	k	2	0.2	0.015	0.1	operator	c	0.08
kernel	k		0.2	0.015	0.2	operator	c	0.08
bound	compute	10	0.2	0.015	0.18	operator	c	0.08
kernel	k	1	0.215	0.0	0.0			'
	equal "$(tl-path -q --sheets path_what_if --what-if-all t.json | cut -f 1,2,5)" 'kind	what	saved_ms
operator	a	0.115
kernel	k	0.015'
	run -0 --separate-stderr tl-path --sheets path_what_if --what-if-all --what-if-most 1 t.json
	equal "$(wc -l <<<"$output")" 2
	equal "$stderr" 'tl-path: --what-if-all: the 1 operators and kernels with most time on the path; 1 others would save no more than 0.2 ms each (--what-if-most)'
	equal "$(tl-path -q --sheets path_then --what-if k/2 t.json)" 'kind	what	times_faster	bound	now_ms	then_ms	more_ms
kernel	k	2	compute	0.2	0.0	-0.2
kernel	k	2	launch latency	0.005	0.0	-0.005
kernel	k	2	operator	0.01	0.18	0.17
kernel	k	2	call	0.0	0.02	0.02'
	for wrong in nobody/2 host:k/2; do
		run -1 --separate-stderr tl-path --sheets path_what_if --what-if "$wrong" t.json
		failed 1 "--what-if: '$wrong'"
	done
	for wrong in k k/ k/0 k/x /2 kernel:/2; do
		for program in 'tl-path --sheets path_what_if' 'tl-sheets --sheets path_what_if' 'tl-report -d out' 'tl-sheets -n'; do
			# shellcheck disable=SC2086 # words
			run -2 --separate-stderr $program --what-if "$wrong" none.json
			failed 2 "--what-if: '$wrong'"
		done
	done
}

# saved WHAT FILE: what it saves, in µs
saved() {
	tl-path -q --sheets path_what_if --what-if "$1" "$2" | awk -F'\t' 'NR == 2 { printf "%s %g\n", $1, $5 * 1000 }'
}

@test "what can be faster: kernels, operators with and without what is in them, categories, copies, causes of idle time" {
	op a 0 100; op b 10 60; call 1 20 10; gpu 1 sm90_gemm 25 5
	op c 100 50; call 2 110 10; gpu 2 'Memcpy HtoD (Pageable -> Device)' 115 100 7 gpu_memcpy
	op d 150 100; call 3 230 10 cudaLaunchKernel; gpu 3 sm90_gemm 235 40
	trace t.json
	equal "$(parts t.json)" 'operator 210; compute 40; call 20; launch latency 5'
	equal "$(saved a/inf t.json)" 'operator 100'
	equal "$(saved host:b/inf t.json)" 'host 60'
	equal "$(saved alone:a/2 t.json)" 'alone 20'
	equal "$(saved alone:b/inf t.json)" 'alone 50'
	equal "$(saved operator:d/inf t.json)" 'operator 60'
	equal "$(saved host:d/inf t.json)" 'host 20'
	equal "$(saved sm90_gemm/4 t.json)" 'kernel 25'
	equal "$(saved category:GEMM-Generic/4 t.json)" 'category 25'
	equal "$(saved copy:HtoD/inf t.json)" 'copy 0'
	equal "$(saved 'idle:launch-bound/inf' t.json)" 'idle 130'
	run -1 --separate-stderr tl-path --sheets path_what_if --what-if sm90_gem/2 t.json
	failed 1 "no time in the window is of 'sm90_gem'; near it: kernel:sm90_gemm"
	run -1 --separate-stderr tl-path --sheets path_what_if --what-if 'copy:HTOD/2' t.json
	failed 1 "near it: .*copy:HtoD"
	run -1 --separate-stderr tl-path --sheets path_what_if --what-if bound:Python/2 t.json
	failed 1 "no time in the window is of 'bound:Python'\$"
}

# work US FILE: a host that waits for three kernels of US microseconds each, and goes on
work() {
	local k at=15 stop
	EVENTS=()
	op a 0 40
	for k in 1 2 3; do call "$k" $((k * 10)) 5; gpu "$k" g "$at" "$1"; at=$((at + $1 + 1)); done
	stop=$((at - 1))
	call 4 45 $((stop - 45 + 4)) cudaStreamSynchronize
	op e $((stop + 10)) 20; call 5 $((stop + 15)) 5; gpu 5 h $((stop + 20)) 30
	trace "$2"
}

@test "pairs of traces: what is predicted of a faster kernel is what is measured" {
	work 60 slow.json
	for pair in '30 2' '20 3' '15 4'; do
		read -r time k <<<"$pair"
		work "$time" fast.json
		equal "$(saved "g/$k" slow.json)" "kernel $(awk -v a="$(fact slow.json 'length, us')" -v b="$(fact fast.json 'length, us')" 'BEGIN { printf "%g", a - b }')"
	done
}

# pair NAME/K LEAST OPTION…: now.json, and a trace generated with the options, in which NAME takes K times less: LEAST percent
# of the length are saved, and what is predicted is wrong by 0.1 % of the length at most, and by 5 % of what is saved if that is over 1 %
pair() {
	local now measured predicted
	gen faster.json "${@:3}"
	now=$(fact now.json 'length, us') measured=$(fact faster.json 'length, us')
	predicted=$(tl-path -q --sheets path_what_if --what-if "$1" now.json | awk -F'\t' 'NR == 2 { printf "%.3f", $4 * 1000 }')
	awk -v what="$1" -v least="$2" -v now="$now" -v measured="$measured" -v predicted="$predicted" 'BEGIN {
		saved = (now - measured) / now * 100; error = (predicted - measured) / now * 100; size = error < 0 ? -error : error
		printf "# %.60s: %.3f us, predicted %.3f, measured %.3f: %.1f %% saved, error %.3f %%\n", what, now, predicted, measured, saved, error
		exit !(saved >= least && size <= 0.1 && (saved < 1 || size <= saved / 20))
	}'
}

@test "pairs of generated traces: what is predicted of faster work, calls, operators and data loading is what is measured" {
	gen now.json -n 3000
	flash=$(grep -om1 'void pytorch_flash::flash_bwd[^"]*' now.json) gemm=$(grep -om1 'sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_[^"]*' now.json)
	while read -r kind name k least; do
		case $name in flash) name=$flash ;; gemm) name=$gemm ;; esac
		pair "$kind:$name/$k" "$least" -n 3000 --faster "$name/$k"
	done <<-'END'
		kernel flash 2 4
		kernel gemm 3 10
		kernel gemm 100 15
		kernel nvjet_tst_128x128_64x6_1x2_h_bz_coopA_bias_TNT 2 1
		kernel ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>) 4 0
		alone cudaLaunchKernel 2 0.05
		alone aten::as_strided 4 0.01
	END
	for k in 2 4; do
		gen now.json -n 3000 --loader "$((k * 1000))"
		pair "data loading/$k" 10 -n 3000 --loader 1000
	done
}

# chains US FILE: a kernel that ends at 115 us, and on another stream two of US microseconds each, one after the other from 25 us on
chains() {
	op a 0 50
	call 1 10 5; gpu 1 k 15 100 7
	call 2 20 5; gpu 2 j 25 "$1" 8
	call 3 30 5; gpu 3 i $((25 + $1)) "$1" 8
	trace "$2"
}

@test "slack is what the shorter of two chains could take longer: so much longer changes nothing, more does" {
	chains 30 t.json
	equal "$(fact t.json 'length, us')" 115.0
	equal "$(tl-path -q --sheets path_slack t.json | cut -f 1-3,6-8)" 'kind	name	Count	slack_us_min	slack_us_median	without_slack_count
kernel	k	1	0.0	0.0	1
operator	a	1	65.0	65.0	0
kernel	i	1	30.0	30.0	0
kernel	j	1	30.0	30.0	0'
	chains 45 same.json
	equal "$(fact same.json 'length, us')" 115.0
	equal "$(tl-path -q --sheets path_slack same.json | awk -F'\t' '$2 == "j" { print $6 }')" 0.0
	chains 50 longer.json
	equal "$(fact longer.json 'length, us')" 125.0
	equal "$(tl-path -q --sheets path_slack longer.json | awk -F'\t' '$2 == "k" { print $6 }')" 10.0
}

@test "a factor of one gives every time back, and more never saves less, in a generated trace" {
	gen g.json -n 3000
	tl-path -q --sheets path_what_if --what-if compute/1 --what-if operator/1 --what-if sync/1 g.json >w.tsv
	equal "$(cut -f 5 w.tsv | sort -u | tr '\n' ' ')" '0.0 saved_ms '
	for k in 1 2 3 10 inf; do
		tl-path -q --sheets path_what_if --what-if "compute/$k" g.json | awk -F'\t' 'NR == 2 { print $5, $7 }'
	done >s
	equal "$(awk '$1 < last || $1 > $2 { print "wrong: " $0 } { last = $1 }' s)" ''
	like "$(tail -n 1 s)" '[1-9]'
}

# launches N: one call of 1 us each 2 us, its kernels take 10 us each; then a call of 503 us
launches() {
	awk -v n="$1" 'BEGIN {
		for (i = 1; i <= n + 1; i++) {
			start = 2 * i; k = 10 * i
			printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}},\n", start, (i > n ? 503 : 1), i
			printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":10,\"args\":{\"correlation\":%d,\"stream\":7}},\n", k, i
		}
		print "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"late\",\"pid\":1,\"tid\":1,\"ts\":" 2 * (n + 1) + 503 ",\"dur\":20000,\"args\":{}}"
	}' | { echo '{"traceEvents":['; cat; echo ']}'; }
}

@test "a launch that finds a full queue waits for work to start" {
	launches 1300 >t.json
	equal "$(fact t.json 'launches that waited for room in a full queue')" 1
	like "$(tl-path -q --sheets path t.json | cut -f 1,3)" $'sync\tfull queue'
	like "$(saved compute/2 t.json)" 'bound [1-9]'
	launches 1200 >t.json
	equal "$(fact t.json 'launches that waited for room in a full queue')" ''
}

@test "--what-if without its sheet is not left without a word" {
	op a 0 100; call 1 10 20; gpu 1 k 15 10; trace t.json
	run -2 --separate-stderr tl-path --what-if k/2 t.json
	failed 2 '--what-if has no effect without --sheets path_what_if or --sheets path_then'
	run -0 --separate-stderr tl-path --sheets path_then --what-if k/2 t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-path --what-if k/2 -d out t.json
	equal "$stderr" ''
}

# nodes OVERLAP FILE: a graph replays ten kernels of 500 us, of which each starts so many us before the one before ends
nodes() {
	local i
	EVENTS=()
	call 1 0 10 cudaGraphLaunch
	for i in {0..9}; do gpu 1 k "$(awk "BEGIN { print 20 + $i * (500 - $1) }")" 500; done
	trace "$2"
}

@test "kernels that overlap by less than a microsecond follow each other, as those that do not" {
	for overlap in '-0.1 2500' '0 2500' '0.1 2499.55' '0.9 2495.95'; do
		nodes "${overlap% *}" t.json
		equal "$(saved k/2 t.json)" "kernel ${overlap#* }"
		equal "$(tl-path -q --sheets path_slack t.json | cut -f 1-3,7,8 | sed 1d)" $'kernel\tk\t10\t0.0\t10'
		equal "$(fact t.json 'device events that overlap their predecessor on the stream by 1 us or more')" ''
	done
	nodes 1 t.json
	equal "$(saved k/2 t.json)" 'kernel 250'
	equal "$(fact t.json 'device events that overlap their predecessor on the stream by 1 us or more')" 9
}

# woken PID ENDS FILE: a thread launches work of 1000 us and goes on at 1200 us; one of process PID awaits the work from 30 us on until ENDS
woken() {
	EVENTS=()
	op a 0 20; call 1 5 10; gpu 1 k 20 1000
	event "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaEventSynchronize\",\"pid\":$1,\"tid\":2,\"ts\":30,\"dur\":$(($2 - 30)),\"args\":{}}"
	op b 1200 20; call 2 1205 10; gpu 2 k 1220 100
	trace "$3"
}

@test "a thread that does nothing until another one has waited for work waits, too" {
	woken 1 1120 t.json
	equal "$(parts t.json)" 'compute 1100; sync 100; hand-over 80; launch latency 30; operator 10'
	equal "$(saved k/2 t.json)" 'kernel 550'
	equal "$(parts --no-inferred t.json)" "$(woken 9 1120 n.json; parts n.json)"
	for not in '9 1120' '1 1090' '1 1130'; do
		woken $not t.json
		equal "$(saved k/2 t.json)" 'kernel 50'
	done
}
