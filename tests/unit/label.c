/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/label.h"

#include "base/method_name.h"

#include "test.h"

/* ---- all that can be left out, of names as demanglers and runtimes write them */

static const struct {
	const char *name, *without;
} templates[] = {
	/* libstdc++, by libiberty: a blank between brackets */
	{"std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>",
	 "std::vector<...>::_M_realloc_insert<...>"},
	{"std::_Rb_tree<std::__cxx11::basic_string<char>, std::pair<int, int> >::find",
	 "std::_Rb_tree<...>::find"},
	{"std::enable_if<is_thing<T>::value, int>::type f<T>", "std::enable_if<...>::type f<T>"},
	{"std::__cxx11::basic_string<char>::_M_append[abi:cxx11]<char>",
	 "std::__cxx11::basic_string<...>::_M_append[abi:cxx11]<...>"},
	/* by LLVM, and Boost */
	{"boost::spirit::qi::rule<char*, std::vector<std::pair<int, int>>(), ascii::space>::parse",
	 "boost::spirit::qi::rule<...>::parse"},
	{"boost::mpl::if_<boost::mpl::bool_<((3)>(2))>, A, B>::type::run",
	 "boost::mpl::if_<...>::type::run"},
	{"shift<((1)<<(4)), (a<b)>::f", "shift<...>::f"},
	/* Chromium */
	{"base::internal::Invoker<base::internal::BindState<void (net::Job::*)(int), "
	 "base::WeakPtr<net::Job>>, void (int)>::RunOnce",
	 "base::internal::Invoker<...>::RunOnce"},
	{"(anonymous namespace)::Cache<Key, Value>::Find",
	 "(anonymous namespace)::Cache<...>::Find"},
	/* lambdas */
	{"std::_Function_handler<int (int), main::{lambda(int)#1}>::_M_invoke",
	 "std::_Function_handler<...>::_M_invoke"},
	{"run(std::vector<long>)::{lambda(int)#1}::operator()",
	 "run(std::vector<...>)::{lambda(int)#1}::operator()"},
	{"f::{lambda(auto:1)#1}::operator()<int, char>", "f::{lambda(auto:1)#1}::operator()<...>"},
	{"main::<lambda(std::vector<long>)>::operator()",
	 "main::<lambda(std::vector<...>)>::operator()"},
	/* operators */
	{"std::operator<< <std::char_traits<char> >", "std::operator<< <...>"},
	{"std::operator<<<std::char_traits<char>>", "std::operator<<<...>"},
	{"std::operator< <char>", "std::operator< <...>"},
	{"std::operator==<char, char>", "std::operator==<...>"},
	{"A<int, int>::operator<=>", "A<...>::operator<=>"},
	{"std::unique_ptr<Foo>::operator->", "std::unique_ptr<Foo>::operator->"},
	{"std::unique_ptr<Food>::operator->", "std::unique_ptr<...>::operator->"},
	{"A<&B::operator->, 12>::operator bool", "A<...>::operator bool"},
	{"Matrix<double>::operator-<float>", "Matrix<...>::operator-<...>"},
	{"Set::operator new<long>", "Set::operator new<...>"},
	{"myoperator<long>", "myoperator<...>"},
	/* Rust: legacy and v0 */
	{"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
	 "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop"},
	{"<alloc::vec::Vec<u8, Global> as core::ops::drop::Drop>::drop",
	 "<alloc::vec::Vec<...> as core::ops::drop::Drop>::drop"},
	{"<<T as Into<Body>>::Out as Service<Request>>::call",
	 "<<T as Into<...>>::Out as Service<...>>::call"},
	{"core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place::<...>"},
	{"core::slice::<impl [core::option::Option<bool>]>::iter",
	 "core::slice::<impl [core::option::Option<...>]>::iter"},
	{"tokio::run::<dyn Fn(u8) -> Vec<u8>>::{closure#0}", "tokio::run::<...>::{closure#0}"},
	/* D */
	{"std.algorithm.sorting.sort!(\"a < b\", int[]).sort",
	 "std.algorithm.sorting.sort!(...).sort"},
	{"t.Point!(double).Point.dot!(t.Point!(float).Point).dot",
	 "t.Point!(...).Point.dot!(...).dot"},
	{"a.f!(int).f(b.G!(long).G)", "a.f!(int).f(b.G!(...).G)"},
	{"Flag::operator!(Flag<long>)", "Flag::operator!(Flag<...>)"},
	/* more than three columns are worth it */
	{"f<int>::g<long>", "f<int>::g<...>"},
	{"f<\xe4\xb8\xad>::g<\xe4\xb8\xad\xe6\x96\x87>", "f<\xe4\xb8\xad>::g<...>"},
};

