package gen

import (
	"regexp"
	"strings"
)

// Words that Go writes otherwise.
var initials = map[string]string{"id": "ID", "ids": "IDs", "drf": "DRF", "hdrf": "HDRF",
	"slo": "SLO", "sla": "SLA", "cpu": "CPU", "ppm": "PPM", "pctl": "Percentile", "vec": "Vec", "am": "AM",
	"nomem": "NoMem"}

// Names that the rule does not make good ones of.
var given = map[string]string{
	"sked_drf_key": "DRF.KeyOf", "sked_schema_kinds": "Schema.Kinds",
	"sked_pctl": "Percentile", "sked_plan_tiers": "PlanTiers",
	"sked_vec_double": "RatioFloat", "sked_schema_format": "Schema.Format",
	"sked_diff_format": "Diff.Format", "sked_tree_format": "Tree.Format",
	"sked_version": "VersionNumber", "sked_tiers_thresholds": "TierThresholds", "sked_status_name": "StatusName",
	"sked_reason_name": "ReasonName", "sked_ratio_double": "RatioFloat",
	"sked_hdrf_of_tree": "NewHDRFOfTree", "sked_tree_parse_schema": "ParseTreeSchema",
	"sked_schema_parse": "ParseSchema",
	"sked_drf_share":    "DRF.Standing", "sked_hdrf_share": "HDRF.Standing",
	"sked_engine_preempt": "Engine.Preempt",
	"sked_life_next":      "LifeTable.Next", "sked_life_legal": "LifeTable.Legal",
	"sked_life_way": "LifeTable.Way", "sked_life_act": "LifeTable.Act",
	"sked_life_check": "LifeTable.Check", "sked_life_format": "LifeTable.Format",
	"sked_life_may_replace":     "LifeInstance.MayReplace",
	"sked_life_task_action":     "LifeInstance.Action",
	"sked_life_availability_of": "LifeInstance.Availability",
	"sked_life_restart":         "LifeInstance.Restart",
	"sked_life_update_judge":    "LifeInstance.Judge",
	"sked_life_job_state":       "LifeJobInput.Next", "sked_life_job_action": "LifeJobInput.Action",
	"sked_life_gang_of": "LifeSLA.Gang", "sked_life_may_stop": "LifeSLA.MayStop",
	"sked_life_stop":      "LifeSLA.Stop",
	"sked_life_node_fail": "LifeRecord.Fail", "sked_life_node_succeed": "LifeRecord.Succeed",
	"sked_life_node_is_out": "LifeRecord.IsOut",
	"sked_life_update_load": "LoadLifeUpdate", "sked_life_update_get_stats": "LifeUpdate.Stats",
}

