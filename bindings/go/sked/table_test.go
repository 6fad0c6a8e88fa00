package sked_test

import (
	"os"
	"path/filepath"
	"regexp"
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
