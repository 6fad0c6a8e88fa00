package sked_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.org/sked/bindings/go/internal/gen"
)

// root is the checkout that this package stands in; a module on its own has none.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = os.Stat(filepath.Join(dir, "lib", "amalgamate.cmake")); err != nil {
		t.Skip("SKIPPED: not in a checkout of the library")
	}
	return dir
}

func holds(t *testing.T, name string, want []byte) {
	t.Helper()
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s is not what would be generated: run sh tools/go generate", name)
	}
}

func TestGeneratedFilesAreThoseOfTheInterface(t *testing.T) {
	dir := root(t)
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	files, err := gen.Files(read("bindings/api.json"), read("bindings/go/internal/gen/shapes.txt"), read("bindings/go/sked/sked.h"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		holds(t, name, text)
	}
}

func TestAmalgamationIsThatOfTheSources(t *testing.T) {
	dir := root(t)
	cmake, err := exec.LookPath("cmake")
	if err != nil {
		t.Skip("SKIPPED: no cmake to put the library together")
	}
	to := t.TempDir()
	run := exec.Command(cmake, "-DROOT="+dir, "-DOUT="+to, "-P", filepath.Join(dir, "lib", "amalgamate.cmake"))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"sked.h", "sked.c"} {
		b, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		holds(t, name, b)
	}
}
