// Package vectors runs known answers of other systems through package sked, as
// python -m sked.testing.vectors does through the module of Python. Cases come
// as the lines that tests/vectors/compact.py writes.
package vectors

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// How a call ended; a case ends as the worst of its calls.
const (
	Unsupported = iota
	Passed
	ByRule
	Failed
)

// A failure is an answer that is neither the one given nor the exact one.
type failure string

func failf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// okay passes an error of the library on as a failure.
func okay[T any](v T, err error) T {
	if err != nil {
		failf("%v", err)
	}
	return v
}

func fine(err error) {
	if err != nil {
		failf("%v", err)
	}
}

const any_ = math.MinInt64 + 7 // a number that is not given

type fields map[string]string

func (f fields) numbers(name string) []int64 {
	text, ok := f[name]
	if !ok {
		return nil
	}
	out := []int64{}
	if text == "" {
		return out
	}
	for _, w := range strings.Split(text, ",") {
		switch w {
		case "?", "None":
			out = append(out, any_)
		case "True":
			out = append(out, 1)
		case "False":
			out = append(out, 0)
		default:
			n, err := strconv.ParseInt(w, 10, 64)
			if err != nil {
				r, e := strconv.ParseFloat(w, 64)
				if e != nil {
					failf("%s: %v", name, err)
				}
				n = int64(r)
			}
			out = append(out, n)
		}
	}
	return out
}

func (f fields) given(name string) []int64 {
	n := f.numbers(name)
	if n == nil {
		failf("the case has no %s", name)
	}
	return n
}

func (f fields) number(name string, missing int64) int64 {
	if n := f.numbers(name); len(n) > 0 {
		return n[0]
	}
	return missing
}

func (f fields) reals(name string) []float64 {
	var out []float64
	if f[name] == "" {
		return nil
	}
	for _, w := range strings.Split(f[name], ",") {
		r, err := strconv.ParseFloat(strings.Replace(w, "Infinity", "Inf", 1), 64)
		if err != nil {
			failf("%s: %v", name, err)
		}
		out = append(out, r)
	}
	return out
}

// as converts numbers to the width of a column; nil stays.
func as[T int32 | uint32 | uint8 | uint64 | int64](n []int64) []T {
	if n == nil {
		return nil
	}
	out := make([]T, len(n))
	for i, v := range n {
		out[i] = T(v)
	}
	return out
}

func numbersOf[T ~int32 | ~uint32 | ~uint8 | ~int64 | ~int](s []T) []int64 {
	out := make([]int64, len(s))
	for i, v := range s {
		out[i] = int64(v)
	}
	return out
}

func near(got, want float64) bool {
	if math.IsNaN(got) || math.IsNaN(want) {
		return math.IsNaN(got) && math.IsNaN(want)
	}
	if math.IsInf(got, 0) || math.IsInf(want, 0) {
		return got == want
	}
	return math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))
}

func differs(name string, got, want []int64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d of %s, not %d", len(got), name, len(want))
	}
	for i, w := range want {
		if w != any_ && got[i] != w {
			return fmt.Sprintf("%s[%d] is %d, not %d", name, i, got[i], w)
		}
	}
	return ""
}

// judge holds an answer to what was worked out for it, then to the one given.
func (f fields) judge(name string, got []int64, rule string) int {
	want := f.given(name)
	if len(want) != len(got) {
		failf("%d of %s, not %d", len(got), name, len(want))
	}
	var sum int64
	for _, g := range got {
		sum += g
	}
	if s := f.number("sum", sum); s != sum {
		failf("the sum is %d, not %d", sum, s)
	}
	if exact := f.numbers("exact"); exact != nil {
		if why := differs("exact", got, exact); why != "" {
			failf("%s", why)
		}
	}
	for side, bounds := range map[int64][]int64{1: f.numbers("low"), -1: f.numbers("high")} {
		for i := 0; i < len(bounds) && i < len(got); i++ {
			if (got[i]-bounds[i])*side < 0 {
				failf("[%d] is %d, bound %d", i, got[i], bounds[i])
			}
		}
	}
	if why := differs(name, got, want); why != "" {
		if rule == "" {
			failf("%s", why)
		}
		return ByRule
	}
	return Passed
}

func (f fields) must(name string, got []int64) { f.judge(name, got, "") }

// Report counts cases by how they ended.
type Report struct {
	Ends     [4]int
	Rules    map[string]int
	Failures []string
}

// Run carries out every line.
func Run(lines io.Reader) (*Report, error) {
	r := &Report{Rules: map[string]int{}}
	in := bufio.NewScanner(lines)
	in.Buffer(nil, 1<<26)
	var now, rule, why string
	end, first := 0, true
	finish := func() {
		if now == "" {
			return
		}
		r.Ends[end]++
		if end == ByRule {
			r.Rules[rule]++
		}
		if end == Failed {
			r.Failures = append(r.Failures, now+": "+why)
		}
	}
	for in.Scan() {
		words := strings.Split(in.Text(), "\t")
		if len(words) < 5 {
			return nil, fmt.Errorf("not a case: %q", in.Text())
		}
		key := strings.Join(words[1:4], " ")
		if key != now {
			finish()
			now, end, first, why = key, 0, true, ""
		}
		f := fields{}
		for _, w := range words[5:] {
			if i := strings.IndexByte(w, '='); i >= 0 {
				f[w[:i]] = w[i+1:]
			}
		}
		said := words[4]
		if said == "-" {
			said = ""
		}
		e, reason := carryOut(words[0], f, said)
		if reason != "" && why == "" {
			why = words[0] + ": " + reason
		}
		if e > end || first {
			end, rule, first = e, words[4], false
		}
	}
	finish()
	return r, in.Err()
}

func carryOut(call string, f fields, rule string) (end int, why string) {
	defer func() {
		if p := recover(); p != nil {
			end, why = Failed, fmt.Sprint(p)
		}
	}()
	if call == "-" {
		return Unsupported, ""
	}
	do, ok := calls[call]
	if !ok {
		if said := f["error"]; said != "" {
			return Failed, said
		}
		return Unsupported, ""
	}
	return do(f, rule), ""
}
