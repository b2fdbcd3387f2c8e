# SPDX-License-Identifier: GPL-2.0-or-later
"""servers.py: real servers under a load whose cause is known. See live.py.

Each has a configuration of its own, runs as a user without rights, listens on a Unix socket in its directory or on a free
port of the loopback, and is gone with its directory when the test ends. What the packages' own services do is not touched.
"""
import glob, pwd, socket

from live import *

USER = "nobody"
SECONDS = 300  # the longest that a load goes on, whatever becomes of the test


def found(*names, at=()):
    """The paths of programs, where all of them are installed; `at`: more directories, as globs."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *(d for pattern in at for d in sorted(glob.glob(pattern)))])
    programs = [shutil.which(name, path=path) for name in names]
    if None in programs:
        raise Skip(f"no {names[programs.index(None)]} here")
    return programs


def home():
    """A directory of the servers' user, with a path that is short enough for a socket."""
    directory = scratch().rstrip("/")
    user = pwd.getpwnam(USER)
    os.chown(directory, user.pw_uid, user.pw_gid)
    return directory


def written(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


def as_user(cwd):
    user = pwd.getpwnam(USER)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": cwd, "stdin": subprocess.DEVNULL}


def succeeds(directory, *command):
    return subprocess.run([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60,
                          **as_user(directory)).returncode == 0


def family(pid):
    """The process and all that are below it."""
    below = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path, errors="replace") as f:
            below.setdefault(int(f.read().rsplit(")", 1)[1].split()[1]), []).append(int(path.split("/")[2]))
    pids = [pid]
    for one in pids:
        pids += below.get(one, [])
    return pids


class Servers(contextlib.ExitStack):
    """What has been started; all of it ends with the `with`."""

    def __init__(self):
        super().__init__()
        self.started = []

    def start(self, directory, *command, asked_by=signal.SIGKILL):
        """`asked_by`: the signal at which it ends at once, and leaves nothing."""
        process = subprocess.Popen([str(c) for c in command], start_new_session=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, **as_user(directory))
        self.started.append(process.pid)
        self.callback(self.end, process, asked_by)

    def end(self, process, asked_by):
        pids = family(process.pid)
        process.send_signal(asked_by)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        if process.returncode is None or asked_by == signal.SIGKILL:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        process.wait()

    def pids(self):
        return [pid for one in self.started for pid in family(one)]


def until(answers, what, seconds=60):
    """Waits until a server answers."""
    end = time.monotonic() + seconds
    while not answers():
        check(time.monotonic() < end, f"{what} does not answer")
        time.sleep(0.05)


# ---- PostgreSQL

HOLDER = """BEGIN;
UPDATE counters SET n = n + 1 WHERE id = 1;
\\sleep 20 ms
COMMIT;
"""


def postgres(servers):
    """Eight sessions that want a row, each of which waits for its own client while it has it."""
    initdb, server, psql, pgbench = found("initdb", "postgres", "psql", "pgbench", at=["/usr/lib/postgresql/*/bin"])
    directory = home()
    data = os.path.join(directory, "data")
    check(succeeds(directory, initdb, "-D", data, "--no-sync", "--auth", "trust", "--locale", "C", "-U", "postgres"), "initdb failed")
    # Its own fast end removes what it has of shared memory. Nothing but the row is to be waited for: no deadlocks are looked for.
    servers.start(directory, server, "-D", data, "-c", "listen_addresses=", "-c", f"unix_socket_directories={directory}",
                  "-c", "dynamic_shared_memory_type=mmap", "-c", "deadlock_timeout=60s", asked_by=signal.SIGQUIT)
    client = ["-h", directory, "-U", "postgres"]
    table = "CREATE TABLE IF NOT EXISTS counters AS SELECT 1 AS id, 0 AS n"
    until(lambda: succeeds(directory, psql, *client, "-c", table), "PostgreSQL")
    script = written(os.path.join(directory, "holder.sql"), HOLDER)
    servers.start(directory, pgbench, *client, "-n", "-c", 8, "-T", SECONDS, "-f", script, "postgres")


# ---- redis

def redis(servers):
    """Clients that set keys, each of which is on the disk before the answer."""
    server, benchmark, cli = found("redis-server", "redis-benchmark", "redis-cli")
    directory = home()
    if subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True).stdout.strip() in ("tmpfs", "ramfs"):
        raise Skip(f"{directory} is in memory")
    path = os.path.join(directory, "redis")
    servers.start(directory, server, "--port", 0, "--unixsocket", path, "--dir", directory, "--save", "", "--appendonly", "yes",
                  "--appendfsync", "always", "--auto-aof-rewrite-percentage", 0)
    until(lambda: succeeds(directory, cli, "-s", path, "set", "a", "b"), "redis")
    servers.start(directory, benchmark, "-s", path, "-c", 8, "-t", "set", "-n", 100_000_000, "-r", 1000)


# ---- nginx

NGINX = """
daemon off;
worker_processes 1;
pid {directory}/pid;
error_log {directory}/errors;
events {{ worker_connections 64; }}
http {{
	access_log off;
	client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
	uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;
	server {{
		listen 127.0.0.1:{port};
		location / {{ proxy_pass http://unix:{directory}/socket; }}
	}}
}}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def is_served(port):
    """nginx's own answer where the upstream does not is one, too."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as s:
        s.settimeout(5)
        s.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return b" 200 " in s.recv(100)
    return False


def nginx(servers):
    """Requests that are passed on to a server that sleeps in each: upstream.c."""
    server, ab = found("nginx", "ab")
    directory = home()
    upstream = shutil.copy(workload("upstream.c"), directory)
    port = free_port()
    servers.start(directory, upstream, os.path.join(directory, "socket"))
    until(lambda: os.path.exists(os.path.join(directory, "socket")), "upstream")
    configuration = written(os.path.join(directory, "conf"), NGINX.format(directory=directory, port=port))
    servers.start(directory, server, "-p", directory, "-c", configuration, "-e", os.path.join(directory, "errors"))
    until(lambda: is_served(port), "nginx")
    servers.start(directory, ab, "-q", "-c", 8, "-t", SECONDS, "-n", 10_000_000, f"http://127.0.0.1:{port}/")
