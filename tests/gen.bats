#!/usr/bin/env bats
# gen.bats - the trace generator that tests, demo and benchmarks rest on.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

@test "the same options give the same trace, another seed another" {
	tl-gen -n 3000 >a
	tl-gen -n 3000 >b
	tl-gen -n 3000 --seed 2 >c
	cmp a b
	refute cmp -s a c
}

# between LOW NUMBER HIGH
between() {
	[ "$1" -le "$2" ]
	[ "$2" -le "$3" ]
}

@test "the trace is about as large as asked for" {
	between 36000 "$(tl-gen -n 40000 | grep -c '"ph": ')" 44000
	between 4700000 "$(tl-gen --size 5M | wc -c)" 5800000
	between 100 "$(tl-gen -n 50 --no-python | grep -c '"ph": ')" 600
}

@test "every host event lies inside its parent and every kernel comes after its launch" {
	tl-gen -n 8000 --recompute | tl-parse -q >a.tls
	run -0 --separate-stderr tl-link -v --python -o b.tls a.tls
	like "$stderr" 'that fit nowhere in the tree: 0'
	run -0 pipe "tl-view b.tls | awk -F'\t' '
		\$1 == \"event\" { ts[\$2] = \$4 }
		\$1 == \"link\" && \$2 == \"launch\" { n++; if (ts[\$4] < ts[\$3]) bad++ }
		END { print (n > 100), bad + 0 }'"
	equal "$output" '1 0'
}

@test "what is left out is left out" {
	tl-gen -n 2000 --no-arrows --no-python --no-nccl >a
	refute grep -E 'ac2g|python_function|nccl' a
	tl-gen -n 2000 --gpu-only >a
	refute grep -E '"cpu_op"|"cuda_runtime"|ac2g' a
	grep -q '"kernel"' a
}

@test "--loader makes the device wait for each batch" {
	tl-gen -n 3000 --loader 2000 >a
	equal "$(grep -o 'enumerate(DataLoader)[^"]*' a | sort -u)" 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__'
	waits=$(tl-timeline -q --sheets idle_summary a | awk -F'\t' '/DataLoader/ && $4 == "loader" && $10 > 1 { n += $9; ms += $10 } END { print n, int(ms / n) }')
	equal "$waits" '2 2' # steps, ms of each
	refute grep DataLoader <(tl-gen -n 3000)
}

@test "ranks of one job have the same collectives and begin them at other times" {
	for rank in 0 1 2; do
		tl-gen -n 3000 --rank "$rank" --world-size 3 >"rank$rank.json"
	done
	run -0 --separate-stderr tl-ranks -d d --gpus_per_node 8 rank*.json
	equal "$stderr" ''
	run -0 pipe "awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) column[\$i] = i }
		NR > 1 { print \$column[\"Group size\"], (\$column[\"skew in start time_min\"] > 0), \$column[\"skew in end time_max\"] }' d/nccl_summary_implicit_sync.tsv"
	equal "$output" $'3 1 0.0\n3 1 0.0'
	tl-gen -n 50 --rank 31 --world-size 32 >large
	grep -q '"Process Group Ranks": "\[0, 1, .*, 28, 29, \.\.\.\]"' large
	grep -q '"rank": 31, "world_size": 32, .*"ranks": \[0, 1, .*, 30, 31\]' large
}

@test "wrong usage ends with 2" {
	for o in --no-such -x "--size 5X" "-n x" "--origin x" "--rank 8" "--world-size 0" operand; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr tl-gen $o
		equal "$output" ''
	done
	run -0 tl-gen --help
	run -1 bash -c 'tl-gen -n 500 >/dev/full'
}

# said FILE: the events but for their numbers, tracks, categories and nanoseconds; decimals without zeros at the end
said() {
	tl-view "$1" | awk -F'\t' '$1 == "event" {
		$4 = substr($4, 1, length($4) - 3)
		$5 = substr($5, 1, length($5) - 3)
		$2 = $6 = $7 = $8 = $11 = ""
		print
	}' | sed -E 's/(\.[0-9]*[1-9])0+\b/\1/g; s/\.0+\b//g'
}

# spans FILE: durations and names
spans() {
	tl-view "$1" | awk -F'\t' '$1 == "event" && $3 != "trace" && $9 == "X" && $10 != "end" { print $5, $10 }'
}

@test "each style says the same, and nearly all of its events fit templates, but those of mixed and autograd" {
	local style
	tl-gen -n 5000 --origin 1623143089861790 | tl-parse -q -o want.tls
	said want.tls >want
	for style in $(tl-gen --style list); do
		tl-gen -n 5000 --origin 1623143089861790 --style "$style" >trace.json
		run -0 --separate-stderr tl-parse -v -o got.tls trace.json
		case $style in
		mixed) [[ $stderr == *'slowly (100.00 %)'* ]] ;;
		autograd) unlike "$stderr" slowly ;; # read without templates
		*) [[ $stderr =~ 'slowly ('[0-4]'.'[0-9]+' %)' ]] ;;
		esac
		case $style in
		autograd) cmp <(spans got.tls) <(spans want.tls) ;;
		*) said got.tls | cmp - want ;;
		esac
	done
}

