#!/usr/bin/env bats
# perfetto-gpu.bats - work of GPUs in traces of Perfetto: of rocprof-sys and Omnitrace, stages of GPUs, PyTorch's packets.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# trace FIELDS…: a trace of these fields (of the message Trace), as t.pftrace
trace() {
	printf '%s\n' "$@" | "$TL_TOOLS/protobuf" >t.pftrace
}
# events COLUMNS: these columns of the events of t.pftrace, but for names of threads
events() {
	tl-parse -q t.pftrace | tl-view | awk '/^event/ && !/thread_name/' | cut -f "$1"
}
# field NAME: of each event of a device its kind and this field
field() {
	tl-parse -q t.pftrace | tl-view | awk -F '\t' -v f="$1" '/^event/ && ($3 == "kernel" || $3 == "memcpy" || $3 == "memset") {
		v = "-"; for (i = 12; i <= NF; i++) if (index($i, f ":") == 1) v = substr($i, length(f) + 4); printf "%s=%s ", $3, v }'
}
# kernels: how many, and their time in ms
kernels() {
	tl-kcat -q --sheets kernel_config --columns Count,ms t.pftrace | tail -n +2 | awk '{ n += $1; ms += $2 } END { print n, ms }'
}
# said: the messages of tl-parse
said() {
	tl-parse -o out t.pftrace 2>&1
}
arg() { # NAME NUMBER
	printf '4:{ 10:"%s" 3:%s } ' "$@"
}
text() { # NAME TEXT
	printf '4:{ 10:"%s" 6:"%s" } ' "$@"
}
# track ID NAME: of no thread
track() {
	printf '1:{ 10:2 60:{ 1:%s 2:"%s" } } ' "$@"
}
# slice TRACK CATEGORY NAME START NS [FIELDS]
slice() {
	printf '1:{ 8:%s 10:2 11:{ 9:1 11:%s 22:"%s" 23:"%s" %s } } 1:{ 8:%s 10:2 11:{ 9:2 11:%s } }\n' "$4" "$1" "$2" "$3" "${6-}" $(($4 + $5)) "$1"
}
start='1:{ 10:2 13:1 60:{ 1:77 4:{ 1:100 2:101 5:"main" } } }'
sizes="$(text workgroup_size '(256,1,1)') $(text grid_size '(65536,1,1)')"

# ---- rocprof-sys and Omnitrace ------------------------------------------------------

# work TRACK CATEGORY NAME NUMBER NS FIELDS: a call of 2 us and what it launched, with annotations as rocprof-sys writes them
work() {
	local t=$((($4 - 1) * 10000)) ids
	ids="47:x$4 $(arg corr_id "$4")"
	slice 77 rocm_hip_api hipLaunchKernel $t 2000 "$ids $(arg begin_ns $t) $(arg end_ns $((t + 2000)))"
	slice "$1" "$2" "$3" $((t + 3000)) "$5" "$ids $(arg begin_ns $((t + 3000))) $(arg end_ns $((t + 3000 + $5))) $6"
}

