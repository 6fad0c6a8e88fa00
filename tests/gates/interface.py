"""Every public declaration keeps to the rules of the interface.

* A header declares what begins with its noun.
* Parameters: the subject, what is read, options, host, results, error. Each
  call that returns a sked_status takes `sked_error *err` last, but for reads
  whose only failures are a NULL pointer, an old struct, NOT_FOUND, STALE, and
  RANGE of a `cap`. A list goes out as `(T *out, size_t cap, size_t *n)`. A
  constructor takes at most seven parameters; no more than three numbers of one
  type stand side by side.
* Time is a `sked_time now`; no call has a second form for it.
* A kind, and how many there are, is a uint32_t. An answer that may name none
  is an int32_t, and -1 is none.
* A sum beyond 64 bits is a sked_wide, never two words.
* The length of an array is a size_t among parameters and a uint64_t in a struct;
  flags, and bytes from row to row, are a uint32_t.
* No size_t in a struct; what is kept for later is called `reserved`; a struct
  that may grow is not held by value in another that may.
* The first struct that is read is called `input`, the options `options`, and a
  result for what it is.
* Names say what a struct is (`_input`, `_options`, `_result`, `_stats`), what a
  number counts (`_ppm`, `_ns`), and what a call does.
* Every enumeration has a C tag and a prefix of its own; the comment of a field
  that holds its values names the tag.
"""

import re

from comments import public_calls
from source import bare, fault, finish, headers, line_of

# What a header declares, where that is not (only) what it is called.
nouns = {
    "base": ["status", "version", "ratio", "wide", "error", "time", "queue_id", "linkage"],
    "host": ["host", "trace", "log", "task_fn"],
    "res": ["schema", "amount", "vec", "ratio", "rounding", "form", "kind_name"],
    "drf_arrays": ["drf"],
    "hdrf": ["hdrf"],
    "queue": ["queue", "order_policy", "apps_policy", "state"],
    "fault": ["fault", "severity", "tree_faults"],
    "tree_text": ["tree"],
    "fill": ["fill", "apportion", "bound"],
    "decision": ["decision", "reason"],
    "event": ["event", "events"],
    "advise": ["advice"],
    "engine_reconcile": ["engine"],
    "engine_place": ["engine"],
    "engine_admit": ["engine"],
    "engine_preempt": ["engine"],
    "event_flag": ["job_flag", "ask_flag", "refuse_flag", "task_flag", "confirm_flag"],
    "engine_limits": ["engine"],
    "batch_run": ["batch_run", "batch_start"],
    "life_job": ["life"],
    "life_policy": ["life"],
    "life_update": ["life_update", "life_order", "life_why", "life_phase", "life_workflow",
                    "life_overwrite"],
}

# Enumerations with a prefix that is not their tag.
prefixes = {"sked_status_code": "SKED_"}

# Declarations that do otherwise, and why they may.
allowed = {
    "sked_balance": "the number of moves is in its result",
    "sked_tree_set_text": "sets an attribute whose values are texts",
    "sked_tree_get_text": "reads an attribute whose values are texts",
}

# Answers that name a kind, or -1 for none, and a column of them.
kind_or_none = {"sked_audit_anomaly.kind": "int32_t", 
    "sked_error.kind": "int32_t", "sked_fault.kind": "int32_t", "sked_decision.kind_at": "int32_t",
    "sked_drf_standing.kind": "int32_t", "sked_engine_bound.kind": "int32_t",
    "sked_route_score.kind": "int32_t", "sked_vec_dominant.kind": "int32_t",
    "sked_pctl_instances.kind": "uint8_t",
}
# What says nothing of a parameter. Only of vectors is the result just `out`.
not_a_parameter = {"in", "columns", "arrays", "given", "opts", "who", "out"}
# What numbers are called that are lengths of arrays.
length = re.compile(r"n|n_\w+|cap|\w+_cap|length|workflows|clusters|buckets|users|runs")
# The same, but for parameters that results are written to.
table = re.compile(r"blocks|hosts|replicas|queues|thresholds|fields|levels|tiers|leaves|tasks|racks")
# Numbers so called that are no lengths.
no_length = {
    "sked_batch_options.clusters": "how many to plan for", "sked_slo_repair.runs": "counted",
    "sked_history_units.length": "of time", "sked_history_options.queues": "how many to keep",
    "sked_hdrf_allocate.tasks": "how many to start",
    "sked_locality_live_new.hosts": "how many to place on",
    "sked_locality_live_new.replicas": "the most a block may have",
    "sked_sim_nodes.racks": "how many to spread over",
}
# Flags of another size than the others.
narrow = {
    "sked_round_action.flags": "uint16_t",  # beside the order, in a frozen record of 32 bytes
}
# What has a high and a low part: a sum itself, and a key, which is no sum.
two_words = {"sked_wide", "sked_order_key"}

reads_may_fail_with = {"SKED_ERR_ARG", "SKED_ERR_VERSION", "SKED_ERR_NOT_FOUND",
                       "SKED_ERR_STALE", "SKED_ERR_RANGE", "SKED_STALE"}