@test "styles are those of writers that there are" {
	need jq
	tl-gen -n 500 --style jq-c | sed -E 's/"traceName":"[^"]*",//; s/[0-9.]+/1/g' >trace.json
	cmp <(jq -c . trace.json) <(cat trace.json; echo)
	tl-gen -n 500 --style json.dump-indent | sed -E '/traceName/d; s/[0-9.]+/1/g' >trace.json
	cmp <(jq --indent 2 . trace.json) <(cat trace.json; echo)
	equal "$(tl-gen -n 500 --style json.dump | wc -l)" 0
	tl-gen -n 500 --style crlf | sed 's/\r$//' | cmp - <(tl-gen -n 500 --style kineto-2023)
	run --separate-stderr tl-gen --style none
	failed 2 'no such style: none'
}

@test "the ranks of a job begin a collective when the last one comes, and end it together" {
	for i in 0 1 2 3; do
		tl-gen --tp 2 --dp 2 --steps 2 --layers 1 --rank $i --slow-rank 1 --numbered >rank$i.json
	done
	tl-ranks -q -d out rank?.json
	run -0 awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n++; if ($at["skew in end time"] > 1) bad++; if ($at["comm_latency"] < 100) bad++ } END { print n, bad + 0 }' out/nccl_implicit_sync.tsv
	equal "$output" '24 0'
	tl-gen --tp 2 --dp 2 --steps 2 --layers 1 --rank 1 --lossy 1 >lossy.json
	equal "$(grep -c '"name": "nccl' rank1.json) $(grep -c '"name": "nccl' lossy.json)" '12 10'
	like "$(grep -c '"Seq": ' rank1.json) $(grep -c '"Seq": ' lossy.json)" '^24 0$'
}

# ---- planted faults -----------------------------------------------------------

# on_device KINDS SEED OPTION...: name and duration of what the device does, in order
on_device() {
	tl-gen --plant "$1" --seed "$2" "${@:3}" | tl-parse -q | tl-view | awk -F'\t' '$1 == "event" && ($3 == "kernel" || $3 == "memcpy") { print $5, $10 }'
}

@test "each kind of fault makes a trace that is as it should be" {
	local kind overlap before
	for kind in $(tl-gen --plant list | cut -f 1); do
		tl-gen --plant "$kind" --seed 3 --style kineto-2025 >a.json
		run -0 --separate-stderr tl-parse -o a.tls a.json
		equal "$kind: $stderr" "$kind: "
		run -0 --separate-stderr tl-link -v --python -o b.tls a.tls
		like "$kind: $stderr" 'that fit nowhere in the tree: 0'
		# launches come first, and a stream does one thing at a time, but for nodes of a graph
		overlap=0
		[ "$kind" != healthy-graph ] || overlap=150
		# nor does the recording have the launch of what was launched before it
		before=0
		[ "$kind" != healthy-head ] || before=1
		run -0 pipe "tl-view b.tls | awk -F'\t' -v overlap=$overlap -v before=$before '
			\$1 == \"event\" { ts[\$2] = \$4 }
			\$1 == \"event\" && (\$3 == \"kernel\" || \$3 == \"memcpy\") {
				if (\$4 + overlap < busy[\$7]) bad++
				busy[\$7] = \$4 + \$5
				works++
			}
			\$1 == \"link\" && \$2 == \"launch\" { launched++; if (ts[\$4] <= ts[\$3]) bad++ }
			END { print (works > 0), (before ? works == launched : works - launched), bad + 0 }'"
		equal "$kind: $output" "$kind: 1 0 0"
	done
}

@test "planted: the same seed gives the same trace, another one another" {
	tl-gen --plant dataloader --seed 4 >a
	tl-gen --plant dataloader --seed 4 >b
	tl-gen --plant dataloader --seed 5 >c
	cmp a b
	refute cmp -s a c
	tl-gen --plant healthy >a
	tl-gen --plant healthy --without all >b
	cmp a b
	# more steps leave those before as they are
	on_device fp32 4 >a
	on_device fp32 4 --warm 2 >b
	cmp a <(head -n "$(wc -l <a)" b)
	refute cmp -s a b
}

