package skedtest

import (
	"errors"
	"fmt"

	"example.org/sked/bindings/go/sked"
)

// Bounds of what is drawn. Numbers of queues, nodes, jobs and users begin at 1.
const (
	mostKinds     = 2
	mostUsers     = 3
	mostQueues    = 13
	mostNodes     = 7
	mostJobs      = 63
	mostRounds    = 50
	mostSteps     = 200
	mostDecisions = 300
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
	Vectors // tasks and nodes of two kinds
	// AllRules are all but Reasons.
	AllRules = 1<<13 - 1 - Reasons
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
type Job struct {
	ID, Queue, User, Priority int
	Gang                      int // above 1: so many run together, or none
	Partition                 int // 0: any
	Waiting                   int
	Amounts                   []int64
	Running                   map[int]int // by node
}

func (j *Job) copied() Job {
	other := *j
	other.Amounts = append([]int64(nil), j.Amounts...)
	other.Running = map[int]int{}
	for n, count := range j.Running {
		if count > 0 {
			other.Running[n] = count
		}
	}
	return other
}

// need is how many tasks have to start at once.
func (j *Job) need() int {
	running := 0
	for _, count := range j.Running {
		running += count
	}
	if j.Gang > 1 && running == 0 {
		return j.Gang
	}
	return 1
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
// job (For, or 0). It takes effect at once: killed tasks wait again.
type Decision struct {
	Kill             bool
	Job, Node, Count int
	For              int
}

func (d Decision) String() string {
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

// host is the cluster of one run.
type host struct {
	begin      NewManager
	rules      Rules
	c          *Choices
	story      *Story
	cluster    Cluster
	leaves     []int
	split      bool // nodes are in two partitions
	busy       bool // few nodes, much work at once
	fifo       bool
	size       int   // about what a node has
	scale      int64 // of all amounts
	manager    Manager
	rows       []sked.AuditRow
	amounts    []int64
	now        sked.Time
	nodes      []Node // [0] is empty
	jobs       []Job
	refuse     bool
	error, why string
	lie        string
}

func (h *host) row(row sked.AuditRow, amounts []int64) {
	row.Time, row.Amounts = h.now, -1
	if amounts != nil {
		row.Amounts = int32(len(h.amounts) / h.cluster.Kinds)
		h.amounts = append(h.amounts, amounts...)
	}
	h.rows = append(h.rows, row)
}

func (h *host) runRow(kind sked.AuditRowType, job, node, count int) {
	h.row(sked.AuditRow{Type: kind, Key: uint64(job), On: uint64(node), Count: int64(count)}, nil)
}

func (h *host) wrong(invariant, why string) {
	if h.error == "" {
		h.error, h.why = invariant, why
	}
}

func (h *host) has(rule Rules) bool { return h.rules&rule != 0 }

// ---- The tree ----

func (h *host) depth(queue int) (depth int) {
	for ; queue > 0; queue = h.cluster.Queues[queue].Parent {
		depth++
	}
	return depth
}

func (h *host) vector(low, high int) []int64 {
	v := make([]int64, h.cluster.Kinds)
	for k := range v {
		v[k] = int64(h.c.Int(low, high)) * h.scale
	}
	return v
}

// drawAmounts draws the amounts of a node. Large amounts lack a unit at times.
func (h *host) drawAmounts(low, high int) []int64 {
	v, lacks := h.vector(low, high), int64(0)
	// Drawn at every scale, so that the shrinker can choose another scale.
	if h.c.Choose(2) == 2 && h.scale > 1 && !h.cluster.Preempts {
		lacks = 1
	}
	for k := range v {
		v[k] -= lacks
	}
	return v
}

// drawLimit has amounts from 1 to most, and 0 at times.
func (h *host) drawLimit(most int) []int64 {
	v := h.vector(1, most)
	for k := range v {
		if h.c.Choose(15) == 15 {
			v[k] = 0
		}
	}
	return v
}

func larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func (h *host) drawBounds(q *Queue, total int, left *int) {
	if h.has(Guarantees) && *left > 1 && h.c.Choose(9) >= 6 {
		some := h.c.Int(1, *left/2)
		*left -= some
		q.Guarantee = make([]int64, h.cluster.Kinds)
		lead := int(h.c.Choose(uint64(h.cluster.Kinds - 1)))
		for k := range q.Guarantee {
			if k == lead || h.c.Choose(1) == 1 {
				q.Guarantee[k] = int64(some) * h.scale
			}
		}
	}
	if h.has(Limits) && h.c.Choose(9) >= 7 {
		q.Limit = h.drawLimit(larger(total, 2))
		for k := range q.Guarantee {
			q.Limit[k] = -least(-q.Limit[k], -q.Guarantee[k])
		}
	}
	for user := 1; user <= 2; user++ {
		if h.has(UserLimits) && h.c.Choose(7) == 7 {
			q.UserLimit[user] = h.drawLimit(larger(total/2, 2))
		}
	}
}

func (h *host) drawQueues(total int) {
	left, weighted := total, h.c.Choose(9) >= 3
	weight := int64(1)
	if weighted {
		weight = h.c.Pick(1, 1, 1, 100, 40000)
	}
	deep := h.c.Choose(3) > 0 && h.has(Trees)
	mean := 3
	if deep {
		mean = 5
	}
	parents := map[int]bool{}
	h.cluster.Queues = make([]Queue, 1)
	for n := 0; n < mostQueues && (h.c.More(mean) || n == 0); n++ {
		q := Queue{Weight: 1, UserLimit: map[int][]int64{}}
		if deep {
			q.Parent = larger(0, h.c.Int(0, 2*n)-n)
			if h.depth(q.Parent) >= 4 {
				q.Parent = 0
			}
		}
		if weighted {
			q.Weight = int64(h.c.Int(1, 4)) * weight
		}
		h.drawBounds(&q, total, &left)
		parents[q.Parent] = true
		h.cluster.Queues = append(h.cluster.Queues, q)
	}
	for i := 1; i < len(h.cluster.Queues); i++ {
		if !parents[i] {
			h.leaves = append(h.leaves, i)
		}
	}
}

func (h *host) tellTree() {
	for i := 1; i < len(h.cluster.Queues); i++ {
		q := &h.cluster.Queues[i]
		row := sked.AuditRow{Type: sked.AuditRowQueue, Key: uint64(i), Of: uint64(q.Parent)}
		if h.has(Shares) {
			row.Value = q.Weight
		}
		if h.fifo {
			row.Flags = sked.AuditMarkFifo
		}
		h.row(row, nil)
		h.story.Say("    queue q%d below q%d, weight %d, guarantee %v, limit %v, of users %v",
			i, q.Parent, q.Weight, q.Guarantee, q.Limit, q.UserLimit)
		if q.Guarantee != nil {
			h.row(sked.AuditRow{Type: sked.AuditRowGuarantee, Key: uint64(i)}, q.Guarantee)
		}
		if q.Limit != nil {
			h.row(sked.AuditRow{Type: sked.AuditRowLimit, Key: uint64(i)}, q.Limit)
		}
		for user := 1; user <= mostUsers; user++ {
			if v := q.UserLimit[user]; v != nil {
				h.row(sked.AuditRow{Type: sked.AuditRowLimit, Key: uint64(i), On: uint64(user)}, v)
			}
		}
	}
}

// start makes a manager, which gets a cluster of its own.
func (h *host) start() {
	own := h.cluster
	own.Queues = append([]Queue(nil), h.cluster.Queues...)
	m, err := h.begin(&own)
	if err != nil || m == nil {
		h.wrong("manager_runs", fmt.Sprintf("there is no manager: %v", err))
		return
	}
	h.manager = m
}

// ---- Ends and decisions ----

// lose makes tasks fail and wait again. A gang fails as a whole.
func (h *host) lose(job, node, count int) {
	j := &h.jobs[job]
	for n := 1; n < len(h.nodes); n++ {
		some := j.Running[n]
		if j.Gang <= 1 {
			if n != node {
				continue
			}
			some = count
		}
		if some == 0 {
			continue
		}
		h.runRow(sked.AuditRowLost, job, n, some)
		j.Running[n] -= some
		j.Waiting += some
		h.manager.End(h.now, End{job, n, some, Lost})
	}
}

func (h *host) isKnown(d Decision) bool {
	return d.Job >= 1 && d.Job < len(h.jobs) && d.Node >= 1 && d.Node < len(h.nodes) &&
		d.Count >= 1 && d.Count <= 1000000 && d.For >= 0 && d.For < len(h.jobs)
}

// take carries one decision out, as far as possible. The judge reports the rest.
func (h *host) take(d Decision) {
	j := &h.jobs[d.Job]
	h.story.Say("       %v", d)
	if d.Kill {
		h.row(sked.AuditRow{Type: sked.AuditRowKill, Key: uint64(d.Job), Of: uint64(d.For),
			On: uint64(d.Node), Count: int64(d.Count)}, nil)
		some := int(least(int64(d.Count), int64(j.Running[d.Node])))
		j.Running[d.Node] -= some
		j.Waiting += some
		return
	}
	h.runRow(sked.AuditRowStart, d.Job, d.Node, d.Count)
	j.Waiting -= int(least(int64(d.Count), int64(j.Waiting)))
	j.Running[d.Node] += d.Count
}

// round carries out what one call decides, and says how much, or -1.
func (h *host) round() int {
	decisions := h.manager.Decide(h.now)
	var failed []Decision
	for _, d := range decisions {
		if !h.isKnown(d) {
			h.wrong("decisions_are_known", fmt.Sprintf("%+v", d))
			return -1
		}
		h.take(d)
		if h.refuse && !d.Kill {
			h.refuse = false
			failed = append(failed, d)
		}
	}
	if failed != nil {
		h.now++ // the manager learns of failures later
	}
	for _, d := range failed {
		h.story.Say("    %d. the start of j%d on n%d fails", h.now, d.Job, d.Node)
		if left := int(least(int64(d.Count), int64(h.jobs[d.Job].Running[d.Node]))); left > 0 {
			h.lose(d.Job, d.Node, left)
		}
	}
	return len(decisions)
}

func (h *host) decide() {
	many := 0
	for i := 0; i < mostRounds; i++ {
		n := h.round()
		if n <= 0 {
			return
		}
		if many += n; many > mostDecisions {
			break
		}
	}
	h.wrong("comes_to_rest", "decides without end in one step")
}

// ---- Reasons ----

func (h *host) isBelow(queue, above int) bool {
	for ; queue > 0; queue = h.cluster.Queues[queue].Parent {
		if queue == above {
			return true
		}
	}
	return false
}

// used is what runs in a queue, of a user, on a node; 0: any.
func (h *host) used(queue, user, node, k int) (sum int64) {
	for i := 1; i < len(h.jobs); i++ {
		j := &h.jobs[i]
		if queue > 0 && !h.isBelow(j.Queue, queue) || user > 0 && j.User != user {
			continue
		}
		for n, count := range j.Running {
			if node == 0 || n == node {
				sum += j.Amounts[k] * int64(count)
			}
		}
	}
	return sum
}

// fitting is how many tasks of a job fit on a node now, at most 8.
func (h *host) fitting(j *Job, n *Node) int {
	fit := 8
	if n.State != Up || j.Partition > 0 && j.Partition != n.Partition {
		return 0
	}
	for k, amount := range j.Amounts {
		left := n.Amounts[k] - h.used(0, 0, n.ID, k)
		for fit > 0 && amount*int64(fit) > left {
			fit--
		}
	}
	return fit
}

// isLimited says whether a limit of the path is in the way of a job.
func (h *host) isLimited(j *Job, user int) bool {
	for q := j.Queue; q > 0; q = h.cluster.Queues[q].Parent {
		limit := h.cluster.Queues[q].Limit
		if user > 0 {
			limit = h.cluster.Queues[q].UserLimit[user]
		}
		for k := range limit {
			if j.Amounts[k] > 0 && h.used(q, user, 0, k)+j.Amounts[k]*int64(j.need()) > limit[k] {
				return true
			}
		}
	}
	return false
}

func (h *host) isTrue(j *Job, why Why) bool {
	switch why {
	case WhyLimit:
		return h.isLimited(j, 0)
	case WhyUserLimit:
		return h.isLimited(j, j.User)
	case WhyNoNode:
		fit := 0
		for n := 1; n < len(h.nodes); n++ {
			fit += h.fitting(j, &h.nodes[n])
		}
		return fit < j.need()
	}
	return why == WhyUnknown
}

// checkReasons notes an untrue reason. The run goes on, because a wrong decision
// explains more. A gang that has lost its last members may give any reason.
func (h *host) checkReasons() {
	explainer, ok := h.manager.(Explainer)
	if !ok || !h.has(Reasons) {
		return
	}
	for i := 1; i < len(h.jobs) && h.lie == ""; i++ {
		j := &h.jobs[i]
		if j.Waiting == 0 || j.Waiting < j.need() {
			continue
		}
		if why := explainer.Why(h.now, i); !h.isTrue(j, why) {
			h.lie = fmt.Sprintf("Why answers %d for j%d at %d", why, i, h.now)
		}
	}
}

// ---- Steps ----

func (h *host) tellNode(n *Node, what string) {
	kind := map[NodeState]sked.AuditRowType{Up: sked.AuditRowNode, Drained: sked.AuditRowNodeDrain,
		Down: sked.AuditRowNodeDown}[n.State]
	row := sked.AuditRow{Type: kind, Key: uint64(n.ID)}
	if n.State == Up {
		row.Of = uint64(n.Partition)
		h.row(row, n.Amounts)
	} else {
		h.row(row, nil)
	}
	h.story.Say("    %d. node n%d %s: %v, partition %d", h.now, n.ID, what, n.Amounts, n.Partition)
	own := *n
	own.Amounts = append([]int64(nil), n.Amounts...)
	h.manager.Node(h.now, own)
}

func (h *host) nodeComes() {
	if len(h.nodes) > mostNodes {
		return
	}
	n := Node{ID: len(h.nodes)}
	if h.split {
		n.Partition = h.c.Int(1, 2)
	}
	n.Amounts = h.drawAmounts(2, 1+2*h.size)
	h.nodes = append(h.nodes, n)
	h.tellNode(&h.nodes[n.ID], "comes")
}

// pickNode is a node in one of the states, or nil.
func (h *host) pickNode(states ...NodeState) *Node {
	var fit []*Node
	for i := 1; i < len(h.nodes); i++ {
		for _, state := range states {
			if h.nodes[i].State == state {
				fit = append(fit, &h.nodes[i])
			}
		}
	}
	if fit == nil {
		return nil
	}
	return fit[h.c.Choose(uint64(len(fit)-1))]
}

func (h *host) nodeIsDown() {
	n := h.pickNode(Up, Drained)
	if n == nil {
		return
	}
	n.State = Down
	h.tellNode(n, "is lost")
	for i := 1; i < len(h.jobs); i++ {
		if count := h.jobs[i].Running[n.ID]; count > 0 {
			h.lose(i, n.ID, count)
		}
	}
}

func (h *host) nodeIs(state NodeState, what string, from ...NodeState) {
	if n := h.pickNode(from...); n != nil {
		n.State = state
		if state == Up && !h.cluster.Preempts && h.c.Choose(3) == 3 {
			n.Amounts = h.drawAmounts(1, 2*h.size)
		}
		h.tellNode(n, what)
	}
}

func (h *host) nodeIsResized() {
	if n := h.pickNode(Up); n != nil {
		n.Amounts = h.drawAmounts(1, 2*h.size)
		h.tellNode(n, "has another size")
	}
}

func (h *host) drawJob() Job {
	c, unit := h.c, h.cluster.Preempts
	j := Job{ID: len(h.jobs), User: 1, Running: map[int]int{}}
	j.Queue = h.leaves[c.Choose(uint64(len(h.leaves)-1))]
	if h.has(UserLimits) {
		j.User = c.Int(1, mostUsers)
	}
	j.Waiting = int(c.Pick(1, 2, 3, 5, 8, 1, 2, 3, 5, 8, 25))
	if h.has(Gangs) && !unit && c.Choose(6) == 6 {
		j.Gang = int(c.Pick(2, 3, 2, 3, 5))
		j.Waiting = j.Gang
	} else if h.busy {
		j.Waiting *= 2
	}
	for k := 0; k < h.cluster.Kinds; k++ {
		amount := int64(1)
		if !unit {
			amount = c.Pick(1, 1, 2, 3)
		}
		j.Amounts = append(j.Amounts, amount*h.scale)
	}
	if h.cluster.Kinds > 1 {
		if zero := c.Choose(5); zero >= 4 {
			j.Amounts[zero-4] = 0
		}
	}
	if h.has(Priorities) {
		j.Priority = int(c.Pick(0, 0, 0, 0, 1, 1, 2, 2, -1, 200, 40000))
	}
	if h.split {
		j.Partition = int(c.Pick(0, 1, 2, 0))
	}
	return j
}

func (h *host) submit() {
	if len(h.jobs) > mostJobs {
		return
	}
	j := h.drawJob()
	h.jobs = append(h.jobs, j)
	h.row(sked.AuditRow{Type: sked.AuditRowJob, Key: uint64(j.ID), Of: uint64(j.Queue),
		On: uint64(j.User), Count: int64(j.Gang)}, nil)
	h.row(sked.AuditRow{Type: sked.AuditRowTasks, Key: uint64(j.ID), Of: uint64(j.ID),
		On: uint64(j.Partition), Value: int64(j.Priority), Count: int64(j.Waiting)}, j.Amounts)
	h.story.Say("    %d. job j%d in q%d: %d tasks of %v, user u%d, priority %d, gang %d, partition %d",
		h.now, j.ID, j.Queue, j.Waiting, j.Amounts, j.User, j.Priority, j.Gang, j.Partition)
	h.manager.Submit(h.now, j.copied())
}

func (h *host) done() {
	var at [][2]int
	for i := 1; i < len(h.jobs); i++ {
		for n := 1; n < len(h.nodes); n++ {
			if h.jobs[i].Running[n] > 0 {
				at = append(at, [2]int{i, n})
			}
		}
	}
	if at == nil {
		return
	}
	pick := at[h.c.Choose(uint64(len(at)-1))]
	job, node := pick[0], pick[1]
	count := int(least(int64(h.c.Int(1, 3)), int64(h.jobs[job].Running[node])))
	h.jobs[job].Running[node] -= count
	h.runRow(sked.AuditRowDone, job, node, count)
	h.story.Say("    %d. %d of j%d on n%d are done", h.now, count, job, node)
	h.manager.End(h.now, End{job, node, count, Done})
}

func (h *host) cancel() {
	var at []int
	for i := 1; i < len(h.jobs); i++ {
		if h.jobs[i].Waiting > 0 {
			at = append(at, i)
		}
	}
	if at == nil {
		return
	}
	job := at[h.c.Choose(uint64(len(at)-1))]
	count := h.jobs[job].Waiting
	// A part leaves, or all. A gang leaves as a whole.
	if some := h.c.Int(0, 2); some > 0 && some < count && h.jobs[job].Gang <= 1 {
		count = some
	}
	h.jobs[job].Waiting -= count
	h.runRow(sked.AuditRowCancel, job, 0, count)
	h.story.Say("    %d. %d waiting tasks of j%d are cancelled", h.now, count, job)
	h.manager.End(h.now, End{job, 0, count, Cancelled})
}

// restart makes a new manager, which is told what there is.
func (h *host) restart() {
	h.story.Say("    %d. the manager restarts", h.now)
	h.start()
	if h.error != "" {
		return
	}
	for i := 1; i < len(h.nodes); i++ {
		n := h.nodes[i]
		n.Amounts = append([]int64(nil), n.Amounts...)
		h.manager.Node(h.now, n)
	}
	for i := 1; i < len(h.jobs); i++ {
		if j := h.jobs[i].copied(); j.Waiting > 0 || len(j.Running) > 0 {
			h.manager.Submit(h.now, j)
		}
	}
}

func (h *host) step() {
	op := int64(0)
	if h.busy {
		op = h.c.Pick(0, 0, 0, 10)
	} else {
		op = h.c.Pick(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	}
	switch {
	case op == 0 || len(h.jobs) == 1:
		h.submit()
	case op == 1:
		h.done()
	case op == 2:
		h.cancel()
	case op == 3:
		h.nodeIsDown()
	case op == 4:
		h.nodeIs(Up, "is back", Drained, Down)
	case op == 5:
		h.nodeIs(Drained, "is drained", Up)
	case op == 6:
		h.refuse = true
		h.story.Say("    %d. the next start will fail", h.now)
	case op == 7 && !h.cluster.Preempts: // a node that shrinks frees nothing
		h.nodeIsResized()
	case op == 9 && h.has(Restarts):
		h.restart()
	case op == 10:
		h.nodeComes()
	default:
		h.story.Say("    %d. time passes", h.now)
	}
}

// ---- Runs ----

// drawWorld draws the cluster, and how many nodes come at first.
func (h *host) drawWorld() (nodes int) {
	c, how := h.c, h.c.Choose(11)
	h.cluster.Preempts = h.has(Preemption) && h.has(Guarantees) && how >= 9
	h.cluster.Kinds = 1
	if h.has(Vectors) && how >= 5 && how <= 8 {
		h.cluster.Kinds = mostKinds
	}
	h.fifo = h.has(FIFO) && c.Choose(1) == 1
	h.busy = c.Choose(7) == 7
	h.split = h.has(Partitions) && !h.cluster.Preempts && c.Choose(6) == 6
	h.size = c.Int(2, 5)
	// 32 bits and doubles lose the large scales.
	h.scale = c.Pick(1, 1, 1, 1, 1, 1, 1, 3000000019, 1<<53+1)
	if h.busy {
		nodes = int(c.Choose(1))
		h.size *= c.Int(2, 4)
	} else {
		nodes = c.Int(1, 4)
	}
	h.drawQueues(h.size * larger(nodes, 1))
	return nodes
}

func (h *host) run(nodes int) {
	defer func() {
		if r := recover(); r != nil {
			h.wrong("manager_runs", fmt.Sprintf("panic: %v", r))
		}
	}()
	h.start()
	for i := 0; i < nodes && h.error == ""; i++ {
		h.now++
		h.story.Size++
		h.nodeComes()
		h.decide()
	}
	for i := 0; i < mostSteps && h.error == "" && h.c.More(h.c.Length()); i++ {
		h.now++
		h.story.Size++
		h.step()
		if h.error == "" {
			h.decide()
		}
		if h.error == "" {
			h.checkReasons()
		}
	}
}

// causes stand before effects in one instant.
var causes = []sked.AuditCode{sked.AuditCodeWorkUnknown, sked.AuditCodeNodeUnfit,
	sked.AuditCodeWorkDoubled, sked.AuditCodeNodeOver, sked.AuditCodeUserOver,
	sked.AuditCodeQueueOver, sked.AuditCodeGangPart, sked.AuditCodeWorkLost}

func rank(code sked.AuditCode) int {
	for i, cause := range causes {
		if cause == code {
			return i
		}
	}
	return len(causes)
}

// judge lets sked.Audit judge the history, with every bound at 0.
func (h *host) judge() error {
	options := sked.AuditOptions{Kinds: uint32(h.cluster.Kinds), Most: 64}
	if h.cluster.Preempts {
		options.Flags = sked.AuditFlagPreempts
	}
	audit, err := sked.NewAudit(&options, nil)
	if err != nil {
		return err
	}
	defer audit.Close()
	_, err = audit.Add(h.rows, h.amounts, len(h.amounts)/h.cluster.Kinds)
	if errors.Is(err, sked.ErrRange) { // no cluster holds such a sum
		h.wrong("node_over", "more tasks run than can be counted")
		return nil
	}
	if err != nil {
		return err
	}
	if err = audit.End(h.now); err != nil {
		return err
	}
	var best sked.AuditAnomaly
	at := -1
	for i := 0; ; i++ {
		x, err := audit.Get(i)
		if err != nil {
			break
		}
		if at < 0 || x.At < best.At || x.At == best.At && rank(x.Code) < rank(best.Code) {
			best, at = x, i
		}
	}
	if at >= 0 && (h.error == "" || best.At < h.now) {
		h.error = sked.AuditName(int32(best.Code))
		h.why, err = audit.Format(at)
	}
	return err
}

// ManagerCase is the case of a manager: it draws a tree and a cluster, drives the
// manager, and judges the history. Besides the names of the judge an invariant is
// manager_runs, decisions_are_known, comes_to_rest or reasons_are_true.
func ManagerCase(begin NewManager, rules Rules) Case {
	return func(c *Choices, s *Story) {
		h := &host{begin: begin, rules: rules, c: c, story: s, nodes: make([]Node, 1), jobs: make([]Job, 1)}
		nodes := h.drawWorld()
		h.tellTree()
		h.run(nodes)
		h.now++
		if err := h.judge(); err != nil {
			h.wrong("kit_runs", err.Error())
		}
		if h.error == "" && h.lie != "" {
			h.wrong("reasons_are_true", h.lie)
		}
		s.Invariant = h.error
		if h.error != "" {
			s.Say("    %s", h.why)
		}
	}
}