not_a_struct = ("arrays columns rows problem snapshot view request wanted counts counted"
                " sum total").split()
not_a_call = ("at text write read counted counts marked ended offered fared given held"
              " lost").split()
used = set()


def wrong(path, line, name, text):
    if name in allowed:
        used.add(name)
    else:
        fault(path, line, f"{name}: {text}")


def check_numbers(path, line, name, numbers, of_length):
    """Of what a call takes or a struct holds: type, name, whether its comment
    says what enumeration it is of, and whether a result is written there."""
    for type_, called, is_enum, is_result in numbers:
        at = f"{name}.{called}"
        kind = called in ("kind", "kinds", "kind_at") and not is_enum
        if kind and type_ != kind_or_none.get(at, "uint32_t"):
            wrong(path, line, at, f"a kind is a uint32_t, not {type_}")
        counts = length.fullmatch(called) or table.fullmatch(called) and not is_result
        if counts and at not in no_length and type_ not in of_length:
            wrong(path, line, at, f"a length is a {of_length[0]}, not {type_}")
        bits = called == "flags" or called == "stride" or called.endswith("_stride")
        if bits and not is_result and type_ != narrow.get(at, "uint32_t"):
            wrong(path, line, at, f"{called} are a uint32_t, not {type_}")
    if name not in two_words and {"high", "low"} <= {number[1] for number in numbers}:
        wrong(path, line, name, "a sum beyond 64 bits is a sked_wide")


# ---- Functions ----


class Parameter:
    def __init__(self, text):
        m = re.fullmatch(r"(.*?)(\w+)((?:\[\w*\])*)", re.sub(r"\s+", " ", text).strip(), re.S)
        self.type, self.name = m[1].strip(), m[2]
        self.stars = self.type.count("*") + m[3].count("[")
        self.base = re.sub(r"\b(?:const|struct)\b|\*", "", self.type).strip()
        self.const = self.type.startswith("const")


def place(p, first):
    """0 what is read, 1 options, 2 host, 3 results, 4 error."""
    if p.base == "sked_error":
        return 4
    if p.base == "sked_host":
        return 2
    if first:
        return 0
    if p.base.endswith("_options") and p.const:
        return 1
    if p.name == "cap":
        return 3
    handle = p.base in handles and p.stars == 1
    return 3 if p.stars and not p.const and not handle and p.base != "void" else 0


def check_names(call, parameters):
    inputs = [p for p in parameters if p.base.endswith("_input")]
    options = [p for p in parameters if p.base.endswith("_options")]
    for p in parameters:
        if p.name in not_a_parameter and not (p.name == "out" and call.name.startswith("sked_vec_")):
            wrong(call.path, call.line, call.name, f"{p.name} says nothing")
    for list_, name in ((inputs, "input"), (options, "options")):
        if list_ and name not in {p.name for p in list_}:
            wrong(call.path, call.line, call.name, f"{list_[0].name} is called {name}")


def check_parameters(call, parameters):
    def say(text):
        wrong(call.path, call.line, call.name, text)

    check_names(call, parameters)

    places = [place(p, i == 0) for i, p in enumerate(parameters)]
    for i in range(1, len(places)):
        if places[i] < places[i - 1]:
            say(f"{parameters[i].name} stands behind {parameters[i - 1].name}")
    check_numbers(call.path, call.line, call.name,
                  [(p.base, p.name, False, p.stars > 0) for p in parameters
                   if not (p.stars and p.const)], ["size_t"])
    if call.name.endswith("_new") and len(parameters) > 7:
        say(f"{len(parameters)} parameters")
    for i, p in enumerate(parameters):
        if p.name == "cap":
            n = parameters[i + 1] if i + 1 < len(parameters) else None
            if not n or n.type != "size_t *" or p.type != "size_t" or places[i - 1] != 3:
                say("a list is (T *out, size_t cap, size_t *n)")
        if p.base == "sked_time" and not p.stars and p.name not in ("now", "time", "from", "until"):
            say(f"a time is called now, not {p.name}")
        side = [q for q in parameters[i:i + 4] if not q.stars and q.type == p.type]
        if len(side) == 4:
            say(f"more than three {p.type} side by side")


def check_call(call, parameters, by_name):
    stem = call.path.stem
    if not any(re.match(rf"sked_{n}(?:_|$)", call.name) for n in nouns.get(stem, [stem])):
        wrong(call.path, call.line, call.name, f"is declared in {stem}.h")
    for word in not_a_call:
        if call.name.endswith("_" + word):
            wrong(call.path, call.line, call.name, f"ends in _{word}")
    check_parameters(call, parameters)
    if not call.fails:
        return
    last = parameters[-1]
    if last.base == "sked_error" and last.name == "err":
        return
    changes = not parameters[0].const and parameters[0].base in handles
    codes = (call.listed(by_name) or set()) - {"SKED_OK", "SKED_STOPPED"}
    if changes or codes - reads_may_fail_with:
        wrong(call.path, call.line, call.name, "takes no sked_error *err at its end")


