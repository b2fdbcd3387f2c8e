/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Truth.java: threads that wait below lambdas, streams, a comparator and monitors, in interpreted and compiled frames. It says "ready"
 * when each of them waits.
 */
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

public class Truth {
	static final Object lock = new Object();
	static volatile boolean waits = false;

	int parked(int n) {
		while (waits)
			LockSupport.park(this);
		return n + 1;
	}

	int middle(int n) {
		return parked(n) * 2;
	}

	int streams() {
		return IntStream.range(0, 3).map(n -> middle(n)).sum();
	}

	static void waiting() throws InterruptedException {
		synchronized (lock) {
			while (waits)
				lock.wait();
		}
	}

	void sorted() {
		List<Integer> list = Arrays.asList(3, 1, 2);

		list.sort((x, y) -> middle(x) - middle(y));
	}

	interface Work {
		void run() throws Exception;
	}

	static Thread start(String name, Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		}, name);

		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	public static void main(String[] args) throws Exception {
		Truth truth = new Truth();
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < 50000; i++) {
			truth.streams();
			waiting();
		}
		waits = true;
		threads.add(start("truth-parks", () -> truth.streams()));
		threads.add(start("truth-waits", () -> waiting()));
		threads.add(start("truth-sorts", () -> truth.sorted()));
		threads.add(start("truth-takes", () -> new LinkedBlockingQueue<String>().take()));
		for (Thread thread : threads)
			while (thread.getState() != Thread.State.WAITING)
				Thread.sleep(10);
		System.out.println("ready");
		Thread.sleep(300000);
	}
}
