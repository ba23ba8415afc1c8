#!/usr/bin/env bats
# slice.bats - tl-slice, and --device and --rank of all filters.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	gen steps.json -n 6000 --origin 0
	tl-link --python -q -o steps.tls steps.json
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	in=$BATS_FILE_TMPDIR
}

# slice OPTION…: of a trace or stream, without messages
slice() {
	tl-slice -q --no-provenance "$@"
}
# busy FILE: ns
busy() {
	tl-timeline -q "$1" | awk -F'\t' '$1 == "busy_time" { printf "%d\n", $2 * 1e6 + 0.5 }'
}
# names STREAM KIND: of its events, in the order of the trace
names() {
	tl-view "$1" | awk -F'\t' -v kind="$2" '$1 == "event" && $3 == kind { print $10 }' | paste -sd ' '
}
# nameless FOLDER…: the sheets there, without what names their trace
nameless() {
	rm "${@/%//overview.tsv}"
	local f
	for f in "${@/%//findings.tsv}"; do # without the commands in them
		awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /_command$/) commands[i]; print; next }
			{ for (i in commands) $i = ""; print }' "$f" >"$f.new"
		mv "$f.new" "$f"
	done
}
# two_steps: a step on two threads, with work that runs after its end, and a second step
two_steps() {
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":50,"args":{}}'
	op aten::mm 1 10 "$mm"; call 1 2 1; gpu 1 gemm1 20 10
	op aten::mul 12 10 "$mm"; call 2 13 1; gpu 2 mul1 60 10
	event '{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":2,"ts":30,"dur":10,"args":{}}'
	event '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":31,"dur":1,"args":{"correlation":3}}'
	event '{"ph":"s","cat":"ac2g","name":"ac2g","id":3,"pid":1,"tid":2,"ts":31}'
	gpu 3 add1 80 10 8
	op aten::empty 45 1
	device_trace first.json ''
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":50,"dur":50,"args":{}}'
	op aten::mm 51 10 "$mm"; call 4 52 1; gpu 4 gemm2 70 20
	op aten::empty 70 1
}
mm='"Input Dims":[[4,8],[8,16]],"Input type":["float","float"],"Concrete Inputs":["",""],"Input Strides":[[8,1],[16,1]]'

@test "busy times of slices that cover a trace add up to that of the trace" {
	local sum=0 part
	for part in '--to 5ms' '--from 5000us --to 11.3456789ms' '--from 11345678.9ns --to +123us' '--from 11468678ns'; do
		# shellcheck disable=SC2086
		slice $part -o part.tls "$in/steps.tls"
		sum=$((sum + $(busy part.tls)))
	done
	equal "$sum" "$(busy "$in/steps.json")"
}

@test "an event that lies across a border counts on both sides, with its part, and that is said" {
	op a 0 10; call 1 1 1; call 2 3 1
	gpu 1 k1 20 10
	gpu 2 k2 30 10
	trace t.json
	run -0 --separate-stderr tl-slice --from 25us --to 30us -o one.tls t.json
	equal "$stderr" 'tl-slice: device events cut at a border of the slice: 1; only their part in the slice counts
tl-slice: operators with only a part of their device work in the slice: 1; their rates come out too high'
	equal "$(busy one.tls)" 5000
	equal "$(tl-kcat --sheets kernels --columns name,dur_ns one.tls | tail -n +2)" $'k1\t5000'
	run -0 --separate-stderr tl-slice -v --from 30us -o two.tls t.json
	like "$stderr" 'device events in the slice: 1 of 2'
	unlike "$stderr" 'cut at'
	# the operator and its calls began before the slice
	equal "$(names two.tls cpu_op):$(names two.tls runtime)" 'a:cudaLaunchKernel'
}

@test "an error lists at most twenty of the names that there are" {
	for i in {1..21}; do
		event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"n$i\",\"pid\":1,\"tid\":1,\"ts\":$i,\"dur\":1,\"args\":{}}"
	done
	trace t.json
	run -1 --separate-stderr tl-slice --annotation nothing t.json
	failed 1 'n19, n20 and 1 more'
	sed -i '/"n21"/d; s/\("n20".*\),$/\1/' t.json
	run -1 --separate-stderr tl-slice --annotation nothing t.json
	failed 1 'n19, n20$'
	run -1 --separate-stderr tl-slice --annotation n1$ --step 2 t.json
	failed 1 "no thread has 2 annotations that match 'n1.'"
}

