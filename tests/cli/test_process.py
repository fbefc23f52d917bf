"""The command as the shell sees it: exit codes, streams, and how soon it answers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import nonfat

SCRIPT = Path(sys.executable).with_name("nonfat.exe" if os.name == "nt" else "nonfat")
MAIN = "import sys; from nonfat.cli.app import main; sys.exit(main())"


def start(*typed, **options):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", MAIN, *map(str, typed)], **pipes | options)


def test_a_mistake_is_one_line_on_stderr_and_exit_code_two(tmp_path):
    process = start("fit", "nowhere.csv", "--out", tmp_path / "m.nonfat")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert out == b""
    assert err.decode() == "nonfat: error: the file 'nowhere.csv' does not exist\n"


@pytest.mark.skipif(not SCRIPT.exists(), reason="nonfat is not installed beside this Python")
def test_the_installed_command_goes_all_the_way(air, tmp_path):
    def shell(*typed):
        words = [str(word) for word in (SCRIPT, *typed)]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)

    shell("fit", air.table, *air.names, *air.brief, "--out", "m.nonfat")
    assert json.loads(shell("evaluate", "m.nonfat", air.table, "--json").stdout)["rows"] == 60
    answer = shell("predict", "m.nonfat", air.queries)
    assert answer.stdout.startswith("site,pollutant,when,mean,std,latent_std,unseen,beyond\n")
    assert answer.stderr == ""
    shell("trajectories", "m.nonfat", "--mode", "site", "--out", "t.parquet")
    assert pl.read_parquet(tmp_path / "t.parquet")["entity"].unique().sort().to_list() == [
        7,
        12,
        31,
    ]


@pytest.mark.skipif(os.name == "nt", reason="no broken pipes there")
def test_a_reader_that_leaves_early_is_no_news(air):
    process = start("predict", air.model, air.queries)
    process.stdout.close()  # long before the answer
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 1
    assert err == b""


def test_help_needs_nothing_heavy():
    """The package itself is stood in for: what counts is what the command line imports."""
    code = f"""
import sys, types
package = types.ModuleType("nonfat")
package.__path__ = [{str(Path(nonfat.__file__).parent)!r}]
sys.modules["nonfat"] = package
from nonfat.cli.app import main
assert main(["--help"]) == 0
assert main(["fit", "--help"]) == 0
assert main(["bench", "--help"]) == 0
assert main(["methods", "--help"]) == 0
assert main(["fti"]) == 2
assert not {{"jax", "polars", "sklearn", "matplotlib", "rich"}} & set(sys.modules), sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)  # noqa: PLW1510
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1
    assert "fit " in done.stdout
    assert "--modes A,B" in done.stdout
