package gen

import (
	"regexp"
	"strings"
)

var token = regexp.MustCompile(`[A-Za-z_]\w*(\.\w+)?\(?`)

// length is LEN of shapes.txt as Go, where names are counts of the struct that
// the path leads to (or, without one, parameters).
func (k *call) length(expr, path, owner string) string {
	s := k.m.structs[owner]
	return token.ReplaceAllStringFunc(expr, func(w string) string {
		if strings.HasSuffix(w, "(") {
			return w
		}
		dot := strings.SplitN(w, ".", 2)
		if w == "x" {
			return w
		}
		if dot[0] == "x" {
			return "s." + dot[1]
		}
		if len(dot) == 1 {
			if s != nil {
				for _, f := range s.Fields {
					if f.Name == w && stars(f.Type) == 0 {
						return "int(c_" + path + "." + cField(w) + ")"
					}
					if f.Name == w {
						return "v_" + path + "." + fieldName(w)
					}
				}
				return w
			}
			for _, p := range k.f.Parameters {
				if p.Name == w && stars(p.Type) > 0 {
					return lower(w)
				}
			}
			return "int(" + lower(w) + ")"
		}
		for _, p := range k.f.Parameters {
			if p.Name == dot[0] && k.m.handles[base(p.Type)] {
				return lower(p.Name) + "." + dot[1] + "Of()"
			}
		}
		if s != nil {
			for _, f := range s.Fields {
				if f.Name == dot[0] && k.m.handles[base(f.Type)] {
					return "v_" + path + "." + fieldName(f.Name) + "." + dot[1] + "Of()"
				}
				if f.Name == dot[0] {
					return "int(c_" + path + "_" + dot[0] + "." + cField(dot[1]) + ")"
				}
			}
		}
		if strings.HasSuffix(dot[0], "_tree") {
			return "v_" + strings.TrimSuffix(dot[0], "_tree") + ".Tree." + dot[1] + "Of()"
		}
		if k.flat(dot[0]) {
			return "int(c_" + dot[0] + "." + fieldName(dot[1]) + ")"
		}
		return "int(c_" + k.input(dot[0]) + "." + cField(dot[1]) + ")"
	})
}

// flat: a parameter that is a struct without pointers, which has the layout of C.
func (k *call) flat(name string) bool {
	for _, p := range k.f.Parameters {
		if p.Name == name {
			return k.m.structs[base(p.Type)] != nil && !k.m.pointers(base(p.Type))
		}
	}
	return false
}

// input is the parameter that is meant by `in`, which some calls name otherwise.
func (k *call) input(name string) string {
	first := name
	for _, p := range k.f.Parameters {
		if p.Name == name || strings.HasPrefix(name, p.Name+"_") {
			return name
		}
		if b := base(p.Type); first == name && k.m.structs[b] != nil && k.m.pointers(b) && p.Direction == "in" {
			first = p.Name
		}
	}
	return first
}
