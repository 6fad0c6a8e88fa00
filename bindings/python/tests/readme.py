"""Runs the example of a README and compares what it prints."""

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

text = Path(sys.argv[1]).read_text()
code = re.search(r"```python\n(.*?)```", text, re.S)[1]
want = re.search(r"prints\n\n```\n(.*?)```", text, re.S)[1]
out = io.StringIO()
with redirect_stdout(out):
    exec(compile(code, sys.argv[1], "exec"), {})
if out.getvalue() != want:
    sys.exit(f"printed\n{out.getvalue()}, not\n{want}")
print("the example prints what the page says")