@test "a cut at a fraction of a microsecond stays exact" {
	call 1 0 1; gpu 1 k 10 10
	trace t.json
	slice --from 12500ns -o s.tls t.json
	equal "$(tl-kcat --sheets kernels --columns dur_ns s.tls | tail -n 1)" 7500
	equal "$(cell <(tl-kcat s.tls) 'Kernel duration (µs)_sum')" 7.5
}

@test "events without a duration are in one slice of those that meet where they are" {
	call 1 0 1; gpu 1 k 10 0
	call 2 2 1; gpu 2 k 20 5
	trace t.json
	equal "$(slice --to 10us t.json | tl-view | grep -c $'\tkernel\t' || true)" 0
	equal "$(slice --from 10us --to 20us t.json | tl-view | grep -c $'\tkernel\t')" 1
}

@test "a step has what was launched in it, on any thread, even if it runs later" {
	two_steps
	trace t.json
	slice --step 1 -o one.tls t.json
	slice --step 2 -o two.tls t.json
	equal "$(names one.tls kernel)" 'gemm1 mul1 add1'
	equal "$(names two.tls kernel)" gemm2
	equal "$(names one.tls cpu_op)" 'aten::mm aten::mul aten::add aten::empty'
	equal "$(names one.tls annotation)" 'ProfilerStep#1'
	slice --step 1..2 -o both.tls t.json
	equal "$(names both.tls kernel)" 'gemm1 mul1 add1 gemm2'
	slice --step 2..9 -o more.tls t.json
	equal "$(names more.tls kernel)" gemm2
}

@test "the sheets of a step are those of a trace that holds only that step" {
	two_steps
	trace t.json
	slice --step 1 t.json | windowless >one.tls
	for of in one.tls first.json; do
		tl-sheets -q -d "of-$of" --enable_kernel_summary --include_overlap_info "$of" >/dev/null
	done
	nameless of-one.tls of-first.json
	[ -s of-one.tls/GEMM.tsv ]
	same_sheets of-one.tls of-first.json
}

# windowless: a slice without what it tells of its window, as if it were a trace
windowless() {
	tl-view | grep -v $'^meta\ttl-slice window\t' | tl-view --to-stream
}

# cut_step N FILE: the text of an unlinked stream without what step N did not launch. The
# number of events and the start stay those of the whole trace.
cut_step() {
	awk -F'\t' -v name="ProfilerStep#$1" '
		function arg(key,  i) {
			for (i = 11; i <= NF; i++)
				if (index($i, key ":") == 1)
					return substr($i, length(key) + 4)
			return ""
		}
		function inside(start, end) { return start < b && (end > a || start >= a) }
		NR == FNR {
			n += $1 == "event"
			if ($1 == "event" && $4 != "" && !($3 == "meta" && $4 == 0) && $3 !~ /^(python|counter|instant|overhead|trace)$/ && (first == "" || $4 < first)) first = $4
			if ($3 == "annotation" && $10 == name) { a = $4; b = $4 + $5 }
			if ($3 == "runtime" || $3 == "driver") { start[arg("correlation")] = $4 }
			next
		}
		FNR == 1 { seen = 0 }
		$1 == "event" && !seen++ { print "meta\ttl-parse events\t" n; print "meta\ttl-slice start\t" first }
		function launched(id) { return id in start && start[id] >= a && start[id] < b }
		$1 != "event" || $3 == "meta" { print; next }
		$3 == "kernel" || $3 == "memcpy" || $3 == "memset" { if (launched(arg("correlation"))) print; next }
		$3 == "launch_flow" { if (launched(arg("id"))) print; next }
		$3 == "cpu_op" || $3 == "runtime" || $3 == "driver" || $3 == "python" || $3 == "annotation" {
			if (inside($4, $4 + $5)) print
		}' "$2" "$2"
}

