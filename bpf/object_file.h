/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object_file.h: what a file is that a thread waits for. First what tells it from all others, which
 * is a few reads each time; then, where it is new, its names.
 */
#ifndef OBJECT_FILE_H
#define OBJECT_FILE_H

#include "object_path.h"

/* include/uapi/linux/stat.h */
enum {
	FILE_TYPE = 0170000,
	FILE_IS_SOCKET = 0140000,
	FILE_IS_BLOCKS = 0060000,
	FILE_IS_CHARACTERS = 0020000,
	FILE_IS_PIPE = 0010000,
};
/* include/uapi/linux/magic.h: the file systems of files without a path. */
enum { ANONYMOUS_FILES = 0x09041934, PIPES = 0x50495045 };
/* include/uapi/linux/major.h: terminals. Of a device number in the kernel, the lower 20 bits are
 * the minor one. */
enum { TTY_MAJOR = 4, CONSOLE_MAJOR = 5, FIRST_PTY_MAJOR = 128, LAST_PTY_MAJOR = 143 };
enum { MINOR_BITS = 20 };

enum { UNIX_FAMILY = 1, INET_FAMILY = 2, INET6_FAMILY = 10 };
enum { TCP_PROTOCOL = 6, UNIX_NAME_AT = 2, UNIX_NAME = 108 }; /* bytes of an address */

static __always_inline struct file *file_of(struct task_struct *task, u64 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files, *file = NULL;

	if (!table || fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	files = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), files + fd);
	return file;
}

/*
 * The first file that an epoll has found ready, and its waiter has not taken yet: what ended the
 * wait. NULL: none is.
 */
static __always_inline struct file *ready_file(struct file *file)
{
	struct eventpoll *epoll = BPF_CORE_READ(file, private_data);
	u64 list = (u64)epoll + bpf_core_field_offset(struct eventpoll, rdllist);
	u64 first = (u64)BPF_CORE_READ(epoll, rdllist.next);
	struct epitem *item;

	if (!first || first == list)
		return NULL;
	item = (void *)(first - bpf_core_field_offset(struct epitem, rdllink));
	return BPF_CORE_READ(item, ffd.file);
}

/* ---- sockets */

static __always_inline u64 inode_of_socket(struct sock *sk)
{
	return BPF_CORE_READ(sk, sk_socket, file, f_inode, i_ino);
}

/*
 * Which side has accepted the connection. Of a Unix socket the one that has the listener's name. Of
 * TCP the one whose port was not taken by connect(), which marks those that it takes
 * (__inet_hash_connect() in net/ipv4/inet_hashtables.c); a listener's port goes on to those that it
 * accepts. Where the connection is over, those that were taken so have been given back
 * (tcp_set_state() in net/ipv4/tcp.c); else the lower port, since those that connect are given a
 * high one.
 */
static __always_inline u32 side_of_internet(struct sock *sk, const struct wick_object_key *key)
{
	struct inet_connection_sock *connection = (void *)sk;
	struct inet_bind_bucket *port;

	if (!key->remote_port)
		return WICK_OBJECT_SOCKET;
	if (key->protocol == TCP_PROTOCOL) {
		port = BPF_CORE_READ(connection, icsk_bind_hash);
		if (port)
			return BPF_CORE_READ(port, fastreuse) < 0 ? WICK_OBJECT_CONNECTED
								  : WICK_OBJECT_ACCEPTED;
	}
	if (!key->local_port)
		return WICK_OBJECT_CONNECTED;
	if (key->local_port == key->remote_port)
		return WICK_OBJECT_SOCKET;
	return key->local_port < key->remote_port ? WICK_OBJECT_ACCEPTED : WICK_OBJECT_CONNECTED;
}

static __always_inline bool is_internet(u32 of)
{
	return of == INET_FAMILY || of == INET6_FAMILY;
}

static __always_inline void look_at_internet(struct object_scratch *o, struct sock *sk)
{
	struct wick_object_key *key = &o->body.key;

	key->protocol = BPF_CORE_READ(sk, sk_protocol);
	key->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
	key->remote_port = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (key->family == INET_FAMILY) {
		key->local[0] = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);
		key->remote[0] = BPF_CORE_READ(sk, __sk_common.skc_daddr);
	} else if (bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		bpf_core_read(key->local, sizeof(key->local), &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_core_read(key->remote, sizeof(key->remote), &sk->__sk_common.skc_v6_daddr);
	}
	o->kind = side_of_internet(sk, key);
}

