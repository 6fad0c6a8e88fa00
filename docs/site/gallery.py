"""Writes the gallery: every picture of sked.pictures that a report of the bundled
day has, each beside the words that stand over it there.

    python docs/site/gallery.py FOLDER

FOLDER gets gallery.md and the pictures. Used by `sh tools/python site`."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sked import reporting

NODES = ("24 x cpu=32,memory=128GiB", "6 x cpu=32,memory=256GiB,gpu=8 @gpu")
CARD = re.compile(r"<section[^>]*>(.*?)</section>", re.S)
HEAD = re.compile(r"<h2[^>]*>(.*?)</h2>", re.S)
WIDE = re.compile(r"<svg[^>]*>.*?</svg>", re.S)
BEGIN = """# Gallery

The pictures of a report about the bundled day (`sked replay --example FOLDER`
writes its files), each under its heading there; [pictures](guides/pictures) says
which call draws which.
"""


def page():
    """The report of the bundled day."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "sked", "replay", "--example",
                        folder], check=True, stdout=subprocess.DEVNULL)
        return reporting.report(reporting.Wanted(
            f"{folder}/workload.csv", tree=f"{folder}/tree.txt", nodes=NODES,
            preempt="starvation"))


def colours(html):
    """What the variables in its pictures stand for, by name."""
    return dict(re.findall(r"(--[\w-]+):\s*(#[0-9a-fA-F]{3,6})",
                           html.split("prefers-color-scheme")[0]))


def main(folder):
    """Writes all of it."""
    html, made, out = page(), [BEGIN], Path(folder)
    named = colours(html)
    for card in CARD.findall(html):
        head, wide = HEAD.search(card), WIDE.search(card)
        if not head or not wide:
            continue
        svg = re.sub(r"var\((--[\w-]+)[^)]*\)",
                     lambda m: named.get(m[1], "#5f6a73"), wide[0])
        title = re.sub(r"<[^>]*>", "", head[1])
        name = re.sub(r"\W+", "-", title.lower()).strip("-") + ".svg"
        (out / name).write_text(svg, encoding="utf-8")
        made.append(f"\n## {title}\n\n![{title}]({name})\n")
    (out / "gallery.md").write_text("".join(made), encoding="utf-8")
    print(len(made) - 1)


if __name__ == "__main__":
    main(sys.argv[1])
