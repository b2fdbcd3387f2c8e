# SPDX-License-Identifier: GPL-2.0-or-later
"""groups.py: a cgroup of the test's own. See live.py."""
from live import *


class Group:
    """A cgroup that has the controller: of version 2 where that has it, else of version 1, of which `files` are the ones by
    which the controller's directory is known. It is gone at the end of its `with`."""

    def __init__(self, controller, *files):
        name = f"wick-test-{os.getpid()}"
        self.is_v2 = False
        for root in "/sys/fs/cgroup", "/sys/fs/cgroup/unified":
            with contextlib.suppress(OSError):
                with open(f"{root}/cgroup.controllers") as f:
                    if controller in f.read().split():
                        with open(f"{root}/cgroup.subtree_control", "w") as control:
                            control.write(f"+{controller}")
                        self.path, self.is_v2 = f"{root}/{name}", True
                        return
        for file in files:
            if os.path.exists(f"/sys/fs/cgroup/{file}"):
                self.path = f"/sys/fs/cgroup/{os.path.dirname(file)}/{name}"
                return
        raise Skip(f"no cgroup controller {controller}")

    def write(self, name, value):
        with open(f"{self.path}/{name}", "w") as f:
            f.write(str(value))

    def __enter__(self):
        os.mkdir(self.path)
        return self

    def __exit__(self, *exception):
        end = time.monotonic() + 5
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                os.rmdir(self.path)
                return
            time.sleep(0.1)
