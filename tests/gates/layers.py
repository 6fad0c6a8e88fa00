"""Who may call whom: includes go to the same room or to a lower floor.

Rooms on one floor do not know each other. Only base/ knows about wide
integers and memory, and nobody uses what would make an answer depend on the
machine or touch the world outside.
"""

import re

from source import bare, fault, finish, headers, library, line_of, root

floor = {"base": 1, "res": 2, "life": 2, "queue": 3,
         "fair": 4, "plan": 4, "locality": 4, "place": 4,
         "preempt": 5, "batch": 5, "engine": 6,
         "sim": 7, "route": 7, "advise": 7}

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


def room_of(path):
    return path.parent.name


def check_include(path, line, name, quoted):
    if not quoted:
        if not name.startswith("sched/") and name not in system_headers:
            fault(path, line, f"<{name}> is not among the headers we use")
        return
    room, _, rest = name.partition("/")
    mine = room_of(path)
    if not rest or room not in floor:
        fault(path, line, f'"{name}": write it as "room/file.h"')
    elif not (root / "lib" / name).exists():
        fault(path, line, f'"{name}" does not exist')
    elif room != mine and floor[room] > floor[mine]:
        fault(path, line, f"{mine}/ (floor {floor[mine]}) calls up to {room}/")
    elif room != mine and floor[room] == floor[mine]:
        fault(path, line, f"{mine}/ and {room}/ are on one floor: what both"
              " need moves down")


def check_words(path, text):
    name = str(path.relative_to(root / "lib"))
    for words, allowed in banned.items():
        if allowed and allowed.fullmatch(name):
            continue
        wanted = words if "__" in words else rf"(?<![.>\w])(?:{words})\s*\("
        for m in re.finditer(rf"\b(?:{words})\b" if "__" in words else wanted, text):
            fault(path, line_of(text, m.start()), f"{m[0].rstrip('( ')} is not used here")
    for m in re.finditer(r"\bgoto\b|\brestrict\b\s*\[|\b(?:float|long double)\b", text):
        fault(path, line_of(text, m.start()), f"'{m[0]}' is not used in lib/")


files = library()
for path in files:
    if room_of(path) not in floor:
        fault(path, 0, "this room stands on no floor (tests/gates/layers.py)")
        continue
    source = path.read_text()
    for m in re.finditer(r'^#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', source, re.M):
        check_include(path, line_of(source, m.start()), m[1] or m[2], bool(m[1]))
    check_words(path, bare(source))
for path in headers():
    source = path.read_text()
    for m in re.finditer(r'^#\s*include\s+(\S+)', source, re.M):
        if not re.fullmatch(r"<(sched/\w+|stddef|stdint)\.h>", m[1]):
            fault(path, line_of(source, m.start()), f"{m[1]} in a public header")
finish(f"{len(files)} files of lib/")
