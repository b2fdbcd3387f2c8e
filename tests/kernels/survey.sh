#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# survey.sh works|refused [SECONDS]: runs in a guest, with work and a tree whose wick is built beside it: tries each command, and checks what it
# shows. A line "ok NAME" or "not ok NAME: why" each, what was said below it. What doctor says lies in /out, for the host.
# refused: this kernel is too old, and each command says so in a sentence.
expect=$1 seconds=${2:-3} wick=wick/build/wick
bad=0
ok() { echo "ok $1"; }
not() { # NAME WHY
	bad=$((bad + 1))
	echo "not ok $1: $2"
}
now() { cut -d' ' -f1 /proc/uptime; }

# lacks NAME FILE REGEX: it is in no line of FILE.
lacks() {
	if grep -Eq -e "$3" "$2"; then not "$1" "there is $3"; grep -E -e "$3" "$2" | head -n 3 | cut -c1-300 | sed 's/^/    /'; else ok "$1"; fi
}
# try NAME COMMAND...: it exits with 0, and soon (a verifier may think for an hour); what it said is in err.
try() {
	local name=$1 from status
	shift
	from=$(now)
	timeout -k 5 180 "$@" >out 2>err
	status=$?
	if [ $status = 0 ]; then ok "$name"; else not "$name" "exit status $status"; fi
	awk -v from="$from" -v to="$(now)" 'BEGIN { printf "    took %.1f s\n", to - from }'
	cut -c1-400 err | sed 's/^/    /'
	return $status
}

# has NAME FILE REGEX...: each regular expression is in some line of FILE.
has() {
	local name=$1 file=$2 gone='' regex
	shift 2
	for regex; do grep -Eq -e "$regex" "$file" || gone="$gone $regex"; done
	if [ -z "$gone" ]; then
		ok "$name"
	else
		not "$name" "no$gone"
		awk '{ print $NF, $0 }' "$file" | sort -rn | head -n 40 | cut -d' ' -f2- | cut -c1-300 | sed 's/^/    /'
	fi
}

# closed NAME: the account that err has differs by less than 0.1 %: all time of all threads and CPUs is in it.
closed() {
	local share
	share=$(sed -n 's/^account.*difference .*(\(-*[0-9.]*\) %).*/\1/p' err)
	if [ -z "$share" ]; then
		not "$1" "no account"
	elif awk -v share="$share" 'BEGIN { exit !(share < 0.1 && share > -0.1) }'; then
		ok "$1"
	else
		not "$1" "$share %"
	fi
}

# refuses COMMAND...: exits with 1, and says in one sentence which kernels will do.
refuses() {
	"$@" >out 2>err
	local status=$? name="${2}-is-refused"
	sed 's/^/    /' err
	if [ $status != 1 ]; then
		not "$name" "exit status $status"
	elif [ "$(wc -l <err)" -gt 2 ] || ! grep -q "Linux $(uname -r | cut -d. -f1,2)" err; then
		not "$name" "no sentence that names this kernel"
	else
		ok "$name"
	fi
}

echo "kernel $(uname -r -m)"
[ ! -d /out ] || timeout -k 5 180 "$wick" doctor --json --stats >/out/doctor.json 2>err || timeout -k 5 180 "$wick" doctor --json >/out/doctor.json 2>err
timeout -k 5 180 "$wick" doctor 2>&1 | sed 's/^/    /'
if [ "$expect" = refused ]; then
	for command in cpu offwake record threads; do refuses "$wick" $command; done
	[ $bad = 0 ]
	exit
fi

./work 1000 &
work=$!
sleep 1
if try cpu "$wick" cpu -d "$seconds" -o cpu.folded --stats; then
	has cpu-stack cpu.folded '^work;(__clone3?|thread_start);start_thread;run;spin_root;spin_middle;spin_leaf'
