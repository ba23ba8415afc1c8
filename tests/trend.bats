#!/usr/bin/env bats
# trend.bats - tl-trend: steps, drifts and outliers in a series of runs, and how often it is right.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
# shellcheck disable=SC2046 # series are words

load helpers

# series METRIC VALUE…: a series as --values prints it, runs 1, 2 and so on
series() {
	local metric=$1 i=0 v
	shift
	for v; do
		i=$((i + 1))
		printf '%s\tms\t%d\t%s\n' "$metric" $i "$v"
	done
}
header=$'metric\tunit\trun\tvalue'
# values near 100 that tell each other apart, without drift
noise=(100 100.4 99.7 100.1 99.5 100.3 99.9 100.2 99.6 100.5 99.8 100 100.2 99.7 100.4 99.6 100.1 99.9 100.3 99.5)
# report FOLDER MS: its gpu_timeline
report() {
	mkdir -p "$1"
	printf 'type\ttime ms\tpercent\nbusy_time\t%s\t80\ntotal_time\t200\t100\n' "$2" >"$1/gpu_timeline.tsv"
}

@test "a step: at which run, by how much" {
	{ echo "$header"; series m "${noise[@]}" 110 110.4 109.7 110.1 109.5 110.3 109.9 110.2; } >s.tsv
	run -0 --separate-stderr tl-trend s.tsv
	equal "$stderr" ''
	equal "${#lines[@]}" 2
	tl-trend s.tsv >out
	equal "$(cut -f 1-6 out | tail -n 1)" $'step\tm\tms\t21\t100.0\t110.05'
	like "$(cell out change_pct)" '^10\.(0|1)'
	equal "$(cell out run_count) $(cell out absent_count)" '28 0'
	awk -F'\t' 'NR == 2 { exit !($8 < 0.001 && $9 < 0.001 && $12 > 0.2 && $12 < 0.6 && $14 == 1) }' out
	tl-trend s.tsv | cmp - out # the same each time
}

@test "two steps, each with the level up to the next" {
	{ echo "$header"; series m "${noise[@]}" $(printf "%s\n" "${noise[@]}" | awk "{ print \$1 + 10 }") "${noise[@]}"; } >s.tsv
	equal "$(tl-trend s.tsv | cut -f 1,4 | tail -n +2)" $'step\t21\nstep\t41'
}

@test "a drift is none of steps, one run that is off is no step" {
	{
		echo "$header"
		series line $(for i in {0..29}; do echo "$i ${noise[i % 20]}"; done | awk '{ print $1 * 0.5 + $2 }')
		series off "${noise[@]}" 100 150 99.9 100.1 99.8 100.2 99.7 100.3 99.6 100.4
		series equal "${noise[@]}" "${noise[@]:0:10}"
	} >s.tsv
	tl-trend s.tsv >out
	equal "$(cut -f 1,2,4 out | tail -n +2)" $'drift\tline\t\noutlier\toff\t22\nno change shown\toff\t\nno change shown\tequal\t'
	like "$(sed -n 2p out | cut -f 5-7)" $'^(99|100)\\.[0-9]*\t11[45]\\.[0-9]*\t1[45]\\.'
	equal "$(sed -n 3p out | cut -f 5,6,8,9)" $'100.0\t150.0\t\t'
	equal "$(sed -n 4p out | cut -f 6,7)" $'\t'
}

@test "noise that drifts is said, constants do not change, and less than 1 % is no change" {
	{
		echo "$header"
		series waves $(seq 40 | awk '{ print 100 + 5 * sin($1 / 3) }')
		series constant $(printf "7 %.0s" {1..20})
		series counts $(printf "7 %.0s" {1..10}; printf "8 %.0s" {1..10})
		series little $(printf "1000 %.0s" {1..10}; printf "1009 %.0s" {1..10})
		series zero $(printf "0 %.0s" {1..20})
	} >s.tsv
	tl-trend s.tsv >out
	equal "$(cut -f 1,2 out | tail -n +2)" $'step\tcounts\nno change shown\tconstant\nno change shown\tzero\nno change shown: noise drifts\twaves\nno change shown: noise drifts\tlittle'
}

