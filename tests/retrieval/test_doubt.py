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


@pytest.mark.parametrize(
    ("known", "log"),
    [
        (
            "E: Package 'python' has no installation candidate",
            "installing python netcat\nE: Package 'netcat' has no installation candidate",
        ),
        (
            "error[E0502]: cannot borrow `self.rows` as mutable, it is borrowed",
            "see E0502 and E0507\nerror[E0507]: cannot move out of `self.rows`, it is borrowed",
        ),
        (
            "a.ts(2,23): error TS2307: Cannot find module './rates.js' or its types",
            "// rates.js\na.ts(1,2): error TS2307: Cannot find module 'decimal.js' or its types",
        ),
    ],
)
def test_what_only_stands_elsewhere_in_the_log_is_no_name_of_its_failure(memory, known, log):
    assert memory(fixed("a", known, "do this")).lookup(Query(log, tool="npm")) == []


@pytest.mark.parametrize(
    ("known", "log"),
    [
        (
            'error web@5.0.2: The engine "node" is too old. Wanted ">=26". Got "18.20.8"',
            'error web@5.0.2: The engine "node" is too old. Wanted ">=26". Got "20.20.2"',
        ),
        (
            "fatal: could not read Username for 'http://127.0.0.1:9311': terminal prompts disabled",
            "fatal: could not read Username for 'http://127.0.0.1:9312': terminal prompts disabled",
        ),
        (
            "cannot open orders.csv: No such file or directory at report.pl line 7.",
            "report.pl\ncannot open orders.csv: No such file or directory at Cart.pm line 3.",
        ),
    ],
)
def test_versions_addresses_and_places_do_not_tell_failures_apart(memory, known, log):
    [hit] = memory(fixed("a", known, "do this")).lookup(Query(log, tool="npm"))
    assert (hit.entry.id, hit.tier) == ("a", "lexical")


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
