// Command gen writes the generated files of the packages sked and skedtest: run it by
// "go generate ./..." in bindings/go.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"example.org/sked/bindings/go/internal/gen"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run reads the interface below root and writes to the package's folder.
func run(root, to string) error {
	apiJSON, err := os.ReadFile(filepath.Join(root, "bindings/api.json"))
	if err != nil {
		return err
	}
	shapes, err := os.ReadFile(filepath.Join(root, "bindings/go/internal/gen/shapes.txt"))
	if err != nil {
		return err
	}
	header, err := os.ReadFile(filepath.Join(to, "sked.h"))
	if err != nil {
		return err
	}
	files, err := gen.Files(apiJSON, shapes, header)
	for name, text := range files {
		if e := os.WriteFile(filepath.Join(to, name), text, 0o644); e != nil {
			return e
		}
	}
	if err != nil {
		return err
	}
	return kit(root, filepath.Join(to, "..", "skedtest"))
}

// kit writes the headers of the kit for C.
func kit(root, to string) error {
	files, err := gen.Kit(func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(root, "include", name))
	})
	for name, text := range files {
		if e := os.WriteFile(filepath.Join(to, name), text, 0o644); e != nil {
			return e
		}
	}
	return err
}