@test "every step of a training trace has the sheets of a trace that is cut by hand" {
	local n
	tl-parse "$in/steps.json" | tl-view >all
	for n in 1 2; do
		cut_step $n all | tl-view --to-stream >by-hand.tls
		slice --step $n "$in/steps.json" >slice.tls
		for of in by-hand slice; do
			tl-sheets -q -d $of-$n --enable_kernel_summary --short_kernel_study --arch H100-SXM $of.tls >/dev/null
		done
		nameless by-hand-$n slice-$n
		[ "$(wc -l <by-hand-$n/unified_perf_summary.tsv)" -gt 10 ]
		same_sheets -q by-hand-$n slice-$n
	done
}

@test "to cut twice changes nothing, and a slice of a slice is the slice of both" {
	local all=$in/steps.tls
	for one in '--from 3ms --to 9ms' '--step 1..2' '--device 0' '--annotation nccl' '--stream 7'; do
		# shellcheck disable=SC2086
		slice $one "$all" >once
		[ -s once ]
		# shellcheck disable=SC2086
		slice $one once | cmp - once
		for two in '--from 4ms --to 8ms' '--step 1' '--stream 7' '--rank 0'; do
			case "$one;$two" in *annotation*step* | *annotation*stream*) continue ;; esac
			# shellcheck disable=SC2086
			slice $two once >twice
			# shellcheck disable=SC2086
			slice ${one/step*step/} $two "$all" >both
			case "$one;$two" in
			--from*\;--from* | --step*\;--step* | --stream*\;--stream*) slice $two "$all" >both ;;
			esac
			echo "$one then $two"
			cmp <(tl-view twice | grep -v 'tl-slice parts') <(tl-view both | grep -v 'tl-slice parts')
		done
	done
}

@test "events keep their numbers, and times their origin" {
	slice --from 6ms --to 8ms -o part.tls "$in/steps.json"
	tl-kcat --sheets kernels --columns uid,name,ts_ns "$in/steps.json" | sort >all
	tl-kcat --sheets kernels --columns uid,name,ts_ns part.tls | tail -n +2 | sort >part
	# all but the one or two events that begin before the slice
	[ "$(comm -23 part all | wc -l)" -le 2 ]
	[ "$(wc -l <part)" -gt 20 ]
	tl-view part.tls | grep $'^meta\ttl-slice start\t'
	equal "$(slice --from 7ms part.tls | tl-view --kind kernel | grep -c ^event)" \
		"$(slice --from 7ms --to 8ms "$in/steps.json" | tl-view --kind kernel | grep -c ^event)"
}

@test "stamps are there since the start of the trace too, exact and the same in a slice" {
	call 1 1419116105957665.25 1
	gpu 1 ncclX 1419116105957670.875 5
	op a 1419116105957660.5 10
	call 2 1419116105957667 1
	gpu 2 k 1419116105957670.875 5
	trace t.json
	equal "$(tl-kcat --sheets kernels --columns ts_ns,start_us t.json | tail -n 1)" $'1419116105957670875\t10.375'
	equal "$(tl-coll -q --sheets collectives --columns start_us t.json | tail -n 1)" 10.375
	equal "$(tl-ops --sheets launchers --columns name,start_us t.json | tail -n 1)" $'a\t0.0'
	slice --from 10us -o s.tls t.json
	equal "$(tl-kcat --sheets kernels --columns start_us s.tls | tail -n 1)" 10.375
	# Python frames and the like are not at the start: they may be left out
	frame first 1419116105957000 1000
	op a 1419116105957660.5 10; call 1 1419116105957665.25 1; gpu 1 k 1419116105957670.875 5
	trace t.json
	equal "$(tl-kcat --sheets kernels --columns start_us t.json | tail -n 1)" 10.375
	equal "$(tl-link --python t.json | tl-kcat --sheets kernels --columns start_us | tail -n 1)" 10.375
}

