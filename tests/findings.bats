#!/usr/bin/env bats
# findings.bats - tl-findings: rules, claims, order, forms of output.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# found [OPTION]...: a line for each finding of t.json but those about the recording: rank, rule, ms at stake; a kernel starts 1.5 us
# behind another one at best
found() {
	tl-findings -q --format tsv "$@" t.json >f.tsv
	awk -F'\t' 'NR == 1 || $1 != "0"' f.tsv >g.tsv # all traces of these tests lack something
	mv g.tsv f.tsv
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["rank"], $at["rule"], $at["at_stake_ms"] }' f.tsv
}

# step DUR: a step of so many µs, with two annotations
step() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":$1,\"args\":{}}"
}
# busy FROM TO: kernels back to back, launched ahead
busy() {
	local ts=$1 n=$1
	while [ "$ts" -lt "$2" ]; do
		call "$n" "$(($1 < 5 ? 1 : $1 - 5))" 1; gpu "$n" kernel "$ts" 1000
		ts=$((ts + 1000)) n=$((n + 1))
	done
}
@test "a data loader that the GPU waits for is the first finding, with its frame, its evidence and its id" {
	step 40000
	busy 0 10000
	event '{"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__","pid":1,"tid":1,"ts":10000,"dur":19990,"args":{}}'
	frame 'data.py(7): resize' 10010 19900
	busy 30000 40000
	trace t.json
	equal "$(found)" '1 dataloader 19.99'
	tl-findings -q --format tsv --sheets finding_evidence t.json | grep -v ^health >e.tsv
	[[ $(cell f.tsv title 1) == 'The GPU waits 20.0 ms (50.0 %) for the data loader, most of it in data.py(7): resize' ]]
	equal "$(cell f.tsv severity 1)" high
	id=$(cell f.tsv id 1)
	[[ $id == dataloader-???????? ]]
	equal "$(cell e.tsv id 1) $(cell e.tsv sheet 1)" "$id idle_summary"
	row=$(cell e.tsv row 1)
	tl-timeline -q --sheets idle_summary t.json >i.tsv
	equal "$(cell i.tsv frame "$row")" 'data.py(7): resize'
}

# shares SHEET: first column and percent of its rows
shares() {
	tl-findings -q --sheets "$1" t.json | awk -F '\t' 'NR > 1 { printf "%s%s %.1f", (NR > 2 ? ", " : ""), $1, $3 }'
}

@test "nothing wrong: one row says so, with what the time went to, but only if most of the time is judged" {
	# 70 of 100 ms in elementwise kernels, of which the name tells enough, and 30 in a kernel that no library has
	for last in 70 69; do
		step 100000
		op aten::add 0 1
		for ((i = 0; i < 100; i++)); do
			call $i $i 1
			gpu $i "$([ $i -lt $last ] && echo 'at::native::elementwise_kernel' || echo matmul_k)" $((i * 1000 + 2)) 999
		done
		trace t.json
		tl-findings -q --min_percent 75 --format tsv t.json >f.tsv
		n=$(row f.tsv rank=1)
		case $last in
		70)
			equal "$(cell f.tsv severity "$n") $(cell f.tsv title "$n")" 'none no finding of 75 % or more'
			like "$(cell f.tsv evidence "$n")" '^ledger: kernels 99.9 %'
			equal "$(shares judged)" 'judged by name 70.0, not judged: own kernel 30.0'
			equal "$(shares gpu_work)" 'pointwise 70.0, unknown kernels 30.0' ;;
		69)
			equal "$(cell f.tsv severity "$n") $(cell f.tsv title "$n")" "unknown not judged: 31 % of the kernels' time (own kernel); matmul_k is no kernel of a known library"
			# beside findings it is told, too
			tl-findings -q --format tsv t.json >f.tsv
			equal "$(cell f.tsv rule "$(row f.tsv rank=1)")" pointwise-share
			n=$(row f.tsv severity=health title="not judged: 31 % of the kernels' time (own kernel); matmul_k is no kernel of a known library")
			equal "$(cell f.tsv rank "$n")" 0 ;;
		esac
		EVENTS=()
	done
}

