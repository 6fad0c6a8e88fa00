"""Columns in and out without a copy, to and from whoever has buffers."""

import ctypes
import pickle
import struct
from array import array

import pytest

import sked
from sked import admit, drf, plan, preempt
from sked.columns import Table, Texts, convert, convert_column
from conftest import wide_tree


def address(buffer):
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


def test_numpy_sees_the_same_memory():
    numpy = pytest.importorskip("numpy")
    tree = wide_tree(10)
    ledger = sked.Ledger(tree)
    view = ledger.view("usage", 0)
    one, two = numpy.asarray(view), numpy.asarray(view)
    assert numpy.shares_memory(one, two) and not one.flags.writeable
    assert one.dtype == numpy.int64
    rows = numpy.asarray(sked.share_once([-1, 0], [4, 6], demand=[0, 0, 9, 9]))
    assert rows.shape == (2, 2) and rows.tolist() == [[4, 6], [4, 6]]


def test_numpy_comes_in_uncopied_or_converted():
    numpy = pytest.importorskip("numpy")
    for dtype in ("int64", "int32", "uint8"):
        demand = numpy.array([10, 80, 80], dtype)
        assert sked.fill(100, demand=demand).share.tolist() == [10, 45, 45]
        assert sked.fill(60, demand=numpy.repeat(demand, 2)[::2]).share.tolist()
    with pytest.raises((TypeError, ValueError)):
        sked.fill(10, demand=numpy.array([0.5, 0.5]))


def test_decisions_are_a_structured_array():
    numpy = pytest.importorskip("numpy")
    from sked import engine, events
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    host = sked.Engine(tree)
    host.apply(sked.Events(tree).node_up(0, 7, [4]).submit(0, 1, queue)
               .ask(0, 1, 1, [1], 3).heartbeat(5, 7))
    taken = host.take()
    seen = numpy.asarray(taken.column)
    assert seen["node"].tolist() == taken.field("node") == [0, 7]
    assert seen.dtype.itemsize == engine.DECISION.size
    rows = numpy.zeros(1, dtype=[(n, "<i8" if events.EVENT.code(n) == "q" else
                                  f"<{'i' if events.EVENT.code(n) == 'i' else 'u'}"
                                  f"{8 if events.EVENT.code(n) == 'Q' else 4}")
                                 for n in events.EVENT.names])
    rows["kind"], rows["time"], rows["key"] = sked.EventKind.NODE_DOWN, 9, 7
    assert host.apply_rows(rows) == 1
    assert [d.kind for d in host.take()] == [sked.Decide.LOST]


def test_pandas_and_polars_take_tables():
    table = Table({"n": convert_column([3, 1]), "x": convert_column([.5, 1.], "d"),
                   "s": Texts(["a", "é"])})
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert frame["n"].tolist() == [3, 1] and frame["s"].tolist() == ["a", "é"]
    assert isinstance(frame, pandas.DataFrame)


def test_polars_takes_tables():
    polars = pytest.importorskip("polars")
    table = Table({"n": convert_column([3, 1]), "s": Texts(["a", "é"])})
    frame = polars.DataFrame(table)
    del table
    assert frame.to_dict(as_series=False) == {"n": [3, 1], "s": ["a", "é"]}
    back = sked.fill(4, demand=frame["n"])
    assert back.share.tolist() == [3, 1]


def test_arrow_takes_and_gives():
    pyarrow = pytest.importorskip("pyarrow")
    table = Table({"n": convert_column([3, 1]), "b": convert_column([1, 2], "I"),
                   "s": Texts(["a", ""])})
    seen = pyarrow.table(table)
    assert seen.to_pydict() == {"n": [3, 1], "b": [1, 2], "s": ["a", ""]}
    assert seen.schema.names == ["n", "b", "s"]
    demand = pyarrow.array([10, 80, 80])
    assert sked.fill(100, demand=demand).share.tolist() == [10, 45, 45]
    assert sked.fill(100, demand=demand[1:]).share.tolist() == [50, 50]
    with pytest.raises(TypeError):
        sked.fill(100, demand=pyarrow.array([10, None]))
    empty = pyarrow.table(Table({}))
    assert empty.num_columns == 0


def test_a_bytearray_is_a_column_of_its_bytes():
    weight = bytearray([1, 0, 0, 0, 3, 0, 0, 0])
    as_list = sked.fill(8, weight=list(weight)).share.tolist()
    assert sked.fill(8, weight=weight).share.tolist() == as_list
    assert sked.fill(8, weight=memoryview(weight)).share.tolist() == as_list