@test "a report says of what slice it is" {
	two_steps
	trace t.json
	slice --from 1us --to +98.5us --annotation 'P[^"]*"?\w*Step' --step 1..2 t.json |
		slice --thread 1 | slice --stream 7 --device 0 | slice --stream 7 --device 0 >s.tls
	tl-overview -q --rank 0 s.tls >o.tsv
	equal "$(awk -F'\t' '$2 == "slice" { print $3 }' o.tsv)" 'from 0.001 ms, to 0.0995 ms, annotation P[^"]*"?\\w*Step, matches 1..2
thread 1
device 0, stream 7
rank 0'
	equal "$(awk -F'\t' '$2 == "events" { print $4 }' o.tsv)" 'events of the whole trace'
	tl-overview -q t.json >o.tsv
	equal "$(awk -F'\t' '$2 == "events" { print $4 }' o.tsv)" events
}

@test "a slice of everything has the sheets of the trace, edited trees too" {
	tl-rewrite -q --enable_pseudo_ops -o edited.tls "$in/steps.tls"
	for t in "$in/steps.json" edited.tls; do
		tl-sheets -q -d whole "$t" >/dev/null
		slice --from 0s "$t" | tl-sheets -q -d slice - >/dev/null
		tl-sheets -q -d device --device 0 "$t" >/dev/null
		nameless whole slice device
		same_sheets whole slice
		diff <(grep -v '^stack' whole/trace_health.tsv) <(grep -v '^stack' device/trace_health.tsv) # short frames are not known
		rm ./*/trace_health.tsv
		same_sheets whole device
		rm -r whole slice device
	done
}

@test "an operator whose device work lies outside is outside, so that no mean counts it as 0" {
	op aten::mm 0 10 "$mm"; call 1 1 1; gpu 1 gemm 20 5 7 kernel '"device":0'
	op aten::mm 100 10 "$mm"; call 2 101 1; gpu 2 gemm 120 5 7 kernel '"device":1'
	op aten::empty 103 1
	op aten::ones 115 1
	trace t.json
	run -0 --separate-stderr tl-roofline -q --sheets GEMM --columns 'Kernel Time (µs)_mean,name_count' --device 0 t.json
	equal "$output" $'Kernel Time (µs)_mean\tname_count\n5.0\t1'
	slice --device 0 -o s.tls t.json
	equal "$(names s.tls cpu_op)" 'aten::mm aten::ones'
}

@test "annotations choose by their names, and --step counts those that match" {
	two_steps
	event '{"ph":"X","cat":"user_annotation","name":"loss.forward","pid":1,"tid":1,"ts":11,"dur":15,"args":{}}'
	event '{"ph":"X","cat":"user_annotation","name":"forward","pid":1,"tid":1,"ts":50,"dur":15,"args":{}}'
	trace t.json
	slice --annotation 'for?ward$' -o s.tls t.json
	equal "$(names s.tls kernel)" 'mul1 gemm2'
	slice --annotation 'forward' --step 1 -o s.tls t.json
	equal "$(names s.tls kernel)" mul1
	slice --annotation 'forward' --step 2..9 -o s.tls t.json
	equal "$(names s.tls kernel)" gemm2
	equal "$(names s.tls annotation)" 'ProfilerStep#2 forward'
}

@test "work that nothing launched belongs to the annotation of its device" {
	event '{"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#1","pid":0,"tid":7,"ts":10,"dur":20,"args":{}}'
	event '{"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#2","pid":0,"tid":7,"ts":30,"dur":20,"args":{}}'
	lone 1 a 15 20
	lone 2 b 30 1
	trace t.json
	slice --step 1 -o s.tls t.json
	equal "$(names s.tls kernel)" a
	equal "$(names s.tls gpu_annotation)" 'ProfilerStep#1 ProfilerStep#2'
}

@test "work without an arrow goes with the call of its correlation, if only one has it" {
	two_steps
	call 9 90 1
	event '{"ph":"X","cat":"cuda_runtime","name":"cudaMemsetAsync","pid":1,"tid":1,"ts":20,"dur":1,"args":{"correlation":7}}'
	lone 7 set 95 1 7 gpu_memset
	event '{"ph":"X","cat":"cuda_runtime","name":"cudaMemsetAsync","pid":1,"tid":1,"ts":22,"dur":1,"args":{"correlation":8}}'
	event '{"ph":"X","cat":"cuda_runtime","name":"cudaMemsetAsync","pid":1,"tid":1,"ts":24,"dur":1,"args":{"correlation":8}}'
	lone 8 whose 95 1 7 gpu_memset
	trace t.json
	slice --step 1 -o s.tls t.json
	equal "$(names s.tls memset)" set
	slice --step 2 -o s.tls t.json
	equal "$(names s.tls memset)" ''
}

@test "real training steps have the sheets of traces that are cut by hand" {
	traces=$TL_ROOT/../shared/traces
	[ -d "$traces" ] || skip 'no ../shared'
	while read -r trace n; do
		tl-parse "$traces/$trace" | tl-view >all
		cut_step "$n" all | tl-view --to-stream >by-hand.tls
		slice --step "$n" "$traces/$trace" | windowless >slice.tls
		for of in by-hand slice; do
			tl-sheets -q -d "$of" --enable_kernel_summary $of.tls >/dev/null
		done
		nameless by-hand slice
		[ "$(ls by-hand | wc -l)" -gt 12 ]
		same_sheets -q by-hand slice
		rm -r by-hand slice
	done <<-'END'
		pytorch/mi300-resnet/input.json.gz 16
		ranks/collective/amd-cifar4/input/rank_1_trace.json.gz 10
	END
}

@test "threads go by number or name, streams by number" {
	two_steps
	event '{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"pt_autograd_0"}}'
	trace t.json
	slice --thread 1 -o s.tls t.json
	equal "$(names s.tls kernel)" 'gemm1 mul1 gemm2'
	slice --thread pt_autograd_0 -o s.tls t.json
	equal "$(names s.tls kernel):$(names s.tls cpu_op)" 'add1:aten::add'
	slice --stream 8 -o s.tls t.json
	equal "$(names s.tls kernel)" add1
}

# two_ranks: a joined trace; both ranks number their devices from 0
two_ranks() {
	op a 0 10 '"rank":0'
	event '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1,"rank":0}}'
	event '{"ph":"s","cat":"ac2g","name":"ac2g","id":1,"pid":1,"tid":1,"ts":1,"args":{"rank":0}}'
	gpu 1 k0 20 5 7 kernel '"device":0,"rank":0'
	event '{"ph":"X","cat":"cpu_op","name":"b","pid":100,"tid":1,"ts":0,"dur":10,"args":{"rank":1}}'
	event '{"ph":"X","cat":"cpu_op","name":"idle","pid":100,"tid":1,"ts":20,"dur":10,"args":{"rank":1}}'
	event '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":1,"ts":1,"dur":1,"args":{"correlation":2,"rank":1}}'
	event '{"ph":"s","cat":"ac2g","name":"ac2g","id":2,"pid":100,"tid":1,"ts":1,"args":{"rank":1}}'
	gpu 2 k1 22 7 7 kernel '"device":0,"rank":1'
}

@test "every filter takes --device and --rank, and the report does" {
	two_ranks
	trace t.json
	equal "$(tl-ops --rank 0 --columns name,Count t.json)" $'name\tCount\na\t1'
	equal "$(tl-ops --rank 1 --columns name,Count t.json)" $'name\tCount\nb\t1'
	equal "$(tl-timeline --rank 1 t.json | awk -F'\t' '$1 == "busy_time" { print $2 }')" 0.007
	run -0 --separate-stderr tl-timeline --device 0 t.json
	like "$stderr" 'pools 2 devices'
	slice --rank 1 -o s.tls t.json
	equal "$(names s.tls cpu_op)" 'b idle'
	local filter
	for filter in $(cd "$TL_BIN"; find . -lname tl-sheets | sed "s,./,,"); do
		echo "$filter"
		run -1 --separate-stderr "$filter" --rank 7 t.json
		equal "$stderr" "$filter: error: t.json: the trace has no rank 7; it has: 0, 1"
		run -1 --separate-stderr "$filter" --device 7 t.json
		equal "$stderr" "$filter: error: t.json: the trace has no device 7; it has: 0"
	done
	tl-report -q --rank 1 --tsv-dir out --keep-stream kept.tls t.json
	equal "$(cut -f 1 out/ops_summary.tsv | tail -n 1)" b
	equal "$(names kept.tls kernel)" k1
}

@test "what does not say its rank counts as the one that is asked for" {
	op a 0 10; call 1 1 1; gpu 1 k 20 5
	trace t.json
	equal "$(tl-timeline --rank 3 t.json)" "$(tl-timeline t.json)"
	sed 's/^{/{"distributedInfo":{"rank":5,"world_size":8},/' t.json >r.json
	equal "$(tl-timeline --rank 5 r.json)" "$(tl-timeline t.json)"
	run -1 --separate-stderr tl-timeline --rank 3 r.json
	failed 1 'r.json: the trace has no rank 3; it has: 5'
}

@test "what the trace does not have is an error that lists what it has" {
	two_steps
	event '{"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":1,"tid":1,"ts":48,"dur":1,"args":{"stream":9}}' # no work in it
	trace t.json
	for wrong in \
		'--step 7=no annotation ProfilerStep#N with such a number; the trace has: ProfilerStep#1, ProfilerStep#2' \
		'--annotation nothing=no annotation matches .nothing.; the trace has: ProfilerStep#1, ProfilerStep#2' \
		'--annotation Step --step 3=no thread has 3 annotations that match .Step.' \
		'--device 4=the trace has no device 4; it has: 0' \
		'--stream x=the trace has no stream x; it has: 7, 8$' \
		'--thread 9=the trace has no host thread 9; it has: 1, 2' \
		'--from 5s=the slice begins behind the end of the trace, 0.1 ms after'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr tl-slice ${wrong%%=*} -o out.tls t.json
		failed 1 "t.json: ${wrong#*=}"
		[ ! -e out.tls ]
	done
	run -0 --separate-stderr tl-slice --from 41us --to 44us -o out.tls t.json
	equal "$stderr" 'tl-slice: warning: none of the 4 device events is in the slice'
}

@test "wrong options are usage errors" {
	while IFS='|' read -r options message; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr tl-slice $options x
		failed 2 "$message"
	done <<-'END'
		--python|nothing to do
		--from 3|--from: '3' is not a time such as
		--from -3s|--from: '-3s' is not a time
		--from 1.s|--from: '1.s' is not a time
		--to 99999999999s|is not a time
		--to +3s|counts from --from, which is not given
		--from 3s --to 2s|not after --from
		--step 3-4|is not a number N or numbers N..M
		--step 4..3|is not a number N or numbers N..M
		--annotation x --step 0|the first one is 1
		--annotation (|the expression '\(' cannot be used
	END
}

@test "Python frames come along where they are part of the tree" {
	frame 'train.py(1): loop' 0 100
	frame 'net.py(2): forward' 10 30
	two_steps
	trace t.json
	slice --python --step 2 -o s.tls t.json
	equal "$(names s.tls python)" 'train.py(1): loop'
	tl-roofline -q --include_call_stack -d out s.tls >/dev/null
	run -1 --separate-stderr pipe 'tl-slice --step 2 t.json | tl-roofline --include_call_stack -d out2'
	failed 1 'linked without Python frames'
}

# windows FILE: of each device what is busy in the window and how long that is, in ms
windows() {
	tl-sheets -q --sheets populations --columns sheet,process,device,busy_ms,window_ms "$1" | awk -F'\t' '$1 == "idle_summary" && $2 != ""'
}

@test "the window of a slice is what was asked for: windows, busy and idle times of slices that cover a trace add up to its" {
	for seed in 1 2 3 4; do
		gen t.json -n 5000 --no-python --seed $seed
		tl-link -q -o t.tls t.json
		windows t.tls >whole
		[ -s whole ]
		from='' parts=()
		for ms in $((seed + 1)).$((seed * 131)) $((seed + 6)).$((seed * 77)) 12.345678 ''; do
			# shellcheck disable=SC2086
			slice $from ${ms:+--to ${ms}ms} -o part.tls t.tls
			windows part.tls
			from="--from ${ms}ms"
		done | awk -F'\t' 'NR == FNR { busy[$2 FS $3] = $4; window[$2 FS $3] = $5; next }
			{ busy[$2 FS $3] -= $4; window[$2 FS $3] -= $5 }
			END { for (d in busy) if (busy[d] ^ 2 > 1e-10 || window[d] ^ 2 > 1e-10) { print d, busy[d], window[d]; exit 1 } }' whole -
		# of a device, and twice cut: the same window
		slice --device 0 t.tls | windows - | diff whole -
		slice --from 2ms --to 7ms t.tls >once
		slice --to 5ms once | windows - >twice
		slice --from 2ms --to 5ms t.tls | windows - | diff twice -
		equal "$(cut -f5 twice)" 3.0
		slice --from 2ms --to 5ms t.tls | tl-view | tl-view --to-stream | windows - | diff twice -
	done
}

# idle_ms FILE: of its device
idle_ms() {
	windows "$1" | awk -F'\t' '$3 ~ /^[0-9]/ { print $5 - $4 }'
}
# idle_as_whole PART TRACE: device 0 is idle in a part as long as in the trace in the same window
idle_as_whole() {
	local start end first
	read -r start end <<<"$(tl-view "$1" | sed -n 's/^meta\ttl-slice window\t\[\([0-9]*\),\([0-9]*\).*/\1 \2/p')"
	first=$(slice --from 0ns "$2" | tl-view | sed -n 's/^meta\ttl-slice start\t//p')
	slice --from $((start - first))ns --to $((end - first))ns -o time.tls "$2"
	echo "$1: $(idle_ms "$1"), $(idle_ms time.tls) of the trace"
	awk -v a="$(idle_ms "$1")" -v b="$(idle_ms time.tls)" 'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 < 1e-10) }'
}

