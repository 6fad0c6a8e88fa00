package skedtest

// #include "kit.h"
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"

	"example.org/sked/bindings/go/sked"
)

// Bounds of what is drawn. Numbers of queues, nodes, jobs and users begin at 1.
const (
	mostUsers  = C.SKED_TEST_USERS - 1
	mostQueues = C.SKED_TEST_QUEUES - 1
	mostNodes  = C.SKED_TEST_NODES - 1
)

// Rules are what a manager promises. A rule that is not promised is neither
// drawn nor judged. Capacity of nodes, and no idle node, are always judged.
type Rules uint

// The rules of a manager.
const (
	Guarantees Rules = 1 << iota
	Shares           // by weight, dominant share in several kinds
	Limits
	UserLimits
	Priorities
	FIFO // equal priorities by order of submission
	Gangs
	Partitions
	Preemption // kills serve guarantees
	Restarts
	Reasons // answers of Explainer are true
	Trees   // queues below queues
	Vectors // tasks and nodes of two or three kinds
	capacity
	Reservations // jobs that begin later, see Job.Begin
	// AllRules are all but Reasons and Reservations.
	AllRules = 1<<14 - 1 - Reasons
)

// Queue is a queue of a drawn tree; nil: no guarantee, no limit. Users are
// limited one by one.
type Queue struct {
	Parent           int // 0: at the top
	Weight           int64
	Guarantee, Limit []int64
	UserLimit        map[int][]int64
}

// Cluster is what a manager knows from the beginning. Queues[0] is empty, and
// parents stand before children.
type Cluster struct {
	Kinds    int
	Preempts bool
	Queues   []Queue
}

// NodeState is a state of a node.
type NodeState int

// The states of nodes. Tasks of a node that is down are told as lost, after.
const (
	Up NodeState = iota
	Drained
	Down
)

// Node is the state of a node, each time it changes.
type Node struct {
	ID, Partition int
	State         NodeState
	Amounts       []int64
}

// Job is a job of identical tasks. After a restart tasks may run already.
//
// With the rule Reservations, some jobs of one task have a time Begin. The task
// may not start earlier. The manager may reserve the start, and must then start
// the task in time. A reservation ends when its node stops or becomes smaller.
// ReservedNode and ReservedAt are for a manager that restarts.
type Job struct {
	ID, Queue, User, Priority int
	Gang                      int // above 1: so many run together, or none
	Partition                 int // 0: any
	Waiting                   int
	Amounts                   []int64
	Running                   map[int]int // by node
	Begin                     sked.Time   // 0: at once
	ReservedNode              int         // 0: no reservation
	ReservedAt                sked.Time
}

// EndHow is how tasks end.
type EndHow int

// How tasks end. Lost tasks wait again; waiting tasks are cancelled, on no node.
const (
	Done EndHow = iota
	Lost
	Cancelled
)

// End is tasks that end.
type End struct {
	Job, Node, Count int
	How              EndHow
}

// Decision starts tasks of a job on a node, or kills them for tasks of another
// job (For, or 0), or reserves the start of a task there, at At at the latest.
// It takes effect at once: killed tasks wait again.
type Decision struct {
	Kill, Reserve    bool
	Job, Node, Count int
	For              int
	At               sked.Time
}

func (d Decision) String() string {
	if d.Reserve {
		return fmt.Sprintf("reserve n%d for j%d, at %d at the latest", d.Node, d.Job, d.At)
	}
	if d.Kill {
		return fmt.Sprintf("kill %d of j%d on n%d for j%d", d.Count, d.Job, d.Node, d.For)
	}
	return fmt.Sprintf("start %d of j%d on n%d", d.Count, d.Job, d.Node)
}

// Manager is the scheduler under test. Decide is asked until it returns nothing.
type Manager interface {
	Node(now sked.Time, node Node)
	Submit(now sked.Time, job Job)
	End(now sked.Time, end End)
	Decide(now sked.Time) []Decision
}

// Why is why no further task of a job starts now.
type Why int

// Reasons. WhyUnknown is no answer and is not judged.
const (
	WhyUnknown   Why = iota
	WhyNoNode        // no node fits what the job needs
	WhyLimit         // a queue of the path is at its limit
	WhyUserLimit     // the user is at a limit in the path
)

// Explainer is a manager that says why a job waits.
type Explainer interface {
	Why(now sked.Time, job int) Why
}

// NewManager is a manager of an empty cluster.
type NewManager func(cluster *Cluster) (Manager, error)

// managed is a manager under test during one case.
type managed struct {
	begin  NewManager
	kinds  int
	m      Manager
	failed string // words about a panic, or why there is no manager
}

// guard notes a panic of the manager. The kit hears of the failure with the next
// decisions, or at the end of the case.
func (d *managed) guard() {
	if r := recover(); r != nil && d.failed == "" {
		d.failed = fmt.Sprintf("panic: %v", r)
	}
}

func managedOf(handle C.uintptr_t) *managed { return cgo.Handle(handle).Value().(*managed) }

func (d *managed) vector(from *[C.SKED_TEST_KINDS]C.int64_t) []int64 {
	v := make([]int64, d.kinds)
	for k := range v {
		v[k] = int64(from[k])
	}
	return v
}

