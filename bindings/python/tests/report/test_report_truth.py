"""Which jobs, which window and which peak the report's numbers are about."""

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="libsked[plot] is missing")
pytest.importorskip("jinja2", reason="libsked[report] is missing")

from sked import pictures, reporting  # noqa: E402
from sked.commands import main  # noqa: E402
from sked.enums import Decide  # noqa: E402
from sked.importers import read_workload  # noqa: E402
from sked.reporting import (  # noqa: E402
    cluster, decide, given, numbers, parts, plans, reading, runs, search,
    whatif)
from sked.reporting.window import window_of  # noqa: E402
from sked.tree import Tree  # noqa: E402

HEAD = "submit_s,start_s,end_s,user,queue,tasks,cpu,job_id"
HOUR, DAY = 3600, 86_400


def write(path, rows, head=HEAD):
    """A workload of rows."""
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in
                                       rows)]) + "\n", encoding="utf-8")
    return str(path)


def tiles_of(said):
    """Values by label."""
    return {tile["label"]: tile["value"] for tile in said["tiles"]}


def facts_of(path, **more):
    """The facts as data."""
    facts = reporting.gather(reporting.Wanted(path, sweep=(1,), **more))
    return facts, reporting.data(facts)


# ---- which jobs ----


def test_waits_of_jobs_that_ran_for_no_time_count(tmp_path):
    """Half of 20 jobs waited two hours and then ended at once."""
    path = write(tmp_path / "w.csv", [
        *((i, 10 + i, 100 + i, "u", "q", 1, 1, i) for i in range(10)),
        *((i, 7200 + i, 7200 + i, "u", "q", 1, 1, f"z{i}")
          for i in range(10))])
    facts, said = facts_of(path)
    tiles = tiles_of(said)
    assert (tiles["late"], tiles["p95"], tiles["users 1"]) == (10, 7200, 0)
    assert said["waits"]["root.q"]["recorded"]["late"] == 10
    assert said["waits"]["root.q"]["jobs"] == 20
    assert said["waits"]["root.q"]["simulated"]["late"] == 0
    assert said["inputs"]["jobs"] == 10 and said["inputs"]["waits_only"] == 10
    page = reporting.page(facts)
    assert "10 waited over 10\u00a0min" in page
    assert "10 of 20 jobs waited longer than" in page


def test_a_queue_of_such_jobs_alone_is_told_without_growing_the_tree(tmp_path):
    path = write(tmp_path / "w.csv", [
        (0, 0, 50, "u", "q", 1, 1, "a"), (5, 7205, 7205, "v", "x.y", 1, 1, "b")])
    facts, said = facts_of(path)
    assert [leaf.path for leaf in facts.given.tree.leaves] == ["root.q"]
    assert said["waits"]["root.x.y"] == {
        "jobs": 1, "recorded": {"p50_s": 7200, "p95_s": 7200, "p99_s": 7200,
                                "late": 1}, "simulated": None, "causes": {}}
    assert "x.y" in reporting.page(facts)


@pytest.mark.parametrize("starts", [True, False])
def test_columns_and_rows_are_read_alike(tmp_path, starts):
    """Whole columns give what single rows give."""
    pytest.importorskip("pyarrow")
    draw = random.Random(5)
    rows = []
    for i in range(400):
        at = draw.randrange(10_000)
        start = at + draw.choice((0, 5, 900))
        run = draw.choice((0, 7, 60))
        rows.append((at, start if starts else "", start + run if starts else "",
                     draw.choice(("", "u", "v")), draw.choice(("a", "b.c", "")),
                     draw.randrange(0, 4), draw.choice((1, "0.5", "")), i,
                     draw.choice(("", 1, 2)), "" if starts else run))
    path = write(tmp_path / "w.csv", rows, HEAD + ",tier,run_s")

    def read(how):
        tree = Tree("cpu=m memory=B gpu=m")
        work = read_workload(path)
        found = how(work, tree)
        tree.commit()
        paths = {leaf.id: leaf.path for leaf in tree.leaves}
        jobs, notes = found.jobs, found.notes
        return ([paths[q] for q in jobs.queue], found.skipped, work.records,
                notes.users, notes.present, notes.aside.paths,
                *(list(map(int, one)) for one in (
                    jobs.submit, jobs.run, jobs.amounts, jobs.tasks, jobs.user,
                    notes.start, notes.end, notes.tier, notes.aside.queue,
                    notes.aside.user, notes.aside.submit, notes.aside.wait)))

    more = {"default_run": None, "default_task": None, "grow": True}
    one = read(lambda work, tree: reading.by_columns(
        work, tree, "queue", progress=lambda n: None, **more))
    two = read(lambda work, tree: reading.by_rows(
        work, tree, "queue", partitions={}, progress=lambda n: None, **more))
    assert one == two
    assert len(one[-1]) > 0 or not starts


