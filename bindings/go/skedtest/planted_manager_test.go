package skedtest

import (
	"strings"

	"example.org/sked/bindings/go/sked"
)

// The names of wrong managers; each differs from the right one by a few lines.
var wrongManagers = strings.Fields(`no_capacity one_too_many_on_a_node first_kind_only
	gang_counts_once no_limits no_parent_limits no_leaf_limits limit_passed_by_one
	limit_one_too_low no_user_limits user_limit_of_the_leaf_only users_share_one_limit
	uses_down_nodes uses_drained_nodes no_partitions forgets_that_nodes_come_back
	never_sees_a_new_size last_node_is_forgotten first_node_only idle_small_nodes
	never_places one_decision_a_step head_of_line_blocks blocked_queue_stops_all
	decides_for_ever starves_the_last_queue no_guarantees guarantees_of_leaves_only
	guarantee_one_too_low no_weights weights_turned_round weight_3_for_2
	shares_by_first_kind first_queue_first shares_of_leaves_only parents_in_order
	no_priority priority_turned_round last_come_first lost_goes_last gangs_one_by_one
	half_a_gang loses_lost_tasks lost_tasks_twice done_tasks_again ignores_cancel
	leaks_nodes leaks_queues leaks_lost frees_twice starts_twice restart_forgets_running
	restart_queues_running_again panics_on_a_third_user names_the_wrong_node
	never_preempts kills_for_nothing kills_one_too_many kills_the_guaranteed
	victims_are_forgotten starts_elsewhere says_no_node_for_limits says_limit_for_nodes`)

type plainNode struct {
	Node
	used []int64
	seen bool
}

type plainJob struct {
	Job
	waiting, seq int
	running      [mostNodes + 1]int
}

// plain is a manager that is simple and right when bug is "". Guarantees come
// first, then the queue with least for its weight, then higher priority, then the
// earlier job; a task starts on the first node that fits.
type plain struct {
	bug    string
	c      *Cluster
	leaf   []bool
	nodes  []*plainNode // by number; [0] is nil
	jobs   []*plainJob
	used   [][]int64
	byUser [][][]int64
	best   []int
	out    []Decision
	seq    int
	last   sked.Time
}

func newPlain(bug string) NewManager {
	return func(c *Cluster) (Manager, error) {
		p := &plain{bug: bug, c: c, last: -1, nodes: []*plainNode{nil}, jobs: []*plainJob{nil}}
		for range c.Queues {
			p.leaf = append(p.leaf, true)
			p.used = append(p.used, make([]int64, c.Kinds))
			var users [][]int64
			for i := 0; i <= mostUsers; i++ {
				users = append(users, make([]int64, c.Kinds))
			}
			p.byUser = append(p.byUser, users)
		}
		for _, q := range c.Queues[1:] {
			p.leaf[q.Parent] = false
		}
		p.best = make([]int, len(c.Queues))
		return p, nil
	}
}

func (p *plain) parent(q int) int { return p.c.Queues[q].Parent }

func (p *plain) isBelow(q, above int) bool {
	for ; q > 0; q = p.parent(q) {
		if q == above {
			return true
		}
	}
	return false
}

func (p *plain) chargeQueues(j *plainJob, count int) {
	for q := j.Queue; q > 0; q = p.parent(q) {
		for k, amount := range j.Amounts {
			some := amount * int64(count)
			p.used[q][k] += some
			for user := 1; user <= mostUsers; user++ {
				if user == j.User || p.bug == "users_share_one_limit" {
					p.byUser[q][user][k] += some
				}
			}
		}
	}
}

func (p *plain) charge(job, node, count int) {
	j := p.jobs[job]
	for k, amount := range j.Amounts {
		p.nodes[node].used[k] += amount * int64(count)
	}
	p.chargeQueues(j, count)
	j.running[node] += count
}

