//go:build go1.24 && !asan && !race

package sked_test

const escapes = false
