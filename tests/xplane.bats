#!/usr/bin/env bats
# xplane.bats - tl-parse on XPlane files, as JAX and TensorFlow write them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# trace FIELDS…: a file of these fields (of the message XSpace), as t.xplane.pb
trace() {
	printf '%s\n' "$@" | "$TL_TOOLS/protobuf" >t.xplane.pb
}
# events COLUMNS [OPTION]…: these columns of the events of t.xplane.pb
events() {
	tl-parse -q "${@:2}" t.xplane.pb | tl-view | awk '/^event/' | cut -f "$1"
}
# event NAME OFFSET DURATION FACTS: of a line
event() {
	printf '4:{ 1:%s 2:%s 3:%s %s } ' "$@"
}
# fact NAME VALUE: 4:{ … } of an event
fact() {
	printf '4:{ 1:%s %s } ' "$@"
}
# names of events and facts, the same in all planes; number 3 has a fact of its own
names='4:{ 1:1 2:{ 1:1 2:"loop_fusion" } } 4:{ 1:2 2:{ 1:2 2:"MemcpyD2D" } } 4:{ 1:3 2:{ 1:3 2:"long gemm" 4:"gemm" 5:{ 1:9 4:8 } } }
	4:{ 1:4 2:{ 1:4 2:"hipModuleLaunchKernel" } } 4:{ 1:5 2:{ 1:5 2:"$train.py:7 step" } } 4:{ 1:6 2:{ 1:6 2:"Execute" } }
	4:{ 1:7 2:{ 1:7 2:"copy_fusion" } } 4:{ 1:8 2:{ 1:8 2:"MemoryAllocation" } } 4:{ 1:9 2:{ 1:9 2:"cuLaunchKernel" } }
	5:{ 1:1 2:{ 1:1 2:"correlation_id" } } 5:{ 1:2 2:{ 1:2 2:"kernel_details" } } 5:{ 1:3 2:{ 1:3 2:"memcpy_details" } }
	5:{ 1:4 2:{ 1:4 2:"hlo_op" } } 5:{ 1:5 2:{ 1:5 2:"fusion.1" } } 5:{ 1:6 2:{ 1:6 2:"regs:9 grid:4,2,1 block:64,1,1" } }
	5:{ 1:7 2:{ 1:7 2:"kind:D2D size:4096 dest:0" } } 5:{ 1:8 2:{ 1:8 2:"occupancy" } } 5:{ 1:9 2:{ 1:9 2:"flops" } }
	5:{ 1:10 2:{ 1:10 2:"step_num" } }'
kernel=$(event 1 500 2000 "$(fact 1 3:5) $(fact 2 7:6) $(fact 4 7:5) $(fact 8 2:d0.5)")
copy=$(event 2 9000 300 "$(fact 1 3:6) $(fact 3 7:7)")
gemm=$(event 3 20000 7 "$(fact 2 '5:"grid:1,1,1"')")
named_copy=$(event 7 30000 5 "$(fact 2 7:6)")
# gpu LINE-FIELDS: a plane of GPU 3 with a stream
gpu() {
	printf '1:{ 1:3 2:"/device:GPU:3" 3:{ 1:7 2:"Stream #7(Kernel)" 3:1000 %s } %s 6:{ 1:9 3:11 } }' "$1" "$names"
}
calls="$(event 6 0 90000 '') $(event 4 100 50 "$(fact 1 3:5) $(fact 4 7:5)") $(event 9 200 50 "$(fact 1 3:6)") $(event 5 0 95000 '')"
marks="$(event 6 10 0 '') $(event 8 20 0 '') $(event 6 30 9 "$(fact 10 4:3)")"
# host LINE-FIELDS: the plane of the host with a thread
host() {
	printf '1:{ 2:"/host:CPU" 3:{ 1:-2 2:"python" 3:1000 %s 11:"main" } %s }' "$1" "$names"
}

