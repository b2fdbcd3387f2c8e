# SPDX-License-Identifier: GPL-2.0-or-later
"""python-await.py SECONDS: coroutines that await each other, in two tasks. Runs in Python 3.8 and later."""
import asyncio
import sys
import time


def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(100))


async def innermost(turns):
    for _ in range(turns):
        spin(0.01)
        await asyncio.sleep(0)


async def numbers():
    while True:
        await innermost(1)
        yield 1


async def middle(turns):
    async for _ in numbers():
        turns -= 1
        if not turns:
            return


async def by_generator():
    await middle(3)


async def by_calls():
    await innermost(3)


async def main():
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        await asyncio.gather(by_generator(), by_calls())


print("ready", flush=True)
asyncio.run(main())
