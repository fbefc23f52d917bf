"""The script ``benchmarks/step.py``: what it refuses before it measures."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "step.py"


def test_an_unknown_case_is_one_plain_line(monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location("step_benchmark", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, script)  # dataclasses look there
    spec.loader.exec_module(script)
    monkeypatch.setattr(sys, "argv", ["step.py", "--cases", "dblp,typo"])
    with pytest.raises(SystemExit) as caught:
        script.main()
    assert caught.value.code == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert told.err.startswith("no case is called 'typo'; there are beijing-c10, ")
