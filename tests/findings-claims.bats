#!/usr/bin/env bats
# findings-claims.bats - tl-findings: each time is claimed once, a problem keeps its id in all forms of a trace, repairing it
# saves no more than was said, and the next commands run.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# ---- claims -------------------------------------------------------------------------------------------------------

@test "the ledger adds up to the window, and no time is claimed twice: traces of 200 seeds" {
	need python3
	run -0 "$TL_ROOT/tests/check-claims" --random 1 200
}

@test "generated transformers claim each time once, and all next commands run" {
	need python3
	local seed options=('' --no-python --no-arrows --no-nccl --recompute '--rank 3')
	mkdir "it's here"
	for seed in 1 2 3 4 5 6; do
		# shellcheck disable=SC2086
		gen "it's here/t$seed.json" -n $((seed * 300)) --seed "$seed" ${options[seed - 1]}
	done
	run -0 "$TL_ROOT/tests/check-claims" --next "it's here"/*.json
	equal "$(grep -c ^ok <<<"$output")" 6
}

@test "the check of claims notices a rule that claims too much" {
	need python3
	gen t.json -n 1000
	mkdir bin
	printf '#!/bin/sh\nexec %s/tl-findings --rules %s/r.txt "$@"\n' "$TL_BIN" "$PWD" >bin/tl-findings
	chmod +x bin/tl-findings
	printf '%s\n' 'rule twice 4' '  sheet step_times' '  stake 1000000' '  confidence low' '  effort lines' '  title A step is slow in exposed copies: all' \
		'  do nothing' '  next true' '  source me' >r.txt
	PATH=$PWD/bin:$PATH run -1 "$TL_ROOT/tests/check-claims" t.json
	[[ $output == *'at stake'* ]]
	sed -i 's/twice 4/twice 0/; s/next true/next false/' r.txt
	PATH=$PWD/bin:$PATH run -1 "$TL_ROOT/tests/check-claims" --next t.json
	[[ $output == *'status 1: false'* ]]
}

# ---- a trace made by hand: one problem, or none -----------------------------------------------------------------------

ID=0 NOW=10 HOST=0

# kernel DUR [NAME [ARGS]]: the next kernel of the device, by an operator that was launched long before
kernel() {
	ID=$((ID + 1)) HOST=$((HOST + 10))
	op aten::mm "$HOST" 8 '"Input Dims":[[1000,10000],[10000,1000]],"Input type":["c10::BFloat16","c10::BFloat16"]'
	call "$ID" $((HOST + 1)) 2
	gpu "$ID" "${2-gemm}" "$NOW" "$1"
	NOW=$((NOW + $1))
}
# late: the next kernel is launched just before it begins
late() {
	HOST=$((NOW - 13))
}
# begin: nothing has happened
begin() {
	ID=0 NOW=10 HOST=0 EVENTS=()
	echo '{"name":"round","mem_bw_gbps":1000,"max_achievable_tflops":{"matrix_bf16":100}}' >gpu.json
}
# whole: a step over all, with a frame
whole() {
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":'"$NOW"'}'
	frame 'train.py(1): main' 0 "$NOW"
}
# found FILE [OPTION]...: rule and ms of each finding
found() {
	tl-findings -q --format tsv --gpu_arch_json_path gpu.json "${@:2}" "$1" >f.tsv
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["rank"] > 0 { print $at["rule"], $at["at_stake_ms"] }' f.tsv
}

# healthy DUR: three steps of 10 kernels each, which take 200 us at the roofline, and communication beside them
healthy() {
	local step i from
	begin
	for step in 0 1 2; do
		from=$HOST
		for i in {0..9}; do kernel "$1"; done
		ID=$((ID + 1)); call "$ID" $((HOST + 9)) 1
		gpu "$ID" ncclDevKernel_AllReduce_Sum_bf16_RING_LL $((NOW - 50)) 40 9 kernel '"Collective name":"allreduce","Group size":8,"dtype":"BFloat16","In msg nelems":1000000,"Out msg nelems":1000000'
		HOST=$((HOST + 11))
		event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#'$step'","pid":1,"tid":1,"ts":'"$from"',"dur":'$((HOST - from))'}'
		frame 'train.py(1): main' "$from" $((HOST - from))
	done
}

@test "healthy: kernels back to back near the roofline, hidden communication, three steps" {
	healthy 210
	trace t.json
	equal "$(found t.json)" ' 0.0'
	equal "$(cell f.tsv title)" 'no finding of 1 % or more'
	healthy 230
	trace t.json
	like "$(found t.json)" '^gemm-headroom 0.88$'
}

# ---- pairs: what repairing it saves -----------------------------------------------------------------------------------

# window FILE: the length of the trace's window in ms
window() {
	tl-findings -q --format json "$1" | sed -n '1s/.*"window_ms": \([0-9.]*\).*/\1/p'
}

