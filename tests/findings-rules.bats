#!/usr/bin/env bats
# findings-rules.bats - each rule of tl-findings with two traces that differ in one number: one just beyond what the rule asks
# for, one just short of it.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# ---- traces: 100 ms in which the device works all the time, but for what is planted -------------------------------

ID=0

# step FROM DUR
step() {
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#'"$1"'","pid":1,"tid":1,"ts":'"$1"',"dur":'"$2"'}'
}
# range NAME FROM DUR: an annotation
range() {
	event '{"ph":"X","cat":"user_annotation","name":"'"$1"'","pid":1,"tid":1,"ts":'"$2"',"dur":'"$3"'}'
}
# sound DUR: one step, with what a recording should have
sound() {
	step 0 "$1"
	frame 'train.py(1): main' 0 "$1"
	op aten::relu 0 1 '"Input Dims":[[8]]'
}
# kernel FROM DUR [NAME-OF-CALL]: launched 1 us before it begins
kernel() {
	local at=$(($1 > 0 ? $1 - 1 : 0))
	ID=$((ID + 1))
	call "$ID" "$at" 1 "${3-cudaLaunchKernel}"
	gpu "$ID" kernel "$1" "$2"
}
# work FROM TO: two kernels, the second short, so that of little time it does not matter whether the device goes on
work() {
	kernel "$1" $(($2 - $1 - 100))
	ID=$((ID + 1))
	call "$ID" $(($1 + 1)) 1
	gpu "$ID" kernel $(($2 - 100)) 100
}
# around GAP: a step of 100 ms with a gap at 50 ms, in the middle of kernels
around() {
	sound 100000
	work 0 50000
	work $((50000 + $1)) 100000
}

# ---- what is found ------------------------------------------------------------------------------------------------

# found FILE [OPTION]...: a line for each finding of the trace: rule and what its rows say, ms; of the host what is at stake, to the
# hundredth: a kernel starts 1.5 us behind another one at best
found() {
	tl-findings -q --format tsv "${@:2}" "$1" >f.tsv
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["rank"] > 0 {
			ms = $at["device_ms"] != "" ? $at["device_ms"] : $at["at_stake_ms"]
			if ($at["effect"] ~ /^(host|launches)$/) { ms = sprintf("%.2f", ms); sub(/0$/, "", ms) }
			print $at["rule"], ms
		}' f.tsv
}

# pair RULE BEYOND SHORT MS [OPTION]...: the trace that `planted BEYOND` makes has the finding and no other, with these ms; that
# of `planted SHORT` has not
pair() {
	planted "$2"
	device_trace beyond.json "${DEVICES-}"
	EVENTS=()
	planted "$3"
	device_trace short.json "${DEVICES-}"
	EVENTS=()
	equal "$(found beyond.json "${@:5}")" "$1 $4"
	unlike "$(found short.json "${@:5}")" "(^|
)$1 "
}

@test "every rule of the table has a pair" {
	sed -n 's/^rule \([a-z0-9-]*\) [0-4]$/\1/p' "$TL_ROOT/lib/findings/finding-rules.txt" | sort >rules
	[ "$(wc -l <rules)" -gt 20 ]
	sed -n 's/^	pair \([a-z0-9-]*\) .*/\1/p' "$BATS_TEST_FILENAME" | sort -u >pairs
	diff rules pairs
}

# ---- 0: the recording -------------------------------------------------------------------------------------------------

@test "health: kernels that overlap on one stream for more than 0.1 % of the window" {
	planted() { sound 100000; work 0 50000; kernel $((50000 - $1)) $((50000 + $1)); }
	# findings of the recording have rank 0 and no time
	found() {
		tl-findings -q --format tsv "$1" >f.tsv
		awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["rank"] == 0 { print $at["rule"] " " $at["at_stake_ms"] substr($at["evidence"], 1, 12) }' f.tsv
	}
	pair health 101 99 trace_health
}

@test "too-fast: less than 95 % of what the GPU needs at least, if that is no small thing" {
	echo '{"name":"round","mem_bw_gbps":1000,"max_achievable_tflops":{"matrix_bf16":100}}' >gpu.json
	found() {
		tl-findings -q --format tsv "$@" >f.tsv
		awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["rank"] == 0 { print $at["rule"] " " $at["at_stake_ms"] }' f.tsv
	}
	# 1000 us at the peak
	planted() { rated aten::mm "$(tensors $b '[5000,1000],[1000,10000]')" "$1"; }
	pair too-fast 949 951 '' --gpu_arch_json_path gpu.json
	# a cache may have helped a small one
	rated aten::mm "$(tensors $b '[1000,900],[900,1000]')" 9; device_trace small.json ''
	equal "$(found small.json --gpu_arch_json_path gpu.json)" ''
	# without peaks nothing is too fast, and no expression fails
	equal "$(found small.json; tl-findings -q --sheets findings_unasked small.json | grep -E 'too-fast|failed')" ''
}

# ---- 1: idle time -------------------------------------------------------------------------------------------------------

# gap LENGTH [KERNEL]: a step of 100 ms with a gap at 50 ms; the host launched until then, and launches the kernel at its end
gap() {
	sound 100000
	work 0 49990
	kernel 49990 10
	work $((50000 + $1)) 100000
}
# advice FILE: what_to_do of its first finding
advice() {
	found "$1" >/dev/null
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["rank"] == 1 { print $at["what_to_do"] }' f.tsv
}