def test_a_log_in_which_nobody_waited_is_replayed(tmp_path):
    path = write(tmp_path / "w.csv", [
        (0, 0, 3600, "u", "q", 4, 1, "a"), (100, 100, 4000, "v", "q", 4, 1, "b"),
        (7200, 7200, 9000, "u", "q", 4, 1, "c")])
    facts, said = facts_of(path)
    assert facts.given.mode is reporting.Mode.JOBS
    assert tiles_of(said)["late"] == 0 and said["growth"] and said["sizes"]
    assert "not when it was asked for" not in reporting.page(facts)


def test_starts_may_be_taken_for_submissions(tmp_path):
    path = tmp_path / "usage.csv"
    path.write_text("start_s,end_s,queue,gpu\n0,60,a,2\n60,90,a,3\n0,80,b,1\n")
    assert facts_of(str(path))[0].given.mode is reporting.Mode.USAGE
    assert facts_of(str(path), from_starts=True)[0].given.mode is \
        reporting.Mode.JOBS


# ---- which window ----


def exported(path, since):
    """Twelve days of ten users on 40 cores; the jobs that end from `since`
    on: most run for minutes, some for days."""
    draw, rows = random.Random(7), []
    for i in range(6000):
        at = draw.uniform(0, 12 * DAY)
        run = draw.uniform(60, 2000) if i % 20 else draw.uniform(DAY, 5 * DAY)
        rows.append((round(at), round(at), round(at + run),
                     f"u{draw.randrange(10)}", "q", 1, 1, i))
    return write(path, sorted(row for row in rows if row[2] >= since))


def test_an_export_by_ends_is_measured_where_it_is_whole(tmp_path):
    whole, said = facts_of(exported(tmp_path / "a.csv", 0))
    assert not whole.window.cut
    cut, told = facts_of(exported(tmp_path / "b.csv", 6 * DAY))
    assert cut.window.cut and cut.window.before > 20
    assert 6 * DAY <= told["inputs"]["window"]["from_s"] < 6 * DAY + 600
    assert any("accounting exports" in a for a in told["inputs"]["assumptions"])
    # the use of these days, as the whole log has it
    notes = whole.given.notes
    held = numbers.exact_dot(whole.given.held("cpu"), (
        notes.end.clip(cut.window.begin, cut.window.end) -
        notes.start.clip(cut.window.begin, cut.window.end)))
    mean = held / (cut.window.end - cut.window.begin) / cut.capacity
    assert tiles_of(told)["in use"] == pytest.approx(mean, rel=0.01)
    assert said["inputs"]["window"]["cut"] is False


def test_long_jobs_at_the_beginning_are_no_export(tmp_path):
    """One user's long jobs come first: no more than chance."""
    path = write(tmp_path / "w.csv", [
        *((i, i, i + 5 * DAY, "u", "q", 1, 1, f"l{i}") for i in range(50)),
        *((5 * DAY + i * 60, 5 * DAY + i * 60, 5 * DAY + i * 60 + 90, "v", "q",
           1, 1, i) for i in range(500))])
    found = given.read(reporting.Wanted(path))
    assert not window_of(found).cut


