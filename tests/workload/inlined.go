// SPDX-License-Identifier: GPL-2.0-or-later
// inlined.go: `inlined ROUNDS`: work() has roundOf() twice, that has fill(), that has mix().
package main

import (
	"os"
	"strconv"
)

type basket struct{ sum uint64 }

func (b *basket) mix(i uint64) { b.sum = b.sum*31 + i ^ (b.sum >> 7) }

func (b *basket) fill(n uint64) {
	for i := uint64(0); i < n; i++ {
		b.mix(i)
	}
}

func roundOf(b *basket, n uint64) { b.fill(n) }

//go:noinline
func work(b *basket) {
	roundOf(b, 10000)
	roundOf(b, 5000)
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	b := &basket{}
	for i := 0; i < rounds; i++ {
		work(b)
	}
}
