/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Library.java: `Library SECONDS`: three threads, each of which does in work() what programs do: sorts, maps, streams, patterns, text,
 * exceptions, recursion. So most of the time is in the class library, which the compilers inline as they like. A fourth waits in idle()
 * all the time. It says "ready" when methods have been compiled.
 */
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

public class Library {
	static volatile long sink;
	static final Object lock = new Object();

	static int recur(int n) {
		return n < 2 ? n : recur(n - 1) + recur(n - 2);
	}

	static void match() {
		Pattern pattern = Pattern.compile("(a+b*)+c?");

		for (int i = 0; i < 100; i++)
			if (pattern.matcher("aaaabbbaaab".repeat(3) + i).find())
				sink++;
	}

	static void sort() {
		Integer[] numbers = new Integer[2000];
		Random random = new Random(sink);

		for (int i = 0; i < numbers.length; i++)
			numbers[i] = random.nextInt();
		Arrays.sort(numbers, Comparator.comparing(x -> -x));
		sink += numbers[0];
	}

	static void group() {
		sink += IntStream.range(0, 2000).mapToObj(Integer::toString).filter(s -> s.length() > 2)
			.collect(Collectors.groupingBy(String::length)).size();
	}

	static void fail() {
		for (int i = 0; i < 20; i++) {
			try {
				throw new IllegalStateException("failure " + i);
			} catch (IllegalStateException e) {
				sink += e.getStackTrace().length;
			}
		}
	}

	static void print() {
		for (int i = 0; i < 20; i++)
			sink += String.format("%d %s %.3f", i, "a", i * 1.5).length();
	}

	static void work() {
		recur(18);
		match();
		sort();
		group();
		fail();
		print();
		synchronized (lock) {
			recur(12);
		}
	}

	static void idle() {
		try {
			Thread.sleep(Long.MAX_VALUE);
		} catch (InterruptedException e) {
			return;
		}
	}

	public static void main(String[] args) throws Exception {
		long seconds = 1_000_000_000L, begin = System.nanoTime(), end = begin + Long.parseLong(args[0]) * seconds;
		Thread idler = new Thread(Library::idle);

		idler.setDaemon(true);
		idler.start();
		for (int i = 0; i < 3; i++)
			new Thread(() -> {
				while (System.nanoTime() < end)
					work();
			}).start();
		while (System.nanoTime() < begin + 2 * seconds)
			Thread.sleep(10);
		System.out.println("ready");
	}
}
