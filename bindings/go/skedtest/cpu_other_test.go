//go:build !linux

package skedtest

import "time"

var started = time.Now()

func processor() time.Duration { return time.Since(started) }
