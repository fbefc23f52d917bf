"""Tensors from raw files: made-up ones in the format of the public ones, small and not so small."""

import gzip
import tracemalloc
from collections import Counter
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

from nonfat.errors import ConfigError, DataError
from nonfat.evaluation.data.prepare import prepare
from nonfat.evaluation.data.raw_ads import read_ads
from nonfat.evaluation.data.raw_beijing import read_beijing
from nonfat.evaluation.data.raw_dblp import read_dblp
from nonfat.evaluation.data.sampling import Sample, Tally
from nonfat.evaluation.datasets import load_fold

MEGABYTE = 1 << 20
AIR = (
    '"No","year","month","day","hour","PM2.5","PM10","SO2","NO2","CO","O3","TEMP","PRES","DEWP",'
    '"RAIN","wd","WSPM","station"\n'
)
ADS = (
    "id,click,hour,C1,banner_pos,site_id,site_domain,site_category,app_id,app_domain,app_category,"
    "device_id,device_ip,device_model,device_type,device_conn_type,C14,C15,C16,C17,C18,C19,C20,C21"
)


@pytest.fixture
def air(tmp_path):
    """Two stations, 20 hours; the second lacks carbon monoxide."""
    folder = tmp_path / "raw" / "PRSA_Data_20130301-20170228"
    folder.mkdir(parents=True)
    for station, offset in (("Dongsi", 0), ("Wanliu", 100)):
        rows = [AIR]
        for number in range(20):
            time = datetime(2013, 3, 1) + timedelta(hours=number)
            monoxide = "NA" if offset else f"{300 + 100 * number}"
            rows.append(
                f"{number + 1},{time.year},{time.month},{time.day},{time.hour},{number + offset},9,"
                f'4,7,{monoxide},77.5,-0.7,1023,-18.8,0,"NNW",4.4,"{station}"\n'
            )
        (folder / f"PRSA_Data_{station}_20130301-20170228.csv").write_text("".join(rows))
    return tmp_path / "raw"


def shown(click, hour, position, domain, app):
    rest = ",".join(["85f751fd"] * 13)
    return f"1000,{click},{hour},1005,{position},1fbe,{domain},28905ebd,{app},7801,{rest}"


@pytest.fixture
def log(tmp_path):
    """Ads in one hour and the next."""
    rows = [
        ADS,
        shown(1, 14102100, 0, "aa", "x"),
        shown(1, 14102100, 0, "aa", "x"),
        shown(0, 14102100, 1, "aa", "x"),
        shown(0, 14102101, 0, "aa", "x"),
        shown(1, 14102101, 0, "bb", "y"),
        shown(1, 14102100, 0, "aa", "x"),  # late: the log need not be sorted
    ]
    path = tmp_path / "train.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


HEAD = '<?xml version="1.0" encoding="{}"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n'
LATIN = HEAD.format("ISO-8859-1")


def paper(title, year=2015, venue="ICML", authors=("Ann", "Bob"), kind="inproceedings"):
    people = "".join(f"<author>{name}</author>" for name in authors)
    where = {"inproceedings": "booktitle", "article": "journal"}.get(kind, "school")
    return (
        f'<{kind} mdate="2020-01-01" key="conf/x">\n{people}<title>{title}</title>'
        f"<year>{year}</year><{where}>{venue}</{where}></{kind}>\n"
    )


@pytest.fixture
def write_dblp(tmp_path):
    """A function that writes a dblp.xml."""

    def write(*papers, head=LATIN):
        path = tmp_path / "dblp.xml"
        path.write_bytes((head + "".join(papers) + "</dblp>\n").encode("iso-8859-1"))
        return path

    return write


def test_beijing_in_its_units(air):
    table = read_beijing(air, standardise=False)
    assert table.height == 2 * 20 * 6 - 20  # no carbon monoxide at one of them
    first = table.filter(site="Wanliu", pollutant="PM2.5").sort("time").row(3)
    assert first == ("Wanliu", "PM2.5", datetime(2013, 3, 1, 3), 103.0)


