package sked

import (
	"io"
	"strconv"
)

// A Journal writes decisions as lines of CSV with exact numbers, the first line
// their names. It keeps the first error of its writer.
type Journal struct {
	w    io.Writer
	line []byte
	err  error
}

// NewJournal writes the head to w.
func NewJournal(w io.Writer) *Journal {
	j := &Journal{w: w}
	j.put([]byte("seq,time_ns,kind,job,ask,task,count,queue,node,group,reason\n"))
	return j
}

// Write adds one decision.
func (j *Journal) Write(d *Decision) error {
	b := j.line[:0]
	b = append(strconv.AppendUint(b, d.Sequence, 10), ',')
	b = append(strconv.AppendInt(b, int64(d.Time), 10), ',')
	b = append(append(b, d.Kind.String()...), ',')
	b = append(strconv.AppendUint(b, d.Job, 10), ',')
	b = append(strconv.AppendUint(b, d.Ask, 10), ',')
	b = append(strconv.AppendInt(b, d.Task, 10), ',')
	b = append(strconv.AppendInt(b, d.Count, 10), ',')
	b = append(strconv.AppendUint(b, uint64(d.Queue), 10), ',')
	b = append(strconv.AppendUint(b, d.Node, 10), ',')
	b = append(strconv.AppendUint(b, d.Group, 10), ',')
	b = append(append(b, d.Reason.String()...), '\n')
	j.line = b
	j.put(b)
	return j.err
}

// Err is the first error of the writer.
func (j *Journal) Err() error { return j.err }

func (j *Journal) put(b []byte) {
	if j.err == nil {
		_, j.err = j.w.Write(b)
	}
}
