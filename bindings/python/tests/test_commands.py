"""What every command of `python -m sked` does alike."""

import signal
import subprocess
import sys

import pytest

from workloads import BIN


def test_who_stops_reading_gets_no_traceback(tmp_path):
    tree = tmp_path / "tree.txt"
    tree.write_text("kinds cpu=m\nroot.a\n")
    child = subprocess.Popen(
        [sys.executable, "-m", "sked", "validate", str(tree)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.close()
    assert child.stderr.read() == b"" and child.wait() == -signal.SIGPIPE


def test_errors_of_packed_files_name_what_was_given(tmp_path, capfd):
    import gzip
    from sked.commands import main
    path = tmp_path / "w.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write("nothing\n1\n")
    assert main(["replay", str(path)]) == 2
    said = capfd.readouterr().err
    assert str(path) in said and "/sked" not in said.replace(str(path), "")
    with gzip.open(path, "wt") as file:
        file.write("submit_s,run_s,cpu\n0,5,1\n")
    assert main(["replay", str(path)]) == 0
    said = capfd.readouterr().out
    assert f"Workload   {path}: 1 jobs" in said and "/tmp" not in \
        said.replace(str(path), "")


def test_a_packed_file_that_is_broken_is_named(tmp_path, capfd):
    import gzip
    from sked.commands import main
    path = str(tmp_path / "w.csv.gz")
    whole = gzip.compress(b"submit_s,run_s,cpu\n" + b"0,5,1\n1,7,2\n" * 9)
    for data in (b"garbage", whole[:-12], whole[:20] + b"\xff" * 8 + whole[28:]):
        with open(path, "wb") as file:
            file.write(data)
        for words in (["replay", path], ["percentile", path],
                      ["explain", "pending", "1", path],
                      ["explain", path, "root", "--capacity", "cpu=1"],
                      ["replay", "--tree", path],
                      ["explain", "pending", "1", "--snapshot", path]):
            assert main(words) == 2, words
            said = capfd.readouterr().err
            assert said.startswith(f"{words[0]}: {path}: is packed, and broken: ")
            assert said.count("\n") == 1
    assert main(["convert", path, str(tmp_path / "out.csv")]) == 2
    assert f"{path}: error: is packed, and broken: " in capfd.readouterr().err


def test_outputs_are_neither_read_nor_one_file(tmp_path, capfd):
    from sked.commands import main
    work = tmp_path / "w.csv"
    text = "submit_s,run_s,cpu\n0,5,1\n"
    work.write_text(text)
    (tmp_path / "link.csv").symlink_to(work)
    page, facts = str(tmp_path / "p.html"), str(tmp_path / "f.json")
    for words, why in ((["--json", str(work)], "is read, too"),
                       (["-o", str(tmp_path / "link.csv")], "is read, too"),
                       (["--json", facts, "--tiers", facts], "is read, too"),
                       (["-o", page, "--json", page], "one output only"),
                       (["-o", "-", "--json", "-"], "one output only")):
        with pytest.raises(SystemExit) as stop:
            main(["report", str(work), *words])
        assert stop.value.code == 2 and why in capfd.readouterr().err, words
    assert work.read_text() == text and len(list(tmp_path.iterdir())) == 2


def test_the_size_of_the_cluster_is_said_once(capfd):
    from sked.commands import main
    nodes, whole, load = (["--nodes", "1 x cpu=2"], ["--capacity", "cpu=2"],
                          ["--load", "2"])
    for words, why in ((nodes + whole, "--capacity does not go with --nodes"),
                       (load + nodes, "--load does not go with --nodes"),
                       (whole + load, "--load does not go with --capacity")):
        with pytest.raises(SystemExit) as stop:
            main(["report", "w.csv", "--json", "-", *words])
        assert stop.value.code == 2 and why in capfd.readouterr().err


def test_a_file_that_cannot_be_written_is_named_and_leaves_none(tmp_path, capfd):
    from sked.commands import main
    from sked.testing import vectors
    tree, none = tmp_path / "t.txt", str(tmp_path / "none/out.txt")
    tree.write_text("kinds cpu=m\nroot\nroot.a\n")
    work = tmp_path / "w.csv"
    work.write_text("submit_s,run_s,cpu\n0,5,1\n")
    assert vectors.main([str(tmp_path), "--json", none]) == 2
    assert repr(none) in capfd.readouterr().err
    for words in (["convert", str(tree), none],
                  ["convert", str(work), none, "--to", "csv"],
                  ["report", str(work), "--json", none, "--quiet"]):
        if words[0] == "report":
            pytest.importorskip("numpy")
            pytest.importorskip("jinja2")
        assert main(words) == 2
        said = capfd.readouterr().err
        assert said.count("\n") == 1 and repr(none) in said
        assert sorted(p.name for p in tmp_path.iterdir()) == ["t.txt", "w.csv"]


def test_what_is_no_regular_file_is_written_as_it_is(tmp_path, capfd):
    import os
    import stat
    import threading
    from sked.commands import main
    tree, work = tmp_path / "t.txt", tmp_path / "w.csv"
    tree.write_text("kinds cpu=m\nroot\nroot.a\n")
    work.write_text("submit_s,run_s,cpu\n0,5,1\n")
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    got = []

    def read():
        with open(pipe, "rb") as file:
            got.append(file.read())

    for words in (["convert", str(tree), pipe, "--to", "text"],
                  ["convert", str(work), pipe, "--to", "csv"],
                  ["report", str(work), "--quiet", "--json", pipe]):
        if words[0] == "report":
            pytest.importorskip("numpy")
            pytest.importorskip("jinja2")
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        assert main(words) == 0
        reader.join(timeout=30)
        assert stat.S_ISFIFO(os.stat(pipe).st_mode) and got.pop(), words


def test_numbers_of_queues_are_told_as_people_do(tmp_path, capsys):
    from sked.commands import main
    for text, said in (("root\n", "1 queue,"), ("root\nroot.a\n", "2 queues,")):
        path = tmp_path / "tree.txt"
        path.write_text(text)
        assert main(["validate", str(path)]) == 0
        assert said in capsys.readouterr().out


def test_what_is_read_is_listed_where_nothing_fits(tmp_path):
    from sked.importers import ImportFailed, read_workload
    path = tmp_path / "odd"
    path.write_bytes(b"\x00\x01\x02")
    with pytest.raises(ImportFailed, match="known: .*csv.*swf"):
        read_workload(str(path))


def test_every_program_says_its_version(capfd):
    import sked
    from sked.commands import main, names
    from sked.testing import regressions, vectors
    assert main(["--version"]) == 0
    assert capfd.readouterr().out == f"sked {sked.__version__}\n"
    programs = [(name, lambda words, name=name: main([name, *words]))
                for name in names()]
    programs += [("explain", lambda words: main(["explain", "share", *words])),
                 ("regressions", regressions.main), ("vectors", vectors.main)]
    for name, run in programs:
        for option, begin in (("--version", f"{name} {sked.__version__}\n"),
                              ("--help", "")):
            try:
                status = run([option])
            except SystemExit as stop:
                status = stop.code
            said = capfd.readouterr()
            assert not status and not said.err and said.out, (name, option)
            assert said.out == begin or option == "--help", (name, said.out)


def test_a_case_that_is_not_there_did_not_pass(tmp_path, capfd):
    from sked.testing import vectors
    (tmp_path / "few.json").write_text("[]")
    for words in (["--kind", "no"], ["--id", "no"], ["--id", ""]):
        assert vectors.main([str(tmp_path), *words]) == 2
        assert capfd.readouterr().err == "vectors: there is no such case\n"
    assert vectors.main([str(tmp_path)]) == 0


def test_bad_usage_is_told_in_one_line(tmp_path, capfd):
    from sked.commands import main
    from sked.testing import vectors
    for words in ([], ["frob"], ["explain"], ["explain", "t", "root"],
                  ["explain", "pending"], ["explain", "pending", "j", "--at", "x"],
                  ["explain", "pending", "j", "--at", "1/0"],
                  ["report", "w.csv"], ["report", "w.csv", "--heartbeat", "-1"],
                  ["convert", "a"], ["validate", "--form", "x", "a"]):
        try:
            status = main(words)
        except SystemExit as stop:
            status = stop.code
        said = capfd.readouterr()
        name = words[0] if words and words[0] != "frob" else "sked"
        assert status == 2 and not said.out, words
        assert said.err.count("\n") == 1 and said.err.startswith(name + ": "), words
    with pytest.raises(SystemExit):
        vectors.main([])
    assert capfd.readouterr().err == (
        "vectors: the following arguments are required: DIR (see --help)\n")


def test_bytes_are_told_roughly_too():
    import sked
    from sked.explain.words import amount
    schema = sked.Schema("cpu=m memory=B")
    assert amount(schema, 1, 5425164452029) == (
        "5425164452029 B (about 4.93 TiB) memory")
    assert amount(schema, 1, 4 << 30) == "4GiB memory"
    assert amount(schema, 0, 2500) == "2.5 cpu"


def test_a_report_without_its_packages_says_what_to_install(tmp_path):
    work = tmp_path / "w.csv"
    work.write_text("submit_s,run_s,cpu\n0,5,1\n1,5,1\n")
    said = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules.update(dict.fromkeys("
         "('jinja2', 'markupsafe'))); from sked.commands import main; "
         f"sys.exit(main(['report', {str(work)!r}, '--json', '-']))"],
        capture_output=True, text=True)
    assert said.returncode == 2 and not said.stdout
    assert "pip install 'libsked[report]'" in said.stderr


PROGRAMS = ("advise", "balance", "batch", "daily_report", "locality",
            "percentile", "replay", "route")


def sked_command(*words):
    return subprocess.run([sys.executable, "-m", "sked", *words],
                          capture_output=True, text=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_is_a_command(name):
    if not BIN.joinpath(name).exists():
        pytest.skip(f"this build has no {name}")
    done = sked_command(name, "--version")
    assert done.returncode == 0 and done.stdout.startswith(f"{name} ")
    done = sked_command(name, "--help")
    assert done.returncode == 0 and "--" in done.stdout
    assert sked_command(name, "--no-such-option").returncode == 2
    assert f"  {name} " in sked_command("--help").stdout
