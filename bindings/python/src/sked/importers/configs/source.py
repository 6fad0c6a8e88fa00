"""A configuration file's bytes, unpacked and bounded, without the marks of a
template."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..workloads.source import BROKEN, failed, file_blocks

OPEN = "\ue000"  # stands where a variable of a template was not filled in
MAX_BYTES = 64 << 20
MARKS = re.compile(rb"<%.*?%>|\{%.*?%\}|\{#.*?#\}|\{\{.*?\}\}", re.S)
VARIABLE = re.compile(rb"<%=\s*(.*?)\s*-?%>|\{\{-?\s*(.*?)\s*-?\}\}", re.S)

__all__ = ["OPEN", "Variable", "failed", "filled", "whole"]


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


def blanked(found: re.Match[bytes]) -> bytes:
    """As many line feeds as a mark had, so that lines keep their numbers; a
    variable leaves OPEN."""
    mark = OPEN.encode() if found.group().startswith((b"<%=", b"{{")) else b""
    return mark + b"\n" * found.group().count(b"\n")


def filled(data: bytes) -> tuple[bytes, list[Variable]]:
    """The text of a template as far as it stands without its variables, and
    those. What has no marks is given back as it is."""
    if b"<%" not in data and b"{{" not in data and b"{%" not in data:
        return data, []
    open_places = []
    for found in VARIABLE.finditer(data):
        name = (found.group(1) or found.group(2) or b"").decode(
            errors="replace")
        line = 1 + data.count(b"\n", 0, found.start())
        open_places.append(Variable(line, " ".join(name.split())[:80]))
    return MARKS.sub(blanked, data), open_places