@test "planes become processes, lines tracks, events events of their kinds; ticks are picoseconds" {
	trace "$(gpu "$kernel $copy $gemm $named_copy")" "$(host "$calls $marks")"
	equal "$(events 3-6,7,9,10)" "$(printf '%s\n' \
		$'meta\t\t\t4\t\tM\tprocess_name' $'meta\t\t\t4\t7\tM\tthread_name' \
		$'kernel\t1000500\t2000\t4\t7\tX\tloop_fusion' $'memcpy\t1009000\t300\t4\t7\tX\tMemcpyD2D' \
		$'kernel\t1020000\t7\t4\t7\tX\tgemm' $'kernel\t1030000\t5\t4\t7\tX\tcopy_fusion' \
		$'meta\t\t\t701\t\tM\tprocess_name' $'meta\t\t\t701\t4294967294\tM\tthread_name' \
		$'cpu_op\t1000000\t90000\t701\t4294967294\tX\tExecute' \
		$'runtime\t1000100\t50\t701\t4294967294\tX\thipModuleLaunchKernel' \
		$'driver\t1000200\t50\t701\t4294967294\tX\tcuLaunchKernel' \
		$'python\t1000000\t95000\t701\t4294967294\tX\t$train.py:7 step' \
		$'instant\t1000010\t\t701\t4294967294\ti\tExecute' \
		$'other\t1000020\t\t701\t4294967294\tX\tMemoryAllocation' \
		$'annotation\t1000030\t9\t701\t4294967294\tX\tExecute')"
	equal "$(events 12- | sed -n '1,2p;7,8p')" "$(printf '%s\n' 'name:s=/device:GPU:3' 'name:s=Stream #7(Kernel)' 'name:s=/host:CPU' 'name:s=main')"
	equal "$(tl-parse -q t.xplane.pb | tl-view | grep ^header | sed -n 1,2p)" $'header\tsource\txplane\nheader\tticks_per_us\t1000000'
}

@test "facts become fields: the grid is in blocks, a copy has its bytes, names have facts of their own" {
	trace "$(gpu "$kernel $copy $gemm")"
	equal "$(events 12- | sed -n 3p)" "correlation:i=5	kernel_details:s=regs:9 grid:4,2,1 block:64,1,1	hlo_op:s=fusion.1	occupancy:j=0.5	device:i=3	stream:i=7	grid:j=[4,2,1]	block:j=[64,1,1]"
	equal "$(events 12- | sed -n 4p)" "correlation:i=6	memcpy_details:s=kind:D2D size:4096 dest:0	device:i=3	stream:i=7	bytes:i=4096"
	equal "$(events 12- | sed -n 5p)" "kernel_details:s=grid:1,1,1	flops:i=8	device:i=3	stream:i=7	grid:j=[1,1,1]	long_name:s=long gemm"
}

@test "launches are linked by correlation across planes" {
	trace "$(gpu "$kernel $copy")" "$(host "$calls")"
	tl-parse -q t.xplane.pb | tl-link -q | tl-api -q --sheets api_summary --columns name,device_event_count >api
	equal "$(sort api)" $'cuLaunchKernel\t1\nhipModuleLaunchKernel\t1\nname\tdevice_event_count'
}

@test "GPUs, hosts and facts of planes are members; times since 1970 count from the first line's" {
	trace "$(gpu "$kernel" | sed 's/3:1000 /3:1757516928109201518 /')" \
		'1:{ 2:"Task Environment" 5:{ 1:1 2:{ 2:"profile_start_time" } } 6:{ 1:1 3:1757516928109201518 } }' '4:"h1" 4:"h2"'
	tl-parse -q t.xplane.pb | tl-view | awk '/^meta/' >members
	grep -qxF $'meta\tdeviceProperties\t[{"id":3,"numSms":0,"totalGlobalMem":0,"flops":11}]' members
	grep -qxF $'meta\tTask Environment\t{"profile_start_time":1757516928109201518}' members
	grep -qxF $'meta\thostnames\t["h1","h2"]' members
	grep -qxF $'meta\tbaseTimeNanoseconds\t1757516928109201518' members
	equal "$(events 4 | tail -1)" 500
}

# one EVENT [FACT-NAMES [EVENT-NAME]]: a stream of GPU 3 with this event, whose name is number 1
one() {
	trace "1:{ 1:3 2:\"/device:GPU:3\" 3:{ 1:7 2:\"Stream #7\" 3:1000 $1 } 4:{ 1:1 2:{ 2:\"${3-k}\" ${4-} } } ${2-} }"
}
# facts NAME…: their names, numbered from 1
facts() {
	local n=0 name
	for name; do
		printf '5:{ 1:%s 2:{ 2:"%s" } } ' $((++n)) "$name"
	done
}

