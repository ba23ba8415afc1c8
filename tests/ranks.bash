# ranks.bash - small traces of ranks with collectives, for tests of tl-ranks.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

events=()

# coll NAME TS DUR [ARGS]: an event of a collective of 1 Mi floats in the group "g" of two ranks; ARGS replace what they name
coll() {
	local args='"stream":7,"Process Group Name":"g","Process Group Ranks":"[0, 1]","Group size":2,"dtype":"Float","In msg nelems":1048576,"Out msg nelems":1048576,"In split size":"[]","Out split size":"[]"'
	events+=('{"ph":"X","cat":"kernel","name":"ncclDevKernel_X","pid":0,"tid":7,"ts":'"$2"',"dur":'"$3"',"args":{"correlation":'"$((${#events[@]} + 1)),$args"',"Collective name":"'"$1"'"'"${4:+,$4}"'}}')
}
# kernel NAME TS DUR: a kernel of which the trace says nothing else
kernel() {
	events+=('{"ph":"X","cat":"kernel","name":"'"$1"'","pid":0,"tid":8,"ts":'"$2"',"dur":'"$3"',"args":{"correlation":'"$((${#events[@]} + 1))"',"stream":8}}')
}
# rank FILE [MEMBERS]: the trace of the events so far
rank() {
	local IFS=,
	printf '{"schemaVersion":1,%s"traceEvents":[%s]}\n' "${2:+$2,}" "${events[*]}" >"$1"
	events=()
}
# Two ranks: rank 1 is late for the all-reduce and early for the all-gather.
two_ranks() {
	coll allreduce 100 50
	coll allgather 300.5 10
	rank rank0_trace.json
	coll allreduce 120 32
	coll allgather 290 21
	rank rank1_trace.json
}
# job TP DP [OPTION]...: the traces of the ranks of a job (tl-gen), of TP * DP ranks, or so many times the stages of --pp
job() {
	local tp=$1 dp=$2 pp=1 i
	shift 2
	[[ ! " $*" =~ \ --pp\ ([0-9]+) ]] || pp=${BASH_REMATCH[1]}
	for ((i = 0; i < tp * dp * pp; i++)); do
		tl-gen --tp "$tp" --dp "$dp" --rank $i "$@" >rank$i.json
	done
}
