# SPDX-License-Identifier: GPL-2.0-or-later
"""python-order.py SECONDS: known functions that call each other through C and without it, in several threads.

Prints a line when the threads are there. Runs in Python 3.8 and later.
"""
import ctypes
import sys
import threading
import time


def spin(seconds):
    end = time.monotonic() + seconds
    total = 0
    while time.monotonic() < end:
        for i in range(1000):
            total += i * i  # the hot line
    return total


def recurse(depth):
    if depth:
        return recurse(depth - 1)
    return spin(0.01)


def sort_key(x):
    spin(0.005)
    return x


def by_sorted():
    return sorted([3, 1, 2], key=sort_key)


def numbers():
    for _ in range(3):
        yield spin(0.005)


def by_generator():
    return sum(numbers())


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def compare(a, b):
    spin(0.005)
    return a[0] - b[0]


def by_ctypes():
    array = (ctypes.c_int * 3)(3, 1, 2)
    libc.qsort(array, len(array), ctypes.sizeof(ctypes.c_int), compare)


class Café:
    def méthode(self):
        return spin(0.01)


def worker():
    while not done:
        by_sorted()


def sleep_inner():
    time.sleep(0.01)


def sleeper():
    while not done:
        sleep_inner()


def main():
    global done
    threads = [threading.Thread(target=f) for f in (worker, sleeper)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        recurse(5)
        by_sorted()
        by_generator()
        by_ctypes()
        Café().méthode()
    done = True
    for thread in threads:
        thread.join()


libc = ctypes.CDLL(None)
done = False
main()
