import json
import os
import struct

import pytest
from faults import bits_turned
from hypothesis import given
from hypothesis import strategies as st
from memories import entry, fixed, indexed, laid_over, tree

from indexing.entry import Entry, Evidence, Lesson, Source
from indexing.errors import BadIndex, StaleRecipe
from indexing.signature import Signature
from indexing.stores import generations, local
from indexing.stores.local import LocalStore
from indexing.stores.segment import Files, decode, encode, encode_all

ENTRIES = [
    fixed("a", "Error: one", "do this", seen=3)._replace(captured_at="2026-01-02T00:00:00Z"),
    fixed("b", "Error: two")._replace(captured_at="2026-01-02T00:00:00Z"),
    fixed("c", "Error: one")._replace(captured_at="2026-01-03T00:00:00Z"),
    entry("d", "no signature \ud800 \u2028 ü", files=(), extra={"k": [1, None, {"x": 0.5}]}),
]


@pytest.fixture
def index(tmp_path):
    indexed(ENTRIES, tmp_path / "index")
    return tmp_path / "index"


def folder_of(index):
    return index / generations.current(index)


def test_rows_are_newest_first_then_by_id(index):
    store = LocalStore.open(index)

    assert [store.entry(row).id for row in range(len(store))] == ["c", "a", "b", "d"]


def test_entries_come_back_as_they_were(index):
    store = LocalStore.open(index)

    assert {store.entry(row).id: store.entry(row) for row in range(len(store))} == {
        each.id: each for each in ENTRIES
    }
    assert store.entry(1).lesson == Lesson(fix="do this")


@pytest.mark.parametrize("row", [-1, 4])
def test_there_are_no_other_rows(index, row):
    with pytest.raises(IndexError):
        LocalStore.open(index).entry(row)


def test_rows_are_found_by_signature(index):
    store = LocalStore.open(index)

    assert store.signed(ENTRIES[0].signature.sig_sha) == [0, 1]
    assert store.signed(ENTRIES[1].signature.sig_sha) == [2]


@pytest.mark.parametrize("laid", [indexed, laid_over])
@pytest.mark.parametrize("text", ["Error: one", "one", '"d"', "nowhere", "before"])
def test_rows_that_hold_a_text_are_found_and_signed_ones_counted(laid, text, tmp_path):
    store = laid(ENTRIES, tmp_path / "index")
    entries = [store.entry(row) for row in range(len(store))]

    assert store.holding(text.encode()) == [
        row for row, each in enumerate(entries) if text.encode() in encode(each)
    ]
    assert store.signatures == 3


@pytest.mark.parametrize("sha", ["00" * 32, "ff" * 32, "", "not hex", "00"])
def test_an_unknown_signature_has_no_rows(index, sha):
    assert list(LocalStore.open(index).signed(sha)) == []


def test_an_empty_index_can_be_opened(tmp_path):
    store = indexed([], tmp_path / "index")

    assert len(store) == 0
    assert list(store.signed("00" * 32)) == []
    assert local.verify(tmp_path / "index") == []


def test_a_part_sees_its_own_files_only(index):
    store = LocalStore.open(index)

    [segment] = store.segments
    assert set(segment.part("exact")) == {"ranks"}
    assert "text.words" in segment.part("lexical")
    assert segment.part("lex") == {}


def test_the_same_entries_in_any_order_give_the_same_bytes(tmp_path, index):
    indexed(reversed(ENTRIES), tmp_path / "other")

    assert tree(tmp_path / "other") == tree(index)


def test_a_store_stays_as_it_was_when_the_index_goes_on(index):
    store = LocalStore.open(index)

    indexed(ENTRIES[:1], index)
    indexed(ENTRIES[:2], index)

    assert [store.entry(row).id for row in range(len(store))] == ["c", "a", "b", "d"]
    assert store.segments[0].part("lexical")["text.words"]


def test_a_reader_that_is_overtaken_by_two_builds_opens_the_newest(index, monkeypatch):
    before = generations.current(index)
    indexed(ENTRIES[:1], index)
    indexed(ENTRIES[:2], index)
    answers = [before]
    current = generations.current
    monkeypatch.setattr(
        generations, "current", lambda index: answers.pop() if answers else current(index)
    )

    assert len(LocalStore.open(index)) == 2


def test_a_whole_index_has_no_problems(index):
    assert local.verify(index) == []


