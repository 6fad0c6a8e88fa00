//go:build go1.23

package sked_test

import (
	"iter"
	"testing"

	"example.org/sked/bindings/go/sked"
)

func TestSequencesAreThoseOfIter(t *testing.T) {
	tree := must(sked.ReadTree(small, sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	var queues iter.Seq[sked.QueueID] = tree.Queues()
	n := 0
	queues(func(sked.QueueID) bool { n++; return n < 3 })
	if n != 3 {
		t.Fatal(n)
	}
	_, e, _ := cluster(t, nil, nil)
	var _ iter.Seq[*sked.Decision] = e.Decisions
}
