/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_members.c: every member of the JSON summary, for the manual: a unit test holds it against
 * what is written. A member that is added leaves JSON_SCHEMA as it is; one that changes, or goes,
 * makes it larger.
 */
#include "report.h"

#define WAITS  "lock disk paging cpu throttled network peer child sleep idle unclear"
#define MEMORY "calls mapped_bytes unmapped_bytes gone_bytes outstanding_bytes"

const struct json_members json_members[] = {
	{"", "wick schema", "the version of wick, and the one of these members"},
	{"", "host kernel", "the host's name, and the release of its kernel"},
	{"", "filters", "the options that chose threads, as they were typed"},
	{"", "started seconds", "the run's begin, in seconds since 1970, and its length"},
	{"", "cpus", "how many CPUs the host has"},
	{"samples", "frequency", "CPU samples: how many a second on each CPU"},
	{"samples", "counted expected", "how many there are, and how many there should be"},
	{"functions[]", "name module samples",
	 "the functions with the most CPU samples of their own, and the files that they are in"},
	{"off_cpu", "seconds", "time off-CPU of all threads"},
	{"off_cpu", "blocks walked_blocks", "how often threads blocked, how often that was walked"},
	{"off_cpu", "recorded_only",
	 "walked blocks that only parts of the recording show: memory has no room for all"},
	{"off_cpu.by_state", "S D I T R Q", "time off-CPU by state, as --state has it"},
	{"account", "threads", "how many threads there were"},
	{"account", "running run_queue preempted blocked unaccounted", "what they did"},
	{"account", "expected", "how long they existed"},
	{"account", "ran_by_scheduler", "how long they ran, by the scheduler's own clock"},
	{"account.cpus", "cpus running idle expected", "CPUs with an account, and their time"},
	{"processes[]", "name pid threads", "the processes that matter most come first"},
	{"processes[]", "running", "seconds that its threads ran"},
	{"processes[].waits", WAITS, "seconds that its threads waited, by the kind of wait"},
	{"processes[].longest", "kind seconds place", "its longest single delay"},
	{"", "processes_seen", "how many processes there were; at most 100 are listed"},
	{"process_rows[]", "name processes pid threads running",
	 "the same processes, those of one name together where none of them matters alone: then "
	 "there is no pid"},
	{"process_rows[].waits", WAITS, "as of processes"},
	{"process_rows[].longest", "kind seconds place", "as of processes"},
	{"waits", WAITS, "seconds that all threads waited, by the kind of wait"},
	{"delays[]", "process pid others kind",
	 "the largest delays: waits of one kind of a process, and of others of its name ..."},
	{"delays[]", "place cause", "... at one place, and what most of it was for"},
	{"", "short_waits", "seconds in waits that were too short to be looked at"},
	{"delays[]", "seconds times longest", "their sum, how many there were, the longest one"},
	{"quota", "cgroup", "the cgroup that was throttled the most, and ..."},
	{"quota.users[]", "name pid running", "... its processes that ran most"},
	{"full[]", "name pid tid running no_cpu existed",
	 "threads that ran nearly all the time that they existed"},
	{"starved[]", "name pid tid running no_cpu existed",
	 "threads that were without a CPU for longer than they ran"},
	{"faults", "faults major in_kernel not_done",
	 "page faults; major ones, those taken in the kernel, those begun and not completed"},
	{"faults", "resident_bytes seconds", "memory that became resident, time in faults"},
	{"faults", "resident_by_faults resident_warning",
	 "true: each fault counts as a page, and what is wrong with that"},
	{"brk", MEMORY, "the heap, by brk(): calls, and the bytes that they made"},
	{"mmap", MEMORY, "the same of mmap()"},
	{"reserved", MEMORY, "the same of mappings without access"},
	{"", "processes_of_32_bits", "processes whose brk() and mmap() are not seen"},
	{"missing[]", "view reason", "graphs that this host cannot give"},
	{"lost[]", "instrument cause value", "what was lost; time is nanoseconds"},
	{"left_out[]", "picture unit total kept share stacks kept_stacks",
	 "where --hide-stacks and its like were given: of each picture what there was, and what "
	 "is left; share is a part of 1"},
	{"left_out[].operations[]", "option argument removed share stacks",
	 "what each of them has removed; with what was kept, that is the total"},
	{"left_out[].operations[]", "frames joined",
	 "frames that it took out, and the value that is their callers' own now"},
	{"", "sums_at_their_largest", "how many sums have come to 2^64 - 1"},
	{"names", "frames named", "frames of user stacks, by samples, and those with a name"},
	{"names.worst[]", "name share",
	 "files and processes whose frames have none, largest first"},
	{"cost", "cpu_seconds window_cpu_seconds bpf_seconds",
	 "CPU time of wick, of it in the run, and of its BPF programs"},
	{"cost", "turned_down_seconds", "how long fewer stacks were walked, for wick's own cost"},
	{"cost", "resident_bytes bpf_map_bytes", "memory"},
	{"", "files[]", "what was written"},
};

const size_t nr_json_members = ARRAY_SIZE(json_members);
