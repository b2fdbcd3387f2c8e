#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest.sh works|refused [TEST...]: what a guest runs: the survey, then live tests of the tree that lies beside; each TEST
# by its name, or NAME/WORD/... for the cases with such a word in their name. Each part, and its end, has a line "== ...".
expect=$1
shift
part() { # NAME COMMAND...
	local from name=$1
	shift
	from=$(cut -d. -f1 /proc/uptime)
	echo "== begin $name"
	timeout -k 5 900 "$@" 2>&1 | cut -c1-1200
	echo "== end $name: exit status ${PIPESTATUS[0]}, $(($(cut -d. -f1 /proc/uptime) - from)) s"
}

part survey bash survey.sh "$expect"
cd wick || exit
export WICK_TEST_EMULATED=1
# Whatever was compiled before is newer than its source.
[ ! -d build/workload ] || touch build/workload/*
for test; do
	IFS=/ read -ra words <<<"$test"
	part "${words[0]}" "tests/live/test-${words[0]}" "${words[@]:1}"
done
