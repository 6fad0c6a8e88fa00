package sked

import (
	"errors"
	"fmt"
	"log"
	"math/rand"
	"reflect"
	"testing"
)

func ExampleTimeline() {
	line, err := NewTimeline([]int64{8}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer line.Close()
	running, err := line.Add(0, 10, []int64{6})
	if err != nil {
		log.Fatal(err)
	}
	start, _ := line.Earliest(0, 5, []int64{4})
	fmt.Println(int64(start))
	if err := line.Remove(running); err != nil {
		log.Fatal(err)
	}
	start, _ = line.Earliest(0, 5, []int64{4})
	fmt.Println(int64(start))
	// Output:
	// 10
	// 0
}

func TestTimelineAnswers(t *testing.T) {
	line, err := NewTimeline([]int64{8, 100}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	span, err := line.Add(3, 9, []int64{5, 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = line.Add(20, Unlimited, []int64{1, 0}); err != nil {
		t.Fatal(err)
	}
	from, until, amounts, err := line.Span(span, nil)
	if err != nil || from != 3 || until != 9 || !reflect.DeepEqual(amounts, []int64{5, 20}) {
		t.Fatal(from, until, amounts, err)
	}
	times, free, err := line.Steps(0, Unlimited, nil, nil)
	if err != nil || !reflect.DeepEqual(times, []Time{0, 3, 9, 20}) ||
		!reflect.DeepEqual(free, []int64{8, 100, 3, 80, 8, 100, 7, 100}) {
		t.Fatal(times, free, err)
	}
	least, err := line.Least(0, 5, nil)
	if err != nil || !reflect.DeepEqual(least, []int64{3, 80}) {
		t.Fatal(least, err)
	}
	if start, err := line.Earliest(0, Unlimited, []int64{8, 0}); err != nil || start != Unlimited {
		t.Fatal(start, err)
	}
	made, err := line.Copy(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	if made.Digest() != line.Digest() || made.Spans() != 2 || made.Kinds() != 2 {
		t.Fatal("the copy differs")
	}
	if err := made.Remove(span); err != nil {
		t.Fatal(err)
	}
	if err := made.Remove(span); !errors.Is(err, ErrStale) {
		t.Fatal(err)
	}
	if _, err := made.Add(5, 4, []int64{1, 1}); !errors.Is(err, ErrRange) {
		t.Fatal(err)
	}
	if _, err := made.Add(4, 5, []int64{1}); err == nil {
		t.Fatal("an amount for two kinds was taken")
	}
	if err := made.SetTotal([]int64{1, 1}); err != nil {
		t.Fatal(err)
	}
	if err := made.Check(); err != nil {
		t.Fatal(err)
	}
}

// One call plans as a loop over a timeline does.
func TestTimelineOnce(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	in := TimelineInput{Total: []int64{8, 8}, From: []Time{0}, Until: []Time{7}, Held: []int64{3, 3}}
	for i := 0; i < 300; i++ {
		in.Durations = append(in.Durations, 1+rng.Int63n(50))
		in.Amounts = append(in.Amounts, rng.Int63n(9), rng.Int63n(9))
	}
	starts, err := TimelineOnce(&in, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	line, err := NewTimeline(in.Total, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	if _, err := line.Add(0, 7, in.Held); err != nil {
		t.Fatal(err)
	}
	for i, duration := range in.Durations {
		row := in.Amounts[2*i : 2*i+2]
		start, err := line.Earliest(0, duration, row)
		if err != nil || start != starts[i] {
			t.Fatal(i, start, starts[i], err)
		}
		if _, err := line.Add(start, start+Time(duration), row); err != nil {
			t.Fatal(err)
		}
	}
	easy := TimelineInput{Total: []int64{10}, Depth: 1, Durations: []int64{10, 10, 5, 20},
		Amounts: []int64{6, 8, 4, 4}}
	starts, err = TimelineOnce(&easy, nil, nil)
	if err != nil || !reflect.DeepEqual(starts, []Time{0, 10, 0, Unset}) {
		t.Fatal(starts, err)
	}
}
