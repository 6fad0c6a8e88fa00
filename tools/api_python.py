"""What tools/api writes for Python, from what it has read of the headers:

  bindings/python/core/plain.c     the calls that take handles and numbers and
                                   return a status or a number
  bindings/python/core/records.h   the format of each struct without pointers
  bindings/python/src/sked/layouts.py  the same as Python's fields

and in place, between lines that are written by hand:

  src/sked/**/*.py                 the members of every class whose text names
                                   its enumerations ("enum sked_x"); a member
                                   with the comment "not in C" is left alone
  src/sked/_core.pyi               the stubs of the calls in plain.c
"""

import re
from pathlib import Path

python = Path(__file__).resolve().parent.parent / "bindings/python"

# Calls that are plain by their types and yet written by hand, and why.
by_hand = {
    "sked_advice_apply": "its ledger may be None",
    "sked_diff_apply": "its ledger may be None",
    "sked_engine_pass": "returns the status, which may be SKED_STOPPED",
    "sked_locality_floor": "part of what locality_new() gives back",
    "sked_locality_least_load": "part of what locality_new() gives back",
    "sked_locality_unplaced": "part of what locality_new() gives back",
    "sked_plan_apply": "its ledger may be None",
    "sked_tree_remove": "its ledger may be None; returns the status, which may be SKED_STOPPED",
}
# Handles whose enumerator in core.h is not their own name.
handle_names = {"sked_route": "H_ROUTER"}
letters = {"int": "i", "int32_t": "i", "uint32_t": "u", "int64_t": "q", "uint64_t": "Q", "size_t": "n",
           "sked_time": "q", "sked_queue_id": "Q", "sked_status": "i"}
# A number on its way out: the letter of args_end and the type that it takes.
answers = {"int": ("i", ""), "int32_t": ("i", "(int)"), "uint32_t": ("I", "(unsigned)"),
           "int64_t": ("L", "(long long)"), "sked_time": ("L", "(long long)"),
           "uint64_t": ("K", "(unsigned long long)"), "sked_queue_id": ("K", "(unsigned long long)"),
           "size_t": ("n", "(Py_ssize_t)")}
codes = {"int16_t": "h", "uint16_t": "H", "int32_t": "i", "uint32_t": "I", "int64_t": "q", "uint64_t": "Q",
         "uint8_t": "B", "sked_time": "q", "sked_queue_id": "Q", "sked_status": "i"}
# What Python calls a field of C, where that is another word; "" for a struct
# within whose fields stand in the record as its own.
fields_here = {
    ("sked_batch_cell", "metrics"): "",
    ("sked_batch_metrics", "pure_cpu"): "pure", ("sked_batch_metrics", "tail_cpu"): "tail",
    ("sked_batch_metrics", "tail_overhead"): "overhead",
    ("sked_engine_difference", "event"): "", ("sked_engine_difference", "gang"): "", ("sked_route_answer", "age_ns"): "age",
    ("sked_route_answer", "runner_score"): "runner", ("sked_route_answer", "score"): "",
    ("sked_sim_record", "decision"): "", ("sked_sim_record", "job"): "row",
}


# ---- Calls ----

def base(type_):
    return re.sub(r"\b(?:const|struct)\b|[*\s]", "", type_)


def handles_of(functions):
    """Types with a call that frees one: what a Handle of Python can hold."""
    return {base(f["parameters"][0]["type"]) for f in functions if f["name"].endswith("_free")}


def is_plain(function, handles):
    given = function["parameters"]
    if given and base(given[-1]["type"]) == "sked_error":
        given = given[:-1]
    if not given or base(given[0]["type"]) not in handles or function["name"] in by_hand:
        return False
    one = all(p["type"].count("*") == (base(p["type"]) in handles)
              and (base(p["type"]) in handles or p["type"] in letters) for p in given)
    back = function["returns"] in (*answers, "sked_status", "void")
    return one and back and not function["name"].endswith("_free")


def plain(functions):
    handles = handles_of(functions)
    return [(f, handles) for f in functions if is_plain(f, handles)]


def kind_of(handle):
    return handle_names.get(handle, "H_" + handle.removeprefix("sked_").upper())