@test "planted: with and without a fault, nothing else differs" {
	local kind names
	# what the host does leaves the device alone
	for kind in dataloader dataloader-mp worker-start host-compute-op host-python host-elsewhere host-stretch short-stretch many-small-kernels launch-rate few-launches first-use \
		context-start slow-call capture compile-in-recording recompile profiler-overhead profiler-silent profiler-tail graph-already idle-server memory-alloc gc tail; do
		on_device "$kind" 2 >with
		on_device "$kind" 2 --without "$kind" >without
		cmp with without
		refute cmp -s <(tl-gen --plant "$kind" --seed 2) <(tl-gen --plant "$kind" --seed 2 --without "$kind")
	done
	# of the device, only these
	while read -r kind names; do
		on_device "$kind" 2 >with
		on_device "$kind" 2 --without "$kind" >without
		run diff with without
		equal "$kind $status" "$kind 1"
		equal "$kind: $(diff with without | grep '^[<>]' | grep -vE "$names" | head -n 3)" "$kind: "
	done <<-'END'
		sync-item DtoH
		pageable-copy HtoD
		autotune implicit_convolve
		retune implicit_convolve
		small-copies HtoD
		fp32 gemm
		fp32-noshapes gemm
		fp32-graph gemm
		unfused-attention flash|gemm|nvjet|softmax|SoftMax|MulFunctor
		attention-low flash
		gemm-few-blocks gemm|splitK
		gemm-misaligned gemm|nvjet
		norm-chain norm|copy|pow|Mean|add|rsqrt|Mul
		pointwise-chain Gelu|pow|add|Mul|tanh
		cast-chain copy
		layout-copies nchwToNhwc|nhwcToNchw
		optimizer-loop Adam|elementwise
		optimizer-foreach-already multi_tensor_apply
		outlier add
		allreduce-waiting nccl
	END
	# of two faults, the other one stays
	on_device dataloader,cast-chain 2 --without dataloader >with
	on_device dataloader,cast-chain 2 >without
	cmp with without
	refute cmp -s with <(on_device dataloader,cast-chain 2 --without all)
}

# end_of OPTION...: when the last thing on the device ends, in ns
end_of() {
	tl-gen "$@" --origin 1419116105957665 | tl-parse -q | tl-view | awk -F'\t' '
		$1 == "event" && ($3 == "kernel" || $3 == "memcpy") && $4 + $5 > end { end = $4 + $5 }
		END { printf "%.0f\n", end }'
}

@test "planted: the truth is how much later the program ends" {
	local kind with without cost
	for kind in dataloader sync-item pageable-copy first-use context-start fp32-graph unfused-attention small-copies optimizer-loop outlier allreduce-moving memory-alloc; do
		with=$(end_of --plant "$kind" --seed 6)
		without=$(end_of --plant "$kind" --seed 6 --without "$kind")
		cost=$(tl-gen --plant "$kind" --seed 6 --truth --origin 1419116105957665 | cut -f 3)
		# (the host's last microseconds are the program's, too)
		run awk -v k="$kind" -v a="$with" -v b="$without" -v c="$cost" 'BEGIN { off = (a - b) / 1e6 - c; print k, (c > 0.1), (off < 0.02 && off > -0.02) }'
		equal "$output" "$kind 1 1"
	done
	# behind the last kernel the device's end tells nothing, and the profiler's time costs the program nothing
	run awk '{ print ($3 > 10) }' <(tl-gen --plant tail --truth)
	equal "$output" 1
	equal "$(tl-gen --plant profiler-tail --truth | cut -f 3)" 0.000000
	# of two, each by itself
	equal "$(tl-gen --plant gc,dataloader --without gc --truth | cut -f 2)" "$(tl-gen --plant gc,dataloader --without dataloader --truth | cut -f 2)"
}

@test "planted: a fault that must come first costs at least 3 % of the window" {
	local kind expect seed
	while IFS=$'\t' read -r kind expect _; do
		for seed in 1 2 3; do
			[ "$expect" = first ] || continue
			run awk '{ print ($3 >= 0.03 * $2) }' <(tl-gen --plant "$kind" --seed "$seed" --truth)
			equal "$kind $seed $output" "$kind $seed 1"
		done
	done < <(grep -v '^#' "$TL_ROOT/tests/planted-kinds.tsv" | tail -n +2)
}

@test "planted: wrong usage ends with 2" {
	run -2 --separate-stderr tl-gen --plant no-such
	equal "$stderr" 'tl-gen: error: no such kind of fault: no-such'
	run -2 --separate-stderr tl-gen --plant gc --without gc,no
	equal "$stderr" 'tl-gen: error: no such kind of fault: no'
	run -2 --separate-stderr tl-gen --plant fp32,attention-low
	equal "$stderr" 'tl-gen: error: no program can have all of these faults: fp32,attention-low'
	run -2 --separate-stderr tl-gen --plant dataloader,healthy
	like "$stderr" 'no program can have'
	run -2 --separate-stderr tl-gen --without gc
	run -2 --separate-stderr tl-gen --warm 2
	run -2 --separate-stderr "$TL_ROOT/tests/planted" --no-such 3
}