@test "a row is of the first rule that makes a finding of it" {
	step 40000
	busy 0 10000
	frame 'my/dataloader.py(1): fetch' 9000 21000
	busy 30000 40000
	trace t.json
	equal "$(found)" '1 dataloader 19.996'
}

# awaited: ten times two kernels of 1 ms, which one kernel could do, and each of which could be faster; the host waits for them
awaited() {
	local at=0 i shapes='"Input Dims":[[4000,1000],[4000,1000],[4000,1000]],"Input type":["float","float","float"],"Input Strides":[[1000,1],[1000,1],[1000,1]]'
	for i in {0..9}; do
		op aten::mul "$at" 20 "$shapes"; call "$((i * 3 + 1))" "$((at + 1))" 5; gpu "$((i * 3 + 1))" mul_kernel "$((at + 10))" 1000
		op aten::add "$((at + 30))" 20 "$shapes"; call "$((i * 3 + 2))" "$((at + 31))" 5; gpu "$((i * 3 + 2))" add_kernel "$((at + 1010))" 1000
		call "$((i * 3 + 3))" "$((at + 60))" 1955 cudaStreamSynchronize
		at=$((at + 2015))
	done
	step "$at"
	trace t.json
}

@test "of kernels that the host waits for, all that they take less is at stake; a finding about the same ones joins the larger one" {
	awaited
	found --arch H100-SXM >got
	equal "$(cut -d ' ' -f 2 got)" pointwise-chain
	equal "$(cell f.tsv effect 1) $(cell f.tsv at_stake_ms 1) $(cell f.tsv after 1)" "less $(cell f.tsv alone_ms 1) "
	equal "$(awk -v d="$(cell f.tsv device_ms 1)" -v s="$(cell f.tsv at_stake_ms 1)" 'BEGIN { print (d > 19.5 && d < 20 && s <= d && s > 0.97 * d) }')" 1
	like "$(cell f.tsv also 1)" '^Kernels that only move memory'
}

@test "--min_percent is the cut: 1 % of the window is a finding, less is none" {
	step 100100
	busy 0 50000
	busy 51100 100100
	trace t.json
	[[ $(found) == '1 host-python 1.0'* ]]
	equal "$(found --min_percent 2)" '1  0.0'
	step 100000
	busy 0 50000
	busy 50900 99900
	trace t.json
	equal "$(found)" '1  0.0'
}

@test "--rules adds, replaces and takes out; a mistake names its place" {
	step 40000
	busy 0 10000
	busy 30000 40000
	trace t.json
	printf '%s\n' 'rule mine 1' '  sheet idle_summary' '  where idle_ms > 1' '  stake idle_ms' '  confidence low' '  effort lines' \
		'  title Mine: {ms(sum(idle_ms))}' '  do nothing' '  next true' '  source me' 'rule host-python off' >r.txt
	equal "$(found --rules r.txt)" '1 mine 19.996'
	sed -i 's/idle_ms > 1/idle > 1/' r.txt
	run -1 tl-findings -q --format tsv --rules r.txt t.json
	equal "$output" 'tl-findings: error: r.txt:1:6: rule "mine": "idle" is no fact, and no column of the sheet idle_summary'
	echo 'rule mine 7' >r.txt
	run -1 tl-findings -q --rules r.txt t.json
	equal "$output" 'tl-findings: error: r.txt:1:11: expected a tier from 0 to 4, or "off"'
	printf '%s\n' 'rule mine 1' '  where idle_ms >' >r.txt
	run -1 tl-findings -q --rules r.txt t.json
	[[ $output == 'tl-findings: error: r.txt:2:18: expected a number, a text, a name'* ]]
	printf '%s\n' 'rule mine 1' '  sheet idle_summary' >r.txt
	run -1 tl-findings -q --rules r.txt t.json
	equal "$output" 'tl-findings: error: r.txt:1:6: rule "mine" has no title line'
}

# mine LINE…: r.txt, a rule about idle time with further lines
mine() {
	printf '%s\n' 'rule mine 1' '  sheet step_times' '  stake 50' '  confidence low' '  effort lines' '  title Mine: {stake_ms}' \
		'  do nothing' '  next true' '  source me' "$@" >r.txt
}

