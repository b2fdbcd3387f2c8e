# SPDX-License-Identifier: GPL-2.0-or-later
"""waits.py: what the tests of the scheduler's views share. See live.py.

A workload prints what its threads' own clocks say (tests/workload/waits.h), in nanoseconds; a folded line's
value is microseconds. A bound is a share of the truth, and a slack for what no clock of the workload sees:
a thread's first and last microseconds, and what was decided by lot, of which at most one block's worth is in
another function's account.

    waits, truth = program("offcpu", workload("sleeps.c"), 1)
    check_sum(waits, has("in_poll"), truth["poll.off"])
"""
from live import *

ACCOUNT = 0.01                     # all time of all threads
SHARE = bound(0.01, 0.1)           # every other sum
SLACK_US = bound(2500, 30_000)     # of a function, besides an account's worth of short waits: see slack_of()
THREAD_US = bound(2500, 100_000)   # of a thread, whose accounts are all its own: its birth and its end

# Where a program's rows of unwinding come only after its first waits, a waker has this share of whole stacks.
MOST = 0.85

# Notes at the leaf that say how the thread waited, or that where it did is not known.
QUEUED, PREEMPTED, THROTTLED = "[runqueue]", "[preempted]", "[throttled]"
STILL, NEVER_RAN, SHORT = "[still blocked]", "[never ran]", "[short sleeps]"
WAKER = "--"
INTERRUPT = re.compile(r"^\[(timer|irq|softirq): [^\]]+\]$")
AFTER_WAKER = {"[was running]", "[before the window]", "[depth]", "[cycle]", "[not walked]", QUEUED, "[short waits]", "[not begun]", "[ended]",
               STILL}
HAD_CPU = "[had the CPU: "
NOT_SPLIT = "[not split]"

HOOKS = ["sched_exit", "finish_task_switch", "switch-out"]

FRAMELESS = ["-fomit-frame-pointer"]


class Truth(dict):
    """What a workload printed, its times in microseconds."""

    def __init__(self, output):
        super().__init__((name, value if name.endswith((".tid", ".calls")) else value / 1000)
                         for name, value in figures(output).items())

    def __missing__(self, name):
        check(False, f"the workload did not print {name}: {sorted(self)}")

    def tid(self, name):
        return int(self[name + ".tid"])

    def names(self, suffix):
        return sorted(name[:-len(suffix)] for name in self if name.endswith(suffix))


def read_folded(path, run=None):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as f:
        return Profile(f.read(), run)


def stolen_ticks():
    """Time that this machine's CPUs wanted and its host did not give, in hundredths of a second: proc_stat(5)."""
    with open("/proc/stat") as f:
        return int(f.readline().split()[8])


def view(name, *args, program=None, status=0, **kwargs):
    """`wick NAME ARGS` to folded text; `program` is the list after --. Its stolen_us is time that a thread's own
    clocks call off-CPU and that no scheduler sees: two ticks more than was counted, where there was any. Where none was,
    but some before, it may have been a part of one."""
    before = stolen_ticks()
    path = scratch(f"{name}.folded")
    done = wick(name, "--stats", *args, "-o", path, *(["--", *(str(a) for a in program)] if program else []), **kwargs)
    check(done.status == status, f"exit status {done.status}, want {status}: {done.stderr}")
    p = read_folded(path, done)
    ticks = stolen_ticks() - before
    p.stolen_us = 10_000 * (ticks + 2 if ticks else bool(before))
    return p


def program(name, path, *args, options=(), **kwargs):
    """A view of a workload from its begin to its end, so that no edge is in between, and its truth."""
    p = view(name, *options, program=[path, *args], **kwargs)
    return p, Truth(p.run.stdout)


class Background:
    """`wick NAME ARGS` beside other things; inside its `with`, its window is open."""

    def __init__(self, name, *args):
        self.path = scratch(f"{name}.folded")
        self.command = [WICK, *(str(a) for a in by_thread(in_full([name, *args]))), "--stats", "-o", self.path]

    def __enter__(self):
        self.said = open(scratch("stderr"), "w+")
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=self.said)
        wait_for_window(self.process.pid, self.process)
        return self

    @property
    def stderr(self):
        self.said.seek(0)
        return self.said.read()

    def end(self):
        """Ends it now, and what it has collected is its profile."""
        self.process.send_signal(signal.SIGINT)
        return self.profile()

    def profile(self):
        """When it has ended by itself."""
        status = self.process.wait(180)
        check(status == 0, f"exit status {status}: {self.stderr}")
        p = read_folded(self.path)
        p.stderr = self.stderr
        return p

    def __exit__(self, *exception):
        self.process.kill()
        self.process.wait()
        self.said.close()


