package sked_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// leftOut are the functions of C that Go has no call for, and why.
var leftOut = map[string]string{
	"sked_schema_new": "arrays of strings: NewSchema writes them as a text for sked_schema_parse",
}

func TestEveryFunctionIsReachable(t *testing.T) {
	header, err := os.ReadFile("sked.h")
	if err != nil {
		t.Fatal(err)
	}
	source := ""
	for _, pattern := range []string{"*.go", "host.c"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source += string(b)
		}
	}
	called := map[string]bool{}
	for _, c := range regexp.MustCompile(`\b(?:C\.|C\.go)?(sked_\w+)\(`).FindAllStringSubmatch(source, -1) {
		called[c[1]] = true
	}
	n := 0
	for _, c := range regexp.MustCompile(`(?m)^SKED_(?:API|TRY)\s[^;{]*?\b(sked_\w+)\(`).FindAllStringSubmatch(string(header), -1) {
		n++
		if why := leftOut[c[1]]; called[c[1]] == (why != "") {
			t.Errorf("%s: called %v, left out because %q", c[1], called[c[1]], why)
		}
	}
	if n < 300 {
		t.Fatalf("%d functions in sked.h", n)
	}
}

// Lengths that follow from a tree's queues are checked while no other goroutine
// can commit: before, one could between the check and the call.
func TestQueuesAreCountedUnderTheLock(t *testing.T) {
	b, err := os.ReadFile("zz_calls.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, call := range strings.Split(string(b), "\nfunc ") {
		count := regexp.MustCompile(`same\(.*(?:rowsOf\(\)|s\.rows)`).FindStringIndex(call)
		if count == nil {
			continue
		}
		n++
		lock := regexp.MustCompile(`l\.read\((?:tree|v_\w+\.Tree)\.handle\(\)\)`).FindStringIndex(call)
		if lock == nil || lock[0] > count[0] {
			t.Error(strings.SplitN(call, "\n", 2)[0])
		}
		again := strings.LastIndex(call[:count[0]], "s = treeSubject(")
		if strings.Contains(call, "s.rows") && (lock == nil || again < lock[0]) {
			t.Error("queues of before: ", strings.SplitN(call, "\n", 2)[0])
		}
	}
	if n < 4 {
		t.Fatalf("%d calls with such lengths", n)
	}
}
