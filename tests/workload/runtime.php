<?php // SPDX-License-Identifier: GPL-2.0-or-later
// outer() calls middle() calls inner(), for so many seconds.
function inner($n) { $s = 0; for ($i = 0; $i < $n; $i++) { $s = ($s + $i * $i) % 1000003; } return $s; }
function middle($n) { return inner($n) + 1; }
function outer() { return middle(200000) + 1; }
for ($end = microtime(true) + $argv[1]; microtime(true) < $end;) { outer(); }