# ---- which peak ----


def test_a_peak_of_rows_that_overlap_is_no_capacity(tmp_path):
    """A machine of 96 cores that is mostly full; for a quarter of an hour of
    35 days 240 more are in use."""
    draw, free, rows, at = random.Random(2), [0.0] * 12, [], 0.0
    for i in range(6000):
        node = min(range(12), key=free.__getitem__)
        at += draw.expovariate(1 / 520)
        start = max(at, free[node])
        free[node] = start + draw.randrange(600, 12_000)
        rows.append((round(at), round(start), round(free[node]), f"u{i % 7}",
                     "q", 1, 8, i))
    plain, _ = facts_of(write(tmp_path / "a.csv", rows))
    assert plain.capacity == 96_000 and not plain.cluster.spikes
    more = [(1_000_000, 1_000_000, 1_000_900, "u9", "q", 1, 8, f"o{i}")
            for i in range(30)]
    path = write(tmp_path / "b.csv", sorted(rows + more))
    facts, said = facts_of(path)
    assert facts.capacity == 96_000
    assert said["inputs"]["capacity"]["cpu"]["peak"] == 336
    assert "rows of the file overlap" in reporting.page(facts)
    told, _ = facts_of(path, capacity="cpu=400")
    assert told.capacity == 400_000 and not told.cluster.spikes


def test_a_rare_burst_stays_a_capacity_and_is_named(tmp_path):
    """Two cores are in use most of the time, once a hundred: no plateau near a
    level says that the machine was full."""
    rows = [(i * HOUR, i * HOUR, i * HOUR + 1800 + i % 1500, "u", "q", 1,
             1 + i % 2, i) for i in range(2000)]
    rows.append((50, 50, 400, "v", "q", 100, 1, "burst"))
    facts, said = facts_of(write(tmp_path / "w.csv", sorted(rows)))
    assert facts.capacity >= 100_000
    assert all(not s.taken for s in facts.cluster.spikes.values())


# ---- a search that had something to improve ----


@pytest.fixture(scope="module")
def burst(tmp_path_factory):
    """Facts of seven quiet days, then three with a burst of large and small
    jobs."""
    rows = [(day * DAY + i * 3000, "", "", f"u{i % 3}", "q", 1, 1, f"a{day}{i}",
             600) for day in range(10) for i in range(20)]
    rows += [(day * DAY + i, "", "", "v", "q", 2 if i % 5 else 150, 1,
              f"b{day}-{i}", 60 if i % 5 else 3600)
             for day in (7, 8, 9) for i in range(300)]
    path = write(tmp_path_factory.mktemp("burst") / "w.csv", sorted(rows), HEAD + ",run_s")
    return facts_of(path, nodes=("4 x cpu=50",))


def test_the_history_is_cut_where_its_late_jobs_are(burst):
    """An order helps, and the search finds it, which sees no late job in the
    first 60 % of the time."""
    facts, said = burst
    found = facts.searched
    assert found.moved and found.trials[0].late > 0
    assert found.proved is not None and said["advice"]
    assert found.proved.all_after < found.proved.all_before // 2


def test_a_cut_leaves_late_jobs_on_both_sides():
    assert search.split_of(0, 1000, numbers.column([100, 500, 900])) == (
        600, False)
    for late in ([950] * 50, [700, 800, 900, 950], list(range(901, 999))):
        at, moved = search.split_of(0, 1000, numbers.column(late))
        assert moved and late[0] < at


def test_nothing_to_improve_is_said():
    found = search.Searched(trials=[search.Trial("now", 0, 0, 0, 0)] * 3)
    assert "nothing to improve" in search.reason(found)
    found.trials = [search.Trial("now", 5, 0, 0, 0)] * 2
    assert search.reason(found).startswith("the one change")
    found.trials = [search.Trial("now", 5, 0, 0, 0)] * 4
    assert "none of 3 changes makes fewer of the 5 late" in search.reason(found)


# ---- sums that do not fit ----