# ---- predicates on a stack's frames

def sleeper(frames):
    """The part of a chain's line before its first waker."""
    part = frames[:frames.index(WAKER)] if WAKER in frames else frames
    return part[:-1] if part[-1] == NOT_SPLIT else part


def wakers(frames):
    """The parts after that, each a waker's frames, leaf first, its name last; without the note at the chain's end."""
    rest = frames[:-1] if frames[-1].startswith(HAD_CPU) else frames
    parts, rest = [], [f for f in rest if f != NOT_SPLIT]
    rest = rest[:-1] if rest[-1] in AFTER_WAKER else rest
    while WAKER in rest:
        rest = rest[rest.index(WAKER) + 1:]
        parts.append(rest[:rest.index(WAKER)] if WAKER in rest else rest)
    return parts


def thread(truth, name):
    """The lines of a thread, under --group tid; without those of its first moments, when it had another name, and
    of its last ones, in the kernel: on a busy host both may wait for long."""
    tid = f"/{truth.tid(name)}"
    return lambda frames: frames[0].startswith(f"{name}-") and frames[0].endswith(tid) \
        and "do_exit" not in sleeper(frames)


def blocked(frames):
    return sleeper(frames)[-1] not in (QUEUED, PREEMPTED, THROTTLED)


def leaf(note):
    return lambda frames: sleeper(frames)[-1] == note


def all_of(*predicates):
    return lambda frames: all(p(frames) for p in predicates)


def waited_in(*names):
    """The sleeper's own stack has these functions, whoever woke it."""
    return lambda frames: has(*names)(sleeper(frames))


# ---- checks

def summary_of(p):
    return p.run.stderr if p.run else p.stderr


def said(p, thread=None):
    """What the summary says of walks and losses, and of that thread's account, for a message."""
    lines = re.findall(r"^(?:walked|off-CPU|account|lost).*", summary_of(p), re.M)
    return " | ".join(lines + (re.findall(rf"^.*\b{thread}\S*: running .*", summary_of(p), re.M) if thread else []))


def unaccounted_us(p):
    """What threads did behind switches that the kernel hid: it is in the account, and has no stack."""
    found = re.search(r"^account .* \+ unaccounted ([\d.,]+) s", summary_of(p), re.M)
    return float(found[1].replace(",", "")) * 1e6 if found else 0


def excerpt(p, predicate=lambda frames: True):
    """The largest lines, for a message."""
    lines = sorted(((v, ";".join(f)) for f, v in p.stacks if predicate(f)), reverse=True)
    short = lambda text: text if len(text) <= 320 else f"{text[:60]}...{text[-260:]}"
    return " | ".join(f"{short(text)} {value}" for value, text in lines[:5]) or "no such line"


def hidden_switches(p):
    line = re.search(r"^lost .*switches that were not seen (\d+)", summary_of(p), re.M)
    return int(line[1]) if line else 0


def highest_threshold(p):
    """Milliseconds: the longest blocks that were not walked for themselves; it rises with the host's load."""
    line = re.search(r"^walked .*", summary_of(p), re.M)
    thresholds = [float(ms) for ms in re.findall(r"([\d.]+) ms", line[0])] if line else []
    return max(thresholds, default=1)


def slack_of(p):
    """What shorter waits of one function may have on the account of another one: one and a half times the threshold."""
    return SLACK_US + 1500 * highest_threshold(p)


