// SPDX-License-Identifier: GPL-2.0-or-later

// Reads profiles with pprof's own package, checks each with its CheckValid, and prints it as JSON: what the
// tests compare with folded text.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/pprof/profile"
)

type place struct {
	Name    string
	File    string // of the mapping; "": it is in none
	BuildID string
	Offset  uint64 // in that file
}

type sample struct {
	Stack  []place // root first
	Values []int64
	Labels map[string][]string
	Nums   map[string][]int64
}

type content struct {
	Types, Units           []string
	Default                string
	PeriodType             string
	Period, Time, Duration int64
	Comments               []string
	Functions, Locations   int
	Samples                []sample
}

// A place of one of its lines; the functions that are inlined there come first.
func placeOf(l *profile.Location, line profile.Line) place {
	p := place{Name: line.Function.Name}
	if m := l.Mapping; m != nil {
		p.File, p.BuildID = m.File, m.BuildID
		p.Offset = l.Address - m.Start + m.Offset
		if l.Address < m.Start || l.Address >= m.Limit {
			fmt.Fprintf(os.Stderr, "%s: %#x is not in its mapping\n", p.Name, l.Address)
			os.Exit(1)
		}
	}
	return p
}

func contentOf(p *profile.Profile) content {
	c := content{Default: p.DefaultSampleType, Period: p.Period, Time: p.TimeNanos, Duration: p.DurationNanos,
		Comments: p.Comments, Functions: len(p.Function), Locations: len(p.Location)}
	if p.PeriodType != nil {
		c.PeriodType = p.PeriodType.Type + "/" + p.PeriodType.Unit
	}
	for _, t := range p.SampleType {
		c.Types = append(c.Types, t.Type)
		c.Units = append(c.Units, t.Unit)
	}
	for _, s := range p.Sample {
		out := sample{Values: s.Value, Labels: s.Label, Nums: s.NumLabel}
		for i := len(s.Location) - 1; i >= 0; i-- {
			l := s.Location[i]
			for j := len(l.Line) - 1; j >= 0; j-- {
				out.Stack = append(out.Stack, placeOf(l, l.Line[j]))
			}
		}
		c.Samples = append(c.Samples, out)
	}
	return c
}

func read(path string) (content, error) {
	file, err := os.Open(path)
	if err != nil {
		return content{}, err
	}
	defer file.Close()
	p, err := profile.Parse(file)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return content{}, err
	}
	return contentOf(p), nil
}

func main() {
	for _, path := range os.Args[1:] {
		c, err := read(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
		json.NewEncoder(os.Stdout).Encode(c)
	}
}
