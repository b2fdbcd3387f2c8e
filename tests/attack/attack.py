# SPDX-License-Identifier: GPL-2.0-or-later
"""attack.py: what the attacks share.

An attack is made by an ordinary user, whose uid nobody else has, against root's wick, while another user's program
is busy. It is beaten off when wick ends in time, with status 0, has written its output, and that program is in it
with its functions' names.

    @case
    def file_with_absurd_sizes():
        with attacker("run-file", 60, 4096, path):
            run_wick("cpu")

    main()
"""
import os, pwd, shutil, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "live"), os.path.join(HERE, "..", "fuzz")]
from live import *
import crafted

WINDOW = 1
# Seconds after the window: the host is shared, and a build with sanitizers is slow.
LATE = bound(30, 120) * int(os.environ.get("WICK_TEST_SLOWER", "1"))


@functools.cache
def free_uids():
    """Two uids that nobody has: the attacker's and the busy user's."""
    free = []
    for uid in range(61200, 61900):
        try:
            pwd.getpwuid(uid)
        except KeyError:
            free.append(uid)
    running = {os.stat(f"/proc/{p}").st_uid for p in os.listdir("/proc") if p.isdigit() and os.path.exists(f"/proc/{p}")}
    return [uid for uid in free if uid not in running][:2]


def as_user(which, *command):
    uid = str(free_uids()[which])
    return ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "--", *(str(c) for c in command)]


def as_attacker(*command):
    return as_user(0, *command)


def public(name=""):
    """A scratch path that everyone can reach."""
    path = scratch(name)
    os.chmod(os.path.dirname(path) if name else path, 0o755)
    return path


@functools.cache
def his_copy(source):
    """A workload, where everyone can execute it: the build may lie where only root can look. spin is the busy user's."""
    path = public(source.split(".")[0])
    shutil.copy(spin("host") if source == "spin.c" else workload(source, flags=["-no-pie"]), path)
    return path


@functools.cache
def his_directory():
    """The attacker's own."""
    directory = public()
    os.chown(directory, free_uids()[0], free_uids()[0])
    return directory


def his_file(name, content):
    path = os.path.join(his_directory(), name)
    with open(path, "wb") as f:
        f.write(content)
    os.chown(path, free_uids()[0], free_uids()[0])
    return path


def attacker(program, *args, **kwargs):
    """A workload that the attacker runs."""
    return Workload(*as_attacker(his_copy(program + ".c"), *args), **kwargs)


def python(text, *args, **kwargs):
    """A program of the attacker's own; it says "ready"."""
    return Workload(*as_attacker("/usr/bin/python3", "-c", "import sys, os, time, ctypes, mmap, socket\n" + text, *args), **kwargs)


@contextlib.contextmanager
def busy_host():
    with Workload(*as_user(1, his_copy("spin.c"), 300)) as w:
        yield w


def end_in_time(process, window, said):
    """A process that does not end is left behind: what holds it ends only with the attack."""
    try:
        status = process.wait(window + LATE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"it had not ended {LATE} s after its window") from None
    said.seek(0)
    text = said.read().decode("utf-8", "replace")
    check(status == 0, f"exit status {status}: {text[-600:]}")
    return text


def run_wick(view="cpu", *args, window=WINDOW, host=True):
    """Root's wick, while the host is busy; returns its profile. The busy user must be in it."""
    directory = scratch()
    path = os.path.join(directory, "x.folded")
    options = [] if view == "threads" else ["-d", window]
    options += ["-F", HZ] if view in ("cpu", "record", "wall") else []
    outputs = ["-o", directory] if view == "record" else ["-o", path, "-o", os.path.join(directory, "x.svg")]
    said = open(os.path.join(directory, "stderr"), "w+b")
    with busy_host():
        process = subprocess.Popen([WICK, view, *map(str, options + outputs + list(args))], stdout=subprocess.DEVNULL, stderr=said)
        text = end_in_time(process, window, said)
    if view == "record":
        path, = (os.path.join(directory, f) for f in os.listdir(directory) if re.match(r"cpu.*\.folded$", f))
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as f:
        p = Profile(f.read(), Run([], subprocess.CompletedProcess([], 0, "", text)))
    p.directory = directory
    if host:
        check(p.value(has("host_outer")) > 0, f"the busy user's program has no names: {sorted(p.groups())[:20]}: {text[-600:]}")
    return p
