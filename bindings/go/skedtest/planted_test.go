package skedtest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.org/sked/bindings/go/sked"
)

// Steps and claims of the smallest case that shows a bug. Two divisions go wrong
// with more than eight claims alone.
var longOnes = map[string]int{"one_unit_among_many": 17, "more_than_eight": 9}

// found tries one planted bug. With SKED_PLANTED=table it prints a row of the
// table in docs/testing-your-scheduler.md.
func found(t *testing.T, kit, name string, try Case) {
	began, seconds := processor(), 0.0 // until the first case that fails
	bug := Search(func(c *Choices, s *Story) {
		if try(c, s); s.Invariant != "" && seconds == 0 {
			seconds = (processor() - began).Seconds()
		}
	}, 200000, 0)
	if bug == nil {
		t.Errorf("%s: not found", name)
		return
	}
	most := shortCase
	if longOnes[name] > 0 {
		most = longOnes[name]
	}
	if bug.Size > most {
		t.Errorf("%s: %d steps or claims: %v", name, bug.Size, bug)
	}
	if again := Replay(try, bug.Choices); again == nil || again.Invariant != bug.Invariant {
		t.Errorf("%s: %v does not show again", name, bug)
	}
	if os.Getenv("SKED_PLANTED") == "table" {
		fmt.Printf("| %s | Go %s | %s | %d | %.2f | %d |\n", name, kit, bug.Invariant,
			bug.Runs, seconds, bug.Size)
	}
}

func TestPlantedDivisionsAreFound(t *testing.T) {
	for _, d := range wrongDivisions {
		found(t, "division", d.name, Division(d.share))
	}
}

func TestPlantedManagersAreFound(t *testing.T) {
	for _, name := range wrongManagers {
		found(t, "manager", name, ManagerCase(newPlain(name), AllRules|Reasons))
	}
}

func rightDivision(total int64, claims []Claim) ([]int64, error) { return right(total, claims), nil }
func websterDivision(total int64, claims []Claim) ([]int64, error) {
	return Webster(total, claims), nil
}

// filled is sked.Fill as a division.
func filled(total int64, claims []Claim) ([]int64, error) {
	in := sked.FillInput{Total: total}
	for _, c := range claims {
		low, high := c.Floor(), c.Top()
		in.Guarantee, in.Limit = append(in.Guarantee, low), append(in.Limit, high)
		in.Weight = append(in.Weight, c.Weight)
	}
	r, err := sked.Fill(&in, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	return r.Share, nil
}

func TestRightOnesPass(t *testing.T) {
	runs := 1000
	if os.Getenv("SKED_PLANTED") != "" {
		runs = 10000
	}
	for name, try := range map[string]Case{
		"largest remainder": Division(rightDivision), "Webster": Division(websterDivision),
		"sked.Fill": Division(filled), "plain": ManagerCase(newPlain(""), AllRules|Reasons)} {
		if bug := Search(try, runs, 1); bug != nil {
			t.Errorf("%s is right, and was accused: %v", name, bug)
		}
	}
}

func TestShrinkingFindsTheSmallestCase(t *testing.T) {
	sums := func(c *Choices, s *Story) {
		sum := uint64(0)
		for c.More(8) {
			sum += c.Choose(1000)
			s.Size++
		}
		if s.Say("the sum is %d", sum); sum > 100 {
			s.Invariant = "sums_are_small"
		}
	}
	bug := Search(sums, 100, 7)
	if bug == nil || bug.Size != 1 || fmt.Sprint(bug.Choices) != "[1 101]" || bug.Text != "the sum is 101\n" {
		t.Fatalf("%v", bug)
	}
	if again := Replay(sums, []uint64{1, 100}); again != nil {
		t.Fatalf("%v", again)
	}
	if again := SearchBytes(sums, []byte{1, 3, 0, 1, 2, 1, 0}); again == nil || again.Choices[1] != 101 {
		t.Fatalf("%v", again)
	}
	if !strings.Contains(bug.String(), "sums_are_small") {
		t.Fatal(bug)
	}
}

// The fuzz targets say what bytes mean, so that go test -fuzz minimises too.
func FuzzDivision(f *testing.F) {
	AddCorpus(f, "kit")
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, try := range []Case{Division(rightDivision), Division(filled)} {
			if bug := SearchBytes(try, data); bug != nil {
				t.Fatal(bug)
			}
		}
	})
}

func FuzzManager(f *testing.F) {
	AddCorpus(f, "kit")
	f.Fuzz(func(t *testing.T, data []byte) {
		if bug := SearchBytes(ManagerCase(newPlain(""), AllRules|Reasons), data); bug != nil {
			t.Fatal(bug)
		}
	})
}
