%% SPDX-License-Identifier: GPL-2.0-or-later
%% outer() calls middle() calls inner(), for so many seconds.
-module(runtime).
-export([main/1]).

inner(0, S) -> S;
inner(N, S) -> inner(N - 1, (S + N * N) rem 1000003).

middle(N) -> inner(N, 0) + 1.

outer() -> middle(200000) + 1.

now_ms() -> erlang:monotonic_time(millisecond).

until(End) ->
    case now_ms() < End of
        true -> outer(), until(End);
        false -> ok
    end.

main([Seconds]) ->
    until(now_ms() + 1000 * list_to_integer(atom_to_list(Seconds))),
    halt().
