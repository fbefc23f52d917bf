"""``nonfat predict``, ``evaluate`` and ``trajectories``."""

import datetime as dt
import io
import json

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import nonfat as nf
from nonfat.cli.output import print_json


def test_predictions_are_those_of_the_library(nonfat, air, tmp_path):
    parquet, csv = tmp_path / "p.parquet", tmp_path / "p.csv"
    for out in (parquet, csv):
        done = nonfat("predict", air.model, air.queries, "--out", out, "--level", "80, 95")
        assert (done.code, done.out, done.err) == (0, "", "")
    expected = nf.load(air.model).predict(air.queries, level=[80, 95])
    assert expected.columns[-6:] == ["lo-80", "hi-80", "lo-95", "hi-95", "unseen", "beyond"]
    assert_frame_equal(pl.read_parquet(parquet), expected)
    assert_frame_equal(pl.read_csv(csv), expected)
    assert {path.name for path in tmp_path.iterdir()} == {"p.parquet", "p.csv"}


def test_without_a_file_predictions_go_to_stdout(nonfat, air):
    done = nonfat("predict", air.model, air.queries)
    assert done.code == 0
    table = pl.read_csv(io.StringIO(done.out))
    assert table.columns[:4] == ["site", "pollutant", "when", "mean"]
    assert table.height == 5


def test_predictions_and_trajectories_as_json(nonfat, refuses, air, tmp_path):
    fitted = nf.load(air.model)
    told = json.loads(nonfat("predict", air.model, air.queries, "--json", "--level", 80).out)
    assert told == fitted.predict(air.queries, level=80).to_dicts()
    typed = ("trajectories", air.model, "--mode", "site", "--json")
    assert json.loads(nonfat(*typed).out) == fitted.trajectories("site").to_dicts()
    out = ("--out", tmp_path / "p.csv")
    for words in (("predict", air.model, air.queries, "--json"), typed):
        assert "--json prints to stdout; leave out --out" in refuses(*words, *out)


def test_every_answer_may_be_asked_for_quietly(nonfat, air):
    for typed in (
        ("predict", air.model, air.queries),
        ("evaluate", air.model, air.table),
        ("trajectories", air.model, "--mode", "site"),
    ):
        loud, quiet = nonfat(*typed), nonfat(*typed, "--quiet")
        assert quiet.code == 0
        assert (quiet.out, quiet.err) == (loud.out, loud.err)


def test_a_file_is_not_overwritten_unless_asked(nonfat, refuses, air, tmp_path):
    out = tmp_path / "p.csv"
    out.write_text("mine")
    told = refuses("predict", air.model, air.queries, "--out", out)
    assert f"--out: {out} exists; pass --overwrite to replace it" in told
    assert out.read_text() == "mine"
    assert nonfat("predict", air.model, air.queries, "--out", out, "--overwrite").code == 0
    assert pl.read_csv(out).height == 5


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--level", "wide"], "--level: expected percentages separated by commas, such as 80,95"),
        (["--level", "80,,95"], "--level: expected percentages separated by commas, such as 80,95"),
        (["--level", "0.95"], "a level is a percentage from 1 to 99.9, such as 95; got 0.95"),
        (["--out", "p.xlsx"], "--out: p.xlsx should end in .csv or .parquet"),
        (["--out", "no/p.csv"], "--out: the folder no does not exist; create it first"),
        (["--levl", "80"], "No such option: --levl. Did you mean --level?"),
    ],
)
def test_mistakes_in_predicting(refuses, air, extra, told):
    assert told in refuses("predict", air.model, air.queries, *extra)


def test_models_and_tables_that_are_none(refuses, air):
    assert "no such file" in refuses("predict", "nowhere.nonfat", air.queries)
    assert str(air.table) in refuses("evaluate", air.table, air.table)
    assert "does not exist" in refuses("predict", air.model, "nowhere.csv")
    assert "'level'" in refuses("evaluate", air.model, air.queries)
    assert "QUERIES" in refuses("predict", air.model)


def test_an_evaluation_as_json(nonfat, air):
    done = nonfat("evaluate", air.model, air.parquet, "--json")
    found = json.loads(done.out)
    assert found["rows"] == 60
    assert found == nf.load(air.model).evaluate(air.parquet)
    names = {"relative_rmse", "rmse", "mae", "log_likelihood", "crps", "coverage_95"}
    assert names < set(found)


def test_an_evaluation_to_read(nonfat, air):
    lines = nonfat("evaluate", air.model, air.parquet).out.splitlines()
    assert lines[0].split() == ["rows", "60"]
    (mae,) = (line for line in lines if line.startswith("mae "))
    assert "  mean absolute error  " in mae
    assert mae.endswith("  lower is better")
    assert "higher is better" in next(line for line in lines if line.startswith("log_likelihood"))
    assert "should equal its level" in lines[-1]


def test_json_has_no_word_for_infinity(capsys):
    print_json({"log_likelihood": float("-inf"), "rows": 3})
    assert json.loads(capsys.readouterr().out) == {"log_likelihood": None, "rows": 3}


def test_json_has_no_type_for_times(capsys):
    when = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)
    print_json([{"when": when, "day": when.date(), "span": dt.timedelta(days=1)}])
    assert json.loads(capsys.readouterr().out) == [
        {"when": "2024-02-29T12:00:00+00:00", "day": "2024-02-29", "span": "1 day, 0:00:00"}
    ]


def test_trajectories(nonfat, air, tmp_path):
    out = tmp_path / "t.parquet"
    done = nonfat("trajectories", air.model, "--mode", "site", "--out", out)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert_frame_equal(pl.read_parquet(out), nf.load(air.model).trajectories("site"))


def test_entities_that_are_numbers_can_be_named(nonfat, air):
    done = nonfat("trajectories", air.model, "--mode", "site", "--entities", "31,7")
    table = pl.read_csv(io.StringIO(done.out))
    assert table["entity"].unique(maintain_order=True).to_list() == [31, 7]


def test_draws_of_trajectories(nonfat, air):
    typed = ("trajectories", air.model, "--mode", "pollutant", "--samples", 2)
    first, other = (nonfat(*typed, "--seed", seed).out for seed in (0, 1))
    table = pl.read_csv(io.StringIO(first))
    assert {"sample", "draw"} < set(table.columns)
    assert table["sample"].n_unique() == 2
    assert first != other


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ([], "there are several modes; name one with mode=...: 'site', 'pollutant'"),
        (["--mode", "sites"], "did you mean 'site'?"),
        (["--mode", "sites", "--entities", "7"], "did you mean 'site'?"),
        (["--mode", "site", "--entities", "7,8"], "no entity '8' in the mode 'site'"),
        (["--mode", "site", "--samples", "-1"], "samples must be a whole number of at least 0"),
        (["--mode", "site", "--out", "t.txt"], "--out: t.txt should end in .csv or .parquet"),
    ],
)
def test_mistakes_in_showing_trajectories(refuses, air, extra, told):
    assert told in refuses("trajectories", air.model, *extra)


def test_a_model_that_was_fitted_to_pandas(nonfat, air, tmp_path):
    pd = pytest.importorskip("pandas")
    model = nf.NONFAT(["site", "pollutant"], "when", "level", rank=1, epochs=2, progress=False)
    model.fit(pd.read_csv(air.table)).save(tmp_path / "m.nonfat")
    done = nonfat("trajectories", tmp_path / "m.nonfat", "--mode", "site")
    assert done.code == 0
    assert done.out.startswith("entity,factor,time,mean,std,beyond\n")
