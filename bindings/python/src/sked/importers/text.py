"""The library's own text form, written from any configuration."""

from __future__ import annotations

import re

from .seam import Configuration

ESCAPED = re.compile(r"[ \\#=\".\x01-\x1f\x7f]")
QUOTED = re.compile(r"[\\\"\x01-\x08\x0a-\x1f\x7f]")
PLAIN = re.compile(r"[^ \\#\"\x01-\x1f\x7f]+")


def escaped(name: str) -> str:
    """A name as one component of a path in text."""
    return ESCAPED.sub(r"\\\g<0>", name)


def quoted(value: str) -> str:
    """A value; in quotes where it has blanks or stands empty."""
    if PLAIN.fullmatch(value):
        return value
    inner = QUOTED.sub(r"\\\g<0>", value)
    return f'"{inner}"'


def text_of(config: Configuration) -> str:
    """A configuration in the text form (docs/tree-text.md)."""
    lines = [f"kinds {config.kinds}"]
    for queue in config.queues:
        path = ".".join(escaped(name) for name in queue.path)
        said = [f"{key}={quoted(v)}" for key, v in queue.settings.items()]
        lines.append(" ".join([path, *said]))
    return "\n".join(lines) + "\n"
