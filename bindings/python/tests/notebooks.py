"""Executes notebooks, those of examples/notebooks unless others are named, and
holds what they print to what is stored in them; pictures are drawn, and not
compared. Each runs in the kernel that it names.

    python tests/notebooks.py [--write] [NOTEBOOK.ipynb...]

With --write the notebooks get what they print now. A line `name: N cells` each;
exit status 1 where one fails or says something else."""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "notebooks"


#: Packages that a notebook needs besides those of all notebooks.
NEEDS = {"explore_your_own_file.ipynb": ("pandas", "jinja2"),
         **dict.fromkeys(("explain_a_preemption.ipynb",
                          "how_far_can_we_grow.ipynb",
                          "plan_a_cluster.ipynb"), ("pandas",))}


def missing(path: Path) -> list[str]:
    """Packages that a notebook needs and that are not installed."""
    return [name for name in NEEDS.get(path.name, ())
            if importlib.util.find_spec(name) is None]


def said(cell: Any) -> list[str]:
    """The lines that a cell printed. A kernel may send one line in several
    pieces, so pieces are joined before they are cut into lines."""
    text = ""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            text += output.text
        elif "text/plain" in output.get("data", {}) \
                and "image/svg+xml" not in output.data:
            text += output.data["text/plain"] + "\n"
    return text.splitlines()


def drawn(cell: Any) -> int:
    """How many pictures a cell drew."""
    return sum("image/svg+xml" in output.get("data", {})
               for output in cell.get("outputs", []))


def execute(path: Path) -> Any:
    """A notebook as it is after a run in its own folder."""
    book = nbformat.read(path, as_version=4)
    for cell in book.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(book, timeout=300, kernel_name=book.metadata.kernelspec.name,
                   resources={"metadata": {"path": str(path.parent)}}).execute()
    return book


def settled(book: Any) -> Any:
    """Without what changes from run to run."""
    book.metadata = {"kernelspec": book.metadata.kernelspec}
    for number, cell in enumerate(book.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        for output in cell.get("outputs", []):
            if "image/svg+xml" in output.get("data", {}):
                output.data.pop("text/plain", None)
                output.data.pop("image/png", None)
                output.data["text/plain"] = "<picture>"
    return book


def check(path: Path, write: bool) -> bool:
    """Runs one; True where it says what it did."""
    stored = nbformat.read(path, as_version=4)
    try:
        book = settled(execute(path))
    except CellExecutionError as error:
        print(f"{path.name}: {error}")
        return False
    if write:
        nbformat.write(book, path)
    same = True
    for number, (old, new) in enumerate(zip(stored.cells, book.cells)):
        if write or (said(old), drawn(old)) == (said(new), drawn(new)):
            continue
        same = False
        print(f"{path.name}: cell {number} says something else")
        print("\n".join(difflib.unified_diff(said(old), said(new), lineterm="")))
    cells = sum(cell.cell_type == "code" for cell in book.cells)
    pictures = sum(drawn(cell) for cell in book.cells)
    print(f"{path.name}: {cells} cells, {pictures} pictures")
    return same and pictures > 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("notebook", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true",
                        help="store what they print now")
    asked = parser.parse_args()
    paths = asked.notebook or sorted(FOLDER.glob("*.ipynb"))
    for path in paths:
        if missing(path):
            print(f"{path.name}: SKIPPED: needs {', '.join(missing(path))}")
    paths = [path for path in paths if not missing(path)]
    good = [check(path, asked.write) for path in paths]
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
