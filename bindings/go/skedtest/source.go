// Package skedtest finds bugs in schedulers. Search draws cases, names the
// invariant that breaks, and shrinks the case. Division is the case of a division
// among siblings, and ManagerCase the case of a scheduler behind the interface
// Manager, whose history sked.Audit judges. SearchBytes makes each of them a
// target of go test -fuzz.
//
// Generators, exact oracles on math/big and a model of this library's engine are
// there too; they read the inputs of the C library's fuzzers.
package skedtest

import (
	"math/rand"
	"os"
	"path/filepath"
	"testing"
)

// Source is where choices come from: Bytes, or anything with random numbers.
type Source interface{ Uint64() uint64 }

// Bytes reads choices off bytes as the C fuzzers do; at the end it answers zero
// for ever.
type Bytes struct{ Data []byte }

// Take is a number of so many bytes, the first the highest.
func (b *Bytes) Take(bytes int) (v uint64) {
	for ; bytes > 0; bytes-- {
		v <<= 8
		if len(b.Data) > 0 {
			v |= uint64(b.Data[0])
			b.Data = b.Data[1:]
		}
	}
	return v
}

// More says whether there are bytes left.
func (b *Bytes) More() bool { return len(b.Data) > 0 }

// Uint64 is a Source of what is left.
func (b *Bytes) Uint64() uint64 { return b.Take(8) }

// Below is a number below n, which is above 0.
func Below(s Source, n int) int {
	if b, ok := s.(*Bytes); ok && n <= 256 {
		return int(b.Take(1)) % n
	}
	return int(s.Uint64() % uint64(n))
}

// Random is n bytes from a generator of testing/quick.
func Random(r *rand.Rand, n int) *Bytes {
	b := make([]byte, n)
	r.Read(b)
	return &Bytes{b}
}

// AddCorpus seeds a fuzz target with the inputs of the C fuzzer of that name, in
// a checkout of the library; elsewhere it adds one empty input.
func AddCorpus(f *testing.F, name string) {
	f.Helper()
	f.Add([]byte{})
	for _, in := range Corpus(name) {
		f.Add(in)
	}
}

// Corpus are the inputs of the C fuzzer of that name; none outside a checkout.
func Corpus(name string) (inputs [][]byte) {
	for up := ".."; len(up) < 40; up = filepath.Join(up, "..") {
		files, _ := filepath.Glob(filepath.Join(up, "fuzz", "corpus", name, "*"))
		for _, file := range files {
			if b, err := os.ReadFile(file); err == nil {
				inputs = append(inputs, b)
			}
		}
		if inputs != nil {
			return inputs
		}
	}
	return nil
}
