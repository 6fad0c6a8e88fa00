"""What tests need, and a count of what was left out for want of a package."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    terminalreporter.write_line(f"left out: {len(skipped)}")
    for reason in wrongly_skipped(skipped):
        terminalreporter.write_line(f"skipped, though it can run: {reason}")


def wrongly_skipped(skipped):
    """Reasons of skipped tests that do not hold here: recorded workloads and
    known answers are there, or a machine of CI has no browser."""
    there = {"no recorded": (ROOT.parent / "shared/data").is_dir(),
             "no known answers": (ROOT.parent / "shared/vectors").is_dir(),
             "this build has no": True, "no C headers here": True,
             "no pages here": True,
             "no Chromium": os.environ.get("CI") == "true"}
    said = [report.longrepr[2] for report in skipped
            if isinstance(report.longrepr, tuple)]
    return sorted({text for text in said for words, holds in there.items()
                   if holds and words in text})


def pytest_sessionfinish(session, exitstatus):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = terminal.stats.get("skipped", []) if terminal else []
    if exitstatus == 0 and wrongly_skipped(skipped):
        session.exitstatus = 1


def pytest_collection_modifyitems(config, items):
    """Without optional packages, what needs none is not run again."""
    if os.environ.get("SKED_TEST_BARE") == "1":
        left = [item for item in items if item.get_closest_marker("once")]
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)


@pytest.fixture
def vectors():
    """The folder of known answers."""
    place = os.environ.get("SKED_VECTORS") or ROOT.parent / "shared/vectors"
    if not Path(place).is_dir():
        pytest.skip(f"no known answers in {place}")
    return str(place)


def wide_tree(leaves, kinds="cpu=1 memory=1"):
    """A tree with many leaves, committed."""
    import sked
    lines = [f"kinds {kinds}", "root"]
    lines += [f"root.q{i} weight={1 + i % 7}" for i in range(leaves)]
    return sked.Tree.from_text("\n".join(lines) + "\n")


class Absent:
    """SKED_TEST_BARE=1: as if no optional package were installed."""

    names = {"numpy", "pandas", "polars", "pyarrow", "tqdm", "hypothesis",
             "distributed", "dask", "matplotlib", "yaml"}

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            raise ModuleNotFoundError(f"{name} is left out of this run")


if os.environ.get("SKED_TEST_BARE") == "1":
    import sys
    for module in [m for m in sys.modules if m.split(".")[0] in Absent.names]:
        del sys.modules[module]
    sys.meta_path.insert(0, Absent())
else:
    try:
        from hypothesis import HealthCheck, settings
    except ImportError:
        pass
    else:  # each run draws the same, however slow the machine is
        settings.register_profile(
            "suite", derandomize=True, deadline=None, database=None,
            suppress_health_check=[HealthCheck.too_slow,
                                   HealthCheck.function_scoped_fixture])
        settings.load_profile("suite")
