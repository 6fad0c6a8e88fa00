"""What the comments of public headers say of each function: the codes that
come back from it, by the rules that the docs gate states."""

import re

from source import bare, line_of

code = re.compile(r"SKED_(?:ERR_[A-Z_]+|STOPPED|STALE|UNCHANGED)\b")
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


def public_calls(paths):
    """The public functions of headers, in order."""
    for path in paths:
        source, above = path.read_text(), None
        for m in declaration.finditer(bare(source)):
            above = Call(path, source, m, above)
            yield above
