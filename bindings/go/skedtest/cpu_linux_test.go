package skedtest

import (
	"syscall"
	"time"
)

// processor is the time that this process has had on a processor: on a machine
// that has more to do, what a call costs all the same.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
