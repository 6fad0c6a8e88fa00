package gen

import (
	"fmt"
	"strings"
)

// reads passes a struct that is read, and what it points to.
func (k *call) reads(path, goValue, name string) {
	m := k.m
	s := m.structs[name]
	t := typeName(name)
	if !m.pointers(name) {
		k.prep = append(k.prep,
			fmt.Sprintf("\tvar c_%s %s\n\tvar p_%s *C.%s\n\tif %s != nil {\n\t\tc_%s = *%s\n", path, t, path, name, goValue, path, goValue))
		if s.Grows {
			k.prep = append(k.prep, fmt.Sprintf("\t\tc_%s.structSize = uint32(unsafe.Sizeof(c_%s))\n", path, path))
		}
		k.prep = append(k.prep, fmt.Sprintf("\t\tp_%s = %s(unsafe.Pointer(&c_%s))\n\t}\n", path, pointerTo(name), path))
		k.arg("p_"+path, "const "+name+" *"+path)
		k.cargs = append(k.cargs, path)
		return
	}
	k.shim = true
	sh := m.shape(name)
	if sh.flags["more"] || k.hasText(s) {
		k.arena = true
	}
	k.prep = append(k.prep, fmt.Sprintf("\tvar p_%s *C.%s\n\tv_%s := %s\n\tif v_%s == nil {\n\t\tv_%s = new(%s)\n\t}\n", path, name, path, goValue, path, path, t),
		fmt.Sprintf("\tc_%s := v_%s.base(s, ar)\n\tif %s != nil {\n\t\tp_%s = &c_%s\n\t}\n", path, path, goValue, path, path))
	k.arg("p_"+path, "const "+name+" *"+path)
	copied := fmt.Sprintf("    %s %s_;\n    if (%s) {\n        %s_ = *%s;\n", name, path, path, path, path)
	var set, checks []string
	for _, f := range s.Fields {
		b := base(f.Type)
		switch {
		case stars(f.Type) == 0 || b == "char" || sh.gone[f.Name] || f.padding():
		case m.handles[b]:
			k.locks = append(k.locks, fmt.Sprintf("\tl.read(v_%s.%s.handle())\n", path, fieldName(f.Name)))
		case m.structs[b] != nil && !isList(sh, f):
			inner := path + "_" + f.Name
			before := len(k.cargs)
			k.reads(inner, "v_"+path+"."+fieldName(f.Name), b)
			set = append(set, fmt.Sprintf("        %s_.%s = %s;\n", path, f.Name, k.cargs[before]))
			k.cargs = k.cargs[:before]
		default:
			gf := "v_" + path + "." + fieldName(f.Name)
			expr, ok := sh.reads[f.Name]
			owner := name
			if !ok { // an answer that is handed back
				owner = ""
				if expr, ok = sh.writes[f.Name]; !ok {
					expr, ok = sh.wants[f.Name]
				}
			}
			if !ok {
				panic("shapes.txt: no length of " + name + "." + f.Name)
			}
			if expr == "x" {
				k.arg(pointerTo(b)+"(ptrIn("+gf+"))", "const "+b+" *"+path+"_"+f.Name)
				set = append(set, fmt.Sprintf("        %s_.%s = (%s *)%s_%s;\n", path, f.Name, b, path, f.Name))
				continue
			}
			checks = append(checks, fmt.Sprintf("\tsame(&k, %q, %s, %s)\n", path+"."+fieldName(f.Name), gf, k.length(expr, path, owner)))
			k.arg(pointerTo(b)+"(ptrIn("+gf+"))", "const "+b+" *"+path+"_"+f.Name)
			set = append(set, fmt.Sprintf("        %s_.%s = (%s)%s_%s;\n", path, f.Name, f.Type, path, f.Name))
		}
	}
	k.checks = append(k.checks, checks...)
	k.cbody = append(k.cbody, copied+strings.Join(set, "")+"    }\n")
	k.cargs = append(k.cargs, fmt.Sprintf("%s ? &%s_ : NULL", path, path))
}

func (k *call) hasText(s *structure) bool {
	for _, f := range s.Fields {
		if base(f.Type) == "char" && stars(f.Type) == 1 {
			return true
		}
	}
	return false
}

// fills passes a struct that is written, with arrays of Go behind it.
func (k *call) fills(p parameter, name string) {
	m, path := k.m, p.Name
	s, sh, t := m.structs[name], m.shape(name), typeName(name)
	gp := lower(path)
	k.shim = true
	k.params = append(k.params, "into *"+t)
	k.results = append(k.results, gp+" *"+t)
	k.prep = append(k.prep, fmt.Sprintf("\tif into == nil {\n\t\tinto = new(%s)\n\t}\n\t%s = into\n\tv_%s := into\n\tc_%s := v_%s.base(s, ar)\n", t, gp, path, path, path))
	k.arg("&c_"+path, name+" *"+path)
	set := ""
	clear := ""
	for _, f := range s.Fields {
		b := base(f.Type)
		if stars(f.Type) == 0 || f.padding() {
			continue
		}
		gf := "v_" + path + "." + fieldName(f.Name)
		if expr, ok := sh.writes[f.Name]; ok && expr != "x" {
			k.prep = append(k.prep, fmt.Sprintf("\t%s = grow(&k, %s, %s)\n", gf, gf, k.length(expr, "", "")))
			k.arg(pointerTo(b)+"(ptrOut("+gf+"))", b+" *"+path+"_"+f.Name)
		} else if expr, ok := sh.wants[f.Name]; ok {
			k.prep = append(k.prep, fmt.Sprintf("\tif %s != nil {\n\t\t%s = grow(&k, %s, %s)\n\t}\n", gf, gf, gf, k.length(expr, "", "")))
			k.arg(pointerTo(b)+"(ptrIn("+gf+"))", b+" *"+path+"_"+f.Name)
		} else {
			k.arg(pointerTo(b)+"(ptrOut("+gf+"))", b+" *"+path+"_"+f.Name)
		}
		set += fmt.Sprintf("    %s_.%s = %s_%s;\n", path, f.Name, path, f.Name)
		clear += fmt.Sprintf("    %s->%s = NULL;\n", path, f.Name)
	}
	k.cbody = append(k.cbody, fmt.Sprintf("    %s %s_ = *%s;\n%s", name, path, path, set))
	k.cafter = append(k.cafter, fmt.Sprintf("    *%s = %s_;\n%s", path, path, clear))
	k.cargs = append(k.cargs, "&"+path+"_")
	k.post = append(k.post, fmt.Sprintf("\t%s.from(&c_%s)\n", gp, path))
}
