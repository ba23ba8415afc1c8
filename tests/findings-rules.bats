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

# bats test_tags=quick
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

# ---- 1: idle time -------------------------------------------------------------------------------------------------------

@test "dataloader: 1 % of the window in an iterator of a DataLoader" {
	planted() { around "$1"; range 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__' 50000 "$1"; }
	pair dataloader 1010 990 1.01
	# without steps and frames the annotation tells
	work 0 50000; work 55000 100000; range 'enumerate(DataLoader)#_X.__next__' 50000 5000
	device_trace lone.json ''; EVENTS=()
	equal "$(found lone.json)" 'dataloader 5.0'
	# beside kernels it costs nothing
	sound 100000; work 0 100000; range 'enumerate(DataLoader)#_X.__next__' 10000 50000
	trace beside.json
	equal "$(found beside.json)" ' 0.0'
}

@test "compile-in-recording" {
	planted() { around "$1"; frame 'torch/_dynamo/convert_frame.py(9): _compile' 50000 "$1"; }
	pair compile-in-recording 1010 990 1.01
	# annotations, in a trace without steps and frames; code that was compiled before only runs
	while IFS=$'\t' read -r _ name answer; do
		work 0 50000; work 55000 100000; range "$name" 50000 5000
		device_trace named.json ''; EVENTS=()
		equal "$(found named.json)" "$([ "$answer" = compilation ] && echo compile-in-recording || echo host-python) 5.0"
	done < <(grep -P '\t(compilation|region|autograd|graph)$' "$TL_ROOT/tests/vectors/compile-names.tsv")
}

@test "garbage-collection" {
	planted() { around "$1"; frame '<built-in function collect>' 50000 "$1"; }
	pair garbage-collection 1010 990 1.01
}

@test "sampler-on-host" {
	planted() { around "$1"; frame 'vllm/v1/sample/sampler.py(70): forward' 50000 "$1"; }
	pair sampler-on-host 1010 990 1.01
}

@test "zero-grad" {
	planted() { around "$1"; range 'Optimizer.zero_grad#SGD.zero_grad' 50000 "$1"; }
	pair zero-grad 1010 990 1.01
}

@test "allocator" {
	planted() { around 1200; ID=$((ID + 1)); call "$ID" 50000 "$1" cudaMalloc; }
	pair allocator 1010 990 1.01
	# within an operator it is still the allocator
	planted() { around 5000; op aten::empty 50000 4999; ID=$((ID + 1)); call "$ID" 50100 4000 "$1"; }
	for name in cudaMalloc cuMemCreate hipHostMalloc; do
		planted "$name"; device_trace within.json ''; EVENTS=()
		equal "$(found within.json)" 'allocator 5.0'
	done
	planted cudaMallocAsync; device_trace async.json ''; EVENTS=()
	equal "$(found async.json)" 'host-python 5.0'
}

@test "algorithm-search" {
	planted() { around "$1"; frame 'triton/runtime/autotuner.py(9): run' 50000 "$1"; }
	pair algorithm-search 1010 990 1.01
}

@test "optimizer-loop" {
	planted() { around "$1"; range 'Optimizer.step#Adam.step' 50000 "$1"; }
	pair optimizer-loop 1010 990 1.01
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
}

@test "graph-replay-share: of the time of 20 kernels, 7 or 5 by graphs" {
	planted() {
		sound 100000
		op aten::slow 59000 2009
		for i in {0..19}; do
			ID=$((ID + 1))
			call "$ID" $((i == 12 ? 61009 : i * 5000 - 2 * (i > 0))) 1 "$( ((i < $1)) && echo cudaGraphLaunch || echo cudaLaunchKernel)"
			gpu "$ID" kernel $((i * 5000 + (i == 12) * 1010)) $((5000 - (i == 12) * 1010))
		done
	}
	pair graph-replay-share 7 5 1.01
}

@test "launch-bound: the host is late for 16 launches" {
	planted() {
		sound $(($1 * 1000))
		for ((i = 0; i < $1; i++)); do kernel $((i * 1000 + 900)) 100; done
	}
	pair launch-bound 16 15 14.38
}

@test "launch-bound: 16 launches and more, each less than 1 ms late" {
	planted() {
		sound $(($1 * $2))
		for ((i = 0; i < $1; i++)); do kernel $((i * $2 + $3)) $(($2 - $3)); done
	}
	late() {
		planted "$@"; device_trace late.json ''; EVENTS=()
		found late.json
	}
	equal "$(late 16 1000 900)" 'launch-bound 14.38'
	equal "$(late 15 1000 900 | head -n 1)" 'host-python 12.58'
	equal "$(late 20 1500 1100 | head -n 1)" 'host-python 20.87'
	[[ $(cell f.tsv title 1) == *'while the host does something else'* ]]
	equal "$(late 20 1900 950)" 'launch-bound 18.97'
	equal "$(late 20 2100 950 | head -n 1)" 'host-python 18.02' # kernels take longer than such launches
}

@test "host-before-first-kernel" {
	planted() { sound 100000; work "$1" 100000; }
	pair host-before-first-kernel 1010 990 1.01
}

@test "host-python" {
	planted() { around "$1"; }
	pair host-python 1010 990 1.01
}

@test "host-python: the advice is that for what the host does" {
	planted() { around "${2-2000}"; op "$1" 50000 $((${2-2000} - 1)); }
	planted aten::mm; device_trace busy.json ''; EVENTS=()
	equal "$(found busy.json)" 'host-python 2.0'
	[[ $(cell f.tsv title 1) == *'while the host is between two launches, most of it in '* ]]
	[[ $(cell f.tsv what_to_do 1) == 'Do it on the GPU'* ]]
	planted aten::mm 900; device_trace short.json ''; EVENTS=()
	equal "$(found short.json --min_percent 0.5)" 'host-python 0.9'
	[[ $(cell f.tsv title 1) == *'while the host runs operators and launches, most of it in '* ]]
	[[ $(cell f.tsv what_to_do 1) == 'A CUDA graph of what repeats: torch.compile'* ]]
	# profilers of 2021 wrote annotations as operators: these are no work of the host
	planted 'Some.thing#X'; device_trace old.json ''; EVENTS=()
	equal "$(found old.json)" 'host-python 2.0'
	[[ $(cell f.tsv title 1) == *'while the host does something else'* ]]
	[[ $(cell f.tsv what_to_do 1) == 'Do it on the GPU'* ]]
}

@test "dataloader and zero-grad: annotations that are operators, as profilers of 2021 wrote them" {
	around 5000; op 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__' 50000 4999; op aten::stack 50100 4000
	device_trace old.json ''; EVENTS=()
	equal "$(found old.json)" 'dataloader 5.0'
	around 5000; op 'Optimizer.zero_grad#SGD.zero_grad' 50000 4999; op aten::zero_ 50100 4000
	device_trace old.json ''; EVENTS=()
	equal "$(found old.json)" 'zero-grad 5.0'
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

@test "comm-straggler: the longest takes more than twice the median" {
	planted() { sound 10000; work 0 5000; reduce 5000 100; reduce 5100 100; reduce 5200 "$1"; work $((5200 + $1)) 10000; }
	pair comm-straggler 201 199 0.101
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
	[[ $(cell f.tsv title 1) == *': DtoD, 5.00 MB' ]]
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
	pair norm-chain 31 29 0.100598 --gpu_arch_json_path gpu.json
}

@test "rope-chain" {
	gpu_of_round_numbers
	# one kernel would move 108.8 kB
	planted() { chain Attention_0 "$1" "mul|$b,$b|[1,8,50,64],[1,1,50,64]" "neg|$b|[1,8,50,32]" \
		"cat|TensorList,Scalar|[[1,8,50,32],[1,8,50,32]],[]" "mul|$b,$b|[1,8,50,64],[1,1,50,64]" \
		"add|$b,$b,Scalar|[1,8,50,64],[1,8,50,64],[]"; }
	pair rope-chain 61 59 0.100891 --gpu_arch_json_path gpu.json
}

@test "cast-chain" {
	gpu_of_round_numbers
	planted() { chain Cast_0 "$1" "copy_|$f,$b,Scalar|[100,1000],[100,1000],[]" "copy_|$b,$f,Scalar|[100,1000],[100,1000],[]"; }
	pair cast-chain 92 90 0.1016 --gpu_arch_json_path gpu.json
	# behind another kernel it is still the casts
	chain Cast_0 150 "copy_|$f,$b,Scalar|[100,1000],[100,1000],[]" "copy_|$b,$f,Scalar|[100,1000],[100,1000],[]" "mul|$b,$b|[100,1000],[100,1000]"
	device_trace behind.json ''
	equal "$(found behind.json --gpu_arch_json_path gpu.json | cut -d ' ' -f 1)" cast-chain
}

@test "pointwise-chain" {
	gpu_of_round_numbers
	# one kernel would move 400 kB, if both read the same tensor
	planted() { chain MLP_0 "$1" "silu|$b|[100,1000]" "mul|$b,$b|[100,1000],[100,1000]"; }
	pair pointwise-chain 91 89 0.1006 --gpu_arch_json_path gpu.json
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

@test "gemm-misaligned: a kernel that reads 4 elements of 16 bits at once, or 8" {
	gpu_of_round_numbers
	planted() { rated aten::mm "$(tensors $b '[1000,1000],[1000,1000]')" 130 "cutlass_bf16_align$1"; } # 20 us at the roofline
	pair gemm-misaligned 4 8 0.11 --gpu_arch_json_path gpu.json
}

@test "layout-copies" {
	gpu_of_round_numbers
	planted() { rated aten::contiguous "$(tensors $b '[1000,1000]')" "$1" kernel; }
	pair layout-copies 101 99 0.101 --gpu_arch_json_path gpu.json
	# within a convolution, if they are most of what it could save
	planted() {
		sound 10000; work 0 5000
		op aten::convolution 3000 20 "$(tensors $b '[48,100,50,50],[100,100,1,1]' '[250000,2500,50,1],[100,1,1,1]' '"","","","[1,1]","[0,0]","[1,1]","False","[0,0]","1"')"
		ID=$((ID + 1)); call "$ID" 3005 1; gpu "$ID" "${2-conv}" 5000 "${3-50}"
		ID=$((ID + 1)); call "$ID" 3007 1; gpu "$ID" nchwToNhwcKernel $((5000 + ${3-50})) "$1"
		after $((5000 + ${3-50} + $1))
	}
	pair layout-copies 101 99 0.101 --gpu_arch_json_path gpu.json
	planted 101 conv 155; device_trace slow.json ''; EVENTS=()
	unlike "$(found slow.json --gpu_arch_json_path gpu.json)" layout-copies
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

@test "attention-slow: below 25 % of the roofline" {
	gpu_of_round_numbers
	planted() { rated aten::_scaled_dot_product_flash_attention "$(tensors $b '[4,10,500,100],[4,10,500,100],[4,10,500,100]' '[500000,50000,100,1],[500000,50000,100,1],[500000,50000,100,1]' '"","","","0.0","False"')" "$1"; }
	pair attention-slow 161 159 0.121 --gpu_arch_json_path gpu.json
}

@test "conv-small: below 30 % of the roofline" {
	gpu_of_round_numbers
	planted() { rated aten::convolution "$(tensors $b '[48,100,50,50],[100,100,1,1]' '[250000,2500,50,1],[100,1,1,1]' '"","","","[1,1]","[0,0]","[1,1]","False","[0,0]","1"')" "$1"; }
	pair conv-small 161 160 0.11298 --gpu_arch_json_path gpu.json
}

@test "norm-slow: below half of the bandwidth" {
	gpu_of_round_numbers
	planted() { rated aten::layer_norm "$(tensors $b '[30000,1000],[],[1000],[1000]' '[1000,1],[],[1],[1]' '"","[1000]","","",""')" "$1"; }
	pair norm-slow 241 240 0.120988 --gpu_arch_json_path gpu.json
}

@test "pointwise-slow: below half of the bandwidth" {
	gpu_of_round_numbers
	# 120 us for its bytes
	planted() { rated aten::mul "$(tensors $b '[20000,1000],[20000,1000],[20000,1000]' '[1000,1],[1000,1],[1000,1]')" "$1"; }
	pair pointwise-slow 241 239 0.121 --gpu_arch_json_path gpu.json
}

@test "tile-waste: 319 or 321 blocks where 200 run at once" {
	gpu_of_round_numbers
	DEVICES='{"id":0,"name":"GPU","numSms":100,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":233472,"maxThreadsPerMultiprocessor":2048}'
	planted() { rated aten::mm "$(tensors $b '[1000,1000],[1000,1000]')" 130 gemm '"grid":['"$1"',1,1],"block":[128,2,1],"registers per thread":121,"shared memory":100'; }
	pair tile-waste 319 321 0.11 --gpu_arch_json_path gpu.json
}

@test "few-blocks: less than 90 % of the GPU's units" {
	gpu_of_round_numbers
	DEVICES='{"id":0,"name":"GPU","numSms":100}'
	planted() { rated aten::mm "$(tensors $b '[1000,1000],[1000,1000]')" 130 gemm '"grid":['"$1"',1,1]'; }
	pair few-blocks 89 90 0.11 --gpu_arch_json_path gpu.json
}

@test "gemm-small: less than 1 us at the roofline" {
	gpu_of_round_numbers
	# 5 ns a row
	planted() { COUNT=10 rated aten::mm "$(tensors $b "[$1,500],[500,500]")" 15; }
	pair gemm-small 199 200 0.14005 --gpu_arch_json_path gpu.json
}

# ---- 4: headroom ----------------------------------------------------------------------------------------------------------------

@test "gemm-headroom: 1 % of the window above the roofline" {
	gpu_of_round_numbers
	planted() { rated aten::mm "$(tensors $b '[1000,1000],[1000,1000]')" "$1"; } # 20 us at the roofline
	pair gemm-headroom 121 119 0.101 --gpu_arch_json_path gpu.json
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
