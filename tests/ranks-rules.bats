#!/usr/bin/env bats
# ranks-rules.bats - each rule of ranks_overview with two jobs that differ in one number: one just beyond what the rule asks for,
# one just short of it.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
load ranks

# of FIRST LAST: the arguments of a collective in the group of these ranks
of() {
	local ranks
	ranks=$(seq -s ', ' "$1" "$2")
	echo "\"Process Group Name\":\"g$1\",\"Process Group Ranks\":\"[$ranks]\",\"Group size\":$(($2 - $1 + 1))"
}
# found NUMBER: a line for each finding about the job that `planted NUMBER` makes: its rule and its title
found() {
	rm -rf rank*.json out
	planted "$1"
	tl-ranks -q -d out rank?.json >/dev/null
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["rank"] > 0 { print ($at["rule"] == "" ? $at["severity"] : $at["rule"]) ": " $at["title"] }' out/ranks_overview.tsv
}
# pair RULE BEYOND SHORT TITLE: the job that `planted BEYOND` makes has the finding and no other, in that of `planted SHORT` nothing is
# wrong
pair() {
	run -0 found "$2"
	like "$output" "^$1: $4"
	equal "${#lines[@]}" 1
	run -0 found "$3"
	like "$output" '^none: no '
	equal "${#lines[@]}" 1
}

@test "every rule about jobs has a pair" {
	sed -n 's/^rule \([a-z0-9-]*\) [0-4]$/\1/p' "$TL_ROOT/lib/findings/job-rules.txt" | sort >rules
	[ -s rules ]
	sed -n 's/^	pair \([a-z0-9-]*\) .*/\1/p' "$BATS_TEST_FILENAME" | sort -u >pairs
	diff rules pairs
}

# late_ranks N US...: N ranks that are recorded for 100 ms; each needs so many us longer than the first before the last collective
late_ranks() {
	local n=$1 i=0 us
	for us in "${@:2}"; do
		coll allreduce 0 10 "$(of 0 $((n - 1)))"
		coll allreduce $((90000 + us)) $((10000 - us)) "$(of 0 $((n - 1)))"
		rank rank$i.json "${members:-}"
		i=$((i + 1))
	done
}

@test "slow-rank: 0.1 % of the job" {
	planted() { late_ranks 3 0 "$1" 0; }
	pair slow-rank 101 99 'Look at the host of rank 1: it does nothing 0\.10 ms longer than ranks alike\. The job loses 0\.10 ms \(0\.10 %\); the waits of all others for it add up to 0\.20 ms$'
	planted 5000
	tl-ranks -q -d out rank?.json
	equal "$(cell out/ranks_judged.tsv recorded_ms) $(cell out/ranks_judged.tsv ideal_ms) $(cell out/ranks_judged.tsv confidence)" '100.0 95.0 low'
	equal "$(cell out/ranks_overview.tsv confidence)" low
}

@test "slow-rank: the clock of its GPU is told if it is 5 % below that of the median rank" {
	local i clock
	for clock in 1881 1882; do # 5 % below 1980 is 1881
		rm -rf rank*.json out
		for i in 0 1 2; do
			events+=('{"ph":"C","name":"SM clock","pid":0,"ts":0,"args":{"MHz":'$((i == 1 ? clock : 1980))',"device":0}}')
			coll allreduce 0 10 "$(of 0 2),\"device\":0"
			kernel gemm 20 $((i == 1 ? 8000 : 5000))
			coll allreduce $((i == 1 ? 8022 : 5022)) $((i == 1 ? 2000 : 5000)) "$(of 0 2),\"device\":0"
			rank rank$i.json
		done
		tl-ranks -q -d out rank?.json >/dev/null
		like "$(sed -n 2p out/ranks_overview.tsv)" "Drain the node of rank 1: it computes 3\.00 ms longer than ranks alike, in .*: gemm\. The job loses 3\.00 ms .*$([ $clock = 1882 ] || echo "; its GPU ran at 1881 MHz, the median rank's at 1980")"
		refute grep -q 'ran at 1882' out/ranks_overview.tsv
		equal "$(cell out/ranks_communication.tsv gpu_clock) $(cell out/ranks_communication.tsv usual_gpu_clock) $(cell out/ranks_communication.tsv gpu_clock_unit)" \
			"$clock.0 1980.0 MHz"
	done
}