def wrapped(head, parts, tail, width=80):
    """`head` with the parts behind it, broken as clang-format breaks them."""
    lines, line = [], head
    for i, part in enumerate(parts):
        more = part + (tail if i == len(parts) - 1 else ",")
        if len(line) + len(more) + (line[-1] != "(") > width:
            lines.append(line)
            line = " " * len(head)
            line = line + more
        else:
            line += (" " if line[-1] == "," else "") + more
    return "\n".join([*lines, line])


def call_in_c(function, handles):
    name = function["name"].removeprefix("sked_")
    given = [{**p, "name": {"a": "a_"}.get(p["name"], p["name"])} for p in function["parameters"]]
    fails = function["returns"] == "sked_status"
    letters_said, places, declared, passed = "", [], [], []
    for p in given:
        of = base(p["type"])
        if of == "sked_error":
            passed.append("&a.err")
            continue
        if of in handles:
            letters_said += "h" if p["type"].startswith("const") else "H"
            places.append(kind_of(of))
            declared.append(f"    {of} *{p['name']};\n")
        else:
            letters_said += letters[p["type"]]
            declared.append(f"    {p['type']} {p['name']};\n")
        places.append(f"&{p['name']}")
        passed.append(p["name"])
    body = "".join(declared)
    body += wrapped("    READ(", [f'"{letters_said}"', *places], ");") + "\n"
    call = f"sked_{name}({', '.join(passed)})"
    if fails:
        line = f"    RUN(a, {call});"
        body += line + "\n" if len(line) <= 80 else wrapped(
            f"    RUN(a, sked_{name}(", passed, "));") + "\n"
        body += '    return args_end(&a, "");\n'
    elif function["returns"] == "void":
        body += f'    {call};\n    return args_end(&a, "");\n'
    else:
        letter, cast = answers[function["returns"]]
        line = f'    return args_end(&a, "{letter}", {cast}{call});'
        body += line + "\n" if len(line) <= 80 else wrapped(
            "    return args_end(", ["&a", f'"{letter}"', cast + call], ");") + "\n"
    return f"CALL({name})\n{{\n{body}}}\n"


def plain_c(functions):
    mine = plain(functions)
    text = ("/*\n * The calls that take handles and numbers and return a status or a number.\n"
            " * Written by tools/api from the headers; every other call is written by hand.\n */\n"
            '#include "core.h"\n\n/* clang-format off */\n')
    text += "\n".join(call_in_c(f, handles) for f, handles in mine)
    text += "\nPyMethodDef plain_methods[] = {\n"
    text += "".join(f"    METHOD({f['name'].removeprefix('sked_')}),\n" for f, _ in mine)
    return text + "    {NULL, NULL, 0, NULL},\n};\n"


def typed_line(function, handles):
    given = [p for p in function["parameters"] if base(p["type"]) != "sked_error"]
    said = [f"{p['name']}: {'Handle' if base(p['type']) in handles else 'int'}" for p in given]
    back = "None" if function["returns"] in ("void", "sked_status") else "int"
    name = function["name"].removeprefix("sked_")
    line = f"def {name}({', '.join(said)}, /) -> {back}: ..."
    return line if len(line) <= 80 else f"def {name}(\n        {', '.join(said)}, /) -> {back}: ..."


def with_stubs(text, functions):
    """_core.pyi with the stubs of plain calls, in the order of their names."""
    head, _, tail = text.partition("\ndef ")
    stubs = {m[1]: m[0].rstrip("\n") for m in re.finditer(r"^def (\w+)\(.*?\.\.\.\n", "def " + tail, re.M | re.S)}
    mine = {f["name"].removeprefix("sked_"): typed_line(f, handles) for f, handles in plain(functions)}
    return head + "\n" + "".join(f"{line}\n" for _, line in sorted({**stubs, **mine}.items()))


# ---- Records ----

def flat(struct, structs, sizes):
    """Codes and names of a struct's fields; None when one is a pointer."""
    out = []
    for f in struct["fields"]:
        m = re.fullmatch(r"(\w+)(?:\[(\w+)\])?", f["type"])
        name = fields_here.get((struct["name"], f["name"]), f["name"])
        if not m:
            return None
        if m[1] == "char" and m[2]:
            out.append((f"{sizes[m[2]] if m[2] in sizes else int(m[2])}s", name))
        elif m[2] or m[1] == "char":
            return None
        elif m[1] in codes:
            out.append((codes[m[1]], name))
        else:
            inner = m[1] in structs and flat(structs[m[1]], structs, sizes)
            if not inner:
                return None
            out += [(code, f"{name}_{of}" if name else of) for code, of in inner]
    return out


