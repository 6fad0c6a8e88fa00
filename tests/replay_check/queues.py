"""The tree: its text, and what its attributes come to."""
from .amounts import UNLIMITED, units, vector


def path_parts(text):
    """The components of a path in text form."""
    parts, now, at = [], "", 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
            now += text[at]
        elif text[at] == ".":
            parts.append(now)
            now = ""
        else:
            now += text[at]
        at += 1
    return tuple(parts + [now])


def tree_tokens(line):
    """Words of a line; a backslash escapes (kept for the path), quotes bind."""
    words, now, quoted, at, some = [], "", False, 0, False
    while at < len(line):
        c = line[at]
        if c == "\\" and at + 1 < len(line):
            now += line[at:at + 2] if not words else line[at + 1]
            at += 1
            some = True
        elif c == '"':
            quoted = not quoted
            some = True
        elif c == "#" and not quoted and not some:
            break
        elif c in " \t" and not quoted:
            if some:
                words.append(now)
            now, some = "", False
        else:
            now += c
            some = True
        at += 1
    if some:
        words.append(now)
    return words


class Queue:
    def __init__(self, parts, parent, position):
        self.parts, self.parent, self.position = parts, parent, position
        self.children, self.attributes = [], {}
        self.jobs = self.tasks = self.running = self.pending = 0
        self.index = 0


class Tree:
    KINDS = [("cpu", "m"), ("memory", "B"), ("gpu", "m")]

    def __init__(self):
        self.kinds, self.queues, self.order = list(self.KINDS), {}, []

    def add(self, parts):
        parent = self.queues.get(parts[:-1])
        queue = Queue(parts, parent, len(parent.children) if parent else 0)
        if parent:
            parent.children.append(queue)
        queue.index = len(self.order)
        self.queues[parts] = queue
        self.order.append(queue)
        return queue

    def ensure(self, parts):
        for n in range(1, len(parts) + 1):
            if parts[:n] not in self.queues:
                self.add(parts[:n])
        return self.queues[parts]

    def read(self, text):
        for line in text.lstrip("\ufeff").splitlines():
            words = tree_tokens(line)
            if not words:
                continue
            if words[0] == "kinds" and not self.order:
                self.kinds = [tuple((w.split("=") + [""])[:2])
                              for w in words[1:]]
                continue
            queue = self.add(path_parts(words[0]))
            for word in words[1:]:
                name, value = word.split("=", 1)
                queue.attributes[name] = value

    def value(self, queue, name, default):
        return queue.attributes.get(name, default)

    def bound(self, queue, name, capacity, rest):
        """limit, guarantee or borrow in a partition: amounts, or a part of the
        parent's (the root's: the capacity)."""
        said = queue.attributes.get(name)
        if said is None or said == "unlimited":
            return rest
        if "=" in said:
            named = {p.split("=")[0].strip() for p in said.split(",")}
            got = vector(said, self.kinds)
            return tuple(got[k] if self.kinds[k][0] in named else rest[k]
                         for k in range(len(self.kinds)))
        whole = said.endswith("%")
        ppm = units(said.rstrip("%"), 4 if whole else 6, False)
        of = capacity
        if queue.parent:
            of = self.bound(queue.parent, name, capacity,
                            self.above(queue.parent, name, capacity))
        return tuple(x * ppm // 10 ** 6 for x in of)

    def above(self, queue, name, capacity):
        if queue is None or queue.parent is None:
            return capacity
        return self.bound(queue.parent, name, capacity,
                          self.above(queue.parent, name, capacity))

    def limit(self, queue, capacity):
        free = (UNLIMITED,) * len(self.kinds)
        limit = self.bound(queue, "limit", capacity, free)
        if "borrow" in queue.attributes:
            own = self.bound(queue, "guarantee", capacity,
                             (0,) * len(self.kinds))
            more = self.bound(queue, "borrow", capacity, free)
            limit = tuple(min(a, b + c) for a, b, c in zip(limit, own, more))
        return limit
