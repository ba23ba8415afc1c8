#!/usr/bin/env bats
# limits.bats - limits at their border: the last that is taken, and the first that is not.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
load ranks

# numbers PROGRAM: its options that are a whole number, each with its range
numbers() {
	local option
	for option in $("$1" --help | sed -nE 's/^ +(-., )?(--[A-Za-z_-]+) N( .*|$)/\2/p'); do
		{ "$1" "$option" x 2>&1 || true; } | sed -nE "s/.*error: (--[^:]*): 'x' is not a whole number from (.*) to (.*)/\1 \2 \3/p"
	done
}

@test "each option that is a number has its range" {
	local p most=2147483647 largest=9223372036854775807
	for p in $(tl_filters); do
		[ "$p" = tl-sheets ] || numbers "$p" # it has those of the others
	done | sort -u >ranges
	sort >wanted <<-END
		--CONC 1 $most
		--decode_threshold 0 $largest
		--depth 0 $most
		--device 0 $most
		--gpus_per_node 1 $most
		--hip_summary_top 0 $largest
		--jobs 1 4096
		--kernel_summary_top 0 $largest
		--last 1 $most
		--max_tid -9223372036854775808 $largest
		--max_workers 1 1024
		--memory-curve-parts 0 $most
		--micro_idle_thresh_us 0 $largest
		--min_event_ns 0 $largest
		--min_tid -9223372036854775808 $largest
		--nodes 1 $most
		--num-steps -2147483648 $most
		--offset 0 $largest
		--plot_dpi 10 1200
		--queue-full 1 $most
		--rank 0 $most
		--rank -1 $most
		--rows 1 $largest
		--short_kernel_histogram_bins 1 1000000
		--short_kernel_threshold_us 0 $largest
		--step 0 $largest
		--threads 1 1024
		--top 0 $most
		--topk_idle_gaps 0 $largest
		--topk_kernels 0 $largest
		--topk_ops 0 $largest
		--topk_roofline_ops 0 $largest
		--topk_short_kernels 0 $largest
		--top_xla 0 $largest
		--what-if-most 0 $largest
		--width 0 $most
		--world_size 1 16777216
	END
	diff wanted ranges
	run -2 --separate-stderr tl-report --plot_dpi 1201 x
	failed 2 "'1201' is not a whole number from 10 to 1200"
	run -2 --separate-stderr tl-report --num_cus 0 x
	failed 2 "'0' is not a whole number from 1 to $largest"
}

@test "a number at the end of its range is taken, the next one is not" {
	local n
	for n in 10 1200 0010; do
		tl-plot --plot_dpi $n --help >/dev/null
	done
	for n in 9 1201 -10 10.0 10x ' 10' 0x10 1e2 99999999999999999999; do
		run -2 --separate-stderr tl-plot --plot_dpi "$n" --help
		failed 2 "--plot_dpi: '$n' is not a whole number from 10 to 1200"
	done
	tl-pftrace --min_tid=-9223372036854775808 --max_tid 9223372036854775807 --help >/dev/null
	for n in -9223372036854775809 9223372036854775808; do
		run -2 --separate-stderr tl-pftrace --min_tid="$n" --help
		failed 2 "'$n' is not a whole number"
	done
}