@test "rocprof-sys: kernels by queue and by stream, copies, calls, ranges" {
	local i all=
	for i in 1 2 3; do
		all+=$(work 88 rocm_kernel_dispatch 'vectorAdd(float*)' $i 5000 "$(arg stream_id 0) $(arg queue 3) $sizes")
	done
	for i in 4 5 6; do
		all+=$(work 90 rocm_hip_stream 'vectorAdd(float*)' $i 6000 "$(arg stream_id 4) $(arg queue 3) $sizes")
	done
	all+=$(work 90 rocm_hip_stream MEMORY_COPY_HOST_TO_DEVICE 7 4000 "$(arg stream_id 4) $(arg dst_agent 1) $(arg src_agent 0)")
	trace "$start $(track 88 'GPU Kernel Dispatch [1] Queue 3') $(track 90 'HIP Activity Stream 4')" "$all" \
		"$(slice 77 rocm_marker_api train_step 0 80000)"
	equal "$(events 3 | sort | uniq -c | tr -s ' \n' ' ')" ' 1 annotation 6 kernel 1 memcpy 7 runtime '
	equal "$(kernels)" '6 0.033'
	equal "$(field device)" 'kernel=1 kernel=1 kernel=1 memcpy=1 kernel=1 kernel=1 kernel=1 '
	equal "$(field stream)" 'kernel=3 kernel=3 kernel=3 memcpy=4 kernel=4 kernel=4 kernel=4 '
	equal "$(field correlation)" 'kernel=1 kernel=2 kernel=3 memcpy=7 kernel=4 kernel=5 kernel=6 '
	equal "$(field grid)" 'kernel=[256,1,1] kernel=[256,1,1] kernel=[256,1,1] memcpy=- kernel=[256,1,1] kernel=[256,1,1] kernel=[256,1,1] '
	equal "$(field block | tr ' ' '\n' | sort -u | xargs)" 'kernel=[256,1,1] memcpy=-'
	equal "$(said)" ''
	tl-overview -q t.pftrace >o
	grep -q $'^trace\tkernels\t6\t' o
	grep -q $'^gpu\twith work\tdevice 1' o
	grep -q $'^left out\twarnings and notes\tnone' o
	equal "$(tl-pftrace -q --sheets kernel_summary --columns 'Name,Instances,Total Time (ns),GridX,BlockX' t.pftrace | tail -n +2)" \
		$'vectorAdd(float*)\t6\t33000\t65536\t256'
	equal "$(tl-pftrace -q --sheets hip_summary --columns 'Name,Instances,Total Time (ns)' --min_event_ns 0 t.pftrace | tail -n +2)" \
		$'hipLaunchKernel\t7\t14000'
	equal "$(tl-pftrace -q --sheets api_kernel_summary --columns 'API Name,Kernel Name,Count,KAvg_ns' t.pftrace | tail -n +2)" \
		$'hipLaunchKernel\tvectorAdd(float*)\t6\t5500.0'
	equal "$(tl-pftrace -q --sheets kernel_summary,hip_summary --min_event_ns 0 --reference-units t.pftrace | grep -c vectorAdd)" 0
	# computation and copies, all with their calls
	equal "$(tl-timeline -q --columns type,'time ms' t.pftrace | grep -E 'computation|total_memcpy' | cut -f 2 | tr '\n' ' ')" '0.033 0.004 '
}

@test "Omnitrace: the argument op tells what is a kernel" {
	local i all='' op=DISPATCH
	for i in 1 2 3 4; do
		[ $i != 4 ] || op=COPY
		all+="$(slice 77 rocm_hip hipLaunchKernel $((i * 10000)) 2000 "$(arg corr_id $i)")
			$(slice 93 device_hip 'vectorAdd(float*)' $((i * 10000 + 3000)) 5000 "$(arg corr_id $i) $(arg device 0) $(arg queue 1) $(text op $op)")"
	done
	trace "$start $(track 93 'HIP Activity Device 0')" "$all"
	equal "$(events 3 | tr '\n' ' ')" 'runtime kernel runtime kernel runtime kernel runtime memcpy '
	equal "$(kernels)" '3 0.015'
	equal "$(field device) $(field stream) $(field correlation)" \
		'kernel=0 kernel=0 kernel=0 memcpy=0  kernel=1 kernel=1 kernel=1 memcpy=1  kernel=1 kernel=2 kernel=3 memcpy=4 '
}

@test "Omnitrace: without an argument op names tell, and tracks tell the device" {
	local name all=
	for name in vectorAdd CopyHostToDevice FillBuffer BarrierPacket; do
		all+=$(slice 93 device_hip $name 10 5)
	done
	trace "$start $(track 93 'HIP Activity Device 2, Queue 1')" "$all $(slice 93 rocm_device_hsa MarkerPacket 20 5) $(slice 93 device_hsa k 30 5 "$(text op BARRIER)")"
	equal "$(events 3 | tr '\n' ' ')" 'kernel memcpy memset other other other '
	equal "$(field device)" 'kernel=2 memcpy=2 memset=2 '
}

