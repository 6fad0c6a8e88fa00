"""Readers and writers of queue trees in the forms of other schedulers."""

from __future__ import annotations

from .forms import read_config, write_config

__all__ = ["read_config", "write_config"]
