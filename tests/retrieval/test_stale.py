"""What time has overtaken: it comes last, and says why."""

import pytest
from commands import LOG, RAW, login
from memories import journal

from indexing.build import build_index
from indexing.entry import Lesson
from indexing.settings import JOURNAL, Settings
from retrieval import Memory, Query
from retrieval.tiers import tiers


@pytest.fixture
def here(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(here):
    def of(*entries):
        mem_dir = here / ".mem"
        mem_dir.mkdir()
        journal(mem_dir / JOURNAL, entries)
        settings = Settings()
        build_index([mem_dir / JOURNAL], mem_dir / "index", tiers(settings), settings, root=here)
        return Memory.open(mem_dir)

    return of


def cites(id, *files, fix="npm login", at="2026-01-01T00:00:00Z"):
    return login(id, files=files, lesson=Lesson(fix=fix), captured_at=at)


def test_b088_a_fix_whose_file_is_gone_says_so_and_comes_last(memory, here):
    (here / "there.ts").write_text("export const x = 1\n", encoding="utf-8")
    known = memory(
        cites("stale", "gone.ts", at="2026-06-01T00:00:00Z"),
        cites("good", "there.ts", fix="npm adduser"),
    )
    hits = known.lookup(Query(LOG))
    assert [hit.entry.id for hit in hits] == ["good", "stale"]
    assert hits[1].why.note == "verify first: gone.ts gone"
    assert "verify first: gone.ts gone" in known.context(Query(LOG))


def test_b088_a_function_that_was_renamed_is_named(memory, here):
    (here / "auth.ts").write_text("export function signIn() {}\n", encoding="utf-8")
    [hit] = memory(cites("old", "auth.ts", fix="Call logIn() first")).lookup(Query(LOG))
    assert hit.why.note == "verify first: logIn() gone"


def test_of_a_renamed_file_the_new_name_is_looked_for(memory, here):
    (here / "there.ts").write_text("", encoding="utf-8")
    [hit] = memory(cites("moved", "gone.ts => there.ts")).lookup(Query(LOG))
    assert hit.why.note == ""


def test_what_is_still_there_is_not_doubted(memory, here):
    (here / "auth.ts").write_text("export function signIn() {}\n", encoding="utf-8")
    [hit] = memory(cites("new", "auth.ts", fix="Call signIn() first")).lookup(Query(LOG))
    assert hit.why.note == ""


def test_a_memory_of_another_checkout_is_not_held_against_these_files(here, tmp_path):
    journal(tmp_path / "theirs.jsonl", [cites("a", "gone.ts")])
    settings = Settings()
    build_index([tmp_path / "theirs.jsonl"], here / "index", tiers(settings), settings)
    [hit] = Memory.open(index=here / "index").lookup(Query(LOG))
    assert hit.why.note == ""


def test_a_path_that_leaves_the_project_is_not_looked_at(memory):
    [hit] = memory(cites("a", "../../etc/passwd")).lookup(Query(LOG))
    assert hit.why.note == ""


def test_b091_each_case_carries_its_date_and_an_older_one_is_to_be_verified(memory):
    known = memory(
        cites("new", fix="npm login", at="2026-06-28T00:00:00Z"),
        cites("old", fix="npm adduser", at="2026-06-01T00:00:00Z"),
    )
    text = known.context(Query(LOG))
    first, second = text.split("\n2. ")
    assert RAW in text
    assert "2026-06-28" in first
    assert "verify first" not in first
    assert "2026-06-01; older, verify first" in second


def test_code_that_the_fix_took_away_is_not_missed(memory, here):
    (here / "total.rs").write_text("pub fn total(a: i64) -> i64 { a }\n", encoding="utf-8")
    fix = "In total.rs: replace `a.to_string()` by `a`"
    [hit] = memory(cites("a", "total.rs", fix=fix)).lookup(Query(LOG))
    assert hit.why.note == ""


def test_a_file_that_is_a_link_to_itself_is_not_looked_at(memory, here):
    (here / "round.ts").symlink_to("round.ts")
    [hit] = memory(cites("a", "round.ts")).lookup(Query(LOG))
    assert hit.why.note == ""
