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
		rank rank$i.json
		i=$((i + 1))
	done
}

@test "slow-rank: 1 % of the window between collectives" {
	planted() { late_ranks 3 0 "$1" 0; }
	pair slow-rank 1010 990 'Rank 1 is slow: \+1\.01 ms in all \(1\.01 %\), and costs the others 2\.02 ms$'
	equal "$(cell out/ranks_communication.tsv extra_pct) $(cell out/ranks_communication.tsv outlier)" '0.99 1'
}

@test "slow-rank: the clock of its GPU is told if it is 5 % below that of the median rank" {
	local i clock
	for clock in 1881 1882; do # 5 % below 1980 is 1881
		rm -rf rank*.json out
		for i in 0 1 2; do
			events+=('{"ph":"C","name":"SM clock","pid":0,"ts":0,"args":{"MHz":'$((i == 1 ? clock : 1980))',"device":0}}')
			kernel gemm 20 $((i == 1 ? 8000 : 5000))
			coll allreduce 0 10 "$(of 0 2),\"device\":0"
			coll allreduce $((i == 1 ? 93000 : 90000)) 7000 "$(of 0 2),\"device\":0"
			rank rank$i.json
		done
		tl-ranks -q -d out rank?.json >/dev/null
		like "$(sed -n 2p out/ranks_overview.tsv)" "Rank 1 is slow: computation, .*$([ $clock = 1882 ] || echo "; its GPU ran at 1881 MHz, the median rank's at 1980")"
		refute grep -q 'ran at 1882' out/ranks_overview.tsv
		equal "$(cell out/ranks_communication.tsv gpu_clock) $(cell out/ranks_communication.tsv usual_gpu_clock) $(cell out/ranks_communication.tsv gpu_clock_unit)" \
			"$clock.0 1980.0 MHz"
	done
}

@test "slow-rank: of five ranks one that stands out among the others" {
	planted() { late_ranks 5 0 500 1000 1500 "$1"; }
	# 0.6745 times what it is above the median, 1000, is more than 3.5 times the median deviation, 500
	pair slow-rank 3595 3594 'Rank 4 is slow'
	equal "$(cell out/ranks_communication.tsv rank) $(cell out/ranks_communication.tsv extra_pct) $(cell out/ranks_communication.tsv outlier)" '4 2.594 0'
}

@test "slow-link: 20 % less bandwidth than a group alike" {
	planted() {
		local i at us
		for i in 0 1 2 3; do
			us=$((i < 2 ? 8000 : $1))
			for at in 0 20000 40000 60000; do coll allreduce $at $us "$(of $((i / 2 * 2)) $((i / 2 * 2 + 1)))"; done
			rank rank$i.json
		done
	}
	pair slow-link 10010 9990 'Group g2 is slow: '
}

@test "slow-stage: a stage computes 10 % longer than the others" {
	planted() {
		local i stage='"Process Group Name":"pp","Process Group Ranks":"[0, 1]","Group size":2'
		for i in 0 1; do
			kernel gemm 0 $((i ? $1 : 10000))
			if [ $i = 0 ]; then coll send 12000 50 "$stage,\"Dst Rank\":1"; else coll recv 12000 50 "$stage,\"Src Rank\":0"; fi
			coll allreduce 20000 10 "$(of 0 1)"
			coll allreduce 21000 10 "$(of 0 1)"
			rank rank$i.json
		done
	}
	pair slow-stage 11010 10990 'Stage 1 of the pipeline is the slowest: it computes 1\.01 ms '
}

@test "hot-expert: 1.25 times the mean of the group" {
	planted() {
		local i
		for i in 0 1 2 3; do
			coll all_to_allv 0 100 "$(of 0 3)"
			kernel 'cutlass::GroupProblemShape_gemm' 1000 $((i == 2 ? $1 : 10000))
			coll all_to_allv 20000 100 "$(of 0 3)"
			rank rank$i.json
		done
	}
	pair hot-expert 13650 13620 'Rank 2 has the experts with most to do: 1\.25'
}
