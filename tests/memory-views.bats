#!/usr/bin/env bats
# memory-views.bats - tl-memory: allocations, peaks, what was alive.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# memory TS ADDRESS BYTES ALLOCATED [RESERVED [TYPE [TID]]]: an allocation, or a release if BYTES is below 0
memory() {
	event "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":${7-1},\"ts\":$1,\"args\":{\"Total Reserved\":${5-100},\"Total Allocated\":$4,\"Bytes\":$3,\"Addr\":$2,\"Device Id\":0,\"Device Type\":${6-1}}}"
}

# step N TS DUR
step() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#$1\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{}}"
}

# Two steps; in the first one a module with two operators of which one calls the other. 40 bytes were there before,
# of which 10 are released.
example() {
	step 1 0 50; step 2 50 50
	frame 'nn.Module: Linear_0' 5 25
	op outer 10 15; op inner 12 5
	memory 11 1 8 48; memory 13 2 20 68; memory 17 2 -20 48; memory 20 1 -8 40 120
	memory 30 9 -10 30
	op late 60 10; memory 61 3 50 80; memory 99 4 1 81
	trace "$1"
}

@test "memory_summary: peaks with their place, what was there before, what was never released" {
	example t.json
	run -0 --separate-stderr tl-memory -o t.tsv t.json
	equal "$stderr" ''
	equal "$(cell t.tsv device)" GPU0
	equal "$(cell t.tsv event_count)" 7
	equal "$(cell t.tsv allocation_count)" 4
	equal "$(cell t.tsv allocated_bytes)" 79
	equal "$(cell t.tsv released_bytes)" 38
	equal "$(cell t.tsv at_start_bytes)" 40
	equal "$(cell t.tsv at_end_bytes)" 81
	equal "$(cell t.tsv peak_allocated_bytes)" 81
	equal "$(cell t.tsv peak_allocated_us)" 99.0
	equal "$(cell t.tsv peak_allocated_step)" ProfilerStep#2
	equal "$(cell t.tsv peak_allocated_module)" ''
	equal "$(cell t.tsv peak_allocated_operator)" '(no operator)'
	equal "$(cell t.tsv peak_reserved_bytes)" 120
	equal "$(cell t.tsv peak_reserved_step)" ProfilerStep#1
	equal "$(cell t.tsv peak_reserved_module)" 'nn.Module: Linear_0'
	equal "$(cell t.tsv peak_reserved_operator)" outer
	equal "$(cell t.tsv allocated_then_bytes)" 40
	like "$(cell t.tsv fragmentation_pct)" '^66\.66'
	equal "$(cell t.tsv never_released_count)" 2
	equal "$(cell t.tsv allocated_before_count)" 1
	equal "$(cell t.tsv relative)" False
}

@test "memory_summary: the first of several equal peaks; the host has no reserved memory" {
	memory 1 1 8 8 0 0; memory 2 1 -8 0 0 0; memory 3 1 8 8 0 0
	trace t.json
	tl-memory -q t.json >t.tsv
	equal "$(cell t.tsv device)" CPU
	equal "$(cell t.tsv peak_allocated_us)" 1.0
	equal "$(cell t.tsv peak_reserved_bytes)$(cell t.tsv peak_reserved_us)$(cell t.tsv fragmentation_pct)" ''
}

@test "devices by type; those of unknown types have their number; processes are apart" {
	for type in 0 1 6 12 20 9; do
		memory 1 1 8 8 0 $type
	done
	event '{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":2,"tid":1,"ts":1,"args":{"Total Allocated":5,"Bytes":5,"Addr":1,"Device Id":3,"Device Type":1}}'
	trace t.json
	equal "$(tl-memory -q --columns process,device t.json | tail -n +2)" '1	CPU
1	GPU0
1	GPU0
1	XPU0
1	PrivateUse0
1	type 9 device 0
2	GPU3'
}

