#!/usr/bin/env bats
# runner.bats - tl-multi and tl-ranks with --runner: GNU parallel, Slurm.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# Starts a Slurm of one node with what is installed; says in $SLURM_RUN/why if that is not possible.
setup_file() {
	export SLURM_RUN=$BATS_FILE_TMPDIR SLURM_CONF=$BATS_FILE_TMPDIR/slurm.conf
	cd "$SLURM_RUN"
	mkdir -p in state spool
	local i host
	for i in {0..63}; do
		tl-gen -n 300 --no-python --seed $i >in/rank_$i.json
	done
	for i in munged slurmctld slurmd sbatch; do
		PATH=$PATH:/usr/sbin command -v $i >/dev/null || { echo "$i is not here" >why; return 0; }
	done
	host=$(hostname -s)
	head -c 1024 /dev/urandom >key
	chmod 400 key
	cat >"$SLURM_CONF" <<-END
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$((20000 + $$ % 10000))
		SlurmdPort=$((30000 + $$ % 10000))
		AuthType=auth/munge
		AuthInfo=socket=$PWD/munge
		CredType=cred/munge
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		StateSaveLocation=$PWD/state
		SlurmdSpoolDir=$PWD/spool
		SlurmctldPidFile=$PWD/slurmctld.pid
		SlurmdPidFile=$PWD/slurmd.pid
		SlurmctldLogFile=$PWD/slurmctld.log
		SlurmdLogFile=$PWD/slurmd.log
		SlurmdParameters=config_overrides
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SwitchType=switch/none
		MpiDefault=none
		ReturnToService=2
		MaxArraySize=41
		SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
		NodeName=$host NodeAddr=127.0.0.1 CPUs=70 State=UNKNOWN
		PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	start_slurm </dev/null >start.log 2>&1 3>&- 4>&- || { echo "Slurm does not start: $(cat start.log ./*.log | tail -n 1)" >why; }
}
start_slurm() {
	local PATH=$PATH:/usr/sbin n=0
	chmod go-w .
	munged --force --key-file="$PWD/key" --socket="$PWD/munge" --pid-file="$PWD/munged.pid" --log-file="$PWD/munged.log" \
		--seed-file="$PWD/munge.seed" || return 1
	slurmctld -i || return 1
	slurmd || return 1
	until [ "$(sinfo -h -o %T)" = idle ]; do
		[ $((n += 1)) -lt 50 ] || return 1
		sleep 0.2
	done
}
teardown_file() {
	local f pid n=0
	for f in slurmd slurmctld munged; do
		[ -e "$SLURM_RUN/$f.pid" ] || continue
		pid=$(cat "$SLURM_RUN/$f.pid")
		kill "$pid" || true
		while kill -0 "$pid" 2>/dev/null && [ $((n += 1)) -lt 100 ]; do sleep 0.1; done
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	ln -s "$SLURM_RUN/in" all
}
need_slurm() {
	[ ! -e "$SLURM_RUN/why" ] || skip "$(cat "$SLURM_RUN/why")"
}
# some N: the first N ranks in a folder of this test
some() {
	local i
	mkdir -p in
	for ((i = 0; i < $1; i++)); do
		cp all/rank_$i.json in
	done
}
# Programs of Slurm that only write down how they were called.
false_slurm() {
	mkdir bin
	cat >bin/sbatch <<-'END'
		#!/bin/sh
		echo "$*" >>sbatch.log
		echo "$(wc -l <sbatch.log);cluster"
	END
	printf '#!/bin/sh\necho "MaxArraySize            = 3"\n' >bin/scontrol
	printf '#!/bin/sh\ncat alive 2>/dev/null\n' >bin/squeue
	chmod +x bin/*
	PATH=$PWD/bin:$PATH
}

@test "Slurm: 64 ranks, the same sheets as by processes" {
	need_slurm
	tl-ranks -q -d here all/*.json
	tl-ranks -d out --runner slurm --wait all/*.json >said
	same_sheets here out
	equal "$(grep -o '[0-9]* part.* in out.parts' said | paste -sd ,)" '40 parts in out.parts,24 parts in out.parts'
	grep -qx out/nccl_long.tsv said
	[ ! -e out.parts ]
	tl-multi -q -b all/ -f rank_ --output_tsvs_dir multi >said
	tl-multi -b all/ -f rank_ --output_tsvs_dir mout --runner slurm --wait >said 2>&1
	same_sheets multi mout
}

@test "Slurm: a failed part is named by the merge, the same command makes that part only" {
	need_slurm
	some 4
	head -c 5000 all/rank_2.json >in/rank_2.json
	run -1 --separate-stderr tl-multi -b in -f rank_ --output_tsvs_dir out --runner slurm --wait --sbatch-options '-t 5 --comment="a b"'
	like "$output" 'error: [^ ]*/in/rank_2.json: the report does not count this trace'
	like "$output" 'what the jobs said that made no part is in out.parts/slurm-'
	like "$(cat out.parts/slurm-*_3.out)" 'error: [^ ]*/in/rank_2.json: '
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 0 1 3'
	cp all/rank_2.json in
	tl-multi -b in -f rank_ --output_tsvs_dir out --runner slurm --wait >said 2>&1
	like "$(cat said)" ': 1 part in out.parts'
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 0 1 2 3'
	[ ! -e out.parts ]
}

