// SPDX-License-Identifier: GPL-2.0-or-later
// Outer() calls Middle() calls Inner(), for so many seconds.
using System;

class Runtime {
	static long Inner(int n) { long s = 0; for (int i = 0; i < n; i++) s = (s + (long)i * i) % 1000003; return s; }
	static long Middle(int n) { return Inner(n) + 1; }
	static long Outer() { return Middle(200000) + 1; }

	static void Main(string[] arguments) {
		DateTime end = DateTime.Now.AddSeconds(double.Parse(arguments[0]));
		while (DateTime.Now < end) Outer();
	}
}
