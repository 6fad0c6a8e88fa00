// Package notebooks stands beside notebooks of Go and names what they import.
package notebooks

import (
	_ "example.org/sked/bindings/go/sked"
	_ "gonum.org/v1/plot/plotter"
)