@test "the table of planted faults has all kinds, in the order of tl-gen" {
	grep -v '^#' "$TL_ROOT/tests/planted-kinds.tsv" | tail -n +2 >rows
	cmp <(tl-gen --plant list | cut -f 1) <(cut -f 1 rows)
	equal "$(awk -F'\t' 'NF != 6 || $2 !~ /^(first|health|none|low)$/ || $2 == "first" && ($3 == "-" || $4 == "-")' rows)" ''
}

# says RULE MS TITLE: what the judge hears instead of tl-findings, of a trace with a loader that takes long, or of any other
says() {
	mkdir -p bin
	ln -sf "$(command -v tl-gen)" bin/tl-gen
	cat >bin/tl-findings <<-END
		#!/bin/bash
		printf 'rank\tseverity\ttitle\tat_stake_ms\twhat_to_do\trule\n0\twarning\tThe recording: no shapes\t\t\thealth\n'
		grep -A 1 DataLoaderIter | grep '"dur": [0-9]\{5\}' >/dev/null && printf '1\thigh\t%s\t%s\tload ahead\t%s\n' "$3" "$2" "$1"
		exit 0
	END
	chmod +x bin/tl-findings
}

@test "the judge of planted faults sees the rule, the words, the stake, and what is said of the healthy half" {
	local cost
	cost=$(tl-gen --plant dataloader --seed 1 --truth | cut -f 3)
	judged() {
		TL_BIN=$PWD/bin "$TL_ROOT/tests/planted" --kinds dataloader --seeds 1 | awk '$1 == "dataloader" { print $2, $3, $4 }'
	}
	says dataloader "$cost" 'The GPU waits for the data loader'
	equal "$(judged)" '1/1 1/1 1/1'
	says dataloader 0.1 'The GPU waits for the data loader'
	equal "$(judged)" '1/1 0/1 1/1'
	says host-python "$cost" 'The GPU waits for the data loader'
	equal "$(judged)" '0/1 0/1 1/1'
	says dataloader "$cost" 'The GPU waits for something'
	equal "$(judged)" '0/1 0/1 1/1'
	sed -i 's/^grep.*&& /cat >\/dev\/null; /' bin/tl-findings
	says_always=$(judged)
	equal "$says_always" '0/1 0/1 1/1'
	sed -i 's/something/the data loader/' bin/tl-findings
	equal "$(judged)" '1/1 1/1 0/1'
	run -1 env TL_BIN="$PWD/bin" "$TL_ROOT/tests/planted" --kinds dataloader --seeds 1 --at-least 95,90,100
	run -0 env TL_BIN="$PWD/bin" "$TL_ROOT/tests/planted" --kinds dataloader --seeds 1 --at-least 95,90,0
	printf '#!/bin/bash\ncat >/dev/null\nexit 1\n' >bin/tl-findings
	run --separate-stderr judged
	equal "$output" '0/1 0/1 0/1'
	equal "$stderr" 'planted: dataloader, seed 1: tl-findings failed'
	run --separate-stderr env TL_BIN="$PWD/bin" "$TL_ROOT/tests/planted" --kinds healthy --seeds 1
	like "$output" 'healthy +0/1 +- +-'
}

@test "the judge of planted faults wants both of two, the one that costs more first" {
	local dear
	dear=$(tl-gen --plant dataloader,cast-chain --seed 1 --without dataloader --truth | cut -f 3)
	# rows of findings RULE STAKE TITLE, in this order
	finds() {
		mkdir -p bin
		ln -sf "$(command -v tl-gen)" bin/tl-gen
		printf '#!/bin/bash\ncat >/dev/null\necho "rank\tseverity\trule\tat_stake_ms\ttitle\twhat_to_do"\n' >bin/tl-findings
		while [ $# -gt 0 ]; do
			printf 'echo "1\thigh\t%s\t%s\t%s\t-"\n' "$1" "$2" "$3" >>bin/tl-findings
			shift 3
		done
		chmod +x bin/tl-findings
		TL_BIN=$PWD/bin "$TL_ROOT/tests/planted" --kinds dataloader+cast-chain --seeds 1 | awk '$1 == "pairs" { print $2, $3 }'
	}
	equal "$(finds dataloader "$dear" 'the data loader' cast-chain 1 'casts')" '1/1 1/1'
	equal "$(finds cast-chain 1 'casts' dataloader "$dear" 'the data loader')" '0/1 1/1'
	equal "$(finds dataloader "$dear" 'the data loader' launch-bound 1 'launches')" '0/1 1/1'
	equal "$(finds dataloader "$dear" 'the data loader' a 1 b c 1 d cast-chain 1 'casts')" '0/1 1/1'
	equal "$(finds dataloader 1 'the data loader' cast-chain 1 'casts')" '1/1 0/1'
}