# repaired RULE: twins that `planted bad` and `planted good` make; the time between them is at most what the finding says but
# for the time of a launch and of what the host does before it, 13 us, and more than half of it; the repaired one has no such finding
repaired() {
	local kind lost said
	for kind in bad good; do
		begin
		planted $kind
		whole
		trace $kind.json
	done
	said=$(found bad.json | sed -n "s/^$1 //p")
	lost=$(awk -v b="$(window bad.json)" -v g="$(window good.json)" 'BEGIN { printf "%.6f", b - g }')
	awk -v said="$said" -v lost="$lost" 'BEGIN { exit !(lost > said / 2 && lost < said + 0.0131) }' ||
		equal "$1: $said ms at stake" "$lost ms lost"
	unlike "$(found good.json)" "(^|
)$1 "
}

# gap DUR: the device waits for the host
gap() {
	NOW=$((NOW + $1))
	late
}

@test "repaired: a data loader" {
	planted() {
		local from
		for i in 1 2 3; do kernel 1000; done
		from=$NOW
		[ "$1" = good ] || gap 2000
		event '{"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#_X.__next__","pid":1,"tid":1,"ts":'"$((from - 500))"',"dur":'$((NOW - from + 490))'}'
		for i in 1 2 3; do kernel 1000; done
	}
	repaired dataloader
}

@test "repaired: a call that waits for the device in the middle of a step" {
	planted() {
		for i in 1 2 3; do kernel 1000; done
		if [ "$1" = bad ]; then
			ID=$((ID + 1))
			call "$ID" $((NOW - 2000)) 2397 cudaStreamSynchronize
			gap 400
		fi
		for i in 1 2 3; do kernel 1000; done
	}
	repaired sync-points
}

# copy DUR BYTES MEMORY: nothing else runs meanwhile
copy() {
	ID=$((ID + 1)) HOST=$((HOST + 10))
	call "$ID" "$HOST" 2 cudaMemcpyAsync
	gpu "$ID" "Memcpy HtoD ($3 -> Device)" "$NOW" "$1" 7 gpu_memcpy '"bytes":'"$2"
	NOW=$((NOW + $1))
}

@test "repaired: copies from pageable memory" {
	# 10 MB, at 25 GB/s or at a tenth of it
	planted() {
		kernel 1000
		if [ "$1" = bad ]; then copy 4000 10000000 Pageable; else copy 400 10000000 Pinned; fi
		kernel 1000; kernel 1000
	}
	repaired copy-pageable
}

@test "repaired: many small copies" {
	planted() {
		kernel 1000
		if [ "$1" = bad ]; then for i in {1..40}; do copy 10 1000 Pinned; done; else copy 10 40000 Pinned; fi
		kernel 1000; kernel 1000
	}
	repaired copy-small
}

@test "repaired: a collective that computation can hide" {
	planted() {
		kernel 1000
		ID=$((ID + 1)) HOST=$((HOST + 10))
		call "$ID" "$HOST" 2
		gpu "$ID" ncclDevKernel_AllReduce_Sum_bf16_RING_LL "$NOW" 800 9 kernel '"Collective name":"allreduce","Group size":8,"dtype":"BFloat16","In msg nelems":1000000'
		[ "$1" = good ] || NOW=$((NOW + 800))
		kernel 1000; kernel 1000
	}
	repaired comm-exposed
}

# ---- forms: a problem keeps its id -------------------------------------------------------------------------------------------

ids() {
	tl-findings -q --format tsv --arch H100-SXM "$@" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["id"] }' | sort
}

# clock FACTOR SHIFT: t.json by another clock
clock() {
	python3 -c 'import re, sys
from decimal import Decimal as D
factor, shift = map(D, sys.argv[1:])
sys.stdout.write(re.sub(r"\"(ts|dur)\": ?([0-9.]+)", lambda m: "\"%s\":%s" % (m[1], D(m[2]) * factor + (shift if m[1] == "ts" else 0)), open("t.json").read()))' "$@"
}

@test "ids are the same in all forms of a trace" {
	need python3
	local seed
	mkdir -p 'other place'
	for seed in 2 3; do
		gen t.json -n 3000 --seed $seed
		ids t.json >ids
		[ "$(wc -l <ids)" -gt 1 ]
		tl-parse -q t.json | tl-link -q >t.tls
		ids t.tls | diff ids -
		ids - <t.json | diff ids -
		cp t.json "other place/it's.json"
		ids "other place/it's.json" | diff ids -
		gzip -kf "other place/it's.json"
		ids "other place/it's.json.gz" | diff ids -
		clock 1 5000000 >shifted.json
		ids shifted.json | diff ids -
		clock 2 0 >slow.json # the roofline stays where it was: what is idle and exposed keeps its share, but for gaps judged by their microseconds
		diff <(ids slow.json | grep -E '^(host|idle|sync|comm|copy)-') <(grep -E '^(host|idle|sync|comm|copy)-' ids)
		tl-slice -q --step 0..1000 t.json >steps.tls
		ids steps.tls | diff ids -
	done
}
