// Command run executes notebooks of Go without a kernel and holds what they say
// to what is stored in them; pictures are drawn, and not compared.
//
//	go run ./run [-write] NOTEBOOK.ipynb...
//
// With -write the notebooks get what they say now. What a notebook means is as in
// GoNB: cells declare, and what follows a line %% is a main program, with all
// that was declared so far; a line that begins with ! or % is for the kernel.
package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/sked/bindings/go/notebooks/show"
)

type output struct {
	Type     string         `json:"output_type"`
	Name     string         `json:"name,omitempty"`
	Text     string         `json:"text,omitempty"`
	Data     map[string]any `json:"data,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type cell struct {
	Type     string         `json:"cell_type"`
	Count    *int           `json:"execution_count,omitempty"`
	ID       string         `json:"id"`
	Metadata map[string]any `json:"metadata"`
	Outputs  []output       `json:"outputs,omitempty"`
	Source   lines          `json:"source"`
}

type notebook struct {
	Cells    []cell         `json:"cells"`
	Metadata map[string]any `json:"metadata"`
	Format   int            `json:"nbformat"`
	Minor    int            `json:"nbformat_minor"`
}

// lines are a text, which a notebook may have in one piece or line by line.
type lines string

func (l *lines) UnmarshalJSON(b []byte) error {
	var parts []string
	if err := json.Unmarshal(b, &parts); err != nil {
		return json.Unmarshal(b, (*string)(l))
	}
	*l = lines(strings.Join(parts, ""))
	return nil
}

func main() {
	write := flag.Bool("write", false, "store what the notebooks say now")
	flag.Parse()
	failed := false
	for _, name := range flag.Args() {
		n, err := check(name, *write)
		if err != nil {
			fmt.Printf("%s: %v\n", filepath.Base(name), err)
			failed = true
			continue
		}
		fmt.Printf("%s: %d cells\n", filepath.Base(name), n)
	}
	if failed || flag.NArg() == 0 {
		os.Exit(1)
	}
}

// check runs one notebook; the number is that of cells that ran.
func check(name string, write bool) (ran int, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	var book notebook
	if err = json.Unmarshal(text, &book); err != nil {
		return 0, err
	}
	declared := ""
	for i := range book.Cells {
		c := &book.Cells[i]
		if c.Type != "code" {
			continue
		}
		more, body := split(string(c.Source))
		declared += more
		var now []output
		if body != "" {
			ran++
			if now, err = execute(declared, body, filepath.Dir(name)); err != nil {
				return ran, fmt.Errorf("cell %d: %w", i, err)
			}
		}
		if !write && said(now) != said(c.Outputs) {
			return ran, fmt.Errorf("cell %d says\n%sinstead of\n%s", i, said(now), said(c.Outputs))
		}
		c.Outputs = now
	}
	if ran == 0 {
		return 0, errors.New("no cell runs")
	}
	if write {
		return ran, store(name, &book)
	}
	return ran, nil
}

func store(name string, book *notebook) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(book); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// said is what can be compared: text, and how many pictures there are.
func said(outputs []output) string {
	text := ""
	for _, o := range outputs {
		text += o.Text
		if _, drawn := o.Data["image/svg+xml"]; drawn {
			text += "<picture>\n"
		} else if plain, ok := o.Data["text/plain"].(string); ok {
			text += plain
		}
	}
	return text
}

// split tells a cell's declarations from its main program.
func split(source string) (declared, body string) {
	into := &declared
	for _, line := range strings.SplitAfter(source, "\n") {
		switch {
		case strings.TrimSpace(line) == "%%":
			into = &body
		case strings.HasPrefix(line, "!"), strings.HasPrefix(line, "%"):
		default:
			*into += line
		}
	}
	return declared + "\n", strings.TrimSpace(body)
}

// program puts declarations and a main program together, without the imports
// that this one does not use.
func program(declared, body string) ([]byte, error) {
	fset := token.NewFileSet()
	text := "package main\n" + hoist(declared) + "\nfunc main() {\n" + body + "\n}\n"
	f, err := parser.ParseFile(fset, "cell.go", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			if !used[path.Base(name)] {
				spec.Name = ast.NewIdent("_")
			}
		}
	}
	var b bytes.Buffer
	err = format.Node(&b, fset, f)
	return b.Bytes(), err
}

// hoist puts imports first: cells may have them anywhere.
func hoist(declared string) string {
	imports, rest, within := "", "", false
	for _, line := range strings.SplitAfter(declared, "\n") {
		within = within || strings.HasPrefix(line, "import")
		if within {
			imports += line
			within = strings.HasPrefix(line, "import (") || !strings.HasPrefix(line, "import") && line != ")\n"
		} else {
			rest += line
		}
	}
	return imports + rest
}

// execute compiles and runs a cell in a notebook's folder.
func execute(declared, body, folder string) ([]output, error) {
	source, err := program(declared, body)
	if err != nil {
		return nil, err
	}
	place, err := os.MkdirTemp("", "cell")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(place)
	file, pipe := filepath.Join(place, "cell.go"), filepath.Join(place, "pipe")
	if err = errors.Join(os.WriteFile(file, source, 0o600), os.WriteFile(pipe, nil, 0o600)); err != nil {
		return nil, err
	}
	run := exec.Command("go", "run", file)
	run.Dir, run.Env = folder, append(os.Environ(), "GONB_PIPE="+pipe, "GONB_PIPE_BACK=")
	var printed, wrong bytes.Buffer
	run.Stdout, run.Stderr = &printed, &wrong
	if err = run.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s%s", err, printed.String(), wrong.String())
	}
	return collect(printed.String(), pipe)
}

// collect reads what a cell printed and what it showed.
func collect(printed, pipe string) (out []output, err error) {
	if printed != "" {
		out = append(out, output{Type: "stream", Name: "stdout", Text: printed})
	}
	r, err := os.Open(pipe)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for from := gob.NewDecoder(r); ; {
		var d show.Data
		switch err = from.Decode(&d); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
		out = append(out, output{Type: "display_data", Data: d.Data, Metadata: map[string]any{}})
	}
}