def test_dates_and_lengths_of_time_keep_their_nanoseconds():
    pandas = pytest.importorskip("pandas")
    dates = pandas.to_datetime([-1, 1001], unit="ns")
    spans = pandas.to_timedelta([-1, 1001], unit="ns")
    for column in (dates, dates.tz_localize("UTC"), list(dates), spans,
                   list(spans), pandas.Series(dates.tz_localize("UTC"))):
        assert list(convert(column, "q")) == [-1, 1001]
    pa = pytest.importorskip("pyarrow")
    for kind in (pa.timestamp("ns"), pa.timestamp("ns", "UTC"),
                 pa.duration("ns")):
        assert list(convert(pa.array([-1, 1001], kind), "q")) == [-1, 1001]


def test_dates_of_numpy_that_are_no_ns_say_so():
    numpy = pytest.importorskip("numpy")
    for said, kind, error, what in (
            (["2026-01-01", "NaT"], "M8[ns]", TypeError, "row 1: is missing"),
            ([[1, 2], ["NaT", 3]], "m8[s]", TypeError, "row 1: is missing"),
            (["2026", "3000"], "M8[s]", OverflowError, "row 1: .*3000"),
            ([1, 1 << 62], "m8[us]", OverflowError, "row 1: "),
            ([1500], "m8[ps]", OverflowError, "row 0: .* no whole number")):
        with pytest.raises(error, match=what):
            convert(numpy.array(said, kind), "q")
    assert list(convert(numpy.array([[1], [2]], ">m8[s]"), "q")) == [
        10**9, 2 * 10**9]


def test_polars_gives_its_memory_where_nothing_is_missing():
    polars = pytest.importorskip("polars")
    for kind in (polars.Datetime("ns"), polars.Datetime("ns", "UTC"),
                 polars.Duration("ns")):
        assert list(convert(polars.Series([-1, 1001]).cast(kind),
                            "q")) == [-1, 1001]
    day = polars.Series([1]).cast(polars.Date)
    assert list(convert(day, "q")) == [86_400 * 10**9]


def test_a_vector_has_one_amount_a_kind():
    tree = sked.Tree("cpu=1 memory=1")
    queue = tree.root.add("q")
    events = sked.Events(tree).node_up(0, 1, array("i", [4, 8]))
    assert events.amounts.tolist() == [4, 8]
    for short in ([1], [1, 2, 3], array("q", [1]), convert_column([1])):
        with pytest.raises(ValueError, match="of 2 kinds"):
            events.ask(0, 1, 1, short)
    with pytest.raises(ValueError, match="of 2 kinds"):
        sked.Ledger(tree).set("usage", {queue: [1], tree.root: [2, 3, 4]})
    assert events.amounts.tolist() == [4, 8] and len(events) == 1


def test_an_event_that_does_not_fit_leaves_no_part_of_it():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    events = (sked.Events(tree).node_up(0, 1, {"cpu": 4})
              .submit(0, 1, queue))
    for bad in (lambda: events.submit(0, 2, queue, priority=1 << 40),
                lambda: events.submit(0, -2, queue),
                lambda: events.ask(0, 2, 1, {"cpu": 1}, per_node=-1),
                lambda: events.ask(0, 2, 1, {"cpu": 1}, places=[1, -1]),
                lambda: events.ask(0, 2, 1, {"cpu": 1}, places={1: 1, 2: -1}),
                lambda: events.ask(0, 2, 1, {"cpu": 1}, task=1 << 70)):
        with pytest.raises((struct.error, OverflowError)):
            bad()
    events.ask(0, 1, 1, {"cpu": 3}, places=[1], strict=True).heartbeat(0, 1)
    engine = sked.Engine(tree)
    engine.apply(events)
    assert [d.node for d in engine.take() if d.ask] == [1]


def test_a_tree_says_how_many_kinds_dominant_resources_have():
    tree = sked.Tree("cpu=1 memory=1")
    tree.root.add("q")
    for capacity in ([10], [10, 10, 10]):
        with pytest.raises(ValueError, match="needs 2"):
            drf.Hdrf(capacity, tree)
    assert drf.Hdrf([10, 10], tree).kinds == 2


def test_columns_may_lie_anywhere():
    tree = sked.Tree("cpu=1")
    two = sked.Events(tree).node_up(0, 1, {"cpu": 4}).node_up(0, 2, {"cpu": 4})
    rows = memoryview(two.rows)
    apart = bytearray(257)  # every other record, and none where it should be
    for i in range(2):
        apart[1 + 128 * i:65 + 128 * i] = rows[64 * i:64 * i + 64]
    shifted = memoryview(bytes(1) + bytes(two.rows))[1:]
    for said in (two.rows, shifted):
        assert sked.Engine(tree).apply_rows(said, two.amounts) == 2
    numpy = pytest.importorskip("numpy")
    strided = numpy.frombuffer(apart, "V64", 3, 1)[::2]
    assert sked.Engine(tree).apply_rows(strided, two.amounts) == 2
    demand = numpy.frombuffer(bytes(1) + array("q", [10, 80, 80]).tobytes(),
                              "q", 3, 1)
    assert sked.fill(100, demand=demand).share.tolist() == [10, 45, 45]
    with pytest.raises(TypeError, match="a buffer of records"):
        sked.Engine(tree).apply_rows(list(two.rows), two.amounts)