def records(structs, enums, constants):
    """Structs of fixed layout by name."""
    by_name = {s["name"]: s for s in structs}
    sizes = {c["name"]: c["value"] for c in constants}
    sizes |= {name: n for e in enums for name, n in e["values"].items()}
    found = {s["name"]: None if s["grows"] else flat(s, by_name, sizes) for s in structs}
    return {name: fields for name, fields in sorted(found.items()) if fields}


def text_of(parts, width):
    """Parts joined by blanks in lines of a string literal each."""
    lines = [""]
    for part in parts:
        if len(lines[-1]) + len(part) + 1 > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(f'    "{line}"' for line in lines)


def records_h(made):
    text = ("/*\n * Structs without pointers as the struct module and numpy read them.\n"
            " * Written by tools/api from the headers.\n */\n"
            "#ifndef SKED_PYTHON_RECORDS_H\n#define SKED_PYTHON_RECORDS_H\n\n/* clang-format off */\n")
    for name, fields in made.items():
        lines = text_of(["T{", *(f"{code}:{of}:" for code, of in fields), "}"], 70).split("\n")
        text += f"#define ROW_{name.removeprefix('sked_').upper()} \\\n" + " \\\n".join(lines) + "\n"
    return text + "\n#endif\n"


def layouts_py(made):
    text = ('"""Structs without pointers, field by field, as C lays them out: what\n'
            '`records.Layout` takes. Written by tools/api from the headers."""\n\nfrom __future__ import annotations\n\n')
    for name, fields in made.items():
        said = text_of([f"{code}:{of} " for code, of in fields], 72)
        said = said[:-2] + said[-1]
        text += f"{name.removeprefix('sked_').upper()} = (\n{said})\n"
    return text


# ---- Enumerations ----

how_many = {"SKED_ADMIT_HELD_SUMS", "SKED_LIFE_TASK_STATES", "SKED_LIFE_EVENT_EVENTS",
            "SKED_LIFE_ACTION_ACTIONS"}
kind_class = re.compile(r'^(class \w+\((?:IntEnum|IntFlag)\):\n    """(?:[^"]|"(?!""))*?\benum sked_\w+(?:[^"]|"(?!""))*?"""\n\n)'
                        r"((?:    [A-Z]\w* = .*\n)+)", re.M)


def members_of(enum):
    """Its constants without the prefix: the tag, or all but its last word."""
    values = {name: n for name, n in enum["values"].items() if name not in how_many}
    tag = enum["name"].upper()
    for prefix in (tag + "_", tag.rpartition("_")[0] + "_"):
        if all(name.startswith(prefix) for name in values):
            return {name.removeprefix(prefix): n for name, n in values.items()}
    raise SystemExit(f"api: the constants of {enum['name']} have no prefix of their own")


def with_members(text, enums):
    def members(m):
        tags = re.findall(r"\benum (sked_\w+)", m[1])
        missing = [tag for tag in tags if tag not in enums]
        if missing:
            raise SystemExit(f"api: {m[1].split('(')[0]}: no enumeration {missing[0]}")
        said = {name: n for tag in tags for name, n in members_of(enums[tag]).items()}
        by_value = sorted(said.items(), key=lambda pair: pair[1])
        own = [line for line in m[2].splitlines(True) if line.rstrip().endswith("# not in C")]
        return m[1] + "".join(f"    {name} = {n}\n" for name, n in by_value) + "".join(own)
    return kind_class.sub(members, text)


def made(functions, structs, enums, constants):
    """Every file that is written, with its text."""
    by_tag = {e["name"]: e for e in enums if e["name"]}
    rows = records(structs, enums, constants)
    out = {python / "core/plain.c": plain_c(functions), python / "core/records.h": records_h(rows),
           python / "src/sked/layouts.py": layouts_py(rows)}
    stubs = python / "src/sked/_core.pyi"
    out[stubs] = with_stubs(stubs.read_text(), functions)
    for path in sorted((python / "src/sked").rglob("*.py")):
        text = path.read_text()
        if path not in out and kind_class.search(text):
            out[path] = with_members(text, by_tag)
    return out
