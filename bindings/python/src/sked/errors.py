"""What can go wrong, as exceptions: one for each status of <sched/base.h>.

Each carries the facts of the C error and also is the built-in exception that
a Python programmer would expect, so that both `except sked.NotFoundError` and
`except KeyError` do."""

from __future__ import annotations


class Error(Exception):
    """A call of the library that failed, and changed nothing.

    `code` is the status, `kind` the resource kind at fault (or -1), `queue` a
    queue's id (or 0), `got` and `limit` the number and the bound it broke,
    `row` the element of a column (or -1), `line` and `column` the place in a
    text (from 1, or 0). `path`: the queue's, where a tree says it."""

    code: int = 0
    path: str = ""

    def __init__(self, message: str = "", code: int | None = None, *,
                 kind: int = -1, queue: int = 0, got: int = 0, limit: int = 0,
                 row: int = -1, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.kind = kind
        self.queue = queue
        self.got = got
        self.limit = limit
        self.row = row
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[object, ...]:
        return (make, (self.code, str(self), self.kind, self.queue, self.got,
                       self.limit, self.row, self.line, self.column))


class ArgumentError(Error, ValueError):
    """SKED_ERR_ARG: a value the contract rules out."""

    code = -1


class OutOfMemory(Error, MemoryError):
    """SKED_ERR_NOMEM: no memory: allocator, limit, or reserve."""

    code = -2


class RangeError(Error, ValueError):
    """SKED_ERR_RANGE: a number outside what the field can hold."""

    code = -3


class ExistsError(Error, ValueError):
    """SKED_ERR_EXISTS: the name or key is already taken."""

    code = -4


class StaleError(Error, ReferenceError):
    """SKED_ERR_STALE: the id names a thing that is gone."""

    code = -5


class StateError(Error, RuntimeError):
    """SKED_ERR_STATE: the right call at the wrong moment."""

    code = -6


class VersionError(Error, NotImplementedError):
    """SKED_ERR_VERSION: something asked for that this library does not know."""

    code = -7


class NotFoundError(Error, KeyError):
    """SKED_ERR_NOT_FOUND: no such name, path, key or kind."""

    code = -8


class TextError(Error, ValueError):
    """SKED_ERR_SYNTAX: text that cannot be read: `line` and `column`."""

    code = -9


class CorruptError(Error, ValueError):
    """SKED_ERR_CORRUPT: saved bytes that fail their own checks."""

    code = -10


class Cancelled(Error, RuntimeError):
    """SKED_ERR_CANCELLED: the cancel flag, or a progress hook that said no."""

    code = -11


class ConfigError(Error, ValueError):
    """SKED_ERR_INVALID: a draft or a text with faults; `faults` lists them."""

    code = -12
    faults: tuple[object, ...] = ()


class SchemaError(Error, TypeError):
    """SKED_ERR_SCHEMA: things over different resource kinds."""

    code = -13


class BlockedError(Error, BlockingIOError):
    """SKED_ERR_FULL: as many decisions wait as may. Take them, and go on from
    row `done`."""

    code = -14
    done: int = 0


class InternalError(Error, SystemError):
    """SKED_ERR_INTERNAL: an invariant broke. Please report it."""

    code = -99


BY_CODE: dict[int, type[Error]] = {
    c.code: c for c in (
        ArgumentError, OutOfMemory, RangeError, ExistsError, StaleError,
        StateError, VersionError, NotFoundError, TextError, CorruptError,
        Cancelled, ConfigError, SchemaError, BlockedError, InternalError)}

WORDS: dict[int, str] = {
    -1: "a value that the contract rules out", -2: "no memory",
    -3: "a number outside what the field can hold", -4: "already taken",
    -5: "the thing named is gone", -6: "not possible in this state",
    -7: "unknown to this library", -8: "not found",
    -9: "text that cannot be read", -10: "bytes that fail their checks",
    -11: "cancelled", -12: "a draft with faults",
    -13: "other resource kinds", -14: "decisions wait",
    -99: "an invariant broke: please report it"}


def make(code: int, message: str | None, kind: int = -1, queue: int = 0,
         got: int = 0, limit: int = 0, row: int = -1, line: int = 0,
         column: int = 0) -> Error:
    """The exception for a status and its facts."""
    text = message or WORDS.get(code, f"status {code}")
    if row >= 0 and "row " not in text:
        above = f" above {limit}" if got > limit > 0 else ""
        text += f" (row {row}: {got}{above})" if got else f" (row {row})"
    return BY_CODE.get(code, Error)(
        text, code, kind=kind, queue=queue, got=got, limit=limit, row=row,
        line=line, column=column)
