/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hammer.bpf.c: counts as fast as it can, with the instruments' own count(): a run adds one to each
 * of HAMMER_KEYS keys in a row, and much to a column that has no room for it, beginning with the
 * packet's mark. Run by BPF_PROG_TEST_RUN.
 */
#include "count.h"
#include "hammer.h"

struct __sk_buff {
	__u32 len;
	__u32 pkt_type;
	__u32 mark;
};

SEC("tc")
int wick_hammer(struct __sk_buff *packet)
{
	struct wick_counters *tally = counters_of(WICK_CPU);
	u32 mark = packet->mark, slot = slot_take();

	if (!tally)
		return 0;
	for (u32 i = 0; i < HAMMER_KEYS; i++) {
		struct wick_key key = {.leg = mark + i, .kind = WICK_CPU};
		struct wick_columns columns = {.column = {1, mark + i, HAMMER_MUCH}};

		count(&key, &columns, tally);
	}
	slot_give_back(slot);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