@test "facts of every type become fields; of a fact that is told twice the event's last counts" {
	one '4:{ 1:1 3:1 4:{ 1:1 2:d1.5 } 4:{ 1:2 3:9223372036854775807 } 4:{ 1:3 3:9223372036854775808 } 4:{ 1:4 4:-5 } 4:{ 1:5 5:"t" } 4:{ 1:6 6:"bytes" } 4:{ 1:7 7:5 } 4:{ 1:8 7:99 } 4:{ 1:9 } 4:{ 1:10 4:1 } 4:{ 1:10 4:2 } 4:{ 1:99 4:1 } }' \
		"$(facts d u U i s b r m e twice)" k '5:{ 1:10 4:3 } 5:{ 1:11 4:4 } 5:{ 1:4 4:7 }'
	equal "$(tl-parse t.xplane.pb 2>said | tl-view | awk '/^event/' | cut -f 12- | tail -n 1)" \
		$'d:j=1.5\tu:i=9223372036854775807\tU:j=9223372036854775808\ti:i=-5\ts:s=t\tr:s=s\ttwice:i=2\tdevice:i=3\tstream:i=7'
	like "$(<said)" '1 event: facts whose value is a text that is missing, left out'
	like "$(<said)" '1 event: facts whose name is missing, left out'
	for wrong in '2:1' '3:d1.5' '4:"x"' '5:7' '6:7' '7:"x"'; do
		one "4:{ 1:1 3:1 4:{ 1:1 $wrong } }" "$(facts f)"
		run -1 --separate-stderr tl-parse t.xplane.pb
		failed 1 'plane 1 \(/device:GPU:3\): a fact about an event is damaged; --lenient'
	done
}

@test "an event has at most 256 facts, with those that are made of them" {
	for n in 254 255; do
		one "4:{ 1:1 3:1 $(printf '4:{ 1:%d 4:1 } ' $(seq $n)) }" "$(facts $(seq $n))"
		equal "$(tl-parse t.xplane.pb 2>said | tl-view | awk "/^event/" | tail -n 1 | grep -o :i= | wc -l)" 256
		equal "$(grep -c 'facts of an event behind the 256th, left out' said || true)" $((n - 254))
	done
}

@test "what an event on a stream is: its facts say it, then its name" {
	local got='' want='' fact name kind
	while read -r kind name fact; do
		one "4:{ 1:1 3:1 $fact }" "$(facts kernel_details memcpy_details memset_details)" "$name"
		got+="$(events 3,10 | tail -n 1 | tr '\t' ' ');"
		want+="$kind $name;"
	done <<-'END'
		kernel MemcpyD2D 4:{ 1:1 5:"x" }
		memcpy MemcpyD2D 4:{ 1:1 5:"" }
		memset k 4:{ 1:3 5:"" }
		memcpy k 4:{ 1:2 5:"x" }
		memset MEMSET
		memcpy copy_1
		kernel cop
		kernel memse
		kernel xcopy
	END
	equal "$got" "$want"
}

@test "sizes and bytes are words of the details, if they are numbers" {
	local got='' want='' word field
	while read -r field word; do
		one "4:{ 1:1 3:1 4:{ 1:1 5:\"a:1 $word b:2\" } }" "$(facts kernel_details)"
		got+="$(events 15- | tail -n 1);"
		want+="${field#-};"
	done <<-'END'
		grid:j=[4,2,1] grid:4,2,1
		- grid:4,2
		- grid:4,2,1,1
		- grid:4,,1
		- grid:,2,1
		- grid:4,2,
		- grid:4,2,x
		- grid:
		- gri:4,2,1
		- xgrid:4,2,1
		- grid=4,2,1
		block:j=[64,1,1] block:64,1,1
	END
	while read -r field word; do
		one "4:{ 1:1 3:1 4:{ 1:1 5:\"$word\" } }" "$(facts memcpy_details)"
		got+="$(events 15- | tail -n 1);"
		want+="${field#-};"
	done <<-'END'
		bytes:i=4096 size:4096
		bytes:i=70 num_bytes:70
		bytes:i=1 num_bytes:2 size:1
		bytes:i=123456789012345678 size:123456789012345678
		- size:1234567890123456789
		- size:
		- size:1x
		- size:x1
	END
	equal "$got" "$want"
}

@test "what an event on a host is: by the beginning of its name, then its facts, then its duration" {
	local name all='' names='' n=0
	for name in '$' '$f' hip hipA hipa cudaM cudam cuM cum cu hsa_ hsa_x MemoryAllocation MemoryAllocations MemoryDeallocation xhipA; do
		n=$((n + 1))
		names+="4:{ 1:$n 2:{ 2:\"$name\" } } "
		all+="4:{ 1:$n 3:1 } "
	done
	trace "1:{ 2:\"/host:CPU\" 3:{ 1:1 $all 4:{ 1:3 3:1 4:{ 1:1 4:7 } } 4:{ 1:3 3:1 4:{ 1:2 4:7 } } 4:{ 1:3 4:{ 1:2 4:7 } } 4:{ 1:3 } } $names $(facts correlation_id step_num) }"
	equal "$(events 3,10 | grep -v ^meta | tr '\t\n' ' ,')" 'python $,python $f,cpu_op hip,runtime hipA,cpu_op hipa,runtime cudaM,cpu_op cudam,driver cuM,cpu_op cum,cpu_op cu,driver hsa_,driver hsa_x,other MemoryAllocation,other MemoryAllocations,other MemoryDeallocation,cpu_op xhipA,runtime hip,annotation hip,annotation hip,instant hip,'
}

