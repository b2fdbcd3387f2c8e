/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Convoy.java: `Convoy MS`: eight threads want one monitor, and each has it for a nap of 5 ms. */
public class Convoy {
	static final Object lock = new Object();

	static void holdsLock() throws InterruptedException {
		Thread.sleep(5);
	}

	static void wantsLock() throws InterruptedException {
		synchronized (lock) {
			holdsLock();
		}
	}

	public static void main(String[] args) throws Exception {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000L;

		for (int i = 0; i < 8; i++) {
			Thread t = new Thread(() -> {
				try {
					while (System.nanoTime() < end)
						wantsLock();
				} catch (InterruptedException e) {
				}
			}, "convoy-" + i);
			t.start();
		}
	}
}
