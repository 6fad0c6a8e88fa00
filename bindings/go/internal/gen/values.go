package gen

import (
	"fmt"
	"strconv"
	"strings"
)

func (k *call) text(i int, p parameter, gp, cparam string) {
	k.params = append(k.params, gp+" string")
	if i+1 < len(k.f.Parameters) && k.f.Parameters[i+1].Name == "length" {
		k.arg("(*C.char)(ptrIn([]byte("+gp+"+\"\\x00\")))", cparam)
		return
	}
	k.arena = true
	pass := "ar.must(&k, " + strconv.Quote(gp) + ", " + gp + ")"
	if k.sh.flags["?"+p.Name] {
		pass = "ar.text(" + gp + ")"
	}
	k.prep = append(k.prep, "\tc_"+p.Name+" := "+pass+"\n")
	k.arg("c_"+p.Name, cparam)
}

func (k *call) textOut(p parameter, gp, cparam string) {
	k.results = append(k.results, gp+" string")
	k.list = append(k.list, "text")
	if n := k.sh.given[p.Name]; n != "" {
		k.prep = append(k.prep, "\tbuffer := make([]byte, "+n+")\n")
		k.post = append(k.post, "\t"+gp+" = C.GoString((*C.char)(ptrIn(buffer)))\n")
		k.list = nil
	} else {
		k.prep = append(k.prep, "\tvar buffer []byte\n")
		k.post = append(k.post, "\t"+gp+" = string(buffer[:least(len(buffer), int(*c_n))])\n")
	}
	k.arg("(*C.char)(ptrIn(buffer))", cparam)
}

func (k *call) scalarIn(i int, p parameter, gp, cparam string) {
	m, b := k.m, base(p.Type)
	if p.Name == "length" && i > 0 && base(k.f.Parameters[i-1].Type) == "char" {
		k.arg("C.size_t(len("+lower(k.f.Parameters[i-1].Name)+"))", cparam)
		return
	}
	if p.Name == "cap" {
		switch {
		case k.sh.counts["cap"] != "":
			k.arg("C.size_t("+k.length(k.sh.counts["cap"], "", "")+")", cparam)
		case k.sh.flags["take"]:
			k.arg("C.size_t(len("+k.list[0]+"))", cparam)
		case len(k.list) > 0 && k.list[0] == "text":
			k.arg("C.size_t(len(buffer))", cparam)
		default:
			k.arg("C.size_t(have)", cparam)
		}
		return
	}
	if how, ok := k.derived(p.Name); ok {
		over := ""
		if j := strings.Index(how, "/"); j >= 0 {
			over = how[j+1:]
			how = how[:j]
		}
		e := "len(" + lower(how) + ")"
		if over != "" {
			o := "int(" + lower(over) + ")"
			if strings.HasPrefix(over, "x.") {
				o = "s." + over[2:]
			}
			e = "over(" + e + ", " + o + ")"
		}
		k.derivations = append(k.derivations, "\t"+gp+" := "+e+"\n")
		k.arg("C."+b+"("+gp+")", cparam)
		return
	}
	switch {
	case b == "int":
		k.params = append(k.params, gp+" bool")
		k.arg("C.int(bit("+gp+"))", cparam)
	case m.structs[b] != nil:
		k.params = append(k.params, gp+" "+typeName(b))
		k.arg("*"+pointerTo(b)+"(unsafe.Pointer(&"+gp+"))", cparam)
	default:
		k.params = append(k.params, gp+" "+k.numberType(p))
		k.arg("C."+b+"("+gp+")", cparam)
	}
}

