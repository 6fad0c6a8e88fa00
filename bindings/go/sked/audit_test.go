package sked

import "testing"

// A scheduler puts two tasks of three cores on a node of four.
func TestAuditFindsAnOverCommittedNode(t *testing.T) {
	audit, err := NewAudit(&AuditOptions{Kinds: 1, Idle: 10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer audit.Close()
	rows := []AuditRow{
		{Type: AuditRowNode, Key: 7, Amounts: 0},
		{Type: AuditRowJob, Key: 1, Amounts: -1},
		{Type: AuditRowTasks, Key: 1, Of: 1, Count: 2, Amounts: 1},
		{Time: 5, Type: AuditRowStart, Key: 1, On: 7, Count: 2, Amounts: -1},
	}
	if done, err := audit.Add(rows, []int64{4, 3}, 2); err != nil || done != 4 {
		t.Fatalf("Add: %d rows, %v", done, err)
	}
	if err := audit.End(9); err != nil {
		t.Fatal(err)
	}
	if n := audit.Count(int32(AuditCodeNodeOver)); n != 1 || audit.Rows() != 4 {
		t.Fatalf("%d anomalies in %d rows", n, audit.Rows())
	}
	story, err := audit.Get(0)
	if err != nil || story.Code != AuditCodeNodeOver || story.Subject != 7 {
		t.Fatalf("Get: %v, %v", story, err)
	}
	line, err := audit.Format(0)
	if err != nil || line == "" || AuditName(int32(AuditCodeNodeOver)) != "node_over" {
		t.Fatalf("Format: %q, %v", line, err)
	}
}