@test "a misspelt word of a rule is an error with its place; what fails for a value is told" {
	step 40000
	busy 0 10000
	busy 30000 40000
	trace t.json
	wrong() { # MESSAGE LINE…
		mine "${@:2}"
		run -1 --separate-stderr tl-findings -q --rules r.txt t.json
		equal "$stderr" "tl-findings: error: r.txt:$1"
	}
	wrong '1:6: rule "mine": expected effect none, less, gone, host, launches or limit' '  effect lesss'
	wrong '10:9: regular expression "(": missing closing parenthesis at byte 2' '  where match(text(step), "(")'
	wrong '10:7: no rule has a parameter "log_gap"' 'param log_gap 3'
	wrong '10:8: no map "helth" before this place' '  need lookup("helth", "a") == 1'
	mine
	sed -i 's/step_times/step_time/' r.txt
	run -1 --separate-stderr tl-findings -q --rules r.txt t.json
	equal "$stderr" 'tl-findings: error: r.txt:1:6: rule "mine": "step_time" is no sheet that rules can read'
	mine '  where match(text(step), text("("))'
	run -0 --separate-stderr tl-findings --rules r.txt -d out t.json
	like "$stderr" 'warning: rule mine: 1 of its expressions failed; the first: missing closing parenthesis at byte 2'
	like "$(<out/findings_unasked.tsv)" $'mine\t1 of its expressions failed'
	mine '  where match(text("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "(a+)+(b|c)")'
	run -0 --separate-stderr tl-findings --rules r.txt -d out t.json
	like "$stderr" "warning: a regular expression takes too long on 'a+', which counts as no match"
}

@test "no finding claims more than the window, nor do all together, whatever a rule says" {
	step 40000
	busy 0 10000
	busy 30000 40000
	trace t.json
	all_at_stake() { # one more than the window would be a ns more
		tl-findings -q --format tsv "$@" t.json | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["rank"] > 0 { sum += $at["at_stake_ms"]; worst = $at["at_stake_ms"] > worst ? $at["at_stake_ms"] : worst } END { printf "%.3f %.3f", worst, sum }'
	}
	mine
	like "$(all_at_stake --rules r.txt)" ' 40.000$'
	sed -i 's/stake 50/stake 1e300/; s/rule mine 1/rule mine 4/' r.txt
	like "$(all_at_stake --rules r.txt)" ' 40.000$'
}

@test "--explain shows conditions with values, of rules without a finding, too" {
	step 40000
	busy 0 10000
	busy 30000 40000
	trace t.json
	run -0 --separate-stderr tl-findings -q --explain dataloader t.json
	[[ $output == *'need = has_stacks or steps > 0'* ]]
	[[ $output == *'where = cause'*$'\n        = False' ]]
	run -0 --separate-stderr tl-findings -q --explain host-python t.json
	[[ $output == *'where = '*'= True'$'\n  stake = idle_ms'* ]]
	run -0 --separate-stderr tl-findings -q --explain comm-exposed t.json
	equal "$output" '  the sheet exposed_communication has no rows'
	run -0 --separate-stderr tl-findings -q --explain fp64 t.json
	equal "$output" '  the trace has no sheet headroom'
	echo 'rule fp64 off' >off.txt
	run -2 tl-findings -q --rules off.txt --explain fp64 t.json
	run -2 tl-findings -q --explain nothing t.json
}

@test "--fail_percent ends with status 3, unless the finding is known" {
	step 40000
	busy 0 10000
	busy 30000 40000
	trace t.json
	run -3 --separate-stderr tl-findings --format tsv --fail_percent 10 t.json
	[[ $stderr == *'host-python-'*' of the window, 10 % are allowed'* ]]
	run -0 tl-findings -q --format tsv --fail_percent 50 t.json
	found >/dev/null
	cell f.tsv id 1 >known
	run -0 tl-findings -q --format tsv --fail_percent 10 --known known t.json
	run -3 tl-report -q --tsv-dir out --fail_percent 10 t.json
	[ -s out/findings.tsv ]
}