@test "lines: streams, counters, names and numbers to show; planes of other devices" {
	local e='4:{ 1:1 2:5 3:9 }' name='4:{ 1:1 2:{ 2:"x" } }'
	trace "1:{ 1:2 2:\"/device:GPU:2\" 3:{ 1:1 2:\"Stream #12(Memcpy)\" $e } 3:{ 1:2 2:\"XLA Ops\" $e } 3:{ 1:3 2:\"_counters_\" $e } 3:{ 1:4 2:\"Stream\" $e } 3:{ 1:5 2:\"empty\" } 3:{ 1:6 2:\"a\" 10:66 11:\"shown\" $e } $name }" \
		"1:{ 1:1 2:\"/device:TPU:4\" 3:{ 1:1 2:\"Stream #1\" $e } $name }" "1:{ 1:0 2:\"/device:CUSTOM:x\" 3:{ 1:1 2:\"l\" $e } $name }" \
		"1:{ 1:-1 2:\"/device:GPU:9999999999\" 3:{ 1:1 2:\"l\" $e } $name }" "1:{ 1:5001 2:\"/device:GPU:7\" 3:{ 1:1 2:\"l\" $e } $name }"
	equal "$(events 3,5-7,9,12-14)" "$(printf '%s\n' $'meta\t\t3\t\tM\tname:s=/device:GPU:2' $'meta\t\t3\t1\tM\tname:s=Stream #12(Memcpy)' $'kernel\t9\t3\t1\tX\tdevice:i=2\tstream:i=12' \
		$'meta\t\t3\t2\tM\tname:s=XLA Ops' $'gpu_annotation\t9\t3\t2\tX\tdevice:i=2' $'meta\t\t3\t3\tM\tname:s=_counters_' $'counter\t\t3\t3\tC\tdevice:i=2' \
		$'meta\t\t3\t4\tM\tname:s=Stream' $'gpu_annotation\t9\t3\t4\tX\tdevice:i=2' $'meta\t\t3\t66\tM\tname:s=shown' $'gpu_annotation\t9\t3\t66\tX\tdevice:i=2' \
		$'meta\t\t2\t\tM\tname:s=/device:TPU:4' $'meta\t\t2\t1\tM\tname:s=Stream #1' $'gpu_annotation\t9\t2\t1\tX\tdevice:i=4' \
		$'meta\t\t501\t\tM\tname:s=/device:CUSTOM:x' $'meta\t\t501\t1\tM\tname:s=l' $'gpu_annotation\t9\t501\t1\tX\tdevice:i=0' \
		$'meta\t\t1\t\tM\tname:s=/device:GPU:9999999999' $'meta\t\t1\t1\tM\tname:s=l' $'gpu_annotation\t9\t1\t1\tX\tdevice:i=-1' \
		$'meta\t\t10006\t\tM\tname:s=/device:GPU:7' $'meta\t\t10006\t1\tM\tname:s=l' $'gpu_annotation\t9\t10006\t1\tX\tdevice:i=7')"
}

@test "counters: the one number of an event of _counters_ is its value, which holds until the next one" {
	trace '1:{ 2:"/device:GPU:0" 3:{ 1:9 2:"_counters_" 3:1000 4:{ 1:1 2:5000000 4:{ 1:1 3:400 } } 4:{ 1:1 2:9000000 4:{ 1:1 3:300 } }
		4:{ 1:2 2:5000000 4:{ 1:2 3:7 } 4:{ 1:1 3:8 } } } 4:{ 1:1 2:{ 1:1 2:"power" } } 4:{ 1:2 2:{ 1:2 2:"two numbers" } } 5:{ 1:1 2:{ 1:1 2:"power" } } 5:{ 1:2 2:{ 1:2 2:"raw" } } }'
	run -0 --separate-stderr tl-counters --format tsv t.xplane.pb
	equal "$(cut -f 4,8-12 <<<"$output")" $'counter\tsamples\tfirst\tlast\tmin\tmean\npower\t2\t400.0\t300.0\t300.0\t400.0'
	like "$stderr" '1 .*without a finite number'
}