@test "without annotations flows link, the track's stream is the stream, and each stream counts as a GPU" {
	local i all=
	for i in 1 2 3; do
		all+="$(slice 77 rocm_hip_api hipLaunchKernel $((i * 10000)) 2000 "47:x$i") $(slice 90 rocm_hip_stream 'vectorAdd(float*)' $((i * 10000 + 3000)) 5000 "47:x$i")"
	done
	all+=$(slice 90 rocm_hip_stream MEMORY_COPY_DEVICE_TO_HOST 50000 3000)
	trace "$start $(track 90 'HIP Activity Stream 4')" "$all"
	equal "$(kernels)" '3 0.015'
	equal "$(field correlation)" 'kernel=flow 1 kernel=flow 2 kernel=flow 3 memcpy=- '
	equal "$(field stream) $(field device)" 'kernel=4 kernel=4 kernel=4 memcpy=4  kernel=0 kernel=0 kernel=0 memcpy=0 '
	like "$(said)" '4 events: work of streams that tell no GPU: each counts as one'
	trace "$start $(track 90 'HIP Activity Stream 4') $(track 91 'HIP Activity Stream 6')" "$all ${all//11:90/11:91}"
	equal "$(field device | tr ' ' '\n' | sort | uniq -c | xargs)" '3 kernel=0 3 kernel=1 1 memcpy=0 1 memcpy=1'
}

@test "work that tells no device is on the one GPU that tracks name, wherever they stand" {
	local work
	work="$(track 90 'HIP Activity Stream 4') $(slice 90 rocm_hip_stream k 10 5)"
	trace "$start $work $(track 91 'GPU Power [3] (W)')"
	equal "$(field device) $(said)" 'kernel=3  '
	trace "$start $work $(track 91 'GPU Power [3] (W)') $(track 92 'GPU Kernel Dispatch [5] Queue 0')"
	equal "$(field device)" 'kernel=0 '
	# the agent of a copy may be the host
	trace "$start $(track 91 'GPU Power [3] (W)') $(track 89 'GPU Memory Copy to Agent [1] Thread 0')" \
		"$(slice 89 rocm_memory_copy MEMORY_COPY_HOST_TO_DEVICE 10 5) $(slice 89 rocm_memory_copy MEMORY_COPY_DEVICE_TO_HOST 20 5)"
	equal "$(field device)" 'memcpy=1 memcpy=3 '
}

@test "a flow that ends in work leads from its call; one that ends in a call and leaves it counts as leaving" {
	trace "$start $(track 90 'HIP Activity Device 0') $(slice 77 hip_api c 0 5 '48:x9 47:x7 47:x8')" \
		"$(slice 90 kernel_dispatch k 10 5 '47:x5 48:x7') $(slice 77 other o 20 5 '47:x7')"
	equal "$(tl-parse -q t.pftrace | tl-view | grep -o $'correlation:s=[^\t]*' | tr '\n' ' ')" 'correlation:s=flow 7 correlation:s=flow 7 '
	equal "$(events 3 | tr '\n' ' ')" 'runtime kernel other '
}

@test "sizes that are no three numbers are none; samples are counted" {
	local size all=
	for size in '(1,2)' '(1,2,3' '(1,2,3)x' '[1,2,3]' '(a,2,3)' '(-1,2,3)' '' '(8,4,2)'; do
		all+=$(slice 88 rocm_kernel_dispatch k 10 5 "$(text workgroup_size '(4,2,1)') $(text grid_size "$size")")
	done
	trace "$start $(track 88 'GPU Kernel Dispatch [1] Queue 3') $all $(slice 77 timer_sampling s 5 5) $(slice 77 sampling s 50 5)"
	equal "$(field 'work items' | tr -d '\n')" 'kernel=- kernel=- kernel=- kernel=- kernel=- kernel=- kernel=- kernel=[8,4,2] '
	equal "$(field grid | grep -o '[^ ]* $')" 'kernel=[2,2,2] '
	like "$(said)" '2 events: samples of the processor, left out'
}

# ---- stages of GPUs -------------------------------------------------------------------

specs='24:{ 1:11 2:"Channel #1" 4:2 } 24:{ 1:12 2:"Channel #9" 4:0 } 24:{ 1:1 2:"Kernel" 4:2 } 24:{ 1:2 2:"MemoryTransfer" 4:0 }
	24:{ 1:3 2:"MemorySet" 4:0 } 24:{ 1:4 2:"Binning" 4:1 } 23:{ 1:1 2:100 3:4 } 2:{ 1:1 2:"vectorAdd" } 2:{ 1:2 2:"Memcpy HtoD" } 2:{ 1:3 2:"Memset" }
	1000:{ 1:1 2:"_Z9vectorAddPfS_S_i" 3:"vectorAdd(float*, float*, float*, int)" 4:"CC_90" } 1000:{ 1:2 2:"plain" } 1001:{ 1:1 2:"registers_per_thread" }'