func (p *plain) mayUse(j *plainJob, n *plainNode) bool {
	matches := j.Partition == 0 || j.Partition == n.Partition
	switch p.bug {
	case "uses_down_nodes":
		return matches
	case "uses_drained_nodes":
		return n.State != Down && matches
	case "no_partitions":
		return n.State == Up
	}
	return n.State == Up && matches
}

// fits: may one more run there, beside extra that are planned?
func (p *plain) fits(j *plainJob, n *plainNode, extra int) bool {
	if !p.mayUse(j, n) || p.bug == "first_node_only" && n.ID != 1 {
		return false
	}
	if p.bug == "gang_counts_once" {
		extra = 0
	}
	most := int64(0)
	for k, amount := range j.Amounts {
		if p.bug == "no_capacity" || p.bug == "first_kind_only" && k > 0 {
			break
		}
		want := amount * int64(1+extra)
		if p.bug == "one_too_many_on_a_node" && amount > 0 {
			want = amount*int64(extra) + 1
		}
		if n.used[k]+want > n.Amounts[k] {
			return false
		}
		most = -least(-most, -n.Amounts[k])
	}
	return p.bug != "idle_small_nodes" || most > 2
}

func (p *plain) belowLimit(q int, j *plainJob, count int) bool {
	limit := p.c.Queues[q].Limit
	switch p.bug {
	case "no_limits":
		return true
	case "no_parent_limits":
		if q != j.Queue {
			return true
		}
	case "no_leaf_limits":
		if q == j.Queue {
			return true
		}
	case "limit_one_too_low":
		count++
	}
	for k := range limit {
		want := j.Amounts[k] * int64(count)
		if p.bug == "limit_passed_by_one" && want > 0 {
			want = 1
		}
		if want > 0 && p.used[q][k]+want > limit[k] {
			return false
		}
	}
	return true
}

func (p *plain) belowUserLimit(q int, j *plainJob, count int) bool {
	limit := p.c.Queues[q].UserLimit[j.User]
	if p.bug == "no_user_limits" || p.bug == "user_limit_of_the_leaf_only" && q != j.Queue {
		return true
	}
	for k := range limit {
		want := j.Amounts[k] * int64(count)
		if want > 0 && p.byUser[q][j.User][k]+want > limit[k] {
			return false
		}
	}
	return true
}

func (p *plain) within(j *plainJob, count int) bool {
	if p.bug == "panics_on_a_third_user" && j.User == 3 && len(p.jobs) > 3 {
		panic("no user 3")
	}
	for q := j.Queue; q > 0; q = p.parent(q) {
		if !p.belowLimit(q, j, count) || !p.belowUserLimit(q, j, count) {
			return false
		}
	}
	return true
}

// need is how many start at once.
func (p *plain) need(j *plainJob) int {
	running := 0
	for _, count := range j.running {
		running += count
	}
	if j.Gang <= 1 || running > 0 || p.bug == "gangs_one_by_one" {
		return 1
	}
	if p.bug == "half_a_gang" {
		return j.Gang / 2
	}
	return j.Gang
}

// places is where tasks would start now: counts by node, or nil.
func (p *plain) places(job int) map[int]int {
	j := p.jobs[job]
	need := p.need(j)
	if j.waiting < need || !p.within(j, need) {
		return nil
	}
	at := map[int]int{}
	for n, node := range p.nodes {
		for n > 0 && node != nil && need > 0 && p.fits(j, node, at[n]) {
			at[n]++
			need--
		}
	}
	if need > 0 || p.bug == "last_node_is_forgotten" && len(p.nodes) > 2 && at[len(p.nodes)-1] > 0 {
		return nil
	}
	return at
}

func (p *plain) precedes(a, b *plainJob) bool {
	x, y := a.Priority, b.Priority
	switch p.bug {
	case "no_priority":
		x = y
	case "priority_turned_round":
		x, y = y, x
	case "last_come_first":
		if x == y {
			return a.seq > b.seq
		}
	}
	if x != y {
		return x > y
	}
	return a.seq < b.seq
}