@test "memory_peak: what was alive, by operator and module; the rest was there before the trace" {
	step 1 0 50
	frame 'nn.Module: Linear_0' 5 25
	op a 10 15; memory 11 1 8 48; memory 12 2 8 56; memory 13 3 4 60; memory 14 3 -4 56; memory 15 8 -6 50
	op b 40 5; memory 41 4 50 100; memory 42 4 -50 50
	trace t.json
	equal "$(tl-memory --sheets memory_peak t.json)" 'process	device	operator	module	block_count	bytes	Percentage (%)
1	GPU0	b		1	50	50.0
1	GPU0	(before the trace)		0	34	34.0
1	GPU0	a	nn.Module: Linear_0	2	16	16.0'
}

@test "memory_ops: an operator's own, with what it calls, and without any operator" {
	example t.json
	equal "$(tl-memory --sheets memory_ops t.json)" 'process	device	operator	calls	self_increase_bytes	self_allocation_count	self_allocated_bytes	increase_bytes	allocation_count	allocated_bytes
1	GPU0	late	1	50	1	50	50	1	50
1	GPU0	inner	1	20	1	20	20	1	20
1	GPU0	outer	1	-20	1	8	0	2	28
1	GPU0	(no operator)		-9	1	1	-9	1	1'
}

@test "memory_ops: sums of self are the growth of the curve" {
	example t.json
	tl-memory --sheets memory_ops t.json >ops.tsv
	tl-memory t.json >t.tsv
	equal "$(awk -F'\t' 'NR > 1 { n += $5 } END { print n }' ops.tsv)" "$(($(cell t.tsv at_end_bytes) - $(cell t.tsv at_start_bytes)))"
}

@test "memory_ops: an allocation counts once for a name that nests in itself; an operator ends before its end" {
	op same 10 20; op same 12 5; memory 13 1 8 8
	memory 30 2 4 12
	op other 40 5; memory 41 3 2 14 100 1 2
	trace t.json
	equal "$(tl-memory --sheets memory_ops --columns operator,calls,self_increase_bytes,increase_bytes t.json | tail -n +2)" 'same	2	8	8
(no operator)		6	6'
}

@test "memory_steps: each step, also without allocations, and what no step has" {
	example u.json
	equal "$(tl-memory --sheets memory_steps --columns device,step,start_us,step_ms,event_count,allocation_count,allocated_bytes,released_bytes,at_start_bytes,at_end_bytes,increase_bytes,peak_allocated_bytes,peak_reserved_bytes u.json | tail -n +2)" \
'GPU0	ProfilerStep#1	0.0	0.05	5	2	28	38	40	30	-10	68	120
GPU0	ProfilerStep#2	50.0	0.05	2	2	51	0	30	81	51	81	100'
	step 1 0 10; step 2 10 10; memory 5 1 8 8; memory 25 2 8 16
	trace t.json
	equal "$(tl-memory --sheets memory_steps --columns step,event_count,at_start_bytes,at_end_bytes,peak_allocated_bytes t.json | tail -n +2)" \
'ProfilerStep#1	1	0	8	8
ProfilerStep#2	0	8	8	8
(no step)	1			'
}

@test "memory_curve: all points, a release with what its allocation was made by" {
	example t.json
	equal "$(tl-memory --sheets memory_curve --memory-curve-parts 0 t.json | cut -f 2-)" 'device	time_us	allocated_bytes	reserved_bytes	bytes	operator	parent
GPU0	11.0	48	100	8	outer	nn.Module: Linear_0
GPU0	13.0	68	100	20	inner	outer
GPU0	17.0	48	100	-20	inner	outer
GPU0	20.0	40	120	-8	outer	nn.Module: Linear_0
GPU0	30.0	30	100	-10	(no operator)	
GPU0	61.0	80	100	50	late	ProfilerStep#2
GPU0	99.0	81	100	1	(no operator)	'
}

@test "memory_curve: thinned, but exact at the extremes of each part" {
	for i in 0 1 2 3 4 5 6 7; do
		memory $i $i 1 $((i == 3 ? 90 : i == 5 ? 1 : 10 + i)) $((i == 2 ? 500 : 100))
	done
	memory 100 100 1 50
	trace t.json
	equal "$(tl-memory --sheets memory_curve --memory-curve-parts 2 --columns time_us,allocated_bytes,reserved_bytes t.json | tail -n +2)" \
'0.0	10	100
2.0	12	500
3.0	90	100
5.0	1	100
7.0	17	100
100.0	50	100'
}

