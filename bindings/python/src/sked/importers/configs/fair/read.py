"""A fair-scheduler.xml as a whole: defaults first, then the queues."""

from __future__ import annotations

from ...files import OPEN, failed, filled
from ...model import Configuration
from ..draft import Path, dotted
from ..markup import Element, parse
from .queues import FairQueues, is_queue, keep
from .resources import GLOBALS, KEPT, SLOTS
from .settings import DEFAULT_QUEUE, PLACEMENT

class FairReader(FairQueues):
    """One file being read."""

    # ---- the whole ----

    def read(self, data: bytes) -> Configuration:
        """Everything that can be read."""
        data = data.removeprefix(b"\xef\xbb\xbf")
        text, variables = filled(data)
        skipped = len(text) - len(text.lstrip())
        above = text.count(b"\n", 0, skipped) if text is not data else 0
        document = parse(text.lstrip() if above else text)
        if document.root is None:
            line, reason = document.faults[0]
            raise failed(self.draft.file, reason, line + above)
        if above:
            shift(document.root, above)
        for line, reason in document.faults:
            self.draft.error(line + above, reason)
        self.draft.unfilled(variables)
        if document.root.tag != "allocations":
            self.draft.error(document.root.line, "the outermost element is "
                             f"<{document.root.tag}>, not <allocations>")
        names = tags(document.root)
        self.hadoop1 = bool(names & set(SLOTS)) and not names & {
            "minResources", "maxResources"}
        self.top(document.root)
        self.default_kinds()
        return self.draft.finish()

    def top(self, root: Element) -> None:
        """The elements right below <allocations>: defaults first, wherever
        they stand, then the queues."""
        queues = [e for e in root.children if is_queue(e, top=True)]
        self.stray(root, "")
        for element in root.children:
            if element.tag == "user":
                self.user(element)
            elif element not in queues and OPEN not in element.text:
                self.top_setting(element)
        self.check_globals()
        self.walk(root, queues)
        if "queuePlacementPolicy" not in self.draft.extra and \
                not self.hadoop1 and ("root",) in self.draft.queues:
            self.draft.fill(self.draft.queues["root",], PLACEMENT)

    def top_setting(self, element: Element) -> None:
        """A default, or something to keep."""
        name = self.known_name(element)
        if name in GLOBALS and not element.children:
            if name in self.globals:
                self.draft.warn(element.line, "is said twice: the last holds",
                                element.tag)
            self.globals[name] = element.text.strip(), element.line
            return
        if name not in KEPT:
            self.draft.warn(element.line, "YARN knows no such element here",
                            element.tag)
        keep(self.draft.extra, element)

    def user(self, element: Element) -> None:
        """A user's limit: the tree has none, so it is kept."""
        name = element.attributes.get("name", "")
        if not name:
            self.draft.error(element.line, "a user without a name")
        for child in element.children:
            tag, text = self.known_name(child), child.text.strip()
            if tag == "maxRunningApps":
                self.integer(text, child.line, f"user {name}: {child.tag}")
            self.draft.extra[f"user.{name}.{tag}"] = text

    def check_globals(self) -> None:
        """What the defaults say, each by its own rule."""
        for name in ("queueMaxAppsDefault", "userMaxAppsDefault"):
            text, line = self.globals.get(name, ("0", 0))
            self.integer(text, line, name)
        if "userMaxAppsDefault" in self.globals:
            self.draft.extra["userMaxAppsDefault"] = \
                self.globals["userMaxAppsDefault"][0]
        text, line = self.globals.get("queueMaxAMShareDefault", ("0.5", 0))
        self.am_share = self.share(text, line, "queueMaxAMShareDefault")
        text, line = self.globals.get("defaultQueueSchedulingPolicy",
                                      ("fair", 0))
        found = self.policy_of(text, line, "defaultQueueSchedulingPolicy")
        if found == "fifo":
            self.draft.error(line, "fifo cannot be the default: it is for "
                             "leaves", "defaultQueueSchedulingPolicy")
        elif found:
            self.policy = found

    # ---- queues ----

    def walk(self, root: Element, queues: list[Element]) -> None:
        """Every queue, parents first, in the order of the file."""
        if len(queues) > 1:
            for one in queues:
                if one.attributes.get("name", "").lower() == "root":
                    self.draft.error(one.line, "no other queue may stand "
                                     "beside it", "root")
                    queues = [one]
                    break
        top = queues[0] if len(queues) == 1 and queues[0].attributes.get(
            "name", "").strip().lower() == "root" else None
        todo: list[tuple[Path, Element]] = []
        if top is None:
            spec = self.draft.queue(("root",), root.line)
            assert spec is not None
            self.settings(spec, Element("queue", root.line),
                          bool(queues) or not self.hadoop1, None)
            todo = [(("root",), e) for e in reversed(queues)]
        else:
            todo = [((), top)]
        policies: dict[Path, str | None] = {("root",): self.policy}
        while todo:
            above, element = todo.pop()
            path = self.path_of(above, element)
            below = [e for e in element.children if is_queue(e)]
            spec = self.draft.queue(path, element.line)
            if spec is None:
                continue
            policies[path] = self.settings(
                spec, element, bool(below) or not above and not self.hadoop1,
                policies.get(above))
            todo.extend((path, e) for e in reversed(below))
        if not self.hadoop1:
            self.default_queue(root.line, policies.get(("root",)))

    def default_queue(self, line: int, policy: str | None) -> None:
        """The queue that YARN makes where the file has none of its name."""
        path = ("root", "default")
        spec = None if path in self.draft.queues else \
            self.draft.queue(path, line)
        if spec is not None:
            self.settings(spec, Element("queue", line), False, policy)
            self.draft.fill(spec, DEFAULT_QUEUE)

    def path_of(self, above: Path, element: Element) -> Path:
        """Where a queue belongs."""
        name = element.attributes.get("name", "").strip()
        if not above:
            return ("root",)
        if "." in name:
            self.draft.error(element.line, "a name with a period, which YARN "
                             "refuses", dotted(above + (name,)))
        return above + (name,)

    def default_kinds(self) -> None:
        """Cores and memory first, unless there are only slots."""
        if not self.hadoop1:
            self.draft.kinds = {"cpu": "m", "memory": "B", **self.draft.kinds}
        self.draft.kinds = self.draft.kinds or {"maps": "1", "reduces": "1"}


def shift(root: Element, by: int) -> None:
    """Adds to every line."""
    todo = [root]
    while todo:
        one = todo.pop()
        one.line += by
        todo.extend(one.children)


def tags(root: Element) -> set[str]:
    """Every tag there is."""
    found, todo = set(), [root]
    while todo:
        one = todo.pop()
        found.add(one.tag)
        todo.extend(one.children)
    return found


def read(file: str, data: bytes) -> Configuration:
    """A fair-scheduler.xml."""
    return FairReader(file).read(data)
