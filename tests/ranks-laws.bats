#!/usr/bin/env bats
# ranks-laws.bats - what holds for every job: tl-ranks says nothing about what it has not seen. Jobs are drawn by seeds.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
load ranks

# drawn SEED: the parts of a job, the lines of its shape, and which rank is slow: sets tp, dp, n and slow
drawn() {
	local files shapes=('2 4' '4 2' '4 4' '2 2' '8 2' '2 8' '1 8' '8 1') fault
	RANDOM=$1
	read -r tp dp <<<"${shapes[$1 % 8]}"
	n=$((tp * dp))
	slow=$((RANDOM % n))
	fault=$((RANDOM % 2 ? 1 : 0))
	rm -rf rank*.json out*
	job "$tp" "$dp" --steps 3 --layers 1 --clocks 2000 --seed "$1" --gpu-only "$([ $fault = 1 ] && echo --slow-rank || echo --stalled)" $slow
	mapfile -t files < <(ls rank?.json rank??.json 2>/dev/null)
	tl-ranks -q --keep-parts -d out "${files[@]}" >/dev/null
}
# group_is_here EVERY: are all ranks of the slow one's group drawn? Of its tensor-parallel group, or of the other if EVERY is tp
group_is_here() {
	local i
	[ "$1" = tp ] || [ $tp -gt 1 ] || return 1
	[ "$1" != tp ] || [ $dp -gt 1 ] || return 1
	for ((i = 0; i < n; i++)); do
		if [ "$1" = tp ]; then [ $((i % tp)) = $((slow % tp)) ] || continue; else [ $((i / tp)) = $((slow / tp)) ] || continue; fi
		[ "${here[i]}" = 1 ] || return 1
	done
}
# some_ranks WAY: draws which ranks are here: any, most, or those of one of the slow rank's groups and some more
some_ranks() {
	local i
	here=()
	for ((i = 0; i < n; i++)); do
		case $1 in
		0) here[i]=$((RANDOM % 2)) ;;
		1) here[i]=$((i % tp == slow % tp || RANDOM % 4 == 0)) ;;
		2) here[i]=$((i / tp == slow / tp || RANDOM % 4 == 0)) ;;
		3) here[i]=$((RANDOM % 8 > 0)) ;;
		esac
	done
}
# verdict FILE...: the titles that ranks_overview has of them
verdict() {
	tl-ranks -q -d verdict "$@" >/dev/null
	awk -F'\t' 'NR > 1 && $2 != "health" { print $3 }' verdict/ranks_overview.tsv
}
# some_of_a_job SEED: of any ranks of the job, the slow one is named if one of its groups is whole; else nothing is said of its health
some_of_a_job() {
	local i k files said
	drawn "$1"
	for k in 0 1 2 3; do
		some_ranks $k
		files=()
		for ((i = 0; i < n; i++)); do
			[ "${here[i]}" = 0 ] || files+=("out.parts/rank$i.json.part")
		done
		[ ${#files[@]} -gt 1 ] || continue
		said=$(verdict "${files[@]}")
		echo "seed $1, $tp x $dp, slow: $slow, here: ${here[*]}: $said"
		if group_is_here pp || group_is_here tp; then
			like "$said" "rank $slow\)?: it |; rank $slow needs [0-9.]+ ms longer"
			named=$((named + 1))
		else
			unlike "$said" '^no cause'
			silent=$((silent + 1))
		fi
		# no other rank that is here is named, and what is not judged has no causes
		equal "$(grep -oE 'rank [0-9]+\)?: it|; rank [0-9]+ needs' <<<"$said" | grep -oE '[0-9]+' | sort -u | grep -vx "$slow")" ''
		[ "${said#not judged}" = "$said" ] || [ ! -e verdict/ranks_causes.tsv ]
	done
}

@test "of some ranks of a job: who is slow if a whole group tells it, else that it is not known" {
	local seed named=0 silent=0
	for seed in 1 4 11 18; do some_of_a_job $seed; done
	[ $named -gt 4 ]
	[ $silent -gt 2 ]
}

@test "of some ranks of many jobs: who is slow if a whole group tells it, else that it is not known" {
	local seed named=0 silent=0
	for seed in {20..31}; do some_of_a_job $seed; done
	[ $named -gt 15 ]
	[ $silent -gt 8 ]
}

@test "ranks that only compute change no verdict" {
	local r with fault
	for fault in '--slow-rank 1' '--stalled 2' '--slow-group 1' ''; do
		rm -f rank*.json
		job 2 2 --steps 3 --layers 1 --clocks 2000 --gpu-only $fault
		with=$(verdict rank?.json | sed '/^[0-9]* ranks/d')
		for r in {4..9}; do
			kernel gemm 0 $((100 * r))
			kernel cutlass_80_tensorop_gemm_grouped 1000 $((900000 * (r > 6)))
			rank rank$r.json
		done
		equal "$(verdict rank[0-4].json | sed '/^[0-9]* ranks/d')" "$with"
		equal "$(verdict rank?.json | sed '/^[0-9]* ranks/d')" "$with"
	done
}

@test "no collective has all its ranks: nothing is judged, and the sheets have no zeros for what is not known" {
	job 2 4 --steps 2 --layers 1 --gpu-only --slow-rank 3
	like "$(verdict rank0.json rank3.json)" '^not judged: no two ranks have a communication in common'
	equal "$(cell verdict/ranks_overview.tsv severity)" unknown
	equal "$(cell verdict/ranks_judged.tsv ideal_ms):$(cell verdict/ranks_communication.tsv wait_ms):$(cell verdict/ranks_communication.tsv late_us_mean):$(cell verdict/ranks_communication.tsv incomplete)" ':::12'
	equal "$(cell verdict/ranks_stragglers.tsv wait_ms):$(cell verdict/ranks_stragglers.tsv start_skew_us_mean):$(cell verdict/ranks_judged.tsv judged_ranks)" '::0'
	# some are there: what they tell, and of how many ranks
	like "$(verdict rank0.json rank1.json rank4.json)" '^judged in part, 3 of 8 ranks: no cause above 0\.1 %'
}
