package sked_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.org/sked/bindings/go/sked"
)

const small = `kinds cpu=m memory=B
root
root.ads weight=3
root.ml weight=1 guarantee="cpu=2,memory=1GiB"
root.ml.a
root.ml.b weight=2
`

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestTreeTextRoundTrip(t *testing.T) {
	tree := must(sked.ReadTree(small, sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	text := must(tree.Format())(t)
	again := must(sked.ReadTree(text, sked.TreeCommitStrict, nil))(t)
	defer again.Close()
	if tree.Digest() != again.Digest() || tree.Count() != 5 {
		t.Fatalf("%d queues:\n%s", tree.Count(), text)
	}
	q := must(tree.Find("root.ml.b"))(t)
	if p := must(tree.Path(q))(t); p != "root.ml.b" {
		t.Fatal(p)
	}
	d := must(sked.NewDiff(tree, again, nil))(t)
	defer d.Close()
	if d.Count() != 0 {
		t.Fatal(d.Format())
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	tree := must(sked.ReadTree(small, sked.TreeCommitStrict, nil))(t)
	_, err := tree.Find("root.none")
	var e *sked.Error
	if !errors.Is(err, sked.ErrNotFound) || !errors.As(err, &e) || e.Op != "Tree.Find" {
		t.Fatal(err)
	}
	err = tree.Parse("kinds cpu=m memory=B\nroot\nroot.a colour=red\nroot.b weight=x\n", "f.txt")
	var f *sked.Faults
	if !errors.As(err, &f) || len(f.List) != 2 || !errors.Is(err, sked.ErrSyntax) {
		t.Fatalf("%v", err)
	}
	long := strings.Repeat("f", 700)
	if err = tree.Parse("kinds cpu=m memory=B\nroot\nroot.a colour=red\n", long); !strings.HasPrefix(err.Error(), long+":3:8: ") {
		t.Fatal(err)
	}
	tree.Close()
	tree.Close()
	if _, err = tree.Find("root"); !errors.Is(err, sked.ErrClosed) {
		t.Fatal(err)
	}
}

func TestFillAndContext(t *testing.T) {
	in := &sked.FillInput{Total: 10, Demand: []int64{9, 9, 1}, Weight: []uint32{1, 2, 1}}
	r := must(sked.Fill(in, nil, nil, nil))(t)
	if r.Share[0] != 3 || r.Share[1] != 6 || r.Share[2] != 1 {
		t.Fatal(r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := sked.Fill(in, nil, &sked.Host{Context: ctx}, r)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	in.Weight = in.Weight[:2]
	if _, err = sked.Fill(in, nil, nil, nil); !errors.Is(err, sked.ErrLength) {
		t.Fatal(err)
	}
}

// A text with a NUL in it would end there on the other side.
func TestTextsWithANULAreRefused(t *testing.T) {
	tree := must(sked.ReadTree(small, sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	ads := must(tree.Find("root.ads"))(t)
	before := must(tree.Format())(t)
	for what, call := range map[string]func() error{
		"Rename":  func() error { return tree.Rename(ads, "a\x00b") },
		"SetText": func() error { return tree.SetText(ads, sked.QueueLabel, "a\x00b") },
		"LifeTable.Format": func() error {
			_, err := (&sked.LifeTable{Name: "a\x00b"}).Format()
			return err
		},
		"PlanLeaves": func() error {
			jobs := &sked.PlanJobs{Fields: [][]string{{"a"}}, Settings: []sked.PlanTier{{Name: "a\x00b"}}}
			_, _, _, err := sked.PlanLeaves(jobs, nil, nil, nil, nil)
			return err
		},
	} {
		if err := call(); !errors.Is(err, sked.ErrArg) || !strings.HasSuffix(err.Error(), "holds a NUL") {
			t.Error(what, err)
		}
	}
	if err := tree.Commit(sked.TreeCommitStrict); err != nil || must(tree.Format())(t) != before {
		t.Fatal(must(tree.Format())(t), err)
	}
}

func TestASchemaHasTheNamesThatItIsGiven(t *testing.T) {
	made := must(sked.NewSchema([]string{"cpu", "memory", "gpu"}, []string{"m", "B", ""}, nil))(t)
	defer made.Close()
	if text := must(made.Format())(t); made.Kinds() != 3 || text != "cpu=m memory=B gpu=1" {
		t.Fatal(text)
	}
	for _, bad := range [][2][]string{{{"cpu memory"}, nil}, {{"cpu=m"}, nil}, {{"cpu", " gpu"}, nil},
		{{"cpu", "gpu"}, {"m disk", ""}}, {{"cpu\x00"}, nil}, {{""}, nil}} {
		if _, err := sked.NewSchema(bad[0], bad[1], nil); !errors.Is(err, sked.ErrArg) && !errors.Is(err, sked.ErrSyntax) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
