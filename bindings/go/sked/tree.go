package sked

// #include "sked.h"
import "C"

import "unsafe"

// Faults is what is wrong with a text or a draft: errors.As finds it behind the
// error of Tree.Parse, and in Tree.Check's.
type Faults struct {
	List  []Fault
	Lines []string // each as one line for a person
	err   error
}

func (f *Faults) Error() string {
	if len(f.Lines) == 0 {
		return f.err.Error()
	}
	text := f.Lines[0]
	if len(f.List) > 1 {
		text += " (and " + itoa(uint32(len(f.List)-1)) + " more)"
	}
	return text
}

// Unwrap is the error of the call, with its code.
func (f *Faults) Unwrap() error { return f.err }

// Parse makes the draft what text says: one queue a line, its path and then
// key=value pairs (docs/tree-text.md). file is the name that faults are told
// with. A text with any fault changes nothing; the error is then a *Faults.
func (x *Tree) Parse(text, file string) error {
	k := checker{op: "Tree.Parse"}
	var memory arena
	a := &memory
	defer a.free()
	var l locks
	l.write(x.handle())
	defer l.release()
	if l.err != nil {
		k.refuse(l.err)
		return k.err
	}
	name := a.must(&k, "file", file)
	if file == "" {
		name = nil
	}
	if k.err != nil {
		return k.err
	}
	var e C.sked_error
	var n C.size_t
	list := make([]Fault, 16)
	b := []byte(text + "\x00")
	for {
		rc := C.sked_tree_parse(x.p, (*C.char)(ptrIn(b)), C.size_t(len(text)), name,
			(*C.sked_fault)(unsafe.Pointer(&list[0])), C.size_t(len(list)), &n, &e)
		if int(n) > len(list) {
			list = make([]Fault, int(n))
			continue
		}
		err := k.check(rc, &e, x.h.host)
		if err == nil || n == 0 {
			return err
		}
		f := &Faults{List: list[:int(n)], err: err}
		for i := range f.List {
			f.Lines = append(f.Lines, x.line(&f.List[i]))
		}
		return f
	}
}

// line is FaultFormat without its lock.
func (x *Tree) line(f *Fault) string {
	buffer := make([]byte, 256)
	for {
		var n C.size_t
		C.sked_fault_format(x.p, (*C.sked_fault)(unsafe.Pointer(f)), (*C.char)(unsafe.Pointer(&buffer[0])), C.size_t(len(buffer)), &n)
		if int(n) < len(buffer) {
			return string(buffer[:n])
		}
		buffer = make([]byte, int(n)+1)
	}
}

// ReadTree is a tree of its own from text, kinds line and all, committed as mode
// says.
func ReadTree(text string, mode TreeCommitMode, host *Host) (*Tree, error) {
	schema, err := ParseTreeSchema(text, nil)
	if err != nil {
		return nil, err
	}
	defer schema.Close()
	tree, err := NewTree(schema, nil, host)
	if err != nil {
		return nil, err
	}
	if err = tree.Parse(text, ""); err == nil {
		err = tree.Commit(mode)
	}
	if err != nil {
		_ = tree.Close()
		return nil, err
	}
	return tree, nil
}

// Kinds is the number of resource kinds.
func (x *Tree) Kinds() int { return x.kindsOf() }

// Edit changes the draft through fn and commits it, all or nothing: where fn or
// the commit fails, the draft is what was committed last.
func (x *Tree) Edit(mode TreeCommitMode, fn func(*Tree) error) (err error) {
	done := false
	defer func() {
		if !done {
			if e := x.Discard(); err == nil {
				err = e
			}
		}
	}()
	if err = fn(x); err == nil {
		err = x.Commit(mode)
	}
	done = err == nil
	return err
}

// Queues calls yield for every queue of the last commit, parents first; with Go
// 1.23 and later a range statement takes it.
func (x *Tree) Queues() func(yield func(QueueID) bool) {
	return func(yield func(QueueID) bool) {
		ids, err := x.IDs(nil)
		if err != nil {
			panic(err)
		}
		for _, q := range ids {
			if !yield(q) {
				return
			}
		}
	}
}

// Vec reads a vector from text such as `cpu=2.5,memory=4GiB`; kinds that are not
// said are 0.
func (x *Schema) Vec(text string) ([]int64, error) { return VecParse(x, text, 0, nil) }

// Text writes a vector for people.
func (x *Schema) Text(vec []int64) (string, error) { return VecFormat(x, vec, FormShort) }