@test "times: at the border of what is possible, and beyond" {
	local most=4611686018427387904 t='' e
	for e in "2:$most" "2:$((most + 1))" "2:$((most - 5)) 3:5" "2:$((most - 5)) 3:6" "2:-$most 3:1" "2:-$((most + 1))" "2:1 3:-1" "2:1 3:0"; do
		t+="4:{ 1:1 $e } "
	done
	trace "1:{ 1:3 2:\"/device:GPU:3\" 3:{ 2:\"Stream #7\" $t } 4:{ 1:1 2:{ 2:\"k\" } } }"
	equal "$(events 4,5 | tail -n +3 | tr '\t\n' ' ,')" "$most 0, ,$((most - 5)) 5,$((most - 5)) ,-$most 1, ,1 ,1 0,"
	# the first line's time, if it is not small, is where all count from
	for at in "2305843009213693 2305843009213693000" "2305843009213694 0" "-2305843009213693 -2305843009213693000" "-2305843009213694 0"; do
		trace "1:{ 1:3 2:\"/device:GPU:3\" 3:{ 2:\"Stream #7\" 3:${at% *} 4:{ 1:1 3:1 } } 3:{ 2:\"l\" 3:$((${at% *} + 1)) 4:{ 1:1 3:1 } } 4:{ 1:1 2:{ 2:\"k\" } } }"
		equal "$(events 4 | grep . | tr '\n' ' ')" "${at#* } $((${at#* } + 1000)) "
	done
}

@test "members: hosts, facts of planes, GPUs; what is no text of them is left out" {
	trace "1:{ 2:\"odd\" $(facts a b c) 6:{ 1:1 5:\"x\" } 6:{ 1:2 7:1 } 6:{ 1:3 6:\"bytes\" } 6:{ 1:9 3:1 } 6:{ 1:3 2:d2.5 } }" "1:{ 2:\"empty\" }" \
		"1:{ 1:5 2:\"/device:GPU:1\" $(facts core_count memory_size) 6:{ 1:1 4:8 } 6:{ 1:2 3:99 } }" "1:{ 1:6 2:\"/device:GPU:2\" }" '2:"e"' '3:"w"' '3:"w2"'
	equal "$(tl-parse t.xplane.pb 2>said | tl-view | awk '/^meta/' | cut -f 2- | head -n 2)" $'odd\t{"a":"x","b":"a","c":2.5}\ndeviceProperties\t[{"id":1,"numSms":8,"totalGlobalMem":99,"core_count":8,"memory_size":99},{"id":2,"numSms":0,"totalGlobalMem":0}]'
	like "$(<said)" '1 event: errors of the profiler'
	like "$(<said)" '1 event: warnings of the profiler'
}

@test "two planes of one number, and two lines of one number, have tracks of their own" {
	two="3:{ 1:7 2:\"Stream #7\" $kernel } 3:{ 1:4294967303 2:\"Stream #8\" $copy }"
	trace "1:{ 1:0 2:\"/device:GPU:0\" $two $names }" "1:{ 1:0 2:\"/device:GPU:1\" $two $names }"
	equal "$(events 3,6,7 | grep -v meta)" "$(printf '%s\n' $'kernel\t1\t7' $'memcpy\t1\t"7 (line 2)"' $'kernel\t10003\t7' $'memcpy\t10003\t"7 (line 2)"')"
	equal "$(events 12- | grep -o 'device:i=.' | tr '\n' ' ')" "device:i=0 device:i=0 device:i=1 device:i=1 "
}

@test "a plane whose name goes on is another plane" {
	local plane='3:{ 1:7 4:{ 1:6 2:1 3:1 } } 4:{ 1:6 2:{ 1:6 2:"x" } }'
	trace "1:{ 2:\"/host:CPU 2\" $plane }" "1:{ 2:\"/host:metadata2\" $plane }" "1:{ 2:\"/host:CPU\" $plane }" \
		"1:{ 2:\"/host:CPU\" $plane }" "1:{ 2:\"/other\" $plane }"
	equal "$(events 3,6,10 | grep -v ^meta)" $'cpu_op\t10002\tx\ncpu_op\t10003\tx\ncpu_op\t701\tx\ncpu_op\t10005\tx\nother\t10006\tx'
}

@test "what is missing or makes no sense is noted, and the rest is kept" {
	trace "$(gpu "$(event 77 1 1 "$(fact 88 4:1) $(fact 4 7:99)") $(event 1 1 -5 '') $(event 1 9223372036854775807 1 '') 4:{ 1:1 5:3 }")"
	tl-parse t.xplane.pb 2>notes | tl-view | awk '/^event/' | cut -f 3-5,10 | tail -4 >got
	equal "$(cat got)" $'kernel\t1000001\t1\t\\e\nkernel\t1000001\t\tloop_fusion\nkernel\t\t\tloop_fusion\nkernel\t\t\tloop_fusion'
	local n
	for n in 'events whose name is missing' 'facts whose name is missing' 'facts whose value is a text that is missing' \
		'without a duration: it is negative or out of range' 'without a time: it is out of range' 'sums of several events'; do
		grep -qF "$n" notes
	done
}

