"""Nothing that was built is committed: objects, libraries, programs, archives
of them, byte code, coverage counts, logs. At the root stand the files that are
listed here and no others."""

import subprocess
from shutil import which

from source import fault, finish, root, skip

suffixes = {".o", ".obj", ".a", ".lo", ".la", ".so", ".dylib", ".dll", ".exe", ".gch",
            ".pch", ".pyc", ".pyo", ".whl", ".egg", ".gcda", ".gcno", ".gcov", ".profraw",
            ".class", ".wasm", ".core", ".log"}
at_the_root = {".clang-format", ".gitignore", "CHANGELOG.md", "CMakeLists.txt",
               "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md"}
folders = {"build", "__pycache__", "CMakeFiles", "node_modules"}
# ELF, Mach-O, an archive, Windows, WebAssembly, Java.
magic = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"!<arch>\n", b"MZ\x90",
         b"\x00asm", b"\xca\xfe\xba\xbe")


def committed():
    """Every file in the index of git."""
    if not which("git"):
        skip("no git")
    done = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True)
    if done.returncode != 0:
        skip("no checkout of git")
    return [root / name for name in done.stdout.decode().split("\0") if name]


n = 0
for path in committed():
    if not path.is_file():
        continue
    n += 1
    inside = path.relative_to(root)
    with path.open("rb") as file:
        begins = file.read(8)
    if path.suffix in suffixes or ".so." in path.name or folders & set(inside.parts[:-1]):
        fault(path, 0, "is a built file, or a log")
    elif len(inside.parts) == 1 and inside.name not in at_the_root:
        fault(path, 0, "is not one of the files that stand at the root")
    elif begins.startswith(magic):
        fault(path, 0, "begins as an object, a program or an archive does")
finish(f"{n} files")
