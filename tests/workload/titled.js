// SPDX-License-Identifier: GPL-2.0-or-later
// A service with a name of its own, which computes for so many seconds.
process.title = 'service';
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s; }
const end = Date.now() + 1000 * process.argv[2];
while (Date.now() < end) inner(200000);