# bytes N: so many '#'; times N TEXT: the text so many times
bytes() {
	head -c "$1" /dev/zero | tr '\0' '#'
}
times() {
	printf -- "$2%.0s" $(seq "$1") # no loop: bats looks at each of its commands
}
# border PROGRAM… OPTION: takes the file `last` there, and refuses `next` with the message in $says
border() {
	local program=("${@:1:$#-1}") option=${!#}
	"${program[@]}" -q "$option" last none.json >/dev/null
	run -1 --separate-stderr "${program[@]}" -q "$option" next none.json
	failed 1 "$says"
}

@test "files of tables and of rules: their bytes" {
	echo '{"traceEvents":[]}' >none.json
	bytes 262144 >last
	bytes 262145 >next
	says='next: longer than 262144 bytes' border tl-kcat --kernel-categories
	bytes 1048576 >last
	bytes 1048577 >next
	says='next: longer than 1048576 bytes' border tl-ops --ops
	bytes 16777216 >last
	bytes 16777217 >next
	says='next: longer than 16777216 bytes' border tl-rewrite --rules
}

@test "rules for names: terms, and repetitions of expressions" {
	echo '{"traceEvents":[]}' >none.json
	printf '1\tA\ta%s\n' "$(times 31 ' & b')" >last
	printf '1\tA\ta%s\n' "$(times 32 ' & b')" >next
	says='more than 32 terms' border tl-kcat --kernel-categories
	printf '1\tA\t(a{60}b){1000}\n' >last
	printf '1\tA\t((a{60}b){1000}){10}\n' >next
	says='regular expression is too large' border tl-kcat --kernel-categories
}

@test "tables of operators and models: models, lines, parameters, nesting, lists, numbers" {
	local built_in
	echo '{"traceEvents":[]}' >none.json
	model() { # FORMULA [LINES]
		printf 'model m\n%s\tflops %s\n' "${2-}" "$1"
	}
	built_in=$(tl-models models | sed 1d | wc -l)
	printf 'model m%s\n\tflops 1\n' $(seq $((built_in + 1)) 1000) >last
	{ cat last; model 1; } >next
	says='more than 1000 models' border tl-ops --ops
	model 1 "$(printf '\tlet a%s=1\n' {1..999})"$'\n' >last
	model 1 "$(printf '\tlet a%s=1\n' {1..1000})"$'\n' >next
	says='more than 1000 lines in a model' border tl-ops --ops
	model 'f(1,1,1,1,1,1,1,1)' $'\tdef f(a,b,c,d,e,f,g,h)=a\n' >last
	model 'f(1,1,1,1,1,1,1,1,1)' $'\tdef f(a,b,c,d,e,f,g,h,i)=a\n' >next
	says='more than 8 parameters' border tl-ops --ops
	model "$(times 100 '(')1$(times 100 ')')" >last
	model "$(times 101 '(')1$(times 101 ')')" >next
	says='expression nested deeper than 100' border tl-ops --ops
	# beside each other they do not count
	model "0$(times 101 '+(1)')" >last
	model "0$(times 101 '+(1')" >next
	says='expression nested deeper than 100|expected' border tl-ops --ops
	model "len([1$(times 63 ,1)])" >last
	model "len([1$(times 64 ,1)])" >next
	says='more than 64 items' border tl-ops --ops
	model "0.$(times 61 1)" >last
	model "0.$(times 62 1)" >next
	says='number of 64 characters; at most 63 are expected' border tl-ops --ops
}

@test "rules of the tree: rules, numbers, new arguments, expressions" {
	echo '{"traceEvents":[]}' >none.json
	rules() {
		printf 'rule\tr%d\tstop\n\tif-op\tb\n' $(seq "$1")
	}
	rules 10000 >last
	rules 10001 >next
	says='more than 10000 rules' border tl-rewrite --rules
	isolate() {
		printf 'rule\tr\tisolate\n\tname\ta\n\top\tb\n\tkernel\tc\n'
	}
	{ isolate; printf '\targ\tk%d\t1\n' {1..57}; } >last
	{ isolate; printf '\targ\tk%d\t1\n' {1..58}; } >next
	says='more arguments than an operator can have' border tl-rewrite --rules
	printf 'rule\tr\trename\n\twhat\t%s\n\tto\tb\n' "$(times 30000 a)" >last
	printf 'rule\tr\trename\n\twhat\t%s\n\tto\tb\n' "$(times 40000 a)" >next
	says='regular expression is too large' border tl-rewrite --rules
	{ isolate; printf '\targ\tk\t@set-int x 999999999\n'; } >last
	{ isolate; printf '\targ\tk\t@set-int x 1000000000\n'; } >next
	says='expected an integer of at most 9 digits' border tl-rewrite --rules
}

@test "a workbook and a page: rows and columns" {
	[ -z "${TL_SANITIZED-}" ] || skip "slow with sanitizers"
	{ echo a; head -n 1048575 <(yes ''); } >rows.tsv
	seq 16384 | paste -sd '\t' >columns.tsv
	tl-xlsx -o out.xlsx rows.tsv columns.tsv
	{ echo a; head -n 1000000 <(yes ''); } >rows.tsv
	tl-html -o out.html rows.tsv
	echo >>rows.tsv
	run -1 --separate-stderr tl-html -o out.html rows.tsv
	failed 1 "sheet 'rows' has more than 1000000 rows"
}

@test "folders in which traces are found: their depth" {
	deep() { # FOLDER DEPTH: a rank at each of the last three levels
		local i
		mkdir -p "$1$(times "$2" /d)"
		for ((i = $2 - 2; i <= $2; i++)); do
			cp rank.json "$1$(times "$i" /d)/rank_$i.json"
		done
	}
	coll allreduce 1 1
	rank rank.json
	deep a 201
	run -0 --separate-stderr tl-multi -b a -f rank_ -d
	equal "$(grep -o 'rank_[0-9]*.json' <<<"$output" | sort -u | xargs)" 'rank_199.json rank_200.json rank_201.json'
	[ -z "$stderr" ]
	tl-ranks -q --lenient -d out --trace_glob 'a/**/rank_*.json' --world_size 300
	equal "$(cut -f 3 out/nccl_long.tsv | xargs)" 'rank 199 200 201'
}