// bestOf is the first job of a queue with a task that can start, or 0.
func (p *plain) bestOf(queue int) (best int) {
	if p.bug == "starves_the_last_queue" && queue == len(p.c.Queues)-1 {
		return 0
	}
	for i, j := range p.jobs {
		if j == nil || j.Queue != queue || j.waiting <= 0 {
			continue
		}
		if best > 0 && !p.precedes(j, p.jobs[best]) {
			continue
		}
		if p.bug == "head_of_line_blocks" || p.places(i) != nil {
			best = i
		}
	}
	if best > 0 && p.places(best) == nil {
		return 0
	}
	return best
}

// standing is what a queue has for its weight, as a part of the cluster.
func (p *plain) standing(queue int) (most float64) {
	weight := float64(p.c.Queues[queue].Weight)
	switch p.bug {
	case "first_queue_first":
		return 0
	case "parents_in_order":
		if !p.leaf[queue] {
			return 0
		}
	case "no_weights":
		weight = 1
	case "weights_turned_round":
		weight = 1 / weight
	case "weight_3_for_2":
		if weight == 2 {
			weight = 3
		}
	}
	for k := 0; k < p.c.Kinds; k++ {
		total := int64(0)
		for _, n := range p.nodes {
			if n != nil && n.State == Up {
				total += n.Amounts[k]
			}
		}
		if total == 0 || p.bug == "shares_by_first_kind" && k > 0 {
			continue
		}
		if part := float64(p.used[queue][k]) / float64(total); part > most {
			most = part
		}
	}
	return most / weight
}

// fitsGuarantee: do tasks that start now stay within the guarantee of the queue?
func (p *plain) fitsGuarantee(queue int, j *plainJob) (some bool) {
	if p.bug == "guarantees_of_leaves_only" && !p.leaf[queue] {
		return false
	}
	for k, guarantee := range p.c.Queues[queue].Guarantee {
		if guarantee == 0 || j.Amounts[k] == 0 {
			continue
		}
		some = true
		want := j.Amounts[k] * int64(p.need(j))
		if p.bug == "guarantee_one_too_low" {
			want++
		}
		if p.used[queue][k]+want > guarantee {
			return false
		}
	}
	return some
}

func (p *plain) guaranteed() int {
	for q := 1; q < len(p.c.Queues) && p.bug != "no_guarantees"; q++ {
		best := 0
		for leaf := 1; leaf < len(p.c.Queues); leaf++ {
			job := p.best[leaf]
			if job > 0 && p.isBelow(leaf, q) && p.fitsGuarantee(q, p.jobs[job]) &&
				(best == 0 || p.standing(leaf) < p.standing(best)) {
				best = leaf
			}
		}
		if best > 0 {
			return p.best[best]
		}
	}
	return 0
}

func (p *plain) hasBest(queue int) bool {
	if p.bug == "blocked_queue_stops_all" {
		for _, j := range p.jobs {
			if j != nil && j.waiting > 0 && p.isBelow(j.Queue, queue) {
				return true
			}
		}
		return false
	}
	for q, job := range p.best {
		if job > 0 && p.isBelow(q, queue) {
			return true
		}
	}
	return false
}

// fair is the next of the child that has least for its weight, level by level.
func (p *plain) fair() int {
	queue := 0
	for queue == 0 || !p.leaf[queue] {
		best := 0
		for q := 1; q < len(p.c.Queues); q++ {
			child := p.parent(q) == queue
			if p.bug == "shares_of_leaves_only" {
				child = p.leaf[q]
			}
			if child && p.hasBest(q) && (best == 0 || p.standing(q) < p.standing(best)) {
				best = q
			}
		}
		if best == 0 {
			return 0
		}
		queue = best
	}
	return p.best[queue]
}

