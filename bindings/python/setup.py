"""Builds the extension with the library compiled in.

The C sources are those of the checkout, ../../lib and ../../include; an sdist
takes them along in csrc/. Nothing has to be found at run time, and no symbol
of the library is visible outside the extension."""

import os
import re
import shutil
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
STAGED = HERE / "csrc"
ROOT = STAGED if STAGED.is_dir() else HERE.parents[1]
# What is taken along: folder, and the files in it.
PARTS = [("include", "**/*.h"), ("lib", "**/*.[ch]"), ("lib", "folders.cmake"),
         *((f"examples/{name}", "*.[ch]") for name in (
             "advise", "balance", "batch", "daily_report", "locality",
             "percentile", "replay", "route", "workload")),
         ("tests/vectors", "*.py"), ("tests/vectors", "differences.md")]
# What `python -m sked` runs, and the sources of others that each needs.
PROGRAMS = {"advise": ["daily_report/day.c", "daily_report/needs.c",
                       "daily_report/bundled.c"],
            "balance": [], "batch": [], "daily_report": [], "locality": [],
            "percentile": [], "replay": [], "route": []}
KNOWN = "sked/testing/known"  # where the readers of known answers go


def folders():
    text = (ROOT / "lib" / "folders.cmake").read_text()
    return re.findall(r'^ +"([a-z_/]+):', text, re.M)


def version():
    lines = (ROOT / "include/sched/version.h").read_text().splitlines()
    parts = [line.split()[2] for line in lines
             if line.startswith("#define SKED_VERSION_") and line[-1].isdigit()]
    return ".".join(parts)


MISSING = """
sked is built from C, and {what}.

  Debian, Ubuntu   apt install gcc python3-dev
  Fedora, RHEL     dnf install gcc python3-devel
  Alpine           apk add gcc musl-dev python3-dev
  macOS            xcode-select --install

CC names another compiler. A wheel needs none of this.
"""


def need_compiler(compiler):
    """Says what to install where there is no compiler, or no Python.h."""
    command = compiler.compiler_so[0]
    if shutil.which(command) is None:
        raise SystemExit(MISSING.format(
            what=f"no C compiler was found ({command})"))
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.exists():
        raise SystemExit(MISSING.format(what=f"{header} is not there"))


def link_flags():
    """Without symbols and without functions that nothing calls, but in a build
    for a sanitizer or a debugger."""
    said = os.environ.get("CFLAGS", "") + os.environ.get("LDFLAGS", "")
    keep = "sanitize" in said or "-g" in said.split()
    return ["-pthread"] + ([] if keep or sys.platform != "linux" else
                           ["-s", "-Wl,--gc-sections"])


def sections():
    """A section for each function, of which the linker takes what is called."""
    return ["-ffunction-sections", "-fdata-sections"] \
        if sys.platform == "linux" else []


def level():
    """How far to optimise, where CFLAGS do not say."""
    said = os.environ.get("CFLAGS", "").split()
    return [] if any(word.startswith("-O") for word in said) else ["-O2"]


class Build(build_ext):
    """Compiles the library, several files at a time, links it into the
    extension, and the programs beside it."""

    def run(self):
        inplace = self.inplace
        super().run()
        if inplace:
            shutil.copytree(Path(self.build_lib) / "sked/bin",
                            HERE / "src/sked/bin", dirs_exist_ok=True)

    def build_extension(self, ext):
        need_compiler(self.compiler)
        self.ext = ext
        self.temp = Path(self.build_temp)
        self.temp.mkdir(parents=True, exist_ok=True)
        library = self.compiled(f"lib/{folder}" for folder in folders())
        archive = self.archive(library)
        for name, others in PROGRAMS.items():
            if (ROOT / "examples" / name).is_dir():
                self.link(name, others, archive)
        ext.extra_objects = library
        super().build_extension(ext)

    def archive(self, library):
        """The library as an archive, of which a program takes what it needs."""
        self.compiler.create_static_lib(library, "sked_of_programs",
                                        output_dir=str(self.temp))
        return self.compiler.library_filename(
            "sked_of_programs", output_dir=str(self.temp))

    def compiled(self, folders):
        """The objects of every source in the folders, or of one file."""
        sources = [path for folder in folders
                   for path in ([ROOT / folder] if folder.endswith(".c") else
                                sorted((ROOT / folder).glob("*.c")))]

        def one(path):
            return self.compiler.compile(
                [str(path)], output_dir=str(self.temp),
                macros=self.ext.define_macros,
                include_dirs=self.ext.include_dirs,
                depends=self.ext.depends,
                extra_postargs=self.ext.extra_compile_args)[0]

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(one, sources))

    def link(self, name, others, archive):
        objects = self.compiled(["examples/workload", f"examples/{name}",
                                 *(f"examples/{one}" for one in others)])
        folder = Path(self.get_ext_fullpath("sked._core")).parent / "bin"
        self.compiler.link_executable(
            [*objects, archive], name, output_dir=str(folder), libraries=["m"],
            extra_postargs=self.ext.extra_link_args
            + os.environ.get("LDFLAGS", "").split())


class Package(build_py):
    def run(self):
        super().run()
        known = Path(self.build_lib) / KNOWN
        if not self.editable_mode:
            shutil.rmtree(known, ignore_errors=True)
            known.mkdir(parents=True)
            for path in sorted((ROOT / "tests/vectors").glob("*.*")):
                if path.suffix in (".py", ".md"):
                    shutil.copy(path, known)


class Sources(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for folder, pattern in PARTS:
            for path in sorted((ROOT / folder).glob(pattern)):
                to = Path(base_dir) / "csrc" / path.relative_to(ROOT)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)


core = Extension(
    "sked._core",
    sources=[f"core/{path.name}" for path in sorted(HERE.glob("core/*.c"))],
    depends=["core/core.h", "core/records.h", "core/states.h"],
    include_dirs=[str(ROOT / "include"), str(ROOT / "lib"),
                  str(ROOT / "examples")],
    define_macros=[("SKED_STATIC", "1"), ("Py_LIMITED_API", "0x030b0000")],
    extra_compile_args=["-std=gnu11", *level(), *sections(),
                        "-fvisibility=hidden",
                        "-pthread", "-ffp-contract=off",
                        "-Werror=implicit-function-declaration",
                        "-Werror=incompatible-pointer-types"],
    extra_link_args=link_flags(),
    py_limited_api=True)

setup(version=version(), ext_modules=[core],
      cmdclass={"build_ext": Build, "build_py": Package, "sdist": Sources},
      options={"bdist_wheel": {"py_limited_api": "cp311"}})