def test_no_index_is_named_with_the_command_that_makes_it(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(BadIndex, match="no index here; run `mem index rebuild`"):
            LocalStore.open(path)
    assert local.verify(tmp_path) != []


@pytest.mark.parametrize("content", [b"", b"../..", b"g-1", b"\xff\n", b"g-" + b"0" * 32])
def test_a_pointer_to_nothing_is_refused(index, content):
    (index / "CURRENT").write_bytes(content)

    with pytest.raises(BadIndex, match="mem index rebuild"):
        LocalStore.open(index)


def test_a_file_that_was_cut_is_refused_at_once(index):
    for path in sorted(folder_of(index).iterdir()):
        whole = path.read_bytes()
        if not whole:
            continue
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(BadIndex, match="mem index rebuild") as error:
            LocalStore.open(index)
        assert path.name in str(error.value)
        path.write_bytes(whole)
    assert local.verify(index) == []


def test_a_file_that_is_missing_is_refused_at_once(index):
    for path in sorted(folder_of(index).iterdir()):
        whole = path.read_bytes()
        path.unlink()
        with pytest.raises(BadIndex, match="mem index rebuild"):
            LocalStore.open(index)
        path.write_bytes(whole)


def test_a_bit_that_turned_is_found(index):
    for path in sorted(folder_of(index).iterdir()):
        for at in bits_turned(path):
            assert any(path.name in problem for problem in local.verify(index)), (path, at)


def test_changed_bytes_are_refused_at_once(index):
    for path in sorted(folder_of(index).iterdir()):
        whole = path.read_bytes()
        for changed in (b"\xff" * len(whole), whole[::-1], b"0" * len(whole)):
            if changed != whole:
                path.write_bytes(changed)
                with pytest.raises(BadIndex, match=r"its checksum is another; run `mem index"):
                    LocalStore.open(index)
        path.write_bytes(whole)
    assert len(LocalStore.open(index)) == 4


@pytest.fixture
def big(monkeypatch):
    """Every index is one whose checksums are not taken when it is opened."""
    monkeypatch.setattr(local, "_CHECKED", 0)


def test_keys_that_name_no_row_are_an_error_and_no_answer(index, big):
    keys = folder_of(index) / "signatures.keys"
    at = keys.read_bytes()
    keys.write_bytes(b"".join(at[n : n + 32] + b"\xff" * 8 for n in range(0, len(at), 40)))
    store = LocalStore.open(index)

    with pytest.raises(BadIndex, match=r"signatures\.keys: names a row that is not there; run"):
        store.signed(ENTRIES[0].signature.sig_sha)
    with pytest.raises(BadIndex, match="names a row"):
        store.beginning(ENTRIES[0].signature.sig_sha[:8])


@pytest.mark.parametrize("row", [b"[" * 9999, b"{}", b"[]", b"[[]]", b"null"])
def test_a_row_that_is_no_entry_is_an_error(index, big, row):
    rows = folder_of(index) / "rows.jsonl"
    size = rows.stat().st_size
    rows.write_bytes(row[:size].ljust(size))
    offsets = folder_of(index) / "rows.offsets"
    offsets.write_bytes(struct.pack("<5Q", 0, size, size, size, size))

    with pytest.raises(BadIndex, match="row 0 is damaged; run `mem index rebuild`"):
        LocalStore.open(index).entry(0)


def test_a_pipe_in_the_place_of_a_file_is_refused_at_once(index):
    for path in [*sorted(folder_of(index).iterdir()), index / "CURRENT"]:
        whole = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        with pytest.raises(
            BadIndex, match=r"cannot be read \(is a named pipe\).*mem index rebuild"
        ):
            LocalStore.open(index)
        path.unlink()
        path.write_bytes(whole)


def test_a_damaged_row_is_an_error_and_no_answer(index, big):
    rows = folder_of(index) / "rows.jsonl"
    rows.write_bytes(rows.read_bytes().replace(b'["a",', b'x"a",'))
    store = LocalStore.open(index)

    with pytest.raises(BadIndex, match="row 1 is damaged; run `mem index rebuild`"):
        store.entry(1)
    assert store.entry(0).id == "c"


def test_keys_that_do_not_agree_with_the_rows_are_found(tmp_path):
    index = tmp_path / "index"
    with generations.alone(index, 0):
        store = indexed(ENTRIES, tmp_path / "other")
        rows = [encode(store.entry(row)) + b"\n" for row in range(4)]
        files = Files(rows, list(map(len, rows)), bytes(40), [1, 2, 0, 3])
        local.write(index, files, [], [], store.recipe)

    assert any("does not agree with the rows" in problem for problem in local.verify(index))


def test_an_index_of_another_format_is_refused(index, tmp_path):
    folder = folder_of(index)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["format"] = 99
    text = json.dumps(manifest).encode()
    (folder / "manifest.json").write_bytes(text)
    folder.rename(index / generations.name_of(text))
    (index / "CURRENT").write_text(generations.name_of(text) + "\n")

    with pytest.raises(StaleRecipe, match="format 99, this version reads 3; run `mem index rebu"):
        LocalStore.open(index)


TEXTS = st.text(st.characters(exclude_categories=()), max_size=4)
LISTS = st.lists(TEXTS, max_size=2).map(tuple)
VALUES = st.dictionaries(
    TEXTS, TEXTS | st.integers() | st.floats(allow_nan=False) | st.none() | st.lists(TEXTS)
)
COUNTS = st.integers(0, 10**9)
SIGNATURES = st.builds(Signature, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, COUNTS, LISTS, VALUES, TEXTS)
LESSONS = st.builds(Lesson, LISTS, LISTS, LISTS, TEXTS, TEXTS, LISTS, TEXTS)
ANY_ENTRIES = st.builds(
    Entry,
    id=TEXTS,
    kind=TEXTS,
    title=TEXTS,
    body=TEXTS,
    labels=LISTS,
    files=st.none() | LISTS,
    signature=st.none() | SIGNATURES,
    lesson=LESSONS,
    evidence=st.builds(Evidence, *[COUNTS] * 5, TEXTS, TEXTS),
    captured_at=TEXTS,
    source=st.builds(Source, TEXTS, TEXTS, TEXTS),
    trust=TEXTS,
    extra=VALUES,
)


@given(ANY_ENTRIES)
def test_a_row_tells_the_entry(it):
    told = json.loads(json.dumps(it.as_dict()))  # another way to write it

    assert decode(encode(it)) == Entry.from_dict(told) == it


@given(st.lists(ANY_ENTRIES, max_size=3))
def test_rows_of_many_are_those_of_each(some):
    many = some * 64

    assert encode_all(many) == b"".join(encode(each) + b"\n" for each in many)


ODD_IDS = [
    "a",
    ",",
    '","',
    '"',
    "\\",
    '\\","',
    "]",
    "\n",
    "\u00fc\ud800",
    "x" * 300,
    "x" * 251 + "y",
]


def test_rows_are_found_by_ids_of_any_text(tmp_path):
    store = indexed([entry(id, "a title") for id in ODD_IDS], tmp_path)

    assert [store.entry(store.with_id(id)).id for id in ODD_IDS] == ODD_IDS
