"""The interactive page: what it carries, and what it does in a browser."""

import json
import re

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("jinja2", reason="libsked[report] is missing")

from sked import reporting  # noqa: E402
from sked.commands import main  # noqa: E402
from sked.reporting import interactive  # noqa: E402
from test_report import ODD, workload  # noqa: E402


def stand_in(monkeypatch):
    """A script in the place of Plotly's, with texts that end an element."""
    monkeypatch.setattr(
        interactive, "plotly_script",
        lambda: "var Plotly = {react() {}}; '</script><!--'")


def facts_in(page):
    """The data that a page carries."""
    found = re.search(r'<script type="application/json" id="facts">(.*?)'
                      r"</script>", page, re.S)
    return json.loads(found[1])


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    path = workload(tmp_path_factory.mktemp("page") / "odd.csv", starts=True)
    return reporting.gather(reporting.Wanted(path, sweep=(1,)))


def test_stretches_add_up_to_the_facts(facts, monkeypatch):
    stand_in(monkeypatch)
    said, data = facts_in(interactive.page(facts)), reporting.data(facts)
    waits = said["waits"]
    assert sum(map(sum, waits["jobs"])) == 160
    late = {f"root.{queue}": sum(row) for queue, row in
            zip(waits["queues"], waits["late"])}
    for queue, row in data["waits"].items():
        called = interactive.name(queue)
        assert late["root." + called] == row["recorded"]["late"]
    assert all(len(row) == len(said["time"]["edges"]) - 1
               for row in waits["jobs"])
    recorded = sum(facts.recorded.waits.tolist()) / 1e9
    assert sum(map(sum, waits["waited_s"])) == pytest.approx(recorded)


def test_the_page_asks_for_nothing_and_names_its_scripts(facts, monkeypatch):
    stand_in(monkeypatch)
    page = interactive.page(facts)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    assert len(scripts) == 2
    for script in scripts:
        assert interactive.digest(script) in page
    assert "default-src 'none'" in page and "unsafe-eval" not in page
    assert page.lower().count("</script") == 3
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert "<script>alert(1)" not in page


def test_queues_have_the_same_tables_as_the_page(facts, monkeypatch):
    stand_in(monkeypatch)
    tables = {t["id"]: t for t in facts_in(interactive.page(facts))["tables"]}
    assert {"delivered", "users", "needs"} <= set(tables)
    users = tables["users"]
    heads = [c["name"] for c in users["columns"]]
    assert heads == ["user", "queue", "jobs", "late", "p50 s", "p95 s"]
    late = dict(zip(heads, users["columns"]))["late"]["values"]
    assert late == [u.late for u in facts.users]


def test_without_plotly_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    def missing():
        raise interactive.PlotlyMissing()

    monkeypatch.setattr(interactive, "plotly_script", missing)
    path = workload(tmp_path / "w.csv", jobs=5)
    out = tmp_path / "page.html"
    assert main(["report", path, "--interactive", str(out)]) == 2
    assert "pip install 'libsked[interactive]'" in capsys.readouterr().err
    assert not out.exists()


def test_files_of_units_have_a_page(tmp_path, monkeypatch):
    stand_in(monkeypatch)
    path = tmp_path / "units.csv"
    path.write_text("key,length_s,amount\na,60,3\nb,30,5\n")
    said = facts_in(interactive.page(
        reporting.gather(reporting.Wanted(str(path)))))
    assert said["waits"] is None and said["usage"] is None
    assert [t["id"] for t in said["tables"]] == ["needs"]


# ---- in a browser ----


@pytest.fixture(scope="module")
def tab(facts, tmp_path_factory):
    """A browser with the page."""
    pytest.importorskip("plotly", reason="libsked[interactive] is missing")
    pytest.importorskip("websocket", reason="websocket-client is missing")
    import browser
    if not browser.found():
        pytest.skip("no Chromium")
    path = tmp_path_factory.mktemp("made") / "page.html"
    path.write_text(interactive.page(facts), encoding="utf-8")
    made = browser.Browser()
    made.size(1280)
    made.open(path)
    made.path = path
    yield made
    made.close()


def rows(tab, box):
    """The rows of a table as texts."""
    return tab.run(f"""[...document.querySelectorAll('#{box} tbody tr')]
        .map(row => [...row.cells].map(c => c.textContent))""")


def test_a_browser_asks_for_nothing_and_draws(tab):
    assert tab.requests() == [tab.path.as_uri()]
    assert tab.said() == []
    for picture in ("usage", "late"):
        assert tab.run(f"document.querySelectorAll('#{picture} svg').length"
                       ) > 0


def test_a_click_sorts(tab):
    def order():
        return [int(row[2].replace(",", "")) for row in rows(tab, "queues")]

    assert order() == sorted(order(), reverse=True)
    tab.run("document.querySelector('#queues th:nth-child(3) button').click()")
    assert order() == sorted(order()) and len(set(order())) > 1
    assert tab.run("document.querySelector('#queues th:nth-child(3)')"
                   ".getAttribute('aria-sort')") == "ascending"


def test_a_word_filters_every_table(tab):
    tab.run("document.getElementById('filter').value = 'WEB';"
            "document.getElementById('filter').dispatchEvent("
            "new Event('input'))")
    assert {row[0] for row in rows(tab, "queues")} == {"web"}
    assert {row[1] for row in rows(tab, "table-users")} == {"web"}
    tab.run("document.getElementById('filter').value = '';"
            "document.getElementById('filter').dispatchEvent("
            "new Event('input'))")
    assert len(rows(tab, "queues")) > 3


def test_a_brush_counts_again(tab, facts):
    """The first half of the time, by hand and by Plotly's zoom."""
    edges = interactive.edges_of(facts)
    middle = len(edges) // 2
    inside = facts.seen.submit < edges[middle]
    tab.run(f"""Plotly.relayout('late', {{'xaxis.range[0]':
        {json.dumps(interactive.place(facts, edges[0]))}, 'xaxis.range[1]':
        {json.dumps(interactive.place(facts, edges[middle]))}}})""")
    counted = sum(int(row[1].replace(",", "")) for row in rows(tab, "queues"))
    assert counted == int(inside.sum()) < 160
    late = sum(int(row[2].replace(",", "")) for row in rows(tab, "queues"))
    assert late == int((facts.seen.wait[inside] > 600 * 10**9).sum())
    assert "Selected:" in tab.run(
        "document.getElementById('selected').textContent")
    tab.run("document.getElementById('reset').click()")
    assert sum(int(row[1].replace(",", "")) for row in rows(tab, "queues")
               ) == 160


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_sticks_out(tab, width):
    tab.size(width)
    tab.open(tab.path)
    assert tab.run("document.documentElement.scrollWidth") <= width


def test_odd_names_are_texts(tab):
    assert any(odd in row[0] for row in rows(tab, "queues") for odd in ODD)