fi
if try cpu-fp "$wick" cpu --unwind fp -d 1 -o fp.folded; then has cpu-fp-stack fp.folded spin_leaf; fi
if try threads "$wick" threads -o threads.folded; then
	# Who is on a CPU, or whose mappings are being changed, has no stack: look more than once.
	for _ in 1 2; do "$wick" threads -o again.folded 2>/dev/null && cat again.folded >>threads.folded; done
	if grep -qw bpf_copy_from_user_task /proc/kallsyms; then
		has threads-stack threads.folded 'start_thread;run;sleep_root;sleep_middle;sleep_leaf;.*nanosleep'
	else
		echo "skip threads-stack: before 5.18 no BPF program reads another thread's user stack"
	fi
fi
if try offwake "$wick" offwake --stats --walk-above 0 -d "$seconds" -o offwake.folded; then
	closed offwake-account
	has offwake-stack offwake.folded 'start_thread;run;ping_root;pass_on;.*;--;.*pass_on.*pong_root'
fi
if try faults-rss "$wick" faults --metric bytes -d 1 -o rss.folded; then
	has faults-rss-stack rss.folded 'run;memory_root;map_leaf;touch'
fi
kill $work
wait $work 2>/dev/null

# On an emulated CPU the usual budget is too little for a chain of two.
if try record "$wick" record --idle --budget 100 --stats -d "$seconds" -o rec -- ./work "$seconds"; then
	closed record-account
	views=$("$wick" list | sed -n '/^views:/,/^formats:/s/^  \([^ ]*\) .*/\1/p')
	[ -n "$views" ] || not record-views "no view is listed"
	for view in $views; do
		if [ -s "rec/$view.folded" ]; then ok "record-$view"; else not "record-$view" "nothing drawn"; fi
	done
	has record-cpu-stack rec/cpu.folded '(__clone3?|thread_start);start_thread;run;spin_root;spin_middle;spin_leaf'
	has record-offcpu-stack rec/offcpu.folded 'start_thread;run;sleep_root;sleep_middle;sleep_leaf;.*nanosleep'
	has record-wakeup-stack rec/wakeup.folded 'start_thread;run;(ping|pong)_root;pass_on;.*;work' 'hrtimer_wakeup'
	# A timer's wakeup is the timer's, not the doing of the task that it interrupted.
	lacks record-wakeup-bystander rec/wakeup.folded '^[^[].*hrtimer_interrupt.*hrtimer_wakeup'
	has record-offwake-stack rec/offwake.folded 'start_thread;run;pong_root;pass_on.*;--;.*pass_on.*ping_root|run;ping_root.*;--;.*hrtimer_wakeup'
	has record-chain-stack rec/chain.folded '--;.*--;'
	has record-wall-stack rec/wall.folded 'spin_root;spin_middle;spin_leaf.*on-CPU|on-CPU.*spin_leaf' 'off-CPU'
	has record-faults-stack rec/faults.folded 'run;memory_root;map_leaf;touch' 'run;memory_root;brk_leaf;touch'
	has record-brk-stack rec/brk.folded 'run;memory_root;brk_leaf;.*brk'
	has record-mmap-stack rec/mmap.folded 'run;memory_root;map_leaf;.*mmap'
	awk '/^work/ { all += $NF; if ($0 !~ /^work[^;]*;(__clone3?|thread_start|_start)/) none += $NF }
		END { if (all) printf "    cpu stacks without a root: %.1f %% of %d\n", 100 * none / all, all }' rec/cpu.folded
fi

wrong=$(dmesg | grep -E 'BUG:|Oops|WARNING:|general protection' | grep -v 'soft lockup' | head -n 5)
if [ ! -d /out ] || [ -z "$wrong" ]; then ok kernel-log; else not kernel-log "$wrong"; fi
awk '{ printf "    %s s since the boot\n", $1 }' /proc/uptime
awk '/^(MemTotal|MemAvailable):/ { printf "    %s %d MB\n", $1, $2 / 1024 }' /proc/meminfo
[ $bad = 0 ]