def test_slices_of_records_are_records():
    rows = sked.batch.spans_of([(0, 4, 2), (0, 6, 1), (4, 9, 1)])
    assert [r.end for r in rows[1:]] == [6, 9] and rows[-1].end == 9
    assert len(rows[:1]) == 1 and rows[:1][0] == rows[0]
    assert len(rows[3:]) == 0 and rows[:] == rows


def test_bytes_are_not_negative():
    handle = drf.Drf([1])
    slots = [handle.insert(1), handle.insert(2)]
    handle.activate_rows(slots, array("b", [0, 1]))
    assert handle.list().tolist() == slots[1:]
    with pytest.raises(OverflowError, match="row 1: -1 is negative"):
        handle.activate_rows(slots, array("b", [0, -1]))


def test_events_of_other_kinds_are_refused():
    engine = sked.Engine(sked.Tree("cpu=1 memory=1"))
    for kinds in ("memory=1 cpu=1", "cpu=1"):
        other = sked.Events(sked.Tree(kinds)).node_up(0, 1, {"cpu": 4})
        for call in (engine.apply, engine.reconcile, engine.mend):
            with pytest.raises(sked.SchemaError):
                call(other)
    alike = sked.Events(sked.Tree("cpu=1 memory=1")).node_up(0, 1, "cpu=4")
    engine.apply(alike)
    assert engine.free_on(1) == {"cpu": 4, "memory": 0}


def test_what_counts_rows_takes_every_column():
    numpy = pytest.importorskip("numpy")
    for need in ([4, 1, 4, 1, 4, 1], [[4, 1]] * 3, array("q", [4, 1] * 3),
                 numpy.array([[4, 1]] * 3), numpy.array([4, 1] * 3)):
        assert admit.admit(2, need, entitlement=[10, 10]).admitted == [0, 1]
        held = admit.users(2, part_ppm=500_000, guarantee=[20, 20], used=need)
        assert len(held.may) == 3
        assert len(preempt.user_targets([10, 10], need)[0]) == 3
    for levels in (None, [0], numpy.array([0])):
        jobs = plan.PlanJobs([["a", "b", "a"]], levels=levels)
        assert plan.leaves(jobs)[0].tolist() == [0, 1, 0]


def test_plans_have_as_many_fields_as_the_library_takes():
    jobs = plan.PlanJobs([["a", "b"]] * 32, levels=list(range(32)),
                         tier=[1, 1], start=[0, 0], end=[1, 1], window=(0, 5))
    assert plan.leaves(jobs)[0].tolist() == [0, 1]


def test_a_stream_nobody_reads_is_let_go():
    table = Table({"n": convert_column(range(100))})
    for _ in range(3):
        assert table.__arrow_c_stream__() is not None


def test_columns_behave():
    column = convert_column([5, 6, 7])
    assert column == [5, 6, 7] and column[1:] == [6, 7] and column[-1] == 7
    assert column[:0].tolist() == [] and len(column) == 3 and 6 in column
    assert pickle.loads(pickle.dumps(column)) == column
    assert repr(column) == "Column('q', [5, 6, 7])"
    assert column != [5] and column != "x"
    for bad in ((b"123", "q", 8, 1, -1), (b"", "P", 8, 0, -1),
                (b"12345678", "q", 8, 2, -1), (b"", "q", 8, 1 << 62, 4)):
        with pytest.raises((ValueError, OverflowError)):
            sked._core.rebuild(*bad)
    with pytest.raises(IndexError):
        column[3]
    with pytest.raises(ValueError):
        column[::2]
    with pytest.raises(TypeError):
        type(column)()
    with pytest.raises(TypeError):
        hash(column)


def test_every_flag_of_the_buffer_protocol_is_honoured():
    column = convert_column([1, 2, 3, 4])
    view = memoryview(column)
    assert (view.format, view.shape, view.strides, view.itemsize,
            view.contiguous, view.readonly) == ("q", (4,), (8,), 8, True, True)
    assert bytes(column) == array("q", [1, 2, 3, 4]).tobytes()
    with pytest.raises((BufferError, TypeError)):
        address(column)
    copied = array("q")
    copied.frombytes(memoryview(column).cast("B"))
    assert copied.tolist() == [1, 2, 3, 4]


def test_texts_and_tables_are_shown_safely():
    table = Table({"name": Texts(["<script>", "b"]), "n": convert_column([1, 2])})
    assert "<script>" not in table._repr_html_()
    assert str(table).splitlines()[1] == "<script>  1"
    assert list(table.rows()) == [("<script>", 1), ("b", 2)]
    assert table == pickle.loads(pickle.dumps(table))
    with pytest.raises(ValueError):
        Table({"a": Texts(["x"]), "b": convert_column([1, 2])})
    assert "… 5 more" in Table({"n": convert_column(range(25))})._repr_html_()