@test "events of equal time are in file order, those of a device in order of time" {
	memory 5 2 4 12; memory 1 1 8 8; memory 5 2 -4 8
	trace t.json
	equal "$(tl-memory --sheets memory_curve --columns time_us,bytes t.json | tail -n +2)" '1.0	8
5.0	4
5.0	-4'
}

@test "memory_blocks: allocations with their releases, and both without the other" {
	example t.json
	equal "$(tl-memory --sheets memory_blocks t.json | cut -f 2-9)" 'device	operator	parent	module	bytes	allocated_us	released_us	lifetime_us
GPU0	outer	nn.Module: Linear_0	nn.Module: Linear_0	8	11.0	20.0	9.0
GPU0	inner	outer	nn.Module: Linear_0	20	13.0	17.0	4.0
GPU0	(no operator)			10		30.0	
GPU0	late	ProfilerStep#2		50	61.0		
GPU0	(no operator)			1	99.0		'
}

@test "the same address on another device is another block; one that is allocated twice is noted" {
	memory 1 7 8 8; memory 2 7 3 3 0 0; memory 3 7 -8 0
	memory 4 7 5 5; memory 5 7 6 11; memory 6 7 -6 5
	trace t.json
	run -0 --separate-stderr tl-memory --sheets memory_blocks --columns device,bytes,lifetime_us t.json
	like "$stderr" '1 allocations at an address that was not released before: both are kept'
	equal "$output" 'device	bytes	lifetime_us
GPU0	8	2.0
GPU0	5	
GPU0	6	1.0
CPU	3	'
}

@test "addresses above 2^63 are addresses, too" {
	memory 1 18446744073709551615 8 8; memory 2 18446744073709551614 4 12; memory 3 18446744073709551615 -8 4
	trace t.json
	equal "$(tl-memory --sheets memory_blocks --columns bytes,lifetime_us t.json | tail -n +2)" '8	2.0
4	'
}

@test "a trace without totals: sums from 0 on, marked" {
	event '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Bytes":-5,"Addr":1,"Device Id":0,"Device Type":1}}'
	event '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":2,"args":{"Bytes":9,"Addr":2,"Device Id":0,"Device Type":1}}'
	trace t.json
	run -0 --separate-stderr tl-memory -o t.tsv t.json
	like "$stderr" '^tl-memory: GPU0: the trace tells no totals; they are sums .* from 0 on$'
	equal "$(cell t.tsv peak_allocated_bytes)" 4
	equal "$(cell t.tsv relative)" True
	equal "$(cell t.tsv at_start_bytes)" ''
}

@test "events that do not say where or how much are counted; other instants are none" {
	memory 1 1 8 8
	event '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Addr":1}}'
	event '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Bytes":1}}'
	event '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Bytes":1,"Addr":1,"Device Type":-1}}'
	event '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1,"args":{"Bytes":1,"Addr":1,"Device Type":1,"Device Id":70000}}'
	event '{"ph":"i","name":"mark","pid":1,"tid":1,"ts":1,"args":{"Bytes":1,"Addr":1}}'
	trace t.json
	run -0 --separate-stderr tl-memory -o t.tsv t.json
	like "$stderr" 'warning: 4 memory events without time, address, bytes or device were left out'
	equal "$(cell t.tsv event_count)" 1
}

@test "a trace without allocations says how to record them" {
	op a 1 1
	trace t.json
	run -0 --separate-stderr tl-memory t.json
	like "$stderr" 'warning: .*no allocations in the trace; .*profile_memory=True'
}

@test "a report has the sheets with --memory only, memory_blocks only by name" {
	example t.json
	tl-report -q --tsv-dir plain t.json
	[ ! -e plain/memory_summary.tsv ]
	tl-report -q --tsv-dir r --memory t.json
	equal "$(cd r && echo memory_*)" 'memory_curve.tsv memory_ops.tsv memory_peak.tsv memory_steps.tsv memory_summary.tsv'
	tl-memory t.json | cmp - r/memory_summary.tsv
	tl-parse t.json | tl-link | tl-memory | cmp - r/memory_summary.tsv
}

