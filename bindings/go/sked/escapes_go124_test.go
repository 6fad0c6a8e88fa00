//go:build go1.24

package sked_test

const escapes = false
