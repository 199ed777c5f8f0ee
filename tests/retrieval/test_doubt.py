"""What is only alike is shown for a log when it names nothing that the log does not hold."""

import pytest
from memories import fixed

from retrieval import Query


@pytest.mark.parametrize(
    ("known", "log"),
    [
        ('npm ERR! Missing script: "build"', 'npm error Missing script: "deploy"'),
        (
            "npm ERR! Missing: kleur@4.1.5 from lock file",
            "npm error Missing: picocolors@1.0 from x",
        ),
        (
            "npm ERR! notarget No matching version found for react@99",
            "npm error notarget No matching version found for vue@12",
        ),
    ],
)
def test_another_name_is_another_failure(memory, known, log):
    assert memory(fixed("a", known, "do this")).lookup(Query(log, tool="npm")) == []


def test_the_same_names_in_other_words_are_shown(memory):
    known = memory(fixed("a", "npm ERR! cannot reach the proxy of acme-web today", "set it"))
    hits = known.lookup(Query("npm error today cannot reach the acme-web proxy at all", tool="npm"))
    assert [(hit.entry.id, hit.tier) for hit in hits] == [("a", "lexical")]


def test_an_issue_in_words_is_not_doubted(memory):
    known = memory(fixed("a", 'npm ERR! Missing script: "build"', "add it"))
    assert known.lookup(Query(title="Missing script for deployment"))


def test_beside_a_sure_answer_what_is_alike_may_stand(memory):
    sure = fixed("a", "Error: crash in Menu.draw of the shop")
    alike = fixed("b", "Error: crash in Cart.total of the shop")
    hits = memory(sure, alike).lookup(Query("Error: crash in Menu.draw of the shop", tool="npm"))
    assert [hit.tier for hit in hits] == ["exact", "lexical"]