# ---- snapshots of the allocator ---------------------------------------------------------

# snapshot FILE PROTOCOL [PYTHON]: a snapshot; PYTHON changes the dictionary d
snapshot() {
	need python3
	python3 - "$@" <<-'END'
	import pickle, sys
	def frame(file, line, name):
	    return {'filename': file, 'line': line, 'name': name}
	step = [frame('??', 0, 'alloc'), frame('/lib/torch/nn.py', 5, 'forward'), frame('train.py', 9, 'step')]
	load = [frame('data.py', 3, 'load')]
	def entry(action, address, size, time, frames=[], **more):
	    return {'action': action, 'addr': address, 'size': size, 'stream': 0, 'time_us': time, 'frames': frames, **more}
	d = {'segments': [{'device': 0, 'total_size': 1000, 'allocated_size': 1, 'active_size': 300},
	                  {'device': 1, 'total_size': 7, 'active_size': 7}],
	     'device_traces': [[entry('segment_alloc', 100, 500, 1000, step), entry('alloc', 100, 200, 1001, step),
	                        entry('alloc', 300, 100, 1002, load), entry('free_requested', 300, 100, 1003),
	                        entry('free_completed', 300, 100, 1004), entry('oom', 0, 5000000000, 1005, load, device_free=99)],
	                       [entry('alloc', -1 & (1 << 64) - 1, 7, 2000)]],
	     'settings': {'real': 1.5, 'none': None, 'bool': True, 'tuple': (1, 2, 3, 4), 'big': 1 << 70, 'long': 'x' * 300}}
	if len(sys.argv) > 3:
	    exec(sys.argv[3])
	with open(sys.argv[1], 'wb') as f:
	    pickle.dump(d, f, protocol=int(sys.argv[2]))
	END
}

@test "a snapshot of the allocator: totals from its end backwards, frames in place of operators" {
	for protocol in 2 3 4 5; do
		snapshot s.pickle $protocol
		run -0 --separate-stderr tl-memory --sheets memory_curve --columns device,time_us,allocated_bytes,reserved_bytes,bytes,operator s.pickle
		equal "$stderr" ''
		equal "$output" 'device	time_us	allocated_bytes	reserved_bytes	bytes	operator
GPU0	1001.0	300	1000	200	train.py(9): step
GPU0	1002.0	400	1000	100	data.py(3): load
GPU0	1004.0	300	1000	-100	data.py(3): load
GPU1	2000.0	7	7	7	(no operator)'
	done
	gzip s.pickle
	equal "$(tl-memory --sheets memory_peak --columns device,operator,bytes,stack s.pickle.gz)" 'device	operator	bytes	stack
GPU0	train.py(9): step	200	??(0): alloc; /lib/torch/nn.py(5): forward; train.py(9): step
GPU0	(before the trace)	100	
GPU0	data.py(3): load	100	data.py(3): load
GPU1	(no operator)	7	'
	equal "$(tl-tree --sheets stacks_memory --format folded s.pickle.gz)" 'device GPU0;train.py(9): step;/lib/torch/nn.py(5): forward;??(0): alloc 200
device GPU0;(before the trace) 100
device GPU0;data.py(3): load 100
device GPU1 7'
	equal "$(tl-memory --sheets memory_ops --columns device,operator,self_increase_bytes,increase_bytes s.pickle.gz | tail -n +2)" 'GPU0	train.py(9): step	200	200
GPU0	data.py(3): load	100	100
GPU0	(no operator)	-100	-100
GPU1	(no operator)	7	7'
}

@test "memory_errors: an allocation that failed, and what the device had" {
	snapshot s.pickle 4
	equal "$(tl-memory --sheets memory_errors s.pickle)" 'device	time_us	requested_bytes	device_free_bytes	allocated_bytes	reserved_bytes	operator	stack
0	1005.0	5000000000	99	300	1000	data.py(3): load	data.py(3): load'
}

