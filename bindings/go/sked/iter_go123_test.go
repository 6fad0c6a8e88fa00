//go:build go1.23

package sked

import (
	"iter"
	"testing"
)

func TestSequencesAreThoseOfIter(t *testing.T) {
	tree := must(ReadTree(small, TreeCommitStrict, nil))(t)
	defer tree.Close()
	var queues iter.Seq[QueueID] = tree.Queues()
	n := 0
	queues(func(QueueID) bool { n++; return n < 3 })
	if n != 3 {
		t.Fatal(n)
	}
	_, e, _ := cluster(t, nil, nil)
	var _ iter.Seq[*Decision] = e.Decisions
}