static void templates_are_shortened(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(templates); i++) {
		const char *name = templates[i].name;
		_cleanup_strbuf_ struct strbuf b = {};
		bool shorter;

		shorter = strbuf_add_templates_shortened(&b, (struct string){name, strlen(name)});
		CHECK_STR(shorter ? b.s : name, templates[i].without);
		CHECK_EQ(shorter, strcmp(name, templates[i].without) != 0);
	}
}

static void other_brackets_stay(void)
{
	static const char *const names[] = {
		"operator<",
		"Foo::operator<<",
		"operator<=>",
		"operator->*",
		"operator>>=",
		"operator()",
		"<module>",
		"<lambda>",
		"outer.<locals>.<listcomp>",
		"Foo.<init>",
		"java.lang.Thread.run",
		"<anonymous>",
		"Program+<>c.<Main>b__0_0",
		"block in <main function>",
		"<class:ActiveRecord>",
		"main.sum[go.shape.int]",
		"main.(*Server).Serve.func1",
		"LazyCompile:~serve",
		"[libfoo.so.1+0x5f3a20]",
		"",
		"<",
		/* without a partner */
		"f<int",
		"f<(int>",
		"f<int)>::g",
		"vector<long>::f>",
		"vector<long>::f)",
		"g(vector<long>::f",
		"operator<int>",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_strbuf_ struct strbuf b = {};

		CHECK(!strbuf_add_templates_shortened(&b,
						      (struct string){names[i], strlen(names[i])}));
		CHECK_EQ(b.size, 0);
	}
}

/* ---- what fits */