# ---- Structs and enumerations ----

struct = re.compile(r"^typedef struct (\w+) \{\n(.*?)^\} \1;", re.M | re.S)
enumeration = re.compile(r"^(?:typedef )?enum( \w+)? \{\n?(.*?)\}", re.M | re.S)


def check_struct(path, source, m, growing):
    name = m[1]
    line = line_of(source, m.start())
    stem = path.stem
    if not any(re.match(rf"sked_{n}(?:_|$)", name) for n in nouns.get(stem, [stem])):
        wrong(path, line, name, f"is declared in {stem}.h")
    for word in not_a_struct:
        if name.endswith("_" + word):
            wrong(path, line, name, f"ends in _{word}")
    fields = re.findall(r"^    ((?:const )?\w+(?: \w+)*?) ?((?:\*(?:const )?)*)(\w+)(?:\[\w+\])*;(.*(?:\n {8,}(?!\w).*)*)",
                        m[2], re.M)
    bodies = re.findall(r"^    ((?:const )?\w+(?: \w+)*?) ?((?:\*(?:const )?)*)(\w+)(?:\[\w+\])*;",
                        bare(m[2]), re.M)
    enums = {field for _, _, field, comment in fields if "enum sked_" in comment}
    check_numbers(path, line, name, [(type_, field, field in enums, False)
                                     for type_, stars, field in bodies if not stars],
                  ["uint64_t"])
    for type_, stars, field in bodies:
        at = f"{name}.{field}"
        if type_.split()[-1] == "size_t":
            wrong(path, line, at, "size_t in a struct")
        if field in ("unused", "pad", "padding"):
            wrong(path, line, at, "is called reserved")
        if not stars and type_ in growing and name in growing:
            wrong(path, line, at, f"{type_} may grow, and is held by value")
    for type_, stars, field, comment in fields:
        value = re.match(r"\s*/\* (?:bits of )?(SKED_\w+)", comment)
        if value and every.get(value[1]) and field not in enums and type_.split()[-1] != "int64_t":
            wrong(path, line, f"{name}.{field}", f"its comment does not say enum {every[value[1]]}")
        said = re.match(r"\s*/\*\s*(?:.*?\b)?(ns|ppm)\b", comment, re.S)
        if said and type_.split()[-1] == "int64_t" and not field.endswith("_" + said[1]):
            wrong(path, line, f"{name}.{field}", f"counts {said[1]}")


def constants(body):
    return re.findall(r"\b(SKED_\w+)\s*(?==|,|$)", bare(body), re.M)


def check_enum(path, source, m, every):
    tag = (m[1] or "").strip()
    names = constants(m[2])
    line = line_of(source, m.start())
    if not tag:
        for name in names:
            if not re.match(r"SKED_MAX_", name) and not name.endswith("_MAX"):
                wrong(path, line, name, "its enumeration has no tag")
        return
    stem = path.stem
    if not any(re.match(rf"sked_{n}(?:_|$)", tag) for n in nouns.get(stem, [stem])):
        wrong(path, line, tag, f"is declared in {stem}.h")
    whole = tag.upper() + "_"
    short = tag.upper().rsplit("_", 1)[0] + "_"
    prefix = prefixes.get(tag) or (whole if all(n.startswith(whole) for n in names) else short)
    for name in names:
        if not name.startswith(prefix):
            wrong(path, line, name, f"does not begin with {whole} or {short}")
    for name, other in every.items():
        if other != tag and name.startswith(prefix) and prefix != "SKED_":
            wrong(path, line, tag, f"{name} of {other or 'another'} begins with {prefix} too")


sources = {path: path.read_text() for path in headers() if path.stem not in ("sked", "version")}
handles = {m[1] for text in sources.values()
           for m in re.finditer(r"^typedef struct (\w+) \1;", bare(text), re.M)}
growing = {m[1] for text in sources.values() for m in struct.finditer(text)
           if "uint32_t struct_size;" in m[2]}
every = {name: (m[1] or "").strip() for text in sources.values()
         for m in enumeration.finditer(text) for name in constants(m[2])}
declared = {c.name: c for c in public_calls(sources)}
for path, text in sources.items():
    for m in struct.finditer(text):
        check_struct(path, text, m, growing)
    for m in enumeration.finditer(text):
        check_enum(path, text, m, every)
for call in declared.values():
    text = bare(call.path.read_text())
    m = re.search(rf"\b{call.name}\(([^;]*)\);", text)
    parameters = [] if m[1].strip() == "void" else [Parameter(p) for p in m[1].split(",")]
    check_call(call, parameters, declared)
for name in allowed.keys() - used:
    fault("tests/gates/interface.py", 0, f"{name} keeps to the rules: take it out")
finish(f"{len(declared)} calls, {len(growing)} structs that may grow, {len(every)} constants")
