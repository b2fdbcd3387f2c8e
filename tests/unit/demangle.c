/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize.h"
#include "test.h"

static void expect(const char *mangled, const char *want)
{
	_cleanup_strbuf_ struct strbuf out = {};

	demangle(&out, mangled, strlen(mangled));
	CHECK_STR(out.s, want);
}

static void cpp_keeps_parameters_and_drops_return_types(void)
{
	expect("_ZN3foo3barEiPKc", "foo::bar(int, char const*)");
	expect("_ZSt4sortIPiEvT_S1_", "std::sort<int*>(int*, int*)");
	expect("_Z3maxIiET_S0_S0_", "max<int>(int, int)");
	expect("_ZNKSt6vectorIiSaIiEE4sizeEv",
	       "std::vector<int, std::allocator<int> >::size() const");
	expect("_ZTV3foo", "vtable for foo");
}

static void d_has_its_names(void)
{
	_cleanup_free_ char *many = xcalloc(1, 200);

	expect("_D8demangle4testFiZv", "demangle.test(int)");
	expect("_Dmain", "D main");
	expect("_D3std5stdio4File5closeMFNeZv", "std.stdio.File.close()");
	/* Ten back references, most of them to identifiers, as templates have. */
	expect("_D3std9algorithm9iteration__T12FilterResultS1t__T6mappedTSQCe5range__T4iotaTiTiZQkFiiZ6"
	       "ResultZQBtFQBpZ9__lambda3TSQEiQEhQEa__T9MapResultSQDp__TQDqTQDmZQDyFQDuZ9__lambda2TQEjZQ"
	       "BwZQFt8popFrontMFNaNbNiNfZv",
	       "std.algorithm.iteration.FilterResult!(t.mapped!(std.range.iota!(int, int).iota(int, "
	       "int).Result).mapped(std.range.iota!(int, int).iota(int, int).Result).__lambda3, "
	       "std.algorithm.iteration.MapResult!(t.mapped!(std.range.iota!(int, int).iota(int, "
	       "int).Result).mapped(std.range.iota!(int, int).iota(int, int).Result).__lambda2, "
	       "std.range.iota!(int, int).iota(int, int).Result).MapResult).FilterResult.popFront()");
	/* References to types can double what is written: too many of them are not followed. */
	strcpy(many, "_D1aFSQb");
	for (int i = 0; i < 40; i++)
		strcat(many, "Qc");
	strcat(many, "Zv");
	expect(many, many);
}

static void rust_loses_its_hash(void)
{
	expect("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	expect("_ZN60_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$4drop"
	       "17h0123456789abcdefE",
	       "<alloc::vec::Vec<T> as core::ops::Drop>::drop");
	expect("_ZN4core3fmt5write17h0123456789abcdefE.llvm.812734123", "core::fmt::write");
	expect("_RNvC6_123foo3bar", "123foo::bar");
	expect("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	expect("_RNvCs1234_7mycrate3foo.llvm.99", "mycrate::foo");
}

static void suffixes_of_clones_stay(void)
{
	expect("_ZN3foo3barEi.isra.0", "foo::bar(int).isra.0");
	expect("_Z1fv.cold", "f().cold");
	expect("_Z1fv.constprop.0.llvm.77.cold", "f().constprop.0.cold");
	expect("_ZN4core3fmt5write17h0123456789abcdefE.cold", "core::fmt::write.cold");
	expect("plain.part.0", "plain.part.0");
}

static void what_is_not_mangled_stays(void)
{
	static const char *const names[] = {
		"",	"_",	"_Z",	      "_R",    "__libc_start_main",  "_Zx",
		"_ZZZ", "main", "_Z3foo@plt", "_Rxyz", "a\x1b[31m;<script>", "_ZN3foo"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_strbuf_ struct strbuf out = {};

		strbuf_adds(&out, "x");
		demangle(&out, names[i], strlen(names[i]));
		CHECK_STR(out.s + 1, names[i]);
	}
}

static void bytes_after_a_nul_stay(void)
{
	_cleanup_strbuf_ struct strbuf out = {};

	demangle(&out, "_Z1fv\0x", 7);
	CHECK_EQ(out.size, 7);
}

/* void f(A<A<...>, A<...>>): each level names the one below it twice. */
static void doubled_templates_are_bounded(void)
{
	_cleanup_strbuf_ struct strbuf name = {}, out = {};
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	u64 begin = monotonic_ns();

	strbuf_adds(&name, "_Z1f1AIiiE");
	for (int i = 0; i < 34; i++)
		strbuf_addf(&name, "S_IS%c_S%c_E", digits[i], digits[i]);
	demangle(&out, name.s, name.size);
	CHECK_EQ(out.size, name.size);
	CHECK(monotonic_ns() - begin < 20 * NSEC_PER_SEC);
}

static void long_names_stay_as_they_are(void)
{
	_cleanup_strbuf_ struct strbuf name = {}, out = {};

	strbuf_adds(&name, "_Z");
	for (int i = 0; i < 100000; i++)
		strbuf_addc(&name, 'P');
	demangle(&out, name.s, name.size);
	CHECK_EQ(out.size, name.size);
}

int main(void)
{
	RUN(cpp_keeps_parameters_and_drops_return_types);
	RUN(rust_loses_its_hash);
	RUN(d_has_its_names);
	RUN(suffixes_of_clones_stay);
	RUN(what_is_not_mangled_stays);
	RUN(bytes_after_a_nul_stay);
	RUN(doubled_templates_are_bounded);
	RUN(long_names_stay_as_they_are);
	return test_status();
}