static void a_name_gives_away_as_little_as_it_must(void)
{
	static const char name[] = "std::map<std::string, int>::find(std::string const&) const";
	static const struct {
		size_t columns;
		const char *label;
	} cases[] = {
		{200, name},
		{sizeof(name) - 1, name},
		{sizeof(name) - 2, "std::map<std::string, int>::find"},
		{32, "std::map<std::string, int>::find"},
		{31, "std::map<...>::find"},
		{19, "std::map<...>::find"},
		{18, "std::map<...>::f.."},
		{3, "s.."},
		{1, "."},
		{0, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf b = {};

		strbuf_add_label(&b, (struct string){name, sizeof(name) - 1}, cases[i].columns);
		CHECK_STR(b.s ? b.s : "", cases[i].label);
	}
}

static void methods_give_away_their_types_and_packages(void)
{
	static const char name[] = "boolean org.acme.shop.Cart$Item.isSold(java.lang.String, int)";
	static const struct {
		size_t columns;
		const char *label;
	} cases[] = {
		{sizeof(name) - 1, name},
		{sizeof(name) - 2, "boolean org.acme.shop.Cart$Item.isSold"},
		{37, "org.acme.shop.Cart$Item.isSold"},
		{29, "Cart$Item.isSold"},
		{15, "Cart$Item.isS.."},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf b = {};

		strbuf_add_label(&b, (struct string){name, sizeof(name) - 1}, cases[i].columns);
		CHECK_STR(b.s ? b.s : "", cases[i].label);
	}
}

static void only_methods_have_short_names(void)
{
	static const struct {
		const char *name, *shorter;
	} cases[] = {
		{"void java.lang.Thread.run()", "Thread.run"},
		{"void Service.main(java.lang.String[])", "Service.main"},
		{"long[] a.B.<init>(int)", "B.<init>"},
		{"int Mix$$Lambda$1+0x00007efc.apply()", "Mix$$Lambda$1+0x00007efc.apply"},
		{"java.lang.Thread.run", "java.lang.Thread.run"},
		{"main.(*Server).Serve", "main.(*Server).Serve"},
		{"unsigned long f(int)", "unsigned long f(int)"},
		{"void std::f<int>(int) [clone .isra.0]", "void std::f<int>(int) [clone .isra.0]"},
		{"StubRoutines (1)", "StubRoutines (1)"},
		{"a b.c d.e", "a b.c d.e"},
		{"void ", "void "},
		{"", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct string name = {cases[i].name, strlen(cases[i].name)};
		struct string shorter = method_short_name(name);

		CHECK_EQ(shorter.size, strlen(cases[i].shorter));
		CHECK(!memcmp(shorter.s, cases[i].shorter, shorter.size));
	}
}

static void parameters_are_cut(void)
{
	static const struct {
		const char *name, *without;
	} cases[] = {
		{"f(int) const", "f"},
		{"A::operator()(int)", "A::operator()"},
		{"A::operator()", "A::operator()"},
		{"f(void (*)(int))", "f"},
		{"(anonymous namespace)", "(anonymous namespace)"},
		{"f(int)::{lambda()#1}::operator()() const", "f(int)::{lambda()#1}::operator()"},
		{"f)", "f)"},
		{"main.(*Server).Serve", "main.(*Server).Serve"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct string name = {cases[i].name, strlen(cases[i].name)};
		struct string without = label_without_parameters(name);

		CHECK_EQ(without.size, strlen(cases[i].without));
		CHECK(!memcmp(without.s, cases[i].without, without.size));
	}
}

/* ---- hostile names */

enum { LONG = 1 << 20 };

/* A MB of the same few bytes. */
static char *repeated(const char *what)
{
	size_t size = strlen(what);
	char *s = malloc(LONG);

	CHECK(s);
	for (size_t i = 0; s && i < LONG; i++)
		s[i] = what[i % size];
	return s;
}

/* Each would take hours if it was not linear. */
static void long_names_end(void)
{
	static const char *const parts[] = {
		"<",   ">",	    "a<",	 "a<b>",     "((<",	  "(",	      ")",
		"a<(", "operator<", "operator=", "operator", "a<b(c)>::", "::<impl ", "a<\xff"};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char *s = repeated(parts[i]);
		_cleanup_strbuf_ struct strbuf b = {};

		strbuf_add_label(&b, (struct string){s, LONG}, 40);
		CHECK(label_columns(b.s, b.size) <= 40);
		free(s);
	}
}

static void any_bytes_are_a_name(void)
{
	static const char letters[] = "<>()aT:-=o ,&\xff";

	srandom(1);
	for (int i = 0; i < 200000; i++) {
		char name[48];
		_cleanup_strbuf_ struct strbuf b = {};
		size_t size = (size_t)random() % sizeof(name), columns = (size_t)random() % 30;

		for (size_t at = 0; at < size; at++)
			name[at] = letters[(size_t)random() % (sizeof(letters) - 1)];
		strbuf_add_label(&b, (struct string){name, size}, columns);
		CHECK(label_columns(b.s, b.size) <= columns);
	}
}

int main(void)
{
	RUN(templates_are_shortened);
	RUN(other_brackets_stay);
	RUN(a_name_gives_away_as_little_as_it_must);
	RUN(methods_give_away_their_types_and_packages);
	RUN(only_methods_have_short_names);
	RUN(parameters_are_cut);
	RUN(long_names_end);
	RUN(any_bytes_are_a_name);
	return test_status();
}
