// Package show puts tables and pictures where a notebook's reader sees them. A
// GoNB kernel reads them from a pipe, encoded by gob; where there is no kernel,
// tables are printed.
package show

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"html"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Data is one thing to be shown, in the forms that it has: what GoNB calls
// protocol.DisplayData.
type Data struct {
	Data      map[string]any
	Metadata  map[string]any
	DisplayID string
}

// message is what GoNB calls protocol.CommValue.
type message struct {
	Address string
	Request bool
	Value   any
}

var pipe *gob.Encoder

func init() {
	gob.RegisterName("github.com/janpfeifer/gonb/gonbui/protocol.CommValue", message{})
}

func send(data map[string]any) error {
	if pipe == nil {
		path := os.Getenv("GONB_PIPE")
		if path == "" {
			return nil
		}
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		pipe = gob.NewEncoder(w)
	}
	return pipe.Encode(Data{Data: data})
}

// Table shows rows below their head. Columns after the first stand to the right.
func Table(head []string, rows [][]string) error {
	var text, page strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	page.WriteString("<table>")
	width := 0
	for _, row := range append([][]string{head}, rows...) {
		width = max(width, len(row[0]))
	}
	for i, row := range append([][]string{head}, rows...) {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		page.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(&page, "<%s>%s</%s>", tag, html.EscapeString(cell), tag)
		}
		page.WriteString("</tr>")
		fmt.Fprintf(w, "%-*s\t%s\t\n", width, row[0], strings.Join(row[1:], "\t"))
	}
	page.WriteString("</table>")
	if err := w.Flush(); err != nil {
		return err
	}
	if os.Getenv("GONB_PIPE") == "" {
		_, err := io.WriteString(os.Stdout, text.String())
		return err
	}
	return send(map[string]any{"text/plain": text.String(), "text/html": page.String()})
}

// Picture shows a plot.
func Picture(p *plot.Plot) error {
	w, err := p.WriterTo(16*vg.Centimeter, 9*vg.Centimeter, "svg")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err = w.WriteTo(&b); err != nil {
		return err
	}
	return send(map[string]any{"image/svg+xml": b.String()})
}

// Done waits until a kernel has read everything: a program that ends earlier may
// take with it what was still in the pipe.
func Done() error {
	back := os.Getenv("GONB_PIPE_BACK")
	if back == "" || pipe == nil {
		return nil
	}
	r, err := os.Open(back)
	if err != nil {
		return err
	}
	defer r.Close()
	if err = send(map[string]any{"gonb/comm_value": message{Address: "#gonbui/sync", Value: 1}}); err != nil {
		return err
	}
	var said message
	return gob.NewDecoder(r).Decode(&said)
}
