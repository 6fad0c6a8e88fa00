"""The report in a browser: it asks for nothing, says nothing on the console,
fits, reads in both themes, obeys the keyboard, prints."""

from fractions import Fraction

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("websocket", reason="websocket-client is missing")

import browser  # noqa: E402
from sked import reporting  # noqa: E402
from test_report import ODD, workload  # noqa: E402

if not browser.found():
    pytest.skip("no Chromium: sh tools/python report installs it where it may",
                allow_module_level=True)

WIDTHS = (360, 412, 768, 1280)


@pytest.fixture(scope="module")
def tab():
    """A browser for all tests."""
    made = browser.Browser()
    yield made
    made.close()


@pytest.fixture(scope="module", params=["jobs", "units"])
def page(request, tmp_path_factory):
    """A report of jobs with odd names and preemption, and one of units."""
    folder = tmp_path_factory.mktemp("page")
    if request.param == "jobs":
        wanted = reporting.Wanted(
            workload(folder / "odd.csv", jobs=200, tiers=True,
                     queues=("ads", "w" * 80, *ODD, *"abcdefgh")),
            preempt="starvation", title="Week <b>7</b>",
            sweep=(Fraction(1, 2), Fraction(1)))
    else:
        path = folder / "units.csv"
        path.write_text("key,length_s,amount\n" + "".join(
            f"vc{i % 30},{60 + i},{i % 17}\n" for i in range(900)))
        wanted = reporting.Wanted(str(path))
    path = folder / "report.html"
    path.write_text(reporting.report(wanted), encoding="utf-8")
    return path


def opened(tab, page, width=1280, scheme="light", kind=""):
    tab.size(width)
    tab.media(scheme, kind)
    tab.open(page)
    return tab


def test_no_request_and_not_a_word(tab, page):
    for scheme in ("light", "dark"):
        opened(tab, page, scheme=scheme)
        tab.run("document.querySelectorAll('details')"
                ".forEach(d => { d.open = true })")
        assert tab.requests() == [page.as_uri()]
        assert tab.said() == []


