//go:build !cgo

package sked

// This package is C underneath. Build it with CGO_ENABLED=1 and a C compiler
// (on Debian: apt install gcc).
const _ = "sked needs cgo: set CGO_ENABLED=1 and install a C compiler" + needsCgo
