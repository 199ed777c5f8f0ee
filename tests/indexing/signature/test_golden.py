"""The signature that each captured log should get; `scripts/accept` writes them anew."""

import json

import pytest
from failures import FAILURES, signature

from indexing.signature.lines import Log

FOLDERS = sorted(path.parent for path in FAILURES.glob("*/manifest.jsonl"))


def rows(folder, name):
    text = (folder / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_log_has_the_signature_that_was_accepted(folder):
    accepted = rows(folder, "golden.jsonl")
    assert [row["file"] for row in accepted] == sorted(p.name for p in folder.glob("*.txt"))
    for row in accepted:
        found = signature(f"{folder.name}/{row['file']}")
        if found is None:
            assert row["sig_sha"] is None
            continue
        assert (found.tool, found.rule, found.line, found.normalised, found.sig_sha) == (
            row["tool"],
            row["rule"],
            row["line"],
            row["normalised"],
            row["sig_sha"],
        )


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_log_is_missing_from_its_manifest(folder):
    named = [row["file"] for row in rows(folder, "manifest.jsonl")]
    assert sorted(named) == sorted(p.name for p in folder.glob("*.txt"))
    assert (folder / "PROVENANCE.md").exists()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_root_line_stands_in_the_log_where_it_is_said_to_be(folder):
    for row in rows(folder, "golden.jsonl"):
        if row["sig_sha"] is None:
            continue
        found = signature(f"{folder.name}/{row['file']}")
        log = Log((folder / row["file"]).read_bytes())
        assert log[found.line - 1].strip() == found.raw


def test_the_root_line_is_the_labelled_one_in_nineteen_of_twenty_logs():
    hits = logs = 0
    for folder in FOLDERS:
        for row in rows(folder, "manifest.jsonl"):
            if not row.get("root_line"):
                continue
            found = signature(f"{folder.name}/{row['file']}")
            log = Log((folder / row["file"]).read_bytes())
            lines = {row["root_line_no"] - 1}
            wanted = {log[at].strip() for at in lines}
            wanted |= {Log(line)[0].strip() for line in row["also_acceptable"]}
            logs += 1
            hits += found.raw in wanted
    assert logs > 600
    assert hits / logs >= 0.95


def test_no_failing_log_is_answered_with_a_trailer():
    trailers = []
    for folder in FOLDERS:
        for row in rows(folder, "manifest.jsonl"):
            found = signature(f"{folder.name}/{row['file']}")
            if row.get("root_line") and found.rule.split(":")[1] in {"trailer", "exit"}:
                trailers.append(row["file"])
    assert trailers == []
