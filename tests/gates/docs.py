"""Every public function has a comment that says what comes back from it.

A call that can fail lists its codes after "Returns", or says whose it returns:
"as sked_x()", "what sked_x() returns", "the same" or "likewise" for those of
the call above, "what the single calls return" for a call on many rows. Two
declarations without a line between them share their comment. Codes that its body, or a
helper of the same file that it calls, names must be among them (comparing
with a code is not returning it); and a code that nothing it reaches in lib/
names must not be. That is an approximation: codes that come only from a helper
in another file are not demanded.
"""

import re

from source import bare, calls, fault, finish, functions, headers, library, line_of

code = re.compile(r"SKED_(?:ERR_[A-Z_]+|STOPPED|STALE|UNCHANGED)\b")
compared = re.compile(r"(?:[=!]=\s*|case\s+)SKED_[A-Z_]+|SKED_[A-Z_]+\s*[=!]=")
declaration = re.compile(
    r"^(?P<kind>SKED_API|SKED_TRY)\s(?P<text>[^;{]*?\b(?P<name>sked_\w+)\([^;]*\));",
    re.M)


def comment_before(source, at):
    """The comment that ends right above `at`, or ''."""
    above = source[:at].rstrip(" \t")
    if not above.endswith("*/\n"):
        return ""
    return above[above.rindex("/*"):]


class Call:
    """A public function and what its comment says."""

    def __init__(self, path, source, m, above):
        self.path, self.line = path, line_of(source, m.start())
        self.name, self.kind = m["name"], m["kind"]
        self.fails = m["text"].startswith("sked_status")
        self.comment = comment_before(source, m.start())
        if not self.comment and above and source[:m.start()].endswith(";\n"):
            self.comment = above.comment
        self.above = above

    def listed(self, by_name):
        """The codes its comment names, or None when it does not say."""
        comment = re.sub(r"\n \* *", " ", self.comment)
        codes = set(code.findall(comment))
        told = re.search(r"\bReturns\b", comment) is not None
        whose = re.search(r"\b(?:as|what) (sked_\w+)\(\)", comment)
        if whose and whose[1] in by_name:
            codes |= by_name[whose[1]].listed(by_name) or set()
            told = True
        elif re.search(r"return what the single calls return", comment):
            verb = self.name.removesuffix("_rows").rsplit("_", 1)[1]
            single = next((c for n, c in by_name.items() if n.endswith("_" + verb)
                           and n.split("_")[1] == self.name.split("_")[1]), None)
            codes |= (single and single.listed(by_name)) or set()
            told = single is not None
        elif not told and re.search(r"\b([Tt]he same|likewise)\b", comment):
            return self.above and self.above.listed(by_name)
        return codes if told else None


def public_calls():
    for path in headers():
        source, above = path.read_text(), None
        for m in declaration.finditer(bare(source)):
            above = Call(path, source, m, above)
            yield above


class Bodies:
    """All functions of lib/; a name is unique there, statics included."""

    def __init__(self):
        found = [f for p in library() for f in functions(p)]
        self.by_name = {f.name: f for f in found}

    def codes(self, name, across_files):
        """Codes named by a function and the helpers it reaches."""
        first = self.by_name[name]
        seen, todo, codes = set(), [first], set()
        while todo:
            f = todo.pop()
            if f.name in seen:
                continue
            seen.add(f.name)
            codes |= set(code.findall(compared.sub("", f.body)))
            for called in calls(f.body) & self.by_name.keys():
                g = self.by_name[called]
                if across_files or (g.path == first.path and g.is_static):
                    todo.append(g)
            if across_files:  # helpers handed over by name count too
                for word in set(re.findall(r"\b[a-z_0-9]+\b", f.body)):
                    if word in self.by_name:
                        todo.append(self.by_name[word])
        return codes


def check(call, by_name):
    def say(text):
        fault(call.path, call.line, f"{call.name} {text}")

    if not call.comment:
        say("has no comment above it")
    if call.fails != (call.kind == "SKED_TRY"):
        say("takes SKED_TRY if it returns sked_status, and only then")
    if not call.comment or not call.fails:
        return
    listed = call.listed(by_name)
    if listed is None:
        say("does not say what it Returns")
    elif call.name in bodies.by_name:
        for missing in sorted(bodies.codes(call.name, False) - listed):
            say(f"can return {missing} and does not list it")
        for idle in sorted(listed - bodies.codes(call.name, True)):
            say(f"lists {idle}, which nothing it calls returns")


bodies = Bodies()
declared = {c.name: c for c in public_calls()}
for call in declared.values():
    check(call, declared)
finish(f"{len(declared)} public functions")
