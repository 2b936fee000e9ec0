"""What is kept of a journal that was damaged or cut short: every whole record, wherever it is."""

import numpy as np
import pytest

from graphedx.engine import Answer, Answers, Block, journal
from graphedx.errors import FormatError
from graphedx.result import StopReason

SIZES = np.array([3, 0, 5, 2, 60, 1, 4, 2])
RECORDS = [[0], [1, 2], [4], [3, 5], [6, 7]]  # the pairs of each
HEAD = len("graphedx checkpoint 2\nmark\n")


def block(ids):
    answers = [Answer(k, k + 0.5, [*range(SIZES[k])][::-1], StopReason.TIME, 10 * k) for k in ids]
    return Block.of(np.array(ids, dtype=np.int64), answers)


@pytest.fixture
def path(tmp_path):
    with journal.opened(tmp_path / "j", "mark", Answers(SIZES)) as notes:
        for ids in RECORDS:
            notes.append(block(ids))
    return tmp_path / "j"


def starts():
    """Where each record begins, and where the last one ends."""
    return [HEAD, *(HEAD + np.cumsum([8 + len(block(ids).to_bytes()) for ids in RECORDS])).tolist()]


def known(path):
    """The pairs that a journal has answers to, which must be the right ones."""
    answers = Answers(SIZES)
    with journal.opened(path, "mark", answers):
        pass
    found = np.flatnonzero(~answers.is_open).tolist()
    assert all(answers.get(k) == (k, k + 0.5, (*range(SIZES[k] - 1, -1, -1),), StopReason.TIME, 10 * k) for k in found)
    return found


def others(record):
    return sorted(k for number, ids in enumerate(RECORDS) if number != record for k in ids)


@pytest.mark.parametrize("record", range(len(RECORDS) - 1))
def test_damage_at_any_byte_costs_its_record_and_no_other(path, record):
    """The length of a record is among what may be damaged: the next one does not begin where it says."""
    whole = path.read_bytes()
    first, end = starts()[record : record + 2]
    for place in range(first, end):
        for bit in (0, 6, 7):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            with pytest.warns(UserWarning, match=f"j: the checkpoint is damaged at byte {first}; all else"):
                assert known(path) == others(record)
            assert path.read_bytes() == damaged  # nothing that could be of use is cut off


def test_what_comes_after_damage_is_appended_and_found_again(path):
    content = bytearray(path.read_bytes())
    content[starts()[2] + 3] ^= 0x40  # now it claims to be longer than the file
    path.write_bytes(content)
    with pytest.warns(UserWarning, match="damaged"), journal.opened(path, "mark", Answers(SIZES)) as notes:
        notes.append(block(RECORDS[2]))
    with pytest.warns(UserWarning, match="damaged"):
        assert known(path) == list(range(len(SIZES)))


def test_damage_in_several_places_is_all_told(path):
    content = bytearray(path.read_bytes())
    for record in (0, 2, 4):
        content[starts()[record] + 4] ^= 1  # its checksum
    path.write_bytes(content)
    with pytest.warns(UserWarning, match="at byte {}, {}, {};".format(*starts()[:5:2])):
        assert known(path) == [1, 2, 3, 5]


@pytest.mark.filterwarnings("error")
def test_a_last_record_that_is_cut_short_is_what_a_crash_leaves(path):
    whole, last = path.read_bytes(), starts()[-2]
    for length in range(last, len(whole)):
        path.write_bytes(whole[:length])
        assert known(path) == others(len(RECORDS) - 1)
        assert path.stat().st_size == last


def test_zeros_at_the_end_are_told_and_cut_off(path):
    """What some file systems leave of a record that was on its way when the power went."""
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(5000))
    with pytest.warns(UserWarning, match=f"at byte {len(whole)};"):
        assert known(path) == list(range(len(SIZES)))
    assert path.read_bytes() == whole


def test_a_whole_record_of_other_pairs_is_refused(path):
    before = path.read_bytes()
    with pytest.raises(FormatError, match="does not fit the graphs"), journal.opened(path, "mark", Answers(SIZES + 1)):
        pytest.fail("it must not be opened")
    assert path.read_bytes() == before
