"""The library's own text form, written from any configuration."""

from __future__ import annotations

from .seam import Configuration

ESCAPED = frozenset(" \t\\#=\".\n\r")


def escaped(name: str) -> str:
    """A name as one component of a path in text."""
    return "".join("\\" + c if c in ESCAPED else c for c in name)


def quoted(value: str) -> str:
    """A value; in quotes where it has blanks or stands empty."""
    if value and not any(c in value for c in " \t\"#\\"):
        return value
    inner = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def text_of(config: Configuration) -> str:
    """A configuration in the text form (docs/tree-text.md)."""
    lines = [f"kinds {config.kinds}"]
    for queue in config.queues:
        path = ".".join(escaped(name) for name in queue.path)
        said = [f"{key}={quoted(v)}" for key, v in queue.settings.items()]
        lines.append(" ".join([path, *said]))
    return "\n".join(lines) + "\n"
