#!/usr/bin/env bats
# setup.bats - the sheet setup of tl-overview: what a program has on; and that findings advise nothing that it contradicts.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

H100='{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132,"computeMajor":9,"computeMinor":0}'
T4='{"id":0,"name":"Tesla T4","numSms":40,"computeMajor":7,"computeMinor":5}'
MI300='{"id":0,"name":"AMD Instinct MI300X","numSms":304,"computeMajor":9,"computeMinor":4}'

range() {
	event '{"ph":"X","cat":"user_annotation","name":"'"$1"'","pid":1,"tid":1,"ts":'"$2"',"dur":'"$3"'}'
}
# kernel NAME TS DUR [CALL]
kernel() {
	ID=$((ID + 1))
	call "$ID" "$2" 1 "${4-cudaLaunchKernel}"
	gpu "$ID" "$1" "$(($2 + 2))" "$3"
}
# setup_of [GPU]: the sheet of the events so far
setup_of() {
	device_trace t.json "${1-}"
	EVENTS=() ID=0
	tl-overview -q --sheets setup -o s.tsv t.json
}
# fact NAME [COLUMN]
fact() {
	cell s.tsv "${2-value}" "$(row s.tsv fact="$1")"
}
# advice GPU: $ADVICE is that of the first finding of the events so far
advice() {
	device_trace t.json "${1-}"
	EVENTS=() ID=0
	tl-findings -q --format tsv t.json >f.tsv
	ADVICE=$(cell f.tsv what_to_do "$(row f.tsv rank=1)")
}

@test "each fact has a row, and is unknown where the trace does not tell it" {
	kernel mine 10 5 launchIt
	setup_of
	equal "$(cut -f 1,2 s.tsv | tail -n +2 | tr '\t\n' ': ')" 'profiler:pytorch gpu:unknown units:unknown capability:unknown vendor:unknown framework:unknown torch:unknown mode:unknown compiled:unknown attention:unknown optimizer:unknown loader:unknown parallel:unknown channels_last:unknown pinned:unknown graphs:0.0 matrix_fp32:unknown matrix_tf32:unknown matrix_16:unknown matrix_8:unknown steps:0 has_steady:True has_shapes:False has_stacks:False '
}

@test "what a program has on, by names" {
	range 'ProfilerStep#1' 0 500
	range 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__' 1 5
	range 'Optimizer.step#AdamW.step' 300 20
	op aten::mm 10 10 '"Input Dims":[[64,64],[64,64]]'
	frame 'train.py(1): main' 0 500
	kernel ampere_sgemm_128x64_tn 10 30
	kernel ampere_bf16_s16816gemm_bf16_128x64_tn 50 40
	kernel triton_poi_fused_add_0 100 10 cudaGraphLaunch
	kernel 'multi_tensor_apply_kernel<FusedAdamMathFunctor>' 150 20
	setup_of "$H100"
	equal "$(cut -f 1,2 s.tsv | tail -n +2 | tr '\t\n' ': ')" 'profiler:pytorch gpu:NVIDIA H100 80GB HBM3 units:132 capability:9.0 vendor:nvidia framework:pytorch torch:yes mode:train compiled:yes attention:unknown optimizer:fused loader:multi parallel:unknown channels_last:unknown pinned:unknown graphs:0.1 matrix_fp32:0.42857142857142855 matrix_tf32:0.0 matrix_16:0.5714285714285714 matrix_8:0.0 steps:1 has_steady:True has_shapes:True has_stacks:True '
	equal "$(fact compiled share) $(fact compiled count) $(fact compiled ms) $(fact compiled evidence)" '0.1 1 0.01 triton_poi_fused_add_0'
	equal "$(fact optimizer share) $(fact graphs count) $(fact matrix_16 share)" '0.2 1 0.4'
	equal "$(fact loader first_us)" 1.0
}

@test "the row that stands first tells the value, and each name counts in its row" {
	op aten::addcmul_ 10 5
	op aten::addcmul_ 20 5
	op aten::_foreach_norm 30 5
	op _C::rms_norm 40 5
	kernel k 60 5
	setup_of
	equal "$(fact optimizer) $(fact optimizer count)" 'loop 2'
	equal "$(fact framework) $(fact framework evidence)" 'vllm _C::rms_norm'
	equal "$(fact torch) $(fact mode)" 'yes infer'
	op aten::addcmul_ 10 5
	op aten::_foreach_add_ 20 5
	kernel k 60 5
	setup_of
	equal "$(fact optimizer) $(fact optimizer evidence)" 'foreach aten::_foreach_add_'
}