@test "memory_at_error: what was alive when the last allocation failed" {
	snapshot s.pickle 4 'd["device_traces"][0].insert(3, entry("oom", 0, 50, 1002, load, device_free=1)); d["device_traces"][0].append(entry("alloc", 900, 10, 1006))'
	equal "$(tl-memory --sheets memory_at_error --columns device,operator,block_count,bytes,'Percentage (%)' s.pickle)" 'device	operator	block_count	bytes	Percentage (%)
GPU0	train.py(9): step	1	200	68.96551724137932
GPU0	(before the trace)	0	90	31.03448275862069'
	snapshot s.pickle 4 'del d["device_traces"][0][5]'
	equal "$(tl-memory --sheets memory_at_error s.pickle | wc -l)" 1
}

@test "memory_segments: what was held, what was free, the largest free block" {
	snapshot s.pickle 4 'd["segments"][0].update(address=4096, stream=3, segment_type="large", blocks=[dict(size=300, state="active_allocated"),
		dict(size=600, state="inactive"), dict(size=100, state="inactive")])'
	equal "$(tl-memory --sheets memory_segments s.pickle)" 'device	address	stream	segment_type	total_bytes	active_bytes	allocated_bytes	block_count	free_block_count	free_bytes	largest_free_bytes	fragmentation_pct
0	4096	3	large	1000	300	1	3	2	700	600	70.0
1				7	7						0.0'
	snapshot s.pickle 4 'd["segments"][0]["blocks"] = d["segments"][1]["blocks"] = [dict(size=300, state="inactive")]'
	run -1 --separate-stderr tl-memory --sheets memory_segments s.pickle
	failed 1 'the blocks of two segments are one list'
}

@test "memory_peak by category, where a snapshot tells it" {
	snapshot s.pickle 4 'd["device_traces"][0][1]["category"] = "activation"; d["device_traces"] = d["device_traces"][:1]'
	equal "$(tl-memory --sheets memory_peak --columns operator,bytes,category s.pickle)" 'operator	bytes	category
train.py(9): step	200	activation
(before the trace)	100	
data.py(3): load	100	'
}

@test "sums of operators, steps, blocks and of what was alive at the peak are those of the curve" {
	for options in '' '--seed 5 --recompute' '--no-python --seed 2'; do
		# shellcheck disable=SC2086
		tl-gen --memory -n 5000 $options >g.json
		tl-memory -q --memory-curve-parts 0 -d g g.json
		tl-memory -q --sheets memory_blocks -o g/memory_blocks.tsv g.json
		awk -F '\t' '
			function is(what, a, b) { if (a != b || a == "") { print what ": " a ", not " b; bad = 1 } }
			FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			FILENAME ~ /summary/ { start = $at["at_start_bytes"]; end = $at["at_end_bytes"]; most = $at["peak_allocated_bytes"]; n = $at["event_count"]; next }
			FILENAME ~ /curve/ { curve += $at["bytes"]; points++; last = $at["allocated_bytes"]; if (last > top) top = last; next }
			FILENAME ~ /_ops/ { self += $at["self_increase_bytes"]; calls += $at["self_allocation_count"]; next }
			FILENAME ~ /_peak/ { alive += $at["bytes"]; next }
			FILENAME ~ /blocks/ { blocks++; if ($at["released_us"] == "") open += $at["bytes"]; next }
			END {
				is("growth of the curve", curve, end - start); is("points", points, n); is("its end", last, end); is("its peak", top, most)
				is("own growth of operators", self, curve); is("allocations of operators", calls, blocks)
				is("what was alive", alive, most); is("what is never released", open, end - start); exit bad
			}' g/memory_{summary,curve,ops,peak,blocks}.tsv
	done
}

