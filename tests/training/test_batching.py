from dataclasses import replace

import jax
import numpy as np
import pytest

from nonfat.training import ArraySource, Source, local_entries


def source(N, d, batch_size, seed=0, distinct_times=None, chunk=256):
    """A source whose values number its rows."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, d_k, N) for d_k in d], axis=1).astype(np.int32)
    time = rng.uniform(0, 1, N)
    if distinct_times:
        time = rng.choice(rng.uniform(0, 1, distinct_times), N)
    return ArraySource(codes, time, np.arange(float(N)), d, batch_size, chunk)


def batches(source, seed=0):
    """The batches of one epoch, one at a time."""
    found = []
    for chunk in source.epoch(np.random.default_rng(seed)):
        steps = len(chunk.batch.value)
        found += [jax.tree.map(lambda x: x[i], chunk) for i in range(steps)]  # noqa: B023
    return found


def decoded(local):
    """The codes that a batch's positions stand for."""
    position = np.asarray(local.batch.entries.position)
    columns = [
        position[:, k] if index is None else index[position[:, k]]
        for k, index in enumerate(local.entities)
    ]
    return np.stack(columns, axis=1)


CASES = {
    "all modes small": (60, (4, 5), 20, None),
    "one mode large": (60, (50, 5), 20, None),
    "all modes large": (60, (50, 90), 20, None),
    "uneven batches": (61, (50, 5), 20, None),
    "few times": (61, (50, 5), 20, 6),
    "one batch": (10, (4, 30), 100, None),
}


@pytest.fixture(params=CASES)
def case(request):
    N, d, batch_size, distinct = CASES[request.param]
    return source(N, d, batch_size, distinct_times=distinct)


def test_every_row_comes_once_an_epoch_up_to_the_filling_of_the_last_batch(case):
    order = np.concatenate([local.batch.value for local in batches(case)]).astype(int)
    assert len(order) == case.steps * case.rows_per_batch
    assert sorted(order[: case.size]) == list(range(case.size))
    filling = order[case.size :]
    np.testing.assert_array_equal(filling, order[: len(filling)])
    assert len(filling) < case.steps  # less than a row for each batch


def test_batches_decode_to_the_rows_they_were_made_from(case):
    for local in batches(case):
        rows = local.batch.value.astype(int)
        np.testing.assert_array_equal(decoded(local), case.codes[rows])
        entries = local.batch.entries
        np.testing.assert_array_equal(entries.times[entries.time_position], case.time[rows])


def test_small_modes_keep_their_table_and_large_ones_list_distinct_entities_first(case):
    for local in batches(case):
        for d, index, j in zip(
            case.shape, local.entities, local.batch.entries.position.T, strict=True
        ):
            if d <= case.rows_per_batch:
                assert index is None
                continue
            assert index.shape == (case.rows_per_batch,)
            assert len(np.unique(index)) == len(index)  # as `put` promises to the scatter
            inside = index < d
            np.testing.assert_array_equal(np.flatnonzero(inside), np.unique(j))


def test_two_epochs_come_in_different_orders_and_one_seed_in_one(case):
    first, again, other = (
        np.concatenate([local.batch.value for local in batches(case, seed)]) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)


@pytest.mark.parametrize("d", [(4, 5), (50, 5), (50, 90)])
def test_prior_weights_add_up_to_the_number_of_batches_for_each_entity_that_occurs(d):
    case = source(60, d, 20)
    for k, d_k in enumerate(d):
        total = np.zeros(d_k)
        for local in batches(case):
            weight, index = local.batch.prior_weight[k], local.entities[k]
            if index is None:
                total += weight
                continue
            assert np.all(weight[index >= d_k] == 0.0)  # of rows that stand for nobody
            np.add.at(total, index[index < d_k], weight[index < d_k])
        occurs = np.isin(np.arange(d_k), case.codes[:, k])
        np.testing.assert_allclose(total[occurs], case.steps, rtol=1e-12)


def test_with_uneven_batches_prior_weights_add_up_on_average():
    """Over 400 epochs; the one row of filling in 61 moves single epochs only."""
    case = source(61, (50,), 20)
    total, rng = np.zeros(50), np.random.default_rng(0)
    for _ in range(400):
        for chunk in case.epoch(rng):
            for index, weight in zip(chunk.entities[0], chunk.batch.prior_weight[0], strict=True):
                np.add.at(total, index[index < 50], weight[index < 50])
    occurs = np.isin(np.arange(50), case.codes[:, 0])
    # An entity that occurs once is filled in with chance 3/61 and then counts twice: the standard
    # deviation of the mean is below 4 * sqrt(3/61/400) = 0.045.
    np.testing.assert_allclose(total[occurs] / 400, case.steps, atol=4.5 * 0.045)


def test_weights_are_finite_where_the_last_entity_of_a_large_mode_has_no_rows():
    codes = np.zeros((6, 1), np.int32)
    case = ArraySource(codes, np.arange(6.0), np.ones(6), (9,), batch_size=3)
    for local in batches(case):
        np.testing.assert_allclose(local.batch.prior_weight[0], [2.0 * 3 / 6, 0.0, 0.0])


def test_the_shapes_of_a_batch_do_not_depend_on_rows_or_entities():
    small, large = source(60, (50, 90), 20), source(600, (500, 900), 20)
    shapes = [[x.shape for x in jax.tree.leaves(batches(case)[0])] for case in (small, large)]
    assert shapes[0] == shapes[1]
    assert max(max(shape) for shape in shapes[0]) == 20


def test_few_distinct_times_are_listed_once_and_many_by_row():
    few, many = source(60, (4,), 20, distinct_times=6), source(60, (4,), 20)
    for local in batches(few):
        np.testing.assert_array_equal(local.batch.entries.times, np.unique(few.time))
    for local in batches(many):
        np.testing.assert_array_equal(local.batch.entries.time_position, np.arange(20))


def test_chunks_hold_the_same_batches_whatever_their_size():
    whole, pieces = source(90, (50, 5), 10), source(90, (50, 5), 10, chunk=4)
    assert [len(c.batch.value) for c in pieces.epoch(np.random.default_rng(0))] == [4, 4, 1]
    for x, y in zip(batches(whole), batches(pieces), strict=True):
        jax.tree.map(np.testing.assert_array_equal, x, y)


def test_offsets_go_with_their_rows_and_are_zero_if_there_are_none():
    case = source(61, (50, 5), 20)
    for local in batches(case):
        np.testing.assert_array_equal(local.batch.offset, np.zeros(case.rows_per_batch))
    watched = replace(case, offset=np.log1p(case.value))
    for local in batches(watched):
        np.testing.assert_array_equal(local.batch.offset, np.log1p(local.batch.value))


def test_an_array_source_is_a_source():
    assert isinstance(source(10, (3,), 5), Source)


def test_local_entries_of_one_row_work():
    entries, entities = local_entries(np.array([[7]], np.int32), np.array([0.5]), (9,))
    np.testing.assert_array_equal(entities[0], [7])
    np.testing.assert_array_equal(entries.position, [[0]])
