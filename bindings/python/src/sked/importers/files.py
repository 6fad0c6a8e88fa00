"""Files of any form: read in blocks of whole lines or as a whole, unpacked on
the way, without the marks of a template; written whole or not at all.

A block has a quarter of a MiB, so that neither a large file nor a hostile one
takes much memory."""

from __future__ import annotations

import importlib
import lzma
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

from ..enums import Severity
from .model import Finding, Findings, ImportFailed

BLOCK = 1 << 18
MAX_LINE = 1 << 20
SNIFFED = 1 << 16
XZ_MEMORY = 1 << 28  # for the dictionary that a file asks for
NUL_LINE = re.compile(rb"[^\n]*\0[^\n]*")
BROKEN = (EOFError, zlib.error, lzma.LZMAError)


class Standard:
    """Standard input: its first bytes are looked at, then read once."""

    def __init__(self) -> None:
        self.ahead = b""
        self.taken = False

    def peek(self) -> bytes:
        """The first bytes, which are read again later."""
        while len(self.ahead) < SNIFFED:
            got = sys.stdin.buffer.read(SNIFFED - len(self.ahead))
            if not got:
                break
            self.ahead += got
        return self.ahead

    def read(self, size: int) -> bytes:
        """As a file does."""
        if not self.ahead:
            return sys.stdin.buffer.read(size)
        got, self.ahead = self.ahead[:size], self.ahead[size:]
        return got


standard = Standard()


def failed(path: str, text: str, line: int = 0) -> ImportFailed:
    """Nothing of a file can be read."""
    return ImportFailed(Finding(path, line, Severity.ERROR, "", text))


def gzip_blocks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Members of gzip one after another."""
    data = read(BLOCK)
    while data:
        one = zlib.decompressobj(31)
        while not one.eof:
            yield one.decompress(data, BLOCK)
            data = one.unconsumed_tail or one.unused_data
            if not data and not one.eof and not (data := read(BLOCK)):
                raise EOFError("the file ends too early")
        data = data.lstrip(b"\0") or read(BLOCK).lstrip(b"\0")


def xz_blocks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Streams of xz one after another."""
    data = read(BLOCK)
    while data:
        one = lzma.LZMADecompressor(memlimit=XZ_MEMORY)
        while not one.eof:
            if one.needs_input and not data:
                data = read(BLOCK)
                if not data:
                    raise EOFError("the file ends too early")
            yield one.decompress(data, BLOCK)
            data = b""
        data = one.unused_data.lstrip(b"\0") or read(BLOCK).lstrip(b"\0")


def stream_blocks(file: IO[bytes]) -> Iterator[bytes]:
    """What an unpacking file gives."""
    while block := file.read(BLOCK):
        yield block


def zstd_file(raw: Any, path: str) -> IO[bytes]:
    """With what this Python has for it."""
    for module in ("compression.zstd", "backports.zstd", "pyzstd"):
        try:
            found = importlib.import_module(module)
        except ImportError:
            continue
        return found.ZstdFile(raw)  # type: ignore[no-any-return]
    try:
        other = importlib.import_module("zstandard")
    except ImportError:
        raise failed(path, "is packed by zstd, and no module for it is "
                     "here (pip install zstandard)") from None
    return other.open(raw, "rb")  # type: ignore[no-any-return]


class Rest:
    """A file whose first bytes were read already."""

    def __init__(self, first: bytes, raw: Any) -> None:
        self.first = first
        self.raw = raw

    def read(self, size: int = -1) -> bytes:
        """As a file does."""
        if size < 0 or not self.first:
            got, self.first = self.first + bytes(self.raw.read(size)), b""
        else:
            got, self.first = self.first[:size], self.first[size:]
        return got

    def close(self) -> None:
        """Nothing: who opened it closes it."""


def unpacked(raw: Any, path: str) -> Iterator[bytes]:
    """The blocks of an open file, whatever packed it."""
    first = raw.read(6)
    whole: Any = Rest(first, raw)
    if first.startswith(b"\x1f\x8b"):
        yield from gzip_blocks(whole.read)
    elif first == b"\xfd7zXZ\0":
        yield from xz_blocks(whole.read)
    elif first.startswith(b"\x28\xb5\x2f\xfd"):
        yield from stream_blocks(zstd_file(whole, path))
    else:
        yield from stream_blocks(whole)


def file_blocks(path: str) -> Iterator[bytes]:
    """The blocks of a file; "-" is standard input, once."""
    if path == "-":
        if standard.taken:
            raise failed(path, "standard input can be read only once")
        standard.taken = True
        yield from unpacked(standard, path)
        return
    with open(path, "rb", buffering=0) as raw:
        yield from unpacked(raw, path)


def head_of(path: str) -> bytes:
    """The first 64 KiB, unpacked; what is broken there ends it. ImportFailed
    where nothing of a file can be unpacked."""
    if path == "-":
        raw = Rest(standard.peek(), _Nothing())
        blocks = unpacked(raw, path)
    else:
        blocks = file_blocks(path)
    head = b""
    try:
        for block in blocks:
            head += block
            if len(head) >= SNIFFED:
                break
    except BROKEN as error:
        if not head and path != "-":
            raise failed(path, f"is packed, and broken: {error}") from None
    finally:
        blocks.close()  # type: ignore[attr-defined]
    return head[:SNIFFED].removeprefix(b"\xef\xbb\xbf")


class _Nothing:
    def read(self, size: int = -1) -> bytes:
        return b""