@test "slow-rank: a rank with more kernels has other work, its node is not to be drained" {
	local i k kernels
	for kernels in 199 200 201 204; do
		rm -rf rank*.json out
		for i in 0 1 2; do
			coll allreduce 0 10 "$(of 0 2)"
			for ((k = 0; k < (i == 1 ? kernels : 200); k++)); do kernel gemm $((20 + 12 * k)) 10; done
			kernel gemm 2500 $((i == 1 ? 500 : 100))
			coll allreduce $((i == 1 ? 3002 : 2602)) $((i == 1 ? 100 : 500)) "$(of 0 2)"
			rank rank$i.json
		done
		tl-ranks -q -d out rank?.json >/dev/null
		like "$(cell out/ranks_overview.tsv title)" "^$([ $kernels = 204 ] && echo Take work from || echo Drain) the node of rank 1: it computes"
	done
	like "$(cell out/ranks_overview.tsv title)" ', with 1\.99 % more kernels\. The job loses'
}

@test "slow-node: half of the ranks of a node, each by 0.1 % of the job" {
	local members='"deviceProperties":[{"id":0},{"id":1}]'
	planted() { late_ranks 6 0 0 "$1" "$1" 0 0; }
	pair slow-node 101 99 'Drain node 1 \(ranks 2 to 3\): its ranks do nothing 0\.10 ms longer than ranks alike\.'
}

# stepped US: three ranks with six steps of 10 ms; rank 1 needs so many us longer in the third
stepped() {
	local i at us
	for i in 0 1 2; do
		for at in 0 1 2 3 4 5; do
			us=$((at == 2 && i == 1 ? $1 : 0))
			events+=('{"ph":"X","cat":"user_annotation","name":"ProfilerStep#'"$at"'","pid":1,"tid":1,"ts":'$((10000 * at))',"dur":10000}')
			coll allreduce $((10000 * at + 5000 + us)) $((2000 - us)) "$(of 0 2)"
		done
		rank rank$i.json
	done
}

@test "rank-pauses: 0.2 ms in one step of several" {
	planted() { stepped "$1"; }
	pair rank-pauses 201 199 'Rank 1 pauses for 0\.20 ms in all, in single steps: the job loses 0\.20 ms'
}

@test "slow-link: a fifth longer than a group alike" {
	planted() {
		local i at us
		for i in 0 1 2 3; do
			us=$((i < 2 ? 8000 : $1))
			for at in 0 20000 40000 60000; do
				coll allreduce $at $us "$(of $((i / 2 * 2)) $((i / 2 * 2 + 1)))"
				coll allgather $((at + us + 2)) $((19998 - us)) '"Process Group Name":"all","Process Group Ranks":"[0, 1, 2, 3]","Group size":4'
			done
			rank rank$i.json
		done
	}
	pair slow-link 9610 9590 'Group g2 is slow: its transfers take 1\.61 ms longer than those of groups alike\. The job loses 6\.44 ms '
}

@test "slow-stage: a stage computes a twentieth longer than the others" {
	planted() {
		local us=$1 stage='"Process Group Name":"pp","Process Group Ranks":"[0, 1]","Group size":2'
		kernel gemm 0 10000
		coll send 10001 50 "$stage,\"Dst Rank\":1"
		coll allreduce 10060 $((us + 20)) "$(of 0 1)"
		rank rank0.json
		coll recv 5 10046 "$stage,\"Src Rank\":0"
		kernel gemm 10054 "$us"
		coll allreduce $((us + 10056)) 24 "$(of 0 1)"
		rank rank1.json
	}
	pair slow-stage 10510 10490 'Stage 1 of the pipeline \(rank 1 \.\.\.\) is the slowest: it computes 0\.51 ms longer than the others\. The job loses 0\.51 ms '
}

@test "hot-expert: 1.25 times the mean of the group" {
	planted() {
		local i us
		for i in 0 1 2 3; do
			us=$((i == 2 ? $1 : 10000))
			coll allreduce 0 10 "$(of 0 3)"
			coll all_to_allv 12 100 "$(of 0 3)"
			kernel 'cutlass::GroupProblemShape_gemm' 114 "$us"
			coll all_to_allv $((116 + us)) $(($1 - us + 100)) "$(of 0 3)"
			rank rank$i.json
		done
	}
	pair hot-expert 13650 13620 'Rank 2 has the experts with most to do: 2\.74 ms more than the mean of its group g0\. The job loses 2\.74 ms '
}

@test "absent-rank: a group waits a fifth longer than others alike" {
	planted() {
		local i at
		for i in 0 2 4; do
			for at in {0..9}; do
				coll allreduce $((1000 * at)) $((i == 2 ? $1 : 100)) "$(of $i $((i + 1)))"
				coll allgather $((1000 * at + 500 + (i == 2 ? $1 - 100 : 0))) $((400 - (i == 2 ? $1 - 100 : 0))) '"Process Group Name":"all","Process Group Ranks":"[0, 2, 4]","Group size":3'
			done
			rank rank$i.json
		done
	}
	pair absent-rank 121 119 'The others wait for rank 3, which has no trace, 21\.0 us longer in a collective than groups alike do, in the mean\.'
}
