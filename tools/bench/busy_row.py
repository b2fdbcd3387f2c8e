# SPDX-License-Identifier: GPL-2.0-or-later
"""busy_row.py: the row `busy` of tools/bench/run: what jobs that keep the host busy lose while it is recorded.

Each job is run bare and under each tracer in turn, so that what else the host does falls on all of them alike; what
a tracer takes is the median, over all rounds, of the job's time under it over the bare run's of the same round.
"""
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import sched_row
from sched_row import QUIET, Failed, Tracer, Wick, waits

POSTGRES = "/usr/lib/postgresql"
PORT = "7391"  # redis's, of this run


# ---- jobs: each is a context that gives a function, which runs it once and returns how long a unit of work took

def output(command, **keywords):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, **keywords)
    if done.returncode:
        raise Failed(f"{' '.join(command)}: exit status {done.returncode}")
    return done.stdout


def figure(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise Failed(f"no {pattern} in {text[:200]}")
    return float(found[1])


@contextlib.contextmanager
def messaging():
    yield lambda: float(output([*sched_row.BENCH, "messaging", "-g", "10", "-t", "-l", "800"]))


@contextlib.contextmanager
def pipe():
    yield lambda: float(output(["taskset", "-c", "1", *sched_row.BENCH, "pipe", "-l", "400000"]))


@contextlib.contextmanager
def sleepers():
    path = waits.workload("sleepers.c")
    yield lambda: 1 / figure(r"rounds (\d+)", output([path, "200", "3", "2"]))


@contextlib.contextmanager
def compile_all():
    root = sched_row.ROOT
    sources = [os.path.join(root, "src", d, f) for d in ("view", "emit", "report", "base")
               for f in os.listdir(os.path.join(root, "src", d)) if f.endswith(".c")][:12]
    script = " ".join(f"gcc -O2 -std=gnu11 -D_GNU_SOURCE -I{root}/include -I{root}/src -S -o /dev/null {s} &" +
                      ("" if i % 4 < 3 else " wait;") for i, s in enumerate(sources)) + " wait"

    def run():
        begin = time.monotonic()
        subprocess.run(["sh", "-c", script], **QUIET, check=False)
        return time.monotonic() - begin
    yield run


@contextlib.contextmanager
def pgbench():
    versions = sorted(os.listdir(POSTGRES), key=float) if os.path.isdir(POSTGRES) else []
    if not versions or not shutil.which("pgbench"):
        raise Failed("no PostgreSQL here")
    tools = f"{POSTGRES}/{versions[-1]}/bin"
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    with tempfile.TemporaryDirectory() as data:
        shutil.chown(data, "postgres", "postgres")
        output([*as_user, f"{tools}/initdb", "-D", f"{data}/db", "-A", "trust"], cwd=data)
        server = subprocess.Popen([*as_user, f"{tools}/postgres", "-D", f"{data}/db", "-k", data, "-c",
                                   "listen_addresses="], **QUIET, cwd=data)
        try:
            connect = ["-h", data, "-U", "postgres"]
            for _ in range(100):
                time.sleep(0.1)
                if not subprocess.run([f"{tools}/pg_isready", *connect], **QUIET, check=False).returncode:
                    break
            output(["pgbench", *connect, "-i", "-s", "5", "postgres"])
            yield lambda: 1 / figure(r"tps = ([\d.]+)", output(
                ["pgbench", *connect, "-S", "-c", "16", "-j", "2", "-T", "2", "postgres"]))
        finally:
            server.terminate()
            server.wait()


@contextlib.contextmanager
def redis():
    if not shutil.which("redis-server"):
        raise Failed("no redis-server here")
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen(["redis-server", "--port", PORT, "--save", "", "--dir", data], **QUIET)
        try:
            time.sleep(1)
            command = ["redis-benchmark", "-p", PORT, "-t", "get", "-c", "50", "-P", "1", "--csv", "-n",
                       "100000"]
            yield lambda: 1 / figure(r'"GET","([\d.]+)"', output(command))
        finally:
            server.terminate()
            server.wait()


JOBS = {"perf bench sched messaging": messaging, "perf bench sched pipe": pipe, "200 sleepers, 3 spinners": sleepers,
        "parallel compile": compile_all, "pgbench -S -c 16": pgbench, "redis-benchmark -P 1": redis}


# ---- tracers

SETTLE = 1.5  # seconds: what a run begins with, names and tables of all that runs, is not what is measured


class Settled(Wick):
    def __enter__(self):
        super().__enter__()
        time.sleep(SETTLE)
        return self


class Record(Settled):
    def __init__(self, workdir):
        super().__init__(workdir, "record")
        self.commands = [[waits.WICK, "record", "--stats", "-d", "600", "-o", os.path.join(workdir, "recorded")]]


class Bpftrace(Tracer):
    when = "prog_id:"  # its tracepoints are perf events


class Perf(Tracer):
    """perf sched record with stacks, ended as a user does, its file thrown away."""

    when = "perf_event"

    def __enter__(self):
        self.running = [subprocess.Popen(self.commands[0], stdin=subprocess.DEVNULL, **QUIET)]
        time.sleep(1.5)
        return self


def tracers(workdir):
    made = {"bare": lambda: Tracer(), "wick cpu": lambda: Settled(workdir, "cpu"),
            "wick offcpu": lambda: Settled(workdir, "offcpu"), "wick chain": lambda: Settled(workdir, "chain"),
            "wick record": lambda: Record(workdir)}
    offcputime, bpftrace = sched_row.peer("offcputime", "-m", "0", "600"), shutil.which("bpftrace")
    if offcputime:
        made["offcputime"] = lambda: Tracer(offcputime)
    if bpftrace:
        script = ("tracepoint:sched:sched_switch { @off[args->prev_pid] = nsecs; "
                  "@us[kstack, ustack, args->next_comm] = sum(nsecs - @off[args->next_pid]); }")
        made["bpftrace"] = lambda: Bpftrace([bpftrace, "-e", script])
    if shutil.which("perf"):
        made["perf sched record -g"] = lambda: Perf(["perf", "sched", "record", "-g", "-o",
                                                     os.path.join(workdir, "sched.data")])
    return made


OURS = "bare", "wick cpu", "wick offcpu", "wick chain", "wick record"

# Percent that a job may lose; where offcputime loses much, a tenth of that.
BOUNDS = {"wick cpu": 0.5, "wick offcpu": 2, "wick chain": 2, "wick record": 3}


def budget_line(text):
    found = re.search(r"^walked +([^;]*)", text, re.M)
    return f"; {found[1]}" if found else ""


def measure(job, make, rounds):
    lost, said, failed = {}, {}, {}
    job()  # the first one warms up
    for i in range(rounds):
        bare = None
        for name in list(make):
            if i % 2 and name not in OURS:  # of the others, half as many are enough
                continue
            tracer = make[name]()
            try:
                with tracer:
                    took = job()
            except Failed as why:
                failed[name] = str(why).splitlines()[0]
                del make[name]
                continue
            if name == "bare":
                bare = took
            else:
                lost.setdefault(name, []).append(100 * (1 - bare / took))
            said[name] = getattr(tracer, "stderr", "") or ""
    return lost, said, failed


def busy(workdir, row, quick, of=""):
    for text, job in JOBS.items():
        if of not in text:
            continue
        try:
            with job() as run:
                lost, said, failed = measure(run, tracers(workdir), 3 if quick else 10)
        except Failed as why:
            row("busy", f"{text}: {why}")
            continue
        row("busy", f"{text}: throughput lost, medians of {3 if quick else 10} rounds (the middle half)")
        peer = statistics.median(lost["offcputime"]) if "offcputime" in lost else 0
        for name, all_lost in lost.items():
            median, bound = statistics.median(all_lost), BOUNDS.get(name)
            low, _, high = statistics.quantiles(all_lost, n=4) if len(all_lost) > 1 else (median,) * 3
            line = f"  {name + ':':22} {median:5.1f} % ({low:.1f} to {high:.1f}){budget_line(said[name])}"
            if bound is None:
                row("busy", line)
                continue
            bound = max(bound, peer / 10) if name in ("wick offcpu", "wick chain") else bound
            row("busy", f"{line} (bound {bound:.1f} %)", median <= bound)
        for name, why in failed.items():
            row("busy", f"  {name}: {why}", False if name.startswith("wick") else None)