gpu="1:{ 10:1 13:1 12:{ $specs } } $start"
# stage TIME ID NS GPU FIELDS
stage() {
	printf '1:{ 8:%s 10:1 13:2 53:{ 1:%s 2:%s 11:%s 5:1 %s } } ' "$1" "$2" "$3" "$4" "${5-13:11 14:1 20:1}"
}
# kernel TIME ID NS GPU BLOCKS
kernel() {
	stage "$1" "$2" "$3" "$4" "13:11 14:1 20:1 19:1 21:{ 1:{ 1:$5 2:2 3:1 } 2:{ 1:128 2:1 3:1 } 3:{ 1:1 4:32 } }"
}
# api TIME NS NAME ID
api() {
	printf '1:{ 8:%s 10:3 11:{ 9:1 11:77 22:"cuda_runtime" 23:"%s" 3000:{ 1:%s } 3001:4 } } 1:{ 8:%s 10:3 11:{ 9:2 11:77 } } ' "$1" "$3" "$4" $(($1 + $2))
}

@test "stages of GPUs: kernels, copies, sets, with the calls that submitted them" {
	local all i
	all="$(api 500 100 cudaMemcpyAsync 1) $(stage 1000 1 400 0 '13:12 14:2 20:2') $(api 1500 50 cudaMemsetAsync 2) $(stage 1600 2 100 0 '13:11 14:3 20:3')"
	for i in 0 1 2 3; do
		all+="$(api $((2000 + i * 1000)) 200 cudaLaunchKernel $((10 + i))) $(kernel $((2300 + i * 1000)) $((10 + i)) 500 0 256)"
	done
	all+="$(api 7000 300 cudaGraphLaunch 20) $(kernel 7500 20 150 0 8) $(kernel 7700 20 150 0 8) $(kernel 7900 20 150 0 8) $(kernel 9000 30 600 1 4)"
	all+='1:{ 8:9700 10:1 13:2 53:{ 1:31 11:0 13:11 14:1 5:1 20:1 } } 1:{ 10:1 128:{ 1:{ 1:"NVIDIA H100 80GB HBM3" 2:"NVIDIA" } 1:{ 1:"NVIDIA H100 80GB HBM3" } } }'
	trace "$gpu $all"
	equal "$(events 3 | sort | uniq -c | tr -s ' \n' ' ')" ' 1 instant 8 kernel 1 memcpy 1 memset 7 runtime '
	equal "$(kernels)" '8 0.00305'
	equal "$(events 3,4,5,6,7,10 | grep -E '^mem')" $'memcpy\t1000\t400\t100\t12\tMemcpy HtoD\nmemset\t1600\t100\t100\t11\tMemset'
	equal "$(events 3,10 | grep ^kernel | sort -u)" $'kernel\tvectorAdd(float*, float*, float*, int)'
	equal "$(field device)" 'memcpy=0 memset=0 kernel=0 kernel=0 kernel=0 kernel=0 kernel=0 kernel=0 kernel=0 kernel=1 '
	equal "$(field grid)" 'memcpy=- memset=- kernel=[256,2,1] kernel=[256,2,1] kernel=[256,2,1] kernel=[256,2,1] kernel=[8,2,1] kernel=[8,2,1] kernel=[8,2,1] kernel=[4,2,1] '
	equal "$(field 'registers per thread' | grep -o 'kernel=32' | grep -c .)" 8
	equal "$(tl-link -q t.pftrace | tl-view | awk '/^link/ && $2 == "launch"' | grep -c .)" 9 # all but that of device 1
	tl-overview -q t.pftrace >o
	grep -q $'^trace\tkernels\t8\t' o
	grep -q $'^gpu\tname\tNVIDIA H100 80GB HBM3' o
	grep -q $'^gpu\tGPUs that the process saw\t2\t' o
	equal "$(tl-parse -q t.pftrace | tl-view | awk -F '\t' '/^event/ && $10 == "thread_name" { print $7, $12 }')" \
		$'101 name:s=main\n12 name:s=Channel #9\n11 name:s=Channel #1'
}