@test "dataloader: 1 % of the window in an iterator of a DataLoader" {
	planted() { gap "$1"; range 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__' 50000 "$1"; }
	pair dataloader 1010 990 1.01
	# without steps and frames the annotation tells
	work 0 50000; work 55000 100000; range 'enumerate(DataLoader)#_X.__next__' 50000 5000
	device_trace lone.json ''; EVENTS=()
	equal "$(found lone.json)" 'dataloader 5.0'
	# of a gap that it has in part, it has that part
	gap 5000; range 'enumerate(DataLoader)#_X.__next__' 50000 3000; frame 'train.py(9): log' 53000 2000
	device_trace part.json ''; EVENTS=()
	equal "$(found part.json)" 'dataloader 3.0
host-python 2.0'
	# beside kernels it costs nothing
	sound 100000; work 0 100000; range 'enumerate(DataLoader)#_X.__next__' 10000 50000
	trace beside.json
	equal "$(found beside.json)" ' 0.0'
}

# first LENGTH [CALL]: the call that launches a kernel for the first time takes so long
first() {
	sound 100000
	work 0 49990
	kernel 49990 10
	ID=$((ID + 1)); call "$ID" 50000 "$1" "${2-cudaLaunchKernel}"; gpu "$ID" "${3-another_kernel}" $((50000 + $1)) 10
	work $((50010 + $1)) 100000
}
@test "start-up: the first launch of a kernel, above what launches usually take" {
	planted() { first "$1"; }
	pair start-up 1020 990 1.01
	# that of a kernel that ran before is no first use, however long: it is slow, once
	first 5000 cudaLaunchKernel kernel; device_trace again.json ''; EVENTS=()
	equal "$(found again.json)" 'start-up 4.99'
	like "$(cell f.tsv title 1)" 'slow call'
	first 900 cudaLaunchKernel kernel; device_trace again.json ''; EVENTS=()
	equal "$(found again.json --min_percent 0.5)" ' 0.0'
	# a call that loads code, an event of the profiler about that, a call before the first work
	gap 3000; ID=$((ID + 1)); call "$ID" 50100 2800 cuModuleLoadData; device_trace load.json ''; EVENTS=()
	equal "$(found load.json)" 'start-up 2.79'
	gap 3000; ID=$((ID + 1)); call "$ID" 50100 2800 cudaFuncMystery; device_trace load.json ''
	equal "$(found load.json)" 'cpu-work 3.0'
	event '{"ph":"X","cat":"overhead","name":"Lazy Function Loading","pid":-1,"tid":0,"ts":51000,"dur":500}'
	device_trace load.json ''; EVENTS=()
	equal "$(found load.json)" 'start-up 2.79'
	sound 100000; work 3000 100000; ID=$((ID + 1)); call "$ID" 100 2800 cudaFuncMystery; device_trace context.json ''; EVENTS=()
	equal "$(found context.json)" 'start-up 2.79'
}

@test "start-up: what is compiled, tried, captured, or started once" {
	starts() { equal "$(found once.json)" "start-up $1"; like "$(cell f.tsv title 1)" "$2"; }
	gap 5000; frame 'torch/_dynamo/convert_frame.py(9): _compile' 50000 5000; device_trace once.json ''; EVENTS=()
	starts 5.0 compilation
	gap 5000; frame 'triton/testing.py(9): do_bench' 50000 5000; device_trace once.json ''; EVENTS=()
	starts 5.0 'search for algorithms'
	like "$(advice once.json)" 'cache of tuned kernels'
	gap 5000; ID=$((ID + 1)); call "$ID" 50000 4999 cudaGraphInstantiate; device_trace once.json ''; EVENTS=()
	starts 5.0 'capture of a graph'
	gap 5000; range 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__' 50000 5000
	range 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__' 70000 10; device_trace once.json ''; EVENTS=()
	starts 5.0 "start of the loader's workers"
	# what the thread does not tell before that first batch is the start of the workers, too
	gap 9000; range 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__' 57000 2000; op aten::randperm 55000 100
	range 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__' 70000 10; device_trace once.json ''; EVENTS=()
	starts 8.9 "start of the loader's workers"
	# one batch does not tell whether the next ones take as long
	gap 5000; range 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__' 50000 5000; device_trace one.json ''; EVENTS=()
	equal "$(found one.json)" 'dataloader 5.0'
	# an operator that launches several products and waits for them
	tries() {
		gap 5000; op aten::cudnn_convolution 50000 "$1"
		for i in 1 2 3; do ID=$((ID + 1)); call "$ID" $((50000 + i * 1000)) 5; gpu "$ID" "ampere_sgemm_${i}x64_tn" $((50010 + i * 1000)) 10; done
		ID=$((ID + 1)); call "$ID" 53100 1000 "$2"; device_trace once.json ''; EVENTS=()
	}
	tries 4999 cudaEventSynchronize
	starts 4.05 'search for algorithms'
	tries 4999 cudaEventRecord
	unlike "$(found once.json)" start-up
	# an operator that takes 20 times as long the first time
	for first in 5000 1900; do
		gap "$first"; op aten::mm 50000 "$((first - 1))"; for i in 1 2 3; do op aten::mm $((70000 + i * 100)) 99; done
		device_trace "$first.json" ''; EVENTS=()
	done
	equal "$(found 5000.json)" 'start-up 4.9'
	equal "$(found 1900.json)" 'cpu-work 1.9'
	# annotations; code that was compiled before only runs
	while IFS=$'\t' read -r _ name answer; do
		gap 5000; range "$name" 50000 5000
		device_trace named.json ''; EVENTS=()
		equal "$(found named.json)" "$([ "$answer" = compilation ] && echo start-up || echo host-python) 5.0"
	done < <(grep -P '\t(compilation|region|autograd|graph)$' "$TL_ROOT/tests/vectors/compile-names.tsv")
}

# four FUNCTION [GAP]: four steps of 25 ms, each with a gap of 1 ms in which FUNCTION FROM puts something
four() {
	frame 'train.py(1): main' 0 100000
	op aten::relu 0 1 '"Input Dims":[[8]]'
	for at in 0 25000 50000 75000; do
		step "$at" 25000
		work "$at" $((at + 9990)); kernel $((at + 9990)) 10
		"$1" $((at + 10000))
		work $((at + 10000 + ${2-1000})) $((at + 25000))
	done
}
@test "recompile: compilation in half of the steps" {
	compiles() {
		local name='train.py(8): log'
		if [ "$1" -lt "$LAST" ]; then name='torch/_dynamo/convert_frame.py(9): _compile'; fi
		frame "$name" "$1" "${LENGTH-1000}"
	}
	LAST=50000 four compiles; device_trace half.json ''; EVENTS=()
	equal "$(found half.json | sort)" 'host-python 1.99
recompile 2.0'
	LAST=20000 four compiles; device_trace once.json ''; EVENTS=()
	equal "$(found once.json --min_percent 0.9)" 'host-python 3.0
start-up 1.0'
	planted() { LENGTH=$1 LAST=100000 four compiles "$1"; }
	pair recompile 253 248 1.01
}

@test "no part of a recording is steady: a warning, and nothing about the host" {
	step 0 10000; frame 'train.py(1): main' 0 10000; op aten::relu 0 1 '"Input Dims":[[8]]'
	ID=$((ID + 1)); call "$ID" 0 4000; gpu "$ID" k1 4000 100
	ID=$((ID + 1)); call "$ID" 6000 2000; gpu "$ID" k2 8000 2000
	device_trace cold.json ''; EVENTS=()
	equal "$(found cold.json)" 'start-up 5.98'
	like "$(grep health f.tsv)" 'what is done once, most of it first use of kernels: no part of the recording is a steady state'
	tl-findings -q --sheets findings_unasked cold.json >u.tsv
	like "$(grep ^host-python u.tsv)" 'no part of the recording is a steady state'
	tl-timeline -q --sheets one_off cold.json >o.tsv
	equal "$(cell o.tsv kind 1) $(cell o.tsv what 1) $(cell o.tsv idle_ms 1)" 'first use of kernels k1 3.99'
}

@test "unified-memory: the time between pages that move" {
	planted() {
		sound 100000
		work 0 50000
		lone 9001 'CUDA memcpy Unified Host-to-Device' 50000 10 8 gpu_memcpy
		lone 9002 'CUDA memcpy Unified Host-to-Device' $((50010 + $1)) 10 8 gpu_memcpy
		work $((50020 + $1)) 100000
	}
	pair unified-memory 1010 990 1.01
}

@test "allocator: in each step, within an operator, too; once it is start-up" {
	planted() {
		allocates() { op aten::empty "$1" $((LENGTH - 1)); ID=$((ID + 1)); call "$ID" "$1" $((LENGTH - 1)) "${NAME-cudaMalloc}"; }
		LENGTH=$1 four allocates "$1"
	}
	pair allocator 253 248 1.01
	for NAME in cudaMalloc cuMemCreate hipHostMalloc cudaFree; do
		planted 1000; device_trace within.json ''; EVENTS=()
		equal "$(found within.json)" 'allocator 3.99'
	done
	NAME=cudaMallocAsync planted 1100; device_trace async.json ''; EVENTS=()
	equal "$(found async.json)" 'cpu-work 4.39'
	# what is freed and allocated again is no start-up, without steps, too
	work 0 50000; work 55000 70000; work 75000 100000
	for at in 50000 70000; do ID=$((ID + 1)); call "$ID" "$at" 2499 cudaFree; ID=$((ID + 1)); call "$ID" $((at + 2500)) 2490 cudaMalloc; done
	device_trace freed.json ''; EVENTS=()
	equal "$(found freed.json)" 'allocator 9.98'
	gap 5000; ID=$((ID + 1)); call "$ID" 50000 4999 cudaMalloc; device_trace once.json ''; EVENTS=()
	equal "$(found once.json)" 'start-up 5.0'
	like "$(cell f.tsv title 1)" 'memory allocated once'
}

@test "sync-pageable: a copy that the host waits for" {
	planted() { around "$1"; ID=$((ID + 1)); call "$ID" 20000 $((30000 + $1 - 1)) cudaMemcpy; }
	pair sync-pageable 1011 990 1.01
}

@test "sync-device" {
	planted() { around "$1"; ID=$((ID + 1)); call "$ID" 20000 $((30000 + $1 - 1)) cudaDeviceSynchronize; }
	pair sync-device 1011 990 1.01
}

@test "sync-points: only the time in which the device is idle counts" {
	planted() { around "$1"; ID=$((ID + 1)); call "$ID" 20000 $((30000 + $1 - 1)) cudaStreamSynchronize; }
	pair sync-points 1011 990 1.01
	# what the host launches behind the wait is late because of it, if that takes less than 1 ms
	planted() { around "$1"; ID=$((ID + 1)); call "$ID" 20000 30100 cudaStreamSynchronize; op aten::mm 50100 $(($1 - 101)); }
	pair sync-points 1050 1150 1.05
	# so is a batch that a loader has ready; one that it makes is the loader's
	loaded() { around "$1"; ID=$((ID + 1)); call "$ID" 20000 30100 cudaStreamSynchronize; range 'enumerate(DataLoader)#_X.__next__' 50100 $(($1 - 101)); }
	loaded 1050; device_trace ready.json ''; EVENTS=()
	equal "$(found ready.json)" 'sync-points 1.05'
	loaded 5000; device_trace made.json ''; EVENTS=()
	equal "$(found made.json)" 'dataloader 4.9'
}

@test "launch-bound: 8 launches and more, less than 1 ms from one to the next" {
	planted() { # LAUNCHES PERIOD LATE, with a blank between
		set -- $1
		sound $(($1 * $2))
		for ((i = 0; i < $1; i++)); do kernel $((i * $2 + $3)) $(($2 - $3)); done
	}
	late() {
		planted "$*"; device_trace late.json ''; EVENTS=()
		found late.json
	}
	pair launch-bound '8 900 800' '7 900 800' 6.39
	equal "$(late 20 1100 900)" 'host-python 17.07'
}

@test "launch-bound: of two GPUs the holes, and their time, are of one" {
	# 20 holes of 800 us on one GPU, of 400 us on the other
	sound 18000
	for ((i = 0; i < 20; i++)); do
		kernel $((i * 900 + 800)) 100
		ID=$((ID + 1)); call "$ID" $((i * 900 + 399)) 1
		event '{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":'$((i * 900 + 400))',"dur":500,"args":{"correlation":'"$ID"',"device":1,"stream":7}}'
		event '{"ph":"f","cat":"ac2g","name":"ac2g","id":'"$ID"',"pid":1,"tid":7,"ts":'$((i * 900 + 400))',"bp":"e"}'
	done
	EVENTS=("${EVENTS[@]//\"stream\":7\}/\"device\":0,\"stream\":7\}}")
	device_trace two.json '{"id":0,"name":"GPU"},{"id":1,"name":"GPU"}'
	found two.json
	equal "$(cell f.tsv title "$(row f.tsv rule=launch-bound)")" 'The host launches more slowly than the GPU works: the GPU waits 16.0 ms, 8.37 ms (46.5 %) of it at stake, in 20 holes; kernels of all GPUs take 0.30 ms on average; on 2 devices, of which this is the worst'
}

@test "cpu-work: an operator that has half of a ms or more between two launches" {
	planted() { gap "$1"; op aten::normal_ 50000 $(($1 - 1)); }
	pair cpu-work 1010 990 1.01
	planted() { gap 5000; op aten::normal_ 50000 "$1"; }
	planted 2600; device_trace half.json ''; EVENTS=()
	equal "$(found half.json)" 'cpu-work 5.0'
	planted 2300; device_trace less.json ''; EVENTS=()
	equal "$(found less.json)" 'host-python 5.0'
	# of several operators each is a finding
	gap 5000; op aten::normal_ 50000 4999; work 100000 150000; kernel 150000 10; op aten::randn 150010 2000; kernel 152010 100
	device_trace two.json ''; EVENTS=()
	equal "$(found two.json)" 'cpu-work 5.0
cpu-work 2.0'
}

@test "host-python: the frame or the annotation that has half of a ms or more between two launches; before the first kernel and behind the last, too" {
	planted() { gap "$1"; frame 'train.py(60): save_checkpoint' 50000 "$1"; }
	pair host-python 1010 990 1.01
	sound 100000; frame 'data.py(6): read' 0 5000; work 5000 100000; device_trace head.json ''; EVENTS=()
	equal "$(found head.json)" 'host-python 5.0'
	sound 100000; work 0 95000; frame 'metrics.py(6): auc' 95000 5000; device_trace tail.json ''; EVENTS=()
	equal "$(found tail.json)" 'host-python 5.0'
	like "$(cell f.tsv title 1)" 'while the host is in metrics.py\(6\): auc'
	# what threads do behind the end of the profiler is not in the window
	work 0 95000; event '{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":95010}'
	call 999 99000 1000 cudaEventQuery; device_trace clipped.json ''; EVENTS=()
	equal "$(found clipped.json)" ' 0.0'
	# nothing tells what it does
	work 0 50000; work 55000 100000; device_trace none.json ''; EVENTS=()
	equal "$(found none.json)" 'host-python 5.0'
	like "$(cat f.tsv)" 'the trace does not tell what it does'
	like "$(advice none.json)" 'with_stack=True'
	# annotations that are operators, as profilers of 2021 wrote them, are no work of the host
	gap 2000; op 'Some.thing#X' 50000 1999; device_trace old.json ''; EVENTS=()
	equal "$(found old.json)" 'host-python 2.0'
}

@test "host-python: words for what the host does" {
	words() { gap 5000; "$1" "$2" 50000 5000; device_trace words.json ''; EVENTS=(); equal "$(found words.json)" 'host-python 5.0'; like "$(advice words.json)" "$3"; }
	words frame '<built-in function collect>' 'gc.freeze'
	words range 'Optimizer.zero_grad#SGD.zero_grad' 'Do it on the GPU'
	range 'execute_context_0(0)_generation_8(8)' 1000 5
	words frame 'vllm/v1/sample/sampler.py(70): forward' 'Sample on the device'
}

@test "launch-gaps: what it takes to start a kernel that was launched ahead" {
	planted() {
		local at=0
		sound 100000
		for i in {1..100}; do
			ID=$((ID + 1)); call "$ID" 1 1; gpu "$ID" kernel "$at" $((1000 - $1))
			at=$((at + 1000))
		done
		ID=$((ID + 1)); call "$ID" 1 1; gpu "$ID" kernel "$at" 1
	}
	pair launch-gaps 12 10 1.1
	planted 1; device_trace least.json '' # no kernel starts sooner
	equal "$(found least.json --min_percent 0.01)" ' 0.0'
	EVENTS=()
	planted 21; device_trace long.json ''
	equal "$(found long.json)" 'idle-queued 2.1'
}

@test "graph-gaps: the same between kernels of graphs" {
	planted() {
		local at=0
		sound 100000
		for i in {1..100}; do
			ID=$((ID + 1)); call "$ID" 1 1 "$([ "$i" -gt "$1" ] && echo cudaGraphLaunch || echo cudaLaunchKernel)"; gpu "$ID" kernel "$at" 988
			at=$((at + 1000))
		done
		ID=$((ID + 1)); call "$ID" 1 1; gpu "$ID" kernel "$at" 1
	}
	pair graph-gaps 1 51 1.089
	planted 51; device_trace launched.json ''; EVENTS=()
	equal "$(found launched.json)" 'launch-gaps 1.1'
	planted 1; device_trace graph.json ''; EVENTS=()
	found graph.json
	n=$(row f.tsv rule=graph-gaps)
	like "$(cell f.tsv title "$n")" 'fewer and larger kernels'
	unlike "$(cell f.tsv what_to_do "$n")" 'Replay|[Aa] (CUDA|HIP) graph'
}

@test "idle-queued: work that was launched but does not start" {
	planted() {
		sound 100000
		work 0 50000
		ID=$((ID + 1)); call "$ID" 40000 1; gpu "$ID" kernel $((50000 + $1)) 1000
		work $((51000 + $1)) 100000
	}
	pair idle-queued 1010 990 1.01
}

@test "idle-unknown: no call tells of the work behind" {
	planted() {
		sound 100000
		work 0 50000
		lone 999 kernel $((50000 + $1)) 1000 8
		work $((51000 + $1)) 100000
	}
	pair idle-unknown 1010 990 1.01
}

# ---- 2: communication and copies ----------------------------------------------------------------------------------------------

# reduce FROM DUR [ELEMENTS]: an all-reduce of bfloat16 by 8 ranks on its own stream
reduce() {
	ID=$((ID + 1))
	call "$ID" "$(($1 - 1))" 1
	gpu "$ID" ncclDevKernel_AllReduce_Sum_bf16_RING_LL "$1" "$2" 9 kernel \
		'"Collective name":"allreduce","Group size":8,"dtype":"BFloat16","In msg nelems":'"${3-10000000}"',"Out msg nelems":'"${3-10000000}"
}
# copy FROM DUR BYTES [NAME]
copy() {
	ID=$((ID + 1))
	call "$ID" "$(($1 - 1))" 1 cudaMemcpyAsync
	gpu "$ID" "${4-Memcpy HtoD (Pinned -> Device)}" "$1" "$2" 8 gpu_memcpy '"bytes":'"$3"
}

@test "comm-slow-link: 30 % of the 360 GB/s that a node of H100 has" {
	# 35 MB pass a rank's links: at 108 GB/s they take 324 us
	planted() { sound 10000; work 0 5000; reduce 5000 "$1"; work $((5000 + $1)) 10000; }
	pair comm-slow-link 330 320 0.232778 --arch H100-SXM
}

@test "comm-straggler: the longest takes more than twice the median, or all more than twice the shortest" {
	planted() { sound 10000; work 0 5000; reduce 5000 100; reduce 5100 100; reduce 5200 "$1"; work $((5200 + $1)) 10000; }
	pair comm-straggler 201 199 0.101
	# most of them wait: the median does, too
	planted() { sound 10000; work 0 5000; for i in 0 1 2; do reduce $((5000 + 250 * i)) 250; done; reduce 5750 "$1"; work $((5750 + $1)) 10000; }
	pair comm-straggler 107 108 0.429
	# without sizes it may be a larger one
	sound 10000; work 0 5000
	for i in 0 1 2; do
		ID=$((ID + 1)); call "$ID" 4999 1
		gpu "$ID" ncclKernel_AllReduce_RING_LL_Sum_float $((5000 + i * 100)) $((i == 2 ? 500 : 100)) 9
	done
	work 5700 10000
	device_trace sizes.json ''
	equal "$(found sizes.json)" 'comm-exposed 0.7'
}

@test "comm-small: more than 20 a step, below 64 KiB" {
	planted() {
		sound 10000
		work 0 5000
		for ((i = 0; i < $1; i++)); do reduce $((5000 + 10 * i)) 10 "${elements-32767}"; done
		work $((5000 + 10 * $1)) 10000
	}
	pair comm-small 21 20 0.21
	elements=32768 planted 21
	trace large.json
	equal "$(found large.json)" 'comm-exposed 0.21'
}

@test "comm-exposed: what no kernel hides" {
	planted() { sound 10000; work 0 5000; reduce 4000 $((1000 + $1)); work $((5000 + $1)) 10000; }
	pair comm-exposed 101 99 0.101
	# of two GPUs the time is that of one
	EVENTS=()
	for d in 0 1; do
		for k in "kernel 0 5000" "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x) 5000 $((200 + 200 * d))" "kernel $((5200 + 200 * d)) $((4800 - 200 * d))"; do
			set -- $k
			ID=$((ID + 1)); call "$ID" 1 1; lone "$ID" "$1" "$2" "$3" $((7 + d)) kernel '"device":'$d
			event "{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":$ID,\"pid\":0,\"tid\":$((7 + d)),\"ts\":$2,\"bp\":\"e\"}"
		done
	done
	device_trace two.json '{"id":0,"name":"GPU"},{"id":1,"name":"GPU"}'
	equal "$(found two.json)" 'comm-exposed 0.3'
	like "$(cell f.tsv title "$(row f.tsv rule=comm-exposed)")" 'takes 0.40 ms \(4.00 %\): .*; on 2 devices, of which this is the worst$'
}

@test "copy-pageable: 64 KiB and more, what it takes longer than pinned memory" {
	# 2.5 MB take 100 us from pinned memory at 25 GB/s
	planted() { sound 10000; work 0 5000; copy 5000 "$1" 2500000 'Memcpy HtoD (Pageable -> Device)'; work $((5000 + $1)) 10000; }
	pair copy-pageable 201 199 0.101
	planted() { sound 10000; work 0 5000; copy 5000 1000 "$1" 'Memcpy HtoD (Pageable -> Device)'; work 6000 10000; }
	pair copy-pageable 65536 65535 0.997379
}

@test "copy-small: more than 20 a step, below 64 KiB" {
	planted() {
		sound 10000
		work 0 5000
		for ((i = 0; i < $1; i++)); do copy $((5000 + 10 * i)) 10 65535; done
		work $((5000 + 10 * $1)) 10000
	}
	pair copy-small 21 20 0.21
}

@test "migrations: pages of unified memory that move; no copies of the program" {
	planted() {
		sound 10000; work 0 5000
		lone 9001 'Unified memory DtoH' 5000 "$1" 8 gpu_memcpy '"bytes":65535,"memory":"Device -> Managed","migration":1,"cause":"page fault"'
		work $((5000 + $1)) 10000
	}
	pair migrations 101 99 0.101
	planted 300
	device_trace longer.json ''
	equal "$(found longer.json)" 'migrations 0.3'
	like "$(cell f.tsv title 1)" '^Pages of unified .*DtoH, most by page faults'
	like "$(cell f.tsv what_to_do 1)" '^Prefetch '
	EVENTS=("${EVENTS[@]//page fault/user prefetch}")
	device_trace prefetched.json ''
	equal "$(found prefetched.json)" 'migrations 0.3'
	equal "$(cell f.tsv what_to_do 1)" 'The program prefetches them: earlier and on a stream of its own, while kernels run that need other pages.'
}

@test "unified-memory: the idle time between pages that move, by what moves them" {
	# pages CAUSE: two pages, 500 us of nothing between them
	pages() {
		sound 10000; work 0 5000
		lone 9001 'Unified memory HtoD' 5000 10 8 gpu_memcpy '"bytes":65535,"memory":"Managed -> Device","migration":1,"cause":"'"$1"'"'
		lone 9002 'Unified memory HtoD' 5510 10 8 gpu_memcpy '"bytes":65535,"memory":"Managed -> Device","migration":1,"cause":"'"$2"'"'
		work 5520 10000; device_trace pages.json ''; EVENTS=()
		found pages.json >/dev/null
	}
	pages 'user prefetch' 'page fault'
	like "$(cell f.tsv title 1)" 'move one by one, most of it by page fault$'
	like "$(cell f.tsv what_to_do 1)" '^Prefetch '
	pages 'page fault' 'user prefetch'
	like "$(cell f.tsv what_to_do 1)" '^The program prefetches them'
}

@test "copy-exposed: what no kernel hides, whatever memory it is" {
	planted() { sound 10000; work 0 5000; copy 4000 $((1000 + $1)) 2500000; work $((5000 + $1)) 10000; }
	pair copy-exposed 101 99 0.101
	planted() { sound 10000; work 0 5000; copy 5000 "$1" 65535 'Memcpy HtoD (Pageable -> Device)'; work $((5000 + $1)) 10000; }
	pair copy-exposed 101 99 0.101
	# each direction by itself
	sound 10000; work 0 5000; copy 5000 200 2500000; copy 5200 300 5000000 'Memcpy DtoD (Device -> Device)'; work 5500 10000
	device_trace both.json ''
	equal "$(found both.json)" 'copy-exposed 0.3
copy-exposed 0.2'
	[[ $(cell f.tsv title 1) == *': DtoD, 5.00 MB; the trace ends no earlier by that alone' ]]
	[[ $(cell f.tsv what_to_do 1) == 'Leave copies'* ]]
}

# ---- 3: structure of the computation ------------------------------------------------------------------------------------

# A GPU with round numbers: 10^12 bytes/s, 10^14 operations/s.
gpu_of_round_numbers() {
	echo '{"name":"round","mem_bw_gbps":1000,"max_achievable_tflops":{"matrix_bf16":100,"matrix_tf32":50,"matrix_fp32":10,"matrix_fp64":5,"vector_bf16":100,"vector_fp32":100}}' >gpu.json
}
# tensors TYPE DIMS [STRIDES [VALUES]]: the arguments of an operator; lists without the brackets around all
tensors() {
	local types="$2"
	types=${types//[0-9, ]/}
	types=${types//'[]'/,\"$1\"}
	echo "\"Input Dims\":[$2],\"Input type\":[${types#,}]${3:+,\"Input Strides\":[$3]},\"Concrete Inputs\":[${4-}]"
}
# rated NAME ARGS DUR [KERNEL [ARGS-OF-KERNEL]]: work, and in the middle of it an operator with a kernel; COUNT of them
rated() {
	local i
	sound 10000
	work 0 5000
	for ((i = 0; i < ${COUNT-1}; i++)); do
		ID=$((ID + 1))
		op "$1" $((3000 + 30 * i)) 20 "$2"
		call "$ID" $((3005 + 30 * i)) 1
		gpu "$ID" "${4-gemm}" $((5000 + $3 * i)) "$3" 7 kernel "${5-}"
	done
	after $((5000 + $3 * i))
}
# after TS: work that was launched long before
after() {
	ID=$((ID + 1))
	call "$ID" 3900 1
	gpu "$ID" kernel "$1" 1000
	work $(($1 + 1000)) 10000
}
# chain MODULE FIRST OPERATOR...: operators of one call of a module, each with a kernel of 10 us; the first of FIRST us. An operator
# is its name, its types and its dims, with a bar between.
chain() {
	local from=5000 length=$2 next=3000 o name type dims
	sound 10000
	work 0 5000
	frame "nn.Module: $1" 2999 500
	for o in "${@:3}"; do
		IFS='|' read -r name type dims <<<"$o"
		ID=$((ID + 1))
		op "aten::$name" "$next" 8 "\"Input Dims\":[$dims],\"Input type\":[\"${type//,/\",\"}\"]"
		call "$ID" $((next + 1)) 2
		gpu "$ID" "kernel_$name" "$from" "$length"
		from=$((from + length)) length=10 next=$((next + 10))
	done
	after "$from"
}
b=c10::BFloat16 f=float

@test "attention-unfused: products with a softmax between" {
	gpu_of_round_numbers
	# one kernel would take 0.614 us for both products
	planted() { chain Attention_0 "$1" "bmm|$b,$b|[4,200,64],[4,64,300]" "mul|$b,Scalar|[4,200,300],[]" \
		"_softmax|$b,Scalar,Scalar|[4,200,300],[],[]" "bmm|$b,$b|[4,200,300],[4,300,64]"; }
	pair attention-unfused 72 70 0.101386 --gpu_arch_json_path gpu.json
}

@test "optimizer-unfused: what the kernels of one parameter take above a third of their bytes" {
	gpu_of_round_numbers
	# 0.4 MB a tensor: 2 + 3 + 4 + 2 + 4 of them are moved, a third of 6 us
	planted() { chain Optimizer_0 "$1" "mul_|$f,Scalar|[100,1000],[]" "lerp_|$f,$f,Scalar|[100,1000],[100,1000],[]" \
		"addcmul_|$f,$f,$f,Scalar|[100,1000],[100,1000],[100,1000],[]" "sqrt|$f|[100,1000]" \
		"addcdiv_|$f,$f,$f,Scalar|[100,1000],[100,1000],[100,1000],[]"; }
	pair optimizer-unfused 63 61 0.101 --gpu_arch_json_path gpu.json
}

@test "norm-chain: the time of a norm's kernels above that of its bytes" {
	gpu_of_round_numbers
	# one kernel would move 402 kB
	planted() { chain RMSNorm_0 "$1" "copy_|$f,$b,Scalar|[100,1000],[100,1000],[]" "pow|$f,Scalar|[100,1000],[]" \
		"mean|$f,Scalar,Scalar,Scalar|[100,1000],[],[],[]" "add|$f,Scalar,Scalar|[100,1],[],[]" "rsqrt|$f|[100,1]" \
		"mul|$f,$f|[100,1000],[100,1]" "copy_|$b,$f,Scalar|[100,1000],[100,1000],[]" "mul|$b,$b|[1000],[100,1000]"; }
	pair norm-chain 31 29 0.100498 --gpu_arch_json_path gpu.json
}

@test "rope-chain" {
	gpu_of_round_numbers
	# one kernel would move 108.8 kB
	planted() { chain Attention_0 "$1" "mul|$b,$b|[1,8,50,64],[1,1,50,64]" "neg|$b|[1,8,50,32]" \
		"cat|TensorList,Scalar|[[1,8,50,32],[1,8,50,32]],[]" "mul|$b,$b|[1,8,50,64],[1,1,50,64]" \
		"add|$b,$b,Scalar|[1,8,50,64],[1,8,50,64],[]"; }
	pair rope-chain 61 59 0.100864 --gpu_arch_json_path gpu.json
}

@test "cast-chain" {
	gpu_of_round_numbers
	planted() { chain Cast_0 "$1" "copy_|$f,$b,Scalar|[100,1000],[100,1000],[]" "copy_|$b,$f,Scalar|[100,1000],[100,1000],[]"; }
	pair cast-chain 92 90 0.1015 --gpu_arch_json_path gpu.json
	# behind another kernel it is still the casts
	chain Cast_0 150 "copy_|$f,$b,Scalar|[100,1000],[100,1000],[]" "copy_|$b,$f,Scalar|[100,1000],[100,1000],[]" "mul|$b,$b|[100,1000],[100,1000]"
	device_trace behind.json ''
	equal "$(found behind.json --gpu_arch_json_path gpu.json | cut -d ' ' -f 1)" cast-chain
}

@test "pointwise-chain" {
	gpu_of_round_numbers
	# one kernel would move 400 kB, if both read the same tensor
	planted() { chain MLP_0 "$1" "silu|$b|[100,1000]" "mul|$b,$b|[100,1000],[100,1000]"; }
	pair pointwise-chain 91 89 0.1005 --gpu_arch_json_path gpu.json
	# no product is fused away
	chain MLP_0 91 "gelu|$b|[100,1000]" "mm|$b,$b|[100,1000],[1000,300]" "add|$b,$b,Scalar|[100,300],[100,300],[]"
	device_trace product.json ''
	unlike "$(found product.json --gpu_arch_json_path gpu.json)" pointwise-chain
}

@test "fp64: half of what kernels in 64 bit take" {
	gpu_of_round_numbers
	planted() { rated aten::mm "$(tensors double '[100,100],[100,100]')" "$1"; }
	pair fp64 202 198 0.101 --gpu_arch_json_path gpu.json
	# an optimizer of 32 bit whose factors are double
	rated aten::_foreach_add_ '"Input Dims":[[[1000,1000]],[[1000,1000]],[]],"Input type":["TensorList","TensorList","Scalar"],"Concrete Inputs":["","","1"]' \
		500 'multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4>, float const*, double, double>'
	device_trace factors.json ''
	unlike "$(found factors.json --gpu_arch_json_path gpu.json)" fp64
}

@test "gemm-no-tensor-cores: products in 32 bit, where the kernel's name does not say that they are TF32" {
	gpu_of_round_numbers
	planted() { rated aten::mm "$(tensors float '[1000,1000],[1000,1000]')" "$1" "$kernel"; } # 40 us at the peak of TF32
	kernel=sgemm
	pair gemm-no-tensor-cores 141 139 0.101 --gpu_arch_json_path gpu.json
	kernel=sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_ffma
	pair gemm-no-tensor-cores 141 139 0.101 --gpu_arch_json_path gpu.json
}

# named NAME DUR: a kernel without an operator, in 10 ms of work
named() {
	sound 10000
	work 0 5000
	ID=$((ID + 1))
	call "$ID" 3005 1 "${3-cudaLaunchKernel}"
	gpu "$ID" "$1" 5000 "$2"
	after $((5000 + $2))
}

@test "gemm-no-tensor-cores: without shapes by the peaks, without peaks half of the time" {
	gpu_of_round_numbers
	planted() { named ampere_sgemm_128x64_tn "$1"; }
	pair gemm-no-tensor-cores 126 124 0.1008 --gpu_arch_json_path gpu.json
	planted 500; device_trace t.json ''; EVENTS=()
	equal "$(found t.json)" 'gemm-no-tensor-cores 0.25'
	equal "$(cell f.tsv confidence "$(row f.tsv rank=1)")" low
	like "$(cell f.tsv title "$(row f.tsv rank=1)")" '32 bit without tensor cores take 0\.50 ms: about half of it, '
	# a GPU that no table lists: 30 SMs, of which each does 512 in 16 bit where it does 256 in 32 bit
	planted 400; device_trace t.json '{"id":0,"name":"NVIDIA GeForce RTX 3060 Laptop GPU","numSms":30,"computeMajor":8,"computeMinor":6}'; EVENTS=()
	equal "$(found t.json)" 'gemm-no-tensor-cores 0.2'
	equal "$(cell f.tsv confidence "$(row f.tsv rank=1)")" low
	unlike "$(cell f.tsv title "$(row f.tsv rank=1)")" 'about half'
	run -0 tl-findings -q --format text t.json
	like "${lines[0]}" 'GPU work: 96 % unknown kernels, 4 % fp32 products without tensor cores; 0 %'
	like "${lines[1]}" '^ *rated; peaks estimated$'
	# one finding of what has a roofline and what has none; of each kernel once
	planted() { rated aten::mm "$(tensors float '[1000,1000],[1000,1000]')" 240 ampere_sgemm_128x64_tn; ID=$((ID + 1)); call "$ID" 3900 1; gpu "$ID" ampere_sgemm_32x32_nn 8000 500 9; }
	planted; device_trace t.json ''; EVENTS=()
	equal "$(found t.json --gpu_arch_json_path gpu.json)" 'gemm-no-tensor-cores 0.45' # half of the time of the second is another kernel's
	# a GPU whose TF32 is no faster than fp32
	printf '{"name":"flat","mem_bw_gbps":1000,"max_achievable_tflops":{"matrix_bf16":20,"matrix_tf32":10,"matrix_fp32":10}}' >flat.json
	op aten::mm 1 1
	named ampere_sgemm_128x64_tn 500; device_trace t.json '{"id":0,"name":"G","computeMajor":8,"computeMinor":6}'; EVENTS=()
	equal "$(found t.json --gpu_arch_json_path flat.json)" 'gemm-no-tensor-cores 0.25'
	equal "$(cell f.tsv what_to_do "$(row f.tsv rank=1)")" 'autocast to bfloat16.'
}

# serve STEP KERNEL DUR: 10 ms of kernels in a step of a server, so much of it by this one
serve() {
	frame 'train.py(1): main' 0 10000
	op aten::relu 0 1 '"Input Dims":[[8]]'
	range "$1" 0 10000
	work 0 $((10000 - $3))
	ID=$((ID + 1)); call "$ID" 3 1; gpu "$ID" "$2" $((10000 - $3)) "$3"
}
@test "decode-limit-by-names, experts-limit: half of the kernels' time, a fifth of it; a limit stands first where little is at stake" {
	product=ampere_bf16_s16816gemm_bf16_64x64_tn experts='void fused_moe_kernel_sm80<__nv_bfloat16>'
	planted() { serve 'execute_context_0(0)_generation_2(2)' "$product" "$1"; }
	pair decode-limit-by-names 5001 4999 5.001
	like "$(found beyond.json; cat f.tsv)" 'Decode of 2 requests at once reads all weights'
	serve 'execute_context_0(0)_generation_16(16)' "$product" 6000; device_trace many.json ''; EVENTS=()
	unlike "$(found many.json)" decode
	planted() { serve 'execute_context_1(800)_generation_0(0)' "$experts" "$1"; }
	pair experts-limit 2001 1999 2.001
	# it stands behind what has a tenth of the window at stake
	serve 'execute_context_0(0)_generation_1(1)' "$product" 6000; range 'execute_context_0(0)_generation_1(1)' 10000 5000
	kernel 12500 2500; device_trace late.json ''; EVENTS=()
	equal "$(found late.json | head -n 1)" 'host-python 2.5'
}

@test "by names alone: attention in 32 bit, layout, quantisation, batch norm of inference, casts, elementwise kernels" {
	planted() { named fmha_cutlassF_f32_aligned_64x64_rf_sm80 "$1"; }
	pair fp32-attention 202 198 0.101
	planted() { named 'void cudnn::ops::nchwToNhwcKernel<float>' "$1"; }
	pair layout-kernels 301 299 0.301
	planted() { named vllm::per_token_group_quant_8bit "$1"; }
	pair quantise 201 199 0.201
	planted() { named 'void cudnn::bn_fw_inf_1C11_kernel_NCHW<float>' "$1"; }
	pair norm-eval 101 99 0.101
	planted() { named 'void at::native::bfloat16_copy_kernel_cuda' "$1"; }
	pair casts 501 499 0.501
	planted() { named 'void at::native::vectorized_elementwise_kernel<4>' "$1"; }
	pair pointwise-share 2001 1999 2.001
	# not what a compiler fused
	planted 3000; op CompiledFunction 1 1; device_trace t.json ''; EVENTS=()
	unlike "$(found t.json)" pointwise-share
}

@test "layout-copies" {
	gpu_of_round_numbers
	planted() { rated aten::contiguous "$(tensors $b '[1000,1000]')" "$1" kernel; }
	pair layout-copies 101 99 0.101 --gpu_arch_json_path gpu.json
	# kernels within a convolution are not the convolution: their names tell
	convolved() {
		sound 10000; work 0 5000
		op aten::convolution 3000 20 "$(tensors $b '[48,100,50,50],[100,100,1,1]' '[250000,2500,50,1],[100,1,1,1]' '"","","","[1,1]","[0,0]","[1,1]","False","[0,0]","1"')"
		ID=$((ID + 1)); call "$ID" 3005 1; gpu "$ID" conv 5000 "$2"
		ID=$((ID + 1)); call "$ID" 3007 1; gpu "$ID" nchwToNhwcKernel $((5000 + $2)) "$1"
		after $((5000 + $2 + $1))
	}
	convolved 301 50; device_trace inside.json ''; EVENTS=()
	equal "$(found inside.json --gpu_arch_json_path gpu.json)" 'layout-kernels 0.301'
	convolved 299 50; device_trace short.json ''; EVENTS=()
	equal "$(found short.json --gpu_arch_json_path gpu.json)" ' 0.0'
	# the slow convolution around them is a finding of its own: 48 us of 400
	convolved 301 400; device_trace slow.json ''; EVENTS=()
	equal "$(found slow.json --gpu_arch_json_path gpu.json | sort)" 'conv-slow 0.35198
layout-kernels 0.301'
	# a fused kernel does more, whatever its name says of a transpose
	rated triton_poi_fused_add_transpose_3 "$(tensors $b '[1000,1000]')" 500 triton_poi_fused_add_transpose_3
	device_trace fused.json ''
	unlike "$(found fused.json --gpu_arch_json_path gpu.json)" layout-copies
}

@test "optimizer-foreach: more than two passes a step" {
	gpu_of_round_numbers
	planted() { COUNT=$1 rated aten::_foreach_add_ '"Input Dims":[[[1000,1000],[1000,1000]],[[1000,1000],[1000,1000]],[]],"Input type":["TensorList","TensorList","Scalar"],"Concrete Inputs":["","","1"]' \
		100 'multi_tensor_apply_kernel<float>'; }
	pair optimizer-foreach 3 2 0.228 --gpu_arch_json_path gpu.json
}

@test "index-put: below 30 % of the bandwidth" {
	gpu_of_round_numbers
	planted() { rated aten::index_put_ '"Input Dims":[[20000,1000],[[20000]],[20000,1000],[]],"Input type":["c10::BFloat16","TensorList","c10::BFloat16","Scalar"],"Concrete Inputs":["","","","False"]' "$1"; }
	pair index-put 267 266 0.187 --gpu_arch_json_path gpu.json
}

# attention NAME N D DUR: of 40 heads; memory bounds 400 of few rows
attention() {
	rated aten::_scaled_dot_product_flash_attention "$(tensors $b "[4,10,$1,$2],[4,10,$1,$2],[4,10,$1,$2]" "[$((10 * $1 * $2)),$(($1 * $2)),$2,1],[$((10 * $1 * $2)),$(($1 * $2)),$2,1],[$((10 * $1 * $2)),$(($1 * $2)),$2,1]" '"","","","0.0","False"')" "$3"
}

@test "attention-slow: below 40 % of the roofline, of short sequences below 25 %, where memory bounds it below half" {
	gpu_of_round_numbers
	planted() { attention 500 100 "$1"; } # 40 us
	pair attention-slow 161 159 0.121 --gpu_arch_json_path gpu.json
	planted() { attention 1024 64 "$1"; } # 107.4 us
	pair attention-slow 269 267 0.161626 --gpu_arch_json_path gpu.json
	attention 1024 192 1000; device_trace heads.json ''; EVENTS=()
	equal "$(found heads.json --gpu_arch_json_path gpu.json | cut -d ' ' -f 1)" attention-slow
	like "$(cell f.tsv title 1)" '^Attention of 1024 tokens with heads of 192 reaches 32.2 % of its roofline \(compute bound\)'
	like "$(cell f.tsv what_to_do 1)" 'Heads of 64 or 128'
	attention 1024 128 1000; device_trace heads.json ''; EVENTS=()
	found heads.json --gpu_arch_json_path gpu.json
	unlike "$(cell f.tsv title 1) $(cell f.tsv what_to_do 1)" '[Hh]eads of'
	attention 50 128 120; device_trace memory.json ''
	found memory.json --gpu_arch_json_path gpu.json
	like "$(cell f.tsv title 1)" 'memory bound'
}

# convolution WEIGHTS DILATION TRANSPOSED GROUPS DUR [KERNEL]: of 48 x 100 x 50 x 50
convolution() {
	rated aten::convolution "$(tensors $b "[48,100,50,50],[$1]" '[250000,2500,50,1],[1,1,1,1]' "\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[$2, $2]\",\"$3\",\"[0, 0]\",\"$4\"")" "$5" "${6-conv}"
}

@test "conv-slow: below 30 % of the roofline, by what kind of convolution it is" {
	gpu_of_round_numbers
	planted() { convolution 100,100,1,1 1 False 1 "$1"; }
	pair conv-slow 161 160 0.11298 --gpu_arch_json_path gpu.json
	while read -r words advice arguments; do
		convolution $arguments 1900
		device_trace kind.json ''; EVENTS=()
		equal "$words: $(found kind.json --gpu_arch_json_path gpu.json | cut -d ' ' -f 1)" "$words: conv-slow"
		like "$(cell f.tsv title 1)" "^${words//_/ } reach .* of their roofline"
		like "$(cell f.tsv what_to_do 1)" "${advice//_/ }"
	done <<-'END'
		Convolutions backends 100,100,2,2 1 False 1
		1x1_convolutions A_matrix_product_in 100,100,1,1 1 False 1
		Depthwise_convolutions for_depthwise 100,1,3,3 1 False 100
		Transposed_convolutions usual_convolution 100,100,2,2 1 True 1
		Dilated_convolutions for_dilated 100,100,2,2 2 False 1
	END
	# the kernel of a forward convolution is one for gradients; that of a transposed one is always
	convolution 100,100,2,2 1 False 1 1900 igemm_bwd_data_gtcx; device_trace kind.json ''; EVENTS=()
	found kind.json --gpu_arch_json_path gpu.json
	like "$(cell f.tsv title 1)" ', by a kernel for gradients: '
	convolution 100,100,2,2 1 True 1 1900 igemm_bwd_data_gtcx; device_trace kind.json ''; EVENTS=()
	found kind.json --gpu_arch_json_path gpu.json
	unlike "$(cell f.tsv title 1)" gradients
}

@test "norm-slow: below half of the bandwidth" {
	gpu_of_round_numbers
	planted() { rated aten::layer_norm "$(tensors $b '[30000,1000],[],[1000],[1000]' '[1000,1],[],[1],[1]' '"","[1000]","","",""')" "$1"; }
	pair norm-slow 241 240 0.120988 --gpu_arch_json_path gpu.json
}

@test "pointwise-slow: below half of the bandwidth, of kernels of 10 us and more" {
	gpu_of_round_numbers
	# 120 us for its bytes
	planted() { rated aten::mul "$(tensors $b '[20000,1000],[20000,1000],[20000,1000]' '[1000,1],[1000,1],[1000,1]')" "$1"; }
	pair pointwise-slow 241 239 0.121 --gpu_arch_json_path gpu.json
	# 3 us for its bytes: a shorter kernel costs its start
	planted() { COUNT=30 rated aten::mul "$(tensors $b '[500,1000],[500,1000],[500,1000]' '[1000,1],[1000,1],[1000,1]')" "$1"; }
	pair pointwise-slow 10 9 0.21 --gpu_arch_json_path gpu.json
}

@test "copy-exposed: what is said of two GPUs is of one" {
	work 0 50000
	ID=$((ID + 1)); call "$ID" 49000 1 cudaMemcpyAsync; gpu "$ID" 'Memcpy HtoD (Pinned -> Device)' 50000 40000 8 gpu_memcpy '"bytes":1000000000,"device":0'
	ID=$((ID + 1)); call "$ID" 49010 1 cudaMemcpyAsync
	event '{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":1,"tid":8,"ts":50000,"dur":40000,"args":{"correlation":'"$ID"',"device":1,"stream":8,"bytes":1000000000}}'
	ID=$((ID + 1)); call "$ID" 10 1
	event '{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":20,"dur":49980,"args":{"correlation":'"$ID"',"device":1,"stream":7}}'
	device_trace two.json '{"id":0,"name":"GPU"},{"id":1,"name":"GPU"}'
	found two.json
	like "$(cell f.tsv title "$(row f.tsv rule=copy-exposed)")" 'take 40.0 ms .* at stake: HtoD, 1.00 GB; on 2 devices, of which this is the worst$'
}

@test "clock-fell: a kernel that takes 2 ms longer at less than 95 % of the clock" {
	planted() {
		sound 100000
		local span
		for span in '0 20000' '20000 20000' '40000 20000' '60000 22000' '82000 18000'; do
			ID=$((ID + 1))
			call "$ID" $((${span% *} < 10 ? 0 : ${span% *} - 10)) 1
			gpu "$ID" kernel "${span% *}" "${span#* }" 7 kernel '"device":0'
		done
		for span in '0 2000' "60000 $1" '82000 2000'; do
			event "{\"ph\":\"C\",\"name\":\"SM clock\",\"pid\":0,\"ts\":${span% *},\"args\":{\"MHz\":${span#* }}}"
		done
	}
	pair clock-fell 1800 1910 2.0
	unlike "$(tl-findings -q --sheets findings_unasked short.json)" clock-fell
}

# busy COUNTER PERCENT [PERIOD]: a sample of it each millisecond, of 100
busy() {
	local i
	for ((i = 0; i <= 100000; i += ${3-1000})); do
		event '{"ph":"C","name":"'"$1"' [Throughput %]","pid":0,"ts":'$i',"args":{"value":'"$2"'}}'
	done
}
# long NAME: 100 ms of two kernels of this name
long() {
	sound 100000
	ID=$((ID + 1)); call "$ID" 0 1; gpu "$ID" "$1" 0 50000 7 kernel '"device":0'
	ID=$((ID + 1)); call "$ID" 5 1; gpu "$ID" "$1" 50000 50000 7 kernel '"device":0'
}

@test "dram-bound: 80 % of the bandwidth of memory, reads and writes, while kernels run that are longer than two samples" {
	planted() { long k; busy 'DRAM Read Bandwidth' "$1"; busy 'DRAM Write Bandwidth' 30; }
	pair dram-bound 50 49 100.0
	found beyond.json >/dev/null
	equal "$(cell f.tsv title 1)" 'While k runs, 100 ms (100 %), memory is busy 80 % of the time: no faster without fewer bytes'
	equal "$(cell f.tsv at_stake_ms 1)" 0.0
	# samples that are as far apart as half of a kernel are of kernels, those farther apart of what ran beside them, too
	why() { tl-findings -q --sheets findings_unasked "$1" >u.tsv; cell u.tsv why "$(row u.tsv rule="$2")"; }
	EVENTS=(); long k; busy 'DRAM Read Bandwidth' 90 25000; device_trace few.json ''
	equal "$(found few.json)" 'dram-bound 100.0'
	EVENTS=(); long k; busy 'DRAM Read Bandwidth' 90 25001; device_trace few.json ''
	unlike "$(found few.json)" dram-bound
	equal "$(why few.json dram-bound)" 'no kernel is as long as two samples of the counter of memory. Record more samples.'
	equal "$(why few.json tensor-idle)" 'no counter tells how busy matrix units are while a kernel runs'
	# GB/s tell no percent
	EVENTS=("${EVENTS[@]//Throughput %/GB/s}"); device_trace rate.json ''
	equal "$(why rate.json dram-bound)" 'no counter tells how busy memory is while a kernel runs. A profiler of single kernels tells it.'
}

@test "tensor-idle: matrix units are busy less than 10 % while products run that neither wait for memory nor need 64 bit" {
	planted() { long ampere_bf16_s16816gemm_bf16_128x64_tn; busy 'Tensor Active' "$1"; }
	pair tensor-idle 9 10 100.0
	found beyond.json >/dev/null
	equal "$(cell f.tsv title 1)" 'While ampere_bf16_s16816gemm_bf16_128x64_tn runs, 100 ms (100 %), matrix units are busy 9 % of the time'
	like "$(cell f.tsv what_to_do 1)" '^Look at the precision'
	of() { EVENTS=(); long "$1"; busy 'Tensor Active' 3; busy 'DRAM Read Bandwidth' "${2-10}"; device_trace t.json "${DEVICES-$H100}"; found t.json; }
	like "$(of ampere_sgemm_128x64_tn)" 'tensor-idle 100.0'
	equal "$(cell f.tsv what_to_do "$(row f.tsv rule=tensor-idle)")" 'Multiply in 16 bit.'
	like "$(DEVICES='{"id":0,"name":"GPU","computeMajor":8,"computeMinor":0}' of ampere_sgemm_128x64_tn)" 'tensor-idle 100.0'
	equal "$(cell f.tsv what_to_do "$(row f.tsv rule=tensor-idle)")" 'Multiply in 16 bit, or in TF32.'
	unlike "$(of ampere_dgemm_128x64_tn)" tensor-idle
	unlike "$(of 'void cublasLt::splitKreduce_kernel<32>')" tensor-idle
	unlike "$(of elementwise_kernel)" tensor-idle
	unlike "$(of gemv2T_kernel_val)" tensor-idle
	equal "$(of ampere_bf16_s16816gemm_bf16_128x64_tn 85 | grep -v '^gemm')" 'dram-bound 100.0'
}

@test "what is not asked for want of shapes or of a clock names the command of the trace's profiler" {
	why() { tl-findings -q --sheets findings_unasked "$1" >u.tsv; cell u.tsv why "$(row u.tsv rule="$2")"; }
	around 10; device_trace t.json "$H100"
	sed 's/"Input Dims":[^}]*//' t.json >bare.json
	equal "$(why bare.json fp64)" 'operators have no shapes. Record with record_shapes=True.'
	equal "$(why bare.json clock-fell)" "no clock of the GPU was recorded. Watch clock, power and temperature with a tool of the GPU's maker."
	unlike "$(why t.json fp64 || true)" 'record_shapes'
	rm -f t.db
	# of a program that is not PyTorch's, nobody can record shapes
	sqlite3 t.db "CREATE TABLE StringIds (id INT, value TEXT); INSERT INTO StringIds VALUES (1, 'vecAdd'), (2, 'cudaLaunchKernel_v7000');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 1000, 0, 7, 1, 2, 0);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT,
			shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2000, 900000, 0, 7, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1);"
	equal "$(why t.db clock-fell)" 'no clock of the GPU was recorded. Record it with nsys --gpu-metrics-devices=all.'
	unlike "$(cat u.tsv)" 'autograd-shapes'
	# metrics that have no clock are recorded with that option
	sqlite3 t.db "CREATE TABLE GPU_METRICS (timestamp INT, value INT, typeId INT, metricId INT);
		INSERT INTO GPU_METRICS VALUES (100000, 80, 1, 1), (200000, 80, 1, 1), (900000, 80, 1, 1);
		CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);
		INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1, 1, 'DRAM Read Bandwidth [Throughput %]');"
	equal "$(why t.db clock-fell)" 'no clock of the GPU was recorded'
}

