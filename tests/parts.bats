#!/usr/bin/env bats
# parts.bats - parts of traces of tl-multi and tl-ranks: made anywhere, kept, made again.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# Two ranks of a job.
ranks() {
	mkdir -p in
	gen in/rank_0.json -n 400
	gen in/rank_1.json -n 400 --seed 2
}
# The report of both, and the name of the first one's part
multi() {
	tl-multi -q -b in -f rank_ --output_tsvs_dir out "$@" >said
}
multi_part=parts/rank_0.json.part
ranks_report() {
	tl-ranks -q -d out "$@" in/rank_0.json in/rank_1.json >said
}
ranks_report_part=parts/in%rank_0.json.part
# old FILE...: as made long ago, which tells whether they are made again
old() {
	touch -d 2001-02-03 "$@"
}
is_old() {
	[ "$(stat -c %y "$1" | cut -c 1-4)" = 2001 ]
}

@test "parts that tl-multi --part made elsewhere are used" {
	ranks
	multi
	mv out plain
	mkdir parts
	tl-multi --part --rank 0 -o parts/rank_0.json.part "$PWD/in/rank_0.json"
	tl-multi --part --rank=1 "$PWD/in/rank_1.json" >parts/rank_1.json.part
	old parts/*.part
	multi --parts parts
	same_sheets plain out
	is_old parts/rank_0.json.part
	is_old parts/rank_1.json.part
	[ ! -e out.parts ]
	run -2 --separate-stderr tl-multi --part a b
	failed 2 'one operand expected, 2 given'
}

@test "tl-ranks merges parts of tl-multi as its own" {
	ranks
	ranks_report
	mv out plain
	multi --parts parts
	rm -r out
	tl-ranks -q -d out parts/rank_*.json.part >said
	# which names files, steps, and what the job loses, which these parts do not tell
	like "$(cell out/ranks_judged.tsv not_judged)" 'the parts do not tell what communications wait for'
	rm -f {plain,out}/ranks_{overview,judged,causes}.tsv
	same_sheets plain out
	sed -i '/^collectives$/,/^$/d' parts/rank_0.json.part
	run -1 --separate-stderr tl-ranks -q -d out2 parts/rank_*.json.part
	failed 1 'rank_0.json.part: the part is not whole: it has [0-9]* rows, its last line says [0-9]*'
}

@test "what is kept is the same for tl-multi and tl-ranks" {
	local report part
	ranks
	for report in multi ranks_report; do
		rm -rf out* parts*
		part=${report}_part
		$report
		[ ! -e out.parts ]
		$report --keep-parts
		[ -s "out.parts/${!part#parts/}" ]
		$report --parts parts
		[ -s "${!part}" ]
		[ -e out.parts ]
		$report # goes on from them, and removes them
		[ ! -e out.parts ]
		equal "$(ls parts | wc -l)" 3
	done
}

@test "a part is made again if it is not whole, or its trace, options or version are others" {
	local report part edit
	ranks
	for report in multi ranks_report; do
		rm -rf out parts
		part=${report}_part
		$report --parts parts
		for edit in '$d' '$s/^end\t0\t0/end\t0\t5/' '$s/tl-\([a-z]*\) [0-9]/tl-\1 9/' '$s/tl-[a-z]* /tl-x /' '$s/\(end\t[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*\t\)/\11/' '1,$d'; do
			old parts/*.part
			cp -p "${!part}" whole
			sed -i "$edit" "${!part}"
			old "${!part}"
			$report --parts parts
			refute is_old "${!part}"
			cmp whole "${!part}"
		done
		old parts/*.part
		$report --parts parts
		is_old "${!part}"
		touch in/rank_1.json # of the same size and text
		$report --parts parts
		is_old "${!part}"
		equal "$(find parts -name '*.part' -newermt 2002-01-01 | wc -l)" 1
		old parts/*.part
		$report --parts parts --communication table
		refute is_old "${!part}"
		old parts/*.part
		$report --parts parts --communication table --lenient # of a trace without damage it is the same
		is_old "${!part}"
		rm "${!part}"
		$report --parts parts --communication table --lenient
		old parts/*.part
		$report --parts parts --communication table
		refute is_old "${!part}"
	done
}

@test "a failed trace does not cost the parts of the others" {
	ranks
	cp in/rank_0.json whole
	head -c 20000 whole >in/rank_0.json
	run -1 --separate-stderr ranks_report --parts parts
	failed 1 'in/rank_0.json: no part of this rank could be made'
	failed 1 'the other parts are kept in parts, and the same command goes on from there, with --lenient without these ranks'
	[ ! -e out ]
	old parts/*.part
	# of traces without damage, --lenient makes the same part
	ranks_report --parts parts --lenient
	is_old parts/in%rank_1.json.part
	[ -s parts/in%rank_0.json.part ]
	rm -r out
	cp whole in/rank_0.json
	ranks_report --parts parts
	is_old parts/in%rank_1.json.part
	run -1 --separate-stderr tl-multi -b in -f rank_ --parts /dev/null/x --output_tsvs_dir out
	failed 1 '/dev/null/x: cannot make the folder'
}

@test "parts made in any way give the sheets that the traces give" {
	local i shape n=0 no_rank='s/"distributedInfo":{[^}]*},//'
	for shape in '--dp 2 --pp 2' '--tp 2 --dp 2' '--dp 4 --ep 2' '--tp 2 --pp 2 --numbered --clocks 900'; do
		rm -rf in out* parts* by-hand
		mkdir -p in by-hand renamed
		n=$((n + 1))
		for i in 0 1 2 3; do
			# shellcheck disable=SC2086
			tl-gen $shape --steps 2 --layers 1 --gpu-only --seed $n --rank $i | sed "$no_rank" >in/rank${i}_trace.json
		done
		tl-ranks -q -d out --parts parts in/rank?_trace.json >said
		for i in 0 1 2 3; do
			tl-ranks --part -o by-hand/$i.part in/rank${i}_trace.json # by its name
			tl-ranks --part --rank $i <in/rank${i}_trace.json >by-hand/rank$((3 - i)).tmp
			cp in/rank${i}_trace.json renamed/$((3 - i)).json
			tl-ranks --part --rank $i -o by-hand/by-option-$i.part renamed/$((3 - i)).json
		done
		for i in 'parts/*' 'by-hand/[0-3]' 'by-hand/by-option-?'; do
			# shellcheck disable=SC2086
			tl-ranks -q -d out2 $i.part >said
			same_sheets out out2
			rm -r out2
		done
		tl-ranks -q -d out2 by-hand/rank?.tmp >said
		same_sheets out out2
	done
	# copies of one trace: names tell, also if a part has another name; one message says what counts
	for i in 0 1; do
		sed '1s/{/{"distributedInfo":{"rank":0},/' in/rank0_trace.json >in/rank_$i.json
		tl-ranks --part -o by-hand/copy-$i.part in/rank_$i.json
	done
	run -0 --separate-stderr tl-ranks -d out3 in/rank_?.json
	like "$stderr" 'of one and the same rank: the numbers in their names are taken'
	unlike "$stderr" 'what the trace says is taken'
	tl-ranks -q -d out4 by-hand/copy-?.part >said
	rm out3/ranks_overview.tsv out4/ranks_overview.tsv # whose warnings name files
	same_sheets out3 out4
}

@test "the user sees on a terminal how many traces are read" {
	need script
	ranks
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal can be made here"
	TL_PROGRESS=0 script -qec 'tl-ranks -d out --max_workers 1 in/rank_*.json' /dev/null </dev/null >said
	n=$(find in -name 'rank_*.json' | wc -l)
	like "$(cat said)" "tl-ranks: 1 of $n traces are read.*tl-ranks: $n of $n traces are read"
	TL_PROGRESS=0 script -qec 'tl-ranks -q -d out in/rank_*.json' /dev/null </dev/null >said
	refute grep 'are read' said
	TL_PROGRESS=0 tl-ranks -d out in/rank_*.json 2>said
	refute grep 'are read' said
}

# Kills what makes the first part in a run of $report; again if it was too fast.
kill_the_first() {
	local try
	for try in {1..20}; do
		rm -rf parts-$report
		$report --parts parts-$report 2>stderr &
		until pkill -9 -f "^[^ ]*tl-[^ ]* .*parts-$report/.*in/rank_0.json$" || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
		wait $! || return 0
	done
	return 1
}

@test "a program that is killed while it makes a part: its trace is named, the part is made next time" {
	need pkill
	local report
	ranks
	gen in/rank_0.json -n 150000
	for report in multi ranks_report; do
		rm -rf out
		kill_the_first
		like "$(cat stderr)" 'error: .*in/rank_0.json: the program that reads it was ended by the signal 9'
		equal "$(find parts-$report -name '*rank_0.json.part' | wc -l)" 0
		equal "$(find parts-$report -name '*rank_1.json.part' | wc -l)" 1
		$report --parts parts-$report
		[ -s out/gpu_timelines.tsv ] || [ -s out/nccl_long.tsv ]
	done
}

@test "two runs at once in one folder of parts: the second one ends" {
	need flock
	local report
	ranks
	mkdir parts
	: >parts/lock
	exec 8<parts/lock
	flock 8
	for report in multi ranks_report; do
		run -1 --separate-stderr $report --parts parts
		failed 1 'parts: another program works in this folder'
		[ ! -e out ]
	done
	exec 8<&-
}

@test "the part of a trace with a long path" {
	local deep
	ranks
	deep=$(printf 'folder-%s/' {1..40})
	mkdir -p "$deep"
	cp in/rank_0.json "$deep"
	tl-ranks -q -d out --parts parts "$deep/rank_0.json"
	like "$(ls parts)" 'folder-40%+rank_0.json.part'
	old parts/*.part
	tl-ranks -q -d out --parts parts "$deep/rank_0.json"
	is_old "$(echo parts/*.part)"
}

@test "a part is made again if a file of rules has changed" {
	ranks
	printf '# operator\tmodel\n' >ops.tsv
	multi --parts parts --ops ops.tsv
	old parts/*.part
	multi --parts parts --ops ops.tsv
	is_old parts/rank_0.json.part
	printf '# other\n' >>ops.tsv
	multi --parts parts --ops ops.tsv
	refute is_old parts/rank_0.json.part
}

# bats test_tags=quick
@test "sheets of ranks are made together with the parts" {
	ranks
	ranks_report --parts parts --rank_sheets sheets
	[ -s sheets/rank0/gpu_timeline.tsv ]
	[ -s out/ranks_summary.tsv ]
	old parts/*.part
	rm -r out
	ranks_report --parts parts --rank_sheets sheets
	is_old parts/in%rank_0.json.part
	[ -s out/ranks_summary.tsv ]
	# two traces of one rank: neither may leave its sheets for the other's
	sed '1s/{/{"distributedInfo":{"rank":0},/' in/rank_0.json >in/x.json
	run -1 --separate-stderr tl-ranks -q -d out --lenient --parts parts --rank_sheets sheets in/rank_0.json in/x.json
	failed 1 'both are of rank 0'
	[ ! -e parts/in%x.json.part ]
	[ ! -e parts/in%rank_0.json.part ]
	run -2 --separate-stderr tl-ranks --part --rank_sheets sheets
	failed 2 'cannot be read twice'
}

# bats test_tags=quick
@test "no file of the user is removed" {
	ranks
	multi --parts parts --output_csvs_dir parts/sheets
	[ -s parts/sheets/gpu_timelines.csv ]
	rm -r out
	mkdir out.parts
	touch out.parts/mine
	run -1 --separate-stderr ranks_report
	failed 1 'out.parts: this folder has other files than parts'
	[ -e out.parts/mine ]
	[ ! -e out ]
	rm out.parts/mine # an empty one, as of a run that was stopped at its start
	ranks_report
	[ ! -e out.parts ]
}

@test "a folder of parts that cannot be removed is named, the report is there" {
	ranks
	local nobody=()
	if [ "$(id -u)" = 0 ]; then
		need setpriv
		nobody=(setpriv --reuid=65534 --clear-groups)
		chmod 777 .
	fi
	"${nobody[@]}" test -r in/rank_0.json || skip "another user cannot read here"
	"${nobody[@]}" tl-ranks -d probe in/rank_0.json in/rank_1.json >/dev/null 2>&1 || skip "another user cannot run the programs here"
	printf 'head -n "$TL_TASKS" "$TL_LIST" | sh\nmkdir -p out.parts/mine/file\nchmod 555 out.parts/mine\n' >mine.sh
	run -0 --separate-stderr "${nobody[@]}" tl-ranks -d out --runner ./mine.sh in/rank_0.json in/rank_1.json
	like "$stderr" 'tl-ranks: warning: out.parts: cannot remove all of it'
	[ -s out/nccl_long.tsv ]
	chmod 755 out.parts/mine
}

@test "what killed programs left is removed with the next part" {
	local report
	ranks
	for report in multi ranks_report; do
		$report --parts parts
		touch parts/rank_0.json.part.aB3xYz parts/other.part.txt
		$report --parts parts
		[ -e parts/rank_0.json.part.aB3xYz ] # no part was to be made
		touch in/rank_0.json
		$report --parts parts
		[ ! -e parts/rank_0.json.part.aB3xYz ]
		[ -e parts/other.part.txt ]
	done
}

@test "folders with odd names" {
	local folder
	ranks
	multi
	mv out plain
	for folder in -o "it's 100%/" ' x '; do
		multi --output_tsvs_dir="$folder" --keep-parts
		same_sheets plain "./$folder"
		folder=${folder%/}
		[ -s "./$folder.parts/rank_0.json.part" ]
		multi --output_tsvs_dir="$folder/"
		[ ! -e "./$folder.parts" ]
	done
	cp in/rank_0.json ./--part.json
	tl-ranks -q --dir=-d --parts=-p -- --part.json
	[ -s ./-d/nccl_long.tsv ]
	[ -s ./-p/--part.json.part ]
}

@test "tl-ranks takes no pipes" {
	ranks
	run -1 --separate-stderr tl-ranks -d out - <in/rank_0.json
	failed 1 '-: expected a file, which'
	run -1 --separate-stderr tl-ranks -d out <(cat in/rank_0.json)
	failed 1 '/dev/fd/[0-9]+: expected a file, which'
}

@test "a trace that was repaired comes into the workbook that was made without it" {
	ranks
	cp in/rank_1.json whole
	head -c 20000 whole >in/rank_1.json
	run -1 --separate-stderr tl-multi -b in -f rank_ -o book.xlsx
	failed 1 'in/rank_1.json: the report does not count this trace'
	cp whole in/rank_1.json
	run -0 --separate-stderr tl-multi -b in -f rank_ -o book.xlsx
	unlike "$output" 'already exists'
	[ ! -e book.xlsx.parts ]
	run -0 --separate-stderr tl-multi -b in -f rank_ -o book.xlsx
	like "$output" 'already exists'
}
