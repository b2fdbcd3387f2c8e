// SPDX-License-Identifier: GPL-2.0-or-later
// names.cc: `cxx-names CPU-SECONDS`: C++ names that a demangler must tell apart.
#include "workload.h"

#define BURN(n)                                                                                    \
	KEEP_FRAME();                                                                              \
	for (long burn_ = (n); burn_ > 0; burn_--)                                                 \
	__asm__ volatile("" ::: "memory")

#undef FUNCTION
#define FUNCTION __attribute__((noinline, noclone, no_icf))

namespace shop
{
class Till
{
      public:
	FUNCTION void add(int n)
	{
		BURN(n);
	}
	FUNCTION void add(double n)
	{
		BURN((long)n);
	}
	FUNCTION void add(const char *, long n)
	{
		BURN(n);
	}
	FUNCTION Till &operator+=(int n)
	{
		BURN(n);
		return *this;
	}
};

template <typename T> FUNCTION T largest(T a, T b)
{
	BURN(a > b ? a : b);
	return a > b ? a : b;
}
} // namespace shop

namespace
{
FUNCTION void hidden(long n)
{
	BURN(n);
}
} // namespace

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	volatile int n = ROUNDS;
	shop::Till till;

	while (process_cpu() < seconds) {
		till.add((int)n);
		till.add((double)n);
		till.add("label", n);
		till += n;
		shop::largest<int>(n, 0);
		hidden(n);
	}
	return 0;
}