func (p *plain) next() int {
	for q := 1; q < len(p.c.Queues); q++ {
		p.best[q] = 0
		if p.leaf[q] {
			p.best[q] = p.bestOf(q)
		}
	}
	if job := p.guaranteed(); job > 0 {
		return job
	}
	return p.fair()
}

func (p *plain) start(job int) {
	at := p.places(job)
	for n := 1; n < len(p.nodes); n++ {
		if at[n] > 0 {
			p.charge(job, n, at[n])
			p.jobs[job].waiting -= at[n]
			p.out = append(p.out, Decision{Job: job, Node: n, Count: at[n]})
		}
	}
}

// isBeyond: does every queue of the path keep its guarantee without a task?
func (p *plain) isBeyond(v *plainJob) bool {
	for q := v.Queue; q > 0 && p.bug != "kills_the_guaranteed"; q = p.parent(q) {
		for k, guarantee := range p.c.Queues[q].Guarantee {
			if v.Amounts[k] > 0 && p.used[q][k]-v.Amounts[k] < guarantee {
				return false
			}
		}
	}
	return true
}

// replace kills a task beyond its guarantee for one of a job.
func (p *plain) replace(queue, job int) bool {
	j := p.jobs[job]
	for v, victim := range p.jobs {
		if victim == nil || victim.Gang > 1 || p.isBelow(victim.Queue, queue) {
			continue
		}
		for n := 1; n < len(p.nodes); n++ {
			if victim.running[n] == 0 || !p.mayUse(j, p.nodes[n]) || !p.isBeyond(victim) ||
				victim.Amounts[0] < j.Amounts[0] {
				continue
			}
			p.charge(v, n, -1)
			if p.bug != "victims_are_forgotten" {
				victim.waiting++
			}
			at := n
			for o := 1; o < len(p.nodes) && p.bug == "starts_elsewhere"; o++ {
				if o != n && p.nodes[o].State == Up {
					at = o
				}
			}
			p.charge(job, at, 1)
			j.waiting--
			p.out = append(p.out, Decision{Kill: true, Job: v, Node: n, Count: 1, For: job},
				Decision{Job: job, Node: at, Count: 1})
			return true
		}
	}
	return false
}

// claim serves the first claim of a queue below its guarantee.
func (p *plain) claim() bool {
	if p.bug == "never_preempts" || !p.c.Preempts {
		return false
	}
	for q := 1; q < len(p.c.Queues); q++ {
		tried := map[int]bool{}
		for p.c.Queues[q].Guarantee != nil {
			best := 0
			for i, j := range p.jobs {
				if j != nil && !tried[i] && j.waiting > 0 && j.Gang <= 1 && p.isBelow(j.Queue, q) &&
					(best == 0 || p.precedes(j, p.jobs[best])) {
					best = i
				}
			}
			if best == 0 {
				break
			}
			tried[best] = true
			if p.fitsGuarantee(q, p.jobs[best]) && p.within(p.jobs[best], 1) && p.replace(q, best) {
				return true
			}
		}
	}
	return false
}

// addWrong is what some bugs add to what was decided.
func (p *plain) addWrong(now sked.Time) {
	decided := p.out
	for i, d := range decided {
		switch {
		case p.bug == "starts_twice" && !d.Kill && d.Count == 1 && now%5 == 0:
			p.out = append(p.out, d)
		case p.bug == "names_the_wrong_node" && now > 6:
			p.out[i].Node = 99
		case p.bug == "kills_one_too_many" && d.Kill && p.jobs[d.Job].running[d.Node] > 0:
			p.charge(d.Job, d.Node, -1)
			p.jobs[d.Job].waiting++
			p.out = append(p.out, d)
			return
		}
	}
	for i, j := range p.jobs {
		for n := 1; n < len(p.nodes) && j != nil; n++ {
			if j.running[n] == 0 || len(p.out) > 0 {
				continue
			}
			kill := Decision{Kill: true, Job: i, Node: n, Count: 1}
			if p.bug == "decides_for_ever" {
				p.out = append(p.out, kill, Decision{Job: i, Node: n, Count: 1})
			}
			if p.bug == "kills_for_nothing" && p.c.Preempts && now%4 == 0 {
				p.charge(i, n, -1)
				j.waiting++
				p.out = append(p.out, kill)
			}
		}
	}
}

