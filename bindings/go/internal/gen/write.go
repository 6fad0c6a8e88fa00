package gen

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
)

// Files returns the generated files of package sked by name.
func Files(apiJSON, shapes, header []byte) (map[string][]byte, error) {
	m, err := read(apiJSON, shapes, header)
	if err != nil {
		return nil, err
	}
	code, shimHeader, shim := m.callsFile()
	out := map[string][]byte{"zz_shim.h": []byte(shimHeader), "zz_shim.c": []byte(shim),
		"zz_noescape.go": []byte(noEscape(shimHeader, m))}
	for name, text := range map[string]string{"zz_calls.go": code, "zz_enums.go": m.enumsFile(), "zz_structs.go": m.structsFile()} {
		b, err := format.Source([]byte(text))
		if err != nil {
			out[name] = []byte(text)
			return out, fmt.Errorf("%s: %v", name, err)
		}
		if name == "zz_structs.go" && !bytes.Contains(b, []byte("time.Duration")) {
			b = bytes.Replace(b, []byte("import \"time\"\n"), nil, 1)
		}
		out[name] = b
	}
	return out, nil
}

// noEscape says which calls keep nothing of what they are passed and call no
// hook, so that what they are passed may stand on the stack.
func noEscape(shims string, m *model) string {
	var b strings.Builder
	b.WriteString("//go:build go1.24\n\n" + warning + "package sked\n\n/*\n#include \"zz_shim.h\"\n")
	for _, f := range m.Functions {
		name := f.Name
		if strings.Contains(shims, " go"+name+"(") {
			name = "go" + name
		}
		if m.hookless(f) {
			fmt.Fprintf(&b, "#cgo noescape %s\n#cgo nocallback %s\n", name, name)
		}
	}
	b.WriteString("*/\nimport \"C\"\n")
	return b.String()
}

// hookless: it takes no host, and reads a handle at most, without saying that a
// hook may stop it.
func (m *model) hookless(f *function) bool {
	if m.shape(f.Name).flags["hand"] || frees(f) || len(f.Parameters) == 0 ||
		strings.Contains(f.Doc, "CANCELLED") || strings.Contains(f.Doc, "hook") {
		return false
	}
	for _, p := range f.Parameters {
		if base(p.Type) == "sked_host" || m.handles[base(p.Type)] && !strings.HasPrefix(p.Type, "const") {
			return false
		}
	}
	return true
}

// scratch: the subject is the call's alone, and lends it memory.
func (k *call) scratch() bool {
	return k.subject != "" && !strings.HasPrefix(k.f.Parameters[0].Type, "const")
}

