// SPDX-License-Identifier: GPL-2.0-or-later
// inlined.cc: `inlined SECONDS`: functions that the compiler copies into each other: work() has round_of()
// twice, that has fill(), that has mix() and a lambda.
#include <cstdlib>
#include <ctime>
#include <vector>

#define INLINED inline __attribute__((always_inline))

namespace shop {

struct Basket {
	volatile unsigned long sum;

	INLINED void mix(unsigned long i)
	{
		sum = sum * 31 + i;
		sum = sum ^ sum >> 7;
	}

	template <typename Step> INLINED void each(unsigned long n, Step step)
	{
		for (unsigned long i = 0; i < n; i++)
			step(i);
	}

	INLINED void fill(unsigned long n)
	{
		each(n, [this](unsigned long i) { mix(i); });
	}
};

} // namespace shop

static INLINED void round_of(shop::Basket *basket, unsigned long n)
{
	basket->fill(n);
}

__attribute__((noinline)) void work(shop::Basket *basket)
{
	round_of(basket, 10000);
	round_of(basket, 5000);
}

int main(int argc, char **argv)
{
	shop::Basket basket = {};
	std::clock_t end = std::clock() + (argc > 1 ? std::atof(argv[1]) : 1) * CLOCKS_PER_SEC;

	while (std::clock() < end)
		work(&basket);
	return 0;
}
