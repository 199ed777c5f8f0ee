"""What holds for every renderer: memory text is shown, and is only text."""

import unicodedata

import pytest
from hits import exact, hit

from retrieval.renderers import RENDERERS, renderer
from retrieval.renderers.interface import NOTHING

HOSTILE = [
    "\x1b[31mred\x1b[0m \x07\x9b1m",
    "\u202egnp.exe\u2066",
    "zero\u200bwidth\ufeff",
    "half \ud800 pair",
    "\U000e0041tags",
    "line\r\nends\u2028here\x85too",
    "[red]markup[/red] :fire: [link=http://x]y[/link]",
    "<script>alert(1)</script> & \"quoted\" 'text'",
    "# heading\n* list `code` | cell",
]
TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


@pytest.mark.parametrize("name", RENDERERS)
def test_shows_title_lesson_tier_and_source(name):
    found = hit("npm ci fails", fix="raise it", worked="one", gotchas="two", seen=3)

    text = renderer(name)([found], None, 1.5)

    for part in ("npm ci fails", "raise it", "one", "two", "lexical", "50", "memory/failures.json"):
        assert part in text


@pytest.mark.parametrize("name", RENDERERS)
def test_no_hit_is_said(name):
    text = renderer(name)([], None, 1.5)

    assert NOTHING in text or '"hits":[]' in text


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", RENDERERS)
def test_what_is_invisible_does_not_reach_a_terminal_or_a_page(name, text):
    found = exact(text, raw=text, fix=text, worked=text, template=text, words=(text,), note=text)

    made = renderer(name)([found], found.entry.signature, 1.5)

    assert made.encode()
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")
    assert not [s for s in made if unicodedata.category(s) in hidden and s != "\n"]


@pytest.mark.parametrize("name", RENDERERS)
def test_secrets_are_taken_out_again(name):
    found = exact(f"push {TOKEN}", raw=TOKEN, fix=TOKEN, template=TOKEN, note=TOKEN, words=(TOKEN,))

    made = renderer(name)([found], found.entry.signature, 1.5)

    assert TOKEN not in made
    assert "REDACTED" in made


@pytest.mark.parametrize("name", RENDERERS)
def test_the_same_hits_are_the_same_bytes(name):
    hits = [exact(fix="a"), hit("b", words=("x", "y"), cosine=0.1)]

    assert renderer(name)(hits, None, 2.0) == renderer(name)(list(hits), None, 2.0)


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ValueError, match="no renderer 'yaml'; there are text, json"):
        renderer("yaml")
