"""What an installer reads: the extras, and the recipe of conda beside them."""

import re
import tomllib
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
#: Packages whose conda name is another one.
CONDA = {"matplotlib": "matplotlib-base", "Jinja2": "jinja2"}


def project():
    """pyproject.toml."""
    return tomllib.loads((HOME / "pyproject.toml").read_text())["project"]


def name_of(requirement):
    return re.split(r"[<>=]", requirement)[0]


def test_all_has_every_extra_that_a_user_needs():
    extras = project()["optional-dependencies"]
    names = {one for extra, packages in extras.items()
             if extra not in ("all", "test") for one in packages}
    assert sorted(extras["all"]) == sorted(names)


def recipe():
    """The recipe with a version in the place of its templates."""
    yaml = pytest.importorskip("yaml")
    path = HOME / "conda" / "meta.yaml"
    if not path.exists():
        pytest.skip("no recipe beside the package")
    text = path.read_text()
    found = re.search(r'regex_pattern="(.*)"\)', text)[1]
    header = HOME.parents[1] / "include/sched/version.h"
    version = ".".join(re.search(found, header.read_text()).groups())
    text = re.sub(r"{% set .*?%}", "", text, flags=re.S)
    text = text.replace("{{ version }}", version).replace(
        "{{ PYTHON }}", "python").replace('{{ compiler("c") }}', "cc")
    return yaml.safe_load(text)


def test_the_recipe_of_conda_is_that_of_the_package():
    import sked
    made, here = recipe(), project()
    assert made["package"] == {"name": here["name"],
                               "version": sked.__version__}
    assert made["build"]["entry_points"] == [
        f"{name} = {where}" for name, where in here["scripts"].items()]
    assert made["about"]["license"] == here["license"]
    for need in here["optional-dependencies"]["interactive"]:
        name = name_of(need)
        bound = need[len(name):]
        assert f"{CONDA.get(name, name)} {bound}" in \
            made["requirements"]["run_constrained"]


def test_pages_name_a_line_that_works():
    """Each extra that a page names is there."""
    root = HOME.parents[1]
    if not (root / "docs").is_dir():
        pytest.skip("the guides are not beside the package")
    extras = project()["optional-dependencies"]
    pages = [*(root / "docs").glob("*.md"), root / "README.md",
             HOME / "README.md"]
    named = {extra for page in pages for group in re.findall(
        r"pip install '?[./\w-]*\[([a-z,]+)\]", page.read_text())
        for extra in group.split(",")}
    assert named and named <= set(extras)
