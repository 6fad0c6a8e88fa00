"""What the tests of configurations share: where files are, and what is looked
at in what was read."""

from pathlib import Path

import sked
from sked.importers import read_config

from workloads import data

HERE = Path(__file__).resolve().parent
BUNDLED = HERE / "configs"


def real(name):
    """A real file, which cannot be shipped, or a skip that says so."""
    return data("configs/" + name)


def errors(config):
    """Lines with errors."""
    return [f.line for f in config.findings
            if f.severity == sked.Severity.ERROR]


def told(config):
    """Findings that are no notes."""
    return [f for f in config.findings if f.severity > sked.Severity.NOTE]


def wrong(config):
    """Errors as they are printed."""
    return [str(f) for f in config.findings
            if f.severity == sked.Severity.ERROR]


def content(config):
    """What a round trip keeps."""
    return (config.kinds, config.extra, config.spelled,
            [(q.path, q.settings, q.extra, q.spelled)
             for q in config.queues])


def queue(config, path):
    """A queue by its path."""
    return next(q for q in config.queues if ".".join(q.path) == path)


def read_text(tmp_path, text, form=None, name="some.xml"):
    """A text as a file of its own."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_config(path, form)


def fair(tmp_path, inner):
    return read_text(tmp_path, f"<allocations>{inner}</allocations>")
