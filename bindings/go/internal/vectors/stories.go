package vectors

import (
	"encoding/json"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	"example.org/sked/bindings/go/sked"
)

func duration(n int64) time.Duration { return time.Duration(n) }

func durations(n []int64) []time.Duration {
	if n == nil {
		return nil
	}
	out := make([]time.Duration, len(n))
	for i, v := range n {
		out[i] = time.Duration(v)
	}
	return out
}

// told reads the story and how it is to be told, numbers as they stand.
func (f fields) told(story any, want any) {
	for name, to := range map[string]any{"story": story, "told": want} {
		d := json.NewDecoder(strings.NewReader(f[name]))
		d.UseNumber()
		if err := d.Decode(to); err != nil {
			failf("%s: %v", name, err)
		}
	}
}

func agree(got, want any) int {
	a, err := json.Marshal(got)
	fine(err)
	b, err := json.Marshal(want)
	fine(err)
	var x, y any
	fine(json.Unmarshal(a, &x))
	fine(json.Unmarshal(b, &y))
	if !reflect.DeepEqual(x, y) {
		failf("%s, not %s", a, b)
	}
	return Passed
}

// A run is an engine over queues by path.
type run struct {
	tree   *sked.Tree
	engine *sked.Engine
	keys   map[string]uint64
	names  map[uint64]string
}

func newRun(lines []string, kinds int, opts *sked.EngineOptions) *run {
	text := "kinds"
	for i := 0; i < kinds; i++ {
		text += " k" + strconv.Itoa(i)
	}
	sort.Slice(lines, func(i, j int) bool {
		a, b := strings.Fields(lines[i])[0], strings.Fields(lines[j])[0]
		return strings.ReplaceAll(a, ".", "\x01") < strings.ReplaceAll(b, ".", "\x01")
	})
	tree := okay(sked.ReadTree(text+"\n"+strings.Join(lines, "\n")+"\n", sked.TreeCommitLenient, nil))
	return &run{tree, okay(sked.NewEngine(tree, opts, nil)), map[string]uint64{}, map[uint64]string{}}
}

func (r *run) close() { r.engine.Close(); r.tree.Close() }

func (r *run) key(name string) uint64 {
	if r.keys[name] == 0 {
		r.keys[name] = uint64(len(r.keys) + 1)
		r.names[r.keys[name]] = name
	}
	return r.keys[name]
}

func (r *run) happen(b *sked.Events) (out []sked.Decision) {
	for at := 0; at < len(b.Rows); {
		done, stopped, err := r.engine.Apply(b, at)
		fine(err)
		r.engine.Decisions(func(d *sked.Decision) bool { out = append(out, *d); return true })
		if at = done; !stopped {
			break
		}
	}
	return out
}

// boundUsers makes a tree of limits with a queue for each user that may run so
// many applications at once.
func (r *run) boundUsers(limits map[string]*int64) map[string]sked.QueueID {
	tree := okay(sked.ReadTree("kinds k0\nroot\n", sked.TreeCommitLenient, nil))
	defer tree.Close()
	queues := map[string]sked.QueueID{}
	for user, most := range limits {
		queues[user] = okay(tree.Add(tree.Root(), "user"+strconv.Itoa(len(queues))))
		if most != nil {
			fine(tree.Set(queues[user], sked.QueueMaxRunning, *most))
		}
	}
	fine(tree.Commit(sked.TreeCommitLenient))
	fine(r.engine.CommitLimits(1, tree, 0))
	return queues
}

func pyApps(f fields, rule string) int {
	var s struct {
		Limits map[string]*int `json:"queue_limits"`
		Ops    []struct {
			Op          string
			ID          json.Number
			Queue, User string
		}
		Bounds map[string]*int64 `json:"user_limits"`
	}
	var want any
	f.told(&s, &want)
	var lines []string
	for path, most := range s.Limits {
		if most != nil {
			path += " max_running=" + strconv.Itoa(*most)
		}
		lines = append(lines, path)
	}
	r := newRun(lines, 1, nil)
	defer r.close()
	bounded := r.boundUsers(s.Bounds)
	users := map[string]uint64{}
	got := []map[string]any{}
	for i, op := range s.Ops {
		var b sked.Events
		if op.Op == "add" {
			if users[op.User] == 0 {
				users[op.User] = uint64(len(users) + 1)
			}
			b.AddCharged(sked.Event{Time: sked.Time(i), Kind: sked.EventJobSubmit, Key: r.key(op.ID.String()),
				Owner: users[op.User], Queue: okay(r.tree.Find(op.Queue))}, sked.EventCharge{First: bounded[op.User]})
			may := false
			for _, d := range r.happen(&b) {
				may = may || d.Kind == sked.DecisionAdmit
			}
			got = append(got, map[string]any{"add": op.ID, "runnable": may})
			continue
		}
		b.Add(sked.Event{Time: sked.Time(i), Kind: sked.EventJobFinish, Key: r.key(op.ID.String())})
		enabled := []json.Number{}
		for _, d := range r.happen(&b) {
			if d.Kind == sked.DecisionAdmit {
				enabled = append(enabled, json.Number(r.names[d.Job]))
			}
		}
		got = append(got, map[string]any{"remove": op.ID, "enabled": enabled})
	}
	return agree(got, want)
}
