#!/usr/bin/env bats
# config.bats - kernel_config and kernel_launches of tl-kcat: how kernels fill the device.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# kernel ID NAME DUR BLOCKS [MORE]: with blocks of 256 threads
kernel() {
	call "$1" "$(($1 * 10))" 1
	gpu "$1" "$2" "$((1000 + $1 * 100))" "$3" 7 kernel '"grid":['"$4"',1,1],"block":[64,4,1]'"${5-}"
}
# 4 of its blocks fit on an SM: 64 registers of 256 threads are a quarter of all; 20 % of the threads were busy
needs=',"registers per thread":64,"shared memory":0,"est. achieved occupancy %":20'
gpus='{"id":0,"name":"X","numSms":10,"maxThreadsPerMultiprocessor":2048,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":100000}'
config() {
	device_trace t.json "${1-$gpus}"
	tl-kcat -q --sheets kernel_config -o all.tsv t.json
	cut -f 1-3,7-10,13 all.tsv >k.tsv
}

@test "waves and what the last one leaves empty" {
	kernel 1 full 10 400 "$needs"
	kernel 2 tail 10 100 "$needs"
	kernel 3 few 10 10 "$needs"
	config
	equal "$(cut -f 1,2,4- k.tsv | sort)" "$(printf '%s\n' $'few\t1\t10.0\t10\t0.25\t0.75\t20.0' $'full\t1\t400.0\t10\t10.0\t0.0\t20.0' \
		$'name\tCount\tblocks_median\tunits\twaves\ttail_share\toccupancy' $'tail\t1\t100.0\t10\t2.5\t0.16666666666666663\t20.0')"
}

@test "launches of one kernel: blocks and waves in the middle, shares by time" {
	kernel 1 k 10 40 "$needs"
	kernel 2 k 30 60 "$needs"
	kernel 3 k 0 80 "$needs"
	kernel 4 longest 50 1
	config
	equal "$(cut -f 1 k.tsv | paste -sd ' ')" 'name longest k'
	equal "$(sed -n 3p k.tsv)" $'k\t3\t0.04\t60.0\t10\t1.5\t0.1875\t20.0'
}

@test "what is not recorded is empty" {
	kernel 1 k 10 20
	config
	equal "$(sed -n 2p k.tsv)" $'k\t1\t0.01\t20.0\t10\t\t\t'
	config ''
	equal "$(sed -n 2p k.tsv)" $'k\t1\t0.01\t20.0\t\t\t\t'
	EVENTS=()
	kernel 1 k 10 20 "$needs"
	config '{"id":0,"name":"X","numSms":10}'
	equal "$(sed -n 2p k.tsv)" $'k\t1\t0.01\t20.0\t10\t\t\t20.0'
	EVENTS=()
	call 1 0 1
	gpu 1 bare 10 10
	config
	equal "$(sed -n 2p k.tsv)" $'bare\t1\t0.01\t\t10\t\t\t'
}

@test "blocks of more threads and registers than any GPU has" {
	call 1 10 1
	gpu 1 k 100 10 7 kernel '"grid":[8,1,1],"block":[1073741824,536870912],"registers per thread":1073741824,"shared memory":0'
	config '{"id":0,"name":"X","numSms":10,"maxThreadsPerMultiprocessor":9223372036854775807,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":100000}'
	equal "$(sed -n 2p k.tsv)" $'k\t1\t0.01\t8.0\t10\t\t\t'
}

@test "what the profiler wrote as 0 is not known" {
	kernel 1 k 10 20 ',"blocks per SM":0.5,"est. achieved occupancy %":40'
	kernel 2 k 30 20 ',"blocks per SM":1.5,"est. achieved occupancy %":0'
	kernel 3 none 5 20 ',"blocks per SM":0,"est. achieved occupancy %":0'
	kernel 4 odd 1 20 ',"blocks per SM":-2,"est. achieved occupancy %":"50"'
	config
	equal "$(cut -f 1,4-6,11-14 all.tsv)" "$(printf '%s\n' $'name\tmean_us\tmin_us\tmax_us\tblocks_per_sm\tblocks_known_count\toccupancy\toccupancy_known_count' \
		$'k\t20.0\t10.0\t30.0\t1.25\t2\t40.0\t1' $'none\t5.0\t5.0\t5.0\t\t0\t\t0' $'odd\t1.0\t1.0\t1.0\t\t0\t\t0')"
}

@test "launches by operator, grid, block, registers and shared memory" {
	event '{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":9,"dur":12,"args":{}}'
	kernel 1 k 10 20 "$needs"
	kernel 2 k 30 20 "$needs"
	kernel 3 k 5 20 "$needs"
	kernel 4 k 1 30 "$needs"
	gpu 9 k 5000 2
	device_trace t.json "$gpus"
	tl-kcat -q --sheets kernel_launches -o k.tsv t.json
	equal "$(cut -f 2-8 k.tsv)" "$(printf '%s\n' $'operator\tgrid\tblock\tregisters_per_thread\tshared_memory_bytes\tCount\tms' \
		$'op\t[20, 1, 1]\t[64, 4, 1]\t64\t0\t2\t0.04' $'(no operator)\t[20, 1, 1]\t[64, 4, 1]\t64\t0\t1\t0.005' \
		$'(not launched)\t\t\t\t\t1\t0.002' $'(no operator)\t[30, 1, 1]\t[64, 4, 1]\t64\t0\t1\t0.001')"
}