func (d *managed) cluster(from *C.sked_test_cluster) *Cluster {
	d.kinds = int(from.kinds)
	c := &Cluster{Kinds: d.kinds, Preempts: from.preempts != 0, Queues: make([]Queue, 1)}
	for i := 1; i <= int(from.queues); i++ {
		own := &from.queue[i]
		q := Queue{Parent: int(own.parent), Weight: int64(own.weight), UserLimit: map[int][]int64{}}
		if own.has_guarantee != 0 {
			q.Guarantee = d.vector(&own.guarantee)
		}
		if own.has_limit != 0 {
			q.Limit = d.vector(&own.limit)
		}
		for user := 1; user <= mostUsers; user++ {
			if own.has_user_limit[user] != 0 {
				q.UserLimit[user] = d.vector(&own.user_limit[user])
			}
		}
		c.Queues = append(c.Queues, q)
	}
	return c
}

//export skedtestBegin
func skedtestBegin(handle C.uintptr_t, cluster *C.sked_test_cluster) C.uintptr_t {
	d := managedOf(handle)
	defer d.guard()
	m, err := d.begin(d.cluster(cluster))
	if err != nil || m == nil {
		d.failed = fmt.Sprintf("there is no manager: %v", err)
		return 0
	}
	d.m = m
	return handle
}

//export skedtestNode
func skedtestNode(handle C.uintptr_t, now C.sked_time, n *C.sked_test_node) {
	d := managedOf(handle)
	defer d.guard()
	if d.failed == "" {
		d.m.Node(sked.Time(now), Node{ID: int(n.node), Partition: int(n.partition),
			State: NodeState(n.state), Amounts: d.vector(&n.amounts)})
	}
}

//export skedtestSubmit
func skedtestSubmit(handle C.uintptr_t, now C.sked_time, j *C.sked_test_job) {
	d := managedOf(handle)
	defer d.guard()
	job := Job{ID: int(j.job), Queue: int(j.queue), User: int(j.user), Priority: int(j.priority),
		Gang: int(j.gang), Partition: int(j.partition), Waiting: int(j.waiting),
		Amounts: d.vector(&j.amounts), Running: map[int]int{}, Begin: sked.Time(j.begin),
		ReservedNode: int(j.reserved_node), ReservedAt: sked.Time(j.reserved_at)}
	for n := 1; n <= mostNodes; n++ {
		if j.running[n] > 0 {
			job.Running[n] = int(j.running[n])
		}
	}
	if d.failed == "" {
		d.m.Submit(sked.Time(now), job)
	}
}

//export skedtestEnd
func skedtestEnd(handle C.uintptr_t, now C.sked_time, end *C.sked_test_end) {
	d := managedOf(handle)
	defer d.guard()
	if d.failed == "" {
		d.m.End(sked.Time(now), End{int(end.job), int(end.node), int(end.count), EndHow(end.how)})
	}
}

// number is a number that C can hold; one that no decision may have otherwise.
func number(x int) C.int {
	if int64(x) < -1<<31 || int64(x) >= 1<<31 {
		return -1
	}
	return C.int(x)
}

//export skedtestDecide
func skedtestDecide(handle C.uintptr_t, now C.sked_time, out *C.sked_test_decision, most C.size_t) (n C.size_t) {
	d := managedOf(handle)
	n = ^C.size_t(0) // SKED_TEST_FAILED
	defer d.guard()
	if d.failed != "" {
		return n
	}
	decisions := d.m.Decide(sked.Time(now))
	if len(decisions) > int(most) {
		return most + 1
	}
	to := unsafe.Slice(out, int(most))
	for i, own := range decisions {
		kind := C.int(C.SKED_TEST_START)
		if own.Kill {
			kind = C.SKED_TEST_KILL
		}
		if own.Reserve {
			kind = C.SKED_TEST_RESERVE
		}
		to[i] = C.sked_test_decision{_type: kind, job: number(own.Job), node: number(own.Node),
			count: number(own.Count), by: number(own.For), at: C.sked_time(own.At)}
	}
	return C.size_t(len(decisions))
}

//export skedtestWhy
func skedtestWhy(handle C.uintptr_t, now C.sked_time, job C.int) (why C.int) {
	d := managedOf(handle)
	defer d.guard()
	if explainer, ok := d.m.(Explainer); ok && d.failed == "" {
		return number(int(explainer.Why(sked.Time(now), int(job))))
	}
	return C.SKED_TEST_WHY_UNKNOWN
}

//export skedtestFinish
func skedtestFinish(handle C.uintptr_t) { managedOf(handle).m = nil }

// ManagerCase is the case of a manager: it draws a tree and a cluster, drives the
// manager, and judges the history. Besides the names of the judge an invariant is
// manager_runs, decisions_are_known, comes_to_rest, starts_too_early or
// reasons_are_true.
func ManagerCase(begin NewManager, rules Rules) Case {
	return func(c *Choices, s *Story) {
		d := &managed{begin: begin}
		handle := cgo.NewHandle(d)
		defer handle.Delete()
		C.kit_manager(C.uintptr_t(handle), C.uint32_t(rules|capacity), c.c, s.s)
		if s.read(); s.Invariant == "" && d.failed != "" {
			s.Invariant = "manager_runs"
		}
		if d.failed != "" {
			s.Say("    %s", d.failed)
		}
	}
}
