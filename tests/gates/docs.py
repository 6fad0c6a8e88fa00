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

from comments import code, public_calls
from source import calls, fault, finish, functions, headers, library, root

# Codes of a shared helper that a call never gets, and why.
unreachable = {
    # Only an interval in the call can overlap one, and the call has none.
    "sked_history_settle": {"SKED_ERR_STATE"},
    # A fault in saved bytes is SKED_ERR_CORRUPT, whatever the helper says.
    "sked_life_update_load": {"SKED_ERR_RANGE"},
    # No snapshot comes in, so no id repeats and no sum grows.
    "sked_route_remove": {"SKED_ERR_EXISTS", "SKED_ERR_RANGE"},
}

compared = re.compile(r"(?:[=!]=\s*|case\s+)SKED_[A-Z_]+|SKED_[A-Z_]+\s*[=!]=")


# skedi_fail_null() and the like: which code each fault has is in a table.
table = re.findall(r"\[SAYS_(\w+)\] = \{(SKED_ERR_\w+),", (root / "lib/base/fail.c").read_text())
by_fault = {f"skedi_fail_{name.lower()}": c for name, c in table}


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
            codes |= {c for name, c in by_fault.items() if name in f.body}
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
        for missing in sorted(bodies.codes(call.name, False) - listed - unreachable.get(call.name, set())):
            say(f"can return {missing} and does not list it")
        for idle in sorted(listed - bodies.codes(call.name, True)):
            say(f"lists {idle}, which nothing it calls returns")


bodies = Bodies()
declared = {c.name: c for c in public_calls(headers())}
for call in declared.values():
    check(call, declared)
finish(f"{len(declared)} public functions")