@test "malformed UTF-8 is replaced, and errors of the profiler are noted" {
	trace '1:{ 1:1 2:"/device:GPU:1" 3:{ 2:"Stream #1" 4:{ 1:1 3:1 } } 4:{ 1:1 2:{ 2:"a\xffb" } } }' '2:"buffer full"'
	equal "$(events 10 | tail -1)" $'a\xef\xbf\xbdb'
	tl-parse t.xplane.pb 2>notes >/dev/null
	grep -qF 'not UTF-8' notes
	grep -qF 'errors of the profiler' notes
}

@test "a file that is cut short is an error with its place; --lenient keeps the whole planes" {
	trace "$(gpu "$kernel")" "$(host "$calls")"
	size=$(stat -c %s t.xplane.pb)
	head -c $((size - 5)) t.xplane.pb >short.pb
	run -1 --separate-stderr tl-parse short.pb
	[[ $stderr == *"byte $((size - 5))"*"the file ends inside plane 2"*"--lenient"* ]]
	tl-parse --lenient short.pb 2>notes | tl-view | grep -q loop_fusion
	grep -qF 'its last plane is left out' notes
	head -c 20 t.xplane.pb >first.pb
	tl-parse --lenient first.pb 2>notes | tl-view | grep -q 'source	xplane'
	grep -qF 'its last plane is left out' notes
	gzip -c t.xplane.pb | tl-parse -q | tl-view | grep -v provenance >unpacked
	tl-parse -q t.xplane.pb | tl-view | grep -v provenance | diff - unpacked
}

@test "every cut of a file is refused with a message" {
	trace "$(gpu "$kernel $copy")"
	"$TL_TOOLS/cuts" t.xplane.pb 7 "$(stat -c %s t.xplane.pb)" tl-parse
}

@test "damage inside a plane is an error with plane and place; --lenient drops the event" {
	# the event's facts say 100 bytes where fewer are left
	trace "1:{ 1:1 2:\"/device:GPU:1\" 3:{ 2:\"Stream #1\" 4:\"\\x08\\x01\\x22\\x64\" $kernel } $names }"
	run -1 --separate-stderr tl-parse t.xplane.pb
	[[ $stderr == *"byte 35: plane 1 (/device:GPU:1): an event is damaged"* ]]
	equal "$(events 10 --lenient | tail -1)" loop_fusion
	equal "$(events 3 --lenient | grep -c kernel)" 1
	# a plane that claims more bytes than a message may have, and one that is a lie
	printf '\x0a\x07\x12\x05/host\x0a\xff\xff\xff\xff\xff\x01' >huge
	run -1 --separate-stderr tl-parse huge
	[[ $stderr == *"planes have at most 2 GiB"* ]]
	printf '\x0a\x07\x12\x05/host\x0a\xff\xff\xff\xff\x07' >lie
	run -1 --separate-stderr tl-parse lie
	[[ $stderr == *"the file ends inside plane 2"* ]]
	[ "$("$TL_TOOLS/measure" 1 'tl-parse lie 2>/dev/null || true' | cut -f 3)" -lt 20000 ]
}

# program FIELDS: the plane of programs with one of them, number 15
program() {
	printf '1:{ 2:"/host:metadata" 4:{ 1:15 2:{ 1:15 2:"jit_f(15)" 5:{ 1:1 6:{ 1:{ %s } } } } } 5:{ 1:1 2:{ 2:"Hlo Proto" } } }' "$1"
}
json() { # of the member of program 15
	tl-parse -q t.xplane.pb | tl-view | awk -F'\t' '$2 == "hlo module 15" { print $3 }' | sed 's/\\\\/\\/g'
}