func camel(c string) string {
	var b strings.Builder
	for _, w := range strings.Split(strings.ToLower(c), "_") {
		if w == "" {
			continue
		}
		if i, ok := initials[w]; ok {
			b.WriteString(i)
		} else {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

// lower is a name for a parameter.
func lower(c string) string {
	n := camel(strings.TrimSuffix(c, "_ns"))
	switch n {
	case "IDs", "ID", "SLO", "DRF", "HDRF", "CPU":
		n = strings.ToLower(n)
	}
	n = strings.ToLower(n[:1]) + n[1:]
	switch n {
	case "type":
		n = "typ"
	case "k", "s", "l", "rc", "hs", "ar", "memory", "number", "failure", "buffer", "have", "range", "func", "map", "cap", "len", "err", "x", "interface", "var", "e", "string":
		n += "_"
	}
	return n
}

func typeName(c string) string { return camel(strings.TrimPrefix(c, "sked_")) }

func (m *model) name() {
	for _, s := range m.Structs {
		m.goNames[s.Name] = typeName(s.Name)
	}
	for h := range m.handles {
		m.goNames[h] = typeName(h)
	}
	for _, e := range m.Enums {
		if e.Name != "" {
			m.goNames[e.Name] = typeName(e.Name)
		}
		for v := range e.Values {
			m.goNames[v] = constName(v)
		}
	}
	for _, f := range m.Functions {
		m.goNames[f.Name] = m.functionName(f)
	}
	for c, g := range map[string]string{"SKED_NOW": "Now", "SKED_UNLIMITED": "Unlimited",
		"SKED_UNSET": "Unset", "SKED_AMOUNT_MAX": "AmountMax", "SKED_PPM": "PPM",
		"SKED_NO_QUEUE": "NoQueue", "SKED_ANY_PARTITION": "AnyPartition",
		"SKED_DRF_NONE": "None", "SKED_HDRF_NONE": "None", "SKED_NO_ROW": "None",
		"SKED_PLAN_NO_LEAF": "None", "SKED_LOCALITY_NO_HOST": "None",
		"SKED_LOCALITY_NO_REPLICA": "NoReplica", "SKED_ROUTE_NO_CLUSTER": "NoCluster", "SKED_TIMELINE_NO_SPAN": "NoSpan",
		"SKED_BALANCE_NOWHERE": "None", "SKED_PREEMPT_WORK": "PreemptWork",
		"SKED_HISTORY_END": "HistoryEnd", "SKED_LIFE_NONE": "LifeNone",
		"SKED_LIFE_BEFORE": "LifeBefore", "SKED_LIFE_EVERY_TASK": "LifeEveryTask", "sked_host": "Host", "sked_error": "Error",
		"sked_status": "Code", "sked_time": "Time", "sked_queue_id": "QueueID"} {
		m.goNames[c] = g
	}
}

func constName(c string) string { return camel(strings.TrimPrefix(c, "SKED_")) }

// subject is the handle that a function is a method of, or "".
func (m *model) subject(f *function) string {
	if len(f.Parameters) == 0 {
		return ""
	}
	p := f.Parameters[0]
	b := base(p.Type)
	if stars(p.Type) != 1 || !m.handles[b] || strings.HasSuffix(f.Name, "_new") ||
		strings.HasSuffix(f.Name, "_of_tree") {
		return ""
	}
	if !strings.HasPrefix(f.Name, b+"_") {
		return "" // sked_fair_tree(tree, ...)
	}
	return b
}

// functionName is NAME, or TYPE.NAME of a method.
func (m *model) functionName(f *function) string {
	if n, ok := given[f.Name]; ok && n != "" {
		return n
	}
	if h := strings.TrimSuffix(f.Name, "_new"); h != f.Name {
		return "New" + typeName(h)
	}
	if h := m.subject(f); h != "" {
		rest := strings.TrimPrefix(strings.TrimPrefix(f.Name, h), "_")
		rest = strings.TrimPrefix(rest, "get_")
		if rest == "" {
			rest = "get"
		}
		if rest == "free" {
			return typeName(h) + ".Close"
		}
		return typeName(h) + "." + camel(rest)
	}
	return typeName(f.Name)
}

var (
	cName   = regexp.MustCompile("`?\\b(sked_\\w+|SKED_[A-Z_0-9]+)(\\(\\))?`?")
	returns = regexp.MustCompile(`SKED_ERR_(\w+)`)
)

// said is a comment of C in the words of Go.
func (m *model) said(text string) string {
	text = strings.ReplaceAll(text, "SKED_OK, ", "nil, ")
	text = strings.ReplaceAll(text, "SKED_OK", "nil")
	text = strings.ReplaceAll(text, "enum sked_", "sked_")
	text = returns.ReplaceAllStringFunc(text, func(w string) string {
		return "Err" + camel(strings.TrimPrefix(w, "SKED_ERR_"))
	})
	text = strings.ReplaceAll(text, "NULL", "nil")
	return cName.ReplaceAllStringFunc(text, func(w string) string {
		bare := strings.Trim(strings.TrimSuffix(strings.Trim(w, "`"), "()"), "`")
		if g := m.goNames[bare]; g != "" {
			return g
		}
		return w
	})
}

// goComment is a comment of Go, indented by tabs.
func goComment(text, indent string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	for _, l := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimRight(indent+"// "+l, " ") + "\n")
	}
	return b.String()
}
