"""Blocks of answers survive the way through bytes; damaged ones are refused; answers can be put in any order."""

import random

import numpy as np
import pytest

from graphedx.engine import Answer, Answers, Block
from graphedx.result import StopReason

SIZES = np.array([3, 0, 1, 5, 2, 0, 4], dtype=np.int64)


def answer(k, rng):
    lower = rng.random() * 10
    upper = rng.choice([lower, lower + rng.random(), float("inf")])
    images = [rng.randrange(-1, 9) for _ in range(SIZES[k])]
    return Answer(lower, upper, images, rng.choice([*StopReason]), rng.randrange(2**50))


def block_of(ids, seed=0):
    rng = random.Random(seed)
    return Block.of(np.array(ids, dtype=np.int64), [answer(k, rng) for k in ids])


def assert_same(one, other):
    for name in Block.__slots__:
        mine, others = getattr(one, name), getattr(other, name)
        assert mine.dtype == others.dtype
        np.testing.assert_array_equal(mine, others)


@pytest.mark.parametrize("ids", [[], [1], [5, 1], [3], [6, 0, 3], [*range(7)]], ids=str)
def test_bytes_and_back(ids):
    block = block_of(ids)
    back = Block.from_bytes(block.to_bytes())
    assert_same(back, block)
    assert len(back) == len(ids)
    back.ids[:] = 0  # not a view of bytes that cannot be written


def test_bytes_are_the_same_on_every_machine():
    block = Block.of(np.array([258], dtype=np.int64), [Answer(1.0, 2.0, [3], StopReason.PROVED, 4)])
    swapped = Block(
        *(getattr(block, name).astype(getattr(block, name).dtype.newbyteorder(">")) for name in Block.__slots__)
    )
    expected = "01000000 0201000000000000 000000000000f03f 0000000000000040 0400000000000000"
    for one in (block, swapped):
        assert one.to_bytes().hex().startswith(expected.replace(" ", ""))


def test_bytes_that_are_cut_short_are_refused():
    whole, answers = block_of([0, 3, 6]).to_bytes(), Answers(SIZES)
    for length in range(len(whole)):
        with pytest.raises(ValueError):
            answers.put(Block.from_bytes(whole[:length]))
    assert answers.is_open.all()


def test_damaged_bytes_are_a_block_or_a_value_error():
    whole, rng = block_of([0, 3, 6]).to_bytes(), random.Random(5)
    outcomes = set()
    for _ in range(2000):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        try:
            Answers(SIZES).put(Block.from_bytes(bytes(damaged)))
            outcomes.add("taken")
        except ValueError:
            outcomes.add("refused")
    assert outcomes == {"taken", "refused"}


def test_unknown_stops_are_refused():
    block = block_of([0])
    for stop in (-1, len(StopReason)):
        block.stops[0] = stop
        with pytest.raises(ValueError, match="a stop that nobody knows"):
            Block.from_bytes(block.to_bytes())


def test_a_block_of_other_pairs_is_refused():
    answers = Answers(SIZES[:4])
    with pytest.raises(ValueError, match="not there"):
        answers.put(block_of([6]))
    with pytest.raises(ValueError, match="does not fit"):
        Answers(SIZES[::-1].copy()).put(block_of([0]))
    assert answers.is_open.all()


def test_answers_in_any_order_are_the_same():
    rng, ids = random.Random(1), [*range(7)]
    found = {k: answer(k, rng) for k in ids}
    for _ in range(20):
        rng.shuffle(ids)
        cut = rng.randrange(8)
        answers = Answers(SIZES)
        for part in (ids[:cut], ids[cut:]):
            answers.put(Block.of(np.array(part, dtype=np.int64), [found[k] for k in part]))
        assert not answers.is_open.any()
        for k, one in found.items():
            assert answers.get(k) == one._replace(images=tuple(one.images))
        assert answers.unproven == sum(one.lower != one.upper for one in found.values())
        assert_same(answers.block(np.array(ids)), Block.of(np.array(ids), [found[k] for k in ids]))


def test_chosen_answers_keep_their_images():
    ids = np.array([0, 3, 1, 6], dtype=np.int64)
    block = block_of(ids.tolist())
    wanted = np.array([False, True, True, False])
    chosen, answers, fewer = block.chosen(wanted, SIZES[ids]), Answers(SIZES), Answers(SIZES)
    answers.put(block)
    fewer.put(chosen)
    assert chosen.ids.tolist() == [3, 1]
    assert fewer.get(3) == answers.get(3) and fewer.get(1) == answers.get(1)