@test "a device is idle in a step, an annotation, a stream or a part of tl-split only when it is idle in the trace" {
	for seed in 1 2 6; do
		for plant in '' '--plant dataloader'; do
			# shellcheck disable=SC2086
			gen t.json -n 5000 --no-python --seed $seed $plant
			tl-link -q -o t.tls t.json
			n=${plant:+3} # the first step
			stream=$(grep -oE '"stream": ?[0-9]+' t.json | grep -oE '[0-9]+$' | sort | uniq -c | sort -n | awk 'END { print $2 }')
			for part in "--step $((n + 1))" "--step $((n + 2))..$((n + 3))" "--annotation ProfilerStep#$((n + 2))" "--stream $stream"; do
				# shellcheck disable=SC2086
				slice $part -o part.tls t.tls
				idle_as_whole part.tls t.tls
			done
			# of a part, too
			slice --step $((n + 3)) part.tls >twice.tls
			idle_as_whole twice.tls t.tls
			tl-split -q -i 2:4 t.tls >part.tls
			idle_as_whole part.tls t.tls
		done
	done
}

@test "what a device runs beside a slice cuts its gaps" {
	call 1 0 1; call 2 2 1; call 3 4 1; call 4 6 1
	gpu 1 k1 10 10 1; gpu 2 k2 30 10 2; gpu 3 k3 60 10 1; gpu 4 k4 75 5 1
	trace t.json
	slice --stream 1 t.json >s.tls
	equal "$(tl-timeline -q --sheets idle_gaps --columns start_us,idle_time_us,cause s.tls | tail -n +2)" \
		$'40.0\t20.0\tqueued\n20.0\t10.0\tqueued\n30.0\t10.0\tunrecorded\n70.0\t5.0\tqueued'
	equal "$(tl-timeline -q --sheets idle_gaps --topk_idle_gaps 1 s.tls | wc -l)" 2
}

@test "a step that reaches beyond a slice is idle in it no longer than the device" {
	for i in {0..9}; do call $((i + 1)) $((i * 10)) 1; gpu $((i + 1)) k $((i * 10 + 1)) 9; done
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":50}'
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":50,"dur":1000}'
	trace t.json
	slice --to 80us t.json >s.tls
	equal "$(windows s.tls | cut -f4,5)" $'0.072\t0.08'
	equal "$(tl-timeline -q --sheets step_times --columns step,idle_ms s.tls | tail -n +2)" $'1\t0.005\n2\t0.003'
	equal "$(tl-findings -q s.tls | cut -f1 | grep -c idle || true)" 0
}
