"""Every C file is as clang-format 14 writes it."""

import os
import re
import subprocess

from source import fault, finish, skip, tracked, works

tool = next((t for t in ("clang-format-14", "clang-format") if works([t, "--version"])), None)
version = tool and subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
if not version or not re.search(r"version 14\.", version):
    skip("no clang-format 14")

files = tracked(*(f"{folder}/**/*.[ch]" for folder in
                  ("include", "lib", "tests", "fuzz", "bench", "examples")))
done = subprocess.run([tool, "--dry-run", "--ferror-limit=1", *map(os.fspath, files)],
                      capture_output=True, text=True)
for m in re.finditer(r"^(.+?):(\d+):\d+: warning", done.stderr, re.M):
    fault(m[1], m[2], "not formatted (clang-format -i)")
finish(f"{len(files)} files, {version.strip()}")