@test "parallel: all kinds that are on, by annotations, frames, groups of processes and operators" {
	reduce='"Process Group Description":'
	kernel k 10 5
	setup_of
	equal "$(fact parallel)" unknown
	range DistributedDataParallel.forward 0 50
	kernel k 10 5
	setup_of
	equal "$(fact parallel) $(fact parallel evidence)" 'ddp DistributedDataParallel.forward'
	frame 'torch/distributed/fsdp/_runtime_utils.py(1): _unshard' 0 5000
	call 1 10 1; gpu 1 ncclDevKernel_AllReduce 12 5 7 kernel "$reduce\"mesh_tp\""
	call 2 20 1; gpu 2 ncclDevKernel_SendRecv 22 5 7 kernel "$reduce\"pp:0\""
	op c10d::alltoall_base_ 30 5
	setup_of
	equal "$(fact parallel) $(fact parallel first_us)" 'fsdp,tp,pp,ep -10.0'
	# groups of data parallel processes are of both, and names that only look so
	call 1 10 1; gpu 1 ncclDevKernel_AllReduce 12 5 7 kernel "$reduce\"default_pg dp http step\""
	setup_of
	equal "$(fact parallel)" unknown
}

@test "channels_last, pinned, and what an optimizer that does not tell is" {
	kernel 'sm80_xmma_fprop_implicit_gemm_f16_nhwckrsc_nhwc' 10 5
	setup_of
	equal "$(fact channels_last)" yes
	kernel 'sm80_xmma_fprop_implicit_gemm_f16_nhwckrsc_nhwc' 10 50
	kernel 'void cudnn::ops::nchwToNhwcKernel<float>' 70 10
	setup_of
	equal "$(fact channels_last) $(fact channels_last ms)" 'no 0.01'
	call 1 10 1; gpu 1 'Memcpy HtoD (Pinned -> Device)' 12 5 7 gpu_memcpy '"bytes":300'
	call 3 30 1; gpu 3 'Memcpy DtoD (Device -> Device)' 32 5 7 gpu_memcpy '"bytes":5000'
	setup_of
	equal "$(fact pinned) $(fact pinned count)" 'yes 1'
	call 1 10 1; gpu 1 'Memcpy HtoD (Pinned -> Device)' 12 5 7 gpu_memcpy '"bytes":300'
	call 2 20 1; gpu 2 'Memcpy DtoH (Device -> Pageable)' 22 5 7 gpu_memcpy '"bytes":100'
	setup_of
	equal "$(fact pinned)" no
	op aten::add 10 5
	kernel k 20 5
	setup_of
	equal "$(fact optimizer)" none
	range 'Optimizer.step#SGD.step' 0 50
	op aten::add_ 10 5
	kernel k 20 5
	setup_of
	equal "$(fact optimizer)" unknown
}

@test "attention without operators: by the library of its kernels, and math by its chain" {
	kernel fmha_cutlassF_bf16_aligned_64x64_rf_sm80 10 30
	setup_of
	equal "$(fact attention) $(fact attention ms) $(fact matrix_16)" 'mem-efficient 0.03 1.0'
	kernel aiter::fmha_fwd_hd128_bf16.kd 10 30
	setup_of
	equal "$(fact attention)" aiter
	for k in ampere_sgemm_128x64_tn 'at::native::elementwise_kernel' 'cunn_SoftMaxForward<8>' ampere_sgemm_128x64_nn; do kernel "$k" $((ID * 100)) 30; done
	setup_of
	equal "$(fact attention) $(fact attention count)" 'math 1'
	# a softmax behind the last product, and the next product behind a norm
	for k in ampere_sgemm_128x64_tn 'cunn_SoftMaxForward<8>' vectorized_layer_norm_kernel ampere_sgemm_128x64_nn; do kernel "$k" $((ID * 100)) 30; done
	setup_of
	equal "$(fact attention)" unknown
	# messages multiply nothing
	kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 10 30
	kernel ampere_bf16_s16816gemm_bf16_128x64_tn 50 30
	setup_of
	equal "$(fact matrix_fp32) $(fact matrix_16)" '0.0 1.0'
}

# waits: 300 µs of kernels in which the GPU waits for launches half of the time
waits() {
	range 'ProfilerStep#1' 0 27000
	for i in {0..29}; do
		op aten::add $((i * 900)) 800
		kernel "${1-void at::native::add}" $((i * 900 + 700)) 400 "${2-cudaLaunchKernel}"
	done
}