@test "programs are members: computations, instructions, shapes as HLO writes them" {
	local array='2:16 3:2 3:8 5:{ 1:1 1:0 }'
	trace "$(program "1:\"jit_f\" 6:2 3:{ 1:\"main\" 5:2 6:4294967297
		2:{ 1:\"p0\" 2:\"parameter\" 3:{ $array } 35:4294967296 }
		2:{ 1:\"custom-call.1\" 2:\"custom-call\" 3:{ 2:13 4:{ $array } 4:{ 2:11 } } 7:{ 2:\"jit(f)/dot\" 4:7 }
			8:\"\\xff\" 28:\"__cublas\$gemm\" 35:4294967297 36:\"\\x80\\x80\\x80\\x80\\x10\" 43:\"{\\\"beta\\\":0}\" } }")"
	equal "$(json)" '{"name":"jit_f","entry":2,"computations":[{"id":2,"name":"main","root":4294967297,"instructions":[{"id":4294967296,"name":"p0","opcode":"parameter","shape":"bf16[2,8]{1,0}"},{"id":4294967297,"name":"custom-call.1","opcode":"custom-call","shape":"(bf16[2,8]{1,0}, f32[])","operands":[4294967296],"custom_call_target":"__cublas$gemm","backend_config":"{\"beta\":0}","metadata":{"op_name":"jit(f)/dot","source_line":7}}]}]}'
}

@test "shapes and groups of devices are those of HLO's text" {
	shape() { # FIELDS TEXT
		trace "$(program "3:{ 2:{ 3:{ $1 } } }")"
		equal "$(json)" "{\"computations\":[{\"instructions\":[{\"shape\":\"$2\"}]}]}"
	}
	shape '2:8 3:"\x03\x04" 6:"\x00\x01" 5:{ 1:"\x01\x00" 6:{ 1:8 1:128 } 6:{ 1:2 } 7:4 8:5 16:1 }' 'u32[3,<=4]{1,0:T(8,128)(2)E(4)S(5)}'
	shape '2:13 4:{ 2:1 } 4:{ 2:2 } 4:{ 2:3 } 4:{ 2:4 } 4:{ 2:5 } 4:{ 2:17 } 4:{ 2:13 }' '(pred[], s8[], s16[], s32[], s64[], /*index=5*/token[], ())'
	shape '2:20 5:{ }' 'f8e4m3fn[]'
	shape '2:99' 'invalid[]'
	groups() { # FIELDS MEMBER TEXT
		trace "$(program "3:{ 2:{ $1 } }")"
		equal "$(json)" "{\"computations\":[{\"instructions\":[{\"$2\":\"$3\"}]}]}"
	}
	groups '49:{ 1:0 1:1 } 49:{ 1:"\x02\x03" }' replica_groups '{{0,1},{2,3}}'
	groups '87:{ 1:{ 1:"\x00\x01" } }' replica_groups '{{0,1}}'
	groups '87:{ 2:{ 1:2 2:4 3:8 } }' replica_groups '[2,4]<=[8]'
	groups '87:{ 2:{ 1:2 2:4 3:4 3:2 4:1 4:0 } }' replica_groups '[2,4]<=[4,2]T(1,0)'
	groups '52:{ 1:0 2:1 } 52:{ 1:1 }' source_target_pairs '{{0,1},{1,0}}'
}

@test "a program that is damaged or whose shapes nest too deep is an error, with --lenient left out" {
	local deep='2:8' n
	for n in {1..40}; do
		deep="2:13 4:{ $deep }"
	done
	trace "$(program "3:{ 2:{ 3:{ $deep } } }")" "$(gpu "$kernel")"
	run -1 --separate-stderr tl-parse t.xplane.pb
	[[ $stderr == *"plane 1 (/host:metadata): a program is damaged, or its shapes are nested too deep"* ]]
	equal "$(events 3 --lenient | tail -1)" kernel
}

@test "a program that would take too much memory is left out, and told" {
	trace "$(program "3:{ $(printf '2:{ } %.0s' {1..1500000}) }")" "$(gpu "$kernel")"
	run -0 --separate-stderr tl-parse -o /dev/null t.xplane.pb
	[[ $stderr == *"programs that take more than 512 MiB of memory, left out"* ]]
	equal "$(events 3 | tail -1)" kernel
}

@test "the timelines of JAX's GPUs are those of TraceLens" {
	local cases=$TL_ROOT/../shared/traces/jax
	[ -d "$cases" ] || skip "no shared cases"
	for t in conv-legacy te-attention; do
		tl-timeline -q --sheets "gpu_timeline$([ $t = te-attention ] || echo _by_device)" "$cases/$t/input.xplane.pb" |
			awk -F'\t' 'NR > 1 { printf "%s %.6f\n", $(NF - 2), $(NF - 1) }' | sort >got
		awk -F, 'NR > 1 { printf "%s %.6f\n", $1, $2 }' "$cases/$t/ref/gpu_timeline.csv" | sort | diff - got
	done
}

# bats test_tags=quick
@test "the workbook beside a file has its name without .xplane.pb" {
	trace "$(gpu "$kernel")" "$(host "$calls")"
	mv t.xplane.pb host.xplane.pb
	tl-report -q host.xplane.pb
	[ -e host_perf_report.xlsx ]
	gzip -c host.xplane.pb >other.xplane.pb.gz
	tl-report -q other.xplane.pb.gz
	[ -e other_perf_report.xlsx ]
}

# tpu NAME LINES [PLANE]: a plane
tpu() {
	trace "1:{ 1:3 2:\"$1\" $2 4:{ 1:1 2:{ 1:1 2:\"%fusion.1 = bf16[8] fusion()\" 4:\"fusion.1\" 5:{ 1:1 5:\"loop fusion\" } 5:{ 1:2 3:4096 } 5:{ 1:3 3:512 } } }
		4:{ 1:2 2:{ 1:2 2:\"all-reduce.2\" } } 4:{ 1:3 2:{ 1:3 2:\"while.3\" } } 4:{ 1:4 2:{ 1:4 2:\"copy.4\" } } 4:{ 1:5 2:{ 1:5 2:\"jit_step(7)\" } }
		5:{ 1:1 2:{ 1:1 2:\"hlo_category\" } } 5:{ 1:2 2:{ 1:2 2:\"flops\" } } 5:{ 1:3 2:{ 1:3 2:\"bytes_accessed\" } } 5:{ 1:4 2:{ 1:4 2:\"peak_teraflops_per_second\" } } 6:{ 1:4 3:275 } }"
}

@test "operations of a TPU are its kernels; those around others are none" {
	tpu /device:TPU:3 '3:{ 1:2 2:"XLA Modules" 3:1000 4:{ 1:5 2:0 3:10000000 } } 3:{ 1:7 2:"XLA Ops" 3:1000 4:{ 1:1 2:0 3:1000000 }
		4:{ 1:1 2:5000000 3:1000000 } 4:{ 1:3 2:2000000 3:6000000 } 4:{ 1:2 2:2000000 3:3000000 } 4:{ 1:4 2:6000000 3:2000000 } 4:{ 1:1 2:9000000 3:0 } }
		3:{ 1:8 2:"Async XLA Ops" 3:1000 4:{ 1:4 2:0 3:9000000 } }'
	equal "$(tl-parse t.xplane.pb | tl-view | awk -F'\t' '/^event/ && $3 != "meta"' | cut -f 3-5,10)" "gpu_annotation	1000000	10000000	jit_step(7)
kernel	1000000	1000000	fusion.1
kernel	6000000	1000000	fusion.1
gpu_annotation	3000000	6000000	while.3
kernel	3000000	3000000	all-reduce.2
kernel	7000000	2000000	copy.4
kernel	10000000	0	fusion.1
gpu_annotation	1000000	9000000	copy.4"
	like "$(tl-parse t.xplane.pb | tl-view | grep -m 1 kernel)" 'device:i=3	stream:i=7	hlo_op:s=fusion.1	.*hlo_category:s=loop fusion	flops:i=4096	bytes_accessed:i=512|hlo_category:s=loop fusion	flops:i=4096	bytes_accessed:i=512	device:i=3	stream:i=7	hlo_op:s=fusion.1'
	equal "$(tl-timeline -q t.xplane.pb | cut -f 1,2 | sed -n 2,7p)" "$(printf '%s\n' $'computation_time\t0.004' $'exposed_comm_time\t0.003' \
		$'exposed_memcpy_time\t0.0' $'busy_time\t0.007' $'idle_time\t0.002' $'total_time\t0.009')"
	like "$(tl-overview -q t.xplane.pb)" $'gpu\tname\tTPU'
	unlike "$(tl-overview -q t.xplane.pb)" 'not analysed'
	equal "$(tl-jax -q --sheets kernel_launchers_summary_by_category --columns 'op category,Count' t.xplane.pb | tail -n +2)" $'Communication\t1\nUncategorized Events/XLA\t3'
}

@test "a TPU without the line of its operations, and its other parts, are told" {
	tpu /device:TPU:0 '3:{ 1:2 2:"XLA Modules" 3:1000 4:{ 1:5 2:0 3:10000000 } }'
	run -0 --separate-stderr tl-parse -o /dev/null t.xplane.pb
	like "$stderr" '1 event: events of a TPU without the line XLA Ops, which has its operations'
	like "$(tl-overview -q t.xplane.pb)" $'device work\tnot analysed.*/device:TPU:0'
	run -1 tl-timeline t.xplane.pb
	like "$output" 'the work of /device:TPU:0 is not analysed'
	tpu "/device:TPU:0 SparseCore 1" '3:{ 1:2 2:"XLA Ops" 3:1000 4:{ 1:5 2:0 3:10000000 } 4:{ 1:5 2:0 3:10000000 } }'
	run -0 --separate-stderr tl-parse -o /dev/null t.xplane.pb
	like "$stderr" '2 events: events of other parts of a TPU \(SparseCore\), in no sum'
}
