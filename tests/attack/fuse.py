# SPDX-License-Identifier: GPL-2.0-or-later
"""fuse.py: a file system of one file, by hand over /dev/fuse, whose server falls asleep when it is told to.

`fuse.py DIRECTORY FILE` mounts it and serves it; its file "code" is FILE's content. It says "ready", and after SIGUSR1 it
takes requests and answers none, so that who has asked waits, and no signal ends that; its death does, after SECONDS at the
latest. (Linux, include/uapi/linux/fuse.h; protocol 7.31. Attributes and names are good for no time at all: each look is a
request.)
"""
import ctypes, errno, os, signal, struct, sys

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, INIT, OPENDIR, BATCH_FORGET = 1, 2, 3, 14, 15, 17, 18, 26, 27, 42
FLUSH, RELEASEDIR, ACCESS = 25, 29, 34
ROOT, CODE = 1, 2
SECONDS = 40
asleep = False


def fall_asleep(*_):
    global asleep
    asleep = True


def attributes(node, size):
    mode = 0o40755 if node == ROOT else 0o100755
    return struct.pack("<QQQQQQIIIIIIIIII", node, size if node == CODE else 0, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(code, node, body, content):
    """The answer's body, or a negative errno."""
    if code == INIT:
        return struct.pack("<IIIIHHIIHHI7I", 7, 31, 65536, 0, 0, 0, 65536, 1, 0, 0, 0, *[0] * 7)
    if code == LOOKUP:
        if body.rstrip(b"\0") != b"code":
            return -errno.ENOENT
        return struct.pack("<QQQQII", CODE, 0, 0, 0, 0, 0) + attributes(CODE, len(content))
    if code == GETATTR:
        return struct.pack("<QII", 0, 0, 0) + attributes(node, len(content))
    if code in (OPEN, OPENDIR):
        return struct.pack("<QII", 0, 0, 0)
    if code == READ:
        _, offset, size = struct.unpack_from("<QQI", body)
        return content[offset:offset + size]
    if code == STATFS:
        return struct.pack("<QQQQQIIII6I", 9, 9, 9, 9, 9, 4096, 255, 4096, 0, *[0] * 6)
    if code in (RELEASE, FLUSH, RELEASEDIR, ACCESS):
        return b""
    return -errno.ENOSYS


def serve(fd, content):
    while True:
        try:
            request = os.read(fd, 1 << 17)
        except OSError as error:
            if error.errno == errno.ENODEV:  # unmounted
                return
            continue
        _, code, unique, node = struct.unpack_from("<IIQQ", request)
        if asleep or code in (FORGET, BATCH_FORGET):
            continue
        got = answer(code, node, request[40:], content)
        status, body = (got, b"") if isinstance(got, int) else (0, got)
        os.write(fd, struct.pack("<IiQ", 16 + len(body), status, unique) + body)


def main(directory, path):
    with open(path, "rb") as f:
        content = f.read()
    signal.signal(signal.SIGUSR1, fall_asleep)
    signal.alarm(SECONDS)
    fd = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(b"attack", directory.encode(), b"fuse", 0, options.encode()):
        sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
    print("ready", flush=True)
    serve(fd, content)


main(*sys.argv[1:])
