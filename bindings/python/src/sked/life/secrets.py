"""References to secrets, which come back at launch and go nowhere else.
<sched/life_secrets.h>"""

from __future__ import annotations

from .. import _core
from ..handles import Owner
from ..hooks import Hooks, host_of
from .words import EVERY_TASK


class Secrets(Owner):
    """References by job and task: numbers above 0 that mean something to the
    host alone.

    >>> kept = Secrets()
    >>> kept.set(7, 41)
    >>> kept.set(7, 42, task=1)
    >>> kept.launch(7, 0, 2)
    [41, 42]
    """

    __slots__ = ()

    def __init__(self, *, hooks: Hooks | None = None) -> None:
        self._handle = _core.life_secrets_new(host_of(hooks))

    def __repr__(self) -> str:
        return "<secrets>"

    def set(self, job: int, reference: int, *, task: int = EVERY_TASK) -> None:
        """The secret of a task, or of every task that has none of its own; 0
        takes it back."""
        _core.life_secrets_set(self._handle, job, task, reference)

    def launch(self, job: int, task: int, count: int) -> list[int]:
        """Those of `count` tasks from `task` on; 0 where there is none. Raises
        RangeError."""
        return list(_core.life_secrets_launch(self._handle, job, task, count))

    def forget(self, job: int) -> None:
        """The job is over."""
        _core.life_secrets_forget(self._handle, job)
