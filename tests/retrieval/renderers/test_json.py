"""One line of JSON by the contract."""

import json

from hits import exact, hit
from hypothesis import given
from hypothesis import strategies as st

from retrieval.renderers.json import hits


def test_keys_and_their_order_are_the_contracts():
    found = exact(raw="npm ERR! x", fix="y", files=("a.py",))

    made = json.loads(hits([found], found.entry.signature, 1.23456))

    assert list(made) == ["signature", "hits", "took_ms"]
    assert made["took_ms"] == 1.235
    [one] = made["hits"]
    assert list(one) == ["rank", "tier", "score", "entry", "why"]
    contract = ["id", "kind", "title", "files", "lesson", "captured_at", "source"]
    assert list(one["entry"])[:7] == contract
    assert list(one["why"])[:5] == ["cosine", "jaccard", "words", "files", "same_signature"]
    assert made["signature"]["sig_sha"] == "ab" * 32


def test_no_signature_and_no_hit_are_null_and_empty():
    assert hits([], None, 0) == '{"signature":null,"hits":[],"took_ms":0}\n'


def test_ranks_count_from_one():
    made = json.loads(hits([exact("a"), hit("b")], None, 1.0))

    assert [one["rank"] for one in made["hits"]] == [1, 2]


def test_other_scripts_are_not_escaped():
    assert "構築 🔥" in hits([hit("構築 🔥")], None, 1.0)


@given(st.text(st.characters()))
def test_any_text_is_one_line_that_says_the_same(text):
    made = hits([hit(text)], None, 1.0)

    assert len(made.splitlines()) == 1
    assert made.encode()
    [one] = json.loads(made)["hits"]
    assert one["entry"]["title"].encode("utf-16", "surrogatepass") == text.encode(
        "utf-16", "surrogatepass"
    )
