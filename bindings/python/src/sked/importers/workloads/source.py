"""Files as blocks of whole lines: unpacked on the way, a quarter of a MiB at a
time, so that neither a large file nor a hostile one takes much memory."""

from __future__ import annotations

import importlib
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from ...enums import Severity
from ..seam import Finding, Findings, ImportFailed

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