def test_beijing_standardised(air):
    table = read_beijing(air)
    for name in ("PM2.5", "CO"):
        values = table.filter(pollutant=name)["value"]
        assert values.mean() == pytest.approx(0, abs=1e-12)
        assert values.std(ddof=0) == pytest.approx(1)
    assert set(table.filter(pollutant="SO2")["value"]) == {0.0}  # it never changes


def test_a_drawn_beijing_is_a_part_of_all(air):
    rows = read_beijing(air, 30, standardise=False)
    assert rows.height == 30
    assert rows.join(read_beijing(air, standardise=False), on=rows.columns).height == 30
    again = read_beijing(air, 30, standardise=False)
    assert rows.sort(rows.columns).equals(again.sort(rows.columns))
    other = read_beijing(air, 30, seed=1, standardise=False)
    assert not rows.sort(rows.columns).equals(other.sort(rows.columns))


def test_a_beijing_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"should be a folder that holds PRSA_Data_\*\.csv"):
        read_beijing(tmp_path)


def test_a_beijing_with_a_bad_number(air):
    path = next(air.rglob("*Dongsi*"))
    path.write_text(path.read_text().replace("77.5", "much", 1))
    with pytest.raises(DataError, match=r"cannot read 2013,3,1,0,Dongsi,.*'much'"):
        read_beijing(air)
    path.write_text(path.read_text().replace("station", "place"))
    with pytest.raises(DataError, match="lacks station; expected a header with them"):
        read_beijing(air)


@pytest.mark.parametrize("zipped", [False, True])
def test_clicks_are_counted(log, zipped, tmp_path):
    if zipped:
        (tmp_path / "train.gz").write_bytes(gzip.compress(log.read_bytes()))
        log = tmp_path / "train.gz"
    midnight, one = datetime(2014, 10, 21), datetime(2014, 10, 21, 1)
    assert sorted(read_ads(log).rows()) == [
        ("0", "aa", "x", midnight, 3),
        ("0", "aa", "x", one, 0),
        ("0", "bb", "y", one, 1),
        ("1", "aa", "x", midnight, 0),
    ]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (shown(2, 14102100, 0, "aa", "x"), "click should be 0 or 1, got '2'"),
        (shown(1, "2014-10-21", 0, "aa", "x"), "hour should be written YYMMDDHH, got '2014-10-2"),
        ("1000,1", "line 2: expected 24 fields, got 2"),
    ],
)
def test_a_log_of_another_kind(tmp_path, row, told):
    path = tmp_path / "train.csv"
    path.write_text(f"{ADS}\n{row}\n")
    with pytest.raises(DataError, match=told):
        read_ads(path)


def test_a_broken_archive(log):
    log.write_bytes(gzip.compress(log.read_bytes())[:-20])
    with pytest.raises(DataError, match=r"train\.csv cannot be read \(Compressed file ended"):
        read_ads(log)


@pytest.mark.parametrize("zipped", [False, True])
def test_papers_are_counted(write_dblp, zipped):
    path = write_dblp(
        paper("Deep tensors for the tensors."),
        paper("Tensors &amp; <i>trees</i>", authors=("Ann",)),
        paper("Tensors", year=2016, venue="TPAMI", kind="article", authors=("Ann",)),
        paper("Tensors of old", year=1999),
        paper("Tensors at home", kind="phdthesis"),
        "<www><author>Ann</author><title>Home Page</title></www>",
    )
    if zipped:
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert sorted(read_dblp(path).rows()) == [
        ("Ann", "ICML", "deep", 2015, 1),
        ("Ann", "ICML", "tensors", 2015, 2),
        ("Ann", "ICML", "trees", 2015, 1),
        ("Ann", "TPAMI", "tensors", 2016, 1),
        ("Bob", "ICML", "deep", 2015, 1),
        ("Bob", "ICML", "tensors", 2015, 1),
    ]


