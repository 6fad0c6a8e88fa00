"""Readers of other schedulers' files: `read_config`, `read_workload`.

Each result says which form it was, what is wrong in it line by line, and for
each field whether the source says it, it was computed, or it is supposed."""

from __future__ import annotations

from .configs import read_config, write_config
from .model import (READERS, Configuration, Fidelity, Finding, Findings,
                   ImportFailed, Job, QueueSpec, Reader, Workload,
                   register_reader)
from .workloads import (Unit, from_columns, read_workload, to_jobs, units,
                        write_csv)

__all__ = ["READERS", "Configuration", "Fidelity", "Finding", "Findings",
           "ImportFailed", "Job", "QueueSpec", "Reader", "Unit", "Workload",
           "from_columns",
           "read_config", "read_workload", "register_reader", "to_jobs",
           "units", "write_config", "write_csv"]