@test "stages: names of kernels, events and stages; those of graphics are counted" {
	trace "$gpu $(stage 1 1 5 0 '13:11 14:1 19:2 20:1') $(stage 2 2 5 0 '13:11 14:1 17:"event"') $(stage 3 3 5 0 '13:11 14:1')" \
		"$(stage 4 4 5 0 '13:11 14:4 17:"tile"') $(stage 5 5 5 0 '13:11 14:4 17:"Copy tile"') $(stage 6 6 5 0 '13:12 17:"x" 21:{ 1:{ 1:3 } }') $(stage 7 7 5 -1 '')"
	equal "$(events 3,10 | tr '\n\t' ' =')" 'kernel=plain kernel=event kernel=Kernel other=tile memcpy=Copy tile kernel=x other=\e '
	equal "$(field grid | grep -o '[^ ]* $')" 'kernel=[3,1,1] '
	like "$(said)" '2 events: stages of graphics, which are no kernels or copies'
}

@test "stages: arguments of every type; extra data; those that are ours already" {
	trace "$gpu 1:{ 10:1 12:{ 1001:{ 1:2 2:\"shared_mem_dynamic\" } 29:{ 1:1 2:\"text\" } } }" \
		"$(stage 1 9 5 2 '13:11 14:1 21:{ 3:{ 1:2 3:-1 } 3:{ 2:"d" 5:d0.5 } 3:{ 2:"t" 6:"x" } 3:{ 2:"n" 7:1 } 3:{ 2:"none" } 3:{ 2:"d" 3:1 } 3:{ 1:9 3:1 } }
			6:{ 1:"stream" 2:"7" } 6:{ 1:"bytes" 2:"4096" } 6:{ 1:"note" 2:"4k" } 6:{ 2:"no name" } 6:{ 1:"correlation" 2:"77" }')"
	equal "$(events 12- | tail -n 1)" "$(printf '%s\t' 'dynamicSharedMemory:i=-1' 'd:j=0.5' 't:s=x' 'n:s=text' 'stream:i=7' 'bytes:i=4096' \
		'note:s=4k' 'correlation:i=77')device:i=2"
}

@test "stages as old writers name them: by place, of the whole trace" {
	trace "$start 1:{ 8:1 10:5 13:1 53:{ 7:{ 1:{ 1:6 2:200 } 2:{ 1:\"Queue A\" } 2:{ 1:\"Queue B\" } 3:{ 1:\"Compute\" } 3:{ 1:\"Copy\" } } 3:1 4:1 5:6 2:9 1:4 } }" \
		"1:{ 8:20 10:6 13:1 53:{ 3:0 4:0 5:6 2:9 19:1 1:5 } }"
	equal "$(events 3-7,10)" $'memcpy\t1\t9\t200\t1\tCopy\nkernel\t20\t9\t200\t0\tCompute'
	equal "$(tl-parse -q t.pftrace | tl-view | awk -F '\t' '/^event/ && $10 == "thread_name" { print $6, $7, $12 }' | tail -n 2)" \
		$'200 1 name:s=Queue B\n200 0 name:s=Queue A'
}

@test "stages and calls of two processes do not meet; a call of a GPU's interface is one, whatever its category" {
	trace "1:{ 10:1 13:1 12:{ $specs 23:{ 1:2 2:900 } } } $start 1:{ 10:3 60:{ 1:78 4:{ 1:900 2:901 } } }" \
		"$(api 10 5 cudaLaunchKernel 6) ${call-} 1:{ 8:20 10:3 11:{ 9:1 11:78 23:\"zeLaunch\" 3000:{ 1:\"\\x06\\x07\" } 3001:1 } } 1:{ 8:25 10:3 11:{ 9:2 11:78 } }" \
		"$(kernel 30 6 5 0 1) $(stage 40 6 5 0 '5:2 13:11 14:1')"
	equal "$(events 3,6 | tr '\n\t' ' =') $(tl-parse -q t.pftrace | tl-view | grep -o 'correlation:.*' | tr '\n' ' ')" \
		'runtime=100 runtime=900 kernel=100 kernel=900  correlation:i=6 correlation:s=900:6 correlation:i=6 correlation:s=900:6 '
}

@test "damaged stages and facts about GPUs are errors; --lenient leaves them out" {
	local bad
	for bad in '53:"\xff"' '53:{ 21:"\xff" }' '53:{ 6:"\xff" }' '53:{ 7:"\xff" }' '53:{ 21:{ 1:"\xff" } }' '53:{ 21:{ 3:"\xff" } }' '128:"\xff"' '128:{ 1:"\xff" }'; do
		trace "$gpu 1:{ 10:1 $bad } $(kernel 1 1 5 0 1)"
		run -1 --separate-stderr tl-parse -o out t.pftrace
		like "$stderr" 'packet 3: (a damaged stage of a GPU|damaged facts about GPUs)'
		equal "$(tl-parse -q --lenient t.pftrace | tl-view | grep -c $'\tkernel\t')" 1
	done
}

