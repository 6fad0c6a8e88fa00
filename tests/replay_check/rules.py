"""Column needs: a rule over attributes of nodes, read and judged by itself."""
import re

from .fault import need

WORD = re.compile(r"\s*([^\s&|()=!<>]+|!=|[&|()=!<>])")


def words_of(text):
    out, at = [], 0
    text = text.rstrip(" \t")
    while at < len(text):
        found = WORD.match(text, at)
        need(found, "cannot read the rule %r", text)
        out.append(found.group(1))
        at = found.end()
    return out


def whole(text):
    """A number as it is written, or None."""
    return int(text) if re.fullmatch(r"0|-?[1-9]\d{0,17}", text) else None


class Rule:
    """What a text says of attributes: a dict of sets of texts."""

    def __init__(self, text):
        self.left = words_of(text)
        self.tree = self.any()
        need(not self.left, "the rule %r goes on", text)

    def peek(self):
        return self.left[0] if self.left else None

    def any(self):
        parts = [self.all()]
        while self.peek() == "|":
            self.left.pop(0)
            parts.append(self.all())
        return lambda node: any(part(node) for part in parts)

    def all(self):
        parts = [self.one()]
        while self.peek() == "&":
            self.left.pop(0)
            parts.append(self.one())
        return lambda node: all(part(node) for part in parts)

    def one(self):
        word = self.left.pop(0)
        if word == "(":
            inner = self.any()
            need(self.left.pop(0) == ")", "a rule without its )")
            return inner
        if word == "!":
            key = self.left.pop(0)
            return lambda node: not node.get(key)
        key, sign = word, self.peek()
        if sign not in ("=", "!=", "<", ">"):
            return lambda node: bool(node.get(key))
        self.left.pop(0)
        value = self.left.pop(0)
        if sign == "=":
            return lambda node: value in node.get(key, ())
        if sign == "!=":
            return lambda node: value not in node.get(key, ())
        bound = int(value)
        turn = 1 if sign == "<" else -1
        return lambda node: any(turn * n < turn * bound for n in
                                map(whole, node.get(key, ())) if n is not None)


class Rules:
    """Which nodes jobs may run on."""

    def __init__(self, attributes):
        self.of_spec = []
        for pairs in attributes:
            node = {}
            for pair in pairs:
                key, value = pair.split("=")
                node.setdefault(key, set()).add(value)
            self.of_spec.append(node)
        self.known = {"": [True] * len(attributes)}

    def takes(self, text, spec):
        """Does a rule take the nodes of a group?"""
        if text not in self.known:
            rule = Rule(text).tree
            self.known[text] = [rule(node) for node in self.of_spec]
        return self.known[text][spec]
