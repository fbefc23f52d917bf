"""What a table says of where it comes from."""

import subprocess

import jax
import numpy as np

import nonfat as nf
from nonfat.evaluation import provenance as module
from nonfat.evaluation.provenance import provenance


def test_versions_are_those_in_use():
    found = provenance()
    assert (found["nonfat"], found["jax"], found["numpy"]) == (
        nf.__version__,
        jax.__version__,
        np.__version__,
    )
    assert found["cpu"]
    assert found["command"]


def test_the_commit_tells_of_changes(tmp_path):
    def git(*words):
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", "-C", tmp_path, *name, *words], check=True, capture_output=True)

    assert module._commit(tmp_path) is None
    git("init")
    assert module._commit(tmp_path) is None  # no commit yet
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "a")
    commit = module._commit(tmp_path)
    assert len(commit) == 40
    (tmp_path / "a").write_text("2")
    assert module._commit(tmp_path) == f"{commit}-dirty"
