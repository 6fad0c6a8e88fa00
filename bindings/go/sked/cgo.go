package sked

/*
#cgo CFLAGS: -std=gnu11 -O2 -DSKED_STATIC
#cgo LDFLAGS: -pthread
#include "sked.h"
*/
import "C"

// Version is that of the library within.
func Version() string {
	v := uint32(C.sked_version())
	return itoa(v/1000000) + "." + itoa(v/1000%1000) + "." + itoa(v%1000)
}