@test "no graph is advised to who replays graphs, and each vendor has its word" {
	waits
	advice "$H100"
	like "$ADVICE" "A CUDA graph of what repeats: torch.compile in mode='reduce-overhead', or torch.cuda.graph"
	waits 'void at::native::add' hipLaunchKernel
	advice "$MI300"
	like "$ADVICE" 'A HIP graph of what repeats'
	waits triton_poi_fused_add_0
	advice "$H100"
	like "$ADVICE" "torch.compile in mode='reduce-overhead', or torch.cuda.graph"
	waits 'void at::native::add' cudaGraphLaunch
	advice "$H100"
	unlike "$ADVICE" graph
	waits 'void at::native::add' zeLaunch
	advice '{"id":0,"name":"Intel(R) Data Center GPU Max 1550"}'
	unlike "$ADVICE" graph
}

@test "a server gets the words of servers" {
	for i in {0..9}; do range "execute_context_1(8)_generation_0(0)" $((i * 3000)) 2999; done
	waits
	advice "$H100"
	like "$ADVICE" 'cudagraph_capture_sizes'
}

# loads NAME: the GPU waits while this range is open
loads() {
	range 'ProfilerStep#1' 0 10000
	op aten::add 0 10
	kernel a 5 900
	range "enumerate(DataLoader)#_$1DataLoaderIter.__next__" 1000 4000
	range "enumerate(DataLoader)#_$1DataLoaderIter.__next__" 5000 4000
	kernel a 9050 900
}

@test "workers are advised to who has none, more of them to who has some" {
	loads SingleProcess
	advice "$H100"
	like "$ADVICE" 'Load ahead: DataLoader\(num_workers=2 or more'
	loads MultiProcessing
	advice "$H100"
	like "$ADVICE" 'The workers do not keep up: more of them'
	loads MultiProcessing
	advice "$H100"
	unlike "$ADVICE" 'num_workers=2 or more'
}