@test "Slurm: while jobs wait, no other run works in their folder" {
	need_slurm
	some 2
	tl-ranks -d out --runner slurm --sbatch-options --hold in/*.json >said
	run -1 --separate-stderr tl-ranks -d out in/*.json
	failed 1 'out.parts: jobs work in this folder: wait for the job [0-9]+,'
	grep -o 'job [0-9]*' said | cut -d ' ' -f 2 | xargs scancel
	tl-ranks -q -d out in/*.json
	[ -s out/nccl_long.tsv ]
}

@test "Slurm: a merge that is cancelled is no success, also in a folder with an odd name" {
	need_slurm
	some 2
	tl-ranks -d "it's 100%j/out" --runner slurm --wait in/*.json >said
	[ -s "it's 100%j/out/nccl_long.tsv" ]
	[ -s "it's 100%j/out.log" ]
	tl-ranks -d held --runner slurm --wait --sbatch-options --hold in/*.json >said 2>stderr &
	until [ -s held.parts/jobs ] || ! kill -0 $!; do sleep 0.05; done
	sed -n 2p held.parts/jobs | xargs scancel
	refute wait $!
	like "$(cat stderr)" 'Slurm says of the job [0-9]+ that it is CANCELLED'
}

@test "sbatch gets arrays of the size that Slurm allows, and a job after them" {
	false_slurm
	some 5
	run -0 --separate-stderr tl-ranks -d out --runner slurm --max_workers 2 --sbatch-options '-p long' in/*.json
	equal "$(cut -d ' ' -f 4- sbatch.log)" "$(cat <<-END
		-p long --array=1-2%2 out.parts/slurm-job.sh out.parts/tasks 0
		-p long --array=1-2%2 --dependency=afterany:1 out.parts/slurm-job.sh out.parts/tasks 2
		-p long --array=1-1%2 --dependency=afterany:2 out.parts/slurm-job.sh out.parts/tasks 4
		-p long --dependency=afterany:1:2:3 out.parts/slurm-job.sh out.parts/tasks 6
	END
	)"
	like "${lines[3]}" 'Slurm job 4: merges the parts into out; messages in out.log'
	# what the jobs do
	for i in 1 2; do
		for offset in 0 2 4; do
			[ $((offset + i)) = 6 ] || SLURM_ARRAY_TASK_ID=$i sh out.parts/slurm-job.sh out.parts/tasks $offset
		done
	done
	echo 4 >alive
	run -1 --separate-stderr tl-ranks -d out in/*.json
	failed 1 'wait for the job 4, which merges the parts, or scancel 1 2 3 4'
	equal "$(wc -l <sbatch.log)" 4
	SLURM_JOB_ID=4 sh out.parts/slurm-job.sh out.parts/tasks 6 >said 2>&1
	rm alive sbatch.log
	tl-ranks --part --rank 0 -o 0.part in/rank_0.json
	run -0 --separate-stderr tl-ranks -d out --runner slurm 0.part # nothing is to be made
	equal "$(cut -d ' ' -f 4- sbatch.log)" 'out.parts/slurm-job.sh out.parts/tasks 1'
	tl-ranks -q -d here in/*.json
	same_sheets here out
}

@test "several experiments in one Slurm array need a folder for all parts" {
	false_slurm
	mkdir -p in/a in/b
	cp all/rank_0.json in/a
	cp all/rank_1.json in/b/rank_0.json
	run -2 --separate-stderr tl-multi -b in --runner slurm
	failed 2 'several folders: say with --parts'
	run -0 --separate-stderr tl-multi -b in --runner slurm --parts parts
	equal "$(grep -c . parts/tasks) $(grep -o 'array=[0-9-]*' sbatch.log)" '3 array=1-2'
	printf '#!/bin/sh\necho "$*" >>cancelled\n' >bin/scancel
	sed -i '2i case $* in *tl-merge*) exit 1; esac' bin/sbatch
	chmod +x bin/scancel
	run -1 --separate-stderr tl-multi -b in --runner slurm --parts parts
	failed 1 'sbatch took no job; .*the jobs before that one are cancelled: 3'
	equal "$(cat cancelled)" 3
	printf '#!/bin/sh\nexit 1\n' >bin/scancel
	run -1 --separate-stderr tl-multi -b in --runner slurm --parts parts
	failed 1 'to cancel them: scancel 4'
	printf '#!/bin/sh\nexit 1\n' >bin/sbatch
	run -1 --separate-stderr tl-multi -b in --runner slurm --parts parts
	failed 1 'sbatch took no job'
}

@test "GNU parallel makes the same sheets, also of odd names" {
	need parallel
	some 3
	mv in/rank_0.json "in/rank_0 it's {} {.} \$x.json"
	tl-ranks -q -d here in/*.json
	tl-ranks -q -d out --runner parallel --max_workers 2 in/*.json
	same_sheets here out
	[ ! -e out.parts ]
	echo : >hosts # this machine
	tl-multi -q -b in -f rank_ --output_tsvs_dir multi >said
	tl-multi -q -b in -f rank_ --output_tsvs_dir mout --runner parallel --hosts hosts >said
	same_sheets multi mout
	head -c 5000 all/rank_2.json >in/rank_2.json
	run -1 --separate-stderr tl-ranks -q -d bad --runner parallel in/*.json
	failed 1 'in/rank_2.json: no part of this rank could be made'
	[ ! -e bad ]
}

@test "GNU parallel gives the parts to other machines" {
	need parallel
	some 2
	# an ssh that stays here, but starts in the home folder, as ssh does
	cat >ssh <<-'END'
		#!/bin/bash
		echo "$1" >>"${0%/*}/ssh.log"
		shift 2 # HOST --
		cd && exec bash -c "$*"
	END
	chmod +x ssh
	mv in/rank_0.json "in/rank_0 it's \$x.json"
	printf '1/one\n1/two\n' >hosts
	tl-ranks -q -d here in/*.json
	PARALLEL_SSH=$PWD/ssh tl-ranks -q -d out --runner parallel --hosts hosts in/*.json
	same_sheets here out
	equal "$(sort ssh.log | xargs)" 'one two'
	rm -r out ssh.log # as in a job of cron
	env -u SHELL PARALLEL_SSH="$PWD/ssh" tl-ranks -q -d out --runner parallel --hosts hosts in/*.json
	same_sheets here out
}

@test "--runner none merges the parts that are there" {
	some 3
	tl-multi -q -b in -f rank_0 --parts parts --output_tsvs_dir out >said
	run -1 --separate-stderr tl-multi -b in -f rank_ --parts parts --output_tsvs_dir out --runner none
	failed 1 'in/rank_2.json: the report does not count this trace'
	equal "$(cut -f 1 out/linked_and_short_kernels.tsv | paste -sd ' ')" 'rank 0'
}

@test "missing programs and wrong usage" {
	some 1
	run -1 --separate-stderr env PATH="$TL_BIN" "$TL_BIN/tl-ranks" --runner slurm -d out in/rank_0.json
	failed 1 'needs the program sbatch, which is not here: install the package slurm-client'
	run -1 --separate-stderr env PATH="$TL_BIN" "$TL_BIN/tl-multi" --runner parallel -b in
	failed 1 'install the package parallel'
	run -2 --separate-stderr tl-ranks --runner pbs -d out in/rank_0.json
	failed 2 "'pbs': expected local, parallel, slurm, none or the path of a script"
	run -2 --separate-stderr tl-ranks --hosts x -d out in/rank_0.json
	failed 2 'hosts is for --runner parallel'
	run -2 --separate-stderr tl-multi -b in --wait
	failed 2 'are for --runner slurm'
	false_slurm
	cp in/rank_0.json in/$'rank\n_1.json'
	run -1 --separate-stderr tl-multi -b in -f rank --runner slurm
	failed 1 'does not fit in the list of command lines'
}

@test "Slurm: the command goes again after a part has failed" {
	need_slurm
	some 2
	head -c 5000 all/rank_1.json >in/rank_1.json
	run -1 --separate-stderr tl-ranks -d out --runner slurm --wait in/*.json
	like "$output" 'no report without these ranks'
	run -1 --separate-stderr tl-ranks -d out --runner slurm --wait in/*.json
	unlike "$output$stderr" 'the output is the input'
	cp all/rank_1.json in
	run -0 --separate-stderr tl-ranks -d out --runner slurm --wait in/*.json
	[ -s out/nccl_long.tsv ]
}

@test "a runner of the user's own is a script" {
	some 2
	printf 'echo "$1 $TL_TASKS" >>calls\nhead -n "$TL_TASKS" "$TL_LIST" | sh\n' >mine.sh
	tl-ranks -q -d here in/*.json
	tl-ranks -q -d out --runner ./mine.sh in/*.json
	same_sheets here out
	equal "$(cat calls)" 'run 2'
}

@test "a runner of the user's own is ended when a signal ends the program" {
	some 1
	cat >mine.sh <<-'END'
		#!/bin/sh
		trap 'kill $!; : >ended; exit 1' TERM
		sleep 60 &
		: >begun
		wait
	END
	tl-ranks -q -d out --runner ./mine.sh in/rank_0.json 2>/dev/null 3>&- &
	until [ -e begun ]; do sleep 0.02; done
	kill $!
	wait $! || true
	until [ -e ended ]; do sleep 0.02; done
}
