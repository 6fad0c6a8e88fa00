"""Measures the prose of headers, sources and documents, and holds two limits.

    python3 tools/prose.py ROOT                what misses the limits (gate.prose)
    python3 tools/prose.py ROOT FILE...        the figures of these files
    python3 tools/prose.py ROOT --lower        lowers or drops entries of the list
    python3 tools/prose.py ROOT --move OLD NEW gives NEW the entry of OLD

Two figures tell prose that is hard to follow: sentences that open with a word
like "Of" or "What" (at most 3 %), and pronouns such as "it" or "that" without a
noun (at most 6.5 per 100 words). One such opening is free in every file. Files
that do not meet the limits yet stand in tests/gates/prose.tsv with the figures
that they may have, in whole numbers. The list only shrinks: a listed file
that meets the limits fails the gate until `--lower` has taken it off.
"""

import math
import re
import sys
from pathlib import Path

most_openings, most_pronouns = 3.0, 6.5
opening = re.compile(
    r"^(Of|What|Where|So|Then|Nothing|None|Those|That|Else|Whose|Which|Only|Not|Such|As many"
    r"|Besides?|Behind|Beyond|Until|Whatever)\b")
pronoun = re.compile(
    r"\b(it|its|they|them|those|these|that|which|one|ones|others|there|such|so)\b", re.I)
patterns = ("include/**/*.h", "lib/**/*.[ch]", "examples/**/*.[ch]", "docs/**/*.md", "*.md")


def prose(path):
    """Comments of C, text of Markdown without code and tables."""
    text = path.read_text(errors="replace")
    if path.suffix in (".c", ".h"):
        text = " ".join(re.sub(r"\n\s*\*? ?", " ", c[2:-2])
                        for c in re.findall(r"/\*.*?\*/", text, re.S))
    else:
        text = re.sub(r"```.*?```", "", text, flags=re.S)
        text = "\n".join(line for line in text.split("\n") if not line.startswith("|"))
    return re.sub(r"\s+", " ", text)


def measure(path):
    """(per cent of such openings, such pronouns per 100 words), rounded up."""
    sentences = openings = pronouns = words = 0
    for sentence in re.split(r"(?<=[.;:?])\s", prose(path)):
        if len(sentence.split()) < 4:
            continue
        sentences += 1
        openings += bool(opening.match(sentence.strip()))
        pronouns += len(pronoun.findall(sentence))
        words += len(sentence.split())
    if openings == 1:
        openings = 0
    return (math.ceil(1000 * openings / max(sentences, 1)) / 10,
            math.ceil(1000 * pronouns / max(words, 1)) / 10)


def entry_of(path):
    """What a file that misses the limits may have: today's figures, rounded up."""
    return tuple(float(math.ceil(figure)) for figure in measure(path))


def read_list(path):
    rows = (line.split("\t") for line in path.read_text().splitlines() if line)
    return {name: (float(a), float(b)) for name, a, b in rows}


def write_list(path, rows):
    path.write_text("".join(f"{name}\t{a}\t{b}\n" for name, (a, b) in sorted(rows.items())))


def is_good(figures):
    return figures[0] <= most_openings and figures[1] <= most_pronouns


def faults(root, rows):
    """What the gate says of each file that misses its limits."""
    files = {p.relative_to(root).as_posix(): p for pattern in patterns for p in root.glob(pattern)}
    for name in sorted(rows.keys() - files.keys()):
        yield f"{name}: is in the list and not there"
    for name, path in sorted(files.items()):
        has = measure(path)
        may = rows.get(name, (most_openings, most_pronouns))
        figures = f"{has[0]} % openings, {has[1]} pronouns per 100 words"
        if name in rows and is_good(has):
            yield f"{name}: meets the limits: take it off the list (tools/prose.py . --lower)"
        elif has[0] > may[0] or has[1] > may[1]:
            yield f"{name}: {figures}, at most {may[0]} and {may[1]}"


def lowered(root, rows):
    """The list without what is good by now, and with no figure above today's."""
    left = {}
    for name, may in rows.items():
        path = root / name
        if path.exists() and not is_good(measure(path)):
            left[name] = tuple(map(min, zip(may, entry_of(path))))
    return left


def main(root, arguments):
    path = root / "tests/gates/prose.tsv"
    rows = read_list(path)
    if arguments == ["--lower"]:
        write_list(path, lowered(root, rows))
    elif arguments[:1] == ["--move"]:
        old, new = arguments[1:]
        rows[new] = tuple(map(max, zip(rows.pop(old), rows.get(new, (0, 0)))))
        write_list(path, rows)
    elif arguments:
        for name in arguments:
            print("%s: %.1f %% openings, %.1f pronouns per 100 words" % (name, *measure(Path(name))))
    else:
        found = list(faults(root, rows))
        print("".join(f"{line}\n" for line in found), end="")
        print(f"{len(rows)} files in the list: {len(found)} faults")
        return 1 if found else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
