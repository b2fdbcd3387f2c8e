// SPDX-License-Identifier: GPL-2.0-or-later
// unwind-go.go: `unwind-go MS`: goroutines that call functions and allocate, so that the runtime works too.
package main

import (
	"os"
	"strconv"
	"time"
)

var sink []byte

//go:noinline
func leaf(n int) int {
	for i := 0; i < 50000; i++ {
		n += i & n
	}
	return n
}

//go:noinline
func allocate(n int) {
	sink = make([]byte, 100+n&1023)
}

//go:noinline
func worker(stop time.Time, done chan int) {
	n := 0
	for time.Now().Before(stop) {
		n = leaf(n)
		for i := 0; i < 100; i++ {
			allocate(n + i)
		}
	}
	done <- n
}

func main() {
	ms := 1000
	if len(os.Args) > 1 {
		ms, _ = strconv.Atoi(os.Args[1])
	}
	stop := time.Now().Add(time.Duration(ms) * time.Millisecond)
	done := make(chan int)
	go worker(stop, done)
	go worker(stop, done)
	<-done
	<-done
}
