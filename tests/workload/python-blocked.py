# SPDX-License-Identifier: GPL-2.0-or-later
"""python-blocked.py: threads that are blocked for good, each in another way, and the main one too.

Prints a line when the threads are there. Runs in Python 3.8 and later.
"""
import ctypes
import queue
import threading

empty = queue.Queue()
locked = threading.Lock()
never = threading.Event()


def in_queue():
    return empty.get()


def in_lock():
    with locked:
        pass


def sort_key(_):
    never.wait()


def in_key():
    return sorted([2, 1], key=sort_key)


def numbers():
    yield 1
    yield never.wait()


def in_generator():
    return sum(numbers())


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def compare(_a, _b):
    never.wait()
    return 0


def in_callback():
    array = (ctypes.c_int * 3)(3, 1, 2)
    ctypes.CDLL(None).qsort(array, len(array), ctypes.sizeof(ctypes.c_int), compare)


def recurse(depth):
    return recurse(depth - 1) if depth else never.wait()


def in_recursion():
    recurse(30)


class Waiter:
    def method(self):
        return [never.wait() for _ in range(2)]


def in_method():
    return Waiter().method()


def main():
    locked.acquire()
    for f in (in_queue, in_lock, in_key, in_generator, in_callback, in_recursion, in_method):
        threading.Thread(target=f, daemon=True).start()
    print("ready", flush=True)
    never.wait()


main()
