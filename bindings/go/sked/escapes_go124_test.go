//go:build go1.24

package sked

const escapes = false