@test "slow-once: one call of ten times the median and 100 us" {
	gpu_of_round_numbers
	planted() {
		sound 10000; work 0 5000
		for i in 1 2 3 4; do
			ID=$((ID + 1))
			op aten::mul $((3000 + 30 * i)) 20 "$(tensors $b '[5000,1000],[5000,1000],[5000,1000]' '[1000,1],[1000,1],[1000,1]')" # 30 us
			call "$ID" $((3005 + 30 * i)) 1
			gpu "$ID" k $((5000 + 31 * (i - 1) + (i > 2 ? $1 - 31 : 0))) $((i == 2 ? $1 : 31))
		done
		after $((5093 + $1))
	}
	pair slow-once 310 309 0.279 --gpu_arch_json_path gpu.json
	planted 310; device_trace once.json ''; EVENTS=()
	found once.json --gpu_arch_json_path gpu.json
	like "$(cell f.tsv title 1)" '^One call of 4 of aten::mul takes 10.0 times its median: '
}

@test "prefill-experts: experts that memory bounds, by the least that the tokens need" {
	gpu_of_round_numbers
	# 2 of 8 experts: 2 x 3 x 2000 x 2500 x 2 bytes, 60 us
	planted() { rated vllm::inplace_fused_experts "$(tensors $b '[16,2000],[8,5000,2000],[8,2000,2500],[16,2]' '[2000,1],[10000000,2000,1],[5000000,2500,1],[2,1]')" "$1"; }
	pair prefill-experts 162 160 0.101872 --gpu_arch_json_path gpu.json
	planted 162; device_trace experts.json ''; EVENTS=()
	found experts.json --gpu_arch_json_path gpu.json
	like "$(cell f.tsv title 1)" 'if 16 tokens read 2 of 8 experts, the least; 8 are likely'
	# products bound these: they are as others
	rated vllm::inplace_fused_experts "$(tensors $b '[1600,2000],[8,500,2000],[8,2000,250],[1600,2]' '[2000,1],[1000000,2000,1],[500000,250,1],[2,1]')" 400
	device_trace compute.json ''
	like "$(found compute.json --gpu_arch_json_path gpu.json)" '^gemm-headroom '
}

