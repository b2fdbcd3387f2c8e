// SPDX-License-Identifier: GPL-2.0-or-later
// truth.go: goroutines that wait in a system call below inlined functions, generic ones, closures and methods. It prints their
// stacks as the runtime has them, and "ready".
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"time"
)

type box struct{ fd int }

func (b *box) read(p []byte) int { n, _ := syscall.Read(b.fd, p); return n }
func helper(b *box) int          { return b.read(make([]byte, 1)) + 1 }

//go:noinline
func outer(b *box) int { return helper(b) + 3 }

type byReading struct{ b *box }

func (s byReading) Len() int           { return 2 }
func (s byReading) Swap(i, j int)      {}
func (s byReading) Less(i, j int) bool { return outer(s.b) > 0 }

//go:noinline
func generic[T any](x T, f func(T) int) int { return f(x) }

func main() {
	var p [2]int
	if syscall.Pipe(p[:]) != nil {
		os.Exit(1)
	}
	b := &box{p[0]}
	go outer(b)
	go sort.Sort(byReading{b})
	go generic(b, func(b *box) int { return outer(b) })
	buf := make([]byte, 1<<16)
	text := ""
	for strings.Count(text, "syscall.read(") < 3 {
		time.Sleep(10 * time.Millisecond)
		text = string(buf[:runtime.Stack(buf, true)])
	}
	fmt.Print(text)
	fmt.Println("ready")
	time.Sleep(300 * time.Second)
}
