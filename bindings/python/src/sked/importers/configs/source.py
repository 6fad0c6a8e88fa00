"""A configuration file's bytes, unpacked and bounded, without the marks of a
template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..workloads.source import BROKEN, failed, file_blocks

OPEN = "\ue000"  # stands where a variable of a template was not filled in
MAX_BYTES = 64 << 20
MARKS = {b"<%": b"%>", b"{%": b"%}", b"{#": b"#}", b"{{": b"}}"}

__all__ = ["OPEN", "Variable", "failed", "filled", "spans", "whole", "without"]


class Variable(NamedTuple):
    """A place of a template that was not filled in."""

    line: int
    name: str


def whole(path: str) -> bytes:
    """All bytes of a file; ImportFailed where they cannot be had or are too
    many. OSError stays what it is."""
    data = bytearray()
    try:
        for block in file_blocks(path):
            data += block
            if len(data) > MAX_BYTES:
                raise failed(path, f"is longer than {MAX_BYTES >> 20} MiB")
    except BROKEN as error:
        raise failed(path, f"is packed, and broken: {error}") from None
    return bytes(data)


def spans(data: bytes, pairs: dict[bytes, bytes]) -> Iterator[
        tuple[int, int]]:
    """Where something opens and closes again, each once over the data: what
    never closes is looked for no more."""
    opener = re.compile(b"|".join(map(re.escape, pairs)))
    end, never = 0, set()
    for found in opener.finditer(data):
        if found.start() < end or found.group() in never:
            continue
        closer = pairs[found.group()]
        at = data.find(closer, found.end())
        if at < 0:
            never.add(found.group())
        else:
            end = at + len(closer)
            yield found.start(), end


def without(data: bytes, pairs: dict[bytes, bytes]) -> bytes:
    """The same without them, but with their line feeds, so that lines keep
    their numbers; a variable leaves OPEN."""
    made, last = [], 0
    for start, end in spans(data, pairs):
        made.append(data[last:start])
        if data.startswith((b"<%=", b"{{"), start):
            made.append(OPEN.encode())
        made.append(b"\n" * data.count(b"\n", start, end))
        last = end
    return b"".join([*made, data[last:]])


def filled(data: bytes) -> tuple[bytes, list[Variable]]:
    """The text of a template as far as it stands without its variables, and
    those. What has no marks is given back as it is."""
    if not any(mark in data for mark in MARKS):
        return data, []
    open_places, line, last = [], 1, 0
    for start, end in spans(data, MARKS):
        line += data.count(b"\n", last, start)
        last = start
        if data.startswith((b"<%=", b"{{"), start):
            name = data[start + 2:end - 2].decode(errors="replace")
            open_places.append(Variable(line, " ".join(
                name.strip("=- \t\r\n").split())[:80]))
    return without(data, MARKS), open_places