func (p *plain) Decide(now sked.Time) []Decision {
	p.out = nil
	if p.bug == "never_places" || p.bug == "one_decision_a_step" && p.last == now {
		return nil
	}
	p.last = now
	for len(p.out) < 150 {
		if job := p.next(); job > 0 {
			p.start(job)
			if p.bug == "one_decision_a_step" {
				break
			}
		} else if !p.claim() {
			break
		}
	}
	p.addWrong(now)
	return p.out
}

func (p *plain) Node(now sked.Time, node Node) {
	for len(p.nodes) <= node.ID {
		p.nodes = append(p.nodes, nil)
	}
	old := p.nodes[node.ID]
	n := &plainNode{Node: node, used: make([]int64, p.c.Kinds), seen: true}
	if old != nil {
		n.used = old.used
		if p.bug == "forgets_that_nodes_come_back" && old.State == Down {
			n.State = Down
		}
		if p.bug == "never_sees_a_new_size" {
			n.Amounts = old.Amounts
		}
	}
	p.nodes[node.ID] = n
}

func (p *plain) Submit(now sked.Time, job Job) {
	for len(p.jobs) <= job.ID {
		p.jobs = append(p.jobs, nil)
	}
	p.seq++
	j := &plainJob{Job: job, waiting: job.Waiting, seq: p.seq}
	p.jobs[job.ID] = j
	for n, count := range job.Running {
		if p.bug == "restart_forgets_running" {
			continue
		}
		p.charge(job.ID, n, count)
		if p.bug == "restart_queues_running_again" {
			j.waiting += count
		}
	}
}

func (p *plain) End(now sked.Time, end End) {
	j, n := p.jobs[end.Job], end.Count
	if end.How == Cancelled {
		if p.bug != "ignores_cancel" {
			j.waiting -= n
		}
		return
	}
	p.charge(end.Job, end.Node, -n)
	if end.How == Lost {
		p.lost(j, n)
		return
	}
	for k, amount := range j.Amounts {
		switch {
		case p.bug == "leaks_nodes":
			p.nodes[end.Node].used[k] += amount * int64(n)
		case p.bug == "leaks_queues":
			p.used[j.Queue][k] += amount * int64(n)
		case p.bug == "frees_twice" && n > 1:
			p.nodes[end.Node].used[k] -= amount
		}
	}
	if p.bug == "done_tasks_again" && n > 1 {
		j.waiting++
	}
}

func (p *plain) lost(j *plainJob, n int) {
	j.waiting += n
	switch p.bug {
	case "loses_lost_tasks":
		j.waiting -= n
	case "lost_tasks_twice":
		j.waiting += n
	case "lost_goes_last":
		p.seq++
		j.seq = p.seq
	case "leaks_lost":
		p.chargeQueues(j, n)
	}
}

func (p *plain) Why(now sked.Time, job int) Why {
	j, why := p.jobs[job], WhyNoNode
	for q := j.Queue; q > 0; q = p.parent(q) {
		if !p.belowUserLimit(q, j, p.need(j)) {
			why = WhyUserLimit
		}
	}
	for q := j.Queue; q > 0; q = p.parent(q) {
		if !p.belowLimit(q, j, p.need(j)) {
			why = WhyLimit
		}
	}
	if p.bug == "says_no_node_for_limits" {
		return WhyNoNode
	}
	if p.bug == "says_limit_for_nodes" && why == WhyNoNode {
		return WhyLimit
	}
	return why
}