@pytest.mark.parametrize("head", [LATIN, HEAD.format("us-ascii"), "<dblp>"])
def test_characters_by_name(write_dblp, head):
    # So many that one of the names is cut by the end of a piece, wherever that is.
    names = ("J&uuml;rgen &Ouml;z", *[f"P{'x' * (i % 7)}&eacute;{i}" for i in range(20_000)])
    table = read_dblp(
        write_dblp(paper("Na&iuml;ve Bayes", authors=names), head=head), largest=(30_000, 1, 2)
    )
    assert {"Jürgen Öz", "Pé0", "Pxxxxxé19997"} <= set(table["author"])
    assert table["author"].n_unique() == 20_001
    assert set(table["keyword"]) == {"naïve", "bayes"}


def test_letters_as_they_are(write_dblp):
    (row,) = read_dblp(write_dblp(paper("Graphs", authors=("Jürgen",)))).rows()
    assert row[0] == "Jürgen"


def test_only_the_largest_stay(write_dblp):
    papers = [paper("Graphs", authors=("Ann",))] * 3 + [paper("Trees", "2015", "KDD", ("Bob",))] * 2
    table = read_dblp(write_dblp(*papers), largest=(1, 5, 5))
    assert table.rows() == [("Ann", "ICML", "graphs", 2015, 3)]
    table = read_dblp(write_dblp(*papers), largest=(5, 5, 5), years=(2015, 2015))
    assert table.height == 2


@pytest.mark.parametrize(
    ("papers", "told"),
    [(["<article>"], "mismatched tag"), ([paper("&unheardof;")], "undefined entity")],
)
def test_no_such_xml(write_dblp, papers, told):
    with pytest.raises(DataError, match=rf"not such XML as dblp\.xml is \({told}"):
        read_dblp(write_dblp(*papers, head="<dblp>"))


def test_a_sample_has_whole_totals():
    rng = np.random.default_rng(0)
    stream = [(int(key),) for key in rng.integers(500, size=20_000)]
    sample = Sample(50)
    for key in stream:
        sample.add(key, 1)
    totals, truth = sample.totals(), Counter(stream)
    assert len(totals) == 50
    assert totals == {key: truth[key] for key in totals}


def test_a_sample_favours_nobody():
    hits = Counter()
    for seed in range(400):
        sample = Sample(5, seed)
        for key in range(20):
            for _ in range(1 + 5 * (key < 3)):  # how often does not matter
                sample.add((key,), 1)
        hits.update(key for (key,) in sample.totals())
    counts = np.array([hits[key] for key in range(20)])
    assert counts.sum() == 2000
    assert ((counts - 100) ** 2 / 75).sum() < 45  # chi squared, 19 degrees of freedom


def test_a_full_tally_keeps_what_is_common():
    tally = Tally(capacity=100)
    for number in range(5000):
        tally.update([f"rare {number}", f"common {number % 10}"])
    assert tally.commonest(10) == [f"common {number}" for number in range(10)]


@pytest.fixture(params=["mobile-ads", "dblp"])
def large(request, tmp_path):
    """A file of some 20 MB, nearly all of its cells different; and how to read it."""
    path = tmp_path / "raw"
    with path.open("w") as file:
        if request.param == "mobile-ads":
            file.write(ADS + "\n")
            for number in range(120_000):
                hour = 14102100 + number * 24 // 120_000
                line = shown(number % 5 == 0, hour, number % 7, f"d{number}", f"a{number % 999}")
                file.write(line.replace("True", "1").replace("False", "0") + "\n")
            size, read = 18, read_ads
        else:
            file.write(HEAD.format("us-ascii"))
            for number in range(24_000):
                people = (f"N&eacute; {number % 5000}", f"M {number % 70}")
                text = paper(f"Graph {'abcdef'[number % 6] * 4} study", 2015, "KDD", people)
                file.write(text.replace("</title>", f"</title><note>{'x' * 600}</note>"))
            file.write("</dblp>\n")
            size, read = 18, lambda path, rows: read_dblp(path, rows, largest=(1000, 10, 10))
    assert path.stat().st_size > size * MEGABYTE
    return path, read


