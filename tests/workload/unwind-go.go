// SPDX-License-Identifier: GPL-2.0-or-later
// unwind-go.go: `unwind-go MS`: for MS of CPU time, goroutines that call functions and allocate, so that the runtime works too.
package main

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

var sink []byte

// cpu is the CPU time that the process has had.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

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
func worker(stop time.Duration, done chan int) {
	n := 0
	for cpu() < stop {
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
	stop := time.Duration(ms) * time.Millisecond
	done := make(chan int)
	go worker(stop, done)
	go worker(stop, done)
	<-done
	<-done
}
