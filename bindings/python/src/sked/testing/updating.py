"""A state machine that drives an update as a cluster would: instances stop and
come up when they like, fail now and then, and a user pauses, resumes or aborts.
Needs Hypothesis.

`UpdateMachine` asks after every step that no more instances are down than the
SLA allows and that nothing is told that is not so; `finish()` lets everything
that was told come up and asks that the update ends, and after a rollback has
what was there before. To test an update of yours, derive from it and override
`make()`; what it returns needs `step(instances, now)` (rows of kind, row and
version), `pause()`, `resume()`, `abort()` and `told.state`."""

from __future__ import annotations

from typing import Any

try:
    from hypothesis import strategies as st
    from hypothesis.stateful import (RuleBasedStateMachine, initialize,
                                     invariant, precondition, rule)
except ImportError as error:  # one clear message
    raise ImportError("sked.testing.updating needs Hypothesis: "
                      "pip install hypothesis") from error

from ..life import (Beside, Instance, OrderKind, Sla, Task, Update,
                    UpdateState, With)

OLD, NEW = 1, 2


class UpdateMachine(RuleBasedStateMachine):
    """An update against instances of our own."""

    def make(self, start: list[int], to: list[int], sla: Sla,
             **options: Any) -> Any:
        """The update under test."""
        return Update(start, to, sla=sla, **options)

    @initialize(n=st.integers(2, 6), batch=st.integers(0, 3),
                most=st.integers(1, 3), failures=st.integers(1, 3),
                overlap=st.integers(0, 2),
                flags=st.sampled_from([With(0), With.ROLLBACK, With.PAUSE,
                                       With.ROLLBACK | With.TOGETHER]))
    def begin(self, n: int, batch: int, most: int, failures: int,
              overlap: int, flags: With) -> None:
        """All run the old version."""
        self.most = most
        self.rows = [Instance.running(OLD) for _ in range(n)]
        self.orders: dict[int, Any] = {}
        self.update = self.make(
            [OLD] * n, [NEW] * n, Sla(most_unavailable=most), flags=flags,
            batch=batch, max_failures=failures, max_attempts=1,
            overlap=overlap)

    def over(self) -> bool:
        """Has it ended?"""
        return bool(self.update.told.state >= UpdateState.SUCCEEDED)

    @rule()
    def step(self) -> None:
        """The update looks, and the host hears."""
        for order in self.update.step(self.rows, 0):
            self.hear(order)

    def hear(self, order: Any) -> None:
        """Writes down what is to be."""
        one = self.rows[order.row]
        if order.kind == OrderKind.BESIDE:
            assert one.beside == Beside.NONE, "one is beside it already"
            one.beside = Beside.COMING
        elif order.kind == OrderKind.SWITCH:
            assert one.beside == Beside.UP, "what takes over is not up"
            one.desired = order.version
        elif order.kind != OrderKind.DROP:
            one.desired, one.failures = order.version, 0
            if one.version == order.version and one.state == Task.RUNNING:
                self.orders.pop(order.row, None)
                return  # it was not stopped yet
        self.orders[order.row] = order

    @precondition(lambda self: self.orders)
    @rule(data=st.data(), fails=st.integers(0, 5))
    def carry_out(self, data: Any, fails: int) -> None:
        """Something that was told happens."""
        row = data.draw(st.sampled_from(sorted(self.orders)))
        self.happen(row, fails == 0)

    def happen(self, row: int, fails: bool) -> None:
        """What was told to one instance is done, or fails."""
        one, order = self.rows[row], self.orders[row]
        if order.kind == OrderKind.CHANGE and one.state == Task.RUNNING:
            one.state = Task.STARTING
            return
        del self.orders[row]
        if order.kind == OrderKind.BESIDE:
            one.beside = Beside.FAILED if fails else Beside.UP
        elif order.kind == OrderKind.DROP:
            one.beside = Beside.NONE
        else:
            fails = fails and order.kind == OrderKind.CHANGE
            one.version, one.beside = order.version, Beside.NONE
            one.state = Task.FAILED if fails else Task.RUNNING
            one.failures = int(fails)

    @rule(word=st.sampled_from(["pause", "resume", "resume", "abort"]),
          chance=st.integers(0, 9))
    def user_says(self, word: str, chance: int) -> None:
        """A word of a user."""
        if word != "abort" or chance == 0:
            getattr(self.update, word)()

    @invariant()
    def the_sla_holds(self) -> None:
        """No more are down than may be."""
        if not hasattr(self, "rows"):
            return
        down = sum(one.state != Task.RUNNING and one.beside != Beside.UP
                   for one in self.rows)
        assert down <= self.most, f"{down} are down"

    def finish(self) -> None:
        """Everything comes up from now on: it ends."""
        self.update.resume()
        for _ in range(40 * len(self.rows)):
            if self.over() and not self.orders:
                break
            self.step()
            for row in sorted(self.orders):
                self.happen(row, False)
        assert self.over(), "it does not end"
        if self.update.told.state == UpdateState.ROLLED_BACK:
            assert all(one.version == OLD for one in self.rows), \
                "one has not the version that it had"

    def teardown(self) -> None:
        """Every run is gone through to its end."""
        if hasattr(self, "rows"):
            self.finish()
