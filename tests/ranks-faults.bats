#!/usr/bin/env bats
# ranks-faults.bats - tl-ranks when something goes wrong: nothing lost, nothing half taken for whole.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
load ranks

@test "a rank of another job: ranks do not agree, or their groups lack ranks" {
	two_ranks
	coll allreduce 120 32 '"Group size":4,"Process Group Ranks":"[0, 1, 2, 3]"'
	rank rank1_trace.json
	run -1 --separate-stderr tl-ranks -d out rank?_trace.json
	failed 1 "metadata mismatch in 'Process Group Ranks' for collective g_0: rank 0 says \[0, 1\], rank 1 says \[0, 1, 2, 3\]"
	[ ! -e out/nccl_long.tsv ]
	coll allreduce 120 32 '"Process Group Name":"other"'
	rank rank1_trace.json
	run -0 --separate-stderr tl-ranks -d out rank?_trace.json
	like "$stderr" 'warning: 3 of 3 collectives lack ranks of their group: g_0 has 1 of 2 ranks'
}

@test "groups of one name without a common rank are two" {
	local i
	for i in 0 1 2 3; do
		coll allreduce 10$i 20 "\"Process Group Ranks\":\"[$((i / 2 * 2)), $((i / 2 * 2 + 1))]\""
		rank rank$i.json
	done
	run -0 --separate-stderr tl-ranks -d out rank?.json
	like "$stderr" 'tl-ranks: 1 group has the name of another one'
	equal "$(cut -f 1,2,4,5 out/ranks_stragglers.tsv | sort)" 'Process Group Name	Process Group Ranks	collectives	ranks
g	[0, 1]	1	2
g [2, 3]	[2, 3]	1	2'
	run -1 --separate-stderr tl-ranks --reference-clocks -d raw rank?.json
	failed 1 "metadata mismatch in 'Process Group Ranks' for collective g_0: rank 0 says \[0, 1\], rank 2 says \[2, 3\]"
}

@test "a rank that says another number of ranks, and ranks that are missing" {
	local i
	for i in 0 1 3; do
		coll allreduce 10$i 20
		rank rank$i.json "\"distributedInfo\":{\"rank\":$i,\"world_size\":6}"
	done
	run -0 --separate-stderr tl-ranks -d out rank?.json
	like "$stderr" 'warning: no trace of 3 of 6 ranks: 2, 4, 5'
	coll allreduce 102 20
	rank rank2.json '"distributedInfo":{"rank":2,"world_size":8}'
	run -1 --separate-stderr tl-ranks -d out rank?.json
	failed 1 'rank2.json is of another job: it says that there are 8 ranks, others say 6'
	run -0 --separate-stderr tl-ranks --lenient -d out rank?.json
	like "$stderr" 'rank2.json: left out: it says that there are 8 ranks, most others say 6'
	equal "$(cut -f 3 out/nccl_long.tsv | xargs)" 'rank 0 1 3'
	# a trace that does not say how many
	coll allreduce 102 20
	rank rank2.json
	tl-ranks -q -d out rank?.json
	equal "$(cut -f 3 out/nccl_long.tsv | xargs)" 'rank 0 1 2 3'
}

@test "sheets that are not of this report are told" {
	two_ranks
	mkdir out csv
	touch out/nccl_all2allv.tsv out/ranks_kernels.tsv csv/nccl_all2allv.csv
	run -0 --separate-stderr tl-ranks -d out --output_csvs_dir csv rank?_trace.json
	like "$stderr" 'warning: out: 2 sheets here are not of this run: nccl_all2allv.tsv, ranks_kernels.tsv'
	like "$stderr" 'warning: csv: 1 sheet here is not of this run: nccl_all2allv.csv$'
}

@test "a rank that is truncated: its trace is named, and the sheets of an earlier run stay" {
	two_ranks
	gzip rank1_trace.json
	tl-ranks -q -d out rank?_trace.json*
	cp -r out before
	head -c 150 rank1_trace.json.gz >short
	mv short rank1_trace.json.gz
	run -1 --separate-stderr tl-ranks -d out rank?_trace.json*
	failed 1 'rank1_trace.json.gz: no part of this rank could be made'
	same_sheets before out
	# what can be read of it counts
	run -0 --separate-stderr tl-ranks --lenient -d out rank?_trace.json*
	like "$stderr" 'rank1_trace.json.gz'
	equal "$(cut -f 3 out/nccl_long.tsv | sort -u | head -n 1)" 0
}

@test "a full disk: the sheets of an earlier run stay, and nothing is left behind" {
	for i in 0 1; do
		for j in {100..140}; do coll allreduce ${j}00 10; done
		rank rank$i.json
		tl-ranks --part -o rank$i.part rank$i.json
	done
	mkdir tmp
	export TMPDIR=$PWD/tmp
	run -1 --separate-stderr bash -c 'ulimit -f 1; tl-ranks -d out rank?.part'
	failed 1 'out/nccl_long.tsv: cannot write: File too large'
	equal "$(ls out tmp)" $'out:\n\ntmp:'
	tl-ranks -q -d out rank?.part
	cp -r out before
	run -1 --separate-stderr bash -c 'ulimit -f 1; tl-ranks -d out rank?.part'
	failed 1 'cannot write: File too large'
	same_sheets before out
	run -1 --separate-stderr bash -c 'ulimit -f 1; tl-ranks --output_csvs_dir csv rank?.part'
	failed 1 'cannot write: File too large'
	[ ! -e csv ]
	run -1 --separate-stderr bash -c 'ulimit -f 6; tl-ranks --output_xlsx_path r.xlsx rank?.part'
	failed 1 'cannot write: File too large'
	[ ! -e r.xlsx ]
	equal "$(ls tmp)" ''
	# the merge's own files
	run -1 --separate-stderr env TMPDIR=/nonexistent tl-ranks --output_csvs_dir csv rank?.part
	failed 1 '/nonexistent'
}

