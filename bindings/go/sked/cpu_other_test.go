//go:build !linux

package sked_test

import "time"

var began = time.Now()

func processor() time.Duration { return time.Since(began) }
