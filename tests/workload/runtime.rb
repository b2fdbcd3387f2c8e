# SPDX-License-Identifier: GPL-2.0-or-later
# outer() calls middle() calls inner(), for so many seconds.
def inner(n) s = i = 0; while i < n; s = (s + i * i) % 1000003; i += 1; end; s end
def middle(n) inner(n) + 1 end
def outer() middle(20000) + 1 end
finish = Time.now + ARGV[0].to_f
outer while Time.now < finish
