#!/usr/bin/env bats
# ranks-parallel.bats - tl-ranks of pipelines and of experts: who waits for which send, stages, and uneven work.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
load ranks

# pipeline N [OPTION]...: the traces of N ranks of a job
pipeline() {
	local n=$1 i
	shift
	rm -rf rank*.json out
	for ((i = 0; i < n; i++)); do
		tl-gen --rank $i "$@" >rank$i.json
	done
}
# said: ranks_overview, a line each
said() {
	tl-ranks -q -d out rank*.json >/dev/null
	awk -F'\t' 'NR > 1 { print $2 ": " $3 }' out/ranks_overview.tsv
}
# transfer NAME TS DUR [ARGS]: a send or receive of 1 Mi floats in the group "pp" of ranks 0 to 2
transfer() {
	coll "$1" "$2" "$3" '"Process Group Name":"pp","Process Group Ranks":"[0, 1, 2]","Group size":3'"${4:+,$4}"
}
named='"Process Group Name":"other","Process Group Ranks":"[0, 1, 2]","Group size":3'

@test "which send is which receive, and who waits" {
	coll allreduce 1000 100 "$named"
	transfer send 100 60 '"Dst Rank":1'
	transfer send 300 30 '"Dst Rank":1'
	transfer recv 400 220 '"Src Rank":1'
	rank rank0.json
	coll allreduce 1000 100 "$named"
	transfer recv 140 20 '"Src Rank":0'
	transfer recv 200 130 '"Src Rank":0'
	transfer send 600 20 '"Dst Rank":0'
	transfer send 700 20 '"Dst Rank":2'
	rank rank1.json
	coll allreduce 1000 100 "$named"
	rank rank2.json
	tl-ranks -q -d out rank?.json
	s=out/ranks_p2p.tsv
	n=$(row $s src_rank=0)
	equal "$(cell $s dst_rank "$n") $(cell $s transfers "$n") $(cell $s mib "$n")" '1 2 8.0'
	# the first send waits 40 us, the second receive 100 us
	equal "$(cell $s send_wait_ms "$n") $(cell $s recv_wait_ms "$n") $(cell $s waiting_rank "$n")" '0.04 0.1 1'
	equal "$(cell $s transfer_ms "$n") $(cell $s late_us_mean "$n") $(cell $s late_us_max "$n")" '0.05 30.0 100.0'
	equal "$(cell $s recv_wait_ms "$(row $s dst_rank=0)")" 0.2
	# what rank 2 received was not recorded
	n=$(row $s dst_rank=2)
	equal "$(cell $s transfers "$n") $(cell $s unpaired "$n") $(cell $s recv_wait_ms "$n")" '0 1 '
	# they are no collectives in which ranks wait for each other
	equal "$(cut -f 1 out/ranks_stragglers.tsv | xargs)" 'Process Group Name other'
	equal "$(wc -l <out/nccl_long.tsv)" 11
	# rank 0 sends first, so it comes before rank 1, and that before rank 2
	equal "$(cut -f 1,2 out/ranks_stages.tsv | tail -n +2 | xargs)" '0 0 1 1'
}

@test "a window that lacks the first receive: the pairs are found by their ends" {
	for i in 0 1 2 3; do transfer send $((100 + 1000 * i + 100 * i * i)) 60 '"Dst Rank":1'; done
	coll allreduce 9000 100 "$named"
	rank rank0.json
	for i in 1 2 3; do transfer recv $((60 + 1000 * i + 100 * i * i)) 100 '"Src Rank":0'; done
	coll allreduce 9000 100 "$named"
	rank rank1.json
	tl-ranks -q -d out rank?.json
	s=out/ranks_p2p.tsv
	equal "$(cell $s transfers) $(cell $s unpaired) $(cell $s recv_wait_ms) $(cell $s send_wait_ms)" '3 1 0.12 0.0'
}

@test "the other rank is not said: in a group of two it is known, else it is counted" {
	coll send 100 60
	coll allreduce 300 60 "$named"
	rank rank0.json
	coll recv 140 20
	coll allreduce 300 60 "$named"
	rank rank1.json
	tl-ranks -q -d out rank?.json
	equal "$(cell out/ranks_p2p.tsv send_wait_ms)" 0.04
	transfer send 100 60
	transfer coalesced 200 60
	coll allreduce 300 60 "$named"
	rank rank0.json
	run -0 --separate-stderr tl-ranks -d out rank?.json
	like "$stderr" 'warning: ranks_p2p leaves out 2 sends and receives of which nothing tells the other rank'
}

# bats test_tags=quick
@test "stages of a pipeline: the slowest is found, by what it computes longer" {
	pipeline 4 --pp 4 --layers 1 --steps 3 --slow-stage 2
	run -0 said
	like "${lines[0]}" '^[a-z]+: Stage 2 of the pipeline \(rank 2 \.\.\.\) is the slowest: it computes 5\.2[0-9] ms a step longer'
	equal "${#lines[@]}" 2
	s=out/ranks_stages.tsv
	equal "$(cut -f 1-4 $s | tail -n +2 | tr '\t' ' ' | xargs)" '0 0 1 3 1 1 1 3 2 2 1 3 3 3 1 3'
	equal "$(cell $s slowest 3) $(cell $s slowest 1)" '1 0'
	# 3 layers of 1.86 ms, products 30 % longer, of 4 microbatches, and the optimizer
	like "$(cell $s busy_ms 1) $(cell $s busy_ms 3)" '^22\.[5-7][0-9]* 27\.[7-9]'
	# what is not computation or communication is the bubble
	equal "$(awk -F'\t' 'NR > 1 { d = $5 - $6 - $7 - $8; if (d > 1e-6 || d < -1e-6) print }' $s)" ''
	pipeline 4 --pp 4 --layers 1 --steps 3
	run -0 said
	like "${lines[0]}" '^none: no cause above'
	[ ! -e out/ranks_experts.tsv ]
}

