-- SPDX-License-Identifier: GPL-2.0-or-later
-- outer() calls middle() calls inner(), for so many seconds.
local function inner(n) local s = 0 for i = 1, n do s = (s + i * i) % 1000003 end return s end
local function middle(n) return inner(n) + 1 end
local function outer() return middle(200000) + 1 end
local finish = os.time() + tonumber(arg[1])
while os.time() < finish do outer() end
