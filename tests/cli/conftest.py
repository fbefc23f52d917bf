"""Tiny tables and one fitted model, shared by all tests of the command line."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from nonfat.cli.app import main


@pytest.fixture(scope="session")
def air(tmp_path_factory):
    """A folder with a table, queries, and a model fitted to the table in two epochs."""
    folder = tmp_path_factory.mktemp("air")
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "site": rng.choice([7, 12, 31], 60),
            "pollutant": rng.choice(["ozone", "soot"], 60),
            "when": np.arange(60) / 4,
            "level": rng.normal(50, 5, 60).round(3),
        }
    )
    table.write_csv(folder / "air.csv")
    table.write_parquet(folder / "air.parquet")
    table.head(5).drop("level").write_csv(folder / "queries.csv")
    paths = SimpleNamespace(
        folder=folder,
        table=folder / "air.csv",
        parquet=folder / "air.parquet",
        queries=folder / "queries.csv",
        model=folder / "air.nonfat",
        names=["--modes", "site,pollutant", "--time", "when", "--value", "level"],
        brief=["--rank", "1", "--epochs", "2", "--quiet"],
    )
    typed = ["fit", paths.table, *paths.names, *paths.brief, "--out", paths.model]
    assert main(list(map(str, typed))) == 0
    return paths


@pytest.fixture
def nonfat(capsys):
    """A function that runs a command in this process and gives code, stdout and stderr."""

    def run(*typed):
        capsys.readouterr()
        code = main([str(word) for word in typed])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return run


@pytest.fixture
def refuses(nonfat):
    """A function that runs a command and checks that it complains in one line, which it gives."""

    def run(*typed):
        done = nonfat(*typed)
        assert done.code == 2
        assert done.out == ""
        assert done.err.startswith("nonfat: error: ")
        assert done.err.count("\n") == 1
        return done.err

    return run