@test "--before tells what is new, same and gone" {
	step 40000
	busy 0 10000
	busy 30000 40000
	trace t.json
	found >/dev/null
	cp f.tsv before.tsv
	found --before before.tsv >/dev/null
	equal "$(cell f.tsv change 1)" same
	step 40000
	busy 0 10000
	event '{"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#_X.__next__","pid":1,"tid":1,"ts":10000,"dur":19990,"args":{}}'
	busy 30000 40000
	trace t.json
	found --before before.tsv >/dev/null
	equal "$(cell f.tsv change 1) $(cell f.tsv rule 1)" 'new dataloader'
	equal "$(cell f.tsv change 2) $(cell f.tsv rule 2)" 'gone host-python'
	# what was gone then is not told again, and is new if it comes back
	cp f.tsv after.tsv
	found --before after.tsv >/dev/null
	equal "$(cell f.tsv change)" same
	step 40000
	busy 0 10000
	busy 30000 40000
	trace t.json
	found --before after.tsv >/dev/null
	equal "$(cell f.tsv change 1) $(cell f.tsv rule 1)" 'new host-python'
}

@test "JSON has the columns as numbers, evidence and ledger; Markdown is a table" {
	step 40000
	busy 0 10000
	busy 30000 40000
	trace t.json
	tl-findings -q --format json t.json >f.json
	python3 - <<-'END'
		import json
		lines = list(map(json.loads, open("f.json")))
		x = [y for y in lines if y.get("rank")][0]
		assert x["schema"] == 1 and x["rank"] == 1 and x["rule"] == "host-python", x
		assert abs(x["at_stake_ms"] - 19.996) < 1e-9 and x["evidence_rows"][0]["sheet"] == "idle_summary", x
		assert x["evidence_total"] == len(x["evidence_rows"]), x
		assert abs(sum(e["time_ms"] for e in lines[0]["ledger"]) - 40) < 1e-9, x
		assert not any("ledger" in y for y in lines[1:]), lines
	END
	run -0 tl-findings -q --format markdown t.json
	equal "${lines[1]}" 'GPU work: 100 % unknown kernels; 0 % rated'
	equal "${lines[2]}" '| rank | finding | ms | % | confidence |'
	[[ $output == *'| 1 | The GPU waits 20.0 ms (50.0 %) for the host'*'| 20.0 | 50.0 | high |'* ]]
}

@test "the text has 25 lines of 80 columns at most, and no control characters" {
	step 40000
	busy 0 10000
	frame 'a file with a \u001b[31m \u009b31m name and many words that make the line so long that it is broken into several.py(1): f' 9000 21000
	busy 30000 40000
	trace t.json
	tl-findings -q --format text t.json >out
	[ "$(wc -l <out)" -le 25 ]
	[ "$(wc -L <out)" -le 80 ]
	refute grep -q $'\033' out
	refute grep -q $'\u9b' out
	equal "$(head -n 1 out)" '    GPU work: 100 % unknown kernels; 0 % rated'
	[[ $(sed -n 2p out) == ' 1. The GPU waits 20.0 ms (50.0 %)'* ]]
}

@test "the classes of the ledger add up to the window, in each device" {
	step 40000
	busy 0 10000
	call 1 11000 2; gpu 1 'Memcpy HtoD (Pageable -> Device)' 12000 500 7 gpu_memcpy
	call 2 12000 2; gpu 2 ncclDevKernel_AllReduce 12100 3000 9
	busy 14000 40000
	trace t.json
	tl-timeline -q --sheets ledger t.json >l.tsv
	equal "$(awk -F'\t' 'NR > 1 { sum += $6 } END { printf "%.6f", sum }' l.tsv)" 40.000000
	equal "$(awk -F'\t' '$4 == "exposed communication" { print $6 }' l.tsv)" 1.9
	equal "$(awk -F'\t' '$4 == "exposed copies" { print $6 }' l.tsv)" 0.1
}

@test "a trace without device events has a finding about that, and no more" {
	op aten::mm 0 10
	trace t.json
	run -0 --separate-stderr tl-findings --format tsv t.json
	[[ $output == *$'\thealth-'* ]]
	[[ $output == *'not judged: no work of a device was recorded'* ]]
}

