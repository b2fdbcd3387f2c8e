// SPDX-License-Identifier: GPL-2.0-or-later

// convoy.go: `convoy MS`: eight goroutines want one mutex, and each has it for a nap of 5 ms.
package main

import (
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

var lock sync.Mutex

//go:noinline
func holdsLock() {
	nap := syscall.NsecToTimespec(5000000)
	syscall.Nanosleep(&nap, nil)
}

//go:noinline
func wantsLock() {
	lock.Lock()
	holdsLock()
	lock.Unlock()
}

func main() {
	ms, _ := strconv.Atoi(os.Args[1])
	end := time.Now().Add(time.Duration(ms) * time.Millisecond)
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			for time.Now().Before(end) {
				wantsLock()
			}
			all.Done()
		}()
	}
	all.Wait()
}
