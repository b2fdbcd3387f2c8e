# SPDX-License-Identifier: GPL-2.0-or-later
"""live.py: what the live tests share.

A live test runs a workload whose functions are known, profiles it with build/wick, and asserts on
function names and sums, within bounds that it states: never on exact counts or wall-clock times, since
the host is shared and busy with other things.

    @case
    def leaf_is_named():
        p = profile("-d", 1, "-c", "spin")
        check(p.value(has("spin_leaf")) > 0, "spin_leaf is not there")

    main()

Several cases may share one profile: put it into a function with @functools.cache.
"""
import contextlib, functools, os, re, shutil, signal, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("WICK_BUILD") or os.path.join(ROOT, "build")
WICK = os.path.join(BUILD, "wick")
WORKLOADS = os.path.join(ROOT, "tests", "workload")

# Ten times the default, so that a second is enough for a sum that holds within its bounds.
HZ = 999

# In a virtual machine without hardware's help (tests/kernels/) a CPU is 10 to 50 times slower, and one stands still while
# another one runs: at any instruction, for milliseconds, in anybody's account.
EMULATED = bool(os.environ.get("WICK_TEST_EMULATED"))


def bound(real, emulated):
    """A bound of time or chance, which is another one on an emulated CPU."""
    return emulated if EMULATED else real


# ---- cases

class Skip(Exception):
    pass


def needs_real_cpu(why):
    if EMULATED:
        raise Skip(f"on an emulated CPU {why}")


cases = []