def test_more_in_use_than_a_number_holds_is_an_error(tmp_path):
    """Each job is within the limits; two at once are not."""
    huge = 4 * 10**15
    path = write(tmp_path / "w.csv", [
        (0, 0, 100, "u", "q", 1000, huge // 1000, "a"),
        (1, 5, 90, "u", "q", 1000, huge // 1000, "b")])
    with pytest.raises(ValueError, match="more than 2.62 units at one time"):
        facts_of(path)


# ---- advice that can be defended ----


def tried(*sizes):
    """Clusters of ten nodes: size, late jobs, and what 95 % wait (s)."""
    return [whatif.Tried(f"size {size}", 0, p95 * 10**9, late, 0,
                         Fraction(size), int(10 * Fraction(size)))
            for size, late, p95 in sizes]


def decided(facts, *sizes):
    """What the page says to do."""
    facts.tried = tried(*sizes)
    return decide.decisions(facts), str(plans.first(facts))


def test_machines_are_advised_for_what_they_bring(tmp_path):
    """The least larger size with any gain is no advice; nor is a doubling ever
    the first thing to do."""
    path = write(tmp_path / "w.csv", [
        (i, "", "", "u", "q", 1, 1, i, 3000) for i in range(60)],
        HEAD + ",run_s")
    facts, _ = facts_of(path, nodes=("10 x cpu=1",))
    facts.searched = None
    # 3 % of the late jobs for twice the machine
    made, said = decided(facts, (1, 953, 99_000), (2, 924, 98_000))
    assert made == []
    assert "do this first" not in said
    assert "not worth their cost: 10 nodes more (100 % more machine) would " \
        "bring 29 of 953 late jobs in time" in said
    # enough for its cost, and still short of the target
    made, said = decided(facts, (1, 3790, 32_000), ("5/4", 2299, 7900),
                         (2, 1500, 5000))
    assert "2 nodes more" in made[0].what and not made[0].first
    assert "the target of 10 min is still missed" in made[0].brings
    assert "do this first" not in said
    # the smallest that meets the target, and a quarter may come first
    made, said = decided(facts, (1, 100, 900), ("5/4", 40, 500), (2, 0, 0))
    assert "2 nodes more" in made[0].what and made[0].first
    assert "is met" in made[0].brings and "do this first" in said
    made, said = decided(facts, (1, 100, 900), (2, 0, 0))
    assert "10 nodes more" in made[0].what and "do this first" not in said


def test_a_free_setting_comes_before_machines(burst):
    """Where the search proves an order, that is the first thing to do."""
    facts, said = burst
    made = decide.decisions(facts)
    assert made[0].cost == 0 and made[0].fewer > 600
    assert said["headline"].startswith("953 of 1,100 jobs (87 %) waited over "
                                       "10 min, 94 % of them jobs of user v")
    assert "jobs late become" in said["headline"]


# ---- one meaning of a word ----


def test_withdrawals_are_those_of_allocations(tmp_path, monkeypatch):
    """A withdrawn reservation is no preemption: the picture of the bundled day
    counts as the run does."""
    monkeypatch.chdir(tmp_path)
    assert main(["replay", "--example", "day"]) == 0
    wanted = reporting.Wanted(
        "day/workload.csv", tree="day/tree.txt", preempt="starvation",
        nodes=("24 x cpu=32,memory=128GiB",
               "6 x cpu=32,memory=256GiB,gpu=8 @gpu"))
    found = given.read(wanted)
    reserved = []

    class Acts(pictures.Acts):
        def __call__(self, records):
            super().__call__(records)
            reserved.extend(r.count for r in records
                            if r.kind == Decide.WITHDRAW and not r.group)

    monkeypatch.setattr(runs, "Acts", Acts)
    ran = runs.simulate(wanted, found, cluster.make(wanted, found), found.tree,
                        "cpu")
    counts = dict.fromkeys((Decide.NOTIFY, Decide.KILL, Decide.WITHDRAW), 0)
    for kind, count in zip(ran.acts["kind"].tolist(),
                           ran.acts["count"].tolist()):
        counts[Decide(kind)] += count
    assert sum(reserved) > 0 and ran.total.withdrawn > 0
    assert list(counts.values()) == [ran.total.notified, ran.total.killed,
                                     ran.total.withdrawn]


def test_a_limit_is_no_number_of_nodes():
    figure = pictures.growth([(1, 100), (2, 1100)], 600, nodes=36)
    said = [t.get_text() for t in figure.axes[0].texts]
    assert any("limit 1.50\u00d7 the work on the same 36 nodes" in one
               for one in said)
    assert not any("54" in one for one in said)


def test_shares_are_called_steady_or_instantaneous(tmp_path):
    path = write(tmp_path / "w.csv", [
        (i * 10, "", "", "u", "ab"[i % 2], 2, 1, i, 600) for i in range(60)],
        HEAD + ",run_s")
    page = reporting.page(facts_of(path, nodes=("2 x cpu=4",))[0])
    over = page.split("<h2>Over and under their share</h2>")[1].split("<h2>")
    assert "steady fair share" in over[0] and "width: steady fair share" in \
        over[0]
    assert "instantaneous share" in over[1] and "instantaneous share" in over[2]


# ---- users, tiers ----


def test_a_file_without_users_has_no_tile_of_users(tmp_path):
    rows = [(i, i + 900 * (i % 2), i + 2000, "q", 1, 1, i) for i in range(10)]
    head = "submit_s,start_s,end_s,queue,tasks,cpu,job_id"
    facts, said = facts_of(write(tmp_path / "a.csv", rows, head))
    assert not {t for t in tiles_of(said) if t.startswith(("users", "queues"))}
    assert "users" not in reporting.page(facts).split('class="basis"')[0]
    two = [(*row[:3], "qr"[i % 2], *row[4:]) for i, row in enumerate(rows)]
    facts, said = facts_of(write(tmp_path / "b.csv", two, head))
    assert tiles_of(said)["queues 1"] == 0.5
    assert "of queues have 9 in 10 of their jobs start in" in \
        reporting.page(facts)


def test_every_tier_has_its_tile_and_its_mean_use(tmp_path):
    """Three tiers; each holds a core for another part of an hour."""
    rows = [row for t in (1, 2, 3) for row in (
        (0, 0, 900 * t, f"u{t}", f"q{t}", 1, 1, f"a{t}", t),
        (3600, 3600 + 700 * (t > 1), 7200, f"u{t}", f"q{t}", 1, 1, f"b{t}", t))]
    facts, said = facts_of(write(tmp_path / "w.csv", sorted(rows),
                                 HEAD + ",tier"))
    assert {k: v for k, v in tiles_of(said).items() if "users" in k} == {
        "users 1": 1, "users 2": 0, "users 3": 0}
    page = reporting.page(facts)
    cell = page.split("Mean use of it</th>")[1].split("</table>")[0]
    assert [int(one) for one in re.findall(r"(\d+)\u00a0%</td></tr>", cell)] \
        == [round(100 * (900 * t + 3600 - 700 * (t > 1)) / 7200)
            for t in (1, 2, 3)]


# ---- long histories ----


def test_a_long_history_is_replayed_where_its_late_jobs_are(tmp_path,
                                                            monkeypatch):
    """Recorded numbers are of the whole; a replay is of 300 jobs of 2,000,
    those that begin with the crowd."""
    monkeypatch.setattr(parts, "WHOLE", 1000)
    monkeypatch.setattr(parts, "PART", 300)
    rows = [(i * 100, i * 100 + (4000 if 1200 <= i < 1450 else 0),
             i * 100 + 9000, f"u{i % 3}", "ab"[i % 2], 1, 1, i)
            for i in range(2000)]
    path = write(tmp_path / "w.csv", rows)
    facts, said = facts_of(path)
    assert tiles_of(said)["late"] == 250
    assert said["waits"]["root.a"]["jobs"] == 1000
    assert said["inputs"]["replayed"] == 300
    submit = facts.part.jobs.submit
    assert submit[0] <= 1200 * 100 * 10**9 and submit[-1] >= 1449 * 100 * 10**9
    assert len(facts.ran.delays) == 300 and facts.base is facts.ran
    page = reporting.page(facts)
    assert "a replay of 300 of them" in page
    # without starts the waits are those of a replay of all
    bare = [(row[0], "", "", *row[3:], 9000) for row in rows]
    facts, said = facts_of(write(tmp_path / "b.csv", bare, HEAD + ",run_s"),
                           nodes=("60 x cpu=1",))
    assert len(facts.ran.delays) == 2000 and len(facts.base.delays) == 300
    assert said["inputs"]["replayed"] == 2000
    assert facts.tried[0].late == whatif.late_of(facts.base.delays,
                                                 facts.wanted.target)
    reporting.page(facts)


def test_a_long_line_keeps_its_highest_levels(monkeypatch):
    monkeypatch.setattr(numbers, "STRETCHES", 50)
    draw = random.Random(3)
    time = numbers.column(sorted(draw.sample(range(10**6), 5000)))
    held = numbers.column([draw.randrange(1000) for _ in range(5000)])
    few, levels = numbers.thinned(time, held)
    assert len(few) <= 100 and (few[1:] > few[:-1]).all()
    assert (few[-1], levels[-1]) == (time[-1], held[-1])
    each = (int(time[-1]) - int(time[0])) // 50 + 1
    for k in range(50):
        inside = (time - time[0]) // each == k
        assert levels[(few - time[0]) // each == k].max() == \
            held[inside].max()
    assert set(zip(few.tolist(), levels.tolist())) <= set(
        zip(time.tolist(), held.tolist()))


def test_a_log_hears_what_is_done(monkeypatch, capsys):
    """Where standard error is no terminal: a line after the first second, then
    one every ten."""
    from sked.commands import report
    now = [0.0]
    monkeypatch.setattr(report.time, "monotonic", lambda: now[0])
    for quiet, lines in ((False, [
            "report: after 2 s, 0 %: reading, 9 rows ...",
            "report: after 12 s, 25 %: planning ..."]), (True, [])):
        now[0] = 0.0
        with report.Shown(quiet) as shown:
            for at, part, what in ((0.5, 0, "reading"), (2, 0, "reading, 9 rows"),
                                   (5, 0.1, "replaying"), (12, 0.25, "planning")):
                now[0] = at
                shown.step(part, what)
        assert capsys.readouterr().err.splitlines() == lines


def test_each_replay_is_heard_of(tmp_path):
    """Who waits hears of the replay, of each change, size and multiplier; what
    a hearer raises ends the report."""
    path = write(tmp_path / "w.csv", [
        (day * DAY + i * 60, "", "", f"u{i % 3}", "q" if i % 2 else "r", 1, 1,
         f"{day}-{i}", 900) for day in range(4) for i in range(60)],
        HEAD + ",run_s")
    heard = []
    wanted = reporting.Wanted(path, nodes=("4 x cpu=1",), sweep=(1, 2))
    reporting.gather(wanted, lambda part, what: heard.append((part, what)))
    for said in (r"replaying, [\d,]+ decisions", "looking for changes: \\w",
                 "trying other sizes: \\w", "trying more work: 2 times"):
        assert any(re.match(said, what) for _, what in heard), said
    parts = [part for part, _ in heard]
    assert parts == sorted(parts)

    class Stop(Exception):
        pass

    def stop(part, what):
        if what.startswith("trying more"):
            raise Stop

    with pytest.raises(Stop):
        reporting.gather(wanted, stop)


def test_names_do_not_move_the_cursor(capsys):
    from sked.commands.report import Shown
    with Shown(False) as shown:
        shown.due = 0
        shown.step(0.5, "queue \x1b[2J\r of \u202e")
    assert "queue ?[2J? of ?" in capsys.readouterr().err