def check_sum(p, predicate, want_us, what="", share=SHARE, slack=None):
    got = p.value(predicate)
    slack = (slack_of(p) if slack is None else slack) + getattr(p, "stolen_us", 0) + unaccounted_us(p)
    if near(got, want_us, share, slack):
        return
    # A thread's own clock begins when the scheduler picks it, wick's when it switches to it. What lies between, 15 us on
    # some virtual machines, is CPU time there and [runqueue] here.
    queued = p.value(lambda f: predicate(f) and QUEUED in f)
    if got - queued <= want_us * (1 + share) + slack and got >= want_us * (1 - share) - slack:
        return
    names = {f[0] for f in p.where(predicate)}
    # Where the host is so busy that a stack found no room, its time is there, with a note: a little of it may be. So is
    # the wait that ends with a switch that the kernel ran no program at; the summary counts those.
    nowhere = p.value(lambda f: f[0] in names and "[not walked]" in f and not predicate(f))
    most = (0.1 if hidden_switches(p) else 0.05) * want_us
    if got < want_us and nowhere <= most and near(got + min(nowhere, want_us - got), want_us, share, slack):
        return
    elsewhere = lambda f: f[0] in names and not predicate(f)
    check(False, f"{what}: {got} us, it says {want_us:.0f}, slack {slack:.0f}: {excerpt(p, predicate)}; "
                 f"its other time: {excerpt(p, elsewhere)}; {said(p)}")


BROKEN = WALK_NOTES | {"[lost stack]", "[unreadable stack]", "[unknown]"}


def check_whole(p, predicate, *path, what="", share=1):
    """The lines of these stacks are walked to their root, through `path`, and named; that share of their time."""
    whole = p.value(predicate)
    check(whole, f"{what}: no such stack: {p.text[:800]}")
    broken = lambda f: predicate(f) and (BROKEN.intersection(sleeper(f)) or not has(*path)(sleeper(f)))
    check(whole - p.value(broken) >= share * whole, f"{what}: want {path}, whole: {excerpt(p, broken)}")
    seen = p.where(lambda f: predicate(f) and any(TRACER.match(x) for x in f))
    check(not seen, f"{what}: the tracer's frames: {seen[:1]}")


NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


TIME = r"([-+]?\d[\d,]*(?:\.\d+)?)\s*(ns|us|ms|s)\b"


def account_of(stderr):
    """The summary's account: its sum and the expected time, nanoseconds, and the line, which begins with
    "account": "account   SUM, expected TIME, difference ...", or "SUM of TIME expected"."""
    line = re.search(r"^\s*account\b.*", stderr, re.M)
    check(line, f"no account in the summary: {stderr}")
    line = line[0]
    times = [(m.start(), float(m[1].replace(",", "")) * NANOSECONDS[m[2]]) for m in re.finditer(TIME, line)]
    word = re.search(TIME + r"\s+expected", line) or re.search(r"expected\D*?" + TIME, line)
    check(word, f"no expected time: {line}")
    expected = float(word[1].replace(",", "")) * NANOSECONDS[word[2]]
    before = [ns for at, ns in times if at < word.start(1)]
    check(before, f"no sum before the expected time: {line}")
    return before[-1], expected, line


def check_account(stderr, share=ACCOUNT):
    total, expected, line = account_of(stderr)
    check(expected > 0 and near(total, expected, share), f"the account does not close: {line}")
    return line


def second_source(stderr):
    """The account's second source: how long all threads ran by the scheduler's clock, and how long they and their
    idle CPUs were in all and should be, nanoseconds, with the lines themselves."""
    clock = re.search(rf"^\s+by the scheduler's clock they ran {TIME}.*", stderr, re.M)
    cpus = re.search(rf"^\s+\d+ CPUs?: threads {TIME} \+ idle {TIME} = {TIME} of {TIME}.*", stderr, re.M)
    check(clock and cpus, f"no second source: {stderr}")
    ns = lambda m, i: float(m[i].replace(",", "")) * NANOSECONDS[m[i + 1]]
    return ns(clock, 1), ns(cpus, 5), ns(cpus, 7), f"{clock[0].strip()}; {cpus[0].strip()}"


def has_hook_of_btf(hook):
    with open("/sys/kernel/btf/vmlinux", "rb") as f:
        return {"sched_exit": b"\0btf_trace_sched_exit_tp\0"}[hook] in f.read()


def hook_or_skip(hook, try_it):
    """Calls try_it(), or skips where that rung does not load on this kernel."""
    done = wick("offcpu", "-d", 0.1, "--switch-hook", hook, "-o", scratch("x.folded"))
    if done.status == 0:
        try_it()
        return
    check(done.status == 1, f"--switch-hook {hook}: exit status {done.status}: {done.stderr}")
    check(hook != "switch-out", f"it needs nothing but sched_switch, and fails: {done.stderr}")
    check(hook != "sched_exit" or not has_hook_of_btf(hook), f"the kernel has it, and it fails: {done.stderr}")
    raise Skip(f"--switch-hook {hook} does not load here: {done.stderr.strip()[:200]}")