@test "decode-limit: a server whose products of less than 16 rows take half of the kernels' time" {
	gpu_of_round_numbers
	# 100 us for 100 MB of weights
	planted() {
		sound 10000
		range "${2-execute_context_0(0)_generation_4(4)}" 100 50
		work 0 $((9000 - 120 * ${3-50}))
		for ((i = 0; i < ${3-50}; i++)); do
			ID=$((ID + 1))
			op aten::mm $((1000 + 30 * i)) 20 "$(tensors $b "[$1,5000],[5000,10000]")"
			call "$ID" $((1005 + 30 * i)) 1
			gpu "$ID" gemv $((9000 - 120 * ${3-50} + 120 * i)) 120
		done
		ID=$((ID + 1)); call "$ID" 900 1; gpu "$ID" kernel 9000 1000
	}
	pair decode-limit 15 16 0.9775 --gpu_arch_json_path gpu.json
	planted 4; device_trace limit.json ''; EVENTS=()
	found limit.json --gpu_arch_json_path gpu.json
	like "$(cell f.tsv title 1)" '^Decode of 4 rows at once reads all weights'
	# no server, or other work
	planted 4 step; device_trace train.json ''; EVENTS=()
	unlike "$(found train.json --gpu_arch_json_path gpu.json)" decode-limit
	planted 4 'execute_context_0(0)_generation_4(4)' 30; device_trace other.json ''; EVENTS=()
	unlike "$(found other.json --gpu_arch_json_path gpu.json)" decode-limit
}

