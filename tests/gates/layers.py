"""Which folder may call which: files, folders and modules form no circle.

lib/folders.cmake holds the graph: a folder calls itself, base/, and the folders
named behind it, all of which stand above it in that list. What counts is every
include, of our own headers and of public ones, and every name that is used: a
call that reaches another folder through a header included elsewhere is found
too. The table of docs/architecture.md says the same.

A module is a folder of lib/ with its subfolders. Inside lib/engine/ the second
table of docs/architecture.md names the modules from the bottom to the top.

Only base/ knows about wide integers and memory, and no file uses what would
make an answer depend on the machine or touch the world outside.
"""

import re

from source import bare, fault, finish, functions, headers, library, line_of, root

# Public headers that are not called after their folder.
header_of = {"version": "base", "host": "base", "drf_arrays": "drf", "hdrf": "drf",
             "queue": "tree", "fault": "tree", "tree_text": "tree",
             "fair_tree": "order", "locality_fair": "locality", "batch_run": "batch",
             "life_job": "life", "life_policy": "life", "life_secrets": "life",
             "life_update": "life", "event": "engine", "decision": "engine",
             "engine_admit": "engine", "engine_limits": "engine",
             "engine_reconcile": "engine", "engine_place": "engine",
             "engine_preempt": "engine", "event_flag": "engine"}

# Folders of which others may include one header alone, beside public ones.
seen_through = {"engine": "engine/probe.h"}

# What an answer or a host must never meet, and who may name it all the same.
banned = {
    r"__int128|__SIZEOF_INT128__": re.compile(r"base/arith\w*\.h"),
    r"malloc|calloc|realloc|free": re.compile(r"base/mem\.c"),
    r"pthread_\w+": re.compile(r"base/par\w*\.[ch]"),
    r"qsort|bsearch|rand|srand|random|alloca|strdup|strtok|setlocale|strtod|atof"
    r"|printf|fprintf|sprintf|snprintf|vsnprintf|puts|fopen|fread|fwrite|open"
    r"|read|write|time|clock|clock_gettime|gettimeofday|getenv|abort|exit"
    r"|assert|longjmp|setjmp|signal|system|errno": None,
}
system_headers = {"stddef.h", "stdint.h", "string.h", "limits.h", "stdlib.h",
                  "pthread.h", "immintrin.h", "stdatomic.h"}


# What a slow twin (tests/ref) may include of the library, and which one may:
# data and exact arithmetic, never what it checks. docs/testing.md says why.
shared_with_twins = {
    "base/arith.h": r"ref_(?:drf|hdrf|dominant|engine\w*)\.c",
    "base/hash.h": r"ref_engine\.c",
    "base/random.h": r"ref_engine_pick\.c",
    "tree/attr.h": r"ref_(?:joint|engine\w*)\.c",
    "tree/image.h": r"ref_(?:joint\.h|engine\w*\.c)",
    "fill/solve.h": r"ref_fill\.h",
    "share/joint.h": r"ref_joint\.c",
    "base/hooks.h": r"ref_joint\.c",
}


def graph():
    """Folder: those that it may call, itself and base/ included."""
    path = root / "lib/folders.cmake"
    allowed = {}
    for m in re.finditer(r'^ +"([a-z_/]+):([a-z_/ ]*)"$', path.read_text(), re.M):
        names = set(m[2].split())
        for name in names - allowed.keys():
            fault(path, 0, f"{m[1]} calls {name}, which does not stand above it")
        allowed[m[1]] = names | {m[1], "base"}
    return allowed


def check_table():
    """The table of folders in docs/architecture.md says what the graph does."""
    path = root / "docs/architecture.md"
    text, told = path.read_text(), {}
    for m in re.finditer(r"^\| `([a-z_/]+)/` \| ?([a-z_/, ]*?) ?\|", text, re.M):
        told[m[1]] = set(filter(None, m[2].split(", ")))
        line = line_of(text, m.start())
        calls = allowed.get(m[1], set()) - {m[1], "base"}
        if m[1] in allowed and told[m[1]] != calls:
            other = ", ".join(sorted(told[m[1]] ^ calls))
            fault(path, line, f"{m[1]}/: lib/folders.cmake has it otherwise with {other}")
    for folder in sorted(allowed.keys() - told.keys()):
        fault(path, 0, f"{folder}/ of lib/folders.cmake is not in the table")


def folder_of(path):
    return path.parent.relative_to(root / "lib").as_posix()


def folder_of_header(name):
    return header_of.get(name, name)


# Module: the modules that it uses, each with the first use.
uses = {}


