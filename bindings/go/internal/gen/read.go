// Package gen writes the part of package sked that follows from
// bindings/api.json: types, constants, and one Go function for each of C.
package gen

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

type api struct {
	Version   string
	Functions []*function
	Structs   []*structure
	Enums     []*enumeration
}

type function struct {
	Name, Header, Returns, Doc string
	Parameters                 []parameter
}

type parameter struct {
	Name, Type, Direction string
	Length                *string
}

type structure struct {
	Name, Header string
	Fields       []field
	Size         int
	Grows        bool
}

type field struct {
	Name, Type   string
	Offset, Size int
	comment      string
}

// padding says whether a field is kept free: one that is reserved, and no amount
// of reserved instances.
func (f *field) padding() bool {
	return f.Name == "reserved" && !strings.HasPrefix(f.Type, "sked_")
}

type enumeration struct {
	Name, Header string
	Values       map[string]int64
}

// A shape is a line of shapes.txt.
type shape struct {
	counts map[string]string // how a count is found
	reads  map[string]string // lengths
	writes map[string]string
	wants  map[string]string // lengths of what is written where it is asked for
	place  map[string]string // changed in place
	gone   map[string]bool
	extra  []string
	flags  map[string]bool
	times  map[string]string // values an entry
	both   map[string]bool   // structs that are read and changed
	types  map[string]string // of numbers that stand for something
	after  string
	given  map[string]string // subject, view, fixed text
}

// A model is everything that is known of the interface.
type model struct {
	api
	structs map[string]*structure
	handles map[string]bool
	shapes  map[string]*shape
	enums   map[string]bool
	goNames map[string]string // of every C name, for comments
	about   map[string]string // comments of structs and enumerations
}

func read(apiJSON, shapes, header []byte) (*model, error) {
	m := &model{structs: map[string]*structure{}, handles: map[string]bool{},
		shapes: map[string]*shape{}, enums: map[string]bool{},
		goNames: map[string]string{}, about: map[string]string{}}
	if err := json.Unmarshal(apiJSON, &m.api); err != nil {
		return nil, err
	}
	for _, s := range m.Structs {
		m.structs[s.Name] = s
	}
	for _, e := range m.Enums {
		m.enums[e.Name] = true
	}
	for _, f := range m.Functions {
		if frees(f) {
			m.handles[strings.TrimSuffix(f.Name, "_free")] = true
		}
	}
	for i, line := range strings.Split(string(shapes), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "struct" && words[0] != "func" && words[0] != "any" {
			return nil, fmt.Errorf("shapes.txt:%d: %s", i+1, line)
		}
		if words[0] == "any" {
			m.shapes["any"] = shapeOf(words[1:])
			continue
		}
		m.shapes[words[1]] = shapeOf(words[2:])
	}
	m.readComments(string(header))
	m.name()
	return m, nil
}

func shapeOf(words []string) *shape {
	s := &shape{map[string]string{}, map[string]string{}, map[string]string{},
		map[string]string{}, map[string]string{}, map[string]bool{}, nil,
		map[string]bool{}, map[string]string{}, map[string]bool{},
		map[string]string{}, "", map[string]string{}}
	mark := regexp.MustCompile(`^(\w+)(>\?|[:>!=*?&@]|\[)(.*)$`)
	for _, w := range words {
		switch {
		case strings.HasPrefix(w, "after:"):
			s.after = strings.TrimPrefix(w, "after:")
			continue
		case w[0] == '-':
			s.gone[w[1:]] = true
			continue
		case w[0] == '+':
			s.extra = append(s.extra, w[1:])
			continue
		case w[0] == '*':
			s.times[""] = w[1:]
			continue
		}
		p := mark.FindStringSubmatch(w)
		switch {
		case p == nil:
			s.flags[w] = true
		case p[1] == "subject" || p[1] == "view" || p[1] == "trim":
			s.given[p[1]] = p[3]
		case p[2] == "=":
			s.counts[p[1]] = p[3]
		case p[2] == ":":
			s.reads[p[1]] = p[3]
		case p[2] == ">":
			s.writes[p[1]] = p[3]
		case p[2] == ">?":
			s.wants[p[1]] = p[3]
		case p[2] == "!":
			s.place[p[1]] = p[3]
		case p[2] == "&":
			s.both[p[1]] = true
		case p[2] == "@":
			s.types[p[1]] = p[3]
		case p[2] == "*":
			s.times[p[1]] = p[3]
		case p[2] == "?":
			s.flags["?"+p[1]] = true
		case p[2] == "[":
			s.given[p[1]] = strings.TrimSuffix(p[3], "]")
		}
	}
	return s
}

func (m *model) shape(name string) *shape {
	if s := m.shapes[name]; s != nil {
		return s
	}
	return shapeOf(nil)
}

var block = regexp.MustCompile(`(?s)((?:/\*(?:[^*]|\*[^/])*\*/\n)?)(?:typedef struct (\w+) \{\n(.*?)\n\} \w+;|enum (\w+) \{)`)

// readComments takes comments of structs, of their fields and of enumerations
// from the header, which has what api.json has not.
func (m *model) readComments(header string) {
	for _, b := range block.FindAllStringSubmatch(header, -1) {
		name := b[2] + b[4]
		m.about[name] = plain(b[1])
		s := m.structs[name]
		if s == nil {
			continue
		}
		for i := range s.Fields {
			re := regexp.MustCompile(`(?s)[ *]` + s.Fields[i].Name + `(?:\[\w+\])?;[ \t]*(/\*.*?\*/)`)
			if c := re.FindStringSubmatch(b[3]); c != nil {
				s.Fields[i].comment = strings.Join(strings.Fields(plain(c[1])), " ")
			}
		}
	}
}

func plain(c string) string {
	c = strings.TrimSpace(c)
	if c == "" {
		return ""
	}
	c = strings.TrimSuffix(strings.TrimPrefix(c, "/*"), "*/")
	lines := strings.Split(c, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		l = strings.TrimPrefix(l, "*")
		lines[i] = strings.TrimRight(strings.TrimPrefix(l, " "), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// pointers says whether a struct holds any.
func (m *model) pointers(name string) bool {
	s := m.structs[name]
	if s == nil {
		return false
	}
	for _, f := range s.Fields {
		if strings.Contains(f.Type, "*") || m.pointers(f.Type) {
			return true
		}
	}
	return len(m.shape(name).extra) > 0
}

// base takes const, struct, stars and sizes off a type.
func base(t string) string {
	t = regexp.MustCompile(`\b(const|struct)\b|\*|\[.*`).ReplaceAllString(t, "")
	return strings.TrimSpace(t)
}

func stars(t string) int { return strings.Count(t, "*") }

// frees says whether a function ends a handle.
func frees(f *function) bool {
	return strings.HasSuffix(f.Name, "_free") && f.Returns == "void"
}