# ---- 4: headroom ----------------------------------------------------------------------------------------------------------------

@test "gemm-headroom: 1 % of the window above what good libraries reach, and why" {
	gpu_of_round_numbers
	planted() { rated aten::mm "$(tensors $b '[1000,1000],[1000,1000]')" "$1"; } # 20 us at the roofline
	pair gemm-headroom 121 119 0.101 --gpu_arch_json_path gpu.json
	# of a data sheet's peaks 135.1 us, and nothing above 69.6 %
	printf 'name\tbasis\tmem_bw_gbps\tmatrix_bf16\nsheet\tpeak\t1000\t100\n' >sheet.tsv
	planted() { COUNT=20 rated aten::mm "$(tensors $b '[1000,5000],[5000,1000]')" "$1"; }
	pair gemm-headroom 144 143 0.177297 --gpu_arch_json_path sheet.tsv
	DEVICES='{"id":0,"name":"GPU","numSms":100,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":233472,"maxThreadsPerMultiprocessor":2048}'
	while IFS='|' read -r title advice count dims dur kernel args; do
		COUNT=$count rated aten::mm "$(tensors $b "$dims")" "$dur" "$kernel" "$args"
		device_trace reason.json "$DEVICES"; EVENTS=()
		like "$title: $(found reason.json --gpu_arch_json_path gpu.json)" ': gemm-headroom '
		like "$(cell f.tsv title 1)" "${title/: 0/: [0-9]}"
		like "$(cell f.tsv what_to_do 1)" "^$advice"
	done <<-'END'
		odd sizes take slow kernels|Pad|1|[1000,1000],[1000,1000]|130|cutlass_bf16_align4|
		odd sizes take slow kernels|Pad|1|[1000,1001],[1001,1000]|130|gemm|
		too few blocks|Split|1|[1000,1000],[1000,1000]|130|gemm|"grid":[20,1,1]
		last wave of blocks is nearly empty|Sizes or tiles|4|[1000,1000],[1000,1000]|50|gemm|"grid":[319,1,1],"block":[128,2,1],"registers per thread":121,"shared memory":100
		too small to fill|Batch|10|[199,500],[500,500]|15|gemm|
		memory bound|A kernel for tall|10|[100000,16],[16,16]|40|gemm|
		roofline: 0|Another library|1|[1000,1000],[1000,1000]|130|gemm|
		roofline, by a fallback kernel: 0|Another library|1|[1000,1000],[1000,1000]|130|Cijk_fallback_gfx942|
	END
}

@test "headroom: the same of other operators" {
	gpu_of_round_numbers
	# 120 us for its bytes
	planted() { rated aten::mul "$(tensors $b '[20000,1000],[20000,1000],[20000,1000]' '[1000,1],[1000,1],[1000,1]')" "$1"; }
	pair headroom 221 219 0.101 --gpu_arch_json_path gpu.json
}

@test "slow-step: 5 % above the median" {
	planted() {
		local at=0 length
		for length in 10000 10000 $((10000 + $1)) 10000; do
			step "$at" "$length"
			ID=$((ID + 1)); call "$ID" "$at" 1; gpu "$ID" kernel $((at + 100)) "$length"
			at=$((at + length))
		done
	}
	pair slow-step 510 490 0.51
}