# the lines of the rules: rule, do, unasked or map, text, condition; what a map says of one profiler stands under that condition
lines_of_rules() {
	awk '
		$1 == "rule" { rule = $2 }
		$1 == "map" {
			key = $0
			sub(/^map [a-z]+ /, "", key)
			text = key
			sub(/^("[^"]*"|[^ ]*) /, "", text)
			split(key, word, "\"")
			print "map " $2 "\tmap\t" text "\t" (word[2] ~ / / ? "profiler == \"" substr(word[2], index(word[2], " ") + 1) "\"" : "")
		}
		$1 == "do" || $1 == "unasked" {
			what = $1
			sub(/^ *[a-z]+ /, "")
			when = ""
			if (match($0, /" when /)) {
				when = substr($0, RSTART + 7)
				$0 = substr($0, 1, RSTART)
			}
			print rule "\t" what "\t" $0 "\t" when
		}' "$TL_ROOT/lib/findings/finding-rules.txt"
}

@test "words of a framework, profiler or vendor, and what may be on already, stand under a condition" {
	lines_of_rules >lines
	[ "$(wc -l <lines)" -gt 100 ]
	equal "$(grep -c 'profiler == "pytorch"$' <(grep '^map' lines))" 9
	run -0 awk -F '\t' '
		NR == FNR { if ($0 !~ /^#/) { word[++n] = $1; needs[n] = $2 } next }
		{
			for (i = 1; i <= n; i++)
				if ($3 ~ word[i]) {
					used[i] = 1
					if (needs[i] != "-" && $4 !~ needs[i]) print $1 ": \"" word[i] "\" needs " needs[i] ": " $3
				}
		}
		END { for (i = 1; i <= n; i++) if (needs[i] != "-" && !used[i]) print "no advice says " word[i] }' "$TL_ROOT/tests/advice-words.tsv" lines
	equal "$output" ''
}

@test "each advice by profiler has a text for the others, and each key that is asked stands in the map" {
	cd "$TL_ROOT/lib/findings"
	awk '$1 == "map" && $2 == "advice" { print substr($3, 2), $4 }' finding-rules.txt | tr -d '"' | sort >"$BATS_TEST_TMPDIR/keys"
	cd "$BATS_TEST_TMPDIR"
	[ "$(wc -l <keys)" -gt 30 ]
	equal "$(comm -23 <(cut -d ' ' -f 1 keys | sort -u) <(awk '$2 == "other" { print $1 }' keys | sort -u))" ''
	equal "$(cut -d ' ' -f 2 keys | sort -u | paste -sd ' ')" 'nsys onnxruntime other pytorch rocprof rocprofv3 rpd xplane'
	equal "$(grep -o 'advice("[^"]*"' "$TL_ROOT/lib/findings/finding-rules.txt" | cut -d '"' -f 2 | sort -u | comm -23 - <(cut -d ' ' -f 1 keys | sort -u))" ''
}

@test "each technical word of an advice stands in the table of words" {
	lines_of_rules >lines
	printf 'mine\tdo\tTry numaCtl with --fast.\t\n' >>lines
	run -0 awk -F '\t' '
		NR == FNR { if ($0 !~ /^#/) word[++n] = $1; next }
		{
			gsub(/\{[^{}]*\}|"/, "", $3)
			m = split($3, token, /[ ,;]+/)
			for (k = 1; k <= m; k++) {
				if (token[k] !~ /[a-z][A-Z]|_|[a-z]\(|=|^\(?--|CUDA|HIP|nsys|rocprof|NCCL|AITER|Liger|Apex|TF32|float16/)
					continue
				for (i = 1; i <= n && (token[k - 1] " " token[k] " " token[k + 1]) !~ word[i]; i++)
					;
				if (i > n)
					print $1 ": " token[k]
			}
		}' "$TL_ROOT/tests/advice-words.tsv" lines
	equal "$output" $'mine: numaCtl\nmine: --fast.'
}

@test "what is advised fits what is on: planted faults of all kinds, and the check notices what does not fit" {
	run -0 "$TL_ROOT/tests/advice" --plant 1 1
	equal "$(grep -c ^ok <<<"$output")" "$(tl-gen --plant list | wc -l)"
	mkdir bin
	printf '#!/bin/sh\nexec %s/tl-findings --rules %s/r.txt "$@"\n' "$TL_BIN" "$PWD" >bin/tl-findings
	chmod +x bin/tl-findings
	printf 'rule dataloader 1\n  sheet idle_summary\n  stake idle_ms\n  confidence low\n  effort lines\n  title T\n  do foreach=True, num_workers=2, TunableOp, torch.compile.\n  next true\n  source me\n' >r.txt
	tl-gen --plant optimizer-foreach-already,dataloader-mp >t.json
	PATH=$PWD/bin:$PATH run -1 "$TL_ROOT/tests/advice" t.json
	equal "$(sed -n 's/^# dataloader: .* needs \(.*\): foreach=True.*/\1/p' <<<"$output")" 'loader ~ ^single$, and loader is multi
optimizer ~ ^loop$, and optimizer is foreach
vendor ~ ^amd$, and vendor is nvidia'
}

@test "do and unasked: conditions, quotes, and mistakes with their place" {
	waits
	device_trace t.json "$H100"
	cat >r <<-'END'
		rule mine 1
		  sheet idle_summary
		  where idle_ms > 0
		  need graphs > 2
		  unasked "no {vendor} graphs" when vendor == "nvidia"
		  unasked "never said"
		  stake idle_ms
		  confidence high
		  effort setting
		  title T
		  do "one {num(graphs)}" when graphs < 0.5
		  do "none" when vendor == "amd"
		  do two
		  do "three"
		  next true
		  source S
	END
	tl-findings -q --rules r --sheets findings_unasked -o u.tsv t.json
	equal "$(cell u.tsv why "$(row u.tsv rule=mine)")" 'no nvidia graphs'
	sed -i '/need/d' r
	sed -i '1i rule launch-bound off\nrule host-python off' r
	tl-findings -q --rules r --format tsv -o f.tsv t.json
	equal "$(cell f.tsv what_to_do "$(row f.tsv rule=mine)")" 'one 0 two'
	sed -i 's/^  do two/  do "two" if graphs/' r
	run -1 --separate-stderr tl-findings -q --rules r t.json
	failed 1 'r:14:[0-9]+: expected when EXPRESSION, or the end of the line'
	sed -i 's/^  do "two" if graphs/  do "two/' r
	run -1 --separate-stderr tl-findings -q --rules r t.json
	failed 1 'r:14:[0-9]+: expected a quotation mark behind the text'
}

@test "what is not known is not unequal either, unless the rule asks whether it is known" {
	waits
	device_trace t.json "$H100"
	cat >r <<-'END'
		rule mine 1
		  sheet idle_summary
		  where idle_ms > 0
		  stake idle_ms
		  confidence high
		  effort setting
		  title {loader != "none"} {"none" != loader} {loader == "none"} {not (loader == "none")} {loader != null} {vendor != "amd"} {vendor != null}
		  do T
		  next true
		  source S
	END
	sed -i '1i rule launch-bound off\nrule host-python off' r
	tl-findings -q --rules r --format tsv -o f.tsv t.json
	equal "$(cell f.tsv title "$(row f.tsv rule=mine)")" 'False False True False True True True'
	sed -i 's/loader/attention/g' r
	tl-findings -q --rules r --format tsv -o f.tsv t.json
	equal "$(cell f.tsv title "$(row f.tsv rule=mine)")" 'False False False True False True True'
}
