module wick/tests/readers/pprof

go 1.18

require github.com/google/pprof v0.0.0-20221118152302-e6195bd50e26