static __always_inline void look_at_unix(struct object_scratch *o, struct sock *sk)
{
	struct unix_sock *local = (void *)sk, *other;

	if (!bpf_core_field_exists(local->addr))
		return;
	other = (void *)BPF_CORE_READ(local, peer);
	if (other)
		o->body.key.of = inode_of_socket((void *)other);
	if (BPF_CORE_READ(local, addr))
		o->kind = WICK_OBJECT_ACCEPTED;
	else if (other && BPF_CORE_READ(other, addr))
		o->kind = WICK_OBJECT_CONNECTED;
}

/* The address that a Unix socket, or its peer, is bound to, and the process at the other end. */
static __always_inline void name_unix(struct object_scratch *o, struct sock *sk)
{
	struct unix_sock *local = (void *)sk;
	struct unix_address *address;
	u32 size;

	if (!bpf_core_field_exists(local->addr))
		return;
	o->body.peer_pid = pid_here(BPF_CORE_READ(sk, sk_peer_pid));
	address = BPF_CORE_READ(local, addr);
	if (!address) {
		local = (void *)BPF_CORE_READ(local, peer);
		address = local ? BPF_CORE_READ(local, addr) : NULL;
		o->body.is_peers = true;
	}
	if (!address)
		return;
	size = (u32)BPF_CORE_READ(address, len) - UNIX_NAME_AT;
	if (size > UNIX_NAME)
		return;
	if (!bpf_core_read(o->body.names, UNIX_NAME, &address->name[0].sun_path))
		o->body.body.nr = size;
}

static __always_inline struct sock *sock_of(struct file *file)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);

	return BPF_CORE_READ(socket, sk);
}

static __always_inline void look_at_socket(struct object_scratch *o, struct file *file)
{
	struct sock *sk = sock_of(file);

	o->body.key.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (is_internet(o->body.key.family))
		look_at_internet(o, sk);
	else if (o->body.key.family == UNIX_FAMILY)
		look_at_unix(o, sk);
}

/* ---- files of any kind */

static __always_inline bool is_terminal(u32 type, u32 device)
{
	u32 major = device >> MINOR_BITS;

	return type == FILE_IS_CHARACTERS &&
	       (major == TTY_MAJOR || major == CONSOLE_MAJOR ||
		(major >= FIRST_PTY_MAJOR && major <= LAST_PTY_MAJOR));
}

static __always_inline u32 kind_of_file(struct inode *inode, u32 type)
{
	if (BPF_CORE_READ(inode, i_sb, s_magic) == ANONYMOUS_FILES)
		return WICK_OBJECT_EVENT;
	if (type == FILE_IS_SOCKET)
		return WICK_OBJECT_SOCKET;
	if (type == FILE_IS_PIPE)
		return WICK_OBJECT_PIPE;
	return is_terminal(type, BPF_CORE_READ(inode, i_rdev)) ? WICK_OBJECT_TERMINAL
							       : WICK_OBJECT_FILE;
}

/* Which one it is: its key, and how it is used. */
OWN_FRAME void look_at_file(struct object_scratch *o, struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	u32 type;

	if (!inode)
		return;
	o->file = (u64)file;
	type = BPF_CORE_READ(inode, i_mode) & FILE_TYPE;
	o->kind = o->body.key.kind = kind_of_file(inode, type);
	if (o->kind == WICK_OBJECT_EVENT) {
		o->body.key.id = (u64)file;
		return;
	}
	o->body.key.id = BPF_CORE_READ(inode, i_ino);
	o->body.key.device = BPF_CORE_READ(inode, i_sb, s_dev);
	if (type == FILE_IS_BLOCKS)
		o->body.disk = BPF_CORE_READ(inode, i_rdev);
	if (o->kind == WICK_OBJECT_SOCKET)
		look_at_socket(o, file);
}

/* What it is called, of one that is new. */
OWN_FRAME void name_file(struct object_scratch *o)
{
	struct file *file = (void *)o->file;
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	struct block_device *disk = BPF_CORE_READ(inode, i_sb, s_bdev);

	if (o->body.key.kind == WICK_OBJECT_SOCKET) {
		if (o->body.key.family == UNIX_FAMILY)
			name_unix(o, sock_of(file));
		return;
	}
	if (o->body.key.kind == WICK_OBJECT_PIPE && BPF_CORE_READ(inode, i_sb, s_magic) == PIPES)
		return;
	if (disk && !o->body.disk)
		o->body.disk = BPF_CORE_READ(disk, bd_dev);
	take_path(o, file);
}

#endif
