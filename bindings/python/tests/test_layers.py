"""No two files of the package need each other, and shared helpers of the
importers need no form.

An import counts wherever it stands, in functions too. An import from another
package also runs that package's __init__, and its own parents'. Imports that
only type checkers see do not count."""

import ast
from pathlib import Path

import pytest

import sked

HOME = Path(sked.__file__).resolve().parent
SHARED = ["sked.importers.model", "sked.importers.files",
          "sked.importers.frames", "sked.importers.additive",
          "sked.importers.values", "sked.importers.configs.draft",
          "sked.importers.configs.markup", "sked.importers.configs.kube",
          "sked.importers.configs.settings",
          "sked.importers.workloads.exact", "sked.importers.workloads.records",
          "sked.importers.workloads.documents"]


def modules(home):
    """Every file of a package by the name of its module. The extension is one
    too, though it is no Python."""
    found = {}
    for path in sorted(home.rglob("*.py")):
        parts = path.relative_to(home.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = \
            path
    found[home.name + "._core"] = None
    return found


def only_for_types(tree):
    """The statements below `if TYPE_CHECKING`."""
    return {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If)
            and "TYPE_CHECKING" in ast.unparse(node.test)
            for one in node.body for inner in ast.walk(one)}


def named(node, package, known):
    """The modules that one import names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        above = package.split(".")[:len(package.split(".")) - node.level + 1]
        base = ".".join([*above, *([node.module] if node.module else [])])
    return [f"{base}.{alias.name}" if f"{base}.{alias.name}" in known
            else base for alias in node.names]


def needs(module, path, known):
    """The modules that a file needs."""
    if path is None:
        return set()
    tree = ast.parse(path.read_text())
    package = module if path.name == "__init__.py" else \
        module.rpartition(".")[0]
    skip = only_for_types(tree)
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or \
                id(node) in skip:
            continue
        for name in named(node, package, known):
            if name in known:
                found.add(name)
            above = name.rpartition(".")[0]
            while above in known and not f"{package}.".startswith(f"{above}."):
                found.add(above)
                above = above.rpartition(".")[0]
    return found - {module}


def graph(home):
    known = modules(home)
    return {module: needs(module, path, known)
            for module, path in known.items()}


def circle(edges):
    """A circle of modules; nothing where there is none."""
    left = {module: set(others) for module, others in edges.items()}
    while True:
        free = [module for module, others in left.items()
                if not others & left.keys()]
        if not free:
            break
        for module in free:
            del left[module]
    path = [min(left)] if left else []
    while path and path[-1] not in path[:-1]:
        path.append(min(left[path[-1]] & left.keys()))
    return path[path.index(path[-1]):] if path else []


def test_no_files_of_the_package_need_each_other():
    edges = graph(HOME)
    assert len(edges) > 80 and len(edges["sked.importers.configs.forms"]) > 8
    assert circle(edges) == []


def packages(edges):
    """Packages and the files beside them, each with the others that it needs.
    A file of `sked` itself is one; a package is one with all below it."""
    found = {}
    for module, others in edges.items():
        ours = ".".join(module.split(".")[:2])
        found.setdefault(ours, set()).update(
            ".".join(other.split(".")[:2]) for other in others)
    return {ours: others - {ours} for ours, others in found.items()}


def test_no_packages_need_each_other():
    edges = packages(graph(HOME))
    assert "sked.tree" in edges["sked.engine"]
    assert circle(edges) == []


def test_a_circle_of_packages_is_found():
    edges = {"sked.a.one": {"sked.b"}, "sked.a.two": set(), "sked.b": set()}
    assert circle(packages(edges)) == []
    edges["sked.b"] = {"sked.a.two"}
    assert circle(edges) == []
    assert circle(packages(edges)) == ["sked.a", "sked.b", "sked.a"]


@pytest.mark.parametrize("name", SHARED)
def test_shared_helpers_of_importers_need_no_form(name):
    edges = graph(HOME)
    todo, seen = [name], set()
    while todo:
        for other in edges[todo.pop()] - seen:
            seen.add(other)
            todo.append(other)
    inside = {other for other in seen if other.startswith("sked.importers.")}
    assert inside <= set(SHARED)


def test_a_circle_is_found(tmp_path):
    home = tmp_path / "some"
    home.mkdir()
    (home / "__init__.py").write_text("")
    (home / "a.py").write_text("from . import b\n")
    (home / "b.py").write_text("def f():\n    from .c import g\n")
    (home / "c.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from . import a\n")
    assert circle(graph(home)) == []
    (home / "c.py").write_text("import some.a\n")
    assert circle(graph(home)) == ["some.a", "some.b", "some.c", "some.a"]