def may(path, line, mine, other, what):
    ours, theirs = mine.split("/")[0], other.split("/")[0]
    if ours != theirs:
        uses.setdefault(ours, {}).setdefault(theirs, (path, line, what))
    if other not in allowed.get(mine, ()):
        fault(path, line, f"{what}: {mine}/ may not call {other}/ (lib/folders.cmake)")


def check_include(path, line, name, quoted):
    mine = folder_of(path)
    if not quoted:
        public = re.fullmatch(r"sched/(\w+)\.h", name)
        if public:
            may(path, line, mine, folder_of_header(public[1]), f"<{name}>")
        elif name not in system_headers:
            fault(path, line, f"<{name}> is not among the headers we use")
        return
    other, _, rest = name.rpartition("/")
    if other not in allowed or not rest:
        fault(path, line, f'"{name}": write it as "folder/file.h"')
    elif not (root / "lib" / name).exists():
        fault(path, line, f'"{name}" does not exist')
    else:
        may(path, line, mine, other, f'"{name}"')
        check_seen(path, line, mine, name)


def check_seen(path, line, mine, name):
    """From outside, a folder is seen through one header, which opens no other."""
    outer = name.split("/")[0]
    only = seen_through.get(outer)
    if only and mine.split("/")[0] != outer and name != only:
        fault(path, line, f'"{name}": {outer}/ is seen through {only} alone')
    if only and path.relative_to(root / "lib").as_posix() == only:
        fault(path, line, f'"{name}": {only} is for those who may not see {outer}/')


def check_words(path, text):
    name = path.relative_to(root / "lib").as_posix()
    for words, accepted in banned.items():
        if accepted and accepted.fullmatch(name):
            continue
        wanted = words if "__" in words else rf"(?<![.>\w])(?:{words})\s*\("
        for m in re.finditer(rf"\b(?:{words})\b" if "__" in words else wanted, text):
            fault(path, line_of(text, m.start()), f"{m[0].rstrip('( ')} is not used here")
    for m in re.finditer(r"\bgoto\b|\brestrict\b\s*\[|\b(?:float|long double)\b", text):
        fault(path, line_of(text, m.start()), f"'{m[0]}' is not used in lib/")


# A struct that is only named, so that a pointer to it can be passed on.
passed_on = re.compile(r"\bstruct sked_\w+\b")


def declared():
    """Public names: functions, types and constants, by folder."""
    names = {}
    for path in headers():
        if path.stem == "sked":
            continue
        text = passed_on.sub("", bare(path.read_text()))
        for m in re.finditer(r"\b(sked_\w+)\s*(?:\(|;)|^ {4}(SKED_\w+) =|#define (SKED_\w+)", text, re.M):
            names.setdefault(m[1] or m[2] or m[3], folder_of_header(path.stem))
    return names


def unit_of(path):
    return path.relative_to(root / "lib").as_posix()


call = re.compile(r"\bskedi?_[a-z_0-9]+\b(?!\s+\w|\s*\*)|\b[a-z][a-z_0-9]*(?=\()")


def names_used(path, text):
    """(line, name) of what a file calls; a header does so in what is inline."""
    parts = [(0, text)]
    if path.suffix == ".h":
        parts = [(f.line, f.body) for f in functions(path)]
    for line, part in parts:
        for m in call.finditer(part):
            yield line + line_of(part, m.start()), m[0]


def behind(name, inline):
    """The functions that a name calls: itself, or what an inline one reaches."""
    found, seen, todo = set(), set(), [name]
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        if at in inline:
            todo += inline[at]
        else:
            found.add(at)
    return found


def calls_of(sources):
    """Source file: the source files whose functions it calls, at once or through
    what headers have inline."""
    home, inline = {}, {}
    for path in sources:
        for f in functions(path):
            if path.suffix == ".h":
                inline[f.name] = set(m[0] for m in call.finditer(f.body))
            elif not f.is_static:
                home[f.name] = path
    for text in sources.values():  # a type is not called
        for m in re.finditer(r"^\} (skedi_\w+);", text, re.M):
            home.pop(m[1], None)
    edges = {}
    for path, text in sources.items():
        for line, name in names_used(path, text):
            if name in home:
                may(path, line, folder_of(path), folder_of(home[name]), name)
            for there in (home[n] for n in behind(name, inline) if n in home):
                if path.suffix == ".c" and there != path:
                    edges.setdefault(unit_of(path), set()).add(unit_of(there))
    return edges


def reached(edges, start):
    seen, todo = set(), [start]
    while todo:
        for unit in edges.get(todo.pop(), ()):
            if unit not in seen:
                seen.add(unit)
                todo.append(unit)
    return seen


def circles(edges):
    """The sets of two or more that reach each other."""
    far = {unit: reached(edges, unit) for unit in edges}
    found = {tuple(sorted(v for v in far[u] if u in far.get(v, ()))) for u in far if u in far[u]}
    return sorted(found)