@test "traces of other profilers have findings, too; of two devices the mean" {
	for device in 0 1; do
		ID=$device
		for i in 0 1; do
			call "$((device * 10 + i))" "$((i * 5000))" 1
			event "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":$device,\"tid\":7,\"ts\":$((i * 5000 + 10)),\"dur\":1000,\"args\":{\"device\":$device,\"stream\":7,\"correlation\":$((device * 10 + i))}}"
			event "{\"ph\":\"f\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":$((device * 10 + i)),\"pid\":$device,\"tid\":7,\"ts\":$((i * 5000 + 10)),\"bp\":\"e\"}"
		done
	done
	trace t.json
	run -0 tl-findings -q --format text t.json
	[[ $output == *'t.json: 6.01 ms, kernels 33.3 %, idle 66.7 %'* ]]
}

@test "of a chain of kernels that the host is late behind only the last one counts" {
	local shapes='"Input Dims":[[4000000],[4000000]],"Input type":["float","float"]' i at
	step 80000
	op mine::act 0 80000
	for i in 0 1 2 3; do
		at=$((i * 20000))
		op aten::mul "$at" 20 "$shapes"; call "$((i * 2 + 1))" "$((at + 1))" 1; gpu "$((i * 2 + 1))" mul_kernel "$((at + 10))" 3000
		op aten::add "$((at + 9000))" 20 "$shapes"; call "$((i * 2 + 2))" "$((at + 9001))" 1; gpu "$((i * 2 + 2))" add_kernel "$((at + 9010))" 3000
	done
	trace t.json
	tl-roofline -q --arch H100-SXM --sheets kernel_chains t.json >chains.tsv
	[ "$(cell chains.tsv kind 1)" = pointwise ]
	found --arch H100-SXM >got
	row=$(grep -n chain got | cut -d : -f 1)
	equal "$(cell f.tsv rule "$row") $(cell f.tsv alone_ms "$row")" 'pointwise-chain 2.99'
	like "$(tl-findings -q --format text --arch H100-SXM t.json | tr -s ' \n' ' ')" ' Now the host limits: 47.9 ms; behind 1, on the device: 23.9 ms \(2\) '
	like "$(cell f.tsv device_ms "$row")" '^2[0-9]\.'
	like "$(tl-findings -q --format text --arch H100-SXM t.json | tr -s ' \n' ' ')" 'could go; on the device 2[0-9.]* ms'
}

@test "the order of repair: the column after names the finding without which another one would save less" {
	# a kernel of 10 ms and, beside it, one of 8 ms, each of which could take half the time: the longer one first
	op aten::mul 0 15 '"Input Dims":[[4000,1000],[4000,1000],[4000,1000]],"Input type":["float","float","float"],"Input Strides":[[1000,1],[1000,1],[1000,1]]'
	call 1 1 5; gpu 1 mul_kernel 10 10000 7
	op aten::layer_norm 20 15 '"Input Dims":[[30000,1000],[],[1000],[1000]],"Input type":["float","ScalarList","float","float"],"Input Strides":[[1000,1],[],[1],[1]],"Concrete Inputs":["","[1000]","","",""]'
	call 2 21 5; gpu 2 norm_kernel 30 8000 8
	trace t.json
	found --arch H100-SXM >got
	equal "$(cut -d ' ' -f 2 got | tr '\n' ' ')" 'pointwise-slow norm-slow '
	equal "$(cell f.tsv after 1)" ''
	equal "$(cell f.tsv after 2)" 1
	equal "$(cell f.tsv at_stake_ms 1) $(cell f.tsv alone_ms 2)" '1.98 0.0'
	like "$(cell f.tsv at_stake_ms 2)" '^3\.'
}

# bats test_tags=quick
@test "without work of a device nothing is judged" {
	printf '{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":10}]}' >t.json
	tl-findings -q t.json >f.tsv
	equal "$(tail -n 1 f.tsv | cut -f 2,3)" $'unknown\tnot judged: no work of a device was recorded; a trace of pytorch, whose host spends aten::mm 0.01 ms'
}
