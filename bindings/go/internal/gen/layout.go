package gen

import (
	"fmt"
	"strings"
)

// layout holds a struct of Go to that of C, when it is compiled. Errors and
// records of a trace cross field by field.
func (m *model) layout(b *strings.Builder, s *structure) {
	if m.pointers(s.Name) || s.Name == "sked_error" || s.Name == "sked_trace" {
		return
	}
	t := typeName(s.Name)
	fmt.Fprintf(b, "var _ = [1]int{}[unsafe.Sizeof(%s{})-C.sizeof_%s]\n", t, s.Name)
	if handWritten[s.Name] {
		return
	}
	for _, f := range s.Fields {
		if f.Name != "struct_size" && !f.padding() {
			fmt.Fprintf(b, "var _ = [1]int{}[unsafe.Offsetof(%s{}.%s)*b64-%d*b64]\n", t, fieldName(f.Name), f.Offset)
		}
	}
	b.WriteString("\n")
}

func cField(n string) string {
	switch n {
	case "type", "range", "func", "map", "go", "select", "var", "chan", "interface":
		return "_" + n
	}
	return n
}

// bases writes base(), what of a struct with slices has no pointer of Go, and
// from(), which takes it back.
func (m *model) bases(b *strings.Builder, s *structure) {
	t, sh := typeName(s.Name), m.shape(s.Name)
	fmt.Fprintf(b, "func (x *%s) base(s *sizes, a *arena) (c C.%s) {\n", t, s.Name)
	if s.Grows {
		fmt.Fprintf(b, "\tc.struct_size = C.sizeof_%s\n", s.Name)
	}
	var counts, from []string
	for _, f := range s.Fields {
		cf, gf, t := cField(f.Name), fieldName(f.Name), base(f.Type)
		how, counted := sh.counts[f.Name]
		switch {
		case f.Name == "struct_size", f.padding(), sh.gone[f.Name]:
		case counted:
			counts = append(counts, fmt.Sprintf("\tc.%s = C.%s(%s)\n", cf, t, m.counted(s, how)))
		case strings.Contains(f.Type, "["):
			from = append(from, fmt.Sprintf("\tx.%s = *(*%s)(unsafe.Pointer(&c.%s))\n", gf, m.fieldType(sh, f), cf))
		case stars(f.Type) == 1 && m.handles[t]:
			fmt.Fprintf(b, "\tc.%s = x.%s.ptr()\n", cf, gf)
		case stars(f.Type) == 1 && t == "char":
			fmt.Fprintf(b, "\tc.%s = a.text(x.%s)\n", cf, gf)
			from = append(from, fmt.Sprintf("\tx.%s = C.GoString(c.%s)\n", gf, cf))
		case stars(f.Type) > 0:
		case m.structs[t] != nil:
			fmt.Fprintf(b, "\tc.%s = *(*C.%s)(unsafe.Pointer(&x.%s))\n", cf, t, gf)
			from = append(from, fmt.Sprintf("\tx.%s = *(*%s)(unsafe.Pointer(&c.%s))\n", gf, typeName(t), cf))
		default:
			fmt.Fprintf(b, "\tc.%s = C.%s(x.%s)\n", cf, t, gf)
			from = append(from, fmt.Sprintf("\tx.%s = %s(c.%s)\n", gf, m.fieldType(sh, f), cf))
		}
	}
	b.WriteString(strings.Join(counts, ""))
	if sh.flags["more"] {
		b.WriteString("\tx.more(&c, s, a)\n")
	}
	b.WriteString("\treturn c\n}\n\n")
	fmt.Fprintf(b, "func (x *%s) from(c *C.%s) {\n%s}\n\n", t, s.Name, strings.Join(from, ""))
}

// counted is how a count is found: `a|b/kinds`, `first-1`, `a|1`, `@Field`,
// `@Field|1`.
func (m *model) counted(s *structure, how string) string {
	if how[0] == '@' {
		field, otherwise, ok := strings.Cut(how[1:], "|")
		if ok {
			return "usual(x." + field + ", " + otherwise + ")"
		}
		return "x." + field
	}
	out := "firstOf("
	for i, p := range strings.Split(how, "|") {
		if i > 0 {
			out += ", "
		}
		over := ""
		less := strings.HasSuffix(p, "-1")
		p = strings.TrimSuffix(p, "-1")
		if j := strings.Index(p, "/"); j >= 0 {
			p, over = p[:j], p[j+1:]
		}
		e := "lengthOf(x." + fieldName(p) + ")"
		if p[0] >= '0' && p[0] <= '9' {
			e = p
		}
		if over != "" {
			if strings.HasPrefix(over, "x.") {
				over = "s." + over[2:]
			} else {
				over = "int(c." + cField(over) + ")"
			}
			e = "over(" + e + ", " + over + ")"
		}
		if less {
			e = "less(" + e + ")"
		}
		out += e
	}
	return out + ")"
}