def test_memory_does_not_grow_with_the_file(large):
    path, read = large
    tracemalloc.start()
    try:
        table = read(path, 500)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table.height == 500
    assert peak < 5 * MEGABYTE


def test_what_is_prepared_can_be_loaded(air, tmp_path):
    done = prepare("beijing", air, tmp_path / "out", rows="all", progress=False)
    assert (done.rows, done.entities) == (220, {"site": 2, "pollutant": 6})
    assert done.folder == tmp_path / "out" / "beijing-prepared"
    tensor = pl.read_parquet(done.folder / "tensor.parquet")
    assert tensor.columns == ["site", "pollutant", "time", "value"]
    labels = pl.read_parquet(done.folder / "labels.parquet")
    assert labels.filter(mode="site").rows() == [("site", 0, "Dongsi"), ("site", 1, "Wanliu")]
    tests = []
    for fold in range(5):
        split = load_fold("beijing-prepared", fold, tmp_path / "out")
        assert (split.train.height, split.test.height) == (176, 44)
        assert split.train["time"].max() <= 19 / 24
        tests.append(split.test)
    assert not tests[0].equals(tests[1])
    row = tests[0].row(0)
    names = [
        labels.filter(mode=mode, code=code)["label"].item()
        for mode, code in zip(["site", "pollutant"], row, strict=False)
    ]
    moment = datetime(2013, 3, 1) + timedelta(days=row[2])
    found = tensor.filter(site=names[0], pollutant=names[1]).filter(
        (pl.col("time") - moment).abs() < timedelta(seconds=1)
    )
    assert found["value"].item() == row[3]


def test_the_same_seed_gives_the_same_files(air, tmp_path):
    one = prepare("beijing", air, tmp_path / "one", rows=50, progress=False)
    two = prepare("beijing", air, tmp_path / "two", rows=50, progress=False)
    for first, second in zip(one.files, two.files, strict=True):
        assert pl.read_parquet(first).equals(pl.read_parquet(second))


def test_the_other_two(log, write_dblp, tmp_path):
    with pytest.raises(DataError, match="only 4 rows came of it, too few to split"):
        prepare("mobile-ads", log, tmp_path / "out", progress=False)
    path = write_dblp(paper("Deep tensors"), paper("Random trees", authors=("Cyd",)))
    done = prepare("dblp", path, tmp_path / "out", progress=False)
    assert done.rows == 6
    assert load_fold("dblp-prepared", 2, tmp_path / "out").train["time"].unique().to_list() == [
        2015.0
    ]


def test_nothing_is_replaced_unasked(air, tmp_path):
    first = prepare("beijing", air, tmp_path, rows=50, progress=False)
    with pytest.raises(ConfigError, match=r"tensor\.parquet exists; pass --overwrite"):
        prepare("beijing", air, tmp_path, rows=60, progress=False)
    assert pl.read_parquet(first.files[0]).height == 50
    prepare("beijing", air, tmp_path, rows=60, overwrite=True, progress=False)
    assert pl.read_parquet(first.files[0]).height == 60


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("ctr10k", {}, "'ctr10k' cannot be prepared; the names are beijing, mobile-ads, dblp"),
        ("dblp", {"standardise": False}, "dblp has counts, never rescaled"),
        ("beijing", {"rows": 3}, "rows must be at least 5, or 'all', got 3"),
        ("beijing", {"seed": -1}, "seed must be a whole number from 0"),
    ],
)
def test_options_that_make_no_sense(tmp_path, name, options, told):
    with pytest.raises(ConfigError, match=told):
        prepare(name, tmp_path, tmp_path, **options)


def test_a_raw_file_that_is_not_there(tmp_path):
    with pytest.raises(
        DataError, match="does not exist, or is no file; expected the raw file of d"
    ):
        prepare("dblp", tmp_path / "dblp.xml", tmp_path)
