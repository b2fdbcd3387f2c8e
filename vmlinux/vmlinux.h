/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmlinux.h: the kernel types that wick's BPF programs touch, and of those only the fields.
 *
 * CO-RE relocates every access to the running kernel's layout, so order and size mean nothing here;
 * names and types do. Where kernels differ, the alternatives are flavors of one type (`struct
 * x___old`): libbpf ignores what follows the three underscores, and the programs ask
 * bpf_core_field_exists() which one this kernel has. tests/live/test-btf checks that each field, or
 * one of its alternatives, is in the running kernel's BTF.
 *
 * Declared by hand, so that a build needs no kernel and means the same everywhere.
 */
#ifndef VMLINUX_H
#define VMLINUX_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
enum { false = 0, true = 1 };

/* include/uapi/linux/bpf.h: only what is used. Types of the interface, not relocated. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_F_NO_PREALLOC = 1 << 0, BPF_F_MMAPABLE = 1 << 10 };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };
enum { BPF_RB_AVAIL_DATA = 0, BPF_RB_RING_SIZE = 1 };

#if defined(__TARGET_ARCH_x86)
#include "regs_x86.h"
#elif defined(__TARGET_ARCH_arm64)
#include "regs_arm64.h"
#else
#error "no registers for this architecture: add vmlinux/regs_ARCH.h"
#endif

/* include/uapi/linux/bpf_perf_event.h: the context of a perf_event program. */
struct bpf_perf_event_data {
	bpf_user_pt_regs_t regs;
	__u64 sample_period;
	__u64 addr;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* Which helpers this kernel has: a name that its BTF lacks is a helper that it lacks. */
enum bpf_func_id {
	BPF_FUNC_task_pt_regs = 175,	    /* 5.15 */
	BPF_FUNC_copy_from_user_task = 191, /* 5.18 */
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct kernfs_node {
	u64 id;
};

/* Since 6.0 a cgroup points at its ancestors; before, it listed their ids. */
struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup *ancestors[1];
};

struct cgroup___before_6_0 {
	u64 ancestor_ids[1];
};

enum cgroup_subsys_id {
	io_cgrp_id = 3, /* with CONFIG_BLK_CGROUP */
};

struct cgroup_subsys_state;

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct request_queue;

/* What a cgroup has of block devices; it begins with its cgroup_subsys_state. */
struct blkcg {
	struct hlist_head blkg_list;
};

enum { IO_POLICIES = 6 }; /* BLKCG_MAX_POLS */

/* And of one of them. */
struct blkcg_gq {
	struct request_queue *q;
	struct hlist_node blkcg_node;
	struct blkcg_gq *parent;
	void *pd[IO_POLICIES]; /* struct throtl_grp and its like */
};

struct throtl_data {
	struct request_queue *queue;
};

/* With CONFIG_BLK_DEV_THROTTLING: the limits. */
struct throtl_grp {
	struct throtl_data *td;
	unsigned long disptime; /* jiffies */
};

/* mm_lock_seq counts write locks of the mappings: an int in 6.4, a seqcount since 6.13. */
struct seqcount {
	unsigned int sequence;
};
typedef struct seqcount seqcount_t;

/*
 * Mappings are in a tree of ranges since 6.1 (lib/maple_tree.c): a word is an address with the
 * node's type in its low bits; nodes are 256 bytes, of two shapes.
 */
struct maple_tree {
	void *ma_root;
};

enum maple_type {
	maple_leaf_64 = 1,
	maple_range_64 = 2,
	maple_arange_64 = 3,
};

struct maple_range_64 {
	unsigned long pivot[15];
	void *slot[16];
};

struct maple_arange_64 {
	unsigned long pivot[9];
	void *slot[10];
};

/* Before 6.1 they were in a red-black tree. */
struct rb_node {
	struct rb_node *rb_right, *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct mm_struct___before_6_1 {
	struct rb_root mm_rb;
	u64 vmacache_seqnum; /* of mappings removed */
};

struct mm_struct___before_6_13 {
	int mm_lock_seq;
};

struct vm_area_struct___before_6_1 {
	struct rb_node vm_rb;
};

typedef struct {
	long long counter;
} atomic64_t;

typedef struct {
	void *vdso;
#if defined(__TARGET_ARCH_x86)
	atomic64_t tlb_gen; /* flushes of the TLB */
#endif
} mm_context_t;

struct rw_semaphore {
	atomic64_t count;
};

/* With CONFIG_PREEMPT_RT. */
struct rw_semaphore___rt {
	struct {
		struct {
			int counter;
		} readers;
	} rwbase;
};

struct mm_struct___rt {
	struct rw_semaphore___rt mmap_lock;
};

/* lib/percpu_counter.c: what is counted is `count` and the sum of each CPU's own `counters`. */
struct percpu_counter {
	s64 count;
	s32 *counters;
};

/* The members of a resident set: include/linux/mm_types_task.h. */
enum { MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES, NR_MM_COUNTERS };

struct mm_struct {
	struct rw_semaphore mmap_lock;
	unsigned long start_stack;
	unsigned long brk;
	unsigned long total_vm;		   /* pages */
	struct percpu_counter rss_stat[4]; /* since 6.2; before, another type */
	seqcount_t mm_lock_seq;
	struct maple_tree mm_mt;
	mm_context_t context;
};

struct list_head {
	struct list_head *next;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent; /* itself, of a file system's root */
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent; /* itself, of the root */
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt; /* of a struct mount */
	struct dentry *dentry;
};

struct block_device {
	unsigned int bd_dev;
};

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic;
	struct block_device *s_bdev;
};

/* The time of the last change is in two members since 6.11; before it was one, under two names. */
struct inode {
	unsigned short i_mode;
	unsigned int i_rdev;
	struct super_block *i_sb;
	unsigned long i_ino;
	long long i_size;
	long long i_mtime_sec;
	u32 i_mtime_nsec;
	u32 i_generation;
};

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};