func (k *call) write(b *strings.Builder) {
	m, f := k.m, k.f
	name := k.op
	recv := ""
	if i := strings.Index(name, "."); i >= 0 {
		recv, name = "(x *"+name[:i]+") ", name[i+1:]
	}
	results := append([]string(nil), k.results...)
	value := ""
	switch {
	case k.fallible:
		if k.sh.flags["news"] {
			results = append(results, "news bool")
		}
		results = append(results, "err error")
	case f.Returns == "void":
	case base(f.Returns) == "char":
		value = "string"
	case m.handles[base(f.Returns)]:
		value = "*" + typeName(base(f.Returns))
	case m.view(f):
		k.params = append(k.params, "dst []"+m.scalar(base(f.Returns), "", ""))
		value = "[]" + m.scalar(base(f.Returns), "", "")
	case f.Returns == "int" && !strings.Contains(f.Name, "compare"):
		value = "bool"
	case f.Returns == "int":
		value = "int"
	default:
		value = k.numberType(parameter{Name: "result", Type: f.Returns})
	}
	if value != "" {
		results = append(results, "result "+value)
	}
	if k.sh.flags["raw"] {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	params := k.params
	if k.sh.flags["ctx"] && k.subject != "" {
		params = append([]string{"ctx context.Context"}, params...)
	}
	doc := m.said(f.Doc)
	fmt.Fprintf(b, "%sfunc %s%s(%s) (%s) {\n", goComment(name+": "+doc, ""), recv, name,
		strings.Join(params, ", "), strings.Join(results, ", "))
	fmt.Fprintf(b, "\tk := checker{op: %q}\n", k.op)
	if k.fallible {
		if k.scratch() {
			b.WriteString("\te := &x.h.e\n")
		} else {
			b.WriteString("\tvar failure C.sked_error\n\te := &failure\n")
		}
	}
	k.prelude(b)
	cname := f.Name
	if k.shim {
		cname = "go" + f.Name
	}
	callText := "C." + cname + "(" + strings.Join(k.args, ", ") + ")"
	if k.host != "" {
		kept := "true"
		if k.made == "" {
			kept = "false"
		}
		fmt.Fprintf(b, "\ths := newHost(%s, %s)\n", k.host, kept)
		if k.made == "" {
			b.WriteString("\tdefer hs.free()\n")
		}
	}
	if k.sh.flags["ctx"] && k.subject != "" {
		b.WriteString("\tdefer x.h.watch(ctx)()\n")
	}
	switch {
	case !k.fallible:
		k.writeValue(b, callText, value)
	case len(k.list) > 0 && !k.sh.flags["take"]:
		k.writeList(b, callText)
	default:
		fmt.Fprintf(b, "\trc := %s\n", callText)
	}
	if k.fallible {
		k.writeEnd(b)
	}
	b.WriteString("}\n\n")
}

func (k *call) prelude(b *strings.Builder) {
	checks := strings.Join(k.checks, "")
	uses := strings.Join(append(append([]string{}, k.prep...), k.args...), "") + checks
	hasArena := strings.Contains(uses, "ar.") || strings.Contains(uses, "base(s, ar)")
	if hasArena {
		b.WriteString("\tvar memory arena\n\tar := &memory\n\tdefer ar.free()\n")
	}
	if len(k.locks) > 0 {
		b.WriteString("\tvar l locks\n")
	}
	first := len(k.locks)
	if k.subject != "" && first > 0 { // the subject before its sizes are read
		fmt.Fprint(b, k.locks[0])
		fmt.Fprintf(b, "\tdefer l.release()\n\tif l.err != nil {\n\t\tk.refuse(l.err)\n\t\t%s\n\t}\n", k.lockFail())
		k.locks = k.locks[1:]
	}
	needS := strings.Contains(uses, "s.") || strings.Contains(uses, "(s,")
	for _, p := range k.prep {
		if strings.HasPrefix(p, "\ts := ") && !needS {
			continue
		}
		b.WriteString(p)
		if strings.HasPrefix(p, "\ts := ") {
			b.WriteString("\t_ = s\n")
		}
	}
	if len(k.locks) > 0 {
		fmt.Fprint(b, strings.Join(k.locks, ""))
		if k.subject == "" {
			b.WriteString("\tdefer l.release()\n")
		}
		fmt.Fprintf(b, "\tif l.err != nil {\n\t\tk.refuse(l.err)\n\t\t%s\n\t}\n", k.lockFail())
	}
	if strings.Contains(checks, "s.rows") { // as it is now that it stays
		fmt.Fprintf(b, "\ts = %s\n", k.sh.given["subject"])
	}
	b.WriteString(checks)
	if hasArena {
		b.WriteString("\tk.heed(ar)\n")
	}
	fmt.Fprintf(b, "\tif k.err != nil {\n\t\t%s\n\t}\n", k.lockFail())
}

func (k *call) lockFail() string {
	if k.fallible {
		return "err = k.failed()\n\t\treturn"
	}
	return "panic(k.failed())"
}

func (k *call) writeValue(b *strings.Builder, callText, value string) {
	m, f := k.m, k.f
	switch {
	case value == "":
		fmt.Fprintf(b, "\t%s\n", callText)
	case value == "string":
		fmt.Fprintf(b, "\tresult = C.GoString(%s)\n", callText)
	case strings.HasPrefix(value, "*"):
		fmt.Fprintf(b, "\tif p := %s; p != nil {\n\t\tresult = &%s{p: (*C.%s)(unsafe.Pointer(p))}\n\t\tresult.h.lend(x.handle())\n\t\tresult.adopt()\n\t}\n", callText, value[1:], base(f.Returns))
	case m.view(f):
		n := "int(*c_n)"
		if v := k.sh.given["view"]; v != "" {
			n = v
		}
		if w := k.sh.times[""]; w != "" {
			n += " * " + w
		}
		fmt.Fprintf(b, "\tp := %s\n\tresult = lent(dst, unsafe.Pointer(p), %s)\n", callText, n)
	case value == "bool":
		fmt.Fprintf(b, "\tresult = %s != 0\n", callText)
	default:
		fmt.Fprintf(b, "\tresult = %s(%s)\n", value, callText)
	}
	for _, p := range k.post {
		b.WriteString(p)
	}
	if len(k.results)+btoi(value != "") > 0 {
		b.WriteString("\treturn\n")
	}
}

func btoi(v bool) int {
	if v {
		return 1
	}
	return 0
}

func (k *call) writeList(b *strings.Builder, callText string) {
	if k.list[0] == "text" {
		fmt.Fprintf(b, "\tvar rc C.sked_status\n\tfor again := true; again; {\n\t\trc = %s\n\t\tagain = int(*c_n) >= len(buffer)\n\t\tif again {\n\t\t\tbuffer = make([]byte, int(*c_n)+1)\n\t\t}\n\t\tif rc < 0 && rc != codeRange {\n\t\t\tbreak\n\t\t}\n\t}\n", strings.Replace(callText, "(*C.char)(ptrIn(buffer))", "(*C.char)(ptrIn(buffer))", 1))
		return
	}
	fmt.Fprintf(b, "\thave := cap(%s) / most(1, per%s)\n", k.list[0], k.list[0])
	for _, r := range k.list[1:] {
		fmt.Fprintf(b, "\thave = least(have, cap(%s)/most(1, per%s))\n", r, r)
	}
	b.WriteString("\tvar rc C.sked_status\n\tfor {\n")
	for _, r := range k.list {
		fmt.Fprintf(b, "\t\t%s = %s[:have*per%s]\n", r, r, r)
	}
	fmt.Fprintf(b, "\t\trc = %s\n\t\tif int(*c_n) <= have || rc < 0 && rc != codeRange {\n\t\t\tbreak\n\t\t}\n\t\thave = int(*c_n)\n", callText)
	for _, r := range k.list {
		t := k.typeOf(r)
		fmt.Fprintf(b, "\t\t%s = make([]%s, have*per%s)\n", r, t, r)
	}
	b.WriteString("\t}\n")
	for _, r := range k.list {
		k.post = append(k.post, fmt.Sprintf("\t%s = %s[:least(int(*c_n), have)*per%s]\n", r, r, r))
	}
}

func (k *call) typeOf(result string) string {
	for _, r := range k.results {
		if strings.HasPrefix(r, result+" []") {
			return strings.TrimPrefix(r, result+" []")
		}
	}
	return "byte"
}

func (k *call) writeEnd(b *strings.Builder) {
	host := "nil"
	switch {
	case k.host != "":
		host = "hs"
	case k.subject != "":
		host = "x.h.host"
	}
	fmt.Fprintf(b, "\terr = k.check(rc, e, %s)\n", host)
	if k.made != "" {
		fmt.Fprintf(b, "\tif err != nil {\n\t\ths.free()\n\t\treturn\n\t}\n\tmade = &%s{p: c_made}\n\tmade.h.keep(hs)\n\tfinally(made)\n", typeName(k.made))
		b.WriteString("\tmade.adopt()\n")
		if k.sh.after != "" {
			b.WriteString("\t" + k.sh.after + "\n")
		}
	} else if k.sh.after != "" && strings.HasPrefix(k.sh.after, "x.") {
		b.WriteString("\tif err == nil {\n\t\t" + k.sh.after + "\n\t}\n")
	}
	if k.sh.flags["news"] {
		b.WriteString("\tnews = rc > 0\n")
	}
	for _, p := range k.post {
		b.WriteString(p)
	}
	b.WriteString("\treturn\n")
}