@test "packets about GPUs that are not read are counted by what they are" {
	trace "$gpu $(kernel 1 1 5 0 1) 1:{ 10:1 65:{ } } 1:{ 10:1 63:{ } } 1:{ 10:1 71:{ } } 1:{ 10:1 33:{ } }"
	said >messages
	like "$(<messages)" "1 event: packets of Vulkan's calls, left out"
	like "$(<messages)" "1 event: packets of messages of a GPU's driver, left out"
	like "$(<messages)" "1 event: packets of a GPU's memory in use, left out"
	equal "$(grep -c 'left out' messages)" 3
}

# ---- counters --------------------------------------------------------------------------

# counters COLUMNS: these columns of the sheet of t.pftrace
counters() {
	tl-counters -q --columns "$1" t.pftrace | tail -n +2
}
# counter TRACK TIME FIELD: a value of the track
counter() {
	printf '1:{ 8:%s 10:2 11:{ 9:4 11:%s %s } } ' "$2" "$1" "$3"
}

@test "counters of tracks: unit and device by the name or the descriptor; sums; multipliers" {
	trace '1:{ 10:2 13:1 60:{ 1:1 2:"GPU Power [1] (W)" 8:{ } } } 1:{ 10:2 60:{ 1:2 2:"GPU Busy GFX [1] (S)" 8:{ 6:"%" } } }' \
		'1:{ 10:2 60:{ 1:3 2:"Memory" 8:{ 3:3 4:1024 5:1 } } } 1:{ 10:2 60:{ 1:4 2:"Copies to AGENT [2] (GPU)" 8:{ 3:1 } } }' \
		"$(counter 1 10 44:d500) $(counter 1 20 44:d501) $(counter 2 10 30:90) $(counter 3 10 30:2) $(counter 3 20 30:3) $(counter 4 10 30:7)"
	equal "$(counters device,counter,unit,of,samples,first,last)" $'1\tGPU Busy GFX\t%\theld\t1\t90.0\t90.0
1\tGPU Power\tW\theld\t2\t500.0\t501.0
\tCopies to AGENT [2] (GPU)\tns\theld\t1\t7.0\t7.0
\tMemory\t1024 bytes\theld\t2\t2.0\t5.0'
}

@test "counters of a GPU: described once by number, or in a packet before; what is not described is counted" {
	trace '1:{ 8:5 10:1 13:1 12:{ 47:{ 1:5 2:{ 1:{ 1:1 2:"clock" 7:13 } 1:{ 1:2 2:"dram" 7:9 8:22 11:1 } } 3:1 } } 52:{ 4:5 2:{ 1:1 2:100 } 2:{ 1:2 3:d1.5 } } }' \
		'1:{ 8:9 10:1 52:{ 4:5 3:7 2:{ 1:1 2:200 } 2:{ 1:9 2:1 } 2:{ 1:1 } } }' \
		'1:{ 8:5 10:3 52:{ 3:2 1:{ 1:{ 1:1 2:"busy" 7:37 } } } } 1:{ 8:7 10:3 52:{ 3:2 2:{ 1:1 2:50 } } }'
	equal "$(counters device,counter,unit,of,samples,first,last 2>said)" $'1\tclock\tHz\theld\t2\t100.0\t200.0
1\tdram\tMB/s\tbefore\t1\t1.5\t1.5
2\tbusy\t%\theld\t1\t50.0\t50.0'
	said >messages
	like "$(<messages)" '1 event: values of counters of a GPU that no packet describes, left out'
	like "$(<messages)" '1 event: values of counters that are no finite number, left out'
	for bad in '52:"\xff"' '52:{ 2:"\xff" }' '52:{ 4:5 2:{ 1:1 2:"x" } 2:"\x08" }'; do
		trace "$gpu 1:{ 10:1 $bad }"
		run -1 --separate-stderr tl-parse -o out t.pftrace
		like "$stderr" 'packet [23]: damaged counters of a GPU'
	done
}