def unshare(*options):
    """The command that runs another one in mounts of its own. In a chroot whose root is no mount point,
    they cannot be made private; whoever made the chroot has seen to that."""
    private = ["unshare", "--mount", "--propagation", "private"]
    if subprocess.run([*private, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        private[-1] = "unchanged"
    return [*private, *options]


def case(function):
    cases.append(function)
    return function


def check(condition, why):
    if not condition:
        raise AssertionError(why)


def near(value, want, share, slack=0):
    """Is `value` within `share` of `want`, and `slack` more? Slack is for the noise of small sums."""
    return abs(value - want) <= share * want + slack


def one_line(text):
    return " | ".join(str(text).strip().splitlines())[:4000]


def run_case(function):
    name = function.__name__
    try:
        function()
        print(f"ok {name}", flush=True)
        return True
    except Skip as why:
        print(f"skip {name}: {one_line(why)}", flush=True)
        return True
    except AssertionError as why:
        print(f"not ok {name}: {one_line(why)}", flush=True)
    except Exception as error:
        print(f"not ok {name}: {type(error).__name__}: {one_line(error)}", flush=True)
    return False


def main():
    """Runs all cases, or those whose names contain one of the arguments."""
    wanted = sys.argv[1:]
    if os.geteuid():
        print("skip %s: needs root" % os.path.basename(sys.argv[0]))
        sys.exit(0)
    failed = 0
    try:
        for function in cases:
            if not wanted or any(w in function.__name__ for w in wanted):
                failed += not run_case(function)
    finally:
        shutil.rmtree(scratch_root(), ignore_errors=True)
    sys.exit(1 if failed else 0)


# ---- files

@functools.cache
def scratch_root():
    directory = tempfile.mkdtemp(prefix="wick-live-")
    os.chmod(directory, 0o755)
    return directory


def scratch(name="", **kwargs):
    """A new directory, or a path in one; all are removed at the end."""
    return os.path.join(tempfile.mkdtemp(dir=scratch_root(), **kwargs), name)


# ---- workloads

# Leaves that keep a frame, callers that stay callers, equal functions that stay two.
C_FLAGS = ["-O2", "-g0", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer",
           "-fno-optimize-sibling-calls", "-fno-ipa-icf", "-fno-shrink-wrap", "-pthread"]
RUST_FLAGS = ["-O", "-C", "force-frame-pointers=yes"]


def give_to_owner(*paths):
    """What root makes in build/ belongs to whom the checkout belongs to."""
    owner = os.stat(ROOT)
    for path in paths:
        os.chown(path, owner.st_uid, owner.st_gid)


def compile_command(source, output, flags, prefix):
    path = os.path.join(WORKLOADS, source)
    if prefix:
        flags = ["-DPREFIX=" + prefix] + flags
    if source.endswith(".rs"):
        if not shutil.which("rustc"):
            raise Skip("no rustc here")
        return ["rustc", *RUST_FLAGS, *flags, "-o", output, path]
    compiler = "g++" if source.endswith(".cc") else "gcc"
    if not shutil.which(compiler):
        raise Skip(f"no {compiler} here")
    return [compiler, "-Wall", *C_FLAGS, "-o", output, path,
            *flags]


def workload(source, name=None, flags=(), prefix=None):
    """The path of tests/workload/SOURCE, compiled to build/workload/NAME when that is not newer."""
    name = name or source.split(".")[0]
    output = os.path.join(BUILD, "workload", name)
    command = compile_command(source, output, list(flags), prefix)
    stamp = output + ".command"
    sources = [os.path.join(WORKLOADS, s) for s in os.listdir(WORKLOADS) if s == source or s.endswith(".h")]
    newest = max(os.path.getmtime(s) for s in sources)
    with contextlib.suppress(OSError):
        with open(stamp) as f:
            if f.read() == repr(command) and os.path.getmtime(output) > newest:
                return output
    os.makedirs(os.path.dirname(output), exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    check(done.returncode == 0, f"cannot compile {source}: {done.stderr}")
    with open(stamp, "w") as f:
        f.write(repr(command))
    give_to_owner(os.path.dirname(output), output, stamp)
    return output


def build(source, name, compiler, flags):
    """Like workload(), by any compiler with any options, C or C++."""
    if not shutil.which(compiler):
        raise Skip(f"no {compiler} here")
    output = os.path.join(BUILD, "workload", name)
    path = os.path.join(WORKLOADS, source)
    command = [compiler, "-w", *flags, "-o", output, path]
    stamp = output + ".command"
    newest = max(os.path.getmtime(s) for s in (path, os.path.join(WORKLOADS, "workload.h")))
    with contextlib.suppress(OSError):
        with open(stamp) as f:
            if f.read() == repr(command) and os.path.getmtime(output) > newest:
                return output
    os.makedirs(os.path.dirname(output), exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    check(done.returncode == 0, f"cannot compile {source} by {' '.join(command)}: {done.stderr}")
    with open(stamp, "w") as f:
        f.write(repr(command))
    give_to_owner(os.path.dirname(output), output, stamp)
    return output


def spin(prefix, static=False):
    """spin.c with functions PREFIX_leaf, PREFIX_outer: the same code at the same addresses."""
    return workload("spin.c", f"{prefix}-static" if static else prefix,
                    ["-static"] if static else ["-no-pie"], prefix)


@functools.cache
def wick_has(text, size=None):
    """Do the first bytes of the program, or all, have it?"""
    with open(WICK, "rb") as f:
        return text in f.read(size)


def sanitized():
    """Is this a build with the address sanitizer?"""
    return wick_has(b"libasan.so")


@functools.cache
def preloaded_first():
    """What has to be preloaded before anything else: the sanitizer's library, if this build has one."""
    if not wick_has(b"ld-linux", 4096):
        raise Skip("this wick is static: nothing can be preloaded")
    if not sanitized():
        return ""
    return subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip() + " "


def refusing(*programs, late=False):
    """An environment in which the kernel refuses these BPF programs, or all: see tests/workload/break-bpf.c."""
    first = preloaded_first()
    env = {**os.environ, "LD_PRELOAD": first + workload("break-bpf.c", "break-bpf.so", ["-shared", "-fPIC"])}
    if programs:
        env["BREAK_BPF"] = ",".join(name[:15] for name in programs)
    if late:
        env["BREAK_BPF_LATE"] = "1"
    return env


class Workload:
    """A running workload; use it in a `with`, whose end ends it and all that it started."""

    def __init__(self, *command, ready=True, **kwargs):
        self.command = [str(c) for c in command]
        self.kwargs = kwargs
        self.wait_ready = ready
        self.output = ""

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        **{"start_new_session": True, **self.kwargs})
        self.pid = self.process.pid
        while self.wait_ready:
            line = self.process.stdout.readline()
            check(line, f"{self.command} ended before it was ready")
            if line == "ready\n":
                break
            self.output += line
        return self

    def finish(self):
        """Lets it end and returns what it printed."""
        self.output += self.process.communicate()[0]
        return self.output

    def __exit__(self, *exception):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.communicate()


def figures(output):
    """The lines "NAME NUMBER" that workloads print, as a dictionary."""
    return {m[1]: float(m[2]) for m in re.finditer(r"^(\S+) (-?[0-9.]+)$", output, re.M)}


# ---- wick

class Run:
    def __init__(self, command, done):
        self.command = command
        self.status, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr

    def succeeded(self):
        check(self.status == 0, f"exit status {self.status}: {self.stderr}")
        return self


KEEP_A_BUDGET = {"record", "why", "locks", "offcpu", "wakeup", "offwake", "chain", "wall", "faults", "brk", "mmap"}


def unhurried(args):
    """On an emulated CPU a walk takes as long as ten, and the budget has room for few: tests of what is walked have none."""
    if EMULATED and args and args[0] in KEEP_A_BUDGET and not {"--budget", "-i"} & set(map(str, args)):
        return [args[0], "--budget", 100, *args[1:]]
    return args


TELL_IDLE_TIME = {"record", "offcpu", "offwake", "chain", "wall"}


def in_full(args):
    """Most workloads wait in one place, and so are idle: tests ask for their stacks, and test-idle for what idle time is otherwise."""
    if args and args[0] in TELL_IDLE_TIME and not {"--idle", "--no-idle"}.intersection(map(str, args)):
        return [args[0], "--idle", *args[1:]]
    return args


def by_thread(args):
    """Workloads give each of their threads a name, by which it is known here: test-filters has the other groups."""
    if args and args[0] in {*KEEP_A_BUDGET, "cpu", "threads"} and "--group" not in args:
        return [args[0], "--group", "comm", *args[1:]]
    return args


def wick_command(*args, root="thread", idle=True):
    args = in_full(args) if idle else args
    return [WICK, *(str(a) for a in unhurried(by_thread(args) if root == "thread" else args))]


def wick(*args, before=(), timeout=180, root="thread", idle=True, **kwargs):
    """Runs `wick ARGS`, through the command `before` if there is one."""
    done = subprocess.run([*before, *wick_command(*args, root=root, idle=idle)], capture_output=True, timeout=timeout, **kwargs)
    done.stdout = done.stdout.decode("utf-8", "surrogateescape")
    done.stderr = done.stderr.decode("utf-8", "replace")
    return Run(done.args, done)


CAP_KILL = 1 << 5


def capabilities(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"CapEff:\s*(\w+)", f.read())[1], 16)


def wait_for_window(pid, process=None, seconds=60):
    """Until the window of this wick is open. Just before, it gives up the capabilities that it needs no more, and then it
    waits for the clock. A kernel that does not tell where a thread waits gets a second for what lies between."""
    end, dropped = time.monotonic() + seconds, None
    while not dropped or time.monotonic() < dropped + 1:
        check(not process or process.poll() is None, f"it ended before its window was open: status {process and process.poll()}")
        check(time.monotonic() < end, f"no window within {seconds} s")
        with contextlib.suppress(OSError, TypeError):
            # A shell or another program that becomes wick has all of them, too.
            if not capabilities(pid) & CAP_KILL:
                dropped = dropped or time.monotonic()
                with open(f"/proc/{pid}/wchan") as f:
                    if "poll" in f.read():
                        return
        time.sleep(0.01)


def cpu_seconds(pid):
    """Of a process and of the children that it has waited for: proc_pid_stat(5)."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def wick_while(during, *args):
    """`wick ARGS`, ended as by Ctrl-C after during() has run in its window: the Run, and what that returned."""
    with open(scratch("stdout"), "w+", errors="surrogateescape") as printed, open(scratch("stderr"), "w+", errors="replace") as said:
        process = subprocess.Popen(wick_command(*args), stdout=printed, stderr=said)
        try:
            wait_for_window(process.pid, process)
            returned = during()
            process.send_signal(signal.SIGINT)
            process.wait(180)
        finally:
            process.kill()
            process.wait()
        printed.seek(0)
        said.seek(0)
        done = subprocess.CompletedProcess(process.args, process.returncode, printed.read(), said.read())
    return Run(done.args, done), returned


def wick_beside_programs(*args, seconds=0.4):
    """`wick ARGS` beside programs that come and go, until those had so many seconds of CPU time in its window: in a fixed time
    a host may give them none."""
    with Workload("sh", "-c", "while :; do ls / >/dev/null; done", ready=False) as shell:
        def until_they_had_it():
            begin, end = cpu_seconds(shell.pid), time.monotonic() + 60
            while cpu_seconds(shell.pid) < begin + seconds:
                check(time.monotonic() < end, "the shell gets no CPU time")
                time.sleep(0.02)
        return wick_while(until_they_had_it, *args)[0]


def waits_in(pid, function, seconds=60):
    """Until the process's first thread waits in such a function of the kernel, or, where that is not told, for a second."""
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        with open(f"/proc/{pid}/wchan") as f:
            where = f.read()
        if function in where or (where in ("", "0") and time.monotonic() > begin + 1):
            return
        time.sleep(0.01)
    check(False, f"it waits in {where}, not in {function}")


@functools.cache
def views():
    """Every view, as `wick list` has it."""
    listed = wick("list").succeeded().stdout
    found = re.findall(r"^  (\S+) ", listed.partition("views:\n")[2].partition("formats:\n")[0], re.M)
    check(found, f"no views: {listed}")
    return found


class Profile:
    """Folded text: stacks is a list of (frames, value)."""

    def __init__(self, text, run=None):
        self.text, self.run = text, run
        self.stacks = []
        self.header = text.split("\n", 1)[0] if text.startswith("# wick ") else ""
        for line in text.removeprefix(self.header).split("\n"):
            if line:
                stack, value = line.rsplit(" ", 1)
                self.stacks.append((stack.split(";"), int(value)))

    @property
    def total(self):
        return sum(value for _, value in self.stacks)

    def value(self, predicate):
        """The sum of the stacks for which predicate(frames) holds."""
        return sum(value for frames, value in self.stacks if predicate(frames))

    def share(self, part, whole):
        whole = self.value(whole)
        return self.value(part) / whole if whole else 0

    def where(self, predicate):
        return [frames for frames, _ in self.stacks if predicate(frames)]

    def groups(self):
        return {frames[0] for frames, _ in self.stacks}

    def lost(self):
        """The samples that the kernel skipped, anybody's, as the summary says it."""
        found = re.search(r"samples (?:of the whole host )?that the kernel skipped ([0-9,]+)", self.run.stderr)
        return int(found[1].replace(",", "")) if found else 0


def profile(*args, program=None, hz=HZ, status=0, **kwargs):
    """`wick cpu ARGS` to folded text, with all that is said; `program` is the list after --."""
    path = scratch("profile.folded")
    done = wick("cpu", "--stats", "-F", hz, *args, "-o", path, *(["--", *program] if program else []), **kwargs)
    check(done.status == status, f"exit status {done.status}, want {status}: {done.stderr}")
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as f:
        return Profile(f.read(), done)


def profile_until(enough, *args, **kwargs):
    """A short profile, a longer one where `enough` does not hold: on a busy host a thread waits long."""
    for seconds in 0.4, 1.5, 5:
        p = profile("-d", seconds, *args, **kwargs)
        if enough(p):
            break
    return p


def profile_of(*pids, **kwargs):
    """Of these processes, until each has been met often enough for shares to mean something."""
    def enough(p):
        return all(p.value(lambda f: f[0].endswith(f"-{pid}")) >= 50 for pid in pids)
    return profile_until(enough, "-p", ",".join(map(str, pids)), "--group", "pid", **kwargs)


# ---- predicates on a stack's frames

def has(*names):
    """These frames are there, in this order; others may be between them."""
    def predicate(frames):
        rest = iter(frames)
        return all(any(f == name for f in rest) for name in names)
    return predicate


def group(name):
    return lambda frames: frames[0] == name


def any_frame(pattern):
    compiled = re.compile(pattern)
    return lambda frames: any(compiled.search(f) for f in frames[1:])


# Notes of an honest walk: the frames below them have names all the same.
WALK_NOTES = {"[truncated]", "[no unwind info]", "[bad frame]"}
TRACER = re.compile(r"^(bpf_prog_|__traceiter_|__bpf_trace_|bpf_trace_run|bpf_trampoline)")


def fully_named(frames):
    return not any(f.startswith("[") and f not in WALK_NOTES for f in frames[1:])
