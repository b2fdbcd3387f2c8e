// SPDX-License-Identifier: GPL-2.0-or-later
// unwind-cgo.go: `unwind-cgo MS`: for MS of CPU time, C called from Go, on the thread's stack, and Go called back from there.
package main

/*
static __attribute__((noinline)) long burn(long n)
{
	for (; n > 0; n--)
		__asm__ volatile("" ::: "memory");
	return n;
}

extern long goBack(long n);

static __attribute__((noinline)) long callBack(long n)
{
	return goBack(n) + 1;
}
*/
import "C"

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

//go:noinline
func inGo(n int) int {
	for i := 0; i < 500000; i++ {
		n += i & n
	}
	return n
}

//export goBack
func goBack(n C.long) C.long {
	return C.long(inGo(int(n)))
}

//go:noinline
func calls() {
	C.burn(1000000)
	C.callBack(1)
}

// cpu is the CPU time that the process has had.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func main() {
	ms, _ := strconv.Atoi(os.Args[1])
	for cpu() < time.Duration(ms)*time.Millisecond {
		calls()
	}
}