# started FILE...: waits until one of them is there, or the last program in the background has ended
started() {
	until [ -e "$(echo $1)" ] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
}

@test "a run that is killed leaves no sheet, and what ends it by a signal no file" {
	need flock
	gen rank0.json -n 60000 --rank 0
	gen rank1.json -n 60000 --rank 1
	mkdir tmp
	TMPDIR=$PWD/tmp tl-ranks -q -d out --parts p --max_workers 1 rank?.json >said &
	started 'p/rank0.json.part*'
	kill -TERM $! || true
	wait $! || true
	equal "$(ls tmp)" ''
	if [ ! -s said ]; then
		equal "$(find out -name '*.tsv' 2>/dev/null)" ''
	fi
	rm -rf p out said
	TMPDIR=$PWD/tmp tl-ranks -q -d out --parts p --max_workers 1 rank?.json >said &
	started p/rank0.json.part
	kill -KILL $! || true
	wait $! || true
	if [ ! -s said ]; then
		equal "$(find out -name '*.tsv' 2>/dev/null)" ''
	fi
	[ ! -e p/lock ] || flock p/lock true # its processes end with it
	tl-ranks -q -d out --parts p rank?.json
	tl-ranks -q -d fresh rank?.json
	same_sheets fresh out
}

@test "two runs at once in one folder: one report, whole" {
	gen rank0.json -n 5000 --rank 0
	gen rank1.json -n 5000 --rank 1
	tl-ranks -q -d fresh rank?.json
	tl-ranks -q -d out --parts p rank?.json >first 2>&1 &
	local pid=$! status=0 other=0
	tl-ranks -q -d out --parts p rank?.json >second 2>&1 || status=$?
	wait $pid || other=$?
	# one of them may find that the other works there
	[ $((status * other)) -eq 0 ]
	[ $((status + other)) -eq 0 ] || like "$(cat first second)" 'another program works in this folder'
	same_sheets fresh out
}

# damaged PART COLUMN VALUE TABLE [ROW]: the part with that value in a column of a table, in all rows or where one of the first two columns is ROW
damaged() {
	awk -F'\t' -v OFS='\t' -v col="$2" -v value="$3" -v table="$4" -v row="$5" '
		{ if (here == 2 && c && $0 != "" && (row == "" || $1 == row || $2 == row)) $c = value }
		here == 1 { here = 2; for (i = 1; i <= NF; i++) if ($i == col) c = i }
		$0 == table { here = 1 }
		$0 == "" { here = 0 }
		{ print }' "$1" >damaged.part
	refute cmp -s "$1" damaged.part
	mv damaged.part "$1"
}

@test "a part with numbers that no job has" {
	local i
	job 2 2 --steps 4 --layers 1 --slow-rank 2
	for i in 0 1 2 3; do
		tl-ranks --part -o rank$i.whole rank$i.json
		cp rank$i.whole rank$i.part
	done
	tl-ranks -q -d well rank?.whole
	# as many steps as there are numbers: then a step is all of the trace
	damaged rank2.part n 4611686018427387904 work steps
	tl-ranks -q -d out rank?.part
	equal "$(cell out/ranks_judged.tsv recorded_ms)" "$(cell well/ranks_judged.tsv recorded_ms)"
	# a collective that takes 73 years, of a group that lacks a rank
	cp rank2.whole rank2.part
	damaged rank2.part dur_ns 2305843009213693952 collectives "$(grep -A 2 '^collectives$' rank2.part | tail -n 1 | cut -f 2)"
	run -1 --separate-stderr tl-ranks -q -d out rank[012].part
	failed 1 'the part of rank 2 is damaged: communication 1 begins before number 0 ends, for which it waits'
	# an end and a start that are further apart than a number can tell
	cp rank2.whole rank2.part
	damaged rank2.part experts 4611686018427387903 edges -2
	damaged rank1.part compute -4611686018427387903 edges -2
	run -0 tl-ranks -q -d out rank?.part
	# communications that wait for one that comes later
	cp rank1.whole rank1.part
	cp rank2.whole rank2.part
	damaged rank1.part from 11 edges
	run -1 --separate-stderr tl-ranks --job-path -d out rank?.part
	failed 1 'the part of rank 1 is damaged: communication 0 begins before number 11 ends, for which it waits'
}

@test "a part with two tables of edges" {
	two_ranks
	tl-ranks --part -o rank0.part rank0_trace.json
	tl-ranks --part -o rank1.part rank1_trace.json
	awk -F'\t' -v OFS='\t' '
		$1 == "edges" { here = 1 }
		here && NF { twice = twice $0 "\n"; n++ }
		$1 == "end" { printf "%s\n", twice; $4 += n - 2 }
		$0 == "" { here = 0 }
		$1 != "end" || !here { print }' rank1.part >twice.part
	run -1 --separate-stderr tl-ranks -d out rank0.part twice.part
	failed 1 'the part has two tables edges'
}
