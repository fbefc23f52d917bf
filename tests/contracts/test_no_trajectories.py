"""What methods without trajectories say when they are asked for some."""

import pytest

import nonfat as nf
from contracts.support import CASES, make

WITHOUT = sorted(name for name, case in CASES.items() if not case.trajectories)


@pytest.mark.parametrize("method", WITHOUT)
def test_they_say_that_they_have_none(method, table):
    model = make(method).fit(table)
    text = "only methods whose entities have trajectories can show them"
    with pytest.raises(nf.ConfigError, match=text):
        model.trajectories("site")
    with pytest.raises(nf.ConfigError, match=text):
        model.plot.trajectories("site")