@test "fewer than 16 runs are not judged; runs that lack a metric are counted" {
	{ echo "$header"; series m "${noise[@]:0:15}"; series n "${noise[@]}"; } >s.tsv
	equal "$(tl-trend s.tsv | cut -f 1,2,8,10,11 | tail -n 1)" $'not judged: fewer than 16 runs\tm\t\t15\t5'
	run -0 --separate-stderr tl-trend --fail-if 'm > 1 %' s.tsv
	like "$stderr" "not judged: 1 of 1 metrics, of fewer than 16 runs"
}

@test "runs are folders, sheets, workbooks and traces, in the order of the command line" {
	report a 1
	report b/ 2.5
	tl-xlsx -o c.xlsx b/gpu_timeline.tsv
	gen t.json -n 2000
	tl-trend -q --metric gpu_timeline/busy_time --values a b c.xlsx b/gpu_timeline.tsv t.json >values.tsv
	equal "$(head -n 5 values.tsv)" "$header"$'\ngpu_timeline/busy_time\tms\ta\t1.0\ngpu_timeline/busy_time\tms\tb\t2.5\ngpu_timeline/busy_time\tms\tc.xlsx\t2.5\ngpu_timeline/busy_time\tms\tb/gpu_timeline.tsv\t2.5'
	equal "$(sed -n 6p values.tsv | cut -f 4)" "$(tl-timeline -q t.json | awk -F'\t' '$1 == "busy_time" { print $2 }')"
	tl-trend --values values.tsv | cmp - values.tsv # a series may be read again, with more runs behind it
	report d 3
	equal "$(tl-trend -q --metric 'gpu_timeline/busy*' --values values.tsv d | tail -n 1)" $'gpu_timeline/busy_time\tms\td\t3.0'
	equal "$(tl-trend -q --values a | cut -f 1 | tail -n +2)" $'gpu_timeline/busy_time\ngpu_timeline/total_time'
	equal "$(tl-trend -q --metric 'gpu_timeline:percent/b*' --values a | tail -n 1)" $'gpu_timeline:percent/busy_time\tpercent\ta\t80.0'
}

@test "rows of one name are added up, but not those of a share" {
	mkdir a
	printf 'rank\tprocess\tdevice\ttype\ttime ms\tpercent\n\t0\t0\tbusy_time\t2\t50\n\t1\t1\tbusy_time\t3\t60\n' >a/gpu_timeline_by_device.tsv
	equal "$(tl-trend -q --metric 'gpu_timeline_by_device/*' --values a | tail -n 1 | cut -f 1,2,4)" $'gpu_timeline_by_device/busy_time\tms\t5.0'
	run -1 --separate-stderr tl-trend --metric 'gpu_timeline_by_device:percent/*' a
	failed 1 "several rows are 'busy_time', whose 'percent' does not add up"
}

@test "rows have the keys of comparisons: findings their ids, kernels their names" {
	gen t.json -n 2000
	tl-sheets -q -d sheets --enable_kernel_summary t.json >/dev/null
	tl-trend -q --metric 'findings/*' --metric 'kernel_summary/*' --metric 'kernel_stats/*' --values sheets t.json | tail -n +2 >out
	equal "$(grep -c . out)" "$(cut -f 1,3 out | sort -u | grep -c .)"
	equal "$(grep '^findings/' out | cut -f 1,3 | sort)" "$(awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["id"], $at["at_stake_ms"] }' sheets/findings.tsv | awk -F'\t' '$2 != "" { print "findings/" $1 "\tsheets"; print "findings/" $1 "\tt.json" }' | sort)"
	grep -q "^kernel_summary/$(cell sheets/kernel_summary.tsv 'Kernel name')"$'\tus\tsheets\t' out
	grep -q $'^kernel_stats/0, .*\tms\tt.json\t' out
}

