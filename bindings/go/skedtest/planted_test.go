package skedtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/sked/bindings/go/internal/gen"
	"example.org/sked/bindings/go/sked"
)

// Steps, or rows of equal claims, that a person reads at once.
const shortCase = 8

const everyRule = AllRules | Reasons | Reservations

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
	if bug.Size > shortCase {
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
		found(t, "manager", name, ManagerCase(newPlain(name), everyRule))
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
		"sked.Fill": Division(filled), "plain": ManagerCase(newPlain(""), everyRule)} {
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
		if bug := SearchBytes(ManagerCase(newPlain(""), everyRule), data); bug != nil {
			t.Fatal(bug)
		}
	})
}

// The headers of the kit for C are copies of those of the library.
func TestHeadersOfTheKitAreThoseOfTheLibrary(t *testing.T) {
	include := filepath.Join("..", "..", "..", "include")
	if _, err := os.Stat(filepath.Join(include, "sched", "sked_test.h")); err != nil {
		t.Skip("SKIPPED: not in a checkout of the library")
	}
	files, err := gen.Kit(func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(include, name)) })
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(have) != string(want) {
			t.Errorf("%s is not what would be generated: run sh tools/go generate", name)
		}
	}
}

// A panic is a broken invariant with its words, wherever the manager panics.
type panics struct{ where string }

func (p panics) at(where string) {
	if p.where == where {
		panic("no " + where)
	}
}
func (p panics) Node(sked.Time, Node)        { p.at("node") }
func (p panics) Submit(sked.Time, Job)       { p.at("submit") }
func (p panics) End(sked.Time, End)          { p.at("end") }
func (p panics) Decide(sked.Time) []Decision { p.at("decide"); return nil }
func (p panics) Why(sked.Time, int) Why      { p.at("why"); return WhyUnknown }

func TestAPanicIsTold(t *testing.T) {
	for _, where := range []string{"begin", "node", "submit", "decide", "why"} {
		begin := func(*Cluster) (Manager, error) {
			p := panics{where}
			p.at("begin")
			return p, nil
		}
		// Nothing else is promised, and no task is drawn that a node could take.
		bug := Search(ManagerCase(begin, Reasons), 2000, 0)
		for seed := uint64(1); bug != nil && bug.Invariant != "manager_runs" && seed < 50; seed++ {
			bug = Search(ManagerCase(begin, Reasons), 2000, seed)
		}
		if bug == nil || bug.Invariant != "manager_runs" || !strings.Contains(bug.Text, "panic: no "+where) {
			t.Errorf("%s: %v", where, bug)
		}
	}
	bug := Search(ManagerCase(func(*Cluster) (Manager, error) { return nil, errors.New("not today") }, AllRules), 1, 0)
	if bug == nil || !strings.Contains(bug.Text, "there is no manager: not today") {
		t.Errorf("%v", bug)
	}
}

func TestChecksOfOneDivision(t *testing.T) {
	four := []Claim{{1, 0, sked.Unlimited, sked.Unlimited}, {1, 0, sked.Unlimited, sked.Unlimited},
		{1, 0, sked.Unlimited, sked.Unlimited}, {1, 0, sked.Unlimited, sked.Unlimited}}
	for units, want := range map[[4]int64]string{{2, 2, 2, 2}: "", {5, 1, 1, 1}: "within_one_unit",
		{2, 2, 2, 1}: "adds_up", {-1, 3, 3, 3}: "within_bounds"} {
		if got := CheckUnits(8, four, units[:]); got != want {
			t.Errorf("%v: %q, not %q", units, got, want)
		}
	}
	if got := CheckUnits(8, four, []int64{8}); got != "whole_units" {
		t.Errorf("%q", got)
	}
	if got, words := CheckDivision(rightDivision, 8, four); got != "" || words != "" {
		t.Errorf("%q %q", got, words)
	}
	five := func(int64, []Claim) ([]int64, error) { return []int64{5, 1, 1, 1}, nil }
	if got, words := CheckDivision(five, 8, four); got != "within_one_unit" || !strings.Contains(words, "[5 1 1 1]") {
		t.Errorf("%q %q", got, words)
	}
	fails := func(int64, []Claim) ([]int64, error) { return nil, errors.New("not today") }
	if got, words := CheckDivision(fails, 8, four); got != "division_runs" || words != "not today" {
		t.Errorf("%q %q", got, words)
	}
}
