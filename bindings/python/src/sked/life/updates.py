"""Updates of jobs: rolling, canary, blue and green. <sched/life_update.h>"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .. import _core, layouts
from ..columns import Column, Numbers
from ..enums import number
from ..handles import Owner
from ..hooks import Hooks, host_of
from ..records import Layout, Records
from .instances import Instance, Sla, pack
from .words import Do, On, Phase, UpdateState, Why, With, Workflow

ORDER = Layout("Order", layouts.LIFE_ORDER)


@dataclass(frozen=True)
class Told:
    """How far an update is: its state and the one before, why it is there;
    instances to be told in this direction, done, failed, in progress, waiting;
    the zone in turn."""

    state: UpdateState
    before: int
    why: Why
    total: int
    done: int
    failed: int
    progress: int
    waiting: int
    zone: int


class Update(Owner):
    """Brings instances from the versions `start` to the versions `to`, a row
    each (0: to be added, or removed), `zone` a number each. Options: flags
    (`With`), batch, max_failures, max_attempts, overlap, canary, canary_ns,
    within_ns (ns). Raises RangeError (a row, a setting, or an SLA that leaves
    no way).

    >>> update = Update([1, 1], [2, 2], batch=1)
    >>> orders = update.step([Instance.running(1)] * 2, now=0)
    >>> [(order.kind, order.row, order.version) for order in orders]
    [(2, 0, 2)]
    >>> update.told.state.name
    'ROLLING_FORWARD'
    """

    __slots__ = ()

    def __init__(self, start: Numbers, to: Numbers, zone: Numbers = None, *,
                 sla: Sla | None = None, flags: int = With(0),
                 hooks: Hooks | None = None, **options: int) -> None:
        self._handle = _core.life_update_new(
            host_of(hooks), start, to, zone, {"flags": int(flags), **options},
            None if sla is None else sla.as_dict())

    @classmethod
    def load(cls, saved: bytes, *, hooks: Hooks | None = None) -> Update:
        """One that goes on from where it was saved. Raises CorruptError."""
        self = cls.__new__(cls)
        self._handle = _core.life_update_load(host_of(hooks), saved)
        return self

    def save(self) -> bytes:
        """All of it, the same on every machine."""
        return bytes(_core.life_update_save(self._handle))

    def step(self, instances: Iterable[Instance] | bytes, now: int,
             most: int = 2 ** 31) -> Records:
        """What to do next, by how all instances are `now` (ns): rows of kind,
        row and version, at most so many; what is left comes with the next
        step. Raises RangeError (the row)."""
        rows = instances if isinstance(instances, bytes) else pack(instances)
        return Records(ORDER, _core.life_update_step(self._handle, rows, now,
                                                     most))

    def _tell(self, event: On) -> None:
        _core.life_update_tell(self._handle, event)

    def pause(self) -> None:
        """Tells nothing more until it is resumed. A RangeError never comes
        out."""
        self._tell(On.PAUSE)

    def resume(self) -> None:
        """Goes on. A RangeError never comes out."""
        self._tell(On.RESUME)

    def abort(self) -> None:
        """Ends it where it is. A RangeError never comes out."""
        self._tell(On.ABORT)

    @property
    def told(self) -> Told:
        """How far it is."""
        state, before, why, *rest = _core.life_update_get_stats(self._handle)
        return Told(UpdateState(state), before, Why(why), *rest)

    @property
    def phases(self) -> list[Phase]:
        """How far each instance is, a row each."""
        found: Column = _core.life_update_phases(self._handle)
        return [Phase(x) for x in found]


def judge(instance: Instance, target: int, max_attempts: int = 0) -> Phase:
    """Is it done, has it failed, or is it in progress (TOLD) to a version?"""
    return Phase(_core.life_update_judge(pack([instance]), target,
                                         max_attempts))


def update_action(state: int | str, processed: int = 0,
                  total: int = 0) -> Do:
    """What is to be done about an update.

    >>> update_action("rolling_forward", 6, 6).name
    'COMPLETE'
    """
    return Do(_core.life_update_action(number(UpdateState, state), processed,
                                       total))


def overwrite(live: int | str, state: int | str, wanted: int | str, *,
              equal: bool = False) -> bool:
    """May a new workflow take the place of a live one? True: it is the same,
    which goes on. Raises RangeError, StateError (it may not)."""
    return bool(_core.life_overwrite(
        number(Workflow, live), number(UpdateState, state),
        number(Workflow, wanted), int(equal)))