func (k *call) output(i int, p parameter, gp, cparam string) {
	m, b := k.m, base(p.Type)
	t := k.numberType(p)
	r, into := gp, "into"+strings.ToUpper(gp[:1])+gp[1:]
	expr, sized := k.sh.writes[p.Name]
	wanted, asked := k.sh.wants[p.Name]
	inList := false
	for _, q := range k.f.Parameters[i+1:] {
		if q.Name == "cap" && k.sh.counts["cap"] == "" {
			inList = true
		}
	}
	switch {
	case sized, asked:
		k.params = append(k.params, into+" []"+t)
		k.results = append(k.results, r+" []"+t)
		if sized {
			k.prep = append(k.prep, fmt.Sprintf("\t%s = grow(&k, %s, %s)\n", r, into, k.length(expr, "", "")))
			k.arg(pointerTo(b)+"(ptrOut("+r+"))", cparam)
		} else {
			k.prep = append(k.prep, fmt.Sprintf("\tif %s != nil {\n\t\t%s = grow(&k, %s, %s)\n\t}\n", into, r, into, k.length(wanted, "", "")))
			k.arg(pointerTo(b)+"(ptrIn("+r+"))", cparam)
		}
		if k.sh.given["trim"] != "" {
			k.post = append(k.post, fmt.Sprintf("\tif err == nil {\n\t\t%s = %s[:int(*c_n)]\n\t}\n", r, r))
		}
		if k.sh.after != "" && strings.HasPrefix(k.sh.after, p.Name+"=") {
			k.post = append(k.post, "\tif err == nil {\n\t\t"+strings.ReplaceAll(k.sh.after, p.Name, r)+"\n\t}\n")
		}
	case inList && k.sh.flags["take"]:
		k.params = append(k.params, gp+" []"+t)
		k.results = append(k.results, "taken int")
		k.list = append(k.list, gp)
		k.arg(pointerTo(b)+"(ptrOut("+gp+"))", cparam)
	case inList:
		k.params = append(k.params, into+" []"+t)
		k.results = append(k.results, r+" []"+t)
		k.list = append(k.list, r)
		times := "1"
		if w := k.sh.times[p.Name]; w != "" {
			times = k.length(w, "", "")
		}
		k.prep = append(k.prep, fmt.Sprintf("\t%s = %s[:0]\n\tper%s := %s\n", r, into, r, times))
		k.arg(pointerTo(b)+"(ptrIn("+r+"))", cparam)
	case b == "size_t" && (k.list != nil || k.sh.given["trim"] == p.Name || k.m.view(k.f)):
		if k.scratch() {
			k.prep = append(k.prep, "\tc_n := &x.h.n\n\t*c_n = 0\n")
		} else {
			k.prep = append(k.prep, "\tvar number C.size_t\n\tc_n := &number\n")
		}
		k.arg("c_n", cparam)
		if k.sh.flags["take"] {
			k.post = append(k.post, "\ttaken = int(*c_n)\n")
		}
	case m.structs[b] != nil && m.pointers(b): // texts alone
		k.results = append(k.results, r+" "+typeName(b))
		k.prep = append(k.prep, "\tvar c_"+p.Name+" C."+b+"\n")
		if m.structs[b].Grows {
			k.prep = append(k.prep, "\tc_"+p.Name+".struct_size = C.sizeof_"+b+"\n")
		}
		k.arg("&c_"+p.Name, cparam)
		k.post = append(k.post, "\t"+r+".from(&c_"+p.Name+")\n")
	default:
		k.results = append(k.results, r+" "+t)
		if s := m.structs[b]; s != nil && s.Grows {
			k.prep = append(k.prep, fmt.Sprintf("\t%s.structSize = uint32(unsafe.Sizeof(%s))\n", r, r))
		}
		if t == "bool" {
			k.prep = append(k.prep, "\tvar c_"+p.Name+" C.int\n")
			k.post = append(k.post, "\t"+r+" = c_"+p.Name+" != 0\n")
			k.arg("&c_"+p.Name, cparam)
		} else if t == "int" {
			k.prep = append(k.prep, "\tvar c_"+p.Name+" C."+b+"\n")
			k.post = append(k.post, "\t"+r+" = int(c_"+p.Name+")\n")
			k.arg("&c_"+p.Name, cparam)
		} else {
			k.arg(pointerTo(b)+"(unsafe.Pointer(&"+r+"))", cparam)
		}
	}
}