@test "a slow rank of a pipeline, and not those that wait for it in sends and receives" {
	pipeline 16 --dp 4 --pp 4 --layers 1 --steps 3 --clocks 2000 --slow-rank 6
	run -0 said
	like "${lines[0]}" 'the node of rank 6: it computes'
	equal "${#lines[@]}" 2
	pipeline 16 --tp 2 --dp 2 --pp 4 --layers 1 --steps 3 --clocks 2000 --slow-stage 1
	run -0 said
	like "${lines[0]}" 'Stage 1 of the pipeline \(rank 4 \.\.\.\) is the slowest'
	equal "${#lines[@]}" 2
	equal "$(cell out/ranks_stages.tsv ranks_of_stage 2)" '4, 5, 6, 7'
}

@test "interleaved stages: the last rank sends to the first, too" {
	local i
	for i in 0 1 2; do
		transfer send $((100 + 100 * i)) 10 "\"Dst Rank\":$(((i + 1) % 3))"
		transfer recv $((i ? 100 * i : 300)) 10 "\"Src Rank\":$(((i + 2) % 3))"
		coll allreduce 9000 100 "$named"
		rank rank$i.json
	done
	tl-ranks -q -d out rank?.json
	equal "$(cut -f 1,2 out/ranks_stages.tsv | tail -n +2 | tr '\t' ' ' | xargs)" '0 0 1 1 2 2'
}

# bats test_tags=quick
@test "experts: the rank with most tokens, by grouped GEMMs and by dispatched bytes" {
	pipeline 8 --dp 8 --ep 4 --layers 1 --steps 3 --hot-expert 5
	run -0 said
	like "$output" 'Rank 5 has the experts with most to do: 0\.60 ms a step more than the mean of its group ep1'
	unlike "$output" 'Rank [0-46-7] '
	s=out/ranks_experts.tsv
	equal "$(grep -c . $s)" 17
	n=$(row $s 'what=all-to-all' 'Process Group Name=ep1')
	# it gets 8 of 20 shares of 0.5 MiB in each of 4 calls, the others send 5
	equal "$(cell $s most_rank "$n") $(cell $s max_mib "$n") $(cell $s mean_mib "$n")" '5 16.0 11.5'
	n=$(row $s 'what=grouped GEMM' 'Process Group Name=ep1')
	like "$(cell $s most_rank "$n") $(cell $s imbalance "$n") $(cell $s mean_ms "$n")" '^5 1\.(59|60)[0-9]* (0\.99|1\.00)'
	equal "$(cell $s call "$((n + 1))")" 0
	pipeline 8 --dp 8 --ep 4 --layers 1 --steps 3
	run -0 said
	like "${lines[0]}" '^none: no cause above'
	[ ! -e out/ranks_stages.tsv ]
}

@test "jobs without sends, receives and experts have no such sheets, and a part of an older version is made again" {
	pipeline 4 --tp 2 --dp 2 --layers 1 --steps 2
	tl-ranks -q --parts parts -d out rank*.json
	equal "$(find out -name '*p2p*' -o -name '*stages*' -o -name '*experts*')" ''
	sed -i 's/\ttl-ranks [^\t]*\t/\ttl-ranks 0.1.0\t/' parts/rank0.json.part
	touch -d '2020-01-01' parts/*.part
	tl-ranks -q --parts parts -d out rank*.json
	equal "$(find parts -name '*.part' -newermt 2021-01-01)" parts/rank0.json.part
	# a damaged table
	tl-gen --pp 2 --layers 1 --steps 2 >rank0.json
	tl-ranks --part -o p.part rank0.json
	like "$(cat p.part)" $'\nparallel\nwhat\tgroup\tnumber'
	sed -i 's/^step\t\(.*\)\t2\t/step\t\1\t0\t/' p.part
	run -1 --separate-stderr tl-ranks -q -d out p.part
	failed 1 'the table parallel of the part tells of no step'
}

@test "the host is done with the last step before the device is" {
	for i in 0 1; do
		events+=('{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":1000}')
		events+=('{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":1000,"dur":1000}')
		for ts in 500 1500; do
			kernel gemm $ts $((800 + 100 * i))
			if [ $i = 0 ]; then transfer send $((ts + 900)) 50 '"Dst Rank":1'; else transfer recv $((ts + 900)) 50 '"Src Rank":0'; fi
		done
		coll allreduce 2900 10 "$named"
		rank rank$i.json
	done
	tl-ranks -q -d out rank?.json
	s=out/ranks_stages.tsv
	equal "$(cell $s steps) $(cell $s step_ms) $(cell $s busy_ms) $(cell $s busy_ms 2)" '2 1.455 0.8 0.9'
	equal "$(cell $s exposed_comm_ms) $(cell $s exposed_p2p_ms)" '0.005 0.05'
}
