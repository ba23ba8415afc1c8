#!/usr/bin/env bats
# nccl-payload.bats - what NCCL's NVTX ranges say of its messages, in databases of Nsight Systems.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	need sqlite3
	cd "$BATS_TEST_TMPDIR"
}

# nccl SQL…: makes trace.db: process 7, with the schemas of a communicator (2), of a collective with a reduction (5), of
# one without (4), and of a send (9)
nccl() {
	rm -f trace.db
	sqlite3 trace.db <<-SQL
		CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
		INSERT INTO StringIds VALUES (1, 'cuLaunchKernelEx'), (2, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'),
			(3, 'ncclDevKernel_SendRecv'), (4, 'ncclDevKernel_AllGather_RING_LL'), (5, 'ncclDevKernel_ReduceScatter_Sum_f32_RING_LL');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT);
		CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT, jsonText TEXT, binaryData TEXT);
		CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INT, schemaId INT, idx INT, type INT, name TEXT, offset INT);
		INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES
			(1, 2, 0, 18, 'NCCL communicator ID', NULL), (1, 2, 1, 5, 'No. of ranks', 8), (1, 2, 2, 5, 'Rank', 12), (1, 2, 3, 5, 'CUDA device', 16),
			(1, 5, 0, 18, 'NCCL communicator ID', NULL), (1, 5, 1, 22, 'Message size [bytes]', 8), (1, 5, 2, 16777240, 'Reduction operation', 16),
			(1, 4, 0, 18, 'NCCL communicator ID', NULL), (1, 4, 1, 22, 'Message size [bytes]', 8),
			(1, 9, 0, 18, 'NCCL communicator ID', NULL), (1, 9, 1, 22, 'Message size [bytes]', 8), (1, 9, 2, 5, 'Peer rank', 16),
			(1, 5, 1, 22, 'Message size [bytes]', 0);
		$*
	SQL
}
# little BYTES NUMBER: the number in hexadecimal digits, its lowest byte first
little() {
	printf "%0$(($1 * 2))x" "$2" | fold -w 2 | tac | tr -d '\n'
}
# payload SCHEMA [BYTES NUMBER]…: SQL of a blob
payload() {
	local schema=$1 data=
	shift
	while [ $# -gt 0 ]; do
		data+=$(little "$1" "$2")
		shift 2
	done
	printf "x'%s%s%s%s%s'" "$(little 8 1)" "$(little 8 "$schema")" "$(little 8 $((${#data} / 2)))" "$(little 8 99)" "$data"
}
# range START END NAME [BLOB [JSON [THREAD]]]
range() {
	printf "INSERT INTO NVTX_EVENTS VALUES (%s, %s, 59, '%s', (7<<24)+%s, 1, %s, %s);" "$1" "$2" "$3" "${6-71}" "${5-NULL}" "${4-NULL}"
}
# launch AT ID NAME [DEVICE [THREAD]]: a call, and 100 us later its kernel, of 50 us
launch() {
	printf "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%s, %s, 1, (7<<24)+%s, %s, 1);" "$1" $(($1 + 10)) "${5-71}" "$2"
	printf "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%s, %s, %s, 20, %s, 7<<24, %s);" $(($1 + 100000)) $(($1 + 150000)) "${4-0}" "$2" "$3"
}
# collectives: of each kernel its rank, group, what it does, ranks, type and the message on both sides
collectives() {
	tl-coll -q --sheets collectives --columns rank,process_group,collective,group_size,dtype,in_nelems,out_nelems trace.db | tail -n +2
}

communicator=$((0x1122334455667788))

@test "a call gives its kernel the communicator, its ranks and the message" {
	nccl "$(range 10 20 ncclCommInitRankConfig "$(payload 2 8 $communicator 4 8 4 3 8 0)")" \
		"$(range 100 200 ncclAllReduce "$(payload 5 8 $communicator 8 67108864 8 2)")" "$(launch 120 1 2)" \
		"$(range 300 400 ncclAllGather "$(payload 4 8 $communicator 8 4096)")" "$(launch 320 2 4)" \
		"$(range 500 600 ncclReduceScatter "$(payload 5 8 $communicator 8 4096 8 0)")" "$(launch 520 3 5)"
	equal "$(collectives)" "3	0x1122334455667788	allreduce	8	Byte	67108864	67108864
3	0x1122334455667788	allgather	8	Byte	4096	32768
3	0x1122334455667788	reducescatter	8	Byte	32768	4096"
	equal "$(tl-coll -q --columns rank,'Collective name','In msg size (MB)_first',dur_sum,operation_count trace.db | sed -n 2p)" \
		"3	allgather	0.00390625	50.0	1"
	equal "$(tl-coll -q --rank 5 --columns rank trace.db | tail -n 1)" 5
	like "$(tl-parse trace.db | tl-view | grep 'annotation.*ncclAllReduce')" 'Group size:i=8	Group rank:i=3	In msg nelems:i=67108864.*	Reduction operation:s=Max'
	equal "$(tl-sheets -q --sheets exposed_communication --columns collective,message_bytes,bus_bytes trace.db | sed -n 2,4p | sort | head -n 1)" \
		"allgather	32768.0	28672.0"
}

@test "a payload may be JSON, or bytes in hexadecimal digits; without a communicator's ranks there are none" {
	local hex
	hex=$(payload 5 8 $communicator 8 2048 8 0)
	nccl "$(range 100 200 ncclAllReduce NULL "'{\"Message size [bytes]\": 1024, \"Reduction operation\": \"Avg\", \"NCCL communicator ID\": 12302426807092694237}'")" \
		"$(launch 120 1 2)" "$(range 300 400 ncclAllReduce "${hex#x}")" "$(launch 320 2 2)" \
		"$(range 500 600 ncclAllGather "$(payload 4 8 $communicator 8 4096)")" "$(launch 520 3 4)"
	equal "$(collectives)" "0	0xaabb00000000ccdd	allreduce		Byte	1024	1024.0
0	0x1122334455667788	allreduce		Byte	2048	2048.0
0	0x1122334455667788	allgather		Byte	4096	"
	equal "$(tl-coll -q trace.db | wc -l)" 4
}

@test "calls of a group share its kernel; groups within it are part of it" {
	nccl "$(range 100 110 ncclGroupStart)" "$(range 112 113 ncclGroupStart)" \
		"$(range 120 130 ncclSend "$(payload 9 8 $communicator 8 1000 8 0)")" "$(range 140 150 ncclSend "$(payload 9 8 $communicator 8 500 8 2)")" \
		"$(range 152 153 ncclGroupEnd)" "$(range 160 170 ncclRecv "$(payload 9 8 $communicator 8 700 8 1)")" \
		"$(range 180 300 ncclGroupEnd)" "$(launch 200 1 3)" \
		"$(range 400 410 ncclSend "$(payload 9 8 $communicator 8 9 8 1)")" "$(launch 401 2 3)" \
		"$(range 500 600 ncclSend "$(payload 9 8 $communicator 8 77 8 1)" NULL 72)" "$(launch 401 3 3 0 72)"
	equal "$(collectives | cut -f 2-)" "0x1122334455667788	coalesced		Byte	1500.0	700.0
stream 20	coalesced				
stream 20	coalesced				"
}

@test "of several kernels of a group each has its own messages, or its part of messages that are alike, or none" {
	nccl "$(range 10 20 ncclCommInitRank "$(payload 2 8 $communicator 4 2 4 0 8 0)")" "$(range 30 40 ncclCommInitRank "$(payload 2 8 $communicator 4 2 4 1 8 1)")" \
		"$(range 100 101 ncclGroupStart)" "$(range 102 103 ncclAllReduce "$(payload 5 8 $communicator 8 64 8 0)")" \
		"$(range 104 105 ncclAllReduce "$(payload 5 8 $communicator 8 64 8 0)")" "$(range 106 107 ncclAllGather "$(payload 4 8 $communicator 8 32)")" \
		"$(range 110 300 ncclGroupEnd)" "$(launch 120 1 2 0)" "$(launch 140 2 2 1)" "$(launch 160 3 4 0)" \
		"$(range 400 401 ncclGroupStart)" "$(range 402 403 ncclAllReduce "$(payload 5 8 $communicator 8 64 8 0)")" \
		"$(range 404 405 ncclAllReduce "$(payload 5 8 $communicator 8 128 8 0)")" "$(range 410 500 ncclGroupEnd)" "$(launch 420 4 2 0)" "$(launch 440 5 2 1)"
	equal "$(collectives)" "0	0x1122334455667788	allreduce	2	Byte	64.0	64.0
1	0x1122334455667788	allreduce	2	Byte	64.0	64.0
0	0x1122334455667788	allgather	2	Byte	32.0	64.0
0	0x1122334455667788	allreduce	2			
1	0x1122334455667788	allreduce	2			"
	run -0 --separate-stderr tl-coll trace.db
	like "$stderr" '2 events: kernels of NCCL whose messages cannot be told from those of other kernels of their group'
}

@test "payloads that are cut short or damaged are counted, and give nothing" {
	nccl "$(range 100 200 ncclAllReduce "x'0100000000000000050000'")" "$(launch 120 1 2)" \
		"$(range 300 400 ncclAllReduce "$(payload 5 8 $communicator)")" \
		"$(range 500 600 ncclAllReduce NULL "'{\"Message size [bytes]\": '")" \
		"$(range 700 800 ncclAllReduce "x'$(little 8 1)$(little 8 5)$(little 8 -1)$(little 8 0)00'")" \
		"$(range 900 990 ncclAllReduce "$(payload 12345 8 1 8 1)")"
	run -0 --separate-stderr tl-coll --sheets collectives --columns in_nelems trace.db
	equal "$output" in_nelems
	like "$stderr" '4 events: calls of NCCL whose payload is cut short or damaged'
	refute grep -q include-blobs <<<"$stderr"
}

@test "an export without payloads is told how to keep them" {
	nccl "$(range 100 200 ncclAllReduce)" "$(launch 120 1 2)" "$(range 300 301 ncclGroupStart)"
	run -0 --separate-stderr tl-coll trace.db
	like "$stderr" '1 event: calls of NCCL without the sizes of their messages, which nsys export --include-blobs=true keeps'
	sqlite3 trace.db "DELETE FROM NVTX_PAYLOAD_SCHEMA_ENTRIES"
	run -0 --separate-stderr tl-coll trace.db
	refute grep -q include-blobs <<<"$stderr"
}
