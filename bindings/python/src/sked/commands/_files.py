"""Input files of commands: a gzipped one reads as what is in it."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Sequence


class Input:
    """Command lines with gzipped files unpacked, in a folder that goes away.
    ValueError names one that cannot be."""

    def __init__(self, words: Sequence[str]) -> None:
        self.folder: str | None = None
        self.words: list[str] = []
        self.called: dict[str, str] = {}  # unpacked: as it was said
        try:
            for word in words:
                self.words.append(self._plain(word))
        except BaseException:
            self.__exit__()
            raise

    def _plain(self, word: str) -> str:
        if not word.endswith(".gz") or not os.path.isfile(word):
            return word
        self.folder = self.folder or tempfile.mkdtemp(prefix="sked")
        own = tempfile.mkdtemp(dir=self.folder)
        plain = os.path.join(own, os.path.basename(word)[:-3])
        try:
            with gzip.open(word, "rb") as packed, open(plain, "wb") as out:
                shutil.copyfileobj(packed, out)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{word}: is packed, and broken: {error}") from None
        self.called[plain] = word
        return plain

    def named(self, said: str) -> str:
        """What was said of unpacked files, by the names that were given."""
        for plain, word in self.called.items():
            said = said.replace(plain, word)
        return said

    def __enter__(self) -> list[str]:
        return self.words

    def __exit__(self, *exc: object) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