@test "counters of the cases" {
	case=$TL_ROOT/../shared/traces/alike
	[ -d "$case" ] || skip "no $case"
	cp "$case/gpu-stages/input.pftrace" t.pftrace
	equal "$(counters device,counter,unit,of,samples,min,max)" $'0\tgpc__cycles_elapsed.avg.per_second\tHz\theld\t5\t1200000000.0\t1980000000.0
0\tsm__throughput.avg.pct\t%\tbefore\t5\t50.5\t54.5'
	cp "$case/rocprof-sys/input.pftrace" t.pftrace
	equal "$(counters device,counter,samples)" $'1\tGPU Busy GFX\t5\n1\tGPU Power\t5'
}

# ---- PyTorch -----------------------------------------------------------------------------

@test "PyTorch's packets: operators, calls, kernels and copies of its categories" {
	local i all=
	for i in 0 1 2; do
		all+="$(slice 77 cpu_op aten::mm $((i * 10000)) 5000 "$(arg 'External id' $((i + 1)))")
			$(slice 77 cuda_runtime cudaLaunchKernel $((i * 10000 + 6000)) 500 "$(arg correlation $((i + 1))) $(arg 'External id' $((i + 1)))")
			$(slice 78 kernel gemm $((i * 10000 + 7000)) 2000 "$(arg correlation $((i + 1))) $(arg stream 7) $(arg device 0)")"
	done
	trace "$start $(track 78 'stream 7')" "$all $(slice 78 gpu_memcpy 'Memcpy HtoD (Pinned -> Device)' 40000 1000 "$(arg correlation 9) $(arg stream 7) $(arg device 0)")" \
		"$(slice 77 user_annotation ProfilerStep#1 50000 10) $(slice 77 python_function f 50001 5) $(slice 78 gpu_memset m 60000 5) $(slice 78 gpu_user_annotation g 70000 5)"
	equal "$(events 3 | sort | uniq -c | tr -s ' \n' ' ')" ' 1 annotation 3 cpu_op 1 gpu_annotation 3 kernel 1 memcpy 1 memset 1 python 3 runtime '
	equal "$(kernels)" '3 0.006'
	equal "$(events 3,5 | grep -E 'cpu_op|memcpy' | sort -u | tr '\n\t' ' =')" 'cpu_op=5000 memcpy=1000 '
	equal "$(field stream)" 'kernel=7 kernel=7 kernel=7 memcpy=7 memset=- '
	equal "$(tl-link -q t.pftrace | tl-view | awk '/^link/ && $2 == "launch"' | grep -c .)" 3
	tl-overview -q t.pftrace >o
	grep -q $'^trace\toperators on the host\t3\t' o
	grep -q $'^trace\tkernels\t3\t' o
}

@test "traceconv's JSON: the same categories, by layout, name and argument" {
	local e='"ph":"X","pid":7,"tid":8,"ts":1,"dur":2'
	printf '{"traceEvents":[{"ph":"M","cat":"__metadata","ts":0,"name":"process_name","pid":7,"tid":0,"args":{"name":"app"}}' >t.json
	printf ',{%s}' "$e,\"cat\":\"rocm_kernel_dispatch\",\"name\":\"k\"" "$e,\"cat\":\"rocm_hip_stream\",\"name\":\"k\"" \
		"$e,\"cat\":\"rocm_hip_stream\",\"name\":\"MEMORY_COPY_HOST_TO_DEVICE\"" "$e,\"cat\":\"hip_stream\",\"name\":\"x\",\"args\":{\"dst_agent\":1}" \
		"$e,\"cat\":\"device_hip\",\"name\":\"k\",\"args\":{\"op\":\"COPY\"}" "$e,\"cat\":\"device_hip\",\"name\":\"k\",\"args\":{\"op\":\"DISPATCH\"}" \
		"$e,\"cat\":\"device_hip\",\"name\":\"k\",\"args\":{\"op\":7}" "$e,\"cat\":\"rocm_\",\"name\":\"k\"" "$e,\"cat\":\"rocm_sampling\",\"name\":\"k\"" >>t.json
	echo ']}' >>t.json
	equal "$(tl-parse -o out t.json 2>&1)" "tl-parse: warning: t.json: 1 event: samples of the processor, left out (first at event 9)"
	equal "$(tl-view out | awk '/^event/ && !/meta/' | cut -f 3 | tr '\n' ' ')" 'kernel kernel memcpy memcpy memcpy kernel kernel other '
	equal "$(tl-view out | grep -c 'device:')" 1
}
