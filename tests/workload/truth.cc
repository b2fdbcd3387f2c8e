// SPDX-License-Identifier: GPL-2.0-or-later
// truth.cc: `truth`: threads that wait in libc below inlined functions, templates, lambdas and what libc calls back.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <poll.h>
#include <semaphore.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#define INLINED	 inline __attribute__((always_inline))
#define FUNCTION __attribute__((noinline, noclone))

namespace shop
{
static sem_t never;
static std::mutex door;

struct Till {
	int pipe[2];

	INLINED int take()
	{
		char c;
		return read(pipe[0], &c, 1);
	}
	FUNCTION int serve(int n)
	{
		return take() + n;
	}
	int operator()(const std::string &name)
	{
		return serve((int)name.size()) + 1;
	}
};

template <typename T> struct Basket {
	std::vector<T> things;

	template <typename F> FUNCTION int each(F f)
	{
		int sum = 0;
		for (auto &thing : things)
			sum += f(thing);
		return sum;
	}
};
} // namespace shop

namespace
{
FUNCTION int hidden(int n)
{
	sem_wait(&shop::never);
	return n + 1;
}

int by_waiting(const void *a, const void *b)
{
	return hidden(*(const int *)a - *(const int *)b) + 1;
}

FUNCTION int sorted()
{
	int n[] = {3, 1, 2};
	qsort(n, 3, sizeof(n[0]), by_waiting);
	return n[0] + 1;
}

FUNCTION int locked()
{
	std::lock_guard<std::mutex> guard(shop::door);
	return 1 + (int)shop::door.native_handle()->__data.__lock;
}
} // namespace

int main()
{
	shop::Till till;
	shop::Basket<std::string> basket = {{"one", "two"}};
	std::function<int(const std::string &)> way = [&](const std::string &name) {
		return till(name) * 2;
	};

	sem_init(&shop::never, 0, 0);
	if (pipe(till.pipe))
		return 1;
	shop::door.lock();
	std::thread threads[] = {std::thread([&] { return basket.each(way); }), std::thread(sorted),
				 std::thread(locked)};
	puts("ready");
	fflush(stdout);
	return poll(nullptr, 0, -1) + (int)threads[0].joinable();
}
