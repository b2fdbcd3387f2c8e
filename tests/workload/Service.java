/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Service.java: `Service SECONDS`: a thread that handles requests, each of which is parsed and answered. It says "ready" when these
 * methods have been compiled. Run with -XX:CompileCommand=dontinline,Service.*, each is a frame of its own.
 */
public class Service {
	static long state = 1;

	static long parse(long x, int rounds) {
		for (int i = 0; i < rounds; i++)
			x = x * 6364136223846793005L + (x >>> 33) + i;
		return x;
	}

	static long answer(long x, int rounds) {
		for (int i = 0; i < rounds; i++)
			x = (x ^ x << 13) + (x >>> 7) + i;
		return x;
	}

	static long handle(long x) {
		return answer(parse(x, 1000), 500);
	}

	static void serve(long until) {
		long x = state;

		while (System.nanoTime() < until)
			for (int i = 0; i < 100; i++)
				x = handle(x);
		state = x;
	}

	public static void main(String[] args) {
		long now = System.nanoTime();

		for (int i = 0; i < 20; i++)
			serve(System.nanoTime() + 50_000_000L);
		System.out.println("ready");
		serve(now + Long.parseLong(args[0]) * 1_000_000_000L);
		System.out.println("done " + state);
	}
}