def check_circles(edges):
    for circle in circles(edges):
        fault("lib", 0, f"a circle of {len(circle)} files: {' '.join(circle)}")


def check_modules():
    """Folders with their subfolders form no circle, as declared or as used."""
    edges = {ours: set(theirs) for ours, theirs in uses.items()}
    for mine, others in allowed.items():
        ours = mine.split("/")[0]
        edges.setdefault(ours, set()).update(o.split("/")[0] for o in others)
        edges[ours].discard(ours)
    for circle in circles(edges):
        fault("lib", 0, f"a circle of {len(circle)} modules: {' '.join(circle)}")
        for ours in circle:
            for theirs in edges[ours] & set(circle):
                path, line, what = uses.get(ours, {}).get(theirs, ("lib/folders.cmake", 0, "declared"))
                fault(path, line, f"{what}: {ours}/ uses {theirs}/")


def engine_modules():
    """File of lib/engine/, without suffix: (height, name) of its module."""
    page = root / "docs/architecture.md"
    rows = re.findall(r"^\| (\w+) \| ((?:`\w+`(?:, )?)+) \|", page.read_text(), re.M)
    found = {}
    for height, (name, cell) in enumerate(rows):
        for stem in re.findall(r"\w+", cell):
            if stem in found:
                fault(page, 0, f"engine/{stem} stands in two modules")
            found[stem] = (height, name)
    here = {p.stem for p in (root / "lib/engine").glob("*.[ch]")}
    for stem in sorted(here - found.keys()):
        fault(page, 0, f"engine/{stem} stands in no module")
    for stem in sorted(found.keys() - here):
        fault(page, 0, f"there is no engine/{stem}")
    return found


def check_engine_modules(sources):
    """A module of the engine calls modules below; a header includes no other."""
    module = engine_modules()
    ours = {p: text for p, text in sources.items() if folder_of(p) == "engine" and p.stem in module}
    home = {f.name: p.stem for p in ours for f in functions(p)
            if p.suffix == ".h" or not f.is_static}

    def check(path, line, stem, what):
        mine, other = module[path.stem], module[stem]
        if other > mine:
            fault(path, line, f"{what}: module {mine[1]} stands below {other[1]} (docs/architecture.md)")

    for path, text in ours.items():
        for line, name in names_used(path, text):
            if name in home:
                check(path, line, home[name], name)
        if path.suffix == ".h":
            for m in re.finditer(r'^#\s*include\s+"engine/(\w+)\.h"', path.read_text(), re.M):
                if m[1] in module:
                    check(path, 0, m[1], f"engine/{m[1]}.h")


def check_twins():
    page = root / "docs/testing.md"
    text = page.read_text()
    for header in shared_with_twins:
        if f"`{header}`" not in text:
            fault(page, 0, f"does not say why twins share {header}")
    for path in sorted((root / "tests/ref").glob("ref_*.[ch]")):
        source = path.read_text()
        for m in re.finditer(r'^#\s*include\s+"(\w+(?:/\w+)+\.h)"', source, re.M):
            if not re.fullmatch(shared_with_twins.get(m[1], "none"), path.name):
                fault(path, line_of(source, m.start()), f"a twin shares no {m[1]} with what it checks")


allowed = graph()
check_table()
check_twins()
public = declared()
sources = {}
for path in library():
    if folder_of(path) not in allowed:
        fault(path, 0, "this folder is not in lib/folders.cmake")
        continue
    source = path.read_text()
    for m in re.finditer(r'^#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', source, re.M):
        check_include(path, line_of(source, m.start()), m[1] or m[2], bool(m[1]))
    text = sources[path] = bare(source)
    check_words(path, text)
    for m in re.finditer(r"\b(?:sked|SKED)_\w+\b", passed_on.sub(lambda m: " " * len(m[0]), text)):
        if m[0] in public:
            may(path, line_of(text, m.start()), folder_of(path), public[m[0]], m[0])
for path in headers():
    source = path.read_text()
    mine = folder_of_header(path.stem)
    if path.stem != "sked" and mine not in allowed:
        fault(path, 0, f"no folder lib/{mine} in lib/folders.cmake")
    for m in re.finditer(r'^#\s*include\s+(\S+)', source, re.M):
        line = line_of(source, m.start())
        if not re.fullmatch(r"<(sched/\w+|stddef|stdint)\.h>", m[1]):
            fault(path, line, f"{m[1]} in a public header")
        elif "sched/" in m[1] and path.stem != "sked":
            may(path, line, mine, folder_of_header(m[1][7:-3]), m[1])
check_circles(calls_of(sources))
check_modules()
check_engine_modules(sources)
finish(f"{len(sources)} files of lib/ in {len(allowed)} folders")