#: Elements that stick out of the window and do not scroll by themselves.
OUTSIDE = """[...document.querySelectorAll('main *')].filter(e =>
  !e.parentElement.closest('.scroll, pre, svg, .bar') &&
  e.getClientRects().length &&
  e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(e => e.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(tab, page, width):
    opened(tab, page, width)
    for script in ("0", "document.querySelectorAll('details')"
                        ".forEach(d => { d.open = true })"):
        tab.run(script)
        assert tab.run("document.documentElement.scrollWidth") <= width
        assert tab.run(OUTSIDE) == []


#: The least size in pixels at which text of a picture is shown.
LETTERS = """Math.min(...[...document.querySelectorAll('svg text')]
  .filter(t => t.getClientRects().length).map(t => {
    const svg = t.ownerSVGElement;
    return parseFloat(getComputedStyle(t).fontSize)
      * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width }))"""


@pytest.mark.parametrize("width", WIDTHS)
def test_text_in_pictures_can_be_read(tab, page, width):
    opened(tab, page, width)
    assert tab.run(LETTERS) >= 9.5


#: Texts of pictures that overlap another one, or are cut off by their picture.
CLASHES = """[...document.querySelectorAll('svg')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')]
    .filter(t => t.getClientRects().length && t.textContent.trim())
    .map(t => [t.textContent, t.getBoundingClientRect()]);
  const room = svg.getBoundingClientRect();
  const cut = boxes.filter(([, b]) => b.left < room.left - 2 ||
    b.right > room.right + 2 || b.top < room.top - 3 ||
    b.bottom > room.bottom + 3).map(([t]) => 'cut: ' + t);
  const both = boxes.flatMap(([t, a], i) => boxes.slice(i + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
    .map(([u]) => 'overlap: ' + t + ' / ' + u));
  return cut.concat(both) })"""


@pytest.mark.parametrize("width", (360, 1280))
def test_texts_of_pictures_keep_apart(tab, page, width):
    opened(tab, page, width)
    assert tab.run(CLASHES) == []


#: The least contrast of text with what is behind it, and where.
CONTRAST = """(() => {
  const rgb = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = rgb(c).map(v => (v /= 255) <= 0.04045
    ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const behind = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (rgb(c)[3] !== 0) return c } return 'rgb(255,255,255)' };
  let worst = [99, ''];
  for (const e of document.querySelectorAll(
      'h1,h2,p,td,th,summary,li,span,b,a,bdi,figcaption,code')) {
    if (!e.textContent.trim() || !e.getClientRects().length ||
        e.closest('svg') || e.className === 'skip') continue;
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 90)];
  }
  return worst })()"""


def test_both_themes_read_well(tab, page):
    seen = set()
    for scheme in ("light", "dark"):
        opened(tab, page, scheme=scheme)
        ratio, where = tab.run(CONTRAST)
        assert ratio >= 4.5, (scheme, where)
        seen.add(tab.run("getComputedStyle(document.body).backgroundColor"))
        seen.add(tab.run("getComputedStyle(document.querySelector("
                         "'svg text[style*=fill]')).fill"))
    assert len(seen) == 4


def test_the_keyboard_reaches_what_folds(tab, page):
    opened(tab, page)
    tab.run("window.seen = []; window.bare = []; addEventListener('focusin', "
            "e => { seen.push(e.target); if (getComputedStyle(e.target)"
            ".outlineStyle === 'none') bare.push(e.target.outerHTML) })")
    tab.press("Tab", 9)
    assert tab.run("document.activeElement.className") == "skip"
    count = tab.run("document.querySelectorAll('summary, .scroll, a').length")
    for _ in range(count + 4):
        tab.press("Tab", 9)
    missed = tab.run("[...document.querySelectorAll('summary')].filter(s => "
                     "s.getClientRects().length && !seen.includes(s)).length")
    assert missed == 0 and tab.run("bare.length") == 0
    tab.run("document.querySelector('summary').focus()")
    tab.press("Enter", 13, "\r")
    assert tab.run("document.querySelector('details').open") is True


def test_names_stay_names(tab, page):
    opened(tab, page)
    assert tab.run("document.scripts.length") == 0
    words = tab.run("document.body.textContent")
    if "Week" in words:
        assert "Week <b>7</b>" in words
        assert all(name in words for name in ODD)
        assert tab.run("document.querySelectorAll('h1 b').length") == 0


def test_pictures_have_names_and_tables(tab, page):
    opened(tab, page)
    assert tab.run("[...document.querySelectorAll('svg')].every(s => "
                   "s.getAttribute('role') === 'img' && "
                   "s.getAttribute('aria-label'))") is True
    assert tab.run("[...document.querySelectorAll('svg.wide')].every(s => "
                   "s.closest('section').querySelector('table, a.file'))")
    assert tab.run("document.querySelectorAll('svg title').length") > 0 or \
        "Week" not in tab.run("document.title")


def test_a_sheet_of_paper_holds_the_page(tab, page):
    """No table of an A4 page sticks out, and no empty fold is printed."""
    opened(tab, page, width=794, kind="print")
    assert tab.run("document.documentElement.scrollWidth") <= 794
    assert tab.run("""[...document.querySelectorAll('details')].filter(
        d => d.className !== 'basis' && d.getClientRects().length).length""") == 0
    assert tab.run("document.getElementById('appendix')"
                   ".getClientRects().length") == 0


def test_print_is_light_and_keeps_cards_whole(tab, page):
    opened(tab, page, scheme="dark", kind="print")
    assert tab.run("getComputedStyle(document.body).backgroundColor") == \
        "rgb(255, 255, 255)"
    assert tab.run("[...document.querySelectorAll('section')].every(s => "
                   "getComputedStyle(s).breakInside === 'avoid')") is True
    assert tab.run("getComputedStyle(document.querySelector('h1')).color") \
        == "rgb(29, 35, 41)"
    assert tab.pdf().startswith(b"%PDF")
