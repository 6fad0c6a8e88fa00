package vectors

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// numberOf is the number in front of a unit; false: the text is no resource.
func numberOf(said, unit string, fraction bool) (*big.Rat, bool) {
	at := numbered[unit].FindStringSubmatchIndex(said)
	if at == nil {
		return nil, false
	}
	before := strings.TrimRight(said[:at[0]], " \t")
	whole := said[at[2]:at[3]]
	if before != "" && strings.ContainsAny(before[len(before)-1:], "0123456789.%") || whole[0] == '-' {
		return nil, false
	}
	if fraction && at[4] >= 0 {
		whole += "." + strings.Trim(said[at[4]:at[5]], ".") + "0"
	}
	r, ok := new(big.Rat).SetString(whole)
	return r, ok
}

// resource reads amounts as a fair-scheduler.xml has them: by kind, or parts in
// per cent by kind, or of everything ("").
func resource(text string) (amounts, parts map[string]*big.Rat, ok bool) {
	amounts, parts = map[string]*big.Rat{}, map[string]*big.Rat{}
	said := strings.ToLower(strings.TrimSpace(text))
	names := map[string]string{"memory-mb": "memory", "vcores": "cpu", "yarn.io/gpu": "gpu"}
	switch {
	case said == "":
		return nil, nil, false
	case strings.Contains(said, "="):
		for _, pair := range strings.Split(strings.TrimSpace(text), ",") {
			i := strings.IndexByte(pair, '=')
			if i < 0 {
				return nil, nil, false
			}
			name, value := strings.TrimSpace(pair[:i]), strings.TrimSpace(pair[i+1:])
			if names[name] != "" {
				name = names[name]
			}
			to := amounts
			if strings.Contains(said, "%") {
				if !strings.HasSuffix(value, "%") {
					return nil, nil, false
				}
				to, value = parts, strings.TrimSpace(strings.TrimSuffix(value, "%"))
			} else if _, err := strconv.ParseInt(value, 10, 64); err != nil {
				return nil, nil, false
			}
			r, good := new(big.Rat).SetString(value)
			if !good || r.Sign() < 0 || to[name] != nil || name == "" {
				return nil, nil, false
			}
			to[name] = r
		}
		return amounts, parts, true
	case strings.Contains(said, "%"):
		if all := regexp.MustCompile(`^(-?\d+(?:\.\d*)?)\s*%\s*$`).FindStringSubmatch(said); all != nil && !strings.Contains(said, ",") {
			parts[""], ok = new(big.Rat).SetString(strings.TrimSuffix(all[1], "."))
			return amounts, parts, ok && parts[""].Sign() >= 0
		}
		for kind, unit := range map[string]string{"memory": "% memory", "cpu": "% cpu"} {
			if parts[kind], ok = numberOf(said, unit, true); !ok {
				return nil, nil, false
			}
		}
		return amounts, parts, true
	}
	for kind, unit := range map[string]string{"memory": "mb", "cpu": "vcores"} {
		if amounts[kind], ok = numberOf(said, unit, false); !ok {
			return nil, nil, false
		}
	}
	return amounts, parts, true
}

func pyResource(f fields, rule string) int {
	var s struct {
		Text    string
		Types   []string
		Cluster []int64
		Missing any `json:"missing_value"`
	}
	var want any
	f.told(&s, &want)
	amounts, parts, ok := resource(s.Text)
	kinds := append([]string{"memory", "cpu"}, s.Types[2:]...)
	for _, named := range []map[string]*big.Rat{amounts, parts} {
		for k := range named {
			known := k == ""
			for _, kind := range kinds {
				known = known || kind == k
			}
			ok = ok && known
		}
	}
	if !ok {
		if w, is := want.(map[string]any); is && w["error"] != nil {
			return Passed
		}
		failf("refused")
	}
	got := make([]int64, len(s.Cluster))
	for i, kind := range kinds[:len(got)] {
		switch {
		case len(parts) > 0:
			part := parts[kind]
			if parts[""] != nil {
				part = parts[""]
			}
			if got[i] = s.Cluster[i]; part != nil {
				v := new(big.Rat).Mul(part, big.NewRat(s.Cluster[i], 100))
				got[i] = new(big.Int).Div(v.Num(), v.Denom()).Int64()
			}
		case amounts[kind] != nil:
			got[i] = amounts[kind].Num().Int64()
		case s.Missing == "max":
			got[i] = math.MaxInt64
		}
	}
	return agree(got, want)
}
