"""The words of the field, prefixes of names, one wording for one fault."""

import re

from source import bare, fault, finish, functions, headers, library, line_of, root, tracked

# Abbreviations that say less than the word does.
ours = {"cfg": "options", "ctx": "what it is", "mgr": "what it is"}
name = re.compile(r"\bsked_[a-z_0-9]+\b")
seen = set()
for path in headers():
    text = bare(path.read_text())
    for m in name.finditer(text):
        if m[0] in seen:
            continue
        seen.add(m[0])
        for word, better in ours.items():
            if word in m[0].split("_"):
                fault(path, line_of(text, m.start()), f"{m[0]}: we say {better}")
for path in library():
    text = bare(path.read_text())
    for m in re.finditer(r"^(?!static)[a-z][^;{}()#]*?\b([a-z_0-9]+)\([^;{}]*\)\n\{", text, re.M):
        if not re.match(r"skedi?_", m[1]):
            fault(path, line_of(text, m.start()), f"{m[1]} is not static and has no prefix")
# Statics carry their module's prefix, so that two modules may use the same stem:
# in lib/engine/ the first word of the file's name, elsewhere the folder's or the
# file's. Folders come into this list when their statics do.
prefixed = tracked("lib/engine/*.c")
for path in prefixed:
    module = re.sub(r"(?<!s)s$", "", path.stem.split("_")[0])
    for f in functions(path):
        if f.is_static and not re.match(rf"{module}s?_", f.name):
            fault(path, f.line, f"{f.name} is static and does not begin with {module}_")
# Data are not persons, memory and free resources are not one word, and what is
# called a victim class, a user account or a placement has no second name.
persons = re.compile(r"\b(whom|nobody|somebody|someone|whoever|whosever|anybody|everybody|(?:its|of) kin)\b", re.I)
rooms = re.compile(r"(?<!head )(?<!head_)\b\w*(?<!head_)rooms?(?:_\w*)?\b(?!_)", re.I)
# Private words and the field's word for each. The list only grows: a word comes
# here when its last use has gone.
fields = {"seat": "placement", "seats": "placements", "kin": "victim class", "kins": "victim classes",
          "unsound": "invalid", "nought": "zero"}
private = re.compile(r"(?<![a-z])(" + "|".join(fields) + r")(?![a-z])", re.I)
read = tracked("include/**/*.h", "lib/**/*.[ch]", "examples/**/*.[ch]", "docs/*.md", "docs/design/*.md", "README.md", "CONTRIBUTING.md")
beside = tracked("bindings/python/src/**/*.py", "bindings/python/core/*.[ch]", "bindings/go/internal/**/*.*",
                 "tests/replay_check/*.py", "bench/*.[ch]")
for path in beside:
    text = path.read_text()
    for m in private.finditer(text):
        fault(path, line_of(text, m.start()), f"{m[0]}: the field says {fields[m[0].lower()]}")
for path in read:
    where_it_is = path.relative_to(root).as_posix()
    text = path.read_text()
    for m in persons.finditer(text):
        fault(path, line_of(text, m.start()), f"{m[0]}: of data we say what they are")
    code = re.match("include/|lib/", where_it_is)
    for m in rooms.finditer(text) if code else ():
        fault(path, line_of(text, m.start()), f"{m[0]}: memory or free resources?")
    for m in private.finditer(text) if code else ():
        fault(path, line_of(text, m.start()), f"{m[0]}: the field says {fields[m[0].lower()]}")

# One wording for one fault: these are said by lib/base/fail.c alone.
said = re.compile(r'"[^"]*(?:\bNULL\b|struct_size|unknown flag|reserved is|column is missing|no columns|another version'
                  r'|(?:no|out of) memory|cap is too|stopped|no room|cancelled|could not go on)[^"]*"')
other = re.compile(r"(?<! is)(?<! are)(?<! be)(?<! or) out of range|(?<! out) of range|\bnot an amount|moment is past")
for path in library():
    if path.name == "fail.c":
        continue
    text = path.read_text()
    for m in re.finditer(r"\bskedi_fail\w*\([^;]*;", text):
        for wording in said.findall(m[0]):
            fault(path, line_of(text, m.start()),
                  f"{wording}: skedi_fail_null() and the like say so")
    # A value "is out of range", whatever it counts, and a moment "has passed".
    for m in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', text):
        if other.search(re.sub(r'"\s*"', "", m[0])):
            fault(path, line_of(text, m.start()), f"{m[0]}: the value is out of range, the moment has passed")
finish(f"{len(seen)} public names, words of {len(read)} files")