class Source:
    """A file being read, with where its faults go."""

    def __init__(self, path: str, findings: Findings) -> None:
        self.path = path
        self.findings = findings

    def blocks(self) -> Iterator[bytes]:
        """Its bytes. A file that breaks off ends there, with a finding."""
        first = True
        try:
            for block in filter(None, file_blocks(self.path)):
                if first:
                    block = block.removeprefix(b"\xef\xbb\xbf")
                    first = False
                yield block
        except BROKEN as error:
            self.findings.add(0, "is packed, and broken: what follows cannot "
                              "be read", str(error)[:80])

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Blocks of whole lines, each with the number of its first."""
        line, tail, lost = 1, b"", False
        for block in self.blocks():
            cut = block.rfind(b"\n") + 1
            if not cut:
                tail = b"" if lost else tail + block
                if len(tail) > MAX_LINE:
                    self.findings.add(line, "a line of more than 1 MiB")
                    tail, lost = b"", True
                continue
            if lost:
                start = block.find(b"\n") + 1
                block, cut, lost, line = block[start:], cut - start, False, \
                    line + 1
            if cut:
                yield line, tail + block[:cut]
                line += block.count(b"\n")
            tail = block[cut:]
        if tail:
            yield line, tail

    def texts(self) -> Iterator[tuple[int, str]]:
        """The same as text. Bytes that are no UTF-8 are carried along as
        Python carries them in names of files; lines with a NUL are left
        out."""
        for line, block in self.lines():
            if b"\0" in block:
                for found in NUL_LINE.finditer(block):
                    at = line + block.count(b"\n", 0, found.start())
                    self.findings.add(at, "a NUL byte")
                block = NUL_LINE.sub(b"", block)
            try:
                yield line, block.decode()
            except UnicodeDecodeError as error:
                at = line + block.count(b"\n", 0, error.start)
                self.findings.add(at, "is not UTF-8", "",
                                  Severity.WARNING)
                yield line, block.decode(errors="surrogateescape")

    def plain(self) -> Iterator[tuple[int, str]]:
        """Line by line, without ends, with numbers; empty ones too."""
        for line, text in self.texts():
            for number, one in enumerate(text.split("\n"), line):
                yield number, one.removesuffix("\r")


def cut_lines(line: int, text: str) -> tuple[range | list[int], list[str]]:
    """The lines of a block that are not empty, and their numbers."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if "\r" in text:
        lines = [one.removesuffix("\r") for one in lines]
    numbers = range(line, line + len(lines))
    if all(lines):
        return numbers, lines
    kept = [(n, one) for n, one in zip(numbers, lines) if one]
    return [n for n, _ in kept], [one for _, one in kept]


# ---- whole files, and templates ----

OPEN = "\ue000"  # stands where a variable of a template was not filled in
MAX_BYTES = 64 << 20
MARKS = {b"<%": b"%>", b"{%": b"%}", b"{#": b"#}", b"{{": b"}}"}



class Variable(NamedTuple):
    """A place of a template that was not filled in."""

    line: int
    name: str


def whole(path: str) -> bytes:
    """All bytes of a file; ImportFailed where they cannot be had or are too
    many. OSError stays what it is."""
    data = bytearray()
    try:
        for block in file_blocks(path):
            data += block
            if len(data) > MAX_BYTES:
                raise failed(path, f"is longer than {MAX_BYTES >> 20} MiB")
    except BROKEN as error:
        raise failed(path, f"is packed, and broken: {error}") from None
    return bytes(data)


def spans(data: bytes, pairs: dict[bytes, bytes]) -> Iterator[
        tuple[int, int]]:
    """Where something opens and closes again, each once over the data: what
    never closes is looked for no more."""
    opener = re.compile(b"|".join(map(re.escape, pairs)))
    end, never = 0, set()
    for found in opener.finditer(data):
        if found.start() < end or found.group() in never:
            continue
        closer = pairs[found.group()]
        at = data.find(closer, found.end())
        if at < 0:
            never.add(found.group())
        else:
            end = at + len(closer)
            yield found.start(), end


def without(data: bytes, pairs: dict[bytes, bytes]) -> bytes:
    """The same without them, but with their line feeds, so that lines keep
    their numbers; a variable leaves OPEN."""
    made, last = [], 0
    for start, end in spans(data, pairs):
        made.append(data[last:start])
        if data.startswith((b"<%=", b"{{"), start):
            made.append(OPEN.encode())
        made.append(b"\n" * data.count(b"\n", start, end))
        last = end
    return b"".join([*made, data[last:]])


def filled(data: bytes) -> tuple[bytes, list[Variable]]:
    """The text of a template as far as it stands without its variables, and
    those. What has no marks is given back as it is."""
    if not any(mark in data for mark in MARKS):
        return data, []
    open_places, line, last = [], 1, 0
    for start, end in spans(data, MARKS):
        line += data.count(b"\n", last, start)
        last = start
        if data.startswith((b"<%=", b"{{"), start):
            name = data[start + 2:end - 2].decode(errors="replace")
            open_places.append(Variable(line, " ".join(
                name.strip("=- \t\r\n").split())[:80]))
    return without(data, MARKS), open_places


# ---- writing ----

@contextmanager
def beside(path: str) -> Iterator[IO[bytes]]:
    """A file that appears whole or not at all; "-" is standard output, and a
    device or a pipe is written as it is."""
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    folder = os.path.dirname(path) or "."
    try:
        number_, other = tempfile.mkstemp(dir=folder, prefix=".sked-")
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with open(number_, "wb") as file:
            yield file
        os.chmod(other, 0o666 & ~_umask())
        os.replace(other, path)
    except BaseException:
        os.unlink(other)
        raise


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now