@test "real traces: their peaks, and the sums of operators are the growth of the curve" {
	ref=$TL_ROOT/../shared/traces
	[ -d "$ref/pytorch" ] || skip "no $ref"
	for t in h100-owlv2 h100-qwen mi300-bert; do
		tl-memory -q -d "$t" "$ref/pytorch/$t/input.json.gz"
		awk -F'\t' 'FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
			FILENAME ~ /ops/ { sum[$at["device"]] += $at["self_increase_bytes"] }
			FILENAME ~ /summary/ { if ($at["at_end_bytes"] - $at["at_start_bytes"] != sum[$at["device"]]) exit 1; n++ }
			END { exit !n }' "$t"/memory_{ops,summary}.tsv
		diff <(awk -F'\t' 'NR > 1 { s[$2] += $6 } END { for (d in s) printf "%s %.0f\n", d, s[d] }' "$t/memory_peak.tsv" | sort) \
			<(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["device"], $at["peak_allocated_bytes"] }' "$t/memory_summary.tsv" | sort)
	done
	equal "$(tl-memory -q --columns device,peak_allocated_bytes "$ref/pytorch/h100-owlv2/input.json.gz" | grep GPU)" $'GPU0\t2707847680'
}

@test "a pickle that would import or call something is refused, by name; nothing runs" {
	for opcode in 'c GLOBAL' 'R REDUCE' 'b BUILD' 'i INST' 'o OBJ' 'P PERSID' 'Q BINPERSID' '\x81 NEWOBJ' '\x82 EXT1' '\x92 NEWOBJ_EX' '\x93 STACK_GLOBAL'; do
		printf "\x80\x04}${opcode%% *}os\nsystem\n." >bad.pickle
		run -1 --separate-stderr tl-memory bad.pickle
		failed 1 "byte 3: a pickle of plain values was expected: ${opcode#* }, .* is refused"
	done
	printf '\x80\x04}\xff.' >bad.pickle
	run -1 --separate-stderr tl-memory bad.pickle
	failed 1 'byte 3: .*an opcode that plain values do not need is refused'
}

@test "damaged pickles: what is wrong, and where" {
	check() {
		printf "\x80\x04}$1" >bad.pickle
		run -1 --separate-stderr tl-memory bad.pickle
		failed 1 "$2"
	}
	check '' 'byte 3: .*cut short'
	check 'X\xff\xff\xff\x7fa.' 'byte 3: .*cut short'
	check 'e.' 'byte 3: .*a mark is missing'
	check '(K\x01u.' 'byte 6: .*a key has no value'
	check '(K\x01e.' 'byte 6: .*what is no list or dictionary'
	check 's.' 'byte 3: .*values are missing'
	check '00.' 'byte 4: .*no value to drop'
	check 'h\x07.' 'byte 3: .*was not remembered'
	check 'r\xff\xff\xff\x7f.' 'byte 3: .*number that is too large'
	check 'K\x01.' 'without its value'
	check '.' 'no snapshot .*no list device_traces'
}

@test "every way to cut a snapshot is an error" {
	snapshot s.pickle 4 'd = {"device_traces": d["device_traces"][1:]}'
	size=$(stat -c %s s.pickle)
	for ((n = 12; n < size; n += 7)); do
		head -c $n s.pickle >cut.pickle
		run -1 --separate-stderr tl-memory cut.pickle
		failed 1 'cut short|expected'
	done
}

@test "one history for two devices is an error; entries of no size or time are left out" {
	snapshot s.pickle 4 'd["device_traces"][1] = d["device_traces"][0]'
	run -1 --separate-stderr tl-memory s.pickle
	failed 1 'histories of two devices are one list'
	snapshot s.pickle 4 'd["device_traces"][0][1]["size"] = None; d["device_traces"][0][2]["time_us"] = -1'
	run -0 --separate-stderr tl-memory --columns event_count s.pickle
	like "$stderr" 'time that cannot be'
	equal "$output" $'event_count\n1\n1'
}

@test "names of frames that are not UTF-8 are made valid" {
	printf '\x80\x04}(X\x0d\x00\x00\x00device_traces](](}(X\x06\x00\x00\x00actionX\x05\x00\x00\x00allocX\x04\x00\x00\x00sizeK\x07X\x04\x00\x00\x00addrK\x01X\x06\x00\x00\x00frames](}(X\x04\x00\x00\x00nameX\x02\x00\x00\x00a\x85ueuee' >s.pickle
	printf 'u.' >>s.pickle
	equal "$(tl-memory --sheets memory_ops --columns operator s.pickle | tail -n 1)" ': a�'
}
