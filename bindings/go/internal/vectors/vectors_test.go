package vectors

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The totals are those of python -m sked.testing.vectors.
func TestKnownAnswers(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := os.Getenv("SKED_VECTORS")
	if folder == "" {
		folder = filepath.Join(root, "..", "shared", "vectors")
	}
	if _, err = os.Stat(filepath.Join(folder, "fair.json")); err != nil {
		t.Skip("SKIPPED: no known answers in " + folder)
	}
	python, err := exec.LookPath("python3")
	reader := filepath.Join(root, "tests", "vectors", "compact.py")
	if err != nil {
		t.Skip("SKIPPED: no python3 to read known answers with")
	}
	if _, err = os.Stat(reader); err != nil {
		t.Skip("SKIPPED: not in a checkout of the library")
	}
	lines, err := exec.Command(python, reader, folder).Output()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range r.Failures {
		if i < 40 {
			t.Error(f)
		}
	}
	t.Logf("VECTORS: %d known answers, %d of them by rule; %d unsupported, %d failed",
		r.Ends[Passed]+r.Ends[ByRule], r.Ends[ByRule], r.Ends[Unsupported], r.Ends[Failed])
	if r.Ends != [4]int{6, 1704, 1046, 0} {
		t.Errorf("unsupported, passed, by rule, failed: %v", r.Ends)
	}
}