struct inode___before_6_11 {
	struct timespec64 __i_mtime;
};

struct inode___before_6_7 {
	struct timespec64 i_mtime;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
	void *private_data; /* of a socket: struct socket; of an epoll: struct eventpoll */
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct in6_addr {
	union {
		u32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	unsigned short skc_family;
	u16 skc_dport; /* in the network's order, and so are the addresses */
	u16 skc_num;
	u32 skc_daddr;
	u32 skc_rcv_saddr;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_protocol;
	struct socket *sk_socket;
	struct pid *sk_peer_pid;
};

struct socket {
	struct file *file;
	struct sock *sk;
};

struct inet_bind_bucket {
	signed char fastreuse;
};

struct inet_connection_sock {
	struct inet_bind_bucket *icsk_bind_hash;
};

struct sockaddr_un {
	char sun_path[108];
};

struct unix_address {
	int len; /* with the family, before the path */
	struct sockaddr_un name[1];
};

/* Of a module, on some kernels. */
struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

/* Files that are ready are in a list, before the one that waits has taken them from it. */
struct eventpoll {
	struct list_head rdllist;
};

struct epitem {
	struct list_head rdllink;
	struct {
		struct file *file;
	} ffd;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
};

/* A page fault that is being handled. */
struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
	unsigned long address; /* of the page */
};

/* A search for room; alignment is a part of the length where callers ask for that. */
struct vm_unmapped_area_info {
	unsigned long length;
};

struct rq {
	u64 clock;
	u64 clock_task; /* without the time of interrupts, and what a hypervisor took */
	int cpu;
};

/*
 * A map of arrays, one a CPU: `pptrs` are pointers as the kernel keeps them for memory of that
 * kind.
 */
struct bpf_array {
	void *pptrs[1];
};

struct sched_info {
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct cfs_rq {
	struct rq *rq;
};

/* With CONFIG_CFS_BANDWIDTH. Since 6.18 a thread is throttled by itself, on its way out. */
struct cfs_rq___quota {
	int throttle_count; /* its own and those of the groups above that are throttled */
};

struct sched_entity {
	u64 exec_start;
	u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq; /* with CONFIG_FAIR_GROUP_SCHED */
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads of the process */
};

/* arm64 has the count of preemption here; x86-64 has it in a variable of the CPU. */
struct thread_info {
#if defined(__TARGET_ARCH_arm64)
	unsigned long flags;
	u64 preempt_count; /* the lower half; the upper one says whether to reschedule */
#else
	u32 status;
#endif
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

/* Where the thread's own memory is: its thread pointer. */
struct thread_struct {
#if defined(__TARGET_ARCH_arm64)
	struct {
		u64 tp_value;
	} uw;
#else
	u64 fsbase;
#endif
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state; /* since 5.14 */
	unsigned int on_cpu;  /* a byte since 7.x: only an unsigned member may change its size */
	struct sched_entity se;
	struct sched_info sched_info;
	u64 start_time; /* CLOCK_MONOTONIC */
	unsigned int in_iowait : 1;
	void *stack;
	unsigned int flags;
	struct mm_struct *mm;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	u64 start_boottime;
	char comm[16];
	u64 self_exec_id;
	unsigned int in_execve : 1;
	struct css_set *cgroups;
	struct signal_struct *signal;
	struct files_struct *files;
	struct thread_struct thread;
};

struct llist_node;

struct llist_head {
	struct llist_node *first;
};

struct task_struct___quota {
	bool throttled; /* since 6.18 */
};

/* What has put its own in place of return addresses: kretprobes, before 6.x; rethooks; fgraph. */
struct task_struct___probed {
	struct llist_head kretprobe_instances; /* with CONFIG_KRETPROBES */
	struct llist_head rethooks;	       /* with CONFIG_RETHOOK, since 5.18 */
	void *ret_stack;		       /* with CONFIG_FUNCTION_GRAPH_TRACER */
};

#pragma clang attribute pop

/* include/linux/sched.h: not in BTF, unchanged since they were introduced. */
enum {
	PF_IO_WORKER = 0x00000010,
	PF_KTHREAD = 0x00200000,
};

/* The states of a task: include/linux/sched.h. */
enum {
	TASK_INTERRUPTIBLE = 0x1,
	TASK_UNINTERRUPTIBLE = 0x2,
	TASK_STOPPED = 0x4,
	TASK_TRACED = 0x8,
	TASK_PARKED = 0x40,
	TASK_DEAD = 0x80,
	TASK_WAKING = 0x200,
	TASK_NOLOAD = 0x400,
};

/* include/linux/preempt.h */
enum { SOFTIRQ_SERVED = 0x100 };

/* include/uapi/asm-generic/mman.h, include/uapi/linux/mman.h */
enum { MAP_FIXED = 0x10, MAP_FIXED_NOREPLACE = 0x100000 };
enum { MAP_ANONYMOUS = 0x20, MAP_HUGETLB = 0x40000, MAP_HUGE_SHIFT = 26, MAP_HUGE_MASK = 0x3f };
enum { MREMAP_FIXED = 2, MREMAP_DONTUNMAP = 4 };

/* include/linux/mm.h: the same. */
enum { VM_EXEC = 0x00000004, VM_SHARED = 0x00000008 };

#endif