@test "findings in JSON become a series, as the manual says" {
	need jq
	gen t.json -n 2000
	{
		printf 'metric\trun\tvalue\n'
		tl-findings -q --format json t.json | jq -r 'select(.id) | [.id, "A", .at_stake_ms] | @tsv'
	} >series.tsv
	equal "$(tl-trend -q --values series.tsv | tail -n +2 | cut -f 1,4 | sort)" \
		"$(tl-trend -q --values --metric 'findings/*' t.json | tail -n +2 | cut -f 1,4 | sed 's,^findings/,,' | sort)"
}

@test "--fail-if ends with 3, of steps in the last runs only with --last" {
	local i
	for i in {10..39}; do
		report "runs/$i" "${noise[i % 20]}"
	done
	for i in {40..49}; do
		report "runs/$i" 110.$i
	done
	run -0 --separate-stderr tl-trend --fail-if 'gpu_timeline/busy_time > 20 %' --fail-if '* < -1 %' runs/*
	run -3 --separate-stderr tl-trend --fail-if '*busy_time > +3 %' runs/*
	like "$stderr" '\*busy_time > \+3 %: gpu_timeline/busy_time: step of \+10\.[0-9]* %, from (99|100).* to 110.*, since runs/40 \(p '
	run -3 --separate-stderr tl-trend --fail-if '* > 3 %' --last 10 runs/*
	run -0 --separate-stderr tl-trend --fail-if '* > 3 %' --last 9 runs/*
	equal "$stderr" ''
	run -1 --separate-stderr tl-trend --fail-if 'busy > 3 %' runs/*
	failed 1 "no metric is called so"
}

@test "what is no run and no condition is an error" {
	report a 1
	run -2 --separate-stderr tl-trend
	failed 2 'runs expected'
	run -2 --separate-stderr tl-trend --metric gpu_timeline a
	failed 2 'expected SHEET/ROW'
	for c in 'x' '> 3 %' 'x > y' 'x > 3' 'x > 3 ms'; do
		run -2 --separate-stderr tl-trend --fail-if "$c" a
		failed 2 "--fail-if: '$c': expected"
	done
	run -1 --separate-stderr tl-trend a a
	failed 1 'a: stands for two runs'
	run -1 --separate-stderr tl-trend --metric 'ops_summary/*' a
	like "$stderr" 'a: has none of the metrics'
	failed 1 'no run has one of the metrics: ops_summary/\*'
	run -1 --separate-stderr tl-trend --metric 'gpu_timeline:x/*' a
	failed 1 "sheet 'gpu_timeline' has no such column"
	{ echo "$header"; series m 1 2; series m 3; } >s.tsv
	run -1 --separate-stderr tl-trend s.tsv
	failed 1 "two values of 'm' in the run '1'"
	for v in x inf 1e999; do
		{ echo "$header"; series m 1 "$v" 3; } >s.tsv
		run -1 --separate-stderr tl-trend s.tsv
		failed 1 "s.tsv: row [12], column 'value': '.*' is no number"
	done
	run -1 --separate-stderr tl-trend nosuch
	failed 1 'nosuch: cannot open'
}

@test "a step of 3 % in 30 runs with 1 % of noise is found, equal runs are equal, noise that drifts is said" {
	[ -z "${TL_SANITIZED-}" ] || skip "slow with sanitizers"
	"$TL_ROOT/tests/trend-rates" step 100 30 1 0 3 0 0 >step
	"$TL_ROOT/tests/trend-rates" equal 1000 30 1 0 0 0 0 >equal
	"$TL_ROOT/tests/trend-rates" drifts 200 30 1 0.8 0 0 0 >drifts
	"$TL_ROOT/tests/trend-rates" line 100 30 1 0 0 5 0 >line
	cat step equal drifts line
	awk -F'\t' '{ exit !($4 >= 75) }' step
	awk -F'\t' '{ exit !($3 + $5 <= 10) }' equal
	awk -F'\t' '{ exit !($7 >= 160 && $3 + $5 <= 20) }' drifts
	awk -F'\t' '{ exit !($5 >= 75) }' line
}
