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
	victims_are_forgotten starts_elsewhere says_no_node_for_limits says_limit_for_nodes
	third_kind_is_ignored only_sixteen_nodes amounts_of_32_bits amounts_in_doubles
	any_partition_is_the_first limit_0_is_none gang_passes_limits gang_of_two
	gang_on_one_node priority_of_16_bits priority_of_8_bits negative_priority_is_0
	looks_at_four_jobs weight_of_16_bits shares_by_tasks parents_weigh_one
	deep_queues_in_order stale_standing guarantee_of_first_kind
	claims_beyond_the_guarantee drain_forgets_usage resize_forgets_usage
	lost_keeps_the_node failed_start_bans_the_node wakes_for_nodes_only cancel_takes_all
	done_frees_one leaks_parents leaks_users starts_before_its_time
	reserved_room_is_lent one_room_reserved_twice reservation_is_put_off
	reservation_is_forgotten restart_forgets_reservations`)

type plainNode struct {
	Node
	used []int64
	held []int64 // for reserved starts
	seen bool
}

type plainJob struct {
	Job
	waiting, seq int
	running      [mostNodes + 1]int
	asked        int // a reservation was tried
	banned       map[int]bool
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
	stale  []float64
	seq    int
	last   sked.Time
	woken  bool
	// A reservation is being made.
	reserving bool
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
	if p.bug == "any_partition_is_the_first" && j.Partition == 0 {
		matches = n.Partition <= 1
	}
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

func (p *plain) hasRoom(n *plainNode, k int, want int64) bool {
	used := n.used[k] + want
	if p.bug != "reserved_room_is_lent" && !(p.bug == "one_room_reserved_twice" && p.reserving) {
		used += n.held[k]
	}
	switch p.bug {
	case "amounts_of_32_bits":
		return uint32(used) <= uint32(n.Amounts[k])
	case "amounts_in_doubles":
		return float64(used) <= float64(n.Amounts[k])
	}
	return used <= n.Amounts[k]
}

// fits: may one more run there, beside extra that are planned?
func (p *plain) fits(j *plainJob, n *plainNode, extra int) bool {
	if !p.mayUse(j, n) || p.bug == "first_node_only" && n.ID != 1 {
		return false
	}
	if p.bug == "only_sixteen_nodes" && n.ID > 16 || j.banned[n.ID] {
		return false
	}
	if p.bug == "gang_counts_once" {
		extra = 0
	}
	most := int64(0)
	for k, amount := range j.Amounts {
		if p.bug == "no_capacity" || p.bug == "first_kind_only" && k > 0 ||
			p.bug == "third_kind_is_ignored" && k > 1 {
			break
		}
		want := amount * int64(1+extra)
		if p.bug == "one_too_many_on_a_node" && amount > 0 {
			want = amount*int64(extra) + 1
		}
		if !p.hasRoom(n, k, want) {
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
		if p.bug == "limit_0_is_none" && limit[k] == 0 {
			continue
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
	if p.bug == "gang_of_two" {
		return 2
	}
	return j.Gang
}

// places is where tasks would start now: counts by node, or nil.
func (p *plain) places(job int) map[int]int {
	j := p.jobs[job]
	need := p.need(j)
	counts, all := need, need
	if p.bug == "gang_passes_limits" {
		counts = 1
	}
	if j.waiting < need || !p.within(j, counts) {
		return nil
	}
	at := map[int]int{}
	for n, node := range p.nodes {
		for n > 0 && node != nil && need > 0 && p.fits(j, node, at[n]) {
			at[n]++
			need--
		}
		if p.bug == "gang_on_one_node" && need > 0 {
			at, need = map[int]int{}, all
		}
	}
	if need > 0 || p.bug == "last_node_is_forgotten" && len(p.nodes) > 2 && at[len(p.nodes)-1] > 0 {
		return nil
	}
	return at
}

func larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func (p *plain) precedes(a, b *plainJob) bool {
	x, y := a.Priority, b.Priority
	switch p.bug {
	case "no_priority":
		x = y
	case "priority_of_16_bits":
		x, y = int(int16(x)), int(int16(y))
	case "priority_of_8_bits":
		x, y = int(int8(x)), int(int8(y))
	case "negative_priority_is_0":
		x, y = larger(0, x), larger(0, y)
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
	seen := 0
	for i, j := range p.jobs {
		if j == nil || j.Queue != queue || j.waiting <= 0 || j.ReservedNode > 0 {
			continue
		}
		if j.Begin > p.last && p.bug != "starts_before_its_time" {
			continue
		}
		if seen++; p.bug == "looks_at_four_jobs" && seen > 4 {
			break
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

// tasks is how many tasks run in a queue.
func (p *plain) tasks(queue int) (sum int) {
	for _, j := range p.jobs {
		if j != nil && p.isBelow(j.Queue, queue) {
			for _, count := range j.running {
				sum += count
			}
		}
	}
	return sum
}

// standing is what a queue has for its weight, as a part of the cluster.
func (p *plain) standing(queue int) (most float64) {
	weight := float64(p.c.Queues[queue].Weight)
	switch p.bug {
	case "stale_standing":
		if p.stale[queue] >= 0 {
			return p.stale[queue]
		}
	case "deep_queues_in_order":
		if up := p.parent(queue); up > 0 && p.parent(up) > 0 {
			return 0
		}
	case "shares_by_tasks":
		return float64(p.tasks(queue)) / weight
	case "weight_of_16_bits":
		weight = float64(uint16(weight)) + 1e-9
	case "parents_weigh_one":
		if !p.leaf[queue] {
			weight = 1
		}
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
		if guarantee == 0 || j.Amounts[k] == 0 || p.bug == "guarantee_of_first_kind" && k > 0 {
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
			may := p.bug == "claims_beyond_the_guarantee" || p.fitsGuarantee(q, p.jobs[best])
			if may && p.within(p.jobs[best], 1) && p.replace(q, best) {
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

// hold holds room for a reserved start, or gives it back if sign is -1.
func (p *plain) hold(j *plainJob, sign int64) {
	for k, amount := range j.Amounts {
		p.nodes[j.ReservedNode].held[k] += sign * amount
	}
	if sign < 0 {
		j.ReservedNode = 0
	}
}

func (p *plain) hasLimit(j *plainJob) bool {
	for q := j.Queue; q > 0; q = p.parent(q) {
		if p.c.Queues[q].Limit != nil || p.c.Queues[q].UserLimit[j.User] != nil {
			return true
		}
	}
	return false
}

func (p *plain) sayReserve(j *plainJob, at sked.Time) {
	p.out = append(p.out, Decision{Reserve: true, Job: j.ID, Node: j.ReservedNode, Count: 1, At: at})
}

// reserve reserves the start of jobs that begin later, where a node has room now
// and no limit can be in the way.
func (p *plain) reserve(now sked.Time) {
	p.reserving = true
	for _, j := range p.jobs {
		if j == nil || j.asked > 0 || j.waiting <= 0 || j.Begin <= now {
			continue
		}
		j.asked = 1
		for n := 1; n < len(p.nodes) && !p.hasLimit(j); n++ {
			if p.fits(j, p.nodes[n], 0) {
				j.ReservedNode = n
				p.hold(j, 1)
				p.sayReserve(j, j.Begin)
				break
			}
		}
	}
	p.reserving = false
}

// startReserved starts what is reserved for now.
func (p *plain) startReserved(now sked.Time) {
	for i, j := range p.jobs {
		if j == nil || j.ReservedNode == 0 || j.waiting <= 0 || j.Begin > now ||
			p.bug == "reservation_is_forgotten" {
			continue
		}
		if p.bug == "reservation_is_put_off" && j.asked < 2 {
			j.asked, j.Begin = 2, now+2
			p.sayReserve(j, j.Begin)
			continue
		}
		node := j.ReservedNode
		p.hold(j, -1)
		if p.bug == "reserved_room_is_lent" && !p.fits(j, p.nodes[node], 0) {
			continue
		}
		p.charge(i, node, 1)
		j.waiting--
		p.out = append(p.out, Decision{Job: i, Node: node, Count: 1})
	}
}

func (p *plain) Decide(now sked.Time) []Decision {
	p.out = nil
	if p.bug == "never_places" || p.bug == "one_decision_a_step" && p.last == now ||
		p.bug == "wakes_for_nodes_only" && !p.woken {
		return nil
	}
	p.last = now
	p.startReserved(now)
	p.stale = make([]float64, len(p.c.Queues))
	for q := 1; q < len(p.stale); q++ {
		p.stale[q] = -1
		p.stale[q] = p.standing(q)
	}
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
	p.reserve(now)
	p.addWrong(now)
	return p.out
}

func (p *plain) Node(now sked.Time, node Node) {
	for len(p.nodes) <= node.ID {
		p.nodes = append(p.nodes, nil)
	}
	old := p.nodes[node.ID]
	n := &plainNode{Node: node, used: make([]int64, p.c.Kinds), held: make([]int64, p.c.Kinds), seen: true}
	p.woken = true
	if old != nil {
		n.used, n.held = old.used, old.held
		ends, changed := node.State != Up, false
		for k, amount := range node.Amounts {
			ends = ends || amount < old.Amounts[k]
			changed = changed || amount != old.Amounts[k]
		}
		for _, j := range p.jobs {
			if ends && j != nil && j.ReservedNode == node.ID {
				p.hold(j, -1)
			}
		}
		if p.bug == "drain_forgets_usage" && node.State == Drained ||
			p.bug == "resize_forgets_usage" && changed {
			n.used = make([]int64, p.c.Kinds)
		}
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
	j := &plainJob{Job: job, waiting: job.Waiting, seq: p.seq, banned: map[int]bool{}}
	p.jobs[job.ID] = j
	p.woken = false
	if j.ReservedNode > 0 {
		j.asked = 1
		if p.bug == "restart_forgets_reservations" {
			j.ReservedNode = 0
		} else {
			p.hold(j, 1)
		}
	}
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
	p.woken = true
	if end.How == Cancelled {
		if p.bug != "ignores_cancel" {
			j.waiting -= n
		}
		if p.bug == "cancel_takes_all" {
			j.waiting = 0
		}
		if j.ReservedNode > 0 {
			p.hold(j, -1)
		}
		return
	}
	if p.bug == "done_frees_one" && end.How == Done {
		p.charge(end.Job, end.Node, -1)
	} else {
		p.charge(end.Job, end.Node, -n)
	}
	for k, amount := range j.Amounts {
		switch {
		case p.bug == "lost_keeps_the_node" && end.How == Lost:
			p.nodes[end.Node].used[k] += amount * int64(n)
		case p.bug == "leaks_users" && end.How == Lost:
			p.byUser[j.Queue][j.User][k] += amount * int64(n)
		case p.bug == "leaks_parents" && end.How == Done:
			for q := p.parent(j.Queue); q > 0; q = p.parent(q) {
				p.used[q][k] += amount * int64(n)
			}
		}
	}
	if p.bug == "failed_start_bans_the_node" && end.How == Lost {
		j.banned[end.Node] = true
	}
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
